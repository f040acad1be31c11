/* SPDX-License-Identifier: Apache-2.0 */
/* Sub-group functions of the active lanes: SPIR-V's GroupNonUniform instructions and the shuffles of
 * cl_intel_subgroups. Most become one shuffle with a computed lane, or one reduction. Ballots are values in
 * every lane, so their bits are read without a collective. */
#include <spirv/unified1/OpenCL.std.h>

#include "lower.h"
#include "spirv_ops.h"

static uint32_t input(struct lower *l, uint32_t cell)
{
    uint32_t v = ir_new_value(l->ir, IR_input, T_I32);
    ir_value(l->ir, v)->imm = cell;
    return v;
}

static uint32_t lane_id(struct lower *l)
{
    return input(l, INPUT_SUB_GROUP_LOCAL_ID);
}

static uint32_t number(struct lower *l, uint64_t x)
{
    return ir_const(l->ir, T_I32, x);
}

static uint32_t emit32(struct lower *l, enum ir_op op, uint32_t a, uint32_t b)
{
    return lower_emit(l, op, T_I32, a, b, NONE, 0);
}

static uint32_t as_i32(struct lower *l, uint32_t value)
{
    enum scalar type = lower_type(l, value);
    return type == T_I32 ? value
                         : lower_emit(l, type == T_I64 ? IR_trunc : IR_zext, T_I32, value, NONE, NONE, 0);
}

/* One collective on a number. `how`: the operation, COLLECTIVE_UNSIGNED and other flags. */
static uint32_t gather(struct lower *l, uint32_t how, enum scalar type, uint32_t value, uint32_t id,
                       const char *what)
{
    uint32_t *list = ARENA_ARRAY(l->arena, uint32_t, 2), count = 1;
    list[0] = value;
    if (id != NONE)
        list[count++] = lower_emit(l, IR_zext, T_I64, as_i32(l, id), NONE, NONE, 0);
    uint32_t site =
        lower_site(l, &(struct site){.act = ACT_COLLECTIVE, .scope = SCOPE_SUB_GROUP, .what = what});
    uint32_t v = lower_effect(l, IR_collective, type, site);
    ir_value(l->ir, v)->list = list;
    ir_value(l->ir, v)->list_count = count;
    ir_value(l->ir, v)->imm = how | SCOPE_SUB_GROUP << COLLECTIVE_SCOPE_SHIFT | COLLECTIVE_NON_UNIFORM |
                              (uint32_t)lower_math_type(type) << COLLECTIVE_TYPE_SHIFT |
                              (uint32_t)(id != NONE) << COLLECTIVE_IDS_SHIFT;
    return v;
}

static uint32_t truth_number(struct lower *l, uint32_t truth, enum scalar type)
{
    return lower_emit(l, IR_select, type, truth, ir_const(l->ir, type, 1), ir_const(l->ir, type, 0), 0);
}

static uint32_t is_set(struct lower *l, uint32_t value)
{
    return lower_emit(l, IR_ine, T_BOOL, value, ir_const(l->ir, lower_type(l, value), 0), NONE, 0);
}

/* The same for numbers and bools; a bool becomes a number and back. */
static uint32_t gather_any(struct lower *l, uint32_t how, enum scalar type, uint32_t value, uint32_t id,
                           const char *what)
{
    if (type != T_BOOL)
        return gather(l, how, type, value, id, what);
    return is_set(l, gather(l, how, T_I32, truth_number(l, value, T_I32), id, what));
}

/* ---- ballots ------------------------------------------------------------------------ */

static void ballot(struct lower *l, const uint32_t *w)
{
    uint32_t vote = truth_number(l, lower_scalar(l, w[4]), T_I64), out[4];
    for (uint32_t half = 0; half < 2; half++) {
        uint32_t bits = gather(l, half ? COLLECTIVE_BALLOT_HIGH : COLLECTIVE_BALLOT_LOW, T_I64, vote, NONE,
                               "sub_group_ballot");
        uint32_t high = lower_emit(l, IR_lshr, T_I64, bits, ir_const(l->ir, T_I64, 32), NONE, 0);
        out[2 * half] = lower_emit(l, IR_trunc, T_I32, bits, NONE, NONE, 0);
        out[2 * half + 1] = lower_emit(l, IR_trunc, T_I32, high, NONE, NONE, 0);
    }
    lower_set(l, w[2], out, 4);
}

