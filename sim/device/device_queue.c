/* SPDX-License-Identifier: Apache-2.0 */
/* Device queues: a table of numbers, with size and events of each. */
#include "device_queue.h"

#include <stdlib.h>
#include <string.h>

#include "device_state.h"

void device_queues_init(struct device_queues *queues)
{
    *queues = (struct device_queues){0};
    pthread_mutex_init(&queues->lock, NULL);
}

static void queue_clear(struct device_queue *queue)
{
    free((void *)(uintptr_t)queue->made.compute_units);
    *queue = (struct device_queue){0};
}

void device_queues_fini(struct device_queues *queues)
{
    for (uint32_t i = 0; i < queues->count; i++)
        queue_clear(&queues->items[i]);
    free(queues->items);
    pthread_mutex_destroy(&queues->lock);
}

static struct device_queue *find(const struct device_queues *queues, uint64_t number)
{
    for (uint32_t i = 0; number && i < queues->count; i++)
        if (queues->items[i].number == number)
            return &queues->items[i];
    return NULL;
}

static struct device_queue *unused(struct device_queues *queues)
{
    for (uint32_t i = 0; i < queues->count; i++)
        if (!queues->items[i].number)
            return &queues->items[i];
    struct device_queue *items = realloc(queues->items, (queues->count + 1) * sizeof *items);
    if (!items)
        return NULL;
    queues->items = items;
    items[queues->count] = (struct device_queue){0};
    return &items[queues->count++];
}

static bool copy_units(struct device_queue_request *made)
{
    size_t size = made->compute_unit_count * sizeof *made->compute_units;
    uint32_t *units = size ? malloc(size) : NULL;
    if (units)
        memcpy(units, made->compute_units, size);
    made->compute_units = units;
    return units || !size;
}

enum status device_queue_new(struct device *device, const struct device_queue_request *request,
                             uint32_t *out_queue)
{
    struct device_queues *queues = &device->queues;
    struct device_queue_request made = *request;
    if (!copy_units(&made))
        return STATUS_OUT_OF_MEMORY;
    pthread_mutex_lock(&queues->lock);
    struct device_queue *queue = unused(queues);
    if (queue)
        *queue = (struct device_queue){.number = *out_queue = ++queues->next_number, .made = made};
    pthread_mutex_unlock(&queues->lock);
    if (!queue)
        free((void *)(uintptr_t)made.compute_units);
    return queue ? STATUS_OK : STATUS_OUT_OF_MEMORY;
}

void device_queue_free(struct device *device, uint32_t number)
{
    struct device_queues *queues = &device->queues;
    pthread_mutex_lock(&queues->lock);
    struct device_queue *queue = find(queues, number);
    if (queue)
        queue_clear(queue);
    pthread_mutex_unlock(&queues->lock);
}

enum status device_queue_describe(struct device_queues *queues, uint64_t number,
                                  struct device_queue_request *out_made)
{
    pthread_mutex_lock(&queues->lock);
    const struct device_queue *queue = find(queues, number);
    bool copied = queue && (*out_made = queue->made, copy_units(out_made));
    pthread_mutex_unlock(&queues->lock);
    return !queue ? STATUS_NOT_FOUND : copied ? STATUS_OK : STATUS_OUT_OF_MEMORY;
}

bool device_queue_take(struct device_queues *queues, uint64_t number, uint64_t bytes)
{
    pthread_mutex_lock(&queues->lock);
    struct device_queue *queue = find(queues, number);
    bool room = queue && bytes <= queue->made.size_bytes - queue->used_bytes;
    if (room)
        queue->used_bytes += bytes;
    pthread_mutex_unlock(&queues->lock);
    return room;
}

void device_queue_give(struct device_queues *queues, uint64_t number, uint64_t bytes)
{
    pthread_mutex_lock(&queues->lock);
    struct device_queue *queue = find(queues, number);
    if (queue)
        queue->used_bytes -= bytes;
    pthread_mutex_unlock(&queues->lock);
}

bool device_queue_events(struct device_queues *queues, uint64_t number, int change)
{
    pthread_mutex_lock(&queues->lock);
    struct device_queue *queue = find(queues, number);
    bool fits = queue && (change < 0 || queue->events < DEVICE_QUEUE_EVENTS);
    if (fits)
        queue->events = (uint32_t)((int)queue->events + change);
    pthread_mutex_unlock(&queues->lock);
    return fits;
}
