/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The kernels that a device has without a program of the host's: those of the file that the scenario
 *          names under built_in_kernels, compiled at the first query.
 *
 * Interface
 *   device_info_built_in_kernels, ..._with_version   the results of the two queries: OpenCL 3.0 API, 4.2
 *   built_ins_forget   of all devices, when another scenario is loaded
 *
 * A file that cannot be built is a mistake in the scenario: it is reported, and the process ends
 * (runtime_bad_scenario).
 */
#ifndef ORRERY_LIB_BUILT_IN_H
#define ORRERY_LIB_BUILT_IN_H
#include "info.h"

cl_int device_info_built_in_kernels(const struct info_reply *reply, const struct cl_device *device);
cl_int device_info_built_in_kernels_with_version(const struct info_reply *reply,
                                                 const struct cl_device *device);
void built_ins_forget(void);
#endif
