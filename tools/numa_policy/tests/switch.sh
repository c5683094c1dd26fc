#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# switch.sh POLICY NAMES WANDER: what the running kernel offers to choose and to see, tried on that
# kernel, by root; guests.sh has a guest run it. POLICY is the one that it was booted with, NAMES are
# all that are built, WANDER is the program made of wander.c.
#
# Prints a line per check, and "N passed, M failed" at the end.
set -u

booted=$1 names=$2 wander=$3
cpus=$(sed 's/[-,].*//' /sys/devices/system/node/node[01]/cpulist | paste -sd ' ')
dir=/sys/kernel/debug/sched/numa_policy
work=$(mktemp -d)
tests=$(readlink -f "$(dirname "$0")")
. "$tests/lib.sh"

policy() { cat $dir/policy; }
own() { cat "/proc/$1/numa_scan_policy"; }

# refuses ERROR FILE TEXT: writing the text fails with this error, which the shell's own printf hides
refuses() {
	! error=$(env printf '%s' "$3" 2>&1 >"$2") || return 1
	echo "$error" | grep -q "$1"
}

# ---- the policy of the system ----

check "available lists $names" [ "$(cat $dir/available)" = "$names " ]
check "the policy is that of the boot parameter" [ "$(policy)" = "$booted" ]
for p in $names; do
	check "switch to $p" eval "echo $p >$dir/policy"
	check "$p is in force" [ "$(policy)" = "$p" ]
	check "the parameter's file says so" [ "$(cat /sys/module/kernel/parameters/numa_scan_policy)" = "$p" ]
done
last=$(policy)
for bad in nonsense '' ' ' SEQ_DELTA seq_delta_and_more_than_a_name_can_be 'seq_delta always'; do
	check "\"$bad\" is refused" refuses 'Invalid argument' $dir/policy "$bad
"
	check "and changes nothing" [ "$(policy)" = "$last" ]
done
check "blanks around a name do not matter" eval "printf ' seq_delta\n\n' >$dir/policy"
check "nor a missing newline" eval "printf pids_active >$dir/policy"
check "and the name was taken" [ "$(policy)" = pids_active ]
for f in available:444 policy:644 stats:644 shadow:644 shadow_matrix:644; do
	check "${f%:*} has mode ${f#*:}" [ "$(stat -c %a "$dir/${f%:*}")" = "${f#*:}" ]
done
check "available takes nothing" refuses 'Invalid argument' $dir/available always

# ---- the policy of a process ----

check "a process follows the system" [ "$(own self)" = default ]
sleep 1000 &
before=$!
check "it can be given one of its own" eval 'echo always >/proc/$$/numa_scan_policy'
check "which it has" [ "$(own $$)" = always ]
check "what it forks has it, over exec" [ "$(sh -c 'cat /proc/self/numa_scan_policy')" = always ]
check "what it forked before has not" [ "$(own $before)" = default ]
check "the system has what it had" [ "$(policy)" = pids_active ]
check "another process can be given one" eval "echo hot_shared >/proc/$before/numa_scan_policy"
check "and has it" [ "$(own $before)" = hot_shared ]
check "while this one has its own" [ "$(own $$)" = always ]
check "an unknown policy is refused" refuses 'Invalid argument' /proc/$$/numa_scan_policy nonsense
check "an overlong one too" refuses 'Invalid argument' /proc/$$/numa_scan_policy \
	always_and_more_than_a_name_can_be
check "and nothing changes" [ "$(own $$)" = always ]
check "it can be taken away" eval 'echo default >/proc/$$/numa_scan_policy'
check "and is" [ "$(own $$)" = default ]

nobody="setpriv --reuid 65534 --regid 65534 --clear-groups"
check "others may read it" [ "$($nobody cat "/proc/$before/numa_scan_policy")" = hot_shared ]
# shellcheck disable=SC2016
check "others may not write it" $nobody sh -c '! echo always >/proc/$1/numa_scan_policy' sh $before 2>"$work/err"
check "for want of permission" grep -q 'Permission denied' "$work/err"
check "and nothing changes" [ "$(own $before)" = hot_shared ]
# shellcheck disable=SC2016
check "a user may write his own" $nobody sh -c 'echo always >/proc/self/numa_scan_policy'
$nobody sleep 1000 &
theirs=$!
sleep 0.2
# shellcheck disable=SC2016
check "and that of his other processes" $nobody sh -c 'echo vma_seq >/proc/$1/numa_scan_policy' sh $theirs
check "which have it" [ "$(own $theirs)" = vma_seq ]
exec 3>"/proc/$theirs/numa_scan_policy"
kill $theirs $before
wait
check "a process that is gone is said to be" eval '! env echo always >&3' 2>"$work/err"
exec 3>&-
check "by name" grep -q 'No such process' "$work/err"

