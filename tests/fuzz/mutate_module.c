/* SPDX-License-Identifier: Apache-2.0 */
/* Which change is made, and whether it is kept. Most results are validated, so that what runs modules is not
 * given what it refuses at once; the others reach the checks of words that do not validate. */
#include <stdlib.h>
#include <string.h>

#include "mutate_module.h"
#include "orrery/compiler.h"

enum { WORD_BYTES = 4, TRIES = 12, CHANGES_MOST = 3, UNCHECKED_IN = 5 };

static bool (*const changes[])(struct draft *) = {
    draft_change_operand,
    draft_change_operand,
    draft_change_operand,
    draft_change_operand,
    draft_change_opcode,
    draft_change_opcode,
    draft_copy_instruction,
    draft_copy_instruction,
    draft_copy_instruction,
    draft_new_instruction,
    draft_new_instruction,
    draft_new_instruction,
    draft_remove_instruction,
    draft_swap_instructions,
    draft_through_memory,
    draft_through_struct,
    draft_redirect,
    draft_redirect,
    draft_split,
    draft_add_case,
    draft_make_conditional,
    draft_make_conditional,
    draft_make_switch,
    draft_insert_phi,
    draft_insert_phi,
    draft_decorate,
    draft_execution_mode,
};

/* Words without regard to the grammar: for what is no module, and for the reader of words. */
static size_t mutate_words(struct draft *draft)
{
    const size_t at = draft_pick(draft, (uint32_t)draft->count),
                 other = draft_pick(draft, (uint32_t)draft->count);
    uint32_t *words = draft->words, old = words[at];
    switch (draft_pick(draft, 7)) {
    case 0: words[at] = draft_pick(draft, 512); break;
    case 1: words[at] = words[other]; break;
    case 2: words[at] += draft_pick(draft, 9) - 4; break;
    case 3: words[at] = (old & 0xffff0000) | draft_pick(draft, 420); break; /* another opcode of the length */
    case 4:
        words[at] = words[other];
        words[other] = old;
        break;
    case 5: draft_remove(draft, at, 1 + draft_pick(draft, draft->count - at < 8 ? 1 : 8)); break;
    default: draft_insert(draft, at, &(uint32_t[8]){old, words[other]}[0], 1 + draft_pick(draft, 8));
    }
    return draft->count;
}

static bool change(struct draft *draft)
{
    for (uint32_t tries = 0; tries < TRIES && draft_read(draft); tries++)
        if (changes[draft_pick(draft, sizeof changes / sizeof *changes)](draft))
            return true;
    return false;
}

static bool is_valid(const struct draft *draft)
{
    char *log = NULL;
    const bool valid = spirv_validate(draft->words, draft->count, &log) == STATUS_OK;
    free(log);
    return valid;
}

static void restore(struct draft *draft, const struct draft *from)
{
    draft->count = from->count;
    memcpy(draft->words, from->words, from->count * WORD_BYTES);
}

/* Changes one after the other: those that validate stay, others are undone. */
static void change_checked(struct draft *draft, struct draft *good)
{
    uint32_t kept = 0;
    const uint32_t wanted = 1 + draft_pick(draft, CHANGES_MOST);
    for (uint32_t tries = 0; tries < TRIES && kept < wanted; tries++)
        if (change(draft) && is_valid(draft)) {
            restore(good, draft);
            kept++;
        } else {
            restore(draft, good);
        }
}

static size_t finish(struct draft *draft, uint8_t *out)
{
    const size_t size = draft->count * WORD_BYTES;
    memcpy(out, draft->words, size);
    draft_fini(draft);
    return size;
}

size_t module_mutate(uint8_t *data, size_t size, size_t most, uint32_t seed)
{
    struct draft draft, good;
    const size_t count = size / WORD_BYTES;
    if (!draft_init(&draft, data, count, most / WORD_BYTES, seed) ||
        !draft_init(&good, data, count, most / WORD_BYTES, seed))
        exit(99);
    if (count && (!draft_read(&draft) || draft_pick(&draft, UNCHECKED_IN) == 0)) {
        if (draft_pick(&draft, 3) == 0 || !change(&draft))
            mutate_words(&draft);
    } else if (count) {
        change_checked(&draft, &good);
    }
    draft_fini(&good);
    return finish(&draft, data);
}
