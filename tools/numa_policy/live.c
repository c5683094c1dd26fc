// SPDX-License-Identifier: GPL-2.0
/*
 * The scan policies of the running kernel: its files, read and written.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "live.h"
#include "util.h"

#define DEBUGFS "/sys/kernel/debug"
#define SCHED DEBUGFS "/sched"
#define DIRECTORY SCHED "/numa_policy"
#define TUNABLES SCHED "/numa_balancing"
#define PARAMETER "/sys/module/kernel/parameters/numa_scan_policy"
#define BALANCING "/proc/sys/kernel/numa_balancing"

/* What messages advise. */
#define MOUNT "mount -t debugfs none"
#define NUMA "CONFIG_NUMA_BALANCING"
#define SWITCH "CONFIG_NUMA_POLICY_SWITCH"
#define STATS "CONFIG_NUMA_POLICY_STATS"

/* Which option a kernel lacks that has the library's directory but not this file. */
static const struct {
	const char *file;
	const char *option;
} options[] = {
	{ "stats", STATS },
	{ "shadow", STATS },
	{ "shadow_matrix", STATS },
};

/**
 * np_live_init() - begin to look at a running kernel
 * @l: filled in; to be freed by np_live_free()
 * @root: a directory that has proc/ and sys/, for tests; NULL: the running kernel's own
 */
void np_live_init(struct np_live *l, const char *root)
{
	l->root = np_strdup(root ? root : "");
	l->dir = np_asprintf("%s" DIRECTORY, l->root);
}

/**
 * np_live_free() - free what np_live_init() made
 * @l: the kernel
 */
void np_live_free(struct np_live *l)
{
	free(l->root);
	free(l->dir);
	*l = (struct np_live) { 0 };
}

/**
 * np_live_path() - where a file of the library is
 * @l: the kernel
 * @name: its name in debugfs, such as "stats"
 *
 * Return: the path, to be freed.
 */
char *np_live_path(const struct np_live *l, const char *name)
{
	return np_asprintf("%s/%s", l->dir, name);
}

/* ---- why a file cannot be had ---- */

static bool exists(const struct np_live *l, const char *path)
{
	char *full = np_asprintf("%s%s", l->root, path);
	struct stat st;
	bool there = !stat(full, &st);

	free(full);
	return there;
}

/* The kernel makes an empty directory to mount debugfs on. */
static bool debugfs_mounted(const struct np_live *l)
{
	char *path = np_asprintf("%s" DEBUGFS, l->root);
	struct statfs fs;
	bool mounted;

	mounted = *l->root ? exists(l, SCHED) : !statfs(path, &fs) && fs.f_type == DEBUGFS_MAGIC;
	free(path);
	return mounted;
}

/* The library has a directory, but not this file in it. */
static char *missing_option(const char *path)
{
	const char *name = strrchr(path, '/') + 1;

	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if (!strcmp(options[i].file, name))
			return np_asprintf("there is no %s: the kernel is built without %s", path,
					   options[i].option);
	return np_asprintf("there is no %s", path);
}

/* A file of debugfs is missing: the first thing on the way to it that is. */
static char *missing(const struct np_live *l, const char *path)
{
	int dir = strrchr(path, '/') - path;

	if (!exists(l, DEBUGFS))
		return np_asprintf("there is no %.*s: the kernel is built without CONFIG_DEBUG_FS",
				   dir, path);
	if (!debugfs_mounted(l))
		return np_asprintf("there is no %.*s: debugfs is not mounted; as root: " MOUNT
				   " %s" DEBUGFS, dir, path, l->root);
	if (strncmp(path, l->dir, strlen(l->dir)) || exists(l, DIRECTORY))
		return missing_option(path);
	if (exists(l, PARAMETER))
		return np_asprintf("there is no %s: the library is built without " SWITCH " and "
				   STATS, l->dir);
	return np_asprintf("there is neither %s nor %s" PARAMETER
			   ": the kernel is built without the scan-policy library ('make apply KSRC=...' puts it into a kernel tree)",
			   l->dir, l->root);
}

