/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Group functions (OpenCL C 3.0, 6.15.19 and the sub-group extensions). When all waves of the group have
 * stopped at the function, the operands are gathered in order of local linear id, the results are computed,
 * and they are scattered to the lanes.
 */
#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "exec_control.h"
#include "half.h"
#include "interp.h"
#include "math.h"

enum { SUB_GROUP_LANES_MAX = 128 };

/* One participant. bits: the uninitialised ones of its result, kept until all operands have been read. */
struct collective_member {
    struct wave *wave;
    uint32_t lane;
    uint64_t bits;
};

struct collective {
    enum collective_op what;
    bool is_unsigned, exclusive, same;
    bool tracked;     /* the results have uninitialised bits */
    bool of_bits;     /* it computes these: the value is that of the operands, and results are kept */
    uint32_t cluster; /* number of lanes that are reduced together; 0: all */
    enum math_type type;
    uint32_t bytes, id_count, site;
    const uint32_t *operands;             /* result, value, ids: V slots */
    uint32_t bits_slot, result_bits_slot; /* of the value's and the result's uninitialised bits, if tracked */
};

static uint64_t read_lane(const struct collective_member *member, uint32_t slot, uint32_t bytes)
{
    uint64_t value = 0;
    memcpy(&value, member->wave->frame + slot + member->lane * bytes, bytes);
    return value;
}

static uint32_t linear_id(const struct collective_member *member)
{
    return member->wave->origin.first_lane + member->lane;
}

static void write_result(const struct collective *c, struct collective_member *member, uint64_t value)
{
    if (c->of_bits)
        member->bits = value;
    else
        memcpy(member->wave->frame + c->operands[0] + member->lane * c->bytes, &value, c->bytes);
}

static uint64_t value_of(const struct collective *c, const struct collective_member *member)
{
    return read_lane(member, c->of_bits ? c->bits_slot : c->operands[1], c->bytes);
}

/* ---- arithmetic ------------------------------------------------------------------ */

enum collective_operation { STEP_ADD, STEP_MIN, STEP_MAX, STEP_MUL, STEP_AND, STEP_OR, STEP_XOR };

static enum collective_operation step_of(const struct collective *c)
{
    switch (c->what) {
    case COLLECTIVE_REDUCE_MIN:
    case COLLECTIVE_SCAN_MIN: return STEP_MIN;
    case COLLECTIVE_REDUCE_MAX:
    case COLLECTIVE_SCAN_MAX: return STEP_MAX;
    case COLLECTIVE_REDUCE_MUL:
    case COLLECTIVE_SCAN_MUL: return STEP_MUL;
    case COLLECTIVE_REDUCE_AND:
    case COLLECTIVE_SCAN_AND: return STEP_AND;
    case COLLECTIVE_REDUCE_OR:
    case COLLECTIVE_SCAN_OR: return STEP_OR;
    case COLLECTIVE_REDUCE_XOR:
    case COLLECTIVE_SCAN_XOR: return STEP_XOR;
    default: return STEP_ADD;
    }
}

