/* SPDX-License-Identifier: Apache-2.0 */
#include "usage.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event.h"
#include "svm.h"
#include "orrery/report.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards `gone` and `uses` */

static void name_object(const struct object *object, char *out, size_t size)
{
    snprintf(out, size, "%s %" PRIu32, object_kind_name(object->kind), object->id);
}

/* ---- handles of objects that are gone ------------------------------------------------------------- */

enum { GONE_MAX = 1024 };

/* The last objects whose references the program gave back. */
static struct {
    struct gone {
        const void *handle;
        enum object_kind kind;
        uint32_t id;
        struct call_site *site; /* where that was */
    } object[GONE_MAX];
    size_t count;
} gone;

static void remember_gone(const struct object *object)
{
    struct call_site *site = call_site_new();
    if (!site)
        return;
    pthread_mutex_lock(&lock);
    struct gone *slot = &gone.object[gone.count++ % GONE_MAX];
    struct call_site *old = slot->site;
    *slot = (struct gone){object, object->kind, object->id, site};
    pthread_mutex_unlock(&lock);
    free(old);
}

/* The youngest: an address may have been several objects. lock held. */
static const struct gone *find_gone(const void *handle, enum object_kind kind)
{
    size_t last = gone.count < GONE_MAX ? gone.count : GONE_MAX;
    for (size_t i = 0; i < last; i++) {
        const struct gone *slot = &gone.object[(gone.count - 1 - i) % GONE_MAX];
        if (slot->handle == handle && slot->kind == kind)
            return slot;
    }
    return NULL;
}

static bool is_release(const struct call *call)
{
    return strncmp(call->name, "clRelease", 9) == 0;
}

static void tell_gone(const struct call *call, const struct gone *slot)
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

/* Contexts, programs and sub-devices live on while something was made of them; but the handle is the
 * program's to use only if a query gave it anew. */
static bool is_given_back(const void *handle, enum object_kind kind)
{
    const struct object *object = object_lookup(handle, kind);
    return !object || (!object->refs && object->made && !object->answered);
}

static bool tell_if_gone(const struct call *call, const void *handle, enum object_kind kind)
{
    const bool retains = strncmp(call->name, "clRetain", 8) == 0 && object_lookup(handle, kind);
    if (!handle || retains || !is_given_back(handle, kind))
        return false;
    pthread_mutex_lock(&lock);
    const struct gone *slot = find_gone(handle, kind);
    struct gone copy = {.handle = NULL};
    if (slot)
        copy = *slot;
    copy.site = slot ? call_site_copy(slot->site) : NULL;
    pthread_mutex_unlock(&lock);
    if (slot)
        tell_gone(call, &copy);
    free(copy.site);
    return slot != NULL;
}

static bool check_events(const struct call *call, const char *count_name, const char *list_name)
{
    const struct argument *count = call_argument(call, count_name), *list = call_argument(call, list_name);
    const cl_event *events = count && list ? (const cl_event *)(uintptr_t)list->bits : NULL;
    bool told = false;
    for (uint64_t i = 0; events && i < count->bits; i++)
        told |= tell_if_gone(call, events[i], OBJECT_EVENT);
    return told;
}

static bool check_handles(const struct call *call)
{
    bool told = false;
    for (size_t i = 0; i < call->count; i++)
        if (call->arguments[i].kind >= VALUE_HANDLE)
            told |= tell_if_gone(call, (const void *)(uintptr_t)call->arguments[i].bits,
                                 (enum object_kind)(call->arguments[i].kind - VALUE_HANDLE));
    /* Without a queue the call does not look at the list either. */
    if (told || (call->count && call->arguments[0].kind >= VALUE_HANDLE && !call->arguments[0].bits))
        return told;
    told = check_events(call, "num_events_in_wait_list", "event_wait_list");
    return told || check_events(call, "num_events", "event_list");
}

void usage_answered(const struct call *call)
{
    const struct argument *size = call_argument(call, "param_value_size"),
                          *value = call_argument(call, "param_value");
    void *const *answers = size && value ? (void *const *)(uintptr_t)value->bits : NULL;
    for (size_t i = 0;
         answers && strncmp(call->name, "clGet", 5) == 0 && (i + 1) * sizeof *answers <= size->bits; i++)
        for (int kind = 0; kind < OBJECT_KIND_COUNT; kind++) {
            struct object *object = object_lookup(answers[i], (enum object_kind)kind);
            if (object)
                object->answered = true;
        }
}

/* ---- mappings that stay ------------------------------------------------------------------------------ */

/* release: where it goes; NULL: at the end. */
static void tell_mapped(const struct memobj *memobj, const struct call_site *release, const char *why)
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
    remember_gone(object);
    struct call_site *site = object->kind == OBJECT_MEMOBJ ? call_site_new() : NULL;
    if (site)
        tell_mapped((const struct memobj *)object, site, "it is released while these bytes are mapped");
    free(site);
}

/* ---- shared memory in use ----------------------------------------------------------------------------- */

