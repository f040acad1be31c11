/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The bytecode: what lowering writes and the handlers execute.
 *
 * A frame is one block of bytes per wave. Operands are byte offsets into it:
 *   U  uniform: an 8-byte-aligned cell (arguments: naturally aligned); the value is
 *      in the low bytes, little-endian, the rest undefined. bool: uint8_t 0 or 1.
 *   V  varying: one element per lane, contiguous, in the value's own width; 64-byte
 *      aligned. bool: LANE_MASK_WORDS uint64_t, bit = lane.
 *   A  affine: struct affine below, an integer or address that is usually
 *      base + step_x * (lane % row) + step_y * (lane / row).
 *
 * Compute all lanes: a handler writes every lane below wave->n (a multiple of 16),
 * active or not, unless op.def says "active lanes". Lowering guarantees that nothing
 * live is overwritten. So arithmetic on any bits must be harmless: no traps.
 *
 * Who owns what: struct code owns all its arrays, from one arena.
 */
#ifndef ORRERY_SIM_INTERP_BYTECODE_H
#define ORRERY_SIM_INTERP_BYTECODE_H

#include <stdbool.h>
#include <stdint.h>

#include "orrery/observer.h"
#include "orrery/profile.h"

struct wave;
struct insn;

/* Returns the next instruction in the looping build; tail-calls it in the threaded
 * build and returns NULL when the wave stops (see NEXT in lanes.h). */
typedef const struct insn *exec_fn(const struct insn *insn, uint8_t *frame, struct wave *wave);

/*
 * gcc makes a jump of such a call where it optimises; clang does so at -O1 with the attribute, if both
 * functions have the same parameters.
 */
#ifdef __has_attribute
#if __has_attribute(musttail)
#define TAIL_CALL_BY_ATTRIBUTE 1
#endif
#endif
#ifdef TAIL_CALL_BY_ATTRIBUTE
#define TAIL_CALL __attribute__((musttail)) return
#else
#define TAIL_CALL return
#endif

struct insn {
    exec_fn *exec;
    uint32_t d, a, b, c; /* operands; d is the result */
    uint32_t e, f;       /* immediates, site index: as in op.def */
};

struct affine {
    int64_t base, step_x, step_y; /* exact modulo 2^bits; kept sign-extended from bits */
    uint32_t general;             /* 1: not affine, the lanes are in the V slot below */
    /* frame offset of this value's own V slot; set in the template, never changes */
    uint32_t slot;
};

/* Entries in the list of a wait for asynchronous copies. */
#define WAVE_EVERY_EVENT UINT64_MAX
#define WAVE_NO_EVENT (UINT64_MAX - 1) /* past the end of the list */

enum { AFFINE_STRIDE = 40 }; /* bytes between neighbouring A inputs */

/* Kinds of numbers of OP_convert. */
enum number_kind {
    NUMBER_S8,
    NUMBER_U8,
    NUMBER_S16,
    NUMBER_U16,
    NUMBER_S32,
    NUMBER_U32,
    NUMBER_S64,
    NUMBER_U64,
    NUMBER_F16,
    NUMBER_F32,
    NUMBER_F64
};
/* default: to nearest even; toward zero for float to integer */
enum rounding { ROUND_DEFAULT, ROUND_RTE, ROUND_RTZ, ROUND_RTP, ROUND_RTN };

/* The functions of OP_collective, in the low bits of f. */
enum collective_op {
    COLLECTIVE_ALL,
    COLLECTIVE_ANY,
    COLLECTIVE_BROADCAST,
    COLLECTIVE_REDUCE_ADD,
    COLLECTIVE_REDUCE_MIN,
    COLLECTIVE_REDUCE_MAX, /* signedness: */
    /* COLLECTIVE_UNSIGNED, inclusive: */
    COLLECTIVE_SCAN_ADD,
    COLLECTIVE_SCAN_MIN,
    COLLECTIVE_SCAN_MAX,
    COLLECTIVE_REDUCE_MUL,
    COLLECTIVE_REDUCE_AND,
    COLLECTIVE_REDUCE_OR,
    COLLECTIVE_REDUCE_XOR,
    COLLECTIVE_SCAN_MUL,
    COLLECTIVE_SCAN_AND,
    COLLECTIVE_SCAN_OR,
    COLLECTIVE_SCAN_XOR,
    COLLECTIVE_SHUFFLE, /* each lane gets the value of the lane of its sub-group that its id names */
    COLLECTIVE_FIRST,   /* the value of the lowest active lane */
    COLLECTIVE_BALLOT_LOW,
    COLLECTIVE_BALLOT_HIGH, /* a bit for each lane of the sub-group: lanes from 0, lanes from 64 */
    COLLECTIVE_UNSIGNED = 64,
    COLLECTIVE_EXCLUSIVE = 128
};
/* The other bits of f. NON_UNIFORM: lanes at other places do not take part, which is no finding. CLUSTER: 1
 * + log2 of the number of lanes that are reduced together; 0: all. IDS: the number of operands after the
 * value; 0: as many as the range has dimensions. SAME: these must be equal in all lanes. TRACKED: the
 * uninitialised bits of the result come before it, and those of the value after all operands. */
