#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests of numa-policy apply, unapply and fingerprint.
#
# Arguments: NUMA_POLICY_BINARY PRISTINE_TREE WORKDIR
#
# PRISTINE_TREE is only read. WORKDIR is made, and emptied of what an earlier run left.
# Prints "ok N - what" or "not ok N - what", at the end "P passed, F failed"; exits with 1 if
# something failed.

if [ $# -ne 3 ]; then
	echo "usage: $0 NUMA_POLICY_BINARY PRISTINE_TREE WORKDIR" >&2
	exit 2
fi

export LC_ALL=C
top=$(cd "$(dirname "$0")/../../.." && pwd) || exit 1
bin=$(realpath "$1") || exit 1
src=$(realpath "$2") || exit 1
mkdir -p "$3" || exit 1
work=$(realpath "$3")/shim
rm -rf "$work"
mkdir "$work" || exit 1
cd "$work" || exit 1

fair=kernel/sched/fair.c
types=include/linux/mm_types.h
mm=include/linux/mm.h
reasons=include/linux/sched/numa_balancing.h
kconfig=init/Kconfig
makefile=kernel/sched/Makefile
kunit="lib/kunit/Makefile lib/kunit/Kconfig"
signal=include/linux/sched/signal.h
fork=kernel/fork.c
proc=fs/proc/base.c
process="$signal $fork $proc fs/proc/internal.h fs/proc/Makefile"
ours=kernel/sched/numa_policy
hooks=tools/numa_policy/shim/hooks

count=0
passed=0
failed=0
mounted=

report() # 0 or 1, what
{
	count=$((count + 1))
	if [ "$1" -eq 0 ]; then
		passed=$((passed + 1))
		echo "ok $count - $2"
	else
		failed=$((failed + 1))
		echo "not ok $count - $2"
		sed 's/^/#   /' out err 2>/dev/null | head -20
	fi
}

check() # what, command...
{
	local what=$1 status=0

	shift
	"$@" || status=1
	report $status "$what"
}

skip() # what, why
{
	count=$((count + 1))
	passed=$((passed + 1))
	echo "ok $count - $1 # SKIP $2"
}

unmount()
{
	[ -z "$mounted" ] || umount "$mounted"
	mounted=
}
trap unmount EXIT

# Names, types, modes and contents below a directory.
content()
{
	(cd "$1" && find . -printf '%p %y %m\n' | sort &&
	 find . -type f -print0 | sort -z | xargs -0 sha256sum)
}

times()
{
	(cd "$1" && find . -type f -printf '%p %T@ %i\n' | sort)
}

same() # file, file
{
	cmp -s "$1" "$2" || { diff "$1" "$2" >err; return 1; }
}

# A tree like the pristine one; all its files are old, so that a new one is seen.
fresh()
{
	rm -rf tree
	cp -a "${1:-pristine}" tree
	content tree >before
}

run() # expected status, arguments...
{
	local want=$1 status

	shift
	"$bin" "$@" >out 2>err
	status=$?
	[ $status -eq "$want" ] && return 0
	echo "numa-policy $*: exit status $status, expected $want" >>err
	return 1
}

apply()
{
	run 0 apply --lib lib tree
}

unapply()
{
	run 0 unapply tree
}

says() # file, extended regular expression
{
	grep -Eq -e "$2" "$1" && return 0
	echo "expected: $2" >>err
	return 1
}

restored()
{
	content tree >after
	same before after
}

# Edit a file with sed; it has to make a difference.
alter() # file, sed arguments...
{
	local file=$1

	shift
	cp -p "$file" unaltered
	sed -i "$@" "$file"
	! cmp -s "$file" unaltered && return 0
	echo "sed changed nothing in $file" >err
	return 1
}

# apply must refuse the tree for the reason given and leave it alone.
refuses() # regular expression for the message
{
	content tree >before
	times tree >times1
	run 1 apply --lib lib tree && says err "$1" && says err 'nothing was changed' || return 1
	content tree >after
	times tree >times2
	same before after && same times1 times2
}

# Apart from the record only this file was replaced since times1.
only() # path
{
	times tree >times2
	[ "$(diff times1 times2 | sed -n 's/^> //p' | grep -v '\.numa_policy/' | cut -d' ' -f1)" = "./$1" ]
}

altered() # what, message, file, sed arguments...
{
	local what=$1 message=$2 file=$3 status=0

	shift 3
	fresh
	alter tree/$file "$@" && refuses "$message" || status=1
	report $status "refused: $what"
}

# The same, for a statement or member that is missing or differs.
misfit() # what, label and what is found, file, place, sed arguments...
{
	local what=$1 label=$2 file=$3 place=$4

	shift 4
	altered "$what" "$file:[0-9]+: $place: expected the [a-z]+ '$label" $file "$@"
}

# In a function of a file: the lines between its head and the closing brace.
scan='task_numa_work\(\)'
decision='vma_is_accessed\(\)'
in_work='/^static void task_numa_work/,/^}/'
in_decision='/^static bool vma_is_accessed/,/^}/'

# ---- material ------------------------------------------------------------------------------

mkdir pristine lib
for f in Makefile $fair $types $mm $reasons $kconfig $makefile $kunit $process; do
	mkdir -p pristine/$(dirname $f)
	cp "$src/$f" pristine/$f || exit 1
	chmod 644 pristine/$f
done
mkdir -p pristine/include/trace/events
cp "$src/include/trace/events/sched.h" pristine/include/trace/events || exit 1
chmod 600 pristine/$mm
chmod 755 pristine/$fair
for f in $("$bin" apply --lib "$top" --list-files) $hooks; do
	[ -e "$top/$f" ] || continue
	mkdir -p lib/$(dirname $f)
	cp -r "$top/$f" lib/$f || exit 1
done
find pristine lib -exec touch -d '2020-01-01' {} +
newer=
grep -q get_nr_threads <(sed -n "${in_decision}p" pristine/$fair) && newer=yes

# ---- the normal course ---------------------------------------------------------------------

fresh
check "apply succeeds" apply
check "... and says so" says out 'put in the library, 12 files edited'
check "the library's files are copied" diff -r lib/$ours tree/$ours
check "... also what kunit.py looks for" [ -s tree/$ours/.kunitconfig ]
check "... and the tests" diff -r lib/lib/kunit/numa_policy tree/lib/kunit/numa_policy
check "... the headers, too" cmp lib/include/linux/numa_policy_state.h \
	tree/include/linux/numa_policy_state.h
no_old_code()
{
	! grep -nE 'struct vma_numab_state \{|pids_active|^static bool vma_is_accessed' \
		tree/$types tree/$mm tree/$fair >err
}
check "what the library replaces is gone" no_old_code
new_code()
{
	grep -q '^#include <linux/numa_policy_state.h>$' tree/$types &&
	grep -q 'numa_policy_record_access(state, current->pid);' tree/$mm &&
	grep -q '^#include "numa_policy/fair.h"$' tree/$fair &&
	[ "$(grep -cE 'numa_policy_(begin_pass|init_state|window_over|move_windows|should_scan|scanned|may_force)\(' \
		tree/$fair)" -eq 7 ] &&
	[ "$(grep -c 'const struct numa_policy_ops \*numa_scan_policy;' tree/$signal)" -eq 1 ] &&
	[ "$(grep -c 'sig->numa_scan_policy = ' tree/$fork)" -eq 1 ] &&
	[ "$(grep -c 'REG("numa_scan_policy", ' tree/$proc)" -eq 1 ] &&
	grep -q '^proc-$(CONFIG_NUMA_POLICY_SWITCH) += numa_scan_policy.o$' tree/fs/proc/Makefile &&
	[ -s tree/fs/proc/numa_scan_policy.c ] &&
	grep -q '^obj-$(CONFIG_NUMA_POLICY) += numa_policy/$' tree/$makefile &&
	grep -q '^source "kernel/sched/numa_policy/Kconfig"$' tree/$kconfig &&
	grep -q '^obj-$(CONFIG_NUMA_POLICY_KUNIT_TEST) += numa_policy/$' tree/lib/kunit/Makefile &&
	grep -q '^source "lib/kunit/numa_policy/Kconfig"$' tree/lib/kunit/Kconfig
}
check "what replaces it is there" new_code
double_blanks() # file
{
	echo $(($(wc -l <"$1") - $(cat -s "$1" | wc -l)))
}
blank_lines()
{
	local f

	for f in $types $mm $fair $kconfig; do
		[ "$(double_blanks tree/$f)" -le "$(double_blanks pristine/$f)" ] || return 1
	done
}
check "no two blank lines are left where there were none" blank_lines
after_includes()
{
	awk '/^#include <linux\/numa_policy_state.h>/ {
			seen = last == "#ifdef CONFIG_NUMA_BALANCING" && before ~ /^#include <linux/
	     }
	     /^#include <asm/ { exit !(seen && ended) }
	     last ~ /numa_policy_state/ { ended = $0 == "#endif" }
	     { before = last; last = $0 }' tree/$types
}
check "the #include ends the first block" after_includes
entry_order()
{
	[ "$(grep -E '^(menu)?config |^source "kernel/sched' tree/$kconfig |
	     grep -A3 '^config NUMA_BALANCING$' | sed -n 2,3p)" = "config NUMA_POLICY_MAINLINE_SEQ_DELTA
source \"kernel/sched/numa_policy/Kconfig\"" ]
}
check "the Kconfig menu stands behind NUMA_BALANCING" entry_order
if [ -n "$newer" ]; then
	check "the tree is known to have the sequence-delta rule" \
		grep -Eq '^	def_bool y$' <(grep -A1 NUMA_POLICY_MAINLINE tree/$kconfig)
