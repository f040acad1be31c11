/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One pass over the module finds variables that are work-item ids, vectors that were loaded from them, and
 * functions. Each function keeps which components it takes from such vectors, which tile it accesses, and
 * which functions it calls; a kernel has what the functions that it reaches have.
 */
#include "kernel_shape.h"

#include <spirv/unified1/spirv.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER_WORDS = 5, DIMENSIONS = 3, IDS_MOST = 1 << 22 };

struct fact {
    uint32_t element, length; /* of an array, or of what a pointer to local memory points to */
    uint32_t constant;
    uint32_t tile;    /* of a variable */
    uint8_t is_id;    /* a built-in variable of work-item ids, or a vector of them */
    uint8_t read;     /* of a function: bit d is dimension d */
    uint8_t reached;  /* of a function: the kernel calls it */
    uint32_t in_tile; /* of a function: the tile that it accesses */
};

struct shape_search {
    const uint32_t *words;
    size_t count;
    struct fact *facts;
    uint32_t bound, function, kernel;
    const char *name;
};

static struct fact *fact_of(const struct shape_search *s, uint32_t id)
{
    return &s->facts[id < s->bound ? id : 0];
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static bool is_work_item_id(uint32_t built_in)
{
    return built_in == SpvBuiltInGlobalInvocationId || built_in == SpvBuiltInLocalInvocationId ||
           built_in == SpvBuiltInWorkgroupId;
}

/* The tile of a variable whose type is an array of arrays of anything else. */
static uint32_t tile_of(const struct shape_search *s, uint32_t pointer)
{
    const struct fact *rows = fact_of(s, fact_of(s, pointer)->element), *columns = fact_of(s, rows->element);
    return rows->length && columns->length && !fact_of(s, columns->element)->length
               ? smaller(rows->length, columns->length)
               : 0;
}

static void read_declaration(struct shape_search *s, uint32_t op, const uint32_t *w, uint32_t n)
{
    if (op == SpvOpEntryPoint && n > 3 && strcmp((const char *)(w + 3), s->name) == 0)
        s->kernel = w[2];
    else if (op == SpvOpDecorate && n > 3 && w[2] == SpvDecorationBuiltIn)
        fact_of(s, w[1])->is_id = is_work_item_id(w[3]);
    else if (op == SpvOpConstant && n > 3)
        fact_of(s, w[2])->constant = w[3];
    else if (op == SpvOpTypeArray && n > 3)
        *fact_of(s, w[1]) = (struct fact){.element = w[2], .length = fact_of(s, w[3])->constant};
    else if (op == SpvOpTypePointer && n > 3 && w[2] == SpvStorageClassWorkgroup)
        fact_of(s, w[1])->element = w[3];
    else if (op == SpvOpVariable && n > 3 && w[3] == SpvStorageClassWorkgroup)
        fact_of(s, w[2])->tile = tile_of(s, w[1]);
}

static void read_code(struct shape_search *s, uint32_t op, const uint32_t *w, uint32_t n)
{
    const bool accesses = op == SpvOpAccessChain || op == SpvOpInBoundsAccessChain ||
                          op == SpvOpPtrAccessChain || op == SpvOpInBoundsPtrAccessChain;
    struct fact *function = fact_of(s, s->function);
    if (op == SpvOpFunction && n > 2)
        s->function = w[2];
    else if (op == SpvOpLoad && n > 3)
        fact_of(s, w[2])->is_id = fact_of(s, w[3])->is_id;
    else if (op == SpvOpCompositeExtract && n > 4 && fact_of(s, w[3])->is_id && w[4] < DIMENSIONS)
        function->read |= (uint8_t)(1u << w[4]);
    else if (accesses && n > 3 && fact_of(s, w[3])->tile)
        function->in_tile = fact_of(s, w[3])->tile;
}

/* Calls one of those that are reached: was it not reached before? */
static bool reach(struct shape_search *s, uint32_t op, const uint32_t *w, uint32_t n)
{
    if (op == SpvOpFunction && n > 2)
        s->function = w[2];
    if (op != SpvOpFunctionCall || n < 4 || !fact_of(s, s->function)->reached || fact_of(s, w[3])->reached)
        return false;
    fact_of(s, w[3])->reached = 1;
    return true;
}

enum pass { PASS_READ, PASS_REACH };

/* True: something was reached. */
static bool walk(struct shape_search *s, enum pass pass)
{
    bool changed = false;
    for (size_t at = HEADER_WORDS; at < s->count;) {
        const uint32_t *w = s->words + at, n = w[0] >> SpvWordCountShift, op = w[0] & SpvOpCodeMask;
        if (!n || n > s->count - at)
            break;
        if (pass == PASS_REACH) {
            changed |= reach(s, op, w, n);
        } else {
            read_declaration(s, op, w, n);
            read_code(s, op, w, n);
        }
        at += n;
    }
    return changed;
}

struct kernel_shape kernel_shape_find(const uint32_t *words, size_t word_count, const char *kernel)
{
    struct kernel_shape shape = {.dimensions = 1};
    const uint32_t bound = word_count > HEADER_WORDS ? words[3] : 0;
    struct shape_search s = {.words = words, .count = word_count, .bound = bound, .name = kernel};
    s.facts = bound && bound < IDS_MOST ? calloc(bound, sizeof *s.facts) : NULL;
    if (!s.facts)
        return shape;
    walk(&s, PASS_READ);
    if (s.kernel && s.kernel < bound) {
        s.facts[s.kernel].reached = 1;
        while (walk(&s, PASS_REACH))
            ;
    }
    for (uint32_t id = 1; id < bound; id++) {
        const struct fact *function = &s.facts[id];
        if (!function->reached)
            continue;
        for (uint32_t d = shape.dimensions; d < DIMENSIONS; d++)
            if (function->read >> d & 1)
                shape.dimensions = d + 1;
        shape.tile = function->in_tile ? function->in_tile : shape.tile;
    }
    free(s.facts);
    return shape;
}
