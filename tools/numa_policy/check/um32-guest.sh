#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# um32-guest.sh TOOL DIR LINUX ARGUMENT...: boot a 32-bit user-mode Linux in a guest whose kernel, in DIR,
# runs 32-bit programs; print its console.
set -eu
tool=$1 dir=$2
shift 2

# Of a program's output only the end is kept, so it goes to the guest's console.
rm -rf "${dir:?}/boot"
"$tool" run --kernel "$dir/kernel" --initrd "$dir/tools/guest/initramfs.cpio" --policies seq_delta --reps 1 \
	--topology 2x1,mem=2048 --limit 3000 --timeout 1500 --stall 600 --keep --out "$dir/boot" -- \
	sh -c '"$@" </dev/null >/dev/console 2>&1' sh "$@" >"$dir/boot.log" 2>&1 || {
	tail -n 20 "$dir/boot.log" >&2
	exit 1
}
cat "$dir"/boot/cells/*/console.log
