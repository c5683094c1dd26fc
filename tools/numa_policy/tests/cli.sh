#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests of "numa-policy compare" without a kernel: a script stands in for QEMU and plays good and
# bad guests.
#
# Usage: cli.sh NUMA_POLICY WORKDIR

set -u
export LC_ALL=C

# A shell that runs us in the background has us ignore SIGINT, which the program would respect.
[ "${NP_SIGNALS-}" ] || exec env --default-signal=INT,HUP,QUIT NP_SIGNALS=1 bash "$0" "$@"

[ $# = 2 ] || { echo "usage: $0 NUMA_POLICY WORKDIR" >&2; exit 2; }
np=$(realpath "$1")
mkdir -p "$2" || exit 2
work=$(mktemp -d "$(realpath "$2")/cli.XXXXXX") || exit 2
mounted=
trap '[ -z "$mounted" ] || umount "$mounted"; rm -rf "$work"' EXIT

passed=0
failed=0

ok() # NAME COMMAND...
{
	local name=$1

	shift
	if "$@"; then
		passed=$((passed + 1))
		echo "ok $((passed + failed)) - $name"
	else
		failed=$((failed + 1))
		echo "not ok $((passed + failed)) - $name"
		sed 's/^/# stdout: /' "$work/stdout" | head -n 40
		sed 's/^/# stderr: /' "$work/stderr" | head -n 20
	fi
}

skip() # NAME REASON
{
	echo "# skipped: $1: $2"
}

# ---- what numa-policy is given ----

mkdir "$work/kernel"
echo image >"$work/kernel/bzImage"
echo 6.12.0-test >"$work/kernel/release"
echo CONFIG_NUMA_BALANCING=y >"$work/kernel/config"
echo initramfs >"$work/initramfs"

# Plays the guest that FAKE_<policy> or FAKE names, in the directory it is started in.
cat >"$work/qemu" <<'EOF'
#!/bin/bash
[ "$1" = --version ] && { echo "QEMU emulator version 1.2.3 (fake)"; exit 0; }
while [ $# -gt 0 ]; do
	[ "$1" = -append ] && append=$2
	shift
done
word() { local w=${append#*$1=}; [ "$w" = "$append" ] || echo "${w%% *}"; }
policy=$(word numa_scan_policy)
workload=$(word workload)
seed=$(word seed)
release=6.12.0-test
mode=FAKE_$policy
mode=${!mode:-${FAKE:-good}}
nodes='{"id":0,"cpus":[0,1],"mem_kb":250000,"distance":[10,20]},'
nodes+='{"id":1,"cpus":[2,3],"mem_kb":260000,"distance":[20,10]}'
metric=$((1000 + ${#policy} * 10 + seed % 10))
t90=$((seed % 1000))
records=3
params='"vmas":48'
status=ok
echo $$ >>"$FAKE_PIDS"

case $mode in
wrong-policy) policy=always ;;
no-library) policy= ;;
wrong-kernel) release=5.4.0 ;;
wrong-nodes) nodes=${nodes/\[2,3\]/[2]} ;;
wrong-memory) nodes=${nodes/260000/100000} ;;
wrong-distance) nodes=${nodes//20/21} ;;
one-node) nodes=${nodes%%,\{*} ;;
wrong-workload) workload=other ;;
wrong-seed) seed=0 ;;
wrong-count) records=4 ;;
never) t90=null ;;
status) echo "qemu: warning: something small" >&2; echo "qemu: no such machine" >&2; exit 3 ;;
signal) kill -SEGV $$ ;;
silent) exit 0 ;;
hang-at-boot) exec sleep 1000 ;;
stubborn) trap '' TERM; while :; do sleep 1; done ;;
orphan) sleep 1000 & echo $! >>"$FAKE_PIDS"; exit 0 ;;
esac

# counts MARK N: a line of the plugin's; every vCPU has done N loads and stores to each node
counts() { local n="[[$2,$2],[$2,$2],[$2,$2],[$2,$2]]"
	printf '{"mark":"%s","unknown":0,"loads":%s,"stores":%s,"bytes":%s}\n' "$1" "$n" "$n" "$n"
}
[ "$mode" = traffic ] && { counts start 0; counts measured 1000000; counts sample 2000000
	counts end 5000000; } >traffic.jsonl

echo "booting" >console.log
quoted=null
[ -z "$policy" ] || quoted="\"$policy\""
{
	printf '{"type":"begin","version":1,"workload":"%s","seed":%s,' "$workload" "$seed"
	printf '"kernel":"%s","policy":%s,"windows":4,"nodes":[%s],' "$release" "$quoted" "$nodes"
	printf '"params":{%s},"tunables":{"scan_delay_ms":1000},"sample_ms":1000}\n' "$params"
	printf '{"type":"phase","t_ms":0,"name":"return"}\n'
} >records.jsonl

case $mode in
panic)
	printf '[    1.0] Kernel panic - not syncing: Fatal exception\r\n' >>console.log
	exit 0 ;;
panic-hang)
	printf '[    1.0] Kernel panic - not syncing: stuck\n' >>console.log
	exec sleep 1000 ;;
hang) exec sleep 1000 ;;
busy) while sleep 0.1; do echo tick >>console.log; done ;;
reset) exit 0 ;;
half) printf '{"type":"sample","t_ms":10' >>records.jsonl; exit 0 ;;
malformed) printf '{"type":"sample",,}\n' >>records.jsonl; exit 0 ;;
no-type) printf '{"t_ms":5}\n' >>records.jsonl; exit 0 ;;
fill) cat /dev/zero >junk 2>/dev/null; printf x >>records.jsonl; exit 0 ;;
error)
	printf '{"type":"error","message":"limit of 300 s of guest time reached"}\n' >>records.jsonl
	status=failed ;;
esac
[ "$mode" = error ] ||
	printf '{"type":"sample","t_ms":1000,"pages":10,"local":5}\n' >>records.jsonl
