/* SPDX-License-Identifier: Apache-2.0 */
/* Parses a validated module: one pass over the words fills tables by id. */
#define SPV_ENABLE_UTILITY_CODE
#include "demangle.h"
#include "ir.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/compiler.h"
#include "spirv_ops.h"
#include "verify.h"

extern void SpvHasResultAndType(SpvOp opcode, bool *has_result, bool *has_type); /* emitted here once */

enum {
    NESTING_MAX = 255,
    TYPE_LEAVES_MAX = 1 << 28,
    CONSTANT_LEAVES_MAX = 1 << 22,
    DECORATIONS_MAX = 1 << 20
};

_Noreturn void module_fail(struct module *module, enum status status, const char *format, ...)
{
    char text[800];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    module->fail_status = diagnose(module->diagnosis, status, "%s", text);
    longjmp(*module->fail, 1);
}

/* ---- small facts about types ---------------------------------------------- */

uint32_t scalar_bytes(enum scalar scalar)
{
    static const uint8_t bytes[] = {0, 1, 1, 2, 4, 8, 2, 4, 8};
    return bytes[scalar];
}

uint32_t scalar_bits(enum scalar scalar)
{
    return scalar == T_BOOL ? 1 : scalar_bytes(scalar) * 8;
}

uint64_t module_bits_truncate(uint64_t bits, enum scalar scalar)
{
    uint32_t width = scalar_bits(scalar);
    return width < 64 ? bits & ((1ull << width) - 1) : bits;
}

int64_t module_bits_signed(uint64_t bits, enum scalar scalar)
{
    uint32_t shift = 64 - scalar_bits(scalar);
    return (int64_t)(bits << shift) >> shift;
}

struct type *type_part(const struct type *type, uint32_t index)
{
    if (type->kind == TYPE_STRUCT)
        return index < type->count ? type->members[index] : NULL;
    return type->element;
}

uint64_t type_part_offset(const struct type *type, uint32_t index)
{
    return type->kind == TYPE_STRUCT ? type->offsets[index] : type->stride * index;
}

uint32_t type_first_leaf(const struct type *type, uint32_t index)
{
    if (type->kind != TYPE_STRUCT)
        return index * type->element->leaves;
    uint32_t leaf = 0;
    for (uint32_t i = 0; i < index; i++)
        leaf += type->members[i]->leaves;
    return leaf;
}

/* ---- decorations and names -------------------------------------------------- */

const char *module_string(const struct module *module, uint32_t word)
{
    return (const char *)&module->words[word];
}

const struct decoration *module_decoration(const struct module *module, uint32_t id, uint32_t kind)
{
    for (uint32_t i = module->first_decoration[id]; i; i = module->decorations.at[i - 1].next)
        if (module->decorations.at[i - 1].kind == kind && module->decorations.at[i - 1].member < 0)
            return &module->decorations.at[i - 1];
    return NULL;
}

bool module_has_attribute(const struct module *module, uint32_t id, uint32_t attribute)
{
    for (uint32_t d = module->first_decoration[id]; d; d = module->decorations.at[d - 1].next)
        if (module->decorations.at[d - 1].kind == SpvDecorationFuncParamAttr &&
            module->words[module->decorations.at[d - 1].word] == attribute)
            return true;
    return false;
}

static void add_decoration(struct module *m, uint32_t id, uint32_t kind, uint32_t word, uint32_t count,
                           int32_t member)
{
    if (m->decorations.count >= DECORATIONS_MAX)
        module_fail(m, STATUS_UNSUPPORTED, "the module has more than %d decorations", DECORATIONS_MAX);
    struct decoration *d = list_push(&m->arena, &m->decorations);
    *d = (struct decoration){m->first_decoration[id], kind, word, count, member};
    m->first_decoration[id] = m->decorations.count;
}

/* ---- types ------------------------------------------------------------------ */

static uint64_t align_up(uint64_t value, uint64_t align)
{
    return (value + align - 1) / align * align;
}

static _Noreturn void refuse_type(struct module *m, uint32_t word, const char *why)
{
    module_fail(m, STATUS_BAD_BINARY, "%s at word %u %s", spirv_op_name(spv_opcode(m, word)), word, why);
}

/* The type of an element or member, which must be a value. */
static struct type *part_type(struct module *m, uint32_t id, uint32_t word)
{
    struct type *type = module_type(m, id);
    if (type->kind == TYPE_VOID || type->kind == TYPE_FUNCTION)
        refuse_type(m, word, "has a part that is no value");
    if (type->leaves > TYPE_LEAVES_MAX)
        refuse_type(m, word, "is too large");
    return type;
}

static void lay_out_struct(struct module *m, struct type *type, uint32_t word)
{
    bool packed = module_decoration(m, type->id, SpvDecorationCPacked);
    type->kind = TYPE_STRUCT;
    type->count = spv_length(m, word) - 2;
    type->members = ARENA_ARRAY(&m->arena, struct type *, type->count + 1);
    type->offsets = ARENA_ARRAY(&m->arena, uint64_t, type->count + 1);
    type->align = 1;
    type->name = m->names[type->id];
    for (uint32_t i = 0; i < type->count; i++) {
        struct type *member = part_type(m, m->words[word + 2 + i], word);
        uint32_t align = packed ? 1 : member->align;
        type->members[i] = member;
        type->offsets[i] = align_up(type->size, align);
        type->size = type->offsets[i] + member->size;
        type->align = align > type->align ? align : type->align;
        type->leaves += member->leaves;
        if (type->leaves > TYPE_LEAVES_MAX)
            refuse_type(m, word, "is too large");
    }
    type->size = align_up(type->size, type->align);
}

