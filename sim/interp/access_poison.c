/* SPDX-License-Identifier: Apache-2.0 */
/* The initialised bits of the bytes that an instruction touches: read for poison.c, and marked by stores. */
#include "access_state.h"
#include "poison_trail.h"

/* ---- uninitialised bytes ------------------------------------------------------------------------------ */

/* operands[list]: form, bytes, offset, then the reader of the bytes, or the origin of the stored value; of an
 * atomic also the bits that it may leave as it finds them */
enum { LIST_FROM = 3, LIST_OPEN };

static uint32_t poison_from(const struct wave *wave, const struct insn *insn)
{
    return wave->code->operands[insn->b + LIST_FROM];
}

static void begin_poison(struct access *access, const struct insn *insn, const uint8_t *frame,
                         const struct wave *wave)
{
    const uint32_t *list = &wave->code->operands[insn->b];
    access_begin(access, (struct wave *)(uintptr_t)wave, insn->e, (enum access_form)list[0], list[1], 1);
    access_lay_out(access, frame, insn->a, (int32_t)list[2]);
}

static struct region *tracked_region(const struct access *access, uint32_t lane)
{
    const struct memory *memory = access->wave->memory;
    const uint64_t address = access->address[lane];
    if (!memory->track_validity)
        return NULL;
    struct region *region = memory_region(memory, address);
    return region->valid && access_inside(region->low, region->high, address, access->bytes) ? region : NULL;
}

/* An access outside bounds gives zeros or stops its work-item. Neither leaves an uninitialised value. */
static bool lane_is_poison(const struct access *access, uint32_t lane)
{
    const uint64_t address = access->address[lane];
    if (access_is_private(access, address))
        return access_private_permits(access, address, access->bytes) &&
               !access_private_defined(access->wave, lane, address, access->bytes);
    const struct region *region = tracked_region(access, lane);
    return region && !memory_range_valid(region, address, access->bytes);
}

static void note_read(const struct access *access, uint32_t source, uint32_t lane)
{
    poison_trail_read(access->wave, source, lane, access->address[lane], access->bytes);
}

/* The first byte from `from` on that differs from it in being uninitialised; at most bytes. */
static uint32_t run_end(uint64_t bits, uint32_t from, uint32_t bytes)
{
    const bool unset = bits >> 8 * from & 0xff;
    uint32_t end = from + 1;
    while (end < bytes && unset == ((bits >> 8 * end & 0xff) != 0))
        end++;
    return end;
}

/* Notes the first bytes that are uninitialised, not the initialised ones around them. */
static void note_bits(struct access *access, uint32_t source, uint32_t lane, uint64_t bits)
{
    CHECKED(bits);
    const uint32_t bytes = access->bytes, first = (uint32_t)__builtin_ctzll(bits) / 8;
    access->bytes = run_end(bits, first, bytes) - first;
    access->address[lane] += first;
    note_read(access, source, lane);
    access->address[lane] -= first;
    access->bytes = bytes;
}

/* Ones where bytes of the lane are not initialised; none of an access that missed. */
static uint64_t undefined_bits(struct access *access, uint32_t lane)
{
    const uint32_t bytes = access->bytes;
    uint64_t bits = 0;
    if (!lane_is_poison(access, lane))
        return 0;
    access->bytes = 1;
    for (uint32_t k = 0; k < bytes; k++, access->address[lane]++)
        bits |= lane_is_poison(access, lane) ? UINT64_C(0xff) << 8 * k : 0;
    access->address[lane] -= access->bytes = bytes;
    return bits;
}

void access_poison(const struct insn *insn, uint8_t *frame, const struct wave *wave, bool uniform)
{
    struct access access;
    lane_mask poison = {{0}};
    begin_poison(&access, insn, frame, wave);
    if (uniform && !lane_is_poison(&access, access_first_lane(&wave->active))) {
        frame[insn->d] = 0;
        return;
    }
    EACH_SET_LANE(&wave->active, lane)
    if (uniform || lane_is_poison(&access, (uint32_t)lane)) {
        access_set_lane(&poison, (uint32_t)lane);
        note_bits(&access, poison_from(wave, insn), (uint32_t)lane, undefined_bits(&access, (uint32_t)lane));
    }
    if (uniform)
        frame[insn->d] = 1;
    else
        memcpy(frame + insn->d, &poison, sizeof poison);
}

