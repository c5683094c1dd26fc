# SPDX-License-Identifier: GPL-2.0
#
# Sourced by the tests: counts checks and prints them as TAP does.

# A hook's git would work on the repository that it was called for.
# shellcheck disable=SC2046
! command -v git >/dev/null || unset $(git rev-parse --local-env-vars)

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

# insns OBJECT [FUNCTION]: how many instructions the function has, with the parts that the
# compiler split off, or all of the object
insns() {
	objdump -d --no-show-raw-insn "$1" | awk -v f="${2-}" '
		/^[0-9a-f]+ <.*>:$/ { name = substr($2, 2, length($2) - 3); sub(/\..*/, "", name); next }
		(f == "" || name == f) && /^ / && $2 !~ /^(nop|data16|cs|xchg$)/ { n++ }
		END { print n + 0 }'
}
