// SPDX-License-Identifier: GPL-2.0
/*
 * How the host tool copes with many cells: makes results as large as those of a large matrix and
 * measures how long numa-policy takes to print them and how much memory it needs.
 *
 * Usage: many NUMA_POLICY WORKDIR
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../policies.h"
#include "../results.h"
#include "../util.h"

#define CELLS 10000
#define NPOLICIES 5
#define NWORKLOADS 4

/* What must hold: megabytes, and seconds with as much again for a slow machine. */
#define MEMORY_MB 200
#define SECONDS (2 * 5.)

/* Records of a cell, as many as the sleeper sends. */
#define SAMPLES 110

/* Twice the cells may take so much longer: less than what grows with the square. */
#define GROWTH 3

static const char * const workloads[NWORKLOADS] = { "sleeper", "late_vma", "threadlocal", "numa01" };

static int passed, failed;

static void check(bool good, const char *name)
{
	*(good ? &passed : &failed) += 1;
	printf("%sok %d - %s\n", good ? "" : "not ", passed + failed, name);
}

static double seconds(struct timeval t)
{
	return t.tv_sec + t.tv_usec / 1e6;
}

static json_t *head(int cells)
{
	json_t *policies = json_array(), *works = json_array(), *seeds = json_array();
	int reps = cells / NPOLICIES / NWORKLOADS;

	for (int p = 0; p < NPOLICIES; p++)
		json_array_append_new(policies, json_string(np_policies[p].name));
	for (int w = 0; w < NWORKLOADS; w++)
		json_array_append_new(works, json_pack("{s:s, s:i}", "name", workloads[w],
						       "shift", 6));
	for (int i = 1; i <= reps; i++)
		json_array_append_new(seeds, json_integer(i));
	return json_pack("{s:s, s:i, s:o, s:o, s:s, s:i, s:o}", "schema", NP_RESULTS_SCHEMA,
			 "version", NP_RESULTS_VERSION, "policies", policies, "workloads", works,
			 "base", np_policies[0].name, "reps", reps, "seeds", seeds);
}

/* Records as a guest sends them, with figures that do not repeat themselves. */
static void add_records(struct np_cell *c, struct np_buf *b, unsigned int *random)
{
	static const char begin[] =
		"{\"type\":\"begin\",\"version\":1,\"workload\":\"sleeper\",\"seed\":840412675,"
		"\"kernel\":\"6.12.117\",\"policy\":\"always\",\"windows\":4,\"cmdline\":\"console=ttyS0 "
		"panic=-1 loglevel=4 kunit.enable=0 numa_scan_policy=always -- workload=sleeper\","
		"\"nodes\":[{\"id\":0,\"cpus\":[0,1],\"mem_kb\":246272,\"distance\":[10,20]},"
		"{\"id\":1,\"cpus\":[2,3],\"mem_kb\":257504,\"distance\":[20,10]}],\"params\":{},"
		"\"tunables\":{\"hot_threshold_ms\":1000,\"scan_size_mb\":256},\"sample_ms\":1000}";

	b->len = 0;
	np_buf_puts(b, "[");
	for (int i = 0; i < SAMPLES; i++)
		np_buf_printf(b, "%s{\"type\":\"sample\",\"t_ms\":%d,\"phase\":\"return\","
			      "\"pages\":%d,\"local\":%d}", i ? "," : "",
			      i * 1000 + rand_r(random) % 30, 12288, rand_r(random) % 12288);
	np_buf_puts(b, "]");
	np_cell_set_part_text(c, NP_PART_BEGIN, begin, strlen(begin));
	np_cell_set_part_text(c, NP_PART_RECORDS, b->s, b->len);
}

static void make_cell(struct np_cell *c, int i, unsigned int *random)
{
	c->policy = np_strdup(np_policies[i % NPOLICIES].name);
	c->workload = np_strdup(workloads[i / NPOLICIES % NWORKLOADS]);
	c->rep = i / NPOLICIES / NWORKLOADS + 1;
	c->seed = c->rep;
	c->status = NP_CELL_OK;
	c->host_s = 3.25;
	c->guest_s = 110;
	c->metrics = json_object();
	for (int m = 0; m < np_metrics_count; m++)
		json_object_set_new(c->metrics, np_metrics[m].name,
				    json_real(rand_r(random) % 1000000 / 8.));
}

