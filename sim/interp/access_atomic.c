/* SPDX-License-Identifier: Apache-2.0 */
/* Atomic operations, one lane after the other. */
#include "access_state.h"

/* ---- atomics ------------------------------------------------------------------------------------- */

#define ATOMIC_FLOAT(bits, F)                                                                              \
    uint##bits##_t atomic_float_##bits(enum atomic_op operation, uint##bits##_t old, uint##bits##_t value) \
    {                                                                                                      \
        F a, b, r;                                                                                         \
        memcpy(&a, &old, sizeof a);                                                                        \
        memcpy(&b, &value, sizeof b);                                                                      \
        r = operation == ATOMIC_FADD   ? a + b                                                             \
            : operation == ATOMIC_FMIN ? (((a < b) | (b != b)) ? a : b)                                    \
                                       : (((a > b) | (b != b)) ? a : b);                                   \
        memcpy(&old, &r, sizeof r);                                                                        \
        return old;                                                                                        \
    }
ATOMIC_FLOAT(32, float)
ATOMIC_FLOAT(64, double)

static uint64_t updated(uint32_t operation, uint64_t old, uint64_t value, uint64_t comparator, uint32_t bits)
{
    const uint32_t unused = 64 - bits;
    const int64_t signed_old = (int64_t)(old << unused) >> unused,
                  signed_value = (int64_t)(value << unused) >> unused;
    switch ((enum atomic_op)operation) {
    case ATOMIC_LOAD: return old;
    case ATOMIC_STORE:
    case ATOMIC_EXCHANGE: return value;
    case ATOMIC_COMPARE_EXCHANGE:
    case ATOMIC_COMPARE_EXCHANGE_WEAK: return old == comparator ? value : old;
    case ATOMIC_ADD: return old + value;
    case ATOMIC_SUB: return old - value;
    case ATOMIC_SMIN: return signed_value < signed_old ? value : old;
    case ATOMIC_SMAX: return signed_value > signed_old ? value : old;
    case ATOMIC_UMIN: return value < old ? value : old;
    case ATOMIC_UMAX: return value > old ? value : old;
    case ATOMIC_AND: return old & value;
    case ATOMIC_OR: return old | value;
    case ATOMIC_XOR: return old ^ value;
    case ATOMIC_FADD:
    case ATOMIC_FMIN:
    case ATOMIC_FMAX:
        return bits == 32 ? atomic_float_32((enum atomic_op)operation, (uint32_t)old, (uint32_t)value)
                          : atomic_float_64((enum atomic_op)operation, old, value);
    }
    return old;
}

static uint64_t read_slot(const uint8_t *slot, uint32_t lane, uint32_t bytes)
{
    uint64_t value = 0;
    memcpy(&value, slot + lane * bytes, bytes);
    return value;
}

/* The host may change this memory at any time. */
static bool is_shared(const struct access *access, uint64_t address)
{
    const struct memory *memory = access->wave->memory;
    return memory_region(memory, address)->flags & REGION_FLAG_SHARED ||
           address - memory->base >= memory->size;
}

