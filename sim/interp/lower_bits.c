/* SPDX-License-Identifier: Apache-2.0 */
/* Bit fields (SPV_KHR_bit_instructions) and integer dot products (SPV_KHR_integer_dot_product), from plain
 * arithmetic. */
#include <spirv/unified1/OpenCL.std.h>

#include "lower.h"

static uint32_t compute(struct lower *l, enum ir_op op, enum scalar type, uint32_t a, uint32_t b)
{
    return lower_emit(l, op, type, a, b, NONE, 0);
}

static uint32_t resized(struct lower *l, uint32_t value, enum scalar type, bool is_signed)
{
    uint32_t from = scalar_bits(lower_type(l, value)), to = scalar_bits(type);
    return from == to ? value
                      : compute(l,
                                from > to   ? IR_trunc
                                : is_signed ? IR_sext
                                            : IR_zext,
                                type, value, NONE);
}

/* ---- bit fields -------------------------------------------------------------------------- */

/* The lowest `count` bits set; `count` may be the whole width. */
static uint32_t low_bits(struct lower *l, enum scalar type, uint32_t count)
{
    uint32_t one = ir_const(l->ir, type, 1), power = compute(l, IR_shl, type, one, count);
    uint32_t whole = compute(l, IR_ieq, T_BOOL, count, ir_const(l->ir, type, scalar_bits(type)));
    return lower_emit(l, IR_select, type, whole, ir_const(l->ir, type, UINT64_MAX),
                      compute(l, IR_sub, type, power, one), 0);
}

static uint32_t insert(struct lower *l, enum scalar type, uint32_t base, uint32_t field, uint32_t offset,
                       uint32_t count)
{
    uint32_t mask = compute(l, IR_shl, type, low_bits(l, type, count), offset);
    uint32_t kept = compute(l, IR_and, type, base, compute(l, IR_not, type, mask, NONE));
    return compute(l, IR_or, type, kept,
                   compute(l, IR_and, type, compute(l, IR_shl, type, field, offset), mask));
}

static uint32_t extract(struct lower *l, enum scalar type, uint32_t base, uint32_t offset, uint32_t count,
                        bool is_signed)
{
    uint32_t bits =
        compute(l, IR_and, type, compute(l, IR_lshr, type, base, offset), low_bits(l, type, count));
    if (!is_signed)
        return bits;
    uint32_t none = compute(l, IR_ieq, T_BOOL, count, ir_const(l->ir, type, 0));
    uint32_t unused = compute(l, IR_sub, type, ir_const(l->ir, type, scalar_bits(type)), count);
    uint32_t extended = compute(l, IR_ashr, type, compute(l, IR_shl, type, bits, unused), unused);
    return lower_emit(l, IR_select, type, none, ir_const(l->ir, type, 0), extended, 0);
}

/* Swaps neighbours: first single bits, then pairs, nibbles and so on. */
static uint32_t reverse(struct lower *l, enum scalar type, uint32_t x)
{
    static const uint64_t masks[] = {0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f,
                                     0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff};
    for (uint32_t step = 0; 1u << step < scalar_bits(type); step++) {
        uint32_t mask = ir_const(l->ir, type, masks[step]), by = ir_const(l->ir, type, 1u << step);
        uint32_t up = compute(l, IR_shl, type, compute(l, IR_and, type, x, mask), by);
        x = compute(l, IR_or, type, up, compute(l, IR_and, type, compute(l, IR_lshr, type, x, by), mask));
    }
    return x;
}

/* ---- dot products ------------------------------------------------------------------------- */

static uint32_t factor(struct lower *l, uint32_t id, uint32_t i, enum scalar result, bool is_signed)
{
    const struct type *type = module_value_type(l->m, id);
    if (type->kind == TYPE_VECTOR)
        return resized(l, lower_get(l, id)[i], result, is_signed);
    uint32_t byte = compute(l, IR_lshr, T_I32, lower_scalar(l, id), ir_const(l->ir, T_I32, 8 * i));
    return resized(l, compute(l, IR_trunc, T_I8, byte, NONE), result, is_signed);
}

static uint32_t dot(struct lower *l, const uint32_t *w, uint32_t op)
{
    const struct type *type = module_value_type(l->m, w[3]);
    enum scalar result = module_type(l->m, w[1])->scalar;
    bool saturates = op >= SpvOpSDotAccSat, a_signed = op != SpvOpUDot && op != SpvOpUDotAccSat;
    bool b_signed = op == SpvOpSDot || op == SpvOpSDotAccSat;
    uint32_t count = type->kind == TYPE_VECTOR ? type->leaves : 4, sum = NONE;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t product = compute(l, IR_mul, result, factor(l, w[3], i, result, a_signed),
                                   factor(l, w[4], i, result, b_signed));
        sum = i ? compute(l, IR_add, result, sum, product) : product;
    }
    return saturates ? lower_math(l, a_signed ? OpenCLstd_SAdd_sat : OpenCLstd_UAdd_sat, result, result, sum,
                                  lower_scalar(l, w[5]), NONE)
                     : sum;
}

void lower_bits(struct lower *l, uint32_t word)
{
    const uint32_t *w = &l->m->words[word];
    uint32_t op = spv_opcode(l->m, word), out[16], leaves = module_type(l->m, w[1])->leaves;
    if (op >= SpvOpSDot && op <= SpvOpSUDotAccSat) {
        lower_set(l, w[2], (uint32_t[]){dot(l, w, op)}, 1);
        return;
    }
    enum scalar type = lower_component(l, w[3]);
    for (uint32_t i = 0; i < leaves; i++) {
        uint32_t base = lower_get(l, w[3])[i];
        if (op == SpvOpBitReverse)
            out[i] = reverse(l, type, base);
        else if (op == SpvOpBitFieldInsert)
            out[i] =
                insert(l, type, base, lower_get(l, w[4])[i], resized(l, lower_scalar(l, w[5]), type, false),
                       resized(l, lower_scalar(l, w[6]), type, false));
        else
            out[i] = extract(l, type, base, resized(l, lower_scalar(l, w[4]), type, false),
                             resized(l, lower_scalar(l, w[5]), type, false), op == SpvOpBitFieldSExtract);
    }
    lower_set(l, w[2], out, leaves);
}
