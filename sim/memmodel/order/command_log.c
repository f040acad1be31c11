/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The log of order events and its replay. A replay feeds the events to a command graph of its own, with one
 * edit, and asks that graph. Commands are kept in a list until all that they wait for has ended, then run to
 * their end.
 */
#include "command_log.h"

#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "command_graph.h"
#include "orrery/limits.h"
#include "sim/memmodel/common/room.h"

enum { ENTRIES_MOST = HOSTILE(8192, 64) };

struct command_entry {
    enum order_kind kind;
    uint32_t command, queue; /* 0: the command is the number of a user event */
    uint32_t map;            /* as in struct order_event */
    uint32_t after;          /* index into afters */
    uint32_t after_count;
    bool program; /* as in struct order_event */
};

struct command_log {
    struct command_entry *entries;
    uint32_t *afters;
    uint32_t count, room, after_count, after_room;
    bool lost; /* an event is missing */
};

struct command_log *command_log_new(void)
{
    return calloc(1, sizeof(struct command_log));
}

void command_log_free(struct command_log *log)
{
    if (!log)
        return;
    free(log->entries);
    free(log->afters);
    free(log);
}

void command_log_clear(struct command_log *log)
{
    log->count = log->after_count = 0;
    log->lost = false;
}

/* ---- the log ---------------------------------------------------------------------------------- */

bool command_log_whole(const struct command_log *log)
{
    return !log->lost;
}

void command_log_add(struct command_log *log, const struct order_event *event)
{
    if (event->kind == ORDER_BEGIN || log->lost)
        return;
    const bool few = log->count < ENTRIES_MOST && log->after_count + event->after_count <= 4 * ENTRIES_MOST;
    const uint32_t afters = few ? (uint32_t)event->after_count : 0;
    log->lost = !few ||
                !room_for_one((void **)&log->entries, log->count, &log->room, 16, sizeof *log->entries) ||
                !room_for_more((void **)&log->afters, log->after_count, afters, &log->after_room,
                               sizeof *log->afters);
    if (log->lost)
        return;
    log->entries[log->count++] = (struct command_entry){
        event->kind, event->command, event->queue, event->map, log->after_count, afters, event->program};
    if (afters)
        memcpy(log->afters + log->after_count, event->after, afters * sizeof *event->after);
    log->after_count += afters;
}

static bool is_command(const struct command_entry *entry)
{
    return entry->kind == ORDER_ENQUEUED && entry->queue;
}

static bool enqueues(const struct command_entry *entry, uint32_t command)
{
    return is_command(entry) && entry->command == command;
}

static bool sets_user_event(const struct command_entry *entry)
{
    return entry->kind == ORDER_ENQUEUED && !entry->queue;
}

/* ---- replay ----------------------------------------------------------------------------------- */

/* What is not in the log had ended before it began. A command that has not ended is stuck: what holds it
 * up is not known. */
enum trial_progress { ENDED_BEFORE, MAY_RUN, STUCK, ENDED };

struct trial_command {
    uint32_t *after;
    size_t after_count;
    uint32_t command;
    bool set;
};

/* Commands are numbered from 1, by their place among the serial numbers of the log. */
struct command_trial {
    const struct command_log *log;
    struct command_graph *graph;
    uint32_t base, size;
    uint8_t *progress;
    struct trial_command *pending;
    size_t pending_count;
    uint32_t *lists;
    size_t list_count; /* the lists of pending[].after lie here */
    uint32_t first, second;
    uint32_t a, b; /* the commands that the edit is to order, either way */
    enum command_edit edit;
    size_t sets_at; /* EDIT_HOST_SETS: the host waits before this entry */
    /* EDIT_AFTER, EDIT_BEFORE: entry `from` moves after, or before, entry `to` */
    size_t from, to;
    bool failed;
};

static bool trial_size(struct command_trial *trial)
{
    uint32_t low = UINT32_MAX, high = 0;
    for (size_t i = 0; i < trial->log->count; i++) {
        const uint32_t command = trial->log->entries[i].command;
        if (trial->log->entries[i].kind != ORDER_ENQUEUED)
            continue;
        low = command < low ? command : low;
        high = command > high ? command : high;
    }
    trial->base = low;
    trial->size = high < low ? 0 : high - low + 1;
    return trial->first >= low && trial->second >= low && trial->first <= high && trial->second <= high;
}

