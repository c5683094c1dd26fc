# SPDX-License-Identifier: GPL-2.0
#
# Sourced by what runs suites: counts their checks, and shows a suite's output whole if it fails.
#
# Suites print a line per check and close with "N passed, M failed"; one that ends without such a
# line counts as a failure. Logs are written to $work.

total_passed=0
total_failed=0
broken=

# suite_run NAME COMMAND...: what becomes of it is in files
suite_run() {
	name=$1
	shift
	start=$(date +%s)
	status=0
	"$@" >"$work/$name.log" 2>&1 </dev/null || status=$?
	echo "$status $(($(date +%s) - start))" >"$work/$name.status"
}

# suite_tell NAME: of one that has been run
suite_tell() {
	name=$1
	log=$work/$name.log
	read -r status took <"$work/$name.status"
	summary=$(grep -xE '[0-9]+ passed, [0-9]+ failed' "$log" | tail -n 1) || true
	p=${summary%% *}
	f=$(echo "$summary" | sed 's/.*, \([0-9]*\) failed/\1/')
	if [ -z "$summary" ]; then
		p=$(grep -c '^ok ' "$log") || true
		f=$(grep -c '^not ok ' "$log") || true
		f=$((f + 1))
		echo "$name: ended without its closing line, exit status $status" >>"$log"
	elif [ "$status" -ne 0 ] && [ "$f" -eq 0 ]; then
		f=1
		echo "$name: exit status $status although nothing failed" >>"$log"
	elif [ "$((p + f))" -eq 0 ]; then
		f=1
		echo "$name: checked nothing" >>"$log"
	fi
	total_passed=$((total_passed + p))
	total_failed=$((total_failed + f))
	printf '%-12s %4d passed, %d failed, %d s\n' "$name" "$p" "$f" "$took"
	if [ "$f" -gt 0 ]; then
		broken="$broken $name"
		grep -v '^ok ' "$log" | tail -n 60 | sed 's/^/    /'
		echo "    (whole log: $log)"
	fi
	# What could not be tested here is said, not hidden.
	grep -i '# skip' "$log" | sed 's/^/    /' || true
}

# suite NAME COMMAND...
suite() {
	suite_run "$@"
	suite_tell "$1"
}

# The closing lines, and the exit status.
finish_suites() {
	[ -z "$broken" ] || echo "Failed:$broken"
	echo "$total_passed passed, $total_failed failed"
	[ "$total_failed" -eq 0 ]
}
