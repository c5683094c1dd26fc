#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# guests.sh TOOL KERNEL WANDER WORKDIR: real guests, end to end. WANDER is the program made of wander.c.
set -eu

tool=$(readlink -f "$1") kernel=$(readlink -f "$2") wander=$(readlink -f "$3") work=$4
tests=$(readlink -f "$(dirname "$0")")
. "$(dirname "$0")/lib.sh"

rm -rf "$work"
mkdir -p "$work"
work=$(readlink -f "$work")
cd "$work"

# ---- the boot parameter: a kernel without a root file system says all there is to say ----

boot() {
	timeout 120 qemu-system-x86_64 -accel tcg,thread=single -icount shift=4,sleep=off -nodefaults \
		-display none -no-reboot -smp 2 -m 256 -kernel "$kernel/bzImage" \
		-append "console=ttyS0 panic=-1 kunit.enable=0 $2" -serial "file:$work/$1.tty" </dev/null >/dev/null 2>&1 ||
		true
	tr -d '\r' <"$work/$1.tty" >"$work/$1.log"
}

said() {
	grep -q -- "$2" "$work/$1.log"
}

boot default ''
default=$(sed -n 's/^CONFIG_NUMA_POLICY_DEFAULT_FILE="\(.*\)\.c"$/\1/p' "$kernel/config")
check "boot: the default is in force" said default "numa_policy: scan policy $default\$"
check "boot: it is logged once" [ "$(grep -c 'numa_policy: ' "$work/default.log")" -eq 1 ]
boot chosen numa_scan_policy=mm_seq
check "boot: numa_scan_policy= picks another" said chosen "numa_policy: scan policy mm_seq\$"
boot unknown numa_scan_policy=mmseq
check "boot: an unknown name is logged with those there are" said unknown \
	"numa_scan_policy=mmseq: .*always mm_seq vma_seq pids_active pid_history seq_delta hot_shared"
check "boot: and the default stays" said unknown "numa_policy: scan policy $default\$"
boot empty numa_scan_policy=
check "boot: no name is logged too" said empty "numa_scan_policy=: no such"

# ---- the KUnit suite, in a kernel that balances ----

# Newer kernels do not run what is built in unless they are told to; older ones do not know the word.
boot kunit "kunit.enable=1 kunit.autorun=1"
ktap=$(sed -n 's/^\[[^]]*\] *//; s/^# Totals: //p' "$work/kunit.log" | tail -n 1)
echo "# KUnit at boot: $ktap"
check "boot: the KUnit suite passes" said kunit '^ *\(\[[^]]*\] \)\?ok [0-9]* numa_policy$'
check "boot: it has tests that pass, and none that fail" sh -c \
	'echo "$1" | grep -q "^pass:[1-9][0-9]* fail:0 "' sh "$ktap"
check "boot: nothing in it is not ok" sh -c '! grep -q "not ok" "$1"' sh "$work/kunit.log"
boot nokunit kunit.enable=0
check "boot: kunit.enable=0 leaves it out" sh -c '! grep -q "ok [0-9]* numa_policy" "$1"' sh "$work/nokunit.log"

# ---- topologies: the runner fails a guest whose nodes are not as described ----

small="--set sleeper.vmas=4 --set sleeper.vma_kb=16 --set sleeper.settle_ms=100 --set sleeper.away_ms=100 --set sleeper.return_ms=300"

compare() {
	name=$1
	shift
	# shellcheck disable=SC2086
	"$tool" compare --kernel "$kernel" --out "$work/$name" --policies seq_delta --workloads sleeper \
		--reps 1 "$@" >"$work/$name.out" 2>"$work/$name.err"
}

n=0
for topology in 2x1 4x2 8x2 2x2,mem=128/512 3x2,cpus=2/2/0,mem=256/256/512 3x1,mem=256/256/0 \
	3x1,dist=10:15:30/15:10:25/30:25:10; do
	n=$((n + 1))
	# shellcheck disable=SC2086
	check "topology $topology" compare "topology-$n" --topology "$topology" $small
