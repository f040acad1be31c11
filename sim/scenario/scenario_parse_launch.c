/* SPDX-License-Identifier: Apache-2.0 */
/* The section `launch` of a scenario: ranges and arguments, with values of every type. The kind of an
 * argument is the one key of forms[] that it has. Contents are given as values, a fill or a file. */
#include "scenario_parse.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/device/device_path.h"
#include "sim/base/scenario_rows.h"

enum { VALUE_BYTES_MAX = 1 << 30 };

/* ---- values ---------------------------------------------------------------------------------- */

bool parse_value_type(struct reader *reader, const yaml_node_t *parent, struct shape *out_shape)
{
    static const char expected[] =
        "char, uchar, short, ushort, int, uint, long, ulong, half, float, double, or one of "
        "them with 2, 3, 4, 8 or 16 after";
    const yaml_node_t *node = reader_get(reader, parent, "type");
    char name[16];
    if (!node)
        return reader_error(reader, parent, "key 'type' is missing: %s", expected);
    const char *text = reader_node_text(node);
    size_t letters = text ? strspn(text, "abcdefghijklmnopqrstuvwxyz") : 0;
    uint64_t width = 1;
    if (!text || letters >= sizeof name || (text[letters] && !value_parse_number(text + letters, &width)))
        return reader_unexpected(reader, node, "type", expected);
    memcpy(name, text, letters);
    name[letters] = '\0';
    if (!value_type_from_name(name, &out_shape->type) || !strchr("\1\2\3\4\10\20", (int)(width & 127)) ||
        !width || width > 16)
        return reader_unexpected(reader, node, "type", expected);
    out_shape->width = (uint32_t)width;
    out_shape->stride = width == 3 ? 4 : (uint32_t)width;
    return true;
}

static bool values_alloc(struct reader *reader, const yaml_node_t *node, const struct shape *shape,
                         uint64_t count, struct value_list *out_values)
{
    size_t size = value_type_size(shape->type) * shape->stride;
    if (count > VALUE_BYTES_MAX / size)
        return reader_error(reader, node, "found %llu values of %zu bytes, expected at most %d bytes in all",
                            (unsigned long long)count, size, VALUE_BYTES_MAX);
    out_values->type = shape->type;
    out_values->count = (size_t)count * shape->stride;
    out_values->data = calloc(count ? (size_t)count : 1, size);
    return out_values->data || reader_out_of_memory(reader);
}

static void *element(const struct value_list *values, const struct shape *shape, size_t index)
{
    size_t place = index / shape->width * shape->stride + index % shape->width;
    return (char *)values->data + place * value_type_size(shape->type);
}

static bool read_value(struct reader *reader, const yaml_node_t *node, const char *key, enum value_type type,
                       void *out)
{
    char expected[EXPECTED_CHARS];
    if (reader_node_text(node) && value_parse(reader_node_text(node), type, out))
        return true;
    value_expected(type, expected);
    return reader_unexpected(reader, node, key, expected);
}

/* The number of values: one, or the length of a sequence. */
static size_t values_in(const yaml_node_t *node)
{
    return node->type == YAML_SEQUENCE_NODE ? reader_node_items(node) : 1;
}

static bool read_values(struct reader *reader, const yaml_node_t *node, const char *key,
                        const struct shape *shape, const struct value_list *values)
{
    for (size_t i = 0; i < values_in(node); i++) {
        const yaml_node_t *item = node->type == YAML_SEQUENCE_NODE ? reader_item(reader, node, i) : node;
        if (!read_value(reader, item, key, shape->type, element(values, shape, i)))
            return false;
    }
    return true;
}

/* Copies what is filled already, so that a buffer of a gigabyte takes no longer than its memory does. */
static bool fill_values(struct reader *reader, const yaml_node_t *fill, const struct shape *shape,
                        const struct value_list *values)
{
    uint64_t value = 0;
    char *data = values->data;
    const size_t size = value_type_size(shape->type), bytes = values->count * size;
    if (!read_value(reader, fill, "fill", shape->type, &value))
        return false;
    memcpy(data, &value, bytes ? size : 0);
    for (size_t filled = size; filled < bytes; filled *= 2)
        memcpy(data + filled, data, filled < bytes - filled ? filled : bytes - filled);
    return true;
}

