/* SPDX-License-Identifier: Apache-2.0 */
/* Counters as tables and as JSON: by node of the topology, by compute unit, by command and by source line.
 * Lines are sorted by file and number, all else is in the order of the tree, so equal runs print equal
 * bytes. Tables omit rows without accesses. */
#include "counters_report.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "sim/report/report_json.h"

/* ---- names -------------------------------------------------------------------------- */

enum { LABEL_CHARS = 96 };

static void node_label(const struct node_counters *node, bool roots, char label[LABEL_CHARS])
{
    int used = roots ? snprintf(label, LABEL_CHARS, "device %" PRIu32 " ", node->root) : 0;
    char *rest = label + used;
    size_t room = LABEL_CHARS - (size_t)used;
    if (node->node)
        snprintf(rest, room, "%s %" PRIu32, topology_level_name(node->node->level), node->node->index);
    else
        snprintf(rest, room, "memory");
}

/* With several devices, each row names its device. */
static bool several_roots(const struct caches *caches)
{
    const struct node_counters *memory;
    for (uint32_t i = 0; (memory = caches_of_memory(caches, i)) != NULL; i++)
        if (memory->root)
            return true;
    return false;
}

/* ---- places in order ------------------------------------------------------------------- */

static int compare_places(const void *a, const void *b)
{
    const struct place_counters *x = *(const struct place_counters *const *)a,
                                *y = *(const struct place_counters *const *)b;
    int files = strcmp(x->file, y->file);
    if (files)
        return files;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return strcmp(x->kernel, y->kernel);
}

/* malloc'd; NULL: none, or out of memory. */
static const struct place_counters **sorted_places(const struct caches *caches)
{
    size_t count = 0;
    while (caches_of_place(caches, count))
        count++;
    const struct place_counters **places = calloc(count + 1, sizeof(struct place_counters *));
    for (size_t i = 0; places && i < count; i++)
        places[i] = caches_of_place(caches, i);
    if (places)
        qsort(places, count, sizeof(struct place_counters *), compare_places);
    return places;
}

/* ---- text ------------------------------------------------------------------------------------ */

static const enum counter all_columns[] = {
    COUNTER_ACCESSES,        COUNTER_WRITES,        COUNTER_HITS,
    COUNTER_MISSES,          COUNTER_INVALIDATIONS, COUNTER_FALSE_SHARING,
    COUNTER_MEMORY_ACCESSES, COUNTER_REMOTE_BYTES};
static const enum counter cache_columns[] = {COUNTER_ACCESSES,  COUNTER_WRITES,        COUNTER_HITS,
                                             COUNTER_MISSES,    COUNTER_INVALIDATIONS, COUNTER_FALSE_SHARING,
                                             COUNTER_EVICTIONS, COUNTER_WRITE_BACKS};
static const enum counter memory_columns[] = {COUNTER_ACCESSES, COUNTER_WRITES, COUNTER_BYTES,
                                              COUNTER_REMOTE_ACCESSES, COUNTER_REMOTE_BYTES};

struct table {
    FILE *stream;
    const char *title;
    const enum counter *columns;
    size_t column_count;
    bool begun;
};
#define TABLE(stream, title, columns)                                     \
    {                                                                     \
        stream, title, columns, sizeof columns / sizeof columns[0], false \
    }

static void print_head(struct table *table)
{
    fprintf(table->stream, "  %-28s", table->title);
    for (size_t i = 0; i < table->column_count; i++)
        fprintf(table->stream, " %15s", counter_name(table->columns[i]));
    fputc('\n', table->stream);
    table->begun = true;
}

static void print_row(struct table *table, const char *label, const struct counters *counters)
{
    if (!counters->value[COUNTER_ACCESSES] && !counters->value[COUNTER_INVALIDATIONS])
        return;
    if (!table->begun)
        print_head(table);
    fprintf(table->stream, "  %-28s", label);
    for (size_t i = 0; i < table->column_count; i++)
        fprintf(table->stream, " %15" PRIu64, counters->value[table->columns[i]]);
    fputc('\n', table->stream);
}

static void print_nodes(const struct caches *caches, struct table *table,
                        const struct node_counters *(*get)(const struct caches *, uint32_t))
{
    const struct node_counters *node;
    char label[LABEL_CHARS];
    for (uint32_t i = 0; (node = get(caches, i)) != NULL; i++) {
        node_label(node, several_roots(caches), label);
        print_row(table, label, &node->counters);
    }
}

static void print_units(const struct caches *caches, FILE *stream)
{
    struct table table = TABLE(stream, "compute unit", all_columns);
    const struct counters *counters;
    char label[LABEL_CHARS];
    for (uint32_t i = 0; (counters = caches_of_unit(caches, i)) != NULL; i++) {
        snprintf(label, sizeof label, "cu %" PRIu32, i);
        print_row(&table, label, counters);
    }
}

static void print_commands(const struct caches *caches, FILE *stream)
{
    struct table table = TABLE(stream, "command", all_columns);
    const struct command_counters *command;
    char label[LABEL_CHARS];
    for (size_t i = 0; (command = caches_of_command(caches, i)) != NULL; i++) {
        if (command->what)
            snprintf(label, sizeof label, "%" PRIu32 " (%s)", command->command, command->what);
        else
            snprintf(label, sizeof label, "%" PRIu32 " %s", command->command, command->kernel);
        print_row(&table, label, &command->counters);
    }
}