done

# ---- failures ----

# shellcheck disable=SC2086
refuse "a guest past its limit fails the run" compare limit --limit 1 \
	--set sleeper.settle_ms=60000 --topology 2x1
check "it says so" grep -q 'limit of 1 s of guest time' limit.out
check "its console is kept" [ -s limit/cells/sleeper-seq_delta-1/console.log ]
printf '' | cpio -o -H newc >empty.cpio 2>/dev/null
refuse "a guest that panics fails the run" compare panic --initrd empty.cpio --topology 2x1
check "it says so" grep -q 'panic' panic.out
check "with the kernel's words" grep -q 'Kernel panic' panic/cells/sleeper-seq_delta-1/console.log
refuse "a guest that takes too long fails the run" compare slow --timeout 1 --topology 2x1
check "it says so" grep -q 'failed: .*1 s' slow.err

# ---- every workload runs, with small sizes ----

# once WORKLOAD PARAMETER=VALUE...
once() {
	workload=$1
	shift
	set=
	for param; do
		set="$set --set $workload.$param"
	done
	# shellcheck disable=SC2086
	"$tool" compare --kernel "$kernel" --out "$work/once-$workload" --policies seq_delta \
		--workloads "$workload" --reps 1 $set >"once-$workload.out" 2>&1
}

once_is() { # WORKLOAD FILTER: is the filter true for its only cell?
	jq -e ".cells[0] | $2" "once-$1/results.json" >/dev/null
}

check "numa01 runs" once numa01 mem_mb=4 passes=8
check "numa01: its two processes' memory is looked at" \
	once_is numa01 '[.records[] | select(.type == "sample") | .pages] | max == 2048'
check "numa01_threadlocal runs" once numa01_threadlocal mem_mb=4 passes=16
check "numa02 runs" once numa02 mem_mb=4 passes=20
check "numa02_smt runs" once numa02_smt mem_mb=4 passes=20
check "numa01 runs pinned" once numa01 mem_mb=4 passes=8 pin=1
check "numa01 pinned: no page is remote" once_is numa01 '.metrics.local_end == 1'
check "bigvma runs" once bigvma vma_mb=8 run_ms=1000
check "bigvma: its pages count half where threads of two nodes share them" \
	once_is bigvma '.metrics.local_end == 0.5'
check "bigvma runs with slices" once bigvma vma_mb=8 run_ms=1000 slice=1
check "forks runs" once forks procs=8 work_ms=2
check "sleeper runs with threads that share" once sleeper vmas=8 vma_kb=16 settle_ms=400 \
	away_ms=400 return_ms=1000 threads=4
check "sleeper runs with threads that do not" once sleeper vmas=9 vma_kb=16 settle_ms=400 \
	away_ms=400 return_ms=1000 threads=4 share=0
check "sleeper: all areas are looked at" \
	once_is sleeper '[.records[] | select(.type == "sample") | .pages] | max == 36'
check "perf_numa_mem runs" once perf_numa_mem proc_mb=2 loops=4
check "perf_numa_mem: its memory is seen" \
	once_is perf_numa_mem '[.records[] | select(.type == "sample") | .pages] | max > 1000'
check "stress_ng_vm runs" once stress_ng_vm ops=200
check "stress_ng_fork runs" once stress_ng_fork ops=20

# ---- programs of the host ----

# program NAME [OPTION...]: the script NAME, in place of perf
program() {
	name=$1
	shift
	NUMA_POLICY_PERF=$work/$name "$tool" compare --kernel "$kernel" --out "$work/of $name" \
		--policies always --workloads perf_numa_mem --topology 2x1 --reps 1 "$@" \
		>"$name.out" 2>&1
}

script() { # NAME: a script from standard input
	cat >"$1"
	chmod +x "$1"
}

