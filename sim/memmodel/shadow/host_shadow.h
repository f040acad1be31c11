/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Shadows of the host's own memory, which kernels access with fine-grained system sharing (OpenCL
 *          2.2 API, 3.3.3). The host's allocations are not known, so each aligned window of 64 KiB that a
 *          kernel touches has a shadow. An access may begin in one window and end in the next.
 *
 * Interface
 *   windows_at       the window that holds an address, which is made if there is none. NULL: no memory
 *   windows_fini     frees them all
 *
 * Ids count from WINDOW_FIRST_ID, above those of all allocations.
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