/* Bit `index` of a ballot, as a bool. */
static uint32_t ballot_bit(struct lower *l, const uint32_t *words, uint32_t index)
{
    uint32_t at = emit32(l, IR_lshr, index, number(l, 5)), word = words[3];
    for (uint32_t k = 3; k-- > 0;) {
        uint32_t here = lower_emit(l, IR_ieq, T_BOOL, at, number(l, k), NONE, 0);
        word = lower_emit(l, IR_select, T_I32, here, words[k], word, 0);
    }
    uint32_t bit = emit32(l, IR_lshr, word, emit32(l, IR_and, index, number(l, 31)));
    return is_set(l, emit32(l, IR_and, bit, number(l, 1)));
}

/* Word k of the ballot that has all bits below `limit`. */
static uint32_t bits_below(struct lower *l, uint32_t k, uint32_t limit)
{
    uint32_t above = emit32(l, IR_smax, emit32(l, IR_sub, limit, number(l, 32 * k)), number(l, 0));
    uint32_t count = lower_emit(l, IR_zext, T_I64, emit32(l, IR_smin, above, number(l, 32)), NONE, NONE, 0);
    uint32_t one = ir_const(l->ir, T_I64, 1), power = lower_emit(l, IR_shl, T_I64, one, count, NONE, 0);
    return lower_emit(l, IR_trunc, T_I32, lower_emit(l, IR_sub, T_I64, power, one, NONE, 0), NONE, NONE, 0);
}

static uint32_t ballot_below(struct lower *l, const uint32_t *words, uint32_t k, uint32_t limit)
{
    return emit32(l, IR_and, words[k], bits_below(l, k, limit));
}

uint32_t lower_sub_group_mask(struct lower *l, uint32_t builtin, uint32_t k)
{
    uint32_t id = lane_id(l), next = emit32(l, IR_add, id, number(l, 1));
    uint32_t all = bits_below(l, k, input(l, INPUT_SUB_GROUP_MAX_SIZE));
    uint32_t below = bits_below(l, k, id), up_to = bits_below(l, k, next);
    switch (builtin) {
    case SpvBuiltInSubgroupEqMask: return emit32(l, IR_xor, below, up_to);
    case SpvBuiltInSubgroupLtMask: return below;
    case SpvBuiltInSubgroupLeMask: return up_to;
    case SpvBuiltInSubgroupGtMask:
        return emit32(l, IR_and, all, emit32(l, IR_xor, up_to, number(l, UINT32_MAX)));
    default: return emit32(l, IR_and, all, emit32(l, IR_xor, below, number(l, UINT32_MAX)));
    }
}

static uint32_t ballot_count(struct lower *l, const uint32_t *words, uint32_t operation)
{
    uint32_t limit = operation == SpvGroupOperationReduce ? input(l, INPUT_SUB_GROUP_MAX_SIZE) : lane_id(l),
             sum = NONE;
    if (operation == SpvGroupOperationInclusiveScan)
        limit = emit32(l, IR_add, limit, number(l, 1));
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t bits = ballot_below(l, words, k, limit);
        uint32_t count = lower_math(l, OpenCLstd_Popcount, T_I32, T_I32, bits, NONE, NONE);
        sum = k ? emit32(l, IR_add, sum, count) : count;
    }
    return sum;
}

