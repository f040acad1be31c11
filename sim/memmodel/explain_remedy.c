/* SPDX-License-Identifier: Apache-2.0 */
#include "edges.h"
#include "explain_state.h"

static void say_at(const struct question *question, const struct code_place *place, struct wording *fix)
{
    wording_add(fix, place->before ? " before " : " behind ");
    wording_place(fix, question->host, place->site);
}

static bool in_one_group(const struct question *question, const struct meeting *meeting)
{
    return unit_group(question, meeting->first.unit) == unit_group(question, meeting->second.unit);
}

static bool all_in_one_group(const struct question *question)
{
    for (uint32_t i = 0; i < question->meeting_count; i++) {
        if (!in_one_group(question, &question->meetings[i]))
            return false;
    }
    return true;
}

/* All that one kernel does happens before a later launch: the place is what has to be right. */
static bool separate(const struct question *question, struct wording *fix, struct remedy *remedy)
{
    const struct checker_host *host = question->host;
    const struct meeting *meeting = question->meetings;
    const bool barrier = in_one_group(question, meeting) && (question->region == IN_LOCAL || all_in_one_group(question));
    if (!host->between || !host->between(host->self, meeting->first.site, meeting->second.site, &remedy->place))
        return false;
    if (!barrier && question->region == IN_LOCAL)
        return false;
    if (barrier && !again_barrier(question, &remedy->place))
        return false;
    remedy->kind = barrier ? REMEDY_BARRIER : REMEDY_SPLIT;
    if (barrier)
        wording_add(fix, "work_group_barrier(%s)", region_flag(question->region));
    else
        wording_add(fix, "two kernels, split");
    say_at(question, &remedy->place, fix);
    return true;
}

/* Two places are likelier meant to come one after the other, but for x++ in different groups. */
static bool meant_to_meet(const struct question *question)
{
    const struct checker_host *host = question->host;
    struct source_place a, b;
    if (question->meetings->first.site == question->meetings->second.site)
        return true;
    if (unit_group(question, question->meetings->first.unit) == unit_group(question, question->meetings->second.unit))
        return false;
    host->place(host->self, question->meetings->first.site, &a);
    host->place(host->self, question->meetings->second.site, &b);
    return a.line && a.line == b.line && same_text(a.file, b.file);
}

/* R29: two atomics on one object do not race when their scopes include each other. Words of 4 bytes that meet are one. */
static bool agree(const struct question *question, struct wording *fix, struct remedy *remedy)
{
    const bool one_atomic = question->meetings->first.atomic != question->meetings->second.atomic;
    const struct asked *atomic = question->meetings->first.atomic ? &question->meetings->first : &question->meetings->second;
    const struct asked *plain = question->meetings->first.atomic ? &question->meetings->second : &question->meetings->first;
    const enum memory_scope scope = one_atomic ? atomic->scope : all_in_one_group(question) ? SCOPE_WORK_GROUP : SCOPE_DEVICE;
    if (question->region == IN_IMAGE || question->meetings->first.size != 4 || question->meetings->second.size != 4)
        return false;
    if (!one_atomic && !meant_to_meet(question))
        return false;
    *remedy = (struct remedy){.kind = REMEDY_ATOMIC, .scope = scope};
    if (!explain_serves(question->launch, question->rule, remedy, question->meetings->first.unit, question->meetings->second.unit))
        return false;
    wording_add(fix, one_atomic ? "an atomic operation with %s at " : "atomic operations with %s at ", scope_name(scope));
    wording_place(fix, question->host, plain->site);
    return true;
}

bool explain_serves(const struct launch_info *launch, enum scope_rule rule, const struct remedy *remedy, uint64_t first, uint64_t second)
{
    if (first >= UNIT_COPIES || second >= UNIT_COPIES)
        return remedy->kind == REMEDY_SPLIT;
    const struct place a = unit_place(launch, first), b = unit_place(launch, second);
    switch (remedy->kind) {
    case REMEDY_BARRIER: return a.group == b.group;
    case REMEDY_ATOMIC: return scope_inclusive(rule, remedy->scope, &a, remedy->scope, &b);
    default: return true;
    }
}

bool explain_remedy(const struct question *question, struct wording *out_fix, struct remedy *out_remedy)
{
    const struct meeting *meeting = question->meetings;
    *out_fix = (struct wording){.used = 0};
    *out_remedy = (struct remedy){.kind = REMEDY_NONE};
    if (meeting->first.unit >= UNIT_COPIES || meeting->second.unit >= UNIT_COPIES)
        return false;
    if (separate(question, out_fix, out_remedy) || agree(question, out_fix, out_remedy))
        return true;
    out_remedy->kind = REMEDY_NONE;
    return false;
}