/* A command that moves takes the other's serial number; those between the two move by one. */
static uint32_t moved(const struct command_trial *trial, uint32_t serial)
{
    if (trial->edit == EDIT_AFTER && serial >= trial->second && serial <= trial->first)
        return serial == trial->second ? trial->first : serial - 1;
    if (trial->edit == EDIT_BEFORE && serial >= trial->second && serial <= trial->first)
        return serial == trial->first ? trial->second : serial + 1;
    return serial;
}

static uint32_t number_of(const struct command_trial *trial, uint32_t serial)
{
    return serial < trial->base || serial - trial->base >= trial->size
               ? 0
               : moved(trial, serial) - trial->base + 1;
}

static bool has_ended(const struct command_trial *trial, uint32_t number)
{
    return !number || trial->progress[number] == ENDED_BEFORE || trial->progress[number] == ENDED;
}

static void order_trial(const struct command_trial *trial, enum order_kind kind, uint32_t command,
                        uint32_t queue, const uint32_t *after, size_t count)
{
    command_graph_order(trial->graph, &(struct order_event){.kind = kind,
                                                            .command = command,
                                                            .queue = queue,
                                                            .call = "",
                                                            .after = after,
                                                            .after_count = count});
}

static bool may_run(const struct command_trial *trial, const struct trial_command *pending)
{
    if (trial->progress[pending->command] == STUCK)
        return false;
    for (size_t i = 0; i < pending->after_count; i++)
        if (!has_ended(trial, pending->after[i]))
            return false;
    return true;
}

static void run_command(struct command_trial *trial, const struct trial_command *pending)
{
    CHECKED(pending->command > 0 && trial->progress[pending->command] != ENDED);
    trial->progress[pending->command] = ENDED;
    if (pending->set) {
        order_trial(trial, ORDER_ENQUEUED, pending->command, 0, pending->after, pending->after_count);
        return;
    }
    order_trial(trial, ORDER_BEGIN, pending->command, 1, NULL, 0);
    order_trial(trial, ORDER_END, pending->command, 1, NULL, 0);
}

static void run_all(struct command_trial *trial)
{
    for (size_t i = 0; i < trial->pending_count; i++) {
        const struct trial_command pending = trial->pending[i];
        if (!may_run(trial, &pending))
            continue;
        memmove(&trial->pending[i], &trial->pending[i + 1], (trial->pending_count - i - 1) * sizeof pending);
        CHECKED(trial->pending_count > 0);
        trial->pending_count--;
        run_command(trial, &pending);
        i = (size_t)-1;
    }
}

static void host_waits(struct command_trial *trial, const uint32_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        trial->failed |= !has_ended(trial, numbers[i]);
    if (!trial->failed)
        order_trial(trial, ORDER_HOST_WAITED, 0, 0, numbers, count);
}

static void host_finishes(struct command_trial *trial, size_t before)
{
    const struct command_log *log = trial->log;
    uint32_t queue = 0;
    for (size_t i = 0; i < before; i++)
        if (enqueues(&log->entries[i], trial->first))
            queue = log->entries[i].queue;
    for (size_t i = 0; i < before && queue; i++)
        if (is_command(&log->entries[i]) && log->entries[i].queue == queue)
            host_waits(trial, &(const uint32_t){number_of(trial, log->entries[i].command)}, 1);
}

static void edit_before(struct command_trial *trial, size_t at)
{
    const struct command_entry *entry = &trial->log->entries[at];
    const uint32_t first = number_of(trial, trial->first), second = number_of(trial, trial->second);
    const bool comes = enqueues(entry, trial->second);
    if (comes && trial->edit == EDIT_FINISH)
        host_finishes(trial, at);
    if (comes && trial->edit == EDIT_HOST_WAITS)
        host_waits(trial, &first, 1);
    if (trial->edit == EDIT_HOST_SETS && at == trial->sets_at)
        host_waits(trial, &second, 1);
}

/* The wait list of the entry, as far as it is in the log, with what the edit adds. */
static struct trial_command wait_list_of(struct command_trial *trial, const struct command_entry *entry)
{
    struct trial_command pending = {.after = trial->lists + trial->list_count,
                                    .command = number_of(trial, entry->command),
                                    .set = sets_user_event(entry)};
    for (size_t i = 0; i < entry->after_count; i++) {
        const uint32_t number = number_of(trial, trial->log->afters[entry->after + i]);
        if (number)
            pending.after[pending.after_count++] = number;
    }
    if (enqueues(entry, trial->second) && (trial->edit == EDIT_WAIT_LIST || trial->edit >= EDIT_AFTER))
        pending.after[pending.after_count++] = number_of(trial, trial->first);
    trial->list_count += pending.after_count;
    return pending;
}

