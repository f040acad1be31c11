/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Image instructions lane by lane: every format, sampler and kind of image, with their reports. A texel that
 * is not there reads as the border and is not written; the lane continues, as on a device.
 */
#include <string.h>

#include "access.h"
#include "half.h"
#include "image_op.h"
#include "image_sample.h"
#include "poison_trail.h"
#include "orrery/device.h"

/* One instruction under way. */
struct image_access {
    struct wave *wave;
    uint8_t *frame;
    const struct insn *insn;
    const struct image_desc *image;
    const uint32_t *slots; /* coordinates and what follows them */
    uint32_t coordinates, lod_slot, gradient_slot;
    uint32_t argument,
        source; /* 1 + its number; of a read, if anything asks for it: what it is as an origin */
    struct sampler sampler;
    struct region *region;
    struct fault fault, denied, undefined, poisoned;
    lane_mask lanes[2][8], poison;
    uint64_t address[2][8][WAVE_LANES_MAX]; /* of each texel of each lane's footprint, for the observer */
};

/* The image kind that the instruction was made for, from the argument. */
const struct image_desc *image_argument(const struct wave *wave, uint64_t value, uint32_t coordinates)
{
    if (value == 0 || !wave->kernel || value > wave->kernel->arg_count ||
        wave->kernel->args[value - 1].kind != ARG_IMAGE)
        return NULL;
    const struct image_desc *image = wave->arg_values[value - 1].value;
    return coordinates == 0 || coordinates == image_dimensions(image->type) + image_is_array(image->type)
               ? image
               : NULL;
}

static void note(struct image_access *a, struct fault *fault, enum fault_kind kind, uint32_t lane,
                 const int32_t *texel, uint32_t level)
{
    if (fault->lanes++)
        return;
    fault->kind = kind;
    fault->site = a->insn->e;
    fault->lane = lane;
    fault->image = a->image;
    fault->size = a->image->format->texel_bytes;
    fault->address = a->image->address;
    fault->level = level;
    fault->continues = true;
    if (texel)
        memcpy(fault->texel, texel, sizeof fault->texel);
}

/* The first of several is reported. */
static void note_misuse(struct image_access *a, uint32_t lane, const char *misuse)
{
    note(a, &a->undefined, FAULT_IMAGE, lane, NULL, 0);
    if (!a->undefined.misuse)
        a->undefined.misuse = misuse;
}

static void report(const struct image_access *a, const struct fault *fault)
{
    if (fault->lanes)
        a->wave->host->fault(a->wave->host->self, a->wave, fault);
}

static uint64_t texel_address(const struct image_desc *image, uint32_t level, const int32_t texel[3])
{
    const struct image_level *l = &image->level[level];
    return image->address + l->offset + (uint64_t)(uint32_t)texel[0] * image->format->texel_bytes +
           (uint64_t)(uint32_t)texel[1] * l->pitch[0] + (uint64_t)(uint32_t)texel[2] * l->pitch[1];
}

static bool inside_region(const struct image_access *a, uint64_t address)
{
    const struct region *region = a->region;
    return address >= region->low && address <= region->high &&
           a->image->format->texel_bytes <= region->high - address;
}

/* ---- operands -------------------------------------------------------------------------------------- */

static bool begin(struct image_access *a, const struct insn *insn, uint8_t *frame, struct wave *wave,
                  uint32_t before)
{
    uint64_t value, bits = 0;
    memcpy(&value, frame + insn->a, sizeof value);
    if (insn->f & IMAGE_OP_SAMPLED)
        memcpy(&bits, frame + insn->b, sizeof bits);
    a->wave = wave;
    a->argument = (uint32_t)value;
    a->source = 0;
    a->frame = frame;
    a->insn = insn;
    a->slots = &wave->code->operands[insn->d] + before;
    a->coordinates = insn->f & IMAGE_OP_COORDINATES;
    a->lod_slot = a->coordinates;
    a->gradient_slot = a->lod_slot + (insn->f & IMAGE_OP_LOD ? 1 : 0);
    a->sampler = sampler_unpack(bits);
    a->image = image_argument(wave, value, a->coordinates);
    a->fault = a->denied = a->undefined = a->poisoned = (struct fault){0};
    memset(a->lanes, 0, sizeof a->lanes);
    memset(&a->poison, 0, sizeof a->poison);
    if (a->image)
        a->region = memory_region(wave->memory, a->image->address);
    return a->image != NULL;
}

