#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# kernel.sh source TOOL BUILD KSRC      put a patched source in place, print where it is
# kernel.sh build SOURCE OBJ CONFIG...  build a guest kernel of it in OBJ
# kernel.sh derive BASE SOURCE OBJ CONFIG...  the same, from one built in BASE that differs in the library
# kernel.sh pristine TOOL DIR KSRC      the files that "apply" looks at, untouched, in DIR
# kernel.sh plain TOOL SOURCE DIR       a patched tree without the library, in DIR
#
# KSRC is a kernel tree, or empty for the distribution's linux-source-6.12. A tree in which the
# library was applied is built as it is; any other is left alone: a copy of it gets the library.
#
# In the environment: GUEST_ARCH=arm64 for "build" of a kernel for that, by Debian's cross compiler.
set -eu

top=$(readlink -f "$(dirname "$0")/../..")
tarball=/usr/src/linux-source-6.12.tar.xz

die() {
	echo "kernel.sh: $*" >&2
	exit 1
}

# Unpack the distribution's source once; an interrupted attempt starts afresh.
unpack() {
	src=$2/linux-source-6.12
	[ -e "$tarball" ] || die "$tarball: not there; the package linux-source-6.12 has it"
	if [ ! -e "$src" ] || [ "$tarball" -nt "$src/.np-unpacked" ]; then
		echo "Unpacking $tarball" >&2
		rm -rf "$src" "$2/unpacking"
		mkdir -p "$2/unpacking"
		tar -xf "$tarball" -C "$2/unpacking"
		touch "$2/unpacking/linux-source-6.12/.np-unpacked"
		mv "$2/unpacking/linux-source-6.12" "$src"
		rmdir "$2/unpacking"
	fi
	"$1" apply --lib "$top" "$src" >&2
	echo "$src"
}

# Keep a copy of a user's tree up to date; the files that the library edits come by way of "apply".
copy() {
	[ -d "$3" ] || die "KSRC=$3: no such directory"
	ksrc=$(readlink -f "$3")
	for file in Makefile Kbuild kernel/sched/fair.c init/Kconfig; do
		[ -e "$ksrc/$file" ] || die "KSRC=$3: no kernel tree: there is no $file in it"
	done
	if [ -e "$ksrc/.numa_policy" ]; then
		"$1" apply --lib "$top" "$ksrc" >&2
		echo "$ksrc"
		return
	fi
	src=$2/ksrc-$(echo "$ksrc" | cksum | cut -d' ' -f1)
	mkdir -p "$src"
	"$1" apply --lib "$top" --list-files | sed 's,^,/,' >"$src.exclude"
	# What a build in the tree itself left there would keep the copy from being built elsewhere.
	rsync -a --delete --exclude-from="$src.exclude" --exclude=/.git --exclude=/.config \
		--exclude=/include/config --exclude=/include/generated \
		--exclude='/arch/*/include/generated' --exclude='*.o' --exclude='.*.cmd' \
		"$ksrc/" "$src/" >&2
	"$1" apply --lib "$top" --from "$ksrc" "$src" >&2
	echo "$src"
}

pristine() {
	dir=$2
	rm -rf "$dir" "$dir.new"
	mkdir -p "$dir.new"
	files="Makefile Kbuild MAINTAINERS Documentation/scheduler/index.rst
		Documentation/admin-guide/kernel-parameters.txt
		include/linux/sched/numa_balancing.h include/trace/events/sched.h
		scripts/checkpatch.pl scripts/spelling.txt scripts/const_structs.checkpatch
		$("$1" apply --lib "$top" --list-files | grep -v "numa_\(scan_\)*policy")"
	# shellcheck disable=SC2086
	if [ -z "$3" ]; then
		root=linux-source-6.12
		tar -xf "$tarball" -C "$dir.new" --strip-components=1 $(printf "$root/%s " $files)
	elif [ -e "$3/.numa_policy" ]; then
		die "KSRC=$3: the tests of apply need a tree without the library; make unapply KSRC=$3"
	else
		# shellcheck disable=SC2086
		(cd "$3" && tar -cf - $files) | tar -xf - -C "$dir.new"
	fi
	mv "$dir.new" "$dir"
}

# A patched tree's files without the library, as links: "unapply" replaces what it edits. Files that
# come out as they were the last time keep their time stamps, for a short build.
plain() {
	src=$2 dir=$3
	id="$src $(cat "$src/Makefile" "$src/.numa_policy/record" | cksum)"
	[ "$(cat "$dir/.np-plain" 2>/dev/null)" != "$id" ] || return 0
	rm -rf "$dir.new"
	mkdir -p "${dir%/*}"
	cp -al "$src" "$dir.new" 2>/dev/null || cp -a "$src" "$dir.new"
	"$1" unapply "$dir.new" >&2
	"$1" apply --lib "$top" --list-files | while read -r file; do
		if [ -f "$dir.new/$file" ] && cmp -s "$dir/$file" "$dir.new/$file"; then
			cp -p "$dir/$file" "$dir.new/$file"
		fi
	done
	rm -rf "$dir"
	mv "$dir.new" "$dir"
	echo "$id" >"$dir/.np-plain"
}

