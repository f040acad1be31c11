/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  One kernel between SPIR-V and bytecode: a control-flow graph of blocks whose
 *          instructions are scalar SSA values. Calls are inlined (OpenCL has no
 *          recursion), composites are lists of scalars.
 *
 * Flow     lower.c builds it; promote.c turns private variables into values; simplify.c folds, numbers,
 *          hoists, if-converts; cfg.c has dominators and loops; diverge.c classes every value uniform, affine
 *          or varying; emit.c assigns slots and writes bytecode.
 *
 * Value    an index into ir->values; NONE (0) is no value. Types are scalar; f32 and i32
 *          share bits, so a bitcast is the same value.
 */
#ifndef ORRERY_INTERP_IR_H
#define ORRERY_INTERP_IR_H

#include "module.h"
#include "orrery/limits.h"
#include "orrery/profile.h"

enum ir_op {
#define IR(name, family) IR_##name,
#include "ir.def"
#undef IR
    IR_OP_COUNT
};
enum ir_family {
    FAMILY_INT2,
    FAMILY_INT1,
    FAMILY_FLT2,
    FAMILY_FLT1,
    FAMILY_FLT3,
    FAMILY_ICMP,
    FAMILY_FCMP,
    FAMILY_FTEST,
    FAMILY_BOOL2,
    FAMILY_BOOL1,
    FAMILY_LEAF,
    FAMILY_PURE,
    FAMILY_EFFECT
};
extern const uint8_t ir_families[IR_OP_COUNT];
extern const char *const ir_names[IR_OP_COUNT];

enum { NONE = 0 };
/* In imm of the poison operations: the high half is the source of the value read, or the list of origins of
 * the value used. */
enum { POISON_FROM_SHIFT = 32 };
enum value_class { CLASS_U, CLASS_A, CLASS_V };

struct value {
    uint8_t op, type, cls; /* enum ir_op, scalar, value_class */
    uint8_t size_log2;     /* memory operations: bytes of one component */
    uint8_t storage;       /* memory operations: enum storage */
    bool dead, masked;     /* masked: this phi's copies are per active lane */
    bool by_components, base_of_components,
        /* components.c: a load of a vector; the load with which a store to components begins; the choice
         * of a dynamic insert */
        insertion;
    uint8_t components; /* loads */
    uint32_t block;
    uint32_t word; /* of the SPIR-V instruction that it was lowered from; 0: of none, or no debugger */
    uint32_t args[3];
    uint32_t *list;
    uint32_t list_count;
    uint64_t imm;
    int64_t offset; /* index, load, store */
    uint32_t site;
    uint32_t object; /* memory on private: 1 + private variable the address was made from */
};

enum terminator { TERM_NONE, TERM_JUMP, TERM_BRANCH, TERM_SWITCH, TERM_RETURN, TERM_UNREACHABLE };

struct block {
    LIST(uint32_t) insts; /* phis first */
    enum terminator term;
    uint32_t cond; /* value */
    uint32_t *succs;
    uint32_t succ_count; /* BRANCH: true, false. SWITCH: default, cases */
    uint64_t *cases;     /* SWITCH: succ_count - 1 values */
    uint32_t preds_room, pred_count;
    uint32_t *preds;
    uint32_t site;        /* of the terminator */
    uint32_t word;        /* of the terminator, as in struct value */
    uint32_t work;        /* cost.c: simulated time of its instructions for one lane */
    bool reachable, edge; /* edge: made by splitting an edge; runs at once */
    bool many_ways_back;  /* of a loop's header: before cfg_canonical the loop had several latches */
    /* cfg.c */
    uint32_t order; /* position in ir->order */
    uint32_t idom, ipdom, dom_depth;
    uint32_t loop; /* 1 + innermost loop, 0 none */
    LIST(uint32_t) dom_children;
    LIST(uint32_t) frontier;
};

struct loop {
    uint32_t header, latch;
    uint32_t parent, depth; /* 1 + loop, 0 none */
    bool divergent;
    uint8_t *members; /* for each block */
    LIST(uint32_t) blocks;
};

struct private_variable {
    uint64_t size;
    uint32_t align;
    const char *name;
    bool live;
    uint32_t offset;
    bool declared; /* in the module, not by lowering */
    struct elements elements;
};