because() { # NAME TEXT: is the text in the reason why it failed?
	jq -e --arg t "$2" '.cells[0].reason | contains($t)' "of $1/results.json" >/dev/null
}

script fails <<-'END'
	#!/bin/sh
	echo first
	echo last words >&2
	exit 3
END
script killed <<-'END'
	#!/bin/sh
	echo about to
	kill -SEGV $$
END
script never <<-'END'
	#!/bin/sh
	echo waiting
	while :; do sleep 1; done
END
script leaves <<-'END'
	#!/bin/sh
	sleep 100000 &
	setsid sleep 100000 &
	for file in /tmp/numa-policy-wrote "$0.wrote"; do
		echo x >"$file" && cat "$file"
	done
	head -c 10000 /dev/zero | tr '\0' y
	echo "in $PWD for $HOME, the end"
END
cp leaves nointerp
sed -i '1s,.*,#!/nonexistent/interpreter,' nointerp

refuse "a program that fails fails the cell" program fails
check "with its exit status and its last line" because fails "ended with exit status 3: last words"
check "and its output" \
	sh -c 'jq -r ".cells[0].records[] | select(.type == \"output\").text" "of fails/results.json" | grep -qx first'
refuse "a program that is killed fails the cell" program killed
check "with the signal" because killed "ended by signal 11 (Segmentation fault): about to"
refuse "a program that never ends fails the cell" program never --limit 10
check "with the limit" because never "limit of 10 s of guest time reached: waiting"
refuse "a program without its interpreter fails the cell" program nointerp
check "with the error" because nointerp "cannot run '$work/nointerp': No such file or directory"
check "a program that writes and leaves children ends well" program leaves
check "nothing of what it writes is on the host" \
	[ ! -e /tmp/numa-policy-wrote ] && [ ! -e leaves.wrote ]