fi
if [ -r "$src/scripts/checkpatch.pl" ] && command -v perl >/dev/null; then
	for f in $types $mm $fair $kconfig $makefile $kunit; do
		echo "diff --git a/$f b/$f"
		diff -u --label a/$f --label b/$f pristine/$f tree/$f
	done >edits.diff
	checkpatch()
	{
		perl "$src/scripts/checkpatch.pl" --strict --no-tree --no-signoff -q \
			--ignore COMMIT_MESSAGE edits.diff >out 2>err
	}
	check "the edits are in kernel style" checkpatch
else
	skip "the edits are in kernel style" "no checkpatch.pl"
fi
find tree -exec touch -d '2021-01-01' {} +
times tree >times1
content tree >applied
check "apply on an applied tree succeeds" apply
check "... and says so" says out 'nothing to do'
times tree >times2
check "... and writes nothing" same times1 times2
check "unapply succeeds" unapply
check "... and leaves the tree byte for byte as it was, with its modes" restored
check "unapply on a tree without the library succeeds" unapply
check "... and says so" says out 'nothing to take out'
check "... and changes nothing" restored

# ---- edits of the user's -------------------------------------------------------------------

user_edits() # tree
{
	local f

	for f in $types $mm $fair $makefile; do
		sed -i '$a\/* mine, at the end */' $1/$f
	done
	sed -i '1a\/* mine, near the top */' $1/$fair
	sed -i 's/^#include <linux\/kref.h>$/&\n#include <linux\/mine.h>/' $1/$types
	sed -i 's/^config NUMA_BALANCING_DEFAULT_ENABLED$/config MINE\n\tbool\n\n&/' $1/$kconfig
	sed -i "$in_work"'s/^	if (!mmap_read_trylock(mm))$/	mine();\n&/' $1/$fair
}

