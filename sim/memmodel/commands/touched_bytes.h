/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Where the host program was caught at memory that commands may use, too: until those are over that
 *          were under way, and stores so that what they changed has a line.
 *
 * Interface
 *   touches_add      when there are too many, the oldest goes; NULL: no memory for it
 *   touches_store    the latest store at one of the bytes; NULL: none was caught
 *   touches_meet     is something in [low, high) that commands are to be held against?
 *   touches_reported     it was, and found: from now on at most a line
 *   touches_lines    of memory after a buffer: the stores in [low, high) are no line any more
 *   touches_drop     what all commands have seen that are left: it was at a step below `first`
 *   touches_fini
 */
#ifndef ORRERY_SIM_MEMMODEL_COMMANDS_TOUCHED_BYTES_H
#define ORRERY_SIM_MEMMODEL_COMMANDS_TOUCHED_BYTES_H

#include "orrery/device.h"

enum { TOUCHES_MOST = 64 };

/* Whose memory: fine-grained (stores are found by comparing), the program's own, that after a buffer, by the
 * buffer's addresses (stores are found by comparing besides, later), or an allocation's that a map gave
 * the host. */
enum touch_of { TOUCH_SHARED, TOUCH_OF_PROGRAM, TOUCH_AFTER, TOUCH_MAPPED };

struct touch {
    uint64_t address; /* the first byte of an access */
    bool write;
    enum touch_of of;
    bool open;                 /* commands are to be held against it */
    uint32_t step;             /* of the host: command_graph.h */
    struct source_place place; /* with texts of its own, and */
    char *what;
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
