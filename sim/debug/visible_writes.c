/* SPDX-License-Identifier: Apache-2.0 */
/*
 * may-read: which of the writes so far could a load here return? A run from the beginning keeps every write
 * of the bytes, with its epoch, and queries the race checker at each for the earlier ones that happen before
 * it. A load here may return a write
 *
 *   unless a write of the same bytes is between them: that write happens before the load, and the first one
 *   happens before it, or precedes it in the modification order of an atomic object;
 *   or unless an atomic read that happens before the load has seen a later write of that order (coherence).
 *
 * The modification order is the one of this run. Each byte is decided by itself. The bytes as they were when
 * the launch began happen before all writes. Writes that no work-item has made yet are unknown.
 *
 * The epoch of an access is taken before the checker processes it. The query of what happens before it is
 * made after that: an atomic operation that acquires happens after the release that it reads from.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "debugger.h"
#include "orrery/inquiry.h"
#include "sim/device/device_state.h"
#include "sim/memmodel/checkers.h"

enum { WRITES_MOST = 1024, READS_MOST = 4096, BYTES_MOST = 128 };

struct written {
    struct inquiry_epoch epoch;
    uint64_t position;
    struct item item;
    uint32_t site, copy;
    enum access_kind kind;
    uint32_t first, size; /* among the bytes that are watched */
    uint8_t bytes[BYTES_MOST];
    bool valued;  /* bytes are what it wrote */
    bool *before; /* of the earlier ones: does each happen before it? */
};

/* An atomic read, and the number of writes before it. */
struct seen {
    struct inquiry_epoch epoch;
    uint32_t writes;
};

struct visible_writes {
    uint32_t launch;
    uint64_t group; /* of local memory; UINT64_MAX: of global */
    uint64_t address;
    uint32_t size;
    uint8_t initial[BYTES_MOST];
    bool has_initial, full, fewer, unchecked; /* fewer: reads were left out */
    struct inquiry_epoch pending[WAVE_LANES_MAX];
    struct written *writes;
    struct inquiry_epoch *epochs; /* of them */
    uint32_t count;
    struct seen *reads;
    uint32_t read_count;
};

static bool is_local(const struct visible_writes *v)
{
    return v->group != UINT64_MAX;
}

void visible_writes_free(struct visible_writes *v)
{
    for (uint32_t i = 0; v && i < v->count; i++)
        free(v->writes[i].before);
    if (v) {
        free(v->writes);
        free(v->epochs);
        free(v->reads);
    }
    free(v);
}

/* ---- what happens ---------------------------------------------------------------------------- */

static bool is_kept(const struct visible_writes *v, const struct access_event *event, uint32_t lane)
{
    struct item item;
    const uint64_t address = lane_address(event, lane);
    const bool overlaps = address < v->address + v->size && v->address < address + event->size_bytes;
    if (!overlaps || event->image || !lane_in(event->mask, lane) || event->origin.launch->launch != v->launch)
        return false;
    if (!is_local(v))
        return true;
    origin_item(&event->origin, lane, &item);
    return item.group_linear == v->group;
}

static bool writes(const struct access_event *event, uint32_t lane)
{
    return event->kind == ACCESS_WRITE ||
           (event->kind >= ACCESS_ATOMIC_WRITE && !lane_in(event->failed, lane));
}

static struct inquiry_actor actor_of(const struct access_event *event, uint32_t lane)
{
    return (struct inquiry_actor){&event->origin, lane, event->copy};
}

/* Called before the checker processes the access. */
static void note_epochs(void *self, const struct access_event *event)
{
    struct debugger *d = *(struct debugger **)self;
    struct visible_writes *v = d->visible;
    for (uint32_t lane = 0; v && d->device->checkers && lane < event->lane_count; lane++) {
        const struct inquiry_actor actor = actor_of(event, lane);
        if (is_kept(v, event, lane))
            v->unchecked |=
                checkers_epoch(d->device->checkers, &actor, &v->pending[lane]) != INQUIRY_ANSWERED;
    }
}

/* The value of a plain store is read from the frame, that of an atomic access from memory, since plain
 * accesses are announced before they take effect. */
