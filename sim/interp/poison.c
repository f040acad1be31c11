/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Uninitialised values, made explicit: every value that may derive from memory nobody wrote gets
 * a companion bool that says so, built from the bools of its operands. Reports come where such a
 * value is used: in an address, a branch, or a store to memory that others see. Companions are
 * ordinary values, so uniform ones cost one operation per wave and unread ones vanish.
 */
#include <string.h>

#include "image_op.h"
#include "ir.h"

struct poisoning {
    struct ir *ir;
    uint32_t *of;       /* value -> its companion, NONE = always initialised */
    uint32_t yes;       /* constant true */
    LIST(uint32_t) out; /* the block being rewritten */
};

static uint32_t companion(struct poisoning *p, uint32_t v)
{
    if (!v)
        return NONE;
    return ir_value(p->ir, v)->op == IR_undef ? p->yes : p->of[v];
}

static uint32_t add(struct poisoning *p, enum ir_op op, uint32_t block, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t v = ir_new_value(p->ir, op, T_BOOL);
    struct value *value = ir_value(p->ir, v);
    value->args[0] = a;
    value->args[1] = b;
    value->args[2] = c;
    value->block = block;
    *list_push(p->ir->arena, &p->out) = v;
    return v;
}

static uint32_t either(struct poisoning *p, uint32_t block, uint32_t a, uint32_t b)
{
    if (!a || a == b)
        return b;
    if (!b)
        return a;
    if (a == p->yes || b == p->yes)
        return p->yes;
    return add(p, IR_mor, block, a, b, NONE);
}

static void check(struct poisoning *p, uint32_t block, uint32_t poison, enum fault_kind kind, uint32_t site)
{
    if (!poison)
        return;
    uint32_t v = ir_new_value(p->ir, IR_poison_check, T_NONE);
    struct value *value = ir_value(p->ir, v);
    value->args[0] = poison;
    value->imm = kind;
    value->site = site;
    value->block = block;
    *list_push(p->ir->arena, &p->out) = v;
}

static uint32_t memory_companion(struct poisoning *p, enum ir_op op, uint32_t access, uint32_t poison)
{
    struct ir *ir = p->ir;
    uint32_t v = ir_new_value(ir, op, op == IR_poison_load ? T_BOOL : T_NONE);
    struct value *value = ir_value(ir, v);
    const struct value *of = ir_value(ir, access);
    *value = (struct value){.op = value->op,
                            .type = value->type,
                            .block = of->block,
                            .args = {of->args[0], poison, NONE},
                            .offset = of->offset,
                            .size_log2 = of->size_log2,
                            .storage = of->storage,
                            .site = of->site,
                            .object = of->object,
                            .components = (uint8_t)(of->op == IR_load ? of->components : of->list_count)};
    *list_push(ir->arena, &p->out) = v;
    return v;
}

static uint32_t select_companion(struct poisoning *p, uint32_t v)
{
    const struct value *value = ir_value(p->ir, v);
    uint32_t c = value->args[0], block = value->block;
    uint32_t pc = companion(p, c), pa = companion(p, value->args[1]), pb = companion(p, value->args[2]);
    if (pa == pb)
        return either(p, block, pc, pa);
    uint32_t no = ir_const(p->ir, T_BOOL, 0);
    uint32_t chosen = add(p, IR_select, block, c, pa ? pa : no, pb ? pb : no);
    return either(p, block, pc, chosen);
}

/* Compilers store three components as four: the one that nobody gave a value does not spoil the others. */
static uint32_t stored_companion(struct poisoning *p, uint32_t v)
{
    const uint32_t count = ir_value(p->ir, v)->op == IR_image_write ? IMAGE_TEXEL_COMPONENTS
                                                                    : ir_value(p->ir, v)->list_count;
    const uint32_t block = ir_value(p->ir, v)->block;
    uint32_t all = NONE, undefined = 0;
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t component = ir_value(p->ir, v)->list[k];
        if (ir_value(p->ir, component)->op == IR_undef)
            undefined++;
        else
            all = either(p, block, all, companion(p, component));
    }
    return undefined == count ? p->yes : all;
}

/* Of the operands of an image instruction from number first on. */
static uint32_t listed_companion(struct poisoning *p, uint32_t v, uint32_t first)
{
    uint32_t all = NONE;
    for (uint32_t k = first; k < ir_value(p->ir, v)->list_count; k++)
        all = either(p, ir_value(p->ir, v)->block, all, companion(p, ir_value(p->ir, v)->list[k]));
    return all;
}

/* a && b: an operand that is false and certain decides. The or is the same of the opposites. */
static uint32_t logic_companion(struct poisoning *p, uint32_t v)
{
    const uint32_t a = ir_value(p->ir, v)->args[0], b = ir_value(p->ir, v)->args[1],
                   block = ir_value(p->ir, v)->block;
    const bool is_or = ir_value(p->ir, v)->op == IR_mor;
    const uint32_t pa = companion(p, a), pb = companion(p, b);
    uint32_t open_a = a, open_b = b; /* true: this operand leaves the result to the other */
    if (!pa && !pb)
        return NONE;
    if (is_or) {
        open_a = add(p, IR_mnot, block, a, NONE, NONE);
        open_b = add(p, IR_mnot, block, b, NONE, NONE);
    }
    if (pa)
        open_a = add(p, IR_mor, block, open_a, pa, NONE);
    if (pb)
        open_b = add(p, IR_mor, block, open_b, pb, NONE);
    return add(p, IR_mand, block, either(p, block, pa, pb), add(p, IR_mand, block, open_a, open_b, NONE),
               NONE);
}

