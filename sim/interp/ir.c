/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks, values and constants of a kernel; constants are folded as they are made. */
#include <stdio.h>
#include <string.h>

#include "orrery/checked.h"
#include "ir.h"

const uint8_t ir_families[IR_OP_COUNT] = {
#define IR(name, family) [IR_##name] = FAMILY_##family,
#include "ir.def"
#undef IR
};
const char *const ir_names[IR_OP_COUNT] = {
#define IR(name, family) [IR_##name] = #name,
#include "ir.def"
#undef IR
};

uint32_t ir_new_block(struct ir *ir)
{
    struct block *b = list_push(ir->arena, &ir->blocks);
    memset(b, 0, sizeof *b);
    return ir->blocks.count - 1;
}

uint32_t ir_new_value(struct ir *ir, enum ir_op op, enum scalar type)
{
    uint32_t id = ir->values.count++, chunk = id / VALUE_CHUNK;
    CHECKED(op < IR_OP_COUNT && chunk <= ir->values.room);
    if (chunk == ir->values.room)
        ir->values.chunks =
            arena_grow(ir->arena, ir->values.chunks, chunk, &ir->values.room, sizeof *ir->values.chunks);
    if (!ir->values.chunks[chunk])
        ir->values.chunks[chunk] = ARENA_ARRAY(ir->arena, struct value, VALUE_CHUNK);
    *ir_value(ir, id) = (struct value){.op = (uint8_t)op, .type = (uint8_t)type, .word = ir->word};
    return id;
}

void ir_append(struct ir *ir, uint32_t block, uint32_t value)
{
    CHECKED(block < ir->blocks.count && value < ir->values.count);
    *list_push(ir->arena, &ir->blocks.at[block].insts) = value;
    ir_value(ir, value)->block = block;
}

void ir_add_pred(struct ir *ir, uint32_t block, uint32_t pred)
{
    CHECKED(block < ir->blocks.count && pred < ir->blocks.count);
    struct block *b = ir_block(ir, block);
    if (b->pred_count == b->preds_room)
        b->preds = arena_grow(ir->arena, b->preds, b->pred_count, &b->preds_room, sizeof *b->preds);
    b->preds[b->pred_count++] = pred;
}

uint32_t ir_string(struct ir *ir, const char *text)
{
    for (uint32_t i = 0; i < ir->strings.count; i++)
        if (!strcmp(ir->strings.at[i], text))
            return i;
    *list_push(ir->arena, &ir->strings) = text;
    return ir->strings.count - 1;
}

uint32_t *ir_operand_slot(struct ir *ir, uint32_t v, uint32_t k)
{
    struct value *value = ir_value(ir, v);
    if (k < 3)
        return &value->args[k];
    return k - 3 < value->list_count ? &value->list[k - 3] : NULL;
}

uint32_t ir_const(struct ir *ir, enum scalar type, uint64_t bits)
{
    bits = module_bits_truncate(bits, type);
    CHECKED(type > T_NONE && type < sizeof ir->zero / sizeof *ir->zero);
    if (bits == 0 && ir->zero[type])
        return ir->zero[type];
    uint32_t v = ir_new_value(ir, IR_const, type);
    ir_value(ir, v)->imm = bits;
    if (bits == 0)
        ir->zero[type] = v;
    return v;
}

bool ir_is_const(struct ir *ir, uint32_t v, uint64_t *out_bits)
{
    if (ir_value(ir, v)->op != IR_const)
        return false;
    *out_bits = ir_value(ir, v)->imm;
    return true;
}

uint32_t ir_pure(struct ir *ir, uint32_t block, enum ir_op op, enum scalar type, uint32_t a, uint32_t b,
                 uint32_t c, uint64_t imm)
{
    uint32_t v = ir_new_value(ir, op, type);
    struct value *value = ir_value(ir, v);
    value->args[0] = a;
    value->args[1] = b;
    value->args[2] = c;
    value->imm = imm;
    uint32_t simpler = ir_fold(ir, v);
    if (simpler != v) {
        if (v == ir->values.count - 1)
            ir->values.count--;
        return simpler;
    }
    ir_append(ir, block, v);
    return v;
}

