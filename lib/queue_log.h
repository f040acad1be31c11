/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The log of queue.h: host calls append entries, the executor consumes them in order. Positions
 *          count all entries since the start. Everything is guarded by runtime_lock.
 *
 * Interface
 *   queue_log_reserve   room for one entry and a GO; false: out of memory
 *   queue_log_append    appends an entry, and wakes waiting threads; it takes a reference to queue, event or
 *                         context, or the command. False: out of memory
 *   queue_log_go        appends GO if the log's last word is a SUBMIT: before a wait or a query
 *   queue_log_submitted the last word is a SUBMIT
 *   queue_log_begin     the position of the first entry that is not consumed
 *   queue_log_end       the position after the last entry
 *   queue_log_entry     the entry at a position between the two; valid until the next append
 *   queue_log_consume   the first entry is consumed
 *   queue_log_check     asserts the invariants
 */
#ifndef ORRERY_LIB_QUEUE_LOG_H
#define ORRERY_LIB_QUEUE_LOG_H
#include "queue.h"

enum log_kind { LOG_ENQUEUE, LOG_SUBMIT, LOG_RUN, LOG_USER, LOG_CALLBACK, LOG_GO, LOG_TERMINATE };
struct queue_log_entry {
    enum log_kind kind;
    void *subject; /* command; queue; event; context: the last three referenced; of GO NULL */
    struct event_callback *callback; /* of CALLBACK; else NULL */
};

bool queue_log_reserve(void);
bool queue_log_append(enum log_kind kind, void *subject, struct event_callback *callback);
void queue_log_go(void);
bool queue_log_submitted(void);
uint64_t queue_log_begin(void);
uint64_t queue_log_end(void);
const struct queue_log_entry *queue_log_entry(uint64_t position);
void queue_log_consume(void);
void queue_log_check(void);
#endif
