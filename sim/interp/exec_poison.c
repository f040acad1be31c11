/* SPDX-License-Identifier: Apache-2.0 */
/* Handlers of uninitialised values: the poison masks of loads, the marks of stores, the reports of uses. To
 * sweep is to test the validity bits of the bytes that lanes access, and to set them where `define` says
 * so. */
#include "access.h"
#include "affine.h"
#include "lanes.h"

/* All bytes from the lowest to the highest that an instruction accesses. dense: without gaps, and every
 * computed lane is active. */
struct poison_span {
    uint64_t low, bytes;
    bool dense;
};

static inline bool affine_span(const struct insn *insn, const uint32_t *list, const uint8_t *frame,
                               const struct wave *wave, struct poison_span *out)
{
    const struct affine *const a = (const struct affine *)(const void *)(frame + insn->a);
    const struct affine_extent extent = affine_extent(wave, wave->lane_count);
    int64_t low, high;
    if (list[0] == FORM_U) {
        *out = (struct poison_span){*AT(const uint64_t, insn->a) + (uint64_t)(int64_t)(int32_t)list[2],
                                    list[1], true};
        return true;
    }
    if (list[0] != FORM_A || a->general || !affine_range(a, extent, &low, &high))
        return false;
    *out = (struct poison_span){(uint64_t)a->base + (uint64_t)(int64_t)(int32_t)list[2] + (uint64_t)low,
                                (uint64_t)(high - low) + list[1], false};
    const bool one_row = extent.y == 0 || a->step_y == a->step_x * (int64_t)wave->row;
    out->dense = wave->full && one_row && a->step_x == (int64_t)list[1];
    return true;
}

static inline bool holds(const struct region *region, uint64_t low, uint64_t bytes)
{
    return low >= region->low && low <= region->high && bytes <= region->high - low;
}

/* The region, if it contains the whole span; else NULL. */
static inline struct region *span_region(const struct wave *wave, const struct poison_span *span)
{
    struct region *region = memory_region(wave->memory, span->low);
    return holds(region, span->low, span->bytes) ? region : NULL;
}

static inline bool all_defined(const struct region *region, const struct poison_span *span)
{
    return !region->valid || !region->invalid ||
           (span->bytes <= 4096 && memory_range_valid(region, span->low, span->bytes));
}

/* ---- lanes of one region: defined, or with define they become so --------------------------------- */

static inline bool sweep_bytes(struct region *region, uint64_t low, uint64_t bytes, bool define)
{
    if (define)
        memory_set_valid(region, low, bytes, true);
    return define || memory_range_valid(region, low, bytes);
}

/* Sweeps one lane, whose bytes are inside the region. The allocator reserves bytes after the last validity
 * bit, so eight bytes can be read. */
static inline bool sweep_lane(struct region *region, uint64_t low, uint32_t bytes, bool define)
{
    const uint64_t at = low - region->low, mask = ((UINT64_C(1) << (bytes & 63)) - 1) << (at & 7);
    uint8_t *const first = region->valid + at / 8;
    uint64_t word;
    if (bytes > 32)
        return sweep_bytes(region, low, bytes, define);
    memcpy(&word, first, sizeof word);
    if (define && (word & mask) != mask) {
        region->invalid -= (uint64_t)__builtin_popcountll(mask & ~word);
        word |= mask;
        memcpy(first, &word, sizeof word);
    }
    return (word & mask) == mask;
}

/* Sweeps lanes whose bytes are adjacent, by runs of active lanes. False: they are not adjacent, or a byte
 * is undefined. */
static bool sweep_runs(const struct insn *insn, const uint32_t *list, const uint8_t *frame,
                       const struct wave *wave, bool define)
{
    const struct affine *const a = AT(const struct affine, insn->a);
    const uint64_t bytes = list[1], first = (uint64_t)a->base + (uint64_t)(int64_t)(int32_t)list[2];
    const bool one_row = wave->lane_count <= wave->row || a->step_y == a->step_x * (int64_t)wave->row;
    if (list[0] != FORM_A || a->general || !one_row || a->step_x != (int64_t)bytes)
        return false;
    struct region *const region = memory_region(wave->memory, first + first_active(wave) * bytes);
    EACH_WORD(w, wave->n)
    for (uint64_t bits = wave->active.word[w], run; bits; bits &= ~run) {
        /* Adding the lowest bit carries to the first inactive lane after the run. */
        const uint64_t from = bits & -bits, past = from + bits;
        run = bits & ~past;
        const uint64_t low = first + (w * 64 + (uint64_t)__builtin_ctzll(bits)) * bytes;
        const uint64_t size = (uint64_t)__builtin_popcountll(run) * bytes;
        if (!holds(region, low, size) || !sweep_bytes(region, low, size, define))
            return false;
    }
    return true;
}

