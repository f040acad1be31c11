/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A log of the order events of commands that are not forgotten, which can be replayed with one edit
 *          of the host's calls: does the edit order two commands, and does the program still end? In a
 *          replay, commands run as soon as they may. The host continues as it did, and hangs if it waits for
 *          a command that cannot end.
 *
 * Interface
 *   command_log_new/free
 *   command_log_add       takes one order event
 *   command_log_clear     forgets everything: no command is left that may be asked for
 *   command_log_try       true: an edit of `first` and `second` orders `one` and `other`, either way, and no
 *                         wait is endless. False: it does not, or the log is not whole
 *   command_log_whole     no event is missing
 *   command_log_unmap     the command that unmaps what the command maps; 0: none is known
 *   command_log_queue     of the command; 0: it is not in the log
 *   command_log_in_callback   a callback or a native kernel enqueued the command, and may not wait (5.11)
 *   command_log_waits     what the command waits for, directly or not
 */
#ifndef ORRERY_SIM_MEMMODEL_ORDER_COMMAND_LOG_H
#define ORRERY_SIM_MEMMODEL_ORDER_COMMAND_LOG_H

#include "orrery/observer.h"

enum command_edit {
    EDIT_WAIT_LIST,  /* first's event is added to second's wait list */
    EDIT_FINISH,     /* clFinish on first's queue before second is enqueued */
    EDIT_HOST_WAITS, /* clWaitForEvents for first before second is enqueued */
    EDIT_HOST_SETS,  /* clWaitForEvents for second before the user event is set for which first waits */
    /* second, which was enqueued before first, is enqueued right after it, with first's event in its wait
     * list */
    EDIT_AFTER,
    /* first, which was enqueued after second, is enqueued right before it, and second has first's event in
     * its list */
    EDIT_BEFORE
};

struct command_log;
struct command_log *command_log_new(void);
void command_log_free(struct command_log *log);
void command_log_add(struct command_log *log, const struct order_event *event);
void command_log_clear(struct command_log *log);
bool command_log_try(const struct command_log *log, enum command_edit edit, uint32_t first, uint32_t second,
                     uint32_t one, uint32_t other);
bool command_log_whole(const struct command_log *log);
uint32_t command_log_unmap(const struct command_log *log, uint32_t map);
uint32_t command_log_queue(const struct command_log *log, uint32_t command);
bool command_log_in_callback(const struct command_log *log, uint32_t command);

struct command_waits {
    bool crosses; /* for commands of other queues, which have to be flushed; or it is not known */
    /* for a user event that a callback or a native kernel of another command sets */
    bool called_back;
};
struct command_waits command_log_waits(const struct command_log *log, uint32_t command);

#endif