static float float_operand(const struct image_access *a, uint32_t k, uint32_t lane)
{
    float value;
    memcpy(&value, a->frame + a->slots[k] + lane * 4, 4);
    return value;
}

static int32_t int_operand(const struct image_access *a, uint32_t k, uint32_t lane)
{
    int32_t value;
    memcpy(&value, a->frame + a->slots[k] + lane * 4, 4);
    return value;
}

static float lane_lod(const struct image_access *a, uint32_t lane)
{
    float step[2][3];
    if (a->insn->f & IMAGE_OP_LOD)
        return a->insn->f & IMAGE_OP_LOD_FLOAT ? float_operand(a, a->lod_slot, lane)
                                               : (float)int_operand(a, a->lod_slot, lane);
    for (uint32_t i = 0; i < 6; i++)
        step[i / 3][i % 3] = float_operand(a, a->gradient_slot + i, lane);
    return sample_gradient_lod(a->image, step[0], step[1]);
}

/* ---- what is reported ------------------------------------------------------------------------ */

static void set_lane(lane_mask *mask, uint32_t lane)
{
    mask->word[lane / 64] |= (uint64_t)1 << lane % 64;
}

/* Memory that the host has taken away: reported, and accessed all the same when it is still mapped. */
static bool taken_away(struct image_access *a, uint32_t deny, uint32_t lane, uint64_t address)
{
    if (!(a->region->deny & deny) ||
        !(memory_denied(a->region, address, a->image->format->texel_bytes) & deny))
        return false;
    note(a, &a->denied, deny == DENY_KERNEL_WRITE ? FAULT_WRITE : FAULT_READ, lane, NULL, 0);
    if (a->denied.lanes == 1)
        a->denied.address = address;
    a->denied.image = NULL; /* the memory is what is wrong, not the place in it */
    return a->region->flags & REGION_FLAG_FREED;
}

static void announce(const struct image_access *a)
{
    for (uint32_t n = 0; access_observed(a->wave) && n < 16; n++)
        access_announce_image(a->wave, a->insn->e, a->address[n / 8][n % 8], a->image->format->texel_bytes,
                              &a->lanes[n / 8][n % 8]);
}

/* ---- reading ----------------------------------------------------------------------------------------- */

static void border(const struct image_format *format, union texel *out)
{
    memset(out, 0, sizeof *out);
    if (image_format_integer(format))
        out->u[3] = format->border_alpha;
    else
        out->f[3] = format->border_alpha;
}

/* Of several uninitialised texels of one lane the first stands for all. */
static void note_uninitialised(struct image_access *a, uint32_t lane, uint64_t address)
{
    if (!lane_mask_test(&a->poison, lane))
        poison_trail_texel(a->wave, a->source, lane, a->argument, address, a->image->format->texel_bytes);
    set_lane(&a->poison, lane);
}

/* The texel as it counts: there, border, or not defined. half: 0, or 1 for the second level. */
static void read_texel(struct image_access *a, uint32_t lane, uint32_t level, uint32_t half, uint32_t n,
                       const int32_t *where, union texel *out)
{
    const struct image_format *format = a->image->format;
    if (!sample_texel_inside(&a->image->level[level], where)) {
        bool has_border = a->insn->f & IMAGE_OP_SAMPLED && a->sampler.addressing == ADDRESSING_CLAMP;
        if (!has_border)
            note(a, &a->fault, FAULT_READ, lane, where, level);
        border(format, out);
        return;
    }
    uint64_t address = texel_address(a->image, level, where);
    if (!inside_region(a, address) || taken_away(a, DENY_KERNEL_READ, lane, address)) {
        border(format, out);
        return;
    }
    a->address[half][n][lane] = address;
    set_lane(&a->lanes[half][n], lane);
    if (a->region->valid && !memory_range_valid(a->region, address, format->texel_bytes))
        note_uninitialised(a, lane, address);
    image_fetch(format, memory_byte(a->region, address), out);
}

