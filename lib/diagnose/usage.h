/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Uses that the specification leaves undefined and that a call cannot refuse, or refuses with a
 *          misleading error: findings of the check `api`. They depend on the program's calls and their
 *          order, not on time.
 *
 * Interface
 *   usage_begin      a call begins: checks it for released handles, and for waiting inside a callback. True:
 *                    a finding was reported, so the call's error adds none
 *   usage_released   the program has released its last reference to the object
 *   usage_command    before a command is appended: notes which shared memory it uses, and checks for host
 *                    memory that overlaps; usage_forget: it was not appended
 *   usage_waited     the program is ordered after some commands: memory that complete commands used is no
 *                    longer in use
 *   usage_answered   a query has returned: objects in its answer may be used after their last release
 *   usage_callback   a function of the program begins (+1) or ends (-1) on this thread
 *   usage_finish     at the end: reports the objects that are left
 *
 * Of shared memory (usage_shared.c)
 *   usage_svm_made   memory was allocated: what was noted of its bytes is forgotten
 *   usage_svm_free   clSVMFree is called; the pointer is not checked, but not NULL
 *   usage_svm_left   an allocation was never freed, and its context is destroyed
 *   usage_shared_published, _released   a memory object was made; the program has released its last reference
 *   usage_shared_command                part of usage_command
 *
 * Of kernel objects (usage_kernel.c)
 *   usage_kernel_changed, _taken   a call sets arguments; reads the arguments that are set
 *   usage_kernel_gone              the kernel object is destroyed
 *
 * Of commands that wait (usage_pending.c)
 *   usage_pending_command   part of usage_command
 *   usage_pending_numbered  the command of this event was appended, and has a number
 *   usage_pending_flushed   the program has flushed the queue; may hold the runtime lock
 *   usage_pending_hangs     the program waits for a command that needs the queue to be flushed; likewise
 *   usage_pending_waited    part of usage_waited
 *   usage_pending_note      prints a note that the program has waited so long, if that is for a user event
 *                           that is not set: for the queue's commands, or the events. True: it did. The
 *                           runtime lock is held
 *   usage_pending_callback  a callback was set for the event: if its queue needs a flush, and the program
 *                           calls nothing for a while, a note says so. The runtime lock is held
 *   usage_pending_release   a call releases an object other than an event
 *   usage_pending_finish    at the end: reports commands that never ran, of the contexts among these objects
 *
 * Callers hold no lock, unless it is said above. If the check is off the functions have no effect.
 */
#ifndef ORRERY_LIB_DIAGNOSE_USAGE_H
#define ORRERY_LIB_DIAGNOSE_USAGE_H
#include "call.h"
#include "lib/queue.h"

bool usage_begin(const struct api_call *call);
void usage_released(struct object *object);
void usage_answered(const struct api_call *call);
void usage_command(const struct command *command);
void usage_forget(const struct command *command);
void usage_waited(void);
void usage_svm_made(const struct svm_allocation *allocation);
void usage_svm_free(const struct context *context, const void *pointer);
void usage_svm_left(const struct svm_allocation *allocation);
void usage_shared_published(const struct memobj *memobj);
void usage_shared_released(const struct memobj *memobj);
void usage_shared_command(const struct command *command);
void usage_kernel_changed(struct kernel_object *kernel);
void usage_kernel_taken(struct kernel_object *kernel);
void usage_kernel_gone(struct kernel_object *kernel);
void usage_pending_command(const struct command *command);
bool usage_pending_note(struct queue *queue, struct event *const *events, size_t count, uint32_t seconds);
void usage_pending_callback(const struct event *event);
void usage_pending_numbered(const struct event *event);
void usage_pending_flushed(const struct queue *queue);
void usage_pending_hangs(const struct queue *queue);
void usage_pending_waited(void);
void usage_pending_release(void);
void usage_pending_finish(struct object *const *objects, size_t count);
void usage_callback(int step);
void usage_finish(void);
#endif
