/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Devices made of devices: the schemes that a device offers, the meaning of a request, and the
 *          objects that it creates. Both calls that partition (clCreateSubDevices here, clCreateSubDevicesEXT
 *          in fission.c) read their list into a struct partition_type and share the rest.
 *
 * Interface
 *   device_report_name    gives the device's name to the report
 *   device_object_new     a root device (parent NULL) or a sub-device; takes the units; not published
 *   device_offers         the scheme can partition this device
 *   device_implements     the scheme can partition the device or one that it is a part of
 *   device_parts          the number of nodes of a level that share units with the device
 *   device_max_sub_devices
 *   subdevice_take_counts, subdevice_take_names   the values of a list, bounded by the units
 *   subdevice_split       the units of each part; replaces a request for the next domain by the level that
 *                         was used
 *   subdevice_make        makes the objects, and stores their handles in out_devices
 *
 * Ownership  A sub-device references its parent; contexts, queues and programs reference their devices. The
 *            handle of a sub-device is valid as long as any of them exists.
 */
#ifndef ORRERY_LIB_SUBDEVICE_H
#define ORRERY_LIB_SUBDEVICE_H
#include "object.h"

void device_report_name(const struct cl_device *device, struct report *report);
struct cl_device *device_object_new(struct device *device, const struct device_config *config,
                                    struct cl_device *parent, struct unit_set *units);

uint32_t device_parts(const struct cl_device *device, enum topology_level level);
bool device_has_level(const struct cl_device *device, enum topology_level level);
enum topology_level device_tile_level(const struct cl_device *device);
bool device_offers(const struct cl_device *device, enum partition_scheme scheme);
bool device_implements(const struct cl_device *device, enum partition_scheme scheme);
cl_uint device_max_sub_devices(const struct cl_device *device);
bool device_is_within(const struct cl_device *device, const struct cl_device *ancestor); /* or the same */

/* The value at an index of a list, in the form of either call. */
typedef int64_t list_value(const void *list, size_t index);
/* Read from list[1] on; *out_next is the index after the end mark. Reading stops at the first invalid value.
 * BAD_COUNT, BAD_VALUE, NO_MEMORY. */
enum partition_result subdevice_take_counts(const struct cl_device *device, const void *list,
                                            list_value *value, struct partition_type *type, size_t *out_next);
enum partition_result subdevice_take_names(const struct cl_device *device, const void *list,
                                           list_value *value, struct partition_type *type, size_t *out_next);

enum partition_result subdevice_split(const struct cl_device *device, struct partition_type *type,
                                      struct partition *out_partition);
/* Makes at most `room` devices; on CL_OUT_OF_HOST_MEMORY none. */
cl_int subdevice_make(struct cl_device *parent, const struct partition_type *type,
                      const struct partition *partition, cl_uint room, cl_device_id *out_devices);
/* Intel's driver: the device releases the tiles that it keeps. */
void subdevice_forget_tiles(struct cl_device *device);
void subdevice_partition_type_fini(struct partition_type *type);
#endif
