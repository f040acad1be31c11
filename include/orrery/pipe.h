/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A pipe in device memory: this header, its packets in a ring, a bit for each that was written. lib/
 *          lays it out, kernels work on it through the pipe functions alone (OpenCL 2.2 API, 5.4; OpenCL C
 *          2.0, 6.13.16).
 *
 * Counting  Packets are numbered from 0 for ever; number n lies in slot n % packet_count. Of each side,
 *           `next` is the first number that is not reserved, `done` the first that is not committed, so
 *           that read.done <= read.next <= write.done <= write.next <= read.done + packet_count.
 * Reserved  A reservation that is open, or closed after an open one, has a record. Commits take effect in the
 *           order of reservation.
 * Undefined A kernel reads and writes one pipe (user: the last launch of each side), leaves a reservation
 *           open (its record says which work-item made it), or reads a packet that was committed and not
 *           written: findings, see sim/interp/wave_pipe.c.
 */
#ifndef ORRERY_PIPE_H
#define ORRERY_PIPE_H

#include <stddef.h>
#include <stdint.h>

#include "orrery/observer.h"

enum { PIPE_RESERVATIONS = 256, PIPE_PACKET_BYTES_MAX = 1024 };

enum pipe_record_state { PIPE_FREE, PIPE_OPEN, PIPE_CLOSED };
struct pipe_record {
    uint64_t first;
    uint32_t count;
    uint16_t serial; /* part of the id, so that an old id is recognised */
    uint8_t state;
    uint8_t writes;
    uint32_t launch, site; /* of the function that made it */
    struct item item;
};
struct pipe_side {
    uint64_t next, done;
};
struct pipe_user {
    uint32_t launch;
    uint64_t group;
}; /* linear */
struct pipe {
    uint32_t packet_bytes, packet_count;
    struct pipe_side read, write;
    struct pipe_user user[2]; /* the last that read, wrote */
    uint32_t records;         /* in use */
    uint32_t serial;
    struct pipe_record record[PIPE_RESERVATIONS];
};

/* A work-item goes by a side. */
struct packets_use {
    uint64_t side; /* its address, of which one kernel at a time has the use */
    bool writes;
    bool other;  /* another launch was the last */
    bool others; /* another work-group was, or another launch */
    bool moves;  /* a packet, or tries to: no reservation, which may be its group's */
    uint32_t lane;
    uint64_t group;
    uint32_t site; /* as in struct origin */
};

static inline uint64_t pipe_bytes(uint32_t packet_bytes, uint32_t packet_count)
{
    return sizeof(struct pipe) + (uint64_t)packet_bytes * packet_count + (packet_count + 7) / 8;
}

#endif
