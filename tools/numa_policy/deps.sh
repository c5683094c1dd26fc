#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# deps.sh [PACKAGE ...]: install the Debian packages that are missing, or say which they are.
set -eu

if ! command -v dpkg-query >/dev/null; then
	echo "deps.sh: no Debian system: taking it that what these Debian packages hold is there: $*" >&2
	exit 0
fi

missing=
for package in "$@"; do
	dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed ||
		missing="$missing $package"
done
[ -n "$missing" ] || exit 0

install="apt-get install -y --no-install-recommends$missing"
if [ "$(id -u)" -ne 0 ]; then
	echo "deps.sh: packages are missing; as root: apt-get update && $install" >&2
	exit 1
fi

echo "Installing$missing"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { apt-get update && $install; } >"$log" 2>&1 </dev/null; then
	tail -n 20 "$log" >&2
	echo "deps.sh: could not install:$missing" >&2
	exit 1
fi
