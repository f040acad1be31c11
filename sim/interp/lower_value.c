/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic, comparison, conversion and composites. Vectors are lowered component by component. */
#include <spirv/unified1/OpenCL.std.h>
#include <string.h>

#include "lower.h"
#include "spirv_ops.h"

static enum number_kind number_kind(enum scalar type, bool is_signed)
{
    switch (type) {
    case T_I8: return is_signed ? NUMBER_S8 : NUMBER_U8;
    case T_I16: return is_signed ? NUMBER_S16 : NUMBER_U16;
    case T_I32: return is_signed ? NUMBER_S32 : NUMBER_U32;
    case T_F16: return NUMBER_F16;
    case T_F32: return NUMBER_F32;
    case T_F64: return NUMBER_F64;
    default: return is_signed ? NUMBER_S64 : NUMBER_U64;
    }
}

static enum scalar number_scalar(enum number_kind kind)
{
    static const uint8_t scalars[] = {T_I8,  T_I8,  T_I16, T_I16, T_I32, T_I32,
                                      T_I64, T_I64, T_F16, T_F32, T_F64};
    return scalars[kind];
}

uint32_t lower_convert(struct lower *l, uint32_t value, enum number_kind from, enum number_kind to,
                       enum rounding rounding, bool saturate)
{
    return lower_emit(l, IR_cvt, number_scalar(to), value, NONE, NONE,
                      (uint64_t)from | (uint64_t)to << 8 | (uint64_t)rounding << 16 |
                          (uint64_t)saturate << 24);
}

static uint32_t resize(struct lower *l, uint32_t value, enum scalar to, bool sign)
{
    uint32_t from_bits = scalar_bits(lower_type(l, value)), to_bits = scalar_bits(to);
    if (from_bits == to_bits)
        return value;
    return lower_emit(l, to_bits < from_bits ? IR_trunc : sign ? IR_sext : IR_zext, to, value, NONE, NONE, 0);
}

static uint32_t convert_leaf(struct lower *l, uint32_t word, enum scalar to, uint32_t value)
{
    uint32_t op = spv_opcode(l->m, word), result = l->m->words[word + 2];
    enum scalar from = lower_component(l, l->m->words[word + 3]);
    const struct decoration *mode = module_decoration(l->m, result, SpvDecorationFPRoundingMode);
    bool saturate = module_decoration(l->m, result, SpvDecorationSaturatedConversion);
    enum rounding rounding = mode ? ROUND_RTE + l->m->words[mode->word] : ROUND_DEFAULT;
    l->ir->pointers_as_numbers |= op == SpvOpConvertPtrToU;
    switch (op) {
    case SpvOpConvertFToU:
        return lower_convert(l, value, number_kind(from, false), number_kind(to, false), rounding, saturate);
    case SpvOpConvertFToS:
        return lower_convert(l, value, number_kind(from, true), number_kind(to, true), rounding, saturate);
    case SpvOpConvertSToF:
        return lower_convert(l, value, number_kind(from, true), number_kind(to, true), rounding, false);
    case SpvOpConvertUToF:
        return lower_convert(l, value, number_kind(from, false), number_kind(to, false), rounding, false);
    case SpvOpFConvert:
        return from == to
                   ? value
                   : lower_convert(l, value, number_kind(from, true), number_kind(to, true), rounding, false);
    case SpvOpSConvert:
        return saturate ? lower_convert(l, value, number_kind(from, true), number_kind(to, true),
                                        ROUND_DEFAULT, true)
                        : resize(l, value, to, true);
    case SpvOpUConvert:
        return saturate ? lower_convert(l, value, number_kind(from, false), number_kind(to, false),
                                        ROUND_DEFAULT, true)
                        : resize(l, value, to, false);
    case SpvOpSatConvertSToU:
        return lower_convert(l, value, number_kind(from, true), number_kind(to, false), ROUND_DEFAULT, true);
    case SpvOpSatConvertUToS:
        return lower_convert(l, value, number_kind(from, false), number_kind(to, true), ROUND_DEFAULT, true);
    default: return resize(l, value, to, false); /* pointers and integers */
    }
}

