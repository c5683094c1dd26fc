#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests of "numa-policy compare" without a kernel: a script stands in for QEMU and plays good and
# bad guests.
#
# Usage: cli.sh NUMA_POLICY WORKDIR

set -u
export LC_ALL=C

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
	both rc_is 1 err_has "another numa-policy compare writes to $work/killed"
kill -KILL "$pid"
wait "$pid" 2>/dev/null
sleep 0.5
ok "guests die with a numa-policy that is killed" no_guest_left

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
usage "accelerator" "--accel xen: there are tcg and kvm" --accel xen
usage "counting accesses on KVM" "--traffic needs --accel tcg" --traffic --accel kvm
usage "latencies without accesses" "--latency has no meaning without --traffic" --latency 89/139
usage "one latency" "--latency 89: not LOCAL/REMOTE" --traffic --latency 89
usage "a latency out of range" "--latency 1/2000000: not from 0 to 1000000 ns" --traffic \
	--latency 1/2000000

compare --help
ok "--help exits with 0 and names every option" \
	both rc_is 0 bash -c "for o in policies workloads topology reps jobs seed base out kernel \
		initrd set tune shift sample-ms limit timeout stall accel qemu keep traffic latency print help; do \
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

# ---- results.json that is no good ----

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

# ---- full disk ----

mkdir "$work/disk"
if mount -t tmpfs -o size=2m none "$work/disk" 2>/dev/null; then
	mounted=$work/disk
	refuses "little space" "MB free, 3 cells need about" --out "$work/disk/out"
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
