/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The state of lowering one kernel, shared by the lowering files: lower.c goes through functions
 * and
 *          handles control flow; the others lower one instruction at a time.
 *
 * leaf[id] is the list of scalar values of a SPIR-V id in the call that is being lowered; the same table
 * serves all calls since OpenCL has no recursion.
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
    uint32_t block;  /* the block to which instructions are appended */
    uint32_t **leaf; /* for each id */
    /* for each id that is the result of a weak compare-exchange; NULL: none fails spuriously */
    struct refusal {
        uint32_t comparator, refused;
    } * refused;
    uint32_t *label_block; /* for each label id, in the current call */
    uint32_t *label_end;   /* the block that ended the label's code (calls split blocks) */
    uint32_t file, line, column;
    uint32_t word;     /* of the instruction that is being lowered */
    uint32_t scope;    /* debug information: the current scope; 0: the instruction is of no source line */
    uint32_t inlined;  /* debug information: 1 + index of the current inlined call; 0: none */
    bool left;         /* debug information: an inlined call was left for its caller */
    uint32_t position; /* debug records: the position of the latest line */
    bool line_noted;   /* the debugger's line is marked in this block */
    uint32_t depth;
    struct call_frame *call;
    uint32_t call_number, branches; /* profile.c: number of the current call, and of branches in it so far */
    bool line_inherited;            /* profile.c: the line is inherited from another block or from the call */
    uint32_t profiled_block;        /* profile.c: the block of the latest straight-line piece */
    LIST(struct indexed) indexed;
    struct index_checked checked; /* the latest index check */
    const struct operand_choice
        /* the values chosen for orders and scopes that are not constants, in the case that is being
         * lowered */
        *choices;
};

/* the leaves of an id */
const uint32_t *lower_get(struct lower *l, uint32_t id);
/* the leaf of an id that has one */
uint32_t lower_scalar(struct lower *l, uint32_t id);
/* sets the leaves of an id; they are copied */
void lower_set(struct lower *l, uint32_t id, const uint32_t *leaves, uint32_t count);
uint32_t lower_emit(struct lower *l, enum ir_op op, enum scalar type, uint32_t a, uint32_t b, uint32_t c,
                    uint64_t imm);
uint32_t lower_site(struct lower *l, const struct site *site); /* adds a site; its place is filled in */
uint32_t lower_effect(struct lower *l, enum ir_op op, enum scalar type, uint32_t site);
/* the type with which v was made: only its width is meaningful */
enum scalar lower_type(struct lower *l, uint32_t v);
/* the type of a component of a SPIR-V value; takes the id since bitcasts share values */
enum scalar lower_component(struct lower *l, uint32_t id);
/* the low 32 bits of an id that must be constant */
uint32_t lower_constant_bits(struct lower *l, uint32_t id);
enum storage lower_storage(SpvStorageClass storage);
enum math_type lower_math_type(enum scalar type);
enum memory_scope lower_scope(uint32_t scope);
enum memory_ordering lower_order(uint32_t semantics);
void lower_jump(struct lower *l, uint32_t block); /* ends the block with a jump */
/* Ends the block with a switch: to blocks[i] for cases[i - 1], to blocks[0] for all other values. The cases
 * must live as long as the block. */
void lower_switch_to(struct lower *l, uint32_t selector, const uint32_t *blocks, uint64_t *cases,
                     uint32_t count);

/* Applies op to each leaf of a result of that type. */
/* lower_value.c: arithmetic, conversion, composites */
void lower_value_op(struct lower *l, uint32_t word);
void lower_memory_op(struct lower *l, uint32_t word);  /* lower_memory.c */
void lower_one_atomic(struct lower *l, uint32_t word); /* an atomic whose order and scope are constants */
void lower_atomic_op(struct lower *l, uint32_t word);  /* lower_orders.c */
/* an OpIEqual, which may compute the success of a weak compare-exchange */
uint32_t lower_succeeded(struct lower *l, uint32_t word, uint32_t equal);
typedef void lowering(struct lower *l, uint32_t word);
/*
 * Lowers one case for each value that the scope and the semantics of a fence or barrier can have; the next
 * three functions return the values of the current case.
 */