# ---- two policies at once, counted ----

# A process whose memory is not where it runs, again and again: what is on the node of a process's only
# thread is not made to trap.
load() {
	# shellcheck disable=SC2086
	"$wander" 48 "$1" $cpus
}

# field POLICY COLUMN: sum over reasons
field() { awk -v p="$1" -v c="$2" 'NR > 1 && $1 == p { n += $c } END { print n + 0 }' "$work/stats"; }

# row POLICY OTHER: decisions of the policy's that the other was asked for, too
row() { awk -v p="$1" -v o="$2" 'NR > 1 && $1 == p && $3 == o { n += $5 } END { print n + 0 }' "$work/matrix"; }

check "shadow is off" [ "$(cat $dir/shadow)" = 0 ]
check "shadow takes no nonsense" refuses 'Invalid argument' $dir/shadow maybe
echo seq_delta >$dir/policy
sysctl -q kernel.numa_balancing=1
cd /sys/kernel/debug/sched/numa_balancing && echo 100 >scan_delay_ms && echo 100 >scan_period_min_ms &&
	echo 200 >scan_period_max_ms && cd /
check "shadow can be on" eval "echo 1 >$dir/shadow"
check "and is" [ "$(cat $dir/shadow)" = 1 ]
sleep 1
echo >$dir/stats
echo >$dir/shadow_matrix
load 10 &
one=$!
(
	echo mm_seq >/proc/self/numa_scan_policy
	load 10
) &
wait $one $!
cat $dir/stats >"$work/stats"
cat $dir/shadow_matrix >"$work/matrix"
check "the system's policy decided" [ "$(field seq_delta 3)" -gt 20 ]
check "so did the process's, beside it" [ "$(field mm_seq 3)" -gt 20 ]
check "pages were made to trap ($(field seq_delta 4), $(field mm_seq 4))" [ "$(field seq_delta 4)" -gt 0 -a "$(field mm_seq 4)" -gt 0 ]
check "no other policy decided" [ "$(awk 'NR > 1 { print $1 }' "$work/stats" | sort -u | wc -l)" = 2 ]
check "mm_seq has no rule of seq_delta's" eval "! grep -E '^mm_seq +(initial|seq_delta|partial|forced) ' $work/stats"
check "skipped VMAs led to no pages" eval "! awk '\$2 == \"skip\" && \$4' $work/stats | grep ."
forced=$(awk '$1 == "seq_delta" && $2 == "forced" { print $3 }' "$work/stats")
for p in seq_delta mm_seq; do
	decided=$(field $p 3)
	[ $p = mm_seq ] || decided=$((decided - ${forced:-0}))
	for o in $names; do
		[ $o = $p ] && continue
		# A decision can fall between the readings of the two files.
		n=$(row $p "$o")
		check "$o was asked for all $decided decisions of $p ($n)" \
			[ $((n - decided)) -le 3 -a $((decided - n)) -le 3 ]
	done
done
check "always never skips" eval "! awk '\$3 == \"always\" && \$4 == \"skip\"' $work/matrix | grep ."
check "where vma_seq scans, seq_delta does" \
	eval "! awk '\$1 == \"seq_delta\" && \$2 == \"skip\" && \$3 == \"vma_seq\" && \$4 != \"skip\"' $work/matrix | grep ."
check "shadow can be off again" eval "echo 0 >$dir/shadow"
check "a reset of the matrix" eval "echo 1 >$dir/shadow_matrix"
check "empties it" [ "$(wc -l <$dir/shadow_matrix)" = 1 ]
check "and leaves the statistics" [ "$(wc -l <$dir/stats)" -gt 3 ]
check "a reset of these" eval "echo 1 >$dir/stats"
check "empties them" [ "$(wc -l <$dir/stats)" -lt 4 ]
load 3
cat $dir/shadow_matrix >"$work/matrix"
cat $dir/stats >"$work/stats"
check "and then asks nobody" [ "$(wc -l <"$work/matrix")" = 1 ]
check "while the policy's decisions are counted" [ "$(field seq_delta 3)" -gt 0 ]