enum {
    COLLECTIVE_OP_MASK = 63,
    COLLECTIVE_SCOPE_SHIFT = 8,
    COLLECTIVE_NON_UNIFORM = 1 << 11,
    COLLECTIVE_CLUSTER_SHIFT = 12,
    COLLECTIVE_TYPE_SHIFT = 16,
    COLLECTIVE_IDS_SHIFT = 24,
    COLLECTIVE_TRACKED = 1 << 29,
    COLLECTIVE_SAME = 1 << 30
};
static inline uint32_t collective_ids(uint32_t f)
{
    return f >> COLLECTIVE_IDS_SHIFT & 15;
}
static inline enum memory_scope collective_scope(uint32_t f)
{
    return (enum memory_scope)(f >> COLLECTIVE_SCOPE_SHIFT & 7);
}
/* The scan that corresponds to a reduction. */
static inline uint32_t collective_scan(uint32_t how, bool scan, bool exclusive)
{
    uint32_t distance = (how & COLLECTIVE_OP_MASK) >= COLLECTIVE_REDUCE_MUL
                            ? COLLECTIVE_SCAN_MUL - COLLECTIVE_REDUCE_MUL
                            : COLLECTIVE_SCAN_ADD - COLLECTIVE_REDUCE_ADD;
    return scan ? how + distance + (exclusive ? COLLECTIVE_EXCLUSIVE : 0u) : how;
}

enum op {
#define OP(name, text) OP_##name,
#include "op.def"
#undef OP
    OP_COUNT
};
extern const char *const op_names[OP_COUNT];
/* The handlers of the best build for this CPU; isa 0 baseline, 1 AVX2, 2 AVX-512 (NULL if absent). */
exec_fn *const *op_table(void);
exec_fn *const *op_table_isa(int isa);

/* Of OP_poison_st, for uninitialised values stored to global memory: all are reported; only those of the
 * lanes of d, whose bytes count as initialised from then on; the same bytes, but another operation of the
 * store reports; as POISON_REPORTS and POISON_REPORTED, of a value whose uninitialised bits are ones in c. */
enum poison_report { POISON_REPORTS_ALL, POISON_REPORTS, POISON_REPORTED, POISON_BITS, POISON_BITS_REPORTED };

/* Bit of f of OP_poison_atomic: d has the uninitialised bits of what each lane finds, instead of a bool. */
enum { POISON_FINDS_BITS = 1 << 8 };

enum storage { STORAGE_GLOBAL, STORAGE_CONSTANT, STORAGE_LOCAL, STORAGE_PRIVATE, STORAGE_GENERIC };

enum atomic_op {
    ATOMIC_LOAD,
    ATOMIC_STORE,
    ATOMIC_EXCHANGE,
    ATOMIC_COMPARE_EXCHANGE,
    ATOMIC_ADD,
    ATOMIC_SUB,
    ATOMIC_SMIN,
    ATOMIC_UMIN,
    ATOMIC_SMAX,
    ATOMIC_UMAX,
    ATOMIC_AND,
    ATOMIC_OR,
    ATOMIC_XOR,
    ATOMIC_FADD,
    ATOMIC_FMIN,
    ATOMIC_FMAX,
    ATOMIC_COMPARE_EXCHANGE_WEAK /* may fail spuriously */
};
/* Atomic floating-point operations on bit patterns. fmin and fmax of a number and a NaN give the number. */
uint32_t atomic_float_32(enum atomic_op operation, uint32_t old, uint32_t value);
uint64_t atomic_float_64(enum atomic_op operation, uint64_t old, uint64_t value);

/* What the index of an access is computed from. The first one that applies counts. */
enum index_source {
    INDEX_OTHER,   /* none of these, or not known */
    INDEX_READ,    /* a value that was read from memory that others see */
    INDEX_IN_LOOP, /* a value that a loop changes */
    INDEX_OF_ID    /* the work-item's global or local id, or what private memory keeps */
};

