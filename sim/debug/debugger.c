/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The events of a run: each is one position. A line begins, lanes access memory, something synchronises, a
 * launch or a work-group begins or ends. At each the breakpoints and the plan are checked; a stop calls the
 * host, which handles requests until one resumes. The position depends on the run alone: breakpoints do not
 * change it.
 */
#include "debugger.h"
#include "iterations.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "sim/device/device_state.h"

json_t *debugger_refuse(const char *format, ...)
{
    char text[DEBUG_TEXT * 2];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return json_pack("{s:s}", "error", text);
}

/* ---- waves ----------------------------------------------------------------------------------- */

struct seen_wave *debugger_wave(struct debugger *d, const struct wave *wave)
{
    if (d->latest_wave < d->wave_count && d->waves[d->latest_wave].wave == wave)
        return &d->waves[d->latest_wave];
    for (uint32_t i = d->wave_count; i-- > 0;) {
        if (d->waves[i].wave != wave)
            continue;
        d->latest_wave = i;
        return &d->waves[i];
    }
    return NULL;
}

static struct seen_wave *wave_note(struct debugger *d, struct wave *wave)
{
    struct seen_wave *seen = debugger_wave(d, wave);
    if (seen)
        return seen;
    if (d->wave_count == d->wave_room) {
        const uint32_t room = d->wave_room ? d->wave_room * 2 : 64;
        struct seen_wave *grown = realloc(d->waves, room * sizeof *grown);
        if (!grown)
            return NULL; /* its work-items are not listed */
        d->waves = grown;
        d->wave_room = room;
    }
    d->waves[d->wave_count] = (struct seen_wave){.wave = wave, .line = UINT32_MAX};
    return &d->waves[d->wave_count++];
}

static void forget_waves(struct debugger *d)
{
    while (d->wave_count)
        iterations_clear(&d->waves[--d->wave_count]);
}

static void wave_gone(void *debugger, struct wave *wave)
{
    struct debugger *d = debugger;
    struct seen_wave *seen = debugger_wave(d, wave);
    if (seen) {
        iterations_clear(seen);
        *seen = d->waves[--d->wave_count];
    }
    if (d->running == wave)
        d->running = NULL;
    if (d->focus.wave == wave)
        d->focus.wave = NULL;
}

/* A run without marks counts only the beginnings of launches and work-groups. The session finds the
 * exact position by another run. */
static void stop_plain(struct debugger *d)
{
    if (!d->interrupted || d->waits)
        return;
    d->interrupted = 0;
    d->resumes = false;
    d->host.stopped(d->host.self, d,
                    json_pack("{s:s,s:b,s:I,s:I}", "reason", "pause", "plain", true, "phases",
                              (json_int_t)d->phases, "slices", (json_int_t)d->slices));
}

/* The device reuses the memory of a wave for one work-group after another. */
static void wave_slice(void *debugger, struct wave *wave)
{
    struct debugger *d = debugger;
    d->slices++;
    if (!wave->code->debug) {
        stop_plain(d);
        return;
    }
    struct seen_wave *seen = wave_note(d, wave);
    if (seen && wave->resume == wave->code->insns) {
        seen->line = UINT32_MAX;
        iterations_clear(seen);
    }
    d->running = wave;
    d->insn = wave->resume;
}

/* ---- stops ----------------------------------------------------------------------------------- */

void debugger_add_place(struct debugger *d, json_t *stop)
{
    struct view view;
    struct frame frame;
    struct item item;
    if (!d->focus.wave)
        return;
    const struct wave *wave = d->focus.wave;
    origin_item(&wave->origin, d->focus.lane, &item);
    json_object_set_new(stop, "thread",
                        json_integer((json_int_t)place_item_number(&wave->origin, d->focus.lane)));
    json_object_set_new(stop, "launch", json_integer(wave->origin.launch->launch));
    json_object_set_new(stop, "kernel", json_string(wave->origin.launch->kernel));
    json_object_set_new(stop, "global",
                        json_pack("[I,I,I]", (json_int_t)item.global_id[0], (json_int_t)item.global_id[1],
                                  (json_int_t)item.global_id[2]));
    json_object_set_new(stop, "local",
                        json_pack("[I,I,I]", (json_int_t)item.local_id[0], (json_int_t)item.local_id[1],
                                  (json_int_t)item.local_id[2]));
    json_object_set_new(stop, "group",
                        json_pack("[I,I,I]", (json_int_t)item.group_id[0], (json_int_t)item.group_id[1],
                                  (json_int_t)item.group_id[2]));
    if (!place_view(d, d->focus.wave, d->focus.lane, 0, &view) || !place_find_frame(&view, 0, &frame))
        return;
    json_object_set_new(stop, "function", json_string(frame.function));
    json_object_set_new(stop, "file", json_string(frame.file));
    json_object_set_new(stop, "line", json_integer(frame.line));
}

