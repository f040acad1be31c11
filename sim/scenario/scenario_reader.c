/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of a YAML document, with errors at their positions, and tables of legal keys. */
#include "scenario_reader.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/nearest.h"
#include "sim/base/scenario_rows.h"

/* ---- complaints ------------------------------------------------------------------- */

bool reader_error(struct reader *reader, const yaml_node_t *node, const char *format, ...)
{
    char text[800];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    diagnose(reader->diagnosis, STATUS_BAD_SCENARIO, "%s:%zu:%zu: %s", reader->file,
             node->start_mark.line + 1, node->start_mark.column + 1, text);
    return false;
}

bool reader_out_of_memory(struct reader *reader)
{
    diagnose(reader->diagnosis, STATUS_OUT_OF_MEMORY, "%s: out of memory", reader->file);
    return false;
}

const char *reader_node_text(const yaml_node_t *node)
{
    return node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

static const char *node_words(const yaml_node_t *node)
{
    if (node->type == YAML_MAPPING_NODE)
        return "a mapping";
    if (node->type == YAML_SEQUENCE_NODE)
        return reader_node_items(node) ? "a sequence" : "an empty sequence";
    return node->data.scalar.length ? "a scalar" : "nothing";
}

/* Reports the same of a text, with the nearest of the words that are expected. */
static bool reader_meant(struct reader *reader, const yaml_node_t *node, const char *key, const char *text,
                         const char *expected)
{
    enum { SHOWN_CHARS = 60 }; /* at most so much of a text is shown: it may be a whole kernel */
    const bool whole = strlen(text) <= SHOWN_CHARS;
    char *meant = whole ? nearest_words(text, expected) : NULL;
    const bool near = meant && *meant;
    reader_error(reader, node, "%s: found '%.*s%s', expected %s%s%s%s", key, SHOWN_CHARS, text,
                 whole ? "" : "...", expected, near ? "; did you mean " : "", near ? meant : "",
                 near ? "?" : "");
    free(meant);
    return false;
}

/* Reports "found 'x', expected ...", whatever kind of node it is. */
bool reader_unexpected(struct reader *reader, const yaml_node_t *node, const char *key, const char *expected)
{
    const char *text = reader_node_text(node);
    if (text && *text)
        return reader_meant(reader, node, key, text, expected);
    return reader_error(reader, node, "%s: found %s, expected %s", key, node_words(node), expected);
}

/* ---- mappings ----------------------------------------------------------------------- */

size_t reader_node_pairs(const yaml_node_t *mapping)
{
    return (size_t)(mapping->data.mapping.pairs.top - mapping->data.mapping.pairs.start);
}

struct pair reader_pair(struct reader *reader, const yaml_node_t *mapping, size_t index)
{
    yaml_node_pair_t *pair = mapping->data.mapping.pairs.start + index;
    return (struct pair){yaml_document_get_node(&reader->document, pair->key),
                         yaml_document_get_node(&reader->document, pair->value)};
}

size_t reader_node_items(const yaml_node_t *sequence)
{
    return (size_t)(sequence->data.sequence.items.top - sequence->data.sequence.items.start);
}

yaml_node_t *reader_item(struct reader *reader, const yaml_node_t *sequence, size_t index)
{
    return yaml_document_get_node(&reader->document, sequence->data.sequence.items.start[index]);
}

yaml_node_t *reader_get(struct reader *reader, const yaml_node_t *mapping, const char *key)
{
    for (size_t i = 0; i < reader_node_pairs(mapping); i++) {
        struct pair pair = reader_pair(reader, mapping, i);
        if (strcmp(reader_node_text(pair.key), key) == 0)
            return pair.value;
    }
    return NULL;
}

/* The keys of a section that are no rows of scenario.def. */
struct section {
    const char *name, *title;
    const char *keys[12];
};

static const struct section sections[] = {
    {"",
     "a scenario",
     {"orrery", "device", "devices", "schedule", "checks", "report", "suppressions", "faults", "program",
      "launch", "expect"}},
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
    {"argument",
     "an argument",
     {"buffer", "scalar", "struct", "local", "same", "image", "sampler", "queue", "name", "offset", "bytes"}},
    {"buffer", "buffer", {"type", "count", "fill", "values", "file", "unwritten", "access"}},
    {"image", "image", {"type", "order", "data", "size", "fill", "values", "file", "access"}},
    {"sampler", "sampler", {"addressing", "filter", "coordinates"}},
    {"scalar", "scalar", {"type", "value"}},
    {"suppression", "a suppression", {"id", "kernel", "file", "line", "object", "reason"}},
    {"fault", "a fault", {"fail", "nth", "times", "error", "lose_device", "device", "delay", "command"}},
    {"finding", "an expected finding", {"id", "line", "kernel", "why", "fix", "follows", "enough"}},
    {"placement", "an expected placement", {"launch", "units"}},
    {"result", "an expected buffer", {"launch", "arg", "type", "count", "fill", "values", "file"}},
};

static const struct section *section_find(const char *name)
{
    size_t i = 0;
    while (strcmp(sections[i].name, name) != 0)
        i++;
    return &sections[i];
}

static bool key_is_legal(const struct section *section, const char *key)
{
    for (size_t i = 0; section->keys[i]; i++) {
        if (strcmp(section->keys[i], key) == 0)
            return true;
    }
    return scenario_row_named(section->name, key) != NULL;
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

/* Two names of one row are the same key. */
static bool same_key(const char *section, const char *a, const char *b)
{
    const struct scenario_row *row = scenario_row_named(section, a);
    return strcmp(a, b) == 0 || (row && row == scenario_row_named(section, b));
}

yaml_node_t *reader_get_row(struct reader *reader, const yaml_node_t *mapping, const char *section,
                            const char *key)
{
    for (size_t i = 0; i < reader_node_pairs(mapping); i++) {
        const struct pair pair = reader_pair(reader, mapping, i);
        if (same_key(section, reader_node_text(pair.key), key))
            return pair.value;
    }
    return NULL;
}

/* The index-th legal key: the section's own keys first, then those of the rows; NULL: past the end. */
static const char *key_at(const void *self, size_t index)
{
    const struct section *section = self;
    size_t own = 0;
    while (section->keys[own])
        own++;
    if (index < own)
        return section->keys[index];
    const struct scenario_row *row = scenario_row(index - own);
    return row && strcmp(row->section, section->name) == 0 ? row->key : NULL;
}

static bool unknown_key(struct reader *reader, const yaml_node_t *node, const struct section *section,
                        const char *keys)
{
    const char *key = reader_node_text(node);
    size_t count = 0;
    while (scenario_row(count))
        count++;
    char *meant =
        nearest_names(key, "", key_at, section, count + sizeof section->keys / sizeof *section->keys);
    const bool near = meant && *meant;
    reader_error(reader, node, "found key '%s'%s%s%s, but %s has these keys: %s", key,
                 near ? " (did you mean " : "", near ? meant : "", near ? "?)" : "", section->title, keys);
    free(meant);
    return false;
}

static bool check_key(struct reader *reader, const yaml_node_t *mapping, const struct section *section,
                      size_t index)
{
    char keys[600];
    yaml_node_t *node = reader_pair(reader, mapping, index).key;
    const char *key = reader_node_text(node);
    list_keys(section, keys, sizeof keys);
    if (!key)
        return reader_error(reader, node, "%s: found %s as a key, expected one of: %s", section->title,
                            node_words(node), keys);
    if (!key_is_legal(section, key))
        return unknown_key(reader, node, section, keys);
    for (size_t i = 0; i < index; i++) {
        yaml_node_t *other = reader_pair(reader, mapping, i).key;
        if (same_key(section->name, reader_node_text(other), key))
            return reader_error(reader, node, "key '%s' is there twice, first at line %zu", key,
                                other->start_mark.line + 1);
    }
    return true;
}

bool reader_keys(struct reader *reader, const yaml_node_t *node, const char *name)
{
    const struct section *section = section_find(name);
    char expected[700] = "a mapping with these keys: ";
    list_keys(section, expected + strlen(expected), sizeof expected - strlen(expected));
    if (node->type != YAML_MAPPING_NODE)
        return reader_unexpected(reader, node, section->title, expected);
    for (size_t i = 0; i < reader_node_pairs(node); i++) {
        if (!check_key(reader, node, section, i))
            return false;
    }
    return true;
}

/* ---- rows ------------------------------------------------------------------------------ */

/* Joins a sequence to the text that scenario_row_set parses: "16,8". */
static char *joined_text(struct reader *reader, const yaml_node_t *node)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return NULL;
    for (size_t i = 0; i < reader_node_items(node); i++) {
        const char *item = reader_node_text(reader_item(reader, node, i));
        fprintf(stream, "%s%s", i ? "," : "", item ? item : "?");
    }
    fclose(stream);
    return text;
}

/* A path relative to the file of the scenario. */
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
    char *path = reader_node_text(node) ? beside(reader->file, reader_node_text(node)) : NULL;
    bool fine = path && scenario_load_suppressions(reader->scenario, path, &inner) == STATUS_OK;
    if (!reader_node_text(node))
        reader_unexpected(reader, node, "suppressions", "the name of a file");
    else if (!fine)
        reader_error(reader, node, "suppressions: %s", inner.text);
    free(path);
    return fine;
}

