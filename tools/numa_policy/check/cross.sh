#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# cross.sh TOP SOURCE DIR: the other architectures with NUMA balancing build our objects, in their
# defconfig with everything of us on, by the distribution's cross compilers.
set -eu
. "$(dirname "$0")/lib.sh"

# cross ARCH PREFIX DEFCONFIG: configured and built
cross() {
	obj=$dir/$1
	make="ARCH=$1 CROSS_COMPILE=$2-"
	cc="${ccache}$2-gcc"
	mkdir -p "$obj"
	{
		printf 'CONFIG_%s=y\n' NUMA NUMA_BALANCING KUNIT DEBUG_FS
		everything_on
	} >"$obj/wanted.config"
	: >"$obj/log"
	# shellcheck disable=SC2086
	check "$1: $3 can be had" kmake "$obj" $make KCONFIG_CONFIG=.config.new "$3"
	cat "$obj/wanted.config" >>"$obj/.config.new"
	# Where no other tracer brings trace events, these do.
	printf 'CONFIG_%s=y\n' FTRACE ENABLE_DEFAULT_TRACERS >>"$obj/.config.new"
	# Not needed for our objects, and not to be had everywhere; our suite is not to be a module.
	printf '# CONFIG_%s is not set\n' KUNIT_ALL_TESTS MODULE_SIG GCC_PLUGINS DEBUG_INFO_BTF >>"$obj/.config.new"
	# shellcheck disable=SC2086
	check "$1: can be configured with everything on" kmake "$obj" $make KCONFIG_CONFIG=.config.new olddefconfig
	check "$1: everything is on" settled "$obj"
	check "$1: no warning with W=1" builds "$obj" mm/memory.o
}

while read -r arch prefix defconfig package; do
	check "$arch: $prefix-gcc is there (package $package)" command -v "$prefix-gcc" >/dev/null
	! command -v "$prefix-gcc" >/dev/null || cross "$arch" "$prefix" "$defconfig" </dev/null
done <<EOF
arm64 aarch64-linux-gnu defconfig gcc-aarch64-linux-gnu
powerpc powerpc64le-linux-gnu ppc64le_defconfig gcc-powerpc64le-linux-gnu
s390 s390x-linux-gnu defconfig gcc-s390x-linux-gnu
riscv riscv64-linux-gnu defconfig gcc-riscv64-linux-gnu
EOF

finish