/* A DebugDeclare in a call: the variable's address, and its DebugLocalVariable. Or a variable that
 * DebugValues give its values: the address is that of the debugger's copy. */
struct declared {
    uint32_t address, variable, call;
    uint32_t before; /* 1 + index of the copy of the same variable in an earlier call; 0: none */
    bool copied;
};

/* A call that the producer of the module inlined, in one of our own. It gets its number after those of all
 * calls that the module has, so until debug_lowered() a number is INLINED_CALL + its index. */
struct inlined_call {
    uint32_t site, within; /* the id of the DebugInlinedAt, and the module's call that contains it */
    uint32_t function;     /* the id of the DebugFunction */
    uint32_t caller, line, scope;
    uint32_t before; /* as in struct declared */
};
enum { INLINED_CALL = 1 << 30 };

struct ir {
    struct module *module;
    struct arena *arena;
    struct entry_point *entry;
    struct {
        struct value **chunks;
        uint32_t count, room;
    } values; /* in chunks: a value never moves */
    LIST(struct block) blocks;
    LIST(struct loop) loops;
    LIST(struct private_variable) private_variables;
    LIST(struct local_object) locals;
    LIST(uint32_t) local_ids; /* SPIR-V variable of each declared local object */
    LIST(struct site) sites;
    LIST(struct code_call) calls;
    LIST(const char *) strings;
    LIST(uint32_t) words; /* printf descriptors */
    uint32_t entry_block;
    uint32_t args_size;
    uint32_t file;           /* index of the string with the file of the kernel's first line; 0: not known */
    uint32_t named_barriers; /* number so far */
    uint32_t *arg_offsets;
    uint32_t *order;
    uint32_t order_count;        /* reachable blocks, loops contiguous */
    bool irreducible;            /* some loop has two entries: found by cfg_build */
    bool irreducible_as_lowered; /* before optimisation */
    bool preempt;
    bool waits;    /* some loop may wait for another work-group */
    bool spurious; /* weak compare-exchanges may fail spuriously */
    /* the module has variables that any optimiser promotes, so its loops are those of the source */
    bool as_written;
    bool debug;               /* lines and variables are recorded */
    const struct code *plain; /* for code with debug or profile: the code without them */
    uint32_t word;            /* with debug: of the SPIR-V instruction that is being lowered; 0: none */
    bool profile;             /* instructions are counted: profile.c */
    uint32_t profile_pieces;
    LIST(struct profile_row) profile_rows;
    LIST(struct profile_way) profile_ways;
    LIST(struct profile_function) profile_functions;
    LIST(struct code_line) lines;
    LIST(struct declared) declared;
    LIST(struct inlined_call) inlined;
    uint32_t *latest; /* id of a debug record -> 1 + index of the latest in `inlined`, or in `declared` */
    LIST(uint32_t) call_scopes;                /* of each call: the scope of the place that calls */
    LIST(struct poison_source) poison_sources; /* as in struct code */
    LIST(uint32_t) poison_lists;
    LIST(const char *) functions; /* the name of the function of each call */
    uint32_t *scope_index;        /* id -> index in scopes, 0: none yet */
    LIST(struct debug_scope) scopes;
    bool zero_private; /* variables begin as zeros, not undefined */
    bool pointers_as_numbers;
    uint32_t zero[16]; /* cached zero constants, one for each type */
};

enum { VALUE_CHUNK = HOSTILE(1024, 4) };
static inline struct value *ir_value(struct ir *ir, uint32_t v)
{
    return &ir->values.chunks[v / VALUE_CHUNK][v % VALUE_CHUNK];
}
/* Does the value read companion bits of memory that say what is uninitialised? */
static inline bool ir_loads_poison(const struct value *value)
{
    return value->op == IR_poison_load || value->op == IR_poison_bits;
}

static inline struct block *ir_block(struct ir *ir, uint32_t b)
{
    return &ir->blocks.at[b];
}