static double double_of(enum math_type type, uint64_t bits)
{
    double x;
    if (type == MATH_F16)
        return half_to_float((uint16_t)bits);
    if (type == MATH_F32)
        return bits_float((uint32_t)bits);
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint64_t double_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static uint64_t add_floats(enum math_type type, uint64_t a, uint64_t b)
{
    if (type == MATH_F16)
        return float_to_half(half_to_float((uint16_t)a) + half_to_float((uint16_t)b));
    if (type == MATH_F32)
        return float_bits(bits_float((uint32_t)a) + bits_float((uint32_t)b));
    return double_bits(double_of(type, a) + double_of(type, b));
}

static uint64_t multiply_floats(enum math_type type, uint64_t a, uint64_t b)
{
    if (type == MATH_F16)
        return float_to_half(half_to_float((uint16_t)a) * half_to_float((uint16_t)b));
    if (type == MATH_F32)
        return float_bits(bits_float((uint32_t)a) * bits_float((uint32_t)b));
    return double_bits(double_of(type, a) * double_of(type, b));
}

static int64_t extended(const struct collective *c, uint64_t bits)
{
    const uint32_t unused = 64 - 8 * c->bytes;
    return (int64_t)(bits << unused) >> unused;
}

static bool less(const struct collective *c, uint64_t a, uint64_t b)
{
    if (c->type >= MATH_F16)
        return double_of(c->type, a) < double_of(c->type, b);
    return c->is_unsigned ? a < b : extended(c, a) < extended(c, b);
}

static uint64_t combined(const struct collective *c, uint64_t a, uint64_t b)
{
    switch (step_of(c)) {
    case STEP_MIN: return less(c, b, a) ? b : a;
    case STEP_MAX: return less(c, a, b) ? b : a;
    case STEP_MUL: return c->type >= MATH_F16 ? multiply_floats(c->type, a, b) : a * b;
    case STEP_AND: return a & b;
    case STEP_OR: return a | b;
    case STEP_XOR: return a ^ b;
    default: return c->type >= MATH_F16 ? add_floats(c->type, a, b) : a + b;
    }
}

static uint64_t float_infinity(enum math_type type, bool negative)
{
    if (type == MATH_F16)
        return negative ? 0xfc00 : 0x7c00;
    if (type == MATH_F32)
        return negative ? 0xff800000u : 0x7f800000u;
    return negative ? 0xfff0000000000000u : 0x7ff0000000000000u;
}

static uint64_t identity(const struct collective *c)
{
    const enum collective_operation step = step_of(c);
    const uint64_t top = (uint64_t)1 << (8 * c->bytes - 1);
    if (step == STEP_ADD || step == STEP_OR || step == STEP_XOR)
        return 0;
    if (step == STEP_MUL)
        return c->type == MATH_F16   ? 0x3c00
               : c->type == MATH_F32 ? float_bits(1)
               : c->type == MATH_F64 ? double_bits(1)
                                     : 1;
    if (step == STEP_AND)
        return UINT64_MAX;
    if (c->type >= MATH_F16)
        return float_infinity(c->type, step == STEP_MAX);
    if (c->is_unsigned)
        return step == STEP_MIN ? UINT64_MAX : 0;
    return step == STEP_MIN ? top - 1 : top;
}

/* ---- the functions ---------------------------------------------------------------------- */

static void give_all(const struct collective *c, struct collective_member *members, size_t count,
                     uint64_t value)
{
    for (size_t i = 0; i < count; i++)
        write_result(c, &members[i], value);
}

static void vote(const struct collective *c, struct collective_member *members, size_t count)
{
    size_t true_count = 0;
    for (size_t i = 0; i < count; i++)
        true_count += value_of(c, &members[i]) != 0;
    give_all(c, members, count, c->what == COLLECTIVE_ALL ? true_count == count : true_count > 0);
}

/* The linear id of the lane that the operands of the first member name. */
static uint64_t broadcast_source(const struct collective *c, const struct collective_member *first,
                                 uint32_t sub_group_size)
{
    CHECKED(c->id_count >= 1 && c->id_count <= 3);
    const uint32_t *size = first->wave->origin.tile_size;
    uint64_t linear = 0;
    for (uint32_t k = c->id_count; k-- > 0;)
        linear = linear * size[k] + read_lane(first, c->operands[2 + k], 8);
    return sub_group_size ? linear_id(first) / sub_group_size * sub_group_size + linear : linear;
}

static void broadcast(const struct collective *c, struct collective_member *members, size_t count,
                      uint32_t sub_group_size)
{
    const uint64_t source = broadcast_source(c, members, sub_group_size);
    uint64_t value = 0;
    for (size_t i = 0; i < count; i++)
        if (linear_id(&members[i]) == source)
            value = value_of(c, &members[i]);
    give_all(c, members, count, value);
}

static void reduce_all(const struct collective *c, struct collective_member *members, size_t count)
{
    CHECKED(count > 0);
    uint64_t value = value_of(c, &members[0]);
    for (size_t i = 1; i < count; i++)
        value = combined(c, value, value_of(c, &members[i]));
    give_all(c, members, count, value);
}

static void reduce(const struct collective *c, struct collective_member *members, size_t count,
                   uint32_t sub_group_size)
{
    if (!c->cluster) {
        reduce_all(c, members, count);
        return;
    }
    for (size_t first = 0, end; first < count; first = end) {
        const uint32_t cluster = linear_id(&members[first]) % sub_group_size / c->cluster;
        for (end = first; end < count && linear_id(&members[end]) % sub_group_size / c->cluster == cluster;)
            end++;
        reduce_all(c, members + first, end - first);
    }
}

/* ---- sub-groups, lane by lane ----------------------------------------------------------------- */

/* A lane that reads an inactive lane gets zero: the value is undefined. */
static void shuffle(const struct collective *c, struct collective_member *members, size_t count,
                    uint32_t sub_group_size)
{
    CHECKED(sub_group_size <= SUB_GROUP_LANES_MAX);
    uint64_t values[SUB_GROUP_LANES_MAX] = {0};
    for (size_t i = 0; i < count; i++)
        values[linear_id(&members[i]) % sub_group_size] = value_of(c, &members[i]);
    for (size_t i = 0; i < count; i++) {
        const uint64_t source = read_lane(&members[i], c->operands[2], 8);
        write_result(c, &members[i], source < SUB_GROUP_LANES_MAX ? values[source] : 0);
    }
}

static void ballot(const struct collective *c, struct collective_member *members, size_t count,
                   uint32_t sub_group_size)
{
    const uint32_t first = c->what == COLLECTIVE_BALLOT_HIGH ? 64 : 0;
    uint64_t bits = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t lane = linear_id(&members[i]) % sub_group_size - first;
        if (lane < 64 && value_of(c, &members[i]))
            bits |= (uint64_t)1 << lane;
    }
    give_all(c, members, count, bits);
}

