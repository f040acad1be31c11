/* SPDX-License-Identifier: Apache-2.0 */
/* The trace: a JSON line for each work-item of an event, written at once. Addresses are offsets in their
 * allocation, since absolute addresses differ between runs. A line for which memory is lacking is lost, and
 * trace_flush reports it. Traces in memory keep their first lines and count the others. */
#include "trace.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "orrery/checked.h"
#include "orrery/device.h"
#include "orrery/file_limit.h"
#include "orrery/report.h"
#include "sim/report/report_json.h"

struct trace {
    const struct memory *memory;
    FILE *stream; /* NULL: could not be opened */
    char *text;   /* of a trace in memory: the output of the stream */
    size_t text_size;
    uint64_t lines_most, lines, left_out; /* lines_most 0: no limit */
    bool every_file;  /* every line names its file; else only lines of files other than the kernel's */
    uint64_t passage; /* the number of the next barrier or collective that work-items pass */
    bool lost;        /* a line was lost for lack of memory */
};

static struct trace *trace_begin(const struct memory *memory)
{
    struct trace *trace = calloc(1, sizeof *trace);
    if (!trace)
        return NULL;
    trace->memory = memory;
    trace->passage = 1;
    return trace;
}

struct trace *trace_new(const char *pattern, bool force, const struct memory *memory)
{
    struct trace *trace = trace_begin(memory);
    if (trace)
        trace->stream = report_open_file(pattern, force);
    return trace;
}

struct trace *trace_new_in_memory(uint64_t lines_most, const struct memory *memory)
{
    struct trace *trace = trace_begin(memory);
    if (!trace)
        return NULL;
    trace->lines_most = lines_most;
    trace->every_file = true;
    trace->stream = open_memstream(&trace->text, &trace->text_size);
    if (trace->stream)
        return trace;
    free(trace);
    return NULL;
}

const char *trace_text(struct trace *trace, uint64_t *out_left_out)
{
    *out_left_out = trace->left_out;
    return trace_flush(trace) ? trace->text : NULL;
}

void trace_free(struct trace *trace)
{
    if (trace && trace->stream)
        fclose(trace->stream);
    if (trace)
        free(trace->text);
    free(trace);
}

bool trace_flush(struct trace *trace)
{
    return trace->stream && fflush(trace->stream) == 0 && !ferror(trace->stream) && !trace->lost;
}

/* ---- lines ------------------------------------------------------------------------------- */

static const char *order_word(enum memory_ordering order)
{
    static const char *const words[] = {"relaxed", "acquire", "release", "acq_rel", "seq_cst"};
    CHECKED(order < sizeof words / sizeof *words);
    return words[order];
}

static const char *scope_word(enum memory_scope scope)
{
    static const char *const words[] = {"work_item", "sub_group", "work_group", "device", "all_svm_devices"};
    CHECKED(scope < sizeof words / sizeof *words);
    return words[scope];
}

static const char *access_word(enum access_kind kind)
{
    static const char *const words[] = {"read", "write", "atomic-read", "atomic-write", "atomic-update"};
    CHECKED(kind < sizeof words / sizeof *words);
    return words[kind];
}

static const char *sync_word(enum sync_kind kind)
{
    static const char *const words[] = {
        [SYNC_FENCE] = "fence",
        [SYNC_WORK_GROUP_BARRIER] = "work-group-barrier",
        [SYNC_SUB_GROUP_BARRIER] = "sub-group-barrier",
        [SYNC_NAMED_BARRIER] = "named-barrier",
        [SYNC_COLLECTIVE] = "collective",
        [SYNC_COPY] = "copy",
        [SYNC_COPY_WAIT] = "copy-wait",
    };
    return words[kind];
}

/* NULL: an integer, or no number. */
static const char *number_word(enum number_type type)
{
    static const char *const words[] = {
        [NUMBER_HALF] = "half", [NUMBER_FLOAT] = "float", [NUMBER_DOUBLE] = "double"};
    return words[type];
}

/* A line that lacks a part is lost. */
static void put(struct trace *trace, json_t *line, const char *key, json_t *value)
{
    trace->lost |= json_object_set_new(line, key, value) != 0;
}

static void put_integer(struct trace *trace, json_t *line, const char *key, uint64_t value)
{
    put(trace, line, key, json_integer((json_int_t)value));
}

static void put_word(struct trace *trace, json_t *line, const char *key, const char *word)
{
    put(trace, line, key, report_json_text(word));
}

static json_t *sizes_json(const uint64_t sizes[3])
{
    return json_pack("[I,I,I]", (json_int_t)sizes[0], (json_int_t)sizes[1], (json_int_t)sizes[2]);
}

static void put_regions(struct trace *trace, json_t *line, uint32_t regions)
{
    static const struct {
        uint32_t flag;
        const char *word;
    } words[] = {{REGION_GLOBAL, "global"}, {REGION_LOCAL, "local"}, {REGION_IMAGE, "image"}};
    json_t *list = json_array();
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (regions & words[i].flag)
            trace->lost |= json_array_append_new(list, json_string(words[i].word)) != 0;
    put(trace, line, "regions", list);
}

static void end_line(struct trace *trace, json_t *line)
{
    struct file_limit hold;
    file_limit_hold(&hold);
    if (!line || json_dumpf(line, trace->stream, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_ENSURE_ASCII) != 0)
        trace->lost = true;
    fputc('\n', trace->stream);
    file_limit_release(&hold);
    json_decref(line);
}

