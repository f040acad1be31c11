/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Which launches moved packets by which sides of pipes: of two that may run at the same time one
 *          side is for one alone (OpenCL 2.2 API, glossary, Pipe).
 *
 * Interface
 *   packets_note     a work-group moves some
 *   packets_forget   the launch can conflict with no other any more
 *   packets_fini
 */
#ifndef ORRERY_SIM_MEMMODEL_COMMANDS_PIPE_PACKETS_H
#define ORRERY_SIM_MEMMODEL_COMMANDS_PIPE_PACKETS_H

#include "orrery/device.h"
#include "orrery/memory.h"
#include "orrery/pipe.h"

struct packets_user {
    uint32_t launch;
    uint64_t side;
    bool writes, several; /* several work-groups did; or one alone: */
    uint64_t group;
    char object[120], argument[120]; /* ", argument 0 'p'"; or nothing */
    struct source_place place;       /* of the first; strings of the program */
};
struct packets {
    struct packets_user *users;
    uint32_t count, room;
    bool failed;
};

void packets_note(struct packets *packets, const struct memory *memory, const struct launch_info *launch,
                  const struct packets_use *use);
void packets_forget(struct packets *packets, uint32_t launch);
void packets_fini(struct packets *packets);

#endif
