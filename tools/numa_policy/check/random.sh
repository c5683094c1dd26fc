#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# random.sh TOP SOURCE DIR N SEED: our objects build without a warning in N random configurations of
# a whole kernel. Each has a seed of its own, counted up from SEED, which is printed; with N=1 and
# that as SEED it is built again.
set -eu
count=$4 seed=$5
. "$(dirname "$0")/lib.sh"
obj=$dir/obj
# Other files may warn in configurations that nobody builds.
only_ours=1

# random SEED PROBABILITY: in every second one, NUMA balancing is on; in the others, it is the tests
# that have us built. Not what needs tools that may not be here, nor another compiler's plugins.
random() {
	mkdir -p "$obj"
	{
		echo CONFIG_64BIT=y
		if [ $(($1 % 2)) -eq 0 ]; then
			printf 'CONFIG_%s=y\n' SMP NUMA MIGRATION NUMA_BALANCING
		else
			printf 'CONFIG_%s=y\n' KUNIT NUMA_POLICY_KUNIT_TEST
			# That would say how they are built.
			echo '# CONFIG_KUNIT_ALL_TESTS is not set'
		fi
		printf '# CONFIG_%s is not set\n' COMPILE_TEST PREEMPT_RT WERROR GCC_PLUGINS DEBUG_INFO_BTF \
			MODULE_SIG SYSTEM_TRUSTED_KEYRING IKHEADERS RUST
	} >"$obj/wanted.config"
	: >"$obj/log"
	kmake "$obj" KCONFIG_ALLCONFIG="$obj/wanted.config" KCONFIG_SEED="$1" KCONFIG_PROBABILITY="$2" \
		KCONFIG_CONFIG=.config.new randconfig && settled "$obj" && builds "$obj"
}

echo "Random configurations from seed $seed on"
i=0
while [ "$i" -lt "$count" ]; do
	s=$((seed + i))
	check "random configuration, seed $s" random "$s" "$((10 + s * 7 % 81))"
	i=$((i + 1))
done

finish