static void instrument(struct poisoning *p, uint32_t v)
{
    struct ir *ir = p->ir;
    struct value *value = ir_value(ir, v);
    uint32_t block = value->block, site = value->site, all = NONE;
    switch (value->op) {
    case IR_load:
        check(p, block, companion(p, value->args[0]), FAULT_UNINITIALISED_ADDRESS, site);
        *list_push(ir->arena, &p->out) = v;
        if (ir_value(ir, v)->storage != STORAGE_CONSTANT)
            p->of[v] = memory_companion(p, IR_poison_load, v, NONE);
        return;
    case IR_store:
        check(p, block, companion(p, value->args[0]), FAULT_UNINITIALISED_ADDRESS, site);
        all = stored_companion(p, v);
        memory_companion(p, IR_poison_store, v, all ? all : ir_const(ir, T_BOOL, 0));
        *list_push(ir->arena, &p->out) = v;
        return;
    case IR_image_read:
        check(p, block, listed_companion(p, v, 0), FAULT_UNINITIALISED_ADDRESS, site);
        *list_push(ir->arena, &p->out) = v;
        p->of[v] = add(p, IR_extract, block, v, NONE, NONE);
        ir_value(ir, p->of[v])->imm = IMAGE_RESULTS - 1;
        return;
    case IR_image_write:
        check(p, block, listed_companion(p, v, IMAGE_TEXEL_COMPONENTS), FAULT_UNINITIALISED_ADDRESS, site);
        all = stored_companion(p, v);
        ir_value(ir, v)->args[2] = all ? all : ir_const(ir, T_BOOL, 0);
        break;
    case IR_atomic:
        check(p, block, companion(p, value->args[0]), FAULT_UNINITIALISED_ADDRESS, site);
        check(p, block, companion(p, ir_value(ir, v)->args[1]), FAULT_UNINITIALISED_STORE, site);
        break;
    case IR_phi: break; /* made beforehand */
    case IR_select: p->of[v] = select_companion(p, v); break;
    case IR_mand:
    case IR_mor: p->of[v] = logic_companion(p, v); break;
    default:
        if (ir_families[value->op] == FAMILY_EFFECT || ir_families[value->op] == FAMILY_LEAF)
            break;
        IR_OPERANDS(ir, v, slot)
        all = either(p, block, all, companion(p, *slot));
        p->of[v] = all;
        break;
    }
    *list_push(ir->arena, &p->out) = v;
}

/* Which phis can ever be poisoned: start from none and grow. */
static void seed_phis(struct poisoning *p, uint8_t *may)
{
    struct ir *ir = p->ir;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t o = 0; o < ir->order_count; o++) {
            struct block *block = ir_block(ir, ir->order[o]);
            for (uint32_t i = 0; i < block->insts.count; i++) {
                uint32_t v = block->insts.at[i];
                const struct value *value = ir_value(ir, v);
                bool now = (value->op == IR_load && value->storage != STORAGE_CONSTANT) ||
                           value->op == IR_image_read;
                if (ir_families[value->op] != FAMILY_EFFECT)
                    IR_OPERANDS(ir, v, slot)
                now |= *slot && (may[*slot] || ir_value(ir, *slot)->op == IR_undef);
                if (now && !may[v])
                    may[v] = changed = true;
            }
        }
    }
}

void track_poison(struct ir *ir)
{
    uint32_t values = ir->values.count;
    struct poisoning p = {.ir = ir, .of = ARENA_ARRAY(ir->arena, uint32_t, values * 8 + 1024)};
    uint8_t *may = ARENA_ARRAY(ir->arena, uint8_t, values + 1);
    LIST(uint32_t) phis = {0};
    p.yes = ir_const(ir, T_BOOL, 1);
    seed_phis(&p, may);
    for (uint32_t v = 1; v < values; v++)
        if (may[v] && ir_value(ir, v)->op == IR_phi) {
            p.of[v] = ir_new_value(ir, IR_phi, T_BOOL);
            ir_value(ir, p.of[v])->block = ir_value(ir, v)->block;
            *list_push(ir->arena, &phis) = v;
        }
    for (uint32_t o = 0; o < ir->order_count; o++) {
        uint32_t b = ir->order[o], count = ir_block(ir, b)->insts.count;
        const uint32_t *insts = ir_block(ir, b)->insts.at;
        memset(&p.out, 0, sizeof p.out);
        for (uint32_t i = 0; i < count; i++)
            if (ir_value(ir, insts[i])->op == IR_phi && p.of[insts[i]])
                *list_push(ir->arena, &p.out) = p.of[insts[i]];
        for (uint32_t i = 0; i < count; i++)
            instrument(&p, insts[i]);
        if (ir_block(ir, b)->cond)
            check(&p, b, companion(&p, ir_block(ir, b)->cond), FAULT_UNINITIALISED_BRANCH,
                  ir_block(ir, b)->site);
        ir_block(ir, b)->insts.at = p.out.at;
        ir_block(ir, b)->insts.count = p.out.count;
        ir_block(ir, b)->insts.room = p.out.room;
    }
    for (uint32_t i = 0; i < phis.count; i++) {
        const struct value *of = ir_value(ir, phis.at[i]);
        uint32_t n = of->list_count, *list = ARENA_ARRAY(ir->arena, uint32_t, 2 * n);
        for (uint32_t k = 0; k < n; k++) {
            uint32_t poison = companion(&p, of->list[k]);
            list[k] = poison ? poison : ir_const(ir, T_BOOL, 0);
            of = ir_value(ir, phis.at[i]);
            list[n + k] = of->list[n + k];
        }
        ir_value(ir, p.of[phis.at[i]])->list = list;
        ir_value(ir, p.of[phis.at[i]])->list_count = n;
    }
    remove_dead(ir);
}
