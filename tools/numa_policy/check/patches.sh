#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# patches.sh TOP SOURCE DIR TOOL: checkpatch.pl on every patch of the series.
set -eu
. "$(dirname "$0")/lib.sh"
tool=$(readlink -f "$1")

need perl perl
need git git
need unifdef unifdef

# The series is made of a tree's own files; who sends it does not matter here.
export HOME="$dir/home" GIT_CONFIG_NOSYSTEM=1 XDG_CONFIG_HOME="$dir/home"
mkdir -p "$HOME"
git config --global user.name 'Nobody'
git config --global user.email nobody@example.org

series() {
	# What an earlier run left must not be checked in its place.
	rm -rf "$dir/patches"
	"$tools/kernel.sh" plain "$tool" "$source" "$dir/plain" >"$dir/log" 2>&1 &&
		"$tools/series.sh" "$tool" "$top" "$dir/plain" "$dir/patches" "$dir/series" >>"$dir/log" 2>&1 &&
		return
	tail -n 5 "$dir/log" >&2
	return 1
}

# checked PATCH: nothing but what is excepted. Findings are about the files as of this patch, or have no
# file, as those about its message. Commits that this cites are mainline's, which no repository here has.
checked() {
	git -C "$dir/series/repo" checkout -q "$commit" || return
	base=$dir/series/repo
	GIT_DIR=$dir/none perl "$source/scripts/checkpatch.pl" --strict --no-tree --no-summary --show-types \
		--terse --showfile --max-line-length=100 "$1" >"$dir/said" 2>"$dir/errors" || [ $? -eq 1 ] || {
		tail -n 3 "$dir/errors" >&2
		return 1
	}
	sed 's,^:,message:,' "$dir/said" | findings |
		sed '/^message:/s,: checkpatch/,: patches/,; s,: checkpatch/FILE_PATH,: patches/FILE_PATH,' >"$dir/findings"
	grep -v ': checkpatch/' "$dir/findings" >>"$dir/on-patches"
	grep ': checkpatch/' "$dir/findings" | lenient=1 excepted checkpatch
}

check "a series can be made" series

: >"$dir/on-patches"
commits=$(git -C "$dir/series/repo" rev-list --reverse base..again 2>/dev/null)
set -- $commits
for patch in "$dir"/patches/[0-9]*.patch; do
	case $patch in */0000-*) continue ;; esac
	commit=$1
	shift
	check "checkpatch.pl --strict: $(basename "$patch")" checked "$patch"
done
check "there was a patch for each commit" [ $# -eq 0 ]
check "checkpatch.pl on the series as patches" excepted patches <"$dir/on-patches"

finish
