/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The work of each block, for simulated time. A block's terminator carries it (insn.c) and charges it for
 * each lane that is active there: one addition a block at run time (wave_settle).
 */
#include "cost.h"

#include "ir.h"

static uint32_t byte_work(enum storage storage)
{
    return storage == STORAGE_PRIVATE || storage == STORAGE_LOCAL ? 0 : WORK_GLOBAL_BYTE;
}

static uint64_t access_work(const struct value *value, uint64_t components)
{
    return components * (WORK_INSTRUCTION + (byte_work(value->storage) << value->size_log2));
}

/* The size of a copy: a constant, or else one word. Asynchronous copies are charged when they run. */
static uint64_t copied_bytes(struct ir *ir, const struct value *copy)
{
    uint64_t bytes;
    return ir_is_const(ir, copy->args[2], &bytes) ? bytes : sizeof(uint32_t);
}

static uint64_t value_work(struct ir *ir, const struct value *value)
{
    switch ((enum ir_op)value->op) {
    case IR_phi:
    case IR_forget:
    case IR_stale:
    case IR_extract:
    case IR_math_second:
    case IR_yield:
    case IR_count:
    case IR_count_way: return 0;
    case IR_sdiv:
    case IR_udiv:
    case IR_srem:
    case IR_urem:
    case IR_smod:
    case IR_fdiv:
    case IR_frem:
    case IR_fmod:
    case IR_sqrt:
    case IR_math: return WORK_MATH;
    case IR_load: return access_work(value, value->components);
    case IR_store: return access_work(value, value->list_count);
    case IR_copy: return WORK_INSTRUCTION + WORK_GLOBAL_BYTE * copied_bytes(ir, value);
    case IR_atomic:
    case IR_fence: return WORK_INSTRUCTION + WORK_ATOMIC;
    case IR_barrier:
    case IR_collective:
    case IR_pipe:
    case IR_enqueue:
    case IR_printf:
    case IR_async_copy: return WORK_INSTRUCTION + WORK_GROUP;
    case IR_image_read:
    case IR_image_write: return WORK_INSTRUCTION + WORK_TEXEL;
    default: return ir_families[value->op] == FAMILY_LEAF ? 0 : WORK_INSTRUCTION;
    }
}

static uint32_t saturated(uint64_t work)
{
    return work < UINT32_MAX ? (uint32_t)work : UINT32_MAX;
}

static void count_block(struct ir *ir, struct block *block)
{
    uint64_t work = 0;
    for (uint32_t i = 0; i < block->insts.count; i++) {
        struct value *value = ir_value(ir, block->insts.at[i]);
        work += value_work(ir, value);
        if (value->op == IR_clock) {
            value->imm = saturated(work);
            work = 0;
        }
    }
    block->work = saturated(work + WORK_INSTRUCTION); /* the last term is the terminator */
}

void cost_count_work(struct ir *ir)
{
    for (uint32_t o = 0; o < ir->order_count; o++)
        count_block(ir, ir_block(ir, ir->order[o]));
}
