#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# deb.sh choose [FILE]                     print the configuration to begin with
# deb.sh config SOURCE OBJ WANTED FILE     configure the patched tree SOURCE in OBJ
# deb.sh build SOURCE OBJ WANTED FILE      the same, and build packages, which go beside OBJ
#
# FILE is a distribution's .config, may be compressed by xz or gzip, and gets what WANTED says.
# With DEBUG=1 in the environment debug information stays in.
set -eu

suffix=-numapolicy

die() {
	echo "deb.sh: $*" >&2
	exit 1
}

# The one given; that of the running kernel; the newest among the distribution's packages.
choose() {
	file=${1-}
	if [ -n "$file" ]; then
		[ -e "$file" ] || die "CONFIG=$file: no such file"
	else
		file=/boot/config-$(uname -r)
		[ -e "$file" ] || {
			arch=$(dpkg --print-architecture)
			file=$(find /usr/src -path "/usr/src/linux-config-*/config.${arch}_none_$arch.xz" |
				sort -V | tail -n 1)
		}
		[ -n "$file" ] || die "no configuration to begin with: there is neither" \
			"/boot/config-$(uname -r) nor the package linux-config-6.12; say CONFIG=FILE"
	fi
	read_config "$file" >/dev/null
	echo "$file"
}

read_config() {
	[ -f "$1" ] && [ -r "$1" ] || die "CONFIG=$1: not a file that can be read"
	case $1 in
	*.xz) reader="xz -dc" ;;
	*.gz) reader="gzip -dc" ;;
	*) reader="cat" ;;
	esac
	text=$($reader "$1" 2>/dev/null) || die "CONFIG=$1: $reader cannot read it"
	printf '%s\n' "$text" | grep -q '^CONFIG_[A-Za-z0-9_]*=' ||
		die "CONFIG=$1: no kernel configuration: it has no line CONFIG_...="
	! printf '%s\n' "$text" | grep -q "$(printf '\r')\$" ||
		die "CONFIG=$1: its lines end as on Windows (CR LF); they must end in a newline alone"
	printf '%s\n' "$text"
}

# Kernel makes of one tree all get the same LOCALVERSION, or the release would change in between.
kmake() {
	make -C "$src" O="$obj" CC="$cc" LOCALVERSION="$suffix" "$@" >>"$log" 2>&1 </dev/null || {
		grep -n -m 5 -E 'error|undefined reference|Error|\*\*\*|Unmet' "$log" >&2 || tail -n 5 "$log" >&2
		die "make $* failed; the whole log is $log"
	}
}

# The value of an option in the new configuration; n if it is not set.
value() {
	v=$(sed -n "s/^CONFIG_$1=//p" "$new")
	echo "${v:-n}"
}

# Set an option, whatever it was; n takes it out.
put() {
	sed -i "/^CONFIG_$1=/d; /^# CONFIG_$1 is not set\$/d" "$new"
	if [ "$2" = n ]; then echo "# CONFIG_$1 is not set"; else echo "CONFIG_$1=$2"; fi >>"$new"
}

say() {
	echo "  $*" >&2
}

