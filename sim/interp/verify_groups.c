/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions that concern other work-items or other launches: barriers, collectives of work-groups and
 * sub-groups, pipes and device-side enqueue. */
#include "verify_shapes.h"

/* ---- groups ------------------------------------------------------------------------------------ */

/* OpenCL C has pointers to local memory for them. */
static bool is_named_barrier(const struct type *type)
{
    return type->opcode == SpvOpTypeNamedBarrier ||
           (type->kind == TYPE_POINTER && type->storage == SpvStorageClassWorkgroup);
}

static bool is_clock(const struct type *type)
{
    return is_simple(type) && is_int(type) && scalar_bits(component(type)) * type->leaves == 64 &&
           type->leaves <= 2;
}

void verify_group(const struct verify *v)
{
    const struct type *r, *value;
    bool reduction = (spirv_op(v->op)->argument & COLLECTIVE_OP_MASK) > COLLECTIVE_BROADCAST;
    bool real = v->op == SpvOpGroupFAdd || v->op == SpvOpGroupFMin || v->op == SpvOpGroupFMax ||
                v->op == SpvOpGroupFMulKHR;
    bool logical = v->op == SpvOpGroupLogicalAndKHR || v->op == SpvOpGroupLogicalOrKHR ||
                   v->op == SpvOpGroupLogicalXorKHR;
    switch (v->op) {
    case SpvOpControlBarrier: constant_number(v, 1), whole_number(v, 2), whole_number(v, 3); return;
    case SpvOpMemoryBarrier: whole_number(v, 1), whole_number(v, 2); return;
    case SpvOpGroupWaitEvents: return;
    case SpvOpNamedBarrierInitialize:
        need(v, is_named_barrier(result(v)), "its result is no named barrier");
        need(v, operand(v, 3)->kind == TYPE_SCALAR && component(operand(v, 3)) == T_I32,
             "the number of sub-groups is no 32-bit integer");
        return;
    case SpvOpMemoryNamedBarrier:
        whole_number(v, 2), whole_number(v, 3);
        need(v, is_named_barrier(operand(v, 1)), "its operand is no named barrier");
        return;
    case SpvOpReadClockKHR:
        constant_number(v, 3);
        need(v, is_clock(result(v)), "its result is neither a 64-bit integer nor two of 32 bits");
        return;
    case SpvOpGroupAsyncCopy: {
        uint64_t size = pointer(v, 4)->size;
        pointer(v, 5), whole_number(v, 6), whole_number(v, 7);
        need(v, result(v)->leaves == 1 && operand(v, 8)->leaves == 1 && size > 0 && size < 65536,
             "operand types do not fit");
        return;
    }
    default: break;
    }
    r = result(v);
    value = operand(v, reduction ? 5 : 4);
    constant_number(v, 3);
    need(v, is_simple(r) && same_shape(r, value), "operand types do not fit");
    if (reduction)
        need(v, logical ? is_bool(r) : real ? is_float(r) : is_int(r), "operand types do not fit");
    else if (v->op == SpvOpGroupBroadcast)
        need(v,
             is_simple(operand(v, 5)) && is_int(operand(v, 5)) && operand(v, 5)->leaves <= 3 && !is_bool(r),
             "operand types do not fit");
    else
        need(v, is_bool(r) && r->leaves == 1, "operand types do not fit");
}

static bool is_ballot(const struct type *type)
{
    return type->kind == TYPE_VECTOR && type->leaves == 4 && component(type) == T_I32;
}

static bool is_truth(const struct type *type)
{
    return type->kind == TYPE_SCALAR && is_bool(type);
}

static bool sub_group_reduction_fits(const struct verify *v, const struct type *r)
{
    bool real = v->op == SpvOpGroupNonUniformFAdd || v->op == SpvOpGroupNonUniformFMul ||
                v->op == SpvOpGroupNonUniformFMin || v->op == SpvOpGroupNonUniformFMax;
    bool logical = v->op >= SpvOpGroupNonUniformLogicalAnd && v->op <= SpvOpGroupNonUniformLogicalXor;
    bool clustered = v->w[4] == SpvGroupOperationClusteredReduce;
    if (clustered && v->n > 6)
        constant_number(v, 6);
    const bool scalar_fits = logical ? is_bool(r) : real ? is_float(r) : is_int(r);
    if (!is_simple(r) || !same_shape(r, operand(v, 5)) || !scalar_fits)
        return false;
    return v->w[4] <= SpvGroupOperationClusteredReduce && clustered == (v->n > 6);
}

static bool shuffle_fits(const struct verify *v, const struct type *r)
{
    return is_simple(r) && !is_bool(r) && same_shape(r, operand(v, 3));
}

