/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Two accesses of one launch that nothing which it did itself orders. Others may have: a kernel that
 *          ran meanwhile, one that it enqueued, or the host handed on what a work-group had released to
 *          another one (R11, R21, R32).
 */
#ifndef ORRERY_SIM_MEMMODEL_COMMON_ORDER_QUERY_H
#define ORRERY_SIM_MEMMODEL_COMMON_ORDER_QUERY_H

#include <stdbool.h>
#include <stdint.h>

/* Units and clock values are those of the launch's own order. */
struct order_query {
    int space; /* IN_GLOBAL and so on */
    uint64_t address;
    uint64_t earlier, clock; /* the unit, and its segment */
    uint64_t later;          /* the unit that acts now */
    uint64_t group_items;    /* of the launch's largest work-group */
};

/* True: the earlier comes before the later. NULL: there are no others. */
struct order_queries {
    void *self;
    bool (*is_ordered)(void *self, const struct order_query *query);
};

#endif
