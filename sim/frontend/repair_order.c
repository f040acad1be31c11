/* SPDX-License-Identifier: Apache-2.0 */
/* Reorders a module. The translator keeps clang's order of blocks, in which a goto may lead back to a block
 * that precedes one of its dominators. It also puts constant operations before their operands. SPIR-V
 * allows neither. Here the blocks of such a function are put into reverse postorder, and the operands of a
 * constant before it. */
#include <stdlib.h>
#include <string.h>

#include "compile.h"
#include "spirv_words.h"

struct block_order {
    const struct spirv *spirv;
    uint32_t *out;
    size_t put,
        *position; /* per id of a type, constant or variable: where it is in the module; 0: no such id */
    uint32_t bound;
    uint8_t *done;   /* per id: written, or on the stack */
    uint32_t *stack; /* ids whose operands are being written */
};

static const uint32_t *words_at(const struct block_order *o, size_t at)
{
    return o->spirv->words + at;
}

static size_t next_of(const struct block_order *o, size_t at)
{
    return at + length_of(*words_at(o, at));
}

static void put_words(struct block_order *o, size_t from, size_t to)
{
    memcpy(o->out + o->put, words_at(o, from), (to - from) * sizeof *o->out);
    o->put += to - from;
}

/* ---- constants -------------------------------------------------------------------------------------- */

/* The ids that a type or constant refers to: words from the returned index up to *out_end. */
static uint32_t needed_words(const uint32_t *words, uint32_t *out_end)
{
    const uint32_t count = *out_end = length_of(*words);
    switch (opcode_of(*words)) {
    case SpvOpTypeVector: *out_end = 3; return 2;
    case SpvOpTypeArray:
    case SpvOpTypeStruct: return 2;
    case SpvOpTypePointer: return 3;
    case SpvOpConstantComposite:
    case SpvOpSpecConstantComposite: return 3;
    case SpvOpSpecConstantOp: /* Literal numbers follow the ids of these operations. */
        if (words[3] == SpvOpCompositeExtract || words[3] == SpvOpCompositeInsert ||
            words[3] == SpvOpVectorShuffle)
            *out_end = words[3] == SpvOpCompositeExtract ? 5 : 6;
        if (*out_end > count)
            *out_end = count;
        return 4;
    default: return count;
    }
}

static bool is_type(uint32_t word)
{
    return opcode_of(word) >= SpvOpTypeVoid && opcode_of(word) <= SpvOpTypePipe;
}

/* The id that a type, constant or variable defines; 0: another instruction. */
static uint32_t defined_by(const struct block_order *o, const uint32_t *words)
{
    const uint32_t opcode = opcode_of(*words), count = length_of(*words), at = is_type(*words) ? 1 : 2;
    const bool constant = opcode >= SpvOpConstantTrue && opcode <= SpvOpSpecConstantOp;
    const bool defines = is_type(*words) || constant || opcode == SpvOpVariable || opcode == SpvOpUndef;
    return defines && count > at && words[at] < o->bound ? words[at] : 0;
}

static bool is_missing(const struct block_order *o, uint32_t id)
{
    return id < o->bound && o->position[id] && !o->done[id];
}

/* An operand that must precede the instruction and is not written; 0: none. Types keep their order unless a
 * constant that moves needs one. */
static uint32_t missing_operand(const struct block_order *o, const uint32_t *words, bool moves)
{
    uint32_t end, i = needed_words(words, &end);
    if (is_type(*words) && !moves)
        return 0;
    if (!is_type(*words) && moves && length_of(*words) > 2 && is_missing(o, words[1]))
        return words[1];
    for (; i < end; i++)
        if (is_missing(o, words[i]))
            return words[i];
    return 0;
}

static void put_constant(struct block_order *o, uint32_t id)
{
    uint32_t depth = 0;
    o->stack[depth++] = id;
    o->done[id] = 1;
    while (depth) {
        const size_t at = o->position[o->stack[depth - 1]];
        const uint32_t first = missing_operand(o, words_at(o, at), depth > 1);
        if (first) {
            o->done[first] = 1;
            o->stack[depth++] = first;
        } else {
            put_words(o, at, next_of(o, at));
            depth--;
        }
    }
}