fresh
apply
user_edits tree
check "apply accepts edits elsewhere" apply
check "... and has nothing to do" says out 'nothing to do'
check "unapply accepts edits elsewhere" unapply
mv tree edited
fresh
user_edits tree
content tree >before
mv tree wanted
mv edited tree
check "... and they survive" restored

fresh
apply
alter tree/$types '/^#include <linux\/numa_policy_state.h>$/{n;s/$/\n#include <linux\/mine.h>/}'
alter tree/$fair 's/^#include "numa_policy\/fair.h"$/\/* mine *\/\n&\nint mine;/'
alter tree/$makefile '$a\obj-y += mine.o'
unapply
check "edits right beside ours survive" \
	grep -q 'mine' tree/$types tree/$fair tree/$makefile
beside()
{
	sed -i -E '/mine\.[ho]|int mine;|\/\* mine/d' tree/$types tree/$fair tree/$makefile && restored
}
check "... and nothing else is left" beside

line_before=$(grep -B1 '^struct vma_numab_state {' pristine/$types | head -1)
where_gone()
{
	local n

	n=$(grep -n '^struct vma_numab_state {' pristine/$types | cut -d: -f1)
	fresh
	apply || return 1
	# One line was added above; the place is one line further down.
	sed -i "${n}a\\struct mine;\\n" tree/$types
	unapply || return 1
	sed -i '/^struct mine;$/,+1d' tree/$types
	restored
}
[ -z "$line_before" ] && check "an edit where the struct was survives" where_gone

place_edited() # what, place, file, sed arguments...
{
	local what=$1 place=$2 file=$3 status=0

	shift 3
	fresh
	apply && alter tree/$file "$@" || status=1
	content tree >before
	run 1 unapply tree && says err "$file:[0-9]+: .*$place.*changed since" || status=1
	restored || status=1
	run 1 apply --lib lib tree && says err "$file:[0-9]+: .*$place.*changed since" || status=1
	restored || status=1
	report $status "an edit of ours that was changed is not undone: $what"
}
place_edited "the ageing" 'task_numa_work\(\): ageing' $fair \
	's/numa_policy_move_windows(vma->numab_state,/numa_policy_move_windows(1 + vma->numab_state,/'
place_edited "the included decision" 'vma_is_accessed\(\)' $fair 's/^#include "numa_policy\/fair.h"/#include "mine.h"/'
place_edited "the recording" 'vma_set_access_pid_bit\(\)' $mm 's/current->pid);$/current->tgid);/'
place_edited "the Makefile" 'line at the end' $makefile 's/CONFIG_NUMA_POLICY/CONFIG_MINE/'
place_edited "the Kconfig entry" 'NUMA_BALANCING' $kconfig 's/^config NUMA_POLICY_MAINLINE_SEQ_DELTA$/&_MINE/'

copy_edited()
{
	fresh
	apply || return 1
	echo '/* mine */' >>tree/$ours/fair.h
	content tree >before
	run 1 unapply tree && says err "$ours/fair.h: changed in the tree" && restored || return 1
	run 1 apply --lib lib tree && says err "$ours/fair.h: changed in the tree" && restored
}
check "a copied file that was changed is neither removed nor replaced" copy_edited
copy_deleted()
{
	fresh
	apply || return 1
	content tree >applied
	rm tree/$ours/fair.h
	apply || return 1
	content tree >after
	same applied after || return 1
	rm tree/$ours/fair.h
	unapply && restored
}
check "a copied file that was deleted comes back, and does not hinder unapply" copy_deleted
leftovers()
{
	fresh
	apply || return 1
	touch tree/$ours/core.o tree/$ours/.core.o.cmd
	unapply && says out "$ours: left" && [ -e tree/$ours/core.o ] && [ ! -e tree/$ours/fair.h ] &&
	apply && rm tree/$ours/core.o tree/$ours/.core.o.cmd && unapply || return 1
	rmdir tree/$ours && restored
}
check "what a build left behind hinders neither unapply nor apply" leftovers

# ---- trees that do not fit -----------------------------------------------------------------

misfit "a renamed member" "next_scan' here, found .*next_pid_reset" \
	$types "struct vma_numab_state" '/^struct vma_numab_state {/,/^}/s/long next_scan;/long next_pid_reset;/'
misfit "one more member" "end' here, found .int extra;" \
	$types "struct vma_numab_state" '/^struct vma_numab_state {/,/^}/s/^	int prev_scan_seq;/&\n	int extra;/'
misfit "a member less" "start_scan_seq' here, found .int prev_scan_seq;" \
	$types "struct vma_numab_state" '/^struct vma_numab_state {/,/^}/{/int start_scan_seq;/d}'
misfit "a larger window" "pids_active\[2\]'" \
	$types "struct vma_numab_state" 's/^	unsigned long pids_active\[2\];/	unsigned long pids_active[4];/'
misfit "a removed rule" "partial scan'" \
	$fair "$decision" "$in_decision"'{/numa_scan_offset > vma->vm_start/,/^	}/d}'
misfit "one more rule" "(skip|sequence delta)' here, found .if \(mine\(\)\)" \
	$fair "$decision" "$in_decision"'s/^	return false;/	if (mine())\n		return true;\n&/'
misfit "another constant" "initial scans' here, found .*< 3\)" \
	$fair "$decision" "$in_decision"'s/start_scan_seq) < 2)/start_scan_seq) < 3)/'
altered "a renamed function" "$fair: vma_is_accessed\(\): expected its definition, found none" \
	$fair 's/^static bool vma_is_accessed(/static bool vma_is_wanted(/'
misfit "another parameter" "head'" \
	$fair "$decision" 's/^static bool vma_is_accessed(struct mm_struct \*mm,/static bool vma_is_accessed(struct mm_struct *m,/'
misfit "another retry condition" "retry condition' here, found .*\|\| vma_pids_skipped" \
	$fair "$scan" 's/if (!vma && !vma_pids_forced && vma_pids_skipped)/if (!vma \&\& !vma_pids_forced || vma_pids_skipped)/'