/* An instruction has 32 bits for a scale and for an offset. */
static bool fits_offset(int64_t offset)
{
    return offset == (int32_t)offset;
}

uint32_t ir_index(struct ir *ir, uint32_t block, uint32_t base, uint32_t index, uint64_t scale,
                  int64_t offset)
{
    if (index && scale > UINT32_MAX) {
        index = ir_pure(ir, block, IR_mul, T_I64, index, ir_const(ir, T_I64, scale), NONE, 0);
        scale = 1;
    }
    if (!fits_offset(offset)) {
        base = ir_pure(ir, block, IR_add, T_I64, base, ir_const(ir, T_I64, (uint64_t)offset), NONE, 0);
        offset = 0;
    }
    uint32_t v = ir_new_value(ir, IR_index, T_I64);
    struct value *value = ir_value(ir, v);
    value->args[0] = base;
    value->args[1] = index;
    value->imm = scale;
    value->offset = offset;
    CHECKED(fits_offset(offset) && (!index || scale <= UINT32_MAX));
    uint32_t simpler = ir_fold(ir, v);
    if (simpler != v)
        return simpler;
    ir_append(ir, block, v);
    return v;
}

/* ---- folding ------------------------------------------------------------------- */

static uint64_t rotate_left(uint64_t x, uint64_t n, uint32_t bits)
{
    n %= bits;
    return n ? x << n | x >> (bits - n) : x;
}

static bool fold_int2(enum ir_op op, enum scalar type, uint64_t x, uint64_t y, uint64_t *out)
{
    int64_t sx = module_bits_signed(x, type), sy = module_bits_signed(y, type);
    uint32_t bits = scalar_bits(type);
    CHECKED(bits > 0 && bits <= 64);
    switch (op) {
    case IR_add: *out = x + y; break;
    case IR_sub: *out = x - y; break;
    case IR_mul: *out = x * y; break;
    case IR_and: *out = x & y; break;
    case IR_or: *out = x | y; break;
    case IR_xor: *out = x ^ y; break;
    case IR_shl: *out = x << y % bits; break;
    case IR_lshr: *out = x >> y % bits; break;
    case IR_ashr: *out = (uint64_t)(sx >> y % bits); break;
    case IR_udiv: *out = y ? x / y : 0; break;
    case IR_urem: *out = y ? x % y : 0; break;
    case IR_sdiv: *out = sy == 0 ? 0 : sy == -1 ? 0 - x : (uint64_t)(sx / sy); break;
    case IR_srem: *out = sy == 0 || sy == -1 ? 0 : (uint64_t)(sx % sy); break;
    case IR_smin: *out = sx < sy ? x : y; break;
    case IR_smax: *out = sx > sy ? x : y; break;
    case IR_umin: *out = x < y ? x : y; break;
    case IR_umax: *out = x > y ? x : y; break;
    case IR_rotl: *out = rotate_left(x, y, bits); break;
    default: return false;
    }
    *out = module_bits_truncate(*out, type);
    return true;
}

static bool fold_compare(enum ir_op op, enum scalar type, uint64_t x, uint64_t y, bool *out)
{
    int64_t sx = module_bits_signed(x, type), sy = module_bits_signed(y, type);
    switch (op) {
    case IR_ieq: *out = x == y; return true;
    case IR_ine: *out = x != y; return true;
    case IR_ult: *out = x < y; return true;
    case IR_ule: *out = x <= y; return true;
    case IR_slt: *out = sx < sy; return true;
    case IR_sle: *out = sx <= sy; return true;
    default: return false;
    }
}

/* x op 0, x op 1, 0 op x: what a user's constants leave after after inlining. */
static uint32_t fold_identity(struct ir *ir, uint32_t v, const struct value *value)
{
    uint64_t x = 0, y = 0;
    uint32_t a = value->args[0], b = value->args[1];
    bool left = ir_is_const(ir, a, &x), right = ir_is_const(ir, b, &y);
    switch (value->op) {
    case IR_add:
    case IR_or:
    case IR_xor:
        if (left && x == 0)
            return b;
        return right && y == 0 ? a : v;
    case IR_sub:
    case IR_shl:
    case IR_lshr:
    case IR_ashr: return right && y == 0 ? a : v;
    case IR_mul:
        if ((left && x == 0) || (right && y == 1))
            return a;
        return (right && y == 0) || (left && x == 1) ? b : v;
    case IR_and: return right && y == 0 ? b : left && x == 0 ? a : v;
    case IR_udiv:
    case IR_sdiv: return right && y == 1 ? a : v;
    default: return v;
    }
}