/* Writes everything before the functions; returns where the functions begin. */
static size_t put_constants(struct block_order *o)
{
    size_t end = HEADER_WORDS;
    for (; end < o->spirv->word_count && opcode_of(*words_at(o, end)) != SpvOpFunction;
         end = next_of(o, end)) {
        const uint32_t id = defined_by(o, words_at(o, end));
        if (id)
            o->position[id] = end;
    }
    put_words(o, 0, HEADER_WORDS);
    for (size_t at = HEADER_WORDS; at < end; at = next_of(o, at)) {
        const uint32_t id = defined_by(o, words_at(o, at));
        if (!id)
            put_words(o, at, next_of(o, at));
        else if (!o->done[id])
            put_constant(o, id);
    }
    return end;
}

/* ---- blocks ------------------------------------------------------------------------------------------ */

struct repaired_block {
    size_t first, end, terminator;
    bool reachable, has_earlier_predecessor; /* reachable from the entry; an earlier block branches to it */
};

struct repaired_function {
    struct block_order *order;
    struct repaired_block *blocks;
    uint32_t count;
    uint32_t *number;      /* per label: 1 + index of its block; 0: not of this function */
    uint32_t *post, posts; /* blocks in postorder */
    /* stack of the depth-first search; next: per block, its successors that were visited */
    uint32_t *stack, *next;
    const uint8_t *is_long; /* per id: an integer of 64 bits */
};

/* Successor k of a block; UINT32_MAX: past the last; count: not a block of this function. */
static uint32_t successor(const struct repaired_function *f, uint32_t block, uint32_t k)
{
    const uint32_t *words = words_at(f->order, f->blocks[block].terminator), count = length_of(*words);
    uint32_t at = count;
    switch (opcode_of(*words)) {
    case SpvOpBranch: at = k == 0 ? 1 : count; break;
    case SpvOpBranchConditional: at = k < 2 ? 2 + k : count; break;
    case SpvOpSwitch: at = 2 + k * (words[1] < f->order->bound && f->is_long[words[1]] ? 3 : 2); break;
    default: break;
    }
    if (at >= count)
        return UINT32_MAX;
    return words[at] < f->order->bound && f->number[words[at]] ? f->number[words[at]] - 1 : f->count;
}

/* Depth-first search that visits the last successor first: in reverse postorder the first successor then
 * comes first. */
static void visit_blocks(struct repaired_function *f)
{
    uint32_t depth = 0;
    f->posts = 0;
    f->stack[depth++] = 0;
    f->blocks[0].reachable = true;
    while (depth) {
        const uint32_t block = f->stack[depth - 1];
        uint32_t successors = 0;
        while (successor(f, block, successors) != UINT32_MAX)
            successors++;
        if (f->next[block] == successors) {
            f->post[f->posts++] = block;
            depth--;
            continue;
        }
        const uint32_t to = successor(f, block, successors - ++f->next[block]);
        if (to < f->count && !f->blocks[to].reachable) {
            f->blocks[to].reachable = true;
            f->stack[depth++] = to;
        }
    }
}

/* Does an earlier block branch to each reachable block? Lemma: then each block comes after its dominators,
 * because a path of such branches leads to it from the entry. */
static bool is_in_order(struct repaired_function *f)
{
    for (uint32_t i = 0; i < f->count; i++)
        for (uint32_t k = 0, to; (to = successor(f, i, k)) != UINT32_MAX; k++)
            if (to < f->count && to > i)
                f->blocks[to].has_earlier_predecessor = true;
    for (uint32_t i = 1; i < f->count; i++)
        if (f->blocks[i].reachable && !f->blocks[i].has_earlier_predecessor)
            return false;
    return true;
}

static void put_blocks(struct repaired_function *f)
{
    struct block_order *o = f->order;
    visit_blocks(f);
    const bool keeps = is_in_order(f);
    for (uint32_t i = f->posts; !keeps && i-- > 0;)
        put_words(o, f->blocks[f->post[i]].first, f->blocks[f->post[i]].end);
    for (uint32_t i = 0; i < f->count; i++)
        if (keeps || !f->blocks[i].reachable)
            put_words(o, f->blocks[i].first, f->blocks[i].end);
}

