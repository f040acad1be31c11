/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Arguments of a scenario's launches that are images or samplers.
 *
 * Interface
 *   scenario_image_describe      the descriptor that a kernel gets of an image at an address; its texels
 *                                have no padding; id names it in findings
 *   scenario_image_print, scenario_sampler_print   as a scenario has them
 *
 * Text     OpenCL 3.0 API, 5.3.1.1 image format descriptor, 5.7 sampler objects.
 */
#ifndef ORRERY_SIM_SCENARIO_SCENARIO_IMAGE_H
#define ORRERY_SIM_SCENARIO_SCENARIO_IMAGE_H

#include "orrery/image.h"
#include "orrery/scenario.h"

void scenario_image_describe(const struct scenario_image *image, uint64_t address, uint32_t id,
                             struct image_desc *out_desc);
void scenario_image_print(const struct scenario_image *image, FILE *stream);
void scenario_sampler_print(uint64_t sampler, FILE *stream);

#endif
