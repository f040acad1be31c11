/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage.h of commands that wait. Three findings: a user event is unset when the program releases another
 * object (OpenCL 2.2 API, 5.11); a command waits for a command of a queue that was not flushed, and the
 * program waits for it, or ends (5.15); a command has not run at the end of the program.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/callback.h"
#include "lib/context.h"
#include "lib/event.h"
#include "lib/executor.h"
#include "lib/host/host_place.h"
#include "lib/message_stream.h"
#include "lib/queue_log.h"
#include "usage.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards `waits`, `unflushed` and `hung` */

/* ---- commands that wait for user events --------------------------------------------------------------- */

struct user_event_wait {
    struct user_event_wait *next;
    struct event *event; /* of the user; referenced */
    uint32_t serial;     /* of the command */
    struct call_site *site;
};
static struct user_event_wait *waits; /* the oldest first; one for each event */

/* A user event that the program made and can still set. Nothing waits in a context that was terminated. */
static bool is_unset(const struct event *event)
{
    return !event->queue && event->base.published && !context_terminated(event->context) &&
           __atomic_load_n(&event->user_status, __ATOMIC_RELAXED) > CL_COMPLETE;
}

/* Moves the entries of events that are set meanwhile to `out_set`; they can be no finding. The link of the
 * event's entry, or the last one. */
static struct user_event_wait **find_wait(const struct event *event, struct user_event_wait **out_set)
{
    struct user_event_wait **link = &waits, *wait;
    while ((wait = *link) && wait->event != event) {
        if (is_unset(wait->event)) {
            link = &wait->next;
            continue;
        }
        *link = wait->next;
        wait->next = *out_set;
        *out_set = wait;
    }
    return link;
}

static void wait_free(struct user_event_wait *wait)
{
    object_unref(wait->event);
    free(wait->site);
    free(wait);
}

static void waits_free(struct user_event_wait *wait)
{
    for (struct user_event_wait *next; wait; wait = next) {
        next = wait->next;
        wait_free(wait);
    }
}

static void add_wait(const struct command *command, struct event *event)
{
    struct user_event_wait *wait = malloc(sizeof *wait);
    if (!wait)
        return;
    *wait = (struct user_event_wait){
        .event = object_ref(event), .serial = command->event->serial, .site = call_site_new()};
    struct user_event_wait *dropped = NULL;
    pthread_mutex_lock(&lock);
    struct user_event_wait **link = find_wait(event, &dropped), *listed = *link;
    if (!listed)
        *link = wait;
    pthread_mutex_unlock(&lock);
    waits_free(dropped);
    if (listed)
        wait_free(wait);
}

/* ---- commands that wait for commands of queues that were not flushed ----------------------------------- */

/* OpenCL 2.2 API, 5.15: the program must flush the queue of an event that a command of another queue waits
 * for. The text does not say when; without the flush, a wait for that other queue need not end. So the flush
 * may come after the second command, but not after a wait for it. Entries hold no references: a queue that is
 * released is flushed, and its entries are removed. */
struct unflushed_wait {
    struct unflushed_wait *next;
    uint32_t serial, queue;         /* of the command that is waited for */
    const struct event *waits;      /* of the command that waits, while its number is not known; else NULL */
    uint32_t waiter, waiting_queue; /* of that command */
    struct call_site *site;         /* which enqueued that */
};
static struct unflushed_wait *unflushed, /* in the order of the calls; also read without the lock */
    *hung;                               /* the program waited first, and needed the flush */

static bool is_unflushed(const struct command *command, const struct event *event)
{
    return event->queue && event->queue != command->queue &&
           event->serial > __atomic_load_n(&event->queue->flushed, __ATOMIC_RELAXED);
}

static struct unflushed_wait **list_end(struct unflushed_wait **link)
{
    while (*link)
        link = &(*link)->next;
    return link;
}

static void add_unflushed(const struct command *command, const struct event *event)
{
    struct unflushed_wait *entry = malloc(sizeof *entry);
    struct call_site *site = call_site_new();
    if (!entry || !site) {
        free(entry);
        free(site);
        return;
    }
    *entry = (struct unflushed_wait){.serial = event->serial,
                                     .queue = event->queue->base.id,
                                     .waits = command->event,
                                     .waiting_queue = command->queue->base.id,
                                     .site = site};
    pthread_mutex_lock(&lock);
    __atomic_store_n(list_end(&unflushed), entry, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&lock);
}

