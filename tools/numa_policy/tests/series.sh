#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# series.sh TOOL LIBRARY PRISTINE WORKDIR: what "make patches" writes, and what it refuses.
set -eu

tool=$(readlink -f "$1") lib=$(readlink -f "$2") pristine=$(readlink -f "$3") work=$4
. "$(dirname "$0")/lib.sh"

rm -rf "$work"
mkdir -p "$work"
work=$(readlink -f "$work")

export HOME="$work/home" GIT_CONFIG_NOSYSTEM=1 XDG_CONFIG_HOME="$work/home"
mkdir "$work/home" "$work/results"
git config --global user.name 'A Tester'
git config --global user.email tester@example.org
# Not the repository that this may be a part of.
cd "$work"
git init -q .

# series TREE OUT [RESULTS]
series() {
	"$lib/tools/numa_policy/series.sh" "$tool" "$lib" "$1" "$2" "$work/tmp" "${3-}" >"$work/log" 2>&1
}
said() { grep -q -- "$1" "$work/log" || { sed 's/^/# /' "$work/log"; return 1; }; }
count() { ls "$1" | wc -l; }

check "a series is written" series "$pristine" "$work/out"
n=$(count "$work/out")
check "it has a cover letter and a patch for each step" [ "$n" -eq 15 ]
subject() { sed -n 's/^Subject: \[PATCH //p' "$work/out/$1"-*.patch; }
check "numbered" [ "$(subject 0001 | cut -d' ' -f1)" = "01/14]" ]
of_all() { [ "$(grep -lx "$1" "$work/out"/00*.patch | wc -l)" -eq "$2" ]; }
check "signed off by the user" of_all 'Signed-off-by: A Tester <tester@example.org>' 14
check "and from the user" of_all 'From: A Tester <tester@example.org>' 15
cover() { grep -q -- "$1" "$work/out"/0000-*.patch; }
check "the cover letter says for which kernel" cover "^Made for $(make -s -C "$pristine" kernelversion 2>/dev/null ||
	sed -n 's/^\(VERSION\|PATCHLEVEL\|SUBLEVEL\) *= *//p' "$pristine/Makefile" | paste -sd.)"
check "and that there are no results" cover '^No results were given'
refuse "there is no placeholder left" cover '\*\*\*'

# Each policy is a patch of its own that brings its file, its options, and what it is made of.
for p in always mm_seq vma_seq hot_shared pid_history; do
	patch=$(grep -l "^Subject: .*scan policy $p:" "$work/out"/*.patch)
	check "$p: its patch brings its file" grep -q "^+++ b/kernel/sched/numa_policy/$p.c" "$patch"
	sym=$(echo "$p" | tr a-z A-Z)
	check "$p: and its options" [ "$(grep -c "^+config NUMA_POLICY_\(DEFAULT_\)\?$sym\$" "$patch")" -eq 2 ]
	before=$(ls "$work/out"/*.patch | awk -v p="$patch" '$0 == p { exit } !/0000-/')
	# shellcheck disable=SC2086
	refuse "$p: nothing before speaks of it" sh -c 'cat "$@" | grep "^+.*NUMA_POLICY_$0\>"' "$sym" $before
done
before() { # PATCH-WITH-THIS-SUBJECT PATTERN: added by an earlier patch?
	for f in "$work/out"/00*.patch; do
		case $f in */0000-*) continue ;; esac
		grep -q "^Subject: .*$1" "$f" && return 1
		grep "^+.*$2" "$f" && return 0
	done
	return 1
}
refuse "nothing of switching before its patch" before 'policy of a running' 'CONFIG_NUMA_POLICY_SWITCH'
refuse "nor of counting" before 'count scan policies' \
	'config NUMA_POLICY_STATS\|numa_policy_scanned\|NUMA_POLICY_REASON_TEXTS\|(\*decide)(\|NUMA_POLICY_DECIDE('
