#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# check.sh TOP WORKDIR: whether what the parts of "make check" have in common sees what is wrong. The
# kernel's tree and what is found in it are made up here.
set -eu

top=$(readlink -f "$1") work=$2
rm -rf "$work"
mkdir -p "$work"
work=$(readlink -f "$work")

# A tree below a directory "scripts", which compiles what is not there yet, with a warning.
tree=$work/scripts/tree
mkdir -p "$tree" "$work/dir"
cat >"$tree/Makefile" <<'EOF'
$(MAKECMDGOALS): FORCE
	@o=$(O)/$@; case $@ in */) o=$${o}core.o ;; esac; \
	[ -e $$o ] || { mkdir -p $$(dirname $$o) && : >$$o && cat $(CURDIR)/says; }
FORCE:
EOF

set -- "$top" "$tree" "$work/dir"
. "$top/tools/numa_policy/check/lib.sh"
obj=$work/obj
mkdir -p "$obj"
printf 'CONFIG_NUMA_POLICY=y\n' >"$obj/.config"

says() { printf '%s\n' "$@" >"$tree/says"; }
complains() { ! "$@" 2>"$work/err"; }

says '  CC      kernel/sched/numa_policy/core.o'
check "objects without a warning are good" builds "$obj"
says "$tree/kernel/sched/numa_policy/core.c:10:3: warning: unused variable"
check "a warning is seen" complains builds "$obj"
check "and shown" grep -q 'core.c:10:3: warning' "$work/err"
check "and seen again, though the object is there" complains builds "$obj"
says "$tree/kernel/sched/core.c:10:3: warning: unused variable"
check "one of another file, too" complains builds "$obj"
only_ours=1
check "but not if only ours count" builds "$obj"
says "$tree/include/linux/numa_policy.h:10:3: warning: unused variable"
check "while ours do" complains builds "$obj"
unset only_ours
says "$tree/scripts/mod/modpost.c:10:3: warning: unused variable" \
	'scripts/kconfig/parser.y:10:3: warning: conflict' '  HOSTCC  warning: x'
check "the build's own programs may complain" builds "$obj"
says "$tree/kernel/sched/numa_policy/core.c:10:3: error: no such thing"
check "an error is seen" complains builds "$obj"

# Exceptions: what is found must be listed, and what is listed found. "line" is in the file that it is of.
tools=$work/tools
mkdir -p "$tools/check" "$work/base/sub"
cp "$top/tools/numa_policy/check/excepted.awk" "$tools/check"
base=$work/base
printf 'int a;\nint b; /* here */\n' >"$work/base/sub/a.c"
exceptions() { printf '%s\t%s\t%s\t%s\n' "$@" >"$tools/check/exceptions"; }
found() { printf '%s\n' "$1" | excepted "${2-checkpatch}"; }
finding='sub/a.c:2: checkpatch/LONG_LINE: line length'

exceptions 'sub/*.c' checkpatch/LONG_LINE 'line length' reason
check "an exception by the message" found "$finding"
exceptions 'sub/*.c' 'checkpatch/LONG_*' 'int b' reason
check "an exception by the source's line" found "$finding"
exceptions 'sub/*.c' checkpatch/LONG_LINE 'int a' reason
check "another line is not" complains found "$finding"
check "it is shown with its source" grep -q 'int b' "$dir/left"
exceptions 'other/*.c' checkpatch/LONG_LINE . reason
check "nor another file" complains found "$finding"
exceptions 'sub/*.c' checkpatch/OTHER . reason
check "nor another type" complains found "$finding"
exceptions 'sub/*.c' checkpatch/LONG_LINE 'line length' reason 'sub/*.c' checkpatch/OTHER . reason
check "one that nothing needs is an error" complains found "$finding"
check "which says so" grep -q ':2: an exception that nothing needs any more' "$dir/left"
check "for a part of the files it is none" eval 'lenient=1 && export lenient && found "$finding"'
unset lenient
exceptions 'sub/*.c' checkpatch/LONG_LINE 'line length' reason '*' patches/OTHER . reason
check "one of another class is another part's business" found "$finding"
check "which sees that nothing needs it" complains eval ': | excepted patches'
exceptions 'sub/*.c' checkpatch/LONG_LINE 'line length' reason '*' chekpatch/OTHER . reason
check "one of no class is an error" complains found "$finding"
check "which names the classes" grep -q 'chekpatch: must be checkpatch, patches' "$dir/left"
printf 'sub/*.c checkpatch/LONG_LINE . reason\n' >"$tools/check/exceptions"
check "one without tabs is an error" complains found "$finding"

finish
