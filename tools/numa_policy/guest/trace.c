// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's scan decisions, from its trace event into records.
 *
 * The events stay in a buffer of their own. Either they are read when the workload is done, so that
 * reading them disturbs nothing, or the workload itself reads them as they come. An event that was
 * lost is an error.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest.h"
#include "records.h"

#define TRACING "/sys/kernel/tracing"
#define INSTANCE TRACING "/instances/numa_policy"
#define EVENT "events/numa_policy/numa_policy_decide"
#define SKIP_EVENT "events/sched/sched_skip_vma_numa"

/* Size of the buffer of each CPU. */
#define BUFFER_KB "4096"

static bool tracing;

/* How often the VMA that begins with an area was scanned to its end, as decisions show. */
static struct {
	bool seen;
	int last_seq;
	int scans;
	double ms[NP_SCANS];
} scanned[NP_AREAS_MAX];

/* For the workload that reads as it goes. */
static int pipe_fd = -1;
static char pipe_text[16384];
static size_t pipe_len;

static int set(const char *file, const char *value)
{
	char *path = np_asprintf(INSTANCE "/%s", file);
	int fd = open(path, O_WRONLY | O_CLOEXEC), err = 0;

	if (fd < 0 || write(fd, value, strlen(value)) < 0) {
		np_rec_error("%s: %s", path, strerror(errno));
		err = -1;
	}
	if (fd >= 0)
		close(fd);
	free(path);
	return err;
}

/**
 * np_trace_start() - begin to collect the kernel's scan decisions
 * @filter: NULL, or which VMAs to collect them of, and why others of these were passed over
 *
 * Return: 0, or -1 after an error record.
 */
int np_trace_start(const char *filter)
{
	int tries;

	/* The kernel fills the directory of events while it already runs init. */
	for (tries = 0; access(TRACING "/" EVENT, F_OK); tries++) {
		if (tries == 500) {
			np_rec_error("this kernel has no trace event numa_policy_decide");
			return -1;
		}
		usleep(10000);
	}
	if (mkdir(INSTANCE, 0700)) {
		np_rec_error("%s: %s", INSTANCE, strerror(errno));
		return -1;
	}
	if (set("buffer_size_kb", BUFFER_KB) || set("trace_clock", "mono"))
		return -1;
	if (filter && (set(EVENT "/filter", filter) || set(SKIP_EVENT "/filter", filter) ||
		       set(SKIP_EVENT "/enable", "1")))
		return -1;
	if (set(EVENT "/enable", "1"))
		return -1;
	tracing = true;
	return 0;
}

/*
 * What a decision's process and memory are called, or NULL if it is not the workload's. @area is
 * the memory's number, or -1.
 */
static const char *role(int tid, unsigned long addr, int *area)
{
	static char number[16];
	const struct np_table *t = guest.table;
	int i, pid = 0;

	for (i = 0; i < t->threads && !pid; i++)
		if (t->thread[i].tid == tid)
			pid = t->thread[i].pid;
	if (!pid)
		return NULL;
	for (i = 0; i < t->areas; i++)
		if (t->area[i].pid == pid && t->area[i].start == addr)
			break;
	*area = i < t->areas ? i : -1;
	if (*area < 0)
		return "other";
	if (t->area[i].name[0])
		return t->area[i].name;
	snprintf(number, sizeof(number), "a%d", i);
	return number;
}

/* The text behind @key (with its blank and its equals sign), up to a blank, into @out. */
static bool text_of(const char *line, const char *key, char *out, size_t size)
{
	const char *p = strstr(line, key);
	size_t len;

	if (!p)
		return false;
	p += strlen(key);
	len = strcspn(p, " ");
	if (!len || len >= size)
		return false;
	memcpy(out, p, len);
	out[len] = '\0';
	return true;
}

/*
 * Take note of whole scans: the sequence in which the VMA was last scanned to its end is another
 * one than in the decision before. It shows at the first decision after it.
 */
static void note_scan(int area, int prev_seq, double ms)
{
	int last = scanned[area].seen ? scanned[area].last_seq : -1;

	scanned[area].seen = true;
	scanned[area].last_seq = prev_seq;
	if (prev_seq != last && scanned[area].scans < NP_SCANS)
		scanned[area].ms[scanned[area].scans++] = ms;
}

