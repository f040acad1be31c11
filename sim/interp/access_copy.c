/* SPDX-License-Identifier: Apache-2.0 */
/* Asynchronous copies, and packets of pipes: bytes from one place to another, with their initialised bits. */
#include "access_state.h"
#include "poison_trail.h"

/* ---- copies ---------------------------------------------------------------------------------------- */

/* Checks one side of one lane's copy. A misaligned side is reported and copied all the same, byte by byte. */
static bool side_permitted(struct access *access, uint32_t lane, uint64_t address, uint64_t bytes)
{
    access->address[lane] = address;
    access->bytes = bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes;
    const bool private_space = access_is_private(access, address);
    const bool permitted = private_space
                               ? access_private_permits(access, address, bytes)
                               : access_flat_permits(access->wave, address, bytes, access_denials(access));
    if (!permitted)
        access_add_fault(access, lane, access->write ? FAULT_WRITE : FAULT_READ, private_space);
    else if (address & (access->align - 1))
        access_note_fault(access, &access->misaligned, lane, FAULT_MISALIGNED, private_space);
    return permitted;
}

static void announce_side(const struct access *access, uint32_t lane, uint64_t address, uint64_t bytes)
{
    if (!access_observed(access->wave) || access_is_private(access, address))
        return;
    lane_mask one = {{0}};
    access_set_lane(&one, lane);
    struct access_event event;
    access_begin_event(&event, access->wave, access->site_index, &one);
    event.kind = access->write ? ACCESS_WRITE : ACCESS_READ;
    event.copy = access->copy;
    event.size_bytes = (uint32_t)bytes;
    event.shape = ADDRESS_UNIFORM;
    event.base = address;
    access_announce(access->wave, &event);
}

static uint8_t read_byte(const struct access *access, uint32_t lane, uint64_t address)
{
    return access_is_private(access, address) ? *access_private_byte(access->wave, lane, address)
                                              : *access_flat_byte(access->wave, address);
}

static bool byte_valid(const struct access *from, uint32_t lane, uint64_t address)
{
    if (access_is_private(from, address))
        return access_private_defined(from->wave, lane, address, 1);
    const struct region *region = memory_region(from->wave->memory, address);
    return !region->valid || memory_range_valid(region, address, 1);
}

/* Copies the validity of the bytes. */
static void copy_validity(const struct access *from, const struct access *to, uint32_t lane, uint64_t source,
                          uint64_t target, uint64_t bytes)
{
    const struct memory *memory = to->wave->memory;
    if (!memory->track_validity)
        return;
    const bool private_target = access_is_private(to, target);
    struct region *region = private_target ? NULL : memory_region(memory, target);
    if (region && !region->valid)
        return;
    for (uint64_t i = 0; i < bytes; i++) {
        const bool valid = byte_valid(from, lane, source + i);
        if (private_target)
            access_set_private_defined(to->wave, lane, target + i, 1, valid);
        else
            memory_set_valid(region, target + i, 1, valid);
        if (!valid && private_target)
            poison_trail_left(to->wave, 0, lane, target + i, 1);
        else if (!valid)
            memory_became_unset(region, target + i, 1, 0);
    }
}

static void copy_bytes(const struct access *from, const struct access *to, uint32_t lane, uint64_t source,
                       uint64_t target, uint64_t bytes)
{
    if (!access_is_private(from, source) && !access_is_private(to, target)) {
        memmove(access_flat_byte(to->wave, target), access_flat_byte(from->wave, source), bytes);
        return;
    }
    for (uint64_t i = 0; i < bytes; i++)
        *(access_is_private(to, target) ? access_private_byte(to->wave, lane, target + i)
                                        : access_flat_byte(to->wave, target + i)) =
            read_byte(from, lane, source + i);
}

static bool finish_copy(struct access *side)
{
    if (side->misaligned.lanes)
        side->wave->host->fault(side->wave->host->self, side->wave, &side->misaligned);
    return access_report_faulty(side, side->wave->host->faults_stop);
}

static void zero_bytes(const struct access *to, uint32_t lane, uint64_t target, uint64_t bytes)
{
    struct region *region = access_is_private(to, target) ? NULL : memory_region(to->wave->memory, target);
    if (!region) {
        for (uint64_t i = 0; i < bytes; i++)
            *access_private_byte(to->wave, lane, target + i) = 0;
        access_set_private_defined(to->wave, lane, target, bytes, true);
    } else if (bytes) {
        memset(memory_byte(region, target), 0, bytes);
        if (to->wave->memory->track_validity && region->valid)
            memory_set_valid(region, target, bytes, true);
    }
}

