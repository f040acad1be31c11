/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When "run" is fulfilled. A step is of one work-item: the others run as the schedule has them run.
 *
 *   step     the item begins another line, or is in another call
 *   next     the same, but not in a call that the line makes
 *   finish   the item is in a caller of the call
 *   until    the item begins a line past the given one in the same call, or is in a caller
 *   entry    the item begins the first line of the call; backwards only
 *
 * Forwards the first such place is where the run stops. Backwards (collect), the last place before the limit
 * where the item *began* a line counts: reverse-step goes to the beginning of the line before. A line begins
 * when the item's line before, among the calls that count, was another one.
 */
#include <string.h>

#include "debugger.h"

/* Is `call` equal to the other call, or one of its callers? */
static bool is_caller_of(const struct code *code, uint32_t call, uint32_t other)
{
    for (; other && other != call; other = code->calls[other].caller)
        ;
    return other == call;
}

static bool item_is_here(const struct debugger *d, const struct wave *wave, uint32_t *out_lane)
{
    const struct plan *plan = &d->plan;
    if (!wave->origin.launch || wave->origin.launch->launch != plan->item.launch)
        return false;
    if (d->focus.wave == wave && lane_mask_test(&wave->active, d->focus.lane) &&
        place_item_number(&wave->origin, d->focus.lane) == plan->item.number) {
        *out_lane = d->focus.lane;
        return true;
    }
    for (uint32_t lane = 0; lane < wave->lane_count; lane++) {
        if (!lane_mask_test(&wave->active, lane) ||
            place_item_number(&wave->origin, lane) != plan->item.number)
            continue;
        *out_lane = lane;
        return true;
    }
    return false;
}

static bool met_forwards(const struct plan *plan, const struct code *code, const struct code_line *line)
{
    const bool same_call = line->call == plan->call,
               in_caller = !same_call && is_caller_of(code, line->call, plan->call);
    switch (plan->mode) {
    case PLAN_STEP: return in_caller || !same_call || (line->line != plan->line && !line->returned);
    case PLAN_NEXT: return in_caller || (same_call && line->line != plan->line && !line->returned);
    case PLAN_FINISH: return in_caller;
    case PLAN_UNTIL: return in_caller || (same_call && line->line > plan->line && !line->returned);
    default: return false;
    }
}

/* Does the line count for the plan, and does it begin here? */
static bool met_backwards(struct plan *plan, const struct code *code, const struct code_line *line)
{
    const bool counts = plan->mode == PLAN_STEP || is_caller_of(code, line->call, plan->call);
    const bool known = plan->fresh || plan->previous_line;
    const bool begins = known && (line->line != plan->previous_line || line->call != plan->previous_call);
    if (!counts)
        return false;
    const bool enters = line->call == plan->call && plan->previous_call != plan->call;
    const bool first = line->call == plan->call && !plan->previous_line;
    plan->unsure |= !known;
    plan->previous_line = line->line;
    plan->previous_call = line->call;
    if (plan->mode == PLAN_FINISH)
        return line->call != plan->call;
    if (plan->mode == PLAN_ENTRY)
        return known && (enters || first);
    return begins && !line->returned;
}

bool plan_met_at_line(struct debugger *d, struct wave *wave, uint32_t line, uint32_t *out_lane)
{
    struct plan *plan = &d->plan;
    const struct code *code = wave->code;
    const bool steps = plan->mode >= PLAN_STEP && plan->mode <= PLAN_UNTIL;
    if (!(steps || plan->mode == PLAN_ENTRY) || !item_is_here(d, wave, out_lane))
        return false;
    return plan->collect ? met_backwards(plan, code, &code->debug->lines[line])
                         : met_forwards(plan, code, &code->debug->lines[line]);
}

static bool mode_of(const char *name, enum plan_mode *out_mode)
{
    static const char *const names[] = {"continue", "goto",    "step",   "next", "finish",
                                        "until",    "barrier", "launch", "entry"};
    for (size_t i = 0; name && i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i], name))
            continue;
        *out_mode = (enum plan_mode)i;
        return true;
    }
    return false;
}

/* To go on keeps the work-item that the user looks at, where a breakpoint holds for it too. */
static void focus_on_item(struct debugger *d, const struct item_id *item)
{
    struct wave *wave;
    uint32_t lane;
    if (item->number && place_find_item(d, item, &wave, &lane)) {
        d->focus.wave = wave;
        d->focus.lane = lane;
    }
}

json_t *plan_set(struct debugger *d, const json_t *request)
{
    struct plan plan = {.limit = (uint64_t)json_integer_value(json_object_get(request, "limit")),
                        .phases = (uint64_t)json_integer_value(json_object_get(request, "phases")),
                        .slices = (uint64_t)json_integer_value(json_object_get(request, "slices")),
                        .plain = json_is_true(json_object_get(request, "plain")),
                        .collect = json_is_true(json_object_get(request, "collect")),
                        .fresh = json_is_true(json_object_get(request, "fresh")),
                        .points = !json_is_false(json_object_get(request, "points")),
                        .item = {(uint32_t)json_integer_value(json_object_get(request, "launch")),
                                 (uint64_t)json_integer_value(json_object_get(request, "thread"))}};
    const char *mode = json_string_value(json_object_get(request, "mode"));
    if (!mode_of(mode, &plan.mode))
        return debugger_refuse(
            "found mode '%s', expected continue, goto, step, next, finish, until, barrier, launch or "
            "entry",
            mode ? mode : "");
    if (d->ended)
        return debugger_refuse("the run is over");
    plan.call = (uint32_t)json_integer_value(json_object_get(request, "call"));
    plan.line = (uint32_t)json_integer_value(json_object_get(request, "line"));
    if (plan.limit && plan.limit <= d->position)
        return debugger_refuse("position %llu is not after %llu", (unsigned long long)plan.limit,
                               (unsigned long long)d->position);
    if (plan.mode == PLAN_CONTINUE)
        focus_on_item(d, &plan.item);
    d->plan = plan;
    d->interrupted = 0; /* that was for what ran before */
    d->resumes = true;
    return NULL;
}
