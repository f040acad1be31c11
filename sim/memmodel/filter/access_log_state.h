/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The form of the access log's records: for access_log.c, which writes and reads them, and for
 *          access_log_thin.c, which removes redundant ones.
 */
#ifndef ORRERY_SIM_MEMMODEL_FILTER_ACCESS_LOG_STATE_H
#define ORRERY_SIM_MEMMODEL_FILTER_ACCESS_LOG_STATE_H

#include "sim/memmodel/common/lane_mask.h"
#include "access_log.h"

enum record_shape { RECORD_UNITS, RECORD_AFFINE, RECORD_LIST };

/* RECORD_UNITS: the units of a wave, for all accesses up to the next such record. The others are an access
 * each. After the struct there follow: of units that do not ascend by one, each lane's distance from the
 * first; of RECORD_LIST the offsets of active lanes. */
struct log_record {
    uint32_t bytes, site, size, row;
    uint8_t shape, kind, order, scope;
    bool in_a_row;
    uint32_t count;       /* of offsets */
    uint64_t clock, base; /* base: the offset of lane 0; of RECORD_UNITS its unit */
    int64_t step_x, step_y;
    uint64_t mask[LANE_MASK_WORDS];
};

/* Of a RECORD_UNITS. unit: NULL if they ascend by one, else each lane's distance from the first. */
struct logged_units {
    uint64_t first;
    const uint32_t *unit;
};

/* Rounded up, so that each record begins at a multiple of eight bytes. */
static inline size_t record_list_bytes(uint32_t count)
{
    return (count + 1) / 2 * 2 * sizeof(uint32_t);
}

/* Removes redundant reads. True: a quarter of the log or more is free now. The latest RECORD_UNITS stays. */
bool access_log_thin(struct access_log *access_log);

#endif
