// SPDX-License-Identifier: GPL-2.0
/*
 * One guest: QEMU's command line, the process, and why it ended.
 *
 * Nothing here waits for a guest. The caller looks after all its guests in turns, with a clock
 * of its own.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "native.h"
#include "qemu.h"
#include "results.h"
#include "traffic.h"
#include "util.h"

/* How long a guest has to end by itself, in milliseconds. */
#define AFTER_PANIC_MS 2000
#define AFTER_END_MS 10000
#define AFTER_TERM_MS 3000

/* Bytes at the end of a growing file that are looked at. */
#define TAIL_BYTES 16384

#define PANIC_TEXT "Kernel panic - not syncing"

/* The first one is the usual one. */
static const struct np_arch arches[] = {
	{ "x86_64", "qemu-system-x86_64", "qemu-system-x86", "bzImage", "-machine q35", "qemu64",
	  "ttyS0" },
	{ "arm64", "qemu-system-aarch64", "qemu-system-arm", "Image",
	  "-machine virt,gic-version=3", "cortex-a72", "ttyAMA0" },
};

struct argv {
	char **v;
	int n;
};

static void argv_add(struct argv *a, char *s)
{
	a->v = np_realloc(a->v, (a->n + 2) * sizeof(*a->v));
	a->v[a->n++] = s;
	a->v[a->n] = NULL;
}

static void argv_words(struct argv *a, const char *words)
{
	char **list;
	int n;

	list = np_split(words, ' ', &n);
	for (int i = 0; i < n; i++)
		argv_add(a, list[i]);
	free(list);
}

static void argv_pair(struct argv *a, const char *option, char *value)
{
	argv_add(a, np_strdup(option));
	argv_add(a, value);
}

/*
 * One option per node and per distance: what the firmware's tables will say. A socket per node
 * with CPUs where they are all of a size, else one per CPU: a socket must not span nodes.
 */
static void topology_args(struct argv *a, const struct np_topology *t)
{
	int i, j, sockets = 0, cores = 1;

	for (i = 0; i < t->nodes; i++) {
		sockets += t->node[i].cpus > 0;
		cores = t->node[i].cpus > cores ? t->node[i].cpus : cores;
	}
	if (sockets * cores != t->cpus) {
		sockets = t->cpus;
		cores = 1;
	}
	argv_pair(a, "-smp", np_asprintf("%d,sockets=%d,cores=%d,threads=1", t->cpus, sockets,
					 cores));
	argv_pair(a, "-m", np_asprintf("%ldM", t->mem_mb));
	for (i = 0; i < t->nodes; i++) {
		const struct np_node *node = &t->node[i];
		struct np_buf b = { 0 };

		if (node->mem_mb)
			argv_pair(a, "-object",
				  np_asprintf("memory-backend-ram,id=m%d,size=%ldM", i,
					      node->mem_mb));
		np_buf_printf(&b, "node,nodeid=%d", i);
		if (node->cpus)
			np_buf_printf(&b, ",cpus=%d-%d", node->first_cpu,
				      node->first_cpu + node->cpus - 1);
		if (node->mem_mb)
			np_buf_printf(&b, ",memdev=m%d", i);
		argv_pair(a, "-numa", b.s);
	}
	for (i = 0; i < t->nodes; i++)
		for (j = 0; j < t->nodes; j++)
			if (i != j)
				argv_pair(a, "-numa", np_asprintf("dist,src=%d,dst=%d,val=%d", i, j,
								  t->dist[i][j]));
}

static struct argv guest_args(const struct np_machine *m, const char *append, int shift)
{
	struct argv a = { 0 };

	argv_add(&a, np_strdup(m->qemu));
	if (m->kvm) {
		argv_words(&a, "-accel kvm -cpu host");
	} else {
		argv_words(&a, "-accel tcg,thread=single -rtc clock=vm");
		argv_pair(&a, "-cpu", np_strdup(m->arch->cpu));
		argv_pair(&a, "-icount", np_asprintf("shift=%d,sleep=off", shift));
	}
	argv_words(&a, m->arch->machine);
	argv_words(&a, "-nodefaults -no-user-config -display none -no-reboot");
	topology_args(&a, m->topology);
	argv_pair(&a, "-kernel", np_strdup(m->image));
	argv_pair(&a, "-initrd", np_strdup(m->initrd));
	argv_pair(&a, "-append", np_strdup(append));
	argv_words(&a, "-serial file:" NP_CONSOLE_LOG " -device virtio-serial-pci");
	if (m->traffic)
		argv_pair(&a, "-plugin", np_traffic_option(m->traffic, NP_TRAFFIC, m->topology));
	else if (m->plugin)
		argv_pair(&a, "-plugin", np_strdup(m->plugin));
	argv_words(&a, "-chardev file,id=rec,path=" NP_RECORDS);
	argv_words(&a, "-device virtserialport,chardev=rec,name=numa_policy");
	if (m->job) {
		/* Other file systems of the host are below: their inode numbers are kept apart. */
		argv_words(&a, "-fsdev local,id=root,path=/,security_model=none,readonly=on,"
			       "multidevs=remap");
		argv_words(&a, "-device virtio-9p-pci,fsdev=root,mount_tag=root");
	}
	return a;
}

