// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's scan decisions, from its trace event into records.
 *
 * The events stay in a buffer of their own while the workload runs and are read when it is
 * done, so that reading them disturbs nothing. An event that was lost is an error.
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

/* Size of the buffer of each CPU. */
#define BUFFER_KB "4096"

static bool tracing;

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
 *
 * Return: 0, or -1 after an error record.
 */
int np_trace_start(void)
{
	int tries;

	if (!np_get("trace"))
		return 0;
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
	if (set("buffer_size_kb", BUFFER_KB) || set("trace_clock", "mono") ||
	    set(EVENT "/enable", "1"))
		return -1;
	tracing = true;
	return 0;
}

/* What a decision's process and memory are called, or NULL if it is not the workload's. */
static const char *role(int tid, unsigned long addr)
{
	const struct np_table *t = guest.table;
	int i, pid = 0;

	for (i = 0; i < t->threads && !pid; i++)
		if (t->thread[i].tid == tid)
			pid = t->thread[i].pid;
	if (!pid)
		return NULL;
	for (i = 0; i < t->areas; i++)
		if (t->area[i].pid == pid && t->area[i].start == addr && t->area[i].name[0])
			return t->area[i].name;
	return "other";
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
	name = role(atoi(pid), addr);
	if (!name)
		return 0;
	np_buf_printf(&b, "{\"type\":\"decide\",\"t_ms\":%.3f,\"vma\":\"%s\",",
		      strtod(at, NULL) * 1e3 - t0 / 1e6, name);
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
