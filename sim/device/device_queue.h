/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The device queues of a device: to which root and units each belongs, and how full it is. A queue_t
 *          is the number that device_queue_new gives out, never used again.
 *
 * Interface  device_queue_new and _free of orrery/device.h, and for device_enqueue.c:
 *   device_queue_describe what a command of the queue runs on: the queue may go before the command does
 *   device_queue_take     room for a command
 *   device_queue_give     the room back
 *   device_queue_events   one event more or less
 *
 * Threads  Every function from any thread.
 */
#ifndef ORRERY_SIM_DEVICE_DEVICE_QUEUE_H
#define ORRERY_SIM_DEVICE_DEVICE_QUEUE_H

#include <pthread.h>

#include "orrery/device.h"

struct device_queue {
    uint32_t number;                  /* 0: free */
    struct device_queue_request made; /* compute_units: owned */
    uint64_t used_bytes;
    uint32_t events; /* in use */
};

struct device_queues {
    pthread_mutex_t lock; /* guards what follows */
    struct device_queue *items;
    uint32_t count, next_number;
};

void device_queues_init(struct device_queues *queues);
void device_queues_fini(struct device_queues *queues);

/* The properties that the queue was made with, its units a copy for the caller to free. NOT_FOUND,
 * OUT_OF_MEMORY. */
enum status device_queue_describe(struct device_queues *queues, uint64_t number,
                                  struct device_queue_request *out_made);
bool device_queue_take(struct device_queues *queues, uint64_t number, uint64_t bytes);
void device_queue_give(struct device_queues *queues, uint64_t number, uint64_t bytes);
/* change: +1 or -1; false: there are as many as a queue can have. */
bool device_queue_events(struct device_queues *queues, uint64_t number, int change);

#endif
