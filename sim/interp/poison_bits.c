/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which bits of a value are uninitialised. A word of which only some bytes were written is initialised again
 * once the others are masked, shifted or cut off: as a uchar3 that is read as a uint, a union or
 * the padding of a structure that is copied word by word. The bool of poison.c cannot express that, so such
 * values have an integer of their own size, whose ones are the uninitialised bits. It follows the value
 * exactly through bitwise operations, shifts, changes of size, selects and phis; everywhere else one
 * uninitialised bit makes the whole result uninitialised.
 *
 * Only values that need it have bits: those that are read from memory, or are made of such, and of which an
 * operation, or a store, may keep a part.
 */
#include "orrery/checked.h"
#include "poison.h"

enum scalar poison_bits_type(struct ir *ir, uint32_t v)
{
    static const enum scalar types[] = {T_I8, T_I16, T_I32, T_I64};
    const uint32_t bytes = scalar_bytes((enum scalar)ir_value(ir, v)->type);
    CHECKED(bytes && bytes <= 8 && ir_value(ir, v)->type != T_BOOL);
    return types[__builtin_ctz(bytes)];
}

/* ---- which values ---------------------------------------------------------------------------- */

static bool is_read(struct ir *ir, uint32_t v)
{
    const struct value *value = ir_value(ir, v);
    if (value->op == IR_extract)
        return ir_value(ir, value->args[0])->op == IR_load && is_read(ir, value->args[0]);
    return (value->op == IR_load && value->storage != STORAGE_CONSTANT) ||
           (value->op == IR_atomic && value->type != T_NONE);
}

/* The operands whose bits go into the bits of the result: args[*out_first] on, of a phi its list. */
static uint32_t exact_operands(const struct value *value, uint32_t *out_first)
{
    *out_first = value->op == IR_select;
    switch (value->op) {
    case IR_and:
    case IR_or:
    case IR_xor:
    case IR_select: return 2;
    case IR_not:
    case IR_shl:
    case IR_lshr:
    case IR_ashr:
    case IR_rotl:
    case IR_trunc:
    case IR_zext:
    case IR_sext: return 1;
    case IR_phi: return value->list_count;
    default: return 0;
    }
}

static uint32_t exact_operand(const struct value *value, uint32_t first, uint32_t k)
{
    return value->op == IR_phi ? value->list[k] : value->args[first + k];
}

static bool has_size(struct ir *ir, uint32_t v)
{
    return ir_value(ir, v)->type != T_BOOL && ir_value(ir, v)->type != T_NONE;
}

/* Some bits of what it becomes may be uninitialised, and others not: a byte may become a part of a word. */
static bool starts_in_part(struct ir *ir, uint32_t v)
{
    return has_size(ir, v) &&
           (ir_value(ir, v)->op == IR_undef || ir_value(ir, v)->op == IR_stale || is_read(ir, v));
}

static bool continues_in_part(struct ir *ir, uint32_t v, const uint8_t *partial)
{
    uint32_t first;
    const struct value *value = ir_value(ir, v);
    const uint32_t count = has_size(ir, v) ? exact_operands(value, &first) : 0;
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t operand = exact_operand(value, first, k);
        if (partial[operand] && has_size(ir, operand))
            return true;
    }
    return false;
}

static uint8_t *find_partial(struct poisoning *p)
{
    struct ir *ir = p->ir;
    uint8_t *partial = ARENA_ARRAY(ir->arena, uint8_t, p->values + 1);
    for (uint32_t v = 1; v < p->values; v++)
        partial[v] = starts_in_part(ir, v);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t o = 0; o < ir->order_count; o++) {
            const struct block *block = ir_block(ir, ir->order[o]);
            for (uint32_t i = 0; i < block->insts.count; i++) {
                const uint32_t v = block->insts.at[i];
                if (!partial[v] && continues_in_part(ir, v, partial))
                    partial[v] = changed = true;
            }
        }
    }
    return partial;
}

/* It may keep a part of its operand. */
static bool keeps_part(struct ir *ir, uint32_t v)
{
    switch (ir_value(ir, v)->op) {
    case IR_and:
    case IR_or:
    case IR_shl:
    case IR_lshr:
    case IR_ashr:
    case IR_trunc: return has_size(ir, v);
    default: return false;
    }
}

