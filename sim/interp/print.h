/* SPDX-License-Identifier: Apache-2.0 */
/* PURPOSE  printf of OpenCL C: one call of wave->host->print per active lane, in lane order; with NULL for
 *          the text when there is no memory for it. */
#ifndef ORRERY_INTERP_PRINT_H
#define ORRERY_INTERP_PRINT_H

#include "program.h"
#include "wave.h"

void print_lanes(const struct insn *insn, const uint8_t *frame, struct wave *wave);

#endif
