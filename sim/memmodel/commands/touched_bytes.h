/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Host accesses that were caught at memory that commands may use, too (touches). Commands are
 *          checked against them until all commands that ran then are complete. Stores are kept longer, so
 *          that a finding about the change has a line.
 *
 * Interface
 *   touches_add       adds an access; the oldest one is dropped when there are too many. NULL: out of memory
 *   touches_store     the latest store to one of the bytes; NULL: none was caught
 *   touches_meet      is there an open touch in [low, high)?
 *   touches_reported  the touch was reported: it is not open any more, and at most a line
 *   touches_lines     drops lines of stores to a CL_MEM_USE_HOST_PTR buffer in [low, high)
 *   touches_drop      closes touches of steps below `first`, which all remaining commands have seen
 */
#ifndef ORRERY_SIM_MEMMODEL_COMMANDS_TOUCHED_BYTES_H
#define ORRERY_SIM_MEMMODEL_COMMANDS_TOUCHED_BYTES_H

#include "orrery/device.h"

enum { TOUCHES_MOST = 64 };

/* Whose memory it is: SHARED: fine-grained SVM, where stores are found by comparing bytes. OF_PROGRAM: the
 * program's own. HOST_PTR: the storage of a CL_MEM_USE_HOST_PTR buffer, by the buffer's addresses; its
 * stores are found by comparing, too, but later. MAPPED: of an allocation that is mapped. */
enum touch_of { TOUCH_SHARED, TOUCH_OF_PROGRAM, TOUCH_HOST_PTR, TOUCH_MAPPED };

struct touch {
    uint64_t address; /* of the first byte */
    bool write;
    enum touch_of of;
    bool open;                 /* commands are checked against it */
    uint32_t step;             /* the host's step (command_graph.h) */
    struct source_place place; /* owns its texts */
    char *what;                /* owned */
};
struct touches {
    struct touch items[TOUCHES_MOST];
    uint32_t count;
};

struct touch *touches_add(struct touches *touches, const struct host_access *access, enum touch_of of,
                          uint32_t step);
const struct touch *touches_store(const struct touches *touches, uint64_t low, uint64_t high);
bool touches_meet(const struct touches *touches, uint64_t low, uint64_t high);
void touches_reported(struct touches *touches, struct touch *touch);
void touches_lines(struct touches *touches, uint64_t low, uint64_t high);
void touches_drop(struct touches *touches, uint32_t first);
void touches_fini(struct touches *touches);

#endif
