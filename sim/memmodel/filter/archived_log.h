/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What a launch did to an allocation, out of the way of the next one: the lines of its affine
 *          filter, which are few however many bytes they stand for. Bytes are made of them when somebody
 *          comes who may not know the launch.
 *
 * Interface
 *   retired_new   copies the lines; the keeper drops itself. NULL: no memory
 */
#ifndef ORRERY_SIM_MEMMODEL_FILTER_ARCHIVED_LOG_H
#define ORRERY_SIM_MEMMODEL_FILTER_ARCHIVED_LOG_H

#include "affine_filter.h"

struct footprint_keeper *retired_new(const struct affine_filter *affine_filter, uint32_t region_id,
                                     uint64_t low);

#endif
