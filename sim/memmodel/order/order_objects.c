/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Atomic objects by address: a hash table, and a packed form for those that had no operation for a while.
 *
 * A program may have millions of atomic objects, most of which have a list with one release or none. When
 * many are unpacked, all that can be are packed (order_pack): 48 bytes and the release, without the list. The
 * next operation unpacks the object (order_unpack). Only objects of global memory whose numbers fit the
 * packed fields are packed.
 */
#include "order_state.h"

#include <stdlib.h>

#include "orrery/checked.h"

enum { BUCKETS = HOSTILE(256, 1), EACH_BUCKET = 2, UNPACKED_LEAST = HOSTILE(4096, 3) };

/* The release's place is that of the unit that released, as far as the scope rule asks for it
 * (has_same_place). An unpacked object with a release has a new version and list_id, so every unit reads its
 * list anew. */
struct packed_object {
    struct packed_object *next; /* of its bucket */
    union {
        struct release *release;
        uint64_t version; /* if nothing was released */
    };
    uint64_t address : 48, generation : 16;
    uint32_t store_unit, store_site, store_clock;
    uint32_t flags : ORDER_REGIONS,
                     fence : 1,
                     scope : 3,
                     svm_atomics : 1,
                     apart : 1,
                     wide : 1,
                     store_releases : 1,
                     sent : 1;
};
enum { NO_UNIT = UINT32_MAX };

/* ---- unpacked objects ------------------------------------------------------------------------- */

static void rehash(struct order *order)
{
    uint32_t count = order->atomic_buckets;
    struct atomic_object **old = order->atomics,
                         **wider = calloc(count ? 2 * (size_t)count : BUCKETS, sizeof *wider);
    if (!wider) {
        order->failed |= !count;
        return;
    }
    order->atomics = wider;
    order->atomic_buckets = count ? 2 * count : BUCKETS;
    for (uint32_t b = 0; b < count; b++) {
        for (struct atomic_object *atomic = old[b], *next; atomic; atomic = next) {
            next = atomic->next;
            atomic->next = *bucket(order, atomic->address);
            *bucket(order, atomic->address) = atomic;
        }
    }
    free(old);
}

struct atomic_object *order_object_new(struct order *order, uint64_t address)
{
    CHECKED(!atomic_object_unpacked(order, address));
    if (order->variable_count - order->packed.count >= order->atomic_buckets)
        rehash(order);
    struct atomic_object *atomic = order->atomic_buckets ? calloc(1, sizeof *atomic) : NULL;
    if (!atomic) {
        order->failed = true;
        return NULL;
    }
    atomic->address = address;
    atomic->store.unit = UNIT_END;
    atomic->next = *bucket(order, address);
    *bucket(order, address) = atomic;
    order->variable_count++;
    return atomic;
}

/* ---- packing ---------------------------------------------------------------------------------- */

/* Do the object's numbers fit the packed fields? */
static bool fits_packed(const struct order *order, const struct atomic_object *atomic)
{
    const uint64_t most = UINT32_MAX - 1;
    const bool has_short_unit = atomic->store.unit == UNIT_END || atomic->store.unit <= most,
               has_short_clocks = order->clock <= most;
    return has_short_unit && has_short_clocks && atomic->generation <= UINT16_MAX &&
           atomic->address >> 48 == 0;
}

/* An entry that several releases share has the place of the first one, but the unit of the latest. True:
 * their places are the same as far as the scope rule asks for them. */
static bool has_same_place(const struct order *order, const struct release_clock *release_clock)
{
    const struct place *place = &release_clock->place;
    const uint64_t unit = release_clock->release->unit;
    if (place->device != order_unit_device(order, unit))
        return false;
    if (order->rule == SCOPE_RULE_EQUAL && release_clock->scope > SCOPE_WORK_GROUP)
        return true;
    return place->group == order_unit_group(order, unit) &&
           place->sub_group == order_unit_sub_group(order, unit);
}

/* Can the release be rebuilt from the packed fields? */
static bool can_be_rebuilt(const struct order *order, const struct atomic_object *atomic,
                           const struct release_clock *release_clock)
{
    const bool as_object =
        release_clock->version == atomic->version && release_clock->svm_atomics == atomic->svm_atomics;
    return as_object && !release_clock->list_id && has_same_place(order, release_clock);
}

