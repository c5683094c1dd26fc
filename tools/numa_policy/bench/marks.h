/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How the measured guest speaks to the plugin that counts its instructions: in text, four bits at a
 * time, by instructions that do nothing anywhere else.
 */
#ifndef NP_BENCH_MARKS_H
#define NP_BENCH_MARKS_H

#include "../traffic/marks.h"

/* The same instruction as there, with operands of its own. */
#define NP_BENCH_MAGIC 0x4e7a6c00

/* The values of a mark: four bits of a character, the upper ones first. */
#define NP_BENCH_MARKS 16

/**
 * np_bench_mark() - say four bits
 * @_bits: which, a constant
 */
#define np_bench_mark(_bits) \
	({ asm volatile(NP_MARK_ASM : : [mark] "i" (NP_BENCH_MAGIC + (_bits)) : "memory"); })

#endif /* NP_BENCH_MARKS_H */
