/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of a scenario that is made from the signature of a kernel: each argument has a value for its type.
 * Elements of buffers are 1, which is an index within bounds, too; those of counters are 0, and of places
 * where parts of another array begin, 0, 1, 2 and so on. Numbers that are not whole are 1.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "skeleton.h"
#include "skeleton_state.h"
#include "tools.h"

/* ---- types ------------------------------------------------------------------------------- */

/* "float4*" is 4 of VALUE_F32; structs and unknown types are as many bytes as they have. */
struct element {
    enum value_type type;
    uint64_t width;
    bool known;
};

static struct element element_of(const struct kernel_arg *arg)
{
    char name[32];
    const size_t letters = strspn(arg->type_name, "abcdefghijklmnopqrstuvwxyz");
    struct element element = {.type = VALUE_U8, .width = arg->element_bytes ? arg->element_bytes : 1};
    snprintf(name, sizeof name, "%.*s", (int)letters, arg->type_name);
    element.known = letters < sizeof name && value_type_from_name(name, &element.type);
    if (!element.known)
        return element;
    const char digit = arg->type_name[letters];
    element.width = digit >= '0' && digit <= '9' ? strtoull(arg->type_name + letters, NULL, 10) : 1;
    return element;
}

static bool is_whole(enum value_type type)
{
    return type < VALUE_F16;
}

/* Is the argument, or an element of its buffer, one whole number? */
static bool is_number(const struct kernel_arg *arg)
{
    const struct element element = element_of(arg);
    return element.known && is_whole(element.type) && element.width == 1;
}

uint32_t skeleton_numbers(const struct kernel_info *info, size_t bytes)
{
    uint32_t found = 0;
    for (size_t i = 0; i < info->arg_count && i < 32; i++) {
        const struct kernel_arg *arg = &info->args[i];
        if (arg->kind == ARG_VALUE && is_number(arg) && arg->size >= bytes)
            found |= UINT32_C(1) << i;
    }
    return found;
}

/* ---- arguments ----------------------------------------------------------------------------- */

/* Of one element in a buffer: a vector of three has the room of four. */
static uint64_t values_of(const struct element *element)
{
    return element->known && element->width == 3 ? 4 : element->width;
}

enum skeleton_fill { FILL_ONES, FILL_ZEROS, FILL_RAMP };

static void print_buffer(FILE *stream, const struct kernel_arg *arg, uint64_t elements,
                         enum skeleton_fill contents)
{
    const struct element element = element_of(arg);
    if (contents == FILL_RAMP && element.known && element.width == 1) {
        fprintf(stream, "{buffer: {type: %s, count: %" PRIu64 ", values: [", value_type_name(element.type),
                elements);
        for (uint64_t i = 0; i < elements; i++)
            fprintf(stream, "%s%" PRIu64, i ? ", " : "", i);
        fputs("]}}", stream);
        return;
    }
    fprintf(stream, "{buffer: {type: %s, count: %" PRIu64 ", fill: %d}}", value_type_name(element.type),
            elements * values_of(&element), element.known && contents != FILL_ZEROS);
}

/* A vector of three has the room of four, and three values. */
static void print_value(FILE *stream, const struct kernel_arg *arg, uint64_t width)
{
    const struct element element = element_of(arg);
    const uint64_t count = element.known ? element.width : arg->size, value = !element.known           ? 0
                                                                              : is_whole(element.type) ? width
                                                                                                       : 1;
    if (element.known && count == 1) {
        fprintf(stream, "{scalar: {type: %s, value: %" PRIu64 "}}", value_type_name(element.type), value);
        return;
    }
    fprintf(stream, element.known ? "{scalar: {type: %s%" PRIu64 ", value: [" : "{struct: [",
            value_type_name(element.type), count);
    for (uint64_t i = 0; i < count; i++)
        fprintf(stream, element.known ? "%s%" PRIu64 : "%s{type: uchar, value: %" PRIu64 "}", i ? ", " : "",
                value);
    fputs(element.known ? "]}}" : "]}", stream);
}