static bool value_of(const struct debugger *d, const struct access_event *event, uint32_t lane,
                     uint8_t out_bytes[BYTES_MOST])
{
    struct lane_values values;
    const uint32_t size = event->component_bytes;
    if (event->size_bytes > BYTES_MOST || event->copy || !event->slots)
        return false;
    if (event->kind != ACCESS_WRITE) {
        lane_values(&d->device->arena.memory, event, lane, &values);
        memcpy(out_bytes, &values.written, sizeof values.written);
        return values.has_written;
    }
    for (uint32_t c = 0; size && (c + 1) * size <= event->size_bytes; c++)
        memcpy(out_bytes + c * size, event->frame + event->slots[c] + (size_t)lane * size, size);
    return size != 0;
}

static void keep_write(struct debugger *d, const struct access_event *event, uint32_t lane)
{
    struct visible_writes *v = d->visible;
    const uint64_t address = lane_address(event, lane), end = address + event->size_bytes;
    const uint64_t low = address > v->address ? address : v->address,
                   high = end < v->address + v->size ? end : v->address + v->size;
    uint8_t bytes[BYTES_MOST] = {0};
    if (v->count == WRITES_MOST) {
        v->full = true;
        return;
    }
    struct written *w = &v->writes[v->count];
    *w = (struct written){.epoch = v->pending[lane],
                          .position = d->position,
                          .site = event->origin.site,
                          .copy = event->copy,
                          .kind = event->kind,
                          .first = (uint32_t)(low - v->address),
                          .size = (uint32_t)(high - low),
                          .before = calloc(v->count + 1, sizeof *w->before)};
    origin_item(&event->origin, lane, &w->item);
    w->valued = value_of(d, event, lane, bytes);
    if (w->valued)
        memcpy(w->bytes, bytes + (low - address), w->size);
    const struct inquiry_actor actor = actor_of(event, lane);
    v->unchecked |= !w->before || checkers_before(d->device->checkers, &actor, is_local(v), v->epochs,
                                                  v->count, w->before) != INQUIRY_ANSWERED;
    v->epochs[v->count++] = w->epoch;
}

static void keep_read(struct visible_writes *v, uint32_t lane)
{
    const struct inquiry_epoch *epoch = &v->pending[lane];
    const struct seen *last = v->read_count ? &v->reads[v->read_count - 1] : NULL;
    if (last && last->epoch.unit == epoch->unit && last->epoch.clock == epoch->clock &&
        last->writes == v->count)
        return;
    if (v->read_count == READS_MOST)
        v->fewer = true;
    else
        v->reads[v->read_count++] = (struct seen){*epoch, v->count};
}

void visible_writes_access(struct debugger *d, const struct access_event *event)
{
    struct visible_writes *v = d->visible;
    for (uint32_t lane = 0; d->device->checkers && lane < event->lane_count; lane++) {
        if (!is_kept(v, event, lane))
            continue;
        if (event->kind >= ACCESS_ATOMIC_READ)
            keep_read(v, lane);
        if (writes(event, lane))
            keep_write(d, event, lane);
    }
}

/* Local memory has no bytes before the work-group begins. */
void visible_writes_launch(struct debugger *d, uint32_t launch)
{
    struct visible_writes *v = d->visible;
    const struct view view = {.debugger = d};
    if (v->launch == launch && !is_local(v))
        v->has_initial = value_read_memory(&view, v->address, v->initial, v->size);
}

void visible_writes_device(struct debugger *d, struct device *device)
{
    d->self = d;
    device_add_observer(device, &(struct observer){.self = &d->self});
}