static const uint64_t *lane_addresses(const struct insn *insn, const uint32_t *list, const uint8_t *frame,
                                      const struct wave *wave, uint64_t *own)
{
    const struct affine *const a = AT(const struct affine, insn->a);
    if (list[0] != FORM_A)
        return AT(const uint64_t, insn->a);
    if (a->general)
        return AT(const uint64_t, a->slot);
    for (uint32_t i = 0; i < wave->n; i++)
        own[i] = affine_lane(a, wave->lane_x[i], wave->lane_y[i]);
    return own;
}

/* Are the addresses of all active lanes in [low, low + room]? Inactive lanes usually are, too, so all are
 * tested first. */
static bool are_within(const uint64_t *addresses, const struct wave *wave, uint64_t low, uint64_t room)
{
    uint64_t outside = 0;
    /* No region has 2^63 bytes: see list_permitted() in exec_memory.c. */
    EACH_LANE(i, LANES_OF(wave)) outside |= (addresses[i] - low) | (room - (addresses[i] - low));
    if (!(outside >> 63))
        return true;
    EACH_WORD(w, wave->n)
    for (uint64_t bits = wave->active.word[w]; bits; bits &= bits - 1)
        if (addresses[w * 64 + (size_t)__builtin_ctzll(bits)] - low > room)
            return false;
    return true;
}

/* Sweeps lane by lane. */
static bool sweep_lanes(const struct insn *insn, const uint32_t *list, const uint8_t *frame,
                        const struct wave *wave, bool define)
{
    uint64_t own[WAVE_LANES_MAX];
    const uint64_t *const addresses = lane_addresses(insn, list, frame, wave, own),
                          offset = (uint64_t)(int64_t)(int32_t)list[2];
    struct region *const region = memory_region(wave->memory, addresses[first_active(wave)] + offset);
    if (region->low > region->high || region->high - region->low < list[1])
        return false;
    const uint64_t low = region->low - offset, room = region->high - region->low - list[1];
    if (!region->valid || !region->invalid)
        return are_within(addresses, wave, low, room);
    EACH_WORD(w, wave->n)
    for (uint64_t bits = wave->active.word[w]; bits; bits &= bits - 1) {
        const uint64_t address = addresses[w * 64 + (size_t)__builtin_ctzll(bits)];
        if (address - low > room || !sweep_lane(region, address + offset, list[1], define))
            return false;
    }
    return true;
}

/* ---- private memory: its plane of undefined bytes, by rows of words ----------------------------- */

/* A plane of private memory: lane l has its word at an offset at words[offset / 4 * stride + l]. room: the
 * last offset at which all accessed bytes are inside. */
struct plane {
    uint32_t *words;
    uint8_t *rows; /* wave->private_rows */
    uint64_t stride, room;
};

/* More rows than these are not tested together. */
enum { ROWS_TESTED = 512 };

static bool are_rows_defined(const struct plane *plane, uint64_t offset, uint64_t bytes)
{
    const uint64_t first = offset / 4, count = (offset + bytes - 1) / 4 - first + 1;
    return count == 1 ? plane->rows[first] : count <= ROWS_TESTED && !memchr(plane->rows + first, 0, count);
}

/* The marks of a row that `bytes` bytes from `offset` on have. row: a multiple of 4. */
static inline uint32_t row_marks(uint64_t row, uint64_t offset, uint64_t bytes)
{
    const uint64_t first = offset > row ? offset - row : 0, left = offset + bytes - row;
    const uint32_t past = left < 4 ? 0xffffffff << 8 * left : 0;
    return 0xffffffff << 8 * first & ~past;
}

/* Sweeps the marks `of` in the word of each active lane. out_left: the OR of all marks that live lanes have
 * after it. */
static inline __attribute__((always_inline)) uint32_t sweep_row(uint32_t *row, const struct wave *wave,
                                                                uint32_t of, bool clear, uint32_t *out_left)
{
    const vec_i32 none = {0}, marks = none + (int32_t)of;
    vec_i32 undefined = none, left = none;
    uint32_t any = 0;
    EACH_BLOCK(i, wave->n)
    {
        const uint32_t active = wave->active.word[i / 64] >> i % 64 & 0xffff,
                       live = wave->live.word[i / 64] >> i % 64 & 0xffff;
        for (size_t k = 0; live && k < 16; k += VECTOR_LANES(i32)) {
            const vec_i32 cell = VECTOR_LOAD(i32, row + i + k);
            const vec_i32 after = clear ? VECTOR_BLEND(32, active, k, cell & ~marks, cell) : cell;
            undefined |= VECTOR_BLEND(32, active, k, cell & marks, none);
            left |= VECTOR_BLEND(32, live, k, after, none);
            if (clear)
                VECTOR_STORE(i32, row + i + k, after);
        }
    }
    *out_left = 0;
    for (size_t k = 0; k < VECTOR_LANES(i32); k++) {
        any |= (uint32_t)undefined[k];
        *out_left |= (uint32_t)left[k];
    }
    return any;
}

