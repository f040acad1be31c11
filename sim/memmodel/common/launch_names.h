/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What findings name of a launch: places of instructions and arguments, also after its end.
 *
 * Interface
 *   launch_names_place      where an instruction stands; all zeros: the launch has no program. The texts
 *                           belong to the program
 *   launch_names_argument   "argument 0 'data'", by which the launch has the memory from low to high; NULL:
 *                           not known
 *   launch_names_keep       makes the place own copies of its texts. False: out of memory, and it has none
 *   launch_names_free       frees these copies
 */
#ifndef ORRERY_SIM_MEMMODEL_COMMON_LAUNCH_NAMES_H
#define ORRERY_SIM_MEMMODEL_COMMON_LAUNCH_NAMES_H

#include "orrery/device.h"

enum { ARGUMENT_CHARS = 120 };

struct source_place launch_names_place(const struct launch_info *launch, uint32_t site);
const char *launch_names_argument(const struct launch_info *launch, uint64_t low, uint64_t high,
                                  char out[ARGUMENT_CHARS]);
bool launch_names_keep(struct source_place *place);
void launch_names_free(struct source_place *place);

#endif
