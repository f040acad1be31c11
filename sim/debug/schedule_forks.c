/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The next wave is decided when the policy chooses, or when a pass comes to it. So a copy of the process runs
 * to that point, reports the choice and the other waves that were ready, and ends. The run itself is
 * deterministic: it will choose the same.
 *
 * A fork is the number of a step of a launch, and the wave that runs there instead. The session has the list,
 * and gives it to each process that runs from an earlier place. Recorded steps give the resulting schedule.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "debugger.h"
#include "orrery/debug_wire.h"
#include "sim/device/device_state.h"
#include "sim/device/group.h"
#include "sim/device/launch_schedule.h"

enum { LISTED_MOST = 256, SECONDS_MOST = 20 };

/* ---- the copy -------------------------------------------------------------------------------- */

struct listing {
    json_t *list;
    struct unit next;
    uint64_t left_out;
};

static json_t *ids_of(const uint64_t ids[3])
{
    return json_pack("[I,I,I]", (json_int_t)ids[0], (json_int_t)ids[1], (json_int_t)ids[2]);
}

/* Collects the numbers of the active work-items, and their first and last lane. */
static json_t *active_items(const struct wave *wave, uint32_t *out_first, uint32_t *out_last)
{
    json_t *items = json_array();
    for (uint32_t lane = 0; lane < wave->lane_count; lane++) {
        if (!lane_mask_test(&wave->active, lane))
            continue;
        if (json_array_size(items) == 0)
            *out_first = lane;
        *out_last = lane;
        json_array_append_new(items, json_integer((json_int_t)place_item_number(&wave->origin, lane)));
    }
    return items;
}

static void add_wave(void *self, const struct unit *unit, const struct wave *wave)
{
    struct listing *listing = self;
    uint32_t first = 0, last = 0;
    const uint32_t site = group_wave_place(wave);
    struct item item, end;
    struct source_place place = {0};
    if (json_array_size(listing->list) >= LISTED_MOST) {
        listing->left_out++;
        return;
    }
    json_t *threads = active_items(wave, &first, &last);
    origin_item(&wave->origin, first, &item);
    origin_item(&wave->origin, last, &end);
    if (site != UINT32_MAX)
        program_site(wave->origin.launch->program, site, &place);
    json_t *row = json_pack("{s:I,s:i,s:i,s:o,s:o,s:o,s:o,s:i,s:b}", "tile", (json_int_t)unit->tile, "wave",
                            (int)unit->wave, "lanes", (int)json_array_size(threads), "threads", threads,
                            "global", ids_of(item.global_id), "last", ids_of(end.global_id), "group",
                            ids_of(item.group_id), "line", (int)place.line, "next",
                            unit->tile == listing->next.tile && unit->wave == listing->next.wave);
    if (place.file)
        json_object_set_new(row, "file", json_string(place.file));
    json_array_append_new(listing->list, row);
}

static _Noreturn void send_and_end(const struct debugger *d, json_t *answer)
{
    _exit(debug_wire_send(d->ahead, answer) ? 0 : 1);
}

void forks_over(struct debugger *d)
{
    send_and_end(d, json_pack("{s:b}", "over", true));
}

static _Noreturn void send_next(const struct debugger *d, const struct schedule_next *next)
{
    struct listing listing = {.list = json_array(), .next = next->unit};
    positions_of_ready(next->schedule, &listing, add_wave);
    send_and_end(d, json_pack("{s:i,s:I,s:b,s:o,s:I}", "launch", (int)next->launch, "step",
                              (json_int_t)next->step, "may_choose", next->may_choose, "waves", listing.list,
                              "left_out", (json_int_t)listing.left_out));
}

/* The copy must write nothing but its reply. */
static void mute_stop(void *self, struct debugger *debugger, json_t *stop)
{
    (void)self;
    json_decref(stop);
    forks_over(debugger);
}

static void mute_checkpoint(void *self, struct debugger *debugger, uint64_t position)
{
    (void)self;
    (void)debugger;
    (void)position;
}

static void mute_print(void *self, uint64_t position, const char *text, bool of_log_point)
{
    (void)self;
    (void)position;
    (void)text;
    (void)of_log_point;
}

static json_t *look_ahead(struct debugger *d, int answer)
{
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    report_set_stream(d->report, NULL, false);
    d->host =
        (struct debugger_host){.stopped = mute_stop, .checkpoint = mute_checkpoint, .print = mute_print};
    d->plan = (struct plan){.mode = PLAN_CONTINUE};
    d->interrupted = 0;
    d->looks_ahead = d->resumes = true;
    d->ahead = answer;
    alarm(SECONDS_MOST); /* the locks of other threads are held for ever here */
    return NULL;
}

static json_t *read_reply(int from, pid_t copy)
{
    FILE *stream = fdopen(from, "r");
    json_t *answer = stream ? json_loadf(stream, JSON_DISABLE_EOF_CHECK, NULL) : NULL;
    if (stream)
        fclose(stream);
    else
        close(from);
    while (waitpid(copy, NULL, 0) < 0 && errno == EINTR)
        ;
    return answer ? answer : debugger_refuse("no copy of the process could look ahead");
}

json_t *forks_forecast(struct debugger *d, const json_t *request)
{
    int ends[2];
    (void)request;
    if (!d->launch || !d->live || d->ended)
        return debugger_refuse("no kernel runs");
    if (pipe(ends) < 0)
        return debugger_refuse("no pipe for a copy of the process");
    fflush(NULL);
    const pid_t copy = fork();
    if (copy == 0) {
        close(ends[0]);
        return look_ahead(d, ends[1]);
    }
    close(ends[1]);
    if (copy > 0) {
        json_t *answer = read_reply(ends[0], copy);
        const struct schedule_config *config = d->launch->schedule;
        json_object_set_new(answer, "policy", json_string(schedule_policy_name(config->policy)));
        json_object_set_new(answer, "repeatable", json_boolean(schedule_chooses(config)));
        return answer;
    }
    close(ends[0]);
    return debugger_refuse("no copy of the process could look ahead");
}

/* ---- choices --------------------------------------------------------------------------------- */

json_t *forks_set(struct debugger *d, const json_t *request)
{
    json_t *list = json_object_get(request, "list");
    json_decref(d->forks);
    d->forks = json_array_size(list) ? json_incref(list) : NULL;
    return json_object();
}

static bool find_fork(const struct debugger *d, const struct schedule_next *next, struct unit *out_unit)
{
    for (size_t i = 0; i < json_array_size(d->forks); i++) {
        const json_t *fork = json_array_get(d->forks, i);
        if (json_integer_value(json_object_get(fork, "launch")) != (json_int_t)next->launch ||
            json_integer_value(json_object_get(fork, "step")) != (json_int_t)next->step)
            continue;
        out_unit->tile = (uint64_t)json_integer_value(json_object_get(fork, "tile"));
        out_unit->wave = (uint32_t)json_integer_value(json_object_get(fork, "wave"));
        return true;
    }
    return false;
}

bool forks_next(void *debugger, const struct schedule_next *next, struct unit *out_unit)
{
    const struct debugger *d = debugger;
    struct schedule_next now = *next;
    const bool forks = d->forks && find_fork(d, next, out_unit);
    if (forks)
        now.unit = *out_unit;
    if (d->looks_ahead)
        send_next(d, &now);
    return forks;
}