static void read_level(struct image_access *a, uint32_t lane, uint32_t level, uint32_t half, union texel *out)
{
    struct texel_footprint footprint;
    const struct sampler *sampler = a->insn->f & IMAGE_OP_SAMPLED ? &a->sampler : NULL;
    if (a->insn->f & IMAGE_OP_FLOAT) {
        float at[3] = {0};
        for (uint32_t k = 0; k < a->coordinates; k++)
            at[k] = float_operand(a, k, lane);
        texel_footprint_sample(a->image, level, &a->sampler, at, &footprint);
    } else {
        int32_t at[3] = {0};
        for (uint32_t k = 0; k < a->coordinates; k++)
            at[k] = int_operand(a, k, lane);
        texel_footprint_integer(a->image, level, sampler, at, &footprint);
    }
    if (footprint.undefined) {
        note_misuse(a, lane, "a coordinate is infinite or not a number");
        border(a->image->format, out);
        return;
    }
    read_texel(a, lane, level, half, 0, footprint.texel[0], out);
    if (footprint.count == 1)
        return;
    for (uint32_t c = 0; c < 4; c++)
        out->f[c] *= footprint.weight[0];
    for (uint32_t n = 1; n < footprint.count; n++) {
        union texel texel;
        read_texel(a, lane, level, half, n, footprint.texel[n], &texel);
        for (uint32_t c = 0; c < 4; c++)
            out->f[c] += footprint.weight[n] * texel.f[c];
    }
}

static void read_lane(struct image_access *a, uint32_t lane, union texel *out)
{
    struct sample_levels levels = {0, 0, 0};
    if (a->insn->f & (IMAGE_OP_LOD | IMAGE_OP_GRADIENT)) {
        if (!(a->insn->f & IMAGE_OP_SAMPLED))
            a->sampler = (struct sampler){.lod_max = 255};
        levels = sample_level(a->image, &a->sampler, lane_lod(a, lane));
    }
    read_level(a, lane, levels.first, 0, out);
    if (levels.second == levels.first || levels.fraction == 0.0f || image_format_integer(a->image->format))
        return;
    union texel second;
    read_level(a, lane, levels.second, 1, &second);
    for (uint32_t c = 0; c < 4; c++)
        out->f[c] = (1.0f - levels.fraction) * out->f[c] + levels.fraction * second.f[c];
}

/* A function of another number type than the format's reads an undefined value: here its bits. */
static void check_sort(struct image_access *a, uint32_t lane)
{
    bool integer = a->insn->f & IMAGE_OP_I32;
    if (integer == image_format_integer(a->image->format))
        return;
    note_misuse(a, lane,
                integer
                    ? "a function of integers is used on an image of floating-point or normalised channels"
                    : "a function of floating-point values is used on an image of integers");
}

/* Which samplers go with which coordinates and images. */
static const char *sampler_misuse(const struct image_access *a)
{
    const struct sampler *s = &a->sampler;
    if (!(a->insn->f & IMAGE_OP_SAMPLED))
        return NULL;
    if (!s->normalized && s->addressing >= ADDRESSING_REPEAT)
        return "the sampler repeats the image, and its coordinates are not normalised";
    if (!(a->insn->f & IMAGE_OP_FLOAT) && (s->normalized || s->linear))
        return "integer coordinates need a sampler that takes the nearest texel of coordinates that are not "
               "normalised";
    return s->linear && image_format_integer(a->image->format) ? "an image of integers is filtered" : NULL;
}

static void check_sampler(struct image_access *a, uint32_t lane)
{
    const char *misuse = sampler_misuse(a);
    if (!misuse)
        return;
    note_misuse(a, lane, misuse);
}

static void put_component(const struct image_access *a, uint32_t slot, uint32_t lane, uint32_t bits)
{
    if (slot == IMAGE_UNUSED)
        return;
    if (a->insn->f & IMAGE_OP_F16) {
        uint16_t half = float_to_half(bits_float(bits));
        memcpy(a->frame + slot + lane * 2, &half, 2);
    } else {
        memcpy(a->frame + slot + lane * 4, &bits, 4);
    }
}

#define EACH_ACTIVE_LANE(wave, lane)                         \
    for (uint32_t w_ = 0; w_ < LANE_MASK_WORDS; w_++)        \
        for (uint64_t rest_ = (wave)->active.word[w_], lane; \
             rest_ && (lane = w_ * 64 + (uint64_t)__builtin_ctzll(rest_), true); rest_ &= rest_ - 1)

