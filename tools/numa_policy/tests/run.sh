#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# run.sh REPOSITORY BUILD OBJ SOURCE: every test; a suite's output is shown whole if it fails.
#
# Suites print a line per check and close with "N passed, M failed"; one that ends without such a
# line counts as a failure.
set -u

top=$1 build=$2 obj=$3 source=$4
tests=$top/tools/numa_policy/tests
work=$build/test
passed=0
failed=0
broken=

mkdir -p "$work"

# suite NAME COMMAND...
suite() {
	name=$1
	shift
	log=$work/$name.log
	start=$(date +%s)
	"$@" >"$log" 2>&1 </dev/null
	status=$?
	took=$(($(date +%s) - start))
	summary=$(grep -xE '[0-9]+ passed, [0-9]+ failed' "$log" | tail -n 1)
	p=${summary%% *}
	f=$(echo "$summary" | sed 's/.*, \([0-9]*\) failed/\1/')
	if [ -z "$summary" ]; then
		p=$(grep -c '^ok ' "$log")
		f=$(grep -c '^not ok ' "$log")
		f=$((f + 1))
		echo "$name: ended without its closing line, exit status $status" >>"$log"
	elif [ "$status" -ne 0 ] && [ "$f" -eq 0 ]; then
		f=1
		echo "$name: exit status $status although nothing failed" >>"$log"
	elif [ "$((p + f))" -eq 0 ]; then
		f=1
		echo "$name: checked nothing" >>"$log"
	fi
	passed=$((passed + p))
	failed=$((failed + f))
	printf '%-12s %4d passed, %d failed, %d s\n' "$name" "$p" "$f" "$took"
	if [ "$f" -gt 0 ]; then
		broken="$broken $name"
		grep -v '^ok ' "$log" | tail -n 60 | sed 's/^/    /'
		echo "    (whole log: $log)"
	fi
	# What could not be tested here is said, not hidden.
	grep -i '# skip' "$log" | sed 's/^/    /'
}

suite histories "$tests/histories.sh" "$build/test/histories" "$top/lib/kunit/numa_policy/histories"
suite coverage "$tests/coverage.sh" "$build/coverage" "$top/lib/kunit/numa_policy/histories"
suite oracle "$tests/oracle.sh" "$build/test/oracle" 14000000 ''
suite unit "$build/test/unit"
suite many "$build/test/many" "$build/numa-policy" "$work/many-cells"
suite kconfig "$tests/kconfig.sh" "$top" "$obj/scripts/kconfig/conf" "$work/kconfig"
suite add-policy "$tests/add-policy.sh" "$top" "$obj/scripts/kconfig/conf" "$work/add-policy"
suite cli "$tests/cli.sh" "$build/numa-policy" "$work/cli"
suite browser "$tests/browser.sh" "$build/numa-policy" "$work/browser"
suite shim "$tests/shim.sh" "$build/numa-policy" "$work/pristine" "$work/shim"
suite insns "$tests/insns.sh" "$build/numa-policy" "$source" "$obj/config" "$work/insns"
for arch in um x86_64; do
	suite "kunit-$arch" "$tests/../kunit.sh" "$source" "$build/kunit" "$arch" "$arch"
done
for windows in 2 8; do
	suite "kunit-um-$windows" "$tests/../kunit.sh" "$source" "$build/kunit" "um-$windows" um \
		--kconfig_add "CONFIG_NUMA_POLICY_WINDOWS=$windows"
done
suite verify "$build/numa-policy" verify --kernel "$obj" --out "$work/verify"
suite guests "$tests/guests.sh" "$build/numa-policy" "$obj" "$work/guests"
suite cluster "$tests/cluster.sh" "$build/numa-policy" "$obj" "$work/cluster"

[ -z "$broken" ] || echo "Failed:$broken"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
