// SPDX-License-Identifier: GPL-2.0
/*
 * What guests are made of: QEMU, a kernel and an initramfs, found before anything starts.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "qemu.h"
#include "results.h"
#include "setup.h"
#include "util.h"

/* The file's absolute path. @target is what to make if it is missing; NULL: nothing to advise. */
static char *need_file(const char *path, const char *target, char **absolute)
{
	*absolute = realpath(path, NULL);
	if (*absolute && !access(*absolute, R_OK))
		return NULL;
	if (target && errno == ENOENT)
		return np_asprintf("there is no %s; 'make %s' builds it", path, target);
	return np_asprintf("cannot read %s: %s", path, strerror(errno));
}

/**
 * np_config_lines() - what a kernel's configuration says about NUMA balancing
 * @text: the configuration
 * @windows: windows of access history that it keeps; left alone where it does not say
 *
 * Return: a new JSON list of the lines.
 */
json_t *np_config_lines(const char *text, int *windows)
{
	json_t *lines = json_array();
	char **list;
	int n;

	list = np_split(text, '\n', &n);
	for (int i = 0; i < n; i++)
		if (strstr(list[i], "CONFIG_NUMA_POLICY") ||
		    strstr(list[i], "CONFIG_NUMA_BALANCING"))
			json_array_append_new(lines, np_json_text(list[i]));
	for (int i = 0; i < n; i++)
		if (sscanf(list[i], "CONFIG_NUMA_POLICY_WINDOWS=%d", windows) == 1)
			break;
	np_split_free(list, n);
	return lines;
}

static char *read_config(struct np_setup *s, const char *path)
{
	struct np_buf b = { 0 };
	int err = np_read_file(path, &b);

	if (err)
		return np_asprintf("cannot read %s: %s", path, strerror(-err));
	s->config = np_config_lines(b.s, &s->windows);
	np_buf_free(&b);
	return np_file_sha256(path, &s->config_sha256);
}

static char *read_kernel(struct np_setup *s)
{
	char *path = np_asprintf("%s/%s", s->kernel_dir, s->arch->image), *error;
	struct np_buf b = { 0 };
	int err;

	error = need_file(path, "kernel", &s->image);
	free(path);
	error = error ?: np_file_sha256(s->image, &s->image_sha256);
	if (error)
		return error;
	path = np_asprintf("%s/config", s->kernel_dir);
	error = read_config(s, path);
	free(path);
	if (error)
		return error;
	path = np_asprintf("%s/release", s->kernel_dir);
	err = np_read_file(path, &b);
	if (err)
		error = np_asprintf("cannot read %s: %s", path, strerror(-err));
	else
		s->release = np_text_clean(b.s, strcspn(b.s, "\n"));
	np_buf_free(&b);
	free(path);
	path = np_asprintf("%s/np-library", s->kernel_dir);
	if (!error && !np_read_file(path, &b) && b.len)
		s->library = np_text_clean(b.s, strcspn(b.s, " \n"));
	np_buf_free(&b);
	free(path);
	return error;
}

/**
 * np_setup_find() - find everything that guests need
 * @s: filled in; to be freed by np_setup_free() in any case
 * @qemu: name or path of QEMU, or NULL for the usual one
 * @kernel: directory with bzImage (or arm64's Image), config and release, or NULL for the one
 *	beside this program
 * @initrd: the initramfs, or NULL for the one beside this program
 *
 * Return: NULL, or what is missing, to be freed.
 */
char *np_setup_find(struct np_setup *s, const char *qemu, const char *kernel, const char *initrd)
{
	char *error, *path;

	memset(s, 0, sizeof(*s));
	s->kernel_dir = kernel ? np_strdup(kernel) : np_asprintf("%s/kernel", np_self_dir());
	s->arch = np_arch_of(s->kernel_dir);
	error = np_qemu_find(s->arch, qemu, &s->qemu);
	if (!error)
		error = np_qemu_version(s->qemu, &s->qemu_version);
	if (error)
		return error;
	error = read_kernel(s);
	if (error)
		return error;
	path = initrd ? np_strdup(initrd) : np_asprintf("%s/guest/initramfs.cpio", np_self_dir());
	error = need_file(path, initrd ? NULL : "guest", &s->initrd);
	free(path);
	return error ?: np_file_sha256(s->initrd, &s->initrd_sha256);
}

/* A plugin beside this program. What guests tell it are instructions of the usual architecture. */
static char *find_plugin(const struct np_setup *s, const char *name, char **absolute)
{
	char *path, *error;

	if (s->arch != np_arch_usual())
		return np_asprintf("the kernel in %s is for %s: loads, stores and instructions are counted in guests of %s only",
				   s->kernel_dir, s->arch->name, np_arch_usual()->name);
	path = np_asprintf("%s/%s", np_self_dir(), name);
	error = need_file(path, "tools", absolute);
	free(path);
	return error;
}

/**
 * np_setup_find_traffic() - find the plugin that counts memory accesses, beside this program
 * @s: the parts; the plugin's path is filled in
 *
 * Return: NULL, or what is missing, to be freed.
 */
char *np_setup_find_traffic(struct np_setup *s)
{
	return find_plugin(s, "numa-policy-traffic.so", &s->traffic);
}

/**
 * np_setup_find_bench() - find the plugin that counts instructions, beside this program
 * @s: the parts; the plugin's path is filled in
 *
 * Return: NULL, or what is missing, to be freed.
 */
char *np_setup_find_bench(struct np_setup *s)
{
	return find_plugin(s, "numa-policy-bench.so", &s->bench);
}

static bool has_line(const json_t *lines, const char *wanted)
{
	const json_t *line;
	size_t i;

	json_array_foreach((json_t *)lines, i, line)
		if (!strcmp(json_string_value(line), wanted))
			return true;
	return false;
}

/**
 * np_setup_lacks() - see whether the kernel was built without a policy
 * @s: the parts
 * @policy: the policy
 *
 * A kernel that has the library but not the policy would fall back to its default. One that does
 * not have the library is not found out here; its guests say so.
 *
 * Return: NULL, or a message, to be freed.
 */
char *np_setup_lacks(const struct np_setup *s, const struct np_policy *policy)
{
	char *line, *error = NULL;

	if (!has_line(s->config, "CONFIG_NUMA_POLICY=y"))
		return NULL;
	line = np_asprintf("CONFIG_NUMA_POLICY_%s=y", policy->symbol);
	if (!has_line(s->config, line))
		error = np_asprintf("the kernel in %s is built without policy '%s' (no %s)",
				    s->kernel_dir, policy->name, line);
	free(line);
	return error;
}

/**
 * np_setup_free() - free what np_setup_find() found
 * @s: the parts
 */
void np_setup_free(struct np_setup *s)
{
	free(s->qemu);
	free(s->qemu_version);
	free(s->kernel_dir);
	free(s->image);
	free(s->initrd);
	free(s->release);
	free(s->image_sha256);
	free(s->initrd_sha256);
	free(s->config_sha256);
	free(s->library);
	free(s->traffic);
	free(s->bench);
	json_decref(s->config);
	memset(s, 0, sizeof(*s));
}
