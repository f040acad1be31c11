/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Names of objects for findings and pages: functions of the launch, never of addresses.
 *
 * Interface
 *   object_name                  "argument 0 'data' (buffer, 64 bytes)" of a region, in this launch
 *   object_name_image            the same of an image, "(image2d_t, 4 x 4)"
 *   object_name_part             the same of an argument that is a sub-buffer, with its place in the buffer
 *   object_words                 the words of a page on an object
 *   object_argument, object_may_be_written   struct launch_info's argument and may_write
 *   object_elements              the elements of a buffer or local variable, as the kernel sees it
 */
#ifndef ORRERY_SIM_DEVICE_OBJECT_NAME_H
#define ORRERY_SIM_DEVICE_OBJECT_NAME_H

#include "launch.h"
#include "sim/base/sentence.h"

void object_name_image(const struct launch *launch, const struct image_desc *image,
                       struct sentence *out_name);
void object_name_part(const struct launch *launch, uint32_t argument, struct sentence *out_name);
bool object_argument(const struct launch_info *info, uint64_t low, uint64_t high, char *out_name,
                     size_t size);
bool object_may_be_written(const struct launch_info *info, uint64_t low, uint64_t high);
/* The index of the argument that points to the region (a buffer or local memory), and the address it points
 * to; -1: none. */
int32_t object_argument_index(const struct launch *launch, const struct region *region, uint64_t *out_low);
/* The elements of the region's object, and where they begin; name NULL: unknown. */
struct elements object_elements(const struct launch *launch, const struct region *region, uint64_t *out_low);
/* without the name of the function that declares it */
const char *object_plain_name(const struct region *region);
void object_name(const struct launch *launch, const struct region *region, struct sentence *out_name);
/* An object as a page shows it: "argument 0 'a'", "a", and its elements, the first of them at an offset.
 * name and elements.name NULL: unknown. Valid during the launch. */
struct object_words {
    struct sentence label;
    const char *name;
    struct elements elements;
    uint64_t first_offset;
};
void object_words(const struct launch_info *info, const struct region *region,
                  struct object_words *out_words);

#endif