# Keys that the distribution signs with, or trusts, are not in anybody else's tree.
keys() {
	for option in SYSTEM_TRUSTED_KEYS SYSTEM_REVOCATION_KEYS MODULE_SIG_KEY; do
		key=$(value $option | tr -d '"')
		case $key in
		n | '' | certs/signing_key.pem) continue ;;
		/*) [ ! -e "$key" ] || continue ;;
		*) [ ! -e "$src/$key" ] || continue ;;
		esac
		if [ $option = MODULE_SIG_KEY ]; then
			put $option '"certs/signing_key.pem"'
			say "CONFIG_$option: $key is not there; modules are signed with a key made here"
		else
			put $option '""'
			say "CONFIG_$option: $key is not there; left empty"
		fi
	done
}

debug_info() {
	had_btf=$(value DEBUG_INFO_BTF)
	[ "${DEBUG-}" != 1 ] || return 0
	[ "$(value DEBUG_INFO_NONE)" = n ] || return 0
	sed -i '/CONFIG_DEBUG_INFO\(_[A-Z0-9_]*\)\?[ =]/d' "$new"
	put DEBUG_INFO_NONE y
	btf=
	[ "$had_btf" = n ] || btf=', and BTF with it'
	say "debug information is left out$btf (DEBUG=1 keeps it)"
}

# What an option depends on, one symbol a line, with its "!".
depends() {
	awk -v name="$1" '
		/^(menu)?config / { inside = $2 == name }
		inside && /^[ \t]+depends on / { sub(/^[ \t]+depends on /, ""); print }' \
		"$src/init/Kconfig" "$src/kernel/sched/numa_policy/Kconfig" | tr -s ' &()' '\n'
}

# Why an option got lost, and what would be right.
lost() {
	for symbol in $(depends "$1"); do
		case $symbol in
		!*)
			[ "$(value "${symbol#!}")" != n ] || continue
			echo "it goes only without CONFIG_${symbol#!}; take a configuration that has it off"
			return
			;;
		ARCH_*) right='take a configuration of a 64-bit architecture that can balance' ;;
		TRACEPOINTS) right='set CONFIG_FTRACE=y and a tracer, such as CONFIG_ENABLE_DEFAULT_TRACERS=y' ;;
		*) right="set CONFIG_$symbol=y" ;;
		esac
		[ "$(value "$symbol")" = n ] || continue
		echo "it depends on CONFIG_$symbol, which is off; $right"
		return
	done
	echo "set CONFIG_$1=y"
}

check() {
	status=0
	[ "$is" = "$was" ] || [ -z "$was" ] ||
		die "CONFIG=$file: for $was, but this machine builds kernels for $is"
	for line in CONFIG_NUMA_BALANCING=y $(cat "$wanted"); do
		! grep -qx -- "$line" "$new" || continue
		option=${line%=*}
		option=${option#CONFIG_}
		echo "deb.sh: CONFIG=$file: does not lead to $line: $(lost "$option")" >&2
		status=1
		# All else needs it.
		[ "$option" != NUMA_BALANCING ] || break
	done
	if [ "${DEBUG-}" = 1 ] && [ "$had_btf" = y ] && [ "$(value DEBUG_INFO_BTF)" = n ]; then
		echo "deb.sh: CONFIG=$file: does not lead to CONFIG_DEBUG_INFO_BTF=y: it takes a pahole" \
			"that this kernel knows; install pahole, or leave out DEBUG=1" >&2
		status=1
	fi
	[ "$status" -eq 0 ] || exit 1
}

# The architecture that a configuration's head names; "make ARCH=x86_64" writes that name there.
arch_of() {
	sed -n 's,^# Linux/\([a-z0-9_]*\) .*,\1,p' "$1" | head -n 1 |
		sed 's/^x86_64$/x86/'
}

configure() {
	src=$(readlink -f "$1") wanted=$3 file=$4
	[ -d "$src/kernel/sched/numa_policy" ] || die "$1: not a kernel tree with the library in it"
	mkdir -p "$2"
	obj=$(readlink -f "$2")
	new=$obj/.config.new
	log=$obj/build.log
	cc=gcc
	! command -v ccache >/dev/null || cc="ccache gcc"
	export CCACHE_DEPEND=1 CCACHE_BASEDIR="${src%/*}"
	: >"$log"
	echo "Configuring, beginning with $file" >&2
	read_config "$file" >"$new"
	cp "$new" "$obj/begun.config"
	was=$(arch_of "$new")
	keys
	debug_info
	while IFS='=' read -r option v; do
		put "${option#CONFIG_}" "$v"
	done <"$wanted"
	kmake KCONFIG_CONFIG=.config.new olddefconfig
	is=$(arch_of "$new")
	check
	# What else came out otherwise: options that this version or compiler does not have.
	grep '^CONFIG_' "$obj/begun.config" | grep -vxF -f "$new" >"$obj/differs" || true
	say "$(grep -c . "$obj/differs" || true) lines of it came out otherwise: $obj/differs"
	# An unchanged configuration keeps its time stamp.
	cmp -s "$new" "$obj/.config" || cp "$new" "$obj/.config"
	rm -f "$new" "$new.old"
}

build() {
	out=${obj%/*}
	rm -f "$out"/*.deb "$out"/*.changes "$out"/*.buildinfo
	echo "Building packages in $out (log: $log)" >&2
	kmake -j"$(($(nproc) + 1))" bindeb-pkg
	# The C library's view of the kernel would replace the distribution's own.
	rm -f "$out"/linux-libc-dev_*.deb
	release=$(cat "$obj/include/config/kernel.release")
	image=$(find "$out" -name "linux-image-${release}_*.deb")
	[ -n "$image" ] || die "no package linux-image-$release was built; the log is $log"
	find "$out" -maxdepth 1 -name '*.deb' -size +0 | sort
	echo "install it with: apt-get install $image" >&2
	echo "and boot $release with numa_balancing=enable, and numa_scan_policy=NAME if you like" >&2
}

case ${1-}/$# in
choose/1 | choose/2 | config/5 | build/5) ;;
*) die "usage: deb.sh choose [FILE] | config SOURCE OBJ WANTED FILE | build SOURCE OBJ WANTED FILE" ;;
esac
case $1 in
choose)
	choose "${2-}"
	;;
config)
	shift
	configure "$@"
	;;
build)
	shift
	configure "$@"
	build
	;;
esac
