/* SPDX-License-Identifier: Apache-2.0 */
/* Images. Batches are for 2D images of the common formats, if every texel is inside or clamped, and no
 * observer needs more than reads of single texels. All other accesses go lane by lane through
 * image_access.c. Both evaluate the same expressions, so they give the same bits. */
#include <math.h>

#include "access.h"
#include "image_op.h"
#include "lanes.h"
#include "poison_trail.h"

/* An image that a batch can access: its bytes are in one region, and its offsets fit into 32 bits. */
struct picture {
    const struct image_format *format;
    struct region *region;
    u64 address;
    uint8_t *base; /* in the device's mapping */
    i32 width, height, pitch;
};

enum texels { TEXELS_OTHER, TEXELS_8, TEXELS_32, TEXELS_32_ONE };

/* Four normalised bytes in any order; four floats; or one float, the red component. */
static inline enum texels texels_of(const struct image_format *format)
{
    const bool four_bytes = format->channel_bytes == 1 && format->channels == 4 && !format->packed;
    if (format->kind == 'U' && four_bytes && !format->srgb)
        return TEXELS_8;
    if (format->kind != 'f' || format->channel_bytes != 4)
        return TEXELS_OTHER;
    return format->channels == 4 && format->order != IMAGE_RGBx ? TEXELS_32
           : format->order == IMAGE_R                           ? TEXELS_32_ONE
                                                                : TEXELS_OTHER;
}

static enum texels find_picture(const struct insn *insn, uint8_t *frame, const struct wave *wave,
                                uint32_t deny, struct picture *out)
{
    const struct image_desc *image = image_argument(wave, *AT(u64, insn->a), insn->f & IMAGE_OP_COORDINATES);
    if (!image || image->type != IMAGE_2D ||
        (insn->f & (IMAGE_OP_LOD | IMAGE_OP_GRADIENT | IMAGE_OP_F16 | IMAGE_OP_I32)))
        return TEXELS_OTHER;
    const struct image_level *level = &image->level[0];
    const u64 bytes =
        level->pitch[0] * (level->size[1] - 1) + (u64)level->size[0] * image->format->texel_bytes;
    struct region *region = memory_region(wave->memory, image->address);
    const bool begins_inside = image->address >= region->low && image->address <= region->high;
    if (region->deny & deny || !begins_inside || bytes > region->high - image->address || bytes > INT32_MAX)
        return TEXELS_OTHER;
    *out = (struct picture){image->format,       region,
                            image->address,      memory_byte(region, image->address),
                            (i32)level->size[0], (i32)level->size[1],
                            (i32)level->pitch[0]};
    return texels_of(image->format);
}

/* ---- where ---------------------------------------------------------------------------------- */

/* One axis of all lanes: the first texel and, for linear filters, the second one and the weight of each.
 * Coordinates are clamped to one texel beyond the edge. */
struct image_axis {
    i32 first[WAVE_LANES_MAX], second[WAVE_LANES_MAX];
    f32 share[WAVE_LANES_MAX];
};

static void integer_axis(const i32 *c, size_t n, i32 size, i32 *first)
{
    EACH_LANE(i, n)
    {
        const i32 low = c[i] < -1 ? -1 : c[i];
        first[i] = low > size ? size : low;
    }
}

static inline f32 beyond(f32 floored, f32 size)
{
    const f32 low = floored > -1.0f ? floored : -1.0f;
    return low < size ? low : size;
}

static void nearest_axis(const f32 *c, size_t n, f32 scale, i32 size, i32 *first)
{
    const f32 high = (f32)size;
    EACH_LANE(i, n) first[i] = (i32)beyond(floorf(c[i] * scale), high);
}

static void linear_axis(const f32 *c, size_t n, f32 scale, i32 size, struct image_axis *out)
{
    const f32 high = (f32)size;
    EACH_LANE(i, n)
    {
        const f32 half = c[i] * scale - 0.5f, floored = floorf(half);
        out->share[i] = half - floored;
        out->first[i] = (i32)beyond(floored, high);
        out->second[i] = (i32)beyond(floored + 1.0f, high);
    }
}

static bool all_finite(const f32 *c, size_t n)
{
    u32 bad = 0;
    EACH_LANE(i, n)
    {
        u32 bits;
        memcpy(&bits, &c[i], sizeof bits);
        bad |= (bits & 0x7f800000u) == 0x7f800000u;
    }
    return !bad;
}

/* Clamps to the edge. False: some lane was outside, and the addressing mode does not clamp. */
static bool to_edge(i32 *at, size_t n, i32 size, enum image_addressing addressing)
{
    u32 outside = 0;
    EACH_LANE(i, n)
    {
        const i32 v = at[i], low = v < 0 ? 0 : v, in = low > size - 1 ? size - 1 : low;
        outside |= (u32)(in != v);
        at[i] = in;
    }
    return !outside || addressing == ADDRESSING_CLAMP_TO_EDGE;
}