/* topology: {xml: FILE} becomes the text "xml:PATH". */
static bool read_xml(struct reader *reader, const struct scenario_row *row, const yaml_node_t *node)
{
    char expected[EXPECTED_CHARS] = "the name of a file", *text = NULL;
    if (!reader_keys(reader, node, "topology"))
        return false;
    const yaml_node_t *name = reader_get(reader, node, "xml");
    if (!name || !reader_node_text(name) || !*reader_node_text(name))
        return reader_unexpected(reader, name ? name : node, "xml", expected);
    char *path = beside(reader->file, reader_node_text(name));
    if (!path || asprintf(&text, "xml:%s", path) < 0) {
        free(path);
        return reader_out_of_memory(reader);
    }
    bool fine = scenario_row_set(reader->scenario, row, text, expected);
    free(text);
    free(path);
    return fine || reader_unexpected(reader, name, "xml", expected);
}

static bool read_row(struct reader *reader, const struct scenario_row *row, const yaml_node_t *node)
{
    char expected[EXPECTED_CHARS] = "one value";
    if (row->type == ROW_SUPPRESSIONS)
        return read_suppression_file(reader, node);
    if (node->type == YAML_MAPPING_NODE && row->type == ROW_TOPOLOGY)
        return read_xml(reader, row, node);
    if (node->type == YAML_MAPPING_NODE || (node->type == YAML_SEQUENCE_NODE && !scenario_row_is_list(row)))
        return reader_unexpected(reader, node, row->key, expected);
    char *text =
        node->type == YAML_SEQUENCE_NODE ? joined_text(reader, node) : strdup(reader_node_text(node));
    bool fine = text && scenario_row_set(reader->scenario, row, text, expected);
    if (!fine)
        reader_meant(reader, node, row->key, text ? text : "", expected);
    free(text);
    return fine;
}

