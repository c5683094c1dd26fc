// SPDX-License-Identifier: GPL-2.0
/*
 * The first and only program of a guest: runs one workload, watches it from outside, tells
 * the host what it saw, and powers the machine off.
 *
 * It keeps its own memory out of NUMA balancing (a memory policy without balancing), so that
 * the counters are the workload's.
 *
 * On a running machine (NP_NATIVE_MODE) it is an ordinary program of root: it mounts and switches
 * on nothing, its records go into a file, and it exits. The tunables that it sets are for whoever
 * started it to set back.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/mempolicy.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../traffic/marks.h"
#include "acting.h"
#include "foreign.h"
#include "guest.h"
#include "locality.h"
#include "records.h"
#include "traffic.h"

#define PORT "numa_policy"

#define STR_(_x) #_x
#define STR(_x) STR_(_x)

/* Windows of history, where the host does not say otherwise. */
#define WINDOWS_UNPATCHED 2

#define MODULE "/sys/module/kernel/parameters"

static const struct {
	const char *name;
	void (*run)(void);
} runs[] = {
	{ "sleeper", np_run_sleeper },
	{ "late_vma", np_run_late_vma },
	{ "threadlocal", np_run_threadlocal },
	{ "numa01", np_run_numa01 },
	{ "numa01_threadlocal", np_run_numa01 },
	{ "numa02", np_run_numa02 },
	{ "numa02_smt", np_run_numa02 },
	{ "bigvma", np_run_bigvma },
	{ "forks", np_run_forks },
	{ "rules", np_run_rules },
	{ "histories", np_run_histories },
	{ "known", np_run_known },
};

/* Tunables of workloads for which everything happens fast. The command line comes after. */
static const struct {
	const char *workload;
	const char *tunable[5];		/* up to NULL */
} workload_tunables[] = {
	{ "rules", {
		"t.scan_delay_ms=100", "t.scan_period_min_ms=50", "t.scan_period_max_ms=50",
		"t.scan_size_mb=1",
	} },
	{ "bigvma", { "t.scan_size_mb=4" } },
	{ "histories", {
		"t.scan_delay_ms=" STR(NP_ACT_DELAY_MS),
		"t.scan_period_min_ms=" STR(NP_ACT_PERIOD_MS),
		"t.scan_period_max_ms=" STR(NP_ACT_PERIOD_MS),
	} },
};

static const char *const counters[] = {
	"numa_pte_updates", "numa_hint_faults", "numa_hint_faults_local", "numa_pages_migrated",
};

static const char *const counter_metrics[] = {
	"pte_updates", "hint_faults", "hint_faults_local", "pages_migrated",
};

static const struct {
	const char *what;
	const char *where;
	const char *type;
	bool must;
} mounts[] = {
	{ "proc", "/proc", "proc", true },
	{ "sysfs", "/sys", "sysfs", true },
	{ "devtmpfs", "/dev", "devtmpfs", true },
	{ "tmpfs", "/tmp", "tmpfs", false },
	{ "debugfs", "/sys/kernel/debug", "debugfs", true },
	{ "tracefs", "/sys/kernel/tracing", "tracefs", false },
};

/* What the command line asked for. */
static const char *workload_name = "";
static const char *job_path;
static long limit_s, sample_ms = 1000, decisions;
static bool traffic;
static pid_t workload_pid;

/* Processes that the kernel had ended for want of memory before the workload began. */
static long killed_before;

/* What is seen while the workload runs. */
static struct {
	unsigned long t0;
	unsigned long measured;
	unsigned long end;
	unsigned long last;
	double last_share;
	double sum;
	double weight;
	double remote_page_ms;
	long last_remote;
	double t90_ms;
	bool reached;
	bool have_share;
} seen = { .last_share = -1 };

/* The first thing wrong with the command line, told once the begin record is out. */
static char *complaint;

__printf(1, 2) static void complain(const char *fmt, ...)
{
	char text[300];
	va_list ap;

	if (complaint)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	complaint = np_strdup(text);
}

/* First line of a file, or NULL. */
static char *read_line(const char *path)
{
	struct np_buf b = { 0 };

	if (np_read_file(path, &b))
		return NULL;
	b.s[strcspn(b.s, "\n")] = '\0';
	return b.s;
}

static long read_long(const char *path, long otherwise)
{
	char *s = read_line(path);
	long v = otherwise;

	if (s && np_parse_long(s, LONG_MIN, LONG_MAX, &v))
		v = otherwise;
	free(s);
	return v;
}

