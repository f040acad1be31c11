/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scripts: a list of steps such as "work-item (3,0,0) until line 12". Only the units that the current step
 * names run; the step ends when all of them have reached its goal (a line, a barrier, an atomic, a number of
 * steps, the end). A step that can never end is an error of the scenario, at its line. After the last step
 * the policy of `then` schedules the rest.
 */
#include <inttypes.h>
#include <string.h>

#include "sim/device/barrier.h"
#include "schedule_state.h"
#include "sim/base/sentence.h"

enum { UNCHANGED_STEPS_MOST = 1 << 16 }; /* of a unit in a row, until the script's step is refused */

static const struct script_step *current(const struct schedule *schedule)
{
    return &schedule->config->script[schedule->chooser.script.at];
}

/* ---- words ---------------------------------------------------------------------------- */

static void say_who(struct sentence *text, const struct script_step *step)
{
    if (step->unit == SCRIPT_SUB_GROUP)
        sentence_add(text, "sub-group %" PRIu32 " of ", step->sub_group);
    sentence_add(text, step->unit == SCRIPT_ITEM ? "work-item " : "work-group ");
    sentence_ids(text, step->id);
}

static void say_goal(struct sentence *text, const struct script_step *step)
{
    if (step->until == SCRIPT_LINE && step->count > 1)
        sentence_add(text, "visit %" PRIu64 " of ", step->count);
    if (step->until == SCRIPT_LINE && step->file)
        sentence_add(text, "%s:%" PRIu32, step->file, step->line);
    else if (step->until == SCRIPT_LINE)
        sentence_add(text, "line %" PRIu32, step->line);
    else if (step->until == SCRIPT_STEPS)
        sentence_add(text, "%" PRIu64 " steps", step->count);
    else
        sentence_add(text, step->until == SCRIPT_BARRIER  ? "a barrier"
                           : step->until == SCRIPT_ATOMIC ? "an atomic"
                                                          : "its end");
}

static void refuse(struct schedule *schedule, const char *what)
{
    const struct script_step *step = current(schedule);
    struct sentence who;
    sentence_init(&who);
    say_who(&who, step);
    schedule->status =
        diagnose(schedule->diagnosis, STATUS_BAD_SCENARIO, "%s:%" PRIu32 ":%" PRIu32 ": script: %s %s",
                 schedule->config->script_file, step->file_line, step->file_column, who.bytes, what);
}

/* ---- where ---------------------------------------------------------------------------- */

/* The name of a file, or the end of its path. */
static bool names_file(const char *path, const char *name)
{
    const size_t length = strlen(path), end = strlen(name);
    return length >= end && strcmp(path + length - end, name) == 0 &&
           (length == end || path[length - end - 1] == '/');
}

/* Without a name: the file of the kernel itself. */
static bool in_file(const struct schedule *schedule, const struct site *site, const char *name)
{
    const struct code *code = schedule->launch->code;
    if (!name)
        return site->file == code->file;
    return site->file < code->string_count && names_file(code->strings[site->file], name);
}

static bool on_line(const struct schedule *schedule, uint32_t number, const struct script_step *step)
{
    const struct site *site = launch_site(schedule->launch, number);
    return site->line == step->line && in_file(schedule, site, step->file);
}

static void say_place(struct sentence *text, const struct schedule *schedule, uint32_t number)
{
    const struct site *site = launch_site(schedule->launch, number);
    const struct code *code = schedule->launch->code;
    if (in_file(schedule, site, NULL) || site->file >= code->string_count)
        sentence_add(text, "line %" PRIu32, site->line);
    else
        sentence_add(text, "%s:%" PRIu32, code->strings[site->file], site->line);
}

/* Lines of the step's file come first, in ascending order, then those of the others. */
static uint64_t line_rank(const struct schedule *schedule, const struct site *site, const char *name)
{
    return (uint64_t)!in_file(schedule, site, name) << 63 | (uint64_t)(site->file & INT32_MAX) << 32 |
           site->line;
}

static bool has_line(const struct schedule *schedule)
{
    uint32_t site;
    for (uint32_t at = 0; wave_code_stop(schedule->launch->code, &at, &site); at++)
        if (on_line(schedule, site, current(schedule)))
            return true;
    return false;
}