static void argv_free(struct argv *a)
{
	while (a->n)
		free(a->v[--a->n]);
	free(a->v);
}

/* The command as a shell would take it, into the guest's directory, for people. */
static int write_command(const char *dir, const struct argv *a)
{
	char *path = np_asprintf("%s/" NP_COMMAND, dir);
	struct np_buf b = { 0 };
	int err;

	for (int i = 0; i < a->n; i++)
		np_buf_printf(&b, strpbrk(a->v[i], " ;&()") ? "%s'%s'" : "%s%s", i ? " " : "",
			      a->v[i]);
	np_buf_puts(&b, "\n");
	err = np_write_file(path, b.s, b.len);
	np_buf_free(&b);
	free(path);
	return err;
}

/* What to run, into the guest's directory, where the guest reads it. */
static int write_job(const char *dir, const struct np_job *job)
{
	char *path = np_asprintf("%s/" NP_JOB, dir);
	int err = np_job_write(job, path);

	free(path);
	return err;
}

/**
 * np_arch_usual() - the architecture of guests, if nothing says another
 *
 * Return: the architecture.
 */
const struct np_arch *np_arch_usual(void)
{
	return &arches[0];
}

/**
 * np_arch_of() - the architecture of a kernel, told by its image's name
 * @kernel: the kernel's directory
 *
 * Return: the architecture; the usual one, if there is no image.
 */
const struct np_arch *np_arch_of(const char *kernel)
{
	for (size_t i = 0; i < ARRAY_SIZE(arches); i++) {
		char *path = np_asprintf("%s/%s", kernel, arches[i].image);
		bool there = !access(path, F_OK);

		free(path);
		if (there)
			return &arches[i];
	}
	return np_arch_usual();
}

/**
 * np_qemu_find() - find the QEMU program
 * @arch: the architecture of the guests
 * @program: its name or path; NULL for the usual one
 * @path: where its absolute path goes, to be freed
 *
 * Return: NULL, or what is wrong, to be freed.
 */
char *np_qemu_find(const struct np_arch *arch, const char *program, char **path)
{
	const char *name = program ? program : arch->qemu;
	char *error = NULL;

	*path = NULL;
	if (strchr(name, '/')) {
		*path = realpath(name, NULL);
		if (!*path || access(*path, X_OK))
			error = np_asprintf("cannot run QEMU '%s': %s", name, strerror(errno));
	} else {
		*path = np_program_find(name);
		if (!*path)
			error = np_asprintf("QEMU not found: no '%s' in PATH (Debian package %s)",
					    name, arch->package);
	}
	if (error) {
		free(*path);
		*path = NULL;
	}
	return error;
}

/* What a short-lived program prints to standard output. */
static char *capture(const char *program, const char *arg, const char *input, char **output)
{
	struct np_buf b = { 0 };
	char chunk[4096];
	int fds[2], status;
	ssize_t n;
	pid_t pid;

	*output = NULL;
	if (pipe2(fds, O_CLOEXEC))
		return np_asprintf("cannot make a pipe: %s", strerror(errno));
	pid = fork();
	if (pid < 0) {
		close(fds[0]);
		close(fds[1]);
		return np_asprintf("cannot start %s: %s", program, strerror(errno));
	}
	if (!pid) {
		int in = open(input, O_RDONLY);

		if (in < 0 || dup2(in, 0) < 0 || dup2(fds[1], 1) < 0)
			_exit(126);
		execlp(program, program, arg, NULL);
		_exit(127);
	}
	close(fds[1]);
	np_buf_puts(&b, "");
	while ((n = read(fds[0], chunk, sizeof(chunk))) > 0)
		np_buf_add(&b, chunk, n);
	close(fds[0]);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!WIFEXITED(status) || WEXITSTATUS(status)) {
		np_buf_free(&b);
		if (WIFEXITED(status))
			return np_asprintf("%s exited with status %d", program,
					   WEXITSTATUS(status));
		return np_asprintf("%s was killed by signal %d", program, WTERMSIG(status));
	}
	*output = b.s;
	return NULL;
}