metrics='"pte_updates":%d,"hint_faults":5,"hint_faults_local":0,"pages_migrated":3,'
metrics+='"local_mean":0.5,"local_end":0.75,"t90_ms":%s,"system_ms":10,"user_ms":20,'
metrics+='"elapsed_ms":30000'
[ "$mode" = no-metric ] && metrics=${metrics/\"hint_faults\":5,/}
printf '{"type":"end","status":"%s","records":%d,"metrics":{'"$metrics"'}}\n' "$status" "$records" \
	"$metric" "$t90" >>records.jsonl
[ "$mode" = behind-end ] && printf '{"type":"sample","t_ms":1}\n' >>records.jsonl
[ "$mode" = stays ] && exec sleep 1000
exit 0
EOF
chmod +x "$work/qemu"
export FAKE_PIDS=$work/pids
: >"$FAKE_PIDS"

# Run compare with the fake; sets rc.
compare()
{
	"$np" compare --kernel "$work/kernel" --initrd "$work/initramfs" --qemu "$work/qemu" "$@" \
		>"$work/stdout" 2>"$work/stderr" </dev/null
	rc=$?
}

out_has() { grep -qF -e "$1" "$work/stdout"; }
err_has() { grep -qF -e "$1" "$work/stderr"; }
rc_is() { [ "$rc" = "$1" ]; }
both() { "${@:1:2}" && "${@:3}"; }
no_guest_left()
{
	local pid

	while read -r pid; do
		[ -d "/proc/$pid" ] && ! grep -q '^State:.Z' "/proc/$pid/status" && return 1
	done <"$FAKE_PIDS"
	return 0
}

# ---- a good run ----

out=$work/good
compare --policies pids_active,always --workloads sleeper,late_vma --reps 3 --jobs 2 --out "$out"
cp "$work/stdout" "$work/table"
ok "a run of good cells exits with 0" rc_is 0
ok "and is quiet where standard error is no terminal" [ ! -s "$work/stderr" ]
ok "and leaves no directory of a cell" [ ! -e "$out/cells" ]
ok "and writes every cell" [ "$(grep -c '"status":"ok"' "$out/results.json")" = 12 ]
ok "the table names the kernel" out_has 6.12.0-test
ok "the table has a block per workload" [ "$(grep -c '^== ' "$work/stdout")" = 2 ]
ok "the table counts the runs" grep -qE '^runs +3/3 +3/3$' "$work/stdout"
ok "the table has the command" out_has "--policies pids_active,always"
ok "no cell of a good run is listed as failed" bash -c "! grep -qi 'failed cells' $work/stdout"
lines=$(awk '/^== /{n=1} /^Rows:/{n=0} n && /^[a-zP].*[0-9]$/ {print length($0)}' "$work/stdout")
ok "the columns of all rows and blocks end at the same place" \
	[ "$(echo "$lines" | sort | uniq -c | awk '{print $1}')" = 22 ]
ok "seeds are the same for all policies of a repetition" \
	[ "$(grep -o '"seed":[0-9]*,"status"' "$out/results.json" | sort -u | wc -l)" = 3 ]
ok "repetitions come one after another" \
	[ "$(grep -o '"rep":[0-9]' "$out/results.json" | tr -dc 0-9)" = 111122223333 ]
compare --print "$out"
ok "--print prints the same table" cmp -s "$work/stdout" "$work/table"
ok "--print of a good run exits with 0" rc_is 0
compare --print "$out" --base always
ok "--print --base compares with another policy" grep -q 'change against always' "$work/stdout"
ok "and exits with 0" rc_is 0
compare --dry-run --policies always
ok "--dry-run checks the options" rc_is 0
compare --dry-run --tune scan_size_mb=0
ok "a scan size of 0 is refused" rc_is 2
compare --dry-run --topology 1x2
ok "a topology with one node to work on is refused" rc_is 2
compare --print "$out" --base mm_seq
ok "--print --base of a policy that was not run is refused" rc_is 2
"$np" compare --print "$out" >/dev/full 2>"$work/stderr"
rc=$?
ok "a table that cannot be printed is a failure" both rc_is 1 err_has "cannot print the table"
seeds=$(grep -o '"seed":[0-9]*,"status"' "$out/results.json")
compare --policies pids_active,always --workloads sleeper,late_vma --reps 3 --jobs 1 --out "$out"
ok "the same command gives the same seeds" \
	[ "$seeds" = "$(grep -o '"seed":[0-9]*,"status"' "$out/results.json")" ]
ok "earlier results are kept" [ "$(find "$out" -name 'results-*.json' | wc -l)" = 1 ]
ok "and it is said where" err_has "earlier results are kept as $out/results-"
compare --policies always --workloads sleeper --reps 1 --seed 2 --out "$work/seed2"
ok "another seed gives other seeds" bash -c "! grep -qF '${seeds%%,*}' $work/seed2/results.json"
ok "one policy alone gets no comparison" bash -c "! grep -q 'Second lines' $work/stdout"
ok "a base that is named gets into the table" rc_is 0
compare --policies always,mm_seq --workloads sleeper --reps 2 --base mm_seq --out "$work/base"
ok "--base is the policy compared with" out_has "change against mm_seq"
compare --policies always,mm_seq --workloads sleeper --reps 2 --out "$work/base"
ok "without pids_active the first policy is the base" out_has "change against always"
compare --policies always --workloads sleeper --reps 1 --keep --out "$work/keep"
ok "--keep keeps the files of good cells" [ -s "$work/keep/cells/sleeper-always-1/records.jsonl" ]
compare --policies always --workloads sleeper --reps 1 --set sleeper.vmas=48 \
	--tune scan_delay_ms=1000 --out "$work/set"
ok "parameters and tunables that are in force are fine" rc_is 0
compare --policies always --workloads sleeper --reps 1 --set sleeper.vmas=47 --out "$work/set"
ok "a parameter that the guest did not take fails the cell" \
	out_has "parameter vmas is 48 in the guest, not 47"
compare --policies always --workloads sleeper --reps 1 --tune scan_delay_ms=7 --out "$work/set"
ok "a tunable that the guest did not take fails the cell" \
	out_has "tunable scan_delay_ms is 1000 in the guest, not 7"
if script --version >/dev/null 2>&1; then
	script -qec "$np compare --kernel $work/kernel --initrd $work/initramfs --qemu $work/qemu \
		--policies always --workloads sleeper --reps 3 --jobs 1 --out $work/tty" \
		"$work/typescript" >/dev/null 2>&1 </dev/null
	ok "progress is shown on a terminal" grep -qE 'cells [0-9]/3, 0 failed' "$work/typescript"
else
	skip "progress is shown on a terminal" "there is no program 'script'"
fi

# ---- guests that fail ----

fails() # MODE REASON [OPTION...]
{
	local mode=$1 reason=$2 out=$work/fail-$1

	shift 2
	FAKE_mm_seq=$mode compare --policies mm_seq,pids_active --workloads sleeper --reps 2 \
		--jobs 4 --out "$out" "$@"
	ok "$mode: exits with 1" rc_is 1
	ok "$mode: the reason is in the table" out_has "sleeper under mm_seq, repetition 2: $reason"
	ok "$mode: the reason is on standard error" err_has "$reason"
	ok "$mode: the other policy's cells count" grep -qE '^runs +0/2 +2/2$' "$work/stdout"
	ok "$mode: its files are kept" [ -e "$out/cells/sleeper-mm_seq-1/command" ]
	ok "$mode: those of good cells are not" [ ! -e "$out/cells/sleeper-pids_active-1" ]
	ok "$mode: no guest is left" no_guest_left
	cp "$work/stdout" "$work/table"
	compare --print "$out"
	ok "$mode: --print prints the same and exits with 1" \
		both rc_is 1 cmp -s "$work/stdout" "$work/table"
}

fails status "QEMU exited with status 3: qemu: no such machine"
fails signal "QEMU was killed by signal 11"
fails silent "the guest reset or powered off before it sent a record"
fails reset "the guest reset or powered off before its end (2 records)"
fails panic "guest panicked: Kernel panic - not syncing: Fatal exception"
fails panic-hang "guest panicked: Kernel panic - not syncing: stuck"
fails hang-at-boot "guest hung: no record and no console output for 4 s" --stall 4
fails hang "guest hung: no record and no console output for 4 s" --stall 4
fails busy "guest hung: not at its end after 4 s of host time" --timeout 4
fails half 'the last record is cut (line 3: {"type":"sample","t_ms":10)'
fails malformed "malformed record in line 3"
fails no-type "malformed record in line 3 (no type)"
fails behind-end "there are records behind the end record"
fails wrong-count "the guest sent 4 records before the end record, 3 arrived"
fails no-metric "metric hint_faults is missing from the end record"
fails error "workload failed: limit of 300 s of guest time reached"
fails wrong-policy "scan policy in force is 'always', not 'mm_seq'"
fails no-library "the kernel has no scan policies"
fails wrong-kernel "the guest runs kernel '5.4.0', not '6.12.0-test'"
fails wrong-nodes "topology differs: node 1 has CPUs 2 in the guest, not 2 3"
fails wrong-memory "topology differs: node 1 has 100000 KB of memory in the guest, not about 256 MB"
fails wrong-distance "topology differs: node 0 has distances 10 21 in the guest, not 10 20"
fails one-node "topology differs: the guest has 1 nodes, not 2"
fails wrong-workload "the guest ran workload 'other'"
fails wrong-seed "the guest ran with seed 0"
fails orphan "the guest reset or powered off before it sent a record"

# A kernel without the library is taken to be what it is said to be, and said to be that.
FAKE=no-library compare --assume --policies seq_delta --workloads sleeper --reps 1 --keep \
	--out "$work/assume"
ok "--assume: a kernel that does not tell its policy" rc_is 0
ok "--assume: the table says so" grep -q 'the policy is assumed, the kernel does not tell' "$work/stdout"
ok "--assume: the results say so" jq -e '.assumed and (.reproduce | test(" --assume "))' \
	"$work/assume/results.json"
ok "--assume: the kernel is not told a policy" [ "$(grep -c console=ttyS0 \
	"$work/assume/cells/sleeper-seq_delta-1/command")$(grep -c numa_scan_policy \
	"$work/assume/cells/sleeper-seq_delta-1/command")" = 10 ]
FAKE=good compare --policies seq_delta --workloads sleeper --reps 2 --out "$work/assume" --resume
ok "--assume: not together with runs that were told" \
	both rc_is 1 err_has "whether the policy was assumed (--assume) differs"
compare --assume --policies seq_delta,always --out "$work/x"
ok "--assume: one policy only" both rc_is 2 err_has "name it with --policies (2 are named)"

# The image's name tells the architecture, and that QEMU and its machine.
mkdir "$work/arm64" "$work/path"
cp "$work/kernel/release" "$work/kernel/config" "$work/arm64"
echo image >"$work/arm64/Image"
cp "$work/qemu" "$work/path/qemu-system-aarch64"
PATH=$work/path:$PATH "$np" compare --kernel "$work/arm64" --initrd "$work/initramfs" --keep \
	--policies always --workloads sleeper --reps 1 --out "$work/arm" >"$work/stdout" 2>"$work/stderr"
rc=$?
ok "arm64: a guest runs" rc_is 0
ok "arm64: its QEMU, its machine, its console" grep -qE \
	'^[^ ]*/qemu-system-aarch64 .*-machine virt.*console=ttyAMA0 ' "$work/arm/cells/sleeper-always-1/command"
ok "arm64: the table says so" grep -q 'QEMU 1.2.3 (fake) arm64, counting' "$work/stdout"
ok "arm64: the results say so" jq -e '.kernel.arch == "arm64"' "$work/arm/results.json"
compare --traffic --kernel "$work/arm64" --out "$work/x"
ok "arm64: --traffic is refused" \
	both rc_is 1 err_has "the kernel in $work/arm64 is for arm64: loads, stores"
PATH=$work/path "$np" compare --kernel "$work/arm64" --qemu none --initrd "$work/initramfs" \
	--out "$work/x" >"$work/stdout" 2>"$work/stderr"
rc=$?
ok "arm64: the package with its QEMU" both rc_is 1 err_has "no 'none' in PATH (Debian package qemu-system-arm)"

FAKE_mm_seq=never compare --policies mm_seq,pids_active --workloads sleeper --reps 2 \
	--out "$work/never"
ok "never reaching 90 % is no failure" rc_is 0
ok "and is shown as such" grep -qE '^s until 90 % local +never +[0-9]' "$work/stdout"

FAKE=stays compare --policies always --workloads sleeper --reps 1 --out "$work/stays"
ok "a guest that does not power off after its end record is ended and counts" \
	both rc_is 0 no_guest_left

# ---- interruption ----

# Wait, for 10 s at most, until two guests, or what stands for them, have started.
two_started()
{
	local n

	for ((n = 0; n < 100; n++)); do
		[ "$(wc -l <"$FAKE_PIDS")" -ge 2 ] && break
		sleep 0.1
	done
}

interrupt() # SIGNAL MODE
{
	local out=$work/int-$1-$2 pid

	: >"$FAKE_PIDS"
	set -m
	FAKE_always=$2 "$np" compare --kernel "$work/kernel" --initrd "$work/initramfs" \
		--qemu "$work/qemu" --policies pids_active,always --workloads sleeper --reps 2 \
		--jobs 1 --out "$out" >"$work/stdout" 2>"$work/stderr" </dev/null &
	pid=$!
	set +m
	two_started
	sleep 0.3
	kill "-$1" "$pid"
	wait "$pid"
	rc=$?
	ok "SIG$1 with a guest that is $2: exits with 1" rc_is 1
	ok "SIG$1 with a guest that is $2: no guest is left" no_guest_left
	ok "SIG$1 with a guest that is $2: the file says so" \
		grep -q '"interrupted": true' "$out/results.json"
	ok "SIG$1 with a guest that is $2: the finished cell is kept" \
		[ "$(grep -c '"status":"ok"' "$out/results.json")" = 1 ]
	ok "SIG$1 with a guest that is $2: the others are not run" \
		[ "$(grep -c '"status":"not run"' "$out/results.json")" = 3 ]
	ok "SIG$1 with a guest that is $2: the table says so" \
		both out_has INTERRUPTED out_has "Cells not run or not finished (3 of 4)"
}

interrupt INT hang
interrupt TERM hang
interrupt INT stubborn

: >"$FAKE_PIDS"
FAKE=hang "$np" compare --kernel "$work/kernel" --initrd "$work/initramfs" --qemu "$work/qemu" \
	--policies always,mm_seq --workloads sleeper --jobs 2 --out "$work/killed" \
	>"$work/stdout" 2>"$work/stderr" </dev/null &
pid=$!
two_started
compare --policies always --workloads sleeper --reps 1 --out "$work/killed"
ok "a second run into the same directory is refused" \
	both rc_is 1 err_has "another numa-policy writes to $work/killed"
kill -KILL "$pid"
wait "$pid" 2>/dev/null
sleep 0.5
ok "guests die with a numa-policy that is killed" no_guest_left

# ---- programs of the host: what is missing is said before any guest is started ----

: >"$FAKE_PIDS"
NUMA_POLICY_PERF=$work/nothing-there compare --policies always --workloads perf_numa_mem
ok "a program that is not there: says so" \
	both rc_is 1 err_has "workload 'perf_numa_mem': NUMA_POLICY_PERF=$work/nothing-there is not the absolute path"
ok "a program that is not there: no guest is started" [ ! -s "$FAKE_PIDS" ]
PATH=/nowhere compare --policies always --workloads stress_ng_vm
ok "a package that is not there: is named" \
	both rc_is 1 err_has "workload 'stress_ng_vm' needs the program 'stress-ng' (Debian package stress-ng)"
"$np" list >"$work/stdout" 2>"$work/stderr"
ok "list has the workloads that run when named" both out_has stress_ng_vm out_has numa02_smt

# ---- bad usage: exit status 2, a message that names it, nothing begun ----

usage() # NAME MESSAGE OPTION...
{
	local name=$1 message=$2

	shift 2
	rm -rf "$work/usage"
	: >"$FAKE_PIDS"
	compare --out "$work/usage" "$@"
	ok "$name: exits with 2" rc_is 2
	ok "$name: says what is wrong" err_has "$message"
	ok "$name: nothing was begun" [ ! -e "$work/usage" -a ! -s "$FAKE_PIDS" ]
}

usage "unknown policy" "unknown policy 'nonsense'; there are: " --policies always,nonsense
usage "empty policy" "unknown policy ''" --policies always,
usage "policy named twice" "policy 'always' is named twice" --policies always,always
usage "unknown workload" "unknown workload 'nonsense'; there are: sleeper" --workloads nonsense
usage "unknown base" "unknown policy 'nonsense'" --base nonsense
usage "base not compared" "--base mm_seq: this policy is not compared" --policies always \
	--base mm_seq
usage "no topology" "topology '2y2': '2y2' is not NODESxCPUS" --topology 2y2
usage "no node" "the number of nodes is not from 1 to" --topology 0x2
usage "too many CPUs" "80 CPUs in all, at most 64 are possible" --topology 8x10
usage "no CPU" "no node has a CPU" --topology 2x0
usage "short distance" "a distance is a number from 11 to 254" --topology 2x2,dist=10
usage "local distance" "node 1 to itself is '11', not 10" --topology 2x2,dist=10:20/20:11
usage "rows of distances" "has 1 distances for 2 nodes" --topology 2x2,dist=10/20
usage "memory of nodes" "mem=256/256/256 names 3 nodes, the topology has 2" \
	--topology 2x2,mem=256/256/256
usage "no memory on node 0" "node 0 has no memory" --topology 2x2,mem=0/256
usage "unknown topology key" "the keys are mem, cpus, tier and dist" --topology 2x2,disk=3
usage "unknown parameter" "workload 'sleeper' has no parameter 'nonsense'; it has: vmas" \
	--set sleeper.nonsense=1
usage "parameter out of range" "'0' is not a number from 2 to" --set sleeper.vmas=0
usage "parameter of no workload" "unknown workload 'nonsense'" --set nonsense.vmas=1
usage "parameter of another workload" "workload 'sleeper' is not run" --workloads late_vma \
	--set sleeper.vmas=3
usage "parameter without a value" "not WORKLOAD.PARAM=VALUE" --set sleeper.vmas
usage "unknown tunable" "unknown tunable 'nonsense'; there are: scan_delay_ms" --tune nonsense=1
usage "repetitions" "--reps 0: not a number from 1 to" --reps 0
usage "jobs" "--jobs many: not a number" --jobs many
usage "seed" "--seed -1: not a number" --seed -1
usage "unknown option" "unknown option '--nonsense'" --nonsense
usage "option without a value" "option '--seed' needs a value" --seed
usage "argument" "unexpected argument 'nonsense'" nonsense
usage "unknown cell" "--cell sleeper/nonsense/1: no such cell with these options" \
	--cell sleeper/nonsense/1
usage "cell named twice" "--cell sleeper/always/1: it is named twice" \
	--cell sleeper/always/1,sleeper/always/1
usage "accelerator" "--accel xen: there are tcg and kvm" --accel xen
usage "counting accesses on KVM" "--traffic needs --accel tcg" --traffic --accel kvm
usage "latencies without accesses" "--latency has no meaning without --traffic" --latency 89/139
usage "one latency" "--latency 89: not LOCAL/REMOTE" --traffic --latency 89
usage "a latency out of range" "--latency 1/2000000: not from 0 to 1000000 ns" --traffic \
	--latency 1/2000000

compare --help
ok "--help exits with 0 and names every option" \
	both rc_is 0 bash -c "for o in policies workloads topology reps jobs seed base out kernel \
		initrd set tune shift sample-ms limit timeout stall accel qemu keep traffic latency resume list-cells cell print save help; do \
		grep -q -e \"--\$o\" $work/stdout || exit 1; done"

# ---- accesses that were counted, and some that were not ----

counted=$work/traffic
FAKE=traffic compare --traffic --policies always --workloads sleeper --reps 1 --out "$counted"
ok "a run with accesses counted exits with 0" rc_is 0
ok "the table has the accesses" grep -qE '^remote accesses, M +32\.000$' "$work/stdout"
ok "and the modelled time" grep -qE '^modelled memory s +1\.824$' "$work/stdout"
ok "results.json has the counts" grep -q '"traffic":{"nodes":\[0,1\],"vcpu_node":\[0,0,1,1\]' \
	"$counted/results.json"
ok "and the latencies" grep -q '"remote_ns": 139\.0' "$counted/results.json"
ok "nothing is left of the plugin's file" [ ! -e "$counted/cells" ]
cp "$work/stdout" "$work/table"
compare --print "$counted"
ok "--print prints the same table" cmp -s "$work/stdout" "$work/table"
FAKE=good compare --traffic --policies always --workloads sleeper --reps 1 --out "$counted"
ok "a run whose accesses were not counted exits with 1" rc_is 1
ok "it says why" err_has "the counts of memory accesses cannot be used: cannot read it: No such file"

# ---- things that are not there: exit status 1 before any guest ----

refuses() # NAME MESSAGE OPTION...
{
	local name=$1 message=$2

	shift 2
	: >"$FAKE_PIDS"
	compare --reps 1 --policies always "$@"
	ok "$name: exits with 1" rc_is 1
	ok "$name: says what is wrong" err_has "$message"
	ok "$name: no guest was started" [ ! -s "$FAKE_PIDS" ]
}

echo file >"$work/file"
refuses "--out below a file" "cannot make the directory $work/file/out" --out "$work/file/out"
refuses "--out is a file" "cannot make the directory $work/file: Not a directory" --out "$work/file"
refuses "--out in /proc" "cannot make the directory /proc/numa-policy" --out /proc/numa-policy
refuses "--out is /proc" "cannot write to /proc" --out /proc
refuses "no such QEMU" "cannot run QEMU '$work/none'" --out "$work/x" --qemu "$work/none"
refuses "QEMU is no program" "cannot run QEMU '$work/file'" --out "$work/x" --qemu "$work/file"
refuses "QEMU is another program" "does not answer like QEMU" --out "$work/x" --qemu /bin/echo
refuses "no kernel" "there is no $work/none/bzImage; 'make kernel' builds it" --out "$work/x" \
	--kernel "$work/none"
refuses "no initramfs" "cannot read $work/none" --out "$work/x" --initrd "$work/none"
mkdir "$work/bin"
PATH=$work/bin "$np" compare --kernel "$work/kernel" --initrd "$work/initramfs" \
	--out "$work/x" >"$work/stdout" 2>"$work/stderr"
rc=$?
ok "without QEMU its name is named" \
	both rc_is 1 err_has "QEMU not found: no 'qemu-system-x86_64' in PATH"
ok "and the package" err_has "(Debian package qemu-system-x86)"
cp -r "$work/kernel" "$work/kernel2"
printf 'CONFIG_NUMA_POLICY=y\nCONFIG_NUMA_POLICY_ALWAYS=y\n' >"$work/kernel2/config"
refuses "a policy that is not built" \
	"is built without policy 'mm_seq' (no CONFIG_NUMA_POLICY_MM_SEQ=y)" --out "$work/x" \
	--kernel "$work/kernel2" --policies always,mm_seq
ok "nothing is left of runs that were refused" [ ! -e "$work/x" ]

# ---- going on, and many machines ----

# The state of each cell of a file: ID and status.
states()
{
	jq -r '.cells[] | "\(.workload)/\(.policy)/\(.rep) \(.status)"' "$1" | sort
}

# What a cell measured, to see whether it was run again: the host seconds are never twice the same.
stamp() { jq -c ".cells[] | select(.workload == \"sleeper\" and
	.policy == \"$2\" and .rep == $3) | .host_s" "$1"; }
stamp_is() { [ "$(stamp "$1" "$2" "$3")" = "$4" ]; }
runs() { wc -l <"$FAKE_PIDS"; }
runs_are() { [ "$(runs)" = "$1" ]; }

out=$work/resume
FAKE_mm_seq=status compare --policies always,mm_seq --workloads sleeper --reps 2 --out "$out"
ok "resume: at first two cells fail" both rc_is 1 out_has "Failed cells (2 of 4)"
kept=$(stamp "$out/results.json" always 1)
compare --policies always,mm_seq --workloads sleeper --reps 2 --out "$out" --resume --list-cells
ok "resume: --list-cells prints those to be run" both rc_is 0 \
	[ "$(tr '\n' ' ' <"$work/stdout")" = "sleeper/mm_seq/1 sleeper/mm_seq/2 " ]
: >"$FAKE_PIDS"
compare --policies always,mm_seq --workloads sleeper --reps 2 --out "$out" --resume
ok "resume: what failed is run again, and nothing else" both rc_is 0 runs_are 2
ok "resume: it says how much is there" err_has "2 of 4 cells are there already"
ok "resume: what was good is kept" stamp_is "$out/results.json" always 1 "$kept"
ok "resume: the table has all" grep -qE '^runs +2/2 +2/2$' "$work/stdout"
ok "resume: no other results are left" [ -z "$(find "$out" -name 'results-*')" ]
: >"$FAKE_PIDS"
compare --policies always,mm_seq --workloads sleeper --reps 2 --out "$out" --resume
ok "resume: a whole matrix runs nothing" both rc_is 0 runs_are 0
compare --policies always,mm_seq,seq_delta --workloads sleeper,late_vma --reps 3 --out "$out" --resume
ok "resume: a larger matrix runs what is new" both rc_is 0 runs_are 14
ok "resume: and keeps the rest" stamp_is "$out/results.json" always 1 "$kept"
compare --policies always --workloads sleeper --reps 1 --out "$out" --resume
ok "resume: a smaller one keeps all" both rc_is 0 \
	[ "$(states "$out/results.json" | grep -c ' ok$')" = 18 ]
ok "resume: and the command makes all of it" grep -q \
	'"reproduce": "numa-policy compare --policies always,mm_seq,seq_delta .*--reps 3' \
	"$out/results.json"
ok "resume: it says where the cells come from" \
	[ "$(jq '[.merged_from[] | .cells] | add' "$out/results.json")" -ge 18 ]

differs() # NAME MESSAGE OPTION...
{
	local name=$1 message=$2

	shift 2
	cp "$out/results.json" "$work/before"
	: >"$FAKE_PIDS"
	compare --policies always,mm_seq --workloads sleeper --reps 2 --out "$out" --resume "$@"
	ok "resume, $name: exits with 1" rc_is 1
	ok "resume, $name: says what differs" err_has "$message"
	ok "resume, $name: nothing was run or changed" both runs_are 0 \
		cmp -s "$out/results.json" "$work/before"
}

differs "another seed" "seed differs: 7 in this run, 1 in $out/results.json" --seed 7
differs "another shift" "workload sleeper: shift differs: 3 in this run, 6 in " --shift 3
differs "another topology" "topology differs: [" --topology 4x2
differs "other parameters" 'workload sleeper: params differs: {' --set sleeper.vmas=47
differs "other tunables" 'tunables differs: {"scan_delay_ms":7} in this run, {} in' \
	--tune scan_delay_ms=7
differs "other samples" "time between samples differs: 500 in this run, 1000" --sample-ms 500
echo image2 >"$work/kernel2/bzImage"
cp "$work/kernel/config" "$work/kernel2/config"
differs "another kernel" "image of the kernel (SHA-256) differs: " --kernel "$work/kernel2"
cp "$work/kernel/bzImage" "$work/kernel2/bzImage"
echo CONFIG_OTHER=y >>"$work/kernel2/config"
differs "another configuration" "configuration of the kernel (SHA-256) differs: " \
	--kernel "$work/kernel2"
echo other >"$work/initramfs2"
differs "another initramfs" "initramfs of the guests (SHA-256) differs: " \
	--initrd "$work/initramfs2"

: >"$FAKE_PIDS"
FAKE_mm_seq=hang "$np" compare --kernel "$work/kernel" --initrd "$work/initramfs" \
	--qemu "$work/qemu" --policies always,mm_seq --workloads sleeper --reps 2 --jobs 1 \
	--out "$work/cut" >"$work/stdout" 2>"$work/stderr" </dev/null &
pid=$!
for ((n = 0; n < 100; n++)); do
	[ "$(runs)" -ge 2 ] && break
	sleep 0.1
done
kill -KILL "$pid"
wait "$pid" 2>/dev/null
compare --policies always,mm_seq --workloads sleeper --reps 2 --out "$work/cut" --resume
ok "resume: a run that was killed goes on" both rc_is 0 \
	[ "$(states "$work/cut/results.json" | grep -c ' ok$')" = 4 ]

# Any runner of jobs: list, run one by one, put together.
some="--policies always,mm_seq --workloads sleeper --reps 2"
# shellcheck disable=SC2086
"$np" compare $some --list-cells >"$work/cells"
ok "--list-cells lists the matrix" \
	[ "$(tr '\n' ' ' <"$work/cells")" = "sleeper/always/1 sleeper/mm_seq/1 sleeper/always/2 sleeper/mm_seq/2 " ]
out=$work/single
pids=
while read -r id; do
	# shellcheck disable=SC2086
	"$np" compare --kernel "$work/kernel" --initrd "$work/initramfs" --qemu "$work/qemu" \
		$some --out "$out" --cell "$id" >"$work/${id//\//-}.out" 2>&1 </dev/null &
	pids="$pids $!"
done <"$work/cells"
good=0
for pid in $pids; do
	wait "$pid" && good=$((good + 1))
done
ok "--cell: all at once into one directory" [ $good = 4 ]
ok "--cell: it says what came of it" grep -qx 'sleeper/mm_seq/2: ok' "$work/sleeper-mm_seq-2.out"
ok "--cell: a file for each" [ "$(find "$out/cells-done" -name '*.json' | wc -l)" = 4 ]
ok "--cell: with that cell alone" [ "$(states "$out/cells-done/sleeper-mm_seq-2.json")" = \
	"sleeper/mm_seq/2 ok" ]
compare --print "$out" --save "$work/saved.json"
ok "--print puts them together" both rc_is 0 grep -qE '^runs +2/2 +2/2$' "$work/stdout"
cp "$work/stdout" "$work/table"
compare --print "$work/saved.json"
ok "--save saves what was printed" both rc_is 0 cmp -s "$work/stdout" "$work/table"
rm "$out/cells-done/sleeper-always-2.json"
compare --print "$out"
ok "a cell that is missing is said" both rc_is 1 out_has "Cells not run or not finished (1 of 4)"
: >"$FAKE_PIDS"
# shellcheck disable=SC2086
compare $some --out "$out" --resume --cell "$(tr '\n' ',' <"$work/cells" | sed 's/,$//')"
ok "--cell with --resume runs what is missing" both rc_is 0 runs_are 1
# shellcheck disable=SC2086
FAKE_mm_seq=status compare $some --out "$work/single2" --cell sleeper/mm_seq/1 --cell sleeper/always/1
ok "--cell: a cell that failed" both rc_is 1 out_has "sleeper/mm_seq/1: failed: QEMU exited"
ok "--cell may be repeated" out_has "sleeper/always/1: ok"
mkdir "$work/halves"
cp "$out/cells-done/sleeper-mm_seq-1.json" "$work/halves"
compare --print "$work/single2/cells-done/sleeper-mm_seq-1.json" "$work/halves/sleeper-mm_seq-1.json"
ok "a good cell wins over a failed one" bash -c "! grep -q 'Failed cells' $work/stdout"
# shellcheck disable=SC2086
compare $some --out "$work/whole"
# shellcheck disable=SC2086
compare $some --out "$work/whole" --cell sleeper/always/1
ok "a single cell into the directory of a run" rc_is 0
compare --print "$work/whole"
ok "the same result twice is one" both rc_is 0 grep -qE '^runs +2/2 +2/2$' "$work/stdout"
sed -i 's/"pte_updates":[0-9]*/"pte_updates":1/' "$work/whole/cells-done/sleeper-always-1.json"
compare --print "$work/whole"
ok "two different results of a cell are refused" both rc_is 1 \
	err_has "sleeper/always/1 was run twice: pte_updates is "
# shellcheck disable=SC2086
compare $some --out "$work/whole"
ok "a new run puts single cells aside too" both rc_is 0 err_has "$work/whole/cells-done-"
compare --policies always --workloads late_vma --reps 1 --out "$work/more"
compare --print "$work/whole" "$work/more"
ok "several directories make one table" both rc_is 0 out_has "== late_vma"
ok "cells that nobody planned are not missed" bash -c "! grep -q 'not run' $work/stdout"
jq -S . "$work/whole/results.json" >"$work/laid-out.json"
"$np" compare --print "$work/whole" >"$work/table"
compare --print "$work/laid-out.json"
ok "results laid out by jq are read" both rc_is 0 cmp -s "$work/stdout" "$work/table"
compare --policies always --workloads late_vma --reps 1 --seed 5 --out "$work/seed5"
compare --print "$work/whole" "$work/seed5"
ok "directories that do not fit are refused" both rc_is 1 \
	err_has "seed differs: 1 in $work/whole/results.json, 5 in $work/seed5/results.json"

# ---- results.json that is no good ----

out=$work/good

mkdir "$work/bad"
bad() # NAME MESSAGE
{
	compare --print "$work/bad"
	ok "$1: exits with 1" rc_is 1
	ok "$1: says what is wrong" err_has "$2"
	ok "$1: prints no table" [ ! -s "$work/stdout" ]
}

size=$(stat -c %s "$out/results.json")
head -c $((size / 2)) "$out/results.json" >"$work/bad/results.json"
bad "cut in half" "$work/bad/results.json: line "
ok "cut in half: says that it is cut" err_has "the file is cut"
sed 's/"status":"ok"/"status":"fine"/' "$out/results.json" >"$work/bad/results.json"
bad "unknown status" "results.json: cell 1: its status 'fine' is unknown"
sed 's/"version": 1/"version": 99/' "$out/results.json" >"$work/bad/results.json"
bad "another version" "results have version 99"
sed 's/"workload":"late_vma"/"workload":"x"/' "$out/results.json" >"$work/bad/results.json"
bad "unknown workload in a cell" "its workload 'x' is not in the list"
echo '{}' >"$work/bad/results.json"
bad "another file" "this is no file of results of numa-policy"
: >"$work/bad/results.json"
bad "empty file" "results.json: line"
rm "$work/bad/results.json"
bad "no file" "cannot read $work/bad/results.json: No such file"

# ---- reports ----

report()
{
	"$np" report "$@" >"$work/stdout" 2>"$work/stderr" </dev/null
	rc=$?
}

narrow() { ! LC_ALL=C.UTF-8 grep -qE '^.{81}' "$work/stdout"; }
json() { jq -e "$1" "$work/stdout" >/dev/null; }
row_is() { grep -qE -e "$1" "$work/stdout"; }
lines_are() { [ "$(wc -l <"$work/stdout")" = "$1" ]; }
# Whether the text, in one line and without runs of blanks, has it.
flat_has() { tr -s ' \n' ' ' <"$work/stdout" | grep -qF -e "$1"; }

# A results.json of three policies and two workloads; lines of WORKLOAD POLICY REP STATUS PTE T90.
fixture() # FILE SED-SCRIPT
{
	cat <<-'EOF' | sed "$2" >"$1"
	{"schema": "numa-policy-results", "version": 1, "tool": {"name": "numa-policy"},
	 "reproduce": "numa-policy compare --policies pids_active,seq_delta,a_policy_with_quite_a_long_name,another_policy_with_a_long_name --set 'x.y=1 2' --reps 4",
	 "started": "2026-01-02T03:04:05Z", "ended": null, "interrupted": false,
	 "kernel": {"release": "6.12.0-test", "config_sha256": "c0ffee", "library_sha256": "abcdef0123",
	            "config": ["CONFIG_NUMA_BALANCING=y", "# CONFIG_NUMA_POLICY_TRACE is not set"]},
	 "qemu": {"version": "7.2", "accel": "tcg"},
	 "topology": {"text": "2x2", "nodes": []}, "tunables": {"scan_size_mb": 64},
	 "policies": ["pids_active", "seq_delta", "always"], "base": "pids_active",
	 "workloads": [{"name": "sleeper", "shift": 6, "params": {"vmas": 48}},
	               {"name": "numa01_threadlocal", "shift": 5, "params": {}}],
	 "reps": 4, "seed": 1, "seeds": [11, 12, 13, 14], "sample_ms": 1000,
	 "cells": [
	EOF
	cells | sed "$2" | awk '{
		printf "%s{\"workload\":\"%s\",\"policy\":\"%s\",\"rep\":%d,\"seed\":1%d,", (NR > 1 ? ",\n" : ""), $1, $2, $3, $3
		if ($4 != "ok") {
			printf "\"status\":\"%s\",\"reason\":\"%s\",\"metrics\":null}", ($4 == "failed" ? $4 : "not run"),
			       ($4 == "failed" ? "panicked: \\\"oops\\\", it said" : "interrupted")
			next
		}
		printf "\"status\":\"ok\",\"reason\":null,\"guest_s\":1,\"host_s\":1,\"metrics\":{"
		printf "\"pte_updates\":%s,\"hint_faults\":5,\"hint_faults_local\":0,", $5
		printf "\"pages_migrated\":3,\"local_mean\":0.5,\"local_end\":0.75,\"t90_ms\":%s,", $6
		printf "\"system_ms\":%d,\"user_ms\":20,\"elapsed_ms\":30000}}", $5 / 10
	}' >>"$1"
	echo ']}' >>"$1"
}

cells()
{
	cat <<-'EOF'
	sleeper pids_active 1 ok 1000 1000
	sleeper seq_delta 1 ok 2000 1000
	sleeper always 1 ok 1010 1000
	sleeper pids_active 2 ok 1010 1100
	sleeper seq_delta 2 ok 2010 null
	sleeper always 2 failed
	sleeper pids_active 3 ok 1020 1200
	sleeper seq_delta 3 ok 2020 1200
	sleeper always 3 not_run
	sleeper pids_active 4 ok 1030 1300
	sleeper seq_delta 4 ok 2030 1300
	numa01_threadlocal pids_active 1 ok 1000000 1000
	numa01_threadlocal pids_active 2 ok 1000010 1000
	numa01_threadlocal seq_delta 1 ok 1000005 null
	numa01_threadlocal seq_delta 2 ok 1000001 null
	EOF
}

mkdir "$work/rep" "$work/rep2"
fixture "$work/rep/results.json" ''
report "$work/rep"
ok "a report exits with 0" rc_is 0
ok "it has mmtests' rows" \
	grep -qE '^Amean     pte-sleeper +1015\.00 \(   0\.00%\) +2015\.00 \* -98\.52%\* +1010\.00 \(   0\.49%\)$' \
	"$work/stdout"
ok "Stddev and BAmean-50" both row_is '^Stddev    pte-sleeper +12\.91 \(   0\.00%\) +12\.91 \(' \
	row_is '^BAmean-50 pte-sleeper +1005\.00 '
ok "a spread of one run is none" grep -qE '^Stddev    pte-sleeper .* n/a \(     n/a\)$' "$work/stdout"
ok "it counts the runs" grep -qE '^Runs      sleeper +4/4 +4/4 +1/4$' "$work/stdout"
ok "it marks what was not always reached" \
	grep -qE '^Samples   t90-sleeper +4 +3/4 +1$' "$work/stdout"
ok "it names the failed run" flat_has \
	'Failed runs (1), not part of any figure: - sleeper under always, repetition 2: panicked: "oops", it said'
ok "and the runs that were not made" both \
	flat_has 'sleeper under always, not run or not finished: repetition 3 4' \
	flat_has 'numa01_threadlocal under always, not run or not finished: repetition 1 2 3 4'
ok "it has kernel, library, topology, seeds, date and tunables" bash -c \
	"for x in 6.12.0-test c0ffee abcdef0123 2x2 '11 12 13 14' 2026-01-02T03:04:05Z scan_size_mb=64; do \
	grep -qF -e \"\$x\" $work/stdout || exit 1; done"
ok "it names test, correction and number of comparisons" \
	flat_has "Welch's test with Holm's correction for the 18 comparisons of this report"
report "$work/rep" --base seq_delta
ok "--base is the policy compared with" \
	grep -qE '^Amean     pte-sleeper +2015\.00 \(   0\.00%\) +1015\.00 \*  49\.63%\*' "$work/stdout"
report "$work/rep" --format lkml
ok "lkml has no line of more than 80 columns" both rc_is 0 narrow
ok "lkml says what is significant" flat_has \
	'- seq_delta against pids_active, sleeper: PTE updates 98.5 % higher (95 % CI 96.3 to 100.7 %, n = 4 and 4, Welch, p < 0.0001 after Holm).'
ok "and what is not" flat_has \
	'- seq_delta against pids_active, numa01_threadlocal: no significant difference in: PTE updates;'
ok "and what cannot be tested" flat_has \
	'- seq_delta against pids_active, sleeper: not tested: s until 90 % local (3 of 4 and 4 of 4 runs have it).'
ok "and the kernel's configuration" grep -qx '  CONFIG_NUMA_BALANCING=y' "$work/stdout"
command=$(sed -n '/^to reproduce:$/,/^configuration/p' "$work/stdout" | sed '1d;$d')
words=$(bash -c "numa-policy() { printf '<%s>' \"\$@\"; }; $command")
ok "the command can be pasted into a shell" [ "$words" = "<compare><--policies><pids_active,seq_delta,a_policy_with_quite_a_long_name,another_policy_with_a_long_name><--set><x.y=1 2><--reps><4>" ]
report "$work/rep" --format csv
ok "csv has a line per run and metric" both rc_is 0 lines_are $((24 * 10 + 1))
ok "csv quotes what has quotes and commas" out_has \
	'sleeper,always,2,12,failed,"panicked: ""oops"", it said",pte_updates,PTE updates,'
ok "csv has values in the table's unit" out_has 'sleeper,pids_active,2,12,ok,,t90_ms,s until 90 % local,1.1'
ok "csv has nothing for what was not reached" \
	grep -qE '^sleeper,seq_delta,2,12,ok,,t90_ms,[^,]*,$' "$work/stdout"
report "$work/rep" --format csv --summary
ok "csv --summary has a line per workload, metric and policy" both rc_is 0 lines_are $((2 * 10 * 3 + 1))
ok "all its lines have the same number of fields" \
	[ "$(sed 's/"[^"]*"//g; s/[^,]//g' "$work/stdout" | sort -u | wc -l)" = 1 ]
report "$work/rep" --format json
ok "json is JSON" both rc_is 0 json '.schema == "numa-policy-report" and .version == 1'
ok "json has every statistic" json '[.statistics[] | [.workload, .metric, .policy]] | unique | length == 60'
ok "json has the figures" json '.statistics[] | select(.workload == "sleeper" and
	.metric == "pte_updates" and .policy == "seq_delta") | .n == 4 and .min == 2000 and .amean == 2015
	and .max == 2030 and .bamean_50 == 2005 and .bamean_95 == 2010 and .significant
	and (.change_pct - 98.5222 | fabs) < .001 and .ci_low > 96 and .ci_high < 101 and .p_holm > .p
	and (.stddev - 12.9099 | fabs) < .001 and (.coeffvar - .640691 | fabs) < .00001'
ok "json names the comparisons and the correction" \
	json '.comparisons == 18 and .correction == "Holm" and .test == "Welch"'
ok "json has null where there is nothing to test" json '[.statistics[] | select(.policy == "always")
	| .p == null and .significant == null] | all'
ok "json has the runs that are missing" json '.missing | length == 11 and .[0].status == "failed"
	and .[1].status == "not run"'
report "$work/rep" --out "$work/report.txt"
ok "--out writes to a file" both rc_is 0 grep -q '^Amean ' "$work/report.txt"
report "$work/rep" --out "$work/none/report.txt"
ok "--out into no directory fails" both rc_is 1 err_has "cannot write the report to $work/none/report.txt"
"$np" report "$work/rep" >/dev/full 2>"$work/stderr"
rc=$?
ok "a report that cannot be written is a failure" both rc_is 1 err_has "cannot write the report"
report "$work/none"
ok "no results, no report" both rc_is 1 err_has "cannot read $work/none/results.json"

bad_report() # MESSAGE ARGUMENT...
{
	local message=$1

	shift
	report "$@"
	ok "report $*: refused" both rc_is 2 err_has "$message"
}

bad_report "name a directory with results.json"
bad_report "--format pdf: there are text, lkml, csv, json and html" "$work/rep" --format pdf
bad_report "--base x: this policy is not in the results" "$work/rep" --base x
bad_report "--summary has a meaning with --format csv only" "$work/rep" --summary
bad_report "--force has a meaning with --compare only" "$work/rep" --force
bad_report "--compare needs two directories, not 1" "$work/rep" --compare
bad_report "--label a: not two names, A,B" --compare "$work/rep" "$work/rep" --label a
bad_report "--base has no meaning with --compare" --compare "$work/rep" "$work/rep" --base always
bad_report "unknown option '--nonsense'" "$work/rep" --nonsense

# Two trees: the same settings, another library and other figures.
fixture "$work/rep2/results.json" 's/abcdef/123456/; s/ok 1\(0..\) /ok 3\1 /; s/"reps": 4/"reps": 5/'
report --compare "$work/rep" "$work/rep2" --label old,new
ok "--compare sets two results side by side" both rc_is 0 row_is \
	'^Amean     pte-sleeper +1015\.00 \(   0\.00%\) +3015\.00 \*-197\.04%\*$'
ok "with kernel and library above" both row_is '^ +old +new$' \
	row_is '^ +6.12.0-test abcdef01 +6.12.0-test 12345601$'
report --compare "$work/rep" "$work/rep2" --format lkml
ok "--compare as lkml" both rc_is 0 flat_has \
	'- 6.12.0-test/12345601 against 6.12.0-test/abcdef01, sleeper under pids_active: PTE updates 197.0 % higher'
ok "and no line of it has more than 80 columns" narrow
report --compare "$work/rep" "$work/rep2" --format csv --label 'a "b",c'
ok "--compare as csv" both lines_are $((24 * 10 + 30 * 10 + 1)) out_has '"a ""b""",sleeper,pids_active,1,11,ok'
report --compare "$work/rep" "$work/rep2" --format json
ok "--compare as json" json '(.sets | length == 2) and .base == null and
	([.statistics[].set] | unique) == [0, 1]'

differs() # SED-SCRIPT MESSAGE
{
	fixture "$work/rep2/results.json" "$1"
	report --compare "$work/rep" "$work/rep2"
	ok "--compare refuses: $2" both rc_is 1 err_has "$2"
	ok "and prints nothing" [ ! -s "$work/stdout" ]
	report --compare "$work/rep" "$work/rep2" --force --format json
	ok "--force compares all the same, and says so" both rc_is 0 \
		json ".notes[0] | startswith(\"${2//\"/\\\"}\")"
	report --compare "$work/rep" "$work/rep2" --force
	ok "at the top" flat_has "compared in guests NOTE $2"
	report --compare "$work/rep" "$work/rep2" --force --format csv
	ok "csv has no place for it, so it is on standard error" both rc_is 0 err_has "note: $2"
}

differs 's/"vmas": 48/"vmas": 49/' "parameter vmas of sleeper differs: 48 and 49"
differs 's/"text": "2x2"/"text": "4x2"/' 'topology differs: "2x2" and "4x2"'
differs 's/"scan_size_mb": 64//' "tunable scan_size_mb differs: 64 and none"
differs 's/"shift": 5/"shift": 6/' "shift of numa01_threadlocal differs: 5 and 6"
fixture "$work/rep2/results.json" '/^sleeper/s/ok/failed/'
report "$work/rep2" --format lkml
ok "a workload without a run that counts is not compared, and said to be" both \
	flat_has '- seq_delta against pids_active, sleeper: not compared, no run counts.' \
	flat_has 'Failed runs (10)'
fixture "$work/rep2/results.json" 's/sleeper/other/g; s/numa01_threadlocal/another/g'
report --compare "$work/rep" "$work/rep2" --force
ok "two results that have no workload in common are refused in any case" \
	both rc_is 1 err_has "no workload is in both results"

# Ten thousand runs.
cells() { awk 'BEGIN { for (r = 1; r <= 5000; r++) for (p = 0; p < 2; p++)
	print "sleeper", p ? "always" : "pids_active", r, "ok", 1000 + r % 7 + p, 1000 + r % 11 }'; }
fixture "$work/rep2/results.json" 's/"reps": 4/"reps": 5000/'
# CPU time is asked for: a busy machine is not the report's fault.
TIMEFORMAT='%U %S'
for format in text lkml csv json; do
	{ time report "$work/rep2" --format $format; } 2>"$work/time"
	took=$(awk '{ printf "%d", 1000 * ($1 + $2) }' "$work/time")
	echo "# $format of 10000 runs: $took ms"
	ok "$format of 10000 runs in 5 s" both rc_is 0 [ "$took" -lt 5000 ]
done

report --help
ok "report --help names every option" both rc_is 0 bash -c "for o in format base out summary compare \
	label force help; do grep -q -e \"--\$o\" $work/stdout || exit 1; done"

# ---- run and experiment ----

tool() # ARGUMENT...
{
	"$np" "$@" >"$work/stdout" 2>"$work/stderr" </dev/null
	rc=$?
}

tool run
ok "run without a program is refused" both rc_is 2 err_has "which program?"
tool run --workloads sleeper -- true
ok "run --workloads without --native is refused" \
	both rc_is 2 err_has "--workloads goes with --native only; numa-policy compare has it"
tool run --policies nonsense -- true
ok "run: an unknown policy is refused" both rc_is 2 err_has "unknown policy 'nonsense'"
tool run --dry-run --reps 3 -- anything --help
ok "run: the program's options are its own" rc_is 0
tool run --help
ok "run --help names every option" both rc_is 0 bash -c "for o in policies base topology reps seed tune out \
	jobs kernel initrd qemu accel shift sample-ms limit timeout stall keep traffic latency decisions; do \
	grep -q -e \"--\$o\" $work/stdout || exit 1; done"
FAKE=good tool run --qemu "$work/qemu" --kernel "$work/kernel" --initrd "$work/initramfs" \
	--policies always --reps 1 --out "$work/own" -- ./prog "two words" 'x'
ok "run: the table has the command" out_has "== command: ./prog two words x, shift 5"
ok "run: so has the command that reproduces it, quoted" \
	bash -c "jq -r .reproduce $work/own/results.json | grep -qF -- \"-- ./prog 'two words' x\""
ok "run: results.json has its words and its directory" \
	[ "$(jq -c '.workloads[0] | [.command, .directory]' "$work/own/results.json")" = \
	"[[\"./prog\",\"two words\",\"x\"],\"$PWD\"]" ]

tool experiment
ok "experiment without a name is refused" both rc_is 2 err_has "which experiment? There are: starved,"
tool experiment starved nonsense
ok "an unknown experiment is refused" both rc_is 2 err_has "unknown experiment 'nonsense'"
tool experiment --reps 3 starved
ok "experiment has no option --reps" both rc_is 2 err_has "unknown option '--reps'"
tool experiment --dry-run all
ok "every experiment's workloads, parameters and policies exist" rc_is 0
tool experiment --dry-run --topology 1x2 cost
ok "experiment: a topology with one node is refused" rc_is 2
tool experiment --help
ok "experiment --help names every experiment, its claims and what they are held against" \
	bash -c "for e in starved starved_threads cost late threadlocal large sequence_rate; do \
	awk -v e=\"\$e:\" '\$1 == e { f = 1; next } f && /^[a-z]/ { exit } f && \$1 == \"against\" { a = 1 } \
	f && \$1 == \"claim\" { c = 1 } END { exit !(a && c) }' $work/stdout || exit 1; done"

# ---- what is written over, what is there twice, what differs ----

mkfifo "$work/fifo"
cat "$work/fifo" >"$work/from-fifo" &
report "$work/rep" --format csv --out "$work/fifo"
wait $!
ok "--out writes to what is no regular file, and leaves it what it is" \
	both rc_is 0 [ -p "$work/fifo" -a "$(wc -l <"$work/from-fifo")" = 241 ]
echo old >"$work/target"
ln -s target "$work/link"
report "$work/rep" --format csv --out "$work/link"
ok "--out writes to where a symbolic link points" \
	both rc_is 0 [ -L "$work/link" -a "$(wc -l <"$work/target")" = 241 ]

mkdir "$work/odd"
odd() # NAME JQ-FILTER MESSAGE
{
	jq "$2" "$work/base/results.json" >"$work/odd/results.json"
	tool compare --print "$work/odd"
	ok "$1 is refused" both rc_is 1 err_has "$3"
}
odd "a cell that is there twice" '.cells += [.cells[0]]' "sleeper/always/1 is there twice"
odd "a cell with another seed than its repetition's" '.cells[0].seed = 7' "its seed is 7, that of"
odd "a repetition that is no int" '.cells[0].rep = 4294967297' "its repetition is out of range"
odd "a matrix of unknown policies" '.matrices = [{"policies": [1], "workloads": ["sleeper"], "reps": 1}]' \
	"matrix 1 has policies or workloads that are not in the lists"

apart() # NAME JQ-FILTER NOTE
{
	jq "$2" "$work/base/results.json" >"$work/odd/results.json"
	report --compare "$work/base" "$work/odd"
	ok "report --compare refuses $1" both rc_is 1 err_has "$3"
}
apart "other programs" '.workloads[0].command = ["true"]' 'command of sleeper differs: none and ["true"]'
apart "another limit" '.workloads[0].limit_s = 5' "limit_s of sleeper differs"
apart "decisions recorded in one only" '.decisions = true' "recording of decisions differs: off and on"
apart "other latencies" '.traffic = {"local_ns": 1, "remote_ns": 2}' "recording of traffic differs"
apart "another QEMU" '.qemu.version = "9"' "version of QEMU differs"

echo '#!/bin/sh' | tee "$work/perf1" >"$work/perf2"
echo 'exit 1' >>"$work/perf2"
chmod +x "$work/perf1" "$work/perf2"
export NUMA_POLICY_PERF=$work/perf1
compare --policies always --workloads perf_numa_mem --reps 1 --out "$work/perf"
ok "another perf is in the command that reproduces" \
	bash -c "jq -r .reproduce $work/perf/results.json | grep -q '^NUMA_POLICY_PERF=$work/perf1 numa-policy'"
NUMA_POLICY_PERF=$work/perf2
compare --policies always --workloads perf_numa_mem --reps 2 --out "$work/perf" --resume
ok "runs of two programs do not mix" both rc_is 1 err_has "workload perf_numa_mem: command differs"
cp "$work/perf2" "$work/perf1"
NUMA_POLICY_PERF=$work/perf1
compare --policies always --workloads perf_numa_mem --reps 2 --out "$work/perf" --resume
ok "nor do runs of a program that changed" \
	both rc_is 1 err_has "workload perf_numa_mem: program_sha256 differs"
NUMA_POLICY_PERF=/nonexistent/perf
compare --policies always --workloads perf_numa_mem --reps 1 --out "$work/perf2dir"
ok "a perf that is not there is named" both rc_is 1 err_has "NUMA_POLICY_PERF=/nonexistent/perf"
unset NUMA_POLICY_PERF

compare --dry-run --cell sleeper/always/99
ok "--dry-run checks --cell too" both rc_is 2 err_has "--cell sleeper/always/99: no such cell"
compare --save "$work/none" --dry-run
ok "--save without --print is refused" both rc_is 2 err_has "--save has no meaning without --print"
compare --list-cells --cell sleeper/always/1
ok "--list-cells with --cell is refused" rc_is 2
tool compare --print "$work/base" --policies always
ok "--print with --policies is refused" both rc_is 2 err_has "it takes --base and --save only"
tool compare --print "$work/nowhere"
ok "--print of what is not there says so" both rc_is 1 err_has "compare --out DIR makes results"
tool compare -xy
ok "letters that are no options are named" both rc_is 2 err_has "unknown option '-x'"
mkdir "$work/gone"
(cd "$work/gone" && rmdir "$work/gone" && "$np" run -- true) >"$work/stdout" 2>"$work/stderr"
rc=$?
ok "run in a directory that was removed says so" both rc_is 1 err_has "current directory: No such file"

# ---- top, on the files of kernels that are not there ----

debug=sys/kernel/debug/sched/numa_policy

# A system's files: with the library, balancing, and nothing decided yet.
system() # NAME PTE_UPDATES HINT_FAULTS LOCAL MIGRATED
{
	local dir=$work/$1

	rm -rf "$dir"
	mkdir -p "$dir/$debug" "$dir/proc/sys/kernel" "$dir/sys/module/kernel/parameters"
	echo 1 >"$dir/proc/sys/kernel/numa_balancing"
	echo seq_delta >"$dir/sys/module/kernel/parameters/numa_scan_policy"
	printf '%s %d\n' nr_free_pages 77 numa_pte_updates "$2" numa_huge_pte_updates 0 \
		numa_hint_faults "$3" numa_hint_faults_local "$4" numa_pages_migrated "$5" \
		>"$dir/proc/vmstat"
	echo "mm_seq seq_delta hot_shared" >"$dir/$debug/available"
	echo seq_delta >"$dir/$debug/policy"
	echo 0 >"$dir/$debug/shadow"
	stats "$1" </dev/null
	matrix "$1" </dev/null
}
stats() { { echo "policy     reason       decisions    pages"; cat; } >"$work/$1/$debug/stats"; }
matrix() { { echo "policy     says       other      says       decisions"; cat; } >"$work/$1/$debug/shadow_matrix"; }
top_json() { jq -e "$1" "$work/stdout" >/dev/null; }

# Samples of the systems named, one after the other; "--" ends them.
top_of() # SYSTEM... -- ARGUMENT...
{
	local roots=()

	while [ "$1" != -- ]; do
		roots+=(--root "$work/$1")
		shift
	done
	tool top "${roots[@]}" "${@:2}"
}
once() { top_of "$@" -- --once --json --interval 0.1; }

system before 1000 500 400 50
stats before <<'END'
seq_delta  skip               100        0
seq_delta  pid                 10      600
END
matrix before <<'END'
seq_delta  skip       mm_seq     skip              90
seq_delta  skip       mm_seq     pid               10
seq_delta  scan       mm_seq     scan              10
END
cp -r "$work/before" "$work/after"
printf '%s %d\n' numa_pte_updates 1600 numa_huge_pte_updates 3 numa_hint_faults 900 \
	numa_hint_faults_local 700 numa_pages_migrated 80 >"$work/after/proc/vmstat"
stats after <<'END'
seq_delta  skip               150        0
seq_delta  pid                 20     1100
seq_delta  forced               1      100
END
matrix after <<'END'
seq_delta  skip       mm_seq     skip             135
seq_delta  skip       mm_seq     pid               15
seq_delta  scan       mm_seq     scan              15
seq_delta  seq_delta  mm_seq     skip               5
END
echo 1 >"$work/before/$debug/shadow"
echo 1 >"$work/after/$debug/shadow"
once before after
ok "top: a system that can be read" both rc_is 0 [ ! -s "$work/stderr" ]
ok "top: decisions by policy and reason" top_json '[.decisions[] | [.policy, .reason, .decisions,
	.pages, .decisions_total, .pages_total]] == [["seq_delta", "skip", 50, 0, 150, 0],
	["seq_delta", "pid", 10, 500, 20, 1100], ["seq_delta", "forced", 1, 100, 1, 100]]'
