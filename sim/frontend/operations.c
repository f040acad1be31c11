/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instructions that the translator lacks. A function of clang_source() that stands for one has a name of
 * this form:
 *
 *     __orrery_op<opcode>_<operands>_<anything that makes the name unique>
 *
 * Each call is replaced by the instruction. An operand is a letter and a number:
 *     a the argument of that number        n the same, negated (a floating-point value)
 *     c the constant of that value          l the number itself
 *     o a memory_order argument             s a memory_scope argument
 *     f a cl_mem_fence_flags argument, as the semantics of a barrier
 * Orders, scopes and flags that are not constant are converted by instructions, from OpenCL C's numbers to
 * SPIR-V's.
 */
#include <stdlib.h>
#include <string.h>

#include "compile.h"
#include "spirv_words.h"

enum { CONSTANTS_MAX = 32, ABSENT = -1, STRONGEST_ORDER = SpvMemorySemanticsSequentiallyConsistentMask };

static const char prefix[] = "__orrery_op";

/* Capabilities and extensions that an opcode requires. */
static const struct requirement {
    uint32_t first, last, width; /* width: of the result's component; 0: any */
    uint32_t capability;
    const char *extension; /* NULL: none */
} requirements[] = {
    {SpvOpGroupIMulKHR, SpvOpGroupLogicalXorKHR, 0, SpvCapabilityGroupUniformArithmeticKHR,
     "SPV_KHR_uniform_group_instructions"},
    {SpvOpNamedBarrierInitialize, SpvOpMemoryNamedBarrier, 0, SpvCapabilityNamedBarrier, NULL},
    {SpvOpReadClockKHR, SpvOpReadClockKHR, 0, SpvCapabilityShaderClockKHR, "SPV_KHR_shader_clock"},
    {SpvOpSDot, SpvOpSUDotAccSat, 0, SpvCapabilityDotProduct, "SPV_KHR_integer_dot_product"},
    {SpvOpSDot, SpvOpSUDotAccSat, 0, SpvCapabilityDotProductInput4x8Bit, "SPV_KHR_integer_dot_product"},
    {SpvOpSDot, SpvOpSUDotAccSat, 0, SpvCapabilityDotProductInput4x8BitPacked, "SPV_KHR_integer_dot_product"},
    {SpvOpAtomicExchange, SpvOpAtomicXor, 64, SpvCapabilityInt64Atomics, NULL},
    {SpvOpAtomicFAddEXT, SpvOpAtomicFAddEXT, 32, SpvCapabilityAtomicFloat32AddEXT,
     "SPV_EXT_shader_atomic_float_add"},
    {SpvOpAtomicFAddEXT, SpvOpAtomicFAddEXT, 64, SpvCapabilityAtomicFloat64AddEXT,
     "SPV_EXT_shader_atomic_float_add"},
};
enum { REQUIREMENTS = sizeof requirements / sizeof *requirements };

struct marked_operations {
    const uint32_t *words;
    size_t count;
    uint32_t bound;     /* of the original module */
    const char **names; /* per id of a function that stands for an operation: its name after the prefix */
    int64_t *values;    /* per id: the value of a 32-bit constant; ABSENT */
    /* widths: per id of a numeric type; removed: per id that belongs to a removed function */
    uint8_t *widths, *removed;
    uint32_t uint_type; /* 0: none yet */
    bool needs[REQUIREMENTS];
    struct {
        uint32_t value, id;
    } constants[CONSTANTS_MAX];
    uint32_t constant_count, next_id;
    uint32_t *out;
    size_t put;
    bool found;
};

static uint32_t opcode_at(const struct marked_operations *o, size_t at)
{
    return opcode_of(o->words[at]);
}

static size_t length_at(const struct marked_operations *o, size_t at)
{
    return length_of(o->words[at]);
}

/* ---- what is there --------------------------------------------------------------------------------- */

static void find_name(struct marked_operations *o, const uint32_t *w, size_t length)
{
    if (!is_linkage(w, (uint32_t)length) || w[1] >= o->bound)
        return;
    const char *name = (const char *)(w + 3);
    if (strncmp(name, prefix, sizeof prefix - 1) == 0) {
        o->names[w[1]] = name + sizeof prefix - 1;
        o->removed[w[1]] = 1;
        o->found = true;
    }
}

static bool is_operation(const struct marked_operations *o, uint32_t id)
{
    return id < o->bound && o->names[id];
}