refuse "nor of tracing" before 'trace events' 'config NUMA_POLICY_TRACE\|numa_policy_trace_access'
refuse "nor of choosing at boot" before 'policy at boot' 'core_param\|numa_scan_policy=\|NUMA_POLICY_NAME_MAX'
refuse "nor of the tests" before 'scripted histories' 'numa_policy_age(\|KUNIT\|numa_policies_tested'
# A symbol, in the tree as of a patch, is one of that tree's Kconfig.
before_their_time() {
	for commit in $(git -C "$work/tmp/repo" rev-list --reverse base..series); do
		git -C "$work/tmp/repo" grep -hE '^config NUMA_POLICY_' "$commit" | sed 's/config /CONFIG_/' >"$work/symbols"
		git -C "$work/tmp/repo" grep -noE 'CONFIG_NUMA_POLICY_[A-Z0-9_]*[A-Z0-9]\b' "$commit" -- '*.[ch]' '*/Makefile' |
			sed 's/_MODULE$//' | grep -vwF -f "$work/symbols"
	done
	return 1
}
check "symbols were looked for" test "$(git -C "$work/tmp/repo" rev-list --count base..series)" -ge 14
before_their_time | head -n 3 >"$work/early"
check "no option is named before there is one: $(cat "$work/early")" test ! -s "$work/early"
two_blank() { awk '/^\+$/ { if (blank) { print FILENAME; exit } blank = 1; next } { blank = 0 }' "$@" | grep .; }
refuse "no patch adds two blank lines to code" two_blank "$work"/out/000[1-9]*.patch "$work"/out/001[0-2]*.patch

# The tree that it leads to is what apply makes.
cp -R "$pristine" "$work/applied"
"$tool" apply --lib "$lib" "$work/applied" >/dev/null
rm -r "$work/applied/.numa_policy"
cp -R "$pristine" "$work/am"
(
	cd "$work/am"
	git init -q .
	git add -A
	git commit -q -m base
	git am -q "$work/out"/000[1-9]*.patch "$work/out"/001*.patch
) >"$work/log" 2>&1 || sed 's/^/# /' "$work/log"
rm -rf "$work/am/.git"
differ() { diff -qr "$work/applied" "$work/am" | grep -vE 'Documentation|MAINTAINERS'; }
refuse "git am leads to the tree that apply makes" differ
check "with the page" cmp -s "$lib/Documentation/scheduler/numa-scan-policy.rst" \
	"$work/am/Documentation/scheduler/numa-scan-policy.rst"
