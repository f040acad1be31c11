/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Catches the host at memory that it may not touch now: while races are looked for, the pages of
 *          coarse-grained shared virtual memory, and of buffers once they were mapped, are closed to the host
 *          but where a map is in force that the host knows to be complete. An access through a closed page is
 *          reported with its place in the host program and goes ahead: the page stays open until something is
 *          executed again. Who executes goes to the same bytes at other addresses (device_view_apart), so
 *          that other threads of the host are caught meanwhile. So are, of a mapped region, the pages that a
 *          read or write was given as its host pointer which does not block, until the host knows it to be
 *          complete: to stores, and to loads of what is written. With checks.shared_pages so are memory that
 *          host and kernels share, while commands are under way; memory that buffers were made with
 *          (CL_MEM_USE_HOST_PTR), to stores, and to loads once commands may have written the buffer; and what
 *          reads and writes that do not block use (host_use.h).
 *
 * Interface
 *   guard_add/remove         an SVM allocation, or one that the host may never touch; remove also of what a
 *                            map added
 *   guard_add_shared         fine-grained memory: open to the host while it knows every command to be
 *                            complete
 *   guard_add_after/remove_after   the memory of a buffer or image made with CL_MEM_USE_HOST_PTR: whole pages
 *   guard_pause              for whoever looks at closed memory on behalf of nobody, until guard_leave;
 *                            false: somebody executes (runtime_lock held)
 *   guard_enqueued           a command was enqueued (runtime_lock held)
 *   guard_waited             the host may know more (runtime_lock held)
 *   guard_enter/leave        this thread executes: what the device reaches by the host's addresses alone is
 *                            open meanwhile, and to this thread everything (runtime_lock held)
 *   guard_active             some page may be closed: then nothing executes beside the host
 *   guard_share              host and kernels share memory from now on, so both run at the same time: nothing
 *                            is closed any more; also when the process ends
 *   guard_tell               reports what was caught; while someone executes, judges it
 *   guard_fork_prepare/parent/child   all is open meanwhile; the child's own memory stays so (runtime_lock
 *                                     held)
 *
 * Faults   that are not ours go to the handler that was there before, or that the program installed
 *          meanwhile. A fault inside a system call is no signal: the call says EFAULT.
 */
#ifndef ORRERY_LIB_HOST_GUARD_H
#define ORRERY_LIB_HOST_GUARD_H
#include "lib/queue.h"

void guard_add(void *pointer, bool of_device);
void guard_add_shared(void *pointer);
void guard_add_after(const struct memobj *memobj);
void guard_remove_after(const struct memobj *memobj);
bool guard_pause(void);
void guard_remove(void *pointer);
void guard_enqueued(const struct command *command);
void guard_waited(void);
void guard_enter(void);
void guard_leave(void);
bool guard_active(void);
void guard_share(void);
void guard_tell(void);
void guard_fork_prepare(void);
void guard_fork_parent(void);
void guard_fork_child(void);
#endif