static void pack(const struct atomic_object *atomic, struct packed_object *out)
{
    const struct release_clock *release_clock = atomic->release_clocks.items;
    const struct latest_store *store = &atomic->store;
    *out = (struct packed_object){.address = atomic->address & ((UINT64_C(1) << 48) - 1),
                                  .generation = (uint16_t)atomic->generation,
                                  .version = atomic->version,
                                  .store_site = store->site,
                                  .store_clock = (uint32_t)store->clock,
                                  .store_unit = store->unit == UNIT_END ? NO_UNIT : (uint32_t)store->unit,
                                  .store_releases = store->releases,
                                  .svm_atomics = atomic->svm_atomics,
                                  .apart = atomic->apart,
                                  .wide = atomic->size == 8};
    if (!atomic->release_clocks.count)
        return;
    out->flags = release_clock->flags & ((1 << ORDER_REGIONS) - 1);
    out->fence = release_clock->fence;
    out->scope = release_clock->scope & 7;
    out->sent = true;
    out->release = release_share(release_clock->release);
}

static struct packed_object **packed_bucket(const struct packed_objects *packed, uint64_t address)
{
    return &packed->buckets[address_hash(address) & (packed->bucket_count - 1)];
}

static bool packed_room(struct packed_objects *packed)
{
    const uint32_t count = packed->bucket_count ? 2 * packed->bucket_count : BUCKETS;
    if (packed->count < EACH_BUCKET * packed->bucket_count)
        return true;
    const uint32_t old_count = packed->bucket_count;
    struct packed_object **old = packed->buckets, **wider = calloc(count, sizeof *wider);
    if (!wider)
        return old;
    packed->buckets = wider;
    packed->bucket_count = count;
    for (uint32_t b = 0; b < old_count; b++) {
        for (struct packed_object *object = old[b], *next; object; object = next) {
            struct packed_object **head = packed_bucket(packed, object->address);
            next = object->next;
            object->next = *head;
            *head = object;
        }
    }
    free(old);
    return true;
}

static bool can_be_packed(const struct order *order, const struct atomic_object *atomic)
{
    const uint32_t count = atomic->release_clocks.count;
    return !atomic->handoff_objects && atomic->region == IN_GLOBAL && fits_packed(order, atomic) &&
           (!count || (count == 1 && can_be_rebuilt(order, atomic, atomic->release_clocks.items)));
}

/* False: the object stays unpacked. */
static bool pack_away(struct order *order, struct atomic_object *atomic)
{
    struct packed_objects *packed = &order->packed;
    const bool packs = can_be_packed(order, atomic) && packed_room(packed);
    struct packed_object *object = packs ? malloc(sizeof *object) : NULL;
    if (!object)
        return false;
    struct packed_object **head = packed_bucket(packed, atomic->address);
    pack(atomic, object);
    object->next = *head;
    *head = object;
    packed->count++;
    CHECKED(packed->count <= order->variable_count);
    order_list_free(order, &atomic->release_clocks);
    free(atomic);
    fast_path_taken(order->fast_paths, FAST_PATH_PACKED);
    return true;
}

void order_pack_all(struct order *order)
{
    for (uint32_t b = 0; b < order->atomic_buckets; b++) {
        for (struct atomic_object **at = &order->atomics[b], *next; *at;) {
            next = (*at)->next;
            if (pack_away(order, *at))
                *at = next;
            else
                at = &(*at)->next;
        }
    }
}

void order_pack(struct order *order)
{
    struct packed_objects *packed = &order->packed;
    if (order->variable_count - packed->count <
        (packed->unpacked_most ? packed->unpacked_most : UNPACKED_LEAST))
        return;
    order_pack_all(order);
    const uint32_t unpacked = order->variable_count - packed->count;
    packed->unpacked_most = unpacked < UNPACKED_LEAST / 2 ? UNPACKED_LEAST : 2 * unpacked;
}

/* ---- unpacking -------------------------------------------------------------------------------- */

static void unpack_release(struct order *order, struct atomic_object *atomic,
                           const struct packed_object *object)
{
    const uint64_t unit = object->release->unit;
    const struct release_clock release_clock = {.scope = (enum memory_scope)object->scope,
                                                .flags = object->flags,
                                                .fence = object->fence,
                                                .svm_atomics = object->svm_atomics,
                                                .apart = object->apart,
                                                .release = object->release,
                                                .version = atomic->version,
                                                .place = {order_unit_group(order, unit),
                                                          order_unit_sub_group(order, unit),
                                                          order_unit_device(order, unit)}};
    order_list_reserve_one(&atomic->release_clocks);
    order_list_add(order, &atomic->release_clocks, &release_clock);
    release_drop(order, object->release);
}