/* Write results with so many cells, each @step-th of them from @from on. */
static void make_file(const char *path, int cells, int from, int step)
{
	struct np_results r = { .head = head(cells) };
	unsigned int random = 1 + from;
	struct np_buf b = { 0 };
	char *error;
	int err;

	error = np_results_index(&r);
	if (error)
		np_die(NP_FAIL, "%s", error);
	for (int i = from; i < cells; i += step) {
		struct np_cell *c = np_results_add(&r);

		make_cell(c, i, &random);
		add_records(c, &b, &random);
	}
	err = np_results_save(&r, path);
	if (err)
		np_die(NP_FAIL, "cannot write %s: %s", path, strerror(-err));
	np_buf_free(&b);
	np_results_free(&r);
}

/*
 * Run the tool, its table into a file. Return: whether it exited with 0. @took is CPU time, which
 * other tests that run at the same time do not change; there is one thread.
 */
static bool run(char **argv, const char *table, double *took, long *peak_kb)
{
	struct rusage usage;
	int status, fd;
	pid_t pid;

	pid = fork();
	if (!pid) {
		fd = open(table, O_WRONLY | O_CREAT | O_TRUNC, 0666);
		dup2(fd, STDOUT_FILENO);
		execv(argv[0], argv);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid)
		np_die(NP_FAIL, "cannot run %s: %s", argv[0], strerror(errno));
	*took = seconds(usage.ru_utime) + seconds(usage.ru_stime);
	*peak_kb = usage.ru_maxrss;
	printf("# %s %s: %.2f CPU seconds, %ld MB\n", argv[2], argv[3], *took, *peak_kb >> 10);
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

static bool has(const char *path, const char *text)
{
	struct np_buf b = { 0 };
	bool found = !np_read_file(path, &b) && strstr(b.s, text);

	np_buf_free(&b);
	return found;
}

int main(int argc, char **argv)
{
	char *all, *half, *odd, *even, *table;
	double took, shorter;
	long peak;

	if (argc != 3)
		np_die(NP_USAGE, "usage: many NUMA_POLICY WORKDIR");
	if (np_mkdirs(argv[2]))
		np_die(NP_FAIL, "cannot make %s", argv[2]);
	all = np_asprintf("%s/all.json", argv[2]);
	half = np_asprintf("%s/half.json", argv[2]);
	odd = np_asprintf("%s/odd.json", argv[2]);
	even = np_asprintf("%s/even.json", argv[2]);
	table = np_asprintf("%s/table", argv[2]);
	make_file(all, CELLS, 0, 1);
	make_file(half, CELLS / 2, 0, 1);
	make_file(odd, CELLS, 0, 2);
	make_file(even, CELLS, 1, 2);

	char *print_half[] = { argv[1], "compare", "--print", half, NULL };
	char *print_all[] = { argv[1], "compare", "--print", all, NULL };
	char *print_both[] = { argv[1], "compare", "--print", odd, even, NULL };

	check(run(print_half, table, &shorter, &peak), "half the cells are printed");
	check(run(print_all, table, &took, &peak), "10,000 cells are printed");
	check(has(table, "500/500"), "all of them");
	check(took < SECONDS, "in little time");
	check(peak < MEMORY_MB << 10, "in less than 200 MB");
	check(took < GROWTH * shorter, "twice the cells take twice the time");
	check(run(print_both, table, &took, &peak) && has(table, "500/500"),
	      "two files of 5,000 are merged");
	check(took < SECONDS && peak < MEMORY_MB << 10, "in little time and memory, too");
	unlink(all);
	unlink(half);
	unlink(odd);
	unlink(even);
	unlink(table);
	printf("%d passed, %d failed\n", passed, failed);
	return failed ? NP_FAIL : NP_OK;
}
