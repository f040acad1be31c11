/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Devices (OpenCL 3.0 API, 4.2). Capabilities, versions and extensions are derived from the scenario's
 * configuration and topology; clGetDeviceInfo has one row per query in device_info.def.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "built_in.h"
#include "orrery/pipe.h"
#include "device_info.h"
#include "device_spirv.h"
#include "lib/diagnose/injected_fault.h"
#include "queue.h"
#include "lib/record/saved_report.h"
#include "queue_family.h"
#include "subdevice.h"
#include "tokens.h"
#include "version.h"

#ifndef ORRERY_VERSION
#define ORRERY_VERSION "0.1.0"
#endif

#define FP_IEEE                                                                                         \
    (CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF | \
     CL_FP_FMA)

/* ---- capabilities of a configuration --------------------------------------------- */

bool device_version_at_least(const struct cl_device *device, uint32_t major, uint32_t minor)
{
    const struct device_config *config = device->config;
    return config->version_major > major ||
           (config->version_major == major && config->version_minor >= minor);
}

bool device_supports_il(const struct cl_device *device)
{
    return device->config->il;
}

bool device_supports_images(const struct cl_device *device)
{
    return device->config->images;
}

bool device_supports_svm(const struct cl_device *device)
{
    return device->config->svm_coarse && device_version_at_least(device, 2, 0);
}

cl_device_svm_capabilities device_svm_capabilities(const struct cl_device *device)
{
    const struct device_config *config = device->config;
    bool fine = config->svm_fine && device_supports_svm(device), system = config->svm_system && fine;
    cl_device_svm_capabilities capabilities = device_supports_svm(device) ? CL_DEVICE_SVM_COARSE_GRAIN_BUFFER : 0;
    capabilities |= fine ? CL_DEVICE_SVM_FINE_GRAIN_BUFFER : 0;
    capabilities |= system ? CL_DEVICE_SVM_FINE_GRAIN_SYSTEM : 0;
    return capabilities | (fine && config->svm_atomics ? CL_DEVICE_SVM_ATOMICS : 0);
}

bool device_supports_fine_svm(const struct cl_device *device)
{
    return device_svm_capabilities(device) & CL_DEVICE_SVM_FINE_GRAIN_BUFFER;
}

bool device_supports_svm_atomics(const struct cl_device *device)
{
    return device_svm_capabilities(device) & CL_DEVICE_SVM_ATOMICS;
}

bool device_supports_usm(const struct cl_device *device)
{
    return device_supports_svm_atomics(device);
}

cl_device_unified_shared_memory_capabilities_intel device_usm_capabilities(const struct cl_device *device)
{
    return device_supports_usm(device) ? CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL | CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL |
                                             CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL |
                                             CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL
                                       : 0;
}

bool device_supports_svm_system(const struct cl_device *device)
{
    return device_svm_capabilities(device) & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM;
}

bool device_supports_sub_groups(const struct cl_device *device)
{
    return device->config->sub_groups && device_version_at_least(device, 2, 0);
}

bool device_supports_named_barriers(const struct cl_device *device)
{
    return device->config->named_barriers && device_supports_sub_groups(device);
}

bool device_supports_pipes(const struct cl_device *device)
{
    return device->config->pipes && device_version_at_least(device, 2, 0);
}

bool device_supports_device_enqueue(const struct cl_device *device)
{
    const struct device_config *config = device->config;
    return config->device_enqueue && config->generic_address_space && config->program_scope_variables &&
           device_version_at_least(device, 2, 0);
}

bool device_supports_read_write_images(const struct cl_device *device)
{
    return device->config->images && device_version_at_least(device, 2, 0);
}

bool device_writes_srgb_images(const struct cl_device *device)
{
    return device->config->srgb_writes && device_supports_read_write_images(device);
}

/* C++ for OpenCL 1.0 requires the features of OpenCL C 2.0. */
static bool device_supports_cxx(const struct cl_device *device)
{
    const struct device_config *config = device->config;
    return device_version_at_least(device, 2, 0) && config->generic_address_space && config->program_scope_variables && config->compiler;
}