/* The number of the lowest or highest bit that is set; undefined if none is. */
static uint32_t ballot_find(struct lower *l, const uint32_t *words, bool highest)
{
    uint32_t result = number(l, 0), limit = input(l, INPUT_SUB_GROUP_MAX_SIZE);
    for (uint32_t step = 0; step < 4; step++) {
        uint32_t k = highest ? step : 3 - step, bits = ballot_below(l, words, k, limit);
        uint32_t lowest = emit32(l, IR_and, bits, emit32(l, IR_sub, number(l, 0), bits));
        uint32_t zeros = lower_math(l, OpenCLstd_Clz, T_I32, T_I32, highest ? bits : lowest, NONE, NONE);
        uint32_t found = emit32(l, IR_sub, number(l, 32 * k + 31), zeros);
        result = lower_emit(l, IR_select, T_I32, is_set(l, bits), found, result, 0);
    }
    return result;
}

/* ---- lanes that are read ------------------------------------------------------------------ */

/* (lane + delta) within clusters of `size` lanes, a power of two. */
static uint32_t rotated(struct lower *l, uint32_t delta, uint32_t size)
{
    uint32_t lane = lane_id(l), last = emit32(l, IR_sub, size, number(l, 1));
    uint32_t inside = emit32(l, IR_and, emit32(l, IR_add, lane, delta), last);
    return emit32(l, IR_or, emit32(l, IR_and, lane, lower_emit(l, IR_not, T_I32, last, NONE, NONE, 0)),
                  inside);
}

static uint32_t source_lane(struct lower *l, const uint32_t *w, uint32_t op, uint32_t n)
{
    uint32_t id = as_i32(l, lower_scalar(l, w[5]));
    switch (op) {
    case SpvOpGroupNonUniformShuffleXor: return emit32(l, IR_xor, lane_id(l), id);
    case SpvOpGroupNonUniformShuffleUp: return emit32(l, IR_sub, lane_id(l), id);
    case SpvOpGroupNonUniformShuffleDown: return emit32(l, IR_add, lane_id(l), id);
    case SpvOpGroupNonUniformRotateKHR:
        return rotated(l, id, n > 6 ? as_i32(l, lower_scalar(l, w[6])) : input(l, INPUT_SUB_GROUP_MAX_SIZE));
    default: return id;
    }
}

static void shuffle(struct lower *l, const uint32_t *w, uint32_t op, uint32_t n)
{
    const struct type *type = module_type(l->m, w[1]);
    bool first = op == SpvOpGroupNonUniformBroadcastFirst;
    bool all_alike = op == SpvOpGroupNonUniformBroadcast;
    uint32_t id = first ? NONE : source_lane(l, w, op, n), out[16];
    const char *what = first       ? "sub_group_broadcast_first"
                       : all_alike ? "sub_group_non_uniform_broadcast"
                                   : "sub_group_shuffle";
    for (uint32_t i = 0; i < type->leaves; i++) {
        uint32_t how = first ? COLLECTIVE_FIRST : COLLECTIVE_SHUFFLE;
        out[i] = gather_any(l, all_alike && i == 0 ? how | COLLECTIVE_SAME : how, lower_component(l, w[4]),
                            lower_get(l, w[4])[i], id, what);
    }
    lower_set(l, w[2], out, type->leaves);
}

/* Shuffles two registers of lanes side by side: lanes past the end of the first are those of the second. */
static void shuffle_two(struct lower *l, const uint32_t *w, bool up)
{
    uint32_t size = input(l, INPUT_SUB_GROUP_MAX_SIZE), delta = as_i32(l, lower_scalar(l, w[5])), out[16];
    /* relative to the lanes of `current` */
    uint32_t lane = emit32(l, up ? IR_sub : IR_add, lane_id(l), delta);
    uint32_t current = up ? w[4] : w[3], other = up ? w[3] : w[4];
    uint32_t there = emit32(l, up ? IR_add : IR_sub, lane, size);
    uint32_t inside = lower_emit(l, IR_ult, T_BOOL, lane, size, NONE, 0);
    enum scalar type = lower_component(l, current);
    for (uint32_t i = 0; i < module_type(l->m, w[1])->leaves; i++) {
        uint32_t here =
            gather(l, COLLECTIVE_SHUFFLE, type, lower_get(l, current)[i], lane, "intel_sub_group_shuffle");
        uint32_t beyond =
            gather(l, COLLECTIVE_SHUFFLE, type, lower_get(l, other)[i], there, "intel_sub_group_shuffle");
        out[i] = lower_emit(l, IR_select, type, inside, here, beyond, 0);
    }
    lower_set(l, w[2], out, module_type(l->m, w[1])->leaves);
}