/**
 * np_qemu_version() - ask QEMU for its version
 * @path: the program
 * @version: where the version goes, to be freed
 *
 * Return: NULL, or what is wrong, to be freed.
 */
char *np_qemu_version(const char *path, char **version)
{
	char *output, *error, *detail, *p;

	*version = NULL;
	detail = capture(path, "--version", "/dev/null", &output);
	if (detail) {
		error = np_asprintf("cannot ask QEMU for its version: %s", detail);
		free(detail);
		return error;
	}
	p = strstr(output, "QEMU emulator version ");
	if (!p)
		error = np_asprintf("'%s --version' does not answer like QEMU", path);
	else
		error = NULL;
	if (p)
		*version = np_text_clean(p + 22, strcspn(p + 22, "\n"));
	free(output);
	return error;
}

/**
 * np_file_sha256() - SHA-256 of a file, by the program of that name
 * @path: the file
 * @hash: where the hash goes, in hexadecimal, to be freed
 *
 * Return: NULL, or what is wrong, to be freed.
 */
char *np_file_sha256(const char *path, char **hash)
{
	char *error = capture("sha256sum", NULL, path, hash);

	if (!error && strspn(*hash, "0123456789abcdef") == 64) {
		(*hash)[64] = '\0';
		return NULL;
	}
	free(*hash);
	*hash = NULL;
	return error ? error : np_strdup("sha256sum does not answer with a hash");
}

/**
 * np_qemu_escape() - append a path as QEMU wants it among the parts of an option
 * @b: the option so far
 * @path: the path
 */
void np_qemu_escape(struct np_buf *b, const char *path)
{
	for (; *path; path++)
		np_buf_puts(b, *path == ',' ? ",," : (char []) { *path, '\0' });
}

static struct argv native_args(const struct np_machine *m, const char *append)
{
	struct argv a = { 0 };

	argv_add(&a, np_strdup(m->native));
	argv_pair(&a, "--native", np_strdup(NP_RECORDS));
	argv_words(&a, append);
	return a;
}

/* Where QEMU, or what stands in for it, says why it gives up. */
static const char *log_name(const struct np_machine *m)
{
	return m->native ? NP_NATIVE_LOG : NP_QEMU_LOG;
}

