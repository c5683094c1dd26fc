#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# insns.sh TOOL SOURCE CONFIG WORKDIR: what the compiler makes of it.
#
# Compiles the files that the library touches in the unpatched kernel, with one policy built and
# with all of them, and compares the instructions of the functions concerned. SOURCE is a patched
# tree, CONFIG the guest kernel's configuration.
set -eu

tool=$(readlink -f "$1") source=$(readlink -f "$2") config=$(readlink -f "$3") work=$4
. "$(dirname "$0")/lib.sh"

mkdir -p "$work"
work=$(readlink -f "$work")
cc=gcc
command -v ccache >/dev/null && cc="ccache gcc"

"$(dirname "$0")/../kernel.sh" plain "$tool" "$source" "$work/plain-source" 2>/dev/null

# compile NAME TREE FILTER...: objects of TREE under the guest's configuration through a filter
compile() {
	obj=$work/$1 tree=$2
	shift 2
	mkdir -p "$obj"
	grep -v NUMA_POLICY "$config" >"$obj/.config.new"
	[ $# -eq 0 ] || printf '%s\n' "$@" >>"$obj/.config.new"
	cmp -s "$obj/.config.new" "$obj/.config.wanted" || cp "$obj/.config.new" "$obj/.config"
	mv "$obj/.config.new" "$obj/.config.wanted"
	objects="mm/memory.o mm/huge_memory.o kernel/sched/fair.o"
	[ ! -d "$tree/kernel/sched/numa_policy" ] || objects="$objects kernel/sched/numa_policy/"
	# shellcheck disable=SC2086
	make -C "$tree" O="$obj" CC="$cc" olddefconfig >"$obj/log" 2>&1 &&
		make -C "$tree" O="$obj" CC="$cc" W=1 -j"$(nproc)" $objects >>"$obj/log" 2>&1 &&
		! grep 'numa_policy.*warning' "$obj/log" >&2 && return
	tail -n 5 "$obj/log" >&2
	return 1
}

# no_more WHAT OBJECT [FUNCTION]: not more instructions than unpatched
no_more() {
	build=$1
	shift
	before=$(insns "$work/plain/$1" "${2-}")
	after=$(insns "$work/$build/$1" "${2-}")
	check "$*, $build: $after instructions, unpatched $before" \
		[ "$before" -gt 0 -a "$after" -le "$before" ]
}

check "the unpatched kernel compiles" compile plain "$work/plain-source"
check "the kernel with one policy compiles" compile one "$source"
all=$(sed -n 's/^\(CONFIG_NUMA_POLICY_[A-Z_0-9]*=y\)$/\1/p' "$config" | grep -vE 'TRACE|SWITCH|STATS')
# shellcheck disable=SC2086
check "the kernel with all policies compiles" compile all "$source" $all

# Recording an access is inlined into the fault paths, and nothing else there was touched.
for kind in one all; do
	no_more $kind mm/memory.o
	no_more $kind mm/huge_memory.o
done
no_more one kernel/sched/fair.o task_numa_work
check "the decision is part of the scan loop" [ "$(insns "$work/one/kernel/sched/fair.o" vma_is_accessed)" -eq 0 ]

# calls BUILD PATTERN: how many calls of the scan loop match
calls() {
	objdump -dr --no-show-raw-insn "$work/$1/kernel/sched/fair.o" | awk '
		/^[0-9a-f]+ <.*>:$/ { on = $2 ~ /^<task_numa_work/ }
		on' | grep -cE "$2" || true
}
pointer='indirect_thunk|call +\*|jmp +\*'
for kind in one all; do
	check "$kind: the scan loop calls nothing through a pointer" [ "$(calls $kind "$pointer")" -eq 0 ]
done
check "one policy: no call for the decision" [ "$(calls one 'numa_policy_')" -eq 0 ]
check "all policies: a static call for it" [ "$(calls all '__SCT__numa_policy_decide_vma')" -eq 1 ]
check "all policies, switchable, counted and traced, compile" compile every "$source" "$all" \
	CONFIG_NUMA_POLICY_SWITCH=y CONFIG_NUMA_POLICY_STATS=y CONFIG_NUMA_POLICY_TRACE=y
check "there, too, it is a static call" [ "$(calls every '__SCT__numa_policy_decide_vma')" -eq 1 ]
check "and nothing through a pointer" [ "$(calls every "$pointer")" -eq 0 ]
for what in SWITCH STATS; do
	check "one policy with $what compiles" compile one "$source" "CONFIG_NUMA_POLICY_$what=y"
done

# Each policy alone, and the fewest and the most windows: in one place, to compile only what differs.
for p in ALWAYS MM_SEQ VMA_SEQ PIDS_ACTIVE PID_HISTORY HOT_SHARED; do
	check "$p alone compiles" compile one "$source" "CONFIG_NUMA_POLICY_DEFAULT_$p=y"
done
for n in 2 8; do
	check "$n windows compile" compile one "$source" CONFIG_NUMA_POLICY_DEFAULT_HOT_SHARED=y \
		"CONFIG_NUMA_POLICY_WINDOWS=$n" CONFIG_NUMA_POLICY_TRACE=y
done

finish
