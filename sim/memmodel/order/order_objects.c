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

enum { BUCKETS = HOSTILE(256, 1), UNPACKED_LEAST = HOSTILE(4096, 3) };

/* The release's place is that of the unit that released, as far as the scope rule asks for it
 * (has_same_place). An unpacked object with a release has a new version and list_id, so every unit reads its
 * list anew. */
struct packed_object {
    struct address_entry entry;
    union {
        struct release *release;
        uint64_t version; /* if nothing was released */
    };
    uint32_t store_unit, store_site, store_clock;
    uint32_t generation : 16, flags : ORDER_REGIONS,
                                      fence : 1,
                                      scope : 3,
                                      svm_atomics : 1,
                                      apart : 1,
                                      wide : 1,
                                      store_releases : 1,
                                      sent : 1;
};
enum { NO_UNIT = UINT32_MAX };

/* ---- by address ------------------------------------------------------------------------------- */

/* False: out of memory, and the table has no buckets. A table that cannot grow becomes slower. */
static bool table_add(struct address_table *table, struct address_entry *entry)
{
    const uint32_t count = table->bucket_count ? 2 * table->bucket_count : BUCKETS;
    struct address_table wider = {.bucket_count = count};
    if (table->count >= table->bucket_count && (wider.buckets = calloc(count, sizeof *wider.buckets))) {
        for (uint32_t b = 0; b < table->bucket_count; b++)
            for (struct address_entry *old = table->buckets[b], *next; old; old = next) {
                next = old->next;
                old->next = NULL;
                *address_slot(&wider, old->address) = old;
            }
        free(table->buckets);
        table->buckets = wider.buckets;
        table->bucket_count = count;
    }
    if (!table->buckets)
        return false;
    struct address_entry **at = address_slot(table, entry->address);
    CHECKED(!*at && (table->bucket_count & (table->bucket_count - 1)) == 0);
    *at = entry;
    table->count++;
    return true;
}

struct atomic_object *order_object_new(struct order *order, uint64_t address)
{
    struct atomic_object *atomic = calloc(1, sizeof *atomic);
    if (atomic)
        atomic->entry.address = address;
    if (!atomic || !table_add(&order->atomics, &atomic->entry)) {
        free(atomic);
        order->failed = true;
        return NULL;
    }
    atomic->store.unit = UNIT_END;
    return atomic;
}

/* ---- packing ---------------------------------------------------------------------------------- */

/* Do the object's numbers fit the packed fields? */
static bool fits_packed(const struct order *order, const struct atomic_object *atomic)
{
    const uint64_t most = UINT32_MAX - 1;
    const bool has_short_unit = atomic->store.unit == UNIT_END || atomic->store.unit <= most,
               has_short_clocks = order->clock <= most;
    return has_short_unit && has_short_clocks && atomic->generation <= UINT16_MAX;
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
    return as_object && has_same_place(order, release_clock);
}