/* Sweeps all active lanes at one offset. Lemma: lanes never become live again, so a row in which no live
 * lane has a mark stays so until access_set_private_defined sets one. */
static uint32_t sweep_one(const struct plane *plane, const struct wave *wave, uint64_t offset, uint32_t bytes,
                          bool clear)
{
    uint32_t undefined = 0, left;
    for (uint64_t row = offset & ~UINT64_C(3); row < offset + bytes; row += 4) {
        uint32_t *const words = plane->words + row / 4 * plane->stride;
        const uint32_t marks = row_marks(row, offset, bytes);
        if (plane->rows[row / 4])
            continue;
        undefined |=
            clear ? sweep_row(words, wave, marks, true, &left) : sweep_row(words, wave, marks, false, &left);
        plane->rows[row / 4] = !left;
    }
    return undefined;
}

static inline __attribute__((always_inline)) uint32_t sweep_cell(const struct plane *plane, size_t lane,
                                                                 uint64_t offset, uint32_t bytes, bool clear)
{
    uint32_t undefined = 0;
    for (uint64_t row = offset & ~UINT64_C(3); row < offset + bytes; row += 4) {
        uint32_t *const cell = plane->words + row / 4 * plane->stride + lane;
        const uint32_t marks = row_marks(row, offset, bytes);
        undefined |= *cell & marks;
        if (clear)
            *cell &= ~marks;
    }
    return undefined;
}

/* Is all defined that the lanes access, by whole rows? All lanes count, also inactive ones: in a loop, those
 * have the addresses of their last iteration. */
static bool are_spans_defined(const struct plane *plane, const struct wave *wave, const uint64_t *addresses,
                              uint64_t base, uint32_t bytes)
{
    uint64_t low = UINT64_MAX, high = 0;
    EACH_LANE(i, LANES_OF(wave))
    {
        const uint64_t offset = addresses[i] - base;
        low = offset < low ? offset : low;
        high = offset > high ? offset : high;
    }
    return high <= plane->room && are_rows_defined(plane, low, high - low + bytes);
}

/* Sweeps the bytes of all active lanes. out_undefined: the OR of their marks; clear: marks them as defined.
 * False: an access is outside; some may have become defined. */
static bool private_sweep(const struct insn *insn, const uint32_t *list, uint8_t *frame,
                          const struct wave *wave, bool clear, uint32_t *out_undefined)
{
    const uint64_t *const addresses = AT(const uint64_t, insn->a),
                          base = PRIVATE_BASE - (uint64_t)(int64_t)(int32_t)list[2];
    const uint32_t bytes = list[1];
    const struct plane plane = {(uint32_t *)(void *)wave->private_undefined, wave->private_rows,
                                wave->code->width, (uint64_t)wave->code->private_size - bytes};
    uint32_t undefined = 0;
    *out_undefined = 0;
    if (!plane.words || bytes > wave->code->private_size)
        return false;
    if (list[0] == FORM_PRIVATE_U) {
        const uint64_t offset = addresses[0] - base;
        if (offset > plane.room)
            return false;
        if (!are_rows_defined(&plane, offset, bytes))
            *out_undefined = sweep_one(&plane, wave, offset, bytes, clear);
        return true;
    }
    if (are_spans_defined(&plane, wave, addresses, base, bytes))
        return true;
    EACH_WORD(w, wave->n)
    for (uint64_t bits = wave->active.word[w]; bits; bits &= bits - 1) {
        const size_t lane = w * 64 + (size_t)__builtin_ctzll(bits);
        const uint64_t offset = addresses[lane] - base;
        if (offset > plane.room)
            return false;
        undefined |= !(offset & 3) && bytes == 4 ? sweep_cell(&plane, lane, offset & ~UINT64_C(3), 4, clear)
                                                 : sweep_cell(&plane, lane, offset, bytes, clear);
    }
    *out_undefined = undefined;
    return true;
}

