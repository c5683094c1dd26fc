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
word() { local w=${append#*$1=}; echo "${w%% *}"; }
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

FAKE_mm_seq=never compare --policies mm_seq,pids_active --workloads sleeper --reps 2 \
	--out "$work/never"
ok "never reaching 90 % is no failure" rc_is 0
ok "and is shown as such" grep -qE '^s until 90 % local +never +[0-9]' "$work/stdout"

FAKE=stays compare --policies always --workloads sleeper --reps 1 --out "$work/stays"
ok "a guest that does not power off after its end record is ended and counts" \
	both rc_is 0 no_guest_left

# ---- interruption ----

interrupt() # SIGNAL MODE
{
	local out=$work/int-$1-$2 n=0 pid

	: >"$FAKE_PIDS"
	set -m
	FAKE_always=$2 "$np" compare --kernel "$work/kernel" --initrd "$work/initramfs" \
		--qemu "$work/qemu" --policies pids_active,always --workloads sleeper --reps 2 \
		--jobs 1 --out "$out" >"$work/stdout" 2>"$work/stderr" </dev/null &
	pid=$!
	set +m
	while [ "$(wc -l <"$FAKE_PIDS")" -lt 2 ] && [ $n -lt 100 ]; do
		sleep 0.1
		n=$((n + 1))
	done
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
for ((n = 0; n < 100; n++)); do
	[ "$(wc -l <"$FAKE_PIDS")" -ge 2 ] && break
	sleep 0.1
done
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
ok "run has no option --workloads" both rc_is 2 err_has "unknown option '--workloads'"
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