/* The place of an instruction in the user's program, for findings and events. */
struct site {
    uint32_t file; /* string index, 0 = unknown */
    uint32_t line, column;
    uint32_t word; /* where the instruction begins in the module; 0: unknown */
    /* index into struct code's calls: the inlined call that contains it; 0: the kernel itself */
    uint32_t call;
    enum act act;
    bool of_work_group; /* a barrier of the whole work-group */
    enum access_kind access;
    enum memory_ordering order, failure_order;
    enum memory_scope scope;
    uint32_t regions; /* of fences and barriers: REGION_* */
    enum storage storage;
    uint32_t size; /* bytes of one component */
    uint32_t components;
    enum number_type type; /* of a scalar access */
    uint32_t align;        /* bytes; power of two */
    bool sampled;          /* an image read with a sampler */
    uint32_t rank;         /* its position in the order of the code; 0: none */
    /* the number of blocks, including its own, that every work-item executes exactly once and that begin
     * before it */
    uint32_t stage;
    bool always;          /* every work-item that ends executes it exactly once */
    uint32_t block;       /* index into struct code's ways */
    uint32_t loop;        /* 1 + index into struct code's loops: the innermost loop around it; 0: none */
    bool each_iteration;  /* every work-item executes it in each iteration of that loop */
    bool controls_branch; /* a branch depends on the value that it reads */
    bool waits;           /* a loop reads it, at one address, until another unit has written a value */
    bool takes;           /* it waits, and the kernel also writes to its address, as to a lock that it took */
    /* the other half of a read-modify-write: of a load, the store that depends on it; of a store, the load;
     * 0: none */
    uint32_t update;
    enum index_source index; /* of its address */
    uint32_t counted_bytes; /* a loop counts the elements of that size that it goes through; 0: it does not */
    bool counts_inner;      /* in rows[l][k] a loop counts k */
    bool exchanges;         /* the update's store does not depend on its load: it puts another value there */
    bool suspect;           /* an atomic or fence whose scope, order or flags the checker examines */
    /* 1 + the argument or local object that its pointer derives from; 0: not known. Of an asynchronous copy,
     * the argument of the side that is not in local memory */
    uint32_t argument;
    /* of the loads and stores that copy a struct or array together: 1 + the first of these stores; 0: none */
    uint32_t copy;
    bool one_address; /* of a load or store: the same for every work-item of a work-group */
    const char *what; /* "plain load", "atomic_fetch_add", "work_group_barrier", ... */
};

/* The range of ranks of its sites; low > high: it has none. */
struct code_loop {
    uint32_t low, high;
    uint32_t parent;     /* 1 + loop; 0: none */
    uint32_t head, tail; /* the blocks with which each iteration begins and ends, in struct code's ways */
    bool divergent;      /* work-items of a sub-group may have different numbers of iterations */
    /* all work-items of a work-group reach it and have equally many iterations, whatever memory contains */
    bool level;
};

/* An inlined call: its place, and the call that contains it; 0: the kernel. */
struct code_call {
    uint32_t caller, file, line, column;
};

/* A block of the control-flow graph. NO_WAY: none. */
struct code_way {
    uint32_t idom, ipdom; /* immediate dominator and post-dominator */
    /* in no loop, and executed by all work-items of a work-group or by none, whatever memory contains */
    bool level;
};
enum { NO_WAY = 0xffffffff };

/* A variable in private memory: byte offsets in the work-item's private space. */
/* The elements of an array: "ints", 4 bytes each; name NULL: unknown. */
struct elements {
    const char *name;
    uint32_t bytes;
};
struct private_object {
    uint32_t low, high;
    const char *name;
    struct elements elements;
    uint32_t variable; /* index of the kernel's private variable */
};

/* A local variable of the kernel, or a local pointer argument, whose size is known at the launch. */
struct local_object {
    uint32_t cell; /* U cell that holds its address */
    uint64_t size;
    uint32_t align;
    int32_t arg; /* the argument; -1: a variable */
    const char *name;
    struct elements elements;
};

