#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# series.sh TOOL LIBRARY KSRC OUT WORKDIR [RESULTS]: the library as a series of patches for the tree KSRC,
# with a cover letter, written into OUT; its evidence is the comparison in the directory RESULTS.
#
# A patch is the difference of two trees, each of them KSRC's files with the library applied as far as
# that patch: without the files, the options (by unifdef), the rules and the places in the kernel that
# a later one brings. So there is one library, and the series cannot differ from it.
#
# What is in OUT of an earlier series is replaced; anything else that looks like a patch is in the way.
set -eu
export LC_ALL=C
# A hook's git works on the repository that it was called for.
# shellcheck disable=SC2046
unset $(git rev-parse --local-env-vars) GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE GIT_COMMITTER_NAME \
	GIT_COMMITTER_EMAIL GIT_COMMITTER_DATE

tool=$(readlink -f "$1") lib=$(readlink -f "$2") ksrc=$3 out=$4 work=$5 results=${6-}
here=$(readlink -f "$(dirname "$0")")/series

die() {
	echo "series.sh: $*" >&2
	exit 1
}

case $out in /*) ;; *) out=$PWD/$out ;; esac
list=$out/.numa_policy

# What is there: files that an earlier series put there, as it left them, or others.
[ ! -e "$out" ] || [ -d "$out" ] || die "PATCHES=$out: not a directory"
for file in "$out"/[0-9][0-9][0-9][0-9]-*.patch; do
	[ -e "$file" ] || continue
	grep -q " ${file##*/}\$" "$list" 2>/dev/null ||
		die "PATCHES=$out: ${file##*/} in it is not of an earlier series; move it, or give another directory"
	(cd "$out" && grep " ${file##*/}\$" .numa_policy | sha256sum -c --status) ||
		die "PATCHES=$out: ${file##*/} in it was altered since it was written; move it, or give another directory"
done

[ -f "$ksrc/MAINTAINERS" ] || die "KSRC=$ksrc: not a kernel source (it has no MAINTAINERS)"
ksrc=$(readlink -f "$ksrc")
[ ! -e "$ksrc/.numa_policy" ] ||
	die "KSRC=$ksrc has the library already; the series is made for a tree without: make unapply KSRC=$ksrc"
for file in kernel/sched/numa_policy include/linux/numa_policy.h lib/kunit/numa_policy; do
	[ ! -e "$ksrc/$file" ] || die "KSRC=$ksrc: has $file, so a part of a series already; the series is made" \
		"for a tree without: check out the commit in front of it"
done
if [ -n "$results" ]; then
	[ -f "$results/results.json" ] || [ ! -d "$results" ] ||
		die "RESULTS=$results: there is no results.json in it, as compare --out writes"
	[ -d "$results" ] || die "RESULTS=$results: no such directory"
	results=$(readlink -f "$results")
fi

# Who it is from: the tree's own configuration, if it is a git tree, else the user's.
who() {
	git -C "$ksrc" config "$1" 2>/dev/null || git config "$1" ||
		die "no $1 in git's configuration, which patches are signed off with: git config --global $1 '...'"
}
name=$(who user.name)
email=$(who user.email)

# What else of that says how patches are to look. The rest must not: hooks, signatures, attachments.
prefix=$(git -C "$ksrc" config format.subjectPrefix || echo PATCH)
{
	git -C "$ksrc" config --get-all format.to | sed 's/^/--to=/'
	git -C "$ksrc" config --get-all format.cc | sed 's/^/--cc=/'
} >"$work.headers" || true
plainly() { env GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_CONFIG_NOSYSTEM=1 "$@"; }

rm -rf "$work"
mkdir -p "$work"
mv "$work.headers" "$work/headers"
work=$(readlink -f "$work")

# ---- the tree's own files: those that the series edits ----

documents="MAINTAINERS Documentation/scheduler/index.rst Documentation/admin-guide/kernel-parameters.txt"
mkdir "$work/base"
"$tool" apply --lib "$lib" --list-files >"$work/files"
for file in Makefile Kbuild include/linux/sched/numa_balancing.h $(cat "$work/files") $documents; do
	[ -e "$ksrc/$file" ] || continue
	[ "$(readlink -f "$ksrc/$file")" = "$ksrc/$file" ] ||
		die "$ksrc/$file: a symbolic link, or behind one; git does not take patches for it"
	mkdir -p "$work/base/$(dirname "$file")"
	cp "$ksrc/$file" "$work/base/$file"
