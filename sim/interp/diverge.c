/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Divergence analysis: which values are equal in all lanes (uniform), which are affine in the lane's
 * position, and which vary. Lanes that diverge at a varying branch meet again at joins: blocks that two
 * disjoint paths from the branch reach. Phis at joins vary, and so do values that leave a loop which lanes
 * leave in different iterations. Loops have one latch, so the lanes inside a loop are always in the same
 * iteration.
 */
#include <string.h>

#include "orrery/checked.h"
#include "ir.h"

struct spread {
    struct ir *ir;
    uint32_t *label;
    uint8_t *pending;
    uint8_t *done;
    bool changed;
    /* uniform values are uniform for the work-group: its waves may load at different times, so loads are
     * not */
    bool of_group;
};

static void raise_class(struct spread *s, struct value *v, enum value_class cls)
{
    CHECKED(cls <= CLASS_V);
    if (v->cls < cls) {
        v->cls = (uint8_t)cls;
        s->changed = true;
    }
}

static void diverge_phis(struct spread *s, uint32_t b)
{
    struct block *block = ir_block(s->ir, b);
    for (uint32_t i = 0; i < block->insts.count; i++) {
        struct value *phi = ir_value(s->ir, block->insts.at[i]);
        if (phi->op != IR_phi)
            break;
        phi->masked = true;
        raise_class(s, phi, CLASS_V);
    }
}

/* Follows disjoint paths from the starts, each under its own label; a block where two labels meet is a
 * join. */
static void spread_labels(struct spread *s, const uint32_t *starts, uint32_t count)
{
    struct ir *ir = s->ir;
    memset(s->label, 0, ir->blocks.count * sizeof *s->label);
    memset(s->pending, 0, ir->blocks.count);
    uint32_t open = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!s->label[starts[i]]) {
            s->label[starts[i]] = starts[i];
            s->pending[ir_block(ir, starts[i])->order] = 1;
            open++;
        }
    for (uint32_t o = 0; o < ir->order_count && open; o++) {
        if (!s->pending[o])
            continue;
        open--;
        uint32_t b = ir->order[o];
        struct block *block = ir_block(ir, b);
        for (uint32_t k = 0; k < block->succ_count; k++) {
            uint32_t y = block->succs[k];
            uint32_t at = ir_block(ir, y)->order;
            CHECKED(at < ir->order_count && s->label[b]);
            if (at <= o)
                continue;
            if (!s->label[y]) {
                s->label[y] = s->label[b];
                s->pending[at] = 1;
                open++;
            } else if (s->label[y] != s->label[b]) {
                s->label[y] = y;
                diverge_phis(s, y);
            }
        }
    }
}

static void diverge_loop(struct spread *s, struct loop *loop)
{
    struct ir *ir = s->ir;
    LIST(uint32_t) exits = {0};
    if (loop->divergent)
        return;
    loop->divergent = true;
    s->changed = true;
    for (uint32_t i = 0; i < loop->blocks.count; i++) {
        struct block *block = ir_block(ir, loop->blocks.at[i]);
        for (uint32_t k = 0; k < block->succ_count; k++) {
            uint32_t target = block->succs[k];
            if (loop->members[target])
                continue;
            if (ir_block(ir, target)->edge)
                target = ir_block(ir, target)->succs[0];
            diverge_phis(s, target);
            *list_push(ir->arena, &exits) = target;
        }
    }
    spread_labels(s, exits.at, exits.count);
}

static void diverge_branch(struct spread *s, uint32_t b)
{
    struct ir *ir = s->ir;
    struct block *block = ir_block(ir, b);
    if (s->done[b])
        return;
    s->done[b] = 1;
    s->changed = true;
    spread_labels(s, block->succs, block->succ_count);
    for (uint32_t l = block->loop; l; l = ir->loops.at[l - 1].parent) {
        struct loop *loop = &ir->loops.at[l - 1];
        if (!block->ipdom || !loop->members[block->ipdom])
            diverge_loop(s, loop);
    }
}

static bool affine_type(const struct value *v)
{
    return v->type == T_I32 || v->type == T_I64;
}

static enum value_class worst(struct ir *ir, uint32_t v)
{
    enum value_class cls = CLASS_U;
    IR_OPERANDS(ir, v, slot)
    if (*slot && ir_value(ir, *slot)->cls > cls)
        cls = ir_value(ir, *slot)->cls;
    return cls;
}