void usage_pending_numbered(const struct event *event)
{
    if (!__atomic_load_n(&unflushed, __ATOMIC_RELAXED))
        return;
    pthread_mutex_lock(&lock);
    for (struct unflushed_wait *entry = unflushed; entry; entry = entry->next)
        if (entry->waits == event) {
            entry->waits = NULL;
            entry->waiter = event->serial;
        }
    pthread_mutex_unlock(&lock);
}

static void unflushed_free(struct unflushed_wait *entry)
{
    free(entry->site);
    free(entry);
}

/* Removes the entries for the queue, up to this serial number; `to` NULL: frees them. */
static void move_unflushed(uint32_t queue, uint32_t serial, struct unflushed_wait **to)
{
    pthread_mutex_lock(&lock);
    for (struct unflushed_wait **link = &unflushed, *entry; (entry = *link);) {
        if (entry->queue != queue || entry->serial > serial) {
            link = &entry->next;
            continue;
        }
        __atomic_store_n(link, entry->next, __ATOMIC_RELAXED);
        entry->next = NULL;
        if (to)
            *list_end(to) = entry;
        else
            unflushed_free(entry);
    }
    pthread_mutex_unlock(&lock);
}

void usage_pending_flushed(const struct queue *queue)
{
    move_unflushed(queue->base.id, queue->flushed, NULL);
}

void usage_pending_hangs(const struct queue *queue)
{
    if (queue->unflushed)
        move_unflushed(queue->base.id, UINT32_MAX, &hung);
}

static void report_unflushed(const struct unflushed_wait *entry)
{
    char object[96], why[240];
    snprintf(object, sizeof object, "command %" PRIu32 " (command-queue %" PRIu32 ")", entry->serial,
             entry->queue);
    snprintf(why, sizeof why,
             "command %" PRIu32 " of command-queue %" PRIu32
             " waits for its event, and nothing has flushed command-queue %" PRIu32 " since it was enqueued",
             entry->waiter, entry->waiting_queue, entry->queue);
    call_find_at(FINDING_QUEUE_NOT_FLUSHED, entry->site,
                 &(struct call_finding){
                     .object = object,
                     .why = why,
                     .fix = "clFlush of that command-queue before the program waits for the other one"});
}

static void report_list(struct unflushed_wait **list)
{
    pthread_mutex_lock(&lock);
    struct unflushed_wait *entry = *list, *next;
    *list = NULL;
    pthread_mutex_unlock(&lock);
    for (; entry; entry = next) {
        next = entry->next;
        report_unflushed(entry);
        unflushed_free(entry);
    }
}

void usage_pending_waited(void)
{
    report_list(&hung);
}

void usage_pending_command(const struct command *command)
{
    for (cl_uint i = 0; i < command->wait_count; i++) {
        if (is_unset(command->waits[i]))
            add_wait(command, command->waits[i]);
        if (is_unflushed(command, command->waits[i]))
            add_unflushed(command, command->waits[i]);
    }
}

/* Removes the oldest entry, which the caller frees. NULL: none is left. */
static struct user_event_wait *take_wait(void)
{
    pthread_mutex_lock(&lock);
    struct user_event_wait *wait = waits;
    if (wait)
        waits = wait->next;
    pthread_mutex_unlock(&lock);
    return wait;
}

static void report_unset(const struct user_event_wait *wait)
{
    char object[64];
    snprintf(object, sizeof object, "event %" PRIu32, wait->event->base.id);
    call_find(
        FINDING_USER_EVENT_UNSET,
        &(struct call_finding){.object = object,
                               .why = "a command waits for this user event, which the program has not set",
                               .fix = "clSetUserEventStatus before anything but an event is released",
                               .other = wait->site,
                               .other_what = "the command is enqueued here"});
}

/* Empties the list, so each event is reported once. */
void usage_pending_release(void)
{
    struct user_event_wait *wait;
    while ((wait = take_wait())) {
        if (is_unset(wait->event))
            report_unset(wait);
        wait_free(wait);
    }
}