/* Inputs that the wave's set-up writes: frame offsets of U cells, then of A cells. */
enum frame_input {
    INPUT_GROUP_ID = 0, /* 3 cells each */
    INPUT_GROUP_COUNT = 24,
    INPUT_LOCAL_SIZE = 48, /* of this group (last ones may be smaller) */
    INPUT_ENQUEUED_LOCAL_SIZE = 72,
    INPUT_GLOBAL_SIZE = 96,
    INPUT_GLOBAL_OFFSET = 120,
    INPUT_WORK_DIM = 144, /* 1 cell each */
    INPUT_SUB_GROUP_MAX_SIZE = 152,
    INPUT_SUB_GROUP_COUNT = 160,
    INPUT_ENQUEUED_SUB_GROUP_COUNT = 168,
    INPUT_FIRST_AFFINE = 192,
    INPUT_LOCAL_ID = 192,        /* 3 A cells of AFFINE_STRIDE bytes each */
    INPUT_GLOBAL_ID = 312,       /* 3 A cells; includes the offset */
    INPUT_LOCAL_LINEAR_ID = 432, /* 1 A cell each */
    INPUT_GLOBAL_LINEAR_ID = 472,
    INPUT_SUB_GROUP_ID = 512, /* A cells, usually general; SIZE, LOCAL_ID too */
    INPUT_SUB_GROUP_LOCAL_ID = 552,
    INPUT_SUB_GROUP_SIZE = 592,
    INPUT_END = 640
};
_Static_assert(sizeof(struct affine) == 32, "A cells are 40 bytes apart: 32 and padding");

/*
 * An outermost loop, as a range of instructions, and the parts of the frame whose values change in the loop
 * and affect nothing in it (emit_idle.c).
 */
struct frame_range {
    uint32_t offset, bytes;
};
struct idle_loop {
    uint32_t first, end;
    const struct frame_range *ranges;
    uint32_t range_count; /* ascending, not adjacent */
};

/* Slots that have a value of so many bytes for each lane, one after another. */
struct lane_slots {
    uint32_t offset, end, stride;
    uint32_t lane_bytes; /* 0: a mask of the lanes */
};
enum { LANE_SLOTS_MOST = 6 };

/* A slot without a value on an edge between two blocks: that of a phi whose operand is undefined there. */
struct slot_undefined {
    uint32_t from, to, slot;
};
/* ---- origins of uninitialised values --------------------------------------------------- */

enum poison_origin {
    POISON_READ,    /* read from memory or from an image */
    POISON_VARIABLE /* a private variable, or a part of one, that was promoted to values */
};
struct poison_source {
    enum poison_origin origin;
    uint32_t site; /* READ: the place that reads */
    /* READ by an atomic: possible origins of the value that it stores, in poison_lists */
    uint32_t list;
    uint32_t variable;      /* VARIABLE: index of the kernel's private variable */
    uint32_t offset, bytes; /* and the part of it */
    const char *name;       /* of the variable in the module; NULL: none */
    uint64_t size;
    struct elements elements;
    bool passed_on; /* VARIABLE: or of another work-item: a group function passed its value to this one */
};

/* ---- for a debugger: in code that was requested with code_request.debug ------------------------- */

/* A place at which a debugger may stop: the beginning of a line, or the return of a call to the middle of
 * one. */
struct code_line {
    uint32_t file; /* string index */
    uint32_t line, column;
    uint32_t call;  /* index into struct code's calls */
    uint32_t scope; /* index of the innermost debug_scope */
    uint32_t loop;  /* 1 + index of the innermost debug_loop; 0: none */
    bool iterates;  /* the first line of that loop: an iteration begins here */
    bool returned;
    /* the first place of its line in its call, in the order of the code: where a breakpoint stops */
    bool first;
};

enum variable_place { VARIABLE_PRIVATE, VARIABLE_LOCAL, VARIABLE_GLOBAL };
struct code_variable {
    const char *name;
    const struct debug_type *type;
    uint32_t scope;   /* the scope that declares it; 0 for a VARIABLE_GLOBAL of the program */
    uint32_t call;    /* the call whose instance it is; 0 for local and global variables */
    const char *file; /* NULL: not known */
    uint32_t line;    /* of the declaration */
    uint32_t
        number; /* of VARIABLE_PRIVATE: which of the kernel's private variables; a debugger changes none */
    enum variable_place place;
    /* private: offset in the work-item's private memory; local: index in local_objects; global: address */
    uint64_t where;
    bool parameter;
    /* The program has no such variable, only its values: this is the debugger's copy. The word after it, at
     * an offset that is a multiple of 4, is 0 where no value is known. */
    bool copied;
};

/* A type in the debug information. */
enum debug_kind {
    DEBUG_VOID,
    DEBUG_INTEGER,
    DEBUG_UNSIGNED,
    DEBUG_BOOL,
    DEBUG_FLOAT,
    DEBUG_POINTER,
    DEBUG_VECTOR,
    DEBUG_ARRAY,
    DEBUG_STRUCT,
    DEBUG_UNION,
    DEBUG_ENUM
};
struct debug_member {
    const char *name;
    const struct debug_type *type;
    uint64_t offset;
};
struct debug_enumerator {
    const char *name;
    int64_t value;
};
struct debug_type {
    enum debug_kind kind;
    const char *name;                 /* in the source: of a typedef, its name; NULL: none */
    uint64_t size;                    /* bytes */
    const struct debug_type *element; /* pointer, vector, array */
    uint64_t count;                   /* vector, array */
    const struct debug_member *members;
    uint32_t member_count;
    const struct debug_enumerator *enumerators;
    uint32_t enumerator_count;
    enum storage storage; /* pointer */
    bool is_reference;    /* a pointer that C++ calls a reference */
};
struct debug_scope {
    uint32_t parent, line;
}; /* scopes[0] is the program's */

