/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How a guest speaks to the plugin that counts its memory accesses: by instructions that do nothing
 * anywhere else.
 *
 * A mark is a no-operation with an operand that no compiler writes. The plugin knows it by its
 * bytes; without the plugin it costs one instruction.
 */
#ifndef NP_MARKS_H
#define NP_MARKS_H

/**
 * enum np_mark - what a mark says
 * @NP_MARK_CALIBRATE: the accesses to the window below begin
 * @NP_MARK_CALIBRATED: they are over
 * @NP_MARK_START: whoever executes this is init and is not counted; all others are, from now on
 * @NP_MARK_SAMPLE: init takes a sample
 * @NP_MARK_MEASURED: the measured phase begins
 * @NP_MARK_END: the work is done
 * @NP_MARK_PROBE: of tests
 */
enum np_mark {
	NP_MARK_CALIBRATE,
	NP_MARK_CALIBRATED,
	NP_MARK_START,
	NP_MARK_SAMPLE,
	NP_MARK_MEASURED,
	NP_MARK_END,
	NP_MARK_PROBE,
	NP_MARKS
};

/* nopl NP_MARK_MAGIC + mark(%rax,%rax) */
#define NP_MARK_BYTES 8
#define NP_MARK_OPCODE { 0x0f, 0x1f, 0x84, 0x00 }
#define NP_MARK_MAGIC 0x4e7a6b00
#ifdef __x86_64__
#define NP_MARK_ASM ".byte 0x0f, 0x1f, 0x84, 0x00\n\t.long %c[mark]\n\t"
#else
/* The plugin is not for guests of other architectures. */
#define NP_MARK_ASM ""
#endif

/**
 * np_mark() - execute a mark
 * @_mark: which, a constant
 */
#define np_mark(_mark) \
	({ asm volatile(NP_MARK_ASM : : [mark] "i" (NP_MARK_MAGIC + (_mark)) : "memory"); })

/*
 * While it calibrates, init has a page of each node with memory at an address that tells the node
 * and the page's physical address. It loads from it and stores to it so many times.
 */
#define NP_CAL_WINDOW (1UL << 45)
#define NP_CAL_NODE_SHIFT 39
#define NP_CAL_ACCESSES 1000

#endif /* NP_MARKS_H */
