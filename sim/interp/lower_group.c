/* SPDX-License-Identifier: Apache-2.0 */
/* Barriers, fences, group functions and asynchronous copies as IR: one barrier or collective per scalar,
 * with the site that findings name. The event list of wait_group_events is read element by element. If its
 * length is known only at run time, 128 elements are read, and a longer list counts as all events. */
#include "lower.h"
#include "orrery/device.h"
#include "spirv_ops.h"

static uint32_t region_bits(uint32_t semantics)
{
    return (semantics & 0x200 ? REGION_GLOBAL : 0u) | (semantics & 0x100 ? REGION_LOCAL : 0u) |
           (semantics & 0x800 ? REGION_IMAGE : 0u);
}

static void lower_one_barrier(struct lower *l, uint32_t word)
{
    const uint32_t *w = &l->m->words[word];
    uint32_t scope = lower_constant_bits(l, w[1]);
    struct site site = {.act = ACT_BARRIER,
                        .order = lower_order_bits(l, w[3]) ? ORDER_ACQ_REL : ORDER_RELAXED,
                        .scope = lower_memory_scope(l, w[2]),
                        .regions = region_bits(lower_flag_bits(l, w[3])),
                        .of_work_group = scope != SpvScopeSubgroup,
                        .what = scope == SpvScopeSubgroup ? "sub_group_barrier" : "work_group_barrier"};
    uint32_t v = lower_effect(l, IR_barrier, T_NONE, lower_site(l, &site));
    ir_value(l->ir, v)->imm = scope == SpvScopeSubgroup;
}

static void lower_one_fence(struct lower *l, uint32_t word)
{
    const uint32_t *w = &l->m->words[word];
    struct site site = {.act = ACT_FENCE,
                        .order = lower_order(lower_order_bits(l, w[2])),
                        .scope = lower_memory_scope(l, w[1]),
                        .regions = region_bits(lower_flag_bits(l, w[2])),
                        .what = "atomic_work_item_fence"};
    site.suspect = !site.regions || site.regions & REGION_IMAGE || site.scope < SCOPE_WORK_GROUP;
    lower_effect(l, IR_fence, T_NONE, lower_site(l, &site));
}

static const char *collective_name(uint32_t op, bool sub_group)
{
    switch (op) {
    case SpvOpGroupAll: return sub_group ? "sub_group_all" : "work_group_all";
    case SpvOpGroupAny: return sub_group ? "sub_group_any" : "work_group_any";
    case SpvOpGroupBroadcast: return sub_group ? "sub_group_broadcast" : "work_group_broadcast";
    default: return sub_group ? "sub_group_reduce or scan" : "work_group_reduce or scan";
    }
}

/* One collective per component; its list has the value, then the local ids of a broadcast. */
static void lower_collective(struct lower *l, uint32_t word)
{
    const uint32_t *w = &l->m->words[word];
    uint32_t op = spv_opcode(l->m, word), how = spirv_op(op)->argument;
    const struct type *type = module_type(l->m, w[1]);
    bool sub_group = lower_constant_bits(l, w[3]) == SpvScopeSubgroup;
    bool reduction = (how & COLLECTIVE_OP_MASK) > COLLECTIVE_BROADCAST;
    uint32_t value_id = reduction ? w[5] : w[4], out[16];
    if (reduction)
        how = collective_scan(how, w[4] != SpvGroupOperationReduce, w[4] == SpvGroupOperationExclusiveScan);
    for (uint32_t i = 0; i < type->leaves && i < 16; i++) {
        uint32_t value = lower_get(l, value_id)[i], extras = 0;
        const uint32_t *ids = NULL;
        if (op == SpvOpGroupBroadcast) {
            ids = lower_get(l, w[5]);
            extras = module_value_type(l->m, w[5])->leaves;
        }
        bool truth = lower_type(l, value) == T_BOOL, constant = true;
        uint64_t bits;
        if (truth) /* Collectives are computed on numbers. */
            value = lower_emit(l, IR_select, T_I32, value, ir_const(l->ir, T_I32, 1),
                               ir_const(l->ir, T_I32, 0), 0);
        uint32_t *list = ARENA_ARRAY(l->arena, uint32_t, 4);
        list[0] = value;
        for (uint32_t k = 0; k < extras; k++)
            list[1 + k] = lower_type(l, ids[k]) == T_I64
                              ? ids[k]
                              : lower_emit(l, IR_zext, T_I64, ids[k], NONE, NONE, 0);
        for (uint32_t k = 0; k < extras; k++)
            constant = constant && ir_is_const(l->ir, list[1 + k], &bits);
        uint32_t s = lower_site(l, &(struct site){.act = ACT_COLLECTIVE,
                                                  .scope = sub_group ? SCOPE_SUB_GROUP : SCOPE_WORK_GROUP,
                                                  .what = collective_name(op, sub_group)});
        uint32_t v = lower_effect(l, IR_collective, lower_type(l, value), s);
        struct value *c = ir_value(l->ir, v);
        c->list = list;
        c->list_count = 1 + extras;
        c->imm = how | (uint64_t)sub_group << 8 | (i || constant ? 0 : COLLECTIVE_SAME) |
                 (uint64_t)extras << COLLECTIVE_IDS_SHIFT |
                 (uint64_t)lower_math_type(truth ? T_I32 : lower_component(l, value_id)) << 16;
        out[i] = truth ? lower_emit(l, IR_ine, T_BOOL, v, ir_const(l->ir, T_I32, 0), NONE, 0) : v;
    }
    lower_set(l, w[2], out, type->leaves);
}

