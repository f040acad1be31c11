/* SPDX-License-Identifier: Apache-2.0 */
/* Collects spans of launches, work-groups and copies, and writes them as trace events. */
#include "timeline.h"

#include <inttypes.h>
#include <jansson.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "orrery/limits.h"

enum span_kind { SPAN_COMMAND, SPAN_LAUNCH, SPAN_GROUP, SPAN_SLICE };
struct timeline_span {
    enum span_kind kind;
    uint32_t track; /* queue; 0; or index of struct track: compute unit and slot */
    uint64_t begin, end;
    uint32_t name;   /* index into names; not used by time slices */
    uint32_t number; /* number of the command or launch */
    uint64_t group;
    uint32_t first, last; /* of a time slice: the sub-groups, or the work-items if it has one sub-group */
    bool item, open;
};

/* A thread of a compute unit. */
struct track {
    uint32_t unit, slot;
    bool busy;
};

struct timeline {
    const struct scenario *scenario;
    pthread_mutex_t lock;
    struct timeline_span *spans;
    size_t span_count, span_room;
    char **names;
    size_t name_count, name_room;
    struct track *tracks;
    size_t track_count, track_room;
    uint64_t dropped;
    size_t slice; /* the open time slice: index of spans + 1 */
    size_t *open; /* running launches and groups: indices of spans */
    size_t open_count, open_room;
};

struct timeline *timeline_new(const struct scenario *scenario)
{
    struct timeline *timeline = calloc(1, sizeof *timeline);
    if (!timeline)
        return NULL;
    timeline->scenario = scenario;
    pthread_mutex_init(&timeline->lock, NULL);
    return timeline;
}

void timeline_free(struct timeline *timeline)
{
    if (!timeline)
        return;
    for (size_t i = 0; i < timeline->name_count; i++)
        free(timeline->names[i]);
    pthread_mutex_destroy(&timeline->lock);
    free(timeline->spans);
    free(timeline->names);
    free(timeline->tracks);
    free(timeline->open);
    free(timeline);
}

/* ---- tables ----------------------------------------------------------------------------- */

/* Makes room for one more item; false: out of memory, and the table is unchanged. */
static bool grow(void **items, size_t *room, size_t count, size_t size)
{
    if (count < *room)
        return true;
    size_t wanted = *room ? *room * 2 : HOSTILE(64, 1);
    void *larger = realloc(*items, wanted * size);
    if (!larger)
        return false;
    *items = larger;
    *room = wanted;
    return true;
}
#define GROW(timeline, items, name)                                                       \
    grow((void **)&(timeline)->items, &(timeline)->name##_room, (timeline)->name##_count, \
         sizeof *(timeline)->items)

/* The index of a name; 0, which is "?", if out of memory. */
static uint32_t name_of(struct timeline *timeline, const char *text)
{
    const char *wanted = text ? text : "?";
    for (size_t i = timeline->name_count; i-- > 0;)
        if (strcmp(timeline->names[i], wanted) == 0)
            return (uint32_t)i;
    char *copy = GROW(timeline, names, name) ? strdup(wanted) : NULL;
    if (!copy)
        return UINT32_MAX;
    timeline->names[timeline->name_count] = copy;
    return (uint32_t)timeline->name_count++;
}

/* Index + 1; 0: dropped. */
static size_t add_span(struct timeline *timeline, const struct timeline_span *span)
{
    if (timeline->span_count == TIMELINE_SPANS_MOST || !GROW(timeline, spans, span)) {
        timeline->dropped++;
        return 0;
    }
    timeline->spans[timeline->span_count] = *span;
    timeline->spans[timeline->span_count].open = true;
    return ++timeline->span_count;
}

static void end_span(struct timeline *timeline, size_t span, uint64_t time)
{
    CHECKED(span <= timeline->span_count);
    if (!span)
        return;
    CHECKED(timeline->spans[span - 1].open && time >= timeline->spans[span - 1].begin);
    timeline->spans[span - 1].end = time;
    timeline->spans[span - 1].open = false;
}

/* The unit's first idle thread; UINT32_MAX: out of memory. */
static uint32_t take_track(struct timeline *timeline, uint32_t unit)
{
    uint32_t slot = 0;
    for (size_t i = 0; i < timeline->track_count; i++) {
        struct track *track = &timeline->tracks[i];
        if (track->unit != unit)
            continue;
        if (!track->busy) {
            track->busy = true;
            return (uint32_t)i;
        }
        slot++;
    }
    if (!GROW(timeline, tracks, track))
        return UINT32_MAX;
    CHECKED(timeline->track_count < timeline->track_room);
    timeline->tracks[timeline->track_count] = (struct track){unit, slot, true};
    return (uint32_t)timeline->track_count++;
}

