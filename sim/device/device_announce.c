/* SPDX-License-Identifier: Apache-2.0 */
/* Forwards each event to all observers, in the order in which they were added. Without observers of a kind
 * the merged observer has none, so that waves need not make its events. */

#include "orrery/checked.h"
#include "device_state.h"

static void fan_access(void *self, const struct access_event *event)
{
    struct device *device = self;
    for (uint32_t i = 0; i < device->observer_count; i++)
        if (device->observers[i].access)
            device->observers[i].access(device->observers[i].self, event);
}

static void fan_before(void *self)
{
    struct device *device = self;
    for (uint32_t i = 0; i < device->observer_count; i++)
        if (device->observers[i].before)
            device->observers[i].before(device->observers[i].self);
}

/* Some observer wants this kind of event. */
static void pass_access(void *self, const struct access_event *event)
{
    const struct observer *listener = ((const struct device *)self)->listener;
    listener->access(listener->self, event);
}

static void pass_sync(void *self, const struct sync_event *event)
{
    const struct observer *listener = ((const struct device *)self)->sync_listener;
    listener->sync(listener->self, event);
}

static void fan_sync(void *self, const struct sync_event *event)
{
    struct device *device = self;
    for (uint32_t i = 0; i < device->observer_count; i++)
        if (device->observers[i].sync)
            device->observers[i].sync(device->observers[i].self, event);
}

static void fan_command(void *self, const struct command_event *event)
{
    struct device *device = self;
    for (uint32_t i = 0; i < device->observer_count; i++)
        if (device->observers[i].command)
            device->observers[i].command(device->observers[i].self, event);
}

static void fan_launch(void *self, const struct launch_event *event)
{
    struct device *device = self;
    for (uint32_t i = 0; i < device->observer_count; i++)
        if (device->observers[i].launch)
            device->observers[i].launch(device->observers[i].self, event);
}

static void fan_order(void *self, const struct order_event *event)
{
    struct device *device = self;
    for (uint32_t i = 0; i < device->observer_count; i++)
        if (device->observers[i].order)
            device->observers[i].order(device->observers[i].self, event);
}

static void fan_slice(void *self, const struct slice_event *event)
{
    struct device *device = self;
    for (uint32_t i = 0; i < device->observer_count; i++)
        if (device->observers[i].slice)
            device->observers[i].slice(device->observers[i].self, event);
}

/* A single observer is called directly; several through the merged one, which wants what any of them
 * wants. */
static void merge_observers(struct device *device)
{
    struct observer *merged = &device->merged;
    *merged = device->observers[0];
    if (device->observer_count == 1)
        return;
    *merged = (struct observer){.self = device};
    for (uint32_t i = 0; i < device->observer_count; i++) {
        if (device->observers[i].access) {
            merged->access = merged->access ? fan_access : pass_access;
            device->listener = &device->observers[i];
        }
        if (device->observers[i].sync) {
            merged->sync = merged->sync ? fan_sync : pass_sync;
            device->sync_listener = &device->observers[i];
        }
        merged->before = device->observers[i].before ? fan_before : merged->before;
        merged->command = device->observers[i].command ? fan_command : merged->command;
        merged->launch = device->observers[i].launch ? fan_launch : merged->launch;
        merged->order = device->observers[i].order ? fan_order : merged->order;
        merged->slice = device->observers[i].slice ? fan_slice : merged->slice;
    }
}

void device_add_observer(struct device *device, const struct observer *observer)
{
    CHECKED(device->observer_count < DEVICE_OBSERVERS);
    device->observers[device->observer_count++] = *observer;
    merge_observers(device);
}

void device_change_observer(struct device *device, const struct observer *observer)
{
    for (uint32_t i = 0; i < device->observer_count; i++)
        if (device->observers[i].self == observer->self)
            device->observers[i] = *observer;
    device->listener = device->sync_listener = NULL;
    merge_observers(device);
}

/* The only observer that wants events of waves; NULL: none or several. */
static const struct observer *only_listener(const struct device *device)
{
    const struct observer *merged = &device->merged;
    if (device->observer_count == 1)
        return merged;
    return merged->access == pass_access && merged->sync == pass_sync &&
                   device->listener == device->sync_listener
               ? device->listener
               : NULL;
}

const struct observer *device_wave_observer(const struct device *device, const struct launch_info *launch)
{
    const struct observer *listener = only_listener(device);
    const struct observer *own =
        listener && listener->for_launch ? listener->for_launch(listener->self, launch) : NULL;
    return own ? own : listener ? listener : &device->merged;
}

const struct observer *device_observer(const struct device *device)
{
    return device->observer_count ? &device->merged : NULL;
}

bool device_observes_order(const struct device *device)
{
    return device->merged.order != NULL;
}

void device_order(struct device *device, const struct order_event *event)
{
    if (!device->merged.order)
        return;
    pthread_mutex_lock(&device->order_lock);
    device->merged.order(device->merged.self, event);
    pthread_mutex_unlock(&device->order_lock);
}

void device_host_access(struct device *device, const struct host_access *access)
{
    if (device->commands)
        commands_host_access(device->commands, access);
}

void device_host_wrote(struct device *device, uint32_t command, uint64_t address, uint64_t size)
{
    if (device->commands)
        commands_host_wrote(device->commands, command, address, size);
}

void device_host_stored(struct device *device, uint64_t address, uint64_t size, bool ran)
{
    if (device->commands)
        commands_host_stored(device->commands, address, size, ran);
}

void device_host_touched(struct device *device, const struct host_access *access)
{
    if (device->commands)
        commands_host_touched(device->commands, access);
}

void device_storage(struct device *device, uint64_t address, uint64_t size, const void *host)
{
    if (device->commands)
        commands_storage(device->commands, address, size, host);
}

void device_mirror(struct device *device, uint64_t address, const void *host)
{
    if (device->commands)
        commands_mirror(device->commands, address, host);
}

bool device_unseen(struct device *device, uint64_t address)
{
    return device->commands && commands_device_dirty(device->commands, address);
}

bool device_under_way(struct device *device)
{
    return device->commands && commands_under_way(device->commands);
}

bool device_host_is_after(struct device *device, uint32_t command)
{
    return !device->commands || commands_host_is_after(device->commands, command);
}

bool device_host_reported(struct device *device, uint32_t command)
{
    return !device->commands || commands_host_reported(device->commands, command);
}

void device_announce(struct device *device, const struct command_event *event)
{
    if (device->merged.command && event->size_bytes)
        device->merged.command(device->merged.self, event);
}

void device_announce_command(struct device *device, uint32_t command, enum access_kind kind, uint64_t address,
                             size_t size, enum command_role role)
{
    device_announce(
        device, &(struct command_event){
                    .command = command, .kind = kind, .address = address, .size_bytes = size, .role = role});
}

void device_announce_host(struct device *device, uint32_t command, enum access_kind kind, const void *pointer,
                          size_t size)
{
    device_announce(device, &(struct command_event){.command = command,
                                                    .kind = kind,
                                                    .address = (uint64_t)(uintptr_t)pointer,
                                                    .size_bytes = size,
                                                    .by_pointer = true});
}