/* One side or both are faulty: bytes outside the source read as zeros; bytes outside the target are
 * dropped. */
static void copy_parts(const struct access *from, const struct access *to, uint32_t lane, uint64_t source,
                       uint64_t target, uint64_t bytes)
{
    const struct access_part in = access_permitted_part(from, source, bytes),
                             out = access_permitted_part(to, target, bytes);
    uint64_t low = in.low > out.low ? in.low : out.low, high = in.high < out.high ? in.high : out.high;
    if (low >= high)
        low = high = out.low;
    lane_mask one = {{0}};
    access_set_lane(&one, lane);
    access_announce_part(from, &one, source + in.low, in.high - in.low);
    access_announce_part(to, &one, target + out.low, out.high - out.low);
    if (low < high) {
        copy_bytes(from, to, lane, source + low, target + low, high - low);
        copy_validity(from, to, lane, source + low, target + low, high - low);
    }
    if (out.low < low)
        zero_bytes(to, lane, target + out.low, low - out.low);
    if (high < out.high)
        zero_bytes(to, lane, target + high, out.high - high);
}

static void copy_lane(struct access *from, struct access *to, uint32_t lane, uint64_t source, uint64_t target,
                      uint64_t bytes)
{
    const bool stops = from->wave->host->faults_stop;
    if (!bytes)
        return;
    const bool readable = side_permitted(from, lane, source, bytes);
    const bool writable = (readable || !stops) && side_permitted(to, lane, target, bytes);
    if (!readable || !writable) {
        if (!stops)
            copy_parts(from, to, lane, source, target, bytes);
        return;
    }
    announce_side(from, lane, source, bytes);
    announce_side(to, lane, target, bytes);
    copy_bytes(from, to, lane, source, target, bytes);
    copy_validity(from, to, lane, source, target, bytes);
}

/* ---- packets ----------------------------------------------------------------------------------------- */

/* One side is the user's, the other the pipe's, which no observer sees. Reads of a faulty side return zeros,
 * writes to it are dropped. */

_Static_assert(sizeof(struct access) <= sizeof(((struct access_copy *)0)->state),
               "struct access_copy has room for it");

void access_copy_begin(struct access_copy *copy, struct wave *wave, uint32_t site)
{
    access_begin((struct access *)(void *)copy->state, wave, site, FORM_GENERIC, 1, 1);
}

static void copy_packet(struct access *user, uint32_t lane, uint64_t source, uint64_t target, uint64_t bytes,
                        bool out)
{
    const uint64_t address = out ? target : source;
    user->read = !out;
    user->write = out;
    struct access_part part = {0, bytes};
    if (side_permitted(user, lane, address, bytes)) {
        announce_side(user, lane, address, bytes);
    } else {
        lane_mask one = {{0}};
        access_set_lane(&one, lane);
        part = access_permitted_part(user, address, bytes);
        access_announce_part(user, &one, address + part.low, part.high - part.low);
        if (!out)
            zero_bytes(user, lane, target, bytes);
    }
    copy_bytes(user, user, lane, source + part.low, target + part.low, part.high - part.low);
    copy_validity(user, user, lane, source + part.low, target + part.low, part.high - part.low);
}

void access_copy_in(struct access_copy *copy, uint32_t lane, uint64_t source, uint64_t packet, uint64_t bytes)
{
    copy_packet((struct access *)(void *)copy->state, lane, source, packet, bytes, false);
}

void access_copy_out(struct access_copy *copy, uint32_t lane, uint64_t packet, uint64_t target,
                     uint64_t bytes)
{
    copy_packet((struct access *)(void *)copy->state, lane, packet, target, bytes, true);
}

/* Host addresses are not generic addresses: they may look like private ones. */
void access_fetch(struct access_copy *copy, uint32_t lane, uint64_t source, void *target, uint64_t bytes)
{
    struct access *user = (struct access *)(void *)copy->state;
    uint8_t *out = target;
    user->read = true;
    user->write = false;
    memset(out, 0, bytes);
    if (!side_permitted(user, lane, source, bytes))
        return;
    announce_side(user, lane, source, bytes);
    for (uint64_t i = 0; i < bytes; i++)
        out[i] = read_byte(user, lane, source + i);
}

