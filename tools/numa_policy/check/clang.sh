#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# clang.sh TOP SOURCE DIR: clang builds our objects without a warning, and its analyzer finds nothing.
set -eu
. "$(dirname "$0")/lib.sh"

need clang clang
need ld.lld lld
obj=$dir/obj
make="LLVM=1"
# Objects of an earlier run would be taken for this one's.
rm -rf "$obj"
cc="${ccache}clang"

# analyze FILE.o: the compile command that make used, with the analyzer in place of code
analyze() {
	command=$(sed -n '1s/^[^:]*:= //p' "$obj/$(dirname "$1")/.$(basename "$1").cmd")
	command=$(echo "$command" | sed -e 's/ -c -o [^ ]*/ -o \/dev\/null/' -e 's/^ccache //' \
		-e 's/ -Wp,-MMD,[^ ]*//' -e 's/ ;.*//')
	(cd "$obj" && eval "$command --analyze -Xclang -analyzer-output=text") >"$dir/analyzed" 2>&1 || {
		tail -n 5 "$dir/analyzed" >&2
		return 1
	}
	grep -q . "$dir/analyzed" || return 0
	sed "s,^$source/,," "$dir/analyzed" | grep -E "$own [0-9]*:? ?(warning|error)|$own.*warning:" >"$dir/findings" ||
		return 0
	cat "$dir/findings" >&2
	return 1
}

for built in one all; do
	lines=$(guest_config)
	[ "$built" = one ] || lines="$lines
$(everything_on)"
	# shellcheck disable=SC2086
	check "$built: can be configured" configure "$obj" $lines
	# -Wextra is among the tree's own options; behind them it would undo what they turn off.
	check "$built: no warning with W=1" builds "$obj"
	(cd "$obj" && find kernel/sched/numa_policy lib/kunit/numa_policy kernel/sched/fair.o \
		fs/proc/numa_scan_policy.o -name '*.o' ! -name 'built-in*' ! -name '*_kunit.o' \
		2>/dev/null) | sort >"$dir/objects" || true
	while read -r object; do
		check "$built: the analyzer finds nothing in $object" analyze "$object"
	done <"$dir/objects"
done

finish
