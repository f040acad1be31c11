/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings about objects: used after release, released too often, leaked; memory objects whose host memory
 * overlaps; calls that wait inside callbacks. The last RELEASED_MOST released handles are kept with the
 * place of the release, since a handle says nothing once its object is destroyed.
 */
#include "usage.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/callback.h"
#include "lib/command.h"
#include "lib/memobj.h"
#include "lib/svm.h"
#include "lib/transfer.h"
#include "orrery/report.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards `released` and `host_buffers` */

static void name_object(const struct object *object, char *out, size_t size)
{
    snprintf(out, size, "%s %" PRIu32, object_kind_name(object->kind), object->id);
}

static void drop_host_buffer(const struct memobj *memobj);

/* ---- handles of released objects ------------------------------------------------------------- */

enum { RELEASED_MOST = 1024 };

/* A ring of the last objects whose references the program has all released. */
static struct {
    struct released_object {
        const void *handle;
        enum object_kind kind;
        uint32_t id;
        struct call_site *site; /* of the last release */
    } object[RELEASED_MOST];
    size_t count;
} released;

static void note_released(const struct object *object)
{
    struct call_site *site = call_site_new();
    if (!site)
        return;
    pthread_mutex_lock(&lock);
    struct released_object *slot = &released.object[released.count++ % RELEASED_MOST];
    struct call_site *old = slot->site;
    *slot = (struct released_object){object, object->kind, object->id, site};
    pthread_mutex_unlock(&lock);
    free(old);
}

/* The latest entry, since an address may have belonged to several objects. lock held. */
static const struct released_object *find_released(const void *handle, enum object_kind kind)
{
    size_t last = released.count < RELEASED_MOST ? released.count : RELEASED_MOST;
    for (size_t i = 0; i < last; i++) {
        const struct released_object *slot = &released.object[(released.count - 1 - i) % RELEASED_MOST];
        if (slot->handle == handle && slot->kind == kind)
            return slot;
    }
    return NULL;
}

static bool is_release(const struct api_call *call)
{
    return strncmp(call->name, "clRelease", 9) == 0;
}

static void report_released(const struct api_call *call, const struct released_object *slot)
{
    char object[64], why[200];
    const bool again = is_release(call);
    snprintf(object, sizeof object, "%s %" PRIu32, object_kind_name(slot->kind), slot->id);
    snprintf(why, sizeof why, "the program has given back every reference to %s that it had", object);
    call_find(
        again ? FINDING_OVER_RELEASE : FINDING_USE_AFTER_RELEASE,
        &(struct call_finding){.object = object,
                               .why = why,
                               .fix = again ? "release once for each time the object was made or retained"
                                            : "release after the last use, or retain for the time between",
                               .other = slot->site,
                               .other_what = "its last reference goes here"});
}

/* All that is left are references of the runtime for callbacks. A callback may use the handle that it is
 * given, and may not release it. */
static bool is_held_only(const struct object *object, const struct api_call *call)
{
    const cl_uint held = __atomic_load_n(&object->held, __ATOMIC_RELAXED);
    return held && __atomic_load_n(&object->refs, __ATOMIC_RELAXED) == held &&
           (is_release(call) || !callback_thread());
}

/* A context, program or sub-device exists as long as objects that were made of it. But after its last
 * release the program may use the handle only if a query returned it. */
static bool is_released(const struct api_call *call, const void *handle, enum object_kind kind)
{
    const struct object *object = object_lookup(handle, kind);
    return !object || is_held_only(object, call) ||
           (!__atomic_load_n(&object->refs, __ATOMIC_RELAXED) && object->made &&
            !__atomic_load_n(&object->answered, __ATOMIC_RELAXED));
}