ok "top: rates are of the measured time" top_json '.seconds >= 0.1 and .seconds < 60 and
	(.seconds as $s | [.decisions[] | .decisions_per_s * $s - .decisions, .pages_per_s * $s - .pages] +
	[.shadow_matrix[] | .decisions_per_s * $s - .decisions] +
	[.events | .numa_pte_updates_per_s * $s - .numa_pte_updates] | all(fabs < 0.001))'
ok "top: the shadow matrix" top_json '.shadow and ([.shadow_matrix[] | [.policy, .says, .other,
	.other_says, .decisions]] | .[0] == ["seq_delta", "skip", "mm_seq", "skip", 45] and
	.[3] == ["seq_delta", "seq_delta", "mm_seq", "skip", 5] and length == 4)'
ok "top: events" top_json '.events | .numa_pte_updates == 600 and .numa_huge_pte_updates == 3 and
	.numa_hint_faults == 400 and .numa_hint_faults_local == 300 and .numa_pages_migrated == 30'
ok "top: the local share" top_json '.local_share == 0.75'
ok "top: the policies" top_json '.schema == "numa-policy-top" and .policy == "seq_delta" and .numa_balancing == 1 and
	.available == ["mm_seq", "seq_delta", "hot_shared"] and .notes == [] and .reset == []'
