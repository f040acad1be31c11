/* SPDX-License-Identifier: Apache-2.0 */
/* Addressing and filtering: coordinates to texels and weights, in floats, in the order of the text. */
#include "image_sample.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { FAR = 1 << 30 }; /* outside every image, on either side */

static int32_t to_int(float floored)
{
    return floored >= (float)FAR ? FAR : floored > -(float)FAR ? (int32_t)floored : -FAR;
}

static int32_t clamp(int32_t value, int32_t low, int32_t high)
{
    return value < low ? low : value > high ? high : value;
}

bool sample_texel_inside(const struct image_level *level, const int32_t texel[3])
{
    for (int d = 0; d < 3; d++)
        if (texel[d] < 0 || (uint32_t)texel[d] >= level->size[d])
            return false;
    return true;
}

/* ---- one axis --------------------------------------------------------------------------------- */

struct sample_axis {
    int32_t first, second;
    float fraction; /* of the second */
};

static int32_t address_mode(enum image_addressing addressing, int32_t i, int32_t size)
{
    switch (addressing) {
    case ADDRESSING_CLAMP: return clamp(i, -1, size);
    case ADDRESSING_NONE: return i;
    default: return clamp(i, 0, size - 1);
    }
}

static struct sample_axis linear_axis(float u)
{
    float half = u - 0.5f, floored = floorf(half);
    int32_t i = to_int(floored);
    return (struct sample_axis){i, i + 1, half - floored};
}

static struct sample_axis repeated(bool linear, float s, int32_t size)
{
    float u = (s - floorf(s)) * (float)size;
    if (!linear) {
        int32_t i = to_int(floorf(u));
        return (struct sample_axis){i > size - 1 ? i - size : i, 0, 0};
    }
    struct sample_axis axis = linear_axis(u);
    axis.first += axis.first < 0 ? size : 0;
    axis.second -= axis.second > size - 1 ? size : 0;
    return axis;
}

static struct sample_axis mirrored(bool linear, float s, int32_t size)
{
    float u = fabsf(s - 2.0f * rintf(0.5f * s)) * (float)size;
    if (!linear) {
        int32_t i = to_int(floorf(u));
        return (struct sample_axis){i < size - 1 ? i : size - 1, 0, 0};
    }
    struct sample_axis axis = linear_axis(u);
    axis.first = axis.first > 0 ? axis.first : 0;
    axis.second = axis.second < size - 1 ? axis.second : size - 1;
    return axis;
}

/* The modes that repeat want normalised coordinates; others are made so. */
static struct sample_axis axis_of(const struct sampler *sampler, bool linear, float s, int32_t size)
{
    if (sampler->addressing == ADDRESSING_REPEAT)
        return repeated(linear, sampler->normalized ? s : s / (float)size, size);
    if (sampler->addressing == ADDRESSING_MIRRORED_REPEAT)
        return mirrored(linear, sampler->normalized ? s : s / (float)size, size);
    float u = sampler->normalized ? s * (float)size : s;
    struct sample_axis axis = linear ? linear_axis(u) : (struct sample_axis){to_int(floorf(u)), 0, 0};
    axis.first = address_mode(sampler->addressing, axis.first, size);
    axis.second = address_mode(sampler->addressing, axis.second, size);
    return axis;
}

/* ---- footprints -------------------------------------------------------------------------------- */

static void one_texel(struct texel_footprint *out)
{
    memset(out, 0, sizeof *out);
    out->count = 1;
    out->weight[0] = 1.0f;
}

void texel_footprint_integer(const struct image_desc *image, uint32_t level, const struct sampler *sampler,
                             const int32_t *coordinate, struct texel_footprint *out)
{
    uint32_t dimensions = image_dimensions(image->type);
    const uint32_t *size = image->level[level].size;
    one_texel(out);
    for (uint32_t d = 0; d < dimensions; d++)
        out->texel[0][d] =
            sampler ? address_mode(sampler->addressing, coordinate[d], (int32_t)size[d]) : coordinate[d];
    if (image_is_array(image->type))
        out->texel[0][dimensions] = sampler ? clamp(coordinate[dimensions], 0, (int32_t)size[dimensions] - 1)
                                            : coordinate[dimensions];
}

