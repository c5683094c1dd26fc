#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# objects.sh TOP SOURCE DIR TOOL: our objects with everything on, by the compiler's warnings and by
# sparse.
set -eu
tool=$(readlink -f "$4")
. "$(dirname "$0")/lib.sh"

need sparse sparse
obj=$dir/every

# inserted: the lines that we have in files of the kernel, as FILE:LINE
inserted() {
	rm -rf "$dir/plain"
	mkdir -p "$dir/plain"
	{
		"$tool" apply --lib "$top" --list-files
		printf '%s\n' .numa_policy/record Makefile Kbuild
	} | sed "\\,^$,d" | (cd "$source" && tar -cf - -T -) | tar -xf - -C "$dir/plain"
	"$tool" unapply "$dir/plain" >/dev/null
	"$tool" apply --lib "$top" --list-files | while read -r file; do
		[ ! -f "$dir/plain/$file" ] || { diff "$dir/plain/$file" "$source/$file" || true; } |
			sed -n 's/^[0-9,]*[ac]\([0-9,]*\)$/\1/p' | awk -F, -v file="$file" '
				{ for (i = $1; i <= ($2 ? $2 : $1); i++) print file ":" i ":" }'
	done
}

# sparse_silent: sparse has nothing to say about our files, nor about our lines in others
sparse_silent() {
	sed "s,^$source/,," "$obj/log" | grep -E ':[0-9]+:[0-9]+: (warning|error):' >"$dir/sparse" || true
	{ grep -E "$own" "$dir/sparse"; grep -F -f "$dir/inserted" "$dir/sparse"; } | sort -u >"$dir/sparse-ours"
	[ ! -s "$dir/sparse-ours" ] || {
		cat "$dir/sparse-ours" >&2
		return 1
	}
}

# shellcheck disable=SC2046
check "everything on: can be configured" configure "$obj" $(guest_config) $(everything_on)
check "everything on: no warning with W=1 -Wextra" builds "$obj" KCFLAGS=-Wextra mm/memory.o
inserted >"$dir/inserted"
check "our lines in files of the kernel are known" [ -s "$dir/inserted" ]
: >"$obj/log"
# C=2 runs sparse whether or not there is something to compile. Not in the compile before, whose
# warnings must not be mixed with sparse's on foreign code.
# shellcheck disable=SC2046
check "everything on: sparse runs" kmake "$obj" C=2 W=1 KCFLAGS=-Wextra $(own_objects "$obj") mm/memory.o
check "sparse looked at every object" \
	[ "$(grep -c '^  CHECK ' "$obj/log")" -ge "$(find "$obj/kernel/sched/numa_policy" -name '[a-z]*.o' ! -name built-in.o | wc -l)" ]
check "sparse: nothing from us" sparse_silent

finish
