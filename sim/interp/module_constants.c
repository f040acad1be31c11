/* SPDX-License-Identifier: Apache-2.0 */
/* The constants of a module, made on demand: a list of leaves each. Operations on specialisation constants
 * are folded by the functions that fold instructions. */
#include "ir.h"

#include <string.h>

#include "spirv_ops.h"

enum { CONSTANT_LEAVES_MAX = 1 << 22 };

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
        leaf.bits += (uint64_t)module_bits_signed(index->bits, index->scalar) * type_stride(type);
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
    if (++m->nesting > MODULE_NESTING_MAX)
        module_fail(m, STATUS_UNSUPPORTED, "constant id %u is nested too deep", id);
    const struct constant *constant = make_constant(m, id);
    m->nesting--;
    return constant;
}