static void find_requirements(struct marked_operations *o, const uint32_t *w)
{
    uint32_t opcode = (uint32_t)strtoul(o->names[w[3]], NULL, 10);
    for (size_t i = 0; i < REQUIREMENTS; i++) {
        const struct requirement *r = &requirements[i];
        if (opcode >= r->first && opcode <= r->last && (!r->width || o->widths[w[1]] == r->width))
            o->needs[i] = true;
    }
}

static void note_instruction(struct marked_operations *o, size_t at, uint32_t *function)
{
    const uint32_t *w = o->words + at;
    size_t length = length_at(o, at);
    switch (opcode_at(o, at)) {
    case SpvOpDecorate: find_name(o, w, length); break;
    case SpvOpTypeInt:
        o->widths[w[1]] = (uint8_t)w[2];
        if (w[2] == 32)
            o->uint_type = w[1];
        break;
    case SpvOpTypeFloat: o->widths[w[1]] = (uint8_t)w[2]; break;
    case SpvOpConstant:
        if (w[1] == o->uint_type && length == 4)
            o->values[w[2]] = w[3];
        break;
    case SpvOpFunction: *function = w[2]; break;
    case SpvOpFunctionParameter: o->removed[w[2]] = is_operation(o, *function); break;
    case SpvOpFunctionCall:
        if (is_operation(o, w[3]))
            find_requirements(o, w);
        break;
    default: break;
    }
}

/* ---- what becomes of it -------------------------------------------------------------------------------- */

static void put(struct marked_operations *o, uint32_t word)
{
    o->out[o->put++] = word;
}

static void put_capabilities(struct marked_operations *o)
{
    for (size_t i = 0; i < REQUIREMENTS; i++)
        if (o->needs[i]) {
            put(o, instruction_word(SpvOpCapability, 2));
            put(o, requirements[i].capability);
        }
    for (size_t i = 0; i < REQUIREMENTS; i++) {
        const char *text = requirements[i].extension;
        if (!o->needs[i] || !text)
            continue;
        size_t words = strlen(text) / sizeof(uint32_t) + 1;
        put(o, instruction_word(SpvOpExtension, words + 1));
        memset(o->out + o->put, 0, words * sizeof(uint32_t));
        memcpy(o->out + o->put, text, strlen(text));
        o->put += words;
    }
}

/* The id of a 32-bit constant. New constants are noted here and written before the functions. */
static uint32_t constant(struct marked_operations *o, uint32_t value)
{
    for (uint32_t i = 0; i < o->constant_count; i++)
        if (o->constants[i].value == value)
            return o->constants[i].id;
    if (o->constant_count == CONSTANTS_MAX)
        return o->constants[0].id;
    o->constants[o->constant_count].value = value;
    o->constants[o->constant_count].id = o->next_id++;
    return o->constants[o->constant_count++].id;
}

static uint32_t semantics_of(int64_t order)
{
    static const uint32_t semantics[] = {SpvMemorySemanticsMaskNone,           STRONGEST_ORDER,
                                         SpvMemorySemanticsAcquireMask,        SpvMemorySemanticsReleaseMask,
                                         SpvMemorySemanticsAcquireReleaseMask, STRONGEST_ORDER};
    return order >= 0 && order <= 5 ? semantics[order] : STRONGEST_ORDER;
}

static uint32_t scope_of(int64_t scope)
{
    static const uint32_t scopes[] = {SpvScopeInvocation, SpvScopeWorkgroup, SpvScopeDevice,
                                      SpvScopeCrossDevice, SpvScopeSubgroup};
    return scope >= 0 && scope <= 4 ? scopes[scope] : SpvScopeCrossDevice;
}

static uint32_t barrier_semantics_of(int64_t flags)
{
    enum { LOCAL_FENCE = 1, GLOBAL_FENCE = 2, IMAGE_FENCE = 4, ALL_FENCES = 7 };
    uint32_t semantics = flags & ALL_FENCES ? (uint32_t)STRONGEST_ORDER : 0;
    semantics |= flags & LOCAL_FENCE ? (uint32_t)SpvMemorySemanticsWorkgroupMemoryMask : 0;
    semantics |= flags & GLOBAL_FENCE ? (uint32_t)SpvMemorySemanticsCrossWorkgroupMemoryMask : 0;
    return semantics | (flags & IMAGE_FENCE ? (uint32_t)SpvMemorySemanticsImageMemoryMask : 0);
}