/* A relative path is relative to the scenario's file. */
static FILE *open_beside(const struct reader *reader, const char *name)
{
    const char *slash = strrchr(reader->file, '/');
    char *path = NULL;
    if (asprintf(&path, "%.*s%s", *name == '/' || !slash ? 0 : (int)(slash + 1 - reader->file), reader->file,
                 name) < 0)
        return NULL;
    FILE *stream = fopen(path, "rb");
    free(path);
    return stream;
}

/* Reads a file that must be exactly as long as the values. */
static bool read_file(struct reader *reader, const yaml_node_t *file, const struct value_list *values)
{
    const size_t size = values->count * value_type_size(values->type);
    FILE *stream = reader_node_text(file) ? open_beside(reader, reader_node_text(file)) : NULL;
    if (!stream)
        return reader_unexpected(reader, file, "file", "a file that can be read");
    const size_t got = fread(values->data, 1, size, stream);
    const bool fits = got == size && fgetc(stream) == EOF;
    fclose(stream);
    return fits || reader_error(reader, file, "file: found %s%zu bytes in '%s', expected %zu",
                                got == size ? "more than " : "", got, reader_node_text(file), size);
}

bool parse_filled(struct reader *reader, const yaml_node_t *node, const struct shape *shape, uint64_t in_all,
                  struct value_list *out_values, bool *out_nothing)
{
    const yaml_node_t *fill = reader_get(reader, node, "fill"), *values = reader_get(reader, node, "values"),
                      *file = reader_get(reader, node, "file");
    const uint64_t given = values ? values_in(values) / shape->width : 0;
    if (given > in_all)
        return reader_error(reader, values, "values: found %llu, but there are %llu",
                            (unsigned long long)given, (unsigned long long)in_all);
    if (file && (fill || values))
        return reader_error(reader, file, "file: found beside %s, expected one of them",
                            fill ? "fill" : "values");
    *out_nothing = !fill && !values && !file;
    return values_alloc(reader, node, shape, in_all, out_values) &&
           (!fill || fill_values(reader, fill, shape, out_values)) &&
           (!values || read_values(reader, values, "values", shape, out_values)) &&
           (!file || read_file(reader, file, out_values));
}

/* type, count, fill and values of a buffer, or of an expectation. */
bool parse_contents(struct reader *reader, const yaml_node_t *node, const struct shape *shape,
                    struct value_list *out_values, bool *out_nothing)
{
    const yaml_node_t *count_node = reader_get(reader, node, "count");
    const yaml_node_t *values = reader_get(reader, node, "values");
    uint64_t count = 0, given = values ? values_in(values) : 0;

    if (values && given % shape->width)
        return reader_error(
            reader, values, "values: found %llu, expected a multiple of %u: %s has that many elements",
            (unsigned long long)given, shape->width, reader_node_text(reader_get(reader, node, "type")));
    if (count_node && !reader_number(reader, count_node, "count", VALUE_BYTES_MAX, &count))
        return false;
    if (!count_node && !values)
        return reader_error(reader, node, "expected 'count' or 'values', so that the size is known");
    if (count_node && values && given / shape->width > count)
        return reader_error(reader, values, "values: found %llu, but count is %llu",
                            (unsigned long long)(given / shape->width), (unsigned long long)count);
    return parse_filled(reader, node, shape, count_node ? count : given / shape->width, out_values,
                        out_nothing);
}

/* ---- arguments -------------------------------------------------------------------------------- */

bool parse_access(struct reader *reader, const yaml_node_t *node, struct scenario_arg *arg)
{
    const char *text = node ? reader_node_text(node) : "read-write";
    if (!text || (strcmp(text, "read") != 0 && strcmp(text, "write") != 0 && strcmp(text, "read-write") != 0))
        return reader_unexpected(reader, node, "access", "read, write or read-write");
    arg->read_only = strcmp(text, "read") == 0;
    arg->write_only = strcmp(text, "write") == 0;
    return true;
}

/* "64..127" */
static bool parse_byte_range(const char *text, struct byte_range *out_range)
{
    char first[24];
    const char *dots = text ? strstr(text, "..") : NULL;
    if (!dots || (size_t)(dots - text) >= sizeof first)
        return false;
    memcpy(first, text, (size_t)(dots - text));
    first[dots - text] = '\0';
    if (!value_parse_number(first, &out_range->low) || !value_parse_number(dots + 2, &out_range->high) ||
        out_range->low > out_range->high)
        return false;
    return ++out_range->high;
}

