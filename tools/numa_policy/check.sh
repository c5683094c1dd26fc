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
full="random combinations arm64 cross clang um32 $quick cocci docs scripts"
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

for part in ${SKIP-}; do
	case " $parts " in
	*" $part "*) printf '%-12s SKIPPED: SKIP="%s"\n' "$part" "$SKIP" ;;
	esac
done

case ${COUNT:=50} in
*[!0-9]* | 0*) echo "RANDOM=$COUNT: must be a number of configurations" >&2; exit 2 ;;
esac
seed=${SEED:-$(date +%s)}
case $seed in
*[!0-9]* | 0?*) echo "SEED=$seed: must be a number, as one that was printed" >&2; exit 2 ;;
esac

# What is done, in the order in which it is begun: what takes long first. The random configurations
# are two.
queue() {
	for part in $parts; do
		case " ${SKIP-} " in
		*" $part "*) continue ;;
		esac
		case $part in
		random)
			echo random-1
			[ "$COUNT" -lt 2 ] || echo random-2
			;;
		*) echo "$part" ;;
		esac
	done
}

# run NAME: a part gets the repository, the tree, its directory, and what else it needs
run() {
	name=$1 part=${1%-[12]}
	set --
	case $name in
	patches | objects | arm64 | um32) set -- "$tool" ;;
	random-1) set -- $((COUNT - COUNT / 2)) "$seed" ;;
	random-2) set -- $((COUNT / 2)) $((seed + COUNT - COUNT / 2)) ;;
	esac
	suite_run "$name" "$top/tools/numa_policy/check/$part.sh" "$top" "$source" "$work/$name" "$@"
}

# lane: takes what is next, until nothing is. Most of what a part does is done by one process at a
# time, so two parts at once are quicker than one.
lane() {
	while name=$(flock "$work" sh -c 'head -n 1 "$1" && sed -i 1d "$1"' sh "$work/queue") && [ -n "$name" ]; do
		run "$name"
		echo "$name"
	done
}

lanes=$(($(nproc) > 1 ? 2 : 1))
JOBS=$((($(nproc) + lanes - 1) / lanes))
export JOBS
# Most of the time goes into what the kernel's conf asks the compiler, the same each time.
export NP_MEMO="$work/memo.so" NP_MEMO_DIR="$work/memo"
rm -rf "$NP_MEMO_DIR"
mkdir "$NP_MEMO_DIR"
gcc -O2 -shared -fPIC -o "$NP_MEMO" "$top/tools/numa_policy/check/memo.c"

queue >"$work/queue"
asked=$(wc -l <"$work/queue")
[ "$asked" -gt 0 ] || {
	echo "SKIP=\"$SKIP\": nothing is left" >&2
	exit 2
}
{
	for _ in $(seq "$lanes"); do
		lane &
	done
	wait
} | {
	told=0
	while read -r name; do
		suite_tell "$name"
		told=$((told + 1))
	done
	[ "$told" -eq "$asked" ] || {
		echo "$((asked - told)) parts did not come to an end" >&2
		total_failed=$((total_failed + asked - told))
	}
	finish_suites
}