/* As wide and high as whole numbers say, and as deep for a kernel of three dimensions; else two layers. */
static void print_image(FILE *stream, const struct kernel_arg *arg, const struct launch_sizes *sizes)
{
    static const struct {
        const char *type;
        uint32_t dimensions;
        bool layers;
    } images[] = {
        [IMAGE_1D] = {"1d", 1, false},
        [IMAGE_1D_BUFFER] = {"1d-buffer", 1, false},
        [IMAGE_1D_ARRAY] = {"1d-array", 1, true},
        [IMAGE_2D] = {"2d", 2, false},
        [IMAGE_2D_ARRAY] = {"2d-array", 2, true},
        [IMAGE_3D] = {"3d", 3, false},
    };
    const char *access = arg->read_only ? "read" : arg->write_only ? "write" : "read-write";
    const uint32_t dimensions = images[arg->image_type].dimensions;
    fprintf(stream, "{image: {type: %s, order: %s, data: %s, size: [", images[arg->image_type].type,
            arg->image_depth ? "DEPTH" : "RGBA", arg->image_depth ? "UNORM_INT16" : "UNORM_INT8");
    for (uint32_t d = 0; d < dimensions; d++)
        fprintf(stream, "%s%" PRIu64, d ? ", " : "",
                d == 2 && sizes->global[2] == 1 ? 2
                : d == 1                        ? sizes->height
                : d                             ? sizes->whole
                                                : sizes->width);
    fprintf(stream, "%s], fill: 1, access: %s}}", images[arg->image_type].layers ? ", 2" : "", access);
}

/* The value of an argument that is a whole number. */
static uint64_t skeleton_value_of(const struct skeleton *skeleton, size_t argument)
{
    if (skeleton_has(skeleton->zeros, argument) || skeleton_has(skeleton->ones, argument))
        return skeleton_has(skeleton->ones, argument);
    const enum value_type type = element_of(&skeleton->info->args[argument]).type;
    const uint64_t value = argument < 32 ? skeleton->numbers[argument] : skeleton->sizes.whole,
                   most = type == VALUE_I8   ? INT8_MAX
                          : type == VALUE_U8 ? UINT8_MAX
                                             : UINT64_MAX;
    return value < most ? value : most;
}

static enum skeleton_fill contents_of(const struct skeleton *skeleton, size_t argument)
{
    const bool number = is_number(&skeleton->info->args[argument]);
    return skeleton_has(skeleton->shape->offsets, argument) && number ? FILL_RAMP
           : skeleton_has(skeleton->shape->counters, argument)        ? FILL_ZEROS
                                                                      : FILL_ONES;
}

/* False: scenarios have no such argument. */
static bool print_argument(FILE *stream, const struct skeleton *skeleton, size_t i, uint64_t elements)
{
    const struct kernel_arg *arg = &skeleton->info->args[i];
    const struct element element = element_of(arg);
    switch (arg->kind) {
    case ARG_GLOBAL:
    case ARG_CONSTANT: print_buffer(stream, arg, elements, contents_of(skeleton, i)); return true;
    case ARG_LOCAL:
        fprintf(stream, "{local: %" PRIu64 "}",
                elements * values_of(&element) * (element.known ? value_type_size(element.type) : 1));
        return true;
    case ARG_VALUE: print_value(stream, arg, skeleton_value_of(skeleton, i)); return true;
    case ARG_IMAGE: print_image(stream, arg, &skeleton->sizes); return true;
    case ARG_SAMPLER:
        fputs("{sampler: {addressing: clamp-to-edge, filter: nearest, coordinates: pixels}}", stream);
        return true;
    case ARG_QUEUE: fputs("{queue: default}", stream); return true;
    default: return false;
    }
}

/* ---- the scenario --------------------------------------------------------------------------- */

/* As many of the three as there are dimensions. */
static void print_sizes(FILE *stream, const char *key, const uint64_t sizes[3], uint32_t dimensions)
{
    fprintf(stream, "    %s: [", key);
    for (uint32_t d = 0; d < dimensions; d++)
        fprintf(stream, "%s%" PRIu64, d ? ", " : "", sizes[d]);
    fputs("]\n", stream);
}