static uint32_t fold_index(struct ir *ir, uint32_t v)
{
    struct value *value = ir_value(ir, v);
    uint64_t bits;
    struct value *base = ir_value(ir, value->args[0]);
    if (value->args[1] && ir_is_const(ir, value->args[1], &bits)) {
        int64_t offset = (int64_t)((uint64_t)value->offset + bits * value->imm);
        if (fits_offset(offset) || base->op == IR_const) {
            value->offset = offset;
            value->args[1] = NONE;
        }
    }
    if (!value->args[1])
        value->imm = 0;
    bool together = base->op == IR_index && fits_offset(base->offset + value->offset);
    if (together && !value->args[1]) {
        value->offset += base->offset;
        value->args[1] = base->args[1];
        value->imm = base->imm;
        value->args[0] = base->args[0];
    } else if (together && !base->args[1]) {
        value->offset += base->offset;
        value->args[0] = base->args[0];
    }
    if (!value->args[1] && value->offset == 0)
        return value->args[0];
    if (!value->args[1] && ir_is_const(ir, value->args[0], &bits))
        return ir_const(ir, T_I64, bits + (uint64_t)value->offset);
    return v;
}

static uint32_t fold_select(struct ir *ir, uint32_t v, const struct value *value)
{
    uint64_t c, a, b;
    if (value->args[1] == value->args[2])
        return value->args[1];
    if (ir_is_const(ir, value->args[0], &c))
        return c ? value->args[1] : value->args[2];
    const bool constant = ir_is_const(ir, value->args[1], &a) && ir_is_const(ir, value->args[2], &b);
    if (value->type == T_BOOL && constant && a && !b)
        return value->args[0];
    return v;
}

/* select(c, 1, 0) != 0 is c: how booleans come back from memory and from C's int. */
static uint32_t fold_truth(struct ir *ir, uint32_t v, const struct value *value)
{
    uint64_t zero, a, b;
    if (!ir_is_const(ir, value->args[1], &zero) || zero != 0)
        return v;
    struct value *inner = ir_value(ir, value->args[0]);
    while (inner->op == IR_zext || inner->op == IR_sext)
        inner = ir_value(ir, inner->args[0]);
    if (inner->op != IR_select || !ir_is_const(ir, inner->args[1], &a) ||
        !ir_is_const(ir, inner->args[2], &b))
        return v;
    return value->op == IR_ine && a != 0 && b == 0 ? inner->args[0] : v;
}

/* One side known: the other, its negation, or a constant. */
static uint32_t fold_bool(struct ir *ir, uint32_t v, struct value *value)
{
    uint64_t bit;
    uint32_t other = value->args[0];
    if (!ir_is_const(ir, value->args[1], &bit)) {
        other = value->args[1];
        if (!ir_is_const(ir, value->args[0], &bit))
            return v;
    }
    switch (value->op) {
    case IR_mand: return bit ? other : ir_const(ir, T_BOOL, 0);
    case IR_mor: return bit ? ir_const(ir, T_BOOL, 1) : other;
    default:
        if ((value->op == IR_mxor) != (bit != 0))
            return other;
        value->op = IR_mnot;
        value->args[0] = other;
        value->args[1] = NONE;
        return v;
    }
}

static uint32_t fold_convert(struct ir *ir, uint32_t v, const struct value *value)
{
    uint64_t x;
    struct value *from = ir_value(ir, value->args[0]);
    if (ir_is_const(ir, value->args[0], &x))
        return ir_const(ir, value->type,
                        value->op == IR_sext ? (uint64_t)module_bits_signed(x, from->type) : x);
    if (value->op == IR_trunc && (from->op == IR_zext || from->op == IR_sext) &&
        ir_value(ir, from->args[0])->type == value->type)
        return from->args[0];
    return v;
}