/* ---- texels -------------------------------------------------------------------------------------- */

static void offsets(const struct picture *p, const i32 *x, const i32 *y, size_t n, i32 texel_bytes, i32 *out)
{
    const i32 pitch = p->pitch;
    EACH_LANE(i, n) out[i] = y[i] * pitch + x[i] * texel_bytes;
}

static void gather(const uint8_t *base, const i32 *offset, size_t n, u32 *out)
{
    for (size_t i = 0; i < n; i++)
        memcpy(&out[i], base + offset[i], 4);
}

static void channel_8(const u32 *texel, size_t n, u32 shift, f32 *out)
{
    EACH_LANE(i, n) out[i] = (f32)(i32)(texel[i] >> shift & 255) / 255.0f;
}

/* Component c of the texels at the offsets. word: the texels of TEXELS_8, gathered once for all
 * components. */
static void component(const struct picture *p, enum texels texels, const i32 *offset, const u32 *word,
                      uint32_t c, size_t n, f32 *out)
{
    const uint32_t place = p->format->place[c];
    if (place == IMAGE_NO_CHANNEL) {
        const f32 missing = c == 3;
        EACH_LANE(i, n) out[i] = missing;
    } else if (texels == TEXELS_8) {
        channel_8(word, n, 8 * place, out);
    } else {
        gather(p->base + 4 * place, offset, n, (u32 *)(void *)out);
    }
}

static void put_nearest(const struct picture *p, enum texels texels, const i32 *offset, size_t n,
                        const uint32_t *results, uint8_t *frame)
{
    u32 word[WAVE_LANES_MAX];
    if (texels == TEXELS_8)
        gather(p->base, offset, n, word);
    for (uint32_t c = 0; c < 4; c++)
        if (results[c] != IMAGE_UNUSED)
            component(p, texels, offset, word, c, n, AT(f32, results[c]));
}

/* Corner k: bit 0 is the second column, bit 1 the second row. The products are added in the order of the
 * corners. */
static void put_linear(const struct picture *p, enum texels texels, const struct image_axis *x,
                       const struct image_axis *y, size_t n, const uint32_t *results, uint8_t *frame)
{
    i32 offset[WAVE_LANES_MAX];
    u32 word[WAVE_LANES_MAX];
    f32 weight[WAVE_LANES_MAX], value[WAVE_LANES_MAX];
    for (uint32_t k = 0; k < 4; k++) {
        offsets(p, k & 1 ? x->second : x->first, k & 2 ? y->second : y->first, n, p->format->texel_bytes,
                offset);
        if (texels == TEXELS_8)
            gather(p->base, offset, n, word);
        const f32 *const a = x->share, *const b = y->share;
        EACH_LANE(i, n) weight[i] = (k & 1 ? a[i] : 1.0f - a[i]) * (k & 2 ? b[i] : 1.0f - b[i]);
        for (uint32_t c = 0; c < 4; c++) {
            if (results[c] == IMAGE_UNUSED)
                continue;
            f32 *const d_ = AT(f32, results[c]);
            component(p, texels, offset, word, c, n, value);
            if (k == 0)
                EACH_LANE(i, n) d_[i] = value[i] * weight[i];
            else
                EACH_LANE(i, n) d_[i] += weight[i] * value[i];
        }
    }
}

/* ---- uninitialised bytes ---------------------------------------------------------------------------- */

static bool is_partly_undefined(const struct picture *p)
{
    return p->region->valid && p->region->invalid;
}

static u64 texel_address(const struct picture *p, i32 x, i32 y)
{
    return p->address + (u64)((i64)y * p->pitch + (i64)x * p->format->texel_bytes);
}

static lane_mask undefined_lanes(const struct wave *wave, const struct picture *p, const i32 *x, const i32 *y)
{
    lane_mask undefined = {{0}};
    EACH_WORD(w, is_partly_undefined(p) ? wave->n : 0)
    for (uint64_t bits = wave->active.word[w]; bits; bits &= bits - 1) {
        const size_t lane = w * 64 + (size_t)__builtin_ctzll(bits);
        if (!memory_range_valid(p->region, texel_address(p, x[lane], y[lane]), p->format->texel_bytes))
            undefined.word[w] |= bits & -bits;
    }
    return undefined;
}

