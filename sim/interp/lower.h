/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What the lowering files share: the state of walking one kernel's functions.
 *          lower.c walks and handles control; the others get one instruction at a time.
 *
 * leaf[id] is the list of scalar values of a SPIR-V id in the call being walked; the same
 * table serves all calls since OpenCL has no recursion.
 */
#ifndef ORRERY_INTERP_LOWER_H
#define ORRERY_INTERP_LOWER_H

#include "ir.h"
#include "math.h"

/*
 * A note on an address: an index in its chain that may be past its array, of count elements, and the note on
 * the address before it (lower_index.c).
 */
struct indexed {
    uint32_t index, count, pointer;
    const struct type *element;
    uint32_t before;
};
struct index_checked {
    uint32_t address, block;
    enum access_kind access;
};

struct lower {
    struct ir *ir;
    struct module *m;
    struct arena *arena;
    uint32_t block;  /* being filled */
    uint32_t **leaf; /* per id */
    /* per id of what a weak compare-exchange found; NULL: none fails spuriously */
    struct refusal {
        uint32_t comparator, refused;
    } * refused;
    uint32_t *label_block; /* per label id, in the current call */
    uint32_t *label_end;   /* the block that ended the label's code (calls split blocks) */
    uint32_t file, line, column;
    uint32_t word;     /* of the instruction that is being lowered */
    uint32_t scope;    /* of the debug information; 0: of no line of the source */
    uint32_t position; /* of the debug records: where the latest line's was */
    bool line_noted;   /* the debugger's line is marked in this block */
    uint32_t depth;
    struct call_frame *call;
    uint32_t call_number, branches; /* profile.c: of the call, and of the branches in it so far */
    bool line_inherited;            /* profile.c: the line is that of another block, or of the call */
    uint32_t profiled_block;        /* profile.c: in which the latest straight piece is */
    LIST(struct indexed) indexed;
    struct index_checked checked; /* latest */
    const struct choice *choices; /* of orders and scopes that are no constants, in the case being lowered */
};

const uint32_t *lower_get(struct lower *l, uint32_t id);                              /* leaves */
uint32_t lower_scalar(struct lower *l, uint32_t id);                                  /* the only leaf */
void lower_set(struct lower *l, uint32_t id, const uint32_t *leaves, uint32_t count); /* copies */
uint32_t lower_emit(struct lower *l, enum ir_op op, enum scalar type, uint32_t a, uint32_t b, uint32_t c,
                    uint64_t imm);
uint32_t lower_site(struct lower *l, const struct site *site); /* fills the position in */
uint32_t lower_effect(struct lower *l, enum ir_op op, enum scalar type, uint32_t site);
enum scalar lower_type(struct lower *l, uint32_t v); /* what v was made as: only its width counts */
/* of a SPIR-V value: bitcasts share values, so use the id */
enum scalar lower_component(struct lower *l, uint32_t id);
/* of an id that must be constant; low 32 bits */
uint32_t lower_constant_bits(struct lower *l, uint32_t id);
enum storage lower_storage(SpvStorageClass storage);
enum math_type lower_math_type(enum scalar type);
enum memory_scope lower_scope(uint32_t scope);
enum memory_ordering lower_order(uint32_t semantics);
void lower_jump(struct lower *l, uint32_t block); /* ends the block */
/* Ends it, too: to blocks[i] for cases[i - 1], to blocks[0] for all others. The cases stay with the block. */
void lower_switch_to(struct lower *l, uint32_t selector, const uint32_t *blocks, uint64_t *cases,
                     uint32_t count);

/* Per component: op on each leaf of a result of that type. */
/* lower_value.c: arithmetic, conversion, composites */
void lower_value_op(struct lower *l, uint32_t word);
void lower_memory_op(struct lower *l, uint32_t word);  /* lower_memory.c */
void lower_one_atomic(struct lower *l, uint32_t word); /* its order and scope are settled */
void lower_atomic_op(struct lower *l, uint32_t word);  /* lower_orders.c */
/* an OpIEqual, which may compute a weak compare-exchange's success */
uint32_t lower_succeeded(struct lower *l, uint32_t word, uint32_t equal);
typedef void lowering(struct lower *l, uint32_t word);
/*
 * One for each value that the scope and the semantics of a fence or barrier can have; it gets them by the
 * next three.
 */
