/* SPDX-License-Identifier: Apache-2.0 */
/* Group functions: gather from the stopped waves in order of local linear id, compute, scatter. */
#include <stdlib.h>
#include <string.h>

#include "half.h"
#include "interp.h"
#include "math.h"

/* One participant. */
struct member { struct wave *wave; uint32_t lane; };

struct collective {
    enum collective_op what;
    bool is_unsigned, exclusive;
    enum math_type type;
    uint32_t bytes, id_count;
    const uint32_t *operands; /* result, value, ids: V slots */
};

static uint64_t read_lane(const struct member *member, uint32_t slot, uint32_t bytes)
{
    uint64_t value = 0;
    memcpy(&value, member->wave->frame + slot + member->lane * bytes, bytes);
    return value;
}

static void write_result(const struct collective *c, const struct member *member, uint64_t value)
{
    memcpy(member->wave->frame + c->operands[0] + member->lane * c->bytes, &value, c->bytes);
}

static uint64_t value_of(const struct collective *c, const struct member *member)
{
    return read_lane(member, c->operands[1], c->bytes);
}

/* ---- arithmetic ------------------------------------------------------------------ */

enum step { STEP_ADD, STEP_MIN, STEP_MAX };

static enum step step_of(const struct collective *c)
{
    switch (c->what) {
    case COLLECTIVE_REDUCE_MIN: case COLLECTIVE_SCAN_MIN: return STEP_MIN;
    case COLLECTIVE_REDUCE_MAX: case COLLECTIVE_SCAN_MAX: return STEP_MAX;
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

static uint64_t add_floats(enum math_type type, uint64_t a, uint64_t b)
{
    if (type == MATH_F16)
        return float_to_half(half_to_float((uint16_t)a) + half_to_float((uint16_t)b));
    if (type == MATH_F32)
        return float_bits(bits_float((uint32_t)a) + bits_float((uint32_t)b));
    const double sum = double_of(type, a) + double_of(type, b);
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    return bits;
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
    const enum step step = step_of(c);
    const uint64_t top = (uint64_t)1 << (8 * c->bytes - 1);
    if (step == STEP_ADD)
        return 0;
    if (c->type >= MATH_F16)
        return float_infinity(c->type, step == STEP_MAX);
    if (c->is_unsigned)
        return step == STEP_MIN ? UINT64_MAX : 0;
    return step == STEP_MIN ? top - 1 : top;
}

/* ---- the functions ---------------------------------------------------------------------- */

static void give_all(const struct collective *c, const struct member *members, size_t count, uint64_t value)
{
    for (size_t i = 0; i < count; i++)
        write_result(c, &members[i], value);
}

static void vote(const struct collective *c, const struct member *members, size_t count)
{
    size_t true_count = 0;
    for (size_t i = 0; i < count; i++)
        true_count += value_of(c, &members[i]) != 0;
    give_all(c, members, count, c->what == COLLECTIVE_ALL ? true_count == count : true_count > 0);
}

static uint32_t linear_id(const struct member *member) { return member->wave->origin.first_lane + member->lane; }

/* Linear id of the lane that the ids of the first member name. */
static uint64_t broadcast_source(const struct collective *c, const struct member *first, uint32_t sub_group_size)
{
    const uint32_t *size = first->wave->origin.tile_size;
    uint64_t linear = 0;
    for (uint32_t k = c->id_count; k-- > 0;)
        linear = linear * size[k] + read_lane(first, c->operands[2 + k], 8);
    return sub_group_size ? linear_id(first) / sub_group_size * sub_group_size + linear : linear;
}

static void broadcast(const struct collective *c, const struct member *members, size_t count, uint32_t sub_group_size)
{
    const uint64_t source = broadcast_source(c, members, sub_group_size);
    uint64_t value = 0;
    for (size_t i = 0; i < count; i++)
        if (linear_id(&members[i]) == source)
            value = value_of(c, &members[i]);
    give_all(c, members, count, value);
}

static void reduce(const struct collective *c, const struct member *members, size_t count)
{
    uint64_t value = value_of(c, &members[0]);
    for (size_t i = 1; i < count; i++)
        value = combined(c, value, value_of(c, &members[i]));
    give_all(c, members, count, value);
}

static void scan(const struct collective *c, const struct member *members, size_t count)
{
    uint64_t before = identity(c);
    for (size_t i = 0; i < count; i++) {
        const uint64_t own = value_of(c, &members[i]), with_own = i ? combined(c, before, own) : own;
        write_result(c, &members[i], c->exclusive ? before : with_own);
        before = with_own;
    }
}

static void perform(const struct collective *c, const struct member *members, size_t count, uint32_t sub_group_size)
{
    switch (c->what) {
    case COLLECTIVE_ALL: case COLLECTIVE_ANY: vote(c, members, count); break;
    case COLLECTIVE_BROADCAST: broadcast(c, members, count, sub_group_size); break;
    case COLLECTIVE_REDUCE_ADD: case COLLECTIVE_REDUCE_MIN: case COLLECTIVE_REDUCE_MAX: reduce(c, members, count); break;
    default: scan(c, members, count); break;
    }
}

/* ---- gathering ---------------------------------------------------------------------------- */

static struct collective collective_of(const struct wave *wave)
{
    static const uint8_t bytes[MATH_TYPES] = {1, 2, 4, 8, 2, 4, 8};
    const struct insn *insn = wave->wait;
    const struct launch_info *launch = wave->origin.launch;
    struct collective c = {.what = (enum collective_op)(insn->f & 63), .is_unsigned = insn->f & COLLECTIVE_UNSIGNED,
                           .exclusive = insn->f & COLLECTIVE_EXCLUSIVE, .type = (enum math_type)(insn->f >> 16 & 0xff),
                           .operands = &wave->code->operands[insn->d]};
    c.bytes = bytes[c.type];
    c.id_count = insn->f >> 24;
    if (!c.id_count)
        c.id_count = (insn->f >> 8 & 0xff) == SCOPE_SUB_GROUP || !launch ? 1 : launch->work_dim;
    return c;
}

static uint32_t wave_end(const struct wave *wave) { return wave->origin.first_lane + wave->lane_count; }

/* Members by linear id; places of lanes that do not take part have no wave. */
static struct member *gather(struct wave *const *waves, size_t wave_count, size_t *out_places)
{
    size_t places = 0;
    for (size_t w = 0; w < wave_count; w++)
        if (wave_end(waves[w]) > places)
            places = wave_end(waves[w]);
    struct member *members = calloc(places ? places : 1, sizeof *members);
    *out_places = places;
    for (size_t w = 0; members && w < wave_count; w++)
        for (uint32_t lane = 0; lane < waves[w]->lane_count; lane++)
            if (lane_mask_test(&waves[w]->active, lane))
                members[waves[w]->origin.first_lane + lane] = (struct member){waves[w], lane};
    return members;
}

static size_t close_ranks(struct member *members, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (members[i].wave)
            members[kept++] = members[i];
    return kept;
}

void collective_perform(struct wave *const *waves, size_t wave_count, uint32_t sub_group_size)
{
    size_t places = 0;
    struct member *members = wave_count ? gather(waves, wave_count, &places) : NULL;
    if (!members && wave_count) /* without results the launch is worth nothing */
        waves[0]->host->print(waves[0]->host->self, waves[0], NULL, 0);
    if (!members)
        return;
    const struct collective c = collective_of(waves[0]);
    const size_t step = sub_group_size ? sub_group_size : places;
    for (size_t first = 0; first < places; first += step) {
        const size_t count = close_ranks(members + first, places - first < step ? places - first : step);
        if (count)
            perform(&c, members + first, count, sub_group_size);
    }
    free(members);
}