uint32_t ir_fold(struct ir *ir, uint32_t v)
{
    struct value *value = ir_value(ir, v);
    uint64_t x, y, out;
    bool truth;
    switch (ir_families[value->op]) {
    case FAMILY_INT2:
        if (ir_is_const(ir, value->args[0], &x) && ir_is_const(ir, value->args[1], &y) &&
            fold_int2(value->op, value->type, x, y, &out))
            return ir_const(ir, value->type, out);
        return fold_identity(ir, v, value);
    case FAMILY_ICMP:
        if (ir_is_const(ir, value->args[0], &x) && ir_is_const(ir, value->args[1], &y) &&
            fold_compare(value->op, ir_value(ir, value->args[0])->type, x, y, &truth))
            return ir_const(ir, T_BOOL, truth);
        return fold_truth(ir, v, value);
    case FAMILY_INT1:
        if (ir_is_const(ir, value->args[0], &x))
            return ir_const(ir, value->type, value->op == IR_neg ? 0 - x : ~x);
        return v;
    case FAMILY_BOOL2: return fold_bool(ir, v, value);
    case FAMILY_BOOL1:
        if (ir_is_const(ir, value->args[0], &x))
            return ir_const(ir, T_BOOL, !x);
        return ir_value(ir, value->args[0])->op == IR_mnot ? ir_value(ir, value->args[0])->args[0] : v;
    default: break;
    }
    switch (value->op) {
    case IR_index: return fold_index(ir, v);
    case IR_select: return fold_select(ir, v, value);
    case IR_trunc:
    case IR_zext:
    case IR_sext: return fold_convert(ir, v, value);
    default: return v;
    }
}

/* ---- rewriting, dumping ------------------------------------------------------------ */

uint32_t ir_resolve(const uint32_t *map, uint32_t v)
{
    while (map[v] && map[v] != v)
        v = map[v];
    return v;
}

void ir_rewrite(struct ir *ir, const uint32_t *map)
{
    for (uint32_t b = 0; b < ir->blocks.count; b++) {
        struct block *block = ir_block(ir, b);
        if (block->cond)
            block->cond = ir_resolve(map, block->cond);
        for (uint32_t i = 0; i < block->insts.count; i++)
            IR_OPERANDS(ir, block->insts.at[i], slot)
        *slot = ir_resolve(map, *slot);
    }
}

void ir_dump(struct ir *ir, FILE *stream)
{
    static const char *const types[] = {"-", "bool", "i8", "i16", "i32", "i64", "f16", "f32", "f64"};
    static const char classes[] = "UAV";
    uint32_t count = ir->order_count ? ir->order_count : ir->blocks.count;
    for (uint32_t o = 0; o < count; o++) {
        uint32_t b = ir->order_count ? ir->order[o] : o;
        struct block *block = ir_block(ir, b);
        fprintf(stream, "block %u%s loop %u preds", b, block->edge ? " edge" : "", block->loop);
        for (uint32_t i = 0; i < block->pred_count; i++)
            fprintf(stream, " %u", block->preds[i]);
        fprintf(stream, "\n");
        for (uint32_t i = 0; i < block->insts.count; i++) {
            struct value *v = ir_value(ir, block->insts.at[i]);
            fprintf(stream, "    %%%u %c = %s.%s", block->insts.at[i], classes[v->cls], ir_names[v->op],
                    types[v->type]);
            IR_OPERANDS(ir, block->insts.at[i], slot)
            {
                if (!*slot)
                    continue;
                struct value *o2 = ir_value(ir, *slot);
                if (o2->op == IR_const)
                    fprintf(stream, " #%lld", (long long)o2->imm);
                else if (ir_families[o2->op] == FAMILY_LEAF)
                    fprintf(stream, " %s:%llu", ir_names[o2->op], (unsigned long long)o2->imm);
                else
                    fprintf(stream, " %%%u", *slot);
            }
            fprintf(stream, " imm %llx off %lld%s line %u\n", (unsigned long long)v->imm,
                    (long long)v->offset, v->masked ? " masked" : "",
                    v->site ? ir->sites.at[v->site].line : 0);
        }
        fprintf(stream, "    term %d cond %%%u ->", block->term, block->cond);
        for (uint32_t i = 0; i < block->succ_count; i++)
            fprintf(stream, " %u", block->succs[i]);
        fprintf(stream, "\n");
    }
}
