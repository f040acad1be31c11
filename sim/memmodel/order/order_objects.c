/* SPDX-License-Identifier: Apache-2.0 */
/* Atomic objects by their addresses. Those of global memory that have one message or none are packed when
 * there are many: they stay packed until the next operation on them. */
#include "order_state.h"

#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"

enum {
    BUCKETS = HOSTILE(256, 1),
    EACH_BUCKET = 2,
    SLOTS = HOSTILE(1024, 2),
    AWAKE_LEAST = HOSTILE(4096, 3),
    KEYS_MOST = HOSTILE(8, 2)
};

/* The keys of an object's message besides the clock value of the unit itself, one after another; or a map or
 * the release itself, when there are too many. */
struct resting_key {
    uint64_t key;
    uint32_t clock, next;
};
enum resting_as { AS_KEYS, AS_MAP, AS_RELEASE };
enum { SITE_BITS = HOSTILE(12, 2) };

/* The message is of the group, sub-group and device of the unit that released, as far as that matters.
 * Objects with numbers that do not fit are not packed. One that has messages has a new release clock when it
 * is unpacked: all read it anew. */
struct resting {
    uint64_t address : 48, generation : 16;
    uint32_t next; /* of its bucket, 0: none */
    uint32_t store_unit, store_site, store_clock;
    union {
        uint32_t version; /* no unit sent a message */
        uint32_t keys;    /* the first, 0: none; of AS_RELEASE the only one, which is its address */
        uint32_t known;   /* handle of what it publishes */
    };
    uint32_t regions : ORDER_REGIONS; /* in which it publishes them */
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
    /* another unit than the store's released: unit and site are the first key; the store's clock value is
     * published */
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
    if (slots->block_count == slots->room) {
        const uint32_t room = slots->room ? 2 * slots->room : 4;
        void **blocks = realloc(slots->blocks, room * sizeof *blocks);
        if (!blocks)
            return false;
        slots->blocks = blocks;
        slots->room = room;
    }
    void *block = malloc(SLOTS * slots->size);
    if (!block)
        return false;
    slots->blocks[slots->block_count++] = block;
    return true;
}

/* 0: no memory. */
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

static struct resting *resting_at(const struct rest *rest, uint32_t index)
{
    return slot_at(&rest->objects, index);
}
static struct resting_key *key_at(const struct rest *rest, uint32_t index)
{
    return slot_at(&rest->keys, index);
}

/* ---- awake ------------------------------------------------------------------------------------- */

static void rehash(struct order *order)
{
    uint32_t count = order->variable_buckets;
    struct variable **old = order->variables,
                    **wider = calloc(count ? 2 * (size_t)count : BUCKETS, sizeof *wider);
    if (!wider) {
        order->failed |= !count;
        return;
    }
    order->variables = wider;
    order->variable_buckets = count ? 2 * count : BUCKETS;
    for (uint32_t b = 0; b < count; b++) {
        for (struct variable *variable = old[b], *next; variable; variable = next) {
            next = variable->next;
            variable->next = *bucket(order, variable->address);
            *bucket(order, variable->address) = variable;
        }
    }
    free(old);
}

struct variable *order_object_new(struct order *order, uint64_t address)
{
    CHECKED(!variable_awake(order, address));
    if (order->variable_count - order->rest.count >= order->variable_buckets)
        rehash(order);
    struct variable *variable = order->variable_buckets ? calloc(1, sizeof *variable) : NULL;
    if (!variable) {
        order->failed = true;
        return NULL;
    }
    variable->address = address;
    variable->store.unit = UNIT_END;
    variable->next = *bucket(order, address);
    *bucket(order, address) = variable;
    order->variable_count++;
    return variable;
}

/* ---- going to rest ----------------------------------------------------------------------------- */