void access_poison_bits(const struct insn *insn, uint8_t *frame, const struct wave *wave, bool uniform)
{
    struct access access;
    begin_poison(&access, insn, frame, wave);
    const uint32_t bytes = access.bytes, first = access_first_lane(&wave->active);
    const uint64_t one = uniform ? undefined_bits(&access, first) : 0;
    memset(frame + insn->d, 0, uniform ? bytes : (size_t)bytes * wave->n);
    EACH_SET_LANE(&wave->active, lane)
    {
        const uint32_t i = (uint32_t)lane;
        const uint64_t bits = uniform ? one : undefined_bits(&access, i);
        memcpy(frame + insn->d + (uniform ? 0 : (size_t)bytes * i), &bits, bytes);
        if (bits)
            note_bits(&access, poison_from(wave, insn), i, bits);
    }
}

/* Memory that one work-group uses alone: uninitialised values there are reported where they are used. */
static bool hands_on(const struct region *region)
{
    return region->kind == REGION_LOCAL_VARIABLE;
}

/* A mistake is reported once: what was reported counts as initialised from then on. */
static void mark_lane(struct access *access, uint32_t lane, bool bad, bool reported, uint32_t list)
{
    const uint64_t address = access->address[lane];
    if (access_is_private(access, address)) {
        if (access_private_permits(access, address, access->bytes)) {
            access_set_private_defined(access->wave, lane, address, access->bytes, !bad);
            if (bad)
                poison_trail_left(access->wave, list, lane, address, access->bytes);
        }
        return;
    }
    struct region *region = tracked_region(access, lane);
    const bool unset = bad && region && (!reported || hands_on(region));
    if (region)
        memory_set_valid(region, address, access->bytes, !unset);
    if (unset)
        memory_became_unset(region, address, access->bytes, 0);
}

static bool is_reported(const struct access *access, uint32_t lane)
{
    const struct region *region =
        access_is_private(access, access->address[lane]) ? NULL : tracked_region(access, lane);
    return region && !hands_on(region);
}

/* Marks the stored bytes by runs, as `bits` has a one for each uninitialised bit of the value. */
static void mark_bits(struct access *access, uint32_t lane, uint64_t bits, bool reported, uint32_t list)
{
    const uint32_t bytes = access->bytes;
    for (uint32_t from = 0, end; from < bytes; from = end) {
        end = run_end(bits, from, bytes);
        access->bytes = end - from;
        mark_lane(access, lane, bits >> 8 * from & 0xff, reported, list);
        access->address[lane] += access->bytes;
    }
    access->address[lane] -= access->bytes = bytes;
}

static void access_mark_bits(const struct insn *insn, uint8_t *frame, struct wave *wave)
{
    struct access access;
    lane_mask reported;
    memcpy(&reported, frame + insn->d, sizeof reported);
    begin_poison(&access, insn, frame, wave);
    const uint32_t list = poison_from(wave, insn);
    EACH_SET_LANE(&wave->active, lane)
    {
        const uint32_t i = (uint32_t)lane;
        const bool report = lane_mask_test(&reported, i);
        uint64_t bits = 0;
        memcpy(&bits, frame + insn->c + (size_t)access.bytes * i, access.bytes);
        mark_bits(&access, i, bits, report, list);
        if (report && insn->f == POISON_BITS && is_reported(&access, i))
            access_add_fault(&access, i, FAULT_UNINITIALISED_STORE, false);
    }
    access.fault.poison_list = list;
    if (access.fault.lanes)
        wave->host->fault(wave->host->self, wave, &access.fault);
}

void access_mark(const struct insn *insn, uint8_t *frame, struct wave *wave)
{
    if (insn->f >= POISON_BITS) {
        access_mark_bits(insn, frame, wave);
        return;
    }
    struct access access;
    lane_mask poison, reported;
    memcpy(&poison, frame + insn->c, sizeof poison);
    memcpy(&reported, frame + (insn->f == POISON_REPORTS_ALL ? insn->c : insn->d), sizeof reported);
    begin_poison(&access, insn, frame, wave);
    const uint32_t list = poison_from(wave, insn);
    EACH_SET_LANE(&wave->active, lane)
    {
        const bool report = lane_mask_test(&reported, (uint32_t)lane);
        mark_lane(&access, (uint32_t)lane, lane_mask_test(&poison, (uint32_t)lane), report, list);
        if (report && insn->f != POISON_REPORTED && is_reported(&access, (uint32_t)lane))
            access_add_fault(&access, (uint32_t)lane, FAULT_UNINITIALISED_STORE, false);
    }
    access.fault.poison_list = list;
    if (access.fault.lanes)
        wave->host->fault(wave->host->self, wave, &access.fault);
}

/* The operation and the bits that it may leave as it finds them. */
struct poison_update {
    enum atomic_op operation;
    uint64_t all, open; /* the bits of a value; those */
};