/**
 * np_trace_scanned() - when all areas had been scanned to their end so often
 * @scans: how often, 1 to NP_SCANS
 * @ms: milliseconds since the workload began
 *
 * Return: true if all had; false also if no decisions were collected.
 */
bool np_trace_scanned(int scans, double *ms)
{
	bool any = false;
	int i;

	*ms = 0;
	for (i = 0; i < NP_AREAS_MAX; i++) {
		if (!scanned[i].seen)
			continue;
		any = true;
		if (scanned[i].scans < scans)
			return false;
		if (scanned[i].ms[scans - 1] > *ms)
			*ms = scanned[i].ms[scans - 1];
	}
	return any;
}

/* Append the windows ("{0x1,0x0,0xff}") as a list of strings. */
static void add_windows(struct np_buf *b, const char *text)
{
	int i, n;
	char **w = np_split(text + (*text == '{'), ',', &n);

	for (i = 0; i < n; i++)
		np_buf_printf(b, "%s\"0x%lx\"", i ? "," : "", strtoul(w[i], NULL, 16));
	np_split_free(w, n);
}

/* Members of the record that are plain numbers in the trace. */
static const char *const numbers[] = { "seq", "start_seq", "prev_seq", "threads" };

/* One line of the trace into one record. */
static int decide_record(const char *line, unsigned long t0)
{
	static const char event[] = ": numa_policy_decide: ";
	char start[64], offset[32], policy[32], reason[32], pid[16], windows[256], value[16];
	const char *p = strstr(line, event), *at = p, *name;
	struct np_buf b = { 0 };
	unsigned long addr;
	double ms;
	int area;
	size_t i;

	if (!p)
		return 0;
	while (at > line && at[-1] != ' ')
		at--;
	if (!text_of(p, " vma=", start, sizeof(start)) ||
	    !text_of(p, " policy=", policy, sizeof(policy)) ||
	    !text_of(p, " reason=", reason, sizeof(reason)) ||
	    !text_of(p, " pid=", pid, sizeof(pid)) ||
	    !text_of(p, " offset=", offset, sizeof(offset)) ||
	    !text_of(p, " windows=", windows, sizeof(windows)))
		goto broken;
	addr = strtoul(start, NULL, 16);
	name = role(atoi(pid), addr, &area);
	if (!name)
		return 0;
	ms = strtod(at, NULL) * 1e3 - t0 / 1e6;
	np_buf_printf(&b, "{\"type\":\"decide\",\"t_ms\":%.3f,\"vma\":\"%s\",",
		      ms, name);
	np_buf_printf(&b, "\"start\":\"0x%lx\",\"policy\":", addr);
	np_json_str(&b, policy);
	np_buf_puts(&b, ",\"reason\":");
	np_json_str(&b, reason);
	np_buf_printf(&b, ",\"pid\":%d,", atoi(pid));
	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		char *key = np_asprintf(" %s=", numbers[i]);
		bool found = text_of(p, key, value, sizeof(value));

		free(key);
		if (!found)
			goto broken;
		np_buf_printf(&b, "\"%s\":%d,", numbers[i], atoi(value));
		if (area >= 0 && !strcmp(numbers[i], "prev_seq"))
			note_scan(area, atoi(value), ms);
	}
	np_buf_printf(&b, "\"offset\":\"0x%lx\",\"windows\":[", strtoul(offset, NULL, 16));
	add_windows(&b, windows);
	np_buf_puts(&b, "]}");
	np_rec_write(&b);
	return 0;
broken:
	np_rec_error("cannot read the trace: '%s'", line);
	np_buf_free(&b);
	return -1;
}

/* Every event must have reached the buffer and stayed there. */
static void check_lost(void)
{
	int i, j;

	for (i = 0; i < guest.nnodes; i++) {
		for (j = 0; j < guest.node[i].ncpus; j++) {
			static const char *const what[] = { "overrun: ", "dropped events: " };
			struct np_buf b = { 0 };
			char path[96];
			size_t k;

			snprintf(path, sizeof(path), INSTANCE "/per_cpu/cpu%d/stats",
				 guest.node[i].cpus[j]);
			if (np_read_file(path, &b))
				np_rec_error("cannot read %s", path);
			for (k = 0; b.s && k < ARRAY_SIZE(what); k++) {
				const char *p = strstr(b.s, what[k]);
				long n = p ? strtol(p + strlen(what[k]), NULL, 10) : -1;

				if (n)
					np_rec_error("%ld trace events lost on CPU %d", n,
						     guest.node[i].cpus[j]);
			}
			np_buf_free(&b);
		}
	}
}