static void add_access(json_t *list, const struct finding_access *access)
{
    const uint64_t *global = access->item.global_id;
    json_t *row = json_object();
    json_object_set_new(row, "file", json_string(access->place.file ? access->place.file : ""));
    json_object_set_new(row, "line", json_integer(access->place.line));
    json_object_set_new(row, "item", json_boolean(access->has_item));
    json_object_set_new(
        row, "global",
        json_pack("[I,I,I]", (json_int_t)global[0], (json_int_t)global[1], (json_int_t)global[2]));
    json_object_set_new(row, "what", json_string(access->what ? access->what : ""));
    json_array_append_new(list, row);
}

static void add_finding(json_t *stop, const struct finding *finding)
{
    json_t *accesses = json_array();
    char *text = NULL;
    size_t size = 0;
    for (uint32_t i = 0; i < finding->access_count; i++)
        add_access(accesses, &finding->access[i]);
    FILE *stream = open_memstream(&text, &size);
    if (stream) {
        report_print_finding(stream, finding, false);
        fclose(stream);
    }
    json_object_set_new(stop, "finding",
                        json_pack("{s:s,s:s,s:i,s:o,s:s,s:I}", "id", finding_id(finding->kind), "sentence",
                                  finding_title(finding), "launch", (int)finding->launch, "accesses",
                                  accesses, "text", text ? text : "", "position",
                                  (json_int_t)finding->event_number));
    free(text);
}

static void add_collected(const struct debugger *d, json_t *stop)
{
    const struct plan *plan = &d->plan;
    json_object_set_new(stop, "last", json_integer((json_int_t)plan->last));
    json_object_set_new(stop, "last_point", json_integer(plan->last_point));
    json_object_set_new(stop, "last_thread", json_integer((json_int_t)plan->last_number));
    json_object_set_new(stop, "count", json_integer((json_int_t)plan->count));
    json_object_set_new(stop, "unsure", json_boolean(plan->unsure));
    json_object_set_new(stop, "last_text", json_string(plan->text));
}

static void debugger_stop(struct debugger *d, const struct stop_place *place)
{
    json_t *stop = json_pack("{s:s,s:I}", "reason", place->reason, "position", (json_int_t)d->position);
    if (place->hit && place->hit->point) {
        json_object_set_new(stop, "point", json_integer(place->hit->point));
        if (place->hit->text[0])
            json_object_set_new(stop, "text", json_string(place->hit->text));
    }
    if (place->finding)
        add_finding(stop, place->finding);
    if (d->plan.collect)
        add_collected(d, stop);
    debugger_add_place(d, stop);
    d->interrupted = 0;
    d->resumes = false;
    d->host.stopped(d->host.self, d, stop);
}

/* ---- events ---------------------------------------------------------------------------------- */

static void focus_on(struct debugger *d, struct wave *wave, uint32_t lane)
{
    d->focus.wave = wave;
    d->focus.lane = lane;
}

static uint32_t first_active(const struct wave *wave)
{
    for (uint32_t k = 0; k < LANE_MASK_WORDS; k++)
        if (wave->active.word[k])
            return k * 64 + (uint32_t)__builtin_ctzll(wave->active.word[k]);
    return 0;
}

/* Each position has one event. A copy of the process is made before the event, which it processes when
 * it is woken. */
static void begin_event(struct debugger *d)
{
    if (d->checkpoint_every && d->position >= d->checkpoint_next && !d->ended) {
        d->checkpoint_next = d->position - d->position % d->checkpoint_every + d->checkpoint_every;
        d->host.checkpoint(d->host.self, d, d->position);
    }
    d->position++;
}

/*
 * The position at which a run without marks was interrupted, or the nearest of a run with marks: waves that
 * wait may have other time slices.
 */
static bool is_past_phase(const struct debugger *d)
{
    return d->plan.phases &&
           (d->phases > d->plan.phases || (d->phases == d->plan.phases && d->slices >= d->plan.slices));
}

