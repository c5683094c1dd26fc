#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# scripts.sh TOP SOURCE DIR: shellcheck on our scripts. Not its notes, which are about style.
set -eu
. "$(dirname "$0")/lib.sh"

need shellcheck shellcheck

cd "$top"
# What is only sourced has no first line for a shell, and is looked at where it is sourced.
find tools/numa_policy -name '*.sh' -exec grep -l '^#!' {} + | sort >"$dir/scripts"
check "there are scripts" [ -s "$dir/scripts" ]
{ xargs -P "$jobs" -n 1 shellcheck -S warning -f gcc -x -P SCRIPTDIR <"$dir/scripts" 2>&1 || true; } |
	sed -n 's,^\([^:]*:[0-9]*\):[0-9]*: \([a-z]*: .*\) \[SC\([0-9]*\)\]$,\1: shellcheck/SC\3: \2,p' |
	sort -u >"$dir/shellcheck"
check "shellcheck: $(wc -l <"$dir/scripts") scripts" excepted shellcheck <"$dir/shellcheck"

finish