static bool block_fits(const struct verify *v, uint32_t at, const struct type *value)
{
    return is_simple(value) && is_int(value) &&
           scalar_bits(component(pointer(v, at))) == scalar_bits(component(value));
}

static bool sub_group_fits(const struct verify *v)
{
    if (v->op == SpvOpSubgroupBlockWriteINTEL)
        return block_fits(v, 1, operand(v, 2));
    const struct type *r = result(v);
    switch (v->op) {
    case SpvOpSubgroupBlockReadINTEL: return block_fits(v, 3, r);
    case SpvOpSubgroupShuffleINTEL:
    case SpvOpSubgroupShuffleXorINTEL: return shuffle_fits(v, r) && is_one_int(operand(v, 4));
    case SpvOpSubgroupShuffleUpINTEL:
    case SpvOpSubgroupShuffleDownINTEL:
        return shuffle_fits(v, r) && same_shape(r, operand(v, 4)) && is_one_int(operand(v, 5));
    default: break;
    }
    constant_number(v, 3);
    switch (v->op) {
    case SpvOpGroupNonUniformElect: return is_truth(r);
    case SpvOpGroupNonUniformAll:
    case SpvOpGroupNonUniformAny: return is_truth(r) && is_truth(operand(v, 4));
    case SpvOpGroupNonUniformAllEqual: return is_truth(r) && is_simple(operand(v, 4));
    case SpvOpGroupNonUniformBallot: return is_ballot(r) && is_truth(operand(v, 4));
    case SpvOpGroupNonUniformInverseBallot: return is_truth(r) && is_ballot(operand(v, 4));
    case SpvOpGroupNonUniformBallotBitExtract:
        return is_truth(r) && is_ballot(operand(v, 4)) && is_one_int(operand(v, 5));
    case SpvOpGroupNonUniformBallotBitCount:
        return is_one_int(r) && component(r) == T_I32 && is_ballot(operand(v, 5)) &&
               v->w[4] <= SpvGroupOperationExclusiveScan;
    case SpvOpGroupNonUniformBallotFindLSB:
    case SpvOpGroupNonUniformBallotFindMSB:
        return is_one_int(r) && component(r) == T_I32 && is_ballot(operand(v, 4));
    case SpvOpGroupNonUniformBroadcastFirst: return is_simple(r) && same_shape(r, operand(v, 4));
    case SpvOpGroupNonUniformRotateKHR:
        if (v->n > 6)
            constant_number(v, 6);
        return is_simple(r) && same_shape(r, operand(v, 4)) && is_one_int(operand(v, 5));
    case SpvOpGroupNonUniformBroadcast:
    case SpvOpGroupNonUniformShuffle:
    case SpvOpGroupNonUniformShuffleXor:
    case SpvOpGroupNonUniformShuffleUp:
    case SpvOpGroupNonUniformShuffleDown:
        return is_simple(r) && same_shape(r, operand(v, 4)) && is_one_int(operand(v, 5));
    default: return sub_group_reduction_fits(v, r);
    }
}

void verify_sub_group(const struct verify *v)
{
    need(v, sub_group_fits(v), "operand types do not fit");
}

/* ---- pipes ---------------------------------------------------------------------------------------- */

static bool is_handle(const struct verify *v, uint32_t at, uint32_t opcode)
{
    const struct type *type = operand(v, at);
    return type->kind == TYPE_OPAQUE && type->opcode == opcode;
}

void verify_pipe(const struct verify *v)
{
    bool fits = true;
    uint32_t at = 3;
    switch (v->op) {
    case SpvOpIsValidReserveId:
        need(v, is_truth(result(v)) && is_handle(v, 3, SpvOpTypeReserveId), "operand types do not fit");
        return;
    case SpvOpReadPipe:
    case SpvOpWritePipe: pointer(v, 4); break;
    case SpvOpReservedReadPipe:
    case SpvOpReservedWritePipe:
        pointer(v, 6), whole_number(v, 5);
        fits = is_handle(v, 4, SpvOpTypeReserveId);
        break;
    case SpvOpReserveReadPipePackets:
    case SpvOpReserveWritePipePackets: whole_number(v, 4); break;
    case SpvOpCommitReadPipe:
    case SpvOpCommitWritePipe:
        at = 1;
        fits = is_handle(v, 2, SpvOpTypeReserveId);
        break;
    case SpvOpGroupReserveReadPipePackets:
    case SpvOpGroupReserveWritePipePackets:
        at = 4;
        constant_number(v, 3), whole_number(v, 5);
        break;
    case SpvOpGroupCommitReadPipe:
    case SpvOpGroupCommitWritePipe:
        at = 2;
        constant_number(v, 1);
        fits = is_handle(v, 3, SpvOpTypeReserveId);
        break;
    default: break;
    }
    constant_number(v, v->n - 2);
    need(v, fits && is_handle(v, at, SpvOpTypePipe), "operand types do not fit");
    if (at >= 3)
        need(v, result(v)->leaves == 1, "operand types do not fit");
}

