/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What the files of access.h share: one instruction that is being executed, whose lanes are checked
 *          one by one.
 *
 * Interface
 *   access_begin             fills in an access of a wave, without addresses
 *   access_lay_out           the lanes' addresses, from the operand and the form
 *   access_is_private        is the address one of private memory?
 *   access_check             checks the active lanes, and reports faulty ones; false: none is left
 *   access_permitted_part    the bytes of a faulty access that are inside one object which it may access
 *   access_flat_permits, access_private_permits   may all of the bytes be accessed? deny: of DENY_x
 *   access_denials           DENY_x of a read, a write or both
 *   access_note_fault        counts a fault of a lane; access_add_fault: the lane is faulty, too
 *   access_report_faulty     reports the faulty lanes; true: they are stopped
 *   access_flat_byte, access_private_byte         the address in the host of a byte
 *   access_read_private, access_write_private     bytes of a lane's private memory
 *   access_private_defined, access_set_private_defined   are they initialised?
 *   access_event             the event of an access; access_begin_event: the fields that all events have
 *   access_announce          passes an event to the observers
 *   access_announce_part     announces bytes one by one, since the address may have any alignment
 */
#ifndef ORRERY_INTERP_ACCESS_STATE_H
#define ORRERY_INTERP_ACCESS_STATE_H

#include <stdlib.h>
#include <string.h>

#include "access.h"
#include "affine.h"
#include "cost.h"
#include "orrery/checked.h"

/* One instruction that is being executed. */
struct access {
    struct wave *wave;
    const struct site *site;
    uint32_t site_index, object;
    uint32_t component_bytes, components, bytes, align;
    uint32_t copy; /* number of the asynchronous copy, or 0 */
    enum access_form form;
    bool write, read; /* updates do both */
    uint64_t address[WAVE_LANES_MAX];
    lane_mask flat, private_lanes; /* lanes whose access takes place */
    lane_mask faulty;
    struct fault fault;
    struct fault passed, misaligned; /* reported, but the access takes place */
};

/* Bytes of an access, counted from its address. */
struct access_part {
    uint64_t low, high;
};

#define EACH_SET_LANE(mask, lane)                     \
    for (uint32_t w_ = 0; w_ < LANE_MASK_WORDS; w_++) \
        for (uint64_t rest_ = (mask)->word[w_], lane; \
             rest_ && (lane = w_ * 64 + (uint64_t)__builtin_ctzll(rest_), true); rest_ &= rest_ - 1)

/* Member by member: an assignment of the whole struct clears it first, which costs measurable time for each
 * access. */
static inline __attribute__((always_inline)) void access_begin_event(struct access_event *event,
                                                                     const struct wave *wave,
                                                                     uint32_t site_index,
                                                                     const lane_mask *lanes)
{
    const struct site *site = &wave->code->sites[site_index];
    event->origin = wave->origin;
    event->origin.site = site_index;
    event->kind = site->access;
    event->order = site->order;
    event->failure_order = ORDER_RELAXED;
    event->scope = site->scope;
    event->failed = NULL;
    event->image = event->sampled = false;
    event->copy = 0;
    event->size_bytes = site->size * site->components;
    event->lane_count = wave->lane_count;
    event->mask = lanes->word;
    event->shape = ADDRESS_UNIFORM;
    event->base = 0;
    event->step_x = event->step_y = 0;
    event->row = wave->row;
    event->address = NULL;
    event->frame = NULL;
    event->slots = NULL;
    event->component_bytes = site->size;
}

static inline void access_set_lane(lane_mask *mask, uint32_t lane)
{
    mask->word[lane / 64] |= (uint64_t)1 << lane % 64;
}

static inline bool access_mask_any(const lane_mask *mask)
{
    uint64_t any = 0;
    for (int w = 0; w < LANE_MASK_WORDS; w++)
        any |= mask->word[w];
    return any != 0;
}

static inline bool access_is_private(const struct access *access, uint64_t address)
{
    if (access->form == FORM_PRIVATE_U || access->form == FORM_PRIVATE_V)
        return true;
    return access->form == FORM_GENERIC && wave_is_private_address(address);
}

static inline bool access_inside(uint64_t low, uint64_t high, uint64_t address, uint64_t bytes)
{
    return address >= low && address <= high && bytes <= high - address;
}

static inline uint32_t access_first_lane(const lane_mask *mask)
{
    EACH_SET_LANE(mask, lane) return (uint32_t)lane;
    return 0;
}

void access_lay_out(struct access *access, const uint8_t *frame, uint32_t operand, int32_t offset);
void access_begin(struct access *access, struct wave *wave, uint32_t site_index, enum access_form form,
                  uint32_t component_bytes, uint32_t components);
bool access_check(struct access *access);
uint32_t access_denials(const struct access *access);
bool access_flat_permits(const struct wave *wave, uint64_t address, uint64_t bytes, uint32_t deny);
bool access_private_permits(const struct access *access, uint64_t address, uint64_t bytes);
struct access_part access_permitted_part(const struct access *access, uint64_t address, uint64_t bytes);
void access_note_fault(const struct access *access, struct fault *fault, uint32_t lane, enum fault_kind kind,
                       bool private_space);
void access_add_fault(struct access *access, uint32_t lane, enum fault_kind kind, bool private_space);
bool access_report_faulty(struct access *access, bool stops);
uint8_t *access_flat_byte(const struct wave *wave, uint64_t address);
uint8_t *access_private_byte(const struct wave *wave, uint32_t lane, uint64_t address);
void access_read_private(const struct wave *wave, uint32_t lane, uint64_t address, uint8_t *out,
                         uint64_t bytes);
void access_write_private(const struct wave *wave, uint32_t lane, uint64_t address, const uint8_t *from,
                          uint64_t bytes);
bool access_private_defined(const struct wave *wave, uint32_t lane, uint64_t address, uint64_t bytes);
void access_set_private_defined(const struct wave *wave, uint32_t lane, uint64_t address, uint64_t bytes,
                                bool defined);
struct access_event access_event(const struct access *access);
void access_announce(const struct wave *wave, const struct access_event *event);
void access_announce_part(const struct access *access, const lane_mask *lanes, uint64_t address,
                          uint64_t bytes);

#endif
