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

/* text: after "orrery: 1\n"; source: OpenCL C. Failures end the test, at the line of the call, with the input. */
#define launcher_init(launcher, text, source) launcher_init_at(__FILE__, __LINE__, launcher, text, source)
void launcher_init_at(const char *file, int line, struct launcher *launcher, const char *text,
                      const char *source);
void launcher_fini(struct launcher *launcher);
#define launcher_buffer(launcher, size) launcher_buffer_at(__FILE__, __LINE__, launcher, size)
uint64_t launcher_buffer_at(const char *file, int line, struct launcher *launcher, size_t size);
/* Returns the command's number. units: NULL: all of root 0. */
#define launcher_run(launcher, kernel, ...) launcher_run_at(__FILE__, __LINE__, launcher, kernel, __VA_ARGS__)
uint32_t launcher_run_at(const char *file, int line, struct launcher *launcher, const char *kernel,
                         uint64_t global, uint64_t local, uint64_t buffer, const uint32_t *units,
                         uint32_t unit_count);

#endif