/* Ranges of bytes without a value, in a buffer that has contents; in ascending order. */
static bool read_unwritten(struct reader *reader, const yaml_node_t *node, struct scenario_arg *arg)
{
    static const char expected[] = "ranges of bytes in ascending order, as [0..63, 128..255]";
    const uint64_t bytes = arg->values.count * value_type_size(arg->values.type);
    uint64_t past = 0;
    if (!node)
        return true;
    if (arg->uninitialised)
        return reader_error(reader, node, "unwritten: no byte of the buffer is written");
    if (node->type != YAML_SEQUENCE_NODE)
        return reader_unexpected(reader, node, "unwritten", expected);
    arg->unwritten = calloc(reader_node_items(node) + 1, sizeof *arg->unwritten);
    if (!arg->unwritten)
        return reader_out_of_memory(reader);
    for (size_t i = 0; i < reader_node_items(node); i++) {
        const yaml_node_t *item = reader_item(reader, node, i);
        struct byte_range *range = &arg->unwritten[arg->unwritten_count++];
        if (!parse_byte_range(reader_node_text(item), range) || range->low < past)
            return reader_unexpected(reader, item, "unwritten", expected);
        if (range->high > bytes)
            return reader_error(reader, item, "unwritten: found byte %llu, but the buffer has %llu",
                                (unsigned long long)range->high - 1, (unsigned long long)bytes);
        past = range->high;
    }
    return true;
}

static bool read_buffer(struct reader *reader, const yaml_node_t *node, struct scenario_arg *arg)
{
    struct shape shape;
    const char *text = reader_node_text(node);
    arg->kind = SCENARIO_ARG_BUFFER;
    if (text && (strcmp(text, "null") == 0 || strcmp(text, "~") == 0))
        return true;
    return reader_keys(reader, node, "buffer") && parse_value_type(reader, node, &shape) &&
           parse_contents(reader, node, &shape, &arg->values, &arg->uninitialised) &&
           read_unwritten(reader, reader_get(reader, node, "unwritten"), arg) &&
           parse_access(reader, reader_get(reader, node, "access"), arg);
}

static bool read_scalar_values(struct reader *reader, const yaml_node_t *node, struct shape *out_shape,
                               struct value_list *out_values)
{
    if (!reader_keys(reader, node, "scalar") || !parse_value_type(reader, node, out_shape))
        return false;
    const yaml_node_t *value = reader_get(reader, node, "value");
    if (!value)
        return reader_error(reader, node, "key 'value' is missing");
    size_t given = values_in(value);
    if (given % out_shape->width)
        return reader_error(reader, value, "value: found %zu values, expected a multiple of %u", given,
                            out_shape->width);
    return values_alloc(reader, node, out_shape, given / out_shape->width, out_values) &&
           read_values(reader, value, "value", out_shape, out_values);
}

static bool read_scalar(struct reader *reader, const yaml_node_t *node, struct scenario_arg *arg)
{
    struct shape shape;
    arg->kind = SCENARIO_ARG_SCALAR;
    return read_scalar_values(reader, node, &shape, &arg->values);
}

static size_t aligned(size_t offset, size_t alignment)
{
    return (offset + alignment - 1) / alignment * alignment;
}

/* Members of a structure, one after the other, each aligned to its own size, as in OpenCL C. */
static bool append_member(struct reader *reader, const yaml_node_t *node, struct value_list *bytes,
                          size_t *alignment)
{
    struct shape shape;
    struct value_list member = {.data = NULL};
    bool fine = read_scalar_values(reader, node, &shape, &member);
    if (fine) {
        size_t unit = value_type_size(shape.type), size = member.count * unit;
        size_t start = aligned(bytes->count, unit * shape.stride);
        char *grown = realloc(bytes->data, start + size + 1);
        fine = grown || reader_out_of_memory(reader);
        if (grown) {
            memset(grown + bytes->count, 0, start - bytes->count);
            memcpy(grown + start, member.data, size);
            bytes->data = grown;
            bytes->count = start + size;
            *alignment = unit * shape.stride > *alignment ? unit * shape.stride : *alignment;
        }
    }
    free(member.data);
    return fine;
}

