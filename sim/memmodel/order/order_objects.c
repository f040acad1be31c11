/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Atomic objects by address: a hash table, and a packed form for those that had no operation for a while.
 *
 * A program may have millions of atomic objects, most of which have a list with one release or none. When
 * many are unpacked, all that can be are packed (order_pack): an object becomes 32 bytes and 16 for each key
 * of its release's clock, without the list, the release and the trie. The next operation unpacks it
 * (order_unpack). Only objects of global memory whose numbers fit the packed fields are packed.
 */
#include "order_state.h"

#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "sim/memmodel/common/room.h"

enum {
    BUCKETS = HOSTILE(256, 1),
    EACH_BUCKET = 2,
    SLOTS = HOSTILE(1024, 2),
    UNPACKED_LEAST = HOSTILE(4096, 3),
    KEYS_MOST = HOSTILE(8, 2)
};

/* The clock of an object's release as a list of keys, besides the clock value of the storing unit; or as a
 * trie, or as the release itself, if it has more than KEYS_MOST keys. */
struct packed_key {
    uint64_t key;
    uint32_t clock, next;
};
enum packed_as { AS_KEYS, AS_MAP, AS_RELEASE };
enum { SITE_BITS = HOSTILE(12, 2) };

/* The release's place is that of the unit that released, as far as the scope rule asks for it
 * (has_same_place). An unpacked object with a release has a new version and list_id, so every unit reads its
 * list anew. */
struct packed_object {
    uint64_t address : 48, generation : 16;
    uint32_t next; /* of its bucket, 0: none */
    uint32_t store_unit, store_site, store_clock;
    union {
        uint32_t version; /* if nothing was released */
        /* number of the first key, 0: none; of AS_RELEASE: of a key that is the release's address */
        uint32_t keys;
        uint32_t vclock; /* of AS_MAP: handle of the clock */
    };
    uint32_t regions : ORDER_REGIONS; /* that have this clock */
    uint32_t flags : ORDER_REGIONS,
                     fence : 1,
                     scope : 3,
                     svm_atomics : 1,
                     apart : 1,
                     wide : 1,
                     store_releases : 1,
                     sent : 1,
                     as : 2;
    uint32_t release_site : SITE_BITS;
    /* by_other: another unit than that of the latest store released, and the first key is its unit and
     * site. own: the latest store's clock value is part of the clock. */
    uint32_t by_other : 1, own : 1;
};
enum { NO_UNIT = UINT32_MAX };

/* ---- slots ------------------------------------------------------------------------------------- */

static void *slot_at(const struct slots *slots, uint32_t index)
{
    CHECKED(index > 0 && index / SLOTS < slots->block_count);
    return (uint8_t *)slots->blocks[index / SLOTS] + index % SLOTS * slots->size;
}

static bool add_block(struct slots *slots)
{
    CHECKED(slots->size >= sizeof slots->unused && slots->block_count <= slots->room);
    const bool room =
        room_for_one((void **)&slots->blocks, slots->block_count, &slots->room, 4, sizeof(void *));
    void *block = room ? malloc(SLOTS * slots->size) : NULL;
    if (!block)
        return false;
    slots->blocks[slots->block_count++] = block;
    return true;
}

/* 0: out of memory. */
static uint32_t slot_new(struct slots *slots)
{
    const uint32_t unused = slots->unused;
    if (unused) {
        memcpy(&slots->unused, slot_at(slots, unused), sizeof slots->unused);
        return unused;
    }
    if (slots->used + 1 >= slots->block_count * SLOTS && !add_block(slots))
        return 0;
    return ++slots->used;
}

static void slot_free(struct slots *slots, uint32_t index)
{
    CHECKED(index <= slots->used && index != slots->unused);
    memcpy(slot_at(slots, index), &slots->unused, sizeof slots->unused);
    slots->unused = index;
}

static void slots_fini(struct slots *slots)
{
    for (uint32_t i = 0; i < slots->block_count; i++)
        free(slots->blocks[i]);
    free(slots->blocks);
    *slots = (struct slots){0};
}

static struct packed_object *packed_at(const struct packed_objects *packed, uint32_t index)
{
    return slot_at(&packed->objects, index);
}
static struct packed_key *key_at(const struct packed_objects *packed, uint32_t index)
{
    return slot_at(&packed->keys, index);
}

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