/* Stops at the plan's limit or for an interrupt. Returns whether it stopped. */
static bool stop_in_any_case(struct debugger *d, struct wave *wave)
{
    const bool limit = (d->plan.limit && d->position >= d->plan.limit) || is_past_phase(d);
    if (!limit && !d->interrupted)
        return false;
    if (wave && !(d->focus.wave == wave && lane_mask_test(&wave->active, d->focus.lane)))
        focus_on(d, wave, first_active(wave));
    debugger_stop(d, &(struct stop_place){.reason = limit ? "goto" : "pause"});
    return true;
}

/* While places are collected, a hit is noted. Otherwise the run stops at it. */
static void take_hit(struct debugger *d, const char *reason, const struct hit *hit,
                     const struct finding *finding)
{
    if (d->plan.collect) {
        d->plan.last = d->position;
        d->plan.last_point = hit->point;
        d->plan.last_number = hit->wave ? place_item_number(&hit->wave->origin, hit->lane) : 0;
        d->plan.count++;
        memcpy(d->plan.text, hit->text, sizeof d->plan.text);
        return;
    }
    if (hit->wave)
        focus_on(d, hit->wave, hit->lane);
    debugger_stop(d, &(struct stop_place){.reason = reason, .hit = hit, .finding = finding});
}

/* Chooses the lane in focus at a finding. The wave that runs is at the line of one of the two accesses,
 * since the other one is past: its lane is taken. Otherwise the lane of the second access is, or of the
 * first. */
static uint32_t lane_of_finding(const struct debugger *d, const struct finding *finding)
{
    const struct wave *wave = d->running;
    uint32_t found = first_active(wave), best = 0;
    struct item item;
    for (uint32_t i = 0; i < finding->access_count; i++) {
        for (uint32_t lane = 0; finding->access[i].has_item && lane < wave->lane_count; lane++) {
            const uint32_t line = place_lane_line(d, wave, lane);
            origin_item(&wave->origin, lane, &item);
            if (!lane_mask_test(&wave->live, lane) ||
                memcmp(item.global_id, finding->access[i].item.global_id, sizeof item.global_id))
                continue;
            const bool here =
                line != UINT32_MAX && wave->code->debug->lines[line].line == finding->access[i].place.line;
            const uint32_t rank = 1 + i + (here ? 2 : 0);
            if (rank > best) {
                best = rank;
                found = lane;
            }
        }
    }
    return found;
}

/* Checks the findings that were reported since the event before. */
static bool look_for_findings(struct debugger *d)
{
    const size_t count = report_count(d->report);
    struct hit hit;
    bool stopped = false;
    for (; d->findings < count; d->findings++) {
        const struct finding *finding = report_get(d->report, d->findings);
        if (d->plan.points && stop_at_finding(d, finding, &hit)) {
            d->findings++;
            hit.wave = d->running;
            hit.lane = d->running ? lane_of_finding(d, finding) : 0;
            take_hit(d, "finding", &hit, finding);
            stopped = true;
            d->findings--;
        }
    }
    return stopped;
}

static void hook_line(void *debugger, struct wave *wave, const struct insn *insn)
{
    struct debugger *d = debugger;
    struct seen_wave *seen = wave_note(d, wave);
    struct hit hit = {.wave = wave};
    begin_event(d);
    d->running = wave;
    d->insn = insn;
    if (seen)
        seen->line = insn->e;
    if (seen && d->values)
        iterations_line(seen, insn->e);
    if (look_for_findings(d) || stop_in_any_case(d, wave))
        return;
    if (d->plan.points && stop_at_line(d, wave, insn->e, &hit)) {
        take_hit(d, "breakpoint", &hit, NULL);
    } else if (plan_met_at_line(d, wave, insn->e, &hit.lane)) {
        hit.point = 0;
        take_hit(d, "step", &hit, NULL);
    }
}

static void hook_access(void *debugger, const struct access_event *event)
{
    struct debugger *d = debugger;
    struct hit hit = {0};
    begin_event(d);
    if (d->visible)
        visible_writes_access(d, event);
    if (d->values)
        line_values_access(d, event);
    if (look_for_findings(d) || stop_in_any_case(d, d->running))
        return;
    if (d->plan.points && stop_at_access(d, event, &hit))
        take_hit(d, "watchpoint", &hit, NULL);
}