void lower_ordering(struct lower *l, uint32_t word, uint32_t scope_id, uint32_t semantics_id, lowering *one);
enum memory_scope lower_memory_scope(struct lower *l, uint32_t id);
uint32_t lower_order_bits(struct lower *l, uint32_t semantics_id);
uint32_t lower_flag_bits(struct lower *l, uint32_t semantics_id);
void lower_image_op(struct lower *l, uint32_t word);     /* lower_image.c */
void lower_group_op(struct lower *l, uint32_t word);     /* lower_group.c */
void lower_sub_group_op(struct lower *l, uint32_t word); /* lower_sub_group.c */
/* word k of SubgroupEqMask and its like */
uint32_t lower_sub_group_mask(struct lower *l, uint32_t builtin, uint32_t k);
void lower_pipe_op(struct lower *l, uint32_t word);    /* lower_pipe.c */
void lower_enqueue_op(struct lower *l, uint32_t word); /* lower_enqueue.c */
/* lower_bits.c: bit fields, integer dot products */
void lower_bits(struct lower *l, uint32_t word);
void lower_extended(struct lower *l, uint32_t word); /* opencl_std.c */
uint32_t lower_convert(struct lower *l, uint32_t value, enum number_kind from, enum number_kind to,
                       enum rounding rounding, bool saturate);
uint32_t lower_math(struct lower *l, uint32_t instruction, enum scalar type, enum scalar result, uint32_t a,
                    uint32_t b, uint32_t c);
/* Loads or stores all leaves of a type at address + offset. */
void lower_load(struct lower *l, const struct type *type, uint32_t address, int64_t offset,
                enum storage storage, uint32_t align, uint32_t *out, const char *what);
void lower_store(struct lower *l, const struct type *type, uint32_t address, int64_t offset,
                 enum storage storage, uint32_t align, const uint32_t *values, const char *what);
/* k components of one scalar type, contiguous. */
void lower_load_components(struct lower *l, enum scalar type, uint32_t k, uint32_t address, int64_t offset,
                           enum storage storage, uint32_t align, uint32_t *out, const char *what);
void lower_store_components(struct lower *l, enum scalar type, uint32_t k, uint32_t address, int64_t offset,
                            enum storage storage, uint32_t align, const uint32_t *values, const char *what);
/* components.c: accesses to some components of a vector, in modules that the front end made. */
uint32_t lower_function_id(const struct lower *l); /* of the function that is lowered */
uint32_t lower_call_number(const struct lower *l); /* of struct code's calls: the one that is lowered */
/* debug.c: lines and variables for a debugger. */
void debug_instruction(struct lower *l, uint32_t word);   /* before it is lowered */
void debug_line(struct lower *l, const uint32_t *w);      /* the words of the OpLine that stands now */
void debug_variables(struct lower *l, uint32_t function); /* of the call that has been lowered */
void debug_returned(struct lower *l);                     /* a call has returned to its line */
struct place {
    const struct type *type;
    uint32_t address;
    enum storage storage;
    uint32_t align;
};
void components_note_load(struct lower *l, uint32_t id); /* what OpLoad gave: it is lowered */
/* false: it stores all */
bool components_store(struct lower *l, const struct place *to, uint32_t pointer, uint32_t object);
/* NONE: it loads all */
uint32_t components_load_dynamic(struct lower *l, uint32_t vector_id, uint32_t index);
/* lower_index.c: indices past arrays inside variables. */
struct index_step {
    uint32_t index, pointer;
    const struct type *array;
};
/* pointer: id that the array's address derives from */
bool index_may_pass(struct lower *l, uint32_t pointer, const struct type *array, uint32_t index);
/* address was made from base, by step or NULL */
void index_note(struct lower *l, uint32_t base, uint32_t address, const struct index_step *step);
/* profile.c: before each is lowered; before the terminator; once the function's frame is the current one */
void profile_instruction(struct lower *l, uint32_t word);
void profile_branch(struct lower *l, uint32_t cond);
void profile_switch(struct lower *l, uint32_t selector, const uint64_t *cases, uint32_t count);
void profile_function(struct lower *l, const char *name);
void index_check(struct lower *l, uint32_t address, uint32_t site); /* before the access of site */
void index_check_component(struct lower *l, uint32_t vector, uint32_t index, enum access_kind access);
struct elements lower_elements(const struct type *type); /* of an array of scalars */
enum number_type lower_number_type(enum scalar type);
/* its address */
uint32_t lower_new_private(struct lower *l, uint64_t size, uint32_t align, const char *name);
/* of what it points to; its address */
uint32_t lower_private_copy(struct lower *l, uint32_t pointer_id, const char *name);
struct type *lower_pointee(struct lower *l, uint32_t pointer_id);

#endif