/* Notes the reads of the lanes in the mask that undefined_lanes() left in the frame. */
static void note_undefined(const struct insn *insn, uint8_t *frame, struct wave *wave,
                           const struct picture *p, const i32 *x, const i32 *y)
{
    const uint32_t *const results = &wave->code->operands[insn->d], source = results[IMAGE_READ_SOURCE],
                          argument = (uint32_t)*AT(u64, insn->a);
    const lane_mask *const undefined = AT(lane_mask, results[IMAGE_RESULTS - 1]);
    EACH_WORD(w, is_partly_undefined(p) ? wave->n : 0)
    for (uint64_t bits = undefined->word[w]; bits; bits &= bits - 1) {
        const uint32_t lane = (uint32_t)w * 64 + (uint32_t)__builtin_ctzll(bits);
        poison_trail_texel(wave, source, lane, argument, texel_address(p, x[lane], y[lane]),
                           p->format->texel_bytes);
    }
}

static bool active_undefined(const struct wave *wave, const lane_mask *undefined)
{
    uint64_t any = 0;
    for (size_t w = 0; w < LANE_MASK_WORDS; w++)
        any |= wave->active.word[w] & undefined->word[w];
    return any;
}

static void define_lanes(const struct wave *wave, const struct picture *p, const i32 *x, const i32 *y)
{
    EACH_WORD(w, is_partly_undefined(p) ? wave->n : 0)
    for (uint64_t bits = wave->active.word[w]; bits; bits &= bits - 1) {
        const size_t lane = w * 64 + (size_t)__builtin_ctzll(bits);
        memory_set_valid(p->region, texel_address(p, x[lane], y[lane]), p->format->texel_bytes, true);
    }
}

/* ---- reading ---------------------------------------------------------------------------------------- */

/* Do all lanes, active or not, form rows with a constant step, and the rows a constant step as well?
 * Offsets of neighbouring lanes differ by less than 2^31; a sum that wraps is no constant step. */
static bool in_even_rows(const struct wave *wave, const i32 *offset, struct affine *out)
{
    const size_t n = LANES_OF(wave), row = wave->row < n ? wave->row : n;
    const i32 *const x = wave->lane_x, *const y = wave->lane_y;
    const u32 first = (u32)offset[0], step_x = row > 1 ? (u32)offset[1] - first : 0,
              step_y = row < n ? (u32)offset[row] - first : 0;
    u32 bends = (u32)(n % row);
    EACH_LANE(i, n) bends |= (u32)offset[i] ^ (first + step_x * (u32)x[i] + step_y * (u32)y[i]);
    *out = (struct affine){.base = offset[0], .step_x = (i32)step_x, .step_y = (i32)step_y};
    return !bends;
}

static void announce_nearest(struct wave *wave, uint32_t site, const struct picture *p, const i32 *offset)
{
    struct affine row;
    u64 address[WAVE_LANES_MAX];
    const size_t n = LANES_OF(wave);
    const u64 base = p->address;
    if (in_even_rows(wave, offset, &row)) {
        row.base += (i64)base;
        access_announce_texels(wave, site, &row, p->format->texel_bytes);
        return;
    }
    EACH_LANE(i, n) address[i] = base + (u64)(i64)offset[i];
    access_announce_image(wave, site, address, p->format->texel_bytes, &wave->active);
}

static __attribute__((noinline)) bool read_batch(const struct insn *insn, uint8_t *frame, struct wave *wave)
{
    struct picture p;
    struct image_axis x, y;
    i32 offset[WAVE_LANES_MAX];
    const uint32_t *const results = &wave->code->operands[insn->d], *const coordinates =
                                                                        results + IMAGE_READ_BEFORE;
    const enum texels texels = find_picture(insn, frame, wave, DENY_KERNEL_READ, &p);
    const struct sampler sampler = sampler_unpack(insn->f & IMAGE_OP_SAMPLED ? *AT(u64, insn->b) : 0);
    const size_t n = LANES_OF(wave);
    if (texels == TEXELS_OTHER || sampler.addressing > ADDRESSING_CLAMP)
        return false;
    const bool real = insn->f & IMAGE_OP_FLOAT, linear = real && sampler.linear;
    if (!real && (sampler.linear || sampler.normalized))
        return false;
    if (linear && (access_observed(wave) || is_partly_undefined(&p)))
        return false;
    const f32 *const u = AT(f32, coordinates[0]), *const v = AT(f32, coordinates[1]);
    if (!real) {
        integer_axis(AT(i32, coordinates[0]), n, p.width, x.first);
        integer_axis(AT(i32, coordinates[1]), n, p.height, y.first);
    } else if (!all_finite(u, n) || !all_finite(v, n)) {
        return false;
    } else if (linear) {
        linear_axis(u, n, sampler.normalized ? (f32)p.width : 1.0f, p.width, &x);
        linear_axis(v, n, sampler.normalized ? (f32)p.height : 1.0f, p.height, &y);
    } else {
        nearest_axis(u, n, sampler.normalized ? (f32)p.width : 1.0f, p.width, x.first);
        nearest_axis(v, n, sampler.normalized ? (f32)p.height : 1.0f, p.height, y.first);
    }
    if (!to_edge(x.first, n, p.width, sampler.addressing) ||
        !to_edge(y.first, n, p.height, sampler.addressing))
        return false;
    if (linear && (!to_edge(x.second, n, p.width, sampler.addressing) ||
                   !to_edge(y.second, n, p.height, sampler.addressing)))
        return false;
    if (!linear)
        offsets(&p, x.first, y.first, n, p.format->texel_bytes, offset);
    if (access_observed(wave))
        announce_nearest(wave, insn->e, &p, offset);
    if (linear)
        put_linear(&p, texels, &x, &y, n, results, frame);
    else
        put_nearest(&p, texels, offset, n, results, frame);
    if (results[IMAGE_RESULTS - 1] != IMAGE_UNUSED) {
        const lane_mask none = {{0}};
        *AT(lane_mask, results[IMAGE_RESULTS - 1]) =
            linear ? none : undefined_lanes(wave, &p, x.first, y.first);
        note_undefined(insn, frame, wave, &p, x.first, y.first);
    }
    return true;
}