/* ---- commands that never ran ---- */

static const struct event *unset_of(const struct command *command)
{
    for (cl_uint i = 0; i < command->wait_count; i++)
        if (is_unset(command->waits[i]))
            return command->waits[i];
    return NULL;
}

/* ---- a wait that does not end ---- */

/* A wait for a semaphore that nothing has signalled has a user event of its own (semaphore.c). */
static bool lacks_signal(const struct command *command, const struct event *event)
{
    return command->kind == COMMAND_SEMAPHORE_WAIT_KHR && !event->queue && !event->base.published &&
           event_pending(event);
}

struct missing {
    const struct command *command; /* it waits for the event; NULL: the program itself does */
    const struct event *event;
};

enum { QUEUES_DEEP = 1000 };

/* The first user event that a command of the queue waits for, up to that command, or a command of another
 * queue that it waits for. Each command is looked at once in a search: queues may wait for each other in more
 * ways than can be followed. */
static bool find_missing(struct queue *queue, uint32_t serial, uint32_t deep, uint32_t search,
                         struct missing *out)
{
    const uint32_t searched = queue->search == search ? queue->searched : 0;
    if (serial <= searched)
        return false;
    queue->search = search;
    queue->searched = serial;
    for (const struct command *command = queue->first; command && command->serial <= serial && deep;
         command = command->next)
        for (cl_uint i = 0; command->serial > searched && i < command->wait_count; i++) {
            const struct event *event = command->waits[i];
            if (!event_pending(event))
                continue;
            if (is_unset(event) || lacks_signal(command, event)) {
                *out = (struct missing){command, event};
                return true;
            }
            if (event->queue && event->queue != queue &&
                find_missing(event->queue, event->serial, deep - 1, search, out))
                return true;
        }
    return false;
}

static void say_made(const struct call_site *site, FILE *stream)
{
    struct host_place found;
    if (!site)
        return;
    host_place_find(&site->trace, &found);
    if (found.place.file && found.place.line)
        fprintf(stream, " (%s:%" PRIu32 ")", found.place.file, found.place.line);
}

bool usage_pending_note(struct queue *queue, struct event *const *events, size_t count, uint32_t seconds)
{
    struct missing missing = {NULL, NULL};
    static uint32_t searches; /* under the runtime lock */
    const uint32_t search = ++searches;
    bool found = queue && find_missing(queue, UINT32_MAX, QUEUES_DEEP, search, &missing);
    for (size_t i = 0; i < count && !found; i++) {
        if (is_unset(events[i]))
            missing.event = events[i];
        found = missing.event || (events[i]->queue && find_missing(events[i]->queue, events[i]->serial,
                                                                   QUEUES_DEEP, search, &missing));
    }
    if (!found)
        return false;
    const char *call = call_running();
    fprintf(message_stream(), "orrery: note: for %" PRIu32 " seconds %s has waited", seconds,
            call ? call : "the program");
    if (missing.command) {
        fprintf(message_stream(), " for command %" PRIu32, missing.command->serial);
        say_made(missing.command->made, message_stream());
        fprintf(message_stream(), ", which waits");
    }
    if (!is_unset(missing.event)) {
        fprintf(message_stream(), " for a semaphore that no command has signalled\n");
        return true;
    }
    fprintf(message_stream(), " for event %" PRIu32, missing.event->base.id);
    say_made(missing.event->base.made, message_stream());
    fprintf(message_stream(), ", a user event that the program has not set\n");
    return true;
}

/* ---- a callback that is not called, since nothing flushes the queue ---- */

/* The program may wait for the callback by means of its own, which no call announces. The latest event is
 * watched. It is held until its callback is called, on the thread that looks; so its handle is found as long
 * as there is something to see, and no reference is necessary. */
static struct {
    const void *event; /* NULL: none */
    uint32_t serial;
    struct call_site *site;
    uint64_t calls; /* as seen by the last look */
    bool noted;
} watch; /* under runtime_lock */

static bool needs_flush(const struct event *event)
{
    return event->queue && event_pending(event) && event->serial > event->queue->flushed;
}

