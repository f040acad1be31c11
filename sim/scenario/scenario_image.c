/* SPDX-License-Identifier: Apache-2.0 */
/* Images and samplers as arguments of a launch: their keys, their words, printing, and the descriptor that
 * a kernel gets. One table of words per enumeration serves parsing and printing, so printed text can be
 * parsed. */
#include "scenario_image.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "scenario_parse.h"

/* ---- words ---------------------------------------------------------------------------------- */

struct image_word {
    const char *name;
    uint32_t value;
};

static const struct image_word types[] = {
    {"1d", IMAGE_1D}, {"1d-buffer", IMAGE_1D_BUFFER}, {"1d-array", IMAGE_1D_ARRAY},
    {"2d", IMAGE_2D}, {"2d-array", IMAGE_2D_ARRAY},   {"3d", IMAGE_3D},
    {NULL, 0}};
static const struct image_word orders[] = {
#define IMAGE_ORDER(name, number, channels, r, g, b, a, border) {#name, number},
#include "orrery/image_format.def"
#undef IMAGE_ORDER
    {NULL, 0}};
static const struct image_word channel_types[] = {
#define IMAGE_DATA(name, number, bytes, kind, packed) {#name, number},
#include "orrery/image_format.def"
#undef IMAGE_DATA
    {NULL, 0}};
static const struct image_word addressings[] = {{"none", ADDRESSING_NONE},
                                                {"clamp-to-edge", ADDRESSING_CLAMP_TO_EDGE},
                                                {"clamp", ADDRESSING_CLAMP},
                                                {"repeat", ADDRESSING_REPEAT},
                                                {"mirrored-repeat", ADDRESSING_MIRRORED_REPEAT},
                                                {NULL, 0}};
static const struct image_word filters[] = {{"nearest", false}, {"linear", true}, {NULL, 0}};
static const struct image_word coordinates[] = {{"pixels", false}, {"normalized", true}, {NULL, 0}};

static const char *name_of(const struct image_word *words, uint32_t value)
{
    while (words->value != value)
        words++;
    return words->name;
}

static bool read_word(struct reader *reader, const yaml_node_t *parent, const char *key,
                      const struct image_word *words, uint32_t *out_value)
{
    const yaml_node_t *node = reader_get(reader, parent, key);
    char expected[400] = "one of: ";
    for (const struct image_word *word = words; word->name; word++) {
        size_t used = strlen(expected);
        snprintf(expected + used, sizeof expected - used, "%s%s", word == words ? "" : ", ", word->name);
        if (node && reader_node_text(node) && strcmp(reader_node_text(node), word->name) == 0) {
            *out_value = word->value;
            return true;
        }
    }
    return node ? reader_unexpected(reader, node, key, expected)
                : reader_error(reader, parent, "key '%s' is missing: %s", key, expected);
}

/* ---- reading ---------------------------------------------------------------------------------- */

static uint32_t numbers_of(enum image_type type)
{
    return image_dimensions(type) + image_is_array(type);
}

static bool read_format(struct reader *reader, const yaml_node_t *node, struct scenario_image *image)
{
    uint32_t order, data;
    if (!read_word(reader, node, "order", orders, &order) ||
        !read_word(reader, node, "data", channel_types, &data))
        return false;
    image->format = image_format(order, data);
    return image->format ||
           reader_error(reader, reader_get(reader, node, "data"), "data: there are no images of %s and %s",
                        name_of(orders, order), name_of(channel_types, data));
}

static bool read_size(struct reader *reader, const yaml_node_t *node, struct scenario_image *image)
{
    uint64_t size[3] = {1, 1, 1};
    uint32_t count;
    if (!node)
        return true;
    if (!parse_range(reader, node, "size", size, &count))
        return false;
    if (count != numbers_of(image->type))
        return reader_error(reader, node, "size: found %u numbers, but an %s has %u", count,
                            image_type_name(image->type), numbers_of(image->type));
    for (uint32_t d = 0; d < 3; d++) {
        if (!size[d] || size[d] > 1 << 20)
            return reader_error(reader, node, "size: found %" PRIu64 ", expected 1 to %d", size[d], 1 << 20);
        image->size[d] = (uint32_t)size[d];
    }
    return true;
}