static void shuffle_intel(struct lower *l, const uint32_t *w, bool exclusive_or)
{
    uint32_t id = as_i32(l, lower_scalar(l, w[4])), out[16], leaves = module_type(l->m, w[1])->leaves;
    if (exclusive_or)
        id = emit32(l, IR_xor, lane_id(l), id);
    for (uint32_t i = 0; i < leaves; i++)
        out[i] = gather(l, COLLECTIVE_SHUFFLE, lower_component(l, w[3]), lower_get(l, w[3])[i], id,
                        "intel_sub_group_shuffle");
    lower_set(l, w[2], out, leaves);
}

/* The lane's component i is element i * sub-group size + lane of the array that the pointer points to. */
static uint32_t block_address(struct lower *l, uint32_t pointer, uint32_t i, uint32_t bytes)
{
    uint32_t size = input(l, INPUT_SUB_GROUP_MAX_SIZE);
    uint32_t element = emit32(l, IR_add, emit32(l, IR_mul, size, number(l, i)), lane_id(l));
    return lower_emit(l, IR_index, T_I64, pointer, lower_emit(l, IR_zext, T_I64, element, NONE, NONE, 0),
                      NONE, bytes);
}

static void block_io(struct lower *l, const uint32_t *w, bool write)
{
    uint32_t pointer_id = write ? w[1] : w[3], value_id = w[2], out[16],
             pointer = lower_scalar(l, pointer_id);
    enum storage storage = lower_storage(module_value_type(l->m, pointer_id)->storage);
    const struct type *type = write ? module_value_type(l->m, value_id) : module_type(l->m, w[1]);
    enum scalar scalar = type->kind == TYPE_VECTOR ? type->element->scalar : type->scalar;
    uint32_t bytes = scalar_bytes(scalar);
    for (uint32_t i = 0; i < type->leaves; i++) {
        uint32_t address = block_address(l, pointer, i, bytes);
        if (write)
            lower_store_components(l, scalar, 1, address, 0, storage, bytes, &lower_get(l, value_id)[i],
                                   "intel_sub_group_block_write");
        else
            lower_load_components(l, scalar, 1, address, 0, storage, bytes, &out[i],
                                  "intel_sub_group_block_read");
    }
    if (!write)
        lower_set(l, w[2], out, type->leaves);
}

/* ---- votes and sums -------------------------------------------------------------------------- */

static uint32_t vote(struct lower *l, const uint32_t *w, uint32_t op)
{
    uint32_t same = NONE;
    if (op == SpvOpGroupNonUniformElect) {
        uint32_t first = gather(l, COLLECTIVE_FIRST, T_I32, lane_id(l), NONE, "sub_group_elect");
        return lower_emit(l, IR_ieq, T_BOOL, first, lane_id(l), NONE, 0);
    }
    if (op != SpvOpGroupNonUniformAllEqual)
        return gather_any(l, op == SpvOpGroupNonUniformAll ? COLLECTIVE_ALL : COLLECTIVE_ANY, T_BOOL,
                          lower_scalar(l, w[4]), NONE, "sub_group_non_uniform_all or any");
    enum scalar type = lower_component(l, w[4]);
    for (uint32_t i = 0; i < module_value_type(l->m, w[4])->leaves; i++) {
        uint32_t x = type == T_BOOL ? truth_number(l, lower_get(l, w[4])[i], T_I32) : lower_get(l, w[4])[i];
        enum scalar compared = type == T_BOOL ? T_I32 : type;
        uint32_t first = gather(l, COLLECTIVE_FIRST, compared, x, NONE, "sub_group_non_uniform_all_equal");
        uint32_t equal = lower_emit(l, compared >= T_F16 ? IR_foeq : IR_ieq, T_BOOL, x, first, NONE, 0);
        same = i ? lower_emit(l, IR_mand, T_BOOL, same, equal, NONE, 0) : equal;
    }
    return gather_any(l, COLLECTIVE_ALL, T_BOOL, same, NONE, "sub_group_non_uniform_all_equal");
}