static void set_scalar(struct type *type, enum scalar scalar)
{
    type->kind = TYPE_SCALAR;
    type->scalar = scalar;
    type->size = type->align = scalar_bytes(scalar);
    type->leaves = 1;
}

static enum scalar int_scalar(struct module *m, uint32_t bits)
{
    switch (bits) {
    case 8: return T_I8;
    case 16: return T_I16;
    case 32: return T_I32;
    case 64: return T_I64;
    default: module_fail(m, STATUS_UNSUPPORTED, "OpTypeInt of %u bits", bits);
    }
}

static enum scalar float_scalar(struct module *m, uint32_t bits)
{
    switch (bits) {
    case 16: return T_F16;
    case 32: return T_F32;
    case 64: return T_F64;
    default: module_fail(m, STATUS_UNSUPPORTED, "OpTypeFloat of %u bits", bits);
    }
}

static void set_vector(struct module *m, struct type *type, uint32_t word)
{
    const uint32_t *w = &m->words[word];
    type->kind = TYPE_VECTOR;
    type->element = module_type(m, w[2]);
    if (type->element->kind != TYPE_SCALAR || w[3] < 2 || w[3] > 16)
        refuse_type(m, word, "is not 2 to 16 scalars");
    type->count = w[3];
    type->leaves = w[3];
    type->stride = type->element->size;
    type->size = type->stride * (w[3] == 3 ? 4 : w[3]);
    type->align = (uint32_t)type->size & -(uint32_t)type->size;
}

/* A runtime array has no elements that are known, so its size is 0. */
static void set_array(struct module *m, struct type *type, uint32_t word)
{
    type->kind = TYPE_ARRAY;
    type->element = part_type(m, m->words[word + 2], word);
    type->stride = align_up(type->element->size, type->element->align);
    type->align = type->element->align;
    if (type->opcode == SpvOpTypeRuntimeArray)
        return;
    const uint32_t length = m->words[word + 3];
    const struct constant *count = module_constant(m, length);
    if (count->count != 1 || module_value_type(m, length)->kind != TYPE_SCALAR)
        refuse_type(m, word, "has a length that is not a number");
    const uint64_t most = TYPE_LEAVES_MAX / (type->element->leaves + 1);
    if (count->leaves[0].bits > most)
        module_fail(m, STATUS_UNSUPPORTED,
                    "found an array of %llu elements, expected at most %llu of this type",
                    (unsigned long long)count->leaves[0].bits, (unsigned long long)most);
    type->count = (uint32_t)count->leaves[0].bits;
    type->size = type->stride * type->count;
    type->leaves = type->element->leaves * type->count;
}

/* `element` stays NULL: pointers may be recursive, so pointees are looked up on demand. */
static void set_pointer(struct module *m, struct type *type, uint32_t word)
{
    set_scalar(type, T_I64);
    type->kind = TYPE_POINTER;
    type->size = type->align = m->address_bits / 8;
    type->storage = m->words[word + 2];
}

static void set_function(struct module *m, struct type *type, uint32_t word)
{
    type->kind = TYPE_FUNCTION;
    type->element = module_type(m, m->words[word + 2]);
    type->count = spv_length(m, word) - 3;
    type->members = ARENA_ARRAY(&m->arena, struct type *, type->count + 1);
    for (uint32_t i = 0; i < type->count; i++)
        type->members[i] = module_type(m, m->words[word + 3 + i]);
}

static void set_opaque(struct type *type, uint32_t leaves)
{
    set_scalar(type, T_I64);
    type->kind = TYPE_OPAQUE;
    type->leaves = leaves;
}

static struct type *make_type(struct module *m, uint32_t id)
{
    const uint32_t word = m->def[id];
    struct type *type = ARENA_NEW(&m->arena, struct type);
    m->types[id] = type;
    type->id = id;
    type->opcode = spv_opcode(m, word);
    type->align = 1;
    switch (type->opcode) {
    case SpvOpTypeVoid: type->kind = TYPE_VOID; break;
    case SpvOpTypeBool: set_scalar(type, T_BOOL); break;
    case SpvOpTypeInt: set_scalar(type, int_scalar(m, m->words[word + 2])); break;
    case SpvOpTypeFloat: set_scalar(type, float_scalar(m, m->words[word + 2])); break;
    case SpvOpTypeVector: set_vector(m, type, word); break;
    case SpvOpTypeArray:
    case SpvOpTypeRuntimeArray: set_array(m, type, word); break;
    case SpvOpTypeStruct: lay_out_struct(m, type, word); break;
    case SpvOpTypePointer: set_pointer(m, type, word); break;
    case SpvOpTypeFunction: set_function(m, type, word); break;
    case SpvOpTypeEvent:
    case SpvOpTypeOpaque:
    case SpvOpTypeSampler:
    case SpvOpTypeImage:
    case SpvOpTypePipe:
    case SpvOpTypeQueue:
    case SpvOpTypeDeviceEvent:
    case SpvOpTypeReserveId:
    case SpvOpTypeNamedBarrier:
    case SpvOpTypeForwardPointer: set_opaque(type, 1); break;
    case SpvOpTypeSampledImage: set_opaque(type, 2); break; /* image and sampler */
    default:
        module_fail(m, STATUS_UNSUPPORTED, "%s at word %u is not supported", spirv_op_name(type->opcode),
                    word);
    }
    return type;
}

struct type *module_type(struct module *m, uint32_t id)
{
    if (id >= m->bound || !m->def[id])
        module_fail(m, STATUS_BAD_BINARY, "type id %u is not defined", id);
    if (m->types[id])
        return m->types[id];
    if (++m->nesting > NESTING_MAX)
        module_fail(m, STATUS_UNSUPPORTED, "type id %u is nested too deep", id);
    struct type *type = make_type(m, id);
    m->nesting--;
    return type;
}