top_of before after -- --once --interval 0.1
ok "top: prints the same" both rc_is 0 out_has "policy in force: seq_delta"
ok "top: prints decisions" grep -qE '^seq_delta +pid +[0-9.]+ +20 +[0-9.]+$' "$work/stdout"
ok "top: prints the matrix" grep -qE '^ +\+pid [0-9.]+ -seq_delta [0-9.]+$' "$work/stdout"
ok "top: prints no control characters" sh -c '! grep -q "[[:cntrl:]]" "$1"' sh "$work/stdout"
top_of before after after -- --count 3 --json --interval 0.1
ok "top: a line of JSON per interval" sh -c 'jq -se "length == 3 and
	.[0].decisions[0].decisions == 50 and
	(.[1:] | all(.decisions[0].decisions == 0 and .local_share == null))" "$1" >/dev/null' sh "$work/stdout"
top_of before after -- --count 2 --interval 0.1
ok "top: elsewhere than in a terminal samples are printed" \
	[ "$(grep -c '^policy in force' "$work/stdout")" = 2 ]

# Somebody else resets, switches, turns off.
stats after <<'END'
seq_delta  skip                 3        0
seq_delta  pid                 20     1100
END
once before after
ok "top: a reset is no rate" both rc_is 0 top_json '.decisions == null and .reset == ["stats"] and
	.notes == ["somebody reset stats: nothing is known about this interval"]'
