#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# cocci.sh TOP SOURCE DIR: the kernel's semantic patches find nothing in our files. As "make
# coccicheck MODE=report" runs them, but on these files only.
set -eu
. "$(dirname "$0")/lib.sh"

need spatch coccinelle
base=$source

own_files | grep '\.[ch]$' >"$dir/files"
(cd "$source" && find scripts/coccinelle -name '*.cocci' | sort | xargs grep -lw '^virtual report') >"$dir/rules"
check "there are semantic patches" [ "$(wc -l <"$dir/rules")" -gt 50 ]

# What coccicheck does with one of them; a process of its own, for xargs.
cat >"$dir/one.sh" <<'EOF'
cd "$1" || exit 1
rule=$2 out=$3/$(basename "$2" .cocci)
options=$(sed -n 's,^// Options: ,,p;s,^//# Options: ,,p' "$rule")
# shellcheck disable=SC2046,SC2086
spatch -D report --very-quiet --no-show-diff --cocci-file "$rule" $options -I include -I arch/x86/include \
	-I include/uapi $(cat "$3/files") >"$out.found" 2>"$out.err" || {
	echo "$rule: spatch failed: $(tail -n 1 "$out.err")" >>"$3/failures"
	:
}
EOF
rm -f "$dir"/*.found "$dir"/*.err
: >"$dir/failures"
xargs -P "$jobs" -n 1 sh -c 'sh "$2/one.sh" "$1" "$3" "$2"' sh "$source" "$dir" <"$dir/rules"
quiet() {
	[ ! -s "$1" ] || { cat "$1" >&2; return 1; }
}
check "spatch runs them all" quiet "$dir/failures"
for found in "$dir"/*.found; do
	sed -n "s,^\([^ :]*:[0-9]*\):[0-9-]*: \(.*\)$,\1: coccicheck/$(basename "$found" .found): \2,p" "$found"
done | sort -u >"$dir/coccicheck"
check "coccicheck: $(wc -l <"$dir/rules") semantic patches, $(wc -l <"$dir/files") files" \
	excepted coccicheck <"$dir/coccicheck"

finish
