/* SPDX-License-Identifier: Apache-2.0 */
/* The size of a device's global memory: the sum of the NUMA nodes of its compute units. */
#include "device_info.h"

/* A sub-device has its root's memory (OpenCL 2.2 API, 4.2); with Intel's driver it has that of its own
 * units. */
static const struct cl_device *memory_owner(const struct cl_device *device)
{
    while (device->parent && device->config->errors != ANSWERS_NEO)
        device = device->parent;
    return device;
}

/* Units are sorted, and the units of a node are consecutive, so each node is counted once. */
static uint64_t bytes_of_nodes(const struct cl_device *device)
{
    const struct topology_node *last = NULL;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < device->units.count; i++) {
        const struct topology_node *node =
            topology_node_of(device->topology, device->units.units[i], TOPOLOGY_NUMA);
        bytes += node && node != last ? node->bytes : 0;
        last = node;
    }
    return bytes;
}

cl_ulong device_memory_bytes(const struct cl_device *device)
{
    const struct device_config *config = device->config;
    uint64_t bytes = config->stated_memory ? 0 : bytes_of_nodes(memory_owner(device));
    return bytes && bytes < config->global_memory ? bytes : config->global_memory;
}

cl_ulong device_max_allocation(const struct cl_device *device)
{
    const struct device_config *config = device->config;
    uint64_t bytes = device_memory_bytes(device);
    if (bytes == config->global_memory)
        return config->max_allocation;
    uint64_t usual = config->stated_allocation ? config->max_allocation : scenario_default_allocation(bytes);
    return usual < bytes ? usual : bytes;
}
