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

enum { VALUES_MOST = 64 }; /* longer derivations stay unknown */

/* The pointers that an address may be: each once, those before `done` have been followed. */
struct origins {
    uint32_t values[VALUES_MOST], count, done;
    bool unknown;
};

static void add_origin(struct origins *origins, uint32_t v)
{
    for (uint32_t i = 0; i < origins->count; i++)
        if (origins->values[i] == v)
            return;
    origins->unknown |= !v || origins->count == VALUES_MOST;
    if (!origins->unknown)
        origins->values[origins->count++] = v;
}

/* 1 + the argument with a buffer, or the variable if the storage is local or private; 0: the value is none of
 * them. */
static uint32_t object_at(struct ir *ir, const struct value *value, enum storage storage)
{
    const struct kernel_info *info = &ir->entry->info;
    if (storage == STORAGE_LOCAL)
        return value->op == IR_local_address ? (uint32_t)value->imm + 1 : 0;
    if (storage == STORAGE_PRIVATE)
        return value->op == IR_private_address ? (uint32_t)value->imm + 1 : 0;
    for (uint32_t i = 0; value->op == IR_arg && i < info->arg_count; i++)
        if (ir->arg_offsets[i] == value->imm &&
            (info->args[i].kind == ARG_GLOBAL || info->args[i].kind == ARG_CONSTANT))
            return i + 1;
    return 0;
}

/* True: the pointer derives from others, which are added. A sum with a number keeps the pointer in args[0].
 * */
static bool follow_origin(struct origins *origins, const struct value *value)
{
    switch (value->op) {
    case IR_index:
    case IR_add:
    case IR_to_v:
    case IR_first:
    case IR_splat: add_origin(origins, value->args[0]); return true;
    case IR_select:
        add_origin(origins, value->args[1]);
        add_origin(origins, value->args[2]);
        return true;
    case IR_phi:
        for (uint32_t i = 0; i < value->list_count; i++)
            add_origin(origins, value->list[i]);
        return true;
    default: return false;
    }
}

/* The one object that the pointer derives from on every path; 0: several, or unknown. */
static uint32_t origin_of(struct ir *ir, uint32_t v, enum storage storage)
{
    struct origins origins = {.count = 0};
    uint32_t one = 0;
    add_origin(&origins, v);
    while (!origins.unknown && origins.done < origins.count) {
        const struct value *value = ir_value(ir, origins.values[origins.done++]);
        if (follow_origin(&origins, value))
            continue;
        const uint32_t object = object_at(ir, value, storage);
        origins.unknown |= !object || (one && one != object);
        one = object;
    }
    return origins.unknown ? 0 : one;
}

uint32_t written_private_origin(struct ir *ir, uint32_t address)
{
    return origin_of(ir, address, STORAGE_PRIVATE);
}

/* Is the value the same for every work-item of a work-group, whatever memory contains? Loops are not
 * examined. */
static bool is_same_for_all(struct ir *ir, uint32_t v, uint32_t depth)
{
    enum { DEPTH_MOST = 8 };
    const struct value *value = ir_value(ir, v);
    if (value->op == IR_const || value->op == IR_arg || value->op == IR_local_address)
        return true;
    if (value->op == IR_input)
        return value->imm < INPUT_LOCAL_SIZE ||
               (value->imm >= INPUT_GLOBAL_SIZE && value->imm < INPUT_WORK_DIM);
    if (value->op != IR_index && value->op != IR_add && value->op != IR_mul && value->op != IR_sub &&
        value->op != IR_zext && value->op != IR_sext)
        return false;
    bool same = depth < DEPTH_MOST;
    for (uint32_t k = 0; k < 3 && same; k++)
        same = !value->args[k] || is_same_for_all(ir, value->args[k], depth + 1);
    return same;
}

static void set_origin(struct ir *ir, uint32_t site, uint32_t pointer)
{
    const enum storage storage = ir->sites.at[site].storage;
    if (storage != STORAGE_PRIVATE)
        ir->sites.at[site].argument = origin_of(ir, pointer, storage);
}

/* Of an asynchronous copy, whose sides share a site, the side that is not in local memory. */
static void set_origins(struct ir *ir, const struct value *value)
{
    switch (value->op) {
    case IR_load:
    case IR_store:
        ir->sites.at[value->site].one_address = is_same_for_all(ir, value->args[0], 0);
        set_origin(ir, value->site, value->args[0]);
        break;
    case IR_atomic: set_origin(ir, value->site, value->args[0]); break;
    case IR_copy:
        set_origin(ir, (uint32_t)value->imm, value->args[0]);
        set_origin(ir, value->site, value->args[1]);
        break;
    case IR_async_copy: {
        struct site *site = &ir->sites.at[value->site];
        site->argument = origin_of(ir, value->list[site->storage == STORAGE_LOCAL], STORAGE_GLOBAL);
        break;
    }
    default: break;
    }
}

void written_find_origins(struct ir *ir)
{
    for (uint32_t o = 0; o < ir->order_count; o++) {
        const struct block *block = ir_block(ir, ir->order[o]);
        for (uint32_t i = 0; i < block->insts.count; i++)
            set_origins(ir, ir_value(ir, block->insts.at[i]));
    }
}