/* As YAML has it between quotes, on one line. */
static void print_quoted(FILE *stream, const char *text)
{
    fputc('"', stream);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c < 32 || *c == 127)
            fprintf(stream, "\\x%02x", *c);
        else
            fprintf(stream, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
    }
    fputc('"', stream);
}

/* With so many elements for each argument. */
enum status skeleton_print(FILE *stream, const struct skeleton *skeleton, const char *source,
                           const uint64_t *elements, struct diagnosis *diagnosis)
{
    const struct kernel_info *info = skeleton->info;
    const struct launch_sizes *sizes = &skeleton->sizes;
    const uint32_t dimensions = skeleton_dimensions(sizes);
    fprintf(stream, SKELETON_MAGIC " %s\nprogram: {source: ", info->name);
    print_quoted(stream, source);
    fprintf(stream, "}\nlaunch:\n  - kernel: %s\n", info->name);
    print_sizes(stream, "global", sizes->global, dimensions);
    print_sizes(stream, "local", sizes->local, dimensions);
    fputs(info->arg_count ? "    args:\n" : "", stream);
    for (size_t i = 0; i < info->arg_count; i++) {
        fputs("      - ", stream);
        if (!print_argument(stream, skeleton, i, elements[i]))
            return diagnose(diagnosis, STATUS_UNSUPPORTED,
                            "kernel %s, argument %zu: a scenario has no argument of type %s", info->name, i,
                            info->args[i].type_name);
        fprintf(stream, " # %s %s\n", info->args[i].type_name, info->args[i].name);
    }
    return STATUS_OK;
}

static void print_name(FILE *stream, const struct kernel_arg *arg, size_t i)
{
    if (*arg->name)
        fputs(arg->name, stream);
    else
        fprintf(stream, "argument %zu", i);
}

char *skeleton_print_numbers(const struct skeleton *skeleton)
{
    char *text = NULL;
    size_t size = 0, shown = 0;
    FILE *stream = open_memstream(&text, &size);
    for (size_t i = 0; stream && i < skeleton->info->arg_count; i++) {
        const struct kernel_arg *arg = &skeleton->info->args[i];
        if (arg->kind != ARG_VALUE || !is_number(arg))
            continue;
        fputs(shown++ ? ", " : "", stream);
        print_name(stream, arg, i);
        fprintf(stream, " = %" PRIu64, skeleton_value_of(skeleton, i));
    }
    if (!stream || fclose(stream) != 0)
        tools_no_memory();
    return text;
}

/* The arguments that may be the length of a row, and have the value of argument `first`, which is one. */
static uint32_t alike(const struct skeleton *skeleton, size_t first)
{
    const uint32_t rows = skeleton->shape->strides | skeleton->shape->unread;
    uint32_t set = 0;
    for (uint32_t i = 0; i < 32 && i < skeleton->info->arg_count; i++) {
        const struct kernel_arg *arg = &skeleton->info->args[i];
        if (skeleton_has(rows, i) && arg->kind == ARG_VALUE && is_number(arg) &&
            skeleton_value_of(skeleton, i) == skeleton_value_of(skeleton, first))
            set |= UINT32_C(1) << i;
    }
    return set;
}

/* The first length of a row that shares its value with others; where every number is the size of the launch,
 * an index with the wrong one of them is the same. */
char *skeleton_print_alike(const struct skeleton *skeleton)
{
    char *text = NULL;
    size_t size = 0;
    uint32_t set = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        tools_no_memory();
    for (size_t i = 0; i < 32 && i < skeleton->info->arg_count && !(set & (set - 1)); i++)
        set = skeleton_has(skeleton->shape->strides, i) && skeleton_value_of(skeleton, i) > 1
                  ? alike(skeleton, i)
                  : 0;
    uint64_t value = 0;
    for (size_t i = 0, shown = 0; set & (set - 1) && i < 32; i++) {
        if (!skeleton_has(set, i))
            continue;
        const bool last = !(set >> i >> 1);
        fputs(!shown++ ? "" : last ? " and " : ", ", stream);
        print_name(stream, &skeleton->info->args[i], i);
        value = skeleton_value_of(skeleton, i);
    }
    if (value)
        fprintf(stream, " are %" PRIu64, value);
    if (fclose(stream) != 0)
        tools_no_memory();
    return text;
}