check "in its list" grep -q '^ *numa-scan-policy$' "$work/am/Documentation/scheduler/index.rst"
check "the parameter" grep -q '^	numa_scan_policy=' "$work/am/Documentation/admin-guide/kernel-parameters.txt"
check "and the maintainer" grep -q '^M:	A Tester <tester@example.org>$' "$work/am/MAINTAINERS"
titles() { sed -n '/^3C59X/,$p' "$work/am/MAINTAINERS" | awk 'blank && /^NU/ { print } { blank = /^$/ }'; }
check "at its place" [ "$(titles | grep -A1 -x 'NUBUS SUBSYSTEM')" = "NUBUS SUBSYSTEM
NUMA BALANCING SCAN POLICIES" ]

# A tree that decides without the rule for VMAs not scanned for a while begins with pids_active.
cp -R "$pristine" "$work/old"
awk '/if \(READ_ONCE\(mm->numa_scan_seq\) >$/ { getline; getline; next } { print }' \
	"$pristine/kernel/sched/fair.c" >"$work/old/kernel/sched/fair.c"
check "a series for a tree without the newest rule" series "$work/old" "$work/older"
check "begins with pids_active" grep -q '^+++ b/kernel/sched/numa_policy/pids_active.c' "$work"/older/0001-*.patch
check "and brings seq_delta later" grep -lq '^Subject: .*scan policy seq_delta:' "$work"/older/00*.patch

# Whatever a user's git is set to, and whichever repository it is that a hook is called for: the same.
mkdir "$work/hooks" "$work/victim"
printf '#!/bin/sh\necho "Change-Id: I1" >>"$1"\n' >"$work/hooks/commit-msg"
chmod +x "$work/hooks/commit-msg"
printf 'lib/\n.*\n' >"$work/home/ignore"
printf '* text eol=crlf export-ignore\n' >"$work/home/attributes"
(cd "$work/victim" && git init -q . && git commit -q --allow-empty -m 'what was there')
victim() { (cd "$work/victim" && git log --format=%s && git branch && cat .git/config) | cksum; }
untouched=$(victim)
cp "$work/home/.gitconfig" "$work/home/simple"
cat >>"$work/home/.gitconfig" <<EOF
[core]
	excludesFile = $work/home/ignore
	attributesFile = $work/home/attributes
	hooksPath = $work/hooks
	autocrlf = true
[format]
	suffix = .txt
	attach = x
	useAutoBase = true
	signature = mine
[init]
	defaultBranch = again
[commit]
	gpgSign = true
[tag]
	gpgSign = true
[diff]
	noprefix = true
	orderFile = $work/nowhere
[color]
	ui = always
[i18n]
	commitEncoding = ISO-8859-1
EOF
hostile() {
	(
		cd "$work"
		GIT_DIR=$work/victim/.git GIT_INDEX_FILE=$work/victim/.git/index GIT_AUTHOR_NAME=Other
		export GIT_DIR GIT_INDEX_FILE GIT_AUTHOR_NAME
		series "$pristine" relative
	)
}
dateless() { cat "$1"/00*.patch | grep -vE '^(From [0-9a-f]{40}|Date:) '; }
check "a series is written beside any configuration" hostile
cp "$work/home/simple" "$work/home/.gitconfig"
check "into a directory whose name is relative" [ "$(count "$work/relative")" -eq 15 ]
check "it is the same series" [ "$(dateless "$work/relative" | cksum)" = "$(dateless "$work/out" | cksum)" ]
check "another repository is left alone" [ "$(victim)" = "$untouched" ]

# What a user says of patches is done.
git config --global format.subjectPrefix 'PATCH RFC'
git config --global format.to list@example.org
git config --global user.name 'Jörg "B\x" Ünïcode'
check "a series with another prefix, to somebody, from a name in UTF-8" series "$pristine" "$work/named"
check "the prefix" grep -q '^Subject: \[PATCH RFC 00/14\]' "$work"/named/0000-*.patch
check "whom to" [ "$(grep -lx 'To: list@example.org' "$work"/named/*.patch | wc -l)" -eq 15 ]
headers() { sed '/^$/q' "$work"/named/*.patch; }
refuse "no header is raw UTF-8" eval "headers | LC_ALL=C grep '[^ -~	]'"
check "the maintainer is" grep -qF 'Jörg "B\x" Ünïcode <tester@example.org>' "$work"/named/0014-*.patch
cp "$work/home/simple" "$work/home/.gitconfig"

# Results become the cover letter's evidence.
mkdir "$work/good"
"$lib/tools/numa_policy/tests/report-fixture.sh" 3 >"$work/good/results.json"
check "a series with results" series "$pristine" "$work/shown" "$work/good"
"$tool" report "$work/good" --format lkml >"$work/lkml"
shows() { awk 'NR == FNR { want[++n] = $0; next } k < n && $0 == want[k + 1] { k++ } END { exit !(n > 20 && k == n) }' \
	"$work/lkml" "$work"/shown/0000-*.patch; }
check "the cover letter has them all" shows
refuse "and does not say that there are none" grep -q 'No results' "$work"/shown/0000-*.patch

# Where it goes may hold what is not a series' own, or is no longer.
mkdir "$work/mine"
echo mine >"$work/mine/0001-my-own-work.patch"
refuse "a directory with other patches" series "$pristine" "$work/mine"
check "is named" said "PATCHES=$work/mine: 0001-my-own-work.patch in it is not of an earlier series"
check "and left alone" [ "$(cat "$work"/mine/*)" = mine ]
echo 'Hello,' >>"$(ls "$work"/shown/0000-*.patch)"
refuse "a cover letter that was edited" series "$pristine" "$work/shown"
check "is named, too" said "0000-cover-letter.patch in it was altered"
check "and left alone, too" grep -q '^Hello,$' "$work"/shown/0000-*.patch
check "an earlier series is replaced" series "$work/old" "$work/out"
check "by this one" [ "$(count "$work/out")" -eq 15 -a \
	-n "$(grep -l '^+++ b/kernel/sched/numa_policy/pids_active.c' "$work"/out/0001-*.patch)" ]

# A git tree, clean and not.
cp -R "$pristine" "$work/tree"
(cd "$work/tree" && git init -q . && git add -A && git commit -q -m tree)
commit=$(git -C "$work/tree" rev-parse HEAD)
check "a series for a git tree" series "$work/tree" "$work/clean"
check "is based on its commit" grep -qx "base-commit: $commit" "$work"/clean/0000-*.patch
check "which stands at the end" [ "$(grep -A1 '^base-commit' "$work"/clean/0000-*.patch | wc -l)" -eq 2 ]
check "it says for which tree it is" said "A series for Linux .* in $work/tree:"
check "blobs have the kernel's length" grep -qE '^index [0-9a-f]{12}\.\.[0-9a-f]{12} 100644$' "$work"/clean/0001-*.patch
echo 'obj-y += foo.o' >>"$work/tree/kernel/sched/Makefile"
check "a series for a git tree with changes" series "$work/tree" "$work/dirty"
refuse "is not" grep -q '^base-commit' "$work"/dirty/0000-*.patch
check "and says what it is based on" grep -A1 -x "This is for commit $commit with further changes to" "$work"/dirty/0000-*.patch
check "aloud" said 'uncommitted changes that the series stands on: kernel/sched/Makefile'

# Refusals.
cp -R "$pristine" "$work/linked"
mv "$work/linked/kernel/sched/Makefile" "$work/linked/kernel/sched/Makefile.real"
ln -s Makefile.real "$work/linked/kernel/sched/Makefile"
refuse "a tree with a symbolic link" series "$work/linked" "$work/out"
check "is refused with the link" said 'kernel/sched/Makefile: a symbolic link'
had=$(ls "$work/out" | cksum)
: >"$work/home/.gitconfig"
rm -rf "$work/.git"
refuse "without an identity it stops" series "$pristine" "$work/out"
check "and says so" said 'no user.name in git.s configuration'
git config --global user.name 'A Tester'
refuse "nor without an address" series "$pristine" "$work/out"
check "of which it speaks" said 'no user.email in git.s configuration'
git config --global user.email tester@example.org
refuse "a directory that is no kernel" series "$work/home" "$work/out"
check "is named" said "KSRC=$work/home: not a kernel source"
refuse "results that are not there" series "$pristine" "$work/out" "$work/nowhere"
check "are named" said "RESULTS=$work/nowhere: no such directory"
refuse "a directory without results" series "$pristine" "$work/out" "$work/results"
check "is, too" said "RESULTS=$work/results: there is no results.json in it"
cp -R "$pristine" "$work/has"
"$tool" apply --lib "$lib" "$work/has" >/dev/null
refuse "a tree with the library" series "$work/has" "$work/out"
check "is told how to be without it" said "make unapply KSRC=$work/has"
refuse "a tree that git am put a series into" series "$work/am" "$work/out"
check "is told to go back" said 'has kernel/sched/numa_policy, so a part of a series already'
cp -R "$pristine" "$work/altered"
sed -i 's/mm->numa_scan_seq < 2/mm->numa_scan_seq < 3/; s/start_scan_seq) < 2/start_scan_seq) < 3/' \
	"$work/altered/kernel/sched/fair.c"
refuse "a tree that the library does not know" series "$work/altered" "$work/out"
check "is refused with the place" said 'kernel/sched/fair.c'
check "what was written before is still there" [ "$(ls "$work/out" | cksum)" = "$had" ]

finish