void lower_ordering(struct lower *l, uint32_t word, uint32_t scope_id, uint32_t semantics_id, lowering *one);
enum memory_scope lower_memory_scope(struct lower *l, uint32_t id);
uint32_t lower_order_bits(struct lower *l, uint32_t semantics_id);
uint32_t lower_flag_bits(struct lower *l, uint32_t semantics_id);
void lower_image_op(struct lower *l, uint32_t word);     /* lower_image.c */
void lower_group_op(struct lower *l, uint32_t word);     /* lower_group.c */
void lower_sub_group_op(struct lower *l, uint32_t word); /* lower_sub_group.c */
/* word k of SubgroupEqMask and similar built-ins */
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
/* The alignment that an access of so many bytes at this offset in an aligned value may demand. */
uint32_t lower_part_align(uint32_t align, uint64_t offset, uint32_t bytes);
void lower_store_components(struct lower *l, enum scalar type, uint32_t k, uint32_t address, int64_t offset,
                            enum storage storage, uint32_t align, const uint32_t *values, const char *what);
/* components.c: accesses to some components of a vector, in modules that the front end made. */
/* The place of the instructions that follow; string: the id of the OpString with the name of the file. */
void lower_forget(struct lower *l, uint32_t pointer);
void lower_line(struct lower *l, uint32_t string, uint32_t line, uint32_t column);
void lower_no_line(struct lower *l);
uint32_t lower_function_id(const struct lower *l); /* the function that is being lowered */
/* index into struct code's calls of the call that is being lowered */
uint32_t lower_call_number(const struct lower *l);
/* debug_info.c: lines and variables for a debugger. */
void debug_called(struct lower *l);                     /* call before the call's instructions are lowered */
void debug_lowered(struct ir *ir);                      /* call when all instructions are lowered */
void debug_instruction(struct lower *l, uint32_t word); /* call before the instruction is lowered */
void debug_extended(struct lower *l, uint32_t word);    /* a debug record in a function */
void debug_line(struct lower *l, const uint32_t *w);    /* w: the words of the current OpLine */
void debug_variables(struct lower *l, uint32_t function); /* of the call that has just been lowered */
void debug_returned(struct lower *l);                     /* a call has returned to its line */
struct memory_place {
    const struct type *type;
    uint32_t address;
    enum storage storage;
    uint32_t align;
};
void components_note_load(struct lower *l, uint32_t id); /* call after an OpLoad is lowered */
/* false: the store writes all components */
bool components_store(struct lower *l, const struct memory_place *to, uint32_t pointer, uint32_t object);
/* NONE: all components are loaded */
uint32_t components_load_dynamic(struct lower *l, uint32_t vector_id, uint32_t index);
/* lower_index.c: indices past arrays inside variables. */
struct index_step {
    uint32_t index, pointer;
    const struct type *array;
};
/* pointer: the id from which the array's address derives */
bool index_may_pass(struct lower *l, uint32_t pointer, const struct type *array, uint32_t index);
/* the address was made from base, by step or NULL */
void index_note(struct lower *l, uint32_t base, uint32_t address, const struct index_step *step);
/* profile.c: call before each instruction; before the terminator; after the function's frame is the current
 * one */
void profile_instruction(struct lower *l, uint32_t word);
void profile_branch(struct lower *l, uint32_t cond);
void profile_switch(struct lower *l, uint32_t selector, const uint64_t *cases, uint32_t count);
void profile_function(struct lower *l, const char *name);
void index_check(struct lower *l, uint32_t address, uint32_t site); /* call before the access of the site */
void index_check_component(struct lower *l, uint32_t vector, uint32_t index, enum access_kind access);
struct elements lower_elements(const struct type *type); /* for an array of scalars */
enum number_type lower_number_type(enum scalar type);
/* returns its address */
uint32_t lower_new_private(struct lower *l, uint64_t size, uint32_t align, const char *name);
/* copies what the argument points to; returns the copy's address */
uint32_t lower_private_copy(struct lower *l, uint32_t pointer_id, uint32_t parameter);
struct type *lower_pointee(struct lower *l, uint32_t pointer_id);

#endif
