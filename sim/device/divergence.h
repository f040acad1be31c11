/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The finding when not every work-item reached the same barrier or collective: the work-items that
 *          wait here, that wait elsewhere, that have returned. When none is missing and all wait at barriers,
 *          it is barrier-mismatch and names them all.
 */
#ifndef ORRERY_SIM_DEVICE_DIVERGENCE_H
#define ORRERY_SIM_DEVICE_DIVERGENCE_H

#include "group.h"

enum { DIVERGENCE_WORK_GROUP = 0x7fffffff };

/* waiting: indices of the waves at one place; sub_group: number within the work-group,
 * or DIVERGENCE_WORK_GROUP. */
void divergence_report(struct group *group, const uint32_t *waiting, uint32_t count, uint32_t sub_group);

/* A named barrier: of the sub-groups it is for so many have come, each as a whole. */
void divergence_report_named(struct group *group, uint32_t waiting, uint32_t come, uint32_t wanted);

/* An asynchronous copy that not all work-items reached, or not as often: at the end of the group. */
void divergence_report_copy(struct group *group, const struct copy_reached *copy);

#endif
