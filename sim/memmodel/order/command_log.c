/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The log of order events and its replay with one edit. A command runs to its end as soon as all that it
 * waits for has ended. Only the order of two commands is asked for, so a clock is two bits: it has the one,
 * the other.
 */
#include "command_log.h"

#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "orrery/limits.h"
#include "sim/memmodel/common/list.h"

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
    LIST(struct command_entry) entries;
    LIST(uint32_t) afters;
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
    list_fini(&log->entries);
    list_fini(&log->afters);
    free(log);
}

void command_log_clear(struct command_log *log)
{
    log->entries.count = log->afters.count = 0;
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
    const uint32_t afters = (uint32_t)event->after_count;
    const struct command_entry entry = {.kind = event->kind,
                                        .command = event->command,
                                        .queue = event->queue,
                                        .map = event->map,
                                        .after = log->afters.count,
                                        .after_count = afters,
                                        .program = event->program};
    log->lost = log->entries.count == ENTRIES_MOST ||
                log->afters.count + event->after_count > 4 * ENTRIES_MOST ||
                !room_for_more((void **)&log->afters.items, log->afters.count, afters, &log->afters.room,
                               sizeof *log->afters.items) ||
                !list_add(&log->entries, entry);
    if (log->lost)
        return;
    if (afters)
        memcpy(log->afters.items + log->afters.count, event->after, afters * sizeof *event->after);
    log->afters.count += afters;
}

