# SPDX-License-Identifier: GPL-2.0
#
# Sourced by the parts of "make check", which are called as
#
#	PART.sh TOP SOURCE DIR [...]
#
# with the repository, a patched kernel source, and a directory for what the part makes.

top=$(readlink -f "$1") source=$(readlink -f "$2")
mkdir -p "$3"
dir=$(readlink -f "$3")
shift 3
tools=$top/tools/numa_policy
# What the paths of findings are below.
base=$top
. "$tools/tests/lib.sh"

jobs=${JOBS:-$(nproc)}
ccache=
! command -v ccache >/dev/null || ccache="ccache "
# As kernel.sh: do not preprocess twice; recognise the same tree at another place.
export CCACHE_DEPEND=1 CCACHE_BASEDIR="${source%/*}"

policies=$(sed -n 's/^\tX(\([A-Z0-9_]*\),.*/\1/p' "$top/kernel/sched/numa_policy/policies.h")

# The library's own files in the kernel, as paths in the tree.
own_files() {
	(cd "$top" && find kernel/sched/numa_policy include/linux include/trace/events \
		lib/kunit/numa_policy fs/proc -type f \( -path '*numa_policy*' -o -name 'numa_scan_policy*' \) |
		sort)
}

# What names one of them in a compiler's message.
own='numa_(scan_)?policy[^ :]*[:/][^ ]*:[0-9]+:'

# kmake OBJ ARG...: the kernel's make, in silence; its words are in OBJ/log. $cc is the compiler. What
# its configuration asks of that is not asked again, see memo.c.
kmake() {
	obj=$1
	shift
	mkdir -p "$obj"
	LD_PRELOAD="${NP_MEMO-}" make -C "$source" O="$obj" CC="${cc:-${ccache}gcc}" -j"$jobs" "$@" >>"$obj/log" 2>&1
}

# why OBJ: what failed, from the log
why() {
	grep -m 8 -E 'error|undefined reference|\*\*\*|No rule' "$1/log" >&2 ||
		tail -n 5 "$1/log" >&2
	echo "(the whole log: $1/log)" >&2
	return 1
}

# configure OBJ LINE...: allnoconfig, but for these lines; they must come out as they are written,
# except comments. $make holds more for the kernel's make, such as ARCH=.
configure() {
	obj=$1
	shift
	mkdir -p "$obj"
	printf '%s\n' "$@" >"$obj/wanted.config"
	: >"$obj/log"
	# shellcheck disable=SC2086
	kmake "$obj" ${make-} KCONFIG_ALLCONFIG="$obj/wanted.config" KCONFIG_CONFIG=.config.new allnoconfig ||
		why "$obj" || return 1
	settled "$obj"
}

# settled OBJ: .config.new has what was wanted, and is the configuration from now on
settled() {
	if grep '^CONFIG' "$1/wanted.config" | grep -vxF -f "$1/.config.new" >"$1/unmet"; then
		sed 's/^/this cannot be had here: /' "$1/unmet" >&2
		return 1
	fi
	# An unchanged configuration keeps its time stamp.
	cmp -s "$1/.config.new" "$1/.config" || cp "$1/.config.new" "$1/.config"
	rm -f "$1/.config.new"
}

# The guest kernel's configuration, without what exists in some versions only, and without us.
guest_config() {
	grep -hE '^CONFIG' "$tools/guest/kernel.config" "$tools/guest/x86_64.config" | grep -v -e '# optional' -e NUMA_POLICY
}

# everything_on: the lines that turn on all that there is of us
everything_on() {
	printf 'CONFIG_NUMA_POLICY_%s=y\n' $policies SWITCH STATS TRACE KUNIT_TEST
}

# own_objects OBJ: what is compiled for us under its configuration: ours, and what we are part of
own_objects() {
	! grep -q '^CONFIG_NUMA_POLICY=y' "$1/.config" || echo kernel/sched/numa_policy/
	# make does not enter fs/proc in a kernel without it.
	! grep -q '^CONFIG_NUMA_POLICY_SWITCH=y' "$1/.config" || ! grep -q '^CONFIG_PROC_FS=y' "$1/.config" ||
		echo fs/proc/numa_scan_policy.o
	! grep -q '^CONFIG_NUMA_POLICY_KUNIT_TEST=[ym]' "$1/.config" || echo lib/kunit/numa_policy/
	echo kernel/sched/fair.o
}

# builds OBJ [ARG...]: our objects build without a warning, of whatever file
builds() {
	obj=$1
	shift
	: >"$obj/log"
	# An object that is there already would have nothing to say.
	(cd "$obj" && for object in $(own_objects "$obj") "$@"; do
		case $object in
		*/) rm -f "$object"*.o ;;
		*.o) rm -f "$object" ;;
		esac
	done)
	# shellcheck disable=SC2086,SC2046
	kmake "$obj" ${make-} W=1 "$@" $(own_objects "$obj") || why "$obj" || return 1
	silent "$obj"
}

# silent OBJ: the log has no warning but of the build's own programs; with $only_ours, none of our files
silent() {
	warning='(warning|error):'
	[ -z "${only_ours-}" ] || warning="$own.*$warning"
	! grep -E -A 3 "$warning" "$1/log" | grep -v -e "$source/scripts/" -e '^scripts/' -e '^ *HOST' -e '^--$' |
		grep -E -m 10 -A 3 "$warning" >&2
}

# findings: what checkpatch.pl --terse --show-types prints, as excepted() wants it
findings() {
	sed -n 's,^\([^:]*:[0-9]*\): \(ERROR\|WARNING\|CHECK\):\([A-Z0-9_]*\): \(.*\),\1: checkpatch/\3: \4,p'
}

# excepted CLASS: from findings as "FILE:LINE: CLASS/TYPE: message" on standard input, in paths from
# $base, those that "exceptions" does not list; and exceptions of the class that list nothing
excepted() {
	awk -v class="$1" -v base="$base" -f "$tools/check/excepted.awk" "$tools/check/exceptions" - >"$dir/left" &&
		[ ! -s "$dir/left" ] || {
		cat "$dir/left" >&2
		return 1
	}
}

# need COMMAND PACKAGE: without it the part fails, unless it is left out by name with SKIP=
need() {
	check "$1 is there (package $2)" command -v "$1" >/dev/null && return
	finish
	exit 1
}
