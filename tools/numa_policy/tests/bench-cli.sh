#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# bench-cli.sh TOOL WORKDIR: "numa-policy bench" without kernels: a script stands in for QEMU and
# hands out counts, as the plugin would write them. Does a bound that is passed make it fail?
set -u

tool=$(readlink -f "$1") work=$2
. "$(dirname "$0")/lib.sh"

rm -rf "$work"
mkdir -p "$work/kernels"
work=$(readlink -f "$work")

cat >"$work/qemu" <<'END'
#!/bin/sh
[ "$1" != --version ] || { echo "QEMU emulator version 1.2.3 (fake)"; exit 0; }
cp "$FAKE/${PWD##*/}.counts" counts.log
END
chmod +x "$work/qemu"
export FAKE="$work"
echo initramfs >"$work/initrd"

# An object file of so many bytes of text; what the compiler adds is the same in all.
object() {
	mkdir -p "${1%/*}"
	printf 'const char text[%d] = { 1 };\n' "$2" |
		gcc -fno-asynchronous-unwind-tables -x c -c -o "$1" -
}

# objects BYTES: what is looked at in the object trees
objects() {
	for f in kernel/sched/fair mm/memory mm/huge_memory kernel/fork fs/proc/base; do
		object "$work/kernels/unpatched/$f.o" 1000
		object "$work/kernels/switch/$f.o" 1100
	done
	object "$work/kernels/switch/kernel/sched/numa_policy/core.o" "$1"
	object "$work/kernels/switch/fs/proc/numa_scan_policy.o" 500
}

for kernel in unpatched one switch stats; do
	mkdir -p "$work/kernels/$kernel"
	echo image >"$work/kernels/$kernel/bzImage"
	echo 6.12.0-test >"$work/kernels/$kernel/release"
	echo CONFIG_NUMA_BALANCING=y >"$work/kernels/$kernel/config"
	echo "0 T nothing" >"$work/kernels/$kernel/System.map"
done
objects 3000

# pass INSNS VISITS SCANS
pass() {
	echo "pass insns=$1 visits=$2 scans=$3 switches=0 irqs=0"
}

# trace REFUSED COMPLETED: only where the trace is on
traced() {
	[ "$verify" = 0 ] || echo "say trace delayed=0 refused=$1 completed=$2 partial=0 other=0"
}

# process VMAS VERIFY REFUSED SCANNED COMPLETED OWN: instructions per VMA of each kind, and of an access
process() {
	n=$1 verify=$2
	echo "say process vmas=$n extra=3 below=7 above=3 verify=$verify"
	echo "say phase refused"
	pass $((500 + n * $3)) $((n + 5)) 1
	traced "$n" 0
	echo "say phase aged"
	pass $((500 + n * ($3 + 20))) $((n + 4)) 1
	traced $((n - 1)) 0
	echo "say phase first"
	pass $((700 + n * $4)) $((n + 11)) "$n"
	echo "fault insns=950 own=$(($6 + 1)) switches=0 irqs=0"
	echo "say phase again"
	pass $((700 + n * $4)) $((n + 11)) "$n"
	echo "fault insns=950 own=$6 switches=0 irqs=0"
	echo "say phase completed"
	pass $((900 + n * ($4 + $5))) $((2 * n + 20)) $((n + 1))
	traced 1 "$n"
}

# counts REFUSED SCANNED COMPLETED OWN STATE: a guest
counts() {
	for size in 10 1000 10000; do
		for round in 1 0 0; do
			process "$size" "$round" "$1" "$2" "$3" "$4"
		done
	done
	echo "say state bytes=$5"
}

# policies REFUSED...: each policy's by itself
policies() {
	i=0
	for insns; do
		i=$((i + 1))
		echo "say policy p$i"
		process 10 0 "$insns" 1200 236 63
		process 1000 0 "$insns" 1200 236 63
	done
}

# guest NAME COUNTS...: what a kernel's guest has to say; more lines from standard input
guest() {
	name=$1
	shift
	{
		counts "$@"
		cat
		echo "say end"
	} >"$work/$name.counts"
}