done
chmod -R u+w "$work/base"
for file in $documents; do
	[ -f "$work/base/$file" ] || die "$ksrc/$file: no such file; the series edits it"
done

# Which policy decides as this tree does; a tree that does not fit is refused here.
cp -R "$work/base" "$work/whole"
"$tool" apply --lib "$lib" "$work/whole" >"$work/apply.log" 2>&1 || {
	cat "$work/apply.log" >&2
	die "KSRC=$ksrc: the library does not fit, see above"
}
own=pids_active
! grep -A1 'config NUMA_POLICY_MAINLINE_SEQ_DELTA' "$work/whole/init/Kconfig" | grep -q 'def_bool y' ||
	own=seq_delta

# ---- the library as of a patch ----

P=kernel/sched/numa_policy
policies=$(sed -n 's/^[[:space:]]*X(\([A-Z0-9_]*\), \([a-z0-9_]*\),.*/\2/p' "$lib/$P/policies.h")
steps="decide $(echo "$policies" | grep -vx $own | tr '\n' ' ') boot switch stats trace kunit doc maintainers"

# has STEP: is it part of the library by now?
has() {
	case " $now " in *" $1 "*) return 0 ;; esac
	return 1
}

# edit FILE COMMAND...: pass a file through a filter
edit() {
	file=$1
	shift
	[ -f "$file" ] || return 0
	"$@" <"$file" >"$work/edited"
	cat "$work/edited" >"$file"
}

# without_function NAME <FILE: a function and the comment above it are left out
without_function() {
	awk -v name="$1" '
		/^\/\*/ { printf "%s", comment; comment = ""; in_comment = 1 }
		in_comment { comment = comment $0 "\n"; if (/\*\/$/) in_comment = 0; next }
		/^[a-z#]/ && index($0, " " name "(") { dropping = 1; comment = "" }
		dropping { if (/^}/) dropping = 2; else if (dropping == 2 && /^$/) { dropping = 0; next } }
		dropping == 1 { next }
		dropping == 2 && /^}/ { next }
		{ dropping = 0; printf "%s", comment; comment = ""; print }
		END { printf "%s", comment }'
}

