/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Commands that touch the same bytes, one of them writing, and that nothing orders: `race-commands`.
 *          And what the host touches although a command may still use it: `race-host-device`. Judged by
 *          happens-before (command_graph.h), never by when each ran: Orrery runs one after the other.
 *
 * Interface
 *   commands_new/free
 *   commands_observer     what to attach: order and command events
 *   commands_footprints   receives the accesses of launches, at the end of each
 *   commands_host_access  the host touched bytes that it may not touch now, at a place of its own
 *   commands_cross        receives all launches: inter_launch.h; borrowed
 *   commands_host_is_after   the command is complete for the host
 *   commands_name         an access of which `what` is set gets the command's name, line and device, too;
 *                         false: no such command. Maps are until their unmaps run or their memory goes,
 *                         others as long as an access may race with them
 *
 * Needs    order events for every command; without them (a scenario without a host program) commands are in
 *          order and nothing is judged. Launches are judged when their footprints arrive, other commands by
 *          their ranges.
 * Atomics  of two launches on one memory object: a race (implementation-defined, OpenCL 2.2 API 3.3.6). On
 *          SVM and program-scope variables they are guaranteed, and may order the launches: such launches
 *          count as ordered, if the code of one releases and that of the other, which did not end before the
 *          one began, acquires, for the device or wider. Accesses that their atomics did not order
 *          inter_launch.h finds.
 *
 * Threads  Every function from any thread. Borrows memory and report for its life.
 */
#ifndef ORRERY_SIM_MEMMODEL_COMMANDS_COMMANDS_H
#define ORRERY_SIM_MEMMODEL_COMMANDS_COMMANDS_H

#include "sim/memmodel/common/footprint.h"
#include "orrery/device.h"
#include "orrery/memory.h"
#include "orrery/report.h"

struct commands;
/* Of an access of a command, for `what` and `by`. */
struct command_name {
    char what[80], by[240];
};
struct commands *commands_new(const struct memory *memory, struct report *report);
void commands_free(struct commands *commands);
struct observer commands_observer(struct commands *commands);
struct footprint_sink commands_footprints(struct commands *commands);

struct inter_launch *commands_cross(struct commands *commands);

void commands_host_access(struct commands *commands, const struct host_access *access);
/* The host changed bytes of a buffer after its back, before it enqueued the command. */
void commands_host_wrote(struct commands *commands, uint32_t command, uint64_t address, uint64_t size);
/* It stored into fine-grained shared virtual memory, after all that was enqueued: device.h. */
void commands_host_stored(struct commands *commands, uint64_t address, uint64_t size, bool ran);
void commands_host_touched(struct commands *commands, const struct host_access *access);
/* These bytes are those of the host's memory at `host`, too (CL_MEM_USE_HOST_PTR); NULL: no longer. */
void commands_storage(struct commands *commands, uint64_t address, uint64_t size, const void *host);
/* The host has the bytes of this allocation at `host`, too (CL_MEM_USE_HOST_PTR), and is watched there;
 * NULL: no longer. */
void commands_mirror(struct commands *commands, uint64_t address, const void *host);
/* The allocation goes, be it mapped: no unmap of it will come. */
void commands_released(struct commands *commands, uint64_t low, uint64_t high);
bool commands_device_dirty(struct commands *commands, uint64_t address);
bool commands_under_way(struct commands *commands);
bool commands_host_is_after(struct commands *commands, uint32_t command);
bool commands_host_reported(struct commands *commands, uint32_t command);
bool commands_name(struct commands *commands, uint32_t command, struct command_name *out_name,
                   struct finding_access *access);

#endif