good() {
	guest unpatched 260 1193 236 63 40 </dev/null
	guest one 260 1193 236 63 40 </dev/null
	policies 246 256 266 | guest switch 265 1195 236 63 56
	guest stats 272 1200 236 63 56 </dev/null
	guest shadow 295 1230 236 63 56 </dev/null
}

# bench ARGUMENT...: run it, keep what it said
bench() {
	"$tool" bench --kernel "$work/kernels" --initrd "$work/initrd" --qemu "$work/qemu" \
		--out "$work/out" "$@" >"$work/stdout" 2>"$work/stderr"
	rc=$?
}

has() {
	grep -qE -e "$1" "$work/stdout"
}

# passes WHAT LINE: everything is as in good(), but for what was changed; this bound is passed
passes_bound() {
	bench
	check "$1: it fails" [ "$rc" -eq 1 ]
	check "$1: that bound is named" has "^not ok [0-9]+ - $2"
	check "$1: no other is" [ "$(grep -c '^not ok' "$work/stdout")" -eq "${3:-1}" ]
	good
}

good
bench
check "all bounds kept: it succeeds" [ "$rc" -eq 0 ]
check "all bounds kept: and says so" has '^[0-9]+ passed, 0 failed$'
check "the decision is a refused VMA less one that is come by" \
	has '^decision +24 +24 +1\.000 +29 +1\.208 '
check "a pass has its ratio" has '^pass, 1000 VMAs refused +260500 +260500 +1\.000 +265500 +1\.019 '
check "the policies' decisions are added up" has '^  sum +60\.0$'

guest one 261 1193 236 63 40 </dev/null
passes_bound "one instruction more in the decision" "one: decision: 25\.0 instructions, unpatched 24\.0"
guest one 262 1193 238 63 40 </dev/null
passes_bound "two instructions more before it" "one: pass, 10000 VMAs refused" 6
guest one 260 1193 236 64 40 </dev/null
passes_bound "one instruction more on an access" "one: access recorded, again: 64\.0" 2
policies 246 256 266 | guest switch 269 1195 236 63 56
passes_bound "3 % on a pass" "switch: pass, 1000 VMAs refused: .* ratio 1\.03" 2
policies 246 256 266 | guest switch 265 1195 236 64 56
passes_bound "switchable: an access" "switch: access recorded, first" 2
guest stats 272 1260 236 63 56 </dev/null
passes_bound "5 % on a pass" "stats: pass, 10 VMAs scanned" 3
guest shadow 297 1230 236 63 56 </dev/null
passes_bound "the shadow" "shadow: decision: 61\.0 instructions, at most the sum of .* 60\.0"
guest stats 272 1200 236 63 72 </dev/null
passes_bound "the state" "stats: state of a VMA: 72 bytes, at most 64"
objects 3100
passes_bound "the text" "switch: text of the library, all policies: 4[0-9]* bytes, below 4096 .[0-9]* of them code."
objects 3000
sed -i 's/completed=1000 /completed=999 /' "$work/one.counts"
bench
check "a trace that says otherwise: it fails" [ "$rc" -eq 1 ]
check "a trace that says otherwise: it is said" \
	grep -q 'one: .*line [0-9]*: a pass over 1000 VMAs .* was not what it seemed' "$work/stderr"
good
sed -i '/^say trace/d' "$work/one.counts"
passes_bound "no trace" "one: the kernel's trace confirms the passes"
sed -i '$d' "$work/one.counts"
bench --kernels one
check "a guest that stopped: it fails" [ "$rc" -eq 1 ]
check "a guest that stopped: it is said" grep -q 'did not come to its end' "$work/stderr"
good

guest stats 372 1200 236 63 56 </dev/null
bench --kernels one,switch
check "only what is asked for is measured" [ "$rc" -eq 0 ]
bench --kernels two
check "an unknown kernel is bad usage" [ "$rc" -eq 2 ]
rm -rf "$work/kernels/stats"
bench --kernels one
check "a kernel that is not needed need not be there" [ "$rc" -eq 0 ]
bench
check "one that is needed is missed" grep -q 'there is no .*stats/bzImage' "$work/stderr"

finish
