/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Bytes of one buffer made with CL_MEM_USE_HOST_PTR that commands have written, and that no map has handed over: the
 *          host need not find them in its memory (OpenCL 2.2 API, 5.2.4: it has the latest bits once a map is complete).
 *          Counts from the start of the allocation.
 *
 * Interface
 *   unseen_write     a command wrote some
 *   unseen_map       `command` mapped them, or wrote them into the memory of the host: for whoever knows it to be complete
 *   unseen_forget    nothing is known of [low, high) any more: the host may have written there
 *   unseen_at        who wrote the byte; NULL: nobody, or it is handed over
 *   unseen_settle    drops what maps handed over that done() knows to be complete
 *   unseen_empty     nothing is left
 *
 * Memory   What cannot be kept is forgotten: less is told.
 */
#ifndef ORRERY_MEMMODEL_UNSEEN_H
#define ORRERY_MEMMODEL_UNSEEN_H

#include "byte_map.h"
#include "command_graph.h"
#include "footprint.h"

enum { UNSEEN_MOST = 8 };

struct unseen_part {
    struct byte_set bytes;
    struct byte_access writer;
    struct command_facts facts; /* the graph forgets it */
    uint32_t map;               /* 0: none yet */
};
struct unseen { struct unseen_part parts[UNSEEN_MOST]; uint32_t count; /* the latest last */ };

void unseen_fini(struct unseen *unseen);
void unseen_write(struct unseen *unseen, const struct byte_set *bytes, const struct byte_access *writer, const struct command_facts *facts);
void unseen_map(struct unseen *unseen, const struct byte_set *bytes, uint32_t command);
void unseen_forget(struct unseen *unseen, uint64_t low, uint64_t high);
const struct unseen_part *unseen_at(const struct unseen *unseen, uint64_t offset);
void unseen_settle(struct unseen *unseen, bool (*done)(const struct command_graph *graph, uint32_t command),
                   const struct command_graph *graph);
bool unseen_empty(const struct unseen *unseen);

#endif