/* Grows with each command and each flush. */
static uint64_t calls_so_far(void)
{
    return queue_log_end() + executor_serial();
}

static void note_unflushed_callback(const struct event *event)
{
    fprintf(message_stream(), "orrery: note: for %d seconds a callback for command %" PRIu32,
            CALLBACK_WATCH_SECONDS, event->serial);
    say_made(watch.site, message_stream());
    fprintf(message_stream(),
            " has waited for a clFlush of command-queue %" PRIu32
            ": until then a device need not run the command\n",
            event->queue->base.id);
    watch.noted = true;
}

static bool look_at_watched(void)
{
    runtime_lock();
    const struct event *event = object_lookup(watch.event, OBJECT_EVENT);
    const bool needs = event && event->serial == watch.serial && needs_flush(event);
    const bool still = watch.calls == calls_so_far();
    watch.calls = calls_so_far();
    if (needs && still)
        note_unflushed_callback(event);
    runtime_unlock();
    return needs && !still;
}

void usage_pending_callback(const struct event *event)
{
    if (watch.noted || !needs_flush(event))
        return;
    free(watch.site);
    watch.event = event;
    watch.serial = event->serial;
    watch.site = call_site_new();
    watch.calls = calls_so_far();
    callback_watch(look_at_watched);
}

/* ---- commands that never ran: what is said ---- */

static void describe_cause(const struct command *command, const struct event *unset, char *out, size_t size)
{
    if (unset) {
        snprintf(out, size, "it waits for event %" PRIu32 ", a user event that the program never set",
                 unset->base.id);
        return;
    }
    for (cl_uint i = 0; i < command->wait_count; i++)
        if (lacks_signal(command, command->waits[i])) {
            snprintf(out, size, "no command has signalled a semaphore that it waits for");
            return;
        } else if (command->waits[i]->queue && event_pending(command->waits[i])) {
            snprintf(out, size, "it waits for command %" PRIu32 ", which never ran",
                     command->waits[i]->serial);
            return;
        }
    snprintf(out, size, "%s",
             command->submitted ? "commands before it in its queue never ran"
                                : "nothing flushed its queue or waited for it");
}

static void report_left(const struct command *command)
{
    const struct event *unset = unset_of(command);
    char object[64], why[120];
    snprintf(object, sizeof object, "command %" PRIu32 " (command-queue %" PRIu32 ")", command->serial,
             command->queue->base.id);
    describe_cause(command, unset, why, sizeof why);
    call_find_at(FINDING_COMMAND_NEVER_RAN, command->made,
                 &(struct call_finding){.object = object,
                                        .why = why,
                                        .fix = unset ? "clSetUserEventStatus, in every path of the program"
                                                     : "clFinish, or wait for the event of the last command",
                                        .other = unset ? unset->base.made : NULL,
                                        .other_what = "the user event is made here"});
}

static void report_queue(const struct queue *queue)
{
    for (const struct command *command = queue->first; command; command = command->next)
        if (command->made && !command->running && command->unmet + !command->submitted)
            report_left(command);
}

static int by_number(const void *a, const void *b)
{
    const struct queue *x = *(struct queue *const *)a, *y = *(struct queue *const *)b;
    return (x->base.id > y->base.id) - (x->base.id < y->base.id);
}

static size_t queues_of(const struct context *context, const struct queue **out)
{
    size_t count = 0;
    for (const struct queue *queue = context->queues; queue; queue = queue->next_in_context, count++)
        if (out)
            out[count] = queue;
    return count;
}

static void report_context(const struct context *context)
{
    size_t count = queues_of(context, NULL);
    const struct queue **queues = calloc(count + 1, sizeof *queues);
    if (!queues)
        return;
    queues_of(context, queues);
    qsort(queues, count, sizeof *queues, by_number);
    for (size_t i = 0; i < count; i++)
        report_queue(queues[i]);
    free(queues);
}

void usage_pending_finish(struct object *const *objects, size_t count)
{
    report_list(&unflushed);
    for (size_t i = 0; i < count; i++)
        if (objects[i]->kind == OBJECT_CONTEXT)
            report_context((const struct context *)objects[i]);
}
