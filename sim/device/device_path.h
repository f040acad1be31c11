/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A root device or a part of one, named by a text: `device` of a launch.
 *
 *     path     N { . I } { / step }     root device, parts as in the device selector, further ones
 *     I        cslice I of a tile; of anything else part I in the next partitionable domain
 *     step     scheme [ @ I ]            part I, usually 0
 *     scheme   equally:U   counts:C,C,...   names:U,U,...   next   LEVEL
 *
 * Interface
 *   device_path_check   the text alone
 *   device_path_units   the root and its units, numbered in the whole machine
 *
 * Errors   BAD_SCENARIO; the text names the character.
 */
#ifndef ORRERY_SIM_DEVICE_DEVICE_PATH_H
#define ORRERY_SIM_DEVICE_DEVICE_PATH_H

#include "orrery/scenario.h"

enum status device_path_check(const char *text, struct diagnosis *diagnosis);
/* out_units: unit_set_fini() frees it. */
enum status device_path_units(const struct scenario *scenario, const char *text, uint32_t *out_root,
                              struct unit_set *out_units, struct diagnosis *diagnosis);

#endif
