#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# style.sh TOP SOURCE DIR: checkpatch.pl and kernel-doc on all files of ours.
set -eu
. "$(dirname "$0")/lib.sh"

need perl perl

# checkpatch: what it says about the files on standard input, in the exceptions' form
checkpatch() {
	rm -f "$dir"/said.*
	# It ends with 1 if it has something to say, with more if it cannot work.
	xargs -P "$jobs" -n 8 sh -c 'out=$1 && shift && perl "$@" >"$out.$$" || [ $? -eq 1 ]' sh "$dir/said" \
		"$source/scripts/checkpatch.pl" --strict --no-tree --no-summary --show-types --terse \
		--max-line-length=100 -f || touch "$dir/failed"
	cat "$dir"/said.* | findings
}

cd "$top"
own_files | grep -E '\.[ch]$|Kconfig$|Makefile$' >"$dir/kernel-files"
find tools/numa_policy .ci Kconfig -name '*.[ch]' -o -name '*.sh' -o -path .ci/run -o -name Kconfig |
	sort >"$dir/tool-files"
check "checkpatch.pl --strict is there" [ -r "$source/scripts/checkpatch.pl" ]
rm -f "$dir/failed"
cat "$dir/kernel-files" "$dir/tool-files" | checkpatch | sort >"$dir/checkpatch"
check "checkpatch.pl looked at them" [ -s "$dir/checkpatch" -a ! -e "$dir/failed" ]
check "checkpatch.pl --strict: $(wc -l <"$dir/kernel-files") kernel and $(wc -l <"$dir/tool-files") tool files" \
	excepted checkpatch <"$dir/checkpatch"

# Complaints of kernel-doc are warnings also with -Werror, so all that it says counts.
kernel_doc() {
	(cd "$source" && scripts/kernel-doc -none -Wall "$1" 2>&1) >"$dir/doc" || true
	[ ! -s "$dir/doc" ] || {
		cat "$dir/doc" >&2
		return 1
	}
}
for file in $(grep '\.[ch]$' "$dir/kernel-files"); do
	check "kernel-doc: $file" kernel_doc "$file"
done

finish
