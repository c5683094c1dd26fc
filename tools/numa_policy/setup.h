/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What guests are made of: QEMU, a kernel and an initramfs, found before anything starts.
 */
#ifndef NP_SETUP_H
#define NP_SETUP_H

#include <jansson.h>

#include "policies.h"
#include "qemu.h"

/**
 * struct np_setup - the parts, all there and readable
 * @arch: the architecture of the kernel
 * @qemu: path of QEMU, absolute
 * @qemu_version: what it says its version is
 * @kernel_dir: directory of the kernel, as given
 * @image: path of the kernel image, absolute
 * @initrd: path of the initramfs, absolute
 * @release: the kernel's release
 * @image_sha256: hash of the kernel image, in hexadecimal
 * @initrd_sha256: hash of the initramfs
 * @config_sha256: hash of the kernel's configuration
 * @library: hash of the library's sources that were built into it; NULL: not known
 * @traffic: path of the plugin that counts memory accesses, absolute; NULL: not looked for
 * @bench: path of the plugin that counts instructions, likewise
 * @windows: windows of access history that it keeps; 0: its configuration does not tell
 * @config: JSON list of the lines of the configuration that concern NUMA balancing
 */
struct np_setup {
	const struct np_arch *arch;
	char *qemu;
	char *qemu_version;
	char *kernel_dir;
	char *image;
	char *initrd;
	char *release;
	char *image_sha256;
	char *initrd_sha256;
	char *config_sha256;
	char *library;
	char *traffic;
	char *bench;
	int windows;
	json_t *config;
};

json_t *np_config_lines(const char *text, int *windows);
char *np_setup_find(struct np_setup *s, const char *qemu, const char *kernel, const char *initrd);
char *np_setup_find_traffic(struct np_setup *s);
char *np_setup_find_bench(struct np_setup *s);
char *np_setup_lacks(const struct np_setup *s, const struct np_policy *policy);
void np_setup_free(struct np_setup *s);

#endif /* NP_SETUP_H */