/* ---- events -------------------------------------------------------------------------------- */

static struct timeline_span *open_group(struct timeline *timeline, uint32_t launch, uint64_t group,
                                        size_t *out_at)
{
    for (size_t i = 0; i < timeline->open_count; i++) {
        struct timeline_span *span = &timeline->spans[timeline->open[i]];
        *out_at = i;
        if (span->kind == SPAN_GROUP && span->number == launch && span->group == group)
            return span;
    }
    return NULL;
}

static void close_at(struct timeline *timeline, size_t at, uint64_t time)
{
    const struct timeline_span *span = &timeline->spans[timeline->open[at]];
    if (span->kind == SPAN_GROUP)
        timeline->tracks[span->track].busy = false;
    end_span(timeline, timeline->open[at] + 1, time);
    timeline->open[at] = timeline->open[--timeline->open_count];
}

static void begin_group(struct timeline *timeline, const struct launch_event *event)
{
    uint32_t track = GROW(timeline, open, open) ? take_track(timeline, event->compute_unit) : UINT32_MAX;
    struct timeline_span span = {.kind = SPAN_GROUP,
                                 .track = track,
                                 .begin = event->time,
                                 .name = name_of(timeline, event->launch->kernel),
                                 .number = event->launch->launch,
                                 .group = event->group_linear};
    size_t added = track == UINT32_MAX ? 0 : add_span(timeline, &span);
    if (added)
        timeline->open[timeline->open_count++] = added - 1;
    else if (track != UINT32_MAX)
        timeline->tracks[track].busy = false;
}

static void end_group(struct timeline *timeline, const struct launch_event *event)
{
    size_t at = 0;
    if (open_group(timeline, event->launch->launch, event->group_linear, &at))
        close_at(timeline, at, event->time);
}

/* The first line without a running launch: launches that overlap in time get lines of their own. */
static uint32_t launch_line(const struct timeline *timeline)
{
    uint32_t line = 0;
    for (size_t i = 0; i < timeline->open_count; i++) {
        const struct timeline_span *span = &timeline->spans[timeline->open[i]];
        if (span->kind != SPAN_LAUNCH || span->track != line)
            continue;
        line++;
        i = SIZE_MAX; /* start again: 0 after the increment */
    }
    return line;
}

static void begin_launch(struct timeline *timeline, const struct launch_event *event)
{
    struct timeline_span span = {.kind = SPAN_LAUNCH,
                                 .track = launch_line(timeline),
                                 .begin = event->time,
                                 .name = name_of(timeline, event->launch->kernel),
                                 .number = event->launch->launch};
    size_t added = GROW(timeline, open, open) ? add_span(timeline, &span) : 0;
    if (added)
        timeline->open[timeline->open_count++] = added - 1;
}

/* Groups that a finding ended announce no end. */
static void end_launch(struct timeline *timeline, const struct launch_event *event)
{
    for (size_t i = timeline->open_count; i-- > 0;)
        if (timeline->spans[timeline->open[i]].number == event->launch->launch)
            close_at(timeline, i, event->time);
}

static void on_launch(void *self, const struct launch_event *event)
{
    static void (*const handlers[])(struct timeline *,
                                    const struct launch_event *) = {[LAUNCH_BEGIN] = begin_launch,
                                                                    [LAUNCH_END] = end_launch,
                                                                    [GROUP_BEGIN] = begin_group,
                                                                    [GROUP_END] = end_group};
    struct timeline *timeline = self;
    pthread_mutex_lock(&timeline->lock);
    handlers[event->phase](timeline, event);
    pthread_mutex_unlock(&timeline->lock);
}

static void begin_slice(struct timeline *timeline, const struct slice_event *event)
{
    size_t at;
    const struct timeline_span *group = open_group(timeline, event->launch->launch, event->group_linear, &at);
    uint32_t size = event->launch->sub_group_size ? event->launch->sub_group_size : 1;
    bool item = event->lane_count == 1;
    timeline->slice = 0;
    if (!group)
        return;
    struct timeline_span span = {.kind = SPAN_SLICE,
                                 .track = group->track,
                                 .begin = event->time,
                                 .number = event->launch->launch,
                                 .group = event->group_linear,
                                 .item = item,
                                 .first = item ? event->first_lane : event->first_lane / size,
                                 .last = item ? event->first_lane
                                              : (event->first_lane + event->lane_count - 1) / size};
    timeline->slice = add_span(timeline, &span);
}

