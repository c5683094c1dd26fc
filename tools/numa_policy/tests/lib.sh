# SPDX-License-Identifier: GPL-2.0
#
# Sourced by the tests: counts checks and prints them as TAP does.

passed=0
failed=0

# check WHAT COMMAND...: the command's success is the check's
check() {
	what=$1
	shift
	if "$@"; then
		passed=$((passed + 1))
		echo "ok $((passed + failed)) - $what"
	else
		failed=$((failed + 1))
		echo "not ok $((passed + failed)) - $what"
	fi
}

# refuse WHAT COMMAND...: the command must fail
refuse() {
	what=$1
	shift
	if "$@"; then
		check "$what" false
	else
		check "$what" true
	fi
}

# The closing line, and the exit status.
finish() {
	echo "$passed passed, $failed failed"
	[ "$failed" -eq 0 ]
}
