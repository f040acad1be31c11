/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Mutation of SPIR-V modules that keeps to the grammar, and mostly to the rules of validation.
 *
 * Interface
 *   module_mutate     one mutation of `size` bytes in place, at most `most`; returns the new size. Three of
 *                     four results are valid if the input was.
 *   module_cross      a function of another module, with all that it needs, in a copy of the first
 *   draft_x           one kind of change each; true: something changed, and the draft has to be read anew
 */
#ifndef TESTS_FUZZ_MUTATE_MODULE_H
#define TESTS_FUZZ_MUTATE_MODULE_H

#include "draft.h"

size_t module_mutate(uint8_t *data, size_t size, size_t most, uint32_t seed);
size_t module_cross(const uint8_t *first, size_t first_size, const uint8_t *second, size_t second_size,
                    uint8_t *out, size_t most, uint32_t seed);

/* mutate_operand.c: operands and opcodes */
bool draft_change_operand(struct draft *draft);
bool draft_change_opcode(struct draft *draft);
/* Another id that is defined by the same instruction, in the same function if it is in one. */
uint32_t draft_alike(struct draft *draft, const struct instruction *defined, const struct instruction *user);

/* mutate_instruction.c: copied, new, removed and moved instructions */
bool draft_copy_instruction(struct draft *draft);
bool draft_new_instruction(struct draft *draft);
bool draft_remove_instruction(struct draft *draft);
bool draft_swap_instructions(struct draft *draft);
bool draft_through_memory(struct draft *draft);
bool draft_through_struct(struct draft *draft);
bool draft_use(struct draft *draft, uint32_t value, uint32_t type, size_t word);

/* mutate_flow.c: branches and phis */
bool draft_redirect(struct draft *draft);
bool draft_split(struct draft *draft);
bool draft_add_case(struct draft *draft);
bool draft_make_conditional(struct draft *draft);
bool draft_make_switch(struct draft *draft);
bool draft_insert_phi(struct draft *draft);

/* mutate_declaration.c: decorations and execution modes */
bool draft_decorate(struct draft *draft);
bool draft_execution_mode(struct draft *draft);

#endif
