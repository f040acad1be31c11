/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  One launch of a program as a scenario (orrery-scenario(5)) that runs it alone: program, arguments,
 *          and what is in the memory that they point to.
 *
 * Interface
 *   saved_launch_file     of "3:FILE": the file, and the number; NULL: it is no such text
 *   launch_save           after device_launch_begin, before the launch runs: writes `file` and, with longer
 *                         names, the files that it names. BAD_SCENARIO: an argument that no scenario can
 *                         give, named in the diagnosis; IO: a file cannot be written
 *
 * Limits   What a kernel reaches by pointers in memory is not saved, nor what program-scope variables hold,
 *          nor, of a launch on a sub-device, which part of the device it is. The file says so.
 */
#ifndef ORRERY_SAVED_LAUNCH_H
#define ORRERY_SAVED_LAUNCH_H

#include "orrery/device.h"

/* what such a file begins with */
#define SAVED_LAUNCH_MAGIC "# A launch saved by orrery"

const char *saved_launch_file(const char *text, uint32_t *out_number);
enum status launch_save(const struct device *device, const struct launch_request *request, const char *file,
                        struct diagnosis *diagnosis);

#endif
