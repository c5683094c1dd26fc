#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# combinations.sh TOP SOURCE DIR: every combination of our options that differs in code builds
# without a warning; in one object tree, so that only what differs is compiled.
set -eu
. "$(dirname "$0")/lib.sh"
obj=$dir/obj

# combination WHAT LINE...: on top of the guest's configuration
combination() {
	what=$1
	shift
	# shellcheck disable=SC2046
	check "$what" both configure "$obj" $(guest_config | grep -v '^CONFIG_KUNIT=') "$@"
}

both() {
	"$@" && builds "$obj"
}

all=$(printf 'CONFIG_NUMA_POLICY_%s=y\n' $policies)

for p in $policies; do
	combination "$p alone" "CONFIG_NUMA_POLICY_DEFAULT_$p=y"
done
# One that is the default is built: where the untouched default is left out, another takes its place.
for p in $policies; do
	default=SEQ_DELTA
	[ "$p" != SEQ_DELTA ] || default=PIDS_ACTIVE
	# shellcheck disable=SC2046
	combination "all but $p" "CONFIG_NUMA_POLICY_DEFAULT_$default=y" \
		$(echo "$all" | grep -v "_$p=y") "# CONFIG_NUMA_POLICY_$p is not set"
	check "all but $p: it is left out" grep -qx "# CONFIG_NUMA_POLICY_$p is not set" "$obj/.config"
done
for n in 2 3 4 5 6 7 8; do
	# shellcheck disable=SC2086
	combination "all, $n windows" $all "CONFIG_NUMA_POLICY_WINDOWS=$n"
done

for built in one all; do
	lines=
	[ "$built" = one ] || lines=$all
	for switch in '' SWITCH; do for stats in '' STATS; do for trace in '' TRACE; do for kunit in '' KUNIT_TEST; do
		# shellcheck disable=SC2046,SC2086
		combination "$built, with: $(echo $switch $stats $trace $kunit)" $lines \
			${kunit:+CONFIG_KUNIT=y} \
			$(for o in $switch $stats $trace $kunit; do echo "CONFIG_NUMA_POLICY_$o=y"; done)
	done; done; done; done
done

# What needs no NUMA balancing: the tests, and what they test.
off=$(guest_config | grep -vE 'NUMA_BALANCING|^CONFIG_KUNIT=')
# shellcheck disable=SC2086
check "NUMA balancing off" both configure "$obj" $off
check "NUMA balancing off: we are not there" [ "$(own_objects "$obj" | wc -l)" -eq 1 ]
# shellcheck disable=SC2086
check "NUMA balancing off, KUnit on" both configure "$obj" $off CONFIG_KUNIT=y \
	CONFIG_NUMA_POLICY_KUNIT_TEST=y $all
# shellcheck disable=SC2086
check "NUMA balancing off, KUnit on, no policy" both configure "$obj" $off CONFIG_KUNIT=y \
	CONFIG_NUMA_POLICY_KUNIT_TEST=y

# A modular KUnit, with our suite as a module: what it needs of us is exported, and it is one.
module=lib/kunit/numa_policy/numa_policy_kunit
# exported: the module's undefined symbols of ours are among those that the kernel exports
exported() {
	nm "$obj/$module.o" | sed -n 's/^ *U \(numa_.*\)/\1/p' >"$dir/needed"
	find "$obj/kernel/sched" -name '*.o' ! -name 'built-in*' -exec nm {} + | sed -n 's/.* __\(ksymtab\|export_symbol\)_//p' >"$dir/exports"
	[ -s "$dir/needed" ] && ! grep -vxF -f "$dir/exports" "$dir/needed" >&2
}
# shellcheck disable=SC2046
check "KUnit as a module" both configure "$obj" $(guest_config | grep -v '^CONFIG_KUNIT=') \
	CONFIG_MODULES=y CONFIG_KUNIT=m CONFIG_NUMA_POLICY_KUNIT_TEST=m $all
check "KUnit as a module: our suite is one, and what it needs is exported" exported
# shellcheck disable=SC2046
check "KUnit as a module: balancing off" both configure "$obj" $off CONFIG_MODULES=y CONFIG_KUNIT=m \
	CONFIG_NUMA_POLICY_KUNIT_TEST=m $all
check "KUnit as a module, balancing off: what it needs is exported" exported
# shellcheck disable=SC2046
check "our suite alone as a module" both configure "$obj" $(guest_config) CONFIG_MODULES=y \
	CONFIG_NUMA_POLICY_KUNIT_TEST=m
check "our suite alone as a module: what it needs is exported" exported

# The ends of what a kernel can be.
for kind in allnoconfig allyesconfig allmodconfig; do
	: >"$obj/log"
	: >"$obj/wanted.config"
	kind() {
		kmake "$obj" KCONFIG_CONFIG=.config.new "$kind" && settled "$obj" && builds "$obj"
	}
	check "$kind" kind
done

finish