/* In which it publishes these keys, and nothing else in others. */
static bool alike_regions(struct order *order, const struct release *release, uint16_t *out_regions,
                          const struct known_key *keys, uint32_t count)
{
    for (int r = 0; r < ORDER_REGIONS; r++) {
        struct known_key own[KEYS_MOST];
        if (!release->known[r])
            continue;
        if (vclock_list(&order->pool, release->known[r], own, KEYS_MOST) != count)
            return false;
        for (uint32_t i = 0; i < count; i++)
            if (own[i].key != keys[i].key || own[i].clock != keys[i].clock)
                return false;
        *out_regions |= (uint16_t)(1 << r);
    }
    return true;
}

static const struct vclock *any_region(const struct release *release)
{
    for (int r = 0; r < ORDER_REGIONS; r++)
        if (release->known[r])
            return release->known[r];
    return NULL;
}

/* They count as what is put off when they wake: maps that are kept here would not be many enough to be put
 * off. */
static bool add_key(struct order *order, uint32_t *first, struct resting_key key)
{
    const uint32_t index = slot_new(&order->rest.keys);
    if (!index)
        return false;
    key.next = *first;
    *key_at(&order->rest, *first = index) = key;
    order->pool.bytes += VCLOCK_LEAST;
    return true;
}

static void free_keys(struct order *order, uint32_t first)
{
    CHECKED(order->pool.bytes >= (first ? VCLOCK_LEAST : 0));
    for (uint32_t next; first; first = next) {
        next = key_at(&order->rest, first)->next;
        slot_free(&order->rest.keys, first);
        order->pool.bytes -= VCLOCK_LEAST;
    }
}

/* Too many keys: the map, or the release if there are several. */
static bool pack_whole(struct order *order, struct release *release, struct resting *out)
{
    struct vclock *known = NULL;
    uint32_t maps = 0, regions = 0;
    for (int r = 0; r < ORDER_REGIONS; r++) {
        maps += release->known[r] && release->known[r] != known;
        regions |= release->known[r] ? 1u << r : 0;
        known = release->known[r] ? release->known[r] : known;
    }
    const bool alone = maps == 1 && !out->by_other;
    out->as = alone ? AS_MAP : AS_RELEASE;
    out->regions = regions & ((1u << ORDER_REGIONS) - 1);
    if (alone)
        out->known = vclock_handle(vclock_share(known));
    else if (add_key(order, &out->keys, (struct resting_key){.key = (uintptr_t)release}))
        release_share(release);
    return alone || out->keys;
}

static bool pack_keys(struct order *order, const struct release *release, const struct known_key *keys,
                      uint32_t count, struct resting *out)
{
    for (uint32_t i = count; i-- > 0;) {
        if (keys[i].key == unit_key(release->unit) && keys[i].clock == out->store_clock && !out->by_other)
            out->own = true;
        else if (!add_key(order, &out->keys,
                          (struct resting_key){.key = keys[i].key, .clock = keys[i].clock}))
            return false;
    }
    return !out->by_other ||
           add_key(order, &out->keys, (struct resting_key){.key = release->unit, .clock = release->site});
}

static bool pack_release(struct order *order, struct release *release, struct resting *out)
{
    struct known_key keys[KEYS_MOST];
    const struct vclock *known = any_region(release);
    const uint32_t count = known ? vclock_list(&order->pool, known, keys, KEYS_MOST) : 0;
    uint16_t regions = 0;
    out->sent = true;
    out->by_other = release->unit != out->store_unit || release->site >> SITE_BITS;
    out->release_site = release->site & ((1 << SITE_BITS) - 1);
    if (!count || count > KEYS_MOST || !alike_regions(order, release, &regions, keys, count))
        return pack_whole(order, release, out);
    out->regions = regions & ((1u << ORDER_REGIONS) - 1);
    if (pack_keys(order, release, keys, count, out))
        return true;
    free_keys(order, out->keys);
    return false;
}

static bool is_short(const struct order *order, const struct variable *variable)
{
    const uint64_t most = UINT32_MAX - 1;
    return order->versions <= most && order->clock <= most && variable->generation <= UINT16_MAX &&
           variable->address >> 48 == 0 && (variable->store.unit == UNIT_END || variable->store.unit <= most);
}