misfit "another scan delay test" "scan delay'" \
	$fair "$scan" "$in_work"'s/if (mm->numa_scan_seq && time_before(jiffies,/if (time_before(jiffies,/'
misfit "another same-sequence test" "same sequence'" \
	$fair "$scan" "$in_work"'s/prev_scan_seq == mm->numa_scan_seq/prev_scan_seq >= mm->numa_scan_seq/'
misfit "a decision that is called in a forced pass, too" "call of the decision'" \
	$fair "$scan" 's/if (!vma_pids_forced && !vma_is_accessed(mm, vma))/if (!vma_is_accessed(mm, vma))/'
misfit "another ageing" "ageing, previous window'" \
	$fair "$scan" "$in_work"'s/pids_active\[0\] = READ_ONCE(vma->numab_state->pids_active\[1\])/pids_active[0] |= READ_ONCE(vma->numab_state->pids_active[1])/'
misfit "another initial sequence" "new state, prev_scan_seq'" \
	$fair "$scan" "$in_work"'s/prev_scan_seq = mm->numa_scan_seq - 1/prev_scan_seq = mm->numa_scan_seq - 2/'
misfit "no note of a completed VMA" "prev_scan_seq of a completed VMA'" \
	$fair "$scan" "$in_work"'{/prev_scan_seq = mm->numa_scan_seq;/d}'
misfit "a condition around our place" "ageing' here, found .if \(mine\)" \
	$fair "$scan" "$in_work"'s/^		if (mm->numa_scan_seq &&$/		if (mine)\n&/'
altered "a place that occurs twice" "$fair:[0-9]+: task_numa_work\(\): expected 'forced pass' once, found it 2 times" \
	$fair "$in_work"'{/^	if (!vma && !vma_pids_forced/,/^	}/{H};/^out:/{x;s/^\n//;G}}'
altered "another use of the windows" "$fair:[0-9]+: expected .pids_active. only at the edited places, found it here" \
	$fair '$a\unsigned long mine(struct vma_numab_state *s) { return s->pids_active[0]; }'
misfit "another recording" "set bit in the current window'" \
	$mm "vma_set_access_pid_bit\(\)" 's/__set_bit(pid_bit, &vma->numab_state->pids_active\[1\])/set_bit(pid_bit, \&vma->numab_state->pids_active[1])/'
misfit "no such skip reason" "NUMAB_SKIP_IGNORE_PID'" \
	$reasons "enum numa_vmaskip_reason" '/NUMAB_SKIP_IGNORE_PID/d'
misfit "a call of the decision with another argument" "call of the decision'" \
	$fair "$scan" 's/!vma_is_accessed(mm, vma))/!vma_is_accessed(mm, vma, 1))/'
misfit "no note of VMAs skipped" "whether a VMA was skipped'" \
	$fair "$scan" "$in_work"'s/^	bool vma_pids_skipped;/	int vma_pids_skipped;/'
misfit "pages that trap without a count" "pages made to trap'" \
	$fair "$scan" "$in_work"'s/nr_pte_updates = change_prot_numa(/nr_pte_updates += change_prot_numa(/'
misfit "something before the retry" "retry condition' here, found .mine\(\);" \
	$fair "$scan" "$in_work"'s/^	if (!vma && !vma_pids_forced/	mine();\n&/'
misfit "a renamed member of a process" "oom_mm'" \
	$signal "struct signal_struct" 's/^	struct mm_struct \*oom_mm;/	struct mm_struct *mm_oom;/'
misfit "a process that takes over something else" "oom_score_adj_min'" \
	$fork "copy_signal\(\)" 's/sig->oom_score_adj_min = current/sig->oom_score_adj_min = 1 + current/'
altered "no such function" "$fork: copy_signal\(\): expected its definition, found none" \
	$fork 's/^static int copy_signal(/static int copy_signals(/'
misfit "a file of processes with other rights" "comm'" \
	$proc "tgid_base_stuff\[\]" '/pid_entry tgid_base_stuff/,/^}/s/REG("comm",      S_IRUGO|S_IWUSR/REG("comm",      S_IRUGO/'
altered "no table of processes' files" "$proc: tgid_base_stuff\[\]: expected its definition, found none" \
	$proc 's/pid_entry tgid_base_stuff\[\]/pid_entry tgid_stuff[]/'

# The right statements at a place that is not ours.
altered "a member inside of a union" \
	"$signal:[0-9]+: struct signal_struct: expected 'a process's own policy' inside of 1 braces, found it inside of 2" \
	$signal 's/^	struct mm_struct \*oom_mm;/	union { struct mm_struct *oom_mm;/; /^	union {/,/;/s/;.*/; long oom_other; };/'
altered "a statement under an if" "$fork:[0-9]+: copy_signal\(\): expected .* inside of 1 braces, found it inside of 2" \
	$fork 's/^	sig->oom_score_adj_min = .*/	if (mine) {\n&\n	}/'
altered "a macro in front of the decision" "$fair:[0-9]+: expected .vma_is_accessed. only at the edited places" \
	$fair '$a\#define vma_is_accessed(mm, vma) (mine(mm) || (vma_is_accessed)(mm, vma))'
altered "another caller of the decision" "$fair:[0-9]+: expected .vma_is_accessed. only at the edited places" \
	$fair '$a\bool mine(struct vm_area_struct *vma) { return vma_is_accessed(vma->vm_mm, vma); }'
for condition in '#if 0' '#ifdef CONFIG_SCHED_SMT' '#if defined(CONFIG_NUMA_BALANCING) \&\& MINE'; do
	altered "a decision under $condition" "$fair:[0-9]+: expected vma_is_accessed\(\) under no condition, found it under .#if" \
		$fair "$in_decision{s/^static bool vma_is_accessed/$condition\n&/;s/^}/&\n#endif/}"
