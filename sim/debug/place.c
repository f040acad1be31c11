/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The places of work-items. A lane that runs stands at the line that began last in its wave; one that
 * stopped, at the line before its next instruction; one that is parked, at the first line of its block. Calls
 * are inlined, so the frames of a lane follow from the line alone: each line knows its call, each call its
 * caller.
 */
#include <string.h>

#include "orrery/checked.h"
#include "debugger.h"

uint64_t place_item_number(const struct origin *origin, uint32_t lane)
{
    struct item item;
    const struct launch_info *l = origin->launch;
    origin_item(origin, lane, &item);
    for (int i = 0; i < 3; i++)
        item.global_id[i] -= l->global_offset[i];
    return 1 + (item.global_id[2] * l->global_size[1] + item.global_id[1]) * l->global_size[0] +
           item.global_id[0];
}

static bool lane_exists(const struct wave *wave, uint32_t lane)
{
    return lane < wave->lane_count && lane_mask_test(&wave->live, lane);
}

bool place_find_item(const struct debugger *d, const struct item_id *id, struct wave **out_wave,
                     uint32_t *out_lane)
{
    for (uint32_t i = 0; i < d->wave_count; i++) {
        struct wave *wave = d->waves[i].wave;
        if (!wave->origin.launch || wave->origin.launch->launch != id->launch)
            continue;
        for (uint32_t lane = 0; lane < wave->lane_count; lane++) {
            if (!lane_exists(wave, lane) || place_item_number(&wave->origin, lane) != id->number)
                continue;
            *out_wave = wave;
            *out_lane = lane;
            return true;
        }
    }
    return false;
}

enum place_lane_state place_lane_state(const struct debugger *d, const struct wave *wave, uint32_t lane)
{
    if (!lane_exists(wave, lane))
        return LANE_GONE;
    if (!lane_mask_test(&wave->active, lane))
        return LANE_PARKED;
    if (wave == d->running)
        return LANE_RUNS;
    return wave->stop == RUN_BARRIER || wave->stop == RUN_COLLECTIVE ? LANE_BARRIER : LANE_READY;
}

const char *place_lane_state_name(enum place_lane_state state)
{
    static const char *const names[] = {"ended", "runs", "ready", "waits for the lanes of its wave",
                                        "waits at a barrier"};
    CHECKED((size_t)state < sizeof names / sizeof *names);
    return names[state];
}

const char *place_code_file(const struct code *code, uint32_t string)
{
    return string < code->string_count ? code->strings[string] : "";
}

static uint32_t line_after(const struct code *code, uint32_t at)
{
    for (; at < code->insn_count; at++)
        if (code->ops[at] == OP_line)
            return code->insns[at].e;
    return UINT32_MAX;
}

/* Returns the latest line mark of the block before the instruction, else the next one. */
static uint32_t line_before(const struct code *code, uint32_t at)
{
    CHECKED(at <= code->insn_count);
    for (uint32_t i = at; i-- > 0;) {
        if (code->ops[i] == OP_line)
            return code->insns[i].e;
        if (code->ops[i] == OP_jump || code->ops[i] == OP_loop || code->ops[i] == OP_ret)
            break;
    }
    return line_after(code, at);
}

uint32_t place_lane_line(const struct debugger *d, const struct wave *wave, uint32_t lane)
{
    const struct code *code = wave->code;
    if (!lane_mask_test(&wave->active, lane)) {
        for (uint32_t b = 0; b < code->block_count; b++)
            if (wave->pending_set[b / 64] >> b % 64 & 1 && lane_mask_test(&wave->pending[b], lane))
                return line_after(code, code->block_start[b]);
        return UINT32_MAX;
    }
    for (uint32_t i = 0; i < d->wave_count; i++)
        if (d->waves[i].wave == wave && wave == d->running && d->waves[i].line != UINT32_MAX)
            return d->waves[i].line;
    return wave->resume ? line_before(code, (uint32_t)(wave->resume - code->insns)) : UINT32_MAX;
}

