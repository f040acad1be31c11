/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A debugger watches a device: its stops, its requests, how it continues. No I/O: a host
 * (struct debugger_host) talks to the front end.
 *
 * Life     debugger_new -> debugger_attend -> the scenario runs; the device calls the hook,
 * which calls host.stopped at each stop -> debugger_end -> debugger_free.
 *
 * Position A number that counts events: lines that begin in a wave, accesses, synchronisation, launches. A
 * run is deterministic, so a position means the same in each run of the same scenario: going back is running
 * again.
 *
 * Plain    If a plan has nothing that can stop the run, the launches that begin from then on run the code
 * that they have without a debugger. Then positions are not counted. A run that is interrupted stops at the
 * beginning of a wave's slice, and reports how many launches and work-groups have begun or ended, and how
 * many slices since.
 *
 * Attached A debugger that waits (debugger_wait) lets launches run their plain code until the host has a
 * session when one begins. Positions are counted from there. When the session has gone, it waits again.
 *
 * Requests JSON objects with "verb"; the reply is an object, with "error" when the request is refused. "run"
 * plans how the run continues, and makes debugger_resumes() true: then host.stopped is to return. Its reply
 * is the next stop.
 */
#ifndef ORRERY_DEBUG_H
#define ORRERY_DEBUG_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "orrery/observer.h"

struct device;
struct insn;
struct report;
struct scenario;
struct wave;
struct debugger;

/* The callbacks of a device. */
struct debug_hook {
    struct debugger *debugger;
    void (*line)(void *debugger, struct wave *wave, const struct insn *insn);
    void (*slice)(void *debugger, struct wave *wave); /* a slice of a wave begins, also of plain code */
    void (*gone)(void *debugger, struct wave *wave);
    void (*fault)(struct debugger *debugger);                         /* a fault was reported */
    void (*device)(struct debugger *debugger, struct device *device); /* made, its checkers attached */
    void (*print)(struct debugger *debugger, const char *text);       /* a kernel printed it; terminated */
    bool (*is_plain)(const struct debugger *debugger); /* launches that begin now need no marks */
};

struct debugger_host {
    void *self;
    /* The run has stopped: reply to requests until one resumes it. stop: the reply to the latest "run". */
    void (*stopped)(void *self, struct debugger *debugger, json_t *stop);
    /* A good time for a copy of the process; false: none was made. */
    void (*checkpoint)(void *self, struct debugger *debugger, uint64_t position);
    /* A launch begins: is a session there? NULL: one always is. */
    bool (*attached)(void *self);
    /* A kernel printed it; or a log point, each time that the run passes it. */
    void (*print)(void *self, uint64_t position, const char *text, bool of_log_point);
    /* The host program's call that enqueued a command: "call", and what is known of "function", "file",
     * "line"; NULL: nothing is known. And its "queues", "commands" and "events". New references. Members that
     * are NULL: there is no host program. */
    json_t *(*enqueued)(void *self, uint32_t command);
    json_t *(*program)(void *self);
};

struct debugger *debugger_new(const struct debugger_host *host, struct report *report);
void debugger_free(struct debugger *debugger);
const struct debug_hook *debugger_hook(const struct debugger *debugger);
void debugger_attend(const struct debugger *debugger, struct scenario *scenario); /* its runs call the hook */
/* Before anything runs: with a session, or without one; when all is over, with the final text for it. */
void debugger_wait(struct debugger *debugger);
void debugger_begin(struct debugger *debugger);
void debugger_end(struct debugger *debugger, const char *text, int status);
json_t *debugger_request(struct debugger *debugger,
                         const json_t *request); /* a new reference; NULL: no memory */
bool debugger_resumes(const struct debugger *debugger);
void debugger_detach(struct debugger *debugger); /* the session has gone: continues without one */
void debugger_hold(struct debugger *debugger);   /* forgets the plan: requests are replied to again */
/* Launches and work-groups that have begun or ended: known in a plain run, too. */
uint64_t debugger_phases(const struct debugger *debugger);
/* From another context, as a signal handler: stop at the next event. */
void debugger_interrupt(struct debugger *debugger);
/* Events between two calls of host.checkpoint; 0: none. */
void debugger_checkpoint_every(struct debugger *debugger, uint64_t events);
uint64_t debugger_checkpoint_interval(const struct debugger *debugger);

#endif