ok "top: the rest is shown" top_json '.events.numa_hint_faults == 400 and (.shadow_matrix | length) == 4'
stats after </dev/null
once before after
ok "top: a reset to nothing is seen" top_json '.decisions == null and .reset == ["stats"]'
stats after <"$work/before/$debug/stats"
once before after
ok "top: a line that nobody asked for is named" both rc_is 1 \
	err_has "$work/after/$debug/stats: line 2: its second word is no reason: 'policy reason decisions pages'"
tail -n +2 "$work/before/$debug/stats" | stats after
matrix after <<'END'
seq_delta  skip       mm_seq     skip              90
END
once before after
ok "top: a reset of the matrix is seen" both top_json '.reset == ["shadow_matrix"]' \
	top_json '.shadow_matrix == null and .decisions[0].decisions == 0'
tail -n +2 "$work/before/$debug/shadow_matrix" | matrix after
sed -i 's/numa_pages_migrated .*/numa_pages_migrated 49/' "$work/after/proc/vmstat"
once before after
ok "top: vmstat that goes down is no rate" both top_json '.reset == ["vmstat"] and .events == null' \
	top_json '.local_share == null and (.notes[0] | test("vmstat went down"))'
cp "$work/before/proc/vmstat" "$work/after/proc"
echo hot_shared >"$work/after/$debug/policy"
echo 0 >"$work/after/$debug/shadow"
once before after
ok "top: a switch is said" top_json '.policy == "hot_shared" and .policy_before == "seq_delta" and
	(.notes[0] | test("switched from seq_delta to hot_shared"))'