done
altered "a decision behind #else" "$fair:[0-9]+: expected vma_is_accessed\(\) under no condition, found it under .#else" \
	$fair "$in_decision{s/^static bool vma_is_accessed/#ifdef CONFIG_SMP\n#else\n&/;s/^}/&\n#endif/}"

# Text that goes behind a statement goes behind its comments, and in front of what follows on its line.
behind() # what, file, the text, expected, sed arguments...
{
	local what=$1 file=$2 text=$3 expected=$4 status=0

	shift 4
	fresh
	alter tree/$file "$@" && apply || status=1
	grep -A"$(printf '%s\n' "$expected" | wc -l)" -e "$text" tree/$file | tail -n +2 >is
	printf '%s\n' "$expected" >should
	cmp -s is should || status=1
	unapply || status=1
	report $status "inserted $what"
}
member='#ifdef CONFIG_NUMA_POLICY_SWITCH
	const struct numa_policy_ops *numa_scan_policy;
#endif'
behind "behind a comment of several lines" $signal 'mine \*/' "$member" \
	'/^	struct mm_struct \*oom_mm;/{N;s,.*,	struct mm_struct *oom_mm; /* mine\n	 * mine */,}'
behind "behind a comment of one line" $signal '// mine' "$member" \
	'/^	struct mm_struct \*oom_mm;/{N;s,.*,	struct mm_struct *oom_mm; // mine,}'
behind "in front of more code" $signal 'oom_mm;' "$member
int mine;" '/^	struct mm_struct \*oom_mm;/{N;s,.*,	struct mm_struct *oom_mm; int mine;,}'
behind "between entries of a table" $proc 'REG("comm"' '#ifdef CONFIG_NUMA_POLICY_SWITCH
	REG("numa_scan_policy", 0644, proc_pid_numa_scan_policy_operations),
#endif' '1s/^/\/* *\/\n/'
altered "no such Kconfig entry" "$kconfig: expected the entry 'config NUMA_BALANCING' once, found it 0 times" \
	$kconfig 's/^config NUMA_BALANCING$/config NUMA_BALANCE/'
altered "a Makefile with our line" "$makefile:[0-9]+: expected to insert .*numa_policy/., found it here already" \
	$makefile '$a\obj-$(CONFIG_NUMA_POLICY) += numa_policy/'
altered "a Makefile with our line in another layout" "$makefile:[0-9]+: expected to insert .*numa_policy/., found it here already" \
	$makefile '$a\obj-$(CONFIG_NUMA_POLICY)	+=  numa_policy/ \r'
altered "a Makefile whose last line goes on" "$makefile:[0-9]+: expected the last line to end, found that it goes on" \
	$makefile '$a\obj-y += mine.o \\'
altered "a header with our include" "$types:[0-9]+: expected to insert .*numa_policy_state.h" \
	$types 's/^#include <linux\/kref.h>$/&\n#include <linux\/numa_policy_state.h>/'

order_changed()
{
	local scanned='nr_pte_updates = change_prot_numa(vma, start, end);'

	fresh
	alter tree/$fair "$in_work{/$scanned/d;s/^	if (!mmap_read_trylock(mm))/	$scanned\n&/}" &&
	refuses "$fair:[0-9]+: task_numa_work\(\): expected 'scan of a part' after 'from the new state to the decision', found it before"
}
check "refused: places in another order" order_changed
several()
{
	fresh
	alter tree/$types 's/^	unsigned long pids_active\[2\];/	unsigned long pids_active[3];/' &&
	alter tree/$reasons '/NUMAB_SKIP_IGNORE_PID/d' &&
	refuses "$types" && says err "$reasons"
}
check "all files that do not fit are named at once" several
defined_twice()
{
	fresh
	sed -n "${in_decision}p" pristine/$fair >>tree/$fair
	refuses "$fair:[0-9]+: vma_is_accessed\(\): expected one definition, found 2"
}
check "refused: a function defined twice" defined_twice
missing()
{
	fresh
	rm tree/$1
	refuses "$1: No such file"
}
check "refused: a missing header" missing $mm
check "refused: a missing Kconfig" missing $kconfig
taken()
{
	fresh
	mkdir tree/$ours
	echo mine >tree/$ours/mine.c
	refuses "$ours: the tree has this already"
}
check "refused: a directory of our name" taken
taken_file()
{
	fresh
	echo mine >tree/include/linux/numa_policy.h
	refuses 'include/linux/numa_policy.h: the tree has this already'
}
check "refused: a file of our name" taken_file
symlink()
{
	fresh
	mv tree/$mm real.h
	ln -s ../../../real.h tree/$mm
	refuses "$mm: a symbolic link"
}
check "refused: a file that is a symbolic link" symlink
# what is behind it is another tree
symlink_dir()
{
	fresh
	rm -rf beyond
	mkdir -p beyond/$(dirname $1)
	mv tree/$1 beyond/$1
	ln -s $PWD/beyond/$1 tree/$1
	content beyond >was
	refuses "$1: a symbolic link" || return 1
	content beyond >is
	same was is
}
check "refused: a directory that is one" symlink_dir kernel
check "refused: one deeper in the tree" symlink_dir kernel/sched
check "refused: one where only copies go" symlink_dir include/trace/events
# a comment at the margin is part of the entry in which it stands
comment_in_entry()
{
	fresh
	alter tree/$kconfig '/^config NUMA_BALANCING$/{n;s/$/\n# mine/}' && apply || return 1
	awk '/^config NUMA_BALANCING$/ { on = 1 } /^config NUMA_POLICY_MAINLINE/ { on = 0 } on' tree/$kconfig >is
	grep -q '^# mine$' is && grep -q '^	help$' is && unapply
}
check "a comment at the margin does not end a Kconfig entry" comment_in_entry
by_hand()
{
	fresh
	apply || return 1
	rm -r tree/.numa_policy
	refuses "$fair: vma_is_accessed\(\): expected its definition"
}
check "refused: a tree with the library but without a record of it" by_hand

