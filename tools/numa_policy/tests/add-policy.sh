#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# add-policy.sh REPOSITORY CONF WORKDIR: what the README says of adding a policy is all it takes.
set -eu

top=$(readlink -f "$1") conf=$(readlink -f "$2") work=$3
. "$(dirname "$0")/lib.sh"

rm -rf "$work/repository"
mkdir -p "$work/repository"
work=$(readlink -f "$work")
(cd "$top" && tar -cf - --exclude=./build --exclude=./.git .) | tar -xf - -C "$work/repository"
cd "$work/repository"
dir=kernel/sched/numa_policy

# One file, ...
cat >$dir/newest.c <<'END'
// SPDX-License-Identifier: GPL-2.0
/*
 * newest: a task scans what it accessed in the current window, and nothing else.
 */
#include "rules.h"

static enum numa_policy_reason newest_decide(const struct numa_policy_snapshot *snap)
{
	return numa_rule_pid(snap, 1);
}

DEFINE_NUMA_POLICY(newest,
		   .windows = 1);
END

# ... one Kconfig entry, ...
cat >entry <<'END'
config NUMA_POLICY_NEWEST
	bool "newest: the current window only"
	help
	  For a test.

END
awk 'FILENAME == "entry" { entry = entry $0 "\n"; next }
     /^config NUMA_POLICY_WINDOWS$/ { printf "%s", entry } { print }' entry "$top/$dir/Kconfig" >$dir/Kconfig
rm entry

# ... one Makefile line ...
# shellcheck disable=SC2016
echo 'obj-$(CONFIG_NUMA_POLICY_NEWEST) += newest.o' >>$dir/Makefile

# ... and one line in the table.
sed -i 's/^\tX(HOT_SHARED,.*/& \\\n\tX(NEWEST, newest, "a policy made by a test")/' $dir/policies.h

export KCONFIG_AUTOCONFIG="$work/auto.conf" KCONFIG_AUTOHEADER="$work/autoconf.h"
export KCONFIG_RUSTCCFG="$work/rustc_cfg"
printf 'CONFIG_NUMA_POLICY_NEWEST=y\n' >"$work/config"
KCONFIG_CONFIG=$work/config "$conf" --olddefconfig Kconfig >/dev/null 2>&1
check "it can be configured" grep -qx CONFIG_NUMA_POLICY_NEWEST=y "$work/config"
check "the tool is built with it" sh -c 'make "$PWD/build/numa-policy" >/dev/null'
check "the tool knows it" sh -c './build/numa-policy list | grep -q "^  newest .* a policy made by a test"'
check "the guest kernel is to have it" sh -c 'make "$PWD/build/policies.config" >/dev/null &&
	grep -qx CONFIG_NUMA_POLICY_NEWEST=y build/policies.config'

finish
