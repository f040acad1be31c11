/* SPDX-License-Identifier: Apache-2.0 */
/* PURPOSE  printf of OpenCL C: one call of wave->host->print per active lane that may print, in lane order;
 * with NULL for the text when there is no memory for it. The result of each is 0, or -1 where it was not
 * printed. */
#ifndef ORRERY_SIM_INTERP_PRINTF_FORMAT_H
#define ORRERY_SIM_INTERP_PRINTF_FORMAT_H

#include "bytecode.h"
#include "wave.h"

void printf_lanes(const struct insn *insn, uint8_t *frame, struct wave *wave);

#endif