static bool report_if_released(const struct api_call *call, const void *handle, enum object_kind kind)
{
    const bool retains = strncmp(call->name, "clRetain", 8) == 0 && object_lookup(handle, kind);
    if (!handle || retains || !is_released(call, handle, kind))
        return false;
    pthread_mutex_lock(&lock);
    const struct released_object *slot = find_released(handle, kind);
    struct released_object copy = {.handle = NULL};
    if (slot)
        copy = *slot;
    copy.site = slot ? call_site_copy(slot->site) : NULL;
    pthread_mutex_unlock(&lock);
    if (slot)
        report_released(call, &copy);
    free(copy.site);
    return slot != NULL;
}

static bool check_events(const struct api_call *call, const char *count_name, const char *list_name)
{
    const struct api_argument *count = call_argument(call, count_name),
                              *list = call_argument(call, list_name);
    const cl_event *events = count && list ? (const cl_event *)(uintptr_t)list->bits : NULL;
    bool reported = false;
    for (uint64_t i = 0; events && i < count->bits; i++)
        reported |= report_if_released(call, events[i], OBJECT_EVENT);
    return reported;
}

static bool check_handles(const struct api_call *call)
{
    bool reported = false;
    for (size_t i = 0; i < call->count; i++)
        if (call->arguments[i].kind >= VALUE_HANDLE)
            reported |= report_if_released(call, (const void *)(uintptr_t)call->arguments[i].bits,
                                           (enum object_kind)(call->arguments[i].kind - VALUE_HANDLE));
    /* Without a queue the call does not read the list either. */
    if (reported || (call->count && call->arguments[0].kind >= VALUE_HANDLE && !call->arguments[0].bits))
        return reported;
    reported = check_events(call, "num_events_in_wait_list", "event_wait_list");
    return reported || check_events(call, "num_events", "event_list");
}

void usage_answered(const struct api_call *call)
{
    const struct api_argument *size = call_argument(call, "param_value_size"),
                              *value = call_argument(call, "param_value");
    void *const *answers = size && value ? (void *const *)(uintptr_t)value->bits : NULL;
    for (size_t i = 0;
         answers && strncmp(call->name, "clGet", 5) == 0 && (i + 1) * sizeof *answers <= size->bits; i++)
        for (int kind = 0; kind < OBJECT_KIND_COUNT; kind++) {
            struct object *object = object_lookup(answers[i], (enum object_kind)kind);
            if (object)
                __atomic_store_n(&object->answered, true, __ATOMIC_RELAXED);
        }
}

/* ---- maps without unmap ------------------------------------------------------------------------------ */

/* release: the call of the last release; NULL: the end of the program. */
static void report_mapped(const struct memobj *memobj, const struct call_site *release, const char *why)
{
    for (const struct map_record *record = memobj->maps; record; record = record->next) {
        char object[96];
        if (!record->made)
            continue;
        name_object(&memobj->base, object, sizeof object);
        snprintf(object + strlen(object), sizeof object - strlen(object), ", bytes %zu..%zu", record->offset,
                 record->offset + record->size - 1);
        call_find_at(FINDING_MISSING_UNMAP, record->made,
                     &(struct call_finding){.object = object,
                                            .why = why,
                                            .fix = "clEnqueueUnmapMemObject for each map",
                                            .other = release,
                                            .other_what = "the last reference goes here"});
    }
}

void usage_released(struct object *object)
{
    if (!call_finds())
        return;
    note_released(object);
    if (object->kind == OBJECT_MEMOBJ) {
        usage_shared_released((const struct memobj *)object);
        drop_host_buffer((const struct memobj *)object);
    }
    struct call_site *site = object->kind == OBJECT_MEMOBJ ? call_site_new() : NULL;
    if (site)
        report_mapped((const struct memobj *)object, site, "it is released while these bytes are mapped");
    free(site);
}

/* ---- memory objects whose host memory overlaps ---- */

struct host_span {
    uint64_t start, end;
};

static struct host_span host_span(const struct memobj *memobj)
{
    uint64_t start = memobj ? (uint64_t)(uintptr_t)memobj->host_ptr : 0;
    return (struct host_span){start, start ? start + memobj->size : 0};
}