/* What the entry waits for; NULL: nothing. */
static const uint32_t *afters_of(const struct command_log *log, const struct command_entry *entry)
{
    return entry->after_count ? log->afters.items + entry->after : NULL;
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
enum trial_progress { ENDED_BEFORE, STUCK, MAY_RUN, PENDING, ENDED };

/* Bits: the end of command a, or of b, happens before. */
enum { AFTER_A = 1, AFTER_B = 2 };

/* A command, or a user event. */
struct trial_command {
    enum trial_progress progress;
    uint32_t seen; /* bits: what happens before it */
};

struct command_trial {
    const struct command_log *log;
    uint32_t base, size;
    struct trial_command *commands; /* by serial number - base */
    uint32_t pending;               /* how many are PENDING: enqueued, and wait */
    uint32_t host;                  /* bits: what happens before the host's next call */
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
    for (size_t i = 0; i < trial->log->entries.count; i++) {
        const uint32_t command = trial->log->entries.items[i].command;
        if (trial->log->entries.items[i].kind != ORDER_ENQUEUED)
            continue;
        low = command < low ? command : low;
        high = command > high ? command : high;
    }
    trial->base = low;
    trial->size = high < low ? 0 : high - low + 1;
    return trial->first >= low && trial->second >= low && trial->first <= high && trial->second <= high;
}

/* NULL: it is older than the log. */
static struct trial_command *command_of(const struct command_trial *trial, uint32_t serial)
{
    return serial < trial->base || serial - trial->base >= trial->size
               ? NULL
               : &trial->commands[serial - trial->base];
}

static bool has_ended(const struct command_trial *trial, uint32_t serial)
{
    const struct trial_command *command = command_of(trial, serial);
    return !command || command->progress == ENDED_BEFORE || command->progress == ENDED;
}

/* What happens before an operation that waits for the command, by that wait. */
static uint32_t seen_after(const struct command_trial *trial, uint32_t serial)
{
    const struct trial_command *command = command_of(trial, serial);
    if (!command || command->progress != ENDED)
        return 0;
    return command->seen | (serial == trial->a ? AFTER_A : 0) | (serial == trial->b ? AFTER_B : 0);
}

/* The command that the entry enqueues runs to its end, or the user event is set, unless something that it
 * waits for has not ended. */
static bool try_run(struct command_trial *trial, const struct command_entry *entry)
{
    struct trial_command *command = command_of(trial, entry->command);
    const uint32_t *after = afters_of(trial->log, entry);
    const bool edited =
        enqueues(entry, trial->second) && (trial->edit == EDIT_WAIT_LIST || trial->edit >= EDIT_AFTER);
    bool runs = command->progress == PENDING && (!edited || has_ended(trial, trial->first));
    for (uint32_t i = 0; i < entry->after_count && runs; i++)
        runs = has_ended(trial, after[i]);
    if (!runs)
        return false;
    for (uint32_t i = 0; i < entry->after_count; i++)
        command->seen |= seen_after(trial, after[i]);
    command->seen |= edited ? seen_after(trial, trial->first) : 0;
    command->progress = ENDED;
    CHECKED(trial->pending > 0);
    trial->pending--;
    return true;
}

/* Rules (1) and (12): what happened before the host's call happens before the command, or before what waits
 * for the user event; not if commands set that. Others may have waited for it. */
static void enqueue(struct command_trial *trial, const struct command_entry *entry)
{
    struct trial_command *command = command_of(trial, entry->command);
    if (command->progress != MAY_RUN)
        return;
    command->progress = PENDING;
    command->seen = sets_user_event(entry) && entry->after_count ? 0 : trial->host;
    trial->pending++;
    bool some = try_run(trial, entry);
    while (some && trial->pending) {
        some = false;
        for (uint32_t i = 0; i < trial->log->entries.count; i++)
            some |= trial->log->entries.items[i].kind == ORDER_ENQUEUED &&
                    try_run(trial, &trial->log->entries.items[i]);
    }
}

static void host_waits(struct command_trial *trial, uint32_t serial)
{
    trial->failed |= !has_ended(trial, serial);
    trial->host |= seen_after(trial, serial);
}

static void host_finishes(struct command_trial *trial, size_t before)
{
    const struct command_log *log = trial->log;
    uint32_t queue = 0;
    for (size_t i = 0; i < before; i++)
        if (enqueues(&log->entries.items[i], trial->first))
            queue = log->entries.items[i].queue;
    for (size_t i = 0; i < before && queue; i++)
        if (is_command(&log->entries.items[i]) && log->entries.items[i].queue == queue)
            host_waits(trial, log->entries.items[i].command);
}

static void edit_before(struct command_trial *trial, size_t at)
{
    const struct command_entry *entry = &trial->log->entries.items[at];
    const bool comes = enqueues(entry, trial->second);
    if (comes && trial->edit == EDIT_FINISH)
        host_finishes(trial, at);
    if (comes && trial->edit == EDIT_HOST_WAITS)
        host_waits(trial, trial->first);
    if (trial->edit == EDIT_HOST_SETS && at == trial->sets_at)
        host_waits(trial, trial->second);
}

static void replay_entry(struct command_trial *trial, size_t at)
{
    const struct command_entry *entry = &trial->log->entries.items[at];
    edit_before(trial, at);
    switch (entry->kind) {
    case ORDER_ENQUEUED: enqueue(trial, entry); return;
    case ORDER_HOST_WAITED:
        for (uint32_t i = 0; i < entry->after_count; i++)
            host_waits(trial, afters_of(trial->log, entry)[i]);
        return;
    case ORDER_HOST_ASKED:
    case ORDER_HOST_REPORTED: /* a program that polls for this end would poll for ever */
        trial->failed |= !has_ended(trial, entry->command);
        return;
    case ORDER_BEGIN:
    case ORDER_END: return;
    }
}

/* Is everything that the entry waits for in the log? A user event that is not set yet is not. */
static bool waits_are_logged(const struct command_trial *trial, const struct command_entry *entry)
{
    for (size_t i = 0; i < entry->after_count; i++) {
        const struct trial_command *after = command_of(trial, afters_of(trial->log, entry)[i]);
        if (after && after->progress == ENDED_BEFORE)
            return false;
    }
    return true;
}

/* A user event whose setting is in the log will be set. A command may run if it has ended in the log; so
 * may an unmap, which only what it waits for can hold up. */
static void prepare(struct command_trial *trial)
{
    const struct command_log *log = trial->log;
    memset(trial->commands, 0, trial->size * sizeof *trial->commands);
    for (size_t i = 0; i < log->entries.count; i++) {
        struct trial_command *command = command_of(trial, log->entries.items[i].command);
        if (command && log->entries.items[i].kind == ORDER_ENQUEUED)
            command->progress = sets_user_event(&log->entries.items[i]) ? MAY_RUN : STUCK;
        else if (command && log->entries.items[i].kind == ORDER_END)
            command->progress = MAY_RUN;
    }
    for (size_t i = 0; i < log->entries.count; i++)
        if (log->entries.items[i].map && waits_are_logged(trial, &log->entries.items[i]))
            command_of(trial, log->entries.items[i].command)->progress = MAY_RUN;
}

static bool is_ordered(const struct command_trial *trial)
{
    return seen_after(trial, trial->a) & AFTER_B || seen_after(trial, trial->b) & AFTER_A;
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
    trial->pending = trial->host = 0;
    trial->failed = false;
    prepare(trial);
    for (size_t i = 0; i < trial->log->entries.count && !trial->failed; i++)
        replay_at(trial, i);
    return !trial->failed && is_ordered(trial);
}

/* Tries each user event that the host sets after second was enqueued, since it is not known for which
 * first waits. */
static bool try_sets(struct command_trial *trial)
{
    int tries = 16;
    bool enqueued = false;
    for (size_t i = 0; i < trial->log->entries.count && tries; i++) {
        const struct command_entry *entry = &trial->log->entries.items[i];
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
    return is_among(command, afters_of(log, entry), entry->after_count);
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
    trial->from = trial->to = log->entries.count;
    for (size_t i = 0; i < log->entries.count; i++) {
        if (enqueues(&log->entries.items[i], moving))
            trial->from = i;
        else if (enqueues(&log->entries.items[i], other))
            trial->to = i;
    }
    if (trial->from == log->entries.count || trial->to == log->entries.count ||
        (trial->from < trial->to) != (trial->edit == EDIT_AFTER))
        return false;
    const size_t low = trial->from < trial->to ? trial->from + 1 : trial->to,
                 high = trial->from < trial->to ? trial->to + 1 : trial->from;
    for (size_t i = low; i < high; i++)
        if (!may_pass(trial, &log->entries.items[trial->from], &log->entries.items[i]))
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
    trial.commands = calloc(trial.size, sizeof *trial.commands);
    const bool orders = trial.commands && try_edit(&trial);
    free(trial.commands);
    return orders;
}

/* ---- wait lists ------------------------------------------------------------------------------- */

uint32_t command_log_unmap(const struct command_log *log, uint32_t map)
{
    for (size_t i = log->entries.count; i > 0 && map; i--)
        if (log->entries.items[i - 1].map == map)
            return log->entries.items[i - 1].command;
    return 0;
}

uint32_t command_log_queue(const struct command_log *log, uint32_t command)
{
    for (size_t i = 0; i < log->entries.count; i++)
        if (enqueues(&log->entries.items[i], command))
            return log->entries.items[i].queue;
    return 0;
}

bool command_log_in_callback(const struct command_log *log, uint32_t command)
{
    for (size_t i = 0; i < log->entries.count; i++)
        if (enqueues(&log->entries.items[i], command))
            return log->entries.items[i].program;
    return false;
}

/* The log is walked backwards, in which a command comes before those that it waits for. A user event is
 * mostly set after the command that waits for it was enqueued, so the whole log is searched for that. */
struct command_waits command_log_waits(const struct command_log *log, uint32_t command)
{
    uint32_t *wanted = malloc((log->afters.count + 1) * sizeof *wanted), queue = 0;
    size_t count = 0;
    struct command_waits waits = {.crosses = !wanted || log->lost};
    if (wanted)
        wanted[count++] = command;
    for (size_t i = log->entries.count; i > 0 && wanted; i--) {
        const struct command_entry *entry = &log->entries.items[i - 1];
        if (entry->kind != ORDER_ENQUEUED || !is_among(entry->command, wanted, count))
            continue;
        queue = queue ? queue : entry->queue;
        waits.crosses |= entry->queue && entry->queue != queue;
        if (entry->after_count)
            memcpy(wanted + count, afters_of(log, entry), entry->after_count * sizeof *wanted);
        count += entry->after_count;
    }
    for (size_t i = 0; i < log->entries.count && wanted; i++)
        waits.called_back |= sets_user_event(&log->entries.items[i]) && log->entries.items[i].program &&
                             is_among(log->entries.items[i].command, wanted, count);
    free(wanted);
    return waits;
}
