/* SPDX-License-Identifier: Apache-2.0 */
/* The sync log: an array that grows up to SYNC_LOG_MOST operations. */
#include "sync_log.h"

#include <stdlib.h>

#include "orrery/checked.h"
#include "sim/memmodel/common/room.h"

/* The log serves explanations and decides no race, so running out of memory is the same as being full. */
struct sync_op *sync_log_add(struct sync_log *sync_log, const struct sync_op *sync_op)
{
    sync_log->full = sync_log->full || sync_log->count == SYNC_LOG_MOST ||
                     !room_for_one((void **)&sync_log->items, sync_log->count, &sync_log->room, 16,
                                   sizeof *sync_log->items);
    if (sync_log->full)
        return NULL;
    sync_log->items[sync_log->count] = *sync_op;
    CHECKED(sync_log->count < sync_log->room && sync_op->kind <= SYNC_OP_FOREIGN_WRITE);
    return &sync_log->items[sync_log->count++];
}

void sync_log_value(struct sync_log *sync_log, uint64_t unit, uint64_t address,
                    const struct lane_values *values)
{
    struct sync_op *latest = sync_log->count ? &sync_log->items[sync_log->count - 1] : NULL;
    if (!latest || sync_log->full)
        return;
    const bool is_it = latest->kind == SYNC_OP_ATOMIC && latest->by == unit && latest->address == address,
               has_values = latest->values.has_read || latest->values.has_written;
    if (is_it && !has_values)
        latest->values = *values;
}

void sync_log_clear(struct sync_log *sync_log)
{
    sync_log->count = 0;
    sync_log->full = sync_log->forgone;
}

void sync_log_fini(struct sync_log *sync_log)
{
    free(sync_log->items);
    *sync_log = (struct sync_log){.items = NULL};
}

void sync_log_check(const struct sync_log *sync_log)
{
    CHECKED(sync_log->count <= sync_log->room && sync_log->room <= SYNC_LOG_MOST);
    CHECKED(sync_log->full || !sync_log->forgone);
    for (uint32_t i = 0; i < sync_log->count; i++) {
        const struct sync_op *sync_op = &sync_log->items[i];
        CHECKED(sync_op->kind <= SYNC_OP_FOREIGN_WRITE);
        CHECKED(sync_op->scope <= SCOPE_ALL_SVM && sync_op->order <= ORDER_SEQ_CST);
        CHECKED(sync_op->kind != SYNC_OP_ATOMIC || sync_op->reads || sync_op->writes);
        CHECKED(sync_op->kind == SYNC_OP_ATOMIC || !sync_op->success);
    }
}
