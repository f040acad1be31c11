/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Idle values: values that change in a loop and affect nothing there. No branch of the outermost loop, no
 * load, store or barrier derives from them; an example is an iteration counter that is only used after the
 * loop. Values that are computed again before they are read, wherever a wave may stop, are idle, too.
 * Lemma: if the state of a wave in the loop is the same as before but for idle values, and memory has not
 * changed, every exit condition is the same, so the wave never leaves the loop. wave_fingerprint()
 * therefore leaves idle values out.
 */
#include <stdlib.h>
#include <string.h>

#include "emit.h"

struct seeker {
    struct emitter *e;
    uint32_t loop;  /* number + 1 */
    uint32_t *seen; /* for each value: the loop for which it was visited */
    LIST(uint32_t) open;
    LIST(uint32_t) stops; /* positions in the loop, ascending */
    LIST(uint32_t) taken; /* positions of definitions of values that affect the loop and live across a stop */
    LIST(struct frame_range) ranges;
};

/* The number of blocks on in-edges of the loop head that lie inside the loop. */
static bool is_inside(const struct ir *ir, const struct loop *loop, uint32_t b)
{
    const struct block *block = &ir->blocks.at[b];
    return loop->members[b] ||
           (block->edge && loop->members[block->preds[0]] && loop->members[block->succs[0]]);
}

static void concern(struct seeker *s, uint32_t v)
{
    if (!v || s->seen[v] == s->loop)
        return;
    s->seen[v] = s->loop;
    *list_push(s->e->arena, &s->open) = v;
}

static void concern_operands(struct seeker *s, uint32_t v)
{
    const struct value *value = val(s->e, v);
    if (value->op == IR_phi) {
        for (uint32_t k = 0; k < value->list_count; k++)
            concern(s, value->list[k]);
        return;
    }
    const uint32_t *iteration = value->op == IR_barrier || value->op == IR_collective ? value->args : NULL;
    IR_OPERANDS(s->e->ir, v, slot)
    if (slot != iteration)
        concern(s, *slot);
}

static bool has_slot(struct seeker *s, uint32_t v)
{
    return ir_families[val(s->e, v)->op] != FAMILY_LEAF && emit_slot_class(val(s->e, v));
}

/* Defined before one of the stops and read at it or after. */
static bool outlives(const struct seeker *s, uint32_t v)
{
    const struct slot_group *group = &s->e->groups[v];
    for (uint32_t low = 0, high = s->stops.count; low < high;) {
        const uint32_t middle = low + (high - low) / 2, at = 2 * s->stops.at[middle];
        if (group->start < at && group->end >= at)
            return true;
        if (group->start < at)
            high = middle;
        else
            low = middle + 1;
    }
    return false;
}

/* Marks the values of the loop from which the visited ones derive. Values computed before the loop do not
 * change. */
static void follow(struct seeker *s, const struct loop *loop)
{
    while (s->open.count) {
        const uint32_t v = s->open.at[--s->open.count];
        const bool inside = is_inside(s->e->ir, loop, val(s->e, v)->block);
        if (inside)
            concern_operands(s, v);
        if (has_slot(s, v) && (!inside || outlives(s, v)))
            *list_push(s->e->arena, &s->taken) = emit_loc(s->e, v);
    }
}

/* A preemption point may come at any place before its operation. */
static bool may_stop(const struct ir *ir, const struct value *value)
{
    switch (value->op) {
    case IR_barrier:
    case IR_collective:
    case IR_pipe:
    case IR_enqueue:
    case IR_async_copy: return true;
    default: return ir->preempt && (ir_families[value->op] == FAMILY_EFFECT || ir_loads_poison(value));
    }
}

static void find_concerns(struct seeker *s, const struct loop *loop)
{
    struct ir *ir = s->e->ir;
    for (uint32_t o = 0; o < ir->order_count; o++) {
        const uint32_t b = ir->order[o];
        const struct block *block = ir_block(ir, b);
        if (!is_inside(ir, loop, b))
            continue;
        for (uint32_t i = 0; i < block->insts.count; i++) {
            const struct value *value = val(s->e, block->insts.at[i]);
            if (ir_families[value->op] == FAMILY_EFFECT)
                concern_operands(s, block->insts.at[i]);
            if (may_stop(ir, value))
                *list_push(s->e->arena, &s->stops) = s->e->def_position[block->insts.at[i]];
        }
        concern(s, block->cond);
        for (uint32_t k = 0; k < block->succ_count; k++)
            if (ir_block(ir, block->succs[k])->order <= o) {
                *list_push(s->e->arena, &s->stops) = s->e->block_last[b];
                break;
            }
    }
    follow(s, loop);
}

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static int by_offset(const void *a, const void *b)
{
    return by_number(&((const struct frame_range *)a)->offset, &((const struct frame_range *)b)->offset);
}

