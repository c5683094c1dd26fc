#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# deb.sh SOURCE WANTED CONFIG WORKDIR: how "make deb" configures a kernel, and what it refuses.
#
# SOURCE is a patched tree, WANTED what is asked of a configuration, CONFIG one that leads to it.
# Packages are not built here.
set -u

source=$(readlink -f "$1") wanted=$(readlink -f "$2") config=$(readlink -f "$3") work=$4
tool=$(readlink -f "$(dirname "$0")/../deb.sh")
. "$(dirname "$0")/lib.sh"

rm -rf "$work"
mkdir -p "$work"
work=$(readlink -f "$work")
cd "$work" || exit 1

# The configuration with lines of its own: with NAME=VALUE...
with() {
	cp "$config" altered
	for line in "$@"; do
		sed -i "/^CONFIG_${line%%=*}=/d; /^# CONFIG_${line%%=*} is not set/d" altered
		echo "CONFIG_$line" | sed 's/^\(CONFIG_[A-Z0-9_]*\)=n$/# \1 is not set/' >>altered
	done
}

configure() {
	"$tool" config "$source" obj "$wanted" "${1:-altered}" >out 2>err
}

# The last attempt failed and said so, in one line that holds all of these.
says() {
	for words in "$@"; do
		grep '^deb.sh: ' err | grep -qF -- "$words" || {
			sed 's/^/#   /' err
			return 1
		}
	done
}

has() {
	for line in "$@"; do
		grep -qx -- "$line" obj/.config || {
			echo "#   no $line"
			return 1
		}
	done
}

# ---- what is taken to begin with ----

choose() {
	"$tool" choose "$@" >out 2>err
}

refuse "no such file" choose nowhere
check "... it is named" says "CONFIG=nowhere: no such file"
refuse "a directory" choose "$work"
check "... it is named" says "CONFIG=$work: not a file"
echo 'CONFIG_NUMA is all you need' >prose
refuse "a file that is no configuration" choose prose
check "... it is named" says "CONFIG=prose: no kernel configuration"
: >empty
refuse "an empty file" choose empty
echo x >broken.xz
refuse "a file that xz cannot read" choose broken.xz
check "... it is named" says "CONFIG=broken.xz: xz -dc cannot read it"
sed 's/$/\r/' "$config" >dos
refuse "a file with the lines of another system" choose dos
check "... it is said" says "CONFIG=dos: its lines end as on Windows"
refuse "too few arguments" "$tool" config "$source" obj 2>err
check "... the usage is shown" says "usage: deb.sh choose"
xz -c "$config" >config.xz
gzip -c "$config" >config.gz
check "a file that xz made" choose config.xz
check "... is printed" grep -qx config.xz out
check "a file that gzip made" choose config.gz
if [ -e "/boot/config-$(uname -r)" ] || [ -n "$(find /usr/src -name 'config.*_none_*.xz')" ]; then
	check "without one, the distribution's" choose
	check "... is one" sh -c '"$1" choose "$(cat out)" >/dev/null' sh "$tool"
else
	refuse "without one on a machine that has none" choose
	check "... what would be right is said" says linux-config-6.12 CONFIG=FILE
fi

# ---- what comes out ----

# Each of these asks the compiler hundreds of things, so they are few.
: >key.pem
with DEBUG_INFO_NONE=n DEBUG_INFO_DWARF5=y MODULES=y MODULE_SIG=y MODULE_SIG_ALL=y \
	'MODULE_SIG_KEY="secret/key.pem"' SYSTEM_TRUSTED_KEYRING=y \
	'SYSTEM_TRUSTED_KEYS="debian/certs/uefi.pem"'
xz altered
check "a configuration is taken" configure altered.xz
# shellcheck disable=SC2046
check "... all that is wanted is in it" has $(cat "$wanted") CONFIG_NUMA_BALANCING=y
check "... debug information is not" has CONFIG_DEBUG_INFO_NONE=y
check "... which is said" grep -q 'debug information is left out (DEBUG=1 keeps it)' err
check "... from where is said" grep -qx "Configuring, beginning with altered.xz" err
check "keys that are not there: modules get one made here" has \
	'CONFIG_MODULE_SIG_KEY="certs/signing_key.pem"'
check "... none is trusted" has 'CONFIG_SYSTEM_TRUSTED_KEYS=""'
check "... the one is said" grep -q 'MODULE_SIG_KEY: secret/key.pem is not there' err
check "... the other, too" grep -q 'SYSTEM_TRUSTED_KEYS: debian/certs/uefi.pem is not there' err
with DEBUG_INFO_NONE=n DEBUG_INFO_DWARF5=y MODULES=y MODULE_SIG=y "MODULE_SIG_KEY=\"$work/key.pem\""
if [ "$(uname -m)" = x86_64 ]; then
	# What make ARCH=x86_64 writes; it is the same architecture.
	sed -i 's,^# Linux/x86 ,# Linux/x86_64 ,' altered
	check "(its head says x86_64)" grep -q '^# Linux/x86_64 ' altered
fi
debug() {
	DEBUG=1 configure
}
check "DEBUG=1 is taken" debug
check "... and keeps debug information" has CONFIG_DEBUG_INFO_DWARF5=y
check "a key that is there is kept" has "CONFIG_MODULE_SIG_KEY=\"$work/key.pem\""

# ---- what lacks something ----

before=$(cksum <obj/.config)
lacks() {
	what=$1
	shift
	refuse "$what" configure
	check "... it is named, with what would be right" says "$@"
}
with DEBUG_FS=n
lacks "no debugfs" "does not lead to CONFIG_NUMA_POLICY_SWITCH=y: it depends on CONFIG_DEBUG_FS" \
	"set CONFIG_DEBUG_FS=y"
check "... statistics, too" says "CONFIG_NUMA_POLICY_STATS=y"
with NUMA_BALANCING=n
lacks "no NUMA balancing" "CONFIG_NUMA_BALANCING=y: set CONFIG_NUMA_BALANCING=y"
with PREEMPT_RT=y PREEMPT_NONE=n
lacks "a real-time kernel" "CONFIG_NUMA_BALANCING=y: it goes only without CONFIG_PREEMPT_RT"
with FTRACE=n ENABLE_DEFAULT_TRACERS=n KPROBES=n PERF_EVENTS=n
lacks "no trace points" "CONFIG_NUMA_POLICY_TRACE=y: it depends on CONFIG_TRACEPOINTS" "set CONFIG_FTRACE=y"
with NUMA=y
sed -i '1i # Linux/sparc64 6.12.1 Kernel Configuration' altered
lacks "another architecture" "CONFIG=altered: for sparc64, but this machine builds kernels for"
check "refusals leave the configuration alone" [ "$before" = "$(cksum <obj/.config)" ]
refuse "a tree without the library" "$tool" config "$work" obj "$wanted" "$config" 2>err
check "... it is named" says "$work: not a kernel tree with the library"

finish