static void scan(const struct collective *c, struct collective_member *members, size_t count)
{
    uint64_t before = identity(c);
    for (size_t i = 0; i < count; i++) {
        const uint64_t own = value_of(c, &members[i]), with_own = i ? combined(c, before, own) : own;
        write_result(c, &members[i], c->exclusive ? before : with_own);
        before = with_own;
    }
}

/* ---- arguments that all have to give alike ------------------------------------------------------- */

static bool finds_places(const struct collective *c)
{
    return c->what == COLLECTIVE_BROADCAST || c->what == COLLECTIVE_SHUFFLE;
}

/* Reports operands that differ. Ids of a broadcast come after the value; of a pipe function all operands
 * are compared. */
static void report_difference(const struct collective *c, const struct collective_member *first,
                              const struct collective_member *other, uint32_t k)
{
    const struct disagreement differ = {
        .origin = other->wave->origin,
        .lane = other->lane,
        .argument = k + (finds_places(c) ? 2 : 1),
        .is_address = !finds_places(c) && k == 0,
        .value = {read_lane(first, c->operands[2 + k], 8), read_lane(other, c->operands[2 + k], 8)}};
    const struct fault fault = {.kind = FAULT_NON_UNIFORM,
                                .site = c->site,
                                .lane = first->lane,
                                .lanes = 1,
                                .continues = true,
                                .differ = &differ};
    first->wave->host->fault(first->wave->host->self, first->wave, &fault);
}