static void pack(const struct atomic_object *atomic, struct packed_object *out)
{
    const struct release_clock *release_clock = atomic->release_clocks.items;
    const struct latest_store *store = &atomic->store;
    CHECKED(atomic->release_clocks.count <= 1);
    *out = (struct packed_object){.entry.address = atomic->entry.address,
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

static bool can_be_packed(const struct order *order, const struct atomic_object *atomic)
{
    const uint32_t count = atomic->release_clocks.count;
    return !atomic->handoff_objects && atomic->region == IN_GLOBAL && fits_packed(order, atomic) &&
           (!count || (count == 1 && can_be_rebuilt(order, atomic, atomic->release_clocks.items)));
}

/* False: the object stays unpacked. */
static bool pack_away(struct order *order, struct atomic_object *atomic)
{
    struct packed_object *object = can_be_packed(order, atomic) ? malloc(sizeof *object) : NULL;
    if (!object)
        return false;
    pack(atomic, object);
    if (!table_add(&order->packed, &object->entry)) {
        release_drop(order, object->sent ? object->release : NULL);
        free(object);
        return false;
    }
    order_list_free(order, &atomic->release_clocks);
    free(atomic);
    fast_path_taken(order->fast_paths, FAST_PATH_PACKED);
    return true;
}

void order_pack_all(struct order *order)
{
    for (uint32_t b = 0; b < order->atomics.bucket_count; b++) {
        for (struct address_entry **at = &order->atomics.buckets[b], *next; *at;) {
            next = (*at)->next;
            if (pack_away(order, (struct atomic_object *)*at)) {
                *at = next;
                order->atomics.count--;
            } else {
                at = &(*at)->next;
            }
        }
    }
}

void order_pack(struct order *order)
{
    if (order->atomics.count < (order->unpacked_most ? order->unpacked_most : UNPACKED_LEAST))
        return;
    order_pack_all(order);
    const uint32_t unpacked = order->atomics.count;
    order->unpacked_most = unpacked < UNPACKED_LEAST / 2 ? UNPACKED_LEAST : 2 * unpacked;
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
    CHECKED(object->release->references > 0 && !atomic->release_clocks.count);
    order_list_reserve_one(&atomic->release_clocks);
    order_list_add(order, &atomic->release_clocks, &release_clock);
    release_drop(order, object->release);
}

struct atomic_object *order_unpack(struct order *order, uint64_t address)
{
    struct address_entry **at = address_slot(&order->packed, address), *entry = *at;
    if (!entry)
        return NULL;
    const struct packed_object object = *(struct packed_object *)entry;
    CHECKED(order->packed.count > 0 && !atomic_object_unpacked(order, address));
    *at = entry->next;
    free(entry);
    order->packed.count--;
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
    const struct packed_object *object =
        order->packed.count ? (struct packed_object *)*address_slot(&order->packed, address) : NULL;
    return object && object->generation == generation;
}

/* Frees packed and unpacked objects. */
void order_objects_fini(struct order *order)
{
    struct address_entry *entry, *next;
    for (uint32_t b = 0; b < order->atomics.bucket_count; b++)
        for (entry = order->atomics.buckets[b]; entry; entry = next) {
            next = entry->next;
            order_list_free(order, &((struct atomic_object *)entry)->release_clocks);
            free(entry);
        }
    for (uint32_t b = 0; b < order->packed.bucket_count; b++)
        for (entry = order->packed.buckets[b]; entry; entry = next) {
            struct packed_object *object = (struct packed_object *)entry;
            next = entry->next;
            release_drop(order, object->sent ? object->release : NULL);
            free(entry);
        }
    free(order->atomics.buckets);
    free(order->packed.buckets);
}

/* ---- invariants -------------------------------------------------------------------------------- */

static void check_atomic(const struct order *order, const struct atomic_object *atomic)
{
    CHECKED(atomic->version <= order->versions && atomic->list_id <= atomic->version);
    CHECKED(atomic->region >= 0 && atomic->region < ORDER_REGIONS);
    CHECKED(atomic->store.unit <= UNIT_END && atomic->store.clock <= order->clock);
    order_list_check(&atomic->release_clocks);
    for (uint32_t i = 0; i < atomic->release_clocks.count; i++)
        CHECKED(atomic->release_clocks.items[i].version <= order->versions);
}

static void check_packed(const struct order *order, const struct packed_object *object)
{
    CHECKED(!atomic_object_unpacked(order, object->entry.address)); /* it is not unpacked, too */
    CHECKED(object->store_unit == NO_UNIT || object->store_unit < UNIT_END);
    CHECKED(object->store_clock <= order->clock);
    CHECKED(object->sent ? object->release->references > 0 : object->version <= order->versions);
}

/* Each entry is found by its address. */
static void check_table(const struct order *order, const struct address_table *table)
{
    uint32_t count = 0;
    CHECKED((table->bucket_count & (table->bucket_count - 1)) == 0);
    CHECKED(table->buckets || !table->count);
    for (uint32_t b = 0; b < table->bucket_count; b++)
        for (struct address_entry *entry = table->buckets[b]; entry; entry = entry->next) {
            CHECKED(*address_slot(table, entry->address) == entry);
            CHECKED(++count <= table->count);
            if (table == &order->packed)
                check_packed(order, (struct packed_object *)entry);
            else
                check_atomic(order, (struct atomic_object *)entry);
        }
    CHECKED(count == table->count);
}

void order_objects_check(const struct order *order)
{
    check_table(order, &order->atomics);
    check_table(order, &order->packed);
}