/* The place of the message is that of the first unit whose release it holds; the unit is the latest. */
static bool is_in_place(const struct order *order, const struct release_clock *release_clock)
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

/* Sent by the unit whose release it is, for others of its place. */
static bool is_plain(const struct order *order, const struct variable *variable,
                     const struct release_clock *release_clock)
{
    return release_clock->release->unit < UINT32_MAX && release_clock->version == variable->version &&
           !release_clock->stream && is_in_place(order, release_clock) &&
           release_clock->svm_atomics == variable->svm_atomics;
}

/* False: it stays awake. */
static bool pack(struct order *order, const struct variable *variable, struct resting *out)
{
    const struct release_clock *release_clock = variable->release_clocks.items;
    const uint32_t count = variable->release_clocks.count;
    if (variable->relayed || variable->region != IN_GLOBAL || count > 1 || !is_short(order, variable) ||
        (count && !is_plain(order, variable, release_clock)))
        return false;
    const struct latest_store *store = &variable->store;
    *out = (struct resting){.address = variable->address & ((UINT64_C(1) << 48) - 1),
                            .generation = (uint16_t)variable->generation,
                            .store_site = store->site,
                            .store_clock = (uint32_t)store->clock,
                            .store_unit = store->unit == UNIT_END ? NO_UNIT : (uint32_t)store->unit,
                            .store_releases = store->releases,
                            .svm_atomics = variable->svm_atomics,
                            .apart = variable->apart,
                            .wide = variable->size == 8};
    if (!count) {
        out->version = (uint32_t)variable->version;
        return true;
    }
    out->flags = release_clock->flags & ((1 << ORDER_REGIONS) - 1);
    out->fence = release_clock->fence;
    out->scope = release_clock->scope & 7;
    return pack_release(order, release_clock->release, out);
}

static uint32_t *resting_bucket(const struct rest *rest, uint64_t address)
{
    return &rest->buckets[address_hash(address) & (rest->bucket_count - 1)];
}

static bool resting_room(struct rest *rest)
{
    const uint32_t count = rest->bucket_count ? 2 * rest->bucket_count : BUCKETS;
    if (rest->count < EACH_BUCKET * rest->bucket_count)
        return true;
    uint32_t *old = rest->buckets, old_count = rest->bucket_count, *wider = calloc(count, sizeof *wider);
    if (!wider)
        return old;
    rest->buckets = wider;
    rest->bucket_count = count;
    for (uint32_t b = 0; b < old_count; b++) {
        for (uint32_t index = old[b], next; index; index = next) {
            uint32_t *head = resting_bucket(rest, resting_at(rest, index)->address);
            next = resting_at(rest, index)->next;
            resting_at(rest, index)->next = *head;
            *head = index;
        }
    }
    free(old);
    return true;
}

/* False: it stays awake. */
static bool lay_down(struct order *order, struct variable *variable)
{
    struct rest *rest = &order->rest;
    struct resting packed;
    const uint32_t index = resting_room(rest) ? slot_new(&rest->objects) : 0;
    if (!index)
        return false;
    if (!pack(order, variable, &packed)) {
        slot_free(&rest->objects, index);
        return false;
    }
    uint32_t *head = resting_bucket(rest, variable->address);
    CHECKED(!*head || *head <= rest->objects.used);
    packed.next = *head;
    *head = index;
    *resting_at(rest, index) = packed;
    rest->count++;
    CHECKED(rest->count <= order->variable_count);
    order_list_free(order, &variable->release_clocks);
    free(variable);
    fast_path_taken(order->fast_paths, FAST_PATH_RESTED);
    return true;
}

void order_rest_all(struct order *order)
{
    struct rest *rest = &order->rest;
    rest->objects.size = sizeof(struct resting);
    rest->keys.size = sizeof(struct resting_key);
    for (uint32_t b = 0; b < order->variable_buckets; b++) {
        for (struct variable **at = &order->variables[b], *next; *at;) {
            next = (*at)->next;
            if (lay_down(order, *at))
                *at = next;
            else
                at = &(*at)->next;
        }
    }
}