static void check_same(const struct collective *c, const struct collective_member *members, size_t count)
{
    for (uint32_t k = 0; k < c->id_count; k++) {
        const uint64_t expected = read_lane(&members[0], c->operands[2 + k], 8);
        for (size_t i = 1; i < count; i++)
            if (read_lane(&members[i], c->operands[2 + k], 8) != expected) {
                report_difference(c, &members[0], &members[i], k);
                return;
            }
    }
}

/* The size of the group along a dimension, or of the sub-group. */
static uint64_t places_along(const struct collective_member *member, uint32_t dimension,
                             uint32_t sub_group_size)
{
    const uint32_t *size = member->wave->origin.tile_size;
    if (!sub_group_size)
        return size[dimension];
    const uint64_t left =
        (uint64_t)size[0] * size[1] * size[2] - linear_id(member) / sub_group_size * sub_group_size;
    return left < sub_group_size ? left : sub_group_size;
}

/* Reports a broadcast from a place that no work-item has. */
static void check_places(const struct collective *c, const struct collective_member *first,
                         uint32_t sub_group_size)
{
    for (uint32_t k = 0; k < c->id_count; k++) {
        const struct disagreement differ = {
            .origin = first->wave->origin,
            .lane = first->lane,
            .argument = k + 2,
            .sub_group = sub_group_size,
            .value = {read_lane(first, c->operands[2 + k], 8), places_along(first, k, sub_group_size)}};
        const struct fault fault = {.kind = FAULT_NO_WORK_ITEM,
                                    .site = c->site,
                                    .lane = first->lane,
                                    .lanes = 1,
                                    .continues = true,
                                    .differ = &differ};
        if (differ.value[0] >= differ.value[1]) {
            first->wave->host->fault(first->wave->host->self, first->wave, &fault);
            return;
        }
    }
}

static void compute(const struct collective *c, struct collective_member *members, size_t count,
                    uint32_t sub_group_size)
{
    switch (c->what) {
    case COLLECTIVE_ALL:
    case COLLECTIVE_ANY: vote(c, members, count); break;
    case COLLECTIVE_BROADCAST: broadcast(c, members, count, sub_group_size); break;
    case COLLECTIVE_SHUFFLE: shuffle(c, members, count, sub_group_size); break;
    case COLLECTIVE_FIRST: give_all(c, members, count, value_of(c, &members[0])); break;
    case COLLECTIVE_BALLOT_LOW:
    case COLLECTIVE_BALLOT_HIGH: ballot(c, members, count, sub_group_size); break;
    case COLLECTIVE_REDUCE_ADD:
    case COLLECTIVE_REDUCE_MIN:
    case COLLECTIVE_REDUCE_MAX:
    case COLLECTIVE_REDUCE_MUL:
    case COLLECTIVE_REDUCE_AND:
    case COLLECTIVE_REDUCE_OR:
    case COLLECTIVE_REDUCE_XOR: reduce(c, members, count, sub_group_size); break;
    default: scan(c, members, count); break;
    }
}

/* Which of the results are uninitialised: as the values go, where one goes to each lane; else those that come
 * after an uninitialised value. The result's slot may be that of an operand, so this comes first. */
static void compute_bits(const struct collective *c, struct collective_member *members, size_t count,
                         uint32_t sub_group_size)
{
    struct collective bits = *c;
    bits.of_bits = true;
    bits.type = MATH_I64;
    if (c->exclusive)
        bits.what = COLLECTIVE_SCAN_OR;
    compute(&bits, members, count, sub_group_size);
}

static void perform(const struct collective *c, struct collective_member *members, size_t count,
                    uint32_t sub_group_size)
{
    if (c->same)
        check_same(c, members, count);
    if (c->what == COLLECTIVE_BROADCAST)
        check_places(c, &members[0], sub_group_size);
    if (c->tracked)
        compute_bits(c, members, count, sub_group_size);
    compute(c, members, count, sub_group_size);
    for (size_t i = 0; c->tracked && i < count; i++)
        memcpy(members[i].wave->frame + c->result_bits_slot + members[i].lane * c->bytes, &members[i].bits,
               c->bytes);
}