static void combine(struct lower *l, const uint32_t *w, uint32_t how)
{
    const struct type *type = module_type(l->m, w[1]);
    uint32_t operation = w[4], out[16];
    if (operation == SpvGroupOperationClusteredReduce) {
        uint32_t size = lower_constant_bits(l, w[6]);
        if (!size || size & (size - 1) || size > 128)
            module_fail(l->m, STATUS_BAD_BINARY, "a cluster of %u lanes; it must be a power of two up to 128",
                        size);
        how |= ((uint32_t)__builtin_ctz(size) + 1) << COLLECTIVE_CLUSTER_SHIFT;
    } else {
        how = collective_scan(how, operation != SpvGroupOperationReduce,
                              operation == SpvGroupOperationExclusiveScan);
    }
    for (uint32_t i = 0; i < type->leaves; i++)
        out[i] = gather_any(l, how, lower_component(l, w[5]), lower_get(l, w[5])[i], NONE,
                            "sub_group_non_uniform reduce or scan");
    lower_set(l, w[2], out, type->leaves);
}

void lower_sub_group_op(struct lower *l, uint32_t word)
{
    const uint32_t *w = &l->m->words[word];
    uint32_t op = spv_opcode(l->m, word), n = spv_length(l->m, word), result;
    switch (op) {
    case SpvOpGroupNonUniformBallot: ballot(l, w); return;
    case SpvOpGroupNonUniformBroadcast:
    case SpvOpGroupNonUniformBroadcastFirst:
    case SpvOpGroupNonUniformShuffle:
    case SpvOpGroupNonUniformShuffleXor:
    case SpvOpGroupNonUniformShuffleUp:
    case SpvOpGroupNonUniformShuffleDown:
    case SpvOpGroupNonUniformRotateKHR: shuffle(l, w, op, n); return;
    case SpvOpSubgroupShuffleINTEL:
    case SpvOpSubgroupShuffleXorINTEL: shuffle_intel(l, w, op == SpvOpSubgroupShuffleXorINTEL); return;
    case SpvOpSubgroupShuffleUpINTEL:
    case SpvOpSubgroupShuffleDownINTEL: shuffle_two(l, w, op == SpvOpSubgroupShuffleUpINTEL); return;
    case SpvOpSubgroupBlockReadINTEL:
    case SpvOpSubgroupBlockWriteINTEL: block_io(l, w, op == SpvOpSubgroupBlockWriteINTEL); return;
    case SpvOpGroupNonUniformInverseBallot: result = ballot_bit(l, lower_get(l, w[4]), lane_id(l)); break;
    case SpvOpGroupNonUniformBallotBitExtract:
        result = ballot_bit(l, lower_get(l, w[4]), as_i32(l, lower_scalar(l, w[5])));
        break;
    case SpvOpGroupNonUniformBallotBitCount: result = ballot_count(l, lower_get(l, w[5]), w[4]); break;
    case SpvOpGroupNonUniformBallotFindLSB:
    case SpvOpGroupNonUniformBallotFindMSB:
        result = ballot_find(l, lower_get(l, w[4]), op == SpvOpGroupNonUniformBallotFindMSB);
        break;
    case SpvOpGroupNonUniformElect:
    case SpvOpGroupNonUniformAll:
    case SpvOpGroupNonUniformAny:
    case SpvOpGroupNonUniformAllEqual: result = vote(l, w, op); break;
    default: combine(l, w, spirv_op(op)->argument); return;
    }
    lower_set(l, w[2], &result, 1);
}