no_tree() # message, command to prepare
{
	rm -rf tree
	mkdir tree
	eval "$2"
	content tree >before
	run 1 apply --lib lib tree && says err "$1" && restored || return 1
	run 1 unapply tree && says err "$1" && restored || return 1
	run 1 fingerprint --lib lib tree && says err "$1"
}
check "no kernel tree: an empty directory" no_tree 'no kernel tree: it has no Makefile' :
check "no kernel tree: some other Makefile" no_tree 'no kernel tree: its Makefile' 'echo all: >tree/Makefile'
check "no kernel tree: a Makefile alone" no_tree 'no kernel tree: it has no kernel/sched/fair.c' \
	'cp pristine/Makefile tree'
check "no such directory" run 1 apply --lib lib nowhere
check "... and it is named" says err 'nowhere: No such file'
check "a library that is none" run 1 apply --lib pristine pristine
check "... and it is named" says err 'hooks: No such file'

# ---- layout does not matter ----------------------------------------------------------------

reformat()
{
	fresh
	alter tree/$fair -e "$in_work"'{s/	/    /g;s/;$/ ; \/* mine *\//;s/if (/if(  /;s/ {$/\n{ \/\/ mine/}' \
		-e "$in_decision"'{s/^	/ /;s/return true/return\n\ttrue/;s/ | /|/}' &&
	alter tree/$types '/^struct vma_numab_state {/,/^}/{s/unsigned long /unsigned\n\tlong\t/;s/	int/int/;/^$/d}' &&
	alter tree/$mm 's/if (vma->numab_state && !test_bit(pid_bit, /if( vma->numab_state\n\t\t\&\& !test_bit( pid_bit,/' &&
	content tree >before &&
	apply && no_old_code && new_code && unapply && restored
}
check "white space, comments and line breaks do not matter" reformat
moved()
{
	fresh
	sed -n "${in_decision}p" pristine/$fair >decision
	alter tree/$fair "${in_decision}d" && cat decision >>tree/$fair &&
	alter tree/$fair '1i\/* mine */\n\n\n' && content tree >before &&
	apply && no_old_code && new_code && unapply && restored
}
check "a function may stand elsewhere in its file" moved
no_newline()
{
	fresh
	printf %s "$(cat pristine/$makefile)" >tree/$makefile
	content tree >before
	apply && new_code && unapply && restored
}
check "a file without a newline at its end" no_newline

# ---- the older form ------------------------------------------------------------------------

older=pristine
if [ -n "$newer" ]; then
	cp -a pristine older
	awk '/^static bool vma_is_accessed/ { inside = 1 }
	     inside && /READ_ONCE\(mm->numa_scan_seq\) >/ { skip = 1 }
	     !skip { print }
	     skip && /return true;/ { skip = 0 }
	     /^}/ { inside = 0 }' pristine/$fair >older/$fair
	older=older
fi
old_form()
{
	fresh $older
	! grep -q get_nr_threads <(sed -n "${in_decision}p" tree/$fair) || return 1
	apply && new_code && no_old_code &&
	grep -A1 '^config NUMA_POLICY_MAINLINE_SEQ_DELTA$' tree/$kconfig | grep -q 'def_bool n$' &&
	unapply && restored
}
check "v6.8 to v6.11: without the sequence-delta rule" old_form
old_altered()
{
	fresh $older
	alter tree/$fair "$in_decision"'s/start_scan_seq) < 2)/start_scan_seq) < 3)/' &&
	refuses "$fair:[0-9]+: vma_is_accessed\(\): expected the statement 'initial scans' here"
}
check "... with another constant: refused" old_altered
loop_form()
{
	fresh $older
	if ! grep -q '^	} for_each_vma(vmi, vma);$' tree/$fair; then
		alter tree/$fair "$in_work"'{s/^	for (; vma; vma = vma_next(&vmi)) {$/	do {/
			/^	}$/{N;N;N;s/^	}\(\n\n[^\n]*\n[^\n]*If no VMAs are remaining\)/	} for_each_vma(vmi, vma);\1/}}' ||
			return 1
	fi
	content tree >before
	grep -q '^	} for_each_vma(vmi, vma);$' tree/$fair && apply && new_code &&
	grep -A1 '^	} for_each_vma(vmi, vma);$' tree/$fair | grep -q 'numa_policy_may_force(&pass);$' &&
	unapply && restored
}
check "... with the do loop that it had" loop_form

# ---- a new library -------------------------------------------------------------------------

