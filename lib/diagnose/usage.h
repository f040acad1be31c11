/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Uses that the specification leaves undefined and a call cannot refuse, or refuses with a
 *          misleading error: findings of the check `api`. All depend on the calls that the program makes and
 *          their order, not on
 * time.
 *
 * Interface
 *   usage_begin      a call begins: handles of objects that are gone, calls that wait inside a callback.
 *                    True: it was reported; an error that the call returns for it adds nothing
 *   usage_released   the program gave back its last reference
 *   usage_command    before a command is appended: which shared memory it uses, and whether host memory
 *                    overlaps; usage_forget: it was not appended after all
 *   usage_waited     the program is ordered after some commands: memory of commands that are complete by now
 *                    is no longer in use
 *   usage_answered   a query handed out this object: it may be used though its own references are gone
 *   usage_callback   a function of the program begins (+1) or ends (-1) on this thread
 *   usage_finish     at the end: remaining objects
 *
 * Of shared memory (usage_shared.c)
 *   usage_svm_made   it was allocated: the state of its bytes starts anew
 *   usage_svm_free   clSVMFree is called, with a pointer that may be anything but NULL
 *   usage_svm_left   it was never freed, and its context is destroyed
 *   usage_shared_published, _released   a memory object, the program's last reference to one
 *   usage_shared_command                part of usage_command
 *
 * Of kernel objects (usage_kernel.c)
 *   usage_kernel_changed, _taken   a call sets arguments of it, or uses those that are set
 *   usage_kernel_gone              it is destroyed
 *
 * Of commands that wait (usage_pending.c)
 *   usage_pending_command   part of usage_command
 *   usage_pending_release   a call releases an object that is no event
 *   usage_pending_finish    at the end: those that never ran, of the contexts among the objects that are left
 *
 * No lock is held by callers unless noted; with the check off all return at once.
 */
#ifndef ORRERY_LIB_DIAGNOSE_USAGE_H
#define ORRERY_LIB_DIAGNOSE_USAGE_H
#include "call.h"
#include "lib/queue.h"

bool usage_begin(const struct call *call);
void usage_released(struct object *object);
void usage_answered(const struct call *call);
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
void usage_pending_release(void);
void usage_pending_finish(struct object *const *objects, size_t count);
void usage_callback(int step);
void usage_finish(void);
#endif