struct use {
    struct use *next;
    uint64_t start, end;
    struct event *event; /* of the command; referenced */
    struct call_site *site;
};
static struct use *uses; /* the youngest first */

static void use_free(struct use *use)
{
    object_unref(use->event);
    free(use->site);
    free(use);
}

static void add_use(const struct command *command, const void *pointer)
{
    const struct svm_allocation *allocation = pointer ? svm_find(command->queue->context, pointer) : NULL;
    struct use *use = allocation ? calloc(1, sizeof *use) : NULL;
    if (!use)
        return;
    use->start = (uint64_t)(uintptr_t)allocation->pointer;
    use->end = use->start + allocation->size;
    use->event = object_ref(command->event);
    use->site = call_site_new();
    pthread_mutex_lock(&lock);
    use->next = uses;
    uses = use;
    pthread_mutex_unlock(&lock);
}

/* Takes those that `done` holds for off the list. */
static void drop_uses(bool (*done)(const struct use *use, const void *data), const void *data)
{
    struct use *dropped = NULL;
    pthread_mutex_lock(&lock);
    for (struct use **link = &uses; *link;) {
        struct use *use = *link;
        if (!done(use, data)) {
            link = &use->next;
            continue;
        }
        *link = use->next;
        use->next = dropped;
        dropped = use;
    }
    pthread_mutex_unlock(&lock);
    while (dropped) {
        struct use *use = dropped;
        dropped = use->next;
        use_free(use);
    }
}

static bool is_complete(const struct use *use, const void *data)
{
    (void)data;
    return !event_pending(use->event);
}

static bool is_of(const struct use *use, const void *event)
{
    return use->event == event;
}

void usage_waited(void)
{
    if (call_finds())
        drop_uses(is_complete, NULL);
}

void usage_forget(const struct command *command)
{
    if (call_finds())
        drop_uses(is_of, command->event);
}

static void use_launch(const struct command *command)
{
    const struct kernel_object *kernel = command->u.launch.kernel;
    for (size_t i = 0; i < kernel->info->arg_count; i++) {
        const struct kernel_arg_value *value = &kernel->args[i];
        const enum arg_kind kind = kernel->info->args[i].kind;
        if (!value->memobj && (kind == ARG_GLOBAL || kind == ARG_CONSTANT))
            add_use(command, (const void *)(uintptr_t)value->address);
    }
    for (size_t i = 0; i < kernel->svm_count; i++)
        add_use(command, kernel->svm_pointers[i]);
    for (size_t i = 0; i < command->u.launch.memobj_count; i++)
        if (command->u.launch.memobjs[i]->is_svm)
            add_use(command, (const void *)(uintptr_t)command->u.launch.memobjs[i]->address);
}

static bool transfers(const struct command *command)
{
    return command->kind <= COMMAND_COPY_BUFFER_RECT ||
           (command->kind >= COMMAND_READ_IMAGE && command->kind <= COMMAND_COPY_BUFFER_TO_IMAGE);
}

static void use_memobj(const struct command *command, const struct memobj *memobj)
{
    if (memobj && memobj->is_svm)
        add_use(command, (const void *)(uintptr_t)memobj->address);
}

static void note_uses(const struct command *command)
{
    if (transfers(command)) {
        add_use(command, command->u.transfer.host);
        use_memobj(command, command->u.transfer.target);
        use_memobj(command, command->u.transfer.source);
        return;
    }
    switch (command->kind) {
    case COMMAND_NDRANGE_KERNEL:
    case COMMAND_TASK: use_launch(command); return;
    case COMMAND_SVM_MEMCPY:
        add_use(command, command->u.svm_copy.target);
        add_use(command, command->u.svm_copy.source);
        return;
    case COMMAND_SVM_MEMFILL: add_use(command, command->u.fill.svm); return;
    case COMMAND_SVM_MAP:
    case COMMAND_SVM_UNMAP: add_use(command, command->u.svm_map.pointer); return;
    case COMMAND_FILL_BUFFER: use_memobj(command, command->u.fill.target); return;
    default: return;
    }
}

static void name_shared(const struct svm_allocation *allocation, char *out, size_t size)
{
    snprintf(out, size, "shared memory %" PRIu32 " (%zu bytes)", allocation->serial, allocation->size);
}

void usage_svm_free(const struct svm_allocation *allocation)
{
    const uint64_t start = (uint64_t)(uintptr_t)allocation->pointer;
    struct call_site *site = NULL;
    uint32_t serial = 0;
    char object[64], why[160];
    if (!call_finds())
        return;
    pthread_mutex_lock(&lock);
    for (const struct use *use = uses; use; use = use->next)
        if (use->start == start) {
            free(site); /* the oldest is told: it is found last */
            site = call_site_copy(use->site);
            serial = use->event->serial;
        }
    pthread_mutex_unlock(&lock);
    if (!serial)
        return;
    name_shared(allocation, object, sizeof object);
    snprintf(why, sizeof why, "command %" PRIu32 " uses it, and the program has not waited for that", serial);
    call_find(FINDING_SVM_FREE_IN_USE,
              &(struct call_finding){.object = object,
                                     .why = why,
                                     .fix = "wait for the command first, or clEnqueueSVMFree behind it",
                                     .other = site,
                                     .other_what = "enqueued here"});
    free(site);
}

