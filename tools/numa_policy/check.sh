#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# check.sh TOP TOOL SOURCE DIR: what the kernel's own checks, other compilers and other
# configurations say about the library. SOURCE is a patched kernel tree; what is made goes to DIR.
#
# In the environment: QUICK=1 for the quick form; SKIP="PART ..." for parts that are left out; COUNT
# and SEED for random.sh. A part that cannot be run has failed: only what SKIP names is left out.
set -eu

top=$(readlink -f "$1") tool=$(readlink -f "$2") source=$(readlink -f "$3")
work=$4
mkdir -p "$work"
work=$(readlink -f "$work")
. "$top/tools/numa_policy/tests/suite.sh"

quick="style patches objects"
full="$quick scripts clang cocci combinations random cross arm64 um32 docs"
parts=$full
[ "${QUICK:-0}" = 0 ] || parts=$quick

for part in ${SKIP-}; do
	case " $full " in
	*" $part "*) ;;
	*)
		echo "SKIP=$part: there is no such part; there are: $full" >&2
		exit 2
		;;
	esac
done

# A word on what each gets besides the repository, the tree and its directory.
arguments() {
	case $1 in
	patches | objects | arm64) echo "$tool" ;;
	random) echo "${COUNT:-50}" "${SEED-}" ;;
	esac
}

for part in $parts; do
	case " ${SKIP-} " in
	*" $part "*)
		printf '%-12s SKIPPED: SKIP="%s"\n' "$part" "$SKIP"
		continue
		;;
	esac
	# shellcheck disable=SC2046
	suite "$part" "$top/tools/numa_policy/check/$part.sh" "$top" "$source" "$work/$part" \
		$(arguments "$part")
done

finish_suites
