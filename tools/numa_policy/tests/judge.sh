#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# judge.sh JUDGE WORKDIR: whether what judges the console of a guest of "make stress" sees what is
# wrong in it. No guests: the consoles are written here.
set -eu

judge=$(readlink -f "$1") work=$2
. "$(dirname "$0")/lib.sh"

mkdir -p "$work"
cd "$work"

# A program that stands for the kernel: a scan loop with an access of its own behind one of the
# library's that is inlined into it, and the same in a decision.
mkdir -p include/linux
cat >include/linux/numa_policy.h <<'EOF'
void racing_access(void);
static inline __attribute__((always_inline)) void numa_policy_age(void)
{
	racing_access();
}
EOF
cat >include/linux/trace_events.h <<'EOF'
static inline __attribute__((always_inline)) void trace_trigger_soft_disabled(void)
{
	racing_access();
}
EOF
cat >fair.c <<'EOF'
#include "include/linux/numa_policy.h"
#include "include/linux/trace_events.h"
int counter;
void racing_access(void) { counter++; }
__attribute__((noinline)) void task_numa_work(void)
{
	numa_policy_age();
	counter++;
	racing_access();
	counter++;
}
/* As an event's function comes from its macros: all of it has the line of the event. */
#line 20 "include/trace/events/numa_policy.h"
__attribute__((noinline)) void trace_event_raw_event_numa_policy_decide(void)
{
	trace_trigger_soft_disabled();
	counter++;
	racing_access();
	counter++;
}
#line 60 "fair.c"
int main(void) { task_numa_work(); trace_event_raw_event_numa_policy_decide(); return 0; }
EOF
gcc -O1 -g -fno-inline -no-pie -o vmlinux fair.c