static bool spans_overlap(struct host_span a, struct host_span b)
{
    return a.start < b.end && b.start < a.end;
}

static void report_overlap(const struct memobj *a, const struct memobj *b)
{
    char object[128];
    name_object(&a->base, object, sizeof object);
    snprintf(object + strlen(object), sizeof object - strlen(object), " and %s %" PRIu32,
             object_kind_name(b->base.kind), b->base.id);
    call_find(
        FINDING_HOST_OVERLAP,
        &(struct call_finding){.object = object,
                               .why = "both were made with CL_MEM_USE_HOST_PTR, of host memory that overlaps",
                               .fix = "one buffer and sub-buffers of it",
                               .other = b->base.made,
                               .other_what = "the second was made here"});
}

/* Reports an overlap of two objects; true: it did. */
static bool check_pair(struct memobj *a, struct memobj *b)
{
    if (!a || !b || memobj_root(a) == memobj_root(b))
        return false;
    if (a->is_svm && b->is_svm)
        return false;
    const bool shared = spans_overlap(host_span(a), host_span(b));
    if (shared)
        report_overlap(a, b);
    return shared;
}

static void report_own_memory(const struct memobj *memobj)
{
    const bool image = memobj->image;
    char object[64];
    name_object(&memobj->base, object, sizeof object);
    call_find(FINDING_HOST_OVERLAP,
              &(struct call_finding){
                  .object = object,
                  .why = image
                             ? "ptr points into the host memory of the image, to other bytes of it than "
                               "those of the region, and the two overlap"
                             : "ptr points into the host memory of the buffer, to other bytes of it than the "
                               "region, and the two overlap",
                  .fix = image ? "clEnqueueCopyImage for texels within an image; ptr elsewhere for a copy"
                               : "clEnqueueCopyBuffer for bytes within a buffer; ptr elsewhere for a copy"});
}

/* Memory objects of CL_MEM_USE_HOST_PTR that commands have used and that are not released. */
struct host_buffer {
    struct host_buffer *next;
    const struct memobj *memobj; /* a root */
    struct host_span span;
    uint32_t id;
    bool reported, read_only;
    struct call_site *site; /* of the first command */
};
static struct host_buffer *host_buffers;

static void drop_host_buffer(const struct memobj *memobj)
{
    pthread_mutex_lock(&lock);
    struct host_buffer **link = &host_buffers;
    while (*link && (*link)->memobj != memobj)
        link = &(*link)->next;
    struct host_buffer *found = *link;
    if (found)
        *link = found->next;
    pthread_mutex_unlock(&lock);
    if (found)
        free(found->site);
    free(found);
}

/* Another object whose bytes overlap, unless kernels only read both; lock held. */
static struct host_buffer *find_overlapping(const struct memobj *root, struct host_span span)
{
    const bool reads = root->flags & CL_MEM_READ_ONLY;
    for (struct host_buffer *entry = host_buffers; entry; entry = entry->next) {
        if (entry->memobj == root || entry->reported || (reads && entry->read_only))
            continue;
        if (spans_overlap(entry->span, span))
            return entry;
    }
    return NULL;
}

static bool is_listed(const struct memobj *root)
{
    const struct host_buffer *entry = host_buffers;
    while (entry && entry->memobj != root)
        entry = entry->next;
    return entry != NULL;
}

static void report_overlapping(const struct memobj *root, uint32_t id, const struct call_site *site)
{
    char object[128];
    name_object(&root->base, object, sizeof object);
    snprintf(object + strlen(object), sizeof object - strlen(object), " and %s %" PRIu32,
             object_kind_name(root->base.kind), id);
    call_find(
        FINDING_HOST_OVERLAP,
        &(struct call_finding){
            .object = object,
            .why =
                "both were made with CL_MEM_USE_HOST_PTR, of host memory that overlaps: an earlier command "
                "used the second, and what is left in either is undefined",
            .fix = "one buffer and sub-buffers of it; or release one before the other is used",
            .other = site,
            .other_what = "the second is used here"});
}