static void say_lines(struct sentence *text, const struct schedule *schedule)
{
    enum { LINES_REPORTED = 16 };
    const struct script_step *step = current(schedule);
    uint64_t below = 0;
    for (int said = 0; said < LINES_REPORTED; said++) {
        uint64_t lowest = UINT64_MAX;
        uint32_t site, where = 0;
        for (uint32_t at = 0; wave_code_stop(schedule->launch->code, &at, &site); at++) {
            const uint64_t rank = line_rank(schedule, launch_site(schedule->launch, site), step->file);
            if ((uint32_t)rank && rank > below && rank < lowest) {
                lowest = rank;
                where = site;
            }
        }
        if (lowest == UINT64_MAX)
            return;
        sentence_add(text, said ? ", " : "; it can stop at the operations of ");
        if (said && in_file(schedule, launch_site(schedule->launch, where), NULL))
            sentence_add(text, "%" PRIu32, launch_site(schedule->launch, where)->line);
        else
            say_place(text, schedule, where);
        below = lowest;
    }
}

/* ---- what goes wrong ------------------------------------------------------------------ */

static void say_lines_if_missed(struct sentence *text, const struct schedule *schedule)
{
    if (current(schedule)->until == SCRIPT_LINE && !has_line(schedule))
        say_lines(text, schedule);
}

static void refuse_never_reached(struct schedule *schedule)
{
    const struct script_step *step = current(schedule);
    struct sentence text;
    sentence_init(&text);
    sentence_add(&text, "ended without reaching ");
    say_goal(&text, step);
    if (step->until == SCRIPT_STEPS)
        sentence_add(&text, ": it took %" PRIu64, schedule->chooser.script.steps);
    if (step->until == SCRIPT_LINE)
        say_lines(&text, schedule);
    refuse(schedule, text.bytes);
}

static void refuse_waiting(struct schedule *schedule, const struct wave *wave)
{
    const struct script_step *step = current(schedule);
    struct sentence text;
    struct item item;
    sentence_init(&text);
    origin_item(&wave->origin, 0, &item);
    sentence_add(&text, "cannot reach ");
    say_goal(&text, step);
    if (step->until == SCRIPT_LINE && step->count == 1 && on_line(schedule, wave->site, step))
        sentence_add(&text, " again");
    sentence_add(&text, ": work-item ");
    sentence_ids(&text, item.global_id);
    sentence_add(&text, " waits in %s at ", launch_site(schedule->launch, wave->site)->what);
    say_place(&text, schedule, wave->site);
    sentence_add(&text, " for work-items that this step does not run");
    say_lines_if_missed(&text, schedule);
    refuse(schedule, text.bytes);
}

static void refuse_spinning(struct schedule *schedule, const struct wave *wave)
{
    struct sentence text;
    struct item item;
    struct next_operation next;
    sentence_init(&text);
    origin_item(&wave->origin, 0, &item);
    wave_next(wave, &next);
    sentence_add(&text, "does not reach ");
    say_goal(&text, current(schedule));
    sentence_add(&text, ": work-item ");
    sentence_ids(&text, item.global_id);
    sentence_add(&text, " only reads what this step does not change, now at ");
    say_place(&text, schedule, next.kind == NEXT_UNSEEN ? group_wave_place(wave) : next.site);
    say_lines_if_missed(&text, schedule);
    refuse(schedule, text.bytes);
}

/* ---- units --------------------------------------------------------------------------------- */

/* The tile and local id of the step's work-item or work-group; false: it is not in the launch. */
static bool locate(const struct schedule *schedule, const struct script_step *step, uint64_t *out_tile,
                   uint64_t out_local[3])
{
    const struct tiling *tiling = &schedule->launch->tiling;
    uint64_t group[3];
    for (int i = 0; i < 3; i++) {
        uint64_t id = step->id[i];
        if (step->unit == SCRIPT_ITEM) {
            id -= schedule->launch->info.global_offset[i];
            if (id >= tiling->global_size[i])
                return false;
            out_local[i] = id % tiling->local_size[i];
            id /= tiling->local_size[i];
        }
        if (id >= tiling->group_count[i])
            return false;
        group[i] = id;
    }
    *out_tile = (group[2] * tiling->group_count[1] + group[1]) * tiling->group_count[0] + group[0];
    return true;
}