/* ---- bits of one shape seen as another -------------------------------------------------- */

static uint32_t piece(struct lower *l, const uint32_t *from, uint32_t from_bits, uint32_t to_bits,
                      enum scalar to, uint32_t i)
{
    static const enum scalar ints[] = {T_I8, T_I16, T_I32, T_I64};
    if (from_bits > to_bits) { /* extract a part of a wide component */
        uint32_t per = from_bits / to_bits;
        enum scalar wide = ints[__builtin_ctz(from_bits / 8)];
        uint32_t shifted = lower_emit(l, IR_lshr, wide, from[i / per],
                                      ir_const(l->ir, wide, (uint64_t)(i % per) * to_bits), NONE, 0);
        return lower_emit(l, IR_trunc, to, shifted, NONE, NONE, 0);
    }
    uint32_t per = to_bits / from_bits, result = NONE; /* join narrow components */
    for (uint32_t k = 0; k < per; k++) {
        uint32_t part = lower_emit(l, IR_zext, to, from[i * per + k], NONE, NONE, 0);
        part = lower_emit(l, IR_shl, to, part, ir_const(l->ir, to, (uint64_t)k * from_bits), NONE, 0);
        result = result ? lower_emit(l, IR_or, to, result, part, NONE, 0) : part;
    }
    return result;
}

static void lower_bitcast(struct lower *l, uint32_t word)
{
    const uint32_t *w = &l->m->words[word];
    const struct type *to = module_type(l->m, w[1]), *from = module_value_type(l->m, w[3]);
    l->ir->pointers_as_numbers |= from->kind == TYPE_POINTER && to->kind != TYPE_POINTER;
    const uint32_t *leaves = lower_get(l, w[3]);
    enum scalar t = to->kind == TYPE_VECTOR ? to->element->scalar : to->scalar;
    enum scalar s = from->kind == TYPE_VECTOR ? from->element->scalar : from->scalar;
    uint32_t out[16];
    if (scalar_bits(t) == scalar_bits(s)) {
        lower_set(l, w[2], leaves, to->leaves);
        return;
    }
    static const enum scalar ints[] = {T_I8, T_I16, T_I32, T_I64};
    for (uint32_t i = 0; i < to->leaves && i < 16; i++)
        out[i] = piece(l, leaves, scalar_bits(s), scalar_bits(t), ints[__builtin_ctz(scalar_bytes(t))], i);
    lower_set(l, w[2], out, to->leaves);
}

/* ---- composites ---------------------------------------------------------------------------- */

/* The value for an index past the end of `list`. In OpenCL C, ids and offsets of a dimension that the range
 * lacks are 0, sizes and counts 1. SPIR-V leaves other vectors undefined; the last component is used. */
static uint32_t pick_default(struct lower *l, const uint32_t *list, uint32_t count)
{
    const struct value *first = ir_value(l->ir, list[0]);
    if (first->op != IR_input)
        return list[count - 1];
    bool size = first->imm >= INPUT_GROUP_COUNT && first->imm < INPUT_GLOBAL_OFFSET;
    return ir_const(l->ir, lower_type(l, list[0]), size);
}

/* list[index] for an index that is a value: a chain of selects. */
static uint32_t pick(struct lower *l, const uint32_t *list, uint32_t count, uint32_t index)
{
    uint32_t result = pick_default(l, list, count);
    enum scalar t = lower_type(l, index);
    for (uint32_t i = result == list[count - 1] ? count - 1 : count; i-- > 0;) {
        uint32_t is = lower_emit(l, IR_ieq, T_BOOL, index, ir_const(l->ir, t, i), NONE, 0);
        result = lower_emit(l, IR_select, lower_type(l, list[i]), is, list[i], result, 0);
    }
    return result;
}

