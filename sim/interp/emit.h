/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The state of emitting one kernel for one number of lanes, shared by the files that do it: emit.c
 *          has the steps, emit_values.c writes the instructions of a value; emit_operands.c gives operands
 *          the form that their handler expects; emit_slots.c places values in the frame; emit_idle.c finds
 *          values that do not affect their loop; emit_sites.c and emit_levels.c describe the code to the
 *          checker.
 *
 * Everything is in the arena of the compilation, except for the code that emit() returns.
 */
#ifndef ORRERY_INTERP_EMIT_H
#define ORRERY_INTERP_EMIT_H

#include "ir.h"
#include "orrery/checked.h"

enum { SLOT_NONE, SLOT_U, SLOT_A, SLOT_V1, SLOT_V2, SLOT_V4, SLOT_V8, SLOT_MASK, SLOT_CLASSES };

struct live_segment {
    uint32_t start, end, next;
};
struct slot_group {
    uint32_t start, end, first_segment, slot_class, offset;
    bool used;
};

struct emitter {
    uint32_t sought; /* the position in its block at which place_after found a definition last */
    struct ir *ir;
    struct arena *arena;
    uint32_t width;
    struct code_loop *loops;
    struct code_way *ways;
    uint32_t *group_of;        /* value -> group (union-find) */
    struct slot_group *groups; /* for each value */
    LIST(struct live_segment) segments;
    uint32_t *def_position, *block_first, *block_last;
    uint32_t *splat_of, *lanes_of; /* value -> its splat, its to_v */
    LIST(struct insn) insns;
    LIST(uint16_t) ops;
    LIST(uint32_t) words; /* as in struct code; empty without a debugger */
    uint32_t word;        /* of what is emitted now */
    LIST(uint32_t) operands;
    LIST(uint8_t) template; /* frame start */
    uint32_t frame_size;
    struct lane_slots lane_slots[LANE_SLOTS_MOST];
    uint32_t lane_slots_count;
    uint32_t *leaf_offset; /* for each leaf: its frame offset */
    uint32_t args_offset;
    uint32_t scratch[SLOT_CLASSES], lanes_scratch;
    LIST(struct slot_undefined) undefined;
    uint8_t *edge_empty; /* for each block: it is only a jump */
    uint32_t private_size;
    LIST(struct private_object) objects;
    uint32_t *object_of; /* for each private variable: 1 + object */
    bool divergent;
    bool yield; /* the next instruction gets a preemption point before it */
};

static inline struct value *val(struct emitter *e, uint32_t v)
{
    return ir_value(e->ir, v);
}

static inline bool is_v(struct emitter *e, uint32_t v)
{
    return val(e, v)->cls == CLASS_V;
}

static inline uint32_t size_index(enum scalar type)
{
    CHECKED(scalar_bytes(type) && scalar_bytes(type) <= 8);
    return (uint32_t)__builtin_ctz(scalar_bytes(type));
}

/* An instruction, with a preemption point before it where one is due. */
struct insn *emit_put(struct emitter *e, uint32_t op, uint32_t d, uint32_t a, uint32_t b, uint32_t c);
uint32_t emit_push(struct emitter *e, uint32_t operand); /* a word of a list of operands; returns its index */
void emit_value(struct emitter *e, uint32_t v);
/* For each block of ir->order its dominator and its post-dominator. */
struct code_way *emit_ways(struct ir *ir);
/* The loops; also fills the ranks and marks of ir->sites. */
struct code_loop *emit_sites(struct ir *ir, struct code_way *ways);
/* Which loops and blocks a work-group executes together. */
void emit_levels(struct ir *ir, struct code_loop *loops, struct code_way *ways);
/* Has the block a successor outside the loop? */
bool emit_is_exit(struct ir *ir, const struct loop *loop, uint32_t b);
void emit_operands(struct emitter *e);            /* splats, lanes and constant offsets of all instructions */
void emit_private(struct emitter *e);             /* the private variables of a work-item */
void emit_slots(struct emitter *e);               /* all other values; fills the frame's start */
uint32_t emit_loc(struct emitter *e, uint32_t v); /* the value's place in the frame; 0 for NONE */
uint32_t emit_group(struct emitter *e, uint32_t v); /* the group of values that share v's slot */
uint32_t emit_slot_class(const struct value *v);    /* SLOT_... */
uint32_t emit_slot_bytes(const struct emitter *e, uint32_t slot_class);
/* idle_loops; called after all instructions are emitted */
void emit_idle(struct emitter *e, const uint32_t *block_start, struct code *code);

#endif
