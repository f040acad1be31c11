/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Which texels a coordinate means, and how much of each: OpenCL 3.0 environment, image addressing
 *          and filtering. Floats only, in the order the text has, so that every machine gives the same bits.
 *
 * Interface
 *   texel_footprint_integer   the texel at integer coordinates
 *   texel_footprint_sample    the texels a sampler takes for float coordinates at one level
 *   sample_level        the level of detail of an explicit lod or gradients
 */
#ifndef ORRERY_INTERP_IMAGE_SAMPLE_H
#define ORRERY_INTERP_IMAGE_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "orrery/image.h"

struct texel_footprint {
    uint32_t count; /* 1, 2, 4 or 8 */
    /* may lie outside the level: the border, or nothing when the sampler has no border */
    int32_t texel[8][3];
    float weight[8];
    bool undefined; /* a coordinate is infinite or not a number */
};
/* coordinates: of the dimensions, then the layer. */
void texel_footprint_integer(const struct image_desc *image, uint32_t level, const struct sampler *sampler,
                             const int32_t *coordinate, struct texel_footprint *out);
void texel_footprint_sample(const struct image_desc *image, uint32_t level, const struct sampler *sampler,
                            const float *coordinate, struct texel_footprint *out);

/* Two levels and how much of the second; first == second when one suffices. */
struct sample_levels {
    uint32_t first, second;
    float fraction;
};
struct sample_levels sample_level(const struct image_desc *image, const struct sampler *sampler, float lod);
float sample_gradient_lod(const struct image_desc *image, const float dx[3], const float dy[3]);

bool sample_texel_inside(const struct image_level *level, const int32_t texel[3]);

#endif