struct debug_loop {
    uint32_t parent; /* 1 + loop; 0: none */
    uint32_t line;   /* the line that begins its iterations, if one does */
};

struct code_debug {
    const struct code_line *lines;
    uint32_t line_count;
    const struct code_variable *variables;
    uint32_t variable_count;
    const struct debug_scope *scopes;
    uint32_t scope_count;
    /* of this code; struct code's loops are those of the code without a debugger */
    const struct debug_loop *loops;
    uint32_t loop_count;
    const char *const *functions; /* name of the function of each of struct code's calls */
    const uint32_t *call_scopes;  /* of each call: the scope of the place that calls */
    uint32_t plain_private_size;  /* private_size of the code without a debugger */
};

/* One kernel, emitted for one number of lanes. Immutable while waves run it. */
struct code {
    uint32_t width; /* the number of lanes of a V slot: 16, 64 or 256 */
    struct insn *insns;
    uint32_t insn_count;
    uint16_t *ops; /* enum op of each instruction, for listings and for the order of operations */
    const uint32_t *operands;
    uint32_t operand_count; /* lists of operands that instructions refer to by index */
    const struct site *sites;
    uint32_t site_count;
    const struct code_loop *loops;
    uint32_t loop_count;
    const struct code_call *calls;
    uint32_t call_count;         /* the first is the kernel itself */
    const struct code_way *ways; /* one for each block, in execution order */
    uint32_t frame_size;
    const uint8_t *template_bytes;
    uint32_t template_size;          /* the beginning of each frame: constants, affine slots */
    uint32_t args_offset, args_size; /* the place of launch arguments in the frame */
    uint32_t block_count;
    const uint32_t *block_start; /* the first instruction of each block, in execution order */
    bool suspect;                /* some site is suspect */
    uint32_t private_size;       /* bytes per work-item, multiple of 4 */
    bool zero_private;           /* private memory begins as zeros */
    const struct private_object *private_objects;
    uint32_t private_object_count;
    const struct local_object *local_objects;
    uint32_t local_object_count;
    const char *const *strings;
    uint32_t string_count;
    uint32_t file; /* index of the string with the file of the kernel itself; 0: not known */
    struct lane_slots lane_slots[LANE_SLOTS_MOST]; /* ascending; the rest of the frame comes before */
    uint32_t lane_slots_count;
    const struct idle_loop *idle_loops;
    uint32_t idle_loop_count;
    /* for each argument: the kernel may write to it: by a store, an atomic or an image write */
    const bool *written;
    const struct slot_undefined *undefined;
    uint32_t undefined_count; /* for slot_check.c */
    bool irreducible;         /* likewise: some loop has two entries */
    /* for each private variable of the module: it stays in memory */
    const bool *private_kept;
    uint32_t private_variable_count;
    /* for the uninitialised check; [0] is unused */
    const struct poison_source *poison_sources;
    uint32_t poison_source_count;
    /*
     * Lists of origins, at the index that an instruction has: their number, then the list. Empty: not
     * known, there may be more; so is the one at index 0.
     */
    const uint32_t *poison_lists;
    uint32_t poison_list_words;
    const struct code_debug *debug;     /* NULL: not requested for a debugger */
    const struct profile_code *profile; /* NULL: instructions are not counted */
    bool writes_elsewhere;              /* it writes through pointers that derive from no argument */
    /* it turns pointers into numbers, so that an address may derive from another argument than its pointer */
    bool pointers_as_numbers;
    /* for each instruction: the word of the module at which the SPIR-V instruction begins that it carries
     * out; 0: none. NULL: not requested for a debugger */
    const uint32_t *words;
};

/* Of the private objects, which are in ascending order, the one at the offset or the last one before it;
 * NULL: none. */
static inline const struct private_object *code_private_object(const struct code *code, uint64_t offset)
{
    uint32_t low = 0, high = code->private_object_count; /* those below `low` begin at the offset or before */
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (code->private_objects[middle].low <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &code->private_objects[low - 1] : NULL;
}

#endif