void order_rest(struct order *order)
{
    struct rest *rest = &order->rest;
    if (order->variable_count - rest->count < (rest->awake_most ? rest->awake_most : AWAKE_LEAST))
        return;
    order_rest_all(order);
    const uint32_t awake = order->variable_count - rest->count;
    rest->awake_most = awake < AWAKE_LEAST / 2 ? AWAKE_LEAST : 2 * awake;
}

/* ---- waking ------------------------------------------------------------------------------------ */

static struct release *unpack_release(struct order *order, const struct resting *packed)
{
    struct rest *rest = &order->rest;
    const struct resting_key *first =
        packed->as != AS_MAP && packed->keys ? key_at(rest, packed->keys) : NULL;
    CHECKED(first || (packed->as != AS_RELEASE && !packed->by_other));
    if (packed->as == AS_RELEASE)
        return (struct release *)(uintptr_t)first->key;
    struct release *release = packed->by_other
                                  ? order_release_new(order, first->key, first->clock)
                                  : order_release_new(order, packed->store_unit, packed->release_site);
    struct vclock *known = packed->as == AS_MAP ? vclock_of_handle(&order->pool, packed->known) : NULL;
    if (packed->own)
        put_into(order, &known, unit_key(packed->store_unit), packed->store_clock);
    vclock_end(&order->pool, known);
    for (uint32_t index = !first             ? 0
                          : packed->by_other ? first->next
                                             : packed->keys;
         index; index = key_at(rest, index)->next) {
        put_into(order, &known, key_at(rest, index)->key, key_at(rest, index)->clock);
        vclock_end(&order->pool, known);
    }
    for (int r = 0; r < ORDER_REGIONS; r++)
        if (packed->regions >> r & 1)
            set(order, &release->known[r], vclock_share(known));
    vclock_drop(&order->pool, known);
    return release;
}

static void unpack_release_clock(struct order *order, struct variable *variable, const struct resting *packed)
{
    struct release *release = unpack_release(order, packed);
    struct release_clock release_clock = {.scope = (enum memory_scope)packed->scope,
                                          .flags = packed->flags,
                                          .fence = packed->fence,
                                          .svm_atomics = packed->svm_atomics,
                                          .apart = packed->apart,
                                          .release = release,
                                          .version = variable->version};
    release_clock.place =
        (struct place){order_unit_group(order, release->unit), order_unit_sub_group(order, release->unit),
                       order_unit_device(order, release->unit)};
    order_list_begin_small(&variable->release_clocks);
    order_list_add(order, &variable->release_clocks, &release_clock);
    release_drop(order, release);
    if (packed->as != AS_MAP)
        free_keys(order, packed->keys);
}

static uint32_t *resting_find(const struct rest *rest, uint64_t address)
{
    uint32_t *at = resting_bucket(rest, address);
    while (*at && resting_at(rest, *at)->address != address)
        at = &resting_at(rest, *at)->next;
    return at;
}

struct variable *order_wake(struct order *order, uint64_t address)
{
    struct rest *rest = &order->rest;
    uint32_t *at = resting_find(rest, address), index = *at;
    if (!index)
        return NULL;
    const struct resting packed = *resting_at(rest, index);
    *at = packed.next;
    slot_free(&rest->objects, index);
    rest->count--;
    CHECKED(packed.address == address && order->variable_count > rest->count);
    order->variable_count--;
    struct variable *variable = order_object_new(order, address);
    if (!variable)
        return NULL;
    variable->size = packed.wide ? 8 : 4;
    variable->region = IN_GLOBAL;
    variable->svm_atomics = packed.svm_atomics;
    variable->apart = packed.apart;
    variable->generation = packed.generation;
    variable->version = variable->stream = packed.sent ? ++order->versions : packed.version;
    variable->store =
        (struct latest_store){packed.store_site, packed.store_unit == NO_UNIT ? UNIT_END : packed.store_unit,
                              packed.store_clock, packed.store_releases};
    if (packed.sent)
        unpack_release_clock(order, variable, &packed);
    return variable;
}

