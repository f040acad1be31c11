/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cl_orrery_cslice: sub-devices made of compute slices, an extension of the Orrery
 * simulator, off unless the scenario says cslice_partition. See orrery-partition(7).
 *
 *     const cl_device_partition_property by_cslice[] = {CL_DEVICE_PARTITION_BY_CSLICE_ORRERY, 0, 0};
 *     clCreateSubDevices(tile, by_cslice, count, slices, &count);
 *
 * The device must be one tile with at least two cslices; a device of several tiles is
 * first partitioned by NUMA domain. The value has no number assigned by Khronos, and 0x1089
 * is what other runtimes call this scheme among themselves.
 */
#ifndef CL_ORRERY_CSLICE_H_
#define CL_ORRERY_CSLICE_H_

#include <CL/cl.h>

#ifdef __cplusplus
extern "C" {
#endif

#define cl_orrery_cslice 1
#define CL_ORRERY_CSLICE_EXTENSION_NAME "cl_orrery_cslice"

/* cl_device_partition_property; the value that goes with it is 0 */
#define CL_DEVICE_PARTITION_BY_CSLICE_ORRERY 0x1089

#ifdef __cplusplus
}
#endif

#endif /* CL_ORRERY_CSLICE_H_ */
