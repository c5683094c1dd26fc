#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# series-check.sh SOURCE PATCHES WORKDIR TOOL INITRD: build the kernel after every patch of a series.
#
# SOURCE is the tree that the series was made for; a copy of it is built as a guest's kernel on x86-64,
# with every scan policy and option that there is at each patch, and as user-mode Linux, which then runs
# KUnit: the policies' suite once the series has it, before that KUnit's own. Of the first patch, the
# scan loop must not have more instructions than without it, and guests with and without it must not
# differ significantly in any workload. In the environment: REPS, how many of each there are.
set -eu

source=$(readlink -f "$1") patches=$(readlink -f "$2") work=$3
tool=$(readlink -f "$4") initrd=$(readlink -f "$5")
here=$(readlink -f "$(dirname "$0")")
. "$here/tests/lib.sh"

ls "$patches"/0001-*.patch >/dev/null || exit
mkdir -p "$work"
work=$(readlink -f "$work")
# Not a part of the repository around it: git would leave out what it knows nothing of.
export GIT_CEILING_DIRECTORIES="$work"

copy=$work/linux
rsync -a --delete --link-dest="$source" --exclude=/.git --exclude=/.config --exclude=/include/config \
	--exclude=/include/generated --exclude='/arch/*/include/generated' --exclude='*.o' \
	--exclude='.*.cmd' "$source/" "$copy/"

options() {
	cat "$copy/kernel/sched/numa_policy/Kconfig" 2>/dev/null |
		sed -n 's/^config \(NUMA_POLICY_[A-Z_]*\)$/CONFIG_\1=y # optional/p' |
		grep -vE 'DEFAULT|WINDOWS|THRESHOLD|_FILE'
}

# build FILE: the kernel for x86-64, without a warning from a file of the library's
build() {
	options >"$work/options.config"
	echo 'CONFIG_DEBUG_FS=y # optional' >>"$work/options.config"
	grep -hv CONFIG_NUMA_POLICY "$here/guest/kernel.config" "$here/guest/x86_64.config" \
		>"$work/guest.config"
	"$here/kernel.sh" build "$copy" "$work/x86_64" "$work/guest.config" "$work/options.config" &&
		! grep 'numa_.*policy.*\(warning\|error\)' "$work/x86_64/build.log" >&2
}

# kunit: user-mode Linux is built and runs a suite, which passes
kunit() {
	if [ -e "$copy/kernel/sched/numa_policy/.kunitconfig" ]; then
		"$here/kunit.sh" "$copy" "$work" um um >"$work/kunit.log" 2>&1
	else
		(cd "$copy" && PYTHONDONTWRITEBYTECODE=1 ./tools/testing/kunit/kunit.py run --arch=um \
			--build_dir="$work/um-before" --kunitconfig=lib/kunit --jobs="$(nproc)" \
			kunit-try-catch-test) >"$work/kunit.log" 2>&1
	fi || { tail -n 20 "$work/kunit.log" >&2; return 1; }
	grep -E 'Testing complete|passed, 0 failed' "$work/kunit.log" | tail -n 1 | sed 's/^/# /'
}

# keep NAME: the kernel as it is now, for guests
keep() {
	rm -rf "$work/kernels/$1"
	mkdir -p "$work/kernels/$1"
	cp "$work/x86_64/bzImage" "$work/x86_64/config" "$work/x86_64/release" "$work/kernels/$1"
}

# run NAME: the usual workloads on that kernel, which cannot be told what to do
run() {
	"$tool" compare --kernel "$work/kernels/$1" --initrd "$initrd" --assume --policies "$own" \
		--reps "${REPS:-8}" --out "$work/results/$1" >"$work/results-$1.log" 2>&1 || {
		tail -n 20 "$work/results-$1.log" >&2
		return 1
	}
}

# same: nothing differs significantly between the two, and much was compared
same() {
	"$tool" report --compare --label before,after --format csv --summary \
		"$work/results/before" "$work/results/after" >"$work/summary.csv" || return 1
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		$column["significant"] == "" { next }
		{ tested++ }
		$column["significant"] == "true" { differ++; print "differs: " $0 >"/dev/stderr" }
		END {
			printf "# %d comparisons, %d differ significantly\n", tested, differ
			exit differ || tested < 20
		}' "$work/summary.csv"
}

check "the tree without the series builds" build
keep before
before=$(insns "$work/x86_64/kernel/sched/fair.o" task_numa_work)
for patch in "$patches"/[0-9][0-9][0-9][0-9]-*.patch; do
	name=$(basename "$patch" .patch)
	case $name in 0000-*) continue ;; esac
	check "$name applies" git -C "$copy" apply "$patch"
	check "$name: x86-64 builds" build
	case $name in 0001-*)
		after=$(insns "$work/x86_64/kernel/sched/fair.o" task_numa_work)
		check "$name: the scan loop has $after instructions, before $before" \
			[ "$before" -gt 0 -a "$after" -le "$before" ]
		keep after
		own=$(sed -n 's/^[[:space:]]*X([A-Z0-9_]*, \([a-z0-9_]*\),.*/\1/p' \
			"$copy/kernel/sched/numa_policy/policies.h")
		for kernel in before after; do
			check "$name: guests $kernel it run" run "$kernel"
		done
		check "$name: guests before and after it do not differ" same
		;;
	esac
	check "$name: user-mode Linux builds, KUnit passes" kunit
done

finish