/* Have all regions of the release either this clock or none? */
static bool is_same_in_all_regions(struct order *order, const struct release *release, uint16_t *out_regions,
                                   const struct vclock_entry *keys, uint32_t count)
{
    for (int r = 0; r < ORDER_REGIONS; r++) {
        struct vclock_entry own[KEYS_MOST];
        if (!release->vclock[r])
            continue;
        if (vclock_list(&order->pool, release->vclock[r], own, KEYS_MOST) != count)
            return false;
        for (uint32_t i = 0; i < count; i++)
            if (own[i].key != keys[i].key || own[i].clock != keys[i].clock)
                return false;
        *out_regions |= (uint16_t)(1 << r);
    }
    return true;
}

static struct vclock *first_vclock(const struct release *release)
{
    for (int r = 0; r < ORDER_REGIONS; r++)
        if (release->vclock[r])
            return release->vclock[r];
    return NULL;
}

/* Keys count as bytes of clocks: an unpacked object would have a deferred node, and the pool has to count
 * as costly as before. */
static bool add_key(struct order *order, uint32_t *first, struct packed_key key)
{
    const uint32_t index = slot_new(&order->packed.keys);
    if (!index)
        return false;
    key.next = *first;
    *key_at(&order->packed, *first = index) = key;
    order->pool.bytes += sizeof(struct vclock);
    return true;
}

static void free_keys(struct order *order, uint32_t first)
{
    CHECKED(order->pool.bytes >= (first ? sizeof(struct vclock) : 0));
    for (uint32_t next; first; first = next) {
        next = key_at(&order->packed, first)->next;
        slot_free(&order->packed.keys, first);
        order->pool.bytes -= sizeof(struct vclock);
    }
}

/* The clock has too many keys: keeps the trie if all regions share one, else the release. */
static bool pack_whole(struct order *order, struct release *release, struct packed_object *out)
{
    struct vclock *vclock = NULL;
    uint32_t maps = 0, regions = 0;
    for (int r = 0; r < ORDER_REGIONS; r++) {
        maps += release->vclock[r] && release->vclock[r] != vclock;
        regions |= release->vclock[r] ? 1u << r : 0;
        vclock = release->vclock[r] ? release->vclock[r] : vclock;
    }
    const bool alone = maps == 1 && !out->by_other;
    out->as = alone ? AS_MAP : AS_RELEASE;
    out->regions = regions & ((1u << ORDER_REGIONS) - 1);
    if (alone)
        out->vclock = vclock_handle(vclock_share(vclock));
    else if (add_key(order, &out->keys, (struct packed_key){.key = (uintptr_t)release}))
        release_share(release);
    return alone || out->keys;
}

static bool pack_keys(struct order *order, const struct release *release, const struct vclock_entry *keys,
                      uint32_t count, struct packed_object *out)
{
    for (uint32_t i = count; i-- > 0;) {
        if (keys[i].key == unit_key(release->unit) && keys[i].clock == out->store_clock && !out->by_other)
            out->own = true;
        else if (!add_key(order, &out->keys, (struct packed_key){.key = keys[i].key, .clock = keys[i].clock}))
            return false;
    }
    return !out->by_other ||
           add_key(order, &out->keys, (struct packed_key){.key = release->unit, .clock = release->site});
}

static bool pack_release(struct order *order, struct release *release, struct packed_object *out)
{
    struct vclock_entry keys[KEYS_MOST];
    struct vclock *vclock = first_vclock(release);
    const uint32_t count = vclock ? vclock_list(&order->pool, vclock, keys, KEYS_MOST) : 0;
    uint16_t regions = 0;
    out->sent = true;
    out->by_other = release->unit != out->store_unit || release->site >> SITE_BITS;
    out->release_site = release->site & ((1 << SITE_BITS) - 1);
    if (!count || count > KEYS_MOST || !is_same_in_all_regions(order, release, &regions, keys, count))
        return pack_whole(order, release, out);
    out->regions = regions & ((1u << ORDER_REGIONS) - 1);
    if (pack_keys(order, release, keys, count, out))
        return true;
    free_keys(order, out->keys);
    return false;
}