static void want(struct poisoning *p, uint32_t v, const uint8_t *may, uint32_t *work, uint32_t *count)
{
    const bool is_own = v && v < p->values; /* a value of the kernel itself */
    if (!is_own || p->wanted[v] || !may[v])
        return;
    if (ir_value(p->ir, v)->op == IR_undef || ir_value(p->ir, v)->op == IR_stale || !has_size(p->ir, v))
        return;
    p->wanted[v] = true;
    work[(*count)++] = v;
    CHECKED(*count <= p->values);
    if (ir_value(p->ir, v)->op == IR_extract)
        p->wanted[ir_value(p->ir, v)->args[0]] |= is_read(p->ir, v);
}

/* Values that are stored as they were read: copies of bytes, initialised or not. */
static void want_copied(struct poisoning *p, uint32_t v, const uint8_t *partial, const uint8_t *may,
                        uint32_t *work, uint32_t *count)
{
    const struct value *value = ir_value(p->ir, v);
    for (uint32_t k = 0; value->op == IR_store && k < value->list_count; k++)
        if (partial[value->list[k]] && is_read(p->ir, value->list[k]) &&
            scalar_bytes((enum scalar)ir_value(p->ir, value->list[k])->type) > 1)
            want(p, value->list[k], may, work, count);
}

void poison_bits_find(struct poisoning *p, const uint8_t *may)
{
    struct ir *ir = p->ir;
    const uint8_t *partial = find_partial(p);
    uint32_t *work = ARENA_ARRAY(ir->arena, uint32_t, p->values + 1), count = 0, first;
    for (uint32_t o = 0; o < ir->order_count; o++) {
        const struct block *block = ir_block(ir, ir->order[o]);
        for (uint32_t i = 0; i < block->insts.count; i++) {
            const uint32_t v = block->insts.at[i];
            if (partial[v] && keeps_part(ir, v))
                want(p, v, may, work, &count);
            want_copied(p, v, partial, may, work, &count);
        }
    }
    while (count) {
        const struct value *value = ir_value(ir, work[--count]);
        const uint32_t operands = exact_operands(value, &first);
        for (uint32_t k = 0; k < operands; k++)
            want(p, exact_operand(value, first, k), may, work, &count);
    }
}

/* ---- their bits ------------------------------------------------------------------------------- */

static uint64_t ones(enum scalar type)
{
    return module_bits_truncate(UINT64_MAX, type);
}

static uint32_t binary(struct poisoning *p, enum ir_op op, enum scalar type, uint32_t a, uint32_t b)
{
    return poison_add(p, op, type, (const uint32_t[3]){a, b});
}

/* The bits, where poison; those, or none, elsewhere. */
static uint32_t all_where(struct poisoning *p, enum scalar type, uint32_t poison, uint32_t bits)
{
    const uint32_t rest = bits ? bits : ir_const(p->ir, type, 0);
    if (poison == p->yes)
        return ir_const(p->ir, type, ones(type));
    return poison ? poison_add(p, IR_select, type,
                               (const uint32_t[3]){poison, ir_const(p->ir, type, ones(type)), rest})
                  : bits;
}

uint32_t poison_bits_of(struct poisoning *p, uint32_t v)
{
    if (!v || v >= p->values)
        return NONE;
    if (p->bits[v])
        return p->bits[v];
    return poison_companion(p, v) ? all_where(p, poison_bits_type(p->ir, v), poison_companion(p, v), NONE)
                                  : NONE;
}

static uint32_t merged(struct poisoning *p, enum ir_op op, enum scalar type, uint32_t a, uint32_t b)
{
    return a && b ? binary(p, op, type, a, b) : op == IR_or ? (a ? a : b) : NONE;
}

/* The bits that stay uninitialised beside an operand: where it is 1 in x & operand, 0 in x | operand. */
static uint32_t left_open(struct poisoning *p, enum ir_op op, enum scalar type, uint32_t bits,
                          uint32_t operand)
{
    uint64_t constant;
    if (!bits)
        return NONE;
    if (ir_is_const(p->ir, operand, &constant)) {
        const uint64_t open = module_bits_truncate(op == IR_and ? constant : ~constant, type);
        return !open                ? NONE
               : open == ones(type) ? bits
                                    : binary(p, IR_and, type, bits, ir_const(p->ir, type, open));
    }
    if (op == IR_or)
        operand = poison_add(p, IR_not, type, (const uint32_t[3]){operand});
    return binary(p, IR_and, type, bits, operand);
}

