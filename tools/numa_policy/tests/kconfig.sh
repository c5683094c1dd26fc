#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# kconfig.sh REPOSITORY CONF WORKDIR: the options, by the kernel's own conf program.
set -eu

top=$(readlink -f "$1") conf=$(readlink -f "$2") work=$3
dir=$(dirname "$0")
. "$dir/lib.sh"

mkdir -p "$work"
work=$(readlink -f "$work")
cd "$top"
policies=$(sed -n 's/^\tX(\([A-Z0-9_]*\),.*/\1/p' kernel/sched/numa_policy/policies.h)

# Nothing of this belongs into the repository.
export KCONFIG_AUTOCONFIG="$work/auto.conf" KCONFIG_AUTOHEADER="$work/autoconf.h"
export KCONFIG_RUSTCCFG="$work/rustc_cfg"

# configure NAME LINE...: write $work/NAME, the configuration that follows from the lines
configure() {
	file=$work/$1
	shift
	printf '%s\n' "$@" >"$file"
	KCONFIG_CONFIG=$file "$conf" --olddefconfig Kconfig >"$file.log" 2>&1
}

# built NAME: the policies in it, in the table's order
built() {
	for p in $policies; do
		! grep -qx "CONFIG_NUMA_POLICY_$p=y" "$work/$1" || printf '%s ' "$p"
	done
}

has() {
	grep -qx -- "$2" "$work/$1"
}

configure untouched ''
check "untouched: seq_delta alone" [ "$(built untouched)" = "SEQ_DELTA " ]
check "untouched: it is the default" has untouched 'CONFIG_NUMA_POLICY_DEFAULT_FILE="seq_delta.c"'
check "untouched: two windows, as unpatched" has untouched CONFIG_NUMA_POLICY_WINDOWS=2

configure older '# CONFIG_NUMA_POLICY_MAINLINE_SEQ_DELTA is not set'
check "untouched before v6.12: pids_active alone" [ "$(built older)" = "PIDS_ACTIVE " ]
check "untouched before v6.12: it is the default" \
	has older 'CONFIG_NUMA_POLICY_DEFAULT_FILE="pids_active.c"'

for p in $policies; do
	name=$(echo "$p" | tr A-Z a-z)
	configure "alone-$name" "CONFIG_NUMA_POLICY_DEFAULT_$p=y"
	check "$name can be the only policy" [ "$(built "alone-$name")" = "$p " ]
	check "$name alone is compiled in" \
		has "alone-$name" "CONFIG_NUMA_POLICY_DEFAULT_FILE=\"$name.c\""
	case $name in
	pid_history | hot_shared) windows=4 ;;
	*) windows=2 ;;
	esac
	check "$name alone: $windows windows" has "alone-$name" "CONFIG_NUMA_POLICY_WINDOWS=$windows"
	configure "with-$name" "CONFIG_NUMA_POLICY_$p=y"
	check "$name can be built beside the default" has "with-$name" "CONFIG_NUMA_POLICY_$p=y"
	check "$name can be left out" [ "$(built "with-$name" | wc -w)" -le 2 ]
	check "$name has a source and a Makefile line" grep -q "CONFIG_NUMA_POLICY_$p) += $name.o" \
		kernel/sched/numa_policy/Makefile
done

configure many CONFIG_NUMA_POLICY_HOT_SHARED=y CONFIG_NUMA_POLICY_WINDOWS=9 \
	CONFIG_NUMA_POLICY_SHARED_THRESHOLD=0
refuse "nine windows are refused" has many CONFIG_NUMA_POLICY_WINDOWS=9
refuse "a sharing threshold of 0 is refused" has many CONFIG_NUMA_POLICY_SHARED_THRESHOLD=0
configure few CONFIG_NUMA_POLICY_HOT_SHARED=y CONFIG_NUMA_POLICY_WINDOWS=1
refuse "one window is refused" has few CONFIG_NUMA_POLICY_WINDOWS=1
for n in 2 3 4 5 6 7 8; do
	configure "n$n" CONFIG_NUMA_POLICY_PID_HISTORY=y "CONFIG_NUMA_POLICY_WINDOWS=$n"
	check "$n windows" has "n$n" "CONFIG_NUMA_POLICY_WINDOWS=$n"
done
configure threshold CONFIG_NUMA_POLICY_HOT_SHARED=y
check "three sharers by default" has threshold CONFIG_NUMA_POLICY_SHARED_THRESHOLD=3

for option in SWITCH STATS; do
	refuse "untouched: no $option" has untouched "CONFIG_NUMA_POLICY_$option=y"
	configure "$option" CONFIG_DEBUG_FS=y "CONFIG_NUMA_POLICY_$option=y"
	check "$option with debugfs" has "$option" "CONFIG_NUMA_POLICY_$option=y"
	check "$option brings the files" has "$option" CONFIG_NUMA_POLICY_DEBUGFS=y
	check "$option brings no policy" [ "$(built "$option")" = "SEQ_DELTA " ]
	configure "no-$option" "CONFIG_NUMA_POLICY_$option=y"
	refuse "$option without debugfs" has "no-$option" "CONFIG_NUMA_POLICY_$option=y"
done
refuse "untouched: no files" has untouched CONFIG_NUMA_POLICY_DEBUGFS=y
refuse "untouched: no trace events" has untouched CONFIG_NUMA_POLICY_TRACE=y
configure traced CONFIG_TRACEPOINTS=y CONFIG_NUMA_POLICY_TRACE=y
check "trace events with tracepoints" has traced CONFIG_NUMA_POLICY_TRACE=y

configure off '# CONFIG_NUMA_BALANCING is not set'
refuse "without NUMA balancing there is no policy" grep -q '^CONFIG_NUMA_POLICY=y' "$work/off"

finish