static void replay_entry(struct command_trial *trial, size_t at)
{
    const struct command_entry *entry = &trial->log->entries[at];
    edit_before(trial, at);
    const struct trial_command pending = wait_list_of(trial, entry);
    switch (entry->kind) {
    case ORDER_ENQUEUED:
        if (entry->queue)
            order_trial(trial, ORDER_ENQUEUED, pending.command, entry->queue, pending.after,
                        pending.after_count);
        trial->pending[trial->pending_count++] = pending;
        run_all(trial);
        return;
    case ORDER_HOST_WAITED: host_waits(trial, pending.after, pending.after_count); return;
    case ORDER_HOST_ASKED:
    case ORDER_HOST_REPORTED: /* a program that polls for this end would poll for ever */
        trial->failed |= !has_ended(trial, pending.command);
        return;
    case ORDER_BEGIN:
    case ORDER_END: return;
    }
}

/* Is everything that the entry waits for in the log? A user event that is not set yet is not. */
static bool waits_are_logged(const struct command_trial *trial, const struct command_entry *entry)
{
    for (size_t i = 0; i < entry->after_count; i++) {
        const uint32_t number = number_of(trial, trial->log->afters[entry->after + i]);
        if (number && trial->progress[number] == ENDED_BEFORE)
            return false;
    }
    return true;
}

/* A user event whose setting is in the log will be set. A command may run if it has ended in the log; so
 * may an unmap, which only what it waits for can hold up. */
static void prepare(struct command_trial *trial)
{
    const struct command_log *log = trial->log;
    for (size_t i = 0; i < log->count; i++) {
        const uint32_t number = number_of(trial, log->entries[i].command);
        if (number && log->entries[i].kind == ORDER_ENQUEUED)
            trial->progress[number] = sets_user_event(&log->entries[i]) ? MAY_RUN : STUCK;
        else if (number && log->entries[i].kind == ORDER_END)
            trial->progress[number] = MAY_RUN;
    }
    for (size_t i = 0; i < log->count; i++)
        if (log->entries[i].map && waits_are_logged(trial, &log->entries[i]))
            trial->progress[number_of(trial, log->entries[i].command)] = MAY_RUN;
}

static bool is_ordered(const struct command_trial *trial)
{
    const uint32_t first = number_of(trial, trial->a), second = number_of(trial, trial->b);
    const bool both_ended = first && second && has_ended(trial, first) && has_ended(trial, second);
    return both_ended && !command_graph_exhausted(trial->graph) &&
           (command_graph_is_after(trial->graph, second, first) ||
            command_graph_is_after(trial->graph, first, second));
}

static void replay_at(struct command_trial *trial, size_t at)
{
    const bool moves = trial->edit >= EDIT_AFTER;
    if (moves && at == trial->from)
        return;
    if (moves && at == trial->to && trial->edit == EDIT_BEFORE)
        replay_entry(trial, trial->from);
    replay_entry(trial, at);
    if (moves && at == trial->to && trial->edit == EDIT_AFTER)
        replay_entry(trial, trial->from);
}

static bool replay(struct command_trial *trial)
{
    trial->list_count = trial->pending_count = 0;
    trial->failed = false;
    prepare(trial);
    trial->graph = command_graph_new();
    for (size_t i = 0; trial->graph && i < trial->log->count && !trial->failed; i++)
        replay_at(trial, i);
    bool orders = trial->graph && !trial->failed && is_ordered(trial);
    command_graph_free(trial->graph);
    return orders;
}

/* Tries each user event that the host sets after second was enqueued, since it is not known for which
 * first waits. */
static bool try_sets(struct command_trial *trial)
{
    int tries = 16;
    bool enqueued = false;
    for (size_t i = 0; i < trial->log->count && tries; i++) {
        const struct command_entry *entry = &trial->log->entries[i];
        enqueued |= enqueues(entry, trial->second);
        const bool by_host =
            sets_user_event(entry) && !entry->after_count && !entry->program; /* a callback may not wait */
        if (!enqueued || !by_host)
            continue;
        tries--;
        trial->sets_at = i;
        if (replay(trial))
            return true;
    }
    return false;
}

static bool is_among(uint32_t command, const uint32_t *commands, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (commands[i] == command)
            return true;
    return false;
}

static bool waits_for(const struct command_log *log, const struct command_entry *entry, uint32_t command)
{
    return is_among(command, log->afters + entry->after, entry->after_count);
}