cp -a lib lib1
updated()
{
	fresh
	apply || return 1
	find tree -exec touch -d '2021-01-01' {} +
	times tree >times1
	echo '/* new */' >>lib/$ours/fair.h
	apply && cmp lib/$ours/fair.h tree/$ours/fair.h || return 1
	only $ours/fair.h && unapply && restored
}
check "a changed file of the library's is the only one replaced" updated
grown()
{
	fresh
	apply || return 1
	mkdir lib/$ours/more
	echo new >lib/$ours/more/new.c
	rm lib/$ours/fair.h
	apply && [ -e tree/$ours/more/new.c ] && [ ! -e tree/$ours/fair.h ] && unapply && restored
}
check "files that the library gains or loses" grown
rm -rf lib
cp -a lib1 lib
new_hooks()
{
	fresh
	apply || return 1
	find tree -exec touch -d '2021-01-01' {} +
	times tree >times1
	alter lib/$hooks 's/numa_policy_may_force(/numa_policy_can_force(/' || return 1
	apply && grep -q can_force tree/$fair && ! grep -q may_force tree/$fair || return 1
	only $fair && unapply && restored
}
check "a changed description changes only what it says" new_hooks
rm -rf lib
cp -a lib1 lib
fewer_hooks()
{
	fresh
	apply || return 1
	alter lib/$hooks '/^file kernel\/sched\/Makefile/,$d' || return 1
	apply && cmp pristine/$makefile tree/$makefile && unapply && restored
}
check "a description with a file less" fewer_hooks
rm -rf lib
cp -a lib1 lib
bad_hooks()
{
	fresh
	sed -i "$1" lib/$hooks
	run 1 apply --lib lib tree && says err "hooks:[0-9]+: " && restored
}
check "a bad description: its line is named" bad_hooks '/^copy/{s/copy/kopy/}'
rm -rf lib
cp -a lib1 lib
check "a bad hash in the description" bad_hooks 's/drop 00e0a662/drop 0e0a662/'
rm -rf lib
cp -a lib1 lib
new_variant()
{
	local hash

	fresh
	alter tree/$fair "$in_decision"'s/start_scan_seq) < 2)/start_scan_seq) < 3)/' || return 1
	content tree >before
	run 0 fingerprint --lib lib tree || return 1
	hash=$(sed -n 's/^ *\([0-9a-f]*\) ? .*start_scan_seq) < 3.*/\1/p' out)
	alter lib/$hooks "s/drop [0-9a-f]* initial scans/drop $hash initial scans/" || return 1
	apply && unapply && restored
}
check "fingerprint prints the hashes that a description needs" new_variant
rm -rf lib
mv lib1 lib

# ---- --from --------------------------------------------------------------------------------

from()
{
	run "$1" apply --lib lib --from pristine tree
}
from_copy()
{
	local f

	rm -rf tree
	cp -a pristine tree
	for f in $("$bin" apply --lib lib --list-files); do
		rm -rf tree/$f
	done
	[ ! -e tree/$fair ] && [ -e tree/$reasons ] || return 1
	content pristine >before
	from 0 && new_code && diff -r lib/$ours tree/$ours && [ ! -e tree/.numa_policy ] || return 1
	content pristine >after
	same before after
}
check "--from fills in a copy of a tree" from_copy
from_again()
{
	find tree -exec touch -d '2021-01-01' {} +
	times tree >times1
	from 0 && says out 'nothing to do' || return 1
	times tree >times2
	same times1 times2
}
check "... and a second time writes nothing" from_again
from_damaged()
{
	content tree >wanted.content
	echo '/* stale */' >>tree/$mm
	echo '/* stale */' >>tree/$ours/fair.h
	from 0 && content tree >after && same wanted.content after || return 1
	times tree >times2
	[ "$(diff times1 times2 | grep -c '^>')" -eq 2 ]
}
check "... and only what differs is written" from_damaged
from_equal()
{
	mv tree filled
	fresh
	apply && rm -r tree/.numa_policy && diff -r tree filled >err
}
check "... the same as apply would have written" from_equal
from_refused()
{
	fresh
	cp -a pristine other
	sed -i "$in_decision"'s/start_scan_seq) < 2)/start_scan_seq) < 3)/' other/$fair
	run 1 apply --lib lib --from other tree &&
	says err "$fair:[0-9]+: vma_is_accessed\(\): expected the statement 'initial scans'" && restored
}
check "--from refuses what apply refuses" from_refused
from_applied()
{
	rm -rf other
	fresh
	cp -a pristine other
	run 0 apply --lib lib other && run 1 apply --lib lib --from other tree &&
	says err 'has the library applied already: build from it directly' && restored
}
check "--from a tree with the library is refused" from_applied
rm -rf other
check "--from the tree itself is refused" run 1 apply --lib lib --from tree tree
list()
{
	run 0 apply --lib lib --list-files && printf '%s\n' $types $mm $fair $kconfig $makefile $kunit \
		$ours lib/kunit/numa_policy \
		include/linux/numa_policy.h include/linux/numa_policy_state.h \
		include/trace/events/numa_policy.h | sort >wanted.list && grep -Fxf wanted.list out | sort >found.list &&
	same wanted.list found.list && ! grep -q "$reasons" out
}
check "--list-files lists what is edited or copied" list

# ---- trouble -------------------------------------------------------------------------------

interrupted() # what was still to be done
{
	fresh
	apply || return 1
	content tree | grep -v numa_policy/record >applied
	mv tree/.numa_policy/record tree/.numa_policy/record.new
	touch tree/.numa_policy/new.3
	cp pristine/$fair tree/$fair
	rm tree/$ours/fair.h
}
interrupted_apply()
{
	interrupted && apply || return 1
	content tree | grep -v numa_policy/record >after
	same applied after && unapply && restored
}
check "apply completes what was interrupted" interrupted_apply
interrupted_unapply()
{
	interrupted && unapply && restored
}
check "unapply takes back what was interrupted" interrupted_unapply
interrupted_twice()
{
	# A directory in the way of the first new file makes the second try fail.
	interrupted && rm -f tree/.numa_policy/new.* && mkdir -p tree/.numa_policy/new.0/way &&
	run 1 apply --lib lib tree && rm -r tree/.numa_policy/new.0 && unapply && restored
}
check "a second try that fails does not lose the record" interrupted_twice
interrupted_update()
{
	fresh
	apply || return 1
	cp tree/.numa_policy/record old.record
	cp tree/$mm old.mm
	cp -a lib lib2
	sed -i 's/numa_policy_may_force(/numa_policy_can_force(/;s/numa_policy_record_access(/numa_policy_record(/' lib2/$hooks
	echo new >lib2/$ours/fair.h
	run 0 apply --lib lib2 tree || return 1
	mv tree/.numa_policy/record tree/.numa_policy/record.new
	cp old.record tree/.numa_policy/record
	cat old.mm >tree/$mm
	rm -r lib2
	apply && grep -q may_force tree/$fair && [ ! -e tree/.numa_policy/record.new ] &&
	cmp lib/$ours/fair.h tree/$ours/fair.h && unapply && restored
}
check "apply goes on from an interrupted update" interrupted_update
damaged()
{
	fresh
	apply || return 1
	sed -i "$1" tree/.numa_policy/record
	content tree >before
	run 1 unapply tree && says err 'record is damaged' && restored || return 1
	run 1 apply --lib lib tree && says err 'record is damaged' && restored
}
check "a damaged record is not trusted" damaged 's/pids_active/pids_aktive/'
check "a record cut short is not trusted" damaged '$d'
busy()
{
	local pid

	fresh
	flock tree sleep 1.5 &
	pid=$!
	sleep 0.3
	apply && says err 'waiting for another' && ! kill -0 $pid 2>/dev/null
}
if command -v flock >/dev/null; then
	check "apply waits while another one is at work" busy