/* Do the object's numbers fit the packed fields? */
static bool fits_packed(const struct order *order, const struct atomic_object *atomic)
{
    const uint64_t most = UINT32_MAX - 1;
    const bool has_short_unit = atomic->store.unit == UNIT_END || atomic->store.unit <= most,
               has_short_clocks = order->versions <= most && order->clock <= most;
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
    return as_object && release_clock->release->unit < UINT32_MAX && !release_clock->list_id &&
           has_same_place(order, release_clock);
}

/* False: the object stays unpacked. */
static bool pack(struct order *order, const struct atomic_object *atomic, struct packed_object *out)
{
    const struct release_clock *release_clock = atomic->release_clocks.items;
    const uint32_t count = atomic->release_clocks.count;
    const bool can_be = !atomic->handoff_objects && atomic->region == IN_GLOBAL && fits_packed(order, atomic);
    if (!can_be || count > 1 || (count && !can_be_rebuilt(order, atomic, release_clock)))
        return false;
    const struct latest_store *store = &atomic->store;
    *out = (struct packed_object){.address = atomic->address & ((UINT64_C(1) << 48) - 1),
                                  .generation = (uint16_t)atomic->generation,
                                  .store_site = store->site,
                                  .store_clock = (uint32_t)store->clock,
                                  .store_unit = store->unit == UNIT_END ? NO_UNIT : (uint32_t)store->unit,
                                  .store_releases = store->releases,
                                  .svm_atomics = atomic->svm_atomics,
                                  .apart = atomic->apart,
                                  .wide = atomic->size == 8};
    if (!count) {
        out->version = (uint32_t)atomic->version;
        return true;
    }
    out->flags = release_clock->flags & ((1 << ORDER_REGIONS) - 1);
    out->fence = release_clock->fence;
    out->scope = release_clock->scope & 7;
    return pack_release(order, release_clock->release, out);
}

static uint32_t *packed_bucket(const struct packed_objects *packed, uint64_t address)
{
    return &packed->buckets[address_hash(address) & (packed->bucket_count - 1)];
}

static bool packed_room(struct packed_objects *packed)
{
    const uint32_t count = packed->bucket_count ? 2 * packed->bucket_count : BUCKETS;
    if (packed->count < EACH_BUCKET * packed->bucket_count)
        return true;
    uint32_t *old = packed->buckets, old_count = packed->bucket_count, *wider = calloc(count, sizeof *wider);
    if (!wider)
        return old;
    packed->buckets = wider;
    packed->bucket_count = count;
    for (uint32_t b = 0; b < old_count; b++) {
        for (uint32_t index = old[b], next; index; index = next) {
            uint32_t *head = packed_bucket(packed, packed_at(packed, index)->address);
            next = packed_at(packed, index)->next;
            packed_at(packed, index)->next = *head;
            *head = index;
        }
    }
    free(old);
    return true;
}

/* False: the object stays unpacked. */
static bool pack_away(struct order *order, struct atomic_object *atomic)
{
    struct packed_objects *packed = &order->packed;
    struct packed_object object;
    const uint32_t index = packed_room(packed) ? slot_new(&packed->objects) : 0;
    if (!index)
        return false;
    if (!pack(order, atomic, &object)) {
        slot_free(&packed->objects, index);
        return false;
    }
    uint32_t *head = packed_bucket(packed, atomic->address);
    CHECKED(!*head || *head <= packed->objects.used);
    object.next = *head;
    *head = index;
    *packed_at(packed, index) = object;
    packed->count++;
    CHECKED(packed->count <= order->variable_count);
    order_list_free(order, &atomic->release_clocks);
    free(atomic);
    fast_path_taken(order->fast_paths, FAST_PATH_PACKED);
    return true;
}