static bool read_struct(struct reader *reader, const yaml_node_t *node, struct scenario_arg *arg)
{
    size_t alignment = 1;
    arg->kind = SCENARIO_ARG_SCALAR;
    arg->values.type = VALUE_U8;
    if (node->type != YAML_SEQUENCE_NODE || !reader_node_items(node))
        return reader_unexpected(reader, node, "struct", "a sequence of members {type: ..., value: ...}");
    for (size_t i = 0; i < reader_node_items(node); i++) {
        if (!append_member(reader, reader_item(reader, node, i), &arg->values, &alignment))
            return false;
    }
    size_t size = aligned(arg->values.count, alignment);
    char *padded = realloc(arg->values.data, size);
    if (!padded)
        return reader_out_of_memory(reader);
    memset(padded + arg->values.count, 0, size - arg->values.count);
    arg->values.data = padded;
    arg->values.count = size;
    return true;
}

static bool read_local(struct reader *reader, const yaml_node_t *node, struct scenario_arg *arg)
{
    uint64_t bytes;
    arg->kind = SCENARIO_ARG_LOCAL;
    if (!reader_node_text(node) || !value_parse_size(reader_node_text(node), &bytes))
        return reader_unexpected(reader, node, "local", "bytes, such as 256 or 4KiB");
    arg->local_bytes = (size_t)bytes;
    return true;
}

static bool read_same(struct reader *reader, const yaml_node_t *node, struct scenario_arg *arg)
{
    arg->kind = SCENARIO_ARG_BUFFER;
    return reader_string(reader, node, "same", &arg->same_as);
}

static const struct {
    const char *key;
    bool (*read)(struct reader *, const yaml_node_t *, struct scenario_arg *);
} forms[] = {
    {"buffer", read_buffer}, {"scalar", read_scalar}, {"struct", read_struct},    {"local", read_local},
    {"same", read_same},     {"image", parse_image},  {"sampler", parse_sampler}, {"queue", parse_queue},
};

/* Where the pointer of an argument begins in its buffer, or how many bytes it is given. */
static bool read_place(struct reader *reader, const yaml_node_t *node, const char *key, uint64_t least,
                       uint64_t *out)
{
    const yaml_node_t *place = reader_get(reader, node, key);
    if (!place)
        return true;
    if (!reader_get(reader, node, "buffer") && !reader_get(reader, node, "same"))
        return reader_error(reader, place, "%s: found beside no buffer, expected buffer or same", key);
    return reader_number(reader, place, key, VALUE_BYTES_MAX, out) &&
           (*out >= least || reader_unexpected(reader, place, key, "1 byte or more"));
}

static bool read_arg(struct reader *reader, const yaml_node_t *node, struct scenario_arg *arg)
{
    static const char expected[] =
        "exactly one of: buffer, scalar, struct, local, same, image, sampler, queue";
    size_t found = 0;
    if (!reader_keys(reader, node, "argument"))
        return false;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        const yaml_node_t *form = reader_get(reader, node, forms[i].key);
        if (form && found++)
            return reader_error(reader, node, "an argument: found several forms, expected %s", expected);
        if (form && !forms[i].read(reader, form, arg))
            return false;
    }
    const yaml_node_t *name = reader_get(reader, node, "name");
    if (!read_place(reader, node, "offset", 0, &arg->offset_bytes) ||
        !read_place(reader, node, "bytes", 1, &arg->part_bytes))
        return false;
    if (name && !reader_string(reader, name, "name", &arg->name))
        return false;
    return found == 1 || reader_error(reader, node, "an argument: expected %s", expected);
}

/* `same:` names an earlier buffer or image. A forward reference is an error. */
static bool resolve_same(struct reader *reader, const yaml_node_t *node, struct scenario_arg *arg)
{
    const struct scenario_arg *named = scenario_named_arg(reader->scenario, arg->same_as);
    if (!named)
        return reader_error(reader, node, "same: no buffer before this one has the name '%s'", arg->same_as);
    arg->kind = named->kind;
    return true;
}

/* ---- launches ----------------------------------------------------------------------------------- */

bool parse_range(struct reader *reader, const yaml_node_t *node, const char *key, uint64_t out_range[3],
                 uint32_t *out_dim)
{
    size_t count = node->type == YAML_MAPPING_NODE ? 0 : values_in(node);
    if (count < 1 || count > 3)
        return reader_unexpected(reader, node, key, "1 to 3 numbers");
    for (size_t i = 0; i < count; i++) {
        const yaml_node_t *item = node->type == YAML_SEQUENCE_NODE ? reader_item(reader, node, i) : node;
        if (!reader_number(reader, item, key, UINT64_MAX, &out_range[i]))
            return false;
    }
    *out_dim = (uint32_t)count;
    return true;
}