# ---- each policy while nobody looks on: by the static call, and by name for a process ----

reasons() {
	case $1 in
	always) echo always ;;
	mm_seq) echo 'skip initial_mm pid' ;;
	vma_seq) echo 'skip initial pid' ;;
	pids_active | pid_history) echo 'skip initial pid partial forced' ;;
	seq_delta) echo 'skip initial pid partial seq_delta forced' ;;
	hot_shared) echo 'skip initial pid hot shared partial forced' ;;
	esac
}

# only POLICY: its reasons are its own, and there are some
only() {
	awk -v p="$1" -v may=" $(reasons "$1") " '
		$1 != p || NR == 1 { next }
		!index(may, " " $2 " ") { print p " decided by " $2; wrong = 1 }
		{ some += $3 }
		END {
			if (!some)
				print p " decided nothing"
			exit wrong || !some
		}' "$work/stats"
}

own=hot_shared
for p in $names; do
	echo $p >$dir/policy
	sleep 0.3
	echo >$dir/stats
	load 2 &
	one=$!
	(
		echo $own >/proc/self/numa_scan_policy
		load 2
	) &
	wait $one $!
	cat $dir/stats >"$work/stats"
	check "$p decides as $p" only $p
	check "beside it, a process with $own as $own" only $own
	check "and nobody else decides" [ "$(awk -v a=$p -v b=$own '
		NR > 1 && $1 != a && $1 != b' "$work/stats" | wc -l)" = 0 ]
	own=$p
done
echo seq_delta >$dir/policy

# ---- trace events, through the programs that read them ----

stress="$wander 16 6 $cpus"
decide='policy=seq_delta reason=[a-z_]* pid=[0-9]* seq=[0-9-]* start_seq=[0-9-]* prev_seq=[0-9-]* offset=[0-9a-f]* threads=[0-9]* windows=.* weights=[0-9]'
access='mm=[0-9a-fx]* vma=[0-9a-f]*-[0-9a-f]* pid=[0-9]* bit=[0-9]* first=[01]$'
cd "$work" || exit 1
# shellcheck disable=SC2086
check "perf records the events" perf record -q -a -e 'numa_policy:*' -o perf.data -- $stress 2>perf.err
perf script -i perf.data >perf.txt 2>perf.err
check "and understands all of them" eval '! grep -m 3 "FAILED TO PARSE" perf.txt'
check "decisions" grep -q "numa_policy_decide: .*$decide" perf.txt
check "accesses" grep -q "numa_policy_access: *$access" perf.txt
# shellcheck disable=SC2086
check "trace-cmd records them" eval "trace-cmd record -q -e numa_policy -o trace.dat $stress >/dev/null 2>&1"
trace-cmd report -i trace.dat >trace.txt 2>trace.err
check "and understands decisions" grep -q "numa_policy_decide: .*$decide" trace.txt
check "and accesses" grep -q "numa_policy_access: .*$access" trace.txt

# Are the two events all that happens to windows? And does what says so notice when it is not?
mount -t tracefs nodev /sys/kernel/tracing 2>/dev/null
cd /sys/kernel/tracing || exit 1
echo 16000 >buffer_size_kb
echo >trace
echo 1 >events/numa_policy/enable
$stress
echo 0 >events/numa_policy/enable
cat trace >"$work/events"
cd "$work" || exit 1
replay() { awk -v pass=0.1 -f "$tests/windows.awk" "$1" >"$1.replayed"; }
replay events
check "nothing else happens to windows ($(tail -n 1 events.replayed))" \
	eval '! grep -v ^checked events.replayed | head -n 3 | grep .'
grep -v numa_policy_access: events >fewer
awk '/numa_policy_access: / { sub(/bit=/, "bit=1") } { print }' events >others
for wrong in fewer others; do
	replay $wrong
	check "something else would be noticed: $wrong" grep -q '^by no moves' $wrong.replayed
done
check "which was checked" awk '/^checked/ { ok = $2 > 20 && $3 > 5 } END { exit !ok }' events.replayed
cd /

finish
