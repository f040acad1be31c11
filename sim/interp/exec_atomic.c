/* SPDX-License-Identifier: Apache-2.0 */
/* Handlers of atomics. Without an observer, runs of neighbouring lanes with one address are executed
 * together. The fast path needs flat memory and all active lanes in one region. Lanes execute in order;
 * while the address stays the same, the value stays in a register. */
#include <string.h>

#include "access.h"
#include "lanes.h"

/* The body runs once per run [start_, end_) of active lanes. */
#define EACH_RUN(wave)                                           \
    for (size_t w_ = 0, start_, end_; w_ * 64 < (wave)->n; w_++) \
        for (uint64_t left_ = (wave)->active.word[w_]; left_ && next_run(&left_, w_ * 64, &start_, &end_);)
#define EACH_ACTIVE(i, wave) \
    EACH_RUN(wave)           \
    for (size_t i = start_; i < end_; i++)

static inline bool next_run(uint64_t *left, size_t base, size_t *start, size_t *end)
{
    const uint64_t bits = *left;
    const unsigned first = (unsigned)__builtin_ctzll(bits);
    const uint64_t holes = ~(bits >> first);
    const unsigned length = holes ? (unsigned)__builtin_ctzll(holes) : 64;
    *start = base + first;
    *end = base + first + length;
    *left = first + length < 64 ? bits >> (first + length) << (first + length) : 0;
    return true;
}

/* The byte of an address in the device's own mapping. view is the region's, or 0 when accesses are not
 * observed: pages are closed only for observed accesses (a fault would open them), so no other access needs
 * the region's view. */
#define BYTE_AT(U, address) ((U *)(uintptr_t)((address) + (uint64_t)view))

#define ATOMIC_ONE(U, result)             \
    do {                                  \
        U *const p = BYTE_AT(U, address); \
        U old = *p;                       \
        EACH_ACTIVE(i, wave)              \
        {                                 \
            const U b = b_[i], c = c_[i]; \
            (void)b;                      \
            (void)c;                      \
            d_[i] = old;                  \
            old = (U)(result);            \
        }                                 \
        *p = old;                         \
    } while (0)
#define ATOMIC_LONE(U, result)                        \
    do {                                              \
        U *const p = BYTE_AT(U, address);             \
        const U old = *p, b = b_[lane], c = c_[lane]; \
        (void)b;                                      \
        (void)c;                                      \
        d_[lane] = old;                               \
        *p = (U)(result);                             \
    } while (0)
#define ATOMIC_MANY(U, result)                  \
    EACH_ACTIVE(i, wave)                        \
    {                                           \
        U *const p = BYTE_AT(U, addresses[i]);  \
        const U old = *p, b = b_[i], c = c_[i]; \
        (void)b;                                \
        (void)c;                                \
        d_[i] = old;                            \
        *p = (U)(result);                       \
    }
/* Compare-exchanges of lanes that compete for a lock, of which most fail. The lanes of a block after one
 * that succeeds are compared with the value that it stored. out_won: the lanes that succeed; NULL: not
 * needed. */
