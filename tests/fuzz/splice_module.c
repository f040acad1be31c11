/* SPDX-License-Identifier: Apache-2.0 */
/* A function of one module in another: with it go the functions that it calls, types, constants, variables
 * and decorations. What the other has already, word for word, is not declared again. */
#include <stdlib.h>
#include <string.h>

#include "mutate_module.h"
#include "orrery/compiler.h"

enum { ENTRY_WORDS_MOST = 24 };

struct splice {
    struct draft to, from;
    uint32_t *map; /* id of `from` -> id of `to`; 0: not needed */
    bool *needed;
    uint32_t bound; /* of `to` before: ids from here on are new */
};

/* Needs grow until no instruction that defines something needed names anything new. */
static bool need_more(struct splice *s)
{
    bool more = false;
    for (size_t i = 0; i < s->from.instructions; i++) {
        const struct instruction *inst = &s->from.at[i];
        const uint32_t owner = inst->function ? inst->function : inst->result;
        if (!owner || !s->needed[owner] || inst->opcode == SpvOpLine)
            continue;
        for (uint32_t j = 0; j < inst->operands; j++) {
            const struct operand *operand = &s->from.operand[inst->operand + j];
            const uint32_t id = s->from.words[operand->word];
            const bool names = operand_is_id(operand) || operand->type == SPV_OPERAND_TYPE_RESULT_ID;
            if (names && id < DRAFT_IDS_MOST && !s->needed[id])
                s->needed[id] = more = true;
        }
    }
    return more;
}

static void mapped(struct splice *s, const struct instruction *inst, uint32_t *words)
{
    memcpy(words, draft_word(&s->from, inst, 0), inst->words * sizeof *words);
    for (uint32_t j = 0; j < inst->operands; j++) {
        const struct operand *operand = &s->from.operand[inst->operand + j];
        uint32_t *word = &words[operand->word - inst->word];
        if (operand_is_id(operand) || operand->type == SPV_OPERAND_TYPE_RESULT_ID)
            *word = *word < DRAFT_IDS_MOST ? s->map[*word] : 0;
    }
}

/* The same declaration in `to`: all words but the result's are equal. */
static uint32_t declared(const struct splice *s, const uint32_t *words, uint32_t count, uint32_t result_at)
{
    for (size_t i = 0; i < s->to.instructions; i++) {
        const struct instruction *inst = &s->to.at[i];
        const uint32_t *have = draft_word(&s->to, inst, 0);
        if (!inst->function && inst->words == count && !memcmp(have, words, result_at * sizeof *words) &&
            !memcmp(have + result_at + 1, words + result_at + 1, (count - result_at - 1) * sizeof *words))
            return inst->result;
    }
    return 0;
}

static bool is_shared(uint32_t opcode)
{
    return opcode == SpvOpExtInstImport || opcode == SpvOpString || opcode == SpvOpConstant ||
           (opcode >= SpvOpTypeVoid && opcode <= SpvOpTypePipe && opcode != SpvOpTypeStruct);
}

/* One declaration of `from`, before `*word` of `to`. */
static bool add_declaration(struct splice *s, const struct instruction *inst, size_t *word)
{
    uint32_t *words = calloc(inst->words, sizeof *words);
    if (!words)
        exit(99);
    mapped(s, inst, words);
    const uint32_t same = is_shared(inst->opcode) ? declared(s, words, inst->words, inst->type ? 2 : 1) : 0;
    bool done = true;
    if (same) {
        s->map[inst->result] = same;
    } else {
        s->map[inst->result] = words[inst->type ? 2 : 1] = draft_fresh(&s->to);
        done = s->map[inst->result] && draft_insert(&s->to, *word, words, inst->words) && draft_read(&s->to);
        *word += inst->words;
    }
    free(words);
    return done;
}

static bool add_declarations(struct splice *s)
{
    const size_t first = draft_first(&s->to, 0, SpvOpFunction),
                 model = draft_first(&s->to, 0, SpvOpMemoryModel);
    if (first == s->to.instructions || model == s->to.instructions)
        return false;
    for (size_t i = 0; i < s->from.instructions; i++) {
        const struct instruction *inst = &s->from.at[i];
        const uint32_t before = inst->opcode == SpvOpExtInstImport ? SpvOpMemoryModel : SpvOpFunction;
        if (inst->function || !inst->result || !s->needed[inst->result] ||
            inst->opcode == SpvOpDecorationGroup)
            continue;
        size_t word = s->to.at[draft_first(&s->to, 0, before)].word;
        if (!add_declaration(s, inst, &word))
            return false;
    }
    return true;
}

static bool add_functions(struct splice *s)
{
    for (size_t i = 0; i < s->from.instructions; i++) {
        const struct instruction *inst = &s->from.at[i];
        if (inst->function && s->needed[inst->function] && inst->result && !s->map[inst->result])
            s->map[inst->result] = draft_fresh(&s->to);
    }
    for (size_t i = 0; i < s->from.instructions; i++) {
        const struct instruction *inst = &s->from.at[i];
        if (!inst->function || !s->needed[inst->function] || inst->opcode == SpvOpLine)
            continue;
        uint32_t *words = calloc(inst->words, sizeof *words);
        if (!words)
            exit(99);
        mapped(s, inst, words);
        const bool done = draft_insert(&s->to, s->to.count, words, inst->words);
        free(words);
        if (!done)
            return false;
    }
    return draft_read(&s->to);
}