void access_hand(struct access_copy *copy, uint32_t lane, const void *source, uint64_t target, uint64_t bytes)
{
    struct access *user = (struct access *)(void *)copy->state;
    const uint8_t *in = source;
    const bool is_own = access_is_private(user, target);
    user->read = false;
    user->write = true;
    if (!side_permitted(user, lane, target, bytes))
        return;
    announce_side(user, lane, target, bytes);
    for (uint64_t i = 0; i < bytes; i++)
        *(is_own ? access_private_byte(user->wave, lane, target + i)
                 : access_flat_byte(user->wave, target + i)) = in[i];
    if (!user->wave->memory->track_validity)
        return;
    struct region *region = is_own ? NULL : memory_region(user->wave->memory, target);
    if (is_own)
        access_set_private_defined(user->wave, lane, target, bytes, true);
    else if (region->valid)
        memory_set_valid(region, target, bytes, true);
}

bool access_copy_end(struct access_copy *copy)
{
    return finish_copy((struct access *)(void *)copy->state);
}

bool access_copy(const struct insn *insn, uint8_t *frame, struct wave *wave)
{
    struct access from, to;
    const uint64_t *target = (const uint64_t *)(const void *)(frame + insn->d),
                   *source = (const uint64_t *)(const void *)(frame + insn->a);
    const uint64_t *bytes = (const uint64_t *)(const void *)(frame + insn->c);
    access_begin(&from, wave, insn->e, FORM_GENERIC, 1, 1);
    access_begin(&to, wave, insn->f, FORM_GENERIC, 1, 1);
    from.read = to.write = true;
    const lane_mask active = wave->active;
    EACH_SET_LANE(&active, lane)
    copy_lane(&from, &to, (uint32_t)lane, source[lane], target[lane], bytes[lane]);
    const bool stopped = finish_copy(&from);
    return finish_copy(&to) || stopped;
}

static void announce_copy(const struct wave *wave, uint32_t site, uint32_t number, bool performs)
{
    if (!wave->observer || !wave->observer->sync)
        return;
    struct sync_event event = {.origin = wave->origin,
                               .kind = SYNC_COPY,
                               .scope = SCOPE_WORK_GROUP,
                               .lane_count = wave->lane_count,
                               .mask = wave->active.word,
                               .last = performs,
                               .copy = number};
    event.origin.site = site;
    wave->observer->sync(wave->observer->self, &event);
}

/* Numbers of events are the same in each wave, because all work-items of a group reach the same copies. */
static uint32_t give_event(const uint32_t *operands, uint8_t *frame, struct wave *wave)
{
    uint64_t event, *const out = (uint64_t *)(void *)(frame + operands[0]);
    const lane_mask active = wave->active;
    memcpy(&event, frame + operands[5], sizeof event);
    if (!event || event > wave->copies)
        event = ++wave->copies;
    EACH_SET_LANE(&active, lane) out[lane] = event;
    return (uint32_t)event;
}

/* If out of memory the copy is not counted. */
static uint32_t *times_reached(struct copies_reached *all, uint32_t site)
{
    for (uint32_t i = 0; i < all->count; i++)
        if (all->items[i].site == site)
            return all->items[i].times;
    if (all->count == all->room) {
        const uint32_t room = all->room ? 2 * all->room : HOSTILE(8, 1);
        struct copy_reached *items = realloc(all->items, room * sizeof *items);
        if (!items)
            return NULL;
        all->items = items;
        all->room = room;
    }
    uint32_t *times = calloc(all->lanes, sizeof *times);
    if (times)
        all->items[all->count++] = (struct copy_reached){site, times};
    return times;
}

static void count_reached(const struct wave *wave, uint32_t site)
{
    uint32_t *times = wave->reached ? times_reached(wave->reached, site) : NULL;
    if (times)
        EACH_SET_LANE(&wave->active, lane) times[wave->origin.first_lane + lane]++;
}

/* The wave that performs the copy watches its event. */
static void note_unwaited(struct wave *wave, uint32_t event, uint32_t site, bool performs)
{
    if (performs && wave->unwaited_count < WAVE_COPIES_OPEN)
        wave->unwaited[wave->unwaited_count++] = (struct open_copy){event, site};
    else if (event > wave->unwatched)
        wave->unwatched = event;
}

/* A strided copy stops after so many elements in a row outside memory: its count is not plausible. */
enum { MISSES_MOST = 1 << 20 };

/* The work-group's first work-item copies for all; the wait for the event orders it. */
/* A count that exceeds memory is a fault and is not charged. */
static void charge_copy(struct wave *wave, uint64_t count, uint64_t size)
{
    enum { COUNT_MOST = 1 << 30 };
    if (count < COUNT_MOST)
        wave->work += count * size * WORK_GLOBAL_BYTE;
}