static struct packed_object **packed_find(const struct packed_objects *packed, uint64_t address)
{
    struct packed_object **at = packed_bucket(packed, address);
    while (*at && (*at)->address != address)
        at = &(*at)->next;
    return at;
}

struct atomic_object *order_unpack(struct order *order, uint64_t address)
{
    struct packed_object **at = packed_find(&order->packed, address);
    if (!*at)
        return NULL;
    const struct packed_object object = **at;
    free(*at);
    *at = object.next;
    order->packed.count--;
    CHECKED(object.address == address && order->variable_count > order->packed.count);
    order->variable_count--;
    struct atomic_object *atomic = order_object_new(order, address);
    if (!atomic)
        return NULL;
    atomic->size = object.wide ? 8 : 4;
    atomic->region = IN_GLOBAL;
    atomic->svm_atomics = object.svm_atomics;
    atomic->apart = object.apart;
    atomic->generation = object.generation;
    atomic->version = atomic->list_id = object.sent ? ++order->versions : object.version;
    atomic->store =
        (struct latest_store){object.store_site, object.store_unit == NO_UNIT ? UNIT_END : object.store_unit,
                              object.store_clock, object.store_releases};
    if (object.sent)
        unpack_release(order, atomic, &object);
    return atomic;
}

bool order_object_lives(const struct order *order, uint64_t address, uint64_t generation)
{
    const struct atomic_object *atomic = atomic_object_unpacked(order, address);
    if (atomic)
        return atomic->generation == generation;
    const struct packed_object *object = order->packed.count ? *packed_find(&order->packed, address) : NULL;
    return object && object->generation == generation;
}

/* Frees packed and unpacked objects. */
void order_objects_fini(struct order *order)
{
    for (uint32_t b = 0; b < order->atomic_buckets; b++) {
        for (struct atomic_object *atomic = order->atomics[b], *next; atomic; atomic = next) {
            next = atomic->next;
            order_list_free(order, &atomic->release_clocks);
            free(atomic);
        }
    }
    for (uint32_t b = 0; b < order->packed.bucket_count; b++) {
        for (struct packed_object *object = order->packed.buckets[b], *next; object; object = next) {
            next = object->next;
            release_drop(order, object->sent ? object->release : NULL);
            free(object);
        }
    }
    free(order->atomics);
    free(order->packed.buckets);
}

/* ---- invariants -------------------------------------------------------------------------------- */

static void check_atomic(const struct order *order, const struct atomic_object *atomic)
{
    CHECKED(atomic->version <= order->versions && atomic->list_id <= atomic->version);
    CHECKED(atomic->region >= 0 && atomic->region < ORDER_REGIONS);
    CHECKED(atomic->store.unit <= UNIT_END && atomic->store.clock <= order->clock);
    for (const struct atomic_object *other = atomic->next; other; other = other->next)
        CHECKED(other->address != atomic->address);
    order_list_check(&atomic->release_clocks);
    for (uint32_t i = 0; i < atomic->release_clocks.count; i++)
        CHECKED(atomic->release_clocks.items[i].version <= order->versions);
}

static uint32_t check_unpacked(const struct order *order)
{
    uint32_t count = 0;
    for (uint32_t b = 0; b < order->atomic_buckets; b++)
        for (const struct atomic_object *atomic = order->atomics[b]; atomic; atomic = atomic->next) {
            CHECKED(bucket(order, atomic->address) == &order->atomics[b]);
            check_atomic(order, atomic);
            count++;
        }
    return count;
}

static void check_packed_object(const struct order *order, const struct packed_object *object)
{
    CHECKED(!atomic_object_unpacked(order, object->address)); /* it is not unpacked, too */
    CHECKED(object->sent ? object->release->references > 0 : object->version <= order->versions);
}

static uint32_t check_packed(const struct order *order)
{
    const struct packed_objects *packed = &order->packed;
    uint32_t count = 0;
    for (uint32_t b = 0; b < packed->bucket_count; b++)
        for (const struct packed_object *object = packed->buckets[b]; object; object = object->next) {
            CHECKED(++count <= packed->count);
            CHECKED(packed_bucket(packed, object->address) == &packed->buckets[b]);
            check_packed_object(order, object);
        }
    return count;
}

void order_objects_check(const struct order *order)
{
    const uint32_t unpacked = check_unpacked(order), packed = check_packed(order);
    CHECKED((order->atomic_buckets & (order->atomic_buckets - 1)) == 0);
    CHECKED(packed == order->packed.count);
    CHECKED(unpacked + packed == order->variable_count);
}