uint32_t ir_new_block(struct ir *ir);
/* Makes a value that is in no block yet. */
uint32_t ir_new_value(struct ir *ir, enum ir_op op, enum scalar type);
void ir_append(struct ir *ir, uint32_t block, uint32_t value);
uint32_t ir_const(struct ir *ir, enum scalar type, uint64_t bits);
bool ir_is_const(struct ir *ir, uint32_t v, uint64_t *out_bits);
/* Folded where possible, else appended to block. */
uint32_t ir_pure(struct ir *ir, uint32_t block, enum ir_op op, enum scalar type, uint32_t a, uint32_t b,
                 uint32_t c, uint64_t imm);
/* base + index * scale + offset; index may be NONE. */
uint32_t ir_index(struct ir *ir, uint32_t block, uint32_t base, uint32_t index, uint64_t scale,
                  int64_t offset);
/* A simpler value that equals v, or v itself; used while building and while numbering. */
uint32_t ir_fold(struct ir *ir, uint32_t v);
void ir_add_pred(struct ir *ir, uint32_t block, uint32_t pred);
uint32_t ir_string(struct ir *ir, const char *text);
/* Calls f for every operand slot of v (args and list). */
#define IR_OPERANDS(ir, v, slot) \
    for (uint32_t _k = 0, *slot; (slot = ir_operand_slot((ir), (v), _k)) != NULL; _k++)
uint32_t *ir_operand_slot(struct ir *ir, uint32_t v, uint32_t k);
/* Prints the blocks and values; for a developer, from a debugger: call ir_dump(ir, stderr). */
void ir_dump(struct ir *ir, FILE *stream);
/* Replaces uses by the map (chains followed), in instructions and conditions. */
void ir_rewrite(struct ir *ir, const uint32_t *map);
uint32_t ir_resolve(const uint32_t *map, uint32_t v);

/* The passes, in order. */
/* lower.c */
struct ir *lower_kernel(struct module *module, struct entry_point *entry, const struct code_request *request);
void cfg_build(struct ir *ir);                             /* reachability, preds, order, dominators, loops */
bool cfg_dominates(struct ir *ir, uint32_t a, uint32_t b); /* each path to b passes through a */
void cfg_canonical(struct ir *ir); /* one latch, a preheader and dedicated exits per loop */
/* gives values that are used outside their loop a phi at its exit */
void cfg_loop_closed(struct ir *ir);
bool cfg_check_loop_closed(struct ir *ir); /* whether cfg_loop_closed holds */
void cfg_split_edges(struct ir *ir);       /* no critical edge into a block with phis */
uint32_t cfg_phi_at(struct ir *ir, uint32_t block, enum scalar type); /* a new phi without operands */
/* components.c: narrows loads of vectors to the components that are used */
void components_narrow(struct ir *ir);
void promote_variables(struct ir *ir);
void simplify(struct ir *ir); /* fold, number, dead code */
void simplify_hoist_invariants(struct ir *ir);
void simplify_if_convert(struct ir *ir);
void poison_track(struct ir *ir);        /* poison.c: uninitialised values */
void poison_drop_forgets(struct ir *ir); /* poison.c: variables that begin anew keep their values */
void poison_mark_stores(struct ir *ir);  /* poison.c: stored bytes count as initialised, and nothing else */
void simplify_remove_dead(struct ir *ir);
void simplify_fuse(struct ir *ir); /* multiply-add with two roundings */
/* loop_iterations.c: iteration numbers as operands of barriers and group functions */
void loop_iterations_number(struct ir *ir);
void diverge_classify(struct ir *ir); /* diverge.c */
/* diverge.c: for each block, whether the work-items of a work-group may execute it different numbers of
 * times */
const uint8_t *diverge_find_parted(struct ir *ir);
void updates_mark(struct ir *ir); /* updates.c: sets `update` and `takes` of each site */
/* written.c, as in struct code */
const bool *written_arguments(struct ir *ir, struct arena *keep, bool *out_elsewhere);
void written_find_origins(struct ir *ir); /* written.c: sets `argument` of each site */
/* written.c: 1 + the one private variable that the address derives from on every path; 0: not known */
uint32_t written_private_origin(struct ir *ir, uint32_t address);
const struct profile_code *profile_describe(struct ir *ir); /* profile.c */
/* debug_info.c: call after variables have their places */
const struct code_debug *debug_describe(struct ir *ir);
const struct code *emit(struct ir *ir, uint32_t width); /* emit.c */

#endif
