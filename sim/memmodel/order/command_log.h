/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The order events of the commands that are not forgotten, so that they can be gone through once
 *          more with one edit of the host's calls: does it order two commands, and does the program still
 *          end? Commands run as soon as they may; the host continues as it did, and hangs if it
 *          waited for one that then cannot end.
 *
 * Interface
 *   command_log_new/free
 *   command_log_add       takes one order event
 *   command_log_clear     no command is left that may be queried
 *   command_log_try       with the edit `first` happens before `second`, and no wait is endless. False, too:
 *                         not all is there
 *   command_log_try_for   the same, if others than these two are to be ordered
 *   command_log_whole     all is there
 *   command_log_crosses   it waits for commands of other queues, which have to be flushed
 *   command_log_unmap     of what the command maps; 0: none that is known
 *   command_log_in_callback   a callback, or a native kernel, enqueued it: which may not wait (5.11)
 *   command_log_called_back   it waits for an effect of a callback, or of a native kernel, of another command
 */
#ifndef ORRERY_SIM_MEMMODEL_ORDER_COMMAND_LOG_H
#define ORRERY_SIM_MEMMODEL_ORDER_COMMAND_LOG_H

#include "orrery/observer.h"

enum command_edit {
    EDIT_WAIT_LIST,  /* second has first's event in its wait list */
    EDIT_FINISH,     /* clFinish on first's queue before second is enqueued */
    EDIT_HOST_WAITS, /* clWaitForEvents for first before second is enqueued */
    EDIT_HOST_SETS,  /* clWaitForEvents for second before the user event is set that first waits for */
    /* second, so far before first, is enqueued right after it, with its event in the wait list */
    EDIT_AFTER,
    /* first, so far after second, is enqueued right before it, which has its event in the wait list */
    EDIT_BEFORE
};

struct command_log;
struct command_log *command_log_new(void);
void command_log_free(struct command_log *log);
void command_log_add(struct command_log *log, const struct order_event *event);
void command_log_clear(struct command_log *log);
bool command_log_try(const struct command_log *log, enum command_edit edit, uint32_t first, uint32_t second);
bool command_log_try_for(const struct command_log *log, enum command_edit edit, uint32_t first,
                         uint32_t second, uint32_t one, uint32_t other);
bool command_log_whole(const struct command_log *log);
uint32_t command_log_unmap(const struct command_log *log, uint32_t map);
bool command_log_crosses(const struct command_log *log, uint32_t command);
bool command_log_in_callback(const struct command_log *log, uint32_t command);
bool command_log_called_back(const struct command_log *log, uint32_t command);

#endif
