/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What the buffer commands share: ranges, the CL_MEM_HOST_* flags, the device.
 */
#ifndef ORRERY_LIB_TRANSFER_H
#define ORRERY_LIB_TRANSFER_H
#include "queue.h"

bool range_inside(size_t offset, size_t size, size_t whole); /* no overflow */
cl_int host_may_read(const struct memobj *memobj);           /* CL_INVALID_OPERATION */
cl_int host_may_write(const struct memobj *memobj);
/* Of a rectangle of memory at `below` and its other side at `host`: are they the same bytes, in place? Do
 * they share some? */
bool rect_in_place(const struct rect *rect, uint64_t below, uint64_t host);
bool rect_meets_itself(const struct rect *rect, uint64_t below, uint64_t host);
struct device *command_device(const struct command *command);
#endif