static void print_places(const struct caches *caches, FILE *stream)
{
    struct table table = TABLE(stream, "source line", all_columns);
    const struct place_counters **places = sorted_places(caches);
    char label[LABEL_CHARS];
    for (size_t i = 0; places && places[i]; i++) {
        snprintf(label, sizeof label, "%s:%" PRIu32 " %s", *places[i]->file ? places[i]->file : "?",
                 places[i]->line, places[i]->kernel);
        print_row(&table, label, &places[i]->counters);
    }
    free(places);
}

void counters_print(const struct caches *caches, FILE *stream)
{
    struct table cache_table = TABLE(stream, "cache", cache_columns),
                 memory_table = TABLE(stream, "memory", memory_columns);
    const struct counters *total = caches_total(caches);
    fputs("orrery: COUNTERS", stream);
    for (int i = 0; i < COUNTER_COUNT; i++)
        fprintf(stream, " %s=%" PRIu64, counter_name((enum counter)i), total->value[i]);
    fputc('\n', stream);
    if (caches_lost(caches))
        fputs("orrery: memory ran out: the counters end before the program did\n", stream);
    print_nodes(caches, &cache_table, caches_of_cache);
    print_nodes(caches, &memory_table, caches_of_memory);
    print_units(caches, stream);
    print_commands(caches, stream);
    print_places(caches, stream);
}

/* ---- JSON ---------------------------------------------------------------------------------------- */

static bool put(json_t *object, const struct counters *counters)
{
    bool fine = object != NULL;
    for (int i = 0; fine && i < COUNTER_COUNT; i++)
        fine = json_object_set_new(object, counter_name((enum counter)i),
                                   json_integer((json_int_t)counters->value[i])) == 0;
    return fine;
}

/* Takes ownership of `object`, also on failure. */
static bool add_row(json_t *rows, json_t *object, const struct counters *counters)
{
    if (put(object, counters))
        return json_array_append_new(rows, object) == 0;
    json_decref(object);
    return false;
}

static bool add_nodes(json_t *rows, const struct caches *caches,
                      const struct node_counters *(*get)(const struct caches *, uint32_t))
{
    const struct node_counters *node;
    char label[LABEL_CHARS];
    bool fine = rows != NULL;
    for (uint32_t i = 0; fine && (node = get(caches, i)) != NULL; i++) {
        node_label(node, false, label);
        fine =
            add_row(rows, json_pack("{s:i, s:s}", "device", (int)node->root, "name", label), &node->counters);
    }
    return fine;
}

static bool add_units(json_t *rows, const struct caches *caches)
{
    const struct counters *counters;
    bool fine = rows != NULL;
    for (uint32_t i = 0; fine && (counters = caches_of_unit(caches, i)) != NULL; i++)
        fine = add_row(rows, json_pack("{s:i}", "unit", (int)i), counters);
    return fine;
}

static json_t *command_object(const struct command_counters *command)
{
    if (command->what)
        return json_pack("{s:i, s:s}", "command", (int)command->command, "what", command->what);
    return json_pack("{s:i, s:i, s:i, s:s}", "command", (int)command->command, "launch", (int)command->launch,
                     "device", (int)command->device, "kernel", command->kernel);
}

static bool add_commands(json_t *rows, const struct caches *caches)
{
    const struct command_counters *command;
    bool fine = rows != NULL;
    for (size_t i = 0; fine && (command = caches_of_command(caches, i)) != NULL; i++)
        fine = add_row(rows, command_object(command), &command->counters);
    return fine;
}

static bool add_places(json_t *rows, const struct caches *caches)
{
    const struct place_counters **places = sorted_places(caches);
    bool fine = rows && places;
    for (size_t i = 0; fine && places[i]; i++)
        fine = add_row(rows,
                       json_pack("{s:o, s:i, s:s}", "file", report_json_text(places[i]->file), "line",
                                 (int)places[i]->line, "kernel", places[i]->kernel),
                       &places[i]->counters);
    free(places);
    return fine;
}

static json_t *add_list(json_t *root, const char *name)
{
    json_t *rows = json_array();
    return json_object_set_new(root, name, rows) == 0 ? rows : NULL;
}

bool counters_write_json(const struct caches *caches, FILE *stream)
{
    json_t *root = json_object(), *total = json_object();
    bool fine = put(total, caches_total(caches)) && json_object_set(root, "total", total) == 0 &&
                json_object_set_new(root, "complete", json_boolean(!caches_lost(caches))) == 0 &&
                add_nodes(add_list(root, "caches"), caches, caches_of_cache) &&
                add_nodes(add_list(root, "memories"), caches, caches_of_memory) &&
                add_units(add_list(root, "units"), caches) &&
                add_commands(add_list(root, "commands"), caches) &&
                add_places(add_list(root, "lines"), caches) && json_dumpf(root, stream, JSON_INDENT(1)) == 0;
    fputc('\n', stream);
    json_decref(total);
    json_decref(root);
    return fine;
}