static uint32_t negated(struct marked_operations *o, uint32_t type, uint32_t value)
{
    put(o, instruction_word(SpvOpFNegate, 4));
    put(o, type);
    put(o, o->next_id);
    put(o, value);
    return o->next_id++;
}

static uint32_t computed(struct marked_operations *o, uint32_t opcode, uint32_t left, uint32_t right)
{
    const uint32_t words[] = {instruction_word(opcode, 5), o->uint_type, o->next_id, left, right};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        put(o, words[i]);
    return o->next_id++;
}

/* The numbers of relaxed, acquire, release, acq_rel and seq_cst in OpenCL C are 0, 2, 3, 4 and 5. SPIR-V's
 * masks are 0 and 1 << (number - 1). */
static uint32_t computed_semantics(struct marked_operations *o, uint32_t order)
{
    const uint32_t bit = computed(o, SpvOpShiftLeftLogical, constant(o, 1),
                                  computed(o, SpvOpBitwiseAnd, order, constant(o, 7)));
    return computed(o, SpvOpShiftRightLogical, bit, constant(o, 1));
}

/* The numbers of scopes in OpenCL C index the hexadecimal digits of a constant: work_item is the lowest
 * digit. */
static uint32_t computed_scope(struct marked_operations *o, uint32_t scope)
{
    const uint32_t digits = constant(o, SpvScopeInvocation | SpvScopeWorkgroup << 4 | SpvScopeDevice << 8 |
                                            SpvScopeCrossDevice << 12 | SpvScopeSubgroup << 16);
    const uint32_t at = computed(o, SpvOpShiftLeftLogical,
                                 computed(o, SpvOpBitwiseAnd, scope, constant(o, 7)), constant(o, 2));
    return computed(o, SpvOpBitwiseAnd, computed(o, SpvOpShiftRightLogical, digits, at), constant(o, 7));
}

/* Local and global memory are adjacent bits in both encodings; images are another bit. */
static uint32_t computed_barrier_semantics(struct marked_operations *o, uint32_t flags)
{
    const uint32_t buffers = computed(o, SpvOpShiftLeftLogical,
                                      computed(o, SpvOpBitwiseAnd, flags, constant(o, 3)), constant(o, 8));
    const uint32_t images = computed(o, SpvOpShiftLeftLogical,
                                     computed(o, SpvOpBitwiseAnd, flags, constant(o, 4)), constant(o, 9));
    return computed(o, SpvOpBitwiseOr, computed(o, SpvOpBitwiseOr, buffers, images),
                    constant(o, STRONGEST_ORDER));
}

static uint32_t operand(struct marked_operations *o, char kind, uint32_t number, const uint32_t *w,
                        size_t length)
{
    if (kind == 'l')
        return number;
    if (kind == 'c')
        return constant(o, number);
    if (4 + number >= length)
        return 0; /* The validator refuses id 0. */
    uint32_t argument = w[4 + number];
    int64_t value = argument < o->bound ? o->values[argument] : ABSENT;
    switch (kind) {
    case 'n': return negated(o, w[1], argument);
    case 'o': return value == ABSENT ? computed_semantics(o, argument) : constant(o, semantics_of(value));
    case 's': return value == ABSENT ? computed_scope(o, argument) : constant(o, scope_of(value));
    case 'f':
        return value == ABSENT ? computed_barrier_semantics(o, argument)
                               : constant(o, barrier_semantics_of(value));
    default: return argument;
    }
}

static void put_operation(struct marked_operations *o, const uint32_t *w, size_t length)
{
    enum { OPERANDS_MAX = 8 };
    uint32_t operands[OPERANDS_MAX], count = 0;
    char *at = NULL;
    uint32_t opcode = (uint32_t)strtoul(o->names[w[3]], &at, 10);
    for (at += *at == '_'; *at && *at != '_' && count < OPERANDS_MAX;) {
        char kind = *at;
        operands[count++] = operand(o, kind, (uint32_t)strtoul(at + 1, &at, 10), w, length);
    }
    const bool has_result = opcode != SpvOpMemoryNamedBarrier && opcode != SpvOpControlBarrier;
    put(o, instruction_word(opcode, 1 + 2 * (size_t)has_result + count));
    if (has_result) {
        put(o, w[1]);
        put(o, w[2]);
    }
    for (uint32_t i = 0; i < count; i++)
        put(o, operands[i]);
}

