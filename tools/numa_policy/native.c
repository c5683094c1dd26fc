// SPDX-License-Identifier: GPL-2.0
/*
 * The running machine as the place where cells are run.
 *
 * Its policy is switched for each cell. Policy and tunables are those of the whole machine, so they
 * are set back however the run ends: at its end, by a signal, and where the program gives up.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "native.h"
#include "options.h"
#include "results.h"
#include "setup.h"
#include "util.h"

/* Bit of kernel.numa_balancing that has memory follow the tasks. */
#define BALANCING_NORMAL 1

#define NODES "/sys/devices/system/node"

/* Set while there is something to set back. */
static struct np_native *at_work;

static const char *root(const struct np_native *n)
{
	return n->live.root;
}

/* The first line of a file below the root, or NULL. */
static char *first_line(const struct np_native *n, const char *path)
{
	char *full = np_asprintf("%s%s", root(n), path), *line = NULL;
	struct np_buf b = { 0 };

	if (!np_read_file(full, &b))
		line = np_text_clean(b.s, strcspn(b.s, "\n"));
	np_buf_free(&b);
	free(full);
	return line;
}

/* ---- the nodes ---- */

/* The numbers of a list such as "0-3,7". */
static json_t *number_list(const char *s)
{
	json_t *list = json_array();
	int from, to, used;

	while (s && sscanf(s, "%d%n", &from, &used) == 1) {
		s += used;
		to = from;
		if (*s == '-' && sscanf(s + 1, "%d%n", &to, &used) == 1)
			s += 1 + used;
		for (; from <= to; from++)
			json_array_append_new(list, json_integer(from));
		if (*s++ != ',')
			break;
	}
	return list;
}

static json_t *read_list(const struct np_native *n, const char *path)
{
	char *line = first_line(n, path), *p;
	json_t *list;

	for (p = line; p && *p; p++)
		if (*p == ' ')
			*p = ',';
	list = number_list(line);
	free(line);
	return list;
}

static long node_mb(const struct np_native *n, int id)
{
	char *path = np_asprintf("%s" NODES "/node%d/meminfo", root(n), id), *p;
	struct np_buf b = { 0 };
	long kb = 0;

	if (!np_read_file(path, &b)) {
		p = strstr(b.s, "MemTotal:");
		kb = p ? strtol(p + 9, NULL, 10) : 0;
	}
	np_buf_free(&b);
	free(path);
	return kb / 1024;
}

static json_t *read_node(const struct np_native *n, int id)
{
	char *cpus = np_asprintf(NODES "/node%d/cpulist", id);
	char *distance = np_asprintf(NODES "/node%d/distance", id);
	json_t *node = json_pack("{s:i, s:o, s:I, s:o}", "id", id, "cpus", read_list(n, cpus),
				 "mem_mb", (json_int_t)node_mb(n, id), "distance",
				 read_list(n, distance));

	free(cpus);
	free(distance);
	return node;
}

static size_t cpus_of(const json_t *node)
{
	return json_array_size(json_object_get(node, "cpus"));
}

/* "2x4, 1024+1008 MB as found"; where the nodes differ "2 nodes, 4+8 CPUs, ...". */
static char *topology_text(const json_t *nodes)
{
	struct np_buf cpus = { 0 }, mb = { 0 };
	const json_t *node, *first = json_array_get(nodes, 0);
	bool alike = true;
	char *text;
	size_t i;

	json_array_foreach((json_t *)nodes, i, node) {
		alike &= cpus_of(node) == cpus_of(first);
		np_buf_printf(&cpus, "%s%zu", i ? "+" : "", cpus_of(node));
		np_buf_printf(&mb, "%s%lld", i ? "+" : "",
			      (long long)json_integer_value(json_object_get(node, "mem_mb")));
	}
	if (alike)
		text = np_asprintf("%zux%zu, %s MB as found", json_array_size(nodes),
				   cpus_of(first), mb.s);
	else
		text = np_asprintf("%zu nodes, %s CPUs, %s MB as found", json_array_size(nodes),
				   cpus.s, mb.s);
	np_buf_free(&cpus);
	np_buf_free(&mb);
	return text;
}

/* Return: what is wrong with the machine's nodes, or NULL. */
static char *read_topology(struct np_native *n)
{
	json_t *nodes = json_array(), *ids = read_list(n, NODES "/online"), *v;
	char *text;
	int full = 0;
	size_t i;

	json_array_foreach(ids, i, v) {
		json_t *node = read_node(n, json_integer_value(v));

		full += cpus_of(node) && json_integer_value(json_object_get(node, "mem_mb"));
		json_array_append_new(nodes, node);
	}
	json_decref(ids);
	if (full < 2) {
		json_decref(nodes);
		return np_asprintf("this machine has %d NUMA node%s with CPUs and memory: NUMA balancing has work where there are two or more; without --native, guests have them",
				   full, full == 1 ? "" : "s");
	}
	text = topology_text(nodes);
	n->topology = json_pack("{s:s, s:o}", "text", text, "nodes", nodes);
	free(text);
	return NULL;
}