/* @action is "read" or "write". */
static char *refused(const struct np_live *l, const char *action, const char *path, int err)
{
	if (err == -ENOENT && !strncmp(path + strlen(l->root), DEBUGFS, strlen(DEBUGFS)))
		return missing(l, path);
	if (err == -EACCES && geteuid())
		return np_asprintf("cannot %s %s: %s; run as root", action, path, strerror(-err));
	if (err == -EPERM)
		return np_asprintf("cannot %s %s: %s; run as root, without lockdown", action, path,
				   strerror(-err));
	return np_asprintf("cannot %s %s: %s", action, path, strerror(-err));
}

/* ---- whole files ---- */

static char *read_text(const struct np_live *l, const char *path, struct np_buf *b)
{
	int err = np_read_file(path, b);

	return err ? refused(l, "read", path, err) : NULL;
}

/* One write() is one command to the kernel. */
static int write_once(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC), err = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		err = -errno;
	if (close(fd) && !err)
		err = -errno;
	return err;
}

static char *write_text(const struct np_live *l, const char *path, const char *text)
{
	int err = write_once(path, text);

	return err ? refused(l, "write", path, err) : NULL;
}

/* Does the same for a file of the library, named without its directory. */
static char *write_ours(const struct np_live *l, const char *name, const char *text)
{
	char *path = np_live_path(l, name);
	char *error = write_text(l, path, text);

	free(path);
	return error;
}

static char *read_number(const struct np_live *l, const char *path, long *value)
{
	struct np_buf b = { 0 };
	char *error = read_text(l, path, &b);

	if (!error) {
		b.s[strcspn(b.s, "\n")] = '\0';
		if (np_parse_long(b.s, 0, UINT32_MAX, value))
			error = np_asprintf("%s: it has no number", path);
	}
	np_buf_free(&b);
	return error;
}

static char *write_number(const struct np_live *l, const char *path, long value)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld\n", value);
	return write_text(l, path, text);
}

/* ---- which policy ---- */

/* A file that has one policy's name. */
static char *read_name(const struct np_live *l, const char *path, char name[NUMA_POLICY_NAME_MAX])
{
	struct np_buf b = { 0 };
	char *error = read_text(l, path, &b);

	error = error ?: np_live_parse_name(b.s, path, name);
	np_buf_free(&b);
	return error;
}

/* Kernels with one policy have no file for it. */
static char *read_available(const struct np_live *l, struct np_live_policies *p)
{
	char *path = np_live_path(l, "available"), *error = NULL;
	struct np_buf b = { 0 };

	if (!access(path, F_OK) || !exists(l, DIRECTORY)) {
		error = read_text(l, path, &b);
		error = error ?: np_live_parse_available(b.s, path, p);
	}
	np_buf_free(&b);
	free(path);
	return error;
}

/* Where policies cannot be switched, a parameter names the one in force. */
static char *read_in_force(const struct np_live *l, struct np_live_policies *p)
{
	char *policy = np_live_path(l, "policy");
	char *parameter = np_asprintf("%s" PARAMETER, l->root);
	char *error = NULL;

	if (!access(policy, F_OK))
		error = read_name(l, policy, p->in_force);
	else if (!access(parameter, F_OK))
		error = read_name(l, parameter, p->in_force);
	free(policy);
	free(parameter);
	return error;
}

/**
 * np_live_read_policies() - which policies there are, and which is in force
 * @l: the kernel
 * @p: filled in as far as it can be, also if there is an error; to be freed by
 *	np_live_policies_free()
 *
 * Return: NULL, or a message to be freed.
 */
char *np_live_read_policies(const struct np_live *l, struct np_live_policies *p)
{
	char *error, *second;

	*p = (struct np_live_policies) { 0 };
	error = read_available(l, p);
	second = read_in_force(l, p);
	if (!error)
		return second;
	free(second);
	return error;
}

/**
 * np_live_policies_free() - free what np_live_read_policies() filled in
 * @p: the policies
 */
void np_live_policies_free(struct np_live_policies *p)
{
	free(p->names);
	*p = (struct np_live_policies) { 0 };
}

/* The kernel's answer to a name that it does not know is EINVAL. */
static char *switch_by(const struct np_live *l, const char *path, const char *policy)
{
	char *text = np_asprintf("%s\n", policy);
	int err = write_once(path, text);

	free(text);
	if (err == -EINVAL)
		return np_asprintf("%s: there is no policy '%s'; those there are: %s/available",
				   path, policy, l->dir);
	return err ? refused(l, "write", path, err) : NULL;
}