static cl_device_type device_type_bit(enum device_type type)
{
    switch (type) {
    case DEVICE_CPU:
        return CL_DEVICE_TYPE_CPU;
    case DEVICE_ACCELERATOR:
        return CL_DEVICE_TYPE_ACCELERATOR;
    case DEVICE_CUSTOM:
        return CL_DEVICE_TYPE_CUSTOM;
    case DEVICE_GPU:
    default:
        return CL_DEVICE_TYPE_GPU;
    }
}

static size_t first_sub_group_size(const struct device_config *config)
{
    return config->sub_group_sizes[0] ? config->sub_group_sizes[0] : 1;
}

static cl_int query_sub_group_sizes(const struct info_reply *reply, const struct cl_device *device)
{
    size_t answer[SCENARIO_SUB_GROUP_SIZES], count = 0;
    while (count < SCENARIO_SUB_GROUP_SIZES && device->config->sub_group_sizes[count] && device_supports_sub_groups(device)) {
        answer[count] = device->config->sub_group_sizes[count];
        count++;
    }
    return info_bytes(reply, answer, count * sizeof *answer);
}

static cl_uint max_sub_groups(const struct cl_device *device)
{
    size_t smallest = first_sub_group_size(device->config);
    if (!device_supports_sub_groups(device))
        return 0;
    for (int i = 0; i < SCENARIO_SUB_GROUP_SIZES && device->config->sub_group_sizes[i]; i++)
        if (device->config->sub_group_sizes[i] < smallest)
            smallest = device->config->sub_group_sizes[i];
    return (cl_uint)((device->config->max_work_group_size + smallest - 1) / smallest);
}

static cl_device_atomic_capabilities atomic_capabilities(const struct cl_device *device)
{
    cl_device_atomic_capabilities least = CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP;
    if (!device_version_at_least(device, 2, 0))
        return least;
    return least | CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_ORDER_SEQ_CST |
           CL_DEVICE_ATOMIC_SCOPE_DEVICE | CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES;
}

static bool has_double_atomics(const struct cl_device *device)
{
    return device->config->fp64 && device->config->int64_atomics;
}

/* cl_ext_float_atomics: atomic functions of OpenCL C 2.0 on floating-point types. */
static cl_device_fp_atomic_capabilities_ext float_atomics(const struct cl_device *device, bool there)
{
    const cl_device_fp_atomic_capabilities_ext global =
        CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT | CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT | CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT;
    const cl_device_fp_atomic_capabilities_ext local =
        CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT | CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT | CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT;
    return there && device_version_at_least(device, 2, 0) ? global | local : 0;
}

static cl_device_kernel_clock_capabilities_khr kernel_clocks(const struct cl_device *device)
{
    cl_device_kernel_clock_capabilities_khr clocks = CL_DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR | CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR;
    clocks |= device_supports_sub_groups(device) ? CL_DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR : 0;
    return device->config->kernel_clock ? clocks : 0;
}

/* The largest data cache that a unit of the device can use. */
static cl_ulong cache_bytes(const struct cl_device *device)
{
    static const enum topology_level caches[] = {TOPOLOGY_L4, TOPOLOGY_L3, TOPOLOGY_L2, TOPOLOGY_L1};
    cl_ulong most = 0;
    if (!device->parent)
        return device->topology->cache_bytes;
    for (uint32_t i = 0; i < device->units.count; i++)
        for (size_t level = 0; level < sizeof caches / sizeof *caches; level++) {
            const struct topology_node *node =
                topology_node_of(device->topology, device->units.units[i], caches[level]);
            if (node && node->bytes > most)
                most = node->bytes;
        }
    return most;
}

/* The number of elements that an array may have; more would take the front end seconds
 * (sim/interp/module.c). */
enum { PROGRAM_VARIABLE_BYTES_MAX = 64 << 20 };