static bool finite_coordinates(const float *coordinate, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!(fabsf(coordinate[i]) <= FLT_MAX))
            return false;
    return true;
}

/* Corner n takes the second texel of axis d when bit d of n is set. */
static void corners(struct texel_footprint *out, const struct sample_axis *axes, uint32_t dimensions)
{
    for (uint32_t n = 1; n < 1u << dimensions; n++)
        memcpy(out->texel[n], out->texel[0], sizeof out->texel[0]); /* the layer */
    for (uint32_t n = 0; n < 1u << dimensions; n++) {
        float weight = 1.0f;
        for (uint32_t d = 0; d < dimensions; d++) {
            bool second = n >> d & 1;
            float part = second ? axes[d].fraction : 1.0f - axes[d].fraction;
            weight = d ? weight * part : part;
            out->texel[n][d] = second ? axes[d].second : axes[d].first;
        }
        out->weight[n] = weight;
    }
    out->count = 1u << dimensions;
}

void texel_footprint_sample(const struct image_desc *image, uint32_t level, const struct sampler *sampler,
                            const float *coordinate, struct texel_footprint *out)
{
    uint32_t dimensions = image_dimensions(image->type);
    const uint32_t *size = image->level[level].size;
    bool linear = sampler->linear && !image_format_integer(image->format);
    struct sample_axis axes[3];
    one_texel(out);
    if (!finite_coordinates(coordinate, dimensions + image_is_array(image->type))) {
        out->undefined = true;
        return;
    }
    if (image_is_array(image->type))
        out->texel[0][dimensions] =
            clamp(to_int(rintf(coordinate[dimensions])), 0, (int32_t)size[dimensions] - 1);
    for (uint32_t d = 0; d < dimensions; d++) {
        axes[d] = axis_of(sampler, linear, coordinate[d], (int32_t)size[d]);
        out->texel[0][d] = axes[d].first;
    }
    if (linear)
        corners(out, axes, dimensions);
}

/* ---- levels --------------------------------------------------------------------------------------- */

struct sample_levels sample_level(const struct image_desc *image, const struct sampler *sampler, float lod)
{
    float last = (float)(image->levels - 1), most = sampler->lod_max < last ? sampler->lod_max : last;
    float level = !(lod > sampler->lod_min) ? sampler->lod_min : lod;
    level = level > most ? most : level;
    uint32_t first = (uint32_t)level;
    if (sampler->mip_linear)
        return (struct sample_levels){first, first + (first + 1 < image->levels), level - (float)first};
    uint32_t nearest = (uint32_t)(level + 0.5f);
    nearest = nearest < image->levels ? nearest : image->levels - 1;
    return (struct sample_levels){nearest, nearest, 0};
}

/* log2 by halving and squaring: the same bits on every machine, to 1/65536. */
static float log2_of(float x)
{
    int exponent;
    if (!(x > 0))
        return -FLT_MAX;
    if (!(x <= FLT_MAX))
        return FLT_MAX;
    double mantissa = 2.0 * (double)frexpf(x, &exponent), fraction = 0; /* 1 <= mantissa < 2 */
    /* Powers of two are exact. NOLINTNEXTLINE(clang-analyzer-security.FloatLoopCounter,cert-flp30-c) */
    for (double bit = 0.5; bit > 1.0 / 131072; bit /= 2) {
        mantissa *= mantissa;
        if (mantissa < 2)
            continue;
        mantissa /= 2;
        fraction += bit;
    }
    return (float)(exponent - 1 + fraction);
}

/* The longer of the two steps, in texels of level 0. */
float sample_gradient_lod(const struct image_desc *image, const float dx[3], const float dy[3])
{
    float x = 0, y = 0;
    for (uint32_t d = 0; d < image_dimensions(image->type); d++) {
        float size = (float)image->level[0].size[d];
        x += dx[d] * size * (dx[d] * size);
        y += dy[d] * size * (dy[d] * size);
    }
    return 0.5f * log2_of(x > y ? x : y);
}