# place FUNCTION N: where the Nth of its calls returns to, as the kernel prints it, which takes the
# function to reach up to the next one
place() {
	nm -S vmlinux | awk -v name="$1" '$4 == name { print $1, $2 }' | {
		read -r start size
		back=$(objdump -d --no-show-raw-insn vmlinux | awk -v name="<$1>:" -v n="$2" '
			/^[0-9a-f]+ <.*>:$/ { on = $2 == name }
			on && was { sub(/:/, "", $1); if (++i == n) print $1; was = 0 }
			on && /call/ { was = 1 }')
		printf '%s+0x%x/0x%x\n' "$1" "$((0x$back - 0x$start))" "$((0x$size + 7))"
	}
}

ours=$(place task_numa_work 1)
theirs=$(place task_numa_work 2)
tracing=$(place trace_event_raw_event_numa_policy_decide 1)
told=$(place trace_event_raw_event_numa_policy_decide 2)
check "the stand-in for the kernel has two places" [ -n "$ours" -a "$ours" != "$theirs" ]

end='stress: done seconds=90 switches=200 disagreed=0 forks=7'

# console NAME: a console with what is read put into the middle of it
console() {
	{
		echo '[    0.000000] Linux version 6.12.0'
		echo 'stress: begin seconds=0 switches=0'
		cat
		echo "$end"
		echo '[   95.123456] reboot: Power down'
	} >"$1"
}

judged() {
	"$judge" --vmlinux vmlinux --at-least seconds=90 --at-least switches=200 \
		--at-most disagreed=0 "$@" >out 2>&1
}

race() {
	cat <<EOF
[   12.345678] ==================================================================
[   12.345679] BUG: KCSAN: data-race in task_numa_work / $3
[   12.345680]
[   12.345681] $1 to 0xffff888003a4c010 of 8 bytes by task 77 on cpu 1:
[   12.345682]  $2
[   12.345683]  task_work_run+0x59/0x90
[   12.345684]
[   12.345685] read (marked) to 0xffff888003a4c010 of 8 bytes by task 76 on cpu 0:
[   12.345686]  $3+0x10/0x20
[   12.345687]
[   12.345688] Reported by Kernel Concurrency Sanitizer on:
[   12.345689] CPU: 0 UID: 0 PID: 76 Comm: init Not tainted 6.12.0
[   12.345690] ==================================================================
EOF
}

console good </dev/null
check "a clean console is good" judged good

echo '[    3.0] smpboot: CPU 3 is now offline' | console lines
check "other lines are no report" judged lines

console kasan <<'EOF'
[   20.000001] ==================================================================
[   20.000002] BUG: KASAN: slab-use-after-free in pids_active_decide+0x1c/0x90
[   20.000003] Read of size 8 at addr ffff888003a4c010 by task init/77
[   20.000004] ==================================================================
EOF
refuse "KASAN in a decision fails" judged kasan
check "and is printed whole" grep -q '^    Read of size 8' out

console fault <<'EOF'
[   20.000002] BUG: KASAN: slab-use-after-free in do_numa_page+0x1c/0x90
[   20.000003] Read of size 8 at addr ffff888003a4c010 by task init/77
[   20.000004] ==================================================================
EOF
refuse "KASAN where an access is recorded fails" judged fault

printf 'stress: at seconds=10 swit[   20.000002] BUG: KASAN: slab-use-after-free in task_numa_work+0x1c/0x90\n' |
	console middle
refuse "a report in the middle of another line is seen" judged middle

console other-kasan <<'EOF'
[   20.000002] BUG: KASAN: slab-use-after-free in acpi_ns_walk+0x1c/0x90
[   20.000003] Read of size 8 at addr ffff888003a4c010 by task init/77
[   20.000004] ==================================================================
EOF
check "KASAN in other code is a note" judged other-kasan
check "with its number" grep -q '# stress: 1 x not this code: BUG: KASAN' out

race write "$ours" try_to_wake_up | console race-ours
refuse "a race in a line of the library's that is inlined fails" judged race-ours

race 'write (marked)' "$ours" try_to_wake_up | console race-marked
check "one that is marked on the library's side does not" judged race-marked

race write "$theirs" try_to_wake_up | console race-theirs
check "one of the scan loop around it does not" judged race-theirs

race read "$tracing" __ftrace_event_enable_disable | console race-tracing
check "whether an event is on is the tracing's own business" judged race-tracing
race read "$told" __ftrace_event_enable_disable | console race-told
refuse "what it tells is the library's" judged race-told

race write 'mm_seq_decide+0x10/0x20' try_to_wake_up | console race-decide
refuse "one in a function of the library's fails" judged race-decide

race write 'memcpy+0x10/0x20
[   12.3]  numa_policy_stats_show+0x10/0x20' try_to_wake_up | console race-copy
refuse "one in a copy that the library makes fails" judged race-copy

{ race write "$theirs" a_function; race write "$ours" another; } | console race-both
refuse "one among others fails" judged race-both

console unknown <<EOF
[   12.345679] BUG: KCSAN: data-race in task_numa_work
[   12.345681] race at unknown origin, with read to 0xffff888003a4c010 of 8 bytes by task 77 on cpu 1:
[   12.345682]  $ours
[   12.345690] ==================================================================
EOF
refuse "one of unknown origin fails" judged unknown

console lockdep <<'EOF'
[   30.000001] ======================================================
[   30.000002] WARNING: possible circular locking dependency detected
[   30.000003] 6.12.0 Not tainted
[   30.000004] ------------------------------------------------------
[   30.000005] init/77 is trying to acquire lock:
[   30.000006] ffffffff82a0 (numa_policy_mutex){+.+.}-{3:3}, at: numa_policy_write+0x20/0x90
[   30.000007]  <TASK>
[   30.000008]  dump_stack_lvl+0x10/0x20
[   30.000009]  </TASK>
EOF
refuse "lockdep about a lock of the library's fails" judged lockdep

console rcu <<'EOF'
[   30.000001] =============================
[   30.000002] WARNING: suspicious RCU usage
[   30.000003] 6.12.0 Not tainted
[   30.000004] -----------------------------
[   30.000005] kernel/sched/numa_policy/core.c:77 suspicious rcu_dereference_check() usage!
EOF
refuse "RCU used wrongly in the library fails" judged rcu

console sleeping <<'EOF'
[   30.000001] BUG: sleeping function called from invalid context at mm/slab.h:300
[   30.000002]  <TASK>
[   30.000003]  numa_policy_switch+0x10/0x20
[   30.000004]  </TASK>
EOF
refuse "sleeping where it must not fails" judged sleeping

console ubsan <<'EOF'
[   30.000001] ------------[ cut here ]------------
[   30.000002] UBSAN: array-index-out-of-bounds in kernel/sched/numa_policy/rules.h:60:3
[   30.000003] ---[ end trace ]---
EOF
refuse "UBSAN in the library fails" judged ubsan

interrupt() {
	cat <<EOF
[   30.000001] WARNING: CPU: 0 PID: 77 at inactive_task_timer+0x429/0x500
[   30.000002] Call Trace:
[   30.000003]  <IRQ>
[   30.000004]  $1+0x242/0x3e0
[   30.000005]  </IRQ>
[   30.000006]  <TASK>
[   30.000007]  task_numa_work+0x100/0x900
[   30.000008]  </TASK>
EOF
}

interrupt __hrtimer_run_queues | console interrupted
check "what is reported in an interrupt of this code is not this code's" judged interrupted
interrupt numa_policy_timer | console interrupting
refuse "what is reported in an interrupt is, if it is from this code" judged interrupting

console leak <<'EOF'
stress: leaks
unreferenced object 0xffff888003a4c000 (size 64):
  backtrace (crc 0):
    __kmalloc_cache_noprof+0x100/0x200
    task_numa_work+0x100/0x900
stress: end of leaks
EOF
refuse "state that leaks fails" judged leak

console blind <<'EOF'
[   30.000001] BUG: MAX_LOCKDEP_CHAINS too low!
[   30.000002] turning off the locking correctness validator.
EOF
refuse "a detector that went off fails" judged blind

end='stress: at seconds=50 switches=120 disagreed=0'
console truncated </dev/null
refuse "a guest that does not come to its end fails" judged truncated
: >empty
refuse "an empty console fails" judged empty

end='stress: done seconds=90 switches=199 disagreed=0 forks=7'
console few </dev/null
refuse "too few switches fail" judged few
check "and are named" grep -q 'not ok .*switches: 199, must be at least 200' out

end='stress: done seconds=90 switches=200 disagreed=1 forks=7'
console disagreed </dev/null
refuse "a switch that was not read back fails" judged disagreed

end='stress: done seconds=90 switches=200 disagreed=0'
console without </dev/null
refuse "a count that is not there fails" judged without --at-least forks=0
refuse "a console that is not there fails" judged nowhere

finish