/* In the child: become QEMU, in a group of its own, and die with the parent. */
static void become(const char *dir, const char *log_file, char **argv, pid_t parent)
{
	sigset_t none;
	int in, log;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(126);
	signal(SIGINT, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (chdir(dir))
		_exit(126);
	in = open("/dev/null", O_RDONLY);
	log = open(log_file, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0666);
	if (in < 0 || log < 0 || dup2(in, 0) < 0 || dup2(log, 1) < 0 || dup2(log, 2) < 0)
		_exit(126);
	execv(argv[0], argv);
	dprintf(2, "cannot run %s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

/**
 * np_guest_start() - start a guest
 * @g: filled in; to be freed by np_guest_free() in any case
 * @m: what it runs on
 * @dir: its directory; made if need be, files of an earlier guest in it are removed
 * @append: the kernel's command line; on this machine the arguments of the program
 * @shift: an instruction takes 2^@shift ns of guest time
 * @now: the time
 *
 * Return: 0, or a negative errno.
 */
int np_guest_start(struct np_guest *g, const struct np_machine *m, const char *dir,
		   const char *append, int shift, long now)
{
	pid_t parent = getpid();
	struct argv args;
	int err;

	memset(g, 0, sizeof(*g));
	g->machine = m;
	g->dir = np_strdup(dir);
	g->started = now;
	g->last_sign = now;
	np_guest_remove_files(dir);
	err = np_mkdirs(dir);
	if (err)
		return err;
	args = m->native ? native_args(m, append) : guest_args(m, append, shift);
	err = write_command(dir, &args);
	if (!err && m->job)
		err = write_job(dir, m->job);
	if (!err) {
		g->pid = fork();
		if (!g->pid)
			become(dir, log_name(m), args.v, parent);
		if (g->pid < 0) {
			err = -errno;
			g->pid = 0;
		} else {
			setpgid(g->pid, g->pid);
		}
	}
	argv_free(&args);
	return err;
}

/* The last bytes of a file, from a little before @from at most; NUL-terminated. */
static size_t read_tail(const char *dir, const char *name, off_t from, char *tail)
{
	char *path = np_asprintf("%s/%s", dir, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	ssize_t n = 0;

	free(path);
	if (fd >= 0 && !fstat(fd, &st)) {
		if (st.st_size - from > TAIL_BYTES)
			from = st.st_size - TAIL_BYTES;
		n = pread(fd, tail, TAIL_BYTES, from > 0 ? from : 0);
	}
	if (fd >= 0)
		close(fd);
	if (n < 0)
		n = 0;
	tail[n] = '\0';
	return n;
}

static off_t file_size(const char *dir, const char *name)
{
	char *path = np_asprintf("%s/%s", dir, name);
	struct stat st;
	off_t size = 0;

	if (!stat(path, &st))
		size = st.st_size;
	free(path);
	return size;
}

static bool sees_end(const char *dir)
{
	char tail[TAIL_BYTES + 1], *line;
	size_t n = read_tail(dir, NP_RECORDS, 0, tail);
	json_t *record;
	bool end;

	if (!n || tail[n - 1] != '\n')
		return false;
	tail[n - 1] = '\0';
	line = strrchr(tail, '\n');
	record = json_loads(line ? line + 1 : tail, 0, NULL);
	line = (char *)json_string_value(json_object_get(record, "type"));
	end = line && !strcmp(line, "end");
	json_decref(record);
	return end;
}

/* Look at what arrived since the last time. */
static void look(struct np_guest *g, long now)
{
	off_t console = file_size(g->dir, NP_CONSOLE_LOG);
	off_t records = file_size(g->dir, NP_RECORDS);
	char tail[TAIL_BYTES + 1];
	size_t n;

	if (console != g->console_size) {
		n = read_tail(g->dir, NP_CONSOLE_LOG,
			      g->console_size - (off_t)strlen(PANIC_TEXT), tail);
		if (!g->panicked && memmem(tail, n, PANIC_TEXT, strlen(PANIC_TEXT)))
			g->panicked = now;
		g->last_sign = now;
		g->console_size = console;
	}
	if (records != g->records_size) {
		if (!g->finished && sees_end(g->dir))
			g->finished = now;
		g->last_sign = now;
		g->records_size = records;
	}
}

/* Milliseconds of CPU time that QEMU has had; 0 if that cannot be told. */
static long cpu_ms(const struct np_guest *g)
{
	char *path = np_asprintf("/proc/%d/stat", (int)g->pid);
	struct np_buf b = { 0 };
	unsigned long user = 0, system = 0;
	const char *p;

	/* The program's name, in parentheses, may hold anything. */
	p = np_read_file(path, &b) ? NULL : strrchr(b.s, ')');
	if (p && sscanf(p + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
			&system) != 2) {
		user = 0;
		system = 0;
	}
	np_buf_free(&b);
	free(path);
	return (user + system) * 1000 / sysconf(_SC_CLK_TCK);
}

/*
 * No sign of life for as long as allowed. A guest that a busy host left without CPU time is given
 * twice that.
 */
static bool stalled(struct np_guest *g, long now)
{
	long silent = now - g->last_sign, limit = g->machine->stall_s * 1000;

	if (g->sign_seen != g->last_sign) {
		g->sign_seen = g->last_sign;
		g->sign_cpu = cpu_ms(g);
	}
	if (silent < limit)
		return false;
	return silent >= 2 * limit || cpu_ms(g) - g->sign_cpu >= limit / 4;
}

/**
 * np_guest_check() - look after a guest
 * @g: the guest
 * @now: the time
 *
 * Ends it where it has to be ended. What is left of its process group is killed with it.
 *
 * Return: true once it is gone.
 */
bool np_guest_check(struct np_guest *g, long now)
{
	const struct np_machine *m = g->machine;
	siginfo_t info = { 0 };

	if (!g->pid)
		return true;
	if (!waitid(P_PID, g->pid, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid) {
		kill(-g->pid, SIGKILL);
		waitpid(g->pid, &g->status, 0);
		g->pid = 0;
		if (m->native)
			np_native_sweep();
		return true;
	}
	if (g->ending) {
		if (!g->killed && now - g->ending >= AFTER_TERM_MS)
			np_guest_kill(g);
		return false;
	}
	look(g, now);
	if (g->panicked && now - g->panicked >= AFTER_PANIC_MS) {
		np_guest_end(g, now);
	} else if (g->finished && now - g->finished >= AFTER_END_MS) {
		np_guest_end(g, now);
	} else if (now - g->started >= m->timeout_s * 1000) {
		g->reason = m->native ?
			    np_asprintf("the run hung: not at its end after %ld s", m->timeout_s) :
			    np_asprintf("guest hung: not at its end after %ld s of host time",
					m->timeout_s);
		np_guest_end(g, now);
	} else if (stalled(g, now)) {
		g->reason = np_asprintf("guest hung: no record and no console output for %ld s of host time (if the host is that busy, see --stall)",
					m->stall_s);
		np_guest_end(g, now);
	}
	return false;
}

/**
 * np_guest_end() - tell a guest to end; np_guest_check() kills it if it does not
 * @g: the guest
 * @now: the time
 */
void np_guest_end(struct np_guest *g, long now)
{
	if (!g->pid || g->ending)
		return;
	g->ending = now ? now : 1;
	kill(-g->pid, SIGTERM);
}

/**
 * np_guest_kill() - kill a guest
 * @g: the guest
 */
void np_guest_kill(struct np_guest *g)
{
	if (!g->pid)
		return;
	if (!g->ending)
		g->ending = 1;
	g->killed = true;
	kill(-g->pid, SIGKILL);
}

static char *clean_line(const char *s)
{
	return np_text_clean(s, strcspn(s, "\r\n"));
}

/* The line that says why a QEMU gave up: the first that is no warning. */
static char *first_error_line(const struct np_guest *g)
{
	char *path = np_asprintf("%s/%s", g->dir, log_name(g->machine));
	struct np_buf b = { 0 };
	char *line = NULL, *p;

	np_read_file(path, &b);
	free(path);
	for (p = b.s; p && *p && !line; p = strchrnul(p, '\n'), p += *p == '\n') {
		char *text = clean_line(p);

		if (*text && !strstr(text, "warning:"))
			line = text;
		else
			free(text);
	}
	if (!line)
		line = b.s && *b.s ? clean_line(b.s) : np_strdup("it said nothing");
	np_buf_free(&b);
	return line;
}

static char *panic_line(const char *dir)
{
	char *path = np_asprintf("%s/" NP_CONSOLE_LOG, dir);
	struct np_buf b = { 0 };
	char *p, *line = NULL;

	if (!np_read_file(path, &b)) {
		p = memmem(b.s, b.len, PANIC_TEXT, strlen(PANIC_TEXT));
		if (p)
			line = clean_line(p);
	}
	np_buf_free(&b);
	free(path);
	return line;
}

/**
 * np_guest_reason() - why a guest that is gone did not end as it should
 * @g: the guest
 *
 * Return: NULL if its process and its console have nothing to say, else the reason, to be freed.
 */
char *np_guest_reason(const struct np_guest *g)
{
	const char *what = g->machine->native ? "the program that runs workloads" : "QEMU";
	char *line = panic_line(g->dir), *reason;

	if (line) {
		reason = np_asprintf("guest panicked: %s", line);
	} else if (g->reason) {
		reason = np_strdup(g->reason);
	} else if (g->ending) {
		reason = NULL;
	} else if (WIFSIGNALED(g->status)) {
		line = first_error_line(g);
		reason = np_asprintf("%s was killed by signal %d (%s): %s", what,
				     WTERMSIG(g->status), strsignal(WTERMSIG(g->status)), line);
	} else if (WEXITSTATUS(g->status)) {
		line = first_error_line(g);
		reason = np_asprintf("%s exited with status %d: %s", what, WEXITSTATUS(g->status),
				     line);
	} else {
		reason = NULL;
	}
	free(line);
	return reason;
}

/**
 * np_guest_remove_files() - remove a guest's directory and the files we know in it
 * @dir: the directory; need not exist
 */
void np_guest_remove_files(const char *dir)
{
	static const char * const names[] = {
		NP_CONSOLE_LOG, NP_RECORDS, NP_QEMU_LOG, NP_NATIVE_LOG, NP_COMMAND, NP_JOB,
		NP_TRAFFIC, NP_COUNTS
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *path = np_asprintf("%s/%s", dir, names[i]);

		unlink(path);
		free(path);
	}
	rmdir(dir);
}

/**
 * np_guest_free() - free what a guest allocated; it must be gone
 * @g: the guest
 */
void np_guest_free(struct np_guest *g)
{
	free(g->dir);
	free(g->reason);
	memset(g, 0, sizeof(*g));
}