#define UPDATE_SHARED(bits)                                                                                 \
    static uint64_t update_shared_##bits(const struct access *access, uint32_t operation, uint64_t address, \
                                         uint64_t b, uint64_t c)                                            \
    {                                                                                                       \
        uint##bits##_t *const p = (uint##bits##_t *)(void *)access_flat_byte(access->wave, address);        \
        uint##bits##_t old = __atomic_load_n(p, __ATOMIC_SEQ_CST);                                          \
        while (access->write &&                                                                             \
               !__atomic_compare_exchange_n(p, &old, (uint##bits##_t)updated(operation, old, b, c, bits),   \
                                            false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))                     \
            ;                                                                                               \
        return old;                                                                                         \
    }
UPDATE_SHARED(32)
UPDATE_SHARED(64)

static bool refuses(const struct access *access, uint32_t lane, uint64_t old, uint64_t comparator)
{
    struct wave *wave = access->wave;
    if (old != comparator || !wave->host->refuses || !wave->host->refuses(wave->host->self))
        return false;
    access_set_lane(&wave->refused, lane);
    wave->refusals++;
    return true;
}

/* A compare-exchange that fails counts as a load. */
static uint32_t operation_of(const struct access *access, const struct insn *insn, uint32_t lane,
                             uint64_t old, uint64_t comparator)
{
    return insn->f == ATOMIC_COMPARE_EXCHANGE_WEAK && refuses(access, lane, old, comparator) ? ATOMIC_LOAD
                                                                                             : insn->f;
}

static void update_lane(const struct access *access, const struct insn *insn, uint8_t *frame, uint32_t lane,
                        bool private_space)
{
    const uint32_t bytes = access->bytes;
    const uint64_t address = access->address[lane];
    const uint64_t b = read_slot(frame + insn->b, lane, bytes), c = read_slot(frame + insn->c, lane, bytes);
    uint64_t old = 0;
    if (!private_space && is_shared(access, address)) {
        memcpy(&old, access_flat_byte(access->wave, address), bytes);
        const uint32_t operation = operation_of(access, insn, lane, old, c);
        old = (bytes == 4 ? update_shared_32 : update_shared_64)(access, operation, address, b, c);
        memcpy(frame + insn->d + lane * bytes, &old, bytes);
        return;
    }
    if (private_space)
        access_read_private(access->wave, lane, address, (uint8_t *)&old, bytes);
    else
        memcpy(&old, access_flat_byte(access->wave, address), bytes);
    const uint64_t value = updated(operation_of(access, insn, lane, old, c), old, b, c, 8 * bytes);
    if (access->write && private_space) {
        access_write_private(access->wave, lane, address, (const uint8_t *)&value, bytes);
        access_set_private_defined(access->wave, lane, address, bytes, true);
    } else if (access->write)
        memcpy(access_flat_byte(access->wave, address), &value, bytes);
    memcpy(frame + insn->d + lane * bytes, &old, bytes);
}

static bool any_shared(const struct access *access)
{
    EACH_SET_LANE(&access->flat, lane) if (is_shared(access, access->address[lane])) return true;
    return false;
}

static void zero_lanes(uint8_t *slot, const lane_mask *lanes, uint32_t bytes)
{
    EACH_SET_LANE(lanes, lane) memset(slot + lane * bytes, 0, bytes);
}

static void report_private_atomic(struct access *access)
{
    struct fault fault = {.continues = true};
    EACH_SET_LANE(&access->private_lanes, lane)
    access_note_fault(access, &fault, (uint32_t)lane, FAULT_ATOMIC_PRIVATE, true);
    access->wave->host->fault(access->wave->host->self, access->wave, &fault);
}

static void find_failed(const struct access *access, const uint8_t *comparators, const uint8_t *found,
                        lane_mask *out_failed)
{
    EACH_SET_LANE(&access->flat, lane)
    if (memcmp(comparators + lane * access->bytes, found + lane * access->bytes, access->bytes) != 0)
        access_set_lane(out_failed, (uint32_t)lane);
}

bool access_atomic(const struct insn *insn, uint8_t *frame, struct wave *wave, enum access_form form,
                   uint32_t bytes)
{
    struct access access;
    access_begin(&access, wave, insn->e, form, bytes, 1);
    access.read = insn->f != ATOMIC_STORE;
    access.write = insn->f != ATOMIC_LOAD;
    if (access.align < bytes)
        access.align = bytes;
    access_lay_out(&access, frame, insn->a, 0);
    const bool stopped = access_check(&access);
    if (access_mask_any(&access.private_lanes))
        report_private_atomic(&access);
    const bool weak = insn->f == ATOMIC_COMPARE_EXCHANGE_WEAK;
    const bool compares = access_observed(wave) && (insn->f == ATOMIC_COMPARE_EXCHANGE || weak);
    for (uint32_t w = 0; weak && w * 64 < wave->n; w++)
        wave->refused.word[w] &= ~wave->active.word[w];
    uint8_t comparators[WAVE_LANES_MAX * 8];
    if (compares) /* the result may overwrite the operands */
        memcpy(comparators, frame + insn->c, wave->n * bytes);
    if (access.write && access_observed(wave) && wave->observer->before && any_shared(&access))
        wave->observer->before(wave->observer->self);
    if (!access_flat(wave) && access_mask_any(&access.flat)) {
        uint8_t old[WAVE_LANES_MAX * 8];
        struct access_event event = access_event(&access);
        const struct memory_port *port = &wave->memory->port;
        port->update(port->self, &event, insn->f, frame + insn->b, frame + insn->c, old);
        EACH_SET_LANE(&access.flat, lane) memcpy(frame + insn->d + lane * bytes, old + lane * bytes, bytes);
        EACH_SET_LANE(&access.flat, lane)
        if (weak && port->refused && port->refused(port->self, (uint32_t)lane))
            access_set_lane(&wave->refused, (uint32_t)lane);
        EACH_SET_LANE(&access.private_lanes, lane) update_lane(&access, insn, frame, (uint32_t)lane, true);
    } else {
        EACH_SET_LANE(&access.flat, lane) update_lane(&access, insn, frame, (uint32_t)lane, false);
        EACH_SET_LANE(&access.private_lanes, lane) update_lane(&access, insn, frame, (uint32_t)lane, true);
    }
    zero_lanes(frame + insn->d, &access.faulty, bytes);
    if (access_observed(wave) && access_mask_any(&access.flat)) {
        struct access_event event = access_event(&access);
        lane_mask failed = {{0}};
        if (compares)
            find_failed(&access, comparators, frame + insn->d, &failed);
        for (uint32_t w = 0; weak && w * 64 < wave->n; w++)
            failed.word[w] |= wave->refused.word[w] & access.flat.word[w];
        event.failure_order = access.site->failure_order;
        event.failed = access_mask_any(&failed) ? failed.word : NULL;
        event.frame = frame;
        event.slots = access_flat(wave) ? &insn->d : NULL;
        access_announce(wave, &event);
    }
    return stopped;
}
