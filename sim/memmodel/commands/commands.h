/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Finds commands that access the same bytes, one of them writing, and that nothing orders
 *          (`race-commands`), and host accesses to memory that a command may still use (`race-host-device`).
 *          The command graph decides (command_graph.h), not the time at which each ran: Orrery runs one
 *          command after the other.
 *
 * Interface
 *   commands_observer        what to attach: it receives order and command events
 *   commands_footprints      receives the accesses of each launch at its end
 *   commands_tree_races      the checker of launch trees (launch_tree_races.h), which receives the accesses,
 *                            too; borrowed
 *   commands_cross           the checker of atomics across launches (inter_launch.h), to which all launches
 *                            go; borrowed
 *   commands_host_access     the host accessed bytes that it may not access now; the caller has the reason
 *   commands_host_wrote      the host changed bytes of a CL_MEM_USE_HOST_PTR buffer in its own memory,
 *                            without a map, before it enqueued the command
 *   commands_host_stored     the host stored into fine-grained SVM after all that was enqueued. ran:
 *                            commands have run since the bytes were last compared, so what they wrote does
 *                            not count
 *   commands_host_touched    the host was caught at an access to a protected page
 *   commands_storage         the bytes of a buffer are those of the host's memory at `host`
 *                            (CL_MEM_USE_HOST_PTR); NULL: no longer
 *   commands_mirror          the host has an allocation's bytes at `host`, too, and its accesses there are
 *                            caught; NULL: no longer
 *   commands_released        the allocation is released, also while mapped: no unmap will come
 *   commands_device_dirty    may commands have written bytes there that the host need not have?
 *   commands_under_way       is any command not complete for the host?
 *   commands_host_is_after   does the command happen before what the host does next?
 *   commands_host_reported   was the command reported complete to the host, if only by a query?
 *   commands_name            completes an access of which `what` is set by the command's name, line and
 *                            device; false: no such command. Maps are known until their unmap runs or their
 *                            memory is released, other commands while an access may race with them
 *
 * Needs    Order events for every command. Without them (a scenario without a host program) commands are in
 *          order, and nothing is reported. Launches are checked when their footprints arrive, other commands
 *          by the ranges of their events.
 * Atomics  Of two launches on one memory object they are a race: implementation-defined (OpenCL 2.2 API,
 *          3.3.6). On SVM and program-scope variables they follow the rules and may order the launches.
 *          Launches count as ordered if the code of one releases for the device or wider, the code of the
 *          other acquires so, and the other did not end before the one began. inter_launch.h finds accesses
 *          of such launches that their atomics did not order.
 *
 * Threads  All functions may be called from any thread. Memory and report are borrowed for its life.
 */
#ifndef ORRERY_SIM_MEMMODEL_COMMANDS_COMMANDS_H
#define ORRERY_SIM_MEMMODEL_COMMANDS_COMMANDS_H

#include "sim/memmodel/common/footprint.h"
#include "orrery/device.h"
#include "orrery/memory.h"
#include "orrery/report.h"

struct commands;
/* The texts that an access of a command points to. */
enum { BY_CHARS = 240 };
struct command_name {
    char what[80], by[BY_CHARS];
};
struct commands *commands_new(const struct memory *memory, struct report *report);
void commands_free(struct commands *commands);
struct observer commands_observer(struct commands *commands);
struct footprint_sink commands_footprints(struct commands *commands);

struct tree_races *commands_tree_races(struct commands *commands);
struct inter_launch *commands_cross(struct commands *commands);

void commands_host_access(struct commands *commands, const struct host_access *access);
void commands_host_wrote(struct commands *commands, uint32_t command, uint64_t address, uint64_t size);
void commands_host_stored(struct commands *commands, uint64_t address, uint64_t size, bool ran);
void commands_host_touched(struct commands *commands, const struct host_access *access);
void commands_storage(struct commands *commands, uint64_t address, uint64_t size, const void *host);
void commands_mirror(struct commands *commands, uint64_t address, const void *host);
void commands_released(struct commands *commands, uint64_t low, uint64_t high);
bool commands_device_dirty(struct commands *commands, uint64_t address);
bool commands_under_way(struct commands *commands);
bool commands_host_is_after(struct commands *commands, uint32_t command);
bool commands_host_reported(struct commands *commands, uint32_t command);
bool commands_name(struct commands *commands, uint32_t command, struct command_name *out_name,
                   struct finding_access *access);

#endif