static void lower_composite(struct lower *l, uint32_t word)
{
    const uint32_t *w = &l->m->words[word];
    uint32_t n = spv_length(l->m, word);
    const struct type *type = module_type(l->m, w[1]), *part;
    uint32_t *out = ARENA_ARRAY(l->arena, uint32_t, type->leaves + 1), at = 0;
    switch (spv_opcode(l->m, word)) {
    case SpvOpCompositeConstruct:
        for (uint32_t i = 3; i < n; i++) {
            uint32_t count = module_value_type(l->m, w[i])->leaves;
            memcpy(out + at, lower_get(l, w[i]), count * sizeof *out);
            at += count;
        }
        break;
    case SpvOpCompositeExtract:
        part = module_value_type(l->m, w[3]);
        for (uint32_t i = 4; i < n; i++) {
            at += type_first_leaf(part, w[i]);
            part = type_part(part, w[i]);
        }
        memcpy(out, lower_get(l, w[3]) + at, type->leaves * sizeof *out);
        break;
    case SpvOpCompositeInsert:
        part = type;
        for (uint32_t i = 5; i < n; i++) {
            at += type_first_leaf(part, w[i]);
            part = type_part(part, w[i]);
        }
        memcpy(out, lower_get(l, w[4]), type->leaves * sizeof *out);
        memcpy(out + at, lower_get(l, w[3]), part->leaves * sizeof *out);
        break;
    case SpvOpVectorShuffle: {
        uint32_t first = module_value_type(l->m, w[3])->leaves;
        for (uint32_t i = 0; i < type->leaves; i++) {
            uint32_t k = w[5 + i];
            out[i] = k == UINT32_MAX ? ir_new_value(l->ir, IR_undef, type->element->scalar)
                     : k < first     ? lower_get(l, w[3])[k]
                                     : lower_get(l, w[4])[k - first];
        }
        break;
    }
    case SpvOpVectorExtractDynamic:
        index_check_component(l, w[3], w[4], ACCESS_READ);
        out[0] = components_load_dynamic(l, w[3], lower_scalar(l, w[4]));
        if (!out[0])
            out[0] =
                pick(l, lower_get(l, w[3]), module_value_type(l->m, w[3])->leaves, lower_scalar(l, w[4]));
        break;
    default: { /* OpVectorInsertDynamic */
        index_check_component(l, w[3], w[5], ACCESS_WRITE);
        uint32_t index = lower_scalar(l, w[5]), component = lower_scalar(l, w[4]);
        for (uint32_t i = 0; i < type->leaves; i++) {
            uint32_t is =
                lower_emit(l, IR_ieq, T_BOOL, index, ir_const(l->ir, lower_type(l, index), i), NONE, 0);
            out[i] = lower_emit(l, IR_select, type->element->scalar, is, component, lower_get(l, w[3])[i], 0);
            ir_value(l->ir, out[i])->insertion = ir_value(l->ir, out[i])->op == IR_select;
        }
    }
    }
    l->leaf[w[2]] = out;
}

/* ---- the rest ---------------------------------------------------------------------------------- */

static void lower_reduce_bools(struct lower *l, uint32_t word, enum ir_op op)
{
    const uint32_t *w = &l->m->words[word], *leaves = lower_get(l, w[3]);
    uint32_t count = module_value_type(l->m, w[3])->leaves, result = leaves[0];
    for (uint32_t i = 1; i < count; i++)
        result = lower_emit(l, op, T_BOOL, result, leaves[i], NONE, 0);
    lower_set(l, w[2], &result, 1);
}

