/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The origins of pointers: the arguments through which a kernel may write, and the argument that an access
 * goes through.
 */
#include "ir.h"

struct tracing {
    struct ir *ir;
    uint8_t *seen;
    uint32_t *work, work_count;
    bool *written, elsewhere;
};

static void trace_on(struct tracing *tracing, uint32_t v)
{
    if (!v || tracing->seen[v])
        return;
    tracing->seen[v] = 1;
    tracing->work[tracing->work_count++] = v;
}

/* A pointer that is a member of an argument may point anywhere. */
static void add_argument_origin(struct tracing *tracing, uint64_t offset)
{
    const struct kernel_info *info = &tracing->ir->entry->info;
    for (uint32_t i = 0; i < info->arg_count; i++)
        if (tracing->ir->arg_offsets[i] == offset && info->args[i].kind != ARG_VALUE &&
            info->args[i].kind != ARG_LOCAL) {
            tracing->written[i] = true;
            return;
        }
    tracing->elsewhere = true;
}

static void trace_value(struct tracing *tracing, const struct value *value)
{
    switch (value->op) {
    case IR_arg: add_argument_origin(tracing, value->imm); break;
    case IR_const: /* of program scope, or NULL */
    case IR_undef:
    case IR_local_address:
    case IR_private_address: break;
    case IR_index:
    case IR_to_v:
    case IR_first:
    case IR_splat: trace_on(tracing, value->args[0]); break;
    case IR_add:
        trace_on(tracing, value->args[0]);
        trace_on(tracing, value->args[1]);
        break;
    case IR_select:
        trace_on(tracing, value->args[1]);
        trace_on(tracing, value->args[2]);
        break;
    case IR_phi:
        for (uint32_t i = 0; i < value->list_count; i++)
            trace_on(tracing, value->list[i]);
        break;
    default: tracing->elsewhere = true;
    }
}

static void trace_effect(struct tracing *tracing, const struct value *value)
{
    const bool own = value->storage == STORAGE_LOCAL || value->storage == STORAGE_PRIVATE;
    switch (value->op) {
    case IR_store:
    case IR_atomic:
        if (!own)
            trace_on(tracing, value->args[0]);
        break;
    case IR_copy:
    case IR_image_write: trace_on(tracing, value->args[0]); break;
    case IR_async_copy: trace_on(tracing, value->list[0]); break;
    case IR_pipe: /* their pointer arguments are written through */
    case IR_enqueue: tracing->elsewhere = true; break;
    default: break;
    }
}

const bool *written_arguments(struct ir *ir, struct arena *keep, bool *out_elsewhere)
{
    struct tracing tracing = {.ir = ir,
                              .seen = ARENA_ARRAY(ir->arena, uint8_t, ir->values.count),
                              .work = ARENA_ARRAY(ir->arena, uint32_t, ir->values.count),
                              .written = ARENA_ARRAY(keep, bool, ir->entry->info.arg_count + 1)};
    for (uint32_t v = 1; v < ir->values.count; v++)
        if (!ir_value(ir, v)->dead)
            trace_effect(&tracing, ir_value(ir, v));
    while (tracing.work_count)
        trace_value(&tracing, ir_value(ir, tracing.work[--tracing.work_count]));
    *out_elsewhere = tracing.elsewhere;
    return tracing.written;
}

/* ---- which argument an access goes through ------------------------------------------------------ */

enum { STEPS_MOST = 64 }; /* only for findings: longer derivations stay unknown */

static uint32_t argument_at(struct ir *ir, uint64_t offset)
{
    const struct kernel_info *info = &ir->entry->info;
    for (uint32_t i = 0; i < info->arg_count; i++)
        if (ir->arg_offsets[i] == offset &&
            (info->args[i].kind == ARG_GLOBAL || info->args[i].kind == ARG_CONSTANT))
            return i + 1;
    return 0;
}

/* A pointer that a loop moves on is a phi of what it was before the loop and of itself, moved. */
static uint32_t origin_of(struct ir *ir, uint32_t v, uint32_t *steps)
{
    while (v && ++*steps < STEPS_MOST) {
        const struct value *value = ir_value(ir, v);
        switch (value->op) {
        case IR_arg: return argument_at(ir, value->imm);
        case IR_local_address: return (uint32_t)value->imm + 1;
        case IR_index:
        case IR_add:
        case IR_to_v:
        case IR_first:
        case IR_splat: v = value->args[0]; break;
        case IR_phi: {
            uint32_t one = 0;
            for (uint32_t i = 0; i < value->list_count; i++) {
                uint32_t at = value->list[i];
                while (at != v && ++*steps < STEPS_MOST &&
                       (ir_value(ir, at)->op == IR_index || ir_value(ir, at)->op == IR_add))
                    at = ir_value(ir, at)->args[0];
                if (at == v)
                    continue;
                const uint32_t origin = origin_of(ir, at, steps);
                if (!origin || (one && one != origin))
                    return 0;
                one = origin;
            }
            return one;
        }
        default: return 0;
        }
    }
    return 0;
}

void written_find_origins(struct ir *ir)
{
    for (uint32_t o = 0; o < ir->order_count; o++) {
        const struct block *block = ir_block(ir, ir->order[o]);
        for (uint32_t i = 0; i < block->insts.count; i++) {
            const struct value *value = ir_value(ir, block->insts.at[i]);
            uint32_t steps = 0;
            const bool accesses = value->op == IR_load || value->op == IR_store || value->op == IR_atomic;
            const bool buffer = value->storage == STORAGE_GLOBAL || value->storage == STORAGE_CONSTANT;
            if (accesses && (buffer || value->storage == STORAGE_LOCAL))
                ir->sites.at[value->site].argument = origin_of(ir, value->args[0], &steps);
        }
    }
}
