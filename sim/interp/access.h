/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Memory accesses lane by lane: the cases that the handlers' fast paths leave, namely lanes at
 *          fault, several regions, a memory port, unaligned private words.
 *
 * Interface
 *   access_load, access_store    a whole instruction; true: lanes were stopped
 *   access_atomic                the same for atomics
 *   access_copy, access_async    copies of run-time size
 *   access_same                  their arguments differ among the work-items, and must not
 *   access_copy_begin, _in, _out, _end   packets of a pipe; access_fetch, _hand: memory that is not the
 *                                        device's
 *   access_announce_*            announce a flat access before it happens; an atomic afterwards
 *   access_poison, _poison_bits, _mark         validity of the bytes an instruction touches
 */
#ifndef ORRERY_INTERP_ACCESS_H
#define ORRERY_INTERP_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "bytecode.h"
#include "wave.h"

/* as poison_ld numbers them */
enum access_form { FORM_U, FORM_A, FORM_V, FORM_PRIVATE_U, FORM_PRIVATE_V, FORM_GENERIC };

bool access_load(const struct insn *insn, uint8_t *frame, struct wave *wave, enum access_form form,
                 uint32_t component_bytes);
bool access_store(const struct insn *insn, uint8_t *frame, struct wave *wave, enum access_form form,
                  uint32_t component_bytes);
/* GENERIC or U */
bool access_atomic(const struct insn *insn, uint8_t *frame, struct wave *wave, enum access_form form,
                   uint32_t bytes);
bool access_copy(const struct insn *insn, uint8_t *frame, struct wave *wave);
bool access_async(const struct insn *insn, uint8_t *frame, struct wave *wave);
void access_same(const struct insn *insn, const uint8_t *frame, struct wave *wave);

/* Packets of a pipe: begin, then lane by lane in (the user's bytes into the pipe) or out of it, then end. */
struct access_copy {
    _Alignas(16) unsigned char state[2600];
};
void access_copy_begin(struct access_copy *copy, struct wave *wave, uint32_t site);
void access_copy_in(struct access_copy *copy, uint32_t lane, uint64_t source, uint64_t packet,
                    uint64_t bytes);
void access_copy_out(struct access_copy *copy, uint32_t lane, uint64_t packet, uint64_t target,
                     uint64_t bytes);
void access_fetch(struct access_copy *copy, uint32_t lane, uint64_t source, void *target, uint64_t bytes);
void access_hand(struct access_copy *copy, uint32_t lane, const void *source, uint64_t target,
                 uint64_t bytes);
bool access_copy_end(struct access_copy *copy); /* true: lanes were stopped */

/* A load or store: with the instruction's offset, but for the uniform one. */
void access_announce_uniform(struct wave *wave, const struct insn *insn, uint64_t address);
void access_announce_affine(struct wave *wave, const struct insn *insn, const struct affine *address);
void access_announce_list(struct wave *wave, const struct insn *insn, const uint64_t *addresses);
/* Texels: the lanes that took part and where; nothing when there are none. */
void access_announce_image(const struct wave *wave, uint32_t site, const uint64_t *addresses, uint32_t bytes,
                           const lane_mask *lanes);
/* of the active lanes, in even rows */
void access_announce_texels(struct wave *wave, uint32_t site, const struct affine *address, uint32_t bytes);

/* Atomics that have happened, of one address each or of one for all; failed: a mask of compare-exchanges that
 * found another value; NULL: none. */
void access_announce_atomics(struct wave *wave, const struct insn *insn, const uint64_t *addresses,
                             const uint64_t *failed);
void access_announce_atomic(struct wave *wave, const struct insn *insn, uint64_t address,
                            const uint64_t *failed);

static inline bool access_observed(const struct wave *wave)
{
    return wave->observer && wave->observer->access;
}
static inline bool access_flat(const struct wave *wave)
{
    return !wave->memory->port.load;
}

/* Reports active lanes whose index, from the form's operand a, is not below f. */
void access_check_index(const struct insn *insn, const uint8_t *frame, struct wave *wave,
                        enum access_form form);
/* Of the private bytes of OP_forget, those in words that are not all of them, for the active lanes. */
void access_forget_edges(const struct insn *insn, const struct wave *wave);
/* out_poison: a lane mask for V forms, a byte for poison_ld_u. */
/* what an atomic's lanes will find, and leave */
void access_poison_atomic(const struct insn *insn, uint8_t *frame, struct wave *wave);
void access_poison(const struct insn *insn, uint8_t *frame, const struct wave *wave, bool uniform);
/* out: an integer of the access's bytes for each lane, or one for poison_bits_u */
void access_poison_bits(const struct insn *insn, uint8_t *frame, const struct wave *wave, bool uniform);
void access_mark(const struct insn *insn, uint8_t *frame, struct wave *wave);

#endif
