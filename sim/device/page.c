/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page of --html. Each part of its data is made by the form of the report that programs read (JSON
 * lines, trace, timeline, counters), and put into one JSON object; the script of the page draws from that.
 */
#include "sim/device/page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/device/device_program.h"
#include "sim/device/object_name.h"
#include "sim/observers/counters_report.h"
#include "sim/observers/timeline.h"
#include "sim/observers/trace.h"
#include "sim/report/report_json.h"

struct page {
    struct trace *trace;
    const struct memory *memory;
    json_t *sources; /* {name, lines} of each text, once */
    json_t *objects; /* what the steps access, once for each launch */
    struct page_object {
        uint32_t launch, object;
    } seen[PAGE_OBJECTS_MOST], last; /* those of objects; the last one accessed */
    uint64_t accesses;               /* until there are more than steps are kept */
    bool lost;                       /* a text had no memory */
};

struct page *page_new(const struct memory *memory)
{
    struct page *page = calloc(1, sizeof *page);
    if (!page)
        return NULL;
    page->memory = memory;
    page->sources = json_array();
    page->objects = json_array();
    page->trace = trace_new_in_memory(PAGE_STEPS_MOST, memory);
    if (page->sources && page->objects && page->trace)
        return page;
    page_free(page);
    return NULL;
}

void page_free(struct page *page)
{
    if (!page)
        return;
    trace_free(page->trace);
    json_decref(page->sources);
    json_decref(page->objects);
    free(page);
}

/* ---- sources ---------------------------------------------------------------------------- */

static json_t *source_json(const struct program_source *source)
{
    json_t *object = json_object(), *lines = json_array();
    report_put_text(object, "name", source->name ? source->name : "");
    for (uint32_t i = 0; i < source->line_count; i++)
        json_array_append_new(lines, report_json_text(source->lines[i]));
    json_object_set_new(object, "lines", lines);
    return object;
}

static bool has_source(const json_t *sources, const json_t *source)
{
    for (size_t i = 0; i < json_array_size(sources); i++)
        if (json_equal(json_array_get(sources, i), source))
            return true;
    return false;
}

static void keep_source(struct page *page, const struct program_source *source)
{
    json_t *object = source->line_count ? source_json(source) : NULL;
    if (object && !has_source(page->sources, object))
        page->lost |= json_array_append(page->sources, object) != 0;
    json_decref(object);
}

static void note_launch(void *self, const struct launch_event *event)
{
    struct page *page = self;
    struct program_source source;
    if (event->phase != LAUNCH_BEGIN)
        return;
    for (size_t i = 0; program_source_get(event->launch->program, i, &source); i++)
        if (json_array_size(page->sources) < PAGE_SOURCES_MOST)
            keep_source(page, &source);
}

/* ---- objects ----------------------------------------------------------------------------- */

static json_t *object_json(const struct launch_info *info, const struct region *region)
{
    struct object_words words;
    json_t *object = json_object();
    object_words(info, region, &words);
    report_put_number(object, "launch", info->launch);
    report_put_number(object, "object", region->id);
    report_put_text(object, "label", words.label.bytes);
    report_put_text(object, "name", words.name && *words.name ? words.name : NULL);
    if (words.elements.name) { /* of several: "ints" */
        json_object_set_new(object, "element",
                            json_stringn(words.elements.name, strlen(words.elements.name) - 1));
        report_put_number(object, "bytes", words.elements.bytes);
        report_put_number(object, "first", words.first_offset);
    }
    return object;
}

static bool same_object(struct page_object a, struct page_object b)
{
    return a.launch == b.launch && a.object == b.object;
}

static void keep_object(struct page *page, const struct launch_info *info, const struct region *region)
{
    const struct page_object now = {info->launch, region->id};
    const size_t count = json_array_size(page->objects);
    if (same_object(page->last, now))
        return;
    page->last = now;
    for (size_t i = 0; i < count; i++)
        if (same_object(page->seen[i], now))
            return;
    if (count == PAGE_OBJECTS_MOST)
        return;
    page->seen[count] = now;
    page->lost |= json_array_append_new(page->objects, object_json(info, region)) != 0;
}

