/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The iteration of its loops in which a barrier is waited at: work-items that wait at one barrier in
 * different iterations do not wait together.
 *
 * The lanes of a wave are in one iteration at any time (diverge.c), so it is a uniform number: it starts at 0
 * and grows with each iteration; in a loop within another one it starts at a large multiple of the outer
 * one's instead. A barrier that all work-items of a work-group execute alike needs none.
 */
#include "ir.h"

/* Odd, and no small multiple of it is close to 0. */
#define ITERATION_OF_OUTER UINT64_C(0x9e3779b97f4a7c15)

struct iterations {
    struct ir *ir;
    uint32_t *known; /* loop number + 1 -> value */
};

/* Those of OpGroupNonUniform are for the active lanes. */
static bool is_met_at(const struct value *value)
{
    return (value->op == IR_barrier && value->imm != 3) ||
           (value->op == IR_collective && !(value->imm & COLLECTIVE_NON_UNIFORM));
}

static bool some_loop_meets(struct ir *ir)
{
    for (uint32_t v = 1; v < ir->values.count; v++)
        if (is_met_at(ir_value(ir, v)) && ir_block(ir, ir_value(ir, v)->block)->loop)
            return true;
    return false;
}

/*
 * If an optimiser made one loop of two, its header has a back edge that passes the barrier and one that does
 * not, as with a "continue": then iterations are not defined.
 */
static bool has_iterations(struct ir *ir, const struct loop *loop)
{
    const struct block *header = ir_block(ir, loop->header);
    return header->pred_count == 2 && (ir->as_written || !header->many_ways_back);
}

static uint32_t iteration_of(struct iterations *t, uint32_t number)
{
    struct ir *ir = t->ir;
    if (!number || t->known[number])
        return number ? t->known[number] : NONE;
    const struct loop *loop = &ir->loops.at[number - 1];
    const uint32_t outer = iteration_of(t, loop->parent);
    if (!has_iterations(ir, loop))
        return t->known[number] = outer;
    const uint32_t *preds = ir_block(ir, loop->header)->preds;
    const uint32_t back = preds[1] == loop->latch, before = preds[!back];
    const uint32_t iteration = cfg_phi_at(ir, loop->header, T_I64);
    uint32_t *list = ARENA_ARRAY(ir->arena, uint32_t, 4);
    list[!back] =
        outer ? ir_pure(ir, before, IR_mul, T_I64, outer, ir_const(ir, T_I64, ITERATION_OF_OUTER), NONE, 0)
              : ir_const(ir, T_I64, 0);
    list[back] = ir_pure(ir, loop->latch, IR_add, T_I64, iteration, ir_const(ir, T_I64, 1), NONE, 0);
    list[2 + !back] = before;
    list[2 + back] = loop->latch;
    ir_value(ir, iteration)->list = list;
    ir_value(ir, iteration)->list_count = 2;
    return t->known[number] = iteration;
}

void loop_iterations_number(struct ir *ir)
{
    if (ir->irreducible || !some_loop_meets(ir))
        return;
    const uint8_t *parted = diverge_find_parted(ir);
    struct iterations t = {ir, ARENA_ARRAY(ir->arena, uint32_t, ir->loops.count + 1)};
    for (uint32_t v = 1, count = ir->values.count; v < count; v++)
        if (is_met_at(ir_value(ir, v)) && parted[ir_value(ir, v)->block])
            ir_value(ir, v)->args[0] = iteration_of(&t, ir_block(ir, ir_value(ir, v)->block)->loop);
}
