/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Where the host program was caught at memory that commands may use, too: loads until those are over that were under
 *          way, stores so that what they changed has a line.
 *
 * Interface
 *   touches_add      when there are too many, or no memory, the oldest goes, or it is not kept
 *   touches_store    the latest store at one of the bytes; NULL: none was caught
 *   touches_meet     are there loads in [low, high)?
 *   touches_remove   one that was told
 *   touches_drop     loads that only commands below `first` could meet, and all stores
 *   touches_fini
 */
#ifndef ORRERY_MEMMODEL_TOUCHES_H
#define ORRERY_MEMMODEL_TOUCHES_H

#include "orrery/device.h"

enum { TOUCHES_MOST = 64 };

struct touch {
    uint64_t address;                /* the first byte of an access */
    bool write;
    uint32_t latest;                 /* command enqueued before */
    struct source_place place;       /* with texts of its own, and */
    char *what;
};
struct touches { struct touch items[TOUCHES_MOST]; uint32_t count; };

void touches_add(struct touches *touches, const struct host_access *access, uint32_t latest);
const struct touch *touches_store(const struct touches *touches, uint64_t low, uint64_t high);
bool touches_meet(const struct touches *touches, uint64_t low, uint64_t high);
void touches_remove(struct touches *touches, uint32_t at);
void touches_drop(struct touches *touches, uint32_t first);
void touches_fini(struct touches *touches);

#endif