static int write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), err = 0;
	size_t len = strlen(text);

	if (fd < 0)
		return -errno;
	if (write(fd, text, len) != (ssize_t)len)
		err = errno ? -errno : -EIO;
	close(fd);
	return err;
}

static void mount_all(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(mounts); i++) {
		mkdir(mounts[i].where, 0755);
		if (mount(mounts[i].what, mounts[i].where, mounts[i].type, 0, NULL) &&
		    errno != EBUSY && mounts[i].must)
			complain("cannot mount %s: %s", mounts[i].where, strerror(errno));
	}
}

static noreturn void power_off(void)
{
	np_rec_close();
	if (guest.native)
		exit(NP_OK);
	sync();
	reboot(RB_POWER_OFF);
	reboot(RB_AUTOBOOT);
	for (;;)
		pause();
}

/* NUMA balancing has to be on. Without its sysctl only the kernel's command line can tell. */
static void switch_on(void)
{
	static const char file[] = "/proc/sys/kernel/numa_balancing";
	char *cmdline;
	int err;

	if (read_long(file, 0) > 0)
		return;
	err = write_text(file, "1");
	if (err == -ENOENT) {
		cmdline = read_line("/proc/cmdline");
		if (cmdline && strstr(cmdline, "numa_balancing=enable"))
			err = 0;
		free(cmdline);
	}
	if (err)
		complain("cannot switch NUMA balancing on: %s: %s", file, strerror(-err));
}

/* A number from the command line; @s is "name=value". */
static long arg_value(const char *s, long min, long max, long otherwise)
{
	const char *value = strchr(s, '=') + 1;
	long v = otherwise;

	switch (np_parse_long(value, min, max, &v)) {
	case -EINVAL:
		complain("'%s': not a decimal integer", s);
		break;
	case -ERANGE:
		complain("'%s': not from %ld to %ld", s, min, max);
		break;
	}
	return v;
}

static void set_param(const char *arg)
{
	char *name = np_strndup(arg + 2, strchr(arg, '=') - arg - 2);
	const struct np_param *p = guest.w ? np_param_find(guest.w, name) : NULL;

	if (p)
		guest.param[p - guest.w->params] = arg_value(arg, p->min, p->max, p->def);
	else
		complain("workload '%s' has no parameter '%s'", workload_name, name);
	free(name);
}

static void set_tunable(const char *arg)
{
	char *name = np_strndup(arg + 2, strchr(arg, '=') - arg - 2);
	char *path = np_asprintf("%s/%s", NP_TUNABLES, name);
	int err;

	/* A kernel that is told to scan nothing divides by it. */
	arg_value(arg, !strcmp(name, "scan_size_mb"), LONG_MAX, 0);
	if (strchr(name, '/') || access(path, F_OK)) {
		complain("this kernel has no NUMA-balancing tunable '%s'", name);
	} else if (!complaint) {
		err = write_text(path, strchr(arg, '=') + 1);
		if (err)
			complain("the kernel refused '%s': %s", arg, strerror(-err));
	}
	free(path);
	free(name);
}

static bool is_workload(const char *name)
{
	return guest.w && !strcmp(guest.w->name, name);
}

/* Is it a program of the host? */
static bool is_foreign(void)
{
	return guest.w && guest.w->command;
}

/* Does the workload want every decision recorded? */
static bool with_decisions(void)
{
	return decisions || (is_workload("rules") && np_get("trace"));
}

static int start_trace(void)
{
	if (is_workload("histories"))
		return np_trace_start(NP_ACT_FILTER);
	return with_decisions() ? np_trace_start(NULL) : 0;
}

static void set_workload_tunables(void)
{
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(workload_tunables); i++) {
		if (!is_workload(workload_tunables[i].workload))
			continue;
		for (j = 0; workload_tunables[i].tunable[j]; j++)
			set_tunable(workload_tunables[i].tunable[j]);
	}
}