/* A command cannot wait for one that is enqueued after it, and stays before a wait of the host for it. */
static bool may_pass(const struct command_trial *trial, const struct command_entry *moving,
                     const struct command_entry *other)
{
    if (trial->edit == EDIT_AFTER)
        return !waits_for(trial->log, other, moving->command);
    return other->kind != ORDER_HOST_WAITED &&
           !(is_command(other) && waits_for(trial->log, moving, other->command));
}

static bool try_move(struct command_trial *trial)
{
    const struct command_log *log = trial->log;
    const uint32_t moving = trial->edit == EDIT_AFTER ? trial->second : trial->first,
                   other = trial->first + trial->second - moving;
    trial->from = trial->to = log->count;
    for (size_t i = 0; i < log->count; i++) {
        if (enqueues(&log->entries[i], moving))
            trial->from = i;
        else if (enqueues(&log->entries[i], other))
            trial->to = i;
    }
    if (trial->from == log->count || trial->to == log->count ||
        (trial->from < trial->to) != (trial->edit == EDIT_AFTER))
        return false;
    const size_t low = trial->from < trial->to ? trial->from + 1 : trial->to,
                 high = trial->from < trial->to ? trial->to + 1 : trial->from;
    for (size_t i = low; i < high; i++)
        if (!may_pass(trial, &log->entries[trial->from], &log->entries[i]))
            return false;
    return replay(trial);
}

static bool try_edit(struct command_trial *trial)
{
    return trial->edit == EDIT_HOST_SETS ? try_sets(trial)
           : trial->edit >= EDIT_AFTER   ? try_move(trial)
                                         : replay(trial);
}

bool command_log_try(const struct command_log *log, enum command_edit edit, uint32_t first, uint32_t second,
                     uint32_t one, uint32_t other)
{
    struct command_trial trial = {
        .log = log, .edit = edit, .first = first, .second = second, .a = one, .b = other};
    if (log->lost || !trial_size(&trial))
        return false;
    trial.progress = calloc(trial.size + 1, sizeof *trial.progress);
    trial.pending = calloc(log->count + 1, sizeof *trial.pending);
    trial.lists = calloc(log->after_count + 2, sizeof *trial.lists);
    bool orders = trial.progress && trial.pending && trial.lists && try_edit(&trial);
    free(trial.progress);
    free(trial.pending);
    free(trial.lists);
    return orders;
}

/* ---- wait lists ------------------------------------------------------------------------------- */

uint32_t command_log_unmap(const struct command_log *log, uint32_t map)
{
    for (size_t i = log->count; i > 0 && map; i--)
        if (log->entries[i - 1].map == map)
            return log->entries[i - 1].command;
    return 0;
}

/* The command and the commands that it waits for, directly or not; *out_count of them. The log is walked
 * backwards, in which a command comes before those that it waits for. NULL: out of memory. *out_crosses:
 * some are of another queue. */
static uint32_t *waited_for(const struct command_log *log, uint32_t command, size_t *out_count,
                            bool *out_crosses)
{
    uint32_t *wanted = malloc((log->after_count + 1) * sizeof *wanted), queue = 0;
    *out_count = 1;
    *out_crosses = !wanted;
    if (wanted)
        wanted[0] = command;
    for (size_t i = log->count; i > 0 && wanted; i--) {
        const struct command_entry *entry = &log->entries[i - 1];
        if (entry->kind != ORDER_ENQUEUED || !is_among(entry->command, wanted, *out_count))
            continue;
        queue = queue ? queue : entry->queue;
        *out_crosses |= entry->queue && entry->queue != queue;
        if (entry->after_count)
            memcpy(wanted + *out_count, log->afters + entry->after, entry->after_count * sizeof *wanted);
        *out_count += entry->after_count;
    }
    return wanted;
}

bool command_log_crosses(const struct command_log *log, uint32_t command)
{
    size_t count;
    bool crosses;
    free(waited_for(log, command, &count, &crosses));
    return crosses || log->lost;
}

bool command_log_in_callback(const struct command_log *log, uint32_t command)
{
    for (size_t i = 0; i < log->count; i++)
        if (enqueues(&log->entries[i], command))
            return log->entries[i].program;
    return false;
}

/* A user event is mostly set after the command that waits for it was enqueued, so the whole log is
 * searched. */
bool command_log_called_back(const struct command_log *log, uint32_t command)
{
    size_t count;
    bool crosses, called = false;
    uint32_t *wanted = waited_for(log, command, &count, &crosses);
    for (size_t i = 0; i < log->count && wanted && !called; i++)
        called = sets_user_event(&log->entries[i]) && log->entries[i].program &&
                 is_among(log->entries[i].command, wanted, count);
    free(wanted);
    return called;
}
