#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# arm64.sh TOP SOURCE DIR TOOL: guests of that architecture, with a kernel and a program from the
# distribution's cross compiler, decide under every policy as its rules and histories say.
set -eu
tool=$4
. "$(dirname "$0")/lib.sh"

need aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu
need qemu-system-aarch64 qemu-system-arm
everything_on >"$dir/policies.config"

kernel() {
	GUEST_ARCH=arm64 "$tools/kernel.sh" build "$source" "$dir/kernel" \
		"$tools/guest/kernel.config" "$tools/guest/arm64.config" "$dir/policies.config"
}

# The program, and what it is packed into.
guest() {
	make -s -C "$top" guest BUILD="$dir/tools" GUEST_CC=aarch64-linux-gnu-gcc >"$dir/log" 2>&1 || why "$dir"
}

verified() {
	"$tool" verify --kernel "$dir/kernel" --initrd "$dir/tools/guest/initramfs.cpio" \
		--out "$dir/verify" >"$dir/verified" || {
		grep '^not ok' "$dir/verified" >&2
		return 1
	}
	tail -n 1 "$dir/verified" | sed 's/^/# verify: /'
}

check "the kernel builds" kernel
check "the guests' program builds" guest
check "every policy decides as its rules and histories say" verified

finish