static size_t program_scope_bytes(const struct cl_device *device)
{
    bool supported = device->config->program_scope_variables && device_version_at_least(device, 2, 0);
    const size_t most = (size_t)device_max_allocation(device);
    return !supported ? 0 : most < PROGRAM_VARIABLE_BYTES_MAX ? most : PROGRAM_VARIABLE_BYTES_MAX;
}

/* ---- versions ---------------------------------------------------------------------- */

cl_version device_info_numeric_version(const struct cl_device *device)
{
    return CL_MAKE_VERSION(device->config->version_major, device->config->version_minor, 0);
}

cl_int device_info_version(const struct info_reply *reply, const struct cl_device *device, const char *what)
{
    char text[80];
    snprintf(text, sizeof text, "%s %u.%u Orrery %s", what, device->config->version_major,
             device->config->version_minor, ORRERY_VERSION);
    return info_string(reply, text);
}

static cl_int query_version(const struct info_reply *reply, const struct cl_device *device)
{
    return device_info_version(reply, device, "OpenCL");
}

/* The highest version whose required features the device has. OpenCL C 2.0 requires images, pipes and
 * device enqueue; devices of OpenCL 2.x report it even without them, as they must. */
static cl_version opencl_c_version(const struct cl_device *device)
{
    const struct device_config *config = device->config;
    if (config->version_major == 2)
        return CL_MAKE_VERSION(2, 0, 0);
    if (config->version_major == 1 && config->version_minor < 2)
        return CL_MAKE_VERSION(1, config->version_minor, 0);
    return CL_MAKE_VERSION(1, 2, 0);
}

static cl_int query_opencl_c_version(const struct info_reply *reply, const struct cl_device *device)
{
    char text[80];
    cl_version version = opencl_c_version(device);
    snprintf(text, sizeof text, "OpenCL C %u.%u Orrery %s", CL_VERSION_MAJOR(version),
             CL_VERSION_MINOR(version), ORRERY_VERSION);
    return info_string(reply, text);
}

static cl_name_version name_version(cl_version version, const char *name)
{
    cl_name_version entry = {.version = version};
    snprintf(entry.name, sizeof entry.name, "%s", name);
    return entry;
}

static cl_int query_opencl_c_versions(const struct info_reply *reply, const struct cl_device *device)
{
    static const cl_version versions[] = {
        CL_MAKE_VERSION(1, 0, 0), CL_MAKE_VERSION(1, 1, 0), CL_MAKE_VERSION(1, 2, 0),
        CL_MAKE_VERSION(2, 0, 0), CL_MAKE_VERSION(3, 0, 0),
    };
    cl_name_version answer[sizeof versions / sizeof *versions];
    size_t count = 0;
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        if (versions[i] <= device_info_numeric_version(device) &&
            (versions[i] != CL_MAKE_VERSION(2, 0, 0) || scenario_opencl_c_20(device->config)))
            answer[count++] = name_version(versions[i], "OpenCL C");
    return info_bytes(reply, answer, count * sizeof *answer);
}

static cl_int query_il_version(const struct info_reply *reply, const struct cl_device *device)
{
    return info_string(
        reply, device_supports_il(device) ? "SPIR-V_1.4 SPIR-V_1.3 SPIR-V_1.2 SPIR-V_1.1 SPIR-V_1.0" : "");
}

static cl_int query_ils_with_version(const struct info_reply *reply, const struct cl_device *device)
{
    cl_name_version answer[5];
    size_t count = device_supports_il(device) ? 5 : 0;
    for (size_t i = 0; i < count; i++)
        answer[i] = name_version(CL_MAKE_VERSION(1, (cl_version)(4 - i), 0), "SPIR-V");
    return info_bytes(reply, answer, count * sizeof *answer);
}

/* ---- extensions and features: one table each ------------------------------------------ */

