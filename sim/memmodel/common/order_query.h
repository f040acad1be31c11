/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A query to other launches about two accesses of one launch that its own order leaves unordered.
 *          They may be ordered all the same: by atomics of a kernel that ran meanwhile, of one that the
 *          launch enqueued, or because the host passed a release of one work-group on to another (R11, R21,
 *          R32). launches/ answers it.
 */
#ifndef ORRERY_SIM_MEMMODEL_COMMON_ORDER_QUERY_H
#define ORRERY_SIM_MEMMODEL_COMMON_ORDER_QUERY_H

#include <stdbool.h>
#include <stdint.h>

/* Units and clock values are of the launch's own order. */
struct order_query {
    int space; /* IN_GLOBAL, IN_LOCAL or IN_IMAGE */
    uint64_t address;
    uint64_t earlier, clock; /* the earlier access's unit and clock value */
    uint64_t later;          /* the unit of the later access, which is done now */
    uint64_t group_items;    /* work-items of the launch's largest work-group */
};

/* self and is_ordered are NULL if no other launch is checked. is_ordered: does the earlier access happen
 * before the later one? */
struct order_queries {
    void *self;
    bool (*is_ordered)(void *self, const struct order_query *query);
};

#endif