/* ---- what the kernel is ---- */

/* A file that may be compressed. */
static bool read_packed(const char *path, struct np_buf *b)
{
	gzFile f = gzopen(path, "re");
	char chunk[65536];
	int got;

	if (!f)
		return false;
	while ((got = gzread(f, chunk, sizeof(chunk))) > 0)
		np_buf_add(b, chunk, got);
	gzclose(f);
	return !got && b->len;
}

/* Take the configuration from a file, if it is there and there was none before. Frees @path. */
static void try_config(struct np_native *n, char *path)
{
	struct np_buf b = { 0 };

	if (!n->config && read_packed(path, &b))
		n->config = np_config_lines(b.s, &n->windows);
	np_buf_free(&b);
	free(path);
}

/* Some kernels have it in themselves; Debian has it in /boot, others elsewhere. */
static void read_config(struct np_native *n)
{
	try_config(n, np_asprintf("%s/proc/config.gz", root(n)));
	try_config(n, np_asprintf("%s/boot/config-%s", root(n), n->release));
	try_config(n, np_asprintf("%s/lib/modules/%s/config", root(n), n->release));
	try_config(n, np_asprintf("%s/lib/modules/%s/build/.config", root(n), n->release));
}

static char *cpu_model(const struct np_native *n)
{
	char *path = np_asprintf("%s/proc/cpuinfo", root(n)), *model = NULL, *p;
	struct np_buf b = { 0 };

	if (!np_read_file(path, &b)) {
		p = strstr(b.s, "model name");
		p = p ? strchr(p, ':') : NULL;
		if (p)
			model = np_text_clean(p + 2, strcspn(p + 2, "\n"));
	}
	np_buf_free(&b);
	free(path);
	return model;
}

static void read_kernel(struct np_native *n)
{
	struct utsname uts;

	uname(&uts);
	n->release = np_strdup(uts.release);
	n->version = first_line(n, "/proc/version");
	n->boot = first_line(n, "/proc/sys/kernel/random/boot_id");
	n->hugepage = first_line(n, "/sys/kernel/mm/transparent_hugepage/enabled");
	n->cpu = cpu_model(n);
	read_config(n);
}

static void read_tunables(struct np_native *n)
{
	n->tunables = json_object();
	for (int i = 0; i < np_tunables_count; i++) {
		long value;
		char *error = np_live_read_tunable(&n->live, np_tunables[i], &value);

		/* One that this kernel does not have cannot be changed either. */
		if (!error)
			json_object_set_new(n->tunables, np_tunables[i], json_integer(value));
		free(error);
	}
}

/* ---- what it must have ---- */

static char *find_program(struct np_native *n)
{
	char *path = np_asprintf("%s/guest/init", np_self_dir()), *error = NULL;

	n->program = realpath(path, NULL);
	if (!n->program || access(n->program, X_OK))
		error = np_asprintf("cannot run %s: %s; 'make guest' builds it", path,
				    strerror(errno));
	free(path);
	return error;
}

static char *check_policy(const struct np_native *n)
{
	char own[NUMA_POLICY_NAME_MAX], *path = np_live_path(&n->live, "policy"), *error = NULL;
	struct stat st;

	if (stat(path, &st) || !(st.st_mode & 0200) || !n->policies.n)
		error = np_asprintf("the scan policy cannot be changed while this kernel runs: %s %s; build it with several policies and CONFIG_NUMA_POLICY_SWITCH",
				    path, access(path, F_OK) ? "is missing" : "can only be read");
	free(path);
	if (error)
		return error;
	/* What has a policy of its own does not follow the system's. */
	error = np_live_read_process(&n->live, getpid(), own);
	if (!error && strcmp(own, "default"))
		return np_asprintf("this process has the scan policy '%s' of its own, and so will what it starts; write 'default' to /proc/%d/numa_scan_policy, of the shell, first",
				   own, getppid());
	free(error);
	return NULL;
}

static char *check_balancing(const struct np_native *n)
{
	long mode = 0;
	char *error = np_live_read_balancing(&n->live, &mode);

	if (!error && !(mode & BALANCING_NORMAL))
		error = np_asprintf("NUMA balancing is off: %s/proc/sys/kernel/numa_balancing is %ld; as root: sysctl kernel.numa_balancing=1",
				    root(n), mode);
	return error;
}

