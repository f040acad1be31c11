/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The form of image instructions for lowering, emission and the handlers.
 *
 * Operands of OP_image_read and OP_image_write, from code->operands[d]: read has five result slots before
 * them (components, then the mask of lanes that read uninitialised bytes; IMAGE_UNUSED when one is not used)
 * and the number of its poison_source; write has the four components. Then coordinates, level of detail, two
 * gradients of three: all V.
 *
 * Interface
 *   image_read_lanes, image_write_lanes   a whole instruction, whatever format, sampler and lane
 */
#ifndef ORRERY_INTERP_IMAGE_OP_H
#define ORRERY_INTERP_IMAGE_OP_H

#include "orrery/image.h"
#include "bytecode.h"
#include "wave.h"

enum { IMAGE_OPERANDS_MAX = 4 + 3 + 1 + 6, IMAGE_RESULTS = 5, IMAGE_TEXEL_COMPONENTS = 4 };
/* Of a read: the operand that is the source, and how many stand before the coordinates. */
enum { IMAGE_READ_SOURCE = IMAGE_RESULTS, IMAGE_READ_BEFORE };
#define IMAGE_UNUSED UINT32_MAX

/* Of imm and insn->f: the number of coordinates, then flags. */
enum {
    IMAGE_OP_COORDINATES = 7,
    IMAGE_OP_FLOAT = 1 << 4, /* coordinates are float */
    IMAGE_OP_F32 = 0,        /* texels */
    IMAGE_OP_F16 = 1 << 5,
    IMAGE_OP_I32 = 1 << 6,
    IMAGE_OP_SAMPLED = 1 << 7,
    IMAGE_OP_LOD = 1 << 8,
    IMAGE_OP_LOD_FLOAT = 1 << 9,
    IMAGE_OP_GRADIENT = 1 << 10
};

/* The image of a cell's value when it has so many coordinates (0: any); NULL when the value is none. */
const struct image_desc *image_argument(const struct wave *wave, uint64_t value, uint32_t coordinates);

/* Of OP_image_query: what, then the component of a size above it, and whether there is a level. */
enum {
    IMAGE_QUERY_SIZE,
    IMAGE_QUERY_ORDER,
    IMAGE_QUERY_DATA,
    IMAGE_QUERY_LEVELS,
    IMAGE_QUERY_AT_LEVEL = 1 << 16
};
uint64_t image_query(const struct wave *wave, uint64_t image, uint32_t what, uint32_t level);

void image_read_lanes(const struct insn *insn, uint8_t *frame, struct wave *wave);
void image_write_lanes(const struct insn *insn, uint8_t *frame, struct wave *wave);

#endif