static uint32_t as_i64(struct lower *l, uint32_t value)
{
    return lower_type(l, value) == T_I64 ? value : lower_emit(l, IR_zext, T_I64, value, NONE, NONE, 0);
}

static void lower_async_copy(struct lower *l, uint32_t word)
{
    const uint32_t *w = &l->m->words[word];
    const struct type *type = lower_pointee(l, w[4]);
    uint64_t element = type->size, stride = 0;
    uint32_t stride_value = as_i64(l, lower_scalar(l, w[7]));
    bool unit = ir_is_const(l->ir, stride_value, &stride) && stride == 1;
    bool to_global = module_value_type(l->m, w[4])->storage == SpvStorageClassCrossWorkgroup;
    uint32_t *list = ARENA_ARRAY(l->arena, uint32_t, 5);
    list[0] = lower_scalar(l, w[4]);
    list[1] = lower_scalar(l, w[5]);
    list[2] = as_i64(l, lower_scalar(l, w[6]));
    list[3] = stride_value;
    list[4] = lower_scalar(l, w[8]);
    uint32_t s = lower_site(
        l, &(struct site){.act = ACT_COPY,
                          .access = ACCESS_WRITE,
                          .storage = to_global ? STORAGE_GLOBAL : STORAGE_LOCAL,
                          .size = (uint32_t)element,
                          .components = 1,
                          .align = type->align,
                          .what = unit ? "async_work_group_copy" : "async_work_group_strided_copy"});
    uint32_t v = lower_effect(l, IR_async_copy, T_I64, s);
    ir_value(l->ir, v)->list = list;
    ir_value(l->ir, v)->list_count = 5;
    ir_value(l->ir, v)->imm = element | (unit ? 0 : to_global ? 1u << 16 : 1u << 17);
    lower_set(l, w[2], &v, 1);
}

/* EVENTS_LISTED: how many events of a list are read if its length is not constant or above
 * EVENTS_FIXED_MOST. A longer list counts as all events. */
enum { EVENTS_LISTED = 128, EVENTS_FIXED_MOST = 1024, EVENT_BYTES = 8 };

static uint32_t lower_event(struct lower *l, uint32_t list_id, uint32_t list, uint64_t at)
{
    uint32_t event;
    lower_load_components(l, T_I64, 1, list, (int64_t)(at * EVENT_BYTES),
                          lower_storage(module_value_type(l->m, list_id)->storage), EVENT_BYTES, &event,
                          "wait_group_events");
    return event;
}

/* events[at], or no event if the list is shorter: then the first element is read, which every list has, and
 * its value is not used. */
static uint32_t lower_possible_event(struct lower *l, uint32_t list_id, uint32_t list, uint32_t count,
                                     uint64_t at)
{
    uint32_t zero = ir_const(l->ir, T_I64, 0);
    uint32_t there = lower_emit(l, IR_ult, T_BOOL, ir_const(l->ir, T_I64, at), count, NONE, 0);
    uint32_t offset =
        lower_emit(l, IR_select, T_I64, there, ir_const(l->ir, T_I64, at * EVENT_BYTES), zero, 0);
    uint32_t event = lower_event(l, list_id, lower_emit(l, IR_add, T_I64, list, offset, NONE, 0), 0);
    return lower_emit(l, IR_select, T_I64, there, event, ir_const(l->ir, T_I64, WAVE_NO_EVENT), 0);
}

static void lower_wait_events(struct lower *l, uint32_t word)
{
    const uint32_t *w = &l->m->words[word];
    uint32_t count = as_i64(l, lower_scalar(l, w[2])), list = lower_scalar(l, w[3]);
    uint64_t value = 0;
    const bool fixed = ir_is_const(l->ir, count, &value) && value <= EVENTS_FIXED_MOST;
    uint32_t events = fixed ? (uint32_t)value : EVENTS_LISTED;
    struct site site = {
        .act = ACT_WAIT, .order = ORDER_RELAXED, .scope = SCOPE_WORK_GROUP, .what = "wait_group_events"};
    uint32_t *events_waited = ARENA_ARRAY(l->arena, uint32_t, events + 1);
    for (uint32_t i = 0; i < events; i++)
        events_waited[i] =
            fixed ? lower_event(l, w[3], list, i) : lower_possible_event(l, w[3], list, count, i);
    if (!fixed) {
        uint32_t more = lower_emit(l, IR_ult, T_BOOL, ir_const(l->ir, T_I64, EVENTS_LISTED), count, NONE, 0);
        events_waited[events++] =
            lower_emit(l, IR_select, T_I64, more, ir_const(l->ir, T_I64, WAVE_EVERY_EVENT),
                       ir_const(l->ir, T_I64, WAVE_NO_EVENT), 0);
    }
    struct value *wait = ir_value(l->ir, lower_effect(l, IR_barrier, T_NONE, lower_site(l, &site)));
    wait->imm = 2;
    wait->list = events_waited;
    wait->list_count = events;
}

