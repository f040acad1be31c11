/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What poison.c, poison_bits.c and poison_origins.c share while they instrument a kernel: its
 *          companions.
 *
 * Interface
 *   poison_add             an operation at the end of the block that is being rewritten
 *   poison_companion       the bool of a value
 *   poison_bits_find       which values need a companion for each bit
 *   poison_bits_compute    the bits of a value, and its bool from them
 *   poison_bits_whole      whether all its bits are uninitialised
 *   poison_bits_of_store   the bits that a store of one value leaves
 *   poison_source_new      a source of uninitialised values
 *   poison_attach_origins  gives each report the list of its value's possible origins
 */
#ifndef ORRERY_INTERP_POISON_H
#define ORRERY_INTERP_POISON_H

#include "ir.h"

/* The values whose origins an operation reports: count values from operands[first] on. */
struct poison_question {
    uint32_t operation, first, count;
};

struct poisoning {
    struct ir *ir;
    uint32_t values;    /* of the kernel itself: none of the added ones has a companion */
    uint32_t *of;       /* value -> its companion, NONE = always initialised */
    uint32_t *bits;     /* value -> an integer of its size whose ones are its uninitialised bits */
    uint32_t *from;     /* value that is read -> the operation with its source */
    uint8_t *wanted;    /* values that have bits */
    uint32_t yes;       /* constant true */
    uint32_t block;     /* being rewritten */
    LIST(uint32_t) out; /* its instructions */
    uint32_t copy;      /* of the last store, as struct site's */
    uint32_t copied;    /* all that it copies is uninitialised */
    bool tracks;        /* reports are wanted, and origins of values */
    LIST(struct poison_question) questions;
    LIST(uint32_t) operands; /* their values */
};

uint32_t poison_add(struct poisoning *p, enum ir_op op, enum scalar type, const uint32_t args[3]);
uint32_t poison_companion(struct poisoning *p, uint32_t v);

/* may[v]: some operand of v may be uninitialised, or v is read. */
void poison_bits_find(struct poisoning *p, const uint8_t *may);
enum scalar poison_bits_type(struct ir *ir, uint32_t v);
/* Of an operand; NONE: all of it is initialised. Not for a phi. */
uint32_t poison_bits_of(struct poisoning *p, uint32_t v);
/* False: v has no bits of its own, or is read: its bool comes first. */
bool poison_bits_compute(struct poisoning *p, uint32_t v);
/* The bool of v, from its bits. */
void poison_bits_to_bool(struct poisoning *p, uint32_t v);
/* The bits of a value whose bool is known already. */
void poison_bits_from_bool(struct poisoning *p, uint32_t v);
/* A bool: all its bits are uninitialised, as far as it has bits. */
uint32_t poison_bits_whole(struct poisoning *p, uint32_t v);
/* For a store of one value that has bits: those that it leaves in memory, and whether it is reported. */
uint32_t poison_bits_of_store(struct poisoning *p, uint32_t store, uint32_t *out_reported);

/* The index in the kernel's poison_sources. */
uint32_t poison_source_new(struct poisoning *p, const struct poison_source *source);
/* Called when every value has its companion, since operands of a phi may come later in the order. */
void poison_attach_origins(struct poisoning *p, uint32_t values);

#endif