static void note_access(void *self, const struct access_event *event)
{
    struct page *page = self;
    for (uint32_t lane = 0; lane < event->lane_count && page->accesses < PAGE_STEPS_MOST; lane++) {
        if (!lane_in(event->mask, lane))
            continue;
        const struct region *region = memory_region(page->memory, lane_address(event, lane));
        page->accesses++;
        if (region->kind != REGION_NONE)
            keep_object(page, event->origin.launch, region);
    }
}

struct observer page_observer(struct page *page)
{
    return (struct observer){.self = page, .access = note_access, .launch = note_launch};
}

struct observer page_trace_observer(struct page *page)
{
    return trace_observer(page->trace);
}

/* ---- data ------------------------------------------------------------------------------------ */

/* Lemma: outside of strings JSON has no '<', and in a string \u003c is the same character. */
static void put_json(FILE *stream, const char *json, size_t length)
{
    for (const char *c = json, *end = json + length; c < end; c++)
        if (*c == '<')
            fputs("\\u003c", stream);
        else
            fputc(*c, stream);
}

/* Lines of JSON as the elements of an array. */
static void put_lines(FILE *stream, const char *lines)
{
    const char *separator = "";
    while (*lines) {
        const char *end = strchr(lines, '\n');
        const size_t length = end ? (size_t)(end - lines) : strlen(lines);
        fputs(separator, stream);
        put_json(stream, lines, length);
        separator = ",\n";
        lines += length + (end != NULL);
    }
}

struct page_part {
    struct page *page;
    const struct page_run *run;
    uint64_t left_out;
};

static bool write_findings(struct page_part *part, FILE *stream)
{
    const size_t count = report_count(part->run->report);
    for (size_t i = 0; i < count && i < PAGE_FINDINGS_MOST; i++)
        report_write_json(stream, report_get(part->run->report, i));
    part->left_out = count > PAGE_FINDINGS_MOST ? count - PAGE_FINDINGS_MOST : 0;
    return true;
}

static bool write_steps(struct page_part *part, FILE *stream)
{
    const char *text = trace_text(part->page->trace, &part->left_out);
    return text && fputs(text, stream) >= 0;
}

static bool write_sources(struct page_part *part, FILE *stream)
{
    const json_t *sources = part->page->sources;
    return !part->page->lost && json_dumpf(sources, stream, JSON_COMPACT | JSON_PRESERVE_ORDER) == 0;
}

static bool write_objects(struct page_part *part, FILE *stream)
{
    const json_t *objects = part->page->objects;
    return !part->page->lost && json_dumpf(objects, stream, JSON_COMPACT | JSON_PRESERVE_ORDER) == 0;
}

static bool write_timeline(struct page_part *part, FILE *stream)
{
    return timeline_write(part->run->timeline, PAGE_SPANS_MOST, stream);
}

static bool write_counters(struct page_part *part, FILE *stream)
{
    return counters_write_json(part->run->caches, stream);
}

static bool write_run(struct page_part *part, FILE *stream)
{
    struct report_counts counts;
    report_get_counts(part->run->report, part->run->kernels_run, &counts);
    const char *name = part->run->scenario->name;
    json_t *object = json_object();
    report_put_text(object, "name", name ? name : "");
    report_put_number(object, "errors", counts.errors);
    report_put_number(object, "warnings", counts.warnings);
    report_put_number(object, "suppressed", counts.suppressed);
    report_put_number(object, "kernels", counts.kernels);
    report_put_number(object, "seed", counts.seed);
    report_put_text(object, "schedule", schedule_policy_name((enum schedule_policy)counts.policy));
    const bool fine = object && json_dumpf(object, stream, JSON_COMPACT | JSON_PRESERVE_ORDER) == 0;
    json_decref(object);
    return fine;
}

