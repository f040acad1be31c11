/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clCreateSubDevices and the queries about it (OpenCL 3.0 API, 4.3). A list is read no further than
 * necessary, since memory after an invalid value, or after the end of the counts, need not be readable.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "api.h"
#include "device_info.h"
#include "lib/diagnose/call.h"
#include "subdevice.h"

#include "CL/cl_orrery_cslice.h"

enum situation {
#define RESULT(name, spec, cts, pocl, text) SITUATION_##name,
#include "subdevice_partition.def"
#undef RESULT
};

static cl_int answer(const struct cl_device *device, enum situation situation)
{
    static const struct {
        cl_int spec, cts, pocl;
    } table[] = {
#define RESULT(name, spec, cts, pocl, text) [SITUATION_##name] = {spec, cts, pocl},
#include "subdevice_partition.def"
#undef RESULT
    };
    switch (device->config->errors) {
    case ANSWERS_SPEC: return table[situation].spec;
    case ANSWERS_POCL: return table[situation].pocl;
    default: return table[situation].cts;
    }
}

static int64_t core_value(const void *list, size_t index)
{
    return ((const cl_device_partition_property *)list)[index];
}

/* ---- affinity domains ------------------------------------------------------------------ */

static const struct {
    cl_device_affinity_domain bit;
    enum topology_level level;
} domains[] = {
    {CL_DEVICE_AFFINITY_DOMAIN_NUMA, TOPOLOGY_NUMA},
    {CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE, TOPOLOGY_L4},
    {CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE, TOPOLOGY_L3},
    {CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE, TOPOLOGY_L2},
    {CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE, TOPOLOGY_L1},
    {CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE, TOPOLOGY_MACHINE},
};
enum { DOMAIN_COUNT = sizeof domains / sizeof *domains };

/* Intel's driver partitions by tile only, as the domain NUMA. */
cl_device_affinity_domain device_info_affinity_domains(const struct cl_device *device)
{
    cl_device_affinity_domain bits = 0;
    if (!device_offers(device, SCHEME_BY_AFFINITY))
        return 0;
    if (device->config->errors == ANSWERS_NEO)
        return CL_DEVICE_AFFINITY_DOMAIN_NUMA | CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE;
    for (size_t i = 0; i < DOMAIN_COUNT; i++)
        if (domains[i].level == TOPOLOGY_MACHINE || device_parts(device, domains[i].level) > 1)
            bits |= domains[i].bit;
    return bits;
}

static cl_device_affinity_domain domain_bit(enum topology_level level)
{
    for (size_t i = 0; i < DOMAIN_COUNT; i++)
        if (domains[i].level == level)
            return domains[i].bit;
    return CL_DEVICE_AFFINITY_DOMAIN_NUMA; /* a tile */
}

static bool domain_level(int64_t bit, enum topology_level *out_level)
{
    for (size_t i = 0; i < DOMAIN_COUNT; i++)
        if ((int64_t)domains[i].bit == bit) {
            *out_level = domains[i].level;
            return true;
        }
    return false;
}

/* ---- schemes ------------------------------------------------------------------------------ */

static const struct {
    cl_device_partition_property token;
    enum partition_scheme scheme;
} schemes[] = {
    {CL_DEVICE_PARTITION_EQUALLY, SCHEME_EQUALLY},
    {CL_DEVICE_PARTITION_BY_COUNTS, SCHEME_BY_COUNTS},
    {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, SCHEME_BY_AFFINITY},
    {CL_DEVICE_PARTITION_BY_NAMES_INTEL, SCHEME_BY_NAMES},
    {CL_DEVICE_PARTITION_BY_CSLICE_ORRERY, SCHEME_BY_CSLICE},
};
enum { SCHEME_COUNT = sizeof schemes / sizeof *schemes };

static enum partition_scheme scheme_of(cl_device_partition_property token)
{
    for (size_t i = 0; i < SCHEME_COUNT; i++)
        if (schemes[i].token == token)
            return schemes[i].scheme;
    return SCHEME_NONE;
}

static cl_device_partition_property scheme_token(enum partition_scheme scheme)
{
    for (size_t i = 0; i < SCHEME_COUNT; i++)
        if (schemes[i].scheme == scheme)
            return schemes[i].token;
    return 0;
}