struct type *module_value_type(struct module *m, uint32_t id)
{
    if (id >= m->bound || !m->type_of[id])
        module_fail(m, STATUS_BAD_BINARY, "id %u has no type", id);
    return module_type(m, m->type_of[id]);
}

enum image_type module_image_type(struct module *m, const uint32_t *w)
{
    bool arrayed = w[5], sampled = w[6];
    switch (sampled ? UINT32_MAX : w[3]) {
    case SpvDim1D: return arrayed ? IMAGE_1D_ARRAY : IMAGE_1D;
    case SpvDim2D: return arrayed ? IMAGE_2D_ARRAY : IMAGE_2D;
    case SpvDim3D:
        if (!arrayed)
            return IMAGE_3D; /* fall through */
    case SpvDimBuffer:
        if (!arrayed)
            return IMAGE_1D_BUFFER; /* fall through */
    default:
        module_fail(m, STATUS_UNSUPPORTED,
                    "OpTypeImage %u: images of this dimension, multisampled or arrayed, are not supported",
                    w[1]);
    }
}

/* ---- constants ---------------------------------------------------------------- */

bool module_is_constant(const struct module *m, uint32_t id)
{
    if (!m->def[id])
        return false;
    uint32_t op = spv_opcode(m, m->def[id]);
    if (op == SpvOpVariable)
        return m->variable_index[id] != 0;
    return (op >= SpvOpConstantTrue && op <= SpvOpSpecConstantOp) || op == SpvOpUndef;
}

static void null_leaves(const struct type *type, struct leaf **out, bool undefined)
{
    if (type->kind == TYPE_STRUCT || type->kind == TYPE_ARRAY || type->kind == TYPE_VECTOR) {
        for (uint32_t i = 0; i < type->count; i++)
            null_leaves(type_part(type, i), out, undefined);
        return;
    }
    *(*out)++ = (struct leaf){0, 0, type->scalar, undefined};
}

static uint64_t literal(const struct module *m, uint32_t word, const struct type *type)
{
    uint64_t bits = m->words[word + 3];
    if (type->size > 4)
        bits |= (uint64_t)m->words[word + 4] << 32;
    return module_bits_truncate(bits, type->scalar);
}

static struct leaf fold_leaf(struct module *m, uint32_t op, enum scalar result, struct leaf a, struct leaf b,
                             struct leaf c, uint32_t word)
{
    enum scalar t = a.scalar;
    uint64_t x = a.bits, y = b.bits;
    int64_t sx = module_bits_signed(x, t), sy = module_bits_signed(y, b.scalar ? b.scalar : t);
    uint32_t bits = scalar_bits(t);
    uint64_t r;
    switch (op) {
    case SpvOpIAdd: r = x + y; break;
    case SpvOpISub: r = x - y; break;
    case SpvOpIMul: r = x * y; break;
    case SpvOpUDiv: r = y ? x / y : 0; break;
    case SpvOpUMod: r = y ? x % y : 0; break;
    case SpvOpSDiv: r = sy == 0 ? 0 : sy == -1 ? 0 - x : (uint64_t)(sx / sy); break;
    case SpvOpSRem: r = sy == 0 || sy == -1 ? 0 : (uint64_t)(sx % sy); break;
    case SpvOpSMod: {
        int64_t rem = sy == 0 || sy == -1 ? 0 : sx % sy;
        r = (uint64_t)(rem && (rem < 0) != (sy < 0) ? rem + sy : rem);
        break;
    }
    case SpvOpSNegate: r = 0 - x; break;
    case SpvOpNot: r = ~x; break;
    case SpvOpLogicalNot: r = !x; break;
    case SpvOpBitwiseAnd:
    case SpvOpLogicalAnd: r = x & y; break;
    case SpvOpBitwiseOr:
    case SpvOpLogicalOr: r = x | y; break;
    case SpvOpBitwiseXor:
    case SpvOpLogicalNotEqual: r = x ^ y; break;
    case SpvOpLogicalEqual:
    case SpvOpIEqual: r = x == y; break;
    case SpvOpINotEqual: r = x != y; break;
    case SpvOpULessThan: r = x < y; break;
    case SpvOpULessThanEqual: r = x <= y; break;
    case SpvOpUGreaterThan: r = x > y; break;
    case SpvOpUGreaterThanEqual: r = x >= y; break;
    case SpvOpSLessThan: r = sx < sy; break;
    case SpvOpSLessThanEqual: r = sx <= sy; break;
    case SpvOpSGreaterThan: r = sx > sy; break;
    case SpvOpSGreaterThanEqual: r = sx >= sy; break;
    case SpvOpShiftLeftLogical: r = x << (y % bits); break;
    case SpvOpShiftRightLogical: r = x >> (y % bits); break;
    case SpvOpShiftRightArithmetic: r = (uint64_t)(sx >> (y % bits)); break;
    case SpvOpSConvert: r = (uint64_t)sx; break;
    case SpvOpUConvert:
    case SpvOpBitcast:
    case SpvOpConvertPtrToU:
    case SpvOpConvertUToPtr:
    case SpvOpPtrCastToGeneric:
    case SpvOpGenericCastToPtr: r = x; break;
    case SpvOpSelect: return x ? b : c;
    default:
        module_fail(m, STATUS_UNSUPPORTED, "OpSpecConstantOp %s at word %u is not supported",
                    spirv_op_name(op), word);
    }
    return (struct leaf){module_bits_truncate(r, result), a.variable ? a.variable : b.variable, result,
                         false};
}

