/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Catches the host at memory that it may not touch now: while races are looked for, the pages of
 *          coarse-grained shared virtual memory, and of buffers once they were mapped, are closed to the host
 *          except where a map is in force and the host is ordered after its completion. An access through a
 *          closed page is reported with its place in the host program and goes ahead: the page stays open
 *          until something is executed again. The executing thread uses other addresses of the same bytes
 *          (device_view_apart), so that other threads of the host are caught meanwhile. Also closed are the
 *          pages of a mapped region that are the host memory of a non-blocking read or write, until the host
 *          is ordered after its completion: to stores, and to loads of bytes that it writes. With
 *          checks.shared_pages also: memory that host and kernels share, while commands are under way; memory
 *          that buffers were made with (CL_MEM_USE_HOST_PTR), to stores, and to loads once commands may have
 *          written the buffer; and the memory of non-blocking reads and writes (host_use.h).
 *
 * Interface
 *   guard_add/remove         an SVM allocation, or one that the host may never touch; remove also of what a
 *                            map added
 *   guard_add_shared         fine-grained memory: open to the host while it is ordered after every command
 *   guard_add_after/remove_after   the memory of a buffer or image made with CL_MEM_USE_HOST_PTR: whole pages
 *   guard_pause              opens closed memory for the runtime's own reads, until guard_leave; false: a
 *                            thread executes (runtime_lock held)
 *   guard_enqueued           a command was enqueued (runtime_lock held)
 *   guard_waited             the host may be ordered after more commands (runtime_lock held)
 *   guard_enter/leave        this thread executes: what the device reaches by the host's addresses alone is
 *                            open meanwhile, and to this thread everything (runtime_lock held)
 *   guard_active             some page may be closed: then nothing executes beside the host
 *   guard_share              host and kernels share memory from now on, so both run at the same time: nothing
 *                            is closed any more; also when the process ends
 *   guard_report             reports the caught accesses; while a thread executes, only judges them
 *   guard_fork_prepare/parent/child   all is open meanwhile; the child's own memory stays so (runtime_lock
 *                                     held)
 *
 * Faults   that are not ours go to the handler that was there before, or that the program installed
 *          meanwhile. A fault inside a system call is no signal: the call returns EFAULT.
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
void guard_report(void);
void guard_fork_prepare(void);
void guard_fork_parent(void);
void guard_fork_child(void);
#endif