static void on_slice(void *self, const struct slice_event *event)
{
    struct timeline *timeline = self;
    pthread_mutex_lock(&timeline->lock);
    if (event->begin)
        begin_slice(timeline, event);
    else
        end_span(timeline, timeline->slice, event->time);
    pthread_mutex_unlock(&timeline->lock);
}

static size_t open_command(const struct timeline *timeline, uint32_t command)
{
    for (size_t i = timeline->span_count; i-- > 0;) {
        const struct timeline_span *span = &timeline->spans[i];
        if (span->kind == SPAN_COMMAND && span->number == command)
            return span->open ? i + 1 : 0;
    }
    return 0;
}

static void on_order(void *self, const struct order_event *event)
{
    struct timeline *timeline = self;
    pthread_mutex_lock(&timeline->lock);
    if (event->kind == ORDER_BEGIN) {
        struct timeline_span span = {.kind = SPAN_COMMAND,
                                     .track = event->queue,
                                     .begin = event->time,
                                     .name = name_of(timeline, event->call),
                                     .number = event->command};
        add_span(timeline, &span);
    } else if (event->kind == ORDER_END) {
        end_span(timeline, open_command(timeline, event->command), event->time);
    }
    pthread_mutex_unlock(&timeline->lock);
}

struct observer timeline_observer(struct timeline *timeline)
{
    return (struct observer){.self = timeline, .launch = on_launch, .order = on_order, .slice = on_slice};
}

/* ---- file -------------------------------------------------------------------------------------- */

struct timeline_writer {
    FILE *stream;
    const struct timeline *timeline;
    bool first, fine;
};

static void next_event(struct timeline_writer *writer)
{
    fputs(writer->first ? "\n" : ",\n", writer->stream);
    writer->first = false;
}

/* Names may contain any character. */
static void put_text(struct timeline_writer *writer, const char *text)
{
    json_t *string = json_string(text);
    if (!string)
        string = json_string("?");
    writer->fine = string && json_dumpf(string, writer->stream, JSON_ENCODE_ANY | JSON_ENSURE_ASCII) == 0 &&
                   writer->fine;
    json_decref(string);
}

static void put_title(struct timeline_writer *writer, const char *what, uint32_t process, uint32_t thread,
                      const char *title)
{
    next_event(writer);
    fprintf(writer->stream,
            "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"args\":{\"name\":", what,
            process, thread);
    put_text(writer, title);
    fputs("}}", writer->stream);
}

/* The format has microseconds. */
static void put_time(struct timeline_writer *writer, const char *key, uint64_t time)
{
    fprintf(writer->stream, ",\"%s\":%" PRIu64 ".%03" PRIu64, key, time / 1000, time % 1000);
}

static uint32_t root_of(const struct timeline_writer *writer, uint32_t unit)
{
    const struct scenario *scenario = writer->timeline->scenario;
    uint32_t root = scenario_root_count(scenario) - 1;
    while (root && scenario_root(scenario, root)->first_unit > unit)
        root--;
    return root;
}

/* Threads are sorted by number, so the slots of a unit are adjacent. */
static uint32_t thread_of(const struct track *track)
{
    return track->unit * 4096 + track->slot;
}

static const char *span_name(const struct timeline_writer *writer, const struct timeline_span *span)
{
    return span->name < writer->timeline->name_count ? writer->timeline->names[span->name] : "?";
}

static void put_name(struct timeline_writer *writer, const struct timeline_span *span)
{
    char text[200];
    if (span->kind == SPAN_SLICE && span->item)
        snprintf(text, sizeof text, "work-item %" PRIu32, span->first);
    else if (span->kind == SPAN_SLICE && span->first == span->last)
        snprintf(text, sizeof text, "sub-group %" PRIu32, span->first);
    else if (span->kind == SPAN_SLICE)
        snprintf(text, sizeof text, "sub-groups %" PRIu32 "-%" PRIu32, span->first, span->last);
    else if (span->kind == SPAN_GROUP)
        snprintf(text, sizeof text, "group %" PRIu64 " %.150s", span->group, span_name(writer, span));
    else
        snprintf(text, sizeof text, "%.180s", span_name(writer, span));
    put_text(writer, text);
}

/* A thread per queue, by its number; after them a thread per line of launches. */
enum { LAUNCH_THREADS = 1 << 24 };
static uint32_t launch_thread(uint32_t line)
{
    return line ? LAUNCH_THREADS + line : 0;
}