/* Is it the name, decoration or declaration of a function that stands for an operation? */
static bool is_removed(const struct marked_operations *o, size_t at, bool *inside)
{
    const uint32_t *w = o->words + at;
    switch (opcode_at(o, at)) {
    case SpvOpName:
    case SpvOpDecorate: return w[1] < o->bound && o->removed[w[1]];
    case SpvOpFunction: *inside = is_operation(o, w[2]); return *inside;
    case SpvOpFunctionParameter: return *inside;
    case SpvOpFunctionEnd: {
        bool was = *inside;
        *inside = false;
        return was;
    }
    case SpvOpLine:
    case SpvOpNoLine: return *inside;
    default: return false;
    }
}

static void rewrite(struct marked_operations *o, size_t from, size_t to)
{
    bool inside = false;
    for (size_t at = from; at < to; at += length_at(o, at)) {
        if (is_removed(o, at, &inside))
            continue;
        if (opcode_at(o, at) == SpvOpFunctionCall && is_operation(o, o->words[at + 3])) {
            put_operation(o, o->words + at, length_at(o, at));
            continue;
        }
        memcpy(o->out + o->put, o->words + at, length_at(o, at) * sizeof *o->out);
        o->put += length_at(o, at);
    }
}

static void put_constants(struct marked_operations *o)
{
    if (o->constant_count && !o->uint_type) {
        o->uint_type = o->next_id++;
        const uint32_t type[] = {instruction_word(SpvOpTypeInt, 4), o->uint_type, 32, 0};
        for (size_t i = 0; i < 4; i++)
            put(o, type[i]);
    }
    for (uint32_t i = 0; i < o->constant_count; i++) {
        put(o, instruction_word(SpvOpConstant, 4));
        put(o, o->uint_type);
        put(o, o->constants[i].id);
        put(o, o->constants[i].value);
    }
}

static void write_module(struct marked_operations *o, uint32_t *body)
{
    uint32_t *out = o->out;
    size_t declarations = HEADER_WORDS, functions = HEADER_WORDS;
    while (declarations < o->count && opcode_at(o, declarations) == SpvOpCapability)
        declarations += length_at(o, declarations);
    while (functions < o->count && opcode_at(o, functions) != SpvOpFunction)
        functions += length_at(o, functions);
    o->out = body;
    rewrite(o, functions, o->count);
    size_t body_words = o->put;
    o->out = out;
    o->put = HEADER_WORDS;
    memcpy(o->out, o->words, HEADER_WORDS * sizeof *o->out);
    rewrite(o, HEADER_WORDS, declarations);
    put_capabilities(o);
    rewrite(o, declarations, functions);
    put_constants(o);
    memmove(o->out + o->put, body, body_words * sizeof *body);
    o->put += body_words;
    o->out[BOUND_WORD] = o->next_id;
}

/* Upper bounds: the words added before the functions, and how much longer a call becomes. */
enum { ADDED_WORDS = 64 * REQUIREMENTS + 4 * CONSTANTS_MAX + 4, GROWTH = 8 };

static enum status translate(struct marked_operations *o, struct spirv *spirv)
{
    size_t head = o->count + ADDED_WORDS;
    o->out = malloc((head + GROWTH * o->count) * sizeof *o->out);
    if (!o->out)
        return STATUS_OUT_OF_MEMORY;
    write_module(o, o->out + head);
    spirv_take(spirv, o->out, o->put);
    return STATUS_OK;
}

static enum status collect(struct marked_operations *o, struct spirv *spirv)
{
    uint32_t function = 0;
    o->names = calloc(o->bound, sizeof *o->names);
    o->values = malloc(o->bound * sizeof *o->values);
    o->widths = calloc(o->bound, 1);
    o->removed = calloc(o->bound, 1);
    if (!o->names || !o->values || !o->widths || !o->removed)
        return STATUS_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < o->bound; i++)
        o->values[i] = ABSENT;
    for (size_t at = HEADER_WORDS; at < o->count; at += length_at(o, at))
        note_instruction(o, at, &function);
    return o->found ? translate(o, spirv) : STATUS_OK;
}

enum status operations_of_module(struct spirv *spirv)
{
    struct marked_operations o = {.words = spirv->words,
                                  .count = spirv->word_count,
                                  .bound = spirv->words[BOUND_WORD],
                                  .next_id = spirv->words[BOUND_WORD]};
    enum status status = collect(&o, spirv);
    free(o.names);
    free(o.values);
    free(o.widths);
    free(o.removed);
    return status;
}