static void add_range(struct seeker *s, uint32_t slot_class, uint32_t offset)
{
    struct emitter *e = s->e;
    *list_push(e->arena, &s->ranges) = (struct frame_range){offset, emit_slot_bytes(e, slot_class)};
    if (slot_class == SLOT_A)
        *list_push(e->arena, &s->ranges) =
            (struct frame_range){((const struct affine *)(const void *)(e->template.at + offset))->slot,
                                 emit_slot_bytes(e, SLOT_V8)};
}

static bool is_taken(const struct seeker *s, uint32_t offset)
{
    return s->taken.count && bsearch(&offset, s->taken.at, s->taken.count, sizeof offset, by_number);
}

/* Adds the frame ranges of idle values, except where a slot also holds a value that is not idle. */
static void add_ranges(struct seeker *s, const struct loop *loop)
{
    struct ir *ir = s->e->ir;
    if (s->taken.count)
        qsort(s->taken.at, s->taken.count, sizeof *s->taken.at, by_number);
    for (uint32_t o = 0; o < ir->order_count; o++) {
        const struct block *block = ir_block(ir, ir->order[o]);
        for (uint32_t i = 0; is_inside(ir, loop, ir->order[o]) && i < block->insts.count; i++) {
            const uint32_t v = block->insts.at[i];
            if (has_slot(s, v) && !is_taken(s, emit_loc(s->e, v)))
                add_range(s, emit_slot_class(val(s->e, v)), emit_loc(s->e, v));
        }
    }
    if (!s->ranges.count)
        return;
    for (uint32_t c = SLOT_U; c < SLOT_CLASSES; c++)
        add_range(s, c, s->e->scratch[c]);
    *list_push(s->e->arena, &s->ranges) =
        (struct frame_range){s->e->lanes_scratch, emit_slot_bytes(s->e, SLOT_V8)};
    qsort(s->ranges.at, s->ranges.count, sizeof *s->ranges.at, by_offset);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->ranges.count; i++)
        if (!kept || s->ranges.at[i].offset != s->ranges.at[kept - 1].offset)
            s->ranges.at[kept++] = s->ranges.at[i];
    s->ranges.count = kept;
}

static struct idle_loop idle_loop(struct seeker *s, const struct loop *loop, const uint32_t *block_start)
{
    const struct ir *ir = s->e->ir;
    struct idle_loop found = {.first = UINT32_MAX};
    for (uint32_t o = 0; o < ir->order_count; o++)
        if (is_inside(ir, loop, ir->order[o])) {
            found.first = block_start[o] < found.first ? block_start[o] : found.first;
            found.end = o + 1 < ir->order_count ? block_start[o + 1] : s->e->insns.count;
        }
    found.ranges = arena_copy(&ir->module->arena, s->ranges.at, s->ranges.count * sizeof *s->ranges.at);
    found.range_count = s->ranges.count;
    return found;
}

void emit_idle(struct emitter *e, const uint32_t *block_start, struct code *code)
{
    struct ir *ir = e->ir;
    struct seeker seeker = {.e = e, .seen = ARENA_ARRAY(e->arena, uint32_t, ir->values.count)}, *s = &seeker;
    LIST(struct idle_loop) found = {0};
    for (uint32_t l = 0; l < ir->loops.count && !ir->irreducible; l++) {
        const struct loop *loop = &ir->loops.at[l];
        if (loop->parent)
            continue;
        s->loop = l + 1;
        s->open.count = s->stops.count = s->taken.count = s->ranges.count = 0;
        find_concerns(s, loop);
        add_ranges(s, loop);
        if (s->ranges.count)
            *list_push(e->arena, &found) = idle_loop(s, loop, block_start);
    }
    code->idle_loops = arena_copy(&ir->module->arena, found.at, found.count * sizeof *found.at);
    code->idle_loop_count = found.count;
}