static void parse_args(int argc, char **argv)
{
	int i, j;

	guest.windows = WINDOWS_UNPATCHED;
	for (i = 1; i < argc; i++)
		if (!strncmp(argv[i], "workload=", 9))
			workload_name = argv[i] + 9;
	guest.w = np_workload_find(workload_name);
	if (!guest.w) {
		complain(*workload_name ? "unknown workload '%s'" : "no workload named%s",
			 workload_name);
	} else {
		for (j = 0; guest.w->params[j].name; j++)
			guest.param[j] = guest.w->params[j].def;
		limit_s = guest.w->limit_s;
	}
	set_workload_tunables();
	for (i = 1; i < argc; i++) {
		if (!strncmp(argv[i], "workload=", 9))
			continue;
		if (!strncmp(argv[i], "seed=", 5))
			guest.seed = arg_value(argv[i], LONG_MIN, LONG_MAX, 0);
		else if (!strncmp(argv[i], "limit_s=", 8))
			limit_s = arg_value(argv[i], 1, 1000000, limit_s);
		else if (!strncmp(argv[i], "sample_ms=", 10))
			sample_ms = arg_value(argv[i], 10, 1000000, sample_ms);
		else if (!strncmp(argv[i], "decisions=", 10))
			decisions = arg_value(argv[i], 0, 1, 0);
		else if (!strncmp(argv[i], "windows=", 8))
			guest.windows = arg_value(argv[i], 2, 8, WINDOWS_UNPATCHED);
		else if (!strncmp(argv[i], "job=", 4))
			job_path = argv[i] + 4;
		else if (!strcmp(argv[i], "traffic=1"))
			traffic = true;
		else if (!strncmp(argv[i], "p.", 2) && strchr(argv[i], '='))
			set_param(argv[i]);
		else if (!strncmp(argv[i], "t.", 2) && strchr(argv[i], '='))
			set_tunable(argv[i]);
		else
			complain("unknown argument '%s'", argv[i]);
	}
}

/* Numbers of a list such as "0-3,7". */
static int parse_list(const char *s, int *list, int max)
{
	int a, b, used, n = 0;

	while (s && sscanf(s, "%d%n", &a, &used) == 1) {
		s += used;
		b = a;
		if (*s == '-' && sscanf(s + 1, "%d%n", &b, &used) == 1)
			s += 1 + used;
		for (; a <= b && n < max; a++)
			list[n++] = a;
		if (*s++ != ',')
			break;
	}
	return n;
}

static void find_nodes(void)
{
	char *online = read_line("/sys/devices/system/node/online");
	int ids[NP_NODES_MAX], i;

	guest.nnodes = parse_list(online, ids, NP_NODES_MAX);
	free(online);
	if (!guest.nnodes)
		complain("this kernel knows no NUMA nodes");
	for (i = 0; i < guest.nnodes; i++) {
		struct np_node *node = &guest.node[i];
		char path[96], *s, *p;
		struct np_buf b = { 0 };

		node->id = ids[i];
		snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/cpulist", ids[i]);
		s = read_line(path);
		node->ncpus = parse_list(s, node->cpus, NP_CPUS_MAX);
		free(s);
		snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/meminfo", ids[i]);
		if (!np_read_file(path, &b)) {
			p = strstr(b.s, "MemTotal:");
			if (p)
				node->mem_kb = strtol(p + 9, NULL, 10);
		}
		np_buf_free(&b);
	}
}

static void add_node(struct np_buf *b, const struct np_node *node)
{
	char path[96], *s, *p;
	int i;

	np_buf_printf(b, "{\"id\":%d,\"cpus\":[", node->id);
	for (i = 0; i < node->ncpus; i++)
		np_buf_printf(b, "%s%d", i ? "," : "", node->cpus[i]);
	np_buf_printf(b, "],\"mem_kb\":%ld,\"distance\":[", node->mem_kb);
	snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/distance", node->id);
	s = read_line(path);
	for (p = s; p && *p; p++)
		if (*p == ' ')
			*p = ',';
	np_buf_printf(b, "%s]}", s ? s : "");
	free(s);
}

static void add_tunables(struct np_buf *b)
{
	DIR *dir = opendir(NP_TUNABLES);
	struct dirent *e;
	bool first = true;

	while (dir && (e = readdir(dir))) {
		char *path = np_asprintf("%s/%s", NP_TUNABLES, e->d_name);
		long v = read_long(path, -1);

		if (v >= 0) {
			np_buf_puts(b, first ? "" : ",");
			np_json_str(b, e->d_name);
			np_buf_printf(b, ":%ld", v);
			first = false;
		}
		free(path);
	}
	if (dir)
		closedir(dir);
}