static void lower_wide_result(struct lower *l, uint32_t word)
{
    const uint32_t *w = &l->m->words[word], *a = lower_get(l, w[3]), *b = lower_get(l, w[4]);
    uint32_t n = module_value_type(l->m, w[3])->leaves, op = spv_opcode(l->m, word), out[32];
    for (uint32_t i = 0; i < n; i++) {
        enum scalar t = lower_type(l, a[i]);
        uint32_t low, high, carry;
        switch (op) {
        case SpvOpIAddCarry:
            low = lower_emit(l, IR_add, t, a[i], b[i], NONE, 0);
            carry = lower_emit(l, IR_ult, T_BOOL, low, a[i], NONE, 0);
            high = lower_emit(l, IR_select, t, carry, ir_const(l->ir, t, 1), ir_const(l->ir, t, 0), 0);
            break;
        case SpvOpISubBorrow:
            low = lower_emit(l, IR_sub, t, a[i], b[i], NONE, 0);
            carry = lower_emit(l, IR_ult, T_BOOL, a[i], b[i], NONE, 0);
            high = lower_emit(l, IR_select, t, carry, ir_const(l->ir, t, 1), ir_const(l->ir, t, 0), 0);
            break;
        default:
            low = lower_emit(l, IR_mul, t, a[i], b[i], NONE, 0);
            high = lower_emit(l, op == SpvOpUMulExtended ? IR_umulhi : IR_smulhi, t, a[i], b[i], NONE, 0);
        }
        out[i] = low;
        out[n + i] = high;
    }
    lower_set(l, w[2], out, 2 * n);
}

static void lower_dot(struct lower *l, uint32_t word)
{
    const uint32_t *w = &l->m->words[word], *a = lower_get(l, w[3]), *b = lower_get(l, w[4]);
    enum scalar t = module_type(l->m, w[1])->scalar;
    uint32_t sum = lower_emit(l, IR_fmul, t, a[0], b[0], NONE, 0);
    for (uint32_t i = 1; i < module_value_type(l->m, w[3])->leaves; i++)
        sum = lower_emit(l, IR_fadd, t, sum, lower_emit(l, IR_fmul, t, a[i], b[i], NONE, 0), NONE, 0);
    lower_set(l, w[2], &sum, 1);
}

static void lower_pointer_difference(struct lower *l, uint32_t word)
{
    const uint32_t *w = &l->m->words[word];
    uint64_t size = lower_pointee(l, w[3])->size;
    l->ir->pointers_as_numbers = true;
    uint32_t d = lower_emit(l, IR_sub, T_I64, lower_scalar(l, w[3]), lower_scalar(l, w[4]), NONE, 0);
    d = lower_emit(l, IR_sdiv, T_I64, d, ir_const(l->ir, T_I64, size ? size : 1), NONE, 0);
    d = resize(l, d, module_type(l->m, w[1])->scalar, true);
    lower_set(l, w[2], &d, 1);
}

static void lower_other(struct lower *l, uint32_t word)
{
    const uint32_t *w = &l->m->words[word];
    const struct type *type = module_type(l->m, w[1]);
    uint32_t out[16];
    switch (spv_opcode(l->m, word)) {
    case SpvOpAny: lower_reduce_bools(l, word, IR_mor); return;
    case SpvOpAll: lower_reduce_bools(l, word, IR_mand); return;
    case SpvOpBitcast: lower_bitcast(l, word); return;
    case SpvOpDot: lower_dot(l, word); return;
    case SpvOpPtrDiff: lower_pointer_difference(l, word); return;
    case SpvOpSizeOf:
        lower_set(l, w[2], (uint32_t[]){ir_const(l->ir, type->scalar, lower_pointee(l, w[3])->size)}, 1);
        return;
    case SpvOpIAddCarry:
    case SpvOpISubBorrow:
    case SpvOpUMulExtended:
    case SpvOpSMulExtended: lower_wide_result(l, word); return;
    case SpvOpGenericPtrMemSemantics:
    case SpvOpGenericCastToPtrExplicit: lower_memory_op(l, word); return;
    case SpvOpBitFieldInsert:
    case SpvOpBitFieldSExtract:
    case SpvOpBitFieldUExtract:
    case SpvOpBitReverse:
    case SpvOpSDot:
    case SpvOpUDot:
    case SpvOpSUDot:
    case SpvOpSDotAccSat:
    case SpvOpUDotAccSat:
    case SpvOpSUDotAccSat: lower_bits(l, word); return;
    default: break;
    }
    for (uint32_t i = 0; i < type->leaves && i < 16; i++) {
        uint32_t x = lower_get(l, w[3])[i];
        switch (spv_opcode(l->m, word)) {
        case SpvOpVectorTimesScalar:
            out[i] = lower_emit(l, IR_fmul, lower_type(l, x), x, lower_scalar(l, w[4]), NONE, 0);
            break;
        case SpvOpBitCount:
            out[i] = resize(l,
                            lower_math(l, OpenCLstd_Popcount, lower_component(l, w[3]),
                                       lower_component(l, w[3]), x, NONE, NONE),
                            type->kind == TYPE_VECTOR ? type->element->scalar : type->scalar, false);
            break;
        default: /* OpQuantizeToF16 */
            out[i] = lower_convert(l, lower_convert(l, x, NUMBER_F32, NUMBER_F16, ROUND_DEFAULT, false),
                                   NUMBER_F16, NUMBER_F32, ROUND_DEFAULT, false);
        }
    }
    lower_set(l, w[2], out, type->leaves);
}

