/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Catches the host at memory that it may not access now, while races are looked for: the pages are
 *          closed (mprotect), and an access to them becomes a note of the signal handler. The note is
 *          reported with its place in the host program. The access succeeds, and the page stays open until
 *          something is executed again.
 *
 * Closed are
 *   - coarse-grained shared virtual memory, and buffers once they were mapped, except where a map is in force
 *     and the host is ordered after its completion;
 *   - in a mapped region the host memory of a non-blocking read or write, until the host is ordered after its
 *     completion: to stores, and to loads of bytes that it writes;
 *   - with checks.shared_pages, fine-grained memory while commands are under way; host memory of buffers
 *     (CL_MEM_USE_HOST_PTR), to stores, and to loads once commands may have written the buffer; and the
 *     memory of non-blocking reads and writes (host_use.h).
 *
 * The executing thread uses other addresses of the same bytes (device_view_apart), so pages stay closed to
 * the host's other threads meanwhile.
 *
 * Interface
 *   guard_add/remove         an SVM allocation, or (of_device) one that the host may never access; remove
 *                            ends areas that a map added, too
 *   guard_add_shared         fine-grained memory: open to the host while it is ordered after every command
 *   guard_add/remove_buffer  the host memory of a buffer or image (CL_MEM_USE_HOST_PTR): its whole pages
 *   guard_pause              opens closed memory for the runtime's own reads, until guard_leave; false: a
 *                            thread executes (runtime_lock held)
 *   guard_enqueued           a command was enqueued (runtime_lock held)
 *   guard_waited             the host may be ordered after more commands (runtime_lock held)
 *   guard_enter/leave        this thread executes: areas without a second view are open meanwhile, and all
 *                            areas are open to this thread (runtime_lock held)
 *   guard_active             some page may be closed: then nothing executes beside the host
 *   guard_share              host and kernels share memory openly from now on: no page is closed any more;
 *                            also when the process ends
 *   guard_report             reports the caught accesses; while a thread executes, only computes their
 *                            verdicts
 *   guard_fork_prepare/parent/child   all pages are open meanwhile; host memory stays so in the child
 *                                     (runtime_lock held)
 *
 * Faults   Other faults go to the handler that ours replaced. A fault inside a system call is no signal: the
 *          call returns EFAULT.
 */
#ifndef ORRERY_LIB_HOST_GUARD_H
#define ORRERY_LIB_HOST_GUARD_H
#include "lib/queue.h"

void guard_add(void *pointer, bool of_device);
void guard_add_shared(void *pointer);
void guard_add_buffer(const struct memobj *memobj);
void guard_remove_buffer(const struct memobj *memobj);
bool guard_pause(void);
void guard_remove(void *pointer);
void guard_enqueued(const struct command *command);
void guard_waited(void);
void guard_enter(void);
void guard_leave(void);
bool guard_active(void);
void guard_share(void);
void guard_report(void);
void guard_fork_prepare(void);
void guard_fork_parent(void);
void guard_fork_child(void);
#endif
