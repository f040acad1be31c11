/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A root device or a part of one, named by a text: what `device` of a launch says.
 *
 *     path   N { . step }             root device, then a part of it, a part of that, ...
 *     step   I                        as in the device selector: cslice I of a tile, else next:I
 *            numa:I l4:I ... l1:I     the part with the I-th node that shares units with the device
 *            next:I cslice:I          of the next partitionable domain; of a tile's cslices
 *            equally(U):I             of parts with U units each
 *            counts(C,C,...):I        of parts with so many units
 *            names(U,U,...)           the units at these positions in the device
 *
 * Interface
 *   device_path_check   the text alone
 *   device_path_units   the root and its units, numbered in the whole machine
 *
 * Errors   BAD_SCENARIO; the text says at which character.
 */
#ifndef ORRERY_SIM_DEVICE_PATH_H
#define ORRERY_SIM_DEVICE_PATH_H

#include "orrery/scenario.h"

enum status device_path_check(const char *text, struct diagnosis *diagnosis);
/* out_units: unit_set_fini() frees it. */
enum status device_path_units(const struct scenario *scenario, const char *text, uint32_t *out_root,
                              struct unit_set *out_units, struct diagnosis *diagnosis);

#endif