/**
 * np_trace_records() - stop collecting decisions and send them all as records
 * @t0: when the workload began
 */
void np_trace_records(unsigned long t0)
{
	char *line = NULL;
	size_t cap = 0;
	FILE *f;

	if (!tracing || set("tracing_on", "0"))
		return;
	f = fopen(INSTANCE "/trace", "re");
	if (!f) {
		np_rec_error("%s/trace: %s", INSTANCE, strerror(errno));
		return;
	}
	while (getline(&line, &cap, f) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (line[0] != '#' && decide_record(line, t0))
			break;
	}
	free(line);
	fclose(f);
	check_lost();
}

/**
 * np_trace_open() - let the calling process read the events as they come
 *
 * Its children read from the same place.
 */
void np_trace_open(void)
{
	pipe_fd = open(INSTANCE "/trace_pipe", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (pipe_fd < 0)
		np_fail("%s/trace_pipe: %s", INSTANCE, strerror(errno));
}

/* The PID before the CPU's number, as in "     init-57      [001] ...". */
static int tid_of(const char *line, const char *event)
{
	const char *p = memmem(line, event - line, " [", 2);

	while (p && p > line && p[-1] == ' ')
		p--;
	while (p && p > line && p[-1] >= '0' && p[-1] <= '9')
		p--;
	return p ? atoi(p) : 0;
}

static unsigned long hex_of(const char *text)
{
	return strtoul(text, NULL, 16);
}

static bool read_event(const char *line, struct np_trace_event *e)
{
	static const char decide[] = ": numa_policy_decide: ", skip[] = ": sched_skip_vma_numa: ";
	char start[64], offset[32], seq[16] = "", prev_seq[16] = "", threads[16] = "";
	const char *p = strstr(line, decide), *at;

	memset(e, 0, sizeof(*e));
	e->decided = p;
	if (!p)
		p = strstr(line, skip);
	if (!p)
		return false;
	e->tid = tid_of(line, p);
	for (at = p; at > line && at[-1] != ' '; at--)
		;
	e->ns = strtod(at, NULL) * 1e9;
	if (!text_of(p, " reason=", e->reason, sizeof(e->reason)))
		return false;
	if (e->decided && (!text_of(p, " vma=", start, sizeof(start)) ||
			   !text_of(p, " offset=", offset, sizeof(offset)) ||
			   !text_of(p, " policy=", e->policy, sizeof(e->policy)) ||
			   !text_of(p, " seq=", seq, sizeof(seq)) ||
			   !text_of(p, " prev_seq=", prev_seq, sizeof(prev_seq)) ||
			   !text_of(p, " threads=", threads, sizeof(threads))))
		return false;
	if (!e->decided && (!text_of(p, " vm_start=", start, sizeof(start)) ||
			    !text_of(p, " numa_scan_offset=", offset, sizeof(offset))))
		return false;
	e->start = hex_of(start);
	e->offset = hex_of(offset);
	e->seq = atoi(seq);
	e->prev_seq = atoi(prev_seq);
	e->threads = atoi(threads);
	return e->tid && e->ns;
}

/**
 * np_trace_next() - read the next event, if there is one already
 * @e: the event
 *
 * Return: 1 if there was one, 0 if not, -1 if there is something that is no event, such as a note
 * that some were lost.
 */
int np_trace_next(struct np_trace_event *e)
{
	char *end = memchr(pipe_text, '\n', pipe_len);
	bool ok;

	if (!end) {
		ssize_t n = read(pipe_fd, pipe_text + pipe_len, sizeof(pipe_text) - pipe_len);

		if (n <= 0)
			return n < 0 && errno == EAGAIN ? 0 : -1;
		pipe_len += n;
		end = memchr(pipe_text, '\n', pipe_len);
		if (!end)
			return 0;
	}
	*end = '\0';
	ok = read_event(pipe_text, e);
	if (!ok)
		np_error("cannot read the trace: '%s'", pipe_text);
	pipe_len -= end + 1 - pipe_text;
	memmove(pipe_text, end + 1, pipe_len);
	return ok ? 1 : -1;
}
