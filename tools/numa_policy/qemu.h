/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One guest: QEMU's command line, the process, and why it ended.
 */
#ifndef NP_QEMU_H
#define NP_QEMU_H

#include <stdbool.h>
#include <sys/types.h>

#include "job.h"
#include "topology.h"
#include "util.h"

/* Names inside a guest's directory. */
#define NP_CONSOLE_LOG "console.log"
#define NP_RECORDS "records.jsonl"
#define NP_QEMU_LOG "qemu.log"
#define NP_TRAFFIC "traffic.jsonl"
#define NP_COUNTS "counts.log"
#define NP_COMMAND "command"
#define NP_NATIVE_LOG "program.log"

/**
 * struct np_arch - an architecture that guests can be of
 * @name: as the kernel calls it
 * @qemu: QEMU program that runs them
 * @package: Debian package with that program
 * @image: name of a kernel's image in its directory
 * @machine: QEMU's machine, as an option, with those that go with it
 * @cpu: the CPU, where QEMU counts instructions
 * @console: the kernel's name for the first serial line
 */
struct np_arch {
	const char *name;
	const char *qemu;
	const char *package;
	const char *image;
	const char *machine;
	const char *cpu;
	const char *console;
};

/**
 * struct np_machine - what all guests of a run have in common
 * @arch: the guests' architecture
 * @qemu: path of the QEMU program
 * @image: path of the kernel image, absolute
 * @initrd: path of the initramfs, absolute
 * @topology: the nodes
 * @traffic: path of the plugin that counts memory accesses, absolute; NULL: nothing is counted
 * @plugin: value of the option -plugin, if no accesses are counted; NULL: none
 * @kvm: run on KVM, in real time, instead of counting instructions
 * @native: path of the program to run on this machine, absolute, in the place of a guest; then
 *	only @timeout_s, @stall_s and @job count. NULL: there are guests
 * @timeout_s: host seconds after which a guest is ended
 * @job: program of the host to run in it; the host's root is shared with the guest then, to be read
 *	only. NULL: none
 * @stall_s: host seconds without a record or a console character after which it is ended
 */
struct np_machine {
	const struct np_arch *arch;
	const char *qemu;
	const char *image;
	const char *initrd;
	const struct np_topology *topology;
	const struct np_job *job;
	const char *traffic;
	const char *plugin;
	bool kvm;
	const char *native;
	long timeout_s;
	long stall_s;
};

/**
 * struct np_guest - a running guest
 * @machine: what it runs on
 * @dir: its directory
 * @pid: the QEMU process and its process group; 0 once it is gone
 * @status: wait status of the process once it is gone
 * @started: when it was started; this and all times here are milliseconds of the caller's clock
 * @last_sign: when a record or console output arrived last
 * @sign_seen: @last_sign when @sign_cpu was taken
 * @sign_cpu: CPU time that QEMU had had by then
 * @panicked: when a panic was seen on the console; 0: not yet
 * @finished: when the end record was seen; 0: not yet
 * @ending: when it was told to end; 0: it was not
 * @killed: it was killed because it did not end
 * @console_size: bytes of console output seen
 * @records_size: bytes of records seen
 * @reason: why it was told to end, or NULL
 */
struct np_guest {
	const struct np_machine *machine;
	char *dir;
	pid_t pid;
	int status;
	long started;
	long last_sign;
	long sign_seen;
	long sign_cpu;
	long panicked;
	long finished;
	long ending;
	bool killed;
	off_t console_size;
	off_t records_size;
	char *reason;
};

const struct np_arch *np_arch_usual(void);
const struct np_arch *np_arch_of(const char *kernel);
char *np_qemu_find(const struct np_arch *arch, const char *program, char **path);
char *np_qemu_version(const char *path, char **version);
char *np_file_sha256(const char *path, char **hash);
void np_qemu_escape(struct np_buf *b, const char *path);

int np_guest_start(struct np_guest *g, const struct np_machine *m, const char *dir,
		   const char *append, int shift, long now);
bool np_guest_check(struct np_guest *g, long now);
void np_guest_end(struct np_guest *g, long now);
void np_guest_kill(struct np_guest *g);
char *np_guest_reason(const struct np_guest *g);
void np_guest_remove_files(const char *dir);
void np_guest_free(struct np_guest *g);

#endif /* NP_QEMU_H */