/* Lists the object, and reports the earlier objects that it overlaps, each once. */
static void note_host_memory(struct memobj *memobj)
{
    const struct memobj *root = memobj_root(memobj);
    const struct host_span span = host_span(root);
    if (!span.start || root->is_svm)
        return;
    struct host_buffer *entry = calloc(1, sizeof *entry);
    struct call_site *site = NULL;
    uint32_t id = 0;
    pthread_mutex_lock(&lock);
    struct host_buffer *overlapping = find_overlapping(root, span);
    if (overlapping) {
        overlapping->reported = true;
        id = overlapping->id;
        site = call_site_copy(overlapping->site);
    }
    if (entry && !is_listed(root)) {
        *entry = (struct host_buffer){.next = host_buffers,
                                      .memobj = root,
                                      .span = span,
                                      .id = root->base.id,
                                      .reported = overlapping != NULL,
                                      .read_only = root->flags & CL_MEM_READ_ONLY,
                                      .site = call_site_new()};
        host_buffers = entry;
        entry = NULL;
    }
    pthread_mutex_unlock(&lock);
    if (id)
        report_overlapping(root, id, site);
    free(site);
    free(entry);
}

/* A read or write between an object and its own host memory: at the same bytes it copies nothing; at
 * others that overlap them it is undefined. */
static void check_own_memory(const struct command *command, const struct memobj *memobj, size_t offset)
{
    const uint64_t host = (uint64_t)(uintptr_t)command->u.transfer.host;
    const struct host_span below = host_span(memobj),
                           bytes = {below.start + offset, below.start + offset + command->u.transfer.size};
    const struct host_span given = {host, host + command->u.transfer.size};
    if (below.start && host != bytes.start && spans_overlap(given, bytes))
        report_own_memory(memobj);
}

/* The same for rectangles and images. */
static void check_own_rect(const struct command *command, const struct memobj *memobj)
{
    const uint64_t host = (uint64_t)(uintptr_t)command->u.transfer.host, below = host_span(memobj).start;
    const struct rect *rect = &command->u.transfer.rect;
    if (below && !transfer_rect_in_place(rect, below, host) &&
        transfer_rect_overlaps_itself(rect, below, host))
        report_own_memory(memobj);
}

static void check_transfer(const struct command *command)
{
    if (check_pair(command->u.transfer.source, command->u.transfer.target))
        return;
    note_host_memory(command->u.transfer.source);
    note_host_memory(command->u.transfer.target);
}

static void check_launch(const struct command *command)
{
    struct memobj *const *memobjs = command->u.launch.memobjs;
    bool reported = false;
    for (size_t i = 0; i < command->u.launch.memobj_count; i++)
        for (size_t k = 0; k < i; k++)
            reported |= check_pair(memobjs[k], memobjs[i]);
    for (size_t i = 0; i < command->u.launch.memobj_count && !reported; i++)
        note_host_memory(memobjs[i]);
}

static void check_host_memory(const struct command *command)
{
    if (command->kind == COMMAND_READ_BUFFER)
        check_own_memory(command, command->u.transfer.source, command->u.transfer.source_offset);
    if (command->kind == COMMAND_WRITE_BUFFER)
        check_own_memory(command, command->u.transfer.target, command->u.transfer.target_offset);
    if (command->kind == COMMAND_READ_BUFFER_RECT || command->kind == COMMAND_READ_IMAGE)
        check_own_rect(command, command->u.transfer.source);
    if (command->kind == COMMAND_WRITE_BUFFER_RECT || command->kind == COMMAND_WRITE_IMAGE)
        check_own_rect(command, command->u.transfer.target);
    if (command_transfers(command))
        check_transfer(command);
    if (command->kind == COMMAND_NDRANGE_KERNEL || command->kind == COMMAND_TASK)
        check_launch(command);
}