else
	skip "apply waits while another one is at work" "no flock"
fi
at_once()
{
	local i pids=

	fresh
	for i in 1 2 3 4; do
		"$bin" apply --lib lib tree >out.$i 2>&1 &
		pids="$pids $!"
	done
	for i in $pids; do
		wait $i || return 1
	done
	[ "$(cat out.? | grep -c 'put in')" -eq 1 ] && [ "$(cat out.? | grep -c 'nothing to do')" -eq 3 ] &&
	unapply && restored
}
check "four at once: one does it, three find it done" at_once

as_user()
{
	if [ "$(id -u)" -eq 0 ]; then
		setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
	else
		"$@"
	fi
}
unwritable() # path, mode, message
{
	fresh
	chmod -R u+rwX "$box" 2>/dev/null
	rm -rf "$box"
	mkdir "$box" && cp -a tree lib "$box" && cp "$bin" "$box/numa-policy" && chmod 755 "$box" || return 1
	[ "$(id -u)" -ne 0 ] || chown -R 65534:65534 "$box"
	chmod $2 "$box/tree/$1"
	content "$box/tree" >before 2>/dev/null
	! as_user "$box/numa-policy" apply --lib "$box/lib" "$box/tree" >out 2>err &&
	says err "$3" && says err 'nothing was changed' || return 1
	content "$box/tree" >after 2>/dev/null
	same before after
}
box=$(mktemp -d)/box
chmod 755 "${box%/box}"
if as_user test -x "${box%/box}" 2>/dev/null; then
	check "a file that may not be written is named" unwritable $mm 444 "$mm: not writable"
	check "a file that may not be read is named" unwritable $kconfig 000 "$kconfig: Permission denied"
	check "a directory that may not be written is named" unwritable include/trace/events 555 \
		'include/trace/events/numa_policy.h: Permission denied'
	check "a tree that may not be written is named" unwritable . 555 'numa_policy: Permission denied'
else
	skip "files that may not be read or written" "cannot become another user"
fi
chmod -R u+rwX "$box" 2>/dev/null
rm -rf "${box%/box}"

full_disk() # KiB to leave free
{
	local free

	rm -rf disk/*
	cp -a pristine disk/tree || return 1
	content disk/tree >before
	free=$(df -k --output=avail disk | tail -1)
	head -c $(((free - $1) * 1024)) /dev/zero >disk/fill
	! "$bin" apply --lib lib disk/tree >out 2>err && says err 'No space left' &&
	says err 'nothing was changed' && content disk/tree >after && same before after || return 1
	rm disk/fill
	run 0 apply --lib lib disk/tree && run 0 unapply disk/tree && content disk/tree >after && same before after
}
# What the new files take up, in KiB, by pages.
new_files()
{
	local f

	for f in $("$bin" apply --lib lib --list-files); do
		if [ -e pristine/$f ]; then
			stat -c %s pristine/$f
		else
			find lib/$f -type f -printf '%s\n'
		fi
	done | awk '{ kib += 4 * int(($1 + 4095) / 4096) } END { print kib }'
}
full_unapply()
{
	local free

	rm -rf disk/*
	cp -a pristine disk/tree
	run 0 apply --lib lib disk/tree || return 1
	content disk/tree >before
	free=$(df -k --output=avail disk | tail -1)
	head -c $(((free - 200) * 1024)) /dev/zero >disk/fill
	! "$bin" unapply disk/tree >out 2>err && says err 'No space left' &&
	content disk/tree >after && same before after || return 1
	rm disk/fill
	run 0 unapply disk/tree
}
mkdir disk
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=8m none disk 2>/dev/null; then
	mounted=disk
	check "a full disk leaves the tree as it was: at the first file" full_disk 8
	check "... in between" full_disk 300
	check "... at one of the last files" full_disk $(($(new_files) - 4))
	check "... when it is taken out, too" full_unapply
	unmount
else
	skip "a full disk leaves the tree as it was" "no tmpfs can be mounted here"
fi
last_rename()
{
	fresh
	content tree >before
	mount --bind tree/$makefile tree/$makefile 2>/dev/null || return 2
	mounted=$work/tree/$makefile
	run 1 apply --lib lib tree && says err "$makefile: Device or resource busy"
	local status=$?
	unmount
	[ $status -eq 0 ] && restored
}
last_rename
case $? in
0)	report 0 "a file that cannot be replaced: those before it are put back" ;;
2)	skip "a file that cannot be replaced: those before it are put back" "no bind mounts here" ;;
*)	report 1 "a file that cannot be replaced: those before it are put back" ;;
esac

# ---- usage ---------------------------------------------------------------------------------

fresh
for c in apply unapply fingerprint; do
	check "$c --help" run 0 $c --help
	check "... prints its usage" says out "^usage: numa-policy $c "
	check "$c without a tree" run 2 $c
	check "$c with two trees" run 2 $c tree tree
	check "$c with an unknown option" run 2 $c --unknown tree
	check "... which is named" says err '--unknown'
done
check "unapply --from" run 2 unapply --from pristine tree
check "apply --from without its argument" run 2 apply --from
check "usage errors change nothing" restored

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