void order_pack_all(struct order *order)
{
    struct packed_objects *packed = &order->packed;
    packed->objects.size = sizeof(struct packed_object);
    packed->keys.size = sizeof(struct packed_key);
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

static struct release *unpack_release(struct order *order, const struct packed_object *object)
{
    struct packed_objects *packed = &order->packed;
    const struct packed_key *first =
        object->as != AS_MAP && object->keys ? key_at(packed, object->keys) : NULL;
    CHECKED(first || (object->as != AS_RELEASE && !object->by_other));
    if (object->as == AS_RELEASE)
        return (struct release *)(uintptr_t)first->key;
    struct release *release = object->by_other
                                  ? order_release_new(order, first->key, first->clock)
                                  : order_release_new(order, object->store_unit, object->release_site);
    struct vclock *vclock = object->as == AS_MAP ? vclock_of_handle(&order->pool, object->vclock) : NULL;
    if (object->own)
        put_into(order, &vclock, unit_key(object->store_unit), object->store_clock);
    for (uint32_t index = !first             ? 0
                          : object->by_other ? first->next
                                             : object->keys;
         index; index = key_at(packed, index)->next)
        put_into(order, &vclock, key_at(packed, index)->key, key_at(packed, index)->clock);
    for (int r = 0; r < ORDER_REGIONS; r++)
        if (object->regions >> r & 1)
            set(order, &release->vclock[r], vclock_share(vclock));
    vclock_drop(&order->pool, vclock);
    return release;
}

static void unpack_release_clock(struct order *order, struct atomic_object *atomic,
                                 const struct packed_object *object)
{
    struct release *release = unpack_release(order, object);
    struct release_clock release_clock = {.scope = (enum memory_scope)object->scope,
                                          .flags = object->flags,
                                          .fence = object->fence,
                                          .svm_atomics = object->svm_atomics,
                                          .apart = object->apart,
                                          .release = release,
                                          .version = atomic->version};
    release_clock.place =
        (struct place){order_unit_group(order, release->unit), order_unit_sub_group(order, release->unit),
                       order_unit_device(order, release->unit)};
    order_list_reserve_one(&atomic->release_clocks);
    order_list_add(order, &atomic->release_clocks, &release_clock);
    release_drop(order, release);
    if (object->as != AS_MAP)
        free_keys(order, object->keys);
}

static uint32_t *packed_find(const struct packed_objects *packed, uint64_t address)
{
    uint32_t *at = packed_bucket(packed, address);
    while (*at && packed_at(packed, *at)->address != address)
        at = &packed_at(packed, *at)->next;
    return at;
}

struct atomic_object *order_unpack(struct order *order, uint64_t address)
{
    struct packed_objects *packed = &order->packed;
    uint32_t *at = packed_find(packed, address), index = *at;
    if (!index)
        return NULL;
    const struct packed_object object = *packed_at(packed, index);
    *at = object.next;
    slot_free(&packed->objects, index);
    packed->count--;
    CHECKED(object.address == address && order->variable_count > packed->count);
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
        unpack_release_clock(order, atomic, &object);
    return atomic;
}

bool order_object_lives(const struct order *order, uint64_t address, uint64_t generation)
{
    const struct atomic_object *atomic = atomic_object_unpacked(order, address);
    if (atomic)
        return atomic->generation == generation;
    const uint32_t index = order->packed.count ? *packed_find(&order->packed, address) : 0;
    return index && packed_at(&order->packed, index)->generation == generation;
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
    free(order->atomics);
    free(order->packed.buckets);
    slots_fini(&order->packed.objects);
    slots_fini(&order->packed.keys);
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

static uint32_t check_keys(const struct packed_objects *packed, uint32_t first)
{
    uint32_t count = 0;
    for (; first; first = key_at(packed, first)->next) {
        CHECKED(first <= packed->keys.used);
        count++;
    }
    return count;
}

static void check_packed_object(const struct order *order, const struct packed_object *object)
{
    CHECKED(!atomic_object_unpacked(order, object->address)); /* it is not unpacked, too */
    CHECKED(object->sent || object->version <= order->versions);
    CHECKED(object->sent || !(object->own || object->by_other));
    CHECKED(!object->sent || object->as <= AS_RELEASE);
    CHECKED(!object->sent || object->as != AS_RELEASE || check_keys(&order->packed, object->keys) == 1);
    if (object->sent && object->as == AS_KEYS)
        CHECKED(check_keys(&order->packed, object->keys) + object->own <= 1u + KEYS_MOST);
}

static uint32_t check_packed(const struct order *order)
{
    const struct packed_objects *packed = &order->packed;
    uint32_t count = 0;
    for (uint32_t b = 0; b < packed->bucket_count; b++)
        for (uint32_t i = packed->buckets[b]; i; i = packed_at(packed, i)->next) {
            CHECKED(i <= packed->objects.used && ++count <= packed->count);
            CHECKED(packed_bucket(packed, packed_at(packed, i)->address) == &packed->buckets[b]);
            check_packed_object(order, packed_at(packed, i));
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
