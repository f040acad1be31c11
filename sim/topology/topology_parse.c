/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text to tree.
 *
 *   branches := branch (',' branch)*
 *   branch   := level+                          each inside the one before it; the last is cu
 *   level    := name [':' count] ['(' attribute ([, ] attribute)* ')'] ['{' branches '}']
 *
 * Without commas and braces that is hwloc's synthetic form. A level with a count is read once for each of its
 * copies: the reader goes back to where its inside begins.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "topology_build.h"

struct topology_parser {
    const char *text, *at;
    struct builder builder;
    struct diagnosis *diagnosis;
    enum status status;
};

/* ---- complaints ------------------------------------------------------------------ */

static bool fail(struct topology_parser *parser, const char *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool fail(struct topology_parser *parser, const char *where, const char *format, ...)
{
    char what[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    parser->status =
        diagnose(parser->diagnosis, STATUS_BAD_SCENARIO, "character %td: %s", where - parser->text + 1, what);
    return false;
}

static bool no_memory(struct topology_parser *parser)
{
    parser->status = diagnose(parser->diagnosis, STATUS_OUT_OF_MEMORY, "no memory for a topology");
    return false;
}

static const char level_names[] = "package, numa, tile, cslice, l4, l3, l2, l1 or cu";

/* ---- words ------------------------------------------------------------------------- */

static void skip_blanks(struct topology_parser *parser)
{
    parser->at += strspn(parser->at, " \t\n");
}

static bool eat(struct topology_parser *parser, char wanted)
{
    skip_blanks(parser);
    if (*parser->at != wanted)
        return false;
    parser->at++;
    return true;
}

static int word_length(const char *at)
{
    int length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_' || at[length] == '-')
        length++;
    return length;
}

static bool word_is(const char *word, int length, const char *name)
{
    return strlen(name) == (size_t)length && strncmp(word, name, (size_t)length) == 0;
}

/* How much of the text at the position an error shows. */
static int shown(const char *at)
{
    int length = word_length(at);
    return length > 40 ? 40 : length ? length : *at != '\0';
}

static bool fail_at_word(struct topology_parser *parser, const char *expected)
{
    const char *at = parser->at;
    if (!*at)
        return fail(parser, at, "found the end, expected %s", expected);
    return fail(parser, at, "found '%.*s', expected %s", shown(at), at, expected);
}

static bool read_number(struct topology_parser *parser, const char *expected, uint64_t *out_number)
{
    uint64_t number = 0;
    const char *at = parser->at;
    for (; isdigit((unsigned char)*at); at++)
        if (__builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, (uint64_t)(*at - '0'), &number))
            return fail_at_word(parser, expected);
    if (at == parser->at)
        return fail_at_word(parser, expected);
    parser->at = at;
    *out_number = number;
    return true;
}

/* ---- attributes ----------------------------------------------------------------------- */

static bool read_bytes(struct topology_parser *parser, uint64_t *out_bytes)
{
    static const struct {
        const char *name;
        uint64_t factor;
    } units[] = {
        {"B", 1},
        {"KiB", UINT64_C(1) << 10},
        {"MiB", UINT64_C(1) << 20},
        {"GiB", UINT64_C(1) << 30},
        {"TiB", UINT64_C(1) << 40},
        {"kB", 1000},
        {"KB", 1000},
        {"MB", 1000000},
        {"GB", 1000000000},
        {"TB", UINT64_C(1000000000000)},
    };
    static const char expected[] = "bytes, such as 32KiB, 1MiB or 2GB";
    const char *start = parser->at;
    if (!read_number(parser, expected, out_bytes))
        return false;
    int length = word_length(parser->at);
    uint64_t factor = length ? 0 : 1;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        factor = word_is(parser->at, length, units[i].name) ? units[i].factor : factor;
    if (!factor)
        return fail_at_word(parser, expected);
    if (*out_bytes == 0 || *out_bytes > (UINT64_C(1) << 50) / factor)
        return fail(parser, start, "expected 1 byte to 1024 TiB");
    *out_bytes *= factor;
    parser->at += length;
    return true;
}

static bool read_line(struct topology_parser *parser, uint32_t *out_line)
{
    const char *start = parser->at;
    uint64_t line;
    if (!read_number(parser, "the bytes of a line", &line))
        return false;
    if (line < 4 || line > 4096 || (line & (line - 1)))
        return fail(parser, start, "expected a power of two, 4 to 4096");
    *out_line = (uint32_t)line;
    return true;
}

static bool read_ways(struct topology_parser *parser, uint32_t *out_ways)
{
    const char *start = parser->at;
    uint64_t ways;
    if (word_is(start, word_length(start), "full")) {
        parser->at += 4;
        *out_ways = 0;
        return true;
    }
    if (!read_number(parser, "a number of ways or 'full'", &ways))
        return false;
    if (ways < 1 || ways > 1024)
        return fail(parser, start, "expected 1 to 1024 or 'full'");
    *out_ways = (uint32_t)ways;
    return true;
}

static bool read_attribute(struct topology_parser *parser, struct node_shape *shape)
{
    skip_blanks(parser);
    const char *name = parser->at;
    int length = word_length(name);
    bool cache = topology_is_cache(shape->level), memory = shape->level == TOPOLOGY_NUMA;
    bool size = (cache || memory) && word_is(name, length, "size");
    size = size || (memory && word_is(name, length, "memory"));
    bool line = cache && word_is(name, length, "line"), ways = cache && word_is(name, length, "ways");
    if (!size && !line && !ways)
        return fail_at_word(parser, cache    ? "size, line or ways"
                                    : memory ? "size"
                                             : "no attributes of this level");
    parser->at += length;
    if (!eat(parser, '='))
        return fail_at_word(parser, "'='");
    return size   ? read_bytes(parser, &shape->bytes)
           : line ? read_line(parser, &shape->line_bytes)
                  : read_ways(parser, &shape->associativity);
}

/* A cache has at least one line, and only whole lines. */
static bool check_cache(struct topology_parser *parser, const char *where, struct node_shape *shape)
{
    if (!topology_is_cache(shape->level) || shape->bytes >= shape->line_bytes)
        return true;
    return fail(parser, where, "a cache of %" PRIu64 " bytes has no room for a line of %" PRIu32,
                shape->bytes, shape->line_bytes);
}

static bool read_attributes(struct topology_parser *parser, struct node_shape *shape)
{
    const char *start = parser->at;
    if (!eat(parser, '('))
        return true;
    while (!eat(parser, ')')) {
        if (!read_attribute(parser, shape))
            return false;
        eat(parser, ',');
    }
    return check_cache(parser, start, shape);
}

/* ---- levels ------------------------------------------------------------------------------- */

static bool find_level(const char *word, int length, enum topology_level *out_level)
{
    if (word_is(word, length, "core")) {
        *out_level = TOPOLOGY_UNIT;
        return true;
    }
    for (int level = TOPOLOGY_PACKAGE; level < TOPOLOGY_LEVEL_COUNT; level++) {
        if (word_is(word, length, topology_level_name((enum topology_level)level))) {
            *out_level = (enum topology_level)level;
            return true;
        }
    }
    return false;
}

struct level_text {
    const char *start;
    struct node_shape shape;
    uint64_t count;
};

static bool read_level(struct topology_parser *parser, struct level_text *out_level)
{
    enum topology_level level;
    skip_blanks(parser);
    const char *start = out_level->start = parser->at;
    if (!find_level(start, word_length(start), &level))
        return fail_at_word(parser, level_names);
    out_level->shape = node_shape_default(level);
    out_level->count = 1;
    parser->at += word_length(start);
    const char *count = parser->at + 1;
    if (*parser->at == ':') {
        parser->at++;
        if (!read_number(parser, "how many", &out_level->count))
            return false;
    }
    if (out_level->count < 1 || out_level->count > TOPOLOGY_UNITS_MAX)
        return fail(parser, count, "found %" PRIu64 ", expected 1 to %d", out_level->count,
                    TOPOLOGY_UNITS_MAX);
    return read_attributes(parser, &out_level->shape);
}

static bool read_branches(struct topology_parser *parser, uint32_t parent);

static bool read_inside(struct topology_parser *parser, uint32_t node);

static bool add(struct topology_parser *parser, uint32_t parent, const struct level_text *level,
                uint32_t *out_node)
{
    switch (builder_add(&parser->builder, parent, &level->shape, out_node)) {
    case ADD_OK: return true;
    case ADD_NO_MEMORY: return no_memory(parser);
    case ADD_TOO_MANY: return fail(parser, level->start, "more than %d compute units", TOPOLOGY_UNITS_MAX);
    case ADD_MISPLACED: break;
    }
    return fail(parser, level->start, "'%s' cannot be here: %s", topology_level_name(level->shape.level),
                builder_objection(&parser->builder, parent, level->shape.level));
}

static bool read_branch(struct topology_parser *parser, uint32_t parent)
{
    struct level_text level;
    if (!read_level(parser, &level))
        return false;
    const char *inside = parser->at;
    for (uint64_t i = 0; i < level.count; i++) {
        uint32_t node;
        parser->at = inside;
        if (!add(parser, parent, &level, &node))
            return false;
        if (level.shape.level != TOPOLOGY_UNIT && !read_inside(parser, node))
            return false;
    }
    return true;
}

static bool read_inside(struct topology_parser *parser, uint32_t node)
{
    if (!eat(parser, '{'))
        return read_branch(parser, node);
    return read_branches(parser, node) && (eat(parser, '}') || fail_at_word(parser, "',' or '}'"));
}

static bool read_branches(struct topology_parser *parser, uint32_t parent)
{
    do {
        if (!read_branch(parser, parent))
            return false;
    } while (eat(parser, ','));
    return true;
}

/* ---- all of it --------------------------------------------------------------------------------- */

static const char *text_of_preset(const char *text)
{
    const char *name, *value, *help;
    for (size_t i = 0; (name = topology_preset(i, &value, &help)) != NULL; i++)
        if (strcmp(name, text) == 0)
            return value;
    return text;
}

static bool read_all(struct topology_parser *parser)
{
    if (!builder_init(&parser->builder))
        return no_memory(parser);
    if (!read_branches(parser, 0))
        return false;
    skip_blanks(parser);
    return !*parser->at || fail_at_word(parser, "',' or the end");
}

enum status topology_parse(const char *text, struct topology *out_topology, struct diagnosis *diagnosis)
{
    struct diagnosis own = {0};
    const char *value = text_of_preset(text);
    struct topology_parser parser = {.text = value, .at = value, .diagnosis = &own};
    *out_topology = (struct topology){0};
    bool fine = read_all(&parser);
    if (fine && !builder_finish(&parser.builder, text, out_topology))
        fine = no_memory(&parser);
    builder_fini(&parser.builder);
    if (fine)
        return STATUS_OK;
    /* hwloc may accept what this form lacks: other names, "[NUMANode]", indexes. */
    struct diagnosis large = {0};
    if (parser.status == STATUS_BAD_SCENARIO &&
        topology_import_synthetic(text, out_topology, &large) == STATUS_OK)
        return STATUS_OK;
    return diagnose(diagnosis, parser.status, "%s", large.text[0] ? large.text : own.text);
}
