/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cl_ext_device_fission, the predecessor of clCreateSubDevices: it has its own tokens, errors, ends of lists
 * and queries, but makes the same sub-devices. An unknown key is CL_INVALID_VALUE, and CL_INVALID_PROPERTY
 * with OpenCL 1.1; an impossible value is CL_INVALID_PROPERTY.
 */
#include <stdlib.h>

#include "api.h"
#include "device_info.h"
#include "subdevice.h"

static int64_t ext_value(const void *list, size_t index)
{
    return (int64_t)((const cl_device_partition_property_ext *)list)[index];
}

static const struct {
    cl_device_partition_property_ext token;
    enum partition_scheme scheme;
} schemes[] = {
    {CL_DEVICE_PARTITION_EQUALLY_EXT, SCHEME_EQUALLY},
    {CL_DEVICE_PARTITION_BY_COUNTS_EXT, SCHEME_BY_COUNTS},
    {CL_DEVICE_PARTITION_BY_NAMES_EXT, SCHEME_BY_NAMES},
    {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN_EXT, SCHEME_BY_AFFINITY},
};
enum { SCHEME_COUNT = sizeof schemes / sizeof *schemes };

static const struct {
    cl_device_partition_property_ext value;
    enum topology_level level;
} domains[] = {
    {CL_AFFINITY_DOMAIN_NUMA_EXT, TOPOLOGY_NUMA},
    {CL_AFFINITY_DOMAIN_L4_CACHE_EXT, TOPOLOGY_L4},
    {CL_AFFINITY_DOMAIN_L3_CACHE_EXT, TOPOLOGY_L3},
    {CL_AFFINITY_DOMAIN_L2_CACHE_EXT, TOPOLOGY_L2},
    {CL_AFFINITY_DOMAIN_L1_CACHE_EXT, TOPOLOGY_L1},
    {CL_AFFINITY_DOMAIN_NEXT_FISSIONABLE_EXT, TOPOLOGY_MACHINE},
};
enum { DOMAIN_COUNT = sizeof domains / sizeof *domains };

/* ---- queries ---------------------------------------------------------------------- */

/* All styles are listed, though not every device can be partitioned in each of them. */
cl_int device_info_fission_types(const struct info_reply *reply, const struct cl_device *device)
{
    cl_device_partition_property_ext types[SCHEME_COUNT];
    (void)device;
    for (size_t i = 0; i < SCHEME_COUNT; i++)
        types[i] = schemes[i].token;
    return info_bytes(reply, types, sizeof types);
}

cl_int device_info_fission_domains(const struct info_reply *reply, const struct cl_device *device)
{
    cl_device_partition_property_ext list[DOMAIN_COUNT];
    size_t count = 0;
    for (size_t i = 0; i < DOMAIN_COUNT; i++)
        if (domains[i].level != TOPOLOGY_MACHINE && device_parts(device, domains[i].level) > 1)
            list[count++] = domains[i].value;
    return info_bytes(reply, list, count * sizeof *list);
}

static cl_device_partition_property_ext scheme_token(enum partition_scheme scheme)
{
    for (size_t i = 0; i < SCHEME_COUNT; i++)
        if (schemes[i].scheme == scheme)
            return schemes[i].token;
    return CL_PROPERTIES_LIST_END_EXT;
}

static cl_device_partition_property_ext domain_value(enum topology_level level)
{
    for (size_t i = 0; i < DOMAIN_COUNT; i++)
        if (domains[i].level == level)
            return domains[i].value;
    return CL_AFFINITY_DOMAIN_NUMA_EXT; /* a tile */
}

/* The extension has no style for cslices; a device of a cslice is described as a root device. */
cl_int device_info_fission_style(const struct info_reply *reply, const struct cl_device *device)
{
    const struct partition_type *type = &device->type;
    cl_device_partition_property_ext *list = calloc(type->count + 4, sizeof *list);
    size_t count = 0;
    if (!list)
        return CL_OUT_OF_HOST_MEMORY;
    list[count++] = scheme_token(type->scheme);
    for (size_t i = 0; i < type->count; i++)
        list[count++] = (cl_device_partition_property_ext)type->values[i];
    if (type->scheme == SCHEME_BY_AFFINITY)
        list[count++] = domain_value(type->level);
    if (type->scheme == SCHEME_BY_COUNTS)
        list[count++] = CL_PARTITION_BY_COUNTS_LIST_END_EXT;
    if (type->scheme == SCHEME_BY_NAMES)
        list[count++] = CL_PARTITION_BY_NAMES_LIST_END_EXT;
    if (list[0] != CL_PROPERTIES_LIST_END_EXT)
        list[count++] = CL_PROPERTIES_LIST_END_EXT;
    cl_int err = info_bytes(reply, list, count * sizeof *list);
    free(list);
    return err;
}

/* ---- reading the list ---------------------------------------------------------------- */