static void hook_sync(void *debugger, const struct sync_event *event)
{
    struct debugger *d = debugger;
    begin_event(d);
    if (look_for_findings(d) || stop_in_any_case(d, d->running))
        return;
    if (d->plan.mode != PLAN_BARRIER || event->kind == SYNC_FENCE || event->kind == SYNC_COPY)
        return;
    for (uint32_t lane = 0; lane < event->lane_count; lane++)
        if (lane_in(event->mask, lane) && event->origin.launch->launch == d->plan.item.launch &&
            place_item_number(&event->origin, lane) == d->plan.item.number) {
            struct hit hit = {0};
            place_find_item(d, &d->plan.item, &hit.wave, &hit.lane);
            take_hit(d, "barrier", &hit, NULL);
            return;
        }
}

static void launch_event_stops(struct debugger *d, const struct launch_event *event)
{
    begin_event(d);
    if (event->phase == LAUNCH_BEGIN)
        d->launch = (const struct launch *)(const void *)event->launch; /* which it is the first part of */
    if (d->visible && event->phase == LAUNCH_BEGIN)
        visible_writes_launch(d, event->launch->launch);
    if (look_for_findings(d) || stop_in_any_case(d, NULL))
        return;
    if (d->plan.mode == PLAN_LAUNCH && event->phase == LAUNCH_BEGIN)
        take_hit(d, "launch", &(struct hit){0}, NULL);
}

static void hook_launch(void *debugger, const struct launch_event *event);

static void listen_to_launches(struct debugger *d)
{
    const struct observer launches = {.self = d, .launch = hook_launch};
    d->plain = true;
    device_change_observer(d->device, &launches);
}

static void listen_to_all(struct debugger *d)
{
    const struct observer observer = {
        .self = d, .access = hook_access, .sync = hook_sync, .launch = hook_launch};
    d->plain = false;
    device_change_observer(d->device, &observer);
}

/* Earlier findings were reported before the session attached: it does not stop at them. */
static void begin_attached(struct debugger *d)
{
    d->waits = false;
    d->position = 0;
    d->focus.wave = d->running = NULL;
    d->findings = report_count(d->report);
    listen_to_all(d);
    debugger_begin(d);
}

/* A session may attach or leave only when a launch begins while no other one runs. */
static void look_for_session(struct debugger *d)
{
    const bool there = d->live == 1 && d->host.attached && d->host.attached(d->host.self);
    if (d->waits && there)
        begin_attached(d);
    else if (!d->waits && d->live == 1 && d->host.attached && !there)
        debugger_detach(d);
}

/* While a launch runs with marks, every launch that begins gets marks, too, since positions count the
 * events of all of them. */
static void hook_launch(void *debugger, const struct launch_event *event)
{
    struct debugger *d = debugger;
    d->live += event->phase == LAUNCH_BEGIN;
    d->live -= event->phase == LAUNCH_END;
    d->phases++;
    d->slices = 0;
    if (d->looks_ahead && event->phase == LAUNCH_END)
        forks_over(d);
    if (event->phase == LAUNCH_BEGIN)
        look_for_session(d);
    if (d->plain)
        return;
    if (!d->waits)
        launch_event_stops(d, event);
    const bool plain = d->waits || (d->plan.plain && !d->changed);
    if (plain && event->phase == LAUNCH_BEGIN && d->live == 1)
        listen_to_launches(d);
}

/* Called inside the faulty access. A fault is no event of its own, so that positions are the same
 * without findings. */
static void hook_fault(struct debugger *d)
{
    if (d->plan.limit && d->position >= d->plan.limit)
        return;
    if (d->values)
        line_values_fault(d);
    look_for_findings(d);
}

/* While no session is there, only launches are observed. */
static void hook_device(struct debugger *d, struct device *device)
{
    const struct observer observer = {
        .self = d, .access = hook_access, .sync = hook_sync, .launch = hook_launch};
    d->device = device;
    visible_writes_device(d, device);
    device_add_observer(device, &observer);
    if (d->waits)
        listen_to_launches(d);
}

static void hook_print(struct debugger *d, const char *text)
{
    d->host.print(d->host.self, d->plain ? INT64_MAX : d->position, text, false); /* else its time is set */
}

/* If a session is attached by now, the launch gets marks from its beginning. */
static bool is_plain(const struct debugger *d)
{
    if (!d->plain || !d->waits || d->live)
        return d->plain;
    return !d->host.attached || !d->host.attached(d->host.self);
}

/* ---- life ------------------------------------------------------------------------------------ */