cl_int device_info_partition_properties(const struct info_reply *reply, const struct cl_device *device)
{
    cl_device_partition_property offered[SCHEME_COUNT] = {0};
    size_t count = 0;
    for (size_t i = 0; i < SCHEME_COUNT; i++)
        if (device_offers(device, schemes[i].scheme))
            offered[count++] = schemes[i].token;
    return info_bytes(reply, offered, (count ? count : 1) * sizeof *offered);
}

/* The list that the program gave; for the next partitionable domain, the domain that was used. */
cl_int device_info_partition_type(const struct info_reply *reply, const struct cl_device *device)
{
    const struct partition_type *type = &device->type;
    cl_device_partition_property *list = calloc(type->count + 4, sizeof *list);
    size_t count = 0;
    if (!list)
        return CL_OUT_OF_HOST_MEMORY;
    list[count++] = scheme_token(type->scheme);
    for (size_t i = 0; i < type->count; i++)
        list[count++] = (cl_device_partition_property)type->values[i];
    if (type->scheme == SCHEME_BY_AFFINITY)
        list[count++] = (cl_device_partition_property)domain_bit(type->level);
    bool both_ends = type->scheme == SCHEME_BY_COUNTS && device->config->errors != ANSWERS_POCL;
    if (both_ends || type->scheme == SCHEME_BY_CSLICE)
        list[count++] = 0;
    if (type->scheme == SCHEME_BY_NAMES)
        list[count++] = CL_PARTITION_BY_NAMES_LIST_END_INTEL;
    if (type->scheme != SCHEME_NONE)
        list[count++] = 0;
    cl_int err = info_bytes(reply, list, count * sizeof *list);
    free(list);
    return err;
}

/* ---- reading the list ------------------------------------------------------------------------ */

static cl_int take_equally(const struct cl_device *device, cl_device_partition_property units,
                           struct partition_type *type)
{
    cl_int err = CL_SUCCESS;
    if (units == 0)
        return answer(device, SITUATION_EQUALLY_ZERO);
    if (units < 0 || (uint64_t)units > device->units.count) {
        char text[160];
        snprintf(text, sizeof text,
                 "CL_DEVICE_PARTITION_EQUALLY asks for sub-devices of %" PRIdPTR
                 " compute units, and in_device has %" PRIu32,
                 units, device->units.count);
        call_detail(text);
        return answer(device, SITUATION_EQUALLY_MORE);
    }
    if ((uint64_t)units == device->units.count && (err = answer(device, SITUATION_EQUALLY_ALL)))
        return err;
    type->values = malloc(sizeof *type->values);
    if (!type->values)
        return CL_OUT_OF_HOST_MEMORY;
    type->values[0] = units;
    type->count = 1;
    return CL_SUCCESS;
}

static cl_int take_domain(const struct cl_device *device, cl_device_partition_property bit,
                          struct partition_type *type)
{
    if (!domain_level(bit, &type->level))
        return answer(device, SITUATION_DOMAIN_UNKNOWN);
    if (type->level != TOPOLOGY_MACHINE && !device_has_level(device, type->level)) {
        call_detail("in_device has no such affinity domain: CL_DEVICE_PARTITION_AFFINITY_DOMAIN says which "
                    "ones it has");
        return answer(device, SITUATION_DOMAIN_UNKNOWN);
    }
    return CL_SUCCESS;
}

static cl_int list_error(const struct cl_device *device, enum partition_result result, enum situation value,
                         enum situation count)
{
    switch (result) {
    case PARTITION_OK: return CL_SUCCESS;
    case PARTITION_NO_MEMORY: return CL_OUT_OF_HOST_MEMORY;
    case PARTITION_BAD_COUNT: return answer(device, count);
    case PARTITION_BAD_VALUE:
    case PARTITION_IMPOSSIBLE:
    default: return answer(device, value);
    }
}

/* The count after the first `good` ones is negative, or more than they leave. */
static void report_counts(const struct cl_device *device, const cl_device_partition_property *list,
                          size_t good)
{
    char text[160];
    uint32_t left = device->units.count;
    for (size_t i = 1; i <= good; i++)
        left -= (uint32_t)list[i];
    snprintf(text, sizeof text,
             "count %zu of the list is %" PRIdPTR ", and of the %" PRIu32
             " compute units of in_device the counts before it leave %" PRIu32,
             good, list[good + 1], device->units.count, left);
    call_detail(text);
}