bool order_object_lives(const struct order *order, uint64_t address, uint64_t generation)
{
    const struct variable *variable = variable_awake(order, address);
    if (variable)
        return variable->generation == generation;
    const uint32_t index = order->rest.count ? *resting_find(&order->rest, address) : 0;
    return index && resting_at(&order->rest, index)->generation == generation;
}

/* Those awake, too. */
void order_objects_fini(struct order *order)
{
    for (uint32_t b = 0; b < order->variable_buckets; b++) {
        for (struct variable *variable = order->variables[b], *next; variable; variable = next) {
            next = variable->next;
            order_list_free(order, &variable->release_clocks);
            free(variable);
        }
    }
    free(order->variables);
    free(order->rest.buckets);
    slots_fini(&order->rest.objects);
    slots_fini(&order->rest.keys);
}

/* ---- invariants -------------------------------------------------------------------------------- */

static void check_variable(const struct order *order, const struct variable *variable)
{
    CHECKED(variable->version <= order->versions && variable->stream <= variable->version);
    CHECKED(variable->region >= 0 && variable->region < ORDER_REGIONS);
    CHECKED(variable->store.unit <= UNIT_END && variable->store.clock <= order->clock);
    for (const struct variable *other = variable->next; other; other = other->next)
        CHECKED(other->address != variable->address);
    order_list_check(&variable->release_clocks);
    for (uint32_t i = 0; i < variable->release_clocks.count; i++)
        CHECKED(variable->release_clocks.items[i].version <= order->versions);
}

static uint32_t check_awake(const struct order *order)
{
    uint32_t count = 0;
    for (uint32_t b = 0; b < order->variable_buckets; b++)
        for (const struct variable *variable = order->variables[b]; variable; variable = variable->next) {
            CHECKED(bucket(order, variable->address) == &order->variables[b]);
            check_variable(order, variable);
            count++;
        }
    return count;
}

static uint32_t check_keys(const struct rest *rest, uint32_t first)
{
    uint32_t count = 0;
    for (; first; first = key_at(rest, first)->next) {
        CHECKED(first <= rest->keys.used);
        count++;
    }
    return count;
}

static void check_resting(const struct order *order, const struct resting *packed)
{
    CHECKED(!variable_awake(order, packed->address)); /* it is in one of the two places */
    CHECKED(packed->sent || packed->version <= order->versions);
    CHECKED(packed->sent || !(packed->own || packed->by_other));
    CHECKED(!packed->sent || packed->as <= AS_RELEASE);
    CHECKED(!packed->sent || packed->as != AS_RELEASE || check_keys(&order->rest, packed->keys) == 1);
    if (packed->sent && packed->as == AS_KEYS)
        CHECKED(check_keys(&order->rest, packed->keys) + packed->own <= 1u + KEYS_MOST);
}

static uint32_t check_at_rest(const struct order *order)
{
    const struct rest *rest = &order->rest;
    uint32_t count = 0;
    for (uint32_t b = 0; b < rest->bucket_count; b++)
        for (uint32_t i = rest->buckets[b]; i; i = resting_at(rest, i)->next) {
            CHECKED(i <= rest->objects.used && ++count <= rest->count);
            CHECKED(resting_bucket(rest, resting_at(rest, i)->address) == &rest->buckets[b]);
            check_resting(order, resting_at(rest, i));
        }
    return count;
}

void order_objects_check(const struct order *order)
{
    const uint32_t awake = check_awake(order), at_rest = check_at_rest(order);
    CHECKED((order->variable_buckets & (order->variable_buckets - 1)) == 0);
    CHECKED(at_rest == order->rest.count);
    CHECKED(awake + at_rest == order->variable_count);
}