static struct type *pointee(struct module *m, uint32_t pointer_type_id)
{
    return module_type(m, m->words[m->def[pointer_type_id] + 3]);
}

static _Noreturn void refuse_constant(struct module *m, uint32_t word)
{
    module_fail(m, STATUS_BAD_BINARY, "OpSpecConstantOp %s at word %u has operands that do not fit",
                spirv_op_name(m->words[word + 3]), word);
}

static void check_part(struct module *m, const struct type *type, uint64_t index, uint32_t word)
{
    const bool composite = type->kind == TYPE_STRUCT || type->kind == TYPE_ARRAY || type->kind == TYPE_VECTOR;
    const bool unlimited = type->opcode == SpvOpTypeRuntimeArray || (type->kind != TYPE_STRUCT && index == 0);
    if (!composite || (index >= type->count && !unlimited))
        refuse_constant(m, word);
}

/* A constant access chain: the base address plus constant offsets. */
static struct leaf constant_chain(struct module *m, uint32_t op, uint32_t word)
{
    const uint32_t *w = &m->words[word];
    uint32_t base = w[4], n = spv_length(m, word), i = 5;
    struct leaf leaf = module_constant(m, base)->leaves[0];
    if (module_value_type(m, base)->kind != TYPE_POINTER)
        refuse_constant(m, word);
    struct type *type = pointee(m, m->type_of[base]);
    if (op == SpvOpPtrAccessChain || op == SpvOpInBoundsPtrAccessChain) {
        const struct leaf *index = module_constant(m, w[i++])->leaves;
        leaf.bits +=
            (uint64_t)module_bits_signed(index->bits, index->scalar) * align_up(type->size, type->align);
    }
    for (; i < n; i++) {
        const struct leaf *index = module_constant(m, w[i])->leaves;
        check_part(m, type, type->kind == TYPE_STRUCT ? index->bits : 0, word);
        uint64_t k = (uint64_t)module_bits_signed(index->bits, index->scalar);
        leaf.bits += type->kind == TYPE_STRUCT ? type->offsets[k] : k * type->stride;
        type = type_part(type, (uint32_t)k);
    }
    return leaf;
}

/* A bitcast between vectors of different lengths: the same bytes, in little-endian order. */
static void recast_constant(struct module *m, struct constant *c, const struct type *type, uint32_t word)
{
    const struct constant *from = module_constant(m, m->words[word + 4]);
    const enum scalar result = type->kind == TYPE_VECTOR ? type->element->scalar : type->scalar;
    const uint32_t size = scalar_bits(result) / 8, from_size = scalar_bits(from->leaves[0].scalar) / 8;
    if (!size || !from_size || c->count * size != from->count * from_size)
        refuse_constant(m, word);
    for (uint32_t i = 0; i < c->count; i++) {
        struct leaf leaf = {.scalar = result};
        for (uint32_t k = 0; k < size; k++) {
            const struct leaf *part = &from->leaves[(i * size + k) / from_size];
            leaf.bits |= (part->bits >> ((i * size + k) % from_size * 8) & 255) << (k * 8);
            leaf.undefined |= part->undefined;
        }
        c->leaves[i] = leaf;
    }
}

/* The number of the first leaf of the part of `type` that the literals from word `first` on lead to. */
static uint32_t literal_path(struct module *m, const struct type *type, uint32_t word, uint32_t first,
                             uint32_t *out_leaves)
{
    uint32_t leaf = 0;
    for (uint32_t i = first; i < spv_length(m, word); i++) {
        const uint32_t index = m->words[word + i];
        check_part(m, type, index, word);
        leaf += type_first_leaf(type, index);
        type = type_part(type, index);
    }
    *out_leaves = type->leaves;
    return leaf;
}

static void extract_constant(struct module *m, struct constant *c, uint32_t word)
{
    uint32_t leaves;
    const uint32_t composite = m->words[word + 4];
    const struct constant *whole = module_constant(m, composite);
    const uint32_t leaf = literal_path(m, module_value_type(m, composite), word, 5, &leaves);
    if (leaves != c->count)
        refuse_constant(m, word);
    memcpy(c->leaves, whole->leaves + leaf, c->count * sizeof *c->leaves);
}

static void insert_constant(struct module *m, struct constant *c, const struct type *type, uint32_t word)
{
    uint32_t leaves;
    const struct constant *object = module_constant(m, m->words[word + 4]);
    const struct constant *whole = module_constant(m, m->words[word + 5]);
    if (whole->count != c->count)
        refuse_constant(m, word);
    const uint32_t leaf = literal_path(m, type, word, 6, &leaves);
    if (leaves != object->count)
        refuse_constant(m, word);
    memcpy(c->leaves, whole->leaves, c->count * sizeof *c->leaves);
    memcpy(c->leaves + leaf, object->leaves, object->count * sizeof *c->leaves);
}

/* An index of all ones chooses no component: the result's is undefined. */
static void shuffle_constant(struct module *m, struct constant *c, const struct type *type, uint32_t word)
{
    const uint32_t *w = &m->words[word], length = spv_length(m, word);
    const struct constant *a = module_constant(m, w[4]), *b = module_constant(m, w[5]);
    for (uint32_t i = 0; i < c->count; i++) {
        const uint32_t k = i + 6 < length ? w[6 + i] : UINT32_MAX;
        if (type->kind != TYPE_VECTOR || (k != UINT32_MAX && k >= a->count + b->count))
            refuse_constant(m, word);
        c->leaves[i] = k == UINT32_MAX ? (struct leaf){0, 0, type->element->scalar, true}
                       : k < a->count  ? a->leaves[k]
                                       : b->leaves[k - a->count];
    }
}

