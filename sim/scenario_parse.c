/* SPDX-License-Identifier: Apache-2.0 */
/*
 * YAML to struct scenario.  libyaml's document tree is walked against the rows of
 * scenario.def; every complaint has the position of the node it is about.
 */
#include "orrery/scenario.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "device_path.h"
#include "orrery/report.h"
#include "scenario_rows.h"
#include "suppression.h"

struct reader {
    yaml_document_t document;
    const char *file;
    struct scenario *scenario;
    struct diagnosis *diagnosis;
};

enum { VALUE_BYTES_MAX = 1 << 30 };

/* ---- complaints ------------------------------------------------------------------- */

static bool complain(struct reader *reader, const yaml_node_t *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool complain(struct reader *reader, const yaml_node_t *node, const char *format, ...)
{
    char text[800];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    diagnose(reader->diagnosis, STATUS_BAD_SCENARIO, "%s:%zu:%zu: %s", reader->file, node->start_mark.line + 1,
             node->start_mark.column + 1, text);
    return false;
}

static bool out_of_memory(struct reader *reader)
{
    diagnose(reader->diagnosis, STATUS_OUT_OF_MEMORY, "%s: out of memory", reader->file);
    return false;
}

static const char *text_of(const yaml_node_t *node)
{
    return node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

static const char *node_words(const yaml_node_t *node)
{
    if (node->type == YAML_MAPPING_NODE)
        return "a mapping";
    if (node->type == YAML_SEQUENCE_NODE)
        return "a sequence";
    return node->data.scalar.length ? "a scalar" : "nothing";
}

/* "found 'x', expected ..." whatever sort of node it is. */
static bool unexpected(struct reader *reader, const yaml_node_t *node, const char *key, const char *expected)
{
    const char *text = text_of(node);
    if (text && *text)
        return complain(reader, node, "%s: found '%s', expected %s", key, text, expected);
    return complain(reader, node, "%s: found %s, expected %s", key, node_words(node), expected);
}

/* ---- mappings ----------------------------------------------------------------------- */

struct pair { yaml_node_t *key, *value; };

static size_t pair_count(const yaml_node_t *mapping)
{
    return (size_t)(mapping->data.mapping.pairs.top - mapping->data.mapping.pairs.start);
}

static struct pair pair_at(struct reader *reader, const yaml_node_t *mapping, size_t index)
{
    yaml_node_pair_t *pair = mapping->data.mapping.pairs.start + index;
    return (struct pair){yaml_document_get_node(&reader->document, pair->key),
                         yaml_document_get_node(&reader->document, pair->value)};
}

static size_t item_count(const yaml_node_t *sequence)
{
    return (size_t)(sequence->data.sequence.items.top - sequence->data.sequence.items.start);
}

static yaml_node_t *item_at(struct reader *reader, const yaml_node_t *sequence, size_t index)
{
    return yaml_document_get_node(&reader->document, sequence->data.sequence.items.start[index]);
}

static yaml_node_t *get(struct reader *reader, const yaml_node_t *mapping, const char *key)
{
    for (size_t i = 0; i < pair_count(mapping); i++) {
        struct pair pair = pair_at(reader, mapping, i);
        if (strcmp(text_of(pair.key), key) == 0)
            return pair.value;
    }
    return NULL;
}

/* The keys of a section: its rows, then those with a structure of their own. */
struct section { const char *name, *title; const char *keys[12]; };

static const struct section sections[] = {
    {"", "a scenario", {"orrery", "device", "devices", "schedule", "checks", "report", "suppressions", "faults", "program", "launch", "expect"}},
    {"device", "device", {"limits", "features"}},
    {"topology", "topology", {"xml"}},
    {"device.limits", "limits", {NULL}},
    {"device.features", "features", {NULL}},
    {"schedule", "schedule", {"script"}},
    {"step", "a step of the script", {"item", "group", "sub_group", "until", "steps", "launch"}},
    {"until", "until", {"line", "visit"}},
    {"checks", "checks", {NULL}},
    {"report", "report", {NULL}},
    {"program", "program", {NULL}},
    {"expect", "expect", {"findings", "buffers", "placement", "counters"}},
    {"launch", "launch", {"kernel", "device", "concurrent", "global", "local", "offset", "args"}},
    {"argument", "an argument", {"buffer", "scalar", "struct", "local", "same", "name"}},
    {"buffer", "buffer", {"type", "count", "fill", "values", "access"}},
    {"scalar", "scalar", {"type", "value"}},
    {"suppression", "a suppression", {"id", "kernel", "file", "line", "object", "reason"}},
    {"fault", "a fault", {"fail", "nth", "times", "error", "lose_device", "delay", "command"}},
    {"finding", "an expected finding", {"id", "line", "kernel", "why", "fix"}},
    {"placement", "an expected placement", {"launch", "units"}},
    {"result", "an expected buffer", {"launch", "arg", "type", "count", "fill", "values"}},
};

static const struct section *section_find(const char *name)
{
    size_t i = 0;
    while (strcmp(sections[i].name, name) != 0)
        i++;
    return &sections[i];
}

static const struct scenario_row *row_find(const char *section, const char *key)
{
    const struct scenario_row *row;
    for (size_t i = 0; (row = scenario_row(i)) != NULL; i++) {
        if (strcmp(row->section, section) == 0 && strcmp(row->key, key) == 0)
            return row;
    }
    return NULL;
}

static bool key_is_legal(const struct section *section, const char *key)
{
    for (size_t i = 0; section->keys[i]; i++) {
        if (strcmp(section->keys[i], key) == 0)
            return true;
    }
    return row_find(section->name, key) != NULL;
}

static void list_keys(const struct section *section, char *out, size_t size)
{
    const struct scenario_row *row;
    size_t used = 0;
    for (size_t i = 0; section->keys[i] && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", used ? ", " : "", section->keys[i]);
    for (size_t i = 0; (row = scenario_row(i)) != NULL && used < size; i++) {
        if (strcmp(row->section, section->name) == 0)
            used += (size_t)snprintf(out + used, size - used, "%s%s", used ? ", " : "", row->key);
    }
}

static bool check_key(struct reader *reader, const yaml_node_t *mapping, const struct section *section, size_t index)
{
    char keys[600];
    yaml_node_t *node = pair_at(reader, mapping, index).key;
    const char *key = text_of(node);
    list_keys(section, keys, sizeof keys);
    if (!key)
        return complain(reader, node, "%s: found %s as a key, expected one of: %s", section->title, node_words(node), keys);
    if (!key_is_legal(section, key))
        return complain(reader, node, "found key '%s', but %s has these keys: %s", key, section->title, keys);
    for (size_t i = 0; i < index; i++) {
        yaml_node_t *other = pair_at(reader, mapping, i).key;
        if (strcmp(text_of(other), key) == 0)
            return complain(reader, node, "key '%s' is there twice, first at line %zu", key, other->start_mark.line + 1);
    }
    return true;
}

static bool check_keys(struct reader *reader, const yaml_node_t *node, const char *name)
{
    const struct section *section = section_find(name);
    char expected[700] = "a mapping with these keys: ";
    list_keys(section, expected + strlen(expected), sizeof expected - strlen(expected));
    if (node->type != YAML_MAPPING_NODE)
        return unexpected(reader, node, section->title, expected);
    for (size_t i = 0; i < pair_count(node); i++) {
        if (!check_key(reader, node, section, i))
            return false;
    }
    return true;
}

/* ---- rows ------------------------------------------------------------------------------ */

/* A list is one text to scenario_row_set: "16,8". */
static char *joined_text(struct reader *reader, const yaml_node_t *node)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return NULL;
    for (size_t i = 0; i < item_count(node); i++) {
        const char *item = text_of(item_at(reader, node, i));
        fprintf(stream, "%s%s", i ? "," : "", item ? item : "?");
    }
    fclose(stream);
    return text;
}

/* The name of another file is relative to this one. */
static char *beside(const char *file, const char *name)
{
    const char *slash = strrchr(file, '/');
    char *path = NULL;
    if (!slash || *name == '/')
        return strdup(name);
    return asprintf(&path, "%.*s/%s", (int)(slash - file), file, name) < 0 ? NULL : path;
}

static bool read_suppression_file(struct reader *reader, const yaml_node_t *node)
{
    struct diagnosis inner = {0};
    char *path = text_of(node) ? beside(reader->file, text_of(node)) : NULL;
    bool fine = path && scenario_load_suppressions(reader->scenario, path, &inner) == STATUS_OK;
    if (!text_of(node))
        unexpected(reader, node, "suppressions", "the name of a file");
    else if (!fine)
        complain(reader, node, "suppressions: %s", inner.text);
    free(path);
    return fine;
}

/* topology: {xml: FILE} is one text, too: "xml:PATH". */
static bool read_xml(struct reader *reader, const struct scenario_row *row, const yaml_node_t *node)
{
    char expected[EXPECTED_CHARS] = "the name of a file", *text = NULL;
    if (!check_keys(reader, node, "topology"))
        return false;
    const yaml_node_t *name = get(reader, node, "xml");
    if (!name || !text_of(name) || !*text_of(name))
        return unexpected(reader, name ? name : node, "xml", expected);
    char *path = beside(reader->file, text_of(name));
    if (!path || asprintf(&text, "xml:%s", path) < 0) {
        free(path);
        return out_of_memory(reader);
    }
    bool fine = scenario_row_set(reader->scenario, row, text, expected);
    free(text);
    free(path);
    return fine || unexpected(reader, name, "xml", expected);
}

static bool read_row(struct reader *reader, const struct scenario_row *row, const yaml_node_t *node)
{
    char expected[EXPECTED_CHARS] = "one value";
    if (row->type == ROW_SUPPRESSIONS)
        return read_suppression_file(reader, node);
    bool list = row->type == ROW_SIZE_LIST || row->type == ROW_TRIPLE || row->type == ROW_UNIT_LIST ||
                row->type == ROW_CAPABILITIES;
    if (node->type == YAML_MAPPING_NODE && row->type == ROW_TOPOLOGY)
        return read_xml(reader, row, node);
    if (node->type == YAML_MAPPING_NODE || (node->type == YAML_SEQUENCE_NODE && !list))
        return unexpected(reader, node, row->key, expected);
    char *text = node->type == YAML_SEQUENCE_NODE ? joined_text(reader, node) : strdup(text_of(node));
    bool fine = text && scenario_row_set(reader->scenario, row, text, expected);
    if (!fine)
        complain(reader, node, "%s: found '%s', expected %s", row->key, text ? text : "", expected);
    free(text);
    return fine;
}

static bool read_rows(struct reader *reader, const yaml_node_t *mapping, const char *section)
{
    for (size_t i = 0; i < pair_count(mapping); i++) {
        struct pair pair = pair_at(reader, mapping, i);
        const struct scenario_row *row = row_find(section, text_of(pair.key));
        if (row && !read_row(reader, row, pair.value))
            return false;
    }
    return true;
}

/* A section that holds rows only, if it is there. */
static bool read_section(struct reader *reader, const yaml_node_t *parent, const char *key, const char *section)
{
    yaml_node_t *node = get(reader, parent, key);
    return !node || (check_keys(reader, node, section) && read_rows(reader, node, section));
}

/* ---- scalars ------------------------------------------------------------------------------ */

static bool read_string(struct reader *reader, const yaml_node_t *node, const char *key, char **out_text)
{
    if (!text_of(node))
        return unexpected(reader, node, key, "text");
    *out_text = strdup(text_of(node));
    return *out_text || out_of_memory(reader);
}

static bool read_number(struct reader *reader, const yaml_node_t *node, const char *key, uint64_t most, uint64_t *out_value)
{
    char expected[EXPECTED_CHARS];
    snprintf(expected, sizeof expected, "0 to %llu", (unsigned long long)most);
    if (!text_of(node) || !number_parse(text_of(node), out_value) || *out_value > most)
        return unexpected(reader, node, key, expected);
    return true;
}

static bool read_u32(struct reader *reader, const yaml_node_t *node, const char *key, uint32_t *out_value)
{
    uint64_t value;
    if (!node)
        return true;
    if (!read_number(reader, node, key, UINT32_MAX, &value))
        return false;
    *out_value = (uint32_t)value;
    return true;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* A vector is its elements in a row; one of three has the room of four. */
struct shape { enum value_type type; uint32_t width, stride; };

static bool read_type(struct reader *reader, const yaml_node_t *parent, struct shape *out_shape)
{
    static const char expected[] = "char, uchar, short, ushort, int, uint, long, ulong, half, float, double, or one of "
                                   "them with 2, 3, 4, 8 or 16 behind";
    const yaml_node_t *node = get(reader, parent, "type");
    char name[16];
    if (!node)
        return complain(reader, parent, "key 'type' is missing: %s", expected);
    const char *text = text_of(node);
    size_t letters = text ? strspn(text, "abcdefghijklmnopqrstuvwxyz") : 0;
    uint64_t width = 1;
    if (!text || letters >= sizeof name || (text[letters] && !number_parse(text + letters, &width)))
        return unexpected(reader, node, "type", expected);
    memcpy(name, text, letters);
    name[letters] = '\0';
    if (!value_type_from_name(name, &out_shape->type) || !strchr("\1\2\3\4\10\20", (int)(width & 127)) || !width || width > 16)
        return unexpected(reader, node, "type", expected);
    out_shape->width = (uint32_t)width;
    out_shape->stride = width == 3 ? 4 : (uint32_t)width;
    return true;
}

static bool values_alloc(struct reader *reader, const yaml_node_t *node, const struct shape *shape, uint64_t count,
                         struct value_list *out_values)
{
    size_t size = value_type_size(shape->type) * shape->stride;
    if (count > VALUE_BYTES_MAX / size)
        return complain(reader, node, "found %llu values of %zu bytes, expected at most %d bytes in all",
                        (unsigned long long)count, size, VALUE_BYTES_MAX);
    out_values->type = shape->type;
    out_values->count = (size_t)count * shape->stride;
    out_values->data = calloc(count ? (size_t)count : 1, size);
    return out_values->data || out_of_memory(reader);
}

static void *element(const struct value_list *values, const struct shape *shape, size_t index)
{
    size_t place = index / shape->width * shape->stride + index % shape->width;
    return (char *)values->data + place * value_type_size(shape->type);
}

static bool read_value(struct reader *reader, const yaml_node_t *node, const char *key, enum value_type type, void *out)
{
    char expected[EXPECTED_CHARS];
    if (text_of(node) && value_parse(text_of(node), type, out))
        return true;
    value_expected(type, expected);
    return unexpected(reader, node, key, expected);
}

/* One value, or a sequence of them. */
static size_t values_in(const yaml_node_t *node)
{
    return node->type == YAML_SEQUENCE_NODE ? item_count(node) : 1;
}

static bool read_values(struct reader *reader, const yaml_node_t *node, const char *key, const struct shape *shape,
                        const struct value_list *values)
{
    for (size_t i = 0; i < values_in(node); i++) {
        const yaml_node_t *item = node->type == YAML_SEQUENCE_NODE ? item_at(reader, node, i) : node;
        if (!read_value(reader, item, key, shape->type, element(values, shape, i)))
            return false;
    }
    return true;
}

static bool fill_values(struct reader *reader, const yaml_node_t *fill, const struct shape *shape,
                        const struct value_list *values)
{
    uint64_t value = 0;
    if (!read_value(reader, fill, "fill", shape->type, &value))
        return false;
    for (size_t i = 0; i < values->count; i++)
        memcpy((char *)values->data + i * value_type_size(shape->type), &value, value_type_size(shape->type));
    return true;
}

/* type, count, fill and values together: buffers and what is expected of them. */
static bool read_contents(struct reader *reader, const yaml_node_t *node, const struct shape *shape,
                          struct value_list *out_values, bool *out_nothing)
{
    const yaml_node_t *count_node = get(reader, node, "count");
    const yaml_node_t *fill = get(reader, node, "fill"), *values = get(reader, node, "values");
    uint64_t count = 0, given = values ? values_in(values) : 0;

    if (values && given % shape->width)
        return complain(reader, values, "values: found %llu, expected a multiple of %u: %s has that many elements",
                        (unsigned long long)given, shape->width, text_of(get(reader, node, "type")));
    if (count_node && !read_number(reader, count_node, "count", VALUE_BYTES_MAX, &count))
        return false;
    if (!count_node && !values)
        return complain(reader, node, "expected 'count' or 'values', so that the size is known");
    if (count_node && values && given / shape->width > count)
        return complain(reader, values, "values: found %llu, but count is %llu", (unsigned long long)(given / shape->width),
                        (unsigned long long)count);
    *out_nothing = !fill && !values;
    return values_alloc(reader, node, shape, count_node ? count : given / shape->width, out_values) &&
           (!fill || fill_values(reader, fill, shape, out_values)) &&
           (!values || read_values(reader, values, "values", shape, out_values));
}

/* ---- arguments -------------------------------------------------------------------------------- */

static bool read_access(struct reader *reader, const yaml_node_t *node, struct scenario_arg *arg)
{
    const char *text = node ? text_of(node) : "read-write";
    if (!text || (strcmp(text, "read") != 0 && strcmp(text, "write") != 0 && strcmp(text, "read-write") != 0))
        return unexpected(reader, node, "access", "read, write or read-write");
    arg->read_only = strcmp(text, "read") == 0;
    arg->write_only = strcmp(text, "write") == 0;
    return true;
}

static bool read_buffer(struct reader *reader, const yaml_node_t *node, struct scenario_arg *arg)
{
    struct shape shape;
    arg->kind = SCENARIO_ARG_BUFFER;
    if (text_of(node) && (strcmp(text_of(node), "null") == 0 || strcmp(text_of(node), "~") == 0))
        return true;
    return check_keys(reader, node, "buffer") && read_type(reader, node, &shape) &&
           read_contents(reader, node, &shape, &arg->values, &arg->uninitialised) &&
           read_access(reader, get(reader, node, "access"), arg);
}

static bool read_scalar_values(struct reader *reader, const yaml_node_t *node, struct shape *out_shape,
                               struct value_list *out_values)
{
    if (!check_keys(reader, node, "scalar") || !read_type(reader, node, out_shape))
        return false;
    const yaml_node_t *value = get(reader, node, "value");
    if (!value)
        return complain(reader, node, "key 'value' is missing");
    size_t given = values_in(value);
    if (given % out_shape->width)
        return complain(reader, value, "value: found %zu values, expected a multiple of %u", given, out_shape->width);
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

/* Members one after the other, each on a multiple of its own size, as in OpenCL C. */
static bool append_member(struct reader *reader, const yaml_node_t *node, struct value_list *bytes, size_t *alignment)
{
    struct shape shape;
    struct value_list member = {.data = NULL};
    bool fine = read_scalar_values(reader, node, &shape, &member);
    if (fine) {
        size_t unit = value_type_size(shape.type), size = member.count * unit;
        size_t start = aligned(bytes->count, unit * shape.stride);
        char *grown = realloc(bytes->data, start + size + 1);
        fine = grown || out_of_memory(reader);
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
    if (node->type != YAML_SEQUENCE_NODE || !item_count(node))
        return unexpected(reader, node, "struct", "a sequence of members {type: ..., value: ...}");
    for (size_t i = 0; i < item_count(node); i++) {
        if (!append_member(reader, item_at(reader, node, i), &arg->values, &alignment))
            return false;
    }
    size_t size = aligned(arg->values.count, alignment);
    char *padded = realloc(arg->values.data, size);
    if (!padded)
        return out_of_memory(reader);
    memset(padded + arg->values.count, 0, size - arg->values.count);
    arg->values.data = padded;
    arg->values.count = size;
    return true;
}

static bool read_local(struct reader *reader, const yaml_node_t *node, struct scenario_arg *arg)
{
    uint64_t bytes;
    arg->kind = SCENARIO_ARG_LOCAL;
    if (!text_of(node) || !size_parse(text_of(node), &bytes))
        return unexpected(reader, node, "local", "bytes, such as 256 or 4KiB");
    arg->local_bytes = (size_t)bytes;
    return true;
}

static bool read_same(struct reader *reader, const yaml_node_t *node, struct scenario_arg *arg)
{
    arg->kind = SCENARIO_ARG_BUFFER;
    return read_string(reader, node, "same", &arg->same_as);
}

static const struct { const char *key; bool (*read)(struct reader *, const yaml_node_t *, struct scenario_arg *); } forms[] = {
    {"buffer", read_buffer}, {"scalar", read_scalar}, {"struct", read_struct}, {"local", read_local}, {"same", read_same},
};

static bool read_arg(struct reader *reader, const yaml_node_t *node, struct scenario_arg *arg)
{
    static const char expected[] = "exactly one of: buffer, scalar, struct, local, same";
    size_t found = 0;
    if (!check_keys(reader, node, "argument"))
        return false;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        const yaml_node_t *form = get(reader, node, forms[i].key);
        if (form && found++)
            return complain(reader, node, "an argument: found several forms, expected %s", expected);
        if (form && !forms[i].read(reader, form, arg))
            return false;
    }
    const yaml_node_t *name = get(reader, node, "name");
    if (name && !read_string(reader, name, "name", &arg->name))
        return false;
    return found == 1 || complain(reader, node, "an argument: expected %s", expected);
}

/* `same:` names a buffer that came before: a forward reference could never be meant. */
static bool name_is_known(const struct scenario *scenario, const char *name)
{
    for (size_t l = 0; l < scenario->launch_count; l++) {
        for (size_t a = 0; a < scenario->launches[l].arg_count; a++) {
            const struct scenario_arg *arg = &scenario->launches[l].args[a];
            if (arg->name && !arg->same_as && arg->kind == SCENARIO_ARG_BUFFER && strcmp(arg->name, name) == 0)
                return true;
        }
    }
    return false;
}

/* ---- launches ----------------------------------------------------------------------------------- */

static bool read_range(struct reader *reader, const yaml_node_t *node, const char *key, uint64_t out_range[3], uint32_t *out_dim)
{
    size_t count = node->type == YAML_MAPPING_NODE ? 0 : values_in(node);
    if (count < 1 || count > 3)
        return unexpected(reader, node, key, "1 to 3 numbers");
    for (size_t i = 0; i < count; i++) {
        const yaml_node_t *item = node->type == YAML_SEQUENCE_NODE ? item_at(reader, node, i) : node;
        if (!read_number(reader, item, key, UINT64_MAX, &out_range[i]))
            return false;
    }
    *out_dim = (uint32_t)count;
    return true;
}

/* local and offset have as many dimensions as global. */
static bool read_matching(struct reader *reader, const yaml_node_t *launch_node, const char *key, const struct scenario_launch *launch,
                          uint64_t out_range[3])
{
    uint32_t dimensions;
    const yaml_node_t *node = get(reader, launch_node, key);
    if (!node)
        return true;
    if (!read_range(reader, node, key, out_range, &dimensions))
        return false;
    return dimensions == launch->work_dim ||
           complain(reader, node, "%s: found %u numbers, but global has %u", key, dimensions, launch->work_dim);
}

static bool read_ranges(struct reader *reader, const yaml_node_t *node, struct scenario_launch *launch)
{
    const yaml_node_t *global = get(reader, node, "global");
    for (int i = 0; i < 3; i++)
        launch->global[i] = 1;
    if (!global)
        return complain(reader, node, "key 'global' is missing: 1 to 3 numbers");
    return read_range(reader, global, "global", launch->global, &launch->work_dim) &&
           read_matching(reader, node, "local", launch, launch->local) &&
           read_matching(reader, node, "offset", launch, launch->offset);
}

static bool read_args(struct reader *reader, const yaml_node_t *node, struct scenario_launch *launch)
{
    if (!node)
        return true;
    if (node->type != YAML_SEQUENCE_NODE)
        return unexpected(reader, node, "args", "a sequence of arguments");
    launch->args = calloc(item_count(node) + 1, sizeof *launch->args);
    if (!launch->args)
        return out_of_memory(reader);
    for (size_t i = 0; i < item_count(node); i++) {
        struct scenario_arg *arg = &launch->args[launch->arg_count++];
        const yaml_node_t *item = item_at(reader, node, i);
        if (!read_arg(reader, item, arg))
            return false;
        if (arg->same_as && !name_is_known(reader->scenario, arg->same_as))
            return complain(reader, get(reader, item, "same"), "same: no buffer before this one has the name '%s'", arg->same_as);
    }
    return true;
}

/* Whether the machine has it is seen when the launch runs: an option may give another machine. */
static bool read_launch_device(struct reader *reader, const yaml_node_t *node, struct scenario_launch *launch)
{
    struct diagnosis cause = {0};
    if (!node)
        return true;
    if (!read_string(reader, node, "device", &launch->device))
        return false;
    enum status status = device_path_check(launch->device, &cause);
    if (status == STATUS_OUT_OF_MEMORY)
        return out_of_memory(reader);
    return status == STATUS_OK || complain(reader, node, "%s", cause.text);
}

static bool read_concurrent(struct reader *reader, const yaml_node_t *node, struct scenario_launch *launch)
{
    const char *text = node ? text_of(node) : NULL;
    if (!node)
        return true;
    launch->concurrent = text && strcmp(text, "true") == 0;
    if (!launch->concurrent && (!text || strcmp(text, "false") != 0))
        return unexpected(reader, node, "concurrent", "true or false");
    return !launch->concurrent || launch != reader->scenario->launches ||
           complain(reader, node, "concurrent: there is no launch before the first one");
}

static bool read_launch(struct reader *reader, const yaml_node_t *node, struct scenario_launch *launch)
{
    if (!check_keys(reader, node, "launch"))
        return false;
    const yaml_node_t *kernel = get(reader, node, "kernel");
    if (!kernel)
        return complain(reader, node, "key 'kernel' is missing: the name of a kernel");
    return read_string(reader, kernel, "kernel", &launch->kernel) &&
           read_concurrent(reader, get(reader, node, "concurrent"), launch) &&
           read_launch_device(reader, get(reader, node, "device"), launch) && read_ranges(reader, node, launch) &&
           read_args(reader, get(reader, node, "args"), launch);
}

static bool read_launches(struct reader *reader, const yaml_node_t *node)
{
    if (!node)
        return true;
    if (node->type != YAML_SEQUENCE_NODE)
        return unexpected(reader, node, "launch", "a sequence of launches");
    reader->scenario->launches = calloc(item_count(node) + 1, sizeof *reader->scenario->launches);
    if (!reader->scenario->launches)
        return out_of_memory(reader);
    for (size_t i = 0; i < item_count(node); i++) {
        if (!read_launch(reader, item_at(reader, node, i), &reader->scenario->launches[reader->scenario->launch_count++]))
            return false;
    }
    return true;
}

/* ---- scripts ---------------------------------------------------------------------------------------- */

/* One number, or one for each dimension. */
static bool read_ids(struct reader *reader, const yaml_node_t *node, const char *key, uint64_t out_id[3])
{
    uint32_t dimensions;
    return read_range(reader, node, key, out_id, &dimensions);
}

static bool read_who(struct reader *reader, const yaml_node_t *node, struct script_step *step)
{
    const yaml_node_t *item = get(reader, node, "item"), *group = get(reader, node, "group"),
                      *sub_group = get(reader, node, "sub_group");
    if ((item != NULL) == (group != NULL))
        return complain(reader, node, "a step of the script: found %s, expected one of them: who goes on",
                        item ? "item and group" : "neither item nor group");
    if (sub_group && !group)
        return complain(reader, sub_group, "sub_group: expected a group, too, that it is of");
    step->who = item ? SCRIPT_ITEM : sub_group ? SCRIPT_SUB_GROUP : SCRIPT_GROUP;
    return read_ids(reader, item ? item : group, item ? "item" : "group", step->id) &&
           read_u32(reader, sub_group, "sub_group", &step->sub_group);
}

static bool read_line(struct reader *reader, const yaml_node_t *node, struct script_step *step)
{
    const yaml_node_t *line = get(reader, node, "line"), *visit = get(reader, node, "visit");
    step->until = SCRIPT_LINE;
    step->count = 1;
    if (!line)
        return complain(reader, node, "until: key 'line' is missing: a line of the program");
    if (!read_u32(reader, line, "line", &step->line) ||
        (visit && !read_number(reader, visit, "visit", UINT64_MAX, &step->count)))
        return false;
    if (!step->line)
        return unexpected(reader, line, "line", "a line of the program, from 1");
    return step->count || unexpected(reader, visit, "visit", "1 or more");
}

static bool read_until(struct reader *reader, const yaml_node_t *node, struct script_step *step)
{
    static const char *const words[] = {[SCRIPT_BARRIER] = "barrier", [SCRIPT_ATOMIC] = "atomic", [SCRIPT_END] = "end"};
    if (node->type == YAML_MAPPING_NODE)
        return check_keys(reader, node, "until") && read_line(reader, node, step);
    for (int until = SCRIPT_BARRIER; until <= SCRIPT_END; until++) {
        step->until = (enum script_until)until;
        if (text_of(node) && strcmp(text_of(node), words[until]) == 0)
            return true;
    }
    return unexpected(reader, node, "until", "end, barrier, atomic, {line: N} or {line: N, visit: N}");
}

static bool read_step(struct reader *reader, const yaml_node_t *node, struct script_step *step)
{
    *step = (struct script_step){.launch = 1,
                                 .file_line = (uint32_t)node->start_mark.line + 1,
                                 .file_column = (uint32_t)node->start_mark.column + 1};
    if (!check_keys(reader, node, "step") || !read_who(reader, node, step) ||
        !read_u32(reader, get(reader, node, "launch"), "launch", &step->launch))
        return false;
    const yaml_node_t *until = get(reader, node, "until"), *steps = get(reader, node, "steps");
    if ((until != NULL) == (steps != NULL))
        return complain(reader, node, "a step of the script: found %s, expected one of them",
                        until ? "until and steps" : "neither until nor steps");
    return until ? read_until(reader, until, step) : read_number(reader, steps, "steps", UINT64_MAX, &step->count);
}

static bool read_script(struct reader *reader, const yaml_node_t *node)
{
    struct schedule_config *schedule = &reader->scenario->schedule;
    if (node->type != YAML_SEQUENCE_NODE)
        return unexpected(reader, node, "script", "a sequence of steps {item: ..., until: ...}");
    schedule->script = calloc(item_count(node) + 1, sizeof *schedule->script);
    schedule->script_file = strdup(reader->file);
    if (!schedule->script || !schedule->script_file)
        return out_of_memory(reader);
    for (size_t i = 0; i < item_count(node); i++)
        if (!read_step(reader, item_at(reader, node, i), &schedule->script[schedule->script_count++]))
            return false;
    return true;
}

/* Who writes a script wants it to be followed. */
static bool read_schedule(struct reader *reader, const yaml_node_t *root)
{
    const yaml_node_t *node = get(reader, root, "schedule");
    if (!node)
        return true;
    if (!check_keys(reader, node, "schedule"))
        return false;
    const yaml_node_t *script = get(reader, node, "script");
    if (script)
        reader->scenario->schedule.policy = SCHEDULE_SCRIPT;
    return read_rows(reader, node, "schedule") && (!script || read_script(reader, script));
}

/* ---- expectations ---------------------------------------------------------------------------------- */

/* A misspelt id would be missing for ever. */
static bool check_id(struct reader *reader, const yaml_node_t *node, const char *id)
{
    enum finding_kind kind;
    char expected[700] = "one of: ";
    if (finding_from_id(id, &kind))
        return true;
    for (int i = 0; i < FINDING_KIND_COUNT; i++) {
        size_t used = strlen(expected);
        snprintf(expected + used, sizeof expected - used, "%s%s", i ? ", " : "", finding_id((enum finding_kind)i));
    }
    return unexpected(reader, node, "id", expected);
}

static bool read_optional(struct reader *reader, const yaml_node_t *mapping, const char *key, char **out_text)
{
    const yaml_node_t *node = get(reader, mapping, key);
    return !node || read_string(reader, node, key, out_text);
}

static bool read_expected_finding(struct reader *reader, const yaml_node_t *node, struct expect_finding *finding)
{
    if (!check_keys(reader, node, "finding"))
        return false;
    const yaml_node_t *id = get(reader, node, "id");
    if (!id)
        return complain(reader, node, "key 'id' is missing: the id of a finding, see orrery-findings(7)");
    return read_string(reader, id, "id", &finding->id) && check_id(reader, id, finding->id) &&
           read_u32(reader, get(reader, node, "line"), "line", &finding->line) &&
           read_optional(reader, node, "kernel", &finding->kernel) &&
           read_optional(reader, node, "why", &finding->why) && read_optional(reader, node, "fix", &finding->fix);
}

static bool read_expected_findings(struct reader *reader, const yaml_node_t *node, struct scenario_expect *expect)
{
    if (!node)
        return true;
    if (node->type != YAML_SEQUENCE_NODE)
        return unexpected(reader, node, "findings", "a sequence of findings {id: ..., line: ...}");
    expect->findings = calloc(item_count(node) + 1, sizeof *expect->findings);
    if (!expect->findings)
        return out_of_memory(reader);
    for (size_t i = 0; i < item_count(node); i++) {
        if (!read_expected_finding(reader, item_at(reader, node, i), &expect->findings[expect->finding_count++]))
            return false;
    }
    return true;
}

static const struct scenario_arg *named_buffer(const struct scenario *scenario, const char *name)
{
    for (size_t l = 0; name && l < scenario->launch_count; l++) {
        for (size_t a = 0; a < scenario->launches[l].arg_count; a++) {
            const struct scenario_arg *arg = &scenario->launches[l].args[a];
            if (arg->name && !arg->same_as && strcmp(arg->name, name) == 0)
                return arg;
        }
    }
    return NULL;
}

/* The type of an expected buffer is that of the argument, unless it is stated. */
static bool expected_shape(struct reader *reader, const yaml_node_t *node, const struct expect_buffer *buffer, struct shape *out_shape)
{
    const struct scenario *scenario = reader->scenario;
    if (buffer->launch >= scenario->launch_count)
        return complain(reader, node, "launch: found %u, expected less than %zu", buffer->launch, scenario->launch_count);
    const struct scenario_launch *launch = &scenario->launches[buffer->launch];
    if (buffer->arg >= launch->arg_count)
        return complain(reader, node, "arg: found %u, but the launch has %zu arguments", buffer->arg, launch->arg_count);
    const struct scenario_arg *arg = &launch->args[buffer->arg];
    if (arg->same_as)
        arg = named_buffer(scenario, arg->same_as);
    if (arg->kind != SCENARIO_ARG_BUFFER || !arg->values.count)
        return complain(reader, node, "arg: found %u, which is not a buffer", buffer->arg);
    if (get(reader, node, "type"))
        return read_type(reader, node, out_shape);
    *out_shape = (struct shape){arg->values.type, 1, 1};
    return true;
}

static bool read_expected_buffer(struct reader *reader, const yaml_node_t *node, struct expect_buffer *buffer)
{
    struct shape shape;
    bool nothing;
    if (!check_keys(reader, node, "result"))
        return false;
    if (!get(reader, node, "arg"))
        return complain(reader, node, "key 'arg' is missing: the position of a buffer argument");
    if (!read_u32(reader, get(reader, node, "launch"), "launch", &buffer->launch) ||
        !read_u32(reader, get(reader, node, "arg"), "arg", &buffer->arg) || !expected_shape(reader, node, buffer, &shape) ||
        !read_contents(reader, node, &shape, &buffer->values, &nothing))
        return false;
    return !nothing || complain(reader, node, "an expected buffer: expected 'values' or 'fill'");
}

static bool read_expected_buffers(struct reader *reader, const yaml_node_t *node, struct scenario_expect *expect)
{
    if (!node)
        return true;
    if (node->type != YAML_SEQUENCE_NODE)
        return unexpected(reader, node, "buffers", "a sequence of buffers {arg: ..., values: ...}");
    expect->buffers = calloc(item_count(node) + 1, sizeof *expect->buffers);
    if (!expect->buffers)
        return out_of_memory(reader);
    for (size_t i = 0; i < item_count(node); i++) {
        if (!read_expected_buffer(reader, item_at(reader, node, i), &expect->buffers[expect->buffer_count++]))
            return false;
    }
    return true;
}

static bool read_units(struct reader *reader, const yaml_node_t *node, struct unit_list *units)
{
    if (node->type != YAML_SEQUENCE_NODE || !item_count(node))
        return unexpected(reader, node, "units", "a sequence of compute units");
    units->units = calloc(item_count(node), sizeof *units->units);
    if (!units->units)
        return out_of_memory(reader);
    for (size_t i = 0; i < item_count(node); i++)
        if (!read_u32(reader, item_at(reader, node, i), "units", &units->units[units->count++]))
            return false;
    return true;
}

static bool read_expected_placement(struct reader *reader, const yaml_node_t *node, struct expect_placement *placement)
{
    size_t launches = reader->scenario->launch_count;
    if (!check_keys(reader, node, "placement") ||
        !read_u32(reader, get(reader, node, "launch"), "launch", &placement->launch))
        return false;
    if (placement->launch >= launches)
        return complain(reader, node, "launch: found %u, expected less than %zu", placement->launch, launches);
    const yaml_node_t *units = get(reader, node, "units");
    if (!units)
        return complain(reader, node, "key 'units' is missing: the compute units of the work-groups");
    return read_units(reader, units, &placement->units);
}

static bool read_expected_placements(struct reader *reader, const yaml_node_t *node, struct scenario_expect *expect)
{
    if (!node)
        return true;
    if (node->type != YAML_SEQUENCE_NODE)
        return unexpected(reader, node, "placement", "a sequence of placements {launch: ..., units: [...]}");
    expect->placements = calloc(item_count(node) + 1, sizeof *expect->placements);
    if (!expect->placements)
        return out_of_memory(reader);
    for (size_t i = 0; i < item_count(node); i++)
        if (!read_expected_placement(reader, item_at(reader, node, i), &expect->placements[expect->placement_count++]))
            return false;
    return true;
}

static bool read_expected_counter(struct reader *reader, struct pair pair, struct expect_counter *counter)
{
    char expected[EXPECTED_CHARS];
    if (!text_of(pair.key) || !expect_counter_name(counter, text_of(pair.key), expected))
        return unexpected(reader, pair.key, "counters", expected);
    if (!text_of(pair.value) || !expect_counter_value(counter, text_of(pair.value), expected))
        return unexpected(reader, pair.value, text_of(pair.key), expected);
    return true;
}

static bool read_expected_counters(struct reader *reader, const yaml_node_t *node, struct scenario_expect *expect)
{
    if (!node)
        return true;
    if (node->type != YAML_MAPPING_NODE)
        return unexpected(reader, node, "counters", "a mapping such as {misses: 12, numa:1.remote_bytes: \">0\"}");
    expect->counters = calloc(pair_count(node) + 1, sizeof *expect->counters);
    if (!expect->counters)
        return out_of_memory(reader);
    for (size_t i = 0; i < pair_count(node); i++)
        if (!read_expected_counter(reader, pair_at(reader, node, i), &expect->counters[expect->counter_count++]))
            return false;
    return true;
}

/* ---- suppressions -------------------------------------------------------------------------------------- */

/* An id with a star stands for several. */
static bool check_id_pattern(struct reader *reader, const yaml_node_t *node, const char *id)
{
    for (int i = 0; strchr(id, '*') && i < FINDING_KIND_COUNT; i++) {
        if (glob_fits(id, finding_id((enum finding_kind)i)))
            return true;
    }
    return check_id(reader, node, id);
}

static bool read_suppression(struct reader *reader, const yaml_node_t *node, struct suppression *suppression)
{
    if (!check_keys(reader, node, "suppression"))
        return false;
    const yaml_node_t *id = get(reader, node, "id");
    if (!id)
        return complain(reader, node, "key 'id' is missing: the id of a finding, see orrery-findings(7), or \"*\"");
    if (asprintf(&suppression->origin, "%s:%zu", reader->file, node->start_mark.line + 1) < 0) {
        suppression->origin = NULL;
        return out_of_memory(reader);
    }
    return read_string(reader, id, "id", &suppression->id) && check_id_pattern(reader, id, suppression->id) &&
           read_optional(reader, node, "kernel", &suppression->kernel) &&
           read_optional(reader, node, "file", &suppression->file) &&
           read_u32(reader, get(reader, node, "line"), "line", &suppression->line) &&
           read_optional(reader, node, "object", &suppression->object) &&
           read_optional(reader, node, "reason", &suppression->reason);
}

static bool read_suppressions(struct reader *reader, const yaml_node_t *node)
{
    struct scenario *scenario = reader->scenario;
    if (!node)
        return true;
    if (node->type != YAML_SEQUENCE_NODE)
        return unexpected(reader, node, "suppressions", "a sequence of suppressions {id: ..., kernel: ..., file: ..., line: ...}");
    struct suppression *grown =
        realloc(scenario->suppressions, (scenario->suppression_count + item_count(node) + 1) * sizeof *grown);
    if (!grown)
        return out_of_memory(reader);
    scenario->suppressions = grown;
    for (size_t i = 0; i < item_count(node); i++) {
        struct suppression *suppression = &grown[scenario->suppression_count++];
        *suppression = (struct suppression){.id = NULL};
        if (!read_suppression(reader, item_at(reader, node, i), suppression))
            return false;
    }
    return true;
}

/* ---- faults --------------------------------------------------------------------------------------------- */

/* What a fault can refuse, and with which error unless it says. The last stands for calls by their names. */
static const struct { const char *name; const char *error; } refusals[] = {
    {"allocation", "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
    {"build", "CL_BUILD_PROGRAM_FAILURE"},
    {"enqueue", "CL_OUT_OF_RESOURCES"},
    {"cl", "CL_OUT_OF_RESOURCES"},
};
enum { REFUSAL_COUNT = sizeof refusals / sizeof refusals[0] };

static bool read_refused(struct reader *reader, const yaml_node_t *node, struct scenario_fault *fault)
{
    const char *text = text_of(node) ? text_of(node) : "";
    size_t i = 0;
    while (i < REFUSAL_COUNT - 1 && strcmp(refusals[i].name, text) != 0)
        i++;
    if (i == REFUSAL_COUNT - 1 && (strncmp(text, "cl", 2) != 0 || strspn(text + 2, "0123456789"
                                  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") != strlen(text + 2) || !text[2]))
        return unexpected(reader, node, "fail", "allocation, build, enqueue, or the name of a call as in clCreateBuffer");
    api_error_from_name(refusals[i].error, &fault->error);
    return read_string(reader, node, "fail", &fault->call);
}

static bool read_error(struct reader *reader, const yaml_node_t *node, struct scenario_fault *fault)
{
    if (!node)
        return true;
    return (text_of(node) && api_error_from_name(text_of(node), &fault->error)) ||
           unexpected(reader, node, "error", "the name of an error as in CL_OUT_OF_RESOURCES");
}

/* From 1: what is counted begins there. */
static bool read_ordinal(struct reader *reader, const yaml_node_t *node, const char *key, uint32_t *out_value)
{
    return read_u32(reader, node, key, out_value) && (*out_value || unexpected(reader, node, key, "1 to 4294967295"));
}

static bool read_refusal(struct reader *reader, const yaml_node_t *node, struct scenario_fault *fault)
{
    fault->kind = SCENARIO_FAULT_REFUSE;
    return read_refused(reader, get(reader, node, "fail"), fault) &&
           read_ordinal(reader, get(reader, node, "nth"), "nth", &fault->nth) &&
           read_u32(reader, get(reader, node, "times"), "times", &fault->times) &&
           read_error(reader, get(reader, node, "error"), fault);
}

static bool read_fault(struct reader *reader, const yaml_node_t *node, struct scenario_fault *fault)
{
    if (!check_keys(reader, node, "fault"))
        return false;
    const yaml_node_t *fail = get(reader, node, "fail"), *loss = get(reader, node, "lose_device"),
                      *delay = get(reader, node, "delay"), *command = get(reader, node, "command");
    const bool refusal_only = get(reader, node, "nth") || get(reader, node, "times") || get(reader, node, "error");
    if (!fail + !loss + !delay != 2 || !delay != !command || (!fail && refusal_only))
        return unexpected(reader, node, "a fault",
                          "{fail: ..., nth: N, times: N, error: ...}, {lose_device: N} or {delay: NS, command: N}");
    if (fail)
        return read_refusal(reader, node, fault);
    fault->kind = loss ? SCENARIO_FAULT_LOSE_DEVICE : SCENARIO_FAULT_DELAY;
    if (loss)
        return read_ordinal(reader, loss, "lose_device", &fault->command);
    return read_ordinal(reader, command, "command", &fault->command) &&
           read_number(reader, delay, "delay", UINT32_MAX, &fault->delay);
}

static bool read_faults(struct reader *reader, const yaml_node_t *node)
{
    struct scenario *scenario = reader->scenario;
    if (!node)
        return true;
    if (node->type != YAML_SEQUENCE_NODE)
        return unexpected(reader, node, "faults", "a sequence of faults {fail: ...}, {lose_device: N} or {delay: NS, command: N}");
    scenario->faults = calloc(item_count(node) + 1, sizeof *scenario->faults);
    if (!scenario->faults)
        return out_of_memory(reader);
    for (size_t i = 0; i < item_count(node); i++) {
        struct scenario_fault *fault = &scenario->faults[scenario->fault_count++];
        *fault = (struct scenario_fault){.nth = 1, .times = 1};
        if (!read_fault(reader, item_at(reader, node, i), fault))
            return false;
    }
    return true;
}

static bool read_expect(struct reader *reader, const yaml_node_t *root)
{
    const yaml_node_t *node = get(reader, root, "expect");
    struct scenario_expect *expect = &reader->scenario->expect;
    if (!node)
        return true;
    expect->present = true;
    return check_keys(reader, node, "expect") && read_rows(reader, node, "expect") &&
           read_expected_findings(reader, get(reader, node, "findings"), expect) &&
           read_expected_buffers(reader, get(reader, node, "buffers"), expect) &&
           read_expected_placements(reader, get(reader, node, "placement"), expect) &&
           read_expected_counters(reader, get(reader, node, "counters"), expect);
}

/* ---- the whole ------------------------------------------------------------------------------------------ */

static bool read_format(struct reader *reader, const yaml_node_t *root)
{
    const yaml_node_t *node = get(reader, root, "orrery");
    if (!node)
        return complain(reader, root, "key 'orrery' is missing: a scenario starts with \"orrery: 1\"");
    if (!text_of(node) || strcmp(text_of(node), "1") != 0)
        return unexpected(reader, node, "orrery", "1, the only version of the format there is");
    return true;
}

/* The rows of scenario.device from a mapping. */
static bool read_device(struct reader *reader, const yaml_node_t *node)
{
    return check_keys(reader, node, "device") && read_rows(reader, node, "device") &&
           read_section(reader, node, "limits", "device.limits") &&
           read_section(reader, node, "features", "device.features");
}

/* Item 0 is about scenario.device itself; the others start from what device: says. */
static bool read_item(struct reader *reader, const yaml_node_t *node, size_t index)
{
    if (index == 0)
        return read_device(reader, node);
    scenario_swap_device(reader->scenario, (uint32_t)index - 1);
    bool fine = read_device(reader, node);
    scenario_swap_device(reader->scenario, (uint32_t)index - 1);
    return fine;
}

static bool read_devices(struct reader *reader, const yaml_node_t *root)
{
    const yaml_node_t *device = get(reader, root, "device"), *list = get(reader, root, "devices");
    char expected[64];
    if (device && !read_device(reader, device))
        return false;
    if (!list)
        return true;
    snprintf(expected, sizeof expected, "a list of 1 to %d devices", 1 + SCENARIO_OTHER_DEVICES);
    if (list->type != YAML_SEQUENCE_NODE || item_count(list) < 1 || item_count(list) > 1 + SCENARIO_OTHER_DEVICES)
        return unexpected(reader, list, "devices", expected);
    for (size_t i = 1; i < item_count(list); i++) {
        if (!scenario_add_device(reader->scenario))
            return out_of_memory(reader);
    }
    for (size_t i = 0; i < item_count(list); i++) {
        if (!read_item(reader, item_at(reader, list, i), i))
            return false;
    }
    return true;
}

static bool read_program(struct reader *reader, const yaml_node_t *root)
{
    const yaml_node_t *node = get(reader, root, "program");
    if (!node)
        return !reader->scenario->launch_count ||
               complain(reader, get(reader, root, "launch"), "launch: there is no 'program' whose kernels could be launched");
    if (!read_section(reader, root, "program", "program"))
        return false;
    const struct scenario_program *program = &reader->scenario->program;
    int given = (program->source_file != NULL) + (program->source_text != NULL) + (program->spirv_file != NULL);
    return given == 1 || complain(reader, node, "program: found %d, expected exactly one of: source, text, spirv", given);
}

static bool read_scenario(struct reader *reader, const yaml_node_t *root)
{
    return check_keys(reader, root, "") && read_format(reader, root) && read_rows(reader, root, "") && read_devices(reader, root) &&
           read_schedule(reader, root) && read_section(reader, root, "checks", "checks") &&
           read_section(reader, root, "report", "report") &&
           read_suppressions(reader, get(reader, root, "suppressions")) && read_faults(reader, get(reader, root, "faults")) && read_launches(reader, get(reader, root, "launch")) &&
           read_program(reader, root) && read_expect(reader, root);
}

static bool parse_failed(struct reader *reader, const yaml_parser_t *parser)
{
    const char *problem = parser->problem ? parser->problem : "the text cannot be read";
    if (parser->error == YAML_READER_ERROR)
        diagnose(reader->diagnosis, STATUS_BAD_SCENARIO, "%s: byte %zu: not YAML: %s", reader->file, parser->problem_offset, problem);
    else
        diagnose(reader->diagnosis, STATUS_BAD_SCENARIO, "%s:%zu:%zu: not YAML: %s", reader->file, parser->problem_mark.line + 1,
                 parser->problem_mark.column + 1, problem);
    return false;
}

typedef bool read_root_function(struct reader *reader, const yaml_node_t *root);

static bool read_document(struct reader *reader, const char *text, read_root_function *read_root, const char *expected)
{
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser))
        return out_of_memory(reader);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, strlen(text));
    bool fine = yaml_parser_load(&parser, &reader->document) || parse_failed(reader, &parser);
    yaml_parser_delete(&parser);
    if (!fine)
        return false;
    const yaml_node_t *root = yaml_document_get_root_node(&reader->document);
    if (root)
        fine = read_root(reader, root);
    else
        diagnose(reader->diagnosis, STATUS_BAD_SCENARIO, "%s:1:1: found nothing, expected %s", reader->file, expected);
    fine = fine && root;
    yaml_document_delete(&reader->document);
    return fine;
}

enum status scenario_load_text(struct scenario *scenario, const char *text, const char *name, struct diagnosis *diagnosis)
{
    struct diagnosis local = {0};
    struct reader reader = {.file = name, .scenario = scenario, .diagnosis = diagnosis ? diagnosis : &local};
    scenario_default(scenario);
    struct plain_locale locale = locale_plain_begin();
    bool fine = read_document(&reader, text, read_scenario, "\"orrery: 1\"");
    locale_plain_end(locale);
    if (fine) {
        scenario->file = strdup(name);
        scenario_settle(scenario);
        return STATUS_OK;
    }
    scenario_fini(scenario);
    scenario_default(scenario);
    return reader.diagnosis->status != STATUS_OK ? reader.diagnosis->status : STATUS_BAD_SCENARIO;
}

char *scenario_file_text(const char *path)
{
    char *text = NULL;
    size_t size = 0;
    char chunk[4096];
    FILE *file = fopen(path, "rb"), *stream = file ? open_memstream(&text, &size) : NULL;
    if (!stream)
        goto out;
    for (size_t got; (got = fread(chunk, 1, sizeof chunk, file)) > 0;)
        fwrite(chunk, 1, got, stream);
    bool fine = !ferror(file);
    fclose(stream);
    if (!fine || strlen(text) != size) { /* a directory; or a zero byte, which YAML does not have */
        free(text);
        text = NULL;
    }
out:
    if (file)
        fclose(file);
    return text;
}

/* What was read before a mistake stays; the caller gives up anyway. */
enum status scenario_load_suppressions(struct scenario *scenario, const char *path, struct diagnosis *diagnosis)
{
    struct diagnosis local = {0};
    struct reader reader = {.file = path, .scenario = scenario, .diagnosis = diagnosis ? diagnosis : &local};
    char *text = scenario_file_text(path);
    if (!text)
        return diagnose(diagnosis, STATUS_IO, "%s: the suppressions cannot be read", path);
    struct plain_locale locale = locale_plain_begin();
    bool fine = read_document(&reader, text, read_suppressions, "a sequence of suppressions, or []");
    locale_plain_end(locale);
    free(text);
    return fine ? STATUS_OK : reader.diagnosis->status != STATUS_OK ? reader.diagnosis->status : STATUS_BAD_SCENARIO;
}

enum status scenario_load_file(struct scenario *scenario, const char *path, struct diagnosis *diagnosis)
{
    char *text = scenario_file_text(path);
    if (!text) {
        scenario_default(scenario);
        return diagnose(diagnosis, STATUS_IO, "%s: the scenario cannot be read", path);
    }
    enum status status = scenario_load_text(scenario, text, path, diagnosis);
    free(text);
    return status;
}