bool access_async(const struct insn *insn, uint8_t *frame, struct wave *wave)
{
    struct access from, to;
    uint64_t value[4];
    const uint32_t *const operands = wave->code->operands + insn->d,
                          event = give_event(operands, frame, wave);
    const bool performs = wave->origin.first_lane == 0 && lane_mask_test(&wave->active, 0);
    count_reached(wave, insn->e);
    announce_copy(wave, insn->e, event, performs);
    note_unwaited(wave, event, insn->e, performs);
    if (!performs)
        return false;
    for (int i = 0; i < 4; i++)
        memcpy(&value[i], frame + operands[1 + i], 8);
    /* `far` is past every region, whatever is added to it */
    const uint64_t bytes = insn->f & 0xffff, far = 1ull << 62;
    const uint64_t stride = value[3] > far / bytes ? far : value[3] * bytes;
    const uint64_t to_step = insn->f >> 16 & 1 ? stride : bytes,
                   from_step = insn->f >> 17 & 1 ? stride : bytes;
    access_begin(&from, wave, insn->e, FORM_GENERIC, 1, 1);
    access_begin(&to, wave, insn->e, FORM_GENERIC, 1, 1);
    uint64_t misses = 0, faulty = 0;
    from.read = to.write = true;
    from.copy = to.copy = event;
    charge_copy(wave, value[2], bytes);
    if (to_step == bytes && from_step == bytes)
        copy_lane(&from, &to, 0, value[1], value[0],
                  value[2] > UINT64_MAX / bytes ? UINT64_MAX : value[2] * bytes);
    else
        for (uint64_t i = 0; i < value[2] && misses < (wave->host->faults_stop ? 1 : MISSES_MOST); i++) {
            copy_lane(&from, &to, 0, value[1] + i * from_step, value[0] + i * to_step, bytes);
            misses = from.fault.lanes + to.fault.lanes > faulty ? misses + 1 : 0;
            faulty = from.fault.lanes + to.fault.lanes;
        }
    const bool stopped = finish_copy(&from);
    return finish_copy(&to) || stopped;
}

/* other: a lane of the tile. */
static void report_difference(const struct insn *insn, struct wave *wave, uint32_t first, uint64_t own,
                              uint32_t other, uint64_t its)
{
    struct disagreement differ = {.origin = wave->origin,
                                  .lane = other,
                                  .argument = insn->f & 255,
                                  .is_address = insn->f >> 8,
                                  .value = {own, its}};
    differ.origin.first_lane = 0;
    const struct fault fault = {.kind = FAULT_NON_UNIFORM,
                                .site = insn->e,
                                .lane = first,
                                .lanes = 1,
                                .continues = true,
                                .differ = &differ};
    if (!differ.argument && wave->reached)
        wave->reached->reported = true;
    wave->host->fault(wave->host->self, wave, &fault);
}

static bool agreement_room(struct agreement *all)
{
    if (all->count < all->room)
        return true;
    const uint32_t room = all->room ? 2 * all->room : HOSTILE(16, 1);
    struct agreed *items = all->count < AGREED_MOST ? realloc(all->items, room * sizeof *items) : NULL;
    if (!items) /* out of memory, or too many events */
        return false;
    all->items = items;
    all->room = room;
    return true;
}

/* The first wave of the group sets the values with which the others are compared. */
static void compare_waves(const struct insn *insn, struct wave *wave, uint32_t first, uint64_t value)
{
    struct agreement *all = wave->agreement;
    const uint32_t at = wave->agreed++;
    if (at < all->count) {
        const struct agreed *before = &all->items[at];
        if (before->site == insn->e && before->argument == insn->f && before->value != value)
            report_difference(insn, wave, first, value, before->tile_lane, before->value);
    } else if (at == all->count && agreement_room(all)) {
        all->items[all->count++] = (struct agreed){insn->e, insn->f, wave->origin.first_lane + first, value};
    }
}

void access_same(const struct insn *insn, const uint8_t *frame, struct wave *wave)
{
    const uint64_t *value = (const uint64_t *)(const void *)(frame + insn->a);
    const lane_mask active = wave->active;
    const uint32_t first = access_first_lane(&active);
    EACH_SET_LANE(&active, lane)
    if (__builtin_expect(value[lane] != value[first], 0)) {
        report_difference(insn, wave, first, value[first], wave->origin.first_lane + (uint32_t)lane,
                          value[lane]);
        break;
    }
    if (wave->agreement)
        compare_waves(insn, wave, first, value[first]);
}