/* All scopes read the same clock. */
static void lower_clock(struct lower *l, uint32_t word)
{
    const uint32_t *w = &l->m->words[word];
    uint32_t v = lower_effect(l, IR_clock, T_I64,
                              lower_site(l, &(struct site){.act = ACT_CALL, .what = "clock_read"}));
    if (module_type(l->m, w[1])->leaves == 1) {
        lower_set(l, w[2], &v, 1);
        return;
    }
    const uint32_t high = lower_emit(l, IR_lshr, T_I64, v, ir_const(l->ir, T_I64, 32), NONE, 0);
    const uint32_t halves[] = {lower_emit(l, IR_trunc, T_I32, v, NONE, NONE, 0),
                               lower_emit(l, IR_trunc, T_I32, high, NONE, NONE, 0)};
    lower_set(l, w[2], halves, 2);
}

/* OpNamedBarrierInitialize is a collective of the work-group and is checked like one. Its result is the
 * barrier's number in the kernel and its count of sub-groups. */
static void lower_named_barrier(struct lower *l, uint32_t word)
{
    const uint32_t *w = &l->m->words[word];
    if (++l->ir->named_barriers > NAMED_BARRIERS_MOST)
        module_fail(l->m, STATUS_UNSUPPORTED, "kernel %s initialises more than %d named barriers",
                    l->ir->entry->name, NAMED_BARRIERS_MOST);
    const uint32_t number = l->ir->named_barriers;
    uint32_t *list = ARENA_ARRAY(l->arena, uint32_t, 4);
    list[0] = lower_scalar(l, w[3]);
    const struct site site = {.act = ACT_COLLECTIVE, .scope = SCOPE_WORK_GROUP, .what = "named_barrier_init"};
    uint32_t v = lower_effect(l, IR_collective, T_I32, lower_site(l, &site));
    struct value *c = ir_value(l->ir, v);
    c->list = list;
    c->list_count = 1;
    c->imm = COLLECTIVE_REDUCE_MAX | COLLECTIVE_UNSIGNED |
             (uint64_t)lower_math_type(T_I32) << COLLECTIVE_TYPE_SHIFT;
    v = lower_emit(l, IR_zext, T_I64, v, NONE, NONE, 0);
    v = lower_emit(l, IR_shl, T_I64, v, ir_const(l->ir, T_I64, 32), NONE, 0);
    v = lower_emit(l, IR_or, T_I64, v, ir_const(l->ir, T_I64, number), NONE, 0);
    lower_set(l, w[2], &v, 1);
}

static void lower_one_named_wait(struct lower *l, uint32_t word)
{
    const uint32_t *w = &l->m->words[word];
    struct site site = {.act = ACT_BARRIER,
                        .order = lower_order_bits(l, w[3]) ? ORDER_ACQ_REL : ORDER_RELAXED,
                        .scope = lower_memory_scope(l, w[2]),
                        .regions = region_bits(lower_flag_bits(l, w[3])),
                        .what = "work_group_named_barrier"};
    uint32_t *list = ARENA_ARRAY(l->arena, uint32_t, 1);
    list[0] = lower_scalar(l, w[1]);
    struct value *wait = ir_value(l->ir, lower_effect(l, IR_barrier, T_NONE, lower_site(l, &site)));
    wait->imm = 3;
    wait->list = list;
    wait->list_count = 1;
}

static void lower_barrier(struct lower *l, uint32_t word)
{
    const uint32_t *w = &l->m->words[word];
    lower_ordering(l, word, w[2], w[3], lower_one_barrier);
}

static void lower_named_wait(struct lower *l, uint32_t word)
{
    const uint32_t *w = &l->m->words[word];
    lower_ordering(l, word, w[2], w[3], lower_one_named_wait);
}

static void lower_fence(struct lower *l, uint32_t word)
{
    const uint32_t *w = &l->m->words[word];
    lower_ordering(l, word, w[1], w[2], lower_one_fence);
}

void lower_group_op(struct lower *l, uint32_t word)
{
    switch (spv_opcode(l->m, word)) {
    case SpvOpControlBarrier: lower_barrier(l, word); break;
    case SpvOpMemoryBarrier: lower_fence(l, word); break;
    case SpvOpGroupAsyncCopy: lower_async_copy(l, word); break;
    case SpvOpGroupWaitEvents: lower_wait_events(l, word); break;
    case SpvOpReadClockKHR: lower_clock(l, word); break;
    case SpvOpNamedBarrierInitialize: lower_named_barrier(l, word); break;
    case SpvOpMemoryNamedBarrier: lower_named_wait(l, word); break;
    default: lower_collective(l, word); break;
    }
}