/* Writes the function that begins at `at`; returns its end. */
static size_t put_function(struct repaired_function *f, size_t at)
{
    struct block_order *o = f->order;
    const size_t begin = at;
    size_t last = at;
    f->count = 0;
    for (; at < o->spirv->word_count && opcode_of(*words_at(o, at)) != SpvOpFunctionEnd;
         at = next_of(o, at)) {
        const uint32_t opcode = opcode_of(*words_at(o, at));
        if (opcode == SpvOpLabel && words_at(o, at)[1] < o->bound) {
            f->next[f->count] = 0;
            f->number[words_at(o, at)[1]] = f->count + 1;
            f->blocks[f->count++] = (struct repaired_block){.first = at, .terminator = at};
        }
        if (opcode != SpvOpLine && opcode != SpvOpNoLine)
            last = at;
        if (f->count) {
            f->blocks[f->count - 1].end = next_of(o, at);
            f->blocks[f->count - 1].terminator = last;
        }
    }
    put_words(o, begin, f->count ? f->blocks[0].first : at);
    if (f->count)
        put_blocks(f);
    for (uint32_t i = 0; i < f->count; i++)
        f->number[words_at(o, f->blocks[i].first)[1]] = 0;
    if (at < o->spirv->word_count) {
        put_words(o, at, next_of(o, at));
        at = next_of(o, at);
    }
    return at;
}

/* ---- both -------------------------------------------------------------------------------------------- */

/* Marks the integers of 64 bits, which are selectors of switches with two-word literals. Returns the number
 * of labels. */
static size_t find_longs(const struct spirv *spirv, uint8_t *is_long)
{
    const uint32_t bound = spirv->words[BOUND_WORD];
    uint32_t types[2] = {0, 0}; /* signed and unsigned */
    size_t labels = 0;
    for (size_t at = HEADER_WORDS; at < spirv->word_count; at += length_of(spirv->words[at])) {
        const uint32_t *words = spirv->words + at;
        const uint32_t opcode = opcode_of(*words);
        if (opcode == SpvOpTypeInt && words[2] == 64)
            types[words[3] & 1] = words[1];
        const bool has_result = opcode > SpvOpTypePipe && length_of(*words) > 2 && words[2] < bound;
        if (has_result && words[1] && (words[1] == types[0] || words[1] == types[1]))
            is_long[words[2]] = 1;
        labels += opcode == SpvOpLabel;
    }
    return labels;
}

static enum status put_all(struct block_order *o, uint8_t *is_long)
{
    const size_t labels = find_longs(o->spirv, is_long);
    struct repaired_function f = {.order = o,
                                  .blocks = calloc(labels + 1, sizeof *f.blocks),
                                  .number = calloc(o->bound, sizeof *f.number),
                                  .post = calloc(labels + 1, sizeof *f.post),
                                  .stack = calloc(labels + 1, sizeof *f.stack),
                                  .next = calloc(labels + 1, sizeof *f.next),
                                  .is_long = is_long};
    const bool fits = f.blocks && f.number && f.post && f.stack && f.next;
    if (fits)
        for (size_t at = put_constants(o); at < o->spirv->word_count;)
            at = put_function(&f, at);
    free(f.blocks);
    free(f.number);
    free(f.post);
    free(f.stack);
    free(f.next);
    return fits ? STATUS_OK : STATUS_OUT_OF_MEMORY;
}

enum status repair_order(struct spirv *spirv)
{
    const uint32_t bound = spirv->words[BOUND_WORD];
    struct block_order o = {.spirv = spirv,
                            .out = malloc(spirv->word_count * sizeof *o.out),
                            .position = calloc(bound, sizeof *o.position),
                            .bound = bound,
                            .done = calloc(bound, 1),
                            .stack = calloc(bound, sizeof *o.stack)};
    uint8_t *is_long = calloc(bound, 1);
    enum status status = STATUS_OUT_OF_MEMORY;
    if (o.out && o.position && o.done && o.stack && is_long)
        status = put_all(&o, is_long);
    if (status == STATUS_OK) {
        memcpy(spirv->words, o.out, o.put * sizeof *o.out);
        spirv->word_count = o.put;
    }
    free(o.out);
    free(o.position);
    free(o.done);
    free(o.stack);
    free(is_long);
    return status;
}