check "the last 4 KB of its output are kept" sh -c \
	'jq -e ".cells[0].records[] | select(.type == \"output\") | (.text | length) == 4096 and
	.bytes > 10000 and (.text | endswith(\"in / for /root, the end\n\"))" "of leaves/results.json" >/dev/null'

# ---- run: any command ----

# own NAME OPTION... -- COMMAND...
own() {
	name=$1
	shift
	"$tool" run --kernel "$kernel" --policies seq_delta --reps 1 --topology 2x1 --out "$work/own $name" \
		"$@" >"own-$name.out" 2>&1
}

own_is() { # NAME FILTER: is the filter true for its only cell?
	jq -e ".cells[0] | $2" "own $1/results.json" >/dev/null
}

mkdir -p "a dir"
# shellcheck disable=SC2016
(cd "a dir" && GREETING='good day' own good -- sh -c 'echo "$GREETING $1 $PWD"' sh 'x  y') || true
check "run: a program runs" own_is good '.status == "ok"'
check "run: with its arguments, its environment and its directory" own_is good \
	"[.records[] | select(.type == \"output\").text] == [\"good day x  y $work/a dir\\n\"]"
refuse "run: a program that is missing fails the cell" own missing -- ./nosuch
check "run: it says so" own_is missing '.reason | test("cannot run .*nosuch.*No such file")'
echo text >plain
refuse "run: a file that is not executable fails the cell" own plain -- ./plain
check "run: it says so" own_is plain '.reason | test("cannot run .*plain.*Permission denied")'
refuse "run: a program that fails fails the cell" own fails -- sh -c 'echo some words; exit 7'
check "run: with its exit status and output" own_is fails '.reason | test("exit status 7: some words")'
refuse "run: a program that never ends fails the cell" own never --limit 5 -- sleep 1000000
check "run: it says so" own_is never '.reason | test("limit of 5 s of guest time")'

# ---- top: what the policies of a guest decide, counted by its kernel ----

# watched POLICY SECONDS ARGUMENT...: a guest that balances, and what top says of it
watched() {
	policy=$1 seconds=$2
	shift 2
	"$tool" run --kernel "$kernel" --policies "$policy" --reps 1 --topology 2x2 \
		--out "$work/watched $policy" -- "$work/watched" "$tool" "$tests/top.jq" "$seconds" "$@" \
		>"watched-$policy.out" 2>&1 &&
		jq -re '.cells[0].records[] | select(.type == "output").text' \
			"watched $policy/results.json" >"watched-$policy.json"
}

# watched_is POLICY FILTER: is the filter true? Decisions fall between the reading of two files: "near"
# allows for two tasks' passes over all of a process, which has some 30 VMAs, and "near_pages" for the
# pages of one, 2,048 and the programs'.
watched_is() {
	jq -e "def within(\$a; \$b; \$n): (\$a - \$b) * (\$a - \$b) <= pow(\$n + \$a / 50; 2);
		def near(\$a; \$b): within(\$a; \$b; 60); def near_pages(\$a; \$b): within(\$a; \$b; 2500); $2" \
		"watched-$1.json" >/dev/null || { sed 's/^/# /' "watched-$1.json"; return 1; }
}

script watched <<-'END'
	#!/bin/sh
	# TOOL SUMS SECONDS
	# Where all accesses have become local, passes become rare, down to one in a minute.
	echo 1000 >/sys/kernel/debug/sched/numa_balancing/scan_period_max_ms || exit
	perf=${NUMA_POLICY_PERF:-perf}
	# Every process is scanned in its first two sequences, whatever becomes of it later.
	while "$perf" bench numa mem -p 2 -t 2 -P 8 -s 8 -l 1000000 -zZ0q >/dev/null 2>&1; do :; done &
	sleep 5
	# It should not wait for its CPU between two files, while others' passes go on.
	nice -n -20 "$1" top --once --json --shadow --interval "$3" >/tmp/top.json || exit
	grep -qx 0 /sys/kernel/debug/sched/numa_policy/shadow || exit
	jq -cf "$2" /tmp/top.json
END

for policy in pids_active seq_delta; do
	check "top: runs in a guest, under $policy" watched "$policy" 20
	check "top: it measures guest time" watched_is "$policy" '.seconds >= 20 and .seconds < 25'
	check "top: only $policy decides" watched_is "$policy" \
		".policy == \"$policy\" and .deciding == [\"$policy\"] and .notes == [] and .reset == []"
	check "top: it skips and scans" watched_is "$policy" '.skipped > 0 and .scanned > 0'
	check "top: pages are those that the kernel counts" watched_is "$policy" \
		'.pages > 8000 and near_pages(.pages; .events.numa_pte_updates) and .pages_of_skip == 0'
	check "top: faults and migrations are possible" watched_is "$policy" '.local_share as $share | .events |
		.numa_hint_faults > 0 and .numa_hint_faults_local <= .numa_hint_faults and
		.numa_pages_migrated <= .numa_hint_faults and $share >= 0 and $share <= 1'
	check "top: the shadow asks every other policy, of $policy" watched_is "$policy" \
		".shadow and (.others | length) == 6 and ((.asked | map(.other)) == (.others | sort)) and
		(.asked | all(.policies == [\"$policy\"]))"
	check "top: as often as it decided" watched_is "$policy" \
		'.skipped as $skipped | .scanned as $scanned | .asked |
		all(near($skipped; .skipped) and near($scanned; .scanned))'
	check "top: always never skips" watched_is "$policy" \
		'.asked[] | select(.other == "always") | .refused == 0'
done

# ---- run --native: in a guest, which is the running machine then ----

script native-tests <<-'END'
	#!/bin/sh
	# native-tests TOOL: prints what the checks look at
	tool=$1
	dir=/sys/kernel/debug/sched/numa_policy
	cells() { jq -c '[.cells[] | [.policy, .status, .begin.policy, .order]]' "$1/results.json"; }
	native() {
		out=$1
		shift
		"$tool" run --native --out "/tmp/$out" "$@" >"/tmp/$out.out" 2>"/tmp/$out.err"
		echo "$out: exits with $?, $(cat $dir/policy) in force"
		sed "s/^/$out: /" "/tmp/$out.err" | cut -c1-300
	}
	small="--workloads sleeper --set sleeper.settle_ms=1000 --set sleeper.return_ms=4000"
	small="$small --set sleeper.away_ms=2000 --set sleeper.vmas=8 --set sleeper.vma_kb=64"
	echo mm_seq >$dir/policy
	echo >$dir/stats
	native good --policies seq_delta,always --reps 2 $small --tune scan_delay_ms=100
	cells /tmp/good
	echo "tunables: $(jq -c '[.cells[].begin.tunables.scan_delay_ms] | unique' /tmp/good/results.json)"
	echo "afterwards: $(cat /sys/kernel/debug/sched/numa_balancing/scan_delay_ms)"
	jq -r '"always: \([.cells[] | select(.policy == "always").metrics.pte_updates > 0] | all)"' /tmp/good/results.json
	"$tool" compare --print /tmp/good | cmp - /tmp/good.out && echo "print: the same"
	"$tool" report /tmp/good --format lkml | grep -o "compared on a running machine"
	echo "decided: $(awk 'NR > 1 && !seen[$1]++ { print $1 }' $dir/stats | sort | paste -sd' ')"
	native program --policies always --reps 1 -- sh -c "cat $dir/policy"
	jq -r '"program: it saw " + (.cells[0].records[] | select(.type == "output").text)' /tmp/program/results.json
	native change --policies always --reps 1 -- sh -c "echo seq_delta >$dir/policy"
	native none --policies always,nonsense --reps 1 -- true
	"$tool" run --native --out /tmp/term --policies always --reps 1 -- sleep 1000 2>/dev/null >/tmp/term.out &
	sleep 3
	echo "term: meanwhile $(cat $dir/policy) in force"
	kill -TERM $!
	wait $!
	echo "term: exits with $?, $(cat $dir/policy) in force"
	grep -qs '^Name:[[:space:]]sleep$' /proc/[0-9]*/status || echo "term: nothing is left"
	echo 0 >/proc/sys/kernel/numa_balancing
	native off --policies always --reps 1 -- true
	echo 1 >/proc/sys/kernel/numa_balancing
	echo always >/proc/$$/numa_scan_policy
	native own --policies always --reps 1 -- true
END

native_said() {
	jq -e --arg t "$1" '.cells[0].records[] | select(.type == "output").text | contains($t)' \
		"own native/results.json" >/dev/null
}

if grep -q '^CONFIG_NUMA_POLICY_SWITCH=y' "$kernel/config"; then
	check "run --native in a guest" own native --topology 2x2,mem=512 -- ./native-tests "$tool"
	check "native: every cell is ok, and the policy set back" native_said \
		"good: exits with 0, mm_seq in force"
	check "native: each cell had its policy" own_is native '[.records[] |
		select(.type == "output").text | scan("\\[\"(\\w+)\",\"ok\",\"(\\w+)\",[1-4]\\]")] |
		length == 4 and all(.[]; .[0] == .[1])'
	check "native: by the kernel's own account too" native_said "decided: always mm_seq seq_delta"
	check "native: tunables are in force" native_said "tunables: [100]"
	check "native: and set back" native_said "afterwards: 1000"
	check "native: always scans" native_said "always: true"
	check "native: compare --print prints the same" native_said "print: the same"
	check "native: a report says what it is of" native_said "compared on a running machine"
	check "native: a program runs under its policy" native_said "program: it saw always"
	check "native: and is no longer in force afterwards" native_said \
		"program: exits with 0, mm_seq in force"
	check "native: a policy changed by somebody else fails the cell" native_said \
		"changed by somebody else: at the end of the run it was 'seq_delta'"
	check "native: and is set back" native_said "change: exits with 1, mm_seq in force"
	check "native: a policy that the kernel lacks is refused" native_said \
		"none: numa-policy: unknown policy 'nonsense'; this kernel has: "
	check "native: SIGTERM: the policy is in force before" native_said "term: meanwhile always in force"
	check "native: SIGTERM: and set back" native_said "term: exits with 1, mm_seq in force"
	check "native: SIGTERM: nothing is left" native_said "term: nothing is left"
	check "native: balancing off is refused" native_said "off: numa-policy: NUMA balancing is off"
	check "native: a policy of one's own is refused" native_said \
		"own: numa-policy: this process has the scan policy 'always' of its own"
else
	echo "# skipped: run --native: the kernel is built without CONFIG_NUMA_POLICY_SWITCH"
fi

# ---- an experiment ----

check "the experiment on late VMAs runs" "$tool" experiment --kernel "$kernel" --out "$work/experiment" \
	--looks 1 late
check "its first claim is decided" jq -e '.claims[0] | .verdict == "reproduced" and .n == 10' \
	experiment/late/verdict.json
check "its effect is that of its runs" sh -c "jq -s '
	def mean(p): [.[1].cells[] | select(.policy == p) | .metrics.pte_updates] | add / length;
	.[0].claims[0].ci95.change - 100 * (mean(\"vma_seq\") / mean(\"mm_seq\") - 1) | fabs < 0.01' \
	experiment/late/verdict.json experiment/late/late/results.json | grep -qx true"

# ---- what the default comparison must show, with fewer runs ----

metric() { # RUN POLICY METRIC: the mean of its runs
	jq -r --arg p "$2" --arg m "$3" \
		'[.cells[] | select(.policy == $p and .status == "ok") | .metrics[$m]] | add / length' \
		"$work/$1/results.json"
}

# lower RUN METRIC A B FACTOR: is A's mean below FACTOR times B's?
lower() {
	a=$(metric "$1" "$3" "$2") b=$(metric "$1" "$4" "$2")
	echo "# $1 $2: $3 $a, $4 $b"
	awk "BEGIN { exit !($a < $5 * $b) }"
}

# run NAME ARGUMENT...: a comparison in DIR/NAME
run() {
	name=$1
	shift
	"$tool" compare --kernel "$kernel" --out "$work/$name" "$@" >"$name.out" 2>&1
}

check "sleeper runs on 2x1" run speed --policies seq_delta --workloads sleeper --topology 2x1 \
	--reps 1 --jobs 1
guest=$(jq '.cells[0].guest_s' speed/results.json) host=$(jq '.cells[0].host_s' speed/results.json)
echo "# $guest guest seconds in $host host seconds"
check "sleeper: 10 guest seconds per host second" awk "BEGIN { exit !($guest > 10 * $host) }"

check "sleeper runs under always and pids_active" run claims --reps 3 \
	--policies always,pids_active --workloads sleeper
check "sleeper: always updates more PTEs than pids_active" \
	lower claims pte_updates pids_active always 1
check "sleeper: pids_active leaves pages away, always does not" \
	lower claims local_mean pids_active always 0.8
check "late_vma runs under mm_seq and vma_seq" run late --reps 2 --base vma_seq \
	--policies mm_seq,vma_seq --workloads late_vma
check "late_vma: mm_seq updates far fewer PTEs than vma_seq" \
	lower late pte_updates mm_seq vma_seq 0.5

# ---- memory accesses, counted: the workload "known" says how many there are ----

# traffic NAME ARGUMENT...: as run, with accesses counted and the plugin's file kept
traffic() {
	name=$1
	shift
	run "$name" --policies seq_delta --reps 1 --jobs 1 --traffic --keep "$@"
}

# counted NAME CHECK: is the plugin's file right?
counted() {
	jq -en --slurpfile results "$1/results.json" --arg check "$2" -f "$tests/traffic.jq" \
		"$1/cells/known-seq_delta-1/traffic.jsonl" >/dev/null
}

# pieces NAME: how many of the used pages are below and above 4 GB, "LOW HIGH"
pieces() {
	jq -r '[.cells[0].records[] | select(.type == "expect" and .node == 0) | .phys] | unique |
		"\(map(select(. < 4294967296)) | length) \(map(select(. >= 4294967296)) | length)"' \
		"$1/results.json"
}

n=0
for topology in 2x2 2x2,mem=1536/3072 2x2,mem=3072/512 3x1,mem=256/256/512,cpus=1/1/0; do
	n=$((n + 1))
	check "accesses on $topology can be counted" traffic "known-$n" --topology "$topology" \
		--workloads known --sample-ms 10
	check "accesses are counted, to 40 of them" counted "known-$n" exact
	check "the measured phase has these and few more" counted "known-$n" allowance
done
check "accesses to a node in two pieces can be counted" traffic known-both --workloads known \
	--topology 2x2,mem=2304/768 --sample-ms 10 --set known.fill_mb=300
check "they are to both pieces" [ "$(pieces known-both)" = "1 1" ]
check "they are counted, to 40 of them" counted known-both exact
check "samples are taken while accesses are counted" sh -c \
	"jq -e '.cells[0].traffic.intervals | length > 10' known-both/results.json >/dev/null"

# QEMU is told of memory in places where it is not.
cat >wrong-qemu <<'END'
#!/bin/sh
for arg; do
	shift
	case $arg in
	file=*) arg=$(echo "$arg" | sed 's/range=0:\([0-9]*\):0:/range=4096:\1:8192:/') ;;
	esac
	set -- "$@" "$arg"
done
exec qemu-system-x86_64 "$@"
END
chmod +x wrong-qemu
refuse "counts that known accesses do not confirm fail the cell" traffic wrong --workloads known \
	--topology 2x1 --qemu ./wrong-qemu
check "it says so" grep -q 'the counts of memory accesses cannot be used: line 1: it says' wrong.out

# cpu FILE COMMAND...: run a command; its CPU time, in seconds, goes into the file
cpu() {
	file=$1
	shift
	times >times.before
	"$@" || return
	times >times.after
	awk 'FNR == 2 { gsub(/[ms]/, " "); t[++n] = $1 * 60 + $2 + $3 * 60 + $4 }
		END { print t[2] - t[1] }' times.before times.after >"$file"
}

heavy="--workloads known --set known.accesses=10000000 --topology 2x1"
# shellcheck disable=SC2086
check "a workload of nothing but accesses runs" cpu plain.cpu run heavy --policies seq_delta \
	--reps 1 --jobs 1 $heavy
# shellcheck disable=SC2086
check "it runs while they are counted" cpu traffic.cpu traffic heavy-counted $heavy
echo "# CPU seconds: $(cat plain.cpu) plain, $(cat traffic.cpu) counted"
check "that takes at most 5 times as long" \
	awk "BEGIN { exit !($(cat traffic.cpu) <= 5 * $(cat plain.cpu)) }"

# ---- what the kernel offers to choose and to see ----

names=$("$tool" list | sed -n '/^Policies/,/^$/s/^  \([a-z0-9_]*\) .*/\1/p' | paste -sd ' ')
"$tool" run --kernel "$kernel" --out "$work/switch" --policies seq_delta --reps 1 --keep -- \
	sh -c "sh $tests/switch.sh seq_delta '$names' $wander | grep -v '^ok '" >switch.out 2>switch.err || true
jq -r 'select(.type == "output").text' switch/cells/*/records.jsonl >switch.log 2>>switch.err || true
grep '^not ok' switch.log || true
summary=$(grep -xE '[0-9]+ passed, [0-9]+ failed' switch.log || echo '0 passed, 1 failed')
echo "# switch.sh in a guest: $summary"
passed=$((passed + ${summary%% *}))
failed=$((failed + $(echo "$summary" | sed 's/.*, \([0-9]*\) failed/\1/')))

finish