/* clang-format off */
#define EXTENSIONS(EXTENSION) \
    EXTENSION("cl_khr_icd", 1, 0, 0, true) \
    EXTENSION("cl_khr_byte_addressable_store", 1, 0, 0, true) \
    EXTENSION("cl_khr_global_int32_base_atomics", 1, 0, 0, true) \
    EXTENSION("cl_khr_global_int32_extended_atomics", 1, 0, 0, true) \
    EXTENSION("cl_khr_local_int32_base_atomics", 1, 0, 0, true) \
    EXTENSION("cl_khr_local_int32_extended_atomics", 1, 0, 0, true) \
    EXTENSION("cl_khr_int64_base_atomics", 1, 0, 0, config->int64_atomics) \
    EXTENSION("cl_khr_int64_extended_atomics", 1, 0, 0, config->int64_atomics) \
    EXTENSION("cl_khr_fp16", 1, 0, 0, config->fp16) \
    EXTENSION("cl_khr_fp64", 1, 0, 0, config->fp64) \
    EXTENSION("cl_khr_il_program", 1, 0, 0, config->il) \
    EXTENSION("cl_khr_spirv_no_integer_wrap_decoration", 1, 0, 0, config->il) \
    EXTENSION("cl_khr_3d_image_writes", 1, 0, 0, config->images) \
    EXTENSION("cl_khr_depth_images", 1, 0, 0, config->images) \
    EXTENSION("cl_khr_image2d_from_buffer", 1, 0, 0, config->images) \
    EXTENSION("cl_khr_srgb_image_writes", 1, 0, 0, device_writes_srgb_images(device)) \
    EXTENSION("cl_khr_mipmap_image", 1, 0, 0, device_supports_read_write_images(device)) \
    EXTENSION("cl_khr_mipmap_image_writes", 1, 0, 0, device_supports_read_write_images(device)) \
    EXTENSION("cl_khr_subgroups", 1, 0, 0, device_supports_sub_groups(device)) \
    EXTENSION("cl_khr_subgroup_extended_types", 1, 0, 0, device_supports_sub_groups(device)) \
    EXTENSION("cl_khr_subgroup_non_uniform_vote", 1, 0, 0, device_supports_sub_groups(device)) \
    EXTENSION("cl_khr_subgroup_ballot", 1, 0, 0, device_supports_sub_groups(device)) \
    EXTENSION("cl_khr_subgroup_non_uniform_arithmetic", 1, 0, 0, device_supports_sub_groups(device)) \
    EXTENSION("cl_khr_subgroup_shuffle", 1, 0, 0, device_supports_sub_groups(device)) \
    EXTENSION("cl_khr_subgroup_shuffle_relative", 1, 0, 0, device_supports_sub_groups(device)) \
    EXTENSION("cl_khr_subgroup_clustered_reduce", 1, 0, 0, device_supports_sub_groups(device)) \
    EXTENSION("cl_khr_subgroup_rotate", 1, 0, 0, device_supports_sub_groups(device)) \
    EXTENSION("cl_khr_subgroup_named_barrier", 1, 0, 0, device_supports_named_barriers(device)) \
    EXTENSION("cl_intel_subgroups", 1, 0, 0, device_supports_sub_groups(device)) \
    EXTENSION("cl_intel_subgroups_short", 1, 0, 0, device_supports_sub_groups(device)) \
    EXTENSION("cl_khr_extended_bit_ops", 1, 0, 0, true) \
    EXTENSION("cl_khr_expect_assume", 1, 0, 0, config->il) \
    EXTENSION("cl_khr_create_command_queue", 1, 0, 0, true) \
    EXTENSION("cl_khr_suggested_local_work_size", 1, 0, 0, true) \
    EXTENSION("cl_khr_priority_hints", 1, 0, 0, true) \
    EXTENSION("cl_khr_throttle_hints", 1, 0, 0, true) \
    EXTENSION("cl_khr_spirv_queries", 1, 0, 0, config->il) \
    EXTENSION("cl_khr_command_buffer", 0, 9, 4, true) \
    EXTENSION("cl_khr_semaphore", 1, 0, 0, true) \
    EXTENSION("cl_khr_initialize_memory", 1, 0, 0, config->initialize_memory) \
    EXTENSION("cl_khr_kernel_clock", 1, 0, 0, config->kernel_clock) \
    EXTENSION("cl_khr_terminate_context", 1, 0, 0, config->terminate_context) \
    EXTENSION("cl_intel_required_subgroup_size", 1, 0, 0, device_supports_sub_groups(device)) \
    EXTENSION("cl_khr_integer_dot_product", 2, 0, 0, true) \
    EXTENSION("cl_khr_work_group_uniform_arithmetic", 1, 0, 0, config->work_group_collectives && device_version_at_least(device, 2, 0)) \
    EXTENSION("cl_ext_float_atomics", 1, 0, 0, device_version_at_least(device, 2, 0)) \
    EXTENSION("cl_ext_cxx_for_opencl", 1, 0, 0, device_supports_cxx(device)) \
    EXTENSION("cl_khr_extended_versioning", 1, 0, 0, true) \
    EXTENSION("cl_khr_device_uuid", 1, 0, 0, true) \
    EXTENSION("cl_intel_unified_shared_memory", 1, 2, 0, device_supports_usm(device)) \
    EXTENSION("cl_ext_device_fission", 1, 0, 0, true) \
    EXTENSION("cl_intel_device_partition_by_names", 1, 0, 0, \
              config->errors == ANSWERS_CTS || config->errors == ANSWERS_SPEC) \
    EXTENSION("cl_intel_command_queue_families", 1, 0, 0, queue_families_exist(device)) \
    EXTENSION("cl_orrery_counters", 1, 0, 0, scenario_counts(&runtime_get()->scenario)) \
    EXTENSION("cl_orrery_cslice", 1, 0, 0, config->cslice_partition)

