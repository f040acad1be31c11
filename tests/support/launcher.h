/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  For tests of what observers of a device see: a device from the text of a scenario, its program,
 *          launches of kernels that take one buffer.
 */
#ifndef ORRERY_TESTS_SUPPORT_LAUNCHER_H
#define ORRERY_TESTS_SUPPORT_LAUNCHER_H

#include "orrery/device.h"

struct launcher {
    struct scenario scenario;
    struct report *report;
    struct device *device;
    struct program *program;
    uint32_t commands;
};

/* text: after "orrery: 1\n"; source: OpenCL C. Failures end the test. */
void launcher_init(struct launcher *launcher, const char *text, const char *source);
void launcher_fini(struct launcher *launcher);
uint64_t launcher_buffer(struct launcher *launcher, size_t size);
/* Returns the command's number. units: NULL: all of root 0. */
uint32_t launcher_run(struct launcher *launcher, const char *kernel, uint64_t global, uint64_t local,
                      uint64_t buffer, const uint32_t *units, uint32_t unit_count);

#endif
