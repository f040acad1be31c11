/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Shadows of the host's own memory, which kernels touch with fine-grained system sharing (OpenCL 2.2
 *          API, 3.3.3): its allocations are not known, so windows of it stand for them.
 *
 * Interface
 *   windows_at       the window that holds an address, made when needed; NULL: no memory
 *   windows_fini     frees them all
 *
 * Windows are aligned to their size and numbered as they were met, from WINDOW_FIRST_ID on, where no
 * allocation's id is. An access may begin in one and end in the next.
 */
#ifndef ORRERY_SIM_MEMMODEL_SHADOW_HOST_SHADOW_H
#define ORRERY_SIM_MEMMODEL_SHADOW_HOST_SHADOW_H

#include "shadow.h"

enum { WINDOW_BYTES = 1 << 16 };
static const uint32_t WINDOW_FIRST_ID = UINT32_C(1) << 31;

struct windows {
    struct shadow_region **items; /* by address */
    uint32_t count, room;
    struct shadow_region *latest; /* NULL: none yet */
};

struct shadow_region *windows_at(struct windows *windows, uint64_t address, bool svm_atomics,
                                 struct spare *spare);
void windows_fini(struct windows *windows);

#endif
