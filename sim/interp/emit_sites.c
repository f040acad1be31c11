/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of the code's places, for the checker's explanations: their order, their loops, which
 * blocks every iteration executes, and which accesses a branch depends on. Work-items execute blocks in
 * the order of ir->order, so a site's rank is its place in that order. */
#include "emit.h"
#include "orrery/checked.h"

bool emit_is_exit(struct ir *ir, const struct loop *loop, uint32_t b)
{
    const struct block *block = ir_block(ir, b);
    for (uint32_t k = 0; k < block->succ_count; k++)
        if (!loop->members[block->succs[k]])
            return true;
    return false;
}

/*
 * The blocks that each iteration of a loop executes. Work-items may leave it in one place only: with several
 * exits, some of them may not have executed the last iteration's blocks.
 */
static void mark_iterations(struct ir *ir, uint32_t l, uint8_t *each_iteration)
{
    const struct loop *loop = &ir->loops.at[l];
    uint32_t exits = 0;
    for (uint32_t i = 0; i < loop->blocks.count; i++)
        exits += emit_is_exit(ir, loop, loop->blocks.at[i]);
    if (exits != 1 || ir->irreducible)
        return;
    for (uint32_t b = loop->latch, steps = 0; b && steps < ir->blocks.count;
         b = ir_block(ir, b)->idom, steps++) {
        CHECKED(ir_block(ir, b)->reachable);
        each_iteration[b] = ir_block(ir, b)->loop == l + 1;
        if (b == loop->header)
            break;
    }
}

struct ranking {
    struct ir *ir;
    uint8_t *always, *each_iteration;
    struct code_loop *loops;
    uint32_t rank, stage;
};

static void rank_site(struct ranking *ranking, uint32_t b, uint32_t index)
{
    struct ir *ir = ranking->ir;
    struct site *site = &ir->sites.at[index];
    CHECKED(index < ir->sites.count && ir_block(ir, b)->order < ir->order_count);
    site->rank = ++ranking->rank;
    site->stage = ranking->stage;
    site->always = ranking->always[b];
    site->block = ir_block(ir, b)->order;
    site->loop = ir_block(ir, b)->loop;
    site->each_iteration = ranking->each_iteration[b];
    for (uint32_t l = site->loop; l; l = ir->loops.at[l - 1].parent) {
        struct code_loop *loop = &ranking->loops[l - 1];
        if (loop->low > loop->high)
            loop->low = site->rank;
        loop->high = site->rank;
    }
}

/* The exit condition of a loop stands, in the source, before the loop or after it. */
static bool leaves_loop(struct ir *ir, uint32_t b)
{
    const uint32_t loop = ir_block(ir, b)->loop;
    return loop && emit_is_exit(ir, &ir->loops.at[loop - 1], b);
}

/* The dependences of a branch through values, not through memory. */
static void mark_controlling(struct ir *ir)
{
    uint8_t *seen = ARENA_ARRAY(ir->arena, uint8_t, ir->values.count);
    uint32_t *open = ARENA_ARRAY(ir->arena, uint32_t, ir->values.count), count = 0;
    for (uint32_t o = 0; o < ir->order_count; o++) {
        const struct block *block = ir_block(ir, ir->order[o]);
        if (block->succ_count > 1 && block->cond && !seen[block->cond]) {
            seen[block->cond] = 1;
            open[count++] = block->cond;
        }
    }
    while (count) {
        const uint32_t v = open[--count];
        const struct value *value = ir_value(ir, v);
        if (value->site)
            ir->sites.at[value->site].controls_branch = true;
        if (ir_families[value->op] == FAMILY_EFFECT && value->op != IR_collective)
            continue;
        IR_OPERANDS(ir, v, slot)
        {
            if (*slot && !seen[*slot]) {
                seen[*slot] = 1;
                open[count++] = *slot;
            }
        }
    }
}

static uint32_t way_of(struct ir *ir, uint32_t b)
{
    return b && ir_block(ir, b)->order < ir->order_count && ir->order[ir_block(ir, b)->order] == b
               ? ir_block(ir, b)->order
               : NO_WAY;
}

struct code_way *emit_ways(struct ir *ir)
{
    struct code_way *ways = ARENA_ARRAY(ir->arena, struct code_way, ir->order_count + 1);
    for (uint32_t o = 0; o < ir->order_count; o++) {
        const uint32_t b = ir->order[o];
        ways[o] = (struct code_way){.idom = b == ir->entry_block ? NO_WAY : way_of(ir, ir_block(ir, b)->idom),
                                    .ipdom = way_of(ir, ir_block(ir, b)->ipdom)};
    }
    return ways;
}

/* Blocks on every path from the beginning to the end, in no loop, are executed once. */
struct code_loop *emit_sites(struct ir *ir, struct code_way *ways)
{
    struct ranking ranking = {.ir = ir,
                              .always = ARENA_ARRAY(ir->arena, uint8_t, ir->blocks.count),
                              .each_iteration = ARENA_ARRAY(ir->arena, uint8_t, ir->blocks.count),
                              .loops = ARENA_ARRAY(ir->arena, struct code_loop, ir->loops.count + 1)};
    for (uint32_t b = ir->entry_block, steps = 0; b && steps < ir->blocks.count;
         b = ir_block(ir, b)->ipdom, steps++)
        ranking.always[b] = !ir_block(ir, b)->loop && !ir->irreducible;
    for (uint32_t l = 0; l < ir->loops.count; l++) {
        const struct loop *loop = &ir->loops.at[l];
        ranking.loops[l] = (struct code_loop){.low = 1,
                                              .head = way_of(ir, loop->header),
                                              .tail = way_of(ir, loop->latch),
                                              .divergent = loop->divergent};
        mark_iterations(ir, l, ranking.each_iteration);
    }
    for (uint32_t o = 0; o < ir->order_count; o++) {
        const struct block *block = ir_block(ir, ir->order[o]);
        ranking.stage += ranking.always[ir->order[o]];
        for (uint32_t i = 0; i < block->insts.count; i++)
            rank_site(&ranking, ir->order[o], ir_value(ir, block->insts.at[i])->site);
        if (block->succ_count > 1 && block->site && !leaves_loop(ir, ir->order[o]))
            rank_site(&ranking, ir->order[o], block->site);
    }
    if (!ir->irreducible) {
        mark_controlling(ir);
        updates_mark(ir);
        emit_levels(ir, ranking.loops, ways);
    }
    return ranking.loops;
}
