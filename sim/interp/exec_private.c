/* SPDX-License-Identifier: Apache-2.0 */
/* Handlers of private memory. The 4-byte words of all lanes at one offset are adjacent, so an access at one
 * offset for all lanes is a row. Words that are not aligned, and lanes at fault, go through access.c. */
#include "access.h"
#include "lanes.h"

#define UNLIKELY(x) __builtin_expect(!!(x), 0)

struct private_span {
    u64 low, high;
}; /* offsets that may be accessed */

/* Of the object that the pointer derives from; if that is not known, of the one at this offset. */
static inline struct private_span private_span(const struct wave *wave, const struct insn *insn, u64 offset)
{
    const struct code *code = wave->code;
    const bool known = insn->c && insn->c <= code->private_object_count;
    const struct private_object *object =
        known ? &code->private_objects[insn->c - 1] : code_private_object(code, offset);
    if (!object) /* as in access.c */
        return (struct private_span){0, code->private_object_count ? 0 : code->private_size};
    return (struct private_span){object->low, object->high};
}

/* A vector may require more alignment than its components. */
static inline bool vector_aligned(const struct wave *wave, const struct insn *insn, u64 offsets)
{
    return insn->f == 1 || !(offsets & (wave->code->sites[insn->e].align - 1));
}

static inline bool private_permitted(const struct wave *wave, const struct insn *insn, u64 offset, u64 bytes,
                                     u64 unit)
{
    const struct private_span span = private_span(wave, insn, offset);
    const bool inside = offset >= span.low && offset <= span.high && bytes <= span.high - offset;
    return inside && offset % unit == 0 && vector_aligned(wave, insn, offset);
}

/* Checks all lanes below lane_count, inactive ones too, because loads read them. */
static inline bool list_permitted(const struct wave *wave, const struct insn *insn, const u64 *addresses,
                                  u64 bytes, u64 unit)
{
    const u64 shift = (u64)(i64)(i32)insn->b;
    const struct private_span span = private_span(wave, insn, addresses[0] + shift - PRIVATE_BASE);
    if (span.high - span.low < bytes || span.high < span.low)
        return false;
    const u64 low = span.low + PRIVATE_BASE - shift, room = span.high - span.low - bytes;
    const size_t count = wave->lane_count;
    u64 outside = 0, odd = 0; /* as in exec_memory.c: by the top bit */
    EACH_LANE(i, count)
    {
        const u64 x = addresses[i] - low;
        outside |= x | (room - x);
        odd |= addresses[i] + shift;
    }
    return !(outside >> 63) && !(odd & (unit - 1));
}

#define SLOTS (insn->f == 1 ? &insn->d : &wave->code->operands[insn->d])
#define PRIVATE_OFFSET(address) ((address) + (u64)(i64)(i32)insn->b - PRIVATE_BASE)

/* One component of one lane: whole words, or a part of a word. */
#define WORD_AT(offset, lane) (memory + ((offset) / 4 * width + (lane)) * 4 + (offset) % 4)
#define READ_8(offset, lane) (*WORD_AT(offset, lane))
#define READ_16(offset, lane) (*(const u16 *)(const void *)WORD_AT(offset, lane))
#define READ_32(offset, lane) (*(const u32 *)(const void *)WORD_AT(offset, lane))
#define READ_64(offset, lane) (READ_32(offset, lane) | (u64)READ_32((offset) + 4, lane) << 32)
#define WRITE_8(offset, lane, x) (*WORD_AT(offset, lane) = (x))
#define WRITE_16(offset, lane, x) (*(u16 *)(void *)WORD_AT(offset, lane) = (x))
#define WRITE_32(offset, lane, x) (*(u32 *)(void *)WORD_AT(offset, lane) = (x))
#define WRITE_64(offset, lane, x) \
    (WRITE_32(offset, lane, (u32)(x)), WRITE_32((offset) + 4, lane, (u32)((x) >> 32)))

#define WRITE_LANES(size, at, d_, n, mask)                       \
    EACH_WORD(w, n)                                              \
    for (uint64_t bits = mask[w]; bits; bits &= bits - 1) {      \
        const size_t i = w * 64 + (size_t)__builtin_ctzll(bits); \
        WRITE_##size(at, i, d_[i]);                              \
    }
/* Only this wave writes the row of words, so blocks of lanes are read, blended and written back. */
#define WRITE_MASKED_32(at, d_, n, mask)                                                       \
    i32 *const row = (i32 *)(void *)WORD_AT(at, 0);                                            \
    EACH_BLOCK(i, n)                                                                           \
    {                                                                                          \
        const uint32_t bits = (uint32_t)(mask[i / 64] >> i % 64) & 0xffff;                     \
        if (!bits)                                                                             \
            continue;                                                                          \
        UNROLL_16                                                                              \
        for (size_t j = 0; j < 16; j += VECTOR_LANES(i32)) {                                   \
            const vec_i32 a = VECTOR_LOAD(i32, d_ + i + j), b = VECTOR_LOAD(i32, row + i + j); \
            VECTOR_STORE(i32, row + i + j, VECTOR_BLEND(32, bits, j, a, b));                   \
        }                                                                                      \
    }