bool place_find_frame(const struct view *view, uint32_t level, struct frame *out_frame)
{
    const struct code *code = view->wave->code;
    const uint32_t index = place_lane_line(view->debugger, view->wave, view->lane);
    if (index == UINT32_MAX)
        return false;
    CHECKED(index < code->debug->line_count);
    const struct code_line *line = &code->debug->lines[index];
    *out_frame = (struct frame){code->debug->functions[line->call],
                                place_code_file(code, line->file),
                                line->line,
                                line->column,
                                line->call,
                                line->scope,
                                index};
    for (; level; level--) {
        const struct code_call *call = &code->calls[out_frame->call];
        if (!out_frame->call ||
            !call->line) /* the entry that the translator adds calls the kernel from no line */
            return false;
        *out_frame = (struct frame){code->debug->functions[call->caller],
                                    place_code_file(code, call->file),
                                    call->line,
                                    call->column,
                                    call->caller,
                                    code->debug->call_scopes[out_frame->call],
                                    index};
    }
    return true;
}

bool place_view(struct debugger *d, struct wave *wave, uint32_t lane, uint32_t level, struct view *out_view)
{
    struct frame frame;
    *out_view = (struct view){.debugger = d, .wave = wave, .lane = lane};
    if (!place_find_frame(out_view, level, &frame))
        return false;
    out_view->call = frame.call;
    out_view->scope = frame.scope;
    out_view->line = frame.line_index;
    return true;
}

/* ---- variables ------------------------------------------------------------------------------- */

/* Returns how many scopes lie between the view's and this one. UINT32_MAX: this scope does not enclose
 * the view's. */
static uint32_t distance_to(const struct view *view, uint32_t scope)
{
    const struct code_debug *debug = view->wave->code->debug;
    uint32_t at = view->scope, distance = 0;
    for (; at && at != scope && at < debug->scope_count; at = debug->scopes[at].parent)
        distance++;
    return at == scope ? distance : UINT32_MAX;
}

bool place_is_visible(const struct view *view, const struct code_variable *variable)
{
    if (variable->place == VARIABLE_PRIVATE && variable->call != view->call)
        return false;
    return distance_to(view, variable->scope) != UINT32_MAX;
}

const struct code_variable *place_find_variable(const struct view *view, const char *name)
{
    const struct code_debug *debug = view->wave->code->debug;
    const struct code_variable *found = NULL;
    uint32_t nearest = UINT32_MAX;
    for (uint32_t i = 0; i < debug->variable_count; i++) {
        const struct code_variable *variable = &debug->variables[i];
        if (strcmp(variable->name, name) || !place_is_visible(view, variable))
            continue;
        const uint32_t distance = distance_to(view, variable->scope);
        if (!found || distance < nearest) {
            found = variable;
            nearest = distance;
        }
    }
    return found;
}

/* Is the value of a variable known that is in no memory of the program? The word after the copy says so. */
static bool is_known(const struct view *view, const struct code_variable *variable)
{
    const uint64_t flag = variable->where + (variable->type->size + 3) / 4 * 4;
    uint32_t known = 0;
    return value_read_memory(view, PRIVATE_BASE + flag, &known, sizeof known) && known;
}

bool place_variable_value(const struct view *view, const struct code_variable *variable,
                          struct debug_value *out_value)
{
    *out_value = (struct debug_value){.type = variable->type, .lvalue = true, .address = variable->where};
    if (variable->place == VARIABLE_PRIVATE)
        out_value->address += PRIVATE_BASE;
    else if (variable->place == VARIABLE_LOCAL)
        memcpy(&out_value->address, view->wave->frame + view->wave->code->local_objects[variable->where].cell,
               sizeof out_value->address);
    return out_value->address != 0 && (!variable->copied || is_known(view, variable));
}

bool place_is_copy(const struct view *view, uint64_t address)
{
    const struct code_debug *debug = view->wave->code->debug;
    for (uint32_t i = 0; i < debug->variable_count; i++) {
        const struct code_variable *variable = &debug->variables[i];
        if (variable->copied && address - PRIVATE_BASE - variable->where < variable->type->size)
            return true;
    }
    return false;
}