static void put_span(struct timeline_writer *writer, const struct timeline_span *span, uint64_t last)
{
    static const char *const sorts[] = {"command", "launch", "group", "sub-group"};
    bool on_unit = span->kind == SPAN_GROUP || span->kind == SPAN_SLICE;
    const struct track *track = on_unit ? &writer->timeline->tracks[span->track] : NULL;
    uint32_t process = track ? 1 + root_of(writer, track->unit) : 0;
    uint64_t end = span->open ? last : span->end;
    next_event(writer);
    fputs("{\"ph\":\"X\",\"name\":", writer->stream);
    put_name(writer, span);
    fprintf(writer->stream, ",\"cat\":\"%s\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32, sorts[span->kind],
            process,
            track                       ? thread_of(track)
            : span->kind == SPAN_LAUNCH ? launch_thread(span->track)
                                        : span->track);
    put_time(writer, "ts", span->begin);
    put_time(writer, "dur", end - span->begin);
    if (on_unit)
        fprintf(writer->stream, ",\"args\":{\"launch\":%" PRIu32 ",\"group\":%" PRIu64 "}}", span->number,
                span->group);
    else
        fprintf(writer->stream, ",\"args\":{\"%s\":%" PRIu32 "}}", sorts[span->kind], span->number);
}

static bool queue_seen_before(const struct timeline *timeline, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (timeline->spans[i].kind == SPAN_COMMAND &&
            timeline->spans[i].track == timeline->spans[index].track)
            return true;
    return false;
}

static void put_host_titles(struct timeline_writer *writer)
{
    char title[64];
    uint32_t lines = 1;
    put_title(writer, "process_name", 0, 0, "host");
    for (size_t i = 0; i < writer->timeline->span_count; i++)
        if (writer->timeline->spans[i].kind == SPAN_LAUNCH && writer->timeline->spans[i].track >= lines)
            lines = writer->timeline->spans[i].track + 1;
    for (uint32_t line = 0; line < lines; line++) {
        snprintf(title, sizeof title, "launches (%" PRIu32 ")", line + 1);
        put_title(writer, "thread_name", 0, launch_thread(line), line ? title : "launches");
    }
    for (size_t i = 0; i < writer->timeline->span_count; i++) {
        const struct timeline_span *span = &writer->timeline->spans[i];
        if (span->kind != SPAN_COMMAND || queue_seen_before(writer->timeline, i))
            continue;
        snprintf(title, sizeof title, "queue %" PRIu32, span->track);
        put_title(writer, "thread_name", 0, span->track, title);
    }
}

static void put_device_titles(struct timeline_writer *writer)
{
    const struct scenario *scenario = writer->timeline->scenario;
    char title[200];
    for (uint32_t i = 0; i < scenario_root_count(scenario); i++) {
        const char *name = scenario_root(scenario, i)->name;
        snprintf(title, sizeof title, "device %" PRIu32 "%s%.150s", i, name ? ": " : "", name ? name : "");
        put_title(writer, "process_name", i + 1, 0, title);
    }
    for (size_t i = 0; i < writer->timeline->track_count; i++) {
        const struct track *track = &writer->timeline->tracks[i];
        uint32_t root = root_of(writer, track->unit);
        int used = snprintf(title, sizeof title, "cu %" PRIu32,
                            track->unit - scenario_root(scenario, root)->first_unit);
        if (track->slot)
            snprintf(title + used, sizeof title - (size_t)used, " (%" PRIu32 ")", track->slot + 1);
        put_title(writer, "thread_name", root + 1, thread_of(track), title);
    }
}

bool timeline_write(struct timeline *timeline, size_t most, FILE *stream)
{
    struct timeline_writer writer = {stream, timeline, true, true};
    uint64_t last = 0;
    pthread_mutex_lock(&timeline->lock);
    const size_t written = timeline->span_count < most ? timeline->span_count : most;
    for (size_t i = 0; i < timeline->span_count; i++) {
        const struct timeline_span *span = &timeline->spans[i];
        last = span->begin > last ? span->begin : last;
        last = span->end > last ? span->end : last;
    }
    fprintf(stream, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"dropped\":%" PRIu64 "},\"traceEvents\":[",
            timeline->dropped + (timeline->span_count - written));
    put_host_titles(&writer);
    put_device_titles(&writer);
    for (size_t i = 0; i < written; i++)
        put_span(&writer, &timeline->spans[i], last);
    fputs("\n]}\n", stream);
    pthread_mutex_unlock(&timeline->lock);
    return writer.fine;
}
