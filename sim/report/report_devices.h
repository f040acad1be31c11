/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The names of the devices that a program has, for findings: once there are several, each access
 *          names its device.
 *
 * Interface
 *   report_devices_name     gives the device of a serial number a name, or a new one. NULL: it is gone
 *   report_devices_launch   notes which device runs a launch
 *   report_devices_of       the name for an access; NULL: none is needed. Borrowed until the next call
 */
#ifndef ORRERY_SIM_REPORT_REPORT_DEVICES_H
#define ORRERY_SIM_REPORT_REPORT_DEVICES_H

#include "orrery/report.h"

enum { LAUNCHES_KEPT = 512, DEVICE_NAME_CHARS = 120 };

struct named_device {
    uint32_t device;
    char name[DEVICE_NAME_CHARS];
};
struct report_devices {
    struct named_device *named;
    size_t count, room;
    bool several; /* there have been */
    struct {
        uint32_t launch, device;
    } ran[LAUNCHES_KEPT]; /* by the launch's number: the last of them */
};

void report_devices_fini(struct report_devices *devices);
void report_devices_name(struct report_devices *devices, uint32_t device, const char *name);
void report_devices_launch(struct report_devices *devices, uint32_t launch, uint32_t device);
const char *report_devices_of(const struct report_devices *devices, const struct finding *finding,
                              uint32_t index);

#endif