ok "top: that the shadow was turned off is said" top_json '.notes[1] | test("shadow was turned off")'
echo 0 >"$work/after/proc/sys/kernel/numa_balancing"
once after
ok "top: that balancing is off is said" both rc_is 0 \
	top_json '.notes == ["/proc/sys/kernel/numa_balancing is 0: NUMA balancing is off, nothing is scanned; as root: sysctl kernel.numa_balancing=1"]'
top_of after -- --once --interval 0.1
ok "top: that the shadow is off is said" out_has "the shadow is off (--shadow turns it on"

# Files that are not there.
without() # NAME FILE MESSAGE: is the message given without the file, and the rest shown?
{
	cp -r "$work/before" "$work/without"
	rm -r "$work/without/${2:?}"
	[ "$2" != sys/kernel/debug ] || mkdir "$work/without/$2"
	once without
	ok "top: $1" both rc_is 1 err_has "$3"
	ok "top: $1: events are shown, decisions are not" \
		top_json '.decisions == null and .shadow_matrix == null and .events.numa_pte_updates == 0'
	rm -r "$work/without"
}
without "no statistics" "$debug/stats" \
	"there is no $work/without/$debug/stats: the kernel is built without CONFIG_NUMA_POLICY_STATS"
without "debugfs not mounted" sys/kernel/debug "there is no $work/without/$debug: debugfs is not \
mounted; as root: mount -t debugfs none $work/without/sys/kernel/debug"
without "no debugfs" sys/kernel "there is no $work/without/$debug: the kernel is built without CONFIG_DEBUG_FS"
without "only the library" "$debug" "there is no $work/without/$debug: the library is built without \
CONFIG_NUMA_POLICY_SWITCH and CONFIG_NUMA_POLICY_STATS"
rm -r "$work/before/sys/module"
without "no library" "$debug" "there is neither $work/without/$debug nor \
$work/without/sys/module/kernel/parameters/numa_scan_policy: the kernel is built without the scan-policy library"
rm "$work/before/$debug/policy" "$work/before/$debug/available"
once before
ok "top: one policy, which cannot be switched" both rc_is 0 top_json '.policy == null and .available == null'
mkdir -p "$work/before/sys/module/kernel/parameters"
echo mm_seq >"$work/before/sys/module/kernel/parameters/numa_scan_policy"
once before
ok "top: then a parameter names it" both rc_is 0 top_json '.policy == "mm_seq"'
mkdir -p "$work/old/proc/sys/kernel"
echo nr_free_pages 1 >"$work/old/proc/vmstat"
once old
ok "top: a kernel that cannot balance: nothing is printed" both rc_is 1 [ ! -s "$work/stdout" ]
ok "top: it is said" both err_has "there is no $work/old/proc/sys/kernel/numa_balancing: the kernel is built without CONFIG_NUMA_BALANCING" \
	err_has "$work/old/proc/vmstat has no numa_pte_updates"

# Files that may not be read: root can do without that right.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	unprivileged() { setpriv --inh-caps=-all --bounding-set=-all "$@"; }
	advice=
else
	unprivileged() { "$@"; }
	advice="; run as root"
fi
chmod 0 "$work/before/$debug"
unprivileged "$np" top --root "$work/before" --once --json --interval 0.1 >"$work/stdout" 2>"$work/stderr"
rc=$?
ok "top: files that may not be read are named" both rc_is 1 \
	err_has "cannot read $work/before/$debug/stats: Permission denied$advice"
ok "top: what may be read is shown" top_json '.events.numa_pte_updates == 0 and .policy == "mm_seq"'
chmod 755 "$work/before/$debug"

# Files with something else in them.
malformed() # FILE TEXT MESSAGE
{
	cp -r "$work/before" "$work/malformed"
	printf '%b' "$2" >"$work/malformed/$1"
	once malformed
	ok "top: malformed ${1##*/}: ${2:0:20}" both rc_is 1 err_has "$work/malformed/$1$3"
	rm -r "$work/malformed"
}
header='policy reason decisions pages\n'
malformed "$debug/stats" '' ": it is empty"
malformed "$debug/stats" 'policy reason\n' ": line 1: not 'policy reason decisions pages': 'policy reason'"
malformed "$debug/stats" "${header}mm_seq pid 1 2\nmm_seq why 1 2\n" ": line 3: its second word is no reason: 'mm_seq why 1 2'"
malformed "$debug/stats" "${header}mm_seq pid -1 2\n" ": line 2: it does not end with two counts"
malformed "$debug/shadow_matrix" 'policy says other says decisions\nmm_seq pid always hot 5\n' ": line 2: two policies cannot say"
malformed "$debug/shadow" 'maybe\n' ": it has neither 0 nor 1"
malformed "$debug/available" 'a [b]\n' ": not the name of a policy: '[b]'"
malformed "$debug/policy" 'a b\n' ": not the name of a policy: 'a b'"
malformed proc/sys/kernel/numa_balancing 'on\n' ": it has no number"
malformed proc/vmstat 'numa_pte_updates many\n' ": line 1: not NAME COUNT: 'numa_pte_updates many'"

# Options.
for interval in 0 0.09 -1 86401 1s '' . 1.2.3 nan 0x10 1e3 ' 1'; do
	tool top --once --interval "$interval"
	ok "top: --interval '$interval' is refused" both rc_is 2 err_has "not a number of seconds from 0.1 to 86400"
