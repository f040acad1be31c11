/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Results of device queries. device_info.def has one row per query. Lists are made from tables, so
 *          that the string, the versioned array and the features agree.
 */
#ifndef ORRERY_LIB_DEVICE_INFO_H
#define ORRERY_LIB_DEVICE_INFO_H
#include "info.h"
#include "api_runtime.h"

enum {
    DEVICE_BASE_ALIGN = 128,
    DEVICE_MAX_ALIGN = 128,
    DEVICE_MAX_PARAMETER_BYTES = 4096,
    DEVICE_MAX_CONSTANT_ARGS = 64
};
/* Limits of images, in texels. */
enum { IMAGE_2D_SIZE = 16384, IMAGE_3D_SIZE = 2048, IMAGE_BUFFER_SIZE = 1 << 26, IMAGE_ARRAY_SIZE = 2048 };

cl_int device_info_version(const struct info_reply *reply, const struct cl_device *device, const char *what);
cl_version device_info_numeric_version(const struct cl_device *device);
cl_int device_info_extensions(const struct info_reply *reply, const struct cl_device *device);
cl_int device_info_extensions_with_version(const struct info_reply *reply, const struct cl_device *device);
cl_int device_info_partition_properties(const struct info_reply *reply, const struct cl_device *device);
cl_int device_info_partition_type(const struct info_reply *reply, const struct cl_device *device);
cl_device_affinity_domain device_info_affinity_domains(const struct cl_device *device);
cl_int device_info_fission_types(const struct info_reply *reply, const struct cl_device *device);
cl_int device_info_fission_domains(const struct info_reply *reply, const struct cl_device *device);
cl_int device_info_fission_style(const struct info_reply *reply, const struct cl_device *device);
cl_ulong device_memory_bytes(const struct cl_device *device);
cl_ulong device_max_allocation(const struct cl_device *device);
bool device_version_at_least(const struct cl_device *device, uint32_t major, uint32_t minor);
bool device_type_valid(cl_device_type type);
bool device_type_matches(const struct cl_device *device, cl_device_type type);
cl_device_svm_capabilities device_svm_capabilities(const struct cl_device *device);
bool device_supports_fine_svm(const struct cl_device *device);
cl_device_unified_shared_memory_capabilities_intel device_usm_capabilities(const struct cl_device *device);
/* devices with fine-grained SVM and atomics */
bool device_supports_usm(const struct cl_device *device);
bool device_supports_svm_atomics(const struct cl_device *device);
bool device_supports_svm_system(const struct cl_device *device);
bool device_supports_svm(const struct cl_device *device);
bool device_supports_images(const struct cl_device *device);
bool device_supports_il(const struct cl_device *device);
bool device_supports_sub_groups(const struct cl_device *device);
bool device_writes_srgb_images(const struct cl_device *device);
bool device_supports_named_barriers(const struct cl_device *device);
bool device_supports_pipes(const struct cl_device *device);
bool device_supports_device_enqueue(const struct cl_device *device);
bool device_supports_read_write_images(const struct cl_device *device);
#endif
