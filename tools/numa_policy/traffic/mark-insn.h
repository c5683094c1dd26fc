/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How plugins know a mark (marks.h) by its instruction.
 */
#ifndef NP_MARK_INSN_H
#define NP_MARK_INSN_H

#include <stdint.h>
#include <string.h>

#include "marks.h"
#include "qemu-plugin-abi.h"

/**
 * np_mark_of() - the mark that an instruction is
 * @insn: the instruction
 * @magic: operand of the first mark
 * @marks: how many marks there are
 *
 * Return: the mark's number, or @marks if it is none of them.
 */
static inline uint32_t np_mark_of(const struct qemu_plugin_insn *insn, uint32_t magic,
				  uint32_t marks)
{
	static const unsigned char opcode[] = NP_MARK_OPCODE;
	const char *bytes = qemu_plugin_insn_data(insn);
	uint32_t operand;

	if (qemu_plugin_insn_size(insn) != NP_MARK_BYTES || memcmp(bytes, opcode, sizeof(opcode)))
		return marks;
	memcpy(&operand, bytes + sizeof(opcode), sizeof(operand));
	operand -= magic;
	return operand < marks ? operand : marks;
}

#endif /* NP_MARK_INSN_H */
