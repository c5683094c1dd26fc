#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# coverage.sh WORKDIR HISTORIES: how much of the policies the histories run through.
#
# WORKDIR has players of the histories that were compiled with --coverage, each in a directory of
# its own, with the notes of the compiler beside it. What counts is what was run by any of them.
# To be run from the top of the repository.
set -eu

work=$(readlink -f "$1") histories=$(readlink -f "$2")
tests=$(readlink -f "$(dirname "$0")")
top=$PWD

for dir in "$work"/*/; do
	(
		cd "$dir"
		rm -f ./*.gcda ./*.gcov.json.gz
		"$tests/exec.sh" ./player "$histories" >player.log || {
			grep '^not ok' player.log >&2
			echo "coverage.sh: $dir: the histories do not pass" >&2
			exit 1
		}
		gcov --json-format --branch-probabilities ./*.gcda >/dev/null
	)
done

# One record for each line: how often it ran, and how often each of its branches was taken.
zcat "$work"/*/*.gcov.json.gz | jq -rn --arg top "$top/" '
	[inputs | .files[] | (.file | sub("^\($top)"; "") | until(contains("/../") | not; sub("[^/]+/\\.\\./"; ""))) as $file |
	 select($file | test("^(kernel/sched/numa_policy/|include/linux/numa_policy)")) |
	 .lines[] | { key: "\($file):\(.line_number)", file: $file, line: .line_number,
		      function: .function_name, count, branches: [.branches[].count] }] |
	group_by(.key) | map({ file: .[0].file, line: .[0].line, function: .[0].function,
			       count: (map(.count) | add),
			       branches: (map(.branches) | transpose | map(map(. // 0) | add)) })
	| .[] | [.file, .line, (.function // "-"), .count, (.branches | length),
		 (.branches | map(select(. > 0)) | length)] | @tsv' | sort -t"	" -k1,1 -k2,2n >"$work/lines"

awk -F'\t' '
function source(file, line,	text, n) {
	while ((getline text < file) > 0)
		if (++n == line)
			break
	close(file)
	gsub(/^[ \t]+/, "", text)
	return text
}
{
	if ($1 != last)
		name[++n] = last = $1
	lines[$1]++
	ran[$1] += $4 > 0
	branches[$1] += $5
	taken[$1] += $6
	if (!$4)
		print $1 ":" $2 ": not run: " source($1, $2)
	else if ($6 < $5)
		print $1 ":" $2 ": " $5 - $6 " of " $5 " branches not taken: " source($1, $2)
}
END {
	printf "%-42s %12s %12s\n", "", "lines", "branches"
	for (i = 1; i <= n; i++) {
		f = name[i]
		printf "%-42s %5d of %3d %5d of %3d\n", f, ran[f], lines[f], taken[f], branches[f]
		if (ran[f] == lines[f] && taken[f] == branches[f])
			passed++
	}
	printf "%d passed, %d failed\n", passed, n - passed
	exit passed != n || !n
}' "$work/lines"