HANDLER(image_read)
{
    if (!read_batch(insn, frame, wave))
        image_read_lanes(insn, frame, wave);
    NEXT;
}

/* ---- writing ------------------------------------------------------------------------------------------ */

static bool active_inside(const struct wave *wave, const struct picture *p, const i32 *x, const i32 *y)
{
    const u32 width = (u32)p->width, height = (u32)p->height;
    u32 bad = 0;
    EACH_WORD(w, wave->n)
    for (uint64_t bits = wave->active.word[w]; bits; bits &= bits - 1) {
        const size_t lane = w * 64 + (size_t)__builtin_ctzll(bits);
        bad |= (u32)((u32)x[lane] >= width) | (u32)((u32)y[lane] >= height);
    }
    return !bad;
}

/* Rounds to nearest, ties to even, in double, as image_store does; NaN becomes 0. */
static void pack_8(const f32 *value, size_t n, u32 shift, u32 *word)
{
    EACH_LANE(i, n)
    {
        const f64 scaled = (f64)value[i] * 255, low = scaled > 0 ? scaled : 0, in = low < 255 ? low : 255;
        word[i] |= (u32)(i32)rint(in) << shift;
    }
}

static void scatter(const struct wave *wave, const struct picture *p, const i32 *offset, uint32_t place,
                    const u32 *word)
{
    EACH_WORD(w, wave->n)
    for (uint64_t bits = wave->active.word[w]; bits; bits &= bits - 1) {
        const size_t lane = w * 64 + (size_t)__builtin_ctzll(bits);
        memcpy(p->base + offset[lane] + 4 * place, &word[lane], 4);
    }
}

static __attribute__((noinline)) bool write_batch(const struct insn *insn, uint8_t *frame,
                                                  const struct wave *wave)
{
    struct picture p;
    i32 offset[WAVE_LANES_MAX];
    u32 word[WAVE_LANES_MAX] = {0};
    const uint32_t *const slots = &wave->code->operands[insn->d];
    const enum texels texels = find_picture(insn, frame, wave, DENY_KERNEL_WRITE, &p);
    if (texels == TEXELS_OTHER || access_observed(wave))
        return false;
    if (insn->c && p.region->valid && active_undefined(wave, AT(lane_mask, insn->c)))
        return false;
    const size_t n = LANES_OF(wave);
    const i32 *const x = AT(i32, slots[IMAGE_TEXEL_COMPONENTS]), *const y = AT(
                                                                     i32, slots[IMAGE_TEXEL_COMPONENTS + 1]);
    if (!active_inside(wave, &p, x, y))
        return false;
    /* Offsets of lanes that do not write are arbitrary. */
    const u32 pitch = (u32)p.pitch, texel = p.format->texel_bytes;
    EACH_LANE(i, n) offset[i] = (i32)((u32)y[i] * pitch + (u32)x[i] * texel);
    for (uint32_t c = 0; c < 4; c++) {
        const uint32_t place = image_format_stored(p.format, c);
        if (place == IMAGE_NO_CHANNEL)
            continue;
        if (texels == TEXELS_8)
            pack_8(AT(f32, slots[c]), n, 8 * place, word);
        else
            scatter(wave, &p, offset, place, AT(u32, slots[c]));
    }
    if (texels == TEXELS_8)
        scatter(wave, &p, offset, 0, word);
    if (insn->c)
        define_lanes(wave, &p, x, y);
    return true;
}

HANDLER(image_write)
{
    if (!write_batch(insn, frame, wave))
        image_write_lanes(insn, frame, wave);
    NEXT;
}

HANDLER(image_query)
{
    const uint32_t level = insn->f & IMAGE_QUERY_AT_LEVEL ? *AT(u32, insn->b) : 0;
    *AT(u64, insn->d) = image_query(wave, *AT(u64, insn->a), insn->f, level);
    NEXT;
}