#define FEATURES(FEATURE) \
    FEATURE("__opencl_c_int64", true) \
    FEATURE("__opencl_c_fp64", config->fp64) \
    FEATURE("__opencl_c_atomic_order_acq_rel", true) \
    FEATURE("__opencl_c_atomic_order_seq_cst", true) \
    FEATURE("__opencl_c_atomic_scope_device", true) \
    FEATURE("__opencl_c_atomic_scope_all_devices", true) \
    FEATURE("__opencl_c_generic_address_space", config->generic_address_space) \
    FEATURE("__opencl_c_program_scope_global_variables", config->program_scope_variables) \
    FEATURE("__opencl_c_pipes", config->pipes && config->generic_address_space) \
    FEATURE("__opencl_c_device_enqueue", device_supports_device_enqueue(device)) \
    FEATURE("__opencl_c_images", config->images) \
    FEATURE("__opencl_c_3d_image_writes", config->images) \
    FEATURE("__opencl_c_read_write_images", config->images) \
    FEATURE("__opencl_c_subgroups", config->sub_groups) \
    FEATURE("__opencl_c_work_group_collective_functions", config->work_group_collectives) \
    FEATURE("__opencl_c_integer_dot_product_input_4x8bit", true) \
    FEATURE("__opencl_c_integer_dot_product_input_4x8bit_packed", true) \
    FEATURE("__opencl_c_kernel_clock_scope_device", config->kernel_clock) \
    FEATURE("__opencl_c_kernel_clock_scope_work_group", config->kernel_clock) \
    FEATURE("__opencl_c_kernel_clock_scope_sub_group", config->kernel_clock && config->sub_groups) \
    FEATURE("__opencl_c_ext_fp32_global_atomic_add", true) \
    FEATURE("__opencl_c_ext_fp32_local_atomic_add", true) \
    FEATURE("__opencl_c_ext_fp32_global_atomic_min_max", true) \
    FEATURE("__opencl_c_ext_fp32_local_atomic_min_max", true) \
    FEATURE("__opencl_c_ext_fp64_global_atomic_add", has_double_atomics(device)) \
    FEATURE("__opencl_c_ext_fp64_local_atomic_add", has_double_atomics(device)) \
    FEATURE("__opencl_c_ext_fp64_global_atomic_min_max", has_double_atomics(device)) \
    FEATURE("__opencl_c_ext_fp64_local_atomic_min_max", has_double_atomics(device))