static void begin_record(void)
{
	char *policy = read_line(MODULE "/numa_scan_policy");
	char *cmdline = read_line("/proc/cmdline");
	struct np_buf b = { 0 };
	struct utsname uts;
	int i;

	uname(&uts);
	np_buf_puts(&b, "{\"type\":\"begin\",\"version\":1,\"workload\":");
	np_json_str(&b, workload_name);
	np_buf_printf(&b, ",\"seed\":%ld,\"kernel\":", (long)guest.seed);
	np_json_str(&b, uts.release);
	np_buf_puts(&b, ",\"policy\":");
	if (policy)
		np_json_str(&b, policy);
	else
		np_buf_puts(&b, "null");
	np_buf_printf(&b, ",\"windows\":%ld,\"cmdline\":", guest.windows);
	np_json_str(&b, cmdline ? cmdline : "");
	np_buf_puts(&b, ",\"nodes\":[");
	for (i = 0; i < guest.nnodes; i++) {
		np_buf_puts(&b, i ? "," : "");
		add_node(&b, &guest.node[i]);
	}
	np_buf_puts(&b, "],\"params\":{");
	for (i = 0; guest.w && guest.w->params[i].name; i++)
		np_buf_printf(&b, "%s\"%s\":%ld", i ? "," : "", guest.w->params[i].name,
			      guest.param[i]);
	np_buf_puts(&b, "},\"tunables\":{");
	add_tunables(&b);
	np_buf_printf(&b, "},\"sample_ms\":%ld,\"limit_s\":%ld}", sample_ms, limit_s);
	np_rec_write(&b);
	free(policy);
	free(cmdline);
}

static void read_counter(const char *name, long *value)
{
	char *want = np_asprintf("\n%s ", name), *p;
	struct np_buf b = { 0 };

	np_read_file("/proc/vmstat", &b);
	p = b.s ? strstr(b.s, want) : NULL;
	if (p)
		*value = strtol(p + strlen(want), NULL, 10);
	else
		np_rec_error("/proc/vmstat has no %s", name);
	free(want);
	np_buf_free(&b);
}

static void read_counters(long *value)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(counters); i++)
		read_counter(counters[i], &value[i]);
}

static double since(unsigned long from, unsigned long to)
{
	return to > from ? (to - from) / 1e6 : 0;
}

/*
 * Look where the memory is. @at is the time the state belongs to: now, or that of the event
 * which made us look. Returns 0, or -1 if that failed or the workload has ended.
 */
static int take_sample(unsigned long at, const char *phase)
{
	np_mark(NP_MARK_SAMPLE);
	struct np_locality l;
	double share;
	int err;

	err = is_foreign() ? np_foreign_sample(workload_pid, &l) : np_locality_sample(&l);
	if (err < 0 && -err != workload_pid)
		np_rec_error("process %d of the workload is gone", -err);
	if (err)
		return -1;
	np_rec("{\"type\":\"sample\",\"t_ms\":%.0f,\"phase\":\"%s\",\"pages\":%ld,\"local\":%ld}",
	       since(seen.t0, at), phase, l.pages, l.local);
	/* A program may have no memory yet, or none any more. */
	if (!seen.measured || !l.pages)
		return 0;
	share = (double)l.local / l.pages;
	if (share >= 0.9 && !seen.reached) {
		seen.t90_ms = since(seen.measured, at);
		seen.reached = true;
	}
	/* Between two samples the share is taken to have changed evenly. */
	if (seen.last_share >= 0) {
		seen.sum += (share + seen.last_share) / 2 * since(seen.last, at);
		seen.weight += since(seen.last, at);
		seen.remote_page_ms += (l.pages - l.local + seen.last_remote) / 2. *
				       since(seen.last, at);
	}
	seen.last_remote = l.pages - l.local;
	seen.last_share = share;
	seen.last = at;
	return 0;
}

/* Known only where decisions were collected. */
static void add_scanned(struct np_buf *b, int scans, const char *metric)
{
	double ms;

	if (np_trace_scanned(scans, &ms))
		np_buf_printf(b, "\"%s\":%.3f,", metric, ms);
	else if (decisions)
		np_buf_printf(b, "\"%s\":null,", metric);
}