void image_read_lanes(const struct insn *insn, uint8_t *frame, struct wave *wave)
{
    struct image_access access, *a = &access;
    union texel texel[WAVE_LANES_MAX];
    const uint32_t *results = &wave->code->operands[insn->d];
    memset(texel, 0, sizeof texel);
    const bool readable = begin(a, insn, frame, wave, IMAGE_READ_BEFORE);
    a->source = results[IMAGE_RESULTS - 1] != IMAGE_UNUSED ? results[IMAGE_READ_SOURCE] : 0;
    if (readable)
        EACH_ACTIVE_LANE(wave, lane)
        {
            check_sort(a, (uint32_t)lane);
            check_sampler(a, (uint32_t)lane);
            read_lane(a, (uint32_t)lane, &texel[lane]);
        }
    report(a, &a->denied);
    report(a, &a->fault);
    report(a, &a->undefined);
    if (a->image)
        announce(a);
    for (uint32_t c = 0; c < 4; c++)
        for (uint32_t lane = 0; lane < wave->n; lane++)
            put_component(a, results[c], lane, texel[lane].u[c]);
    if (results[4] != IMAGE_UNUSED)
        memcpy(frame + results[4], &a->poison, sizeof a->poison);
}

/* ---- writing ----------------------------------------------------------------------------------------- */

static union texel texel_operand(const struct image_access *a, const uint32_t *slots, uint32_t lane)
{
    union texel texel;
    for (uint32_t c = 0; c < 4; c++) {
        uint16_t half = 0;
        if (a->insn->f & IMAGE_OP_F16) {
            memcpy(&half, a->frame + slots[c] + lane * 2, 2);
            texel.f[c] = half_to_float(half);
        } else {
            memcpy(&texel.u[c], a->frame + slots[c] + lane * 4, 4);
        }
    }
    return texel;
}

/* A reported value counts as initialised from then on. */
static void mark_texel(struct image_access *a, uint32_t lane, uint64_t address, const lane_mask *poison)
{
    if (!a->region->valid)
        return;
    memory_set_valid(a->region, address, a->image->format->texel_bytes, true);
    if (!lane_mask_test(poison, lane))
        return;
    note(a, &a->poisoned, FAULT_UNINITIALISED_STORE, lane, NULL, 0);
    a->poisoned.address = address;
}

static void find_texel(struct image_access *a, uint32_t lane)
{
    int32_t where[3] = {0};
    uint32_t level = a->insn->f & IMAGE_OP_LOD ? (uint32_t)int_operand(a, a->lod_slot, lane) : 0;
    for (uint32_t k = 0; k < a->coordinates; k++)
        where[k] = int_operand(a, k, lane);
    check_sort(a, lane);
    if (level >= a->image->levels || !sample_texel_inside(&a->image->level[level], where)) {
        note(a, &a->fault, FAULT_WRITE, lane, where, level);
        return;
    }
    uint64_t address = texel_address(a->image, level, where);
    if (!inside_region(a, address) || taken_away(a, DENY_KERNEL_WRITE, lane, address))
        return;
    a->address[0][0][lane] = address;
    set_lane(&a->lanes[0][0], lane);
}

void image_write_lanes(const struct insn *insn, uint8_t *frame, struct wave *wave)
{
    struct image_access access, *a = &access;
    const uint32_t *components = &wave->code->operands[insn->d];
    if (!begin(a, insn, frame, wave, IMAGE_TEXEL_COMPONENTS))
        return;
    EACH_ACTIVE_LANE(wave, lane) find_texel(a, (uint32_t)lane);
    announce(a);
    EACH_ACTIVE_LANE(wave, lane)
    {
        uint64_t address = a->address[0][0][lane];
        if (!lane_mask_test(&a->lanes[0][0], (uint32_t)lane))
            continue;
        union texel texel = texel_operand(a, components, (uint32_t)lane);
        image_store(a->image->format, &texel, memory_byte(a->region, address));
        if (insn->c)
            mark_texel(a, (uint32_t)lane, address, (const lane_mask *)(const void *)(frame + insn->c));
    }
    report(a, &a->denied);
    report(a, &a->fault);
    report(a, &a->undefined);
    report(a, &a->poisoned);
}

/* ---- queries ------------------------------------------------------------------------------------------- */

uint64_t image_query(const struct wave *wave, uint64_t value, uint32_t what, uint32_t level)
{
    const struct image_desc *image = image_argument(wave, value, 0);
    uint32_t component = what >> 8 & 0xff;
    if (!image || level >= image->levels)
        return 0;
    switch (what & 0xff) {
    case IMAGE_QUERY_ORDER: return image->format->order;
    case IMAGE_QUERY_DATA: return image->format->data;
    case IMAGE_QUERY_LEVELS: return image->levels;
    default:
        return component < image_dimensions(image->type) + image_is_array(image->type)
                   ? image->level[level].size[component]
                   : 0;
    }
}
