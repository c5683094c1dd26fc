// SPDX-License-Identifier: GPL-2.0
/*
 * Programs that are not ours, with the host's file system under them.
 *
 * The host's root arrives read-only through 9p. A layer in memory lies over it, so that a program
 * may write wherever it likes, and nothing of that reaches the host. Only the program and the
 * process that starts it live in there; init keeps its own root.
 *
 * While all CPUs of the guest wait for the host, its clock jumps from timer to timer. So what can
 * be told beforehand to be needed, the program's file and its libraries, is read before the clock
 * of the run is started. What the program opens by itself is not.
 *
 * On a running machine the program runs where it is: nothing is mounted, and it may write.
 */
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/mempolicy.h>
#include <linux/openat2.h>
#include <linux/random.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/param.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "foreign.h"
#include "guest.h"
#include "records.h"

#define HOST "/host"
#define LAYER "/layer"
#define ROOT "/root"

#define PATH_DEFAULT "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/* Files of a program are read beforehand up to that size. */
#define WARM_MAX (256UL << 20)

/* Random bytes that the guest is given. */
#define RANDOM_BYTES 64

/* Bytes of the last line of output that a message has room for. */
#define LAST_LINE_MAX 120

static const struct {
	const char *what;
	const char *where;
	const char *type;
	unsigned long flags;
	const char *options;
	bool must;
} mounts[] = {
	{ "root", HOST, "9p", MS_RDONLY,
	  "trans=virtio,version=9p2000.L,msize=524288,cache=loose", true },
	{ "tmpfs", LAYER, "tmpfs", 0, "mode=0755", true },
	{ "overlay", ROOT, "overlay", 0,
	  "lowerdir=" HOST ",upperdir=" LAYER "/upper,workdir=" LAYER "/work", true },
	{ "proc", ROOT "/proc", "proc", 0, NULL, true },
	{ "sysfs", ROOT "/sys", "sysfs", 0, NULL, true },
	{ "devtmpfs", ROOT "/dev", "devtmpfs", 0, NULL, true },
	{ "devpts", ROOT "/dev/pts", "devpts", 0, "ptmxmode=0666", false },
	{ "tmpfs", ROOT "/dev/shm", "tmpfs", 0, "mode=1777", false },
	{ "debugfs", ROOT "/sys/kernel/debug", "debugfs", 0, NULL, false },
};

/* Address space up to that size is looked at page by page. */
#define DENSE_MAX (1UL << 30)

/* So many samples are taken with what is known of a process's address space. */
#define LAYOUT_AGE 10

/* What to run. */
static struct {
	char **argv;
	char **env;
	int argc;
	int envc;
	const char *cwd;
} job = { .cwd = "/" };

static int mount_all(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(mounts); i++) {
		mkdir(mounts[i].where, 0755);
		if (mount(mounts[i].what, mounts[i].where, mounts[i].type, mounts[i].flags,
			  mounts[i].options) && mounts[i].must) {
			np_rec_error("cannot mount %s (%s): %s", mounts[i].where, mounts[i].type,
				     strerror(errno));
			return -1;
		}
		if (!strcmp(mounts[i].where, LAYER)) {
			mkdir(LAYER "/upper", 0755);
			mkdir(LAYER "/work", 0755);
		}
	}
	return 0;
}

/* Programs may talk to themselves, and must not wait for random numbers: the seed makes them. */
static void make_at_home(void)
{
	struct rand_pool_info *pool = np_alloc(sizeof(*pool) + RANDOM_BYTES);
	int sock = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int random = open("/dev/random", O_RDWR | O_CLOEXEC);
	struct ifreq lo = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	struct np_rng rng;
	int i;

	np_rng_init(&rng, 1);
	for (i = 0; i < RANDOM_BYTES / 4; i++)
		pool->buf[i] = np_rng_next(&rng);
	pool->buf_size = RANDOM_BYTES;
	pool->entropy_count = 8 * RANDOM_BYTES;
	if (random >= 0) {
		ioctl(random, RNDADDENTROPY, pool);
		close(random);
	}
	if (sock >= 0) {
		ioctl(sock, SIOCSIFFLAGS, &lo);
		close(sock);
	}
	free(pool);
}