/* clang-format on */

enum {
#define COUNT_EXTENSION(name, major, minor, patch, condition) +1
    EXTENSION_COUNT = 0 EXTENSIONS(COUNT_EXTENSION),
#undef COUNT_EXTENSION
#define COUNT_FEATURE(name, condition) +1
    FEATURE_COUNT = 0 FEATURES(COUNT_FEATURE),
#undef COUNT_FEATURE
};

static size_t list_extensions(const struct cl_device *device, cl_name_version answer[EXTENSION_COUNT])
{
    const struct device_config *config = device->config;
    size_t count = 0;
#define LIST_EXTENSION(name, major, minor, patch, condition) \
    if (condition)                                           \
        answer[count++] = name_version(CL_MAKE_VERSION(major, minor, patch), name);
    EXTENSIONS(LIST_EXTENSION)
#undef LIST_EXTENSION
    return count;
}

cl_int device_info_extensions_with_version(const struct info_reply *reply, const struct cl_device *device)
{
    cl_name_version answer[EXTENSION_COUNT];
    return info_bytes(reply, answer, list_extensions(device, answer) * sizeof *answer);
}

cl_int device_info_extensions(const struct info_reply *reply, const struct cl_device *device)
{
    cl_name_version list[EXTENSION_COUNT];
    char text[EXTENSION_COUNT * (CL_NAME_VERSION_MAX_NAME_SIZE + 1)] = "";
    size_t count = list_extensions(device, list), length = 0;
    for (size_t i = 0; i < count; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s", i ? " " : "", list[i].name);
    return info_string(reply, text);
}

static cl_int query_opencl_c_features(const struct info_reply *reply, const struct cl_device *device)
{
    const struct device_config *config = device->config;
    cl_name_version answer[FEATURE_COUNT];
    size_t count = 0;
    if (!device_version_at_least(device, 3, 0))
        return info_bytes(reply, NULL, 0);
#define LIST_FEATURE(name, condition) \
    if (condition)                    \
        answer[count++] = name_version(CL_MAKE_VERSION(3, 0, 0), name);
    FEATURES(LIST_FEATURE)
#undef LIST_FEATURE
    return info_bytes(reply, answer, count * sizeof *answer);
}

/* ---- the calls -------------------------------------------------------------------- */

cl_int CL_API_CALL api_clGetDeviceInfo(cl_device_id handle, cl_device_info param_name,
                                       size_t param_value_size, void *param_value,
                                       size_t *param_value_size_ret)
{
    const struct info_reply reply[] = {{param_value_size, param_value, param_value_size_ret}};
    const struct cl_device *device = object_lookup(handle, OBJECT_DEVICE);
    if (!device)
        return CL_INVALID_DEVICE;
    if (!version_has_query(device, param_name))
        return CL_INVALID_VALUE;
    const struct device_config *config = device->config;
    const struct topology *topology = device->topology;
    switch (param_name) {
#define FIELD(query, type, expression) \
    case query:                        \
        return INFO_VALUE(reply, type, expression);
#define TEXT(query, expression) \
    case query:                 \
        return info_string(reply, expression);
#define ARRAY(query, type, ...) \
    case query:                 \
        return info_bytes(reply, (type[]){__VA_ARGS__}, sizeof(type[]){__VA_ARGS__});
#define NONE(query) \
    case query:     \
        return info_bytes(reply, NULL, 0);
#define QUERY(query, function) \
    case query:              \
        return function(reply, device);
#include "device_info.def"
#undef FIELD
#undef TEXT
#undef ARRAY
#undef NONE
#undef QUERY
    default:
        return CL_INVALID_VALUE;
    }
}

enum {
    KNOWN_TYPES = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
                  CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM
};

bool device_type_valid(cl_device_type type)
{
    return type == CL_DEVICE_TYPE_ALL || (type && !(type & ~(cl_device_type)KNOWN_TYPES));
}

/* CL_DEVICE_TYPE_ALL and _DEFAULT do not include custom devices; the default is the first root device. */
bool device_type_matches(const struct cl_device *device, cl_device_type type)
{
    cl_device_type own = device_type_bit(device->config->type);
    if (own == CL_DEVICE_TYPE_CUSTOM)
        return type != CL_DEVICE_TYPE_ALL && (type & CL_DEVICE_TYPE_CUSTOM);
    if (type == CL_DEVICE_TYPE_ALL || (type & own))
        return true;
    return (type & CL_DEVICE_TYPE_DEFAULT) && device->index == 0;
}

cl_int CL_API_CALL api_clGetDeviceIDs(cl_platform_id handle, cl_device_type device_type, cl_uint num_entries,
                                      cl_device_id *devices, cl_uint *num_devices)
{
    struct runtime *runtime = runtime_get();
    if (runtime->broken || (handle && !object_lookup(handle, OBJECT_PLATFORM)))
        return CL_INVALID_PLATFORM;
    if (!device_type_valid(device_type))
        return CL_INVALID_DEVICE_TYPE;
    if ((!num_entries && devices) || (!devices && !num_devices))
        return CL_INVALID_VALUE;
    const struct platform *platform = runtime->platform;
    cl_uint found = 0;
    for (cl_uint i = 0; i < platform->root_count; i++) {
        if (!device_type_matches(platform->roots[i], device_type))
            continue;
        if (devices && found < num_entries)
            devices[found] = (cl_device_id)platform->roots[i];
        found++;
    }
    if (num_devices)
        *num_devices = found;
    saved_reached(found ? REACH_DEVICE : REACH_NO_DEVICE, device_type);
    return found ? CL_SUCCESS : CL_DEVICE_NOT_FOUND;
}

/* ---- references: a root device exists as long as the platform ------------------------- */

static bool is_root(cl_device_id handle)
{
    const struct cl_device *device = object_lookup(handle, OBJECT_DEVICE);
    return device && !device->parent;
}

cl_int CL_API_CALL api_clRetainDevice(cl_device_id device)
{
    return is_root(device) ? CL_SUCCESS : object_retain(device, OBJECT_DEVICE);
}

cl_int CL_API_CALL api_clReleaseDevice(cl_device_id device)
{
    return is_root(device) ? CL_SUCCESS : object_release(device, OBJECT_DEVICE);
}

/* ---- time ---------------------------------------------------------------------------- */

/* Host and device timer are both the simulated clock. */
cl_int CL_API_CALL api_clGetDeviceAndHostTimer(cl_device_id handle, cl_ulong *device_timestamp,
                                               cl_ulong *host_timestamp)
{
    const struct cl_device *device = object_lookup(handle, OBJECT_DEVICE);
    if (!device)
        return CL_INVALID_DEVICE;
    if (!device_version_at_least(device, 2, 1))
        return CL_INVALID_OPERATION;
    if (!device_timestamp || !host_timestamp)
        return CL_INVALID_VALUE;
    queue_drain();
    *device_timestamp = *host_timestamp = device_host_query(device->device);
    return CL_SUCCESS;
}

cl_int CL_API_CALL api_clGetHostTimer(cl_device_id handle, cl_ulong *host_timestamp)
{
    const struct cl_device *device = object_lookup(handle, OBJECT_DEVICE);
    if (!device)
        return CL_INVALID_DEVICE;
    if (!device_version_at_least(device, 2, 1))
        return CL_INVALID_OPERATION;
    if (!host_timestamp)
        return CL_INVALID_VALUE;
    queue_drain();
    *host_timestamp = device_host_query(device->device);
    return CL_SUCCESS;
}