static uint32_t value_leaf(struct lower *l, uint32_t word, enum scalar result, uint32_t i)
{
    const uint32_t *w = &l->m->words[word];
    const struct spirv_op *row = spirv_op(spv_opcode(l->m, word));
    uint32_t a = lower_get(l, w[3])[i], b, c;
    switch (row->lowering) {
    case LOWER_UNARY:
    case LOWER_TEST: return lower_emit(l, row->argument, result, a, NONE, NONE, 0);
    case LOWER_CONVERT: return convert_leaf(l, word, result, a);
    case LOWER_BINARY:
    case LOWER_BINARY_SWAPPED:
        b = lower_get(l, w[4])[i];
        if (row->argument == IR_shl || row->argument == IR_lshr || row->argument == IR_ashr)
            b = resize(l, b, result, false);
        if (row->lowering == LOWER_BINARY_SWAPPED)
            return lower_emit(l, row->argument, result, b, a, NONE, 0);
        return lower_emit(l, row->argument, result, a, b, NONE, 0);
    case LOWER_SELECT:
        if (module_value_type(l->m, w[3])->leaves == 1)
            a = lower_scalar(l, w[3]);
        b = lower_get(l, w[4])[i];
        c = lower_get(l, w[5])[i];
        return lower_emit(l, IR_select, lower_type(l, b), a, b, c, 0);
    default: return a;
    }
}

void lower_value_op(struct lower *l, uint32_t word)
{
    const uint32_t *w = &l->m->words[word];
    const struct spirv_op *row = spirv_op(spv_opcode(l->m, word));
    const struct type *type = module_type(l->m, w[1]);
    if (row->lowering == LOWER_COMPOSITE) {
        lower_composite(l, word);
        return;
    }
    if (row->lowering == LOWER_OTHER) {
        lower_other(l, word);
        return;
    }
    if (row->lowering == LOWER_SAME) {
        lower_set(l, w[2], lower_get(l, w[3]), type->leaves);
        return;
    }
    uint32_t *out = ARENA_ARRAY(l->arena, uint32_t, type->leaves + 1);
    enum scalar result = type->kind == TYPE_VECTOR ? type->element->scalar : type->scalar;
    bool scalar_condition = row->lowering == LOWER_SELECT && module_value_type(l->m, w[3])->leaves == 1;
    for (uint32_t i = 0; i < type->leaves; i++) {
        if (scalar_condition) {
            uint32_t b = lower_get(l, w[4])[i], c = lower_get(l, w[5])[i];
            out[i] = lower_emit(l, IR_select, lower_type(l, b), lower_scalar(l, w[3]), b, c, 0);
        } else {
            out[i] = value_leaf(l, word, result, i);
            if (spv_opcode(l->m, word) == SpvOpIEqual)
                out[i] = lower_succeeded(l, word, out[i]);
        }
    }
    l->leaf[w[2]] = out;
}