static void choose_waves(struct schedule *schedule, const struct script_step *step, const uint64_t local[3])
{
    struct script *script = &schedule->chooser.script;
    const struct group *group = script->group;
    uint32_t size = schedule->launch->info.sub_group_size;
    script->from = 0;
    script->to = group->wave_count;
    if (step->unit == SCRIPT_ITEM) {
        script->from =
            (uint32_t)((local[2] * group->tile.size[1] + local[1]) * group->tile.size[0] + local[0]);
        script->to = script->from + 1;
    } else if (step->unit == SCRIPT_SUB_GROUP) {
        uint64_t from = (uint64_t)step->sub_group * size, to = from + size;
        script->from = from < script->to ? (uint32_t)from : script->to;
        script->to = to < script->to ? (uint32_t)to : script->to;
    }
}

/* All waves that the step names have ended. */
static bool has_ended(const struct script *script)
{
    for (uint32_t i = script->from; i < script->to; i++)
        if (script->group->waves[i].state != WAVE_DONE)
            return false;
    return true;
}

static bool begin(struct schedule *schedule)
{
    struct script *script = &schedule->chooser.script;
    uint64_t tile, local[3] = {0};
    if (!locate(schedule, current(schedule), &tile, local)) {
        refuse(schedule, "is not in the launch");
        return false;
    }
    script->group = choose_group(schedule, tile);
    if (!script->group) {
        if (schedule->status == STATUS_OK)
            refuse(schedule, "has ended already");
        return false;
    }
    choose_waves(schedule, current(schedule), local);
    if (script->from == script->to) {
        refuse(schedule, "is not in the launch");
        return false;
    }
    if (has_ended(script)) {
        refuse(schedule, "has ended already");
        return false;
    }
    script->begun = true;
    script->reached = false;
    script->steps = 0;
    for (uint32_t i = script->from; i < script->to; i++) {
        struct group_wave *wave = &script->group->waves[i];
        wave->barriers_before = wave->barriers_seen = wave->barriers;
        wave->visits = wave->looked_at = 0;
        wave->site_before = 0;
        wave->stopped = false;
    }
    script_look(schedule);
    return true;
}

/* ---- until what -------------------------------------------------------------------------------- */

static uint64_t place_of(const struct group_wave *wave)
{
    return 2 * (1 + wave->steps + wave->barriers) + (wave->state == WAVE_READY);
}

/* Consecutive operations of a line are one visit; an operation at or before the last one is another visit. */
static bool visits(const struct schedule *schedule, const struct group_wave *wave, uint32_t site)
{
    const struct script_step *step = current(schedule);
    if (!on_line(schedule, site, step))
        return false;
    bool same_visit =
        wave->site_before && on_line(schedule, wave->site_before - 1, step) && site >= wave->site_before;
    return !same_visit;
}

static bool before_atomic(const struct schedule *schedule, const struct group_wave *wave)
{
    struct next_operation next = {.kind = NEXT_UNSEEN};
    if (wave->state == WAVE_READY)
        wave_next(wave->wave, &next);
    return next.kind == NEXT_ACCESS && launch_site(schedule->launch, next.site)->access >= ACCESS_ATOMIC_READ;
}

/* The wave's next operation, or the barrier or group function that it has reached; the wave that arrived
 * last is already past it. False: neither. */
static bool operation_reached(const struct group_wave *wave, uint32_t *out_site)
{
    struct next_operation next;
    const bool waits = wave->state == WAVE_WAITS || wave->barriers > wave->barriers_seen;
    if (wave->state == WAVE_DONE)
        return false;
    wave_next(wave->wave, &next);
    *out_site = waits ? wave->wave->site : next.site;
    return waits || next.kind != NEXT_UNSEEN;
}

/* The wave has now reached the line as often as the step says. */
static bool reached_line(const struct schedule *schedule, struct group_wave *wave, bool left_here)
{
    uint32_t site;
    if (!operation_reached(wave, &site))
        return false;
    const bool visit = !left_here && visits(schedule, wave, site);
    wave->visits += visit;
    wave->site_before = site + 1;
    return visit && wave->visits == current(schedule)->count;
}

/* The wave has now reached the goal of the step. left_here: it stands where the previous step left it,
 * which does not count. */
static bool reached(const struct schedule *schedule, struct group_wave *wave)
{
    const bool left_here = wave->left_at == place_of(wave);
    switch (current(schedule)->until) {
    case SCRIPT_BARRIER: return wave->state == WAVE_WAITS || wave->barriers > wave->barriers_before;
    case SCRIPT_LINE: return reached_line(schedule, wave, left_here);
    case SCRIPT_ATOMIC: return !left_here && before_atomic(schedule, wave);
    default: return false;
    }
}