/* ---- device-side enqueue --------------------------------------------------------------------------- */

/* A number of dimensions, then offset, global and local size. */
static bool is_range(const struct type *type)
{
    bool fits = type->kind == TYPE_STRUCT && type->count == 4 && is_one_int(type->members[0]);
    for (uint32_t i = 1; fits && i < 4; i++)
        fits = type->members[i]->kind == TYPE_ARRAY && type->members[i]->count == 3 &&
               is_one_int(type->members[i]->element) && same_shape(type->members[i], type->members[1]);
    return fits;
}

static void range_operand(const struct verify *v, uint32_t i)
{
    need(v, is_range(operand(v, i)->kind == TYPE_POINTER ? pointer(v, i) : operand(v, i)),
         "it has no NDRange descriptor");
}

static void build_range(const struct verify *v)
{
    const struct type *sizes = operand(v, 3), *range = result(v);
    bool array = sizes->kind == TYPE_ARRAY && sizes->count >= 2 && sizes->count <= 3;
    const struct type *word = array ? sizes->element : sizes;
    const bool sizes_fit =
        is_range(range) && (array || is_one_int(sizes)) && same_shape(word, range->members[1]->element);
    need(v, sizes_fit && same_shape(sizes, operand(v, 4)) && same_shape(sizes, operand(v, 5)),
         "operand types do not fit");
}

static bool is_block_type(const struct type *type)
{
    return type->kind == TYPE_FUNCTION && type->element->kind == TYPE_VOID && type->count &&
           type->members[0]->kind == TYPE_POINTER;
}

/* A block's function takes a pointer to the captured variables, then pointers to local memory. */
static const struct type *invoke(const struct verify *v, uint32_t i)
{
    need(v, i + 3 < v->n, "an operand is missing");
    const struct function *f = module_function(v->m, v->w[i]);
    const struct type *type = module_type(v->m, v->m->words[f->word + 4]);
    bool fits = f->block_count && is_block_type(type);
    for (uint32_t k = 1; fits && k < type->count; k++)
        fits =
            type->members[k]->kind == TYPE_POINTER && type->members[k]->storage == SpvStorageClassWorkgroup;
    need(v, fits, "it names no block's function");
    pointer(v, i + 1), whole_number(v, i + 2), whole_number(v, i + 3);
    return type;
}

static void verify_enqueue_kernel(const struct verify *v)
{
    range_operand(v, 5);
    whole_number(v, 4), whole_number(v, 6), pointer(v, 7), pointer(v, 8);
    need(v, is_handle(v, 3, SpvOpTypeQueue) && invoke(v, 9)->count - 1 == v->n - 13,
         "operand types do not fit");
    for (uint32_t i = 13; i < v->n; i++)
        need(v, is_one_int(operand(v, i)->kind == TYPE_POINTER ? pointer(v, i) : operand(v, i)),
             "operand types do not fit");
}

static void verify_event(const struct verify *v, uint32_t i)
{
    need(v, is_handle(v, i, SpvOpTypeDeviceEvent), "operand types do not fit");
}

void verify_enqueue(const struct verify *v)
{
    switch (v->op) {
    case SpvOpBuildNDRange: build_range(v); return;
    case SpvOpRetainEvent:
    case SpvOpReleaseEvent: verify_event(v, 1); return;
    case SpvOpSetUserEventStatus: verify_event(v, 1), whole_number(v, 2); return;
    case SpvOpCaptureEventProfilingInfo: verify_event(v, 1), whole_number(v, 2), pointer(v, 3); return;
    case SpvOpEnqueueKernel: verify_enqueue_kernel(v); break;
    case SpvOpEnqueueMarker:
        whole_number(v, 4), pointer(v, 5), pointer(v, 6);
        need(v, is_handle(v, 3, SpvOpTypeQueue), "operand types do not fit");
        break;
    case SpvOpIsValidEvent: verify_event(v, 3); break;
    case SpvOpGetKernelNDrangeSubGroupCount:
    case SpvOpGetKernelNDrangeMaxSubGroupSize: range_operand(v, 3), invoke(v, 4); break;
    case SpvOpGetKernelLocalSizeForSubgroupCount: whole_number(v, 3), invoke(v, 4); break;
    case SpvOpGetDefaultQueue:
    case SpvOpCreateUserEvent: break;
    default: invoke(v, 3); break;
    }
    need(v, is_simple(result(v)) && result(v)->leaves == 1, "operand types do not fit");
}