static enum value_class class_of(const struct spread *s, uint32_t id)
{
    struct ir *ir = s->ir;
    const struct value *v = ir_value(ir, id);
    enum value_class all = worst(ir, id);
    const struct value *a = ir_value(ir, v->args[0]), *b = ir_value(ir, v->args[1]);
    switch (v->op) {
    case IR_input: return v->imm >= INPUT_FIRST_AFFINE ? CLASS_A : CLASS_U;
    case IR_const:
    case IR_undef:
    case IR_arg:
    case IR_local_address:
    case IR_private_address: return CLASS_U;
    case IR_add:
    case IR_sub: return all == CLASS_A && !affine_type(v) ? CLASS_V : all;
    case IR_mul:
        return all == CLASS_A && (!affine_type(v) || (a->cls != CLASS_U && b->cls != CLASS_U)) ? CLASS_V
                                                                                               : all;
    case IR_shl: return all == CLASS_A && (!affine_type(v) || b->cls != CLASS_U) ? CLASS_V : all;
    case IR_sext:
    case IR_zext: return all == CLASS_A && (v->type != T_I64 || a->type != T_I32) ? CLASS_V : all;
    case IR_trunc: return all == CLASS_A && (v->type != T_I32 || a->type != T_I64) ? CLASS_V : all;
    case IR_index: return all;
    case IR_phi:
        return v->masked                           ? CLASS_V
               : all == CLASS_A && !affine_type(v) ? CLASS_V
               : ir->irreducible                   ? CLASS_V
                                                   : all;
    case IR_load:
    case IR_poison_load:
    case IR_poison_bits: {
        const bool one_load = a->cls == CLASS_U && !ir->irreducible && !s->of_group;
        const bool one_memory = v->storage != STORAGE_PRIVATE && v->storage != STORAGE_GENERIC;
        return one_load && one_memory ? CLASS_U : CLASS_V;
    }
    case IR_extract:
    case IR_math_second: return a->cls;
    case IR_atomic:
    case IR_poison_atomic:
    case IR_refused:
    case IR_async_copy:
    case IR_printf:
    case IR_collective:
    case IR_image_read:
    case IR_pipe:
    case IR_enqueue:
    case IR_clock:
    case IR_space: return CLASS_V;
    case IR_image_query: return CLASS_U;
    default: return all == CLASS_U ? CLASS_U : CLASS_V;
    }
}

static void find_classes(struct ir *ir, bool of_group)
{
    struct spread s = {ir,
                       ARENA_ARRAY(ir->arena, uint32_t, ir->blocks.count),
                       ARENA_ARRAY(ir->arena, uint8_t, ir->blocks.count + 1),
                       ARENA_ARRAY(ir->arena, uint8_t, ir->blocks.count),
                       true,
                       of_group};
    for (uint32_t v = 1; v < ir->values.count; v++)
        if (ir_families[ir_value(ir, v)->op] == FAMILY_LEAF)
            ir_value(ir, v)->cls = (uint8_t)class_of(&s, v);
    while (s.changed) {
        s.changed = false;
        for (uint32_t o = 0; o < ir->order_count; o++) {
            struct block *block = ir_block(ir, ir->order[o]);
            for (uint32_t i = 0; i < block->insts.count; i++)
                raise_class(&s, ir_value(ir, block->insts.at[i]), class_of(&s, block->insts.at[i]));
            if (block->succ_count > 1 && ir_value(ir, block->cond)->cls != CLASS_U)
                diverge_branch(&s, ir->order[o]);
        }
    }
}

static void forget_classes(struct ir *ir)
{
    for (uint32_t v = 1; v < ir->values.count; v++) {
        ir_value(ir, v)->cls = CLASS_U;
        ir_value(ir, v)->masked = false;
    }
    for (uint32_t i = 0; i < ir->loops.count; i++)
        ir->loops.at[i].divergent = false;
}

struct parting {
    struct ir *ir;
    uint8_t *parted;
    uint32_t *seen; /* for each block: the branch that marked it */
    LIST(uint32_t) open;
};

/* Marks all blocks between a branch and its join; in a loop that some lanes leave earlier, every block. */
static void part(struct parting *p, uint32_t branch)
{
    const uint32_t meet = ir_block(p->ir, branch)->ipdom;
    *list_push(p->ir->arena, &p->open) = branch;
    while (p->open.count) {
        const struct block *block = ir_block(p->ir, p->open.at[--p->open.count]);
        for (uint32_t k = 0; k < block->succ_count; k++) {
            const uint32_t next = block->succs[k];
            if (next == meet || p->seen[next] == branch)
                continue;
            p->seen[next] = branch;
            p->parted[next] = 1;
            *list_push(p->ir->arena, &p->open) = next;
        }
    }
}

const uint8_t *diverge_find_parted(struct ir *ir)
{
    struct parting p = {.ir = ir,
                        .parted = ARENA_ARRAY(ir->arena, uint8_t, ir->blocks.count),
                        .seen = ARENA_ARRAY(ir->arena, uint32_t, ir->blocks.count)};
    find_classes(ir, true);
    for (uint32_t o = 0; o < ir->order_count; o++) {
        const struct block *block = ir_block(ir, ir->order[o]);
        if (block->succ_count > 1 && ir_value(ir, block->cond)->cls != CLASS_U)
            part(&p, ir->order[o]);
    }
    forget_classes(ir);
    return p.parted;
}

void diverge_classify(struct ir *ir)
{
    find_classes(ir, false);
    for (uint32_t v = 1; v < ir->values.count; v++)
        CHECKED(!ir_value(ir, v)->masked || ir_value(ir, v)->cls == CLASS_V);
    if (!ir->irreducible)
        return;
    for (uint32_t v = 1; v < ir->values.count; v++) /* lanes of one block may be in different iterations */
        ir_value(ir, v)->masked |= ir_value(ir, v)->op == IR_phi;
}