/* Undo what the host did to characters that a command line cannot hold: %20 is a blank. */
static char *decode(const char *s)
{
	char *out = np_strdup(s), *p = out;
	unsigned int c;

	for (; *s; s++) {
		if (*s == '%' && sscanf(s + 1, "%2x", &c) == 1) {
			*p++ = c;
			s += 2;
		} else {
			*p++ = *s;
		}
	}
	*p = '\0';
	return out;
}

static void add_word(char ***list, int *n, char *word)
{
	*list = np_realloc(*list, (*n + 2) * sizeof(**list));
	(*list)[(*n)++] = word;
	(*list)[*n] = NULL;
}

/* The job is a sequence of strings "arg=WORD", "env=NAME=VALUE", "cwd=PATH", a NUL behind each. */
static int parse_job(char *s, size_t len)
{
	char *end = s + len;

	for (; s < end; s += strlen(s) + 1) {
		if (!strncmp(s, "arg=", 4))
			add_word(&job.argv, &job.argc, s + 4);
		else if (!strncmp(s, "env=", 4))
			add_word(&job.env, &job.envc, s + 4);
		else if (!strncmp(s, "cwd=", 4))
			job.cwd = s + 4;
		else
			return -1;
	}
	return job.argc ? 0 : -1;
}

/* Links in the path are the host's: they are followed inside of its file system. */
static int read_job(const char *encoded)
{
	struct open_how how = { .flags = O_RDONLY | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT };
	int host = open(guest.native ? "/" : HOST, O_PATH | O_CLOEXEC), fd;
	char *path = decode(encoded), chunk[4096];
	struct np_buf b = { 0 };
	ssize_t n = -1;

	fd = syscall(SYS_openat2, host, path, &how, sizeof(how));
	while (fd >= 0 && (n = read(fd, chunk, sizeof(chunk))) > 0)
		np_buf_add(&b, chunk, n);
	if (n < 0)
		np_rec_error("cannot read the job %s on the host: %s", path, strerror(errno));
	else if (parse_job(b.s, b.len))
		np_rec_error("the job %s is malformed", path);
	if (fd >= 0)
		close(fd);
	close(host);
	free(path);
	return np_rec_errors() ? -1 : 0;
}

static void job_record(void)
{
	struct np_buf b = { 0 };
	int i;

	np_buf_puts(&b, "{\"type\":\"command\",\"cwd\":");
	np_json_str(&b, job.cwd);
	np_buf_puts(&b, ",\"argv\":[");
	for (i = 0; i < job.argc; i++) {
		np_buf_puts(&b, i ? "," : "");
		np_json_str(&b, job.argv[i]);
	}
	np_buf_puts(&b, "]}");
	np_rec_write(&b);
}

/* Into the host's file system; what the job says about directory and environment. */
static const char *go_in(void)
{
	if (!guest.native && (chroot(ROOT) || chdir("/")))
		return ROOT;
	if (chdir(job.cwd))
		return job.cwd;
	clearenv();
	if (job.env)
		environ = job.env;
	return NULL;
}

/* Read a file once. Returns its first bytes, or NULL. */
static char *warm_file(const char *path)
{
	static char chunk[1 << 18], head[256];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t total = 0;
	ssize_t n;

	if (fd < 0)
		return NULL;
	memset(head, 0, sizeof(head));
	while (total < WARM_MAX && (n = read(fd, chunk, sizeof(chunk))) > 0) {
		if (!total)
			memcpy(head, chunk, MIN((size_t)n, sizeof(head) - 1));
		total += n;
	}
	close(fd);
	return head;
}

/* The dynamic linker that an ELF program names, or NULL. */
static char *interpreter_of(const char *path)
{
	static char name[256];
	int fd = open(path, O_RDONLY | O_CLOEXEC), i;
	bool found = false;
	Elf64_Phdr phdr;
	Elf64_Ehdr ehdr;

	if (fd < 0 || pread(fd, &ehdr, sizeof(ehdr), 0) != sizeof(ehdr))
		ehdr.e_phnum = 0;
	for (i = 0; i < ehdr.e_phnum && !found; i++) {
		off_t at = ehdr.e_phoff + (off_t)i * sizeof(phdr);

		if (pread(fd, &phdr, sizeof(phdr), at) != sizeof(phdr))
			break;
		if (phdr.p_type != PT_INTERP || phdr.p_filesz > sizeof(name))
			continue;
		found = pread(fd, name, phdr.p_filesz, phdr.p_offset) > 0;
	}
	if (fd >= 0)
		close(fd);
	return found ? name : NULL;
}

