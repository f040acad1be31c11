/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The iterations that the work-items of a wave are in, of the loops around a line.
 *
 * Interface
 *   iterations_line    a line begins in the wave
 *   iterations_clear   the wave begins another work-group, or is gone
 *   iterations_get     of the loops around the latest line, outermost first; the result counts them
 *
 * Ownership  The counts are the seen_wave's; without memory for them no iteration is known. Files are the
 *            program's.
 */
#ifndef ORRERY_DEBUG_ITERATIONS_H
#define ORRERY_DEBUG_ITERATIONS_H

#include "orrery/report.h"

struct seen_wave;
void iterations_line(struct seen_wave *seen, uint32_t line);
void iterations_clear(struct seen_wave *seen);
uint32_t iterations_get(const struct seen_wave *seen,
                        struct finding_iteration out_iterations[FINDING_LOOPS_MOST]);

#endif