static cl_int list_error(enum partition_result result, cl_int bad_value, cl_int bad_count)
{
    switch (result) {
    case PARTITION_OK: return CL_SUCCESS;
    case PARTITION_NO_MEMORY: return CL_OUT_OF_HOST_MEMORY;
    case PARTITION_BAD_VALUE: return bad_value;
    case PARTITION_BAD_COUNT: return bad_count;
    case PARTITION_IMPOSSIBLE:
    default: return CL_DEVICE_PARTITION_FAILED_EXT;
    }
}

static cl_int take_equally(const struct cl_device *device, cl_device_partition_property_ext units,
                           struct partition_type *type)
{
    if (units == 0 || units > device->units.count)
        return CL_INVALID_PARTITION_COUNT_EXT;
    if (units == device->units.count)
        return CL_DEVICE_PARTITION_FAILED_EXT;
    type->values = malloc(sizeof *type->values);
    if (!type->values)
        return CL_OUT_OF_HOST_MEMORY;
    type->values[0] = (int64_t)units;
    type->count = 1;
    return CL_SUCCESS;
}

static cl_int take_domain(cl_device_partition_property_ext value, struct partition_type *type)
{
    for (size_t i = 0; i < DOMAIN_COUNT; i++)
        if (domains[i].value == value) {
            type->level = domains[i].level;
            return CL_SUCCESS;
        }
    return CL_INVALID_PROPERTY;
}

/* Reads the values of a scheme; *out_next: the index where the list must end. */
static cl_int take_values(const struct cl_device *device, const cl_device_partition_property_ext *list,
                          struct partition_type *type, size_t *out_next)
{
    *out_next = 2;
    switch (type->scheme) {
    case SCHEME_EQUALLY: return take_equally(device, list[1], type);
    case SCHEME_BY_COUNTS:
        return list_error(subdevice_take_counts(device, list, ext_value, type, out_next),
                          CL_INVALID_PARTITION_COUNT_EXT, CL_INVALID_PARTITION_COUNT_EXT);
    case SCHEME_BY_NAMES:
        return list_error(subdevice_take_names(device, list, ext_value, type, out_next),
                          CL_INVALID_PARTITION_NAME_EXT, CL_INVALID_PARTITION_COUNT_EXT);
    case SCHEME_BY_AFFINITY: return take_domain(list[1], type);
    case SCHEME_BY_CSLICE:
    case SCHEME_NONE:
    default: /* the key: CL_INVALID_PROPERTY is what OpenCL 1.1 returned */
        return device_version_at_least(device, 1, 2) ? CL_INVALID_VALUE : CL_INVALID_PROPERTY;
    }
}

static cl_int take_list(const struct cl_device *device, const cl_device_partition_property_ext *list,
                        struct partition_type *type)
{
    size_t end = 0;
    for (size_t i = 0; i < SCHEME_COUNT; i++)
        if (schemes[i].token == list[0])
            type->scheme = schemes[i].scheme;
    cl_int err = take_values(device, list, type, &end);
    return !err && list[end] != CL_PROPERTIES_LIST_END_EXT ? CL_INVALID_PROPERTY : err;
}

/* ---- the calls -------------------------------------------------------------------------- */

static cl_int create(struct cl_device *device, const cl_device_partition_property_ext *properties,
                     cl_uint num_entries, cl_device_id *out_devices, cl_uint *num_devices)
{
    struct partition_type type = {0};
    struct partition partition = {0};
    cl_int err = take_list(device, properties, &type);
    if (!err)
        err = list_error(subdevice_split(device, &type, &partition), CL_INVALID_PARTITION_COUNT_EXT,
                         CL_INVALID_PARTITION_COUNT_EXT);
    if (!err && out_devices)
        err = subdevice_make(device, &type, &partition, num_entries, out_devices);
    if (!err && num_devices)
        *num_devices = partition.count;
    partition_fini(&partition);
    subdevice_partition_type_fini(&type);
    return err;
}

cl_int CL_API_CALL api_clCreateSubDevicesEXT(cl_device_id in_device,
                                             const cl_device_partition_property_ext *properties,
                                             cl_uint num_entries, cl_device_id *out_devices,
                                             cl_uint *num_devices)
{
    struct cl_device *device = object_lookup(in_device, OBJECT_DEVICE);
    if (!device)
        return CL_INVALID_DEVICE;
    const bool has_result = out_devices ? num_entries != 0 : num_devices != NULL;
    if (!properties || !has_result)
        return CL_INVALID_VALUE;
    return create(device, properties, num_entries, out_devices, num_devices);
}

cl_int CL_API_CALL api_clRetainDeviceEXT(cl_device_id device)
{
    return api_clRetainDevice(device);
}

cl_int CL_API_CALL api_clReleaseDeviceEXT(cl_device_id device)
{
    return api_clReleaseDevice(device);
}