/* Let the dynamic linker list a program's libraries, and read them. */
static void warm_libraries(const char *linker, const char *program)
{
	char line[1024], *p;
	int fds[2];
	pid_t pid;
	FILE *f;

	if (pipe2(fds, O_CLOEXEC))
		return;
	pid = fork();
	if (!pid) {
		dup2(fds[1], 1);
		dup2(open("/dev/null", O_WRONLY), 2);
		execl(linker, linker, "--list", program, NULL);
		_exit(127);
	}
	close(fds[1]);
	f = fdopen(fds[0], "r");
	while (f && fgets(line, sizeof(line), f)) {
		p = strchr(line, '/');
		if (!p)
			continue;
		p[strcspn(p, "\n ")] = '\0';
		warm_file(p);
	}
	if (f)
		fclose(f);
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

/* Where the program is, as execvp() looks for it; NULL if it is not there. */
static char *find_program(const char *name)
{
	const char *list = getenv("PATH");
	char **dirs, *path = NULL;
	int i, n;

	if (strchr(name, '/'))
		return np_strdup(name);
	dirs = np_split(list ? list : PATH_DEFAULT, ':', &n);
	for (i = 0; i < n && !path; i++) {
		path = np_asprintf("%s/%s", *dirs[i] ? dirs[i] : ".", name);
		if (access(path, X_OK)) {
			free(path);
			path = NULL;
		}
	}
	np_split_free(dirs, n);
	return path;
}

/* Read what running a program will need; a script needs its interpreter. */
static void warm(const char *path, int depth)
{
	char *head = warm_file(path), *linker;

	if (!head)
		return;
	if (!strncmp(head, "#!", 2) && depth < 4) {
		char *script = np_strdup(head + 2 + strspn(head + 2, " \t"));

		script[strcspn(script, " \t\n")] = '\0';
		warm(script, depth + 1);
		free(script);
		return;
	}
	linker = memcmp(head, ELFMAG, SELFMAG) ? NULL : interpreter_of(path);
	if (!linker)
		return;
	warm_file(linker);
	warm_libraries(linker, path);
}

/**
 * np_foreign_prepare() - make everything ready for the program, before the run is timed
 * @job_path: path of the job on the host, encoded
 *
 * Return: 0, or -1 after an error record.
 */
int np_foreign_prepare(const char *job_path)
{
	pid_t pid;

	if (!job_path) {
		np_rec_error("the host did not say what to run (job=)");
		return -1;
	}
	if ((!guest.native && mount_all()) || read_job(job_path))
		return -1;
	job_record();
	if (!guest.native)
		make_at_home();
	pid = fork();
	if (!pid) {
		char *path;

		if (go_in())
			_exit(0);
		path = find_program(job.argv[0]);
		if (path)
			warm(path, 0);
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
	return 0;
}

/* The program's own process. What fails is told through @failed. */
static void become(int output, int failed)
{
	int in = open("/dev/null", O_RDONLY), err;

	syscall(SYS_set_mempolicy, MPOL_DEFAULT, NULL, 0);
	signal(SIGPIPE, SIG_DFL);
	setsid();
	if (dup2(in, 0) >= 0 && dup2(output, 1) >= 0 && dup2(output, 2) >= 0)
		execvp(job.argv[0], job.argv);
	err = errno;
	if (write(failed, &err, sizeof(err)) < 0)
		_exit(126);
	_exit(127);
}

static void keep_output(const char *s, size_t n)
{
	struct np_table *t = guest.table;
	unsigned long at = atomic_load(&t->output_bytes);
	size_t i;

	for (i = 0; i < n; i++)
		t->output[(at + i) % NP_OUTPUT_MAX] = s[i];
	atomic_store(&t->output_bytes, at + n);
}

/* Take what there is of the output; false at its end, or where nothing is left to take. */
static bool take_output(int fd)
{
	char chunk[4096];
	ssize_t n = read(fd, chunk, sizeof(chunk));

	if (n > 0)
		keep_output(chunk, n);
	return n > 0;
}

/* End what the program left behind. All orphans are our children. */
static void end_children(void)
{
	char path[64], *p;
	int pid, used;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", gettid());
	for (;;) {
		struct np_buf b = { 0 };

		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		if (np_read_file(path, &b) || !b.len) {
			np_buf_free(&b);
			return;
		}
		for (p = b.s; sscanf(p, "%d%n", &pid, &used) == 1; p += used)
			kill(pid, SIGKILL);
		np_buf_free(&b);
		waitpid(-1, NULL, 0);
	}
}

/*
 * Follow the program's output until the program is gone. What it left behind may still write to
 * the pipe, so that goes before the rest is taken.
 */
static int follow(pid_t pid, int output)
{
	struct pollfd p[] = {
		{ .fd = syscall(SYS_pidfd_open, pid, 0), .events = POLLIN },
		{ .fd = output, .events = POLLIN },
	};
	int status = 0;

	if (p[0].fd < 0)
		np_fail("pidfd_open: %s", strerror(errno));
	while (!p[0].revents) {
		if (poll(p, 2, -1) < 0 && errno != EINTR)
			np_fail("poll: %s", strerror(errno));
		if (p[1].revents && !take_output(output))
			p[1].fd = -1;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	end_children();
	fcntl(output, F_SETFL, O_NONBLOCK);
	while (take_output(output))
		;
	return status;
}

/**
 * np_foreign_run() - the workloads that are programs of the host
 */
void np_foreign_run(void)
{
	int output[2], failed[2], err, status;
	const char *missing;
	char *last;
	pid_t pid;

	syscall(SYS_set_mempolicy, MPOL_LOCAL, NULL, 0);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	missing = go_in();
	if (missing)
		np_fail("cannot change to directory '%s': %s", missing, strerror(errno));
	if (pipe2(output, O_CLOEXEC) || pipe2(failed, O_CLOEXEC))
		np_fail("cannot make pipes: %s", strerror(errno));
	pid = fork();
	if (pid < 0)
		np_fail("cannot create a process: %s", strerror(errno));
	if (!pid)
		become(output[1], failed[1]);
	close(output[1]);
	close(failed[1]);
	if (read(failed[0], &err, sizeof(err)) == sizeof(err))
		np_fail("cannot run '%s': %s", job.argv[0], strerror(err));
	np_phase("run", true);
	status = follow(pid, output[0]);
	last = np_foreign_last_line();
	if (WIFSIGNALED(status))
		np_fail("the program was ended by signal %d (%s)%s", WTERMSIG(status),
			strsignal(WTERMSIG(status)), last);
	if (WEXITSTATUS(status))
		np_fail("the program ended with exit status %d%s", WEXITSTATUS(status), last);
	np_done();
}

/* What is kept of the output, in order; NUL bytes are question marks. */
static char *kept_output(void)
{
	const struct np_table *t = guest.table;
	unsigned long end = atomic_load(&t->output_bytes), i;
	unsigned long start = end > NP_OUTPUT_MAX ? end - NP_OUTPUT_MAX : 0;
	char *s = np_alloc(end - start + 1);

	for (i = start; i < end; i++)
		s[i - start] = t->output[i % NP_OUTPUT_MAX] ?: '?';
	return s;
}

/**
 * np_foreign_output() - send the record with the end of the program's output
 */
void np_foreign_output(void)
{
	struct np_buf b = { 0 };
	char *s = kept_output();

	np_buf_printf(&b, "{\"type\":\"output\",\"bytes\":%lu,\"text\":",
		      atomic_load(&guest.table->output_bytes));
	np_json_str(&b, s);
	np_buf_puts(&b, "}");
	np_rec_write(&b);
	free(s);
}

/**
 * np_foreign_last_line() - the last line of the program's output, for a message
 *
 * Return: a colon and the line, or nothing if there was no output; to be freed.
 */
char *np_foreign_last_line(void)
{
	char *s = kept_output(), *line, *text;
	size_t n = strlen(s);

	while (n && strchr(" \t\r\n", s[n - 1]))
		s[--n] = '\0';
	line = strrchr(s, '\n');
	line = line ? line + 1 : s;
	text = *line ? np_asprintf(": %.*s", LAST_LINE_MAX, line) : np_strdup("");
	free(s);
	return text;
}

/* ---- where the memory of the program's processes is ---- */

/* A process: how many of its threads are on each node, and the CPU of its first one. */
struct process {
	int pid;
	int threads;
	int cpu;
	int on_node[NP_NODES_MAX];
};

static int node_of_cpu(int cpu)
{
	int i, j;

	for (i = 0; i < guest.nnodes; i++)
		for (j = 0; j < guest.node[i].ncpus; j++)
			if (guest.node[i].cpus[j] == cpu)
				return guest.node[i].id;
	return -1;
}

/* The CPU that a thread last ran on, or -1: the 39th field; the name before may hold anything. */
static int cpu_of(int pid, int tid)
{
	struct np_buf b = { 0 };
	char path[64], *p;
	int cpu = -1, field;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, tid);
	if (!np_read_file(path, &b)) {
		p = strrchr(b.s, ')');
		for (field = 2; p && field < 39; field++) {
			p = strchr(p, ' ');
			p += !!p;
		}
		if (p)
			cpu = atoi(p);
	}
	np_buf_free(&b);
	return cpu;
}

/* Append the children of a thread to the list. */
static void add_children(int pid, int tid, int **list, int *n)
{
	struct np_buf b = { 0 };
	int child, used;
	char path[64];
	const char *p;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, tid);
	if (!np_read_file(path, &b)) {
		for (p = b.s; p && sscanf(p, "%d%n", &child, &used) == 1; p += used) {
			*list = np_realloc(*list, (*n + 1) * sizeof(**list));
			(*list)[(*n)++] = child;
		}
	}
	np_buf_free(&b);
}

/* Look at the threads of a process; its children go to the end of the list. */
static void look_at(int pid, struct process *process, int **list, int *n)
{
	char path[64];
	struct dirent *e;
	DIR *dir;

	memset(process, 0, sizeof(*process));
	process->pid = pid;
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while (dir && (e = readdir(dir))) {
		int tid = atoi(e->d_name), cpu, node;

		if (!tid)
			continue;
		cpu = cpu_of(pid, tid);
		node = node_of_cpu(cpu);
		if (node >= 0) {
			process->threads++;
			process->on_node[node]++;
			process->cpu = cpu;
		}
		add_children(pid, tid, list, n);
	}
	if (dir)
		closedir(dir);
}

/*
 * Where the anonymous memory of a process is mapped. To find that out takes far longer than to look
 * at all its pages, so it is kept as long as the process's size stays, but not for ever.
 */
struct layout {
	int pid;
	long size;
	int age;
	int n;
	unsigned long total;
	struct {
		unsigned long start;
		unsigned long end;
	} *range;
};

static struct layout *layouts;
static int nlayouts;

static bool in_memory(const char *file)
{
	static const char * const shared[] = { "/dev/zero", "/SYSV", "/memfd:", "/dev/shm/" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(shared); i++)
		if (!strncmp(file, shared[i], strlen(shared[i])))
			return true;
	return false;
}

/* Pages of address space of a process, or -1. */
static long size_of(int pid)
{
	struct np_buf b = { 0 };
	char path[64];
	long size = -1;

	snprintf(path, sizeof(path), "/proc/%d/statm", pid);
	if (!np_read_file(path, &b) && b.len)
		size = strtol(b.s, NULL, 10);
	np_buf_free(&b);
	return size;
}

/* Take a line of maps: what has no inode is anonymous, but for what the kernel itself maps. */
static void add_range(struct layout *l, const char *line)
{
	unsigned long start, end, inode;
	int name = 0;

	if (sscanf(line, "%lx-%lx %*s %*s %*s %lu %n", &start, &end, &inode, &name) < 3)
		return;
	if (inode ? !in_memory(line + name) : !strncmp(line + name, "[v", 2))
		return;
	l->range = np_realloc(l->range, (l->n + 1) * sizeof(*l->range));
	l->range[l->n].start = start;
	l->range[l->n++].end = end;
	l->total += end - start;
}

static void read_layout(struct layout *l)
{
	struct np_buf b = { 0 };
	char path[64], *p, *end;

	l->n = 0;
	l->total = 0;
	l->age = 0;
	snprintf(path, sizeof(path), "/proc/%d/maps", l->pid);
	np_read_file(path, &b);
	for (p = b.s; p && (end = strchr(p, '\n')); p = end + 1) {
		*end = '\0';
		add_range(l, p);
	}
	np_buf_free(&b);
}

static struct layout *layout_of(int pid)
{
	long size = size_of(pid);
	struct layout *l;
	int i;

	for (i = 0; i < nlayouts; i++)
		if (layouts[i].pid == pid)
			break;
	if (i == nlayouts) {
		layouts = np_realloc(layouts, (nlayouts + 1) * sizeof(*layouts));
		layouts[nlayouts++] = (struct layout){ .pid = pid };
	}
	l = &layouts[i];
	if (l->size != size || ++l->age >= LAYOUT_AGE) {
		l->size = size;
		read_layout(l);
	}
	return l;
}

/* Count by pagemap. */
static void count_pages(const struct layout *l, long *count, long *moving)
{
	char path[64];
	int fd, i;

	snprintf(path, sizeof(path), "/proc/%d/pagemap", l->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	for (i = 0; fd >= 0 && i < l->n; i++)
		if (np_count_range(fd, l->range[i].start, l->range[i].end, count, moving))
			break;
	if (fd >= 0)
		close(fd);
}

/* Count by numa_maps: slower, but address space without pages costs nothing. */
static void count_sparse(int pid, long *count)
{
	struct np_buf b = { 0 };
	char path[64], **line, *file;
	int i, n;

	snprintf(path, sizeof(path), "/proc/%d/numa_maps", pid);
	if (np_read_file(path, &b) || !b.len) {
		np_buf_free(&b);
		return;
	}
	line = np_split(b.s, '\n', &n);
	for (i = 0; i < n; i++) {
		file = strstr(line[i], " file=");
		if (!strstr(line[i], " huge") && (!file || in_memory(file + 6)))
			np_numa_maps_line(line[i], count);
	}
	np_split_free(line, n);
	np_buf_free(&b);
}

static void add_process(const struct process *process, struct np_locality *l)
{
	long count[NP_NODES_MAX] = { 0 }, moving = 0, sum = 0;
	const struct layout *layout;
	int i;

	if (!process->threads)
		return;
	layout = layout_of(process->pid);
	if (layout->total <= DENSE_MAX)
		count_pages(layout, count, &moving);
	else
		count_sparse(process->pid, count);
	for (i = 0; i < NP_NODES_MAX; i++) {
		l->pages += count[i];
		sum += count[i] * process->on_node[i];
	}
	l->pages += moving;
	l->local += (sum + process->threads / 2) / process->threads;
}

/* Be where a process's only thread is, so that it cannot scan while it is looked at. */
static void sit_beside(struct process *process)
{
	cpu_set_t set;
	int i, cpu;

	for (i = 0; i < 3 && process->threads == 1; i++) {
		CPU_ZERO(&set);
		CPU_SET(process->cpu, &set);
		sched_setaffinity(0, sizeof(set), &set);
		cpu = cpu_of(process->pid, process->pid);
		if (cpu == process->cpu || node_of_cpu(cpu) < 0)
			return;
		process->cpu = cpu;
		memset(process->on_node, 0, sizeof(process->on_node));
		process->on_node[node_of_cpu(cpu)] = 1;
	}
}

/* Keep the layouts of these processes only. */
static void forget_layouts(const int *list, int n)
{
	int i, j;

	for (i = nlayouts - 1; i >= 0; i--) {
		for (j = 0; j < n && list[j] != layouts[i].pid; j++)
			;
		if (j < n)
			continue;
		free(layouts[i].range);
		layouts[i] = layouts[--nlayouts];
	}
}

/**
 * np_foreign_sample() - count the pages of a program's processes and how many are local
 * @root: the process that started the program; not counted itself
 * @l: the result
 *
 * The kernel does not say who touches which page. All threads of a process are taken to touch all
 * of its pages alike: exact for a process with one thread. Pages of files are not counted; memory
 * that processes share counts once for each.
 *
 * Return: 0; processes come and go.
 */
int np_foreign_sample(int root, struct np_locality *l)
{
	struct process process;
	int *list = NULL, n = 0, i;
	cpu_set_t all;

	memset(l, 0, sizeof(*l));
	look_at(root, &process, &list, &n);
	for (i = 0; i < n; i++) {
		look_at(list[i], &process, &list, &n);
		sit_beside(&process);
		add_process(&process, l);
	}
	forget_layouts(list, n);
	free(list);
	memset(&all, 0xff, sizeof(all));
	sched_setaffinity(0, sizeof(all), &all);
	return 0;
}
