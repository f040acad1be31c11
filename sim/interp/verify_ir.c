/* SPDX-License-Identifier: Apache-2.0 */
/* The intermediate form after its control-flow graph is made: each use of a value is dominated by its
 * definition. The last operand of a block is its condition. */
#include "ir.h"
#include "verify.h"

static bool dominates(struct ir *ir, uint32_t a, uint32_t b)
{
    while (ir_block(ir, b)->dom_depth > ir_block(ir, a)->dom_depth)
        b = ir_block(ir, b)->idom;
    return a == b;
}

/* A phi has one value from each predecessor. */
static bool phi_fits(struct ir *ir, const struct value *phi, const struct block *block,
                     const uint32_t *position)
{
    if (phi->list_count != block->pred_count)
        return false;
    for (uint32_t i = 0; i < block->pred_count; i++) {
        uint32_t found = 0;
        for (uint32_t k = 0; k < phi->list_count; k++)
            found += phi->list[phi->list_count + k] == block->preds[i];
        if (found != 1)
            return false;
    }
    for (uint32_t k = 0; k < phi->list_count; k++) {
        const struct value *from = ir_value(ir, phi->list[k]);
        if (from->block &&
            (!position[phi->list[k]] || !dominates(ir, from->block, phi->list[phi->list_count + k])))
            return false;
    }
    return true;
}

/* Every value is made before it is used, on every path. */
void verify_ir(struct ir *ir)
{
    uint32_t *position = ARENA_ARRAY(ir->arena, uint32_t, ir->values.count), count = 0;
    for (uint32_t b = 1; b < ir->blocks.count; b++)
        for (uint32_t i = 0; ir_block(ir, b)->reachable && i < ir_block(ir, b)->insts.count; i++)
            position[ir_block(ir, b)->insts.at[i]] = ++count;
    for (uint32_t b = 1; b < ir->blocks.count; b++) {
        const struct block *block = ir_block(ir, b);
        if (!block->reachable)
            continue;
        for (uint32_t i = 0; i <= block->insts.count; i++) {
            uint32_t user = i < block->insts.count ? block->insts.at[i] : 0,
                     at = user ? position[user] : UINT32_MAX;
            const struct value *value = ir_value(ir, user);
            bool fits = true;
            if (value->op == IR_phi && user)
                fits = phi_fits(ir, value, block, position);
            for (uint32_t k = 0; fits && value->op != IR_phi && k < (user ? 3 + value->list_count : 1); k++) {
                uint32_t used = user ? *ir_operand_slot(ir, user, k) : block->cond;
                const struct value *from = ir_value(ir, used);
                if (used && from->block)
                    fits = position[used] &&
                           (from->block == b ? position[used] < at : dominates(ir, from->block, b));
            }
            if (!fits)
                module_fail(ir->module, STATUS_BAD_BINARY,
                            "kernel '%s', line %u: a value is used where it has not been made on every path",
                            ir->entry->name,
                            ir->sites.at[user && value->site ? value->site : block->site].line);
        }
    }
}
