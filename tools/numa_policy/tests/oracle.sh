#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# oracle.sh BUILDS DECISIONS SEED: the oracle in every build, with as many decisions altogether; each
# has a seed of its own, counted up from SEED or, if that is empty, from a fresh one.
set -eu

builds=$(readlink -f "$1") decisions=$2 seed=$3
tests=$(readlink -f "$(dirname "$0")")
. "$tests/lib.sh"

n=$(ls "$builds" | wc -l)
case $decisions in
*[!0-9]* | '' | 0* | ????????????????*)
	echo "oracle.sh: DECISIONS=$decisions: must be a number from 1 to 10^15" >&2
	exit 2
	;;
esac
[ -n "$seed" ] || seed=0x$(od -An -N7 -tx1 /dev/urandom | tr -d ' ')
case $seed in
*[!0-9]* | 0?*)
	case $seed in
	0x*[!0-9a-fA-F]* | [!0]* | 0[!x]* | 0x)
		echo "oracle.sh: SEED=$seed: must be a number, decimal or 0x..., below 2^60" >&2
		exit 2
		;;
	esac
	;;
esac
if [ ${#seed} -gt 17 ]; then
	echo "oracle.sh: SEED=$seed: too large, must be below 2^60" >&2
	exit 2
fi
echo "# SEED=$seed"

out=$(mktemp)
trap 'rm -f "$out"' EXIT
i=0
for oracle in "$builds"/*; do
	status=0
	"$tests/exec.sh" "$oracle" --decisions "$((decisions / n + 1))" --seed "$(printf '0x%x' $((seed + i)))" >"$out" 2>&1 || status=$?
	check "$(grep '^oracle: seed' "$out"): $(grep '^oracle: .* disagreements' "$out" |
		sed 's/^oracle: //')" test "$status" -eq 0
	if [ "$status" -ne 0 ]; then cat "$out"; elif [ "$i" -eq 0 ]; then grep 'left out' "$out" || true; fi
	i=$((i + 1))
done
check "there are oracles" test "$n" -gt 0
finish