# without_decide FILE...: decisions on snapshots, which only those who look on ask for, are left out
without_decide() {
	for file; do
		edit "$file" awk '
			/^ \* @decide: / { dropping = 1; next }
			dropping && /^ \*\t/ { next }
			{ dropping = 0 }
			/^\/\* Decisions on snapshots / { macros = 1 }
			macros { if (/^#endif/) macros = 2; if (macros == 2 && /^$/) macros = 0; next }
			/\(\*decide\)\(/ || /NUMA_POLICY_SET_DECIDE\(/ { next }
			/^NUMA_POLICY_DECIDE\(/ { getline; next }
			/^\tenum numa_policy_reason\t.*\\$/ { held = $0; next }
			held != "" { if (!/_decide\(const/) print held; held = ""; if (/_decide\(const/) next }
			{ print }'
	done
}

# looking_on CONDITION: what has decisions on snapshots built, as far as it is there
looking_on() {
	edit "$stage/$P/rules.h" awk -v condition="$1" '
		/^\/\* Decisions on snapshots / { on = 1 }
		on && /^#if/ { print condition; skipping = 1 }
		skipping { skipping = /\\$/; on = 0; next }
		{ print }'
}

# The entries of options that are not there yet, lines that name these, and what they would choose.
kconfig() {
	awk -v missing=" $missing " -v boot="$1" '
		BEGIN { RS = ""; ORS = "\n\n" }
		{
			entry = $0
			if (match(entry, /(^|\n)config NUMA_POLICY_[A-Z0-9_]*/)) {
				symbol = substr(entry, RSTART, RLENGTH)
				sub(/.*NUMA_POLICY_/, "", symbol)
				sub(/^DEFAULT_/, "", symbol)
				dropping = index(missing, " " symbol " ") > 0
			} else if (!/^\t/) {
				dropping = 0
			}
			if (dropping || (!boot && /^\t  .*at boot/))
				next
			n = split(entry, lines, "\n")
			entry = ""
			for (i = 1; i <= n; i++) {
				symbol = lines[i]
				if (lines[i] ~ /^\t(default|select) .*NUMA_POLICY_[A-Z0-9_]*$/) {
					sub(/.*NUMA_POLICY_/, "", symbol)
					sub(/^DEFAULT_/, "", symbol)
					if (index(missing, " " symbol " "))
						continue
				} else if (lines[i] ~ /^\tdefault NUMA_POLICY_DEFAULT_[A-Z0-9_]* if/) {
					sub(/ if.*/, "", symbol)
					sub(/.*_DEFAULT_/, "", symbol)
					if (index(missing, " " symbol " "))
						continue
				}
				entry = entry (entry == "" ? "" : "\n") lines[i]
			}
			print entry
		}' | sed '$d'
}

# table PATTERN: lines "X(...) \" of a macro that match are left out, and the last one ends it
table() {
	awk -v pattern="$1" '
		/^\tX\(/ {
			if ($0 ~ pattern)
				next
			if (held != "")
				print held
			held = $0
			next
		}
		held != "" { sub(/[ \t]*\\$/, "", held); print held; held = "" }
		{ print }'
}

# The description of the places in the kernel, as far as they are used.
hooks() {
	awk -v drop="$1" -v stats="$2" -v trace="$3" -v tree="$work/stage" '
		/^file / { dropping = index(drop, " " $2 " ") > 0 }
		/^copy / {
			if (system("test -e " tree "/" $2))
				next
		}
		/^\t\tplace / { place = !stats && /scan of a part/ }
		/^\t*scope|^file / { place = 0 }
		dropping || place { next }
		!trace && /\|if \(state\) \{$/ { sub(/ \{$/, ""); single = 1 }
		!trace && /numa_policy_trace_access\(/ { next }
		single && /\|}$/ { single = 0; next }
		{ print }'
}

# stage STEP...: the library with these, in $work/stage
stage() {
	now="$own $*"
	stage=$work/stage
	header=$stage/include/linux/numa_policy.h
	rm -rf "$stage"
	mkdir "$stage"
	(cd "$lib" && cp --parents -R kernel include lib fs tools/numa_policy/shim "$stage")
	missing=''
	for p in $policies; do
		has "$p" && continue
		rm "$stage/$P/$p.c"
		missing="$missing $(echo "$p" | tr a-z A-Z)"
	done
	options='' state=$stage/include/linux/numa_policy_state.h
	if ! has pid_history; then
		missing="$missing HISTORY WINDOWS"
		options=-UCONFIG_NUMA_POLICY_WINDOWS
		edit "$state" sed '/^ \* define NUMA_POLICY_WINDOWS/s/, 2 to 8$//
			/^ \*$/{N;/\n \* CONFIG_NUMA_POLICY_WINDOWS;/d;}'
		edit "$header" sed '/^\/\* Four windows and the rest/,/^$/d'
	fi
	has hot_shared || missing="$missing SHARED_THRESHOLD"
	drop=
	if ! has boot; then
		rm "$stage/$P/core.c" "$stage/$P/in_force.h"
		edit "$header" sed '/^\/\* Bytes of a policy/,/^#define NUMA_POLICY_NAME_DEFAULT/d'
		options="$options -DNUMA_POLICY_ONLY_ONE -DNR_NUMA_POLICIES_BUILT=1"
	fi
	if ! has switch; then
		missing="$missing SWITCH DEBUGFS"
		options="$options -UCONFIG_NUMA_POLICY_SWITCH"
		rm "$stage/$P/switch.c" "$stage/$P/debugfs.c" "$stage/fs/proc/numa_scan_policy.c"
		drop="$drop include/linux/sched/signal.h kernel/fork.c fs/proc/base.c fs/proc/internal.h fs/proc/Makefile"
	fi
	if ! has stats; then
		missing="$missing STATS"
		options="$options -UCONFIG_NUMA_POLICY_STATS -UNUMA_POLICY_DECISION_ONLY"
		rm "$stage/$P/stats.c" "$stage/$P/stats.h" "$stage/$P/shadow.c"
		edit "$stage/$P/fair.h" without_function numa_policy_scanned
	fi
	if ! has trace; then
		missing="$missing TRACE"
		options="$options -UCONFIG_NUMA_POLICY_TRACE"
		rm "$stage/include/trace/events/numa_policy.h"
		edit "$state" without_function numa_policy_trace_access
		edit "$state" sed '/^struct vm_area_struct;$/{N;d;}'
	fi
	if ! has kunit; then
		rm -r "$stage/lib/kunit/numa_policy" "$stage/$P/.kunitconfig" "$stage/$P/kunit.c" \
			"$stage/$P/kunit.h"
		options="$options -DCONFIG_NUMA_BALANCING=1 -UCONFIG_NUMA_POLICY_KUNIT_TEST -UCONFIG_NUMA_POLICY_KUNIT_TEST_MODULE"
		edit "$header" without_function numa_policy_age
		edit "$header" sed '/Not there in kernels without a scan loop/d'
		edit "$stage/$P/Kconfig" sed '/^# The tests need the policies only/d; s/ || NUMA_POLICY_KUNIT_TEST$//'
		drop="$drop lib/kunit/Makefile lib/kunit/Kconfig"
	fi

	# Options.
	if [ -n "$options" ]; then
		find "$stage/kernel" "$stage/include" -name '*.[ch]' | while read -r f; do
			# shellcheck disable=SC2086
			unifdef $options -o "$f" "$f" || [ $? -eq 1 ]
		done
	fi
	if ! has stats; then
		edit "$stage/$P/in_force.h" without_function numa_policy_shadowed
		edit "$stage/$P/rules.h" sed '/NUMA_POLICY_DECISION_ONLY,$/{s/ With NUMA_POLICY_DECISION_ONLY,$//;n;d;}'
		edit "$stage/$P/fair.h" sed '/^ \* @counts:/d; /^ \* @reason:/d'
		without_decide "$header" "$stage/$P/policies.h" "$stage/$P/rules.h"
	fi
	if has stats && ! has trace; then
		looking_on '#ifdef CONFIG_NUMA_POLICY_STATS'
		for f in core.c fair.h in_force.h; do
			edit "$stage/$P/$f" sed 's/^#if defined(CONFIG_NUMA_POLICY_TRACE) || defined(\(CONFIG_NUMA_POLICY_STATS\))$/#ifdef \1/'
		done
	elif has trace && ! has kunit; then
		looking_on '#if defined(CONFIG_NUMA_POLICY_TRACE) || defined(CONFIG_NUMA_POLICY_STATS)'
	fi
	edit "$stage/$P/Kconfig" kconfig "$(has boot && echo 1 || true)"

	# Objects and headers that are not there yet.
	edit "$stage/$P/Makefile" awk -v dir="$stage/$P" '
		/\+= / { file = $NF; sub(/o$/, "c", file); if (system("test -e " dir "/" file)) next } { print }'
	find "$stage/$P" -name '*.[ch]' | while read -r f; do
		edit "$f" awk -v dir="$stage/$P" '
			/^#include "/ { file = $2; gsub(/"/, "", file); if (system("test -e " dir "/" file)) next } { print }'
	done

	# What is left out leaves the blank lines of both sides.
	find "$stage/kernel" "$stage/include" -name '*.[ch]' | while read -r f; do
		edit "$f" cat -s
	done

	# Rules and reasons that nobody has.
	edit "$stage/$P/policies.h" table "X\\(($(echo ${missing:-NONE} | tr ' ' '|')),"
	for rule in $(sed -n 's/^static inline .* \(numa_rule_[a-z_]*\)(.*/\1/p' "$stage/$P/rules.h"); do
		cat "$stage/$P"/*.c | grep -q "$rule(" ||
			edit "$stage/$P/rules.h" without_function "$rule"
	done
	for reason in $(sed -n 's/^\tX(\([A-Z_]*\),.*/\1/p' "$header"); do
		[ "$reason" != SKIP ] || continue
		cat "$stage/$P"/*.c "$stage/$P/rules.h" | grep -q "return NUMA_POLICY_$reason;" && continue
		edit "$header" sed "/^ \\* @NUMA_POLICY_$reason:/d; /^\\tNUMA_POLICY_$reason,/d"
		edit "$header" table "X\\($reason,"
	done

	has stats || edit "$header" sed '/^\/\* How traces and tools spell the reasons/,/^$/d'

	edit "$stage/tools/numa_policy/shim/hooks" hooks "$drop " "$(has stats && echo 1 || true)" \
		"$(has trace && echo 1 || true)"
}

# ---- what is not code ----

# The entry of a boot parameter goes behind that of numa_balancing=.
parameters() {
	awk -v entry="$here/kernel-parameters.txt" '
		/^\tnuma_balancing=/ { on = 1 }
		on && /^$/ {
			print
			while ((getline line <entry) > 0)
				print line
			on = 0
			done = 1
			next
		}
		{ print }
		END { exit !done }'
}

# The page goes into the list of the scheduler's pages, behind the last that has the usual name.
index_page() {
	awk -f "$here/index-page.awk"
}

# Sections are sorted by their titles.
maintainers() {
	who=$(plainly git log -1 --format='%an <%ae>') awk -v entry="$here/MAINTAINERS" '
		function insert(	line, n) {
			while ((getline line <entry) > 0) {
				if (line ~ /^#/)
					continue
				print line
				if (!n++)
					print "M:\t" ENVIRON["who"]
			}
			print ""
			done = 1
		}
		FNR == 1 { while ((getline title <entry) > 0 && title ~ /^#/); close(entry) }
		/^Maintainers List/ { list = 1 }
		list && !done && blank && /^[A-Z0-9]/ && $0 !~ /^[A-Z]:/ && $0 > title { insert() }
		{ blank = /^$/; print }
		END { exit !done }'
}

documents() {
	if has doc; then
		cp "$lib/Documentation/scheduler/numa-scan-policy.rst" Documentation/scheduler
		edit Documentation/scheduler/index.rst index_page ||
			die "$ksrc/Documentation/scheduler/index.rst: no list of pages found (toctree::)"
		edit Documentation/admin-guide/kernel-parameters.txt parameters ||
			die "$ksrc/Documentation/admin-guide/kernel-parameters.txt: no entry numa_balancing= found"
	fi
	if has maintainers; then
		edit MAINTAINERS maintainers ||
			die "$ksrc/MAINTAINERS: no sorted list of sections found"
	fi
}

# ---- patches ----

# message STEP: subject and text; of a policy without, what the table says of it
message() {
	text=$(awk -v step="$1" -v own="$own" '
		/^#/ { next }
		/^(patch|policy|policies)( |$)/ { on = $2 == step && NF == 2; next }
		on { gsub(/@POLICY@/, own); print }' "$here/messages" | sed '/./,$!d')
	[ -n "$text" ] || text=$(sed -n "s/^\tX([A-Z0-9_]*, $1, \"\(.*\)\").*/sched\/numa: scan policy $1: \1/p" \
		"$lib/$P/policies.h")
	[ -z "$text" ] || echo "$text"
}

repo=$work/repo
mkdir "$repo"
cd "$repo"
plainly git init -q --template= --initial-branch=series .
plainly git config user.name "$name"
plainly git config user.email "$email"
plainly git config core.excludesFile /dev/null
plainly git config core.attributesFile /dev/null
cp -R "$work/base/." .
plainly git add -A -f
version=$(sed -n 's/^\(VERSION\|PATCHLEVEL\|SUBLEVEL\|EXTRAVERSION\) *= *//p' "$ksrc/Makefile" | paste -sd . |
	sed 's/\.$//; s/\.-/-/')
plainly git commit -q -m "$version"
plainly git tag base

done=
for step in $steps; do
	done="$done $step"
	# shellcheck disable=SC2086
	stage $done
	find . -mindepth 1 -maxdepth 1 ! -name .git -exec rm -rf {} +
	cp -R "$work/base/." .
	"$tool" apply --lib "$work/stage" . >"$work/apply.log" 2>&1 || {
		cat "$work/apply.log" >&2
		die "step $step: the library as of this patch does not apply, see above"
	}
	rm -r .numa_policy
	documents
	message "$step" >"$work/message"
	[ -s "$work/message" ] || die "$here/messages: nothing on $step"
	plainly git add -A -f
	plainly git commit -q -s -F "$work/message"
done

plainly xargs -d '\n' git format-patch -q --abbrev=12 --cover-letter --numbered --subject-prefix="$prefix" -o "$work/new" base \
	<"$work/headers"
cover=$work/new/0000-cover-letter.patch
{
	cat "$here/cover"
	echo
	echo "Made for $version."
	commit=
	if [ -e "$ksrc/.git" ] && commit=$(git -C "$ksrc" rev-parse HEAD 2>/dev/null); then
		# shellcheck disable=SC2086,SC2046
		dirty=$(git -C "$ksrc" status --porcelain -uno -- $(cat "$work/files") $documents | sed 's/^...//' | paste -sd ' ')
		if [ -n "$dirty" ]; then
			echo "This is for commit $commit with further changes to"
			echo "$dirty."
			commit=
			echo "series.sh: KSRC=$ksrc: has uncommitted changes that the series stands on: $dirty" >&2
		fi
	fi
	echo
	echo "Evidence"
	echo "========"
	echo
	if [ -n "$results" ]; then
		"$tool" report "$results" --format lkml ||
			die "RESULTS=$results: no comparison that can be printed, see above"
	else
		echo "No results were given for this series (RESULTS=DIR of make patches)."
	fi
	[ -z "$commit" ] || printf '\nbase-commit: %s\n' "$commit"
} >"$work/blurb"
# The author as the patches have him, whose headers are encoded.
from=$(sed -n '/^From: /,/^[^ F]/{/^From: /p;/^ /p}' "$work"/new/0001-*.patch)
mime=
! grep -q '[^ -~	]' "$work/blurb" || mime='MIME-Version: 1.0
Content-Type: text/plain; charset=UTF-8
Content-Transfer-Encoding: 8bit'
from=$from mime=$mime awk -v blurb="$work/blurb" '
	/^From: / && !from++ { print ENVIRON["from"]; next }
	/^(MIME-Version|Content-T[a-z-]*): / && ENVIRON["mime"] != "" { next }
	/^$/ && !header++ && ENVIRON["mime"] != "" { print ENVIRON["mime"] }
	/^Subject: / { sub(/\*\*\* SUBJECT HERE \*\*\*/, "sched/numa: scan policies") }
	/^\*\*\* BLURB HERE \*\*\*$/ { while ((getline line <blurb) > 0) print line; next }
	{ print }' "$cover" >"$work/cover"
mv "$work/cover" "$cover"

# Applied by git am, it is the same again.
plainly git checkout -q -b again base
plainly git am -q "$work"/new/000[1-9]*.patch "$work"/new/00[1-9]*.patch ||
	die "git am does not take the series, see above"
[ "$(git rev-parse again^{tree})" = "$(plainly git rev-parse @{-1}^{tree})" ] ||
	die "git am of the series leads to another tree"

# That is what apply makes, to the byte.
mkdir "$work/made"
plainly git archive --format=tar again | tar -xf - -C "$work/made"
for file in $(cat "$work/files"); do
	diff -r "$work/whole/$file" "$work/made/$file" >&2 ||
		die "$file: the series leads to another file than apply"
done

# The new ones are there before the old ones go.
mkdir -p "$out"
rm -rf "$out/.numa_policy.new"
mkdir "$out/.numa_policy.new"
cp "$work"/new/*.patch "$out/.numa_policy.new"
(cd "$out/.numa_policy.new" && sha256sum ./*.patch | sed 's, \./, ,' >"$work/list")
rm -f "$out"/[0-9][0-9][0-9][0-9]-*.patch
mv "$out"/.numa_policy.new/*.patch "$out"
cp "$work/list" "$list"
rmdir "$out/.numa_policy.new"
echo "A series for Linux $version in $ksrc:" >&2
ls "$out"/*.patch