done
for interval in .1 0.10 000.1; do
	top_of before -- --once --interval "$interval"
	ok "top: --interval $interval is taken" rc_is 0
done
for count in 0 -1 x 99999999999; do
	tool top --count "$count"
	ok "top: --count $count is refused" both rc_is 2 err_has "--count $count: not a number from 1"
done
tool top --once --count 2
ok "top: --once with --count is refused" both rc_is 2 err_has "exclude each other"
tool top extra
ok "top: arguments are refused" both rc_is 2 err_has "unexpected argument 'extra'"
tool top --onc --nosuch
ok "top: unknown options are refused" both rc_is 2 err_has "unknown option '--nosuch'"
tool top --help
ok "top: --help" both rc_is 0 out_has "Usage: numa-policy top"

# The shadow is turned on, and off again where it was off, however the program ends.
shadow_is() { [ "$(cat "$work/before/$debug/shadow")" = "$1" ]; }
await() # COMMAND...: up to 10 s
{
	local i

	for ((i = 0; i < 100; i++)); do
		"$@" && return
		sleep 0.1
	done
	return 1
}
ended_by() # SIGNAL: how a long run with --shadow ends by it
{
	# The shell has what it runs in the background ignore SIGINT and SIGQUIT.
	env --default-signal=INT,QUIT "$np" top --shadow --root "$work/before" --interval 30 --count 1 \
		>"$work/stdout" 2>"$work/stderr" </dev/null &
	local pid=$!

	await shadow_is 1 || return
	kill -s "$1" "$pid"
	wait "$pid"
	rc=$?
}
echo 0 >"$work/before/$debug/shadow"
top_of before -- --once --json --shadow --interval 0.1
ok "top: --shadow turns the shadow on" both rc_is 0 top_json '.shadow and .notes == []'
ok "top: and off at the end" shadow_is 0
for signal in INT TERM HUP QUIT; do
	ended_by "$signal"
	ok "top: SIG$signal ends it as it should" rc_is $((128 + $(kill -l "$signal")))
	ok "top: and turns the shadow off" shadow_is 0
done
"$np" top --shadow --root "$work/before" --interval 0.1 2>"$work/stderr" | head -n 1 >"$work/stdout"
rc=${PIPESTATUS[0]}
ok "top: a reader that goes ends it, without a word" both rc_is 141 [ ! -s "$work/stderr" ]
ok "top: and the shadow is off" shadow_is 0
if [ -w /dev/full ]; then
	"$np" top --once --root "$work/before" --interval 0.1 >/dev/full 2>"$work/stderr"
	rc=$?
	ok "top: output that cannot be written is an error" both rc_is 1 err_has "No space left"
fi
echo 1 >"$work/before/$debug/shadow"
top_of before -- --once --shadow --interval 0.1
ok "top: a shadow that was on stays on" both rc_is 0 shadow_is 1
rm "$work/before/$debug/shadow"
top_of before -- --once --shadow --interval 0.1
ok "top: --shadow where there is none is refused" both rc_is 1 err_has \
	"--shadow: there is no $work/before/$debug/shadow: the kernel is built without CONFIG_NUMA_POLICY_STATS"
echo 0 >"$work/before/$debug/shadow"

# In a terminal: drawn to its size, and given back as it was.
in_terminal() # KEYS COLUMNS ROWS ARGUMENT...
{
	local keys=$1 size="cols $2 rows $3"

	shift 3
	# Ctrl-C is for the shell in the terminal as well, which is to go on.
	{ sleep 1; printf '%b' "$keys"; sleep 1; } | TERM=xterm SHELL=/bin/sh timeout 20 script -qec \
		"trap : INT; stty $size; stty -g >$work/tty1; $np top --root $work/before $*; echo \"rc \$?\"; stty -g >$work/tty2" \
		/dev/null >"$work/stdout" 2>"$work/stderr"
}
screen() { tr -d '\r' <"$work/stdout" | sed 's/\x1b\[H/\n/g; s/\x1b\[[0-9;?]*[a-zA-Z]//g'; }
fits() { screen | awk -v w="$1" 'length > w { print "too wide: " $0; bad = 1 } END { exit bad }'; }
restored() { cmp -s "$work/tty1" "$work/tty2" && tail -n 2 "$work/stdout" | grep -q $'\x1b\[?1049l'; }
if command -v script >/dev/null; then
	in_terminal q 50 12 --interval 0.3
	ok "top in a terminal: q leaves" both out_has "rc 0" out_has $'\x1b[?1049h'
	ok "top in a terminal: it is given back" restored
	ok "top in a terminal: lines fit" fits 50
	ok "top in a terminal: what does not fit is said" out_has "more lines in a higher terminal)"
	in_terminal '\x03' 100 50 --interval 0.3 --shadow
	ok "top in a terminal: Ctrl-C leaves" both out_has "rc 0" restored
	ok "top in a terminal: all is shown" sh -c '! grep -q "more lines" "$1"' sh "$work/stdout"
	ok "top in a terminal: the shadow is off again" shadow_is 0
	in_terminal '' 80 24 --interval 0.1 --count 3
	ok "top in a terminal: --count leaves" both out_has "rc 0" restored
	in_terminal '' 80 24 --once --interval 0.1
	ok "top in a terminal: --once takes no screen" both out_has "rc 0" \
		sh -c '! grep -q 1049 "$1"' sh "$work/stdout"
	rm "$work/before/$debug/stats"
	in_terminal q 80 24 --interval 0.3
	ok "top in a terminal: what is missing is said at the end too" both out_has "rc 1" \
		sh -c 'tail -n 3 "$1" | grep -q CONFIG_NUMA_POLICY_STATS' sh "$work/stdout"
else
	skip "top in a terminal" "there is no script(1)"
fi

# ---- run --native: a directory stands in for the running kernel's files ----

fix=$work/fix
debug=$fix/sys/kernel/debug/sched
now() { cat "$debug/numa_policy/policy"; }

# A machine with two nodes and four policies, one of which is in force.
machine()
{
	local i

	rm -rf "$work/fix"
	mkdir -p "$debug/numa_policy" "$debug/numa_balancing" "$fix/proc/sys/kernel/random" \
		"$fix/boot" "$fix/sys/devices/system/node/node0" "$fix/sys/devices/system/node/node1"
	echo "always mm_seq pids_active seq_delta" >"$debug/numa_policy/available"
	echo seq_delta >"$debug/numa_policy/policy"
	echo 1000 >"$debug/numa_balancing/scan_delay_ms"
	echo 256 >"$debug/numa_balancing/scan_size_mb"
	echo 1 >"$fix/proc/sys/kernel/numa_balancing"
	echo boot-1 >"$fix/proc/sys/kernel/random/boot_id"
	echo "Linux version of the fixture" >"$fix/proc/version"
	printf 'processor\t: 0\nmodel name\t: CPU of the fixture\n' >"$fix/proc/cpuinfo"
	printf 'CONFIG_NUMA_POLICY_WINDOWS=6\nCONFIG_NUMA_POLICY_SWITCH=y\nCONFIG_X=y\n' \
		>"$fix/boot/config-$(uname -r)"
	echo 0-1 >"$fix/sys/devices/system/node/online"
	for i in 0 1; do
		echo "$i,$((i + 2))" >"$fix/sys/devices/system/node/node$i/cpulist"
		echo "Node $i MemTotal: 1048576 kB" >"$fix/sys/devices/system/node/node$i/meminfo"
	done
	echo "10 20" >"$fix/sys/devices/system/node/node0/distance"
	echo "20 10" >"$fix/sys/devices/system/node/node1/distance"
}

