#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# kunit.sh SOURCE DIR NAME ARCH [OPTION...]: run the KUnit suite on a patched SOURCE with the kernel's
# own kunit.py, and print its summary, and in full what did not pass.
#
# Built in DIR/ARCH, with the log in DIR/NAME.log; OPTIONs go to kunit.py.
#
# In the environment: KUNIT_BOOT="COMMAND" boots what is built for um, as COMMAND LINUX ARGUMENT...,
# and prints its console: for machines that cannot run it.
set -eu

tools=$(readlink -f "$(dirname "$0")")
src=$(readlink -f "$1") dir=$2 name=$3 arch=$4
shift 4

mkdir -p "$dir"
dir=$(readlink -f "$dir")
small=$dir/small-$arch.config
log=$dir/$name.log

# kunit.py would leave these in a source that is not ours.
export PYTHONDONTWRITEBYTECODE=1
export CCACHE_DEPEND=1 CCACHE_BASEDIR="${src%/*}"
cc=gcc
command -v ccache >/dev/null && cc="ccache gcc"

kunit() {
	command=$1
	shift
	(cd "$src" && ./tools/testing/kunit/kunit.py "$command" --arch="$arch" \
		--kunitconfig=kernel/sched/numa_policy "$@")
}

# What can be left out on this architecture of this version: kunit.py says what cannot.
if [ ! -e "$small" ] || [ "$tools/kunit.config" -nt "$small" ] || [ "$src/Makefile" -nt "$small" ]; then
	cp "$tools/kunit.config" "$small.new"
	for i in 1 2 3 4; do
		rm -rf "$dir/config"
		kunit config --build_dir="$dir/config" --kunitconfig="$small.new" >"$log" 2>&1 && break
		# Among what it misses is also what does not exist here, and is left out anyway.
		sed -n 's/^Missing: //p' "$log" | sed 's/, /\n/g' | while read -r line; do
			option=$(echo "$line" | sed -n 's/^# \(CONFIG_[A-Z0-9_]*\) is not set$/\1/p')
			[ -n "$option" ] && ! grep -q "^$option=" "$dir/config/.config" || echo "$line"
		done >"$small.missing"
		[ -s "$small.missing" ] || {
			tail -n 20 "$log" >&2
			echo "kunit.sh: kunit.py cannot configure $arch; the whole log is $log" >&2
			exit 1
		}
		grep -vxF -f "$small.missing" "$small.new" >"$small.left"
		mv "$small.left" "$small.new"
	done
	rm -rf "$dir/config" "$small.missing"
	mv "$small.new" "$small"
fi

echo "$name: building and running (what was built: $dir/$arch, log: $log)"
status=0
verb=run
[ -z "${KUNIT_BOOT-}" ] || verb=build
kunit "$verb" --build_dir="$dir/$arch" --kunitconfig="$small" --jobs="$(nproc)" \
	--make_options=CC="$cc" "$@" >"$log" 2>&1 || status=$?
if [ -n "${KUNIT_BOOT-}" ] && [ "$status" -eq 0 ]; then
	# As kunit.py boots it.
	{
		$KUNIT_BOOT "$dir/$arch/linux" mem=1G console=tty kunit_shutdown=halt kunit.enable=1 \
			kunit.autorun=1 >"$dir/$arch/test.log" 2>>"$log" || status=$?
		[ "$status" -ne 0 ] ||
			(cd "$src" && ./tools/testing/kunit/kunit.py parse "$dir/$arch/test.log") || status=$?
	} >>"$log"
fi

# A policy that is not built is one that was not tested.
missing=$(sed -n 's/^ *# Subtest: \([a-z0-9_]*\)_histories$/policy \1/p; s/.*# SKIP is not built.*/gone/p' \
	"$dir/$arch/test.log" 2>/dev/null | awk '/^policy/ { name = $2 } /^gone/ { print name }' | sort -u)
if [ "$status" -eq 0 ] && [ -n "$missing" ]; then
	echo "kunit.sh: $name: not built, so not tested:" $missing >&2
	echo "kunit.sh: kernel/sched/numa_policy/.kunitconfig must select every policy" >&2
	status=1
fi

# The summary; of a failure, all but what passed or was skipped.
if [ "$status" -eq 0 ]; then
	sed -n 's/^\[[0-9:]*\] \(=* \[.*\|Testing complete.*\|Elapsed time.*\)/'"$name"': \1/p' "$log"
else
	sed -n '/Starting KUnit Kernel/,$p' "$log" | grep -vE '\] \[(PASSED|SKIPPED)\]' >&2 || true
	grep -q 'Starting KUnit Kernel' "$log" || tail -n 30 "$log" >&2
	echo "kunit.sh: $name: failed; the whole log is $log" >&2
fi

# How many, as the other tests close.
sed -n 's/^\[[0-9:]*\] Testing complete\. //p' "$log" | tr -d ',:.' | awk '
	{ for (i = 1; i < NF; i++) n[$i] = $(i + 1) }
	END { if (NR) print n["passed"] + 0 " passed, " n["failed"] + n["crashed"] + n["errors"] " failed" }'
exit "$status"