# A kernel that differs from another, which is built already, only in the library and what that touches:
# a copy of it, in which the files are compiled anew that mention the library, a VMA's state, or what
# stands behind the library's own member of struct signal_struct.
derive() {
	base=$2 src=$3 obj=$4
	if [ ! -e "$obj/np-derived" ] || [ "$base/bzImage" -nt "$obj/np-derived" ]; then
		rm -rf "$obj"
		cp -a "$base" "$obj"
		find "$obj" -name '.*.cmd' -exec sed -i "s,$(cat "$base/np-built-of")/,$src/,g" {} +
		: >"$obj/np-derived"
	fi
	shift 2
	derived=1
	build build "$@"
}

# All of the kernel that is compiled is up to date, but for what mentions these. Not the tools of the
# build: objtool would be linked again, and all that it looked at be compiled again for that.
settle() {
	(cd "$obj" && find . \( -path ./tools -o -path ./scripts -o -path ./arch/x86/tools \) -prune -o \
		-name '*.o' -exec touch {} +)
	(cd "$src" && grep -rlE --include='*.c' \
		'numab_state|access_pid_bit|numa_(scan_)?policy|signal_struct|cred_guard|exec_update_lock' \
		kernel mm fs init security arch/x86) | sed 's/c$/o/' | (cd "$obj" && xargs rm -f)
}

build() {
	src=$2 obj=$3
	shift 3
	# As make itself would name it: a configuration that another build begins with says so in its head.
	cross='' arch=x86 image=bzImage
	case ${GUEST_ARCH-x86_64} in
	x86_64) ;;
	arm64) cross=aarch64-linux-gnu- arch=arm64 image=Image ;;
	*) die "GUEST_ARCH=$GUEST_ARCH: there are x86_64 and arm64" ;;
	esac
	mkdir -p "$obj"
	sed 's/ *# optional$//' "$@" >"$obj/wanted.config"
	cc=${cross}gcc
	command -v ccache >/dev/null && cc="ccache $cc"
	# Do not preprocess twice; recognise the same tree at another place.
	export CCACHE_DEPEND=1 CCACHE_BASEDIR="${src%/*}"
	log=$obj/build.log
	: >"$log"
	kmake() {
		make -C "$src" O="$obj" ARCH="$arch" CROSS_COMPILE="$cross" CC="$cc" KBUILD_BUILD_USER=numa-policy \
			KBUILD_BUILD_HOST=numa-policy KBUILD_BUILD_TIMESTAMP=@0 KBUILD_BUILD_VERSION=1 \
			"$@" >>"$log" 2>&1 || {
			grep -n -m 5 -E 'error|undefined reference|Error|\*\*\*' "$log" >&2 || tail -n 5 "$log" >&2 || true
			die "the kernel build failed (make $*); the whole log is $log"
		}
	}
	kmake KCONFIG_ALLCONFIG="$obj/wanted.config" KCONFIG_CONFIG=.config.new allnoconfig
	sed -n 's/^\(CONFIG_[A-Z0-9_]*=[^ ]*\)$/\1/p' "$@" | while read -r line; do
		grep -qx -- "$line" "$obj/.config.new" ||
			die "the Kconfig of $src does not lead to $line, which a guest kernel needs"
	done
	# An unchanged configuration keeps its time stamp.
	cmp -s "$obj/.config.new" "$obj/.config" || cp "$obj/.config.new" "$obj/.config"
	rm -f "$obj/.config.new"
	if [ -n "${derived-}" ]; then
		kmake prepare
		settle
	fi
	kmake -j"$(($(nproc) + 1))" "$image"
	echo "$src" >"$obj/np-built-of"
	cp "$obj/.config" "$obj/config"
	[ ! -d "$src/kernel/sched/numa_policy" ] ||
		(cd "$src" && find kernel/sched/numa_policy include/linux include/trace/events fs/proc -type f \
			\( -path 'kernel/sched/numa_policy/*.[ch]' -o -path 'kernel/sched/numa_policy/Kconfig' -o \
			-name 'numa_policy*.h' -o -name 'numa_scan_policy.c' \) | sort | xargs cat |
			sha256sum) >"$obj/np-library"
	cp "$obj/include/config/kernel.release" "$obj/release"
	cp "$obj/arch/$arch/boot/$image" "$obj/$image.new"
	mv "$obj/$image.new" "$obj/$image"
}

case ${1-} in
source)
	if [ -n "${4-}" ]; then copy "$2" "$3" "$4"; else unpack "$2" "$3"; fi
	;;
pristine)
	pristine "$2" "$3" "${4-}"
	;;
plain)
	plain "$2" "$3" "$4"
	;;
derive)
	derive "$@"
	;;
build)
	build "$@"
	;;
*)
	die "usage: kernel.sh source TOOL BUILD KSRC | build SOURCE OBJ CONFIG... | pristine TOOL DIR KSRC | plain TOOL SOURCE DIR"
	;;
esac