/**
 * np_live_switch() - change the policy in force for the system
 * @l: the kernel
 * @policy: name of the new one
 *
 * Return: NULL, or a message to be freed; then nothing was changed.
 */
char *np_live_switch(const struct np_live *l, const char *policy)
{
	char *path = np_live_path(l, "policy"), *error;
	struct stat st;

	/* Kernels that cannot switch have the file to be read only. */
	if (!stat(path, &st) && !(st.st_mode & 0222))
		error = np_asprintf("%s is read-only: the kernel is built without " SWITCH, path);
	else
		error = switch_by(l, path, policy);
	free(path);
	return error;
}

static char *process_path(const struct np_live *l, pid_t pid)
{
	return np_asprintf("%s/proc/%d/numa_scan_policy", l->root, (int)pid);
}

/* Either the process or the option is missing. */
static char *of_process(const struct np_live *l, pid_t pid, char *error)
{
	char proc[32];

	snprintf(proc, sizeof(proc), "/proc/%d", (int)pid);
	if (!error)
		return error;
	if (!exists(l, proc)) {
		free(error);
		return np_asprintf("there is no process %d", (int)pid);
	}
	strcat(proc, "/numa_scan_policy");
	if (exists(l, proc))
		return error;
	free(error);
	return np_asprintf("there is no %s%s: the kernel is built without " SWITCH, l->root, proc);
}

/**
 * np_live_read_process() - the policy of one process
 * @l: the kernel
 * @pid: the process
 * @policy: filled in: its own policy, or "default" if it has none
 *
 * Return: NULL, or a message to be freed.
 */
char *np_live_read_process(const struct np_live *l, pid_t pid, char policy[NUMA_POLICY_NAME_MAX])
{
	char *path = process_path(l, pid);
	char *error = of_process(l, pid, read_name(l, path, policy));

	free(path);
	return error;
}

/**
 * np_live_switch_process() - give one process, and what it will fork, a policy of its own
 * @l: the kernel
 * @pid: the process
 * @policy: the policy, or "default" for the system's
 *
 * Return: NULL, or a message to be freed; then nothing was changed.
 */
char *np_live_switch_process(const struct np_live *l, pid_t pid, const char *policy)
{
	char *path = process_path(l, pid);
	char *error = of_process(l, pid, switch_by(l, path, policy));

	free(path);
	return error;
}

/* ---- statistics ---- */

/**
 * np_live_read_stats() - how often which policy decided, and why
 * @l: the kernel
 * @s: filled in; to be freed by np_live_stats_free(), also after an error
 *
 * Return: NULL, or a message to be freed.
 */
char *np_live_read_stats(const struct np_live *l, struct np_live_stats *s)
{
	char *path = np_live_path(l, "stats"), *error;
	struct np_buf b = { 0 };

	*s = (struct np_live_stats) { 0 };
	error = read_text(l, path, &b);
	error = error ?: np_live_parse_stats(b.s, path, s);
	np_buf_free(&b);
	free(path);
	return error;
}

/**
 * np_live_reset_stats() - let the kernel count from zero
 * @l: the kernel
 *
 * Return: NULL, or a message to be freed.
 */
char *np_live_reset_stats(const struct np_live *l)
{
	return write_ours(l, "stats", "0\n");
}

/**
 * np_live_stats_free() - free statistics
 * @s: the statistics; empty afterwards
 */
void np_live_stats_free(struct np_live_stats *s)
{
	free(s->v);
	*s = (struct np_live_stats) { 0 };
}

/* ---- the shadow matrix ---- */

/**
 * np_live_read_matrix() - what the other policies would have said
 * @l: the kernel
 * @m: filled in; to be freed by np_live_matrix_free(), also after an error
 *
 * Return: NULL, or a message to be freed.
 */
char *np_live_read_matrix(const struct np_live *l, struct np_live_matrix *m)
{
	char *path = np_live_path(l, "shadow_matrix"), *error;
	struct np_buf b = { 0 };

	*m = (struct np_live_matrix) { 0 };
	error = read_text(l, path, &b);
	error = error ?: np_live_parse_matrix(b.s, path, m);
	np_buf_free(&b);
	free(path);
	return error;
}

