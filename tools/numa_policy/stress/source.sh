#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# source.sh SOURCE COPY: a copy of a kernel tree, of hard links but for three files.
#
# - Code that another CPU is writing to: of QEMU 7.2's translations of it, those that were begun
#   before the write and finished after it are kept. A kernel that patches itself puts a breakpoint
#   there for a while; a translation of it that outlives it kills the guest. When the kernel has
#   waited for all CPUs, none is being made any more; the copy's kernel then writes the last byte
#   once more, which makes QEMU drop all there are.
# - KCSAN leaves out the scheduler, and with it the scan loop and what is inlined into that. In the
#   copy it looks at kernel/sched/fair.c, too.
# - KCSAN watches one in many thousands of all accesses, so that hardly any of a scan pass is ever
#   watched. In the copy, kcsan.focus=START,END,... limits what it watches to accesses from these
#   stretches of code. Whatever comes in between is seen from everywhere, as ever.
set -eu

src=$(readlink -f "$1") copy=$2
poke=arch/x86/kernel/alternative.c
sched=kernel/sched/Makefile
kcsan=kernel/kcsan/core.c

die() {
	echo "source.sh: $src/$1: $2" >&2
	exit 1
}

rm -rf "$copy"
mkdir -p "${copy%/*}"
cp -al "$src" "$copy"

# Never into the files themselves: they are the originals, too.
awk '
	/Third step: replace the first byte/ { third = 1 }
	{ print }
	third && /^\tfor \(/ { block = ""; on = 1 }
	on { block = block $0 "\n" }
	on && /sync[a-z_]*\(\);/ {
		printf "\n\t/* Again, for QEMU: what was translated meanwhile is stale. */\n%s", block
		third = on = 0
		done++
	}
	END { exit done != 1 }' "$src/$poke" >"$copy/$poke.new" ||
	die "$poke" "the third step of patching code is not as it is expected to be"

grep -q '^KCSAN_SANITIZE := n' "$src/$sched" || die "$sched" "does not leave out KCSAN any more"
{ cat "$src/$sched"; echo 'KCSAN_SANITIZE_fair.o := y'; } >"$copy/$sched.new"

awk '
	/^static __always_inline bool$/ { head = $0; next }
	/^should_watch\(/ {
		print "/* First address, and the one behind the last, of each stretch of code to be watched. */"
		print "static unsigned long kcsan_focus[64];"
		print "static unsigned int kcsan_nr_focus;"
		print "module_param_array_named(focus, kcsan_focus, ulong, &kcsan_nr_focus, 0444);\n"
		print "static __always_inline bool in_focus(unsigned long ip)\n{"
		print "\tunsigned int i;\n"
		print "\tfor (i = 0; i + 1 < kcsan_nr_focus; i += 2)"
		print "\t\tif (ip >= kcsan_focus[i] && ip < kcsan_focus[i + 1])\n\t\t\treturn true;"
		print "\treturn !kcsan_nr_focus;\n}\n"
		done++
	}
	head != "" { print head; head = "" }
	/^\tif \(this_cpu_dec_return\(kcsan_skip\) >= 0\)$/ {
		print "\tif (!in_focus(_RET_IP_))\n\t\treturn false;\n"
		done++
	}
	{ print }
	END { exit done != 2 }' "$src/$kcsan" >"$copy/$kcsan.new" ||
	die "$kcsan" "should_watch() is not as it is expected to be"

for file in "$poke" "$sched" "$kcsan"; do
	touch -r "$src/$file" "$copy/$file.new"
	mv "$copy/$file.new" "$copy/$file"
done