/* Folds leaf by leaf; an operand of one leaf is used with every leaf of the others. */
static void fold_constant(struct module *m, struct constant *c, const struct type *type, uint32_t word)
{
    const uint32_t *w = &m->words[word], count = spv_length(m, word) - 4;
    const struct constant *operand[3] = {NULL, NULL, NULL};
    for (uint32_t i = 0; i < count && i < 3; i++)
        operand[i] = module_constant(m, w[4 + i]);
    if (type->kind == TYPE_STRUCT || type->kind == TYPE_ARRAY || !operand[0])
        refuse_constant(m, word);
    for (uint32_t k = 0; k < 3; k++)
        if (operand[k] && operand[k]->count != 1 && operand[k]->count != c->count)
            refuse_constant(m, word);
    const enum scalar result = type->kind == TYPE_VECTOR ? type->element->scalar : type->scalar;
    for (uint32_t i = 0; i < c->count; i++) {
        struct leaf in[3] = {{0}};
        for (uint32_t k = 0; k < 3 && operand[k]; k++)
            in[k] = operand[k]->leaves[operand[k]->count == 1 ? 0 : i];
        c->leaves[i] = fold_leaf(m, w[3], result, in[0], in[1], in[2], word);
    }
}

static void spec_constant_op(struct module *m, struct constant *c, const struct type *type, uint32_t word)
{
    const uint32_t *w = &m->words[word], op = w[3];
    switch (op) {
    case SpvOpBitcast:
        if (spv_length(m, word) == 5 && module_constant(m, w[4])->count != c->count)
            recast_constant(m, c, type, word);
        else
            fold_constant(m, c, type, word);
        break;
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
    case SpvOpPtrAccessChain:
    case SpvOpInBoundsPtrAccessChain: c->leaves[0] = constant_chain(m, op, word); break;
    case SpvOpCompositeExtract: extract_constant(m, c, word); break;
    case SpvOpCompositeInsert: insert_constant(m, c, type, word); break;
    case SpvOpVectorShuffle: shuffle_constant(m, c, type, word); break;
    default: fold_constant(m, c, type, word); break;
    }
}

static struct constant *make_constant(struct module *m, uint32_t id)
{
    uint32_t word = m->def[id];
    const uint32_t *w = &m->words[word];
    uint32_t op = spv_opcode(m, word);
    const struct type *type = module_value_type(m, id);
    struct constant *c = ARENA_NEW(&m->arena, struct constant);
    m->constants[id] = c;
    c->count = type->leaves;
    if (type->kind == TYPE_VOID || type->kind == TYPE_FUNCTION)
        module_fail(m, STATUS_BAD_BINARY, "%s at word %u has no value", spirv_op_name(op), word);
    if (c->count > CONSTANT_LEAVES_MAX)
        module_fail(m, STATUS_UNSUPPORTED, "%s at word %u has %u scalars", spirv_op_name(op), word, c->count);
    c->leaves = ARENA_ARRAY(&m->arena, struct leaf, c->count + 1);
    struct leaf *next = c->leaves;
    switch (op) {
    case SpvOpVariable: c->leaves[0] = (struct leaf){0, id, T_I64, false}; break;
    case SpvOpConstantTrue: c->leaves[0] = (struct leaf){1, 0, T_BOOL, false}; break;
    case SpvOpConstantFalse: c->leaves[0] = (struct leaf){0, 0, T_BOOL, false}; break;
    case SpvOpSpecConstantTrue: c->leaves[0] = (struct leaf){1, 0, T_BOOL, false}; break;
    case SpvOpSpecConstantFalse: c->leaves[0] = (struct leaf){0, 0, T_BOOL, false}; break;
    case SpvOpConstant: c->leaves[0] = (struct leaf){literal(m, word, type), 0, type->scalar, false}; break;
    case SpvOpSpecConstant:
        c->leaves[0] =
            (struct leaf){module_bits_truncate(literal(m, word, type), type->scalar), 0, type->scalar, false};
        break;
    case SpvOpConstantSampler:
        c->leaves[0] =
            (struct leaf){sampler_pack(&(struct sampler){.addressing = (enum image_addressing)(w[3] & 7),
                                                         .normalized = w[4] & 1,
                                                         .linear = w[5] & 1,
                                                         .lod_max = 255}),
                          0, T_I64, false};
        break;
    case SpvOpConstantNull: null_leaves(type, &next, false); break;
    case SpvOpUndef: null_leaves(type, &next, true); break;
    case SpvOpConstantComposite:
    case SpvOpSpecConstantComposite:
        for (uint32_t i = 3; i < spv_length(m, word); i++) {
            const struct constant *part = module_constant(m, w[i]);
            if (part->count > c->count - (uint32_t)(next - c->leaves))
                module_fail(m, STATUS_BAD_BINARY, "%s at word %u has too many parts", spirv_op_name(op),
                            word);
            memcpy(next, part->leaves, part->count * sizeof *next);
            next += part->count;
        }
        break;
    case SpvOpSpecConstantOp: spec_constant_op(m, c, type, word); break;
    default:
        module_fail(m, STATUS_UNSUPPORTED, "%s at word %u is not supported as a constant", spirv_op_name(op),
                    word);
    }
    return c;
}

const struct constant *module_constant(struct module *m, uint32_t id)
{
    if (id >= m->bound || !module_is_constant(m, id))
        module_fail(m, STATUS_BAD_BINARY, "id %u is not a constant", id);
    if (m->constants[id])
        return m->constants[id];
    if (++m->nesting > NESTING_MAX)
        module_fail(m, STATUS_UNSUPPORTED, "constant id %u is nested too deep", id);
    const struct constant *constant = make_constant(m, id);
    m->nesting--;
    return constant;
}

