#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# add-policy.sh REPOSITORY CONF WORKDIR: what the README says of adding a policy is all it takes.
set -eu

top=$(readlink -f "$1") conf=$(readlink -f "$2") work=$3
. "$(dirname "$0")/lib.sh"

rm -rf "$work/repository"
mkdir -p "$work/repository"
work=$(readlink -f "$work")
(cd "$top" && tar -cf - --exclude=./build --exclude=./.git .) | tar -xf - -C "$work/repository"
cd "$work/repository"
dir=kernel/sched/numa_policy

# One file, ...
cat >$dir/newest.c <<'END'
// SPDX-License-Identifier: GPL-2.0
/*
 * newest: a task scans what it accessed in the current window, and nothing else.
 */
#include "rules.h"

static __always_inline enum numa_policy_reason
newest_decide(const struct numa_policy_snapshot *snap)
{
	return numa_rule_pid(snap, 1);
}

DEFINE_NUMA_POLICY(newest,
		   .windows = 1);
END

# ... one Kconfig entry, ...
cat >entry <<'END'
config NUMA_POLICY_NEWEST
	bool "newest: the current window only"
	help
	  For a test.

END
awk 'FILENAME == "entry" { entry = entry $0 "\n"; next }
     /^config NUMA_POLICY_WINDOWS$/ { printf "%s", entry } { print }' entry "$top/$dir/Kconfig" >$dir/Kconfig
rm entry

# ... one Makefile line ...
# shellcheck disable=SC2016
echo 'obj-$(CONFIG_NUMA_POLICY_NEWEST) += newest.o' >>$dir/Makefile

# ... its decision among those of all, ...
awk '{ print } /^#define NUMA_POLICY_DECISION_ONLY/ {
	printf "#ifdef CONFIG_NUMA_POLICY_NEWEST\n#include \"newest.c\"\n#endif\n" }' \
	"$top/$dir/shadow.c" >$dir/shadow.c

# ... and one line in the table.
sed -i 's/^\tX(HOT_SHARED,.*/& \\\n\tX(NEWEST, newest, "a policy made by a test")/' $dir/policies.h

export KCONFIG_AUTOCONFIG="$work/auto.conf" KCONFIG_AUTOHEADER="$work/autoconf.h"
export KCONFIG_RUSTCCFG="$work/rustc_cfg"
printf 'CONFIG_NUMA_POLICY_NEWEST=y\n' >"$work/config"
KCONFIG_CONFIG=$work/config "$conf" --olddefconfig Kconfig >/dev/null 2>&1
check "it can be configured" grep -qx CONFIG_NUMA_POLICY_NEWEST=y "$work/config"
check "the tool is built with it" sh -c 'make "$PWD/build/numa-policy" >/dev/null'
check "the tool knows it" sh -c './build/numa-policy list | grep -q "^  newest .* a policy made by a test"'
check "the guest kernel is to have it" sh -c 'make "$PWD/build/policies.config" >/dev/null &&
	grep -qx CONFIG_NUMA_POLICY_NEWEST=y build/policies.config'

# No policy without a history that says what it must do, ...
check "it is played the histories" sh -c 'make "$PWD/build/test/histories/w4-newest" >/dev/null'
play() {
	build/test/histories/w4-newest --every lib/kunit/numa_policy/histories >play.out 2>&1
}
refuse "without a history of its own it fails" play
check "it says so" grep -q '^not ok .* newest: no history says what it must answer' play.out

# ... which goes to the end of the file.
cat >>lib/kunit/numa_policy/histories <<'END'

answers                                | newest

history newest_forgets_after_one_window
	 0.000 map
	 1.000 pass A                  | -
	 2.000 access A
	 3.000 pass A                  | pid
	 7.000 pass A                  | -
END
check "with one it passes" play
check "which was played" grep -q '^ok .* newest, history newest_forgets_after_one_window' play.out
check "the oracle is built with it" sh -c 'make "$PWD/build/test/oracle/w4" >/dev/null'
build/test/oracle/w4 --decisions 10000 >oracle.out 2>&1 || true
check "which says that it has no model of it" grep -qx \
	'oracle: policy newest: left out, model.c has no model of it' oracle.out
check "and compares the others" grep -qx '7 passed, 0 failed' oracle.out
refuse "asked about it alone, it does not pass" build/test/oracle/w4 --policy newest

finish
