/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Built-in kernels of a device: the kernels of the file that the scenario key built_in_kernels
 *          names, which is compiled at the first query.
 *
 * Interface
 *   built_in_kernels_info, ..._with_version   the results of the two queries: OpenCL 3.0 API, 4.2
 *   built_ins_forget   forgets the kernels of all devices: another scenario is loaded
 *
 * A file that cannot be built is an error in the scenario: it is reported, and the process ends
 * (runtime_bad_scenario).
 */
#ifndef ORRERY_LIB_BUILT_IN_H
#define ORRERY_LIB_BUILT_IN_H
#include "info.h"

cl_int built_in_kernels_info(const struct info_reply *reply, const struct cl_device *device);
cl_int built_in_kernels_with_version_info(const struct info_reply *reply, const struct cl_device *device);
void built_ins_forget(void);
#endif