/* local and offset have as many dimensions as global. */
static bool read_matching(struct reader *reader, const yaml_node_t *launch_node, const char *key,
                          const struct scenario_launch *launch, uint64_t out_range[3])
{
    uint32_t dimensions;
    const yaml_node_t *node = reader_get(reader, launch_node, key);
    if (!node)
        return true;
    if (!parse_range(reader, node, key, out_range, &dimensions))
        return false;
    return dimensions == launch->work_dim ||
           reader_error(reader, node, "%s: found %u numbers, but global has %u", key, dimensions,
                        launch->work_dim);
}

static bool read_ranges(struct reader *reader, const yaml_node_t *node, struct scenario_launch *launch)
{
    const yaml_node_t *global = reader_get(reader, node, "global");
    for (int i = 0; i < 3; i++)
        launch->global[i] = 1;
    if (!global)
        return reader_error(reader, node, "key 'global' is missing: 1 to 3 numbers");
    return parse_range(reader, global, "global", launch->global, &launch->work_dim) &&
           read_matching(reader, node, "local", launch, launch->local) &&
           read_matching(reader, node, "offset", launch, launch->offset);
}

static bool read_args(struct reader *reader, const yaml_node_t *node, struct scenario_launch *launch)
{
    if (!node)
        return true;
    if (node->type != YAML_SEQUENCE_NODE)
        return reader_unexpected(reader, node, "args", "a sequence of arguments");
    launch->args = calloc(reader_node_items(node) + 1, sizeof *launch->args);
    if (!launch->args)
        return reader_out_of_memory(reader);
    for (size_t i = 0; i < reader_node_items(node); i++) {
        struct scenario_arg *arg = &launch->args[launch->arg_count++];
        const yaml_node_t *item = reader_item(reader, node, i);
        if (!read_arg(reader, item, arg))
            return false;
        if (arg->same_as && !resolve_same(reader, reader_get(reader, item, "same"), arg))
            return false;
    }
    return true;
}

/* Checks the syntax only. The launch checks whether the machine has the device, since an option may replace
 * the machine. */
static bool read_launch_device(struct reader *reader, const yaml_node_t *node, struct scenario_launch *launch)
{
    struct diagnosis cause = {0};
    if (!node)
        return true;
    if (!reader_string(reader, node, "device", &launch->device))
        return false;
    enum status status = device_path_check(launch->device, &cause);
    if (status == STATUS_OUT_OF_MEMORY)
        return reader_out_of_memory(reader);
    return status == STATUS_OK || reader_error(reader, node, "%s", cause.text);
}

static bool read_concurrent(struct reader *reader, const yaml_node_t *node, struct scenario_launch *launch)
{
    const char *text = node ? reader_node_text(node) : NULL;
    if (!node)
        return true;
    launch->concurrent = text && strcmp(text, "true") == 0;
    if (!launch->concurrent && (!text || strcmp(text, "false") != 0))
        return reader_unexpected(reader, node, "concurrent", "true or false");
    return !launch->concurrent || launch != reader->scenario->launches ||
           reader_error(reader, node, "concurrent: there is no launch before the first one");
}

static bool read_launch(struct reader *reader, const yaml_node_t *node, struct scenario_launch *launch)
{
    launch->line = (uint32_t)node->start_mark.line + 1;
    if (!reader_keys(reader, node, "launch"))
        return false;
    const yaml_node_t *kernel = reader_get(reader, node, "kernel");
    if (!kernel)
        return reader_error(reader, node, "key 'kernel' is missing: the name of a kernel");
    return reader_string(reader, kernel, "kernel", &launch->kernel) &&
           read_concurrent(reader, reader_get(reader, node, "concurrent"), launch) &&
           read_launch_device(reader, reader_get(reader, node, "device"), launch) &&
           read_ranges(reader, node, launch) && read_args(reader, reader_get(reader, node, "args"), launch);
}

bool parse_launches(struct reader *reader, const yaml_node_t *node)
{
    if (!node)
        return true;
    if (node->type != YAML_SEQUENCE_NODE)
        return reader_unexpected(reader, node, "launch", "a sequence of launches");
    reader->scenario->launches = calloc(reader_node_items(node) + 1, sizeof *reader->scenario->launches);
    if (!reader->scenario->launches)
        return reader_out_of_memory(reader);
    for (size_t i = 0; i < reader_node_items(node); i++) {
        if (!read_launch(reader, reader_item(reader, node, i),
                         &reader->scenario->launches[reader->scenario->launch_count++]))
            return false;
    }
    return true;
}