/* ---- functions, variables, entry points ------------------------------------------ */

struct variable *module_variable(struct module *m, uint32_t id)
{
    return id < m->bound && m->variable_index[id] ? &m->variables.at[m->variable_index[id] - 1] : NULL;
}

struct function *module_function(struct module *m, uint32_t id)
{
    if (id >= m->bound || !m->function_index[id])
        module_fail(m, STATUS_BAD_BINARY, "id %u is not a function", id);
    return &m->functions.at[m->function_index[id] - 1];
}

static bool is_terminator(uint32_t op)
{
    return (op >= SpvOpBranch && op <= SpvOpUnreachable);
}

static uint32_t read_function(struct module *m, uint32_t word)
{
    struct function *f = list_push(&m->arena, &m->functions);
    LIST(uint32_t) params = {0};
    LIST(struct block_range) blocks = {0};
    f->id = m->words[word + 2];
    f->word = word;
    m->function_index[f->id] = m->functions.count;
    for (word += spv_length(m, word); word < m->word_count; word += spv_length(m, word)) {
        uint32_t op = spv_opcode(m, word);
        if (op == SpvOpFunctionParameter)
            *list_push(&m->arena, &params) = m->words[word + 2];
        else if (op == SpvOpLabel)
            *list_push(&m->arena, &blocks) = (struct block_range){m->words[word + 1], word, 0};
        else if (is_terminator(op) && blocks.count)
            blocks.at[blocks.count - 1].last = word + spv_length(m, word);
        else if (op == SpvOpFunctionEnd)
            break;
        if (!spirv_op_supported(op))
            module_fail(m, STATUS_UNSUPPORTED, "unsupported %s at word %u", spirv_op_name(op), word);
    }
    f->params = params.at;
    f->param_count = params.count;
    f->blocks = blocks.at;
    f->block_count = blocks.count;
    return word;
}

static void read_variable(struct module *m, uint32_t word)
{
    struct variable *v = list_push(&m->arena, &m->variables);
    memset(v, 0, sizeof *v);
    v->id = m->words[word + 2];
    v->storage = m->words[word + 3];
    v->initializer = spv_length(m, word) > 4 ? m->words[word + 4] : 0;
    m->variable_index[v->id] = m->variables.count;
}

/* Names, decorations and definitions of one instruction. */
static uint32_t read_instruction(struct module *m, uint32_t word)
{
    const uint32_t *w = &m->words[word];
    uint32_t op = spv_opcode(m, word), n = spv_length(m, word);
    switch (op) {
    case SpvOpName: m->names[w[1]] = demangle(&m->arena, module_string(m, word + 2)); break;
    case SpvOpModuleProcessed: debug_take_records(m, module_string(m, word + 1)); break;
    case SpvOpSourceExtension:
        m->by_components |= !strcmp(module_string(m, word + 1), MODULE_COMPONENTS);
        break;
    case SpvOpExtInstImport:
        if (!strcmp(module_string(m, word + 2), "OpenCL.std"))
            m->opencl_std = w[1];
        else
            debug_note_set(m, w[1], module_string(m, word + 2));
        break;
    case SpvOpMemoryModel:
        if (w[1] == SpvAddressingModelPhysical32) /* CL_DEVICE_ADDRESS_BITS is 64 */
            module_fail(
                m, STATUS_UNSUPPORTED,
                "addressing model Physical32 at word %u is not supported: the device has 64-bit addresses; "
                "translate the program for spir64 (Physical64)",
                word);
        break;
    case SpvOpDecorate:
    case SpvOpDecorateString: add_decoration(m, w[1], w[2], word + 3, n - 3, -1); break;
    case SpvOpMemberDecorate:
    case SpvOpMemberDecorateString: add_decoration(m, w[1], w[3], word + 4, n - 4, (int32_t)w[2]); break;
    case SpvOpGroupDecorate:
        for (uint32_t i = 2; i < n; i++)
            for (uint32_t d = m->first_decoration[w[1]]; d; d = m->decorations.at[d - 1].next) {
                struct decoration copy = m->decorations.at[d - 1];
                add_decoration(m, w[i], copy.kind, copy.word, copy.word_count, copy.member);
            }
        break;
    case SpvOpEntryPoint:
        if (w[1] == SpvExecutionModelKernel) {
            struct entry_point *e = list_push(&m->arena, &m->entries);
            memset(e, 0, sizeof *e);
            e->function = w[2];
            e->name = module_string(m, word + 3);
        }
        break;
    case SpvOpVariable: read_variable(m, word); break;
    case SpvOpFunction: return read_function(m, word);
    default:
        if (!spirv_op_supported(op))
            module_fail(m, STATUS_UNSUPPORTED, "unsupported %s at word %u", spirv_op_name(op), word);
    }
    return word;
}

static void record_results(struct module *m)
{
    for (uint32_t word = 5; word < m->word_count; word += spv_length(m, word)) {
        uint32_t op = spv_opcode(m, word), n = spv_length(m, word);
        if (n == 0 || word + n > m->word_count)
            module_fail(m, STATUS_BAD_BINARY, "instruction at word %u has a bad length", word);
        bool result, type;
        SpvHasResultAndType((SpvOp)op, &result, &type);
        uint32_t at = word + 1 + type;
        if (!result)
            continue;
        if (n < 2u + type || m->words[at] == 0 || m->words[at] >= m->bound)
            module_fail(m, STATUS_BAD_BINARY, "%s at word %u has a bad result id", spirv_op_name(op), word);
        m->def[m->words[at]] = word;
        if (type)
            m->type_of[m->words[at]] = m->words[word + 1];
    }
}