void usage_command(const struct command *command)
{
    if (!call_finds())
        return;
    check_host_memory(command);
    usage_shared_command(command);
    usage_pending_command(command);
}

/* ---- callbacks ----------------------------------------------------------------------------------------- */

static _Thread_local int callbacks;

void usage_callback(int step)
{
    callbacks += step;
}

static bool is_true(const struct api_call *call, const char *name)
{
    const struct api_argument *argument = call_argument(call, name);
    return argument && argument->bits;
}

static bool waits(const struct api_call *call)
{
    static const char *const always[] = {"clFinish",
                                         "clWaitForEvents",
                                         "clCreateContext",
                                         "clCreateContextFromType",
                                         "clCreateCommandQueue",
                                         "clCreateCommandQueueWithProperties"};
    static const char *const flags[] = {"blocking_read", "blocking_write", "blocking_map", "blocking_copy"};
    static const char *const builds[] = {"clBuildProgram", "clCompileProgram", "clLinkProgram"};
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        if (strcmp(call->name, always[i]) == 0)
            return true;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (is_true(call, flags[i]))
            return true;
    for (size_t i = 0; i < sizeof builds / sizeof *builds; i++)
        if (strcmp(call->name, builds[i]) == 0)
            return !is_true(call, "pfn_notify");
    return false;
}

/* OpenCL 3.0 API, each clEnqueue*: the event argument must not refer to an element of the list. */
static void check_own_event(const struct api_call *call)
{
    const struct api_argument *count = call_argument(call, "num_events_in_wait_list"),
                              *list = call_argument(call, "event_wait_list"),
                              *event = call_argument(call, "event");
    const uint64_t bytes = count ? count->bits * sizeof(cl_event) : 0;
    if (!list || !list->bits || !event)
        return;
    if (event->bits < list->bits || event->bits - list->bits >= bytes)
        return;
    char object[64];
    snprintf(object, sizeof object, "event_wait_list[%" PRIu64 "]",
             (event->bits - list->bits) / sizeof(cl_event));
    call_find(FINDING_EVENT_IN_OWN_LIST,
              &(struct call_finding){
                  .object = object,
                  .why = "event points to this element of event_wait_list, which the call also reads",
                  .fix = "another variable for the event of the command"});
}

bool usage_begin(const struct api_call *call)
{
    check_own_event(call);
    if (callbacks && waits(call))
        call_find(FINDING_BLOCKING_CALLBACK,
                  &(struct call_finding){
                      .why = "the thread that runs callbacks may be the one that has to make progress",
                      .fix = "enqueue without waiting and go on in a callback of that command, or wait in "
                             "a thread of the program"});
    if (is_release(call) && strcmp(call->name, "clReleaseEvent") != 0)
        usage_pending_release();
    return check_handles(call);
}

/* ---- the end ---- */

static void report_leak(const char *object, const struct call_site *made)
{
    call_find_at(FINDING_LEAKED_OBJECT, made,
                 &(struct call_finding){.object = object,
                                        .why = "the program ends, and it was never released",
                                        .fix = "release what was made or retained, each time"});
}

void usage_finish(void)
{
    size_t count = 0;
    struct object **objects = call_finds() ? object_list(~0u, &count) : NULL;
    const bool leaks = !call_is_off(FINDING_LEAKED_OBJECT);
    usage_pending_finish(objects, count);
    for (size_t i = 0; leaks && i < count; i++) {
        char object[64];
        if (objects[i]->refs == objects[i]->held || !objects[i]->made)
            continue;
        name_object(objects[i], object, sizeof object);
        report_leak(object, objects[i]->made);
        if (objects[i]->kind == OBJECT_MEMOBJ)
            report_mapped((const struct memobj *)objects[i], NULL,
                          "the program ends while these bytes are mapped");
    }
    object_list_free(objects, count);
    if (leaks)
        svm_report_left();
}