static void end_record(const long *before, const long *after, const struct rusage *ru)
{
	bool ok = !np_rec_errors() && seen.end;
	struct np_buf b = { 0 };
	size_t i;

	np_buf_printf(&b, "{\"type\":\"end\",\"status\":\"%s\",\"records\":%ld,\"metrics\":{",
		      ok ? "ok" : "failed", np_rec_count());
	if (seen.end) {
		for (i = 0; i < ARRAY_SIZE(counters); i++)
			np_buf_printf(&b, "\"%s\":%ld,", counter_metrics[i], after[i] - before[i]);
		np_buf_printf(&b, "\"system_ms\":%.3f,\"user_ms\":%.3f,\"elapsed_ms\":%.3f,",
			      ru->ru_stime.tv_sec * 1e3 + ru->ru_stime.tv_usec / 1e3,
			      ru->ru_utime.tv_sec * 1e3 + ru->ru_utime.tv_usec / 1e3,
			      since(seen.t0, seen.end));
		if (seen.weight > 0)
			np_buf_printf(&b, "\"local_mean\":%.6f,\"local_end\":%.6f,\"remote_page_s\":%.3f,",
				      seen.sum / seen.weight, seen.last_share,
				      seen.remote_page_ms / 1e3);
		else
			np_buf_puts(&b, "\"local_mean\":null,\"local_end\":null,");
		add_scanned(&b, 1, "covered_ms");
		add_scanned(&b, NP_SCANS, "third_scan_ms");
		if (seen.reached)
			np_buf_printf(&b, "\"t90_ms\":%.3f", seen.t90_ms);
		else
			np_buf_puts(&b, "\"t90_ms\":null");
	}
	np_buf_puts(&b, "}}");
	np_rec_write(&b);
}

/* Memory policy of init itself: local, without balancing. The workload gets the default. */
static void keep_out_of_balancing(void)
{
	if (syscall(SYS_set_mempolicy, MPOL_LOCAL, NULL, 0))
		complain("set_mempolicy: %s", strerror(errno));
}

static void run_workload(void)
{
	struct sched_param none = { 0 };
	size_t i;

	if (guest.native)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	sched_setscheduler(0, SCHED_OTHER, &none);
	syscall(SYS_set_mempolicy, MPOL_DEFAULT, NULL, 0);
	setpgid(0, 0);
	np_calibrate();
	if (is_foreign())
		np_foreign_run();
	for (i = 0; i < ARRAY_SIZE(runs); i++)
		if (!strcmp(runs[i].name, guest.w->name))
			runs[i].run();
	_exit(0);
}

static pid_t start_workload(int *msg_fd, int *go_fd)
{
	int msg[2], go[2];
	pid_t pid;

	guest.table = mmap(NULL, sizeof(*guest.table), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (guest.table == MAP_FAILED || pipe2(msg, O_CLOEXEC) || pipe2(go, O_CLOEXEC)) {
		np_rec_error("cannot prepare the workload: %s", strerror(errno));
		return -1;
	}
	/* A policy without balancing keeps the table out of the scans, too. */
	syscall(SYS_mbind, guest.table, (sizeof(*guest.table) + NP_PAGE - 1) & -NP_PAGE,
		MPOL_LOCAL, NULL, 0, 0);
	atomic_store(&guest.table->next_addr, 1ULL << 44);
	guest.msg_fd = msg[1];
	guest.go_fd = go[0];
	seen.t0 = np_now();
	pid = fork();
	if (!pid) {
		close(msg[0]);
		close(go[1]);
		run_workload();
	}
	if (pid < 0)
		np_rec_error("cannot start the workload: %s", strerror(errno));
	close(msg[1]);
	close(go[0]);
	*msg_fd = msg[0];
	*go_fd = go[1];
	return pid;
}

static void limit_reached(void)
{
	char *last = np_foreign_last_line();

	np_rec_error("limit of %ld s%s reached%s", limit_s, guest.native ? "" : " of guest time",
		     last);
	free(last);
}

/* Follow the workload until it is done or has failed. */
static void watch(int msg_fd, pid_t pid)
{
	unsigned long next = seen.t0 + sample_ms * 1000000ULL;
	unsigned long limit = seen.t0 + limit_s * 1000000000ULL;
	char phase[sizeof(((struct np_msg *)0)->text)] = "start";
	struct pollfd p = { .fd = msg_fd, .events = POLLIN };
	struct np_buf record = { 0 };
	struct np_msg msg;

	for (;;) {
		unsigned long now = np_now(), until = next < limit ? next : limit;
		int ready = 0;

		if (now < until)
			ready = poll(&p, 1, (until - now + 999999) / 1000000);
		if (ready <= 0) {
			now = np_now();
			if (now >= limit) {
				limit_reached();
				kill(-pid, SIGKILL);
				return;
			}
			if (now < next)
				continue;
			if (take_sample(now, phase))
				return;
			next += sample_ms * 1000000ULL;
			if (next < np_now())
				next = np_now() + sample_ms * 1000000ULL;
			continue;
		}
		if (read(msg_fd, &msg, sizeof(msg)) != sizeof(msg))
			return;
		msg.text[sizeof(msg.text) - 1] = '\0';
		switch (msg.kind) {
		case NP_MSG_ERROR:
			np_rec_error("%s", msg.text);
			return;
		case NP_MSG_PHASE:
			snprintf(phase, sizeof(phase), "%s", msg.text);
			np_rec("{\"type\":\"phase\",\"t_ms\":%.0f,\"name\":\"%s\"}",
			       since(seen.t0, msg.ns), phase);
			if (!msg.measured)
				break;
			seen.measured = msg.ns;
			if (take_sample(msg.ns, phase))
				return;
			break;
		case NP_MSG_RECORD:
			np_buf_puts(&record, msg.text);
			np_rec_write(&record);
			break;
		case NP_MSG_DONE:
			if (!take_sample(msg.ns, phase))
				seen.end = msg.ns;
			return;
		}
	}
}

/* How the workload's process ended. */
static void judge_status(int status)
{
	long killed = killed_before;

	read_counter("oom_kill", &killed);
	if (killed > killed_before && !(guest.native && seen.end))
		np_rec_error("the %s was out of memory, the workload was ended",
			     guest.native ? "machine" : "guest");
	else if (WIFSIGNALED(status))
		np_rec_error("the workload was ended by signal %d (%s)", WTERMSIG(status),
			     strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status))
		np_rec_error("the workload ended with status %d", WEXITSTATUS(status));
	else if (!seen.end)
		np_rec_error("the workload ended before it was done");
}

