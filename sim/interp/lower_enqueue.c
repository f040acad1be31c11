/* SPDX-License-Identifier: Apache-2.0 */
/* Device-side enqueue. NDRange descriptors become values; every other call becomes a request to the
 * device. */
#include "wave_enqueue.h"
#include "lower.h"

enum { RANGE_LEAVES = 10 }; /* dimensions; then offset, global size and local size, three each */

struct enqueued_block {
    enum enqueue_op op;
    uint32_t *values;
    uint32_t count;
    const char *what;
};

static uint32_t zero(struct lower *l)
{
    return ir_const(l->ir, T_I64, 0);
}

static uint32_t widened(struct lower *l, uint32_t value, enum ir_op how)
{
    return lower_type(l, value) == T_I64 ? value : lower_emit(l, how, T_I64, value, NONE, NONE, 0);
}

static uint32_t number(struct lower *l, uint32_t id)
{
    return widened(l, lower_scalar(l, id), IR_zext);
}

static struct enqueued_block *new_call(struct lower *l, enum enqueue_op op, uint32_t count, const char *what)
{
    struct enqueued_block *call = ARENA_NEW(l->arena, struct enqueued_block);
    *call = (struct enqueued_block){
        .op = op, .values = ARENA_ARRAY(l->arena, uint32_t, count), .count = count, .what = what};
    for (uint32_t i = 0; i < count; i++)
        call->values[i] = zero(l);
    return call;
}

static uint32_t make(struct lower *l, const struct enqueued_block *call)
{
    uint32_t site = lower_site(l, &(struct site){.act = ACT_CALL,
                                                 .access = ACCESS_READ,
                                                 .storage = STORAGE_GENERIC,
                                                 .size = sizeof(uint64_t),
                                                 .components = 1,
                                                 .align = 1,
                                                 .what = call->what});
    uint32_t v = lower_effect(l, IR_enqueue, T_I64, site);
    ir_value(l->ir, v)->list = call->values;
    ir_value(l->ir, v)->list_count = call->count;
    ir_value(l->ir, v)->imm = (uint32_t)call->op | call->count << ENQUEUE_COUNT_SHIFT;
    return v;
}

static void set_result(struct lower *l, const uint32_t *w, uint32_t value)
{
    enum scalar type = module_type(l->m, w[1])->scalar;
    if (type == T_BOOL)
        value = lower_emit(l, IR_ine, T_BOOL, value, zero(l), NONE, 0);
    else if (type != T_I64)
        value = lower_emit(l, IR_trunc, type, value, NONE, NONE, 0);
    lower_set(l, w[2], &value, 1);
}

/* ---- NDRange ------------------------------------------------------------------------ */

static void build_range(struct lower *l, const uint32_t *w)
{
    const struct type *type = module_type(l->m, w[1]);
    const uint32_t given = module_value_type(l->m, w[3])->leaves, sources[] = {w[5], w[3], w[4]};
    enum scalar word = type_part(type, 1)->element->scalar;
    uint32_t leaves[RANGE_LEAVES];
    leaves[0] = ir_const(l->ir, type_part(type, 0)->scalar, given);
    for (uint32_t part = 0; part < 3; part++)
        for (uint32_t i = 0; i < 3; i++)
            leaves[1 + 3 * part + i] = i < given ? lower_get(l, sources[part])[i] : ir_const(l->ir, word, 0);
    lower_set(l, w[2], leaves, RANGE_LEAVES);
}

/* The operand is the descriptor, or a pointer to it. */
static void put_range(struct lower *l, struct enqueued_block *call, uint32_t id)
{
    const struct type *type = module_value_type(l->m, id);
    uint32_t loaded[RANGE_LEAVES];
    const uint32_t *leaves = loaded;
    if (type->kind == TYPE_POINTER) {
        const struct type *range = lower_pointee(l, id);
        lower_load(l, range, lower_scalar(l, id), 0, lower_storage(type->storage), range->align, loaded,
                   "load of an ndrange_t");
    } else {
        leaves = lower_get(l, id);
    }
    for (uint32_t i = 0; i < RANGE_LEAVES; i++)
        call->values[OPERAND_DIMENSIONS + i] = widened(l, leaves[i], IR_zext);
}

/* ---- blocks --------------------------------------------------------------------------- */

static void put_block(struct lower *l, struct enqueued_block *call, const uint32_t *invoke)
{
    call->values[OPERAND_KERNEL] = ir_const(l->ir, T_I64, module_block(l->m, invoke[0]));
    call->values[OPERAND_LITERAL] = lower_scalar(l, invoke[1]);
    call->values[OPERAND_LITERAL_SIZE] = number(l, invoke[2]);
}

/* The operand is a size, or a pointer to a size. */
static uint32_t local_bytes(struct lower *l, uint32_t id)
{
    const struct type *type = module_value_type(l->m, id), *size;
    uint32_t loaded;
    if (type->kind != TYPE_POINTER)
        return number(l, id);
    size = lower_pointee(l, id);
    lower_load(l, size, lower_scalar(l, id), 0, lower_storage(type->storage), size->align, &loaded,
               "load of a size");
    return widened(l, loaded, IR_zext);
}

