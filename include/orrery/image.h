/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Images as plain data: where the texels of an image lie and what they mean, and what a
 *          sampler is. The caller of a launch describes its images; kernels read the description.
 *
 * Interface
 *   struct image_desc          an image argument of a launch: ARG_IMAGE
 *   sampler_pack               a sampler argument of a launch, or constant: ARG_SAMPLER
 *   image_format               a supported format by its numbers, or by index
 *   image_fetch, image_store   one texel as numbers
 *   image_level_size           of a mip level
 *
 * Units    Texels in dimensions, bytes in pitches. A texel (i, j, k) lies at address + level offset +
 *          i * texel_bytes + j * pitch[0] + k * pitch[1]; the layer of an array is the dimension after its
 *          last.
 * Text     OpenCL 3.0 API, 5.3 image objects; environment, image addressing and filtering.
 */
#ifndef ORRERY_IMAGE_H
#define ORRERY_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum image_type { IMAGE_1D, IMAGE_1D_BUFFER, IMAGE_1D_ARRAY, IMAGE_2D, IMAGE_2D_ARRAY, IMAGE_3D };
const char *image_type_name(enum image_type type); /* "image2d_t" */
static inline bool image_is_array(enum image_type type)
{
    return type == IMAGE_1D_ARRAY || type == IMAGE_2D_ARRAY;
}
/* Of the texels; without the layer. */
static inline uint32_t image_dimensions(enum image_type type)
{
    return type < IMAGE_2D ? 1 : type < IMAGE_3D ? 2 : 3;
}

enum image_order {
#define IMAGE_ORDER(name, number, channels, r, g, b, a, border) IMAGE_##name = number,
#include "orrery/image_format.def"
#undef IMAGE_ORDER
    IMAGE_ORDERS
};
enum image_data {
#define IMAGE_DATA(name, number, bytes, kind, packed) IMAGE_##name = number,
#include "orrery/image_format.def"
#undef IMAGE_DATA
    IMAGE_DATAS
};

struct image_format {
    uint8_t order, data; /* enum image_order, image_data */
    uint8_t texel_bytes;
    uint8_t channels, channel_bytes;
    char kind;       /* U, S, u, s, f as in image_format.def */
    uint16_t packed; /* bits of each channel, first the highest; 0: channels are apart */
    bool srgb, depth, border_alpha;
    uint8_t place[4]; /* component -> channel; IMAGE_NO_CHANNEL */
};
enum { IMAGE_NO_CHANNEL = 255 };
/* NULL when the pair is not supported, or past the end. */
const struct image_format *image_format(uint32_t order, uint32_t data);
const struct image_format *image_format_at(size_t index);
static inline bool image_format_integer(const struct image_format *format)
{
    return format->kind == 'u' || format->kind == 's';
}

/* The channel that takes the component of a texel that is stored; IMAGE_NO_CHANNEL. The fourth channel of
 * RGBx takes the fourth component, as in RGBA, though nothing reads it: the text calls it ignored, the
 * conformance tests compare it. */
static inline uint32_t image_format_stored(const struct image_format *format, uint32_t component)
{
    const bool fourth = component == 3 && format->channels == 4 && !format->packed;
    return fourth && format->place[3] == IMAGE_NO_CHANNEL ? 3 : format->place[component];
}

enum { IMAGE_LEVELS_MAX = 16 };
struct image_level {
    uint64_t offset, pitch[2];
    uint32_t size[3];
};
struct image_desc {
    const struct image_format *format;
    enum image_type type;
    uint32_t levels;  /* 1: not mipmapped */
    uint64_t address; /* on the device */
    uint32_t id;      /* serial number, for findings */
    struct image_level level[IMAGE_LEVELS_MAX];
};
/* Of level n of an image of these sizes: halved, at least 1; layers stay. */
void image_level_size(enum image_type type, const uint32_t size[3], uint32_t level, uint32_t out_size[3]);

/* As OpenCL numbers them from CL_ADDRESS_NONE, and SPIR-V from 0. */
enum image_addressing {
    ADDRESSING_NONE,
    ADDRESSING_CLAMP_TO_EDGE,
    ADDRESSING_CLAMP,
    ADDRESSING_REPEAT,
    ADDRESSING_MIRRORED_REPEAT
};
struct sampler {
    enum image_addressing addressing;
    bool normalized, linear; /* coordinates; filter */
    bool mip_linear;
    float lod_min, lod_max; /* kept in steps of 1/256, from 0 to 255 */
};
uint64_t sampler_pack(const struct sampler *sampler);
struct sampler sampler_unpack(uint64_t bits);

/* r, g, b, a. Floating and normalised formats give and take f, integer formats i or u. */
union texel {
    float f[4];
    int32_t i[4];
    uint32_t u[4];
};
void image_fetch(const struct image_format *format, const void *bytes, union texel *out_texel);
void image_store(const struct image_format *format, const union texel *texel, void *bytes);

#endif
