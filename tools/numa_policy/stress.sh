#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# stress.sh BUILD NAME SECONDS SWITCHES [WORKDIR]: run the guest that stresses the library for
# SECONDS on the kernel BUILD/stress/NAME, switching the policy SWITCHES times, and judge it.
#
# The CPUs run in parallel, on the host's clock: nothing here counts instructions, and what comes
# when is never the same twice. On a busy host a CPU of the guest may stand still for long, which
# its kernel would take for a lock-up: the times after which it does are set to minutes.
#
# STRESS_APPEND in the environment is added to the kernel's command line.
set -eu

build=$(readlink -f "$1") name=$2 seconds=$3 switches=$4
kernel=$build/stress/$name
work=${5-$build/stress}/run-$name
qemu=${QEMU-qemu-system-x86_64}

# Host seconds until it is given up: six times as long as asked, which it takes if the host is too
# busy for that many switches in time, and its boot and end.
limit=$((6 * seconds + 600))

# The guest's clock is the host's, so a count can only be asked for in proportion to the time.
least() {
	printf -- '--at-least %s=%s ' "$1" "$2"
}

# What KCSAN watches, as stretches of functions: the scan loop, the library, and where accesses are
# recorded.
focus=
if grep -q '^CONFIG_KCSAN=y' "$kernel/config"; then
	focus=$(nm "$kernel/vmlinux" | sort | awk '
		$2 !~ /[tTwW]/ || $3 ~ /^__pfx_/ { next }
		{ is = $3 ~ /task_numa_work|numa_(scan_)?policy|_decide(_vma)?$|numa_migrate_check|do_numa_page/ }
		is && !was { printf "%s0x%s", n++ ? "," : "kcsan.focus=", $1 }
		was && !is { printf ",0x%s", $1 }
		{ was = is }')
fi

mkdir -p "$work"
rm -f "$work/console"
pid=
trap '[ -z "$pid" ] || kill -KILL "$pid" 2>/dev/null || true' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

set -- -accel tcg,thread=multi -cpu qemu64 -machine q35 -nodefaults -no-user-config \
	-display none -no-reboot -smp 4,sockets=2,cores=2,threads=1 -m 1024M \
	-object memory-backend-ram,id=m0,size=512M -object memory-backend-ram,id=m1,size=512M \
	-numa node,nodeid=0,cpus=0-1,memdev=m0 -numa node,nodeid=1,cpus=2-3,memdev=m1 \
	-numa dist,src=0,dst=1,val=20 -kernel "$kernel/bzImage" \
	-initrd "$build/stress/initramfs.cpio" -serial "file:$work/console" \
	-append "console=ttyS0 panic=-1 kasan_multi_shot rcupdate.rcu_cpu_stall_timeout=240 watchdog_thresh=60 sysctl.kernel.hung_task_timeout_secs=240 stress_seconds=$seconds stress_switches=$switches $focus ${STRESS_APPEND-}"
# QEMU dies with this script, however that ends.
setpriv --pdeathsig KILL -- "$qemu" "$@" </dev/null >"$work/qemu.log" 2>&1 &
pid=$!

# It ends by itself; one that does not, or that says nothing for long, is ended.
started=$(date +%s)
size=0 heard=$started
while kill -0 "$pid" 2>/dev/null; do
	sleep 2
	now=$(date +%s)
	is=$(stat -c %s "$work/console" 2>/dev/null || echo 0)
	[ "$is" = "$size" ] || heard=$now
	size=$is
	if [ $((now - started)) -gt "$limit" ] || [ $((now - heard)) -gt 240 ]; then
		echo "# $name: ended after $((now - started)) s of host time, silent for $((now - heard)) s"
		kill -KILL "$pid"
		break
	fi
done
wait "$pid" 2>/dev/null || true
pid=
[ -s "$work/console" ] || sed 's/^/# qemu: /' "$work/qemu.log"
grep -m 1 -o 'stress: done .*' "$work/console" 2>/dev/null | sed "s/^/# $name: /" || true

# What must have happened. The host's speed varies, so what has no goal of its own must only have
# happened more than a few times.
case $name in
kasan) looked="$(least debug_locks 1) $(least leak_scans 1)" ;;
kcsan) looked=$(least watchpoints 1000) ;;
*) looked= ;;
esac
few=$((seconds / 30 + 1))
# shellcheck disable=SC2046,SC2086
"$build/stress/judge" --label "$name" --vmlinux "$kernel/vmlinux" \
	$(least seconds "$seconds") $(least switches "$switches") --at-most disagreed=0 \
	$(least refused 1) $(least process_switches $few) $(least shadow_toggles $few) \
	$(least stats_reads $few) $(least shadow_reads $few) $(least resets 1) \
	$(least balancing_toggles $few) $(least tunings $few) $(least cpu_offlines $few) \
	$(least traced 1) $(least failed_allocations 1) $(least failed_calls 1) \
	$(least maps $few) $(least unmaps $few) $(least splits $few) $(least merges $few) \
	$(least faults $few) $(least forks $few) $(least execs 1) $(least exits $few) \
	$(least threads $few) $(least policies 7) $(least decided_by 7) $(least scanned_by 4) \
	$(least shadowed 1) $(least numa_pte_updates 1000) $(least numa_hint_faults 1000) \
	$(least numa_huge_pte_updates 1) $looked "$work/console"