/* Decorations of what was added. */
static bool add_annotations(struct splice *s)
{
    for (size_t i = 0; i < s->from.instructions; i++) {
        const struct instruction *inst = &s->from.at[i];
        const bool decorates = inst->opcode == SpvOpDecorate || inst->opcode == SpvOpMemberDecorate;
        const uint32_t id = decorates ? *draft_word(&s->from, inst, 1) : 0;
        uint32_t words[32];
        if (!decorates || id >= DRAFT_IDS_MOST || s->map[id] < s->bound || inst->words > 32)
            continue;
        memcpy(words, draft_word(&s->from, inst, 0), inst->words * sizeof *words);
        words[1] = s->map[id];
        size_t at = 0;
        while (s->to.at[at].opcode < SpvOpTypeVoid || s->to.at[at].opcode > SpvOpFunction)
            at++;
        if (!draft_insert(&s->to, s->to.at[at].word, words, inst->words) || !draft_read(&s->to))
            return false;
    }
    return true;
}

static uint32_t add_interface(const struct splice *s, uint32_t *words, uint32_t count)
{
    for (size_t i = 0; i < s->from.instructions && count < ENTRY_WORDS_MOST; i++) {
        const struct instruction *inst = &s->from.at[i];
        if (inst->opcode == SpvOpVariable && !inst->function && s->needed[inst->result] &&
            *draft_word(&s->from, inst, 3) == SpvStorageClassInput)
            words[count++] = s->map[inst->result];
    }
    return count;
}

/* A function that was a kernel becomes one here, with a name of its own. */
static bool add_entry(struct splice *s, uint32_t function)
{
    const size_t model = draft_first(&s->to, 0, SpvOpMemoryModel);
    for (size_t i = 0; i < s->from.instructions; i++) {
        const struct instruction *inst = &s->from.at[i];
        if (inst->opcode != SpvOpEntryPoint || *draft_word(&s->from, inst, 2) != function)
            continue;
        char name[8] = "k";
        for (uint32_t j = 1, id = s->map[function]; j < 7; j++, id /= 10)
            name[j] = (char)('0' + id % 10);
        uint32_t words[ENTRY_WORDS_MOST] = {0, *draft_word(&s->from, inst, 1), s->map[function]};
        memcpy(words + 3, name, sizeof name);
        const uint32_t count = add_interface(s, words, 5);
        words[0] = draft_head(SpvOpEntryPoint, count);
        const size_t word = s->to.at[model].word + s->to.at[model].words;
        return draft_insert(&s->to, word, words, count) && draft_read(&s->to);
    }
    return true;
}

/* Capabilities come first, then extensions. */
static bool add_heads(struct splice *s, uint32_t opcode)
{
    for (size_t i = 0; i < s->from.instructions; i++) {
        const struct instruction *inst = &s->from.at[i];
        const uint32_t *words = draft_word(&s->from, inst, 0);
        bool have = inst->opcode != opcode;
        size_t at = 0;
        for (; !have && at < s->to.instructions && s->to.at[at].opcode == SpvOpCapability; at++)
            have = !memcmp(draft_word(&s->to, &s->to.at[at], 0), words, inst->words * sizeof *words);
        if (!have && (at == s->to.instructions ||
                      !draft_insert(&s->to, s->to.at[at].word, words, inst->words) || !draft_read(&s->to)))
            return false;
    }
    return true;
}

static uint32_t any_function(struct draft *draft)
{
    uint32_t seen = 0, taken = 0;
    for (size_t i = 0; i < draft->instructions; i++)
        if (draft->at[i].opcode == SpvOpFunction && draft_pick(draft, ++seen) == 0)
            taken = draft->at[i].result;
    return taken;
}

static bool splice(struct splice *s)
{
    if (!draft_read(&s->to) || !draft_read(&s->from))
        return false;
    const uint32_t function = any_function(&s->from);
    if (!function)
        return false;
    s->needed[function] = true;
    while (need_more(s))
        ;
    s->bound = s->to.words[3];
    if (s->to.words[1] < s->from.words[1])
        s->to.words[1] = s->from.words[1];
    return add_heads(s, SpvOpCapability) && add_heads(s, SpvOpExtension) && add_declarations(s) &&
           add_functions(s) && add_annotations(s) && add_entry(s, function);
}

static bool is_valid(const struct draft *draft)
{
    char *log = NULL;
    const bool valid = spirv_validate(draft->words, draft->count, &log) == STATUS_OK;
    free(log);
    return valid;
}

size_t module_cross(const uint8_t *first, size_t first_size, const uint8_t *second, size_t second_size,
                    uint8_t *out, size_t most, uint32_t seed)
{
    struct splice s = {.map = calloc(DRAFT_IDS_MOST, sizeof *s.map), .needed = calloc(DRAFT_IDS_MOST, 1)};
    const bool fits = draft_init(&s.to, first, first_size / 4, most / 4, seed) &&
                      draft_init(&s.from, second, second_size / 4, second_size / 4, seed);
    const bool done = fits && s.map && s.needed && splice(&s) && is_valid(&s.to);
    const size_t size = done ? s.to.count * 4 : 0;
    if (size)
        memcpy(out, s.to.words, size);
    draft_fini(&s.to);
    draft_fini(&s.from);
    free(s.map);
    free(s.needed);
    return size;
}
