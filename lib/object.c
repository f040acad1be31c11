/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handles: a hash table of the pointers of live objects. A handle is looked up there before it is
 * dereferenced, so an unknown or released handle is an error.
 */
#include "object.h"

#include <pthread.h>
#include <stdlib.h>

#include "orrery/checked.h"
#include "callback.h"
#include "api.h"
#include "lib/diagnose/call.h"
#include "lib/diagnose/usage.h"
#include "queue.h"
#include "api_runtime.h"

struct kind {
    const char *name;
    cl_int error;
    void (*destroy)(void *object);
};

static const struct kind kinds[OBJECT_KIND_COUNT] = {
#define OBJECT(name, text, error, destroy) [OBJECT_##name] = {text, error, destroy},
#include "object.def"
#undef OBJECT
};

/*
 * Open addressing with linear probing. The order of the table depends on addresses, so a list of objects is
 * sorted (object_list).
 *
 * The last GRAVEYARD_SIZE destroyed objects keep their memory. The loader reads the dispatch pointer of any
 * handle that it is given, so a released handle must still be readable to reach the lookup that refuses it.
 */
enum { GRAVEYARD_SIZE = 1024 };

static struct {
    pthread_mutex_t lock;
    struct object **slots;
    size_t capacity, count; /* capacity: a power of two */
    size_t promised;        /* objects made and not yet published */
    size_t live[OBJECT_KIND_COUNT];
    uint32_t next_id[OBJECT_KIND_COUNT];
    void *graveyard[GRAVEYARD_SIZE];
    size_t burials;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* fork(2) waits for the table's lock, so that a child finds the table consistent and unlocked. */
static void fork_prepare(void)
{
    pthread_mutex_lock(&table.lock);
}

static void fork_done(void)
{
    pthread_mutex_unlock(&table.lock);
}

__attribute__((constructor)) static void table_survives_fork(void)
{
    pthread_atfork(fork_prepare, fork_done, fork_done);
}

static size_t slot_hash(const void *handle, size_t capacity)
{
    uint64_t bits = (uint64_t)(uintptr_t)handle * 0x9e3779b97f4a7c15u;
    return (size_t)(bits >> 32) & (capacity - 1);
}

/* The slot that holds handle, or the free one where it belongs. */
static size_t slot_find(const void *handle)
{
    CHECKED(table.capacity && (table.capacity & (table.capacity - 1)) == 0 && table.count < table.capacity);
    size_t slot = slot_hash(handle, table.capacity);
    while (table.slots[slot] && table.slots[slot] != handle)
        slot = (slot + 1) & (table.capacity - 1);
    return slot;
}

/* Room for the objects in the table and those that will be published. */
static bool table_reserve(void)
{
    if (2 * (table.count + table.promised) <= table.capacity)
        return true;
    size_t old_capacity = table.capacity;
    struct object **old_slots = table.slots;
    size_t capacity = old_capacity ? 2 * old_capacity : 256;
    struct object **slots = calloc(capacity, sizeof *slots);
    if (!slots)
        return false;
    table.slots = slots;
    table.capacity = capacity;
    for (size_t i = 0; i < old_capacity; i++)
        if (old_slots[i])
            table.slots[slot_find(old_slots[i])] = old_slots[i];
    free(old_slots);
    return true;
}

static void table_remove(struct object *object)
{
    if (!table.capacity)
        return;
    size_t hole = slot_find(object), mask = table.capacity - 1;
    if (!table.slots[hole])
        return;
    CHECKED(table.count > 0 && table.live[object->kind] > 0);
    table.live[object->kind]--;
    table.count--;
    /* An entry after the hole moves into it, unless its home slot is after the hole. */
    for (size_t slot = (hole + 1) & mask; table.slots[slot]; slot = (slot + 1) & mask) {
        size_t home = slot_hash(table.slots[slot], table.capacity);
        if (((slot - home) & mask) >= ((slot - hole) & mask)) {
            table.slots[hole] = table.slots[slot];
            hole = slot;
        }
    }
    table.slots[hole] = NULL;
}

static struct object *table_get(const void *handle, enum object_kind kind)
{
    if (!handle || !table.capacity)
        return NULL;
    struct object *object = table.slots[slot_find(handle)];
    return object && object->kind == kind ? object : NULL;
}

/* Contexts, programs and sub-devices exist as long as objects that were made of them, whose queries
 * return the handle. Every other handle is invalid after its last release. */
static bool outlives_release(enum object_kind kind)
{
    return kind == OBJECT_CONTEXT || kind == OBJECT_PROGRAM || kind == OBJECT_DEVICE;
}

static void bury(void *object)
{
    pthread_mutex_lock(&table.lock);
    void **grave = &table.graveyard[table.burials++ % GRAVEYARD_SIZE];
    void *exhumed = *grave;
    *grave = object;
    pthread_mutex_unlock(&table.lock);
    free(exhumed);
}

static void destroy(void *handle)
{
    struct object *object = handle;
    if (!object->published) { /* its creation failed */
        pthread_mutex_lock(&table.lock);
        table.promised--;
        pthread_mutex_unlock(&table.lock);
    }
    if (kinds[object->kind].destroy)
        kinds[object->kind].destroy(object);
    free(object->made);
    object->made = NULL;
    bury(object);
}

void *object_new(enum object_kind kind, size_t size)
{
    CHECKED(size >= sizeof(struct object) && (int)kind < OBJECT_KIND_COUNT);
    struct object *object = calloc(1, size);
    if (!object)
        return NULL;
    object->dispatch = &api_dispatch;
    object->kind = kind;
    object->refs = 1;
    object->internal = 1; /* one reference stands for all of the user */
    pthread_mutex_lock(&table.lock);
    object->id = ++table.next_id[kind];
    table.promised++;
    const bool room = table_reserve();
    table.promised -= !room;
    pthread_mutex_unlock(&table.lock);
    if (room)
        return object;
    free(object);
    return NULL;
}

void object_publish(void *handle)
{
    struct object *object = handle;
    object->made = call_site_new();
    pthread_mutex_lock(&table.lock);
    CHECKED(!object->published && table.promised > 0);
    table.slots[slot_find(object)] = object;
    table.promised--;
    object->published = true;
    table.count++;
    table.live[object->kind]++;
    pthread_mutex_unlock(&table.lock);
    if (object->kind == OBJECT_MEMOBJ)
        usage_shared_published(handle);
}

void *object_lookup(const void *handle, enum object_kind kind)
{
    pthread_mutex_lock(&table.lock);
    struct object *object = table_get(handle, kind);
    pthread_mutex_unlock(&table.lock);
    return object;
}

cl_int object_error(enum object_kind kind)
{
    CHECKED((int)kind < OBJECT_KIND_COUNT);
    return kinds[kind].error;
}

const char *object_kind_name(enum object_kind kind)
{
    return kinds[kind].name;
}

cl_int object_retain(const void *handle, enum object_kind kind)
{
    pthread_mutex_lock(&table.lock);
    struct object *object = table_get(handle, kind);
    if (object && __atomic_fetch_add(&object->refs, 1, __ATOMIC_RELAXED) == 0)
        __atomic_fetch_add(&object->internal, 1, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&table.lock);
    return object ? CL_SUCCESS : kinds[kind].error;
}

cl_int object_release(const void *handle, enum object_kind kind)
{
    pthread_mutex_lock(&table.lock);
    struct object *object = table_get(handle, kind);
    const bool known = object && object->refs > object->held;
    const cl_uint left = known ? __atomic_sub_fetch(&object->refs, 1, __ATOMIC_RELAXED) : 0;
    const bool last = known && left == 0, programs_last = known && left == object->held;
    CHECKED(!known || object->internal > 0); /* the one that stands for the user's */
    if (last && !outlives_release(kind))
        table_remove(object);
    if (programs_last)
        object_ref(object); /* a callback may return meanwhile */
    pthread_mutex_unlock(&table.lock);
    if (programs_last) {
        usage_released(object);
        object_unref(object);
    }
    if (last)
        object_unref(object);
    return known ? CL_SUCCESS : kinds[kind].error;
}

void object_hold(void *handle)
{
    struct object *object = handle;
    pthread_mutex_lock(&table.lock);
    if (__atomic_fetch_add(&object->refs, 1, __ATOMIC_RELAXED) == 0)
        __atomic_fetch_add(&object->internal, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&object->held, 1, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&table.lock);
}

void object_unhold(void *handle)
{
    struct object *object = handle;
    pthread_mutex_lock(&table.lock);
    CHECKED(object->held > 0 && object->held <= object->refs);
    __atomic_sub_fetch(&object->held, 1, __ATOMIC_RELAXED);
    const bool last = __atomic_sub_fetch(&object->refs, 1, __ATOMIC_RELAXED) == 0;
    if (last)
        table_remove(object);
    pthread_mutex_unlock(&table.lock);
    if (last)
        object_unref(object);
}

void *object_ref(void *handle)
{
    struct object *object = handle;
    if (object)
        __atomic_fetch_add(&object->internal, 1, __ATOMIC_RELAXED);
    return object;
}

void object_unref(void *handle)
{
    struct object *object = handle;
    if (!object)
        return;
    /* under the lock, since a retain of a context by its handle must not race with its destruction */
    pthread_mutex_lock(&table.lock);
    bool last = __atomic_sub_fetch(&object->internal, 1, __ATOMIC_ACQ_REL) == 0;
    if (last)
        table_remove(object);
    pthread_mutex_unlock(&table.lock);
    /* destroying may call functions of the program, which run without locks */
    if (last && runtime_lock_held())
        callback_post(destroy, object);
    else if (last)
        destroy(object);
}

static int by_kind_and_number(const void *a, const void *b)
{
    const struct object *x = *(struct object *const *)a, *y = *(struct object *const *)b;
    return x->kind != y->kind ? (x->kind < y->kind ? -1 : 1) : (x->id > y->id) - (x->id < y->id);
}

struct object **object_list(unsigned wanted, size_t *out_count)
{
    pthread_mutex_lock(&table.lock);
    struct object **list = calloc(table.count + 1, sizeof *list);
    *out_count = 0;
    for (size_t i = 0; list && i < table.capacity; i++)
        if (table.slots[i] && wanted >> table.slots[i]->kind & 1)
            list[(*out_count)++] = object_ref(table.slots[i]);
    pthread_mutex_unlock(&table.lock);
    if (list)
        qsort(list, *out_count, sizeof(struct object *), by_kind_and_number);
    return list;
}

void object_list_free(struct object **list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        object_unref(list[i]);
    free(list);
}

size_t object_live_count(enum object_kind kind)
{
    pthread_mutex_lock(&table.lock);
    size_t count = table.live[kind];
    pthread_mutex_unlock(&table.lock);
    return count;
}
