/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The root devices of the platform: one per device of the scenario, or one per
 *          tile when the hierarchy is flat, or what the device selector names.
 *
 * Interface
 *   roots_make      from the scenario; the objects are not published
 *   roots_free      a list that was never published
 *   roots_replace   puts another list in the place of the platform's. Handles that the program has stay
 *                   valid as long as there are that many devices
 *   root_part       a root device of some units of another (takes the units)
 *   roots_select    ORRERY_DEVICE_SELECTOR: replaces the list by the devices that the terms name
 */
#ifndef ORRERY_LIB_ROOT_H
#define ORRERY_LIB_ROOT_H
#include "object.h"

struct roots {
    cl_uint count;
    struct cl_device **devices;
};

enum status roots_make(struct device *device, const struct scenario *scenario, struct roots *out_roots,
                       struct diagnosis *diagnosis);
void roots_free(struct roots *roots);
enum status roots_replace(struct platform *platform, struct roots *roots, struct diagnosis *diagnosis);

enum status roots_add(struct roots *roots, struct cl_device *device);
struct cl_device *root_part(const struct cl_device *whole, struct unit_set *units);

enum status roots_select(const char *text, struct roots *roots, struct diagnosis *diagnosis);
#endif
