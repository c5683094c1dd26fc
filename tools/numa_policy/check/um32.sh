#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# um32.sh TOP SOURCE DIR TOOL: the KUnit suites pass on user-mode Linux of 32 bits.
set -eu
tool=$4
. "$(dirname "$0")/lib.sh"

# Where the kernel runs no 32-bit programs (see tests/exec.sh), a guest's kernel does.
guest() {
	make -s -C "$top" guest BUILD="$dir/tools" >"$dir/log" 2>&1 || why "$dir" || return 1
	{
		everything_on
		echo CONFIG_IA32_EMULATION=y
	} >"$dir/guest.config"
	"$tools/kernel.sh" build "$source" "$dir/kernel" "$tools/guest/kernel.config" \
		"$tools/guest/x86_64.config" "$dir/guest.config"
}

echo 'int main(void) { return 0; }' >"$dir/probe.c"
check "the compiler makes 32-bit programs" gcc -m32 -static -o "$dir/probe" "$dir/probe.c"
if ! "$dir/probe" 2>/dev/null; then
	echo "# this kernel runs no 32-bit programs: user-mode Linux runs in a guest"
	check "a guest that runs them is there" guest
	export KUNIT_BOOT="$tools/check/um32-guest.sh $tool $dir"
fi

# A 64-bit Debian has the C library for 32 bits, but <asm/*.h> only where 64 bits look for them; they
# are the same.
check "KUnit on user-mode Linux of 32 bits" "$tools/kunit.sh" "$source" "$dir" um32 um \
	--make_options=SUBARCH=i386 \
	--make_options="CC=${ccache}gcc -idirafter /usr/include/$(gcc -print-multiarch)"
check "it is of 32 bits" eval "readelf -h '$dir/um/linux' | grep -q ELF32"

finish