json_t *visible_writes_track(struct debugger *d, const json_t *request)
{
    const json_t *address = json_object_get(request, "address");
    struct observer observer = {.self = &d->self};
    visible_writes_free(d->visible);
    d->visible = NULL;
    struct visible_writes *v = address ? calloc(1, sizeof *v) : NULL;
    if (v) {
        v->launch = (uint32_t)json_integer_value(json_object_get(request, "launch"));
        v->group = (uint64_t)json_integer_value(json_object_get(request, "group"));
        v->address = (uint64_t)json_integer_value(address);
        v->size = (uint32_t)json_integer_value(json_object_get(request, "size"));
        v->writes = calloc(WRITES_MOST, sizeof *v->writes);
        v->epochs = calloc(WRITES_MOST, sizeof *v->epochs);
        v->reads = calloc(READS_MOST, sizeof *v->reads);
        observer.access = note_epochs;
    }
    const bool has_room = v && v->writes && v->epochs && v->reads;
    if (address && (!has_room || v->size > BYTES_MOST)) {
        visible_writes_free(v);
        return debugger_refuse("no memory for the writes");
    }
    d->visible = v;
    if (d->device)
        device_change_observer(d->device, &observer);
    return json_object();
}

/* ---- what a load may return ------------------------------------------------------------------ */

static bool is_atomic(const struct written *w)
{
    return w->kind != ACCESS_WRITE;
}

/* Is the first write hidden, in the bytes of both, from each load that the second write happens before? */
static bool is_between(const struct visible_writes *v, uint32_t first, uint32_t second)
{
    return v->writes[second].before[first] || (is_atomic(&v->writes[first]) && is_atomic(&v->writes[second]));
}

static bool is_outdated(const struct visible_writes *v, const bool *read_decided, uint32_t write)
{
    for (uint32_t i = 0; is_atomic(&v->writes[write]) && i < v->read_count; i++) {
        if (!read_decided[i] || v->reads[i].writes <= write + 1)
            continue;
        for (uint32_t k = v->reads[i].writes; k-- > write + 1;)
            if (is_atomic(&v->writes[k]) && v->writes[k].first <= v->writes[write].first &&
                v->writes[k].first + v->writes[k].size >= v->writes[write].first + v->writes[write].size)
                return true;
    }
    return false;
}

/* Is some byte of the write not hidden by another? */
static bool may_return(const struct visible_writes *v, const bool *known, const bool *read_decided,
                       uint32_t write)
{
    const struct written *w = &v->writes[write];
    bool hidden[BYTES_MOST] = {false}, any = false;
    if (is_outdated(v, read_decided, write))
        return false;
    for (uint32_t k = write + 1; k < v->count; k++)
        for (uint32_t b = 0; known[k] && is_between(v, write, k) && b < v->writes[k].size; b++)
            hidden[v->writes[k].first + b] = true;
    for (uint32_t b = 0; b < w->size; b++)
        any |= !hidden[w->first + b];
    return any;
}

static bool may_return_initial(const struct visible_writes *v, const bool *known)
{
    bool hidden[BYTES_MOST] = {false}, any = false;
    for (uint32_t k = 0; k < v->count; k++)
        for (uint32_t b = 0; known[k] && b < v->writes[k].size; b++)
            hidden[v->writes[k].first + b] = true;
    for (uint32_t b = 0; b < v->size; b++)
        any |= !hidden[b];
    return any;
}

static json_t *text_of_bytes(const struct view *view, const struct debug_type *type, const uint8_t *bytes,
                             uint32_t size)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    struct debug_value value = {.type = type};
    if (!stream)
        return json_string("");
    if (type && type->size == size) {
        memcpy(value.bytes, bytes, size);
        value_write(view, &value, stream);
    } else {
        fputs("0x", stream);
        for (uint32_t i = size; i-- > 0;)
            fprintf(stream, "%02x", bytes[i]);
    }
    fclose(stream);
    json_t *shown = json_string(text);
    free(text);
    return shown ? shown : json_string("");
}

static json_t *describe_write(const struct visible_writes *v, const struct view *view,
                              const struct debug_type *type, uint32_t i, bool ordered)
{
    const struct written *w = &v->writes[i];
    struct finding_access access = {0};
    launch_access(view->debugger->launch, w->site, &access);
    json_t *object =
        json_pack("{s:s,s:s,s:i,s:I,s:b,s:i,s:i,s:b}", "what", access.what ? access.what : "write", "file",
                  access.place.file ? access.place.file : "", "line", (int)access.place.line, "position",
                  (json_int_t)w->position, "ordered", ordered, "first", (int)w->first, "size", (int)w->size,
                  "copy", w->copy != 0);
    json_object_set_new(object, "global",
                        json_pack("[I,I,I]", (json_int_t)w->item.global_id[0],
                                  (json_int_t)w->item.global_id[1], (json_int_t)w->item.global_id[2]));
    if (w->valued)
        json_object_set_new(object, "value", text_of_bytes(view, type, w->bytes, w->size));
    return object;
}

