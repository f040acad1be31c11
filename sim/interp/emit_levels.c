/* SPDX-License-Identifier: Apache-2.0 */
/* Code that a work-group executes together: a block is level if all work-items of a group execute it or
 * none does, a loop if all of them iterate it equally often. A value is level if it is one for the whole
 * group. A loop's own phis count as level while its condition is tested: if the condition then is, so are
 * they, by induction over the iterations. */
#include <string.h>

#include "emit.h"
#include "orrery/checked.h"

/* blocks: executed by all of a work-group or by none, once. */
struct levelling {
    struct ir *ir;
    uint8_t *always, *blocks, *state;
    struct code_loop *loops;
    uint32_t *visited, visited_count;
};
enum { LEVEL_UNKNOWN, LEVEL_ASSUMED, LEVEL_NOT };

/* One value for all of a work-group: made of arguments, sizes, ids of the work-group and the counts of
 * loops that are level. */
static bool is_level(struct levelling *levelling, uint32_t v)
{
    struct ir *ir = levelling->ir;
    const struct value *value = ir_value(ir, v);
    if (levelling->state[v] != LEVEL_UNKNOWN)
        return levelling->state[v] == LEVEL_ASSUMED;
    bool level = value->cls == CLASS_U;
    switch ((enum ir_op)value->op) {
    case IR_const:
    case IR_arg: break;
    case IR_input: level &= value->imm < INPUT_FIRST_AFFINE; break;
    case IR_phi: {
        const uint32_t loop = ir_block(ir, value->block)->loop;
        level &= loop && ir->loops.at[loop - 1].header == value->block && levelling->loops[loop - 1].level;
        break;
    }
    case IR_select:
    case IR_trunc:
    case IR_zext:
    case IR_sext:
    case IR_cvt: break;
    default:
        level &= ir_families[value->op] != FAMILY_EFFECT && ir_families[value->op] != FAMILY_LEAF &&
                 ir_families[value->op] != FAMILY_PURE;
    }
    levelling->state[v] = level ? LEVEL_ASSUMED : LEVEL_NOT;
    levelling->visited[levelling->visited_count++] = v;
    for (uint32_t k = 0; level && k < 3; k++)
        level = !value->args[k] || is_level(levelling, value->args[k]);
    for (uint32_t k = 0; level && value->op == IR_phi && k < value->list_count; k++)
        level = is_level(levelling, value->list[k]);
    levelling->state[v] = level ? LEVEL_ASSUMED : LEVEL_NOT;
    return level;
}

static void forget_from(struct levelling *levelling, uint32_t first)
{
    while (levelling->visited_count > first)
        levelling->state[levelling->visited[--levelling->visited_count]] = LEVEL_UNKNOWN;
}

/* A result that took a block for level may be wrong once that block is not. */
static bool find_level(struct levelling *levelling, uint32_t v)
{
    const uint32_t first = levelling->visited_count;
    const bool level = is_level(levelling, v);
    if (!level)
        forget_from(levelling, first);
    return level;
}

static bool is_reached_alike(const struct levelling *levelling, const struct loop *loop)
{
    struct ir *ir = levelling->ir;
    const uint32_t before = ir_block(ir, loop->header)->idom;
    if (!loop->parent)
        return levelling->always[loop->header] ||
               (levelling->blocks[before] && ir_block(ir, before)->succ_count == 1);
    const struct loop *parent = &ir->loops.at[loop->parent - 1];
    CHECKED(parent->depth + 1 == loop->depth);
    uint32_t b = parent->latch;
    for (uint32_t steps = 0; b && b != parent->header && b != loop->header && steps < ir->blocks.count;
         steps++)
        b = ir_block(ir, b)->idom;
    return b == loop->header && levelling->loops[loop->parent - 1].level;
}

/* Left in one place, by a condition that is level: its loop's own variables count as level meanwhile. */
static void find_level_loop(struct levelling *levelling, uint32_t l)
{
    struct ir *ir = levelling->ir;
    const struct loop *loop = &ir->loops.at[l];
    uint32_t exits = 0, cond = 0;
    for (uint32_t i = 0; i < loop->blocks.count; i++) {
        if (emit_is_exit(ir, loop, loop->blocks.at[i])) {
            exits++;
            cond = ir_block(ir, loop->blocks.at[i])->cond;
        }
    }
    levelling->loops[l].level = exits == 1 && cond && !loop->divergent && is_reached_alike(levelling, loop);
    forget_from(levelling, 0);
    levelling->loops[l].level = levelling->loops[l].level && is_level(levelling, cond);
}

/* All of a work-group go one way, wherever ways to it part. */
static bool is_led_to(struct levelling *levelling, uint32_t b)
{
    struct ir *ir = levelling->ir;
    const struct block *block = ir_block(ir, b);
    bool level = block->pred_count;
    for (uint32_t k = 0; level && k < block->pred_count; k++) {
        const struct block *pred = ir_block(ir, block->preds[k]);
        level = levelling->blocks[block->preds[k]] &&
                (pred->succ_count == 1 || (pred->cond && find_level(levelling, pred->cond)));
    }
    return level;
}

/* A property that a block has for all of a work-group holds for the blocks on each path from it. */
static void find_level_blocks(struct levelling *levelling)
{
    struct ir *ir = levelling->ir;
    forget_from(levelling, 0);
    memset(levelling->blocks, 0, ir->blocks.count);
    for (uint32_t o = 0; o < ir->order_count; o++) {
        const uint32_t first = ir->order[o];
        if (ir_block(ir, first)->loop || levelling->blocks[first] ||
            !(first == ir->entry_block || is_led_to(levelling, first)))
            continue;
        for (uint32_t b = first; b && cfg_dominates(ir, first, b) && !levelling->blocks[b];
             b = ir_block(ir, b)->ipdom)
            levelling->blocks[b] = !ir_block(ir, b)->loop;
    }
}

static void find_level_loops(struct levelling *levelling)
{
    struct ir *ir = levelling->ir;
    uint32_t depth = 1, deepest = 0;
    for (uint32_t b = ir->entry_block, steps = 0; b && steps < ir->blocks.count;
         b = ir_block(ir, b)->ipdom, steps++)
        levelling->always[b] = 1;
    for (uint32_t l = 0; l < ir->loops.count; l++) {
        levelling->loops[l].parent = ir->loops.at[l].parent;
        deepest = ir->loops.at[l].depth > deepest ? ir->loops.at[l].depth : deepest;
    }
    for (; depth <= deepest; depth++) { /* outer ones first */
        for (uint32_t l = 0; l < ir->loops.count; l++)
            if (ir->loops.at[l].depth == depth)
                find_level_loop(levelling, l);
    }
}

void emit_levels(struct ir *ir, struct code_loop *loops, struct code_way *ways)
{
    struct levelling levelling = {ir,
                                  ARENA_ARRAY(ir->arena, uint8_t, ir->blocks.count),
                                  ARENA_ARRAY(ir->arena, uint8_t, ir->blocks.count),
                                  ARENA_ARRAY(ir->arena, uint8_t, ir->values.count),
                                  loops,
                                  ARENA_ARRAY(ir->arena, uint32_t, ir->values.count),
                                  0};
    find_level_blocks(&levelling);
    find_level_loops(&levelling);
    find_level_blocks(&levelling); /* with what those loops count */
    for (uint32_t o = 0; o < ir->order_count; o++)
        ways[o].level = levelling.blocks[ir->order[o]];
}
