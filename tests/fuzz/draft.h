/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The words of a SPIR-V module as instructions and operands, to change them. SPIRV-Tools parses the
 *          words, so that the grammar is its own.
 *
 * Interface
 *   draft_init, draft_fini   a copy of words, which may grow to `most`
 *   draft_read      parses anew, after each change; false: the words are no module
 *   draft_pick      a random number below n (0 when n is 0)
 *   draft_any       a random instruction: mostly one of a function
 *   draft_insert, draft_remove   words at a position; false: no space. Instructions are stale until
 *                   draft_read
 *   draft_insert_instruction   likewise an instruction of fewer than INSTRUCTION_WORDS_MOST words
 *   draft_fresh     an id that nothing has; 0: there are too many
 *   draft_value     a random value of a type that instruction `user` may use; 0: there is none
 *   draft_definition   the instruction that defines an id; NULL: none does
 *   draft_first     the first instruction from an index on with that opcode; `instructions`: none
 */
#ifndef TESTS_FUZZ_DRAFT_H
#define TESTS_FUZZ_DRAFT_H

#include <spirv-tools/libspirv.h>
#include <spirv/unified1/spirv.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DRAFT_HEADER = 5, DRAFT_IDS_MOST = 1 << 16, INSTRUCTION_WORDS_MOST = 64 };

struct operand {
    uint32_t word, words; /* position in the module, length */
    spv_operand_type_t type;
};
struct instruction {
    uint32_t word, words, opcode;
    uint32_t type, result;      /* ids, 0: none */
    uint32_t function, block;   /* ids of what it is in, 0: nothing */
    uint32_t operand, operands; /* the first of them in draft.operand */
};
struct draft {
    uint32_t *words;
    size_t count, most;
    struct instruction *at;
    size_t instructions, instructions_most;
    struct operand *operand;
    size_t operands, operands_most;
    uint32_t *defined; /* id -> 1 + index of its instruction; 0: nothing defines it */
    uint64_t random;
    uint32_t function, block; /* while words are read */
};

bool draft_init(struct draft *draft, const void *bytes, size_t count, size_t most, uint32_t seed);
void draft_fini(struct draft *draft);
bool draft_read(struct draft *draft);
uint32_t draft_pick(struct draft *draft, uint32_t n);
struct instruction *draft_any(struct draft *draft);
bool draft_insert(struct draft *draft, size_t word, const uint32_t *words, size_t count);
bool draft_insert_instruction(struct draft *draft, size_t word, uint32_t opcode, const uint32_t *operands,
                              uint32_t count);
void draft_remove(struct draft *draft, size_t word, size_t count);
uint32_t draft_fresh(struct draft *draft);
uint32_t draft_value(struct draft *draft, uint32_t type, const struct instruction *user);
struct instruction *draft_definition(const struct draft *draft, uint32_t id);
size_t draft_first(const struct draft *draft, size_t from, uint32_t opcode);

static inline uint32_t draft_head(uint32_t opcode, uint32_t words)
{
    return words << 16 | opcode;
}
static inline bool operand_is_id(const struct operand *operand)
{
    return operand->type == SPV_OPERAND_TYPE_ID || operand->type == SPV_OPERAND_TYPE_TYPE_ID ||
           operand->type == SPV_OPERAND_TYPE_MEMORY_SEMANTICS_ID ||
           operand->type == SPV_OPERAND_TYPE_SCOPE_ID;
}
/* Word i of an instruction. */
static inline uint32_t *draft_word(const struct draft *draft, const struct instruction *inst, uint32_t i)
{
    return &draft->words[inst->word + i];
}

#endif