static json_t *list_writes(const struct visible_writes *v, const struct view *view,
                           const struct debug_type *type, const bool *known, const bool *read_decided)
{
    json_t *list = json_array();
    for (uint32_t i = v->count; i-- > 0;)
        if (may_return(v, known, read_decided, i))
            json_array_append_new(list, describe_write(v, view, type, i, known[i]));
    json_t *answer =
        json_pack("{s:I,s:i,s:o,s:i,s:b}", "address", (json_int_t)v->address, "size", (int)v->size, "writes",
                  list, "hidden", (int)(v->count - json_array_size(list)), "fewer", v->fewer);
    if (may_return_initial(v, known))
        json_object_set_new(answer, "initial",
                            v->has_initial ? text_of_bytes(view, type, v->initial, v->size) : json_null());
    return answer;
}

static json_t *report_tracked(struct debugger *d, const struct view *view, const struct debug_type *type)
{
    const struct visible_writes *v = d->visible;
    struct checkers *checkers = d->device->checkers;
    const struct inquiry_actor actor = {&view->wave->origin, view->lane, 0};
    struct inquiry_epoch *reads = calloc(v->read_count + 1, sizeof *reads);
    bool *known = calloc(v->count + v->read_count + 1, sizeof *known),
         *read_decided = known ? known + v->count : NULL;
    json_t *answer = NULL;
    for (uint32_t i = 0; reads && i < v->read_count; i++)
        reads[i] = v->reads[i].epoch;
    if (v->full)
        answer =
            debugger_refuse("there were more than %d writes: query earlier, or fewer bytes", WRITES_MOST);
    else if (!checkers || v->unchecked)
        answer = debugger_refuse("this launch is not checked for data races: --data-races=error does");
    else if (reads && known &&
             checkers_before(checkers, &actor, is_local(v), v->epochs, v->count, known) == INQUIRY_ANSWERED &&
             checkers_before(checkers, &actor, is_local(v), reads, v->read_count, read_decided) ==
                 INQUIRY_ANSWERED)
        answer = list_writes(v, view, type, known, read_decided);
    free(reads);
    free(known);
    return answer ? answer : debugger_refuse("the race checker does not know this place");
}

/* Replies {"track": ...}: the session must run here again and track these bytes. */
json_t *visible_writes_request(struct debugger *d, const struct view *view, const char *expression)
{
    struct race_inquiry inquiry = {.origin = &view->wave->origin};
    const struct debug_type *type = NULL;
    struct item item;
    json_t *error = ask_bytes(view, expression, &inquiry, &type);
    if (error)
        return error;
    if (!d->device->checkers)
        return debugger_refuse("this launch is not checked for data races: --data-races=error does");
    const struct region *region = memory_region(&d->device->arena.memory, inquiry.address);
    const enum region_kind kind = region->kind;
    const bool shared = kind == REGION_BUFFER || kind == REGION_VARIABLE || kind == REGION_LOCAL_VARIABLE;
    if (!shared || inquiry.address < region->low || inquiry.address >= region->high ||
        inquiry.size_bytes > region->high - inquiry.address)
        return debugger_refuse("no memory that work-items share is there");
    origin_item(&view->wave->origin, view->lane, &item);
    const uint64_t group = kind == REGION_LOCAL_VARIABLE ? item.group_linear : UINT64_MAX;
    const struct visible_writes *v = d->visible;
    const uint32_t launch = view->wave->origin.launch->launch;
    const bool same_bytes = v && v->address == inquiry.address && v->size == inquiry.size_bytes;
    if (same_bytes && v->launch == launch && v->group == group)
        return report_tracked(d, view, type);
    return json_pack("{s:{s:I,s:i,s:i,s:I}}", "track", "address", (json_int_t)inquiry.address, "size",
                     (int)inquiry.size_bytes, "launch", (int)launch, "group", (json_int_t)group);
}