/* ---- the same host memory twice --------------------------------------------------------------------------
 */

struct span {
    uint64_t start, end;
};

static struct span host_span(const struct memobj *memobj)
{
    uint64_t start = memobj ? (uint64_t)(uintptr_t)memobj->host_ptr : 0;
    return (struct span){start, start ? start + memobj->size : 0};
}

static bool meet(struct span a, struct span b)
{
    return a.start < b.end && b.start < a.end;
}

static const struct memobj *root_of(const struct memobj *memobj)
{
    while (memobj->parent)
        memobj = memobj->parent;
    return memobj;
}

static void tell_overlap(const struct memobj *a, const struct memobj *b)
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

static void check_pair(const struct memobj *a, const struct memobj *b)
{
    if (a && b && root_of(a) != root_of(b) && !(a->is_svm && b->is_svm) && meet(host_span(a), host_span(b)))
        tell_overlap(a, b);
}

/* A read or write between a buffer and the host memory below it moves nothing, or bytes onto others of them.
 */
static void check_own_memory(const struct command *command, const struct memobj *memobj, size_t offset)
{
    const uint64_t host = (uint64_t)(uintptr_t)command->u.transfer.host;
    const struct span below = host_span(memobj),
                      bytes = {below.start + offset, below.start + offset + command->u.transfer.size};
    const struct span given = {host, host + command->u.transfer.size};
    char object[64];
    if (!below.start || host == bytes.start || !meet(given, bytes))
        return;
    name_object(&memobj->base, object, sizeof object);
    call_find(FINDING_HOST_OVERLAP,
              &(struct call_finding){
                  .object = object,
                  .why = "ptr points into the host memory of the buffer, to other bytes of it than the "
                         "region, and the two overlap",
                  .fix = "clEnqueueCopyBuffer for bytes within a buffer; ptr elsewhere for a copy"});
}

static void check_host_memory(const struct command *command)
{
    if (command->kind == COMMAND_READ_BUFFER)
        check_own_memory(command, command->u.transfer.source, command->u.transfer.source_offset);
    if (command->kind == COMMAND_WRITE_BUFFER)
        check_own_memory(command, command->u.transfer.target, command->u.transfer.target_offset);
    if (transfers(command))
        check_pair(command->u.transfer.source, command->u.transfer.target);
    if (command->kind != COMMAND_NDRANGE_KERNEL && command->kind != COMMAND_TASK)
        return;
    for (size_t i = 0; i < command->u.launch.memobj_count; i++)
        for (size_t k = 0; k < i; k++)
            check_pair(command->u.launch.memobjs[k], command->u.launch.memobjs[i]);
}

void usage_command(const struct command *command)
{
    if (!call_finds())
        return;
    check_host_memory(command);
    note_uses(command);
}

/* ---- callbacks ----------------------------------------------------------------------------------------- */

static _Thread_local int callbacks;

void usage_callback(int step)
{
    callbacks += step;
}

static bool is_true(const struct call *call, const char *name)
{
    const struct argument *argument = call_argument(call, name);
    return argument && argument->bits;
}

static bool waits(const struct call *call)
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

bool usage_begin(const struct call *call)
{
    if (callbacks && waits(call))
        call_find(FINDING_BLOCKING_CALLBACK,
                  &(struct call_finding){
                      .why = "the thread that runs callbacks may be the one that has to make progress",
                      .fix = "enqueue without waiting and go on in a callback of that command, or wait in "
                             "a thread of the program"});
    return check_handles(call);
}

/* ---- the end --------------------------------------------------------------------------------------------
 */

static void tell_leak(const char *object, const struct call_site *made)
{
    call_find_at(FINDING_LEAKED_OBJECT, made,
                 &(struct call_finding){.object = object,
                                        .why = "the program ends, and it was never released",
                                        .fix = "release what was made or retained, each time"});
}

void usage_svm_left(const struct svm_allocation *allocation)
{
    char object[64];
    if (!call_finds() || !allocation->made)
        return;
    name_shared(allocation, object, sizeof object);
    call_find_at(FINDING_LEAKED_OBJECT, allocation->made,
                 &(struct call_finding){.object = object,
                                        .why = "it was never freed",
                                        .fix = "clSVMFree before the context goes"});
}

void usage_finish(void)
{
    size_t count = 0;
    struct object **objects = call_finds() ? object_list(&count) : NULL;
    for (size_t i = 0; i < count; i++) {
        char object[64];
        if (!objects[i]->refs || !objects[i]->made)
            continue;
        name_object(objects[i], object, sizeof object);
        tell_leak(object, objects[i]->made);
        if (objects[i]->kind == OBJECT_MEMOBJ)
            tell_mapped((const struct memobj *)objects[i], NULL,
                        "the program ends while these bytes are mapped");
    }
    free(objects);
    if (call_finds())
        svm_tell_left();
}
