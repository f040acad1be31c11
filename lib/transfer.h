/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Checks that the commands on buffers, images and maps share.
 */
#ifndef ORRERY_LIB_TRANSFER_H
#define ORRERY_LIB_TRANSFER_H
#include "queue.h"

bool transfer_range_inside(size_t offset, size_t size, size_t whole); /* offset + size may overflow */
/* The same, and what leaves the buffer becomes the call's detail (call.h). */
bool transfer_inside_buffer(const struct memobj *buffer, size_t offset, size_t size);
cl_int
transfer_host_may_read(const struct memobj *memobj); /* CL_INVALID_OPERATION by the CL_MEM_HOST_* flags */
cl_int transfer_host_may_write(const struct memobj *memobj);
/* A rectangle of host memory at `below`, which a buffer was made with, and its other side at `host`: all
 * rows are at the same addresses; some bytes are on both sides. */
bool transfer_rect_in_place(const struct rect *rect, uint64_t below, uint64_t host);
bool transfer_rect_overlaps_itself(const struct rect *rect, uint64_t below, uint64_t host);
#endif