/* The checker processes an event before it is counted here. */
static uint64_t next_position(void *debugger)
{
    const struct debugger *d = debugger;
    return d->position + 1;
}

struct debugger *debugger_new(const struct debugger_host *host, struct report *report)
{
    struct debugger *d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    d->host = *host;
    d->report = report;
    report_set_event_counter(report, next_position, d);
    d->hook = (struct debug_hook){d,          hook_line,   wave_slice, wave_gone,
                                  hook_fault, hook_device, hook_print, is_plain};
    d->fork = (struct schedule_fork){d, forks_next};
    return d;
}

void debugger_free(struct debugger *d)
{
    report_set_event_counter(d->report, NULL, NULL);
    stop_points_fini(d);
    visible_writes_free(d->visible);
    json_decref(d->forks);
    forget_waves(d);
    free(d->waves);
    free(d);
}

const struct debug_hook *debugger_hook(const struct debugger *d)
{
    return &d->hook;
}

void debugger_begin(struct debugger *d)
{
    debugger_stop(d, &(struct stop_place){.reason = "start"});
}

void debugger_wait(struct debugger *d)
{
    d->waits = d->plain = d->resumes = true;
}

void debugger_end(struct debugger *d, const char *text, int status)
{
    d->position++;
    d->ended = true;
    d->focus.wave = d->running = NULL;
    forget_waves(d);
    d->launch = NULL;
    d->device = NULL; /* all that the run had is gone */
    json_t *stop =
        json_pack("{s:s,s:s,s:i,s:b}", "reason", "exited", "text", text, "status", status, "plain", d->plain);
    if (!d->plain)
        json_object_set_new(stop, "position", json_integer((json_int_t)d->position));
    if (d->plan.collect)
        add_collected(d, stop);
    d->resumes = false;
    d->host.stopped(d->host.self, d, stop);
}

json_t *debugger_request(struct debugger *d, const json_t *request)
{
    return request_handle(d, request);
}

void debugger_attend(const struct debugger *d, struct scenario *scenario)
{
    scenario->debug = &d->hook;
    scenario->schedule.fork = &d->fork;
    scenario->schedule.keep_switches = true;
}

bool debugger_resumes(const struct debugger *d)
{
    return d->resumes;
}

/* A launch that has marks keeps them to its end, but nothing stops it any more. */
void debugger_detach(struct debugger *d)
{
    stop_points_fini(d);
    d->plan = (struct plan){.mode = PLAN_CONTINUE};
    d->interrupted = 0;
    d->changed = false;
    d->waits = d->resumes = true;
}

void debugger_hold(struct debugger *d)
{
    d->resumes = false;
    d->plan = (struct plan){0};
}

uint64_t debugger_phases(const struct debugger *d)
{
    return d->phases;
}

void debugger_interrupt(struct debugger *d)
{
    d->interrupted = 1;
}

/* The first copy is made at the next event. */
void debugger_checkpoint_every(struct debugger *d, uint64_t events)
{
    d->checkpoint_next = d->checkpoint_every ? d->position - d->position % events + events : d->position;
    d->checkpoint_every = events;
}

uint64_t debugger_checkpoint_interval(const struct debugger *d)
{
    return d->checkpoint_every;
}

/* ---- what is there --------------------------------------------------------------------------- */

static uint64_t hash_wave(const struct wave *wave, uint64_t hash)
{
    const struct code *code = wave->code;
    hash = XXH3_64bits_withSeed(wave->frame, code->frame_size, hash);
    hash = XXH3_64bits_withSeed(&wave->active, sizeof wave->active, hash);
    hash = XXH3_64bits_withSeed(&wave->live, sizeof wave->live, hash);
    if (wave->private_memory)
        hash = XXH3_64bits_withSeed(wave->private_memory, (size_t)code->private_size * code->width, hash);
    return hash;
}

uint64_t debugger_hash(const struct debugger *d)
{
    uint64_t hash = d->position;
    const struct memory *memory = d->device ? &d->device->arena.memory : NULL;
    for (uint32_t i = 1; memory && i < memory_region_count(memory); i++) {
        const struct region *region = &memory->regions[i];
        if (region_is_there(region) && region->high > region->low)
            hash =
                XXH3_64bits_withSeed(memory_byte(region, region->low), region->high - region->low, hash + i);
    }
    for (uint32_t i = 0; i < d->wave_count; i++)
        hash = hash_wave(d->waves[i].wave, hash);
    return hash;
}