static void enqueue_kernel(struct lower *l, const uint32_t *w, uint32_t length)
{
    enum { FIRST_LOCAL = 13 };
    uint32_t locals = length - FIRST_LOCAL;
    struct enqueued_block *call = new_call(l, ENQUEUE_KERNEL, OPERAND_LOCALS + locals, "enqueue_kernel");
    call->values[OPERAND_HANDLE] = lower_scalar(l, w[3]);
    call->values[OPERAND_NUMBER] = number(l, w[4]);
    put_range(l, call, w[5]);
    call->values[OPERAND_WAIT_COUNT] = number(l, w[6]);
    call->values[OPERAND_WAITS] = lower_scalar(l, w[7]);
    call->values[OPERAND_EVENT] = lower_scalar(l, w[8]);
    put_block(l, call, w + 9);
    for (uint32_t i = 0; i < locals; i++)
        call->values[OPERAND_LOCALS + i] = local_bytes(l, w[FIRST_LOCAL + i]);
    set_result(l, w, make(l, call));
}

static void enqueue_marker(struct lower *l, const uint32_t *w)
{
    struct enqueued_block *call = new_call(l, ENQUEUE_MARKER, OPERAND_EVENT + 1, "enqueue_marker");
    call->values[OPERAND_HANDLE] = lower_scalar(l, w[3]);
    call->values[OPERAND_WAIT_COUNT] = number(l, w[4]);
    call->values[OPERAND_WAITS] = lower_scalar(l, w[5]);
    call->values[OPERAND_EVENT] = lower_scalar(l, w[6]);
    set_result(l, w, make(l, call));
}

static void query(struct lower *l, const uint32_t *w, enum enqueue_op op, const char *what)
{
    bool of_range = op == ENQUEUE_SUB_GROUP_COUNT || op == ENQUEUE_SUB_GROUP_SIZE,
         of_number = op == ENQUEUE_LOCAL_SIZE;
    struct enqueued_block *call = new_call(l, op, OPERAND_LOCALS, what);
    if (of_range)
        put_range(l, call, w[3]);
    if (of_number)
        call->values[OPERAND_NUMBER] = number(l, w[3]);
    put_block(l, call, w + 3 + (of_range || of_number));
    set_result(l, w, make(l, call));
}

/* ---- events ----------------------------------------------------------------------------- */

static void without_result(struct lower *l, const uint32_t *w, enum enqueue_op op, const char *what)
{
    struct enqueued_block *call = new_call(l, op, OPERAND_EVENT + 1, what);
    call->values[OPERAND_HANDLE] = lower_scalar(l, w[1]);
    if (op == ENQUEUE_SET_STATUS)
        call->values[OPERAND_NUMBER] = widened(l, lower_scalar(l, w[2]), IR_sext);
    if (op == ENQUEUE_CAPTURE) {
        call->values[OPERAND_NUMBER] = number(l, w[2]);
        call->values[OPERAND_EVENT] = lower_scalar(l, w[3]);
    }
    make(l, call);
}

static void handle(struct lower *l, const uint32_t *w, enum enqueue_op op, const char *what)
{
    struct enqueued_block *call = new_call(l, op, OPERAND_HANDLE + 1, what);
    if (op == ENQUEUE_IS_VALID)
        call->values[OPERAND_HANDLE] = lower_scalar(l, w[3]);
    set_result(l, w, make(l, call));
}

void lower_enqueue_op(struct lower *l, uint32_t word)
{
    const uint32_t *w = &l->m->words[word];
    switch (spv_opcode(l->m, word)) {
    case SpvOpBuildNDRange: build_range(l, w); break;
    case SpvOpEnqueueKernel: enqueue_kernel(l, w, spv_length(l->m, word)); break;
    case SpvOpEnqueueMarker: enqueue_marker(l, w); break;
    case SpvOpGetDefaultQueue: handle(l, w, ENQUEUE_DEFAULT_QUEUE, "get_default_queue"); break;
    case SpvOpCreateUserEvent: handle(l, w, ENQUEUE_USER_EVENT, "create_user_event"); break;
    case SpvOpIsValidEvent: handle(l, w, ENQUEUE_IS_VALID, "is_valid_event"); break;
    case SpvOpRetainEvent: without_result(l, w, ENQUEUE_RETAIN, "retain_event"); break;
    case SpvOpReleaseEvent: without_result(l, w, ENQUEUE_RELEASE, "release_event"); break;
    case SpvOpSetUserEventStatus: without_result(l, w, ENQUEUE_SET_STATUS, "set_user_event_status"); break;
    case SpvOpCaptureEventProfilingInfo:
        without_result(l, w, ENQUEUE_CAPTURE, "capture_event_profiling_info");
        break;
    case SpvOpGetKernelWorkGroupSize:
        query(l, w, ENQUEUE_WORK_GROUP_SIZE, "get_kernel_work_group_size");
        break;
    case SpvOpGetKernelPreferredWorkGroupSizeMultiple:
        query(l, w, ENQUEUE_PREFERRED_MULTIPLE, "get_kernel_preferred_work_group_size_multiple");
        break;
    case SpvOpGetKernelNDrangeSubGroupCount:
        query(l, w, ENQUEUE_SUB_GROUP_COUNT, "get_kernel_sub_group_count_for_ndrange");
        break;
    case SpvOpGetKernelNDrangeMaxSubGroupSize:
        query(l, w, ENQUEUE_SUB_GROUP_SIZE, "get_kernel_max_sub_group_size_for_ndrange");
        break;
    case SpvOpGetKernelLocalSizeForSubgroupCount:
        query(l, w, ENQUEUE_LOCAL_SIZE, "get_kernel_local_size_for_sub_group_count");
        break;
    default: query(l, w, ENQUEUE_MAX_SUB_GROUPS, "get_kernel_max_num_sub_groups"); break;
    }
}