static uint32_t bits_of_mask(struct poisoning *p, const struct value *value, enum scalar type, uint32_t a,
                             uint32_t b)
{
    const enum ir_op op = (enum ir_op)value->op;
    const uint32_t both = merged(p, IR_and, type, a, b);
    const uint32_t open_a = left_open(p, op, type, a, value->args[1]),
                   open_b = left_open(p, op, type, b, value->args[0]);
    return merged(p, IR_or, type, both, merged(p, IR_or, type, open_a, open_b));
}

static uint32_t bits_of_select(struct poisoning *p, const struct value *value, enum scalar type, uint32_t a,
                               uint32_t b)
{
    const uint32_t none = ir_const(p->ir, type, 0), condition = poison_companion(p, value->args[0]);
    const uint32_t chosen =
        a || b
            ? poison_add(p, IR_select, type, (const uint32_t[3]){value->args[0], a ? a : none, b ? b : none})
            : NONE;
    return all_where(p, type, condition, chosen);
}

static uint32_t bits_of_shift(struct poisoning *p, const struct value *value, enum scalar type, uint32_t a)
{
    const uint32_t amount = poison_companion(p, value->args[1]);
    const uint32_t shifted = a ? binary(p, (enum ir_op)value->op, type, a, value->args[1]) : NONE;
    return all_where(p, type, amount, shifted);
}

static uint32_t bits_of_operation(struct poisoning *p, uint32_t v, uint32_t first, uint32_t count)
{
    const struct value *value = ir_value(p->ir, v);
    const enum scalar type = poison_bits_type(p->ir, v);
    const uint32_t a = poison_bits_of(p, value->args[first]),
                   b = count > 1 ? poison_bits_of(p, value->args[first + 1]) : NONE;
    switch (value->op) {
    case IR_and:
    case IR_or: return bits_of_mask(p, value, type, a, b);
    case IR_xor: return merged(p, IR_or, type, a, b);
    case IR_select: return bits_of_select(p, value, type, a, b);
    case IR_not: return a;
    case IR_trunc:
    case IR_zext:
    case IR_sext: return a ? poison_add(p, (enum ir_op)value->op, type, (const uint32_t[3]){a}) : NONE;
    default: return bits_of_shift(p, value, type, a);
    }
}

void poison_bits_to_bool(struct poisoning *p, uint32_t v)
{
    const enum scalar type = poison_bits_type(p->ir, v);
    const uint32_t bits = p->bits[v];
    uint64_t constant;
    if (bits && ir_is_const(p->ir, bits, &constant))
        p->of[v] = constant ? p->yes : NONE;
    else
        p->of[v] = bits ? binary(p, IR_ine, T_BOOL, bits, ir_const(p->ir, type, 0)) : NONE;
}

bool poison_bits_compute(struct poisoning *p, uint32_t v)
{
    uint32_t first;
    const uint32_t count =
        p->wanted[v] && ir_value(p->ir, v)->op != IR_phi ? exact_operands(ir_value(p->ir, v), &first) : 0;
    if (!count || !has_size(p->ir, ir_value(p->ir, v)->args[first])) /* a bool that becomes an integer */
        return false;
    p->bits[v] = bits_of_operation(p, v, first, count);
    poison_bits_to_bool(p, v);
    return true;
}

void poison_bits_from_bool(struct poisoning *p, uint32_t v)
{
    if (p->wanted[v] && !p->bits[v] && p->of[v])
        p->bits[v] = all_where(p, poison_bits_type(p->ir, v), p->of[v], NONE);
}

/* ---- stores ----------------------------------------------------------------------------------- */

/* A value that is only copied, as it was read, stays uninitialised in part, and is reported where something
 * uses it. */
uint32_t poison_bits_whole(struct poisoning *p, uint32_t v)
{
    if (!v || v >= p->values || !p->bits[v])
        return poison_companion(p, v);
    const enum scalar type = poison_bits_type(p->ir, v);
    return binary(p, IR_ieq, T_BOOL, p->bits[v], ir_const(p->ir, type, ones(type)));
}

uint32_t poison_bits_of_store(struct poisoning *p, uint32_t store, uint32_t *out_reported)
{
    struct ir *ir = p->ir;
    const uint32_t stored = ir_value(ir, store)->list[0], bits = poison_bits_of(p, stored);
    *out_reported = is_read(ir, stored) ? poison_bits_whole(p, stored) : poison_companion(p, stored);
    return bits;
}