/**
 * np_native_peek() - see which policies the running kernel has, and nothing else
 * @n: filled in; to be freed by np_native_close() in any case
 * @dir: a directory whose proc/ and sys/ stand in for the kernel's, for tests; NULL: none does
 *
 * Return: NULL, or why that cannot be told, to be freed.
 */
char *np_native_peek(struct np_native *n, const char *dir)
{
	*n = (struct np_native) { .lock = -1 };
	np_live_init(&n->live, dir);
	return np_live_read_policies(&n->live, &n->policies);
}

/**
 * np_native_open() - find all that is needed to run cells on this machine; changes nothing
 * @n: filled in; to be freed by np_native_close() in any case
 * @dir: as for np_native_peek()
 *
 * Return: NULL, or what is missing and what would be right, to be freed.
 */
char *np_native_open(struct np_native *n, const char *dir)
{
	char *error = np_native_peek(n, dir);

	if (!*root(n) && geteuid()) {
		free(error);
		return np_strdup("--native needs root: it changes the machine's scan policy and looks where the memory of processes is");
	}
	error = error ?: check_policy(n);
	error = error ?: check_balancing(n);
	error = error ?: read_topology(n);
	error = error ?: find_program(n);
	if (error)
		return error;
	read_kernel(n);
	read_tunables(n);
	return NULL;
}

static char *policy_in_force(const struct np_native *n, char *name)
{
	struct np_live_policies now;
	char *error = np_live_read_policies(&n->live, &now);

	if (!error)
		snprintf(name, NUMA_POLICY_NAME_MAX, "%s", now.in_force);
	np_live_policies_free(&now);
	return error;
}

/* ---- the processes of a run ---- */

/* Children that are not a run's: they were there before; a shell leaves them to what it execs. */
static int *spared;
static int nspared;

static void spare(int child)
{
	spared = np_realloc(spared, (nspared + 1) * sizeof(*spared));
	spared[nspared++] = child;
}

/* The parent of a process; its name, in parentheses, may hold anything. */
static int parent_of(const char *pid)
{
	char *path = np_asprintf("/proc/%s/stat", pid), *p;
	struct np_buf b = { 0 };
	int parent = 0;

	if (!np_read_file(path, &b)) {
		p = strrchr(b.s, ')');
		if (!p || sscanf(p + 1, " %*c %d", &parent) != 1)
			parent = 0;
	}
	np_buf_free(&b);
	free(path);
	return parent;
}

static bool is_spared(int child)
{
	int i;

	for (i = 0; i < nspared; i++)
		if (spared[i] == child)
			return true;
	return false;
}

/* A child that is not spared, or 0. */
static int find_child(void)
{
	DIR *dir = opendir("/proc");
	struct dirent *e;
	int child = 0;

	while (dir && !child && (e = readdir(dir)))
		if (*e->d_name > '0' && *e->d_name <= '9' && parent_of(e->d_name) == getpid() &&
		    !is_spared(atoi(e->d_name)))
			child = atoi(e->d_name);
	if (dir)
		closedir(dir);
	return child;
}

/* Return: NULL, or why processes cannot be told apart here, to be freed. */
static char *spare_children(void)
{
	char self[32] = "";
	int child;

	if (readlink("/proc/self", self, sizeof(self) - 1) < 0 || atoi(self) != getpid())
		return np_strdup("/proc is not that of this PID namespace, so what a run leaves behind could not be found: mount it (mount -t proc proc /proc)");
	while ((child = find_child()))
		spare(child);
	return NULL;
}

/**
 * np_native_lock() - make sure that this is the only native run on this machine
 * @n: the machine
 *
 * Signals that would end this program without warning are out of the way from here on.
 *
 * Return: NULL, or what is wrong, to be freed.
 */