#define COMPETE(bits)                                                                                       \
    static inline __attribute__((always_inline)) void compete_##bits(const struct wave *wave, u##bits *at,  \
                                                                     u##bits *d_, const u##bits *b_,        \
                                                                     const u##bits *c_, lane_mask *out_won) \
    {                                                                                                       \
        enum { VECTORS = 16 / VECTOR_LANES(u##bits) };                                                      \
        u##bits old = *at;                                                                                  \
        EACH_BLOCK(i, LANES_OF(wave))                                                                       \
        {                                                                                                   \
            uint32_t left = (uint32_t)(wave->active.word[i / 64] >> i % 64) & 0xffff, equal = 0;            \
            vec_u##bits expected[VECTORS], found[VECTORS];                                                  \
            UNROLL_16                                                                                       \
            for (size_t k = 0; k < VECTORS; k++) {                                                          \
                expected[k] = VECTOR_LOAD(u##bits, c_ + i + k * VECTOR_LANES(u##bits));                     \
                found[k] = VECTOR_SPLAT(u##bits, old);                                                      \
                equal |= MASK_BITS_##bits(expected[k] == found[k]) << k * VECTOR_LANES(u##bits);            \
            }                                                                                               \
            UNROLL_NOT                                                                                      \
            while (equal & left) {                                                                          \
                const uint32_t lane = (uint32_t)__builtin_ctz(equal & left), past = ~UINT32_C(1) << lane;   \
                old = b_[i + lane];                                                                         \
                if (out_won)                                                                                \
                    out_won->word[i / 64] |= UINT64_C(1) << (i + lane) % 64;                                \
                left &= past;                                                                               \
                equal = 0;                                                                                  \
                UNROLL_16                                                                                   \
                for (size_t k = 0; k < VECTORS; k++) {                                                      \
                    const vec_u##bits now = VECTOR_SPLAT(u##bits, old);                                     \
                    found[k] = (vec_u##bits)VECTOR_BLEND(bits, past & 0xffff, k * VECTOR_LANES(u##bits),    \
                                                         (vec_i##bits)now, (vec_i##bits)found[k]);          \
                    equal |= MASK_BITS_##bits(expected[k] == now) << k * VECTOR_LANES(u##bits);             \
                }                                                                                           \
            }                                                                                               \
            UNROLL_16                                                                                       \
            for (size_t k = 0; k < VECTORS; k++)                                                            \
                VECTOR_STORE(u##bits, d_ + i + k * VECTOR_LANES(u##bits), found[k]);                        \
        }                                                                                                   \
        *at = old;                                                                                          \
    }
COMPETE(32)
COMPETE(64)

#define FLOATED(U, operation, old, b)                                               \
    (sizeof(U) == 4 ? (U)atomic_float_32(operation, (uint32_t)(old), (uint32_t)(b)) \
                    : (U)atomic_float_64(operation, old, b))

#define ATOMIC_SWITCH(HOW, U, S)                                                  \
    switch ((enum atomic_op)insn->f) {                                            \
    case ATOMIC_LOAD: HOW(U, old); break;                                         \
    case ATOMIC_STORE:                                                            \
    case ATOMIC_EXCHANGE: HOW(U, b); break;                                       \
    case ATOMIC_COMPARE_EXCHANGE:                                                 \
    case ATOMIC_COMPARE_EXCHANGE_WEAK: HOW(U, old == c ? b : old); break;         \
    case ATOMIC_ADD: HOW(U, old + b); break;                                      \
    case ATOMIC_SUB: HOW(U, old - b); break;                                      \
    case ATOMIC_SMIN: HOW(U, (S)old < (S)b ? old : b); break;                     \
    case ATOMIC_UMIN: HOW(U, old < b ? old : b); break;                           \
    case ATOMIC_SMAX: HOW(U, (S)old > (S)b ? old : b); break;                     \
    case ATOMIC_UMAX: HOW(U, old > b ? old : b); break;                           \
    case ATOMIC_AND: HOW(U, old &b); break;                                       \
    case ATOMIC_OR: HOW(U, old | b); break;                                       \
    case ATOMIC_XOR: HOW(U, old ^ b); break;                                      \
    case ATOMIC_FADD:                                                             \
    case ATOMIC_FMIN:                                                             \
    case ATOMIC_FMAX: HOW(U, FLOATED(U, (enum atomic_op)insn->f, old, b)); break; \
    }

static inline uint32_t atomic_deny(const struct insn *insn)
{
    return DENY_PLAIN_ATOMICS |
           (insn->f == ATOMIC_LOAD ? DENY_KERNEL_READ : DENY_KERNEL_READ | DENY_KERNEL_WRITE);
}

static inline bool region_open(const struct wave *wave, const struct region *region, uint32_t bytes,
                               uint32_t deny)
{
    return access_flat(wave) && region->low <= region->high && region->high - region->low >= bytes &&
           !(region->deny & deny);
}

/* out_view: the region's, if the result is true. */
static bool all_permitted(const struct wave *wave, const uint64_t *addresses, uint32_t bytes, uint32_t deny,
                          int64_t *out_view)
{
    size_t first = 0;
    while (!lane_mask_test(&wave->active, (uint32_t)first))
        first++;
    const struct region *region = memory_region(wave->memory, addresses[first]);
    *out_view = region->view;
    if (!region_open(wave, region, bytes, deny))
        return false;
    const uint64_t low = region->low, room = region->high - region->low - bytes, align = bytes - 1;
    uint64_t bad = 0;
    EACH_ACTIVE(i, wave) bad |= (uint64_t)(addresses[i] - low > room) | (addresses[i] & align);
    return !bad;
}

static inline bool one_permitted(const struct wave *wave, uint64_t address, uint32_t bytes, uint32_t deny,
                                 int64_t *out_view)
{
    const struct region *region = memory_region(wave->memory, address);
    *out_view = region->view;
    return region_open(wave, region, bytes, deny) && address >= region->low &&
           address <= region->high - bytes && !(address & (bytes - 1));
}

/* NULL: no bit is set. */
static inline const uint64_t *mask_words(const struct wave *wave, const lane_mask *mask)
{
    uint64_t any = 0;
    for (uint32_t w = 0; w * 64 < wave->n; w++)
        any |= mask->word[w];
    return any ? mask->word : NULL;
}

static inline bool is_lone(const struct wave *wave, uint32_t *out_lane)
{
    const uint64_t active = wave->active.word[0];
    *out_lane = active ? (uint32_t)__builtin_ctzll(active) : 0;
    return wave->n <= 64 && active && !(active & (active - 1));
}

/* Results may overwrite operands, so operands that are announced after the operation are copied before it.
 * Announcing is a function of its own, so that its stack frame does not remain while the next instruction
 * runs. */
#define OBSERVED(bits)                                                                                    \
    static __attribute__((noinline)) void announce_##bits(const struct insn *insn, uint8_t *frame,        \
                                                          struct wave *wave, int64_t view)                \
    {                                                                                                     \
        uint64_t addresses[WAVE_LANES_MAX];                                                               \
        u##bits *const d_ = AT(u##bits, insn->d);                                                         \
        const u##bits *const b_ = AT(const u##bits, insn->b), *const c_ = AT(const u##bits, insn->c);     \
        lane_mask failed = {{0}};                                                                         \
        memcpy(addresses, AT(const uint64_t, insn->a), wave->n * sizeof *addresses);                      \
        if (insn->f == ATOMIC_COMPARE_EXCHANGE) {                                                         \
            EACH_ACTIVE(i, wave)                                                                          \
            {                                                                                             \
                u##bits *const p = BYTE_AT(u##bits, addresses[i]);                                        \
                const u##bits old = *p, b = b_[i], c = c_[i];                                             \
                d_[i] = old;                                                                              \
                *p = old == c ? b : old;                                                                  \
                failed.word[i / 64] |= (uint64_t)(old != c) << i % 64;                                    \
            }                                                                                             \
        } else {                                                                                          \
            ATOMIC_SWITCH(ATOMIC_MANY, u##bits, i##bits)                                                  \
        }                                                                                                 \
        access_announce_atomics(wave, insn, addresses, mask_words(wave, &failed));                        \
    }                                                                                                     \
    static __attribute__((noinline)) void announce_exchange_##bits(                                       \
        const struct insn *insn, uint8_t *frame, struct wave *wave, uint64_t address, int64_t view)       \
    {                                                                                                     \
        lane_mask lanes = {{0}}; /* first the lanes that succeed, then those that fail */                 \
        compete_##bits(wave, BYTE_AT(u##bits, address), AT(u##bits, insn->d), AT(const u##bits, insn->b), \
                       AT(const u##bits, insn->c), &lanes);                                               \
        uint64_t any = lanes.word[0] =                                                                    \
            wave->active.word[0] & ~lanes.word[0]; /* no wider loads: they would wait for the stores */   \
        for (uint32_t w = 1; w * 64 < wave->n; w++)                                                       \
            any |= lanes.word[w] = wave->active.word[w] & ~lanes.word[w];                                 \
        access_announce_atomic(wave, insn, address, any ? lanes.word : NULL);                             \
    }                                                                                                     \
    static __attribute__((noinline)) const struct insn *observed_##bits(                                  \
        const struct insn *insn, uint8_t *frame, struct wave *wave, int64_t view)                         \
    {                                                                                                     \
        announce_##bits(insn, frame, wave, view);                                                         \
        NEXT_OF_PART;                                                                                     \
    }                                                                                                     \
    static __attribute__((noinline)) const struct insn *observed_exchange_##bits(                         \
        const struct insn *insn, uint8_t *frame, struct wave *wave, uint64_t address, int64_t view)       \
    {                                                                                                     \
        announce_exchange_##bits(insn, frame, wave, address, view);                                       \
        NEXT_OF_PART;                                                                                     \
    }                                                                                                     \
    static __attribute__((noinline)) const struct insn *observed_lanes_##bits(                            \
        const struct insn *insn, uint8_t *frame, struct wave *wave, uint64_t address, int64_t view)       \
    {                                                                                                     \
        u##bits *const d_ = AT(u##bits, insn->d);                                                         \
        const u##bits *const b_ = AT(const u##bits, insn->b), *const c_ = AT(const u##bits, insn->c);     \
        ATOMIC_SWITCH(ATOMIC_ONE, u##bits, i##bits)                                                       \
        access_announce_atomic(wave, insn, address, NULL);                                                \
        NEXT_OF_PART;                                                                                     \
    }                                                                                                     \
    static __attribute__((noinline)) const struct insn *observed_u_##bits(                                \
        const struct insn *insn, uint8_t *frame, struct wave *wave, uint64_t address, int64_t view)       \
    {                                                                                                     \
        uint32_t lane;                                                                                    \
        if (!is_lone(wave, &lane))                                                                        \
            return observed_lanes_##bits(insn, frame, wave, address, view);                               \
        u##bits *const d_ = AT(u##bits, insn->d);                                                         \
        const u##bits *const b_ = AT(const u##bits, insn->b), *const c_ = AT(const u##bits, insn->c);     \
        ATOMIC_SWITCH(ATOMIC_LONE, u##bits, i##bits)                                                      \
        access_announce_atomic(wave, insn, address, NULL);                                                \
        NEXT_OF_PART;                                                                                     \
    }
OBSERVED(32)
OBSERVED(64)

#define ATOMIC(bits)                                                                                     \
    HANDLER(atomic_##bits)                                                                               \
    {                                                                                                    \
        const uint64_t *const addresses = AT(const uint64_t, insn->a);                                   \
        int64_t view;                                                                                    \
        if (!all_permitted(wave, addresses, bits / 8, atomic_deny(insn), &view)) {                       \
            if (access_atomic(insn, frame, wave, FORM_GENERIC, bits / 8))                                \
                NEXT_AFTER_FAULT(insn, frame, wave);                                                     \
            NEXT;                                                                                        \
        }                                                                                                \
        if (__builtin_expect(access_observed(wave), 0))                                                  \
            return observed_##bits(insn, frame, wave, view);                                             \
        view = 0;                                                                                        \
        uint##bits##_t *const d_ = AT(uint##bits##_t, insn->d);                                          \
        const uint##bits##_t *const b_ = AT(const uint##bits##_t, insn->b), *const c_ =                  \
                                                                                AT(const uint##bits##_t, \
                                                                                   insn->c);             \
        ATOMIC_SWITCH(ATOMIC_MANY, uint##bits##_t, int##bits##_t)                                        \
        NEXT;                                                                                            \
    }                                                                                                    \
    static __attribute__((noinline))                                                                     \
    const struct insn *refused_u_##bits(const struct insn *insn, uint8_t *frame, struct wave *wave)      \
    {                                                                                                    \
        if (access_atomic(insn, frame, wave, FORM_U, bits / 8))                                          \
            NEXT_AFTER_FAULT(insn, frame, wave);                                                         \
        NEXT;                                                                                            \
    }                                                                                                    \
    static __attribute__((noinline)) const struct insn *unobserved_u_##bits(                             \
        const struct insn *insn, uint8_t *frame, struct wave *wave, uint64_t address)                    \
    {                                                                                                    \
        enum { view = 0 };                                                                               \
        u##bits *const d_ = AT(u##bits, insn->d);                                                        \
        const u##bits *const b_ = AT(const u##bits, insn->b), *const c_ = AT(const u##bits, insn->c);    \
        if (insn->f == ATOMIC_COMPARE_EXCHANGE) {                                                        \
            compete_##bits(wave, BYTE_AT(u##bits, address), d_, b_, c_, NULL);                           \
            NEXT_OF_PART;                                                                                \
        }                                                                                                \
        ATOMIC_SWITCH(ATOMIC_ONE, u##bits, i##bits)                                                      \
        NEXT_OF_PART;                                                                                    \
    }                                                                                                    \
    HANDLER(atomic_u_##bits)                                                                             \
    {                                                                                                    \
        const uint64_t address = *AT(const uint64_t, insn->a);                                           \
        int64_t view;                                                                                    \
        if (!one_permitted(wave, address, bits / 8, atomic_deny(insn), &view))                           \
            TAIL_CALL refused_u_##bits(insn, frame, wave);                                               \
        if (__builtin_expect(!access_observed(wave), 1))                                                 \
            return unobserved_u_##bits(insn, frame, wave, address);                                      \
        if (insn->f == ATOMIC_COMPARE_EXCHANGE)                                                          \
            return observed_exchange_##bits(insn, frame, wave, address, view);                           \
        return observed_u_##bits(insn, frame, wave, address, view);                                      \
    }
ATOMIC(32)
ATOMIC(64)

/* Weak compare-exchanges that may fail spuriously; the others execute as strong ones. */
#define ATOMIC_WEAK(bits)                                             \
    HANDLER(atomic_weak_##bits)                                       \
    {                                                                 \
        if (access_atomic(insn, frame, wave, FORM_GENERIC, bits / 8)) \
            NEXT_AFTER_FAULT(insn, frame, wave);                      \
        NEXT;                                                         \
    }
ATOMIC_WEAK(32)
ATOMIC_WEAK(64)

static __attribute__((noinline)) void announce_fence(const struct insn *insn, const struct wave *wave)
{
    const struct site *site = &wave->code->sites[insn->e];
    struct sync_event event = {.origin = wave->origin,
                               .kind = SYNC_FENCE,
                               .regions = site->regions,
                               .order = site->order,
                               .scope = site->scope,
                               .lane_count = wave->lane_count,
                               .mask = wave->active.word};
    event.origin.site = insn->e;
    if (wave->memory->port.fence)
        wave->memory->port.fence(wave->memory->port.self, &event);
    if (wave->observer && wave->observer->sync)
        wave->observer->sync(wave->observer->self, &event);
}

HANDLER(fence)
{
    (void)frame;
    if ((wave->observer && wave->observer->sync) || wave->memory->port.fence)
        announce_fence(insn, wave);
    NEXT;
}