/* Reads the values of an offered scheme. *out_next: where the list must end; 0: it has ended. */
static cl_int take_values(const struct cl_device *device, const cl_device_partition_property *list,
                          struct partition_type *type, size_t *out_next)
{
    *out_next = 2;
    switch (type->scheme) {
    case SCHEME_EQUALLY: return take_equally(device, list[1], type);
    case SCHEME_BY_COUNTS: {
        enum partition_result result = subdevice_take_counts(device, list, core_value, type, out_next);
        if (result == PARTITION_BAD_COUNT)
            report_counts(device, list, type->count);
        *out_next = 0; /* one 0 may end both lists */
        return list_error(device, result, SITUATION_COUNTS_NONE, SITUATION_COUNTS_BAD);
    }
    case SCHEME_BY_NAMES:
        return list_error(device, subdevice_take_names(device, list, core_value, type, out_next),
                          SITUATION_NAMES_BAD, SITUATION_NAMES_BAD);
    case SCHEME_BY_AFFINITY: return take_domain(device, list[1], type);
    case SCHEME_BY_CSLICE: return list[1] ? answer(device, SITUATION_BAD_LIST) : CL_SUCCESS;
    case SCHEME_NONE:
    default: return answer(device, SITUATION_UNKNOWN_SCHEME);
    }
}

static bool offers_nothing(const struct cl_device *device)
{
    for (size_t i = 0; i < SCHEME_COUNT; i++)
        if (device_offers(device, schemes[i].scheme))
            return false;
    return true;
}

static cl_int take_list(const struct cl_device *device, const cl_device_partition_property *list,
                        struct partition_type *type)
{
    size_t end = 0;
    if (!list)
        return answer(device, SITUATION_NO_LIST);
    cl_int err = offers_nothing(device) ? answer(device, SITUATION_NO_SCHEME) : CL_SUCCESS;
    if (err)
        return err;
    type->scheme = scheme_of(list[0]);
    if (type->scheme == SCHEME_NONE)
        return answer(device, SITUATION_UNKNOWN_SCHEME);
    if (!device_offers(device, type->scheme)) {
        call_detail("in_device does not support this partition scheme: CL_DEVICE_PARTITION_PROPERTIES says "
                    "which ones it does");
        return answer(device, device_implements(device, type->scheme) ? SITUATION_TOO_SMALL
                                                                      : SITUATION_NOT_SUPPORTED);
    }
    err = take_values(device, list, type, &end);
    if (!err && end && list[end])
        err = answer(device, SITUATION_BAD_LIST);
    return err;
}

/* ---- the call ----------------------------------------------------------------------------------- */

static cl_int deliver(struct cl_device *device, const struct partition_type *type,
                      const struct partition *partition, cl_uint num_devices, cl_device_id *out_devices,
                      cl_uint *num_devices_ret)
{
    cl_int err = CL_SUCCESS;
    if (out_devices && num_devices < partition->count) {
        char text[120];
        snprintf(text, sizeof text,
                 "out_devices has room for %" PRIu32 ", and the partition makes %" PRIu32 " sub-devices",
                 num_devices, partition->count);
        call_detail(text);
        return answer(device, SITUATION_NO_ROOM);
    }
    if (out_devices)
        err = subdevice_make(device, type, partition, num_devices, out_devices);
    if (!err && num_devices_ret)
        *num_devices_ret = partition->count;
    return err;
}

static cl_int check_room(const struct cl_device *device, cl_uint num_devices, const cl_device_id *out_devices)
{
    if (out_devices && !num_devices)
        return answer(device, SITUATION_NO_ROOM);
    return !out_devices && num_devices ? answer(device, SITUATION_ROOM_FOR_NOTHING) : CL_SUCCESS;
}