char *np_native_lock(struct np_native *n)
{
	char *path = np_live_path(&n->live, "policy"), *error = NULL;

	n->lock = open(path, O_RDONLY | O_CLOEXEC);
	if (n->lock < 0)
		error = np_asprintf("cannot open %s: %s", path, strerror(errno));
	else if (flock(n->lock, LOCK_EX | LOCK_NB))
		error = errno == EWOULDBLOCK ?
			np_strdup("another numa-policy run --native is at work on this machine; there can be one at a time") :
			np_asprintf("cannot lock %s: %s", path, strerror(errno));
	free(path);
	error = error ?: spare_children();
	/* What was read before may have been the other's. */
	error = error ?: policy_in_force(n, n->policies.in_force);
	json_decref(n->tunables);
	read_tunables(n);
	/* All that a cell's processes leave behind comes to us. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	signal(SIGPIPE, SIG_IGN);
	return error;
}

static void set_text(json_t *object, const char *key, const char *text)
{
	if (text)
		json_object_set_new(object, key, np_json_text(text));
}

/**
 * np_native_head() - what the head of results says about the machine
 * @n: the machine
 * @head: the head
 */
void np_native_head(const struct np_native *n, json_t *head)
{
	json_t *kernel = json_object(), *native = json_object();

	set_text(kernel, "release", n->release);
	set_text(kernel, "version", n->version);
	if (n->config)
		json_object_set(kernel, "config", n->config);
	json_object_set_new(head, "kernel", kernel);
	set_text(native, "cpu", n->cpu);
	set_text(native, "boot", n->boot);
	set_text(native, "transparent_hugepage", n->hugepage);
	set_text(native, "policy_before", n->policies.in_force);
	json_object_set(native, "tunables_before", n->tunables);
	set_text(native, "counters", "of the whole machine: what other processes did is in them");
	json_object_set_new(head, "native", native);
	json_object_set(head, "topology", n->topology);
}

/* ---- switching, and setting back ---- */

static void set_back_at_exit(void)
{
	if (at_work)
		np_native_restore(at_work);
}

/**
 * np_native_begin() - have a policy in force
 * @n: the machine, locked
 * @policy: the policy
 *
 * Return: NULL, or why it is not, to be freed.
 */
char *np_native_begin(struct np_native *n, const char *policy)
{
	static bool registered;

	if (!registered)
		atexit(set_back_at_exit);
	registered = true;
	at_work = n;
	n->changed = true;
	return np_live_switch(&n->live, policy);
}

/* Set all back that can be. Return: what could not first, or NULL. */
static char *restore_tunables(const struct np_native *n)
{
	char *first = NULL;
	const char *name;
	json_t *v;

	json_object_foreach(n->tunables, name, v) {
		long value, was = json_integer_value(v);
		char *error = np_live_read_tunable(&n->live, name, &value);

		if (!error && value != was)
			error = np_live_set_tunable(&n->live, name, was);
		if (first)
			free(error);
		else
			first = error;
	}
	return first;
}

/**
 * np_native_end() - after a run: was all as it should be until its end? Sets the tunables back
 * @n: the machine
 * @policy: the policy that np_native_begin() put in force
 *
 * Return: NULL, or why the run does not count, to be freed.
 */
char *np_native_end(struct np_native *n, const char *policy)
{
	char now[NUMA_POLICY_NAME_MAX], *error = policy_in_force(n, now), *other;

	if (!error && strcmp(now, policy))
		error = np_asprintf("the scan policy was changed by somebody else: at the end of the run it was '%s'",
				    now);
	if (!error)
		error = check_balancing(n);
	other = restore_tunables(n);
	if (!error)
		return other;
	free(other);
	return error;
}

/**
 * np_native_restore() - have the policy and the tunables that were there before
 * @n: the machine
 *
 * Return: NP_OK, or NP_FAIL after a message.
 */
int np_native_restore(struct np_native *n)
{
	char now[NUMA_POLICY_NAME_MAX], *error, *tunables;

	if (!n->changed)
		return NP_OK;
	n->changed = false;
	at_work = NULL;
	tunables = restore_tunables(n);
	error = policy_in_force(n, now);
	if (!error && strcmp(now, n->policies.in_force))
		error = np_live_switch(&n->live, n->policies.in_force);
	if (tunables)
		np_error("the tunables are not as they were before: %s", tunables);
	if (error)
		np_error("the scan policy is not '%s' as before: %s", n->policies.in_force, error);
	free(tunables);
	if (!error)
		return tunables ? NP_FAIL : NP_OK;
	free(error);
	return NP_FAIL;
}

/**
 * np_native_sweep() - end all processes that a run has left behind
 *
 * Those whose parent has ended are our children, since np_native_lock(); those that were our
 * children by then are spared.
 */
void np_native_sweep(void)
{
	int child;

	while ((child = find_child())) {
		int gone;

		kill(child, SIGKILL);
		while ((gone = waitpid(child, NULL, 0)) < 0 && errno == EINTR)
			;
		/* Not ours after all: it would be found for ever. */
		if (gone < 0)
			spare(child);
	}
}

/**
 * np_native_close() - give a machine up
 * @n: the machine; must have been opened, or be all zero
 */
void np_native_close(struct np_native *n)
{
	if (!n->live.root)
		return;
	np_native_restore(n);
	if (n->lock >= 0)
		close(n->lock);
	free(spared);
	spared = NULL;
	nspared = 0;
	np_live_policies_free(&n->policies);
	np_live_free(&n->live);
	free(n->program);
	free(n->release);
	free(n->version);
	free(n->cpu);
	free(n->boot);
	free(n->hugepage);
	json_decref(n->topology);
	json_decref(n->config);
	json_decref(n->tunables);
	*n = (struct np_native) { .lock = -1 };
}