static void add_node(json_t *nodes, const struct topology_node *node)
{
    json_t *object = json_object();
    report_put_text(object, "level", topology_level_name(node->level));
    report_put_number(object, "index", node->index);
    report_put_number(object, "parent", node->parent);
    report_put_number(object, "first_unit", node->first_unit);
    report_put_number(object, "bytes", node->bytes);
    json_array_append_new(nodes, object);
}

static json_t *device_json(const struct device_config *device)
{
    json_t *object = json_object(), *nodes = json_array();
    report_put_text(object, "name", device->name ? device->name : "");
    report_put_number(object, "first_unit", device->first_unit);
    for (uint32_t i = 0; i < device->topology.node_count; i++)
        add_node(nodes, &device->topology.nodes[i]);
    json_object_set_new(object, "nodes", nodes);
    return object;
}

static bool write_topology(struct page_part *part, FILE *stream)
{
    json_t *devices = json_array();
    for (uint32_t i = 0; i < scenario_root_count(part->run->scenario); i++)
        json_array_append_new(devices, device_json(scenario_root(part->run->scenario, i)));
    const bool fine = devices && json_dumpf(devices, stream, JSON_COMPACT | JSON_PRESERVE_ORDER) == 0;
    json_decref(devices);
    return fine;
}

/* In place of a part without memory stands null, and the page is not whole. */
static bool put_part(FILE *stream, const char *key, bool lines, struct page_part *part,
                     bool (*write)(struct page_part *, FILE *))
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    bool fine = memory && write(part, memory);
    fine = memory && fclose(memory) == 0 && fine;
    fprintf(stream, ",\n\"%s\":", key);
    if (fine && lines)
        fputc('[', stream), put_lines(stream, text), fputc(']', stream);
    else if (fine)
        put_json(stream, text, strlen(text));
    else
        fputs("null", stream);
    free(text);
    return fine;
}

static bool put_data(struct page *page, const struct page_run *run, FILE *stream)
{
    struct page_part part = {.page = page, .run = run};
    fputs("{\"page\":1", stream);
    bool fine = put_part(stream, "run", false, &part, write_run);
    fine &= put_part(stream, "findings", true, &part, write_findings);
    fprintf(stream, ",\"findings_left_out\":%" PRIu64, part.left_out);
    fine &= put_part(stream, "sources", false, &part, write_sources);
    fine &= put_part(stream, "steps", true, &part, write_steps);
    fprintf(stream, ",\"steps_left_out\":%" PRIu64, part.left_out);
    fine &= put_part(stream, "objects", false, &part, write_objects);
    fine &= put_part(stream, "topology", false, &part, write_topology);
    if (run->timeline)
        fine &= put_part(stream, "timeline", false, &part, write_timeline);
    if (run->caches)
        fine &= put_part(stream, "counters", false, &part, write_counters);
    fputs("}\n", stream);
    return fine;
}

/* ---- page ------------------------------------------------------------------------------------- */

static const char *const lines[] = {
#include "sim/page/page_lines.inc"
};

static bool write_lines(FILE *stream, bool (*put)(const void *self, FILE *stream), const void *self)
{
    bool fine = true;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (strcmp(lines[i], "@DATA@") == 0)
            fine &= put(self, stream);
        else
            fprintf(stream, "%s\n", lines[i]);
    return fine;
}

struct run_data {
    struct page *page;
    const struct page_run *run;
};

static bool put_run(const void *self, FILE *stream)
{
    const struct run_data *data = self;
    return put_data(data->page, data->run, stream);
}

bool page_write(struct page *page, const struct page_run *run, FILE *stream)
{
    return write_lines(stream, put_run, &(struct run_data){page, run});
}

static bool put_any(const void *self, FILE *stream)
{
    char *text = json_dumps(self, JSON_COMPACT | JSON_PRESERVE_ORDER);
    if (text)
        put_json(stream, text, strlen(text));
    else
        fputs("null", stream);
    fputc('\n', stream);
    const bool fine = text != NULL;
    free(text);
    return fine;
}

bool page_write_json(const json_t *data, FILE *stream)
{
    return write_lines(stream, put_any, data);
}