static void check_header(struct module *m)
{
    if (m->word_count < 5)
        module_fail(m, STATUS_BAD_BINARY, "%zu words are too few for a SPIR-V module", m->word_count);
    if (m->words[0] == 0x03022307)
        for (size_t i = 0; i < m->word_count; i++)
            m->words[i] = __builtin_bswap32(m->words[i]);
    if (m->words[0] != SpvMagicNumber)
        module_fail(m, STATUS_BAD_BINARY, "bad magic number 0x%08x at word 0, expected 0x%08x", m->words[0],
                    SpvMagicNumber);
    m->bound = m->words[3];
    if (m->bound == 0 || m->bound > m->word_count * 4)
        module_fail(m, STATUS_BAD_BINARY, "bad id bound %u at word 3", m->bound);
}

/* Large arrays of zeros need no list of their scalars. */
static bool is_null(const struct module *m, uint32_t id)
{
    return spv_opcode(m, m->def[id]) == SpvOpConstantNull;
}

uint32_t module_align(struct module *m, uint32_t id, const struct type *type)
{
    const struct decoration *d = module_decoration(m, id, SpvDecorationAlignment);
    uint32_t align = d ? m->words[d->word] : 0;
    if (align & (align - 1) || align > 65536)
        module_fail(m, STATUS_BAD_BINARY, "%s at word %u is aligned to %u bytes",
                    spirv_op_name(spv_opcode(m, m->def[id])), m->def[id], align);
    return align > type->align ? align : type->align;
}

static void finish_variables(struct module *m)
{
    m->bindable = ARENA_ARRAY(&m->arena, uint32_t, m->variables.count + 1);
    for (uint32_t i = 0; i < m->variables.count; i++) {
        struct variable *v = &m->variables.at[i];
        const struct decoration *builtin = module_decoration(m, v->id, SpvDecorationBuiltIn);
        const struct type *pointer = module_value_type(m, v->id);
        if (pointer->kind != TYPE_POINTER || pointer->storage != v->storage)
            module_fail(m, STATUS_BAD_BINARY, "OpVariable at word %u is not of its pointer type",
                        m->def[v->id]);
        v->type = part_type(m, m->words[m->def[pointer->id] + 3], m->def[v->id]);
        if (v->initializer && !is_null(m, v->initializer) &&
            module_constant(m, v->initializer)->count != v->type->leaves)
            module_fail(m, STATUS_BAD_BINARY, "OpVariable at word %u has an initialiser of another type",
                        m->def[v->id]);
        v->builtin = builtin ? (int32_t)m->words[builtin->word] : -1;
        bool constant = v->storage == SpvStorageClassUniformConstant;
        v->info = (struct module_variable){m->names[v->id] ? m->names[v->id] : "", v->type->size,
                                           module_align(m, v->id, v->type), constant};
        if (v->builtin < 0 && (constant || v->storage == SpvStorageClassCrossWorkgroup))
            m->bindable[m->bindable_count++] = i;
    }
}

void module_finish_entries(struct module *m); /* kernel_info.c */

static void read_module(struct module *m)
{
    check_header(m);
    struct arena *a = &m->arena;
    m->def = ARENA_ARRAY(a, uint32_t, m->bound);
    m->type_of = ARENA_ARRAY(a, uint32_t, m->bound);
    m->types = ARENA_ARRAY(a, struct type *, m->bound);
    m->debug_types = ARENA_ARRAY(a, struct debug_type *, m->bound);
    m->constants = ARENA_ARRAY(a, struct constant *, m->bound);
    m->names = ARENA_ARRAY(a, const char *, m->bound);
    m->first_decoration = ARENA_ARRAY(a, uint32_t, m->bound);
    m->function_index = ARENA_ARRAY(a, uint32_t, m->bound);
    m->variable_index = ARENA_ARRAY(a, uint32_t, m->bound);
    m->address_bits = 64;
    record_results(m);
    verify_grammar(m);
    for (uint32_t word = 5; word < m->word_count; word += spv_length(m, word))
        word = read_instruction(m, word);
    debug_read_records(m);
    for (uint32_t i = 0; i < m->functions.count; i++) {
        struct function *f = &m->functions.at[i];
        f->type = module_type(m, m->words[f->word + 4]);
    }
    finish_variables(m);
    verify_functions(m);
    module_finish_entries(m);
}

/* A kernel that cannot be lowered is an error of the build, not of the first launch. */
static void try_lowering(struct module *m)
{
    for (uint32_t i = 0; i < m->entries.count; i++) {
        lower_kernel(m, &m->entries.at[i], &(struct code_request){0});
        arena_free(&m->work);
    }
}

enum status interp_module_new(const uint32_t *words, size_t word_count, const struct spec_constant *constants,
                              size_t constant_count, struct module **out_module, struct diagnosis *diagnosis)
{
    struct module *m = calloc(1, sizeof *m);
    if (!m)
        return diagnose(diagnosis, STATUS_OUT_OF_MEMORY, "no memory for a module");
    jmp_buf fail;
    pthread_mutex_init(&m->lock, NULL);
    m->fail = &fail;
    m->arena.out_of_memory = m->work.out_of_memory = &fail;
    m->fail_status = STATUS_OUT_OF_MEMORY;
    m->diagnosis = diagnosis;
    if (setjmp(fail)) {
        enum status status = m->fail_status;
        interp_module_free(m);
        return diagnose(diagnosis, status, "%s", status_name(status));
    }
    m->words = ARENA_ARRAY(&m->arena, uint32_t, word_count + 1);
    memcpy(m->words, words, word_count * 4);
    m->word_count = word_count;
    module_specialise(m->words, word_count, constants, constant_count);
    read_module(m);
    try_lowering(m);
    m->diagnosis = NULL;
    m->fail = m->arena.out_of_memory = NULL;
    *out_module = m;
    return STATUS_OK;
}