/**
 * np_live_reset_matrix() - let the kernel fill the shadow matrix from zero
 * @l: the kernel
 *
 * Return: NULL, or a message to be freed.
 */
char *np_live_reset_matrix(const struct np_live *l)
{
	return write_ours(l, "shadow_matrix", "0\n");
}

/**
 * np_live_matrix_free() - free a shadow matrix
 * @m: the matrix; empty afterwards
 */
void np_live_matrix_free(struct np_live_matrix *m)
{
	free(m->v);
	*m = (struct np_live_matrix) { 0 };
}

/**
 * np_live_read_shadow() - whether the other policies are asked too
 * @l: the kernel
 * @on: filled in
 *
 * Return: NULL, or a message to be freed.
 */
char *np_live_read_shadow(const struct np_live *l, bool *on)
{
	char *path = np_live_path(l, "shadow"), *error;
	struct np_buf b = { 0 };

	error = read_text(l, path, &b);
	if (!error) {
		b.s[strcspn(b.s, "\n")] = '\0';
		*on = !strcmp(b.s, "1") || !strcmp(b.s, "Y");
		if (!*on && strcmp(b.s, "0") && strcmp(b.s, "N"))
			error = np_asprintf("%s: it has neither 0 nor 1", path);
	}
	np_buf_free(&b);
	free(path);
	return error;
}

/**
 * np_live_set_shadow() - have the other policies asked too, or no longer
 * @l: the kernel
 * @on: whether
 *
 * Return: NULL, or a message to be freed.
 */
char *np_live_set_shadow(const struct np_live *l, bool on)
{
	return write_ours(l, "shadow", on ? "1\n" : "0\n");
}

/* ---- what the rest of NUMA balancing counts, and its tunables ---- */

/**
 * np_live_read_vmstat() - what NUMA balancing did since boot
 * @l: the kernel
 * @s: filled in
 *
 * Return: NULL, or a message to be freed.
 */
char *np_live_read_vmstat(const struct np_live *l, struct np_live_vmstat *s)
{
	char *path = np_asprintf("%s/proc/vmstat", l->root), *error;
	struct np_buf b = { 0 };

	error = read_text(l, path, &b);
	error = error ?: np_live_parse_vmstat(b.s, path, s);
	np_buf_free(&b);
	free(path);
	return error;
}

/**
 * np_live_read_balancing() - whether NUMA balancing is on
 * @l: the kernel
 * @mode: filled in: the value of kernel.numa_balancing, 0 for off
 *
 * Return: NULL, or a message to be freed.
 */
char *np_live_read_balancing(const struct np_live *l, long *mode)
{
	char *path = np_asprintf("%s" BALANCING, l->root), *error;

	if (!exists(l, BALANCING))
		error = np_asprintf("there is no %s: the kernel is built without " NUMA, path);
	else
		error = read_number(l, path, mode);
	free(path);
	return error;
}

/**
 * np_live_set_balancing() - turn NUMA balancing on or off
 * @l: the kernel
 * @mode: the value for kernel.numa_balancing
 *
 * Return: NULL, or a message to be freed.
 */
char *np_live_set_balancing(const struct np_live *l, long mode)
{
	char *path = np_asprintf("%s" BALANCING, l->root);
	char *error = write_number(l, path, mode);

	free(path);
	return error;
}

static char *tunable_path(const struct np_live *l, const char *name)
{
	return np_asprintf("%s" TUNABLES "/%s", l->root, name);
}

/**
 * np_live_read_tunable() - the value of a tunable of NUMA balancing
 * @l: the kernel
 * @name: its name in debugfs, such as "scan_delay_ms"
 * @value: filled in
 *
 * Return: NULL, or a message to be freed.
 */
char *np_live_read_tunable(const struct np_live *l, const char *name, long *value)
{
	char *path = tunable_path(l, name);
	char *error = read_number(l, path, value);

	free(path);
	return error;
}

/**
 * np_live_set_tunable() - set a tunable of NUMA balancing
 * @l: the kernel
 * @name: its name in debugfs
 * @value: the new value
 *
 * Return: NULL, or a message to be freed.
 */
char *np_live_set_tunable(const struct np_live *l, const char *name, long value)
{
	char *path = tunable_path(l, name);
	char *error = write_number(l, path, value);

	free(path);
	return error;
}
