#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# kernel.sh source TOOL BUILD KSRC      put a patched source in place, print where it is
# kernel.sh build SOURCE OBJ CONFIG...  build a guest kernel of it in OBJ
# kernel.sh pristine TOOL DIR KSRC      the files that "apply" looks at, untouched, in DIR
#
# KSRC is a kernel tree, or empty for the distribution's linux-source-6.12. A tree in which the
# library was applied is built as it is; any other is left alone: a copy of it gets the library.
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
	files="Makefile Kbuild include/linux/sched/numa_balancing.h include/trace/events/sched.h
		scripts/checkpatch.pl scripts/spelling.txt scripts/const_structs.checkpatch
		$("$1" apply --lib "$top" --list-files | grep -v numa_policy)"
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

build() {
	src=$2 obj=$3
	shift 3
	mkdir -p "$obj"
	sed 's/ *# optional$//' "$@" >"$obj/wanted.config"
	cc=gcc
	command -v ccache >/dev/null && cc="ccache gcc"
	# Do not preprocess twice; recognise the same tree at another place.
	export CCACHE_DEPEND=1 CCACHE_BASEDIR="${src%/*}"
	log=$obj/build.log
	: >"$log"
	kmake() {
		make -C "$src" O="$obj" CC="$cc" KBUILD_BUILD_USER=numa-policy \
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
	kmake -j"$(($(nproc) + 1))" bzImage
	cp "$obj/.config" "$obj/config"
	(cd "$src" && cat kernel/sched/numa_policy/*.[ch] kernel/sched/numa_policy/Kconfig \
		include/linux/numa_policy*.h include/trace/events/numa_policy.h |
		sha256sum) >"$obj/np-library"
	cp "$obj/include/config/kernel.release" "$obj/release"
	cp "$obj/arch/x86/boot/bzImage" "$obj/bzImage.new"
	mv "$obj/bzImage.new" "$obj/bzImage"
}

case ${1-} in
source)
	if [ -n "${4-}" ]; then copy "$2" "$3" "$4"; else unpack "$2" "$3"; fi
	;;
pristine)
	pristine "$2" "$3" "${4-}"
	;;
build)
	build "$@"
	;;
*)
	die "usage: kernel.sh source TOOL BUILD KSRC | build SOURCE OBJ CONFIG... | pristine TOOL DIR KSRC"
	;;
esac