static struct poison_update poison_update(const struct wave *wave, const struct insn *insn, uint32_t bytes)
{
    const uint32_t *open = &wave->code->operands[insn->b + LIST_OPEN];
    return (struct poison_update){.operation = (enum atomic_op)(insn->f & ~(uint32_t)POISON_FINDS_BITS),
                                  .all = UINT64_MAX >> (64 - 8 * bytes),
                                  .open = open[0] | (uint64_t)open[1] << 32};
}

/* Ones for the bits of what the atomic leaves that are uninitialised. An exchange and a store put their own
 * value there. A sum carries from an uninitialised bit to those above it. A word that was never written stays
 * so: a mask of it would count as copied, and not be reported. Of another operation every bit may depend on
 * each bit of its operands. */
static uint64_t left_bits(const struct poison_update *update, uint64_t found, bool value)
{
    switch (update->operation) {
    case ATOMIC_LOAD: return 0;
    case ATOMIC_STORE:
    case ATOMIC_EXCHANGE: return value ? update->all : 0;
    case ATOMIC_AND:
    case ATOMIC_OR:
    case ATOMIC_XOR: return value || found == update->all ? update->all : found & update->open;
    case ATOMIC_ADD:
    case ATOMIC_SUB: return value ? update->all : (found | (0 - found)) & update->all;
    default: return found || value ? update->all : 0;
    }
}

/* Was a part of the word uninitialised before, and is at most that part so afterwards? As after a copy, this
 * is reported where something uses the part. */
static bool only_keeps_part(const struct poison_update *update, uint64_t found, uint64_t leaves)
{
    return found && found != update->all && !(leaves & ~found);
}

static uint32_t atomic_list(const struct wave *wave, uint32_t source)
{
    return source < wave->code->poison_source_count ? wave->code->poison_sources[source].list : 0;
}

static void set_found(const struct insn *insn, uint8_t *frame, uint32_t lane, uint64_t bits, uint32_t bytes)
{
    if (insn->f & POISON_FINDS_BITS)
        memcpy(frame + insn->d + (size_t)bytes * lane, &bits, bytes);
    else if (bits)
        access_set_lane((lane_mask *)(void *)(frame + insn->d), lane);
}

/* An update of uninitialised memory of one work-group leaves it so, and what it found is reported where
 * something uses it. Elsewhere it has stored what depends on it, which is reported at once and counts as
 * initialised from then on. */
void access_poison_atomic(const struct insn *insn, uint8_t *frame, struct wave *wave)
{
    struct access access;
    lane_mask value;
    memcpy(&value, frame + insn->c, sizeof value);
    begin_poison(&access, insn, frame, wave);
    const uint32_t source = poison_from(wave, insn), list = atomic_list(wave, source), bytes = access.bytes;
    const struct poison_update update = poison_update(wave, insn, bytes);
    memset(frame + insn->d, 0, insn->f & POISON_FINDS_BITS ? (size_t)bytes * wave->n : sizeof(lane_mask));
    EACH_SET_LANE(&wave->active, lane)
    {
        const uint32_t i = (uint32_t)lane;
        const uint64_t found = undefined_bits(&access, i),
                       leaves = left_bits(&update, found, lane_mask_test(&value, i));
        const bool keeps = only_keeps_part(&update, found, leaves),
                   reported = leaves && !keeps && is_reported(&access, i);
        if (found)
            note_bits(&access, source, i, found);
        if (update.operation != ATOMIC_LOAD)
            mark_bits(&access, i, leaves, !keeps, list);
        if (reported)
            access_add_fault(&access, i, FAULT_UNINITIALISED_STORE, false);
        else
            set_found(insn, frame, i, found, bytes);
    }
    access.fault.poison_list = list;
    if (access.fault.lanes)
        wave->host->fault(wave->host->self, wave, &access.fault);
}

/* ---- variables that begin anew --------------------------------------------------------------- */

void access_forget_edges(const struct insn *insn, const struct wave *wave)
{
    const uint64_t low = insn->e, high = low + insn->f, first = (low + 3) / 4 * 4, end = high / 4 * 4;
    if (low == first && high == end)
        return;
    EACH_SET_LANE(&wave->active, lane)
    {
        if (end <= first) {
            access_set_private_defined(wave, (uint32_t)lane, PRIVATE_BASE + low, high - low, false);
            continue;
        }
        access_set_private_defined(wave, (uint32_t)lane, PRIVATE_BASE + low, first - low, false);
        access_set_private_defined(wave, (uint32_t)lane, PRIVATE_BASE + end, high - end, false);
    }
}