/* Works for any addresses, as long as all of them are in one region. */
static bool flat_sweep(const struct insn *insn, const uint32_t *list, const uint8_t *frame,
                       const struct wave *wave, bool define)
{
    return (list[0] == FORM_A || list[0] == FORM_V) &&
           (sweep_runs(insn, list, frame, wave, define) || sweep_lanes(insn, list, frame, wave, define));
}

static inline bool read_defined(const struct insn *insn, uint8_t *frame, const struct wave *wave)
{
    const uint32_t *const list = &wave->code->operands[insn->b];
    struct poison_span span;
    uint32_t undefined;
    if (list[0] == FORM_PRIVATE_U || list[0] == FORM_PRIVATE_V)
        return private_sweep(insn, list, frame, wave, false, &undefined) && !undefined;
    if (affine_span(insn, list, frame, wave, &span)) {
        const struct region *const region = span_region(wave, &span);
        if (region && all_defined(region, &span))
            return true;
    }
    return flat_sweep(insn, list, frame, wave, false);
}

/* `b` and (`c` or a != decides), by the lanes of `b`, which is mostly empty. */
#define POISON_OPEN(size, form, VALUE)                                                                      \
    HANDLER(poison_open_##form##_##size)                                                                    \
    {                                                                                                       \
        const uint##size##_t *const value = AT(const uint##size##_t, insn->a),                              \
                                    decides = (uint##size##_t)(int64_t)(int32_t)insn->f;                    \
        const uint64_t *const b = AT(const uint64_t, insn->b), *const c = insn->c                           \
                                                                              ? AT(const uint64_t, insn->c) \
                                                                              : NULL;                       \
        uint64_t *const d = AT(uint64_t, insn->d);                                                          \
        EACH_WORD(w, wave->n)                                                                               \
        {                                                                                                   \
            uint64_t open = c ? b[w] & c[w] : 0;                                                            \
            for (uint64_t bits = b[w] & ~open; bits; bits &= bits - 1) {                                    \
                const size_t lane = w * 64 + (size_t)__builtin_ctzll(bits);                                 \
                (void)lane;                                                                                 \
                open |= (uint64_t)(VALUE != decides) << lane % 64;                                          \
            }                                                                                               \
            d[w] = open;                                                                                    \
        }                                                                                                   \
        NEXT;                                                                                               \
    }
#define POISON_OPEN_UU(size)                                                                           \
    HANDLER(poison_open_uu_##size)                                                                     \
    {                                                                                                  \
        const uint##size##_t decides = (uint##size##_t)(int64_t)(int32_t)insn->f;                      \
        const bool open =                                                                              \
            *AT(const uint##size##_t, insn->a) != decides || (insn->c && (*AT(uint8_t, insn->c) & 1)); \
        *AT(uint8_t, insn->d) = *AT(uint8_t, insn->b) & open;                                          \
        NEXT;                                                                                          \
    }
#define POISON_OPEN_SIZE(size) \
    POISON_OPEN(size, v, value[lane]) POISON_OPEN(size, u, *value) POISON_OPEN_UU(size)
POISON_OPEN_SIZE(8)
POISON_OPEN_SIZE(16)
POISON_OPEN_SIZE(32)
POISON_OPEN_SIZE(64)

HANDLER(poison_ld)
{
    if (read_defined(insn, frame, wave))
        memset(frame + insn->d, 0, sizeof(lane_mask));
    else
        access_poison(insn, frame, wave, false);
    NEXT;
}

HANDLER(poison_ld_u)
{
    if (read_defined(insn, frame, wave))
        frame[insn->d] = 0;
    else
        access_poison(insn, frame, wave, true);
    NEXT;
}

static inline uint32_t bytes_of(const struct insn *insn, const struct wave *wave)
{
    return wave->code->operands[insn->b + 1];
}

HANDLER(poison_bits_v)
{
    if (read_defined(insn, frame, wave))
        memset(frame + insn->d, 0, (size_t)bytes_of(insn, wave) * wave->n);
    else
        access_poison_bits(insn, frame, wave, false);
    NEXT;
}

HANDLER(poison_bits_u)
{
    if (read_defined(insn, frame, wave))
        memset(frame + insn->d, 0, bytes_of(insn, wave));
    else
        access_poison_bits(insn, frame, wave, true);
    NEXT;
}

/* Is some bit of an active lane a one? Mostly no lane has any. */
static bool any_bits(const uint8_t *bits, uint32_t bytes, const struct wave *wave)
{
    const uint64_t *const words = (const uint64_t *)(const void *)bits;
    uint64_t any = 0, own = 0;
    EACH_LANE(i, (size_t)bytes * wave->n / 8) any |= words[i];
    if (!any)
        return false;
    EACH_WORD(w, wave->n)
    for (uint64_t lanes = wave->active.word[w]; lanes && !own; lanes &= lanes - 1)
        memcpy(&own, bits + (w * 64 + (size_t)__builtin_ctzll(lanes)) * bytes, bytes);
    return own;
}

/* Is an active lane in the mask? */
static inline bool any_active(const uint64_t *mask, const struct wave *wave)
{
    const uint64_t *const active = wave->active.word;
    return (mask[0] & active[0]) | (mask[1] & active[1]) | (mask[2] & active[2]) | (mask[3] & active[3]);
}

HANDLER(poison_atomic)
{
    if (!any_active(AT(const uint64_t, insn->c), wave) && read_defined(insn, frame, wave))
        memset(frame + insn->d, 0,
               insn->f & POISON_FINDS_BITS ? (size_t)bytes_of(insn, wave) * wave->n : sizeof(lane_mask));
    else
        access_poison_atomic(insn, frame, wave);
    NEXT;
}

HANDLER(poison_st)
{
    struct poison_span span;
    struct region *region;
    const bool has_bits = insn->f >= POISON_BITS;
    const bool reports = (insn->f == POISON_REPORTS || insn->f == POISON_BITS) &&
                         any_active(AT(const uint64_t, insn->d), wave);
    const bool unset = has_bits ? any_bits(frame + insn->c, bytes_of(insn, wave), wave)
                                : any_active(AT(const uint64_t, insn->c), wave);
    if (!reports && !unset) {
        const uint32_t *const list = &wave->code->operands[insn->b];
        uint32_t undefined;
        if (list[0] == FORM_PRIVATE_U || list[0] == FORM_PRIVATE_V) {
            if (private_sweep(insn, list, frame, wave, true, &undefined))
                NEXT;
        } else if (read_defined(insn, frame, wave)) {
            NEXT;
        }
        if (affine_span(insn, list, frame, wave, &span) && span.dense &&
            (region = span_region(wave, &span))) {
            memory_set_valid(region, span.low, span.bytes, true);
            NEXT;
        }
        if (flat_sweep(insn, list, frame, wave, true))
            NEXT;
    }
    access_mark(insn, frame, wave);
    NEXT;
}

/* Rows of words are adjacent, so those of a full wave are one block. */
static void forget_words(const struct wave *wave, uint64_t first, uint64_t count)
{
    const uint64_t row = (uint64_t)wave->code->width * 4;
    uint8_t *const marks = wave->private_undefined + first * row;
    memset(wave->private_rows + first, 0, count);
    if (wave->full && wave->n == wave->code->width) {
        memset(marks, 1, count * row);
        return;
    }
    for (uint64_t i = 0; i < count; i++)
        EACH_WORD(w, wave->n)
    for (uint64_t bits = wave->active.word[w]; bits; bits &= bits - 1)
        memset(marks + i * row + (w * 64 + (uint64_t)__builtin_ctzll(bits)) * 4, 1, 4);
}

HANDLER(forget)
{
    const uint64_t low = insn->e, high = low + insn->f, first = (low + 3) / 4, end = high / 4;
    if (wave->private_undefined && first < end)
        forget_words(wave, first, end - first);
    if (wave->private_undefined)
        access_forget_edges(insn, wave);
    (void)frame;
    NEXT;
}

/* The report does not stop the lanes. */
static __attribute__((noinline)) void report(const struct insn *insn, struct wave *wave,
                                             const uint64_t *lanes)
{
    struct fault fault = {.kind = (enum fault_kind)insn->f, .site = insn->e, .poison_list = insn->b};
    for (uint32_t w = LANE_MASK_WORDS; w-- > 0;) {
        const uint64_t bits = lanes[w] & wave->active.word[w];
        fault.lanes += (uint64_t)__builtin_popcountll(bits);
        if (bits)
            fault.lane = w * 64 + (uint32_t)__builtin_ctzll(bits);
    }
    if (fault.lanes)
        wave->host->fault(wave->host->self, wave, &fault);
}

HANDLER(poison_check_v)
{
    const uint64_t *const a_ = AT(uint64_t, insn->a), *const active = wave->active.word;
    if (__builtin_expect(
            ((a_[0] & active[0]) | (a_[1] & active[1]) | (a_[2] & active[2]) | (a_[3] & active[3])) != 0, 0))
        report(insn, wave, a_);
    NEXT;
}

HANDLER(poison_check_u)
{
    if (__builtin_expect(*AT(uint8_t, insn->a) & 1, 0))
        report(insn, wave, wave->active.word);
    NEXT;
}