static void run(void)
{
	const struct sched_param first = { .sched_priority = 1 };
	long before[ARRAY_SIZE(counters)] = { 0 }, after[ARRAY_SIZE(counters)] = { 0 };
	struct rusage ru = { 0 };
	int msg_fd, go_fd, status, tries;
	pid_t pid;

	if (np_locality_init() || start_trace() || (traffic && np_traffic_start()) ||
	    (is_foreign() && np_foreign_prepare(job_path)))
		goto out;
	sched_setscheduler(0, SCHED_FIFO, &first);
	read_counter("oom_kill", &killed_before);
	read_counters(before);
	pid = start_workload(&msg_fd, &go_fd);
	workload_pid = pid;
	if (pid < 0)
		goto out;
	watch(msg_fd, pid);
	np_mark(NP_MARK_END);
	read_counters(after);
	if (seen.end && with_decisions())
		np_trace_records(seen.t0);
	if (seen.end)
		np_locality_check();
	close(go_fd);
	/* After a failure give the workload the time to end in its own way, but no more. */
	for (tries = 0; wait4(pid, &status, seen.end ? 0 : WNOHANG, &ru) != pid; tries++) {
		if (tries == 100)
			kill(-pid, SIGKILL);
		usleep(10000);
	}
	if (!np_rec_errors())
		judge_status(status);
	if (is_foreign())
		np_foreign_output();
out:
	end_record(before, after, &ru);
}

/* As the first program of a guest. */
static void enter_guest(void)
{
	int err;

	if (getpid() != 1)
		np_die(NP_USAGE, "this is the init program of a guest");
	mount_all();
	err = np_rec_open(PORT);
	if (err) {
		np_error("no port '%s' to the host: %s", PORT, strerror(-err));
		power_off();
	}
	switch_on();
}

/* As an ordinary program; @records is the file for its records. */
static void enter_machine(const char *records)
{
	int err = np_rec_create(records);

	if (err)
		np_die(NP_FAIL, "cannot write %s: %s", records, strerror(-err));
	guest.native = true;
}

int main(int argc, char **argv)
{
	if (argc == 5 && !strcmp(argv[1], NP_FORK_MODE))
		return np_fork_child(argv[2], argv[3], argv[4]);
	signal(SIGPIPE, SIG_IGN);
	if (argc > 2 && !strcmp(argv[1], NP_NATIVE_MODE)) {
		enter_machine(argv[2]);
		argc -= 2;
		argv += 2;
	} else {
		enter_guest();
	}
	keep_out_of_balancing();
	find_nodes();
	parse_args(argc, argv);
	guest.scan_delay_ms = read_long(NP_TUNABLES "/scan_delay_ms", 1000);
	begin_record();
	if (complaint) {
		np_rec_error("%s", complaint);
		end_record(NULL, NULL, NULL);
	} else {
		run();
	}
	power_off();
}
