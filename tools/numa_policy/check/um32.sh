#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# um32.sh TOP SOURCE DIR: the KUnit suites pass on user-mode Linux of 32 bits.
set -eu
. "$(dirname "$0")/lib.sh"

# A 64-bit Debian has the C library for 32 bits, but <asm/*.h> only where 64 bits look for them; they
# are the same.
check "KUnit on user-mode Linux of 32 bits" "$tools/kunit.sh" "$source" "$dir" um32 um \
	--make_options=SUBARCH=i386 \
	--make_options="CC=${ccache}gcc -idirafter /usr/include/$(gcc -print-multiarch)"
check "it is of 32 bits" eval "readelf -h '$dir/um/linux' | grep -q ELF32"

finish
