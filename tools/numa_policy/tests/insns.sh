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

# The unpatched tree: links to the patched one's files, less the library.
id="$source $(cksum <"$source/Makefile") $(cksum <"$source/kernel/sched/fair.c")"
if [ "$(cat "$work/plain-source/.np-done" 2>/dev/null)" != "$id" ]; then
	rm -rf "$work/plain-source" "$work/plain" "$work/one" "$work/all"
	cp -al "$source" "$work/plain-source"
	"$tool" unapply "$work/plain-source" >/dev/null
	echo "$id" >"$work/plain-source/.np-done"
fi

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

# insns OBJECT [FUNCTION]: how many instructions the function has, with the parts that the
# compiler split off, or all of the object
insns() {
	objdump -d --no-show-raw-insn "$1" | awk -v f="${2-}" '
		/^[0-9a-f]+ <.*>:$/ { name = substr($2, 2, length($2) - 3); sub(/\..*/, "", name); next }
		(f == "" || name == f) && /^ / && $2 !~ /^(nop|data16|cs|xchg$)/ { n++ }
		END { print n + 0 }'
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
all=$(sed -n 's/^\(CONFIG_NUMA_POLICY_[A-Z_0-9]*=y\)$/\1/p' "$config" | grep -v TRACE)
# shellcheck disable=SC2086
check "the kernel with all policies compiles" compile all "$source" $all

# Recording an access is inlined into the fault paths, and nothing else there was touched.
for kind in one all; do
	no_more $kind mm/memory.o
	no_more $kind mm/huge_memory.o
done
no_more one kernel/sched/fair.o task_numa_work
check "the decision is part of the scan loop" [ "$(insns "$work/one/kernel/sched/fair.o" vma_is_accessed)" -eq 0 ]

calls() {
	objdump -dr --no-show-raw-insn "$work/$1/kernel/sched/fair.o" | awk '
		/^[0-9a-f]+ <.*>:$/ { on = $2 ~ /^<(task_numa_work|vma_is_accessed)/ }
		on' | grep -cE 'indirect_thunk|numa_policy_in_force|call +\*' || true
}
check "one policy: the scan loop calls nothing through a pointer" [ "$(calls one)" -eq 0 ]
check "all policies: it does" [ "$(calls all)" -gt 0 ]

# Each policy alone, and the fewest and the most windows: in one place, to compile only what differs.
for p in ALWAYS MM_SEQ VMA_SEQ PIDS_ACTIVE PID_HISTORY HOT_SHARED; do
	check "$p alone compiles" compile one "$source" "CONFIG_NUMA_POLICY_DEFAULT_$p=y"
done
for n in 2 8; do
	check "$n windows compile" compile one "$source" CONFIG_NUMA_POLICY_DEFAULT_HOT_SHARED=y \
		"CONFIG_NUMA_POLICY_WINDOWS=$n" CONFIG_NUMA_POLICY_TRACE=y
done

finish