void interp_module_free(struct module *m)
{
    pthread_mutex_destroy(&m->lock);
    arena_free(&m->work);
    arena_free(&m->arena);
    free(m);
}

/* The result follows the type, if there is one. */
const char *interp_instruction(const struct module *m, uint32_t word, uint32_t *out_result)
{
    *out_result = 0;
    if (word < 5 || word >= m->word_count || word + spv_length(m, word) > m->word_count)
        return NULL;
    const uint32_t op = spv_opcode(m, word);
    bool result, type;
    SpvHasResultAndType((SpvOp)op, &result, &type);
    if (result && spv_length(m, word) > 1u + type)
        *out_result = m->words[word + 1 + type];
    return spirv_op(op)->name;
}

const uint32_t *interp_module_words(const struct module *m, size_t *out_count)
{
    *out_count = m->word_count;
    return m->words;
}

/* ---- variables and their initial bytes -------------------------------------------- */

size_t interp_variable_count(const struct module *m)
{
    return m->bindable_count;
}

const struct module_variable *interp_variable(const struct module *m, size_t index)
{
    return &m->variables.at[m->bindable[index]].info;
}

static void constant_bytes(struct module *m, const struct type *type, const struct leaf **leaf, uint8_t *out)
{
    if (type->kind == TYPE_STRUCT || type->kind == TYPE_ARRAY || type->kind == TYPE_VECTOR) {
        for (uint32_t i = 0; i < type->count; i++)
            constant_bytes(m, type_part(type, i), leaf, out + type_part_offset(type, i));
        return;
    }
    uint64_t bits = (*leaf)->bits;
    if ((*leaf)->variable)
        bits += module_variable(m, (*leaf)->variable)->address;
    memcpy(out, &bits, type->size);
    (*leaf)++;
}

enum status interp_module_bind(struct module *m, const uint64_t *addresses, interp_write *write, void *self)
{
    jmp_buf fail;
    m->fail = m->arena.out_of_memory = &fail;
    if (setjmp(fail))
        return STATUS_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < m->bindable_count; i++)
        m->variables.at[m->bindable[i]].address = addresses[i];
    for (uint32_t i = 0; i < m->bindable_count; i++) {
        struct variable *v = &m->variables.at[m->bindable[i]];
        uint8_t *bytes = arena_alloc(&m->arena, v->type->size);
        if (v->initializer && !is_null(m, v->initializer)) {
            const struct leaf *leaf = module_constant(m, v->initializer)->leaves;
            constant_bytes(m, v->type, &leaf, bytes);
        }
        /* Program-scope variables without an initialiser are zero (OpenCL C 6.7.1). */
        write(self, v->address, bytes, v->type->size, true);
    }
    m->fail = m->arena.out_of_memory = NULL;
    return STATUS_OK;
}

/*
 * The id that carries SpecId spec_id, or 0. The instruction searched for is 4 words long and never the last.
 */
static uint32_t spec_constant_id(const uint32_t *words, size_t word_count, uint32_t spec_id)
{
    for (size_t i = 5; i + 4 <= word_count && words[i] >> 16; i += words[i] >> 16)
        if ((words[i] & 0xffff) == SpvOpDecorate && words[i + 2] == SpvDecorationSpecId &&
            words[i + 3] == spec_id)
            return words[i + 1];
    return 0;
}

static void specialise(uint32_t *insn, const struct spec_constant *constant)
{
    uint32_t length = insn[0] >> 16, op = insn[0] & 0xffff;
    if (op == SpvOpSpecConstant)
        memcpy(insn + 3, &constant->value, (length - 3) * sizeof *insn);
    else if (op == SpvOpSpecConstantTrue || op == SpvOpSpecConstantFalse)
        insn[0] = length << 16 | (constant->value & 0xff ? SpvOpSpecConstantTrue : SpvOpSpecConstantFalse);
}

void module_specialise(uint32_t *words, size_t word_count, const struct spec_constant *constants,
                       size_t constant_count)
{
    for (size_t c = 0; c < constant_count; c++) {
        uint32_t id = spec_constant_id(words, word_count, constants[c].id);
        for (size_t i = 5; id && i + 3 <= word_count && words[i] >> 16; i += words[i] >> 16)
            if (words[i + 2] == id)
                specialise(words + i, &constants[c]);
    }
}

uint32_t module_spec_constant_size(const uint32_t *words, size_t word_count, uint32_t spec_id)
{
    /* The instruction searched for is 4 words long at most (OpTypeFloat: 3) and never the last. */
    uint32_t id = spec_constant_id(words, word_count, spec_id), type = 0, size = 0;
    for (size_t i = 5; id && i + 4 <= word_count && words[i] >> 16; i += words[i] >> 16) {
        uint32_t op = words[i] & 0xffff;
        if ((op == SpvOpSpecConstantTrue || op == SpvOpSpecConstantFalse) && words[i + 2] == id)
            return 1;
        if (op == SpvOpSpecConstant && words[i + 2] == id)
            type = words[i + 1];
    }
    for (size_t i = 5; type && i + 4 <= word_count && words[i] >> 16; i += words[i] >> 16)
        if (((words[i] & 0xffff) == SpvOpTypeInt || (words[i] & 0xffff) == SpvOpTypeFloat) &&
            words[i + 1] == type)
            size = words[i + 2] / 8;
    return size;
}
