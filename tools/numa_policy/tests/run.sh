#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# run.sh REPOSITORY BUILD OBJ SOURCE: every test; a suite's output is shown whole if it fails.
set -u

top=$1 build=$2 obj=$3 source=$4
tests=$top/tools/numa_policy/tests
work=$build/test

mkdir -p "$work"
. "$tests/suite.sh"

suite histories "$tests/histories.sh" "$build/test/histories" "$top/lib/kunit/numa_policy/histories"
suite coverage "$tests/coverage.sh" "$build/coverage" "$top/lib/kunit/numa_policy/histories"
suite oracle "$tests/oracle.sh" "$build/test/oracle" 14000000 ''
suite unit "$build/test/unit"
suite many "$build/test/many" "$build/numa-policy" "$work/many-cells"
suite kconfig "$tests/kconfig.sh" "$top" "$obj/scripts/kconfig/conf" "$work/kconfig"
suite add-policy "$tests/add-policy.sh" "$top" "$obj/scripts/kconfig/conf" "$work/add-policy"
suite judge "$tests/judge.sh" "$build/stress/judge" "$work/judge"
suite check "$tests/check.sh" "$top" "$work/check"
suite cli "$tests/cli.sh" "$build/numa-policy" "$work/cli"
suite bench-cli "$tests/bench-cli.sh" "$build/numa-policy" "$work/bench-cli"
suite browser "$tests/browser.sh" "$build/numa-policy" "$work/browser"
suite shim "$tests/shim.sh" "$build/numa-policy" "$work/pristine" "$work/shim"
suite series "$tests/series.sh" "$build/numa-policy" "$top" "$work/pristine" "$work/series"
suite altered "$build/test/altered" "$build/numa-policy" "$top" "$work/pristine" "$work/altered-trees"
suite deb "$tests/deb.sh" "$source" "$build/policies.config" "$obj/config" "$work/deb"
suite insns "$tests/insns.sh" "$build/numa-policy" "$source" "$obj/config" "$work/insns"
for arch in um x86_64; do
	suite "kunit-$arch" "$tests/../kunit.sh" "$source" "$build/kunit" "$arch" "$arch"
done
for windows in 2 8; do
	suite "kunit-um-$windows" "$tests/../kunit.sh" "$source" "$build/kunit" "um-$windows" um \
		--kconfig_add "CONFIG_NUMA_POLICY_WINDOWS=$windows"
done
suite verify "$build/numa-policy" verify --kernel "$obj" --out "$work/verify"
suite bench "$build/numa-policy" bench
suite guests "$tests/guests.sh" "$build/numa-policy" "$obj" "$build/test/wander" "$work/guests"
suite cluster "$tests/cluster.sh" "$build/numa-policy" "$obj" "$work/cluster"
for kernel in kasan kcsan; do
	suite "stress-$kernel" "$tests/../stress.sh" "$build" "$kernel" 75 150 "$work"
done

finish_suites