static bool selects(const struct scenario_row *row)
{
    return row->type == ROW_CHECKS || row->type == ROW_FAST;
}

/* Reads the profile of checks first, wherever it is: single checks of the section change it. */
bool reader_rows(struct reader *reader, const yaml_node_t *mapping, const char *section)
{
    for (int profiles = 1; profiles >= 0; profiles--) {
        for (size_t i = 0; i < reader_node_pairs(mapping); i++) {
            struct pair pair = reader_pair(reader, mapping, i);
            const struct scenario_row *row = scenario_row_named(section, reader_node_text(pair.key));
            if (row && selects(row) == profiles && !read_row(reader, row, pair.value))
                return false;
        }
    }
    return true;
}

/* "checks: none" is short for "checks: {profile: none}". */
bool reader_checks(struct reader *reader, const yaml_node_t *parent)
{
    yaml_node_t *node = reader_get(reader, parent, "checks");
    if (node && node->type != YAML_MAPPING_NODE)
        return read_row(reader, scenario_row_named("checks", "profile"), node);
    return reader_section(reader, parent, "checks", "checks");
}

/* Reads a section of rows only, if the document has it. */
bool reader_section(struct reader *reader, const yaml_node_t *parent, const char *key, const char *section)
{
    yaml_node_t *node = reader_get(reader, parent, key);
    return !node || (reader_keys(reader, node, section) && reader_rows(reader, node, section));
}

/* ---- scalars ------------------------------------------------------------------------------ */

bool reader_string(struct reader *reader, const yaml_node_t *node, const char *key, char **out_text)
{
    if (!reader_node_text(node))
        return reader_unexpected(reader, node, key, "text");
    *out_text = strdup(reader_node_text(node));
    return *out_text || reader_out_of_memory(reader);
}

bool reader_optional(struct reader *reader, const yaml_node_t *mapping, const char *key, char **out_text)
{
    const yaml_node_t *node = reader_get(reader, mapping, key);
    return !node || reader_string(reader, node, key, out_text);
}

bool reader_number(struct reader *reader, const yaml_node_t *node, const char *key, uint64_t most,
                   uint64_t *out_value)
{
    char expected[EXPECTED_CHARS];
    snprintf(expected, sizeof expected, "0 to %llu", (unsigned long long)most);
    if (!reader_node_text(node) || !value_parse_number(reader_node_text(node), out_value) ||
        *out_value > most)
        return reader_unexpected(reader, node, key, expected);
    return true;
}

bool reader_u32(struct reader *reader, const yaml_node_t *node, const char *key, uint32_t *out_value)
{
    uint64_t value;
    if (!node)
        return true;
    if (!reader_number(reader, node, key, UINT32_MAX, &value))
        return false;
    *out_value = (uint32_t)value;
    return true;
}