/* The channels of one texel, and the type that a scenario gives them as. Packed channels are one number. */
static uint32_t scenario_image_texel(const struct image_format *format, enum value_type *out_type)
{
    static const enum value_type plain[] = {VALUE_U8, VALUE_U16, VALUE_U32},
                                 with_sign[] = {VALUE_I8, VALUE_I16, VALUE_I32};
    const uint32_t row = format->channel_bytes / 2u;
    *out_type = format->kind == 'f'                          ? (row == 1 ? VALUE_F16 : VALUE_F32)
                : format->kind == 'S' || format->kind == 's' ? with_sign[row]
                                                             : plain[row];
    return format->packed ? 1 : format->channels;
}

bool parse_image(struct reader *reader, const yaml_node_t *node, struct scenario_arg *arg)
{
    struct scenario_image *image = &arg->image;
    struct shape shape = {.width = 1, .stride = 1};
    uint32_t type;
    arg->kind = SCENARIO_ARG_IMAGE;
    if (!reader_keys(reader, node, "image") || !read_word(reader, node, "type", types, &type) ||
        !read_format(reader, node, image))
        return false;
    image->type = (enum image_type)type;
    if (!reader_get(reader, node, "size"))
        return reader_error(reader, node, "key 'size' is missing: %u numbers", numbers_of(image->type));
    if (!read_size(reader, reader_get(reader, node, "size"), image))
        return false;
    const uint64_t numbers = (uint64_t)image->size[0] * image->size[1] * image->size[2] *
                             scenario_image_texel(image->format, &shape.type);
    return parse_filled(reader, node, &shape, numbers, &arg->values, &arg->uninitialised) &&
           parse_access(reader, reader_get(reader, node, "access"), arg);
}

bool parse_sampler(struct reader *reader, const yaml_node_t *node, struct scenario_arg *arg)
{
    uint32_t addressing, linear, normalized;
    arg->kind = SCENARIO_ARG_SAMPLER;
    if (!reader_keys(reader, node, "sampler") ||
        !read_word(reader, node, "addressing", addressings, &addressing) ||
        !read_word(reader, node, "filter", filters, &linear) ||
        !read_word(reader, node, "coordinates", coordinates, &normalized))
        return false;
    if (!normalized && addressing >= ADDRESSING_REPEAT)
        return reader_error(reader, reader_get(reader, node, "addressing"),
                            "addressing: %s is for normalized coordinates", name_of(addressings, addressing));
    arg->sampler = sampler_pack(&(struct sampler){.addressing = (enum image_addressing)addressing,
                                                  .linear = linear,
                                                  .normalized = normalized,
                                                  .lod_max = 255});
    return true;
}

bool parse_queue(struct reader *reader, const yaml_node_t *node, struct scenario_arg *arg)
{
    const char *text = reader_node_text(node);
    arg->kind = SCENARIO_ARG_QUEUE;
    arg->own_queue = text && strcmp(text, "own") == 0;
    return arg->own_queue || (text && strcmp(text, "default") == 0) ||
           reader_unexpected(reader, node, "queue", "default, the default device queue, or own, another one");
}

/* ---- printing ---------------------------------------------------------------------------------- */

void scenario_image_print(const struct scenario_image *image, FILE *stream)
{
    fprintf(stream, "type: %s, order: %s, data: %s, size: [", name_of(types, image->type),
            name_of(orders, image->format->order), name_of(channel_types, image->format->data));
    for (uint32_t d = 0; d < numbers_of(image->type); d++)
        fprintf(stream, "%s%" PRIu32, d ? ", " : "", image->size[d]);
    fputs("]", stream);
}

void scenario_sampler_print(uint64_t bits, FILE *stream)
{
    const struct sampler sampler = sampler_unpack(bits);
    fprintf(stream, "addressing: %s, filter: %s, coordinates: %s", name_of(addressings, sampler.addressing),
            name_of(filters, sampler.linear), name_of(coordinates, sampler.normalized));
}

/* ---- for kernels ---------------------------------------------------------------------------------- */

void scenario_image_describe(const struct scenario_image *image, uint64_t address, uint32_t id,
                             struct image_desc *out_desc)
{
    const uint64_t row = (uint64_t)image->size[0] * image->format->texel_bytes;
    *out_desc = (struct image_desc){
        .format = image->format, .type = image->type, .levels = 1, .address = address, .id = id};
    struct image_level *level = &out_desc->level[0];
    memcpy(level->size, image->size, sizeof level->size);
    level->pitch[0] = row;
    level->pitch[1] = image->type == IMAGE_1D_ARRAY ? row : row * image->size[1];
}
