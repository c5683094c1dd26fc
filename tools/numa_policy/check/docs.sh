#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# docs.sh TOP SOURCE DIR: "make htmldocs" has nothing to say about our page, nor about the kernel-doc
# that it takes from the sources. The page goes into a copy of the tree.
set -eu
. "$(dirname "$0")/lib.sh"

page=Documentation/scheduler/numa-scan-policy.rst
need sphinx-build python3-sphinx
check "there is a page" [ -f "$top/$page" ]

# What is put in is a new file each, as the copy's files are the source's own.
tree() {
	rm -rf "$dir/tree"
	mkdir -p "$dir/tree"
	(cd "$source" && cp -al Documentation scripts Makefile Kbuild Kconfig include kernel lib fs mm arch \
		tools init "$dir/tree") || return 1
	cp "$top/$page" "$dir/tree/$page"
	index=$dir/tree/Documentation/scheduler/index.rst
	awk -f "$top/tools/numa_policy/series/index-page.awk" "$index" >"$index.new" && mv "$index.new" "$index"
}
check "the page can be put into a tree's index" tree
rm -rf "$dir/obj" "$dir/log"
htmldocs() {
	make -C "$dir/tree" O="$dir/obj" SPHINXDIRS=scheduler htmldocs >"$dir/log" 2>&1 || why "$dir"
}
check "make htmldocs runs" htmldocs
check "make htmldocs wrote the page" [ -s "$dir/obj/Documentation/output/scheduler/numa-scan-policy.html" ]
# All lines but those of other files' warnings.
ours() {
	! grep -E 'numa[-_](scan[-_])?policy.*(WARNING|ERROR|warning|error)' "$dir/log" >&2
}
check "make htmldocs: nothing about us" ours

finish