/* Begins a line with the unit and the place in the source. */
static json_t *begin_line(struct trace *trace, const char *type, const struct origin *origin,
                          const struct item *item)
{
    struct source_place place;
    json_t *line = json_object();
    program_site(origin->launch->program, origin->site, &place);
    put_word(trace, line, "type", type);
    put_integer(trace, line, "launch", origin->launch->launch);
    put_integer(trace, line, "group", item->group_linear);
    put_integer(trace, line, "item", item->local_linear);
    put_integer(trace, line, "sub_group", item->sub_group);
    if (place.line) {
        if (place.file &&
            (trace->every_file || program_site_elsewhere(origin->launch->program, origin->site)))
            put_word(trace, line, "file", place.file);
        put_integer(trace, line, "line", place.line);
        put_integer(trace, line, "column", place.column);
    }
    return line;
}

/* False: the limit of lines is reached. Counts the line. */
static bool take_line(struct trace *trace)
{
    const bool room = !trace->lines_most || trace->lines < trace->lines_most;
    trace->lines += room;
    trace->left_out += !room;
    return room;
}

/* ---- events --------------------------------------------------------------------------------- */

/* Addresses outside of allocations are the host's and differ between runs. */
static void put_bytes(struct trace *trace, json_t *line, uint64_t address, uint32_t size)
{
    const struct region *region = memory_region(trace->memory, address);
    if (region->kind != REGION_NONE) {
        put_integer(trace, line, "object", region->id);
        put_word(trace, line, "name", region->name);
        put_word(trace, line, "region", region->kind == REGION_LOCAL_VARIABLE ? "local" : "global");
        put_integer(trace, line, "offset", address - region->low);
    }
    put_integer(trace, line, "size", size);
}

static void put_value(struct trace *trace, json_t *line, const char *key, bool known, uint64_t value)
{
    char text[24];
    /* as text, since JSON readers lose bits of large numbers */
    snprintf(text, sizeof text, "0x%" PRIx64, value);
    if (known)
        put_word(trace, line, key, text);
}

static void put_values(struct trace *trace, json_t *line, const struct access_event *event, uint32_t lane)
{
    const struct origin *origin = &event->origin;
    const char *number = number_word(program_site_type(origin->launch->program, origin->site));
    struct lane_values values;
    lane_values(trace->memory, event, lane, &values);
    if (number && (values.has_read || values.has_written))
        put_word(trace, line, "number", number);
    put_value(trace, line, "found", values.has_read, values.read);
    put_value(trace, line, "wrote", values.has_written, values.written);
}

static void put_access(struct trace *trace, const struct access_event *event, uint32_t lane)
{
    const bool failed = lane_in(event->failed, lane);
    const enum access_kind kind = failed ? ACCESS_ATOMIC_READ : event->kind;
    struct item item;
    origin_item(&event->origin, lane, &item);
    json_t *line = begin_line(trace, "access", &event->origin, &item);
    put_word(trace, line, "kind", access_word(kind));
    if (kind >= ACCESS_ATOMIC_READ) {
        put_word(trace, line, "order", order_word(failed ? event->failure_order : event->order));
        put_word(trace, line, "scope", scope_word(event->scope));
    }
    if (event->image)
        put(trace, line, "image", json_true());
    if (event->copy)
        put_integer(trace, line, "copy", event->copy);
    put_bytes(trace, line, lane_address(event, lane), event->size_bytes);
    put_values(trace, line, event, lane);
    end_line(trace, line);
}

static void on_access(void *self, const struct access_event *event)
{
    for (uint32_t lane = 0; lane < event->lane_count; lane++)
        if (lane_in(event->mask, lane) && take_line(self))
            put_access(self, event, lane);
}

static void put_sync(struct trace *trace, const struct sync_event *event, uint32_t lane)
{
    const bool fence = event->kind == SYNC_FENCE,
               copy = event->kind == SYNC_COPY || event->kind == SYNC_COPY_WAIT;
    struct item item;
    origin_item(&event->origin, lane, &item);
    json_t *line = begin_line(trace, "sync", &event->origin, &item);
    put_word(trace, line, "kind", sync_word(event->kind));
    if (!fence && !copy)
        put_integer(trace, line, "passage", trace->passage);
    if (copy)
        put_integer(trace, line, "copy", event->copy);
    if (!copy && event->kind != SYNC_COLLECTIVE) {
        put_regions(trace, line, event->regions);
        put_word(trace, line, "scope", scope_word(event->scope));
    }
    if (fence)
        put_word(trace, line, "order", order_word(event->order));
    end_line(trace, line);
}

static void on_sync(void *self, const struct sync_event *event)
{
    struct trace *trace = self;
    for (uint32_t lane = 0; lane < event->lane_count; lane++)
        if (lane_in(event->mask, lane) && take_line(trace))
            put_sync(trace, event, lane);
    trace->passage += event->last && event->kind >= SYNC_WORK_GROUP_BARRIER && event->kind <= SYNC_COLLECTIVE;
}

static void on_launch(void *self, const struct launch_event *event)
{
    struct trace *trace = self;
    const struct launch_info *info = event->launch;
    if (event->phase != LAUNCH_BEGIN || !take_line(trace))
        return;
    json_t *line = json_object();
    put_word(trace, line, "type", "launch");
    put_integer(trace, line, "launch", info->launch);
    put_word(trace, line, "kernel", info->kernel);
    put(trace, line, "global", sizes_json(info->global_size));
    put(trace, line, "local", sizes_json(info->local_size));
    put_integer(trace, line, "sub_group_size", info->sub_group_size);
    end_line(trace, line);
}

struct observer trace_observer(struct trace *trace)
{
    if (!trace->stream)
        return (struct observer){.self = trace};
    return (struct observer){.self = trace, .access = on_access, .sync = on_sync, .launch = on_launch};
}
