/* SPDX-License-Identifier: Apache-2.0 */
/* A compare-exchange writes the old value to *expected only if it fails. The translator stores it always.
 * Unless `expected` is a private variable, others see that store, and it would race. Here the store moves
 * to a block of its own, which runs only after a failure. */
#include <stdlib.h>
#include <string.h>

#include "compile.h"
#include "spirv_words.h"

enum { LINE_WORDS = 4, EXCHANGE_WORDS = 9 };
/* What a compare-exchange adds: a conditional branch, the label and branch of the store's block, the label
 * after it, and an OpLine in each block. */
enum { ADDED_WORDS = 4 + 2 + 2 + 2 + 2 * LINE_WORDS };

struct expected {
    const struct spirv *spirv;
    uint32_t *out;
    size_t put;
    uint32_t bound, next;
    /* per id: a type of pointers to private memory; a pointer of such a type */
    uint8_t *private_type, *is_private;
    /* per label: the label of the block's last part; 0: the block is not split */
    uint32_t *last_block;
    uint32_t label;            /* the block that is being read */
    uint32_t line[LINE_WORDS]; /* the latest OpLine of the block; [0] is 0: none */
};

/* ---- what is there ------------------------------------------------------------------------------------- */

/* The words, if they are inside the module and have the opcode; else NULL. */
static const uint32_t *instruction(const struct expected *e, const uint32_t *words, uint32_t opcode)
{
    const uint32_t *end = e->spirv->words + e->spirv->word_count;
    return words && words < end && opcode_of(*words) == opcode ? words : NULL;
}

static const uint32_t *past(const uint32_t *words)
{
    return words + length_of(*words);
}

static bool is_exchange(uint32_t word)
{
    return opcode_of(word) == SpvOpAtomicCompareExchange || opcode_of(word) == SpvOpAtomicCompareExchangeWeak;
}

/* The comparison of an exchange whose store precedes it; NULL: the instructions differ, or the store goes
 * to private memory. */
static const uint32_t *comparison_of(const struct expected *e, const uint32_t *exchange)
{
    const uint32_t *store = instruction(e, past(exchange), SpvOpStore);
    const uint32_t *compare = store ? instruction(e, past(store), SpvOpIEqual) : NULL;
    if (!compare || length_of(*exchange) != EXCHANGE_WORDS || store[2] != exchange[2])
        return NULL;
    const bool is_private = store[1] < e->bound && e->is_private[store[1]];
    return !is_private && compare[3] == exchange[2] && compare[4] == exchange[8] ? compare : NULL;
}

static void note_pointer(struct expected *e, const uint32_t *words)
{
    const uint32_t opcode = opcode_of(*words);
    if (opcode == SpvOpTypePointer && words[1] < e->bound)
        e->private_type[words[1]] = words[2] == SpvStorageClassFunction;
    else if (length_of(*words) > 2 && words[1] < e->bound && words[2] < e->bound && e->private_type[words[1]])
        e->is_private[words[2]] = 1; /* Other instructions without a result cannot match a type id here. */
}

static size_t find(struct expected *e)
{
    size_t found = 0;
    for (const uint32_t *w = e->spirv->words + HEADER_WORDS; w < e->spirv->words + e->spirv->word_count;
         w = past(w)) {
        note_pointer(e, w);
        found += is_exchange(*w) && comparison_of(e, w);
    }
    return found;
}

/* ---- what becomes of it ---------------------------------------------------------------------- */

static void add(struct expected *e, const uint32_t *words, size_t count)
{
    memcpy(e->out + e->put, words, count * sizeof *words);
    e->put += count;
}

static void add_label(struct expected *e, uint32_t id)
{
    const uint32_t label[] = {instruction_word(SpvOpLabel, 2), id};
    add(e, label, 2);
    if (e->line[0])
        add(e, e->line, LINE_WORDS);
}

/* Writes exchange, comparison, and the store where the comparison is false. */
static const uint32_t *add_exchange(struct expected *e, const uint32_t *exchange, const uint32_t *compare)
{
    const uint32_t *store = past(exchange);
    const uint32_t failed = e->next++, merged = e->next++;
    const uint32_t branch[] = {instruction_word(SpvOpBranchConditional, 4), compare[2], merged, failed};
    const uint32_t jump[] = {instruction_word(SpvOpBranch, 2), merged};
    add(e, exchange, length_of(*exchange));
    add(e, compare, length_of(*compare));
    add(e, branch, 4);
    add_label(e, failed);
    add(e, store, length_of(*store));
    add(e, jump, 2);
    add_label(e, merged);
    e->last_block[e->label] = merged;
    return past(compare);
}

static void rewrite(struct expected *e)
{
    add(e, e->spirv->words, HEADER_WORDS);
    for (const uint32_t *w = e->spirv->words + HEADER_WORDS; w < e->spirv->words + e->spirv->word_count;) {
        const uint32_t *compare = is_exchange(*w) ? comparison_of(e, w) : NULL;
        if (compare) {
            w = add_exchange(e, w, compare);
            continue;
        }
        if (opcode_of(*w) == SpvOpLabel) {
            e->label = w[1];
            e->line[0] = 0;
        } else if (opcode_of(*w) == SpvOpLine) {
            memcpy(e->line, w, sizeof e->line);
        }
        add(e, w, length_of(*w));
        w = past(w);
    }
    e->out[BOUND_WORD] = e->next;
}

/* Successors of a split block have its last part as predecessor. */
static void rename_parents(struct expected *e)
{
    for (uint32_t *w = e->out + HEADER_WORDS; w < e->out + e->put; w += length_of(*w))
        for (size_t i = 4; opcode_of(*w) == SpvOpPhi && i < length_of(*w); i += 2)
            if (w[i] < e->bound && e->last_block[w[i]])
                w[i] = e->last_block[w[i]];
}

enum status repair_expected(struct spirv *spirv)
{
    struct expected e = {.spirv = spirv, .bound = spirv->words[BOUND_WORD], .next = spirv->words[BOUND_WORD]};
    enum status status = STATUS_OUT_OF_MEMORY;
    e.private_type = calloc(e.bound, 1);
    e.is_private = calloc(e.bound, 1);
    e.last_block = calloc(e.bound, sizeof *e.last_block);
    const bool fits = e.private_type && e.is_private && e.last_block;
    const size_t found = fits ? find(&e) : 0;
    if (found)
        e.out = malloc((spirv->word_count + found * ADDED_WORDS) * sizeof *e.out);
    if (fits && (!found || e.out))
        status = STATUS_OK;
    if (e.out) {
        rewrite(&e);
        rename_parents(&e);
        spirv_take(spirv, e.out, e.put);
    }
    free(e.private_type);
    free(e.is_private);
    free(e.last_block);
    return status;
}
