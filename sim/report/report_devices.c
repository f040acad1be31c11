/* SPDX-License-Identifier: Apache-2.0 */
/* Names of devices, which findings have once the program has had several. Launches are kept in a ring by
 * their number. */
#include "report_devices.h"

#include <stdlib.h>

void report_devices_fini(struct report_devices *devices)
{
    free(devices->named);
    *devices = (struct report_devices){.named = NULL};
}

static struct named_device *find(const struct report_devices *devices, uint32_t device)
{
    for (size_t i = 0; i < devices->count; i++)
        if (devices->named[i].device == device)
            return &devices->named[i];
    return NULL;
}

static struct named_device *add(struct report_devices *devices, uint32_t device)
{
    if (devices->count == devices->room) {
        size_t room = 2 * devices->room + 4;
        struct named_device *grown = realloc(devices->named, room * sizeof *grown);
        if (!grown)
            return NULL; /* out of memory: the access is reported without its device */
        devices->named = grown;
        devices->room = room;
    }
    devices->named[devices->count].device = device;
    return &devices->named[devices->count++];
}

void report_devices_name(struct report_devices *devices, uint32_t device, const char *name)
{
    struct named_device *named = find(devices, device);
    if (!name && named)
        *named = devices->named[--devices->count];
    if (!name)
        return;
    named = named ? named : add(devices, device);
    if (named)
        snprintf(named->name, sizeof named->name, "%s", name);
    devices->several |= devices->count > 1;
}

void report_devices_launch(struct report_devices *devices, uint32_t launch, uint32_t device)
{
    devices->ran[launch % LAUNCHES_KEPT].launch = launch;
    devices->ran[launch % LAUNCHES_KEPT].device = device;
}

const char *report_devices_of(const struct report_devices *devices, const struct finding *finding,
                              uint32_t index)
{
    const struct finding_access *access = &finding->access[index];
    uint32_t device = access->device_id;
    const uint32_t at = finding->launch % LAUNCHES_KEPT;
    if (!devices->several)
        return NULL;
    if (!device && access->has_item && finding->launch && devices->ran[at].launch == finding->launch)
        device = devices->ran[at].device;
    const struct named_device *named = device ? find(devices, device) : NULL;
    return named ? named->name : NULL;
}
