/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What calls tell that enqueue a kernel or a marker: of fine-grained memory alone, all that the caller knows (OpenCL 2.2 API, 3.3.6,
 * host-side and device-side commands, rule (1)). It stands beside the order, which all memory has, and is asked when that knows of nothing
 * between two accesses.
 */
#include "cross_state.h"

/* ---- calls ---------------------------------------------------------------------------------- */

void cross_take_call(struct cross_launch *cross, struct member *member, uint64_t unit, uint32_t number)
{
    if (number != member->call_count + 1)
        return;
    if (!cross_room_for((void **)&member->calls, member->call_count, &member->call_room, sizeof *member->calls)) {
        cross->shadow.failed = true;
        return;
    }
    member->call_count += order_moment(&cross->order, unit, &member->calls[member->call_count]);
}

bool cross_is_call(const struct member *caller, uint32_t number)
{
    return number && number <= caller->call_count;
}

void cross_tell_member(struct cross_launch *cross, struct member *member, enum teller_what what, uint32_t teller, uint32_t number)
{
    if (!cross_room_for((void **)&member->tellers, member->teller_count, &member->teller_room, sizeof *member->tellers)) {
        cross->shadow.failed = true;
        return;
    }
    if (what == TELLS_CALL && !cross_is_call(&cross->members[teller], number))
        what = TELLS_ALL;
    member->tellers[member->teller_count++] = (struct teller){teller, number, what};
}

/* ---- who may know by them ------------------------------------------------------------------- */

static void hear(struct cross_launch *cross, uint32_t member)
{
    struct hearsay *hearsay = &cross->hearsay;
    if (!(hearsay->seen[member / 64] >> member % 64 & 1))
        hearsay->members[hearsay->count++] = member;
    hearsay->seen[member / 64] |= UINT64_C(1) << member % 64;
}

/* What was released goes to whoever acquires, perhaps: by atomics of one object, or through the host. */
static void hear_releases(struct cross_launch *cross, const struct member *by)
{
    const bool acquires = by->shape.acquires >= SCOPE_DEVICE;
    for (uint32_t i = 1; i < cross->member_count; i++) {
        const enum memory_scope scope = cross->members[i].shape.releases;
        if ((acquires && scope >= SCOPE_DEVICE) || (cross->host_knows && scope == SCOPE_ALL_SVM))
            hear(cross, i);
    }
    cross->hearsay.releases |= acquires;
}

static bool hearsay_room(struct cross_launch *cross)
{
    struct hearsay *hearsay = &cross->hearsay;
    cross_hearsay_fini(hearsay);
    hearsay->seen = calloc(cross->member_count / 64 + 1, sizeof *hearsay->seen);
    hearsay->members = calloc(cross->member_count + 1, sizeof *hearsay->members);
    cross->shadow.failed |= !hearsay->seen || !hearsay->members;
    return hearsay->seen && hearsay->members;
}

/* Whose calls, and what these heard, it may know: itself first. */
static bool gather(struct cross_launch *cross, uint32_t of)
{
    struct hearsay *hearsay = &cross->hearsay;
    if (hearsay->of == of && hearsay->of_members == cross->member_count && hearsay->of_host == cross->host_knows)
        return true;
    if (!hearsay_room(cross))
        return false;
    hear(cross, of);
    for (uint32_t i = 0; i < hearsay->count; i++) {
        const struct member *member = &cross->members[hearsay->members[i]];
        for (uint32_t k = 0; k < member->teller_count; k++)
            hear(cross, member->tellers[k].member);
        if (!hearsay->releases && (i == 0 || member->shape.acquires >= SCOPE_DEVICE))
            hear_releases(cross, member);
    }
    hearsay->of = of;
    hearsay->of_members = cross->member_count;
    hearsay->of_host = cross->host_knows;
    return true;
}

void cross_hearsay_fini(struct hearsay *hearsay)
{
    free(hearsay->seen);
    free(hearsay->members);
    *hearsay = (struct hearsay){.of = 0};
}

static bool tells(const struct cross_launch *cross, const struct teller *teller, uint64_t unit, uint64_t tick)
{
    switch (teller->what) {
    case TELLS_CALL: return order_moment_knows(&cross->order, &cross->members[teller->member].calls[teller->number - 1], IN_GLOBAL, unit, tick);
    case TELLS_ALL: return cross->group_launch[order_unit_group(&cross->order, unit)] == teller->member;
    case TELLS_HEARSAY: return false;
    }
    return false;
}

bool cross_was_told(struct cross_launch *cross, uint32_t member, uint64_t unit, uint64_t tick)
{
    if (!gather(cross, member))
        return true;
    for (uint32_t i = 0; i < cross->hearsay.count; i++) {
        const struct member *by = &cross->members[cross->hearsay.members[i]];
        for (uint32_t k = 0; k < by->teller_count; k++)
            if (tells(cross, &by->tellers[k], unit, tick))
                return true;
    }
    return false;
}
