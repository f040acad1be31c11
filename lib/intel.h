/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Environment variables of Intel's driver, for root devices whose topology is the preset intel-pvc:
 *          ZE_AFFINITY_MASK (visible tiles), ZEX_NUMBER_OF_CCS (cslices in use, by the numbers that the mask
 *          leaves), ZE_FLAT_DEVICE_HIERARCHY.
 *
 * Interface
 *   intel_apply   applies them to one root device; *root becomes NULL if the mask hides it. state is zero
 *                 before the first device.
 */
#ifndef ORRERY_LIB_INTEL_H
#define ORRERY_LIB_INTEL_H
#include "object.h"

struct intel {
    uint32_t roots, visible_roots, tiles;
};

enum status intel_apply(struct intel *state, struct cl_device **root, enum hierarchy *hierarchy,
                        struct diagnosis *diagnosis);
#endif
