/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Which launches moved packets through which end of a pipe, the reading or the writing one. Of
 *          kernels that may run at the same time only one may use an end (OpenCL 2.2 API, glossary, Pipe).
 *
 * Interface
 *   packets_note     a work-group of a launch uses an end. False: out of memory
 *   packets_forget   the launch cannot conflict with others any more
 */
#ifndef ORRERY_SIM_MEMMODEL_COMMANDS_PIPE_PACKETS_H
#define ORRERY_SIM_MEMMODEL_COMMANDS_PIPE_PACKETS_H

#include "orrery/device.h"
#include "orrery/memory.h"
#include "orrery/pipe.h"
#include "sim/memmodel/common/launch_names.h"
#include "sim/memmodel/common/list.h"

struct packets_user {
    uint32_t launch;
    uint64_t side; /* the end of the pipe, as an address */
    bool writes;   /* it is the writing end */
    bool several;  /* several work-groups used it; else `group` alone */
    uint64_t group;
    char object[120], argument[ARGUMENT_CHARS + 2]; /* ", argument 0 'p'"; or nothing */
    struct source_place place;                      /* of the first use; its strings belong to the program */
};
struct packets {
    LIST(struct packets_user) users;
};

bool packets_note(struct packets *packets, const struct memory *memory, const struct launch_info *launch,
                  const struct packets_use *use);
void packets_forget(struct packets *packets, uint32_t launch);
void packets_fini(struct packets *packets);

#endif