# Plays the program that runs the workloads, in the way that FAKE_<policy> says. What was run under
# which policy goes to $FAKE_ORDER.
mkdir -p "$work/bin/guest"
cp "$np" "$work/bin/numa-policy"
cat >"$work/bin/guest/init" <<'EOF'
#!/bin/bash
[ "$1" = --native ] || exit 9
records=$2
for arg; do
	case $arg in
	workload=*) workload=${arg#*=} ;;
	seed=*) seed=${arg#*=} ;;
	windows=*) windows=${arg#*=} ;;
	t.*) arg=${arg#t.}; echo "${arg#*=}" >"$FAKE_DEBUG/numa_balancing/${arg%%=*}" ;;
	esac
done
echo $$ >>"$FAKE_PIDS"
policy=$(cat "$FAKE_DEBUG/numa_policy/policy")
echo "$workload/$policy" >>"$FAKE_ORDER"
mode=FAKE_$policy
mode=${!mode:-good}
cpus1=[1,3]
[ "$mode" = hotplug ] && cpus1=[1]
{
	printf '{"type":"begin","version":1,"workload":"%s","seed":%s,' "$workload" "$seed"
	printf '"kernel":"%s","policy":"%s","windows":%s,"nodes":[' "$(uname -r)" "$policy" "$windows"
	printf '{"id":0,"cpus":[0,2],"mem_kb":1048576,"distance":[10,20]},'
	printf '{"id":1,"cpus":%s,"mem_kb":1048576,"distance":[20,10]}],' "$cpus1"
	printf '"params":{},"tunables":{"scan_delay_ms":%s},"sample_ms":1000}\n' \
		"$(cat "$FAKE_DEBUG/numa_balancing/scan_delay_ms")"
} >"$records"
case $mode in
hang) setsid sleep 1000 & echo $! >>"$FAKE_PIDS"; sleep 1000 ;;
orphan) setsid sleep 1000 & echo $! >>"$FAKE_PIDS" ;;
status) echo "no memory of node 1" >&2; exit 3 ;;
other) echo always >"$FAKE_DEBUG/numa_policy/policy" ;;
off) echo 0 >"$FAKE_BALANCING" ;;
esac
printf '{"type":"end","status":"ok","records":1,"metrics":{"pte_updates":%d,"hint_faults":5,' \
	$((100 + ${#policy} * 10 + seed % 7)) >>"$records"
printf '"hint_faults_local":0,"pages_migrated":3,"local_mean":0.5,"local_end":0.75,' >>"$records"
printf '"t90_ms":null,"system_ms":10,"user_ms":20,"elapsed_ms":30000}}\n' >>"$records"
EOF
chmod +x "$work/bin/guest/init"
export FAKE_DEBUG=$debug FAKE_BALANCING=$fix/proc/sys/kernel/numa_balancing FAKE_ORDER=$work/order

native() # OPTION... or -- PROGRAM...
{
	: >"$FAKE_ORDER"
	"$work/bin/numa-policy" run --native --root "$fix" "$@" >"$work/stdout" 2>"$work/stderr" </dev/null
	rc=$?
}

untouched() { [ ! -s "$FAKE_ORDER" ] && [ "$(now 2>/dev/null || echo seq_delta)" = seq_delta ]; }

native_refuses() # NAME STATUS MESSAGE OPTION...
{
	local name=$1 status=$2 message=$3

	shift 3
	native --out "$work/refused" "$@"
	ok "run --native, $name: says so and exits with $status" both rc_is "$status" err_has "$message"
	ok "run --native, $name: nothing was run or changed" untouched
}

machine
for option in "--topology 2x2" "--shift 3" "--accel kvm" --traffic "--latency 1/2" "--qemu x" \
	"--kernel x" "--initrd x" "--jobs 2" "--timeout 5" "--stall 5" --decisions; do
	# shellcheck disable=SC2086
	native_refuses "$option" 2 "${option%% *} is about guests, it does not go with --native" \
		$option -- true
done
native --dry-run --jobs 1 -- true
ok "run --native --jobs 1 is what it does anyway" rc_is 0
native_refuses "no program" 2 "which program, or which --workloads?"
native_refuses "program and workloads" 2 "a program or --workloads, not both" --workloads sleeper -- true
native_refuses "--set with a program" 2 "--set is about workloads" --set sleeper.vmas=2 -- true
native_refuses "a workload of the tests" 2 "workload 'rules' does not go with --native" --workloads rules
native_refuses "a policy that the kernel lacks" 2 \
	"unknown policy 'vma_seq'; this kernel has: always, mm_seq, pids_active, seq_delta" \
	--policies always,vma_seq -- true
echo 0 >"$fix/proc/sys/kernel/numa_balancing"
native_refuses "balancing off" 1 "sysctl kernel.numa_balancing=1" -- true
native --dry-run -- true
ok "run --native --dry-run does not ask for that" rc_is 0
machine
echo 0 >"$fix/sys/devices/system/node/online"
native_refuses "one node" 1 "this machine has 1 NUMA node with CPUs and memory" -- true
machine
mv "$work/bin/guest/init" "$work/bin/guest/away"
native_refuses "no program for workloads" 1 "'make guest' builds it" -- true
mv "$work/bin/guest/away" "$work/bin/guest/init"
chmod 444 "$debug/numa_policy/policy"
native_refuses "a kernel that cannot switch" 1 "numa_policy/policy can only be read; build it with" -- true
rm -f "$debug/numa_policy/policy"
native_refuses "a kernel without that file" 1 "CONFIG_NUMA_POLICY_SWITCH" -- true
rm "$debug/numa_policy/available"
rmdir "$debug/numa_policy"
native_refuses "a kernel without the library" 1 "built without the scan-policy library" -- true
rm -r "$work/fix/sys/kernel/debug/sched"
native_refuses "no debugfs" 1 "mount -t debugfs" -- true
native --dry-run --policies always,vma_seq -- true
ok "run --native --dry-run goes without the kernel's files" rc_is 0
tool run --dry-run --root "$fix" -- true
ok "--root without --native is refused" both rc_is 2 err_has "--root goes with --native only"

machine
cells="--policies always,seq_delta,mm_seq --workloads sleeper,late_vma --reps 4"
# shellcheck disable=SC2086
native --list-cells $cells
cp "$work/stdout" "$work/list"
ok "run --native --list-cells lists every cell" [ "$(sort -u "$work/list" | wc -l)" = 24 ]
ok "repetition by repetition" [ "$(sed 's,.*/,,' "$work/list" | uniq | tr -d '\n')" = 1234 ]
orders=$(for rep in 1 2 3 4; do grep "/$rep\$" "$work/list" | sed 's,/[0-9]*$,,' | md5sum; done | sort -u | wc -l)
ok "in an order that differs between them" [ "$orders" -gt 2 ]
# shellcheck disable=SC2086
native --list-cells $cells
ok "that is the same for the same seed" cmp -s "$work/stdout" "$work/list"
# shellcheck disable=SC2086
native --list-cells $cells --seed 2
ok "and another for another" bash -c "! cmp -s $work/stdout $work/list"
if setpriv --version >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
	nobody=$(mktemp -d /tmp/numa-policy-nobody.XXXXXX)
	chmod 755 "$nobody"
	cp "$np" "$nobody/numa-policy"
	unprivileged()
	{
		(cd / && setpriv --reuid=65534 --regid=65534 --clear-groups "$nobody/numa-policy" run \
			--native "$@") >"$work/stdout" 2>"$work/stderr" </dev/null
		rc=$?
	}
	unprivileged -- true
	ok "run --native without root says so" both rc_is 1 err_has "--native needs root"
	unprivileged --policies always --reps 2 --workloads sleeper --list-cells
	ok "--list-cells does without root" both rc_is 0 out_has "sleeper/always/2"
	unprivileged --policies always --dry-run -- true
	ok "--dry-run does without root" rc_is 0
	rm "$nobody/numa-policy"
	rmdir "$nobody"
else
	skip "run --native without root" "this is not root, or there is no setpriv"
fi

out=$work/native
# shellcheck disable=SC2086
native --out "$out" $cells --base mm_seq --tune scan_delay_ms=500
cp "$work/stdout" "$work/table"
ok "run --native: a run of good cells exits with 0" rc_is 0
ok "it was quiet" [ ! -s "$work/stderr" ]
ok "each cell was run under its policy, in the order of --list-cells" \
	cmp -s "$FAKE_ORDER" <(sed 's,/[0-9]*$,,' "$work/list")
ok "the results say which was run when" cmp -s "$work/list" \
	<(jq -r '.cells | sort_by(.order)[] | "\(.workload)/\(.policy)/\(.rep)"' "$out/results.json")
ok "the policy is the one from before" [ "$(now)" = seq_delta ]
ok "so are the tunables" \
	[ "$(cat "$debug/numa_balancing/scan_delay_ms" "$debug/numa_balancing/scan_size_mb" | paste -sd' ')" = "1000 256" ]
ok "every cell had the tunable asked for" \
	[ "$(jq '[.cells[].begin.tunables.scan_delay_ms] | unique == [500]' "$out/results.json")" = true ]
ok "the windows are the kernel's" \
	[ "$(jq '[.cells[].begin.windows] | unique == [6]' "$out/results.json")" = true ]
jq '.native.cpu == "CPU of the fixture" and .native.boot == "boot-1" and
	.native.policy_before == "seq_delta" and .native.tunables_before.scan_delay_ms == 1000 and
	.kernel.version == "Linux version of the fixture" and (.kernel.config | length) == 2 and
	.topology.text == "2x2, 1024+1024 MB as found" and .topology.nodes[1].cpus == [1, 3]' \
	"$out/results.json" >"$work/stdout"
ok "the head says what it ran on" out_has true
jq '[has("qemu", "guest", "timeout_s", "stall_s")] + [.workloads[].shift != null] +
	[.kernel | has("image_sha256", "config_sha256", "library_sha256")] | any | not' \
	"$out/results.json" >"$work/stdout"
ok "what guests have is absent" out_has true
jq -r .reproduce "$out/results.json" >"$work/stdout"
ok "the command to reproduce is native" grep -qxF "numa-policy run --native \
--policies always,seq_delta,mm_seq --workloads sleeper,late_vma --base mm_seq --reps 4 --seed 1 \
--tune scan_delay_ms=500" "$work/stdout"
cp "$work/table" "$work/stdout"
ok "the table says that it was no guest" both out_has "compared on a running machine" \
	out_has "PTE updates, faults and migrations are those of the whole machine"
tool compare --print "$out"
ok "compare --print prints the same" both rc_is 0 cmp -s "$work/stdout" "$work/table"
for format in text lkml; do
	tool report "$out" --format "$format"
	ok "report --format $format says what it ran on" both rc_is 0 out_has "CPU of the fixture"
	ok "report --format $format says whose the counters are" out_has "On a running machine, PTE updates,"
done
tool report "$out" --format csv
ok "report --format csv works" rc_is 0
tool report "$out" --format json
ok "report --format json has the machine" out_has '"CPU of the fixture"'
if command -v gnuplot >/dev/null; then
	tool report "$out" --format html
	ok "report --format html says what it ran on" both rc_is 0 out_has "compared on a running machine"
else
	skip "report --format html of a native run" "there is no gnuplot"
fi
# shellcheck disable=SC2086
native --out "$out" $cells --base mm_seq --tune scan_delay_ms=500 --resume
ok "--resume of a complete run runs nothing" both rc_is 0 [ ! -s "$FAKE_ORDER" ]
native --out "$out" --policies always,seq_delta,mm_seq,pids_active --workloads sleeper,late_vma \
	--reps 4 --base mm_seq --tune scan_delay_ms=500 --resume
ok "--resume with another policy runs that only" \
	[ "$(wc -l <"$FAKE_ORDER") $(grep -c pids_active "$FAKE_ORDER")" = "8 8" ]
ok "and goes on counting" \
	[ "$(jq '[.cells[].order] | sort == [range(1; 33)]' "$out/results.json")" = true ]
echo boot-2 >"$fix/proc/sys/kernel/random/boot_id"
native --out "$out" --policies always --workloads sleeper --reps 4 --tune scan_delay_ms=500 --resume
ok "--resume after a reboot is refused" both rc_is 1 err_has "boot of the machine differs"
native --out "$out/default" --reps 1 -- true
ok "all policies of the kernel are run if none is named" [ "$(sort "$FAKE_ORDER" | paste -sd' ')" = \
	"command/always command/mm_seq command/pids_active command/seq_delta" ]
ok "the results name the program" \
	[ "$(jq -c '.workloads[0].command' "$out/default/results.json")" = '["true"]' ]

native_fails() # MODE REASON
{
	machine
	: >"$FAKE_PIDS"
	FAKE_mm_seq=$1 native --out "$work/native-$1" --policies mm_seq,always --workloads sleeper --reps 2
	ok "run --native, $1: exits with 1" rc_is 1
	ok "run --native, $1: the reason is in the table" out_has "sleeper under mm_seq, repetition 2: $2"
	ok "run --native, $1: the policy is the one from before" [ "$(now)" = seq_delta ]
	ok "run --native, $1: nothing is left" no_guest_left
}

native_fails other "the scan policy was changed by somebody else: at the end of the run it was 'always'"
ok "run --native, other: runs under other policies count" grep -qE '^runs +0/2 +2/2$' "$work/stdout"
native_fails off "NUMA balancing is off"
native_fails hotplug "topology differs: node 1 had other CPUs in the run than before"
native_fails status "the program that runs workloads exited with status 3: no memory of node 1"
machine
: >"$FAKE_PIDS"
FAKE_mm_seq=orphan native --out "$work/native-orphan" --policies mm_seq --workloads sleeper --reps 1
ok "run --native: what a run leaves behind is ended" both rc_is 0 no_guest_left

native_interrupt() # SIGNAL
{
	local pid

	machine
	: >"$FAKE_PIDS"
	: >"$FAKE_ORDER"
	set -m
	FAKE_always=hang "$work/bin/numa-policy" run --native --root "$fix" --policies always --reps 2 \
		--workloads sleeper --tune scan_delay_ms=77 --out "$work/native-$1" \
		>"$work/stdout.$1" 2>"$work/stderr.$1" </dev/null &
	pid=$!
	set +m
	two_started
	ok "run --native, SIG$1: the policy is in force meanwhile" [ "$(now)" = always ]
	native --out "$work/second" --policies mm_seq -- true
	ok "run --native, SIG$1: a second run is refused" both rc_is 1 err_has "there can be one at a time"
	ok "run --native, SIG$1: and changes nothing" [ "$(now)" = always ]
	kill "-$1" "$pid"
	wait "$pid"
	rc=$?
	ok "run --native, SIG$1: exits with 1" rc_is 1
	ok "run --native, SIG$1: the policy is the one from before" [ "$(now)" = seq_delta ]
	ok "run --native, SIG$1: so are the tunables" [ "$(cat "$debug/numa_balancing/scan_delay_ms")" = 1000 ]
	ok "run --native, SIG$1: nothing is left" no_guest_left
	ok "run --native, SIG$1: the results say so" \
		grep -q '"interrupted": true' "$work/native-$1/results.json"
}

native_interrupt INT
native_interrupt TERM
native_interrupt QUIT

# A program that a shell becomes has children that it did not start.
machine
: >"$FAKE_ORDER"
sh -c 'sleep 1000 & echo $! >"$1"; shift; exec "$@"' sh "$work/elder" \
	"$work/bin/numa-policy" run --native --root "$fix" --workloads sleeper --reps 1 \
	--policies always --out "$work/elder-out" >"$work/stdout" 2>"$work/stderr" </dev/null
rc=$?
ok "run --native ends what a run leaves behind, not what was there before" \
	both rc_is 0 kill -0 "$(cat "$work/elder")"
kill "$(cat "$work/elder")"
if unshare --pid --fork true 2>/dev/null; then
	machine
	: >"$FAKE_ORDER"
	timeout -s KILL 20 unshare --pid --fork "$work/bin/numa-policy" run --native --root "$fix" \
		--workloads sleeper --reps 1 --policies always --out "$work/ns-out" \
		>"$work/stdout" 2>"$work/stderr" </dev/null
	rc=$?
	ok "run --native with the /proc of another PID namespace is refused" \
		both rc_is 1 err_has "/proc is not that of this PID namespace"
	ok "and nothing was run or changed" untouched
else
	skip "run --native in another PID namespace" "no right to make one"
fi

# ---- full disk ----

mkdir "$work/disk"
if mount -t tmpfs -o size=2m none "$work/disk" 2>/dev/null; then
	mounted=$work/disk
	refuses "little space" "MB free, 6 cells need about" --out "$work/disk/out"
	umount "$work/disk"
	mounted=
	mount -t tmpfs -o size=8m none "$work/disk" && mounted=$work/disk
	FAKE_mm_seq=fill compare --policies always,mm_seq --workloads sleeper --reps 5 --jobs 1 \
		--out "$work/disk/out"
	ok "a full disk: exits with 1" rc_is 1
	ok "a full disk: it is said" err_has "no space left on the device of $work/disk/out"
	ok "a full disk: the table has what was finished" \
		both out_has "sleeper under mm_seq, repetition 1:" out_has "1/5"
	compare --print "$work/disk/out"
	ok "a full disk: results.json is whole" [ ! -s "$work/stderr" ]
	umount "$work/disk"
	mounted=
else
	skip "a full disk" "cannot mount a tmpfs"
fi

echo "$passed passed, $failed failed"
[ $failed = 0 ]