#define WRITE_MASKED_8(at, d_, n, mask) WRITE_LANES(8, at, d_, n, mask)
#define WRITE_MASKED_16(at, d_, n, mask) WRITE_LANES(16, at, d_, n, mask)
#define WRITE_MASKED_64(at, d_, n, mask) WRITE_LANES(64, at, d_, n, mask)
#define UNIT(size) ((size) < 32 ? (size) / 8 : 4)

#define PRIVATE(size)                                                                                 \
    HANDLER(ldp_u_##size)                                                                             \
    {                                                                                                 \
        const u64 offset = PRIVATE_OFFSET(*AT(u64, insn->a));                                         \
        const uint32_t *const slots = SLOTS, k = insn->f;                                             \
        if (UNLIKELY(!private_permitted(wave, insn, offset, k * (size / 8), UNIT(size)))) {           \
            if (access_load(insn, frame, wave, FORM_PRIVATE_U, size / 8))                             \
                NEXT_AFTER_FAULT(insn, frame, wave);                                                  \
            NEXT;                                                                                     \
        }                                                                                             \
        const size_t n = LANES_OF(wave), width = wave->code->width;                                   \
        const uint8_t *const memory = wave->private_memory;                                           \
        for (uint32_t c = 0; c < k; c++) {                                                            \
            u##size *const d_ = AT(u##size, slots[c]);                                                \
            const u64 at = offset + c * (size / 8);                                                   \
            EACH_LANE(i, n) d_[i] = READ_##size(at, i);                                               \
        }                                                                                             \
        NEXT;                                                                                         \
    }                                                                                                 \
    HANDLER(stp_u_##size)                                                                             \
    {                                                                                                 \
        const u64 offset = PRIVATE_OFFSET(*AT(u64, insn->a));                                         \
        const uint32_t *const slots = SLOTS, k = insn->f;                                             \
        if (UNLIKELY(!private_permitted(wave, insn, offset, k * (size / 8), UNIT(size)))) {           \
            if (access_store(insn, frame, wave, FORM_PRIVATE_U, size / 8))                            \
                NEXT_AFTER_FAULT(insn, frame, wave);                                                  \
            NEXT;                                                                                     \
        }                                                                                             \
        const size_t n = LANES_OF(wave), width = wave->code->width;                                   \
        uint8_t *const memory = wave->private_memory;                                                 \
        const uint64_t *const mask = wave->active.word;                                               \
        const bool full = wave->full;                                                                 \
        for (uint32_t c = 0; c < k; c++) {                                                            \
            const u##size *const d_ = AT(u##size, slots[c]);                                          \
            const u64 at = offset + c * (size / 8);                                                   \
            if (full) {                                                                               \
                EACH_LANE(i, n) WRITE_##size(at, i, d_[i]);                                           \
            } else {                                                                                  \
                WRITE_MASKED_##size(at, d_, n, mask)                                                  \
            }                                                                                         \
        }                                                                                             \
        NEXT;                                                                                         \
    }                                                                                                 \
    HANDLER(ldp_v_##size)                                                                             \
    {                                                                                                 \
        const u64 *const addresses = AT(u64, insn->a);                                                \
        if (UNLIKELY(insn->f != 1 || !list_permitted(wave, insn, addresses, size / 8, UNIT(size)))) { \
            if (access_load(insn, frame, wave, FORM_PRIVATE_V, size / 8))                             \
                NEXT_AFTER_FAULT(insn, frame, wave);                                                  \
            NEXT;                                                                                     \
        }                                                                                             \
        const size_t count = wave->lane_count, width = wave->code->width;                             \
        const uint8_t *const memory = wave->private_memory;                                           \
        const u64 shift = (u64)(i64)(i32)insn->b - PRIVATE_BASE;                                      \
        u##size *const d_ = AT(u##size, insn->d);                                                     \
        for (size_t i = 0; i < count; i++) {                                                          \
            const u64 offset = addresses[i] + shift;                                                  \
            d_[i] = READ_##size(offset, i);                                                           \
        }                                                                                             \
        NEXT;                                                                                         \
    }                                                                                                 \
    HANDLER(stp_v_##size)                                                                             \
    {                                                                                                 \
        const u64 *const addresses = AT(u64, insn->a);                                                \
        if (UNLIKELY(insn->f != 1 || !list_permitted(wave, insn, addresses, size / 8, UNIT(size)))) { \
            if (access_store(insn, frame, wave, FORM_PRIVATE_V, size / 8))                            \
                NEXT_AFTER_FAULT(insn, frame, wave);                                                  \
            NEXT;                                                                                     \
        }                                                                                             \
        const size_t n = LANES_OF(wave), width = wave->code->width;                                   \
        uint8_t *const memory = wave->private_memory;                                                 \
        const uint64_t *const mask = wave->active.word;                                               \
        const u64 shift = (u64)(i64)(i32)insn->b - PRIVATE_BASE;                                      \
        const u##size *const d_ = AT(u##size, insn->d);                                               \
        EACH_WORD(w, n)                                                                               \
        for (uint64_t bits = mask[w]; bits; bits &= bits - 1) {                                       \
            const size_t i = w * 64 + (size_t)__builtin_ctzll(bits);                                  \
            const u64 offset = addresses[i] + shift;                                                  \
            WRITE_##size(offset, i, d_[i]);                                                           \
        }                                                                                             \
        NEXT;                                                                                         \
    }
PRIVATE(8)
PRIVATE(16)
PRIVATE(32)
PRIVATE(64)