/* ---- gathering ---------------------------------------------------------------------------- */

static struct collective collective_of(const struct wave *wave)
{
    static const uint8_t bytes[MATH_TYPES] = {1, 2, 4, 8, 2, 4, 8};
    const struct insn *insn = wave->wait;
    const struct launch_info *launch = wave->origin.launch;
    struct collective c = {.what = (enum collective_op)(insn->f & COLLECTIVE_OP_MASK),
                           .is_unsigned = insn->f & COLLECTIVE_UNSIGNED,
                           .exclusive = insn->f & COLLECTIVE_EXCLUSIVE,
                           .same = insn->f & COLLECTIVE_SAME,
                           .tracked = insn->f & COLLECTIVE_TRACKED,
                           .site = insn->e,
                           .type = (enum math_type)(insn->f >> COLLECTIVE_TYPE_SHIFT & 0xff),
                           .operands = &wave->code->operands[insn->d]};
    c.result_bits_slot = c.operands[0];
    c.operands += c.tracked;
    const uint32_t cluster = insn->f >> COLLECTIVE_CLUSTER_SHIFT & 15;
    CHECKED(c.type < MATH_TYPES);
    c.cluster = cluster ? 1u << (cluster - 1) : 0;
    c.bytes = bytes[c.type];
    const uint32_t ids = collective_ids(insn->f);
    c.id_count = ids;
    if (!ids)
        c.id_count = collective_scope(insn->f) == SCOPE_SUB_GROUP || !launch ? 1 : launch->work_dim;
    if (c.tracked)
        c.bits_slot = c.operands[2 + ids];
    return c;
}

static uint32_t wave_end(const struct wave *wave)
{
    return wave->origin.first_lane + wave->lane_count;
}

/* Members by linear id; lanes that do not take part have no wave. */
static void gather(struct wave *const *waves, size_t wave_count, struct collective_member *members)
{
    for (size_t w = 0; w < wave_count; w++)
        for (uint32_t lane = 0; lane < waves[w]->lane_count; lane++)
            if (lane_mask_test(&waves[w]->active, lane))
                members[waves[w]->origin.first_lane + lane] = (struct collective_member){waves[w], lane, 0};
}

static size_t close_ranks(struct collective_member *members, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (members[i].wave)
            members[kept++] = members[i];
    return kept;
}

static void perform_all(struct wave *const *waves, size_t wave_count, uint32_t sub_group_size,
                        struct collective_member *members, size_t places)
{
    const struct collective c = collective_of(waves[0]);
    CHECKED(places > 0);
    const size_t step = sub_group_size ? sub_group_size : places;
    gather(waves, wave_count, members);
    for (size_t first = 0; first < places; first += step) {
        const size_t count = close_ranks(members + first, places - first < step ? places - first : step);
        if (count)
            perform(&c, members + first, count, sub_group_size);
    }
}

void collective_perform(struct wave *const *waves, size_t wave_count, uint32_t sub_group_size)
{
    struct collective_member few[WAVE_LANES_MAX] = {{0}}, *members = few;
    size_t places = 0;
    for (size_t w = 0; w < wave_count; w++)
        if (wave_end(waves[w]) > places)
            places = wave_end(waves[w]);
    if (places > WAVE_LANES_MAX)
        members = calloc(places, sizeof *members);
    if (members && wave_count)
        perform_all(waves, wave_count, sub_group_size, members, places);
    else if (wave_count) /* without results the launch cannot continue */
        waves[0]->host->print(waves[0]->host->self, waves[0], NULL, 0);
    if (members != few)
        free(members);
}

void exec_collective_alone(struct wave *wave)
{
    const bool in_sub_group = collective_scope(wave->wait->f) == SCOPE_SUB_GROUP;
    collective_perform(&wave, 1, in_sub_group ? wave->origin.launch->sub_group_size : 0);
}
