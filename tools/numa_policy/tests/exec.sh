#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# exec.sh PROGRAM [ARGUMENT...]: run a test program. A kernel without the system calls of 32-bit programs
# (ia32_emulation=0, some virtual machines) says of these that they have no known format; they are
# run by qemu-i386 then. With --help alone, PROGRAM must end at once.
set -eu

class=$(od -An -j4 -N1 -tu1 "$1" | tr -d ' ')
status=0
[ "$class" != 1 ] || "$1" --help </dev/null >/dev/null 2>&1 || status=$?
[ "$status" -eq 126 ] || exec "$@"

if ! command -v qemu-i386 >/dev/null; then
	echo "exec.sh: $1: this kernel runs no 32-bit programs, and there is no qemu-i386 (package qemu-user)" >&2
	exit 1
fi
# The leak check stops the process's threads by ptrace(), which qemu-i386 does not have.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 exec qemu-i386 "$@"