void script_look(struct schedule *schedule)
{
    struct script *script = &schedule->chooser.script;
    for (uint32_t i = script->from; script->begun && script->group && i < script->to; i++) {
        struct group_wave *wave = &script->group->waves[i];
        if (wave->stopped || wave->looked_at == place_of(wave))
            continue;
        /* The wave arrived last at the barrier and is past it. */
        const bool was_released = wave->state == WAVE_READY && wave->barriers > wave->barriers_seen;
        wave->looked_at = place_of(wave);
        wave->stopped = reached(schedule, wave);
        wave->barriers_seen = wave->barriers;
        script->reached |= wave->stopped;
        if (wave->stopped)
            /* The next step does not count this position as reached. */
            wave->left_at = was_released ? 0 : place_of(wave);
    }
}

/* ---- one step after the other ---------------------------------------------------------------------- */

/* False: no wave of the step can continue. */
static bool next_wave(const struct schedule *schedule, struct pick *out_pick)
{
    const struct script *script = &schedule->chooser.script;
    for (uint32_t i = script->from; script->group && i < script->to; i++) {
        const struct group_wave *wave = &script->group->waves[i];
        *out_pick = (struct pick){script->group, i};
        if (!wave->stopped && wave->state == WAVE_READY)
            return true;
    }
    out_pick->group = NULL;
    return false;
}

/* The wave's next step is an operation that others see. */
static bool operates(const struct pick *pick)
{
    struct next_operation next;
    wave_next(pick->group->waves[pick->index].wave, &next);
    return next.kind != NEXT_UNSEEN;
}

/* A wave of the step that waits at a barrier and has not reached the step's goal. */
static const struct wave *waiting_unit(const struct script *script)
{
    for (uint32_t i = script->from; script->group && i < script->to; i++)
        if (!script->group->waves[i].stopped && script->group->waves[i].state == WAVE_WAITS)
            return script->group->waves[i].wave;
    return NULL;
}

static void finish(struct schedule *schedule, bool enough)
{
    struct script *script = &schedule->chooser.script;
    const struct wave *waits = enough ? NULL : waiting_unit(script);
    if (waits) {
        refuse_waiting(schedule, waits);
    } else if (!enough && !script->reached && current(schedule)->until != SCRIPT_END) {
        refuse_never_reached(schedule);
    } else {
        script->at++;
        script->begun = false;
        script->group = NULL;
    }
}

bool script_pick(struct schedule *schedule, struct pick *out_pick)
{
    struct script *script = &schedule->chooser.script;
    const struct schedule_config *config = schedule->config;
    *out_pick = (struct pick){NULL, 0};
    while (script->at < config->script_count && current(schedule)->launch != schedule->launch->info.launch)
        script->at++;
    if (script->at == config->script_count)
        return false;
    if (!script->begun && !begin(schedule))
        return true;
    bool enough = current(schedule)->until == SCRIPT_STEPS && script->steps >= current(schedule)->count;
    if (enough || !next_wave(schedule, out_pick))
        finish(schedule, enough);
    else if (out_pick->group->waves[out_pick->index].unchanged_steps > UNCHANGED_STEPS_MOST)
        refuse_spinning(schedule, out_pick->group->waves[out_pick->index].wave);
    else
        script->steps += operates(out_pick);
    return true;
}

void script_rest(struct schedule *schedule)
{
    struct pick ignored;
    while (schedule->status == STATUS_OK && script_pick(schedule, &ignored))
        ;
}

enum status schedule_script_over(const struct schedule_config *config, uint64_t launches,
                                 struct diagnosis *diagnosis)
{
    size_t at = 0;
    if (config->policy != SCHEDULE_SCRIPT || config->oracle)
        return STATUS_OK;
    while (at < config->script_count && config->script[at].launch <= launches)
        at++;
    if (at == config->script_count)
        return STATUS_OK;
    const struct script_step *step = &config->script[at];
    return diagnose(diagnosis, STATUS_BAD_SCENARIO,
                    "%s:%" PRIu32 ":%" PRIu32 ": script: launch %" PRIu32 " never came: the run had %" PRIu64
                    " launch%s",
                    config->script_file, step->file_line, step->file_column, step->launch, launches,
                    launches == 1 ? "" : "es");
}
