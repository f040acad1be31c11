/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What a kernel leaves after in the pipes that are its arguments: findings about reservations that
 *          it did not commit (OpenCL C 2.0, 6.13.16, Restrictions).
 *
 * Interface
 *   pipe_end   when the launch is over, and its arguments are still there
 */
#ifndef ORRERY_SIM_DEVICE_PIPE_END_H
#define ORRERY_SIM_DEVICE_PIPE_END_H
#include "launch.h"

void pipe_end(struct launch *launch);
#endif