static cl_int create(struct cl_device *device, const cl_device_partition_property *properties,
                     cl_uint num_devices, cl_device_id *out_devices, cl_uint *num_devices_ret)
{
    struct partition_type type = {0};
    struct partition partition = {0};
    cl_int err = check_room(device, num_devices, out_devices);
    if (!err)
        err = take_list(device, properties, &type);
    if (!err)
        err = list_error(device, subdevice_split(device, &type, &partition), SITUATION_DOMAIN_WHOLE,
                         SITUATION_COUNTS_BAD);
    if (!err)
        err = deliver(device, &type, &partition, num_devices, out_devices, num_devices_ret);
    partition_fini(&partition);
    subdevice_partition_type_fini(&type);
    return err;
}

/* ---- Intel's driver: the tiles, always the same ---------------------------------------------------- */

static bool wants_tiles(const cl_device_partition_property *list)
{
    const cl_device_affinity_domain any =
        CL_DEVICE_AFFINITY_DOMAIN_NUMA | CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE;
    if (!list || list[0] != CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN)
        return false;
    return list[1] && !((cl_device_affinity_domain)list[1] & ~any) && list[2] == 0;
}

/* The tiles are made once, and the device keeps them. */
static cl_int make_tiles(struct cl_device *device, cl_uint count)
{
    const struct partition_type type = {.scheme = SCHEME_BY_AFFINITY, .level = device_tile_level(device)};
    struct partition partition = {0};
    cl_device_id *made = calloc(count, sizeof *made);
    cl_int err = made ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    if (!err)
        err = list_error(device, partition_by_level(device->topology, &device->units, type.level, &partition),
                         SITUATION_DOMAIN_WHOLE, SITUATION_DOMAIN_WHOLE);
    if (!err)
        err = subdevice_make(device, &type, &partition, count, made);
    partition_fini(&partition);
    if (err) {
        free(made);
        return err;
    }
    for (cl_uint i = 0; i < count; i++) {
        object_ref(made[i]);
        object_release(made[i], OBJECT_DEVICE);
    }
    device->tiles = (struct cl_device **)made;
    device->tile_count = count;
    return CL_SUCCESS;
}

static cl_int create_tiles(struct cl_device *device, const cl_device_partition_property *properties,
                           cl_uint num_devices, cl_device_id *out_devices, cl_uint *num_devices_ret)
{
    cl_uint count = device_max_sub_devices(device);
    if (!count)
        return CL_DEVICE_PARTITION_FAILED;
    if (!wants_tiles(properties))
        return CL_INVALID_VALUE;
    if (num_devices_ret)
        *num_devices_ret = count;
    if (!out_devices)
        return CL_SUCCESS;
    if (num_devices < count)
        return CL_INVALID_VALUE;
    cl_int err = device->tiles ? CL_SUCCESS : make_tiles(device, count);
    for (cl_uint i = 0; i < count && !err; i++) {
        object_retain(device->tiles[i], OBJECT_DEVICE);
        out_devices[i] = (cl_device_id)device->tiles[i];
    }
    return err;
}

/* One call at a time, so that all calls return the same tiles. */
static cl_int create_tiles_once(struct cl_device *device, const cl_device_partition_property *properties,
                                cl_uint num_devices, cl_device_id *out_devices, cl_uint *num_devices_ret)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    cl_int err = create_tiles(device, properties, num_devices, out_devices, num_devices_ret);
    pthread_mutex_unlock(&lock);
    return err;
}

/* Partition by cslice is an extension of the simulator (cl_orrery_cslice.h), for each value of `errors`. */
static bool wants_cslices(const struct cl_device *device, const cl_device_partition_property *properties)
{
    return properties && properties[0] == CL_DEVICE_PARTITION_BY_CSLICE_ORRERY &&
           device_implements(device, SCHEME_BY_CSLICE);
}

cl_int CL_API_CALL api_clCreateSubDevices(cl_device_id in_device,
                                          const cl_device_partition_property *properties, cl_uint num_devices,
                                          cl_device_id *out_devices, cl_uint *num_devices_ret)
{
    struct cl_device *device = object_lookup(in_device, OBJECT_DEVICE);
    if (!device)
        return CL_INVALID_DEVICE;
    if (device->config->errors == ANSWERS_NEO && !wants_cslices(device, properties))
        return create_tiles_once(device, properties, num_devices, out_devices, num_devices_ret);
    return create(device, properties, num_devices, out_devices, num_devices_ret);
}
