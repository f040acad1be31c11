/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Images as memory objects: their descriptors, and the places of their regions.
 *
 * Interface
 *   image_place        checks origin and region of a command, and gives their place in the image's bytes
 */
#ifndef ORRERY_LIB_API_IMAGE_H
#define ORRERY_LIB_API_IMAGE_H
#include "object.h"

/* Slices are planes of a volume or layers of an array; the rows of a 1D array are its layers. */
struct image_place {
    size_t offset, region[3], pitch[2];
};
/* CL_INVALID_VALUE, CL_INVALID_MIP_LEVEL */
cl_int image_place(const struct memobj *memobj, const size_t *origin, const size_t *region,
                   struct image_place *out_place);
#endif
