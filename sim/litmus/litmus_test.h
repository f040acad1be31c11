/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A litmus test as the parser leaves it: locations, threads, statements, the
 *          clause.  Names are resolved; everything lies in the test's pool.
 *
 * Interface
 *   struct litmus            of orrery/litmus.h
 *   condition_holds          the clause's condition for one final state
 *   litmus_survey            fills in the threads that access each location plainly, and the scopes of its
 *                            atomics
 *   litmus_atomics_may_race         may an atomic access to the location, by that thread, race with any of
 *                                   another
 *                            thread?
 *   kernel_argument_*        how litmus_kernel lays its arguments out
 *
 * Numbers  Locations are numbered in order of first mention, cells (4 bytes: a location,
 *          or one element of an array) too; registers and parameters per thread.
 */
#ifndef ORRERY_SIM_LITMUS_LITMUS_TEST_H
#define ORRERY_SIM_LITMUS_LITMUS_TEST_H

#include "orrery/litmus.h"
#include "orrery/observer.h"
#include "litmus_pool.h"

enum { CELL_BYTES = 4, THREADS_MOST = 16, CELLS_MOST = 64, REGISTERS_MOST = 64, TERMS_MOST = 64 };

struct litmus_place {
    uint32_t line, column;
};

struct location {
    const char *name;
    uint32_t first_cell, cells;
    int32_t *initial; /* one per cell */
    bool is_array, atomic_type;
    bool local, global; /* some thread declares it so; neither: generic */
    uint32_t plain;     /* bits: threads that may access it without atomics */
    uint32_t scopes;    /* bits: the scopes of its atomics */
};

enum space { SPACE_GENERIC, SPACE_GLOBAL, SPACE_LOCAL };
struct parameter {
    const char *name;
    enum space space;
    bool is_volatile, is_atomic;
    uint32_t location;
};

/* ---- C ---------------------------------------------------------------------------- */

enum expression_kind {
    EXPRESSION_NUMBER,
    EXPRESSION_REGISTER,
    EXPRESSION_PARAMETER,
    EXPRESSION_ADDRESS_OF,
    EXPRESSION_UNARY,
    EXPRESSION_BINARY, /* also "=", to a register */
    EXPRESSION_CONDITIONAL,
    EXPRESSION_DEREFERENCE,
    EXPRESSION_INDEX,
    EXPRESSION_ATOMIC
};

/* CALL(name, operands before the orders, orders) */
/* clang-format off */
#define ATOMIC_CALL_LIST(CALL)                                                                              \
    CALL(atomic_load, 1, 1) CALL(atomic_store, 2, 1) CALL(atomic_exchange, 2, 1)                            \
    CALL(atomic_fetch_add, 2, 1) CALL(atomic_fetch_sub, 2, 1) CALL(atomic_fetch_or, 2, 1)                   \
    CALL(atomic_fetch_xor, 2, 1) CALL(atomic_fetch_and, 2, 1) CALL(atomic_fetch_min, 2, 1)                  \
    CALL(atomic_fetch_max, 2, 1)                                                                            \
    CALL(atomic_compare_exchange_strong, 3, 2) CALL(atomic_compare_exchange_weak, 3, 2)
/* clang-format on */
enum atomic_call {
#define CALL_ENUM(name, operands, orders) CALL_##name,
    ATOMIC_CALL_LIST(CALL_ENUM)
#undef CALL_ENUM
        ATOMIC_CALL_COUNT
};
extern const char *const atomic_call_names[ATOMIC_CALL_COUNT];
extern const uint8_t atomic_call_operands[ATOMIC_CALL_COUNT], atomic_call_orders[ATOMIC_CALL_COUNT];

struct expression {
    enum expression_kind kind;
    struct litmus_place place;
    int32_t number;    /* NUMBER */
    uint32_t index;    /* REGISTER, PARAMETER */
    char operation[3]; /* UNARY, BINARY, as C spells it */
    struct expression *operand[3];
    uint32_t depth;        /* operators in one another below this one; at most EXPRESSION_DEPTH_MOST */
    enum atomic_call call; /* ATOMIC */
    enum memory_ordering order, failure_order;
    enum memory_scope scope;
};

enum statement_kind {
    STATEMENT_NOTHING,
    STATEMENT_ASSIGN,
    STATEMENT_STORE,
    STATEMENT_EVALUATE,
    STATEMENT_FENCE,
    STATEMENT_BARRIER,
    STATEMENT_IF,
    STATEMENT_WHILE,
    STATEMENT_DO,
    STATEMENT_BREAK,
    STATEMENT_CONTINUE,
    STATEMENT_RETURN,
    STATEMENT_BLOCK
};
struct litmus_statement {
    enum statement_kind kind;
    struct litmus_place place;
    uint32_t target;          /* ASSIGN: register */
    struct expression *to;    /* STORE: the pointer, dereferenced already */
    struct expression *value; /* ASSIGN, STORE, EVALUATE; IF, WHILE, DO: condition */
    uint32_t flags;           /* FENCE, BARRIER: REGION_* */
    enum memory_ordering order;
    enum memory_scope scope;
    uint32_t label;                     /* BARRIER: 1 + index in labels, 0: none */
    struct litmus_statement *body;      /* IF, WHILE, DO, BLOCK */
    struct litmus_statement *otherwise; /* IF; WHILE: what a for loop does after each iteration */
    struct litmus_statement *next;
};

struct thread {
    uint32_t group, device; /* as the test numbers them */
    struct litmus_place place;
    uint32_t parameter_count, register_count;
    struct parameter *parameters;
    const char **registers;
    bool returns; /* some statement is a return */
    struct litmus_statement *body;
};

/* ---- the clause ------------------------------------------------------------------------ */

enum quantifier { QUANTIFIER_EXISTS, QUANTIFIER_NOT_EXISTS, QUANTIFIER_FORALL };
extern const char *const quantifier_words[]; /* as a test spells them */
/* The operands of a clause: a register, a parameter (an address), or a cell. */
enum term_kind { TERM_REGISTER, TERM_PARAMETER, TERM_CELL };
struct litmus_term {
    enum term_kind kind;
    uint32_t thread, index;
    const char *text;
};

enum condition_kind { CONDITION_TRUE, CONDITION_EQUAL, CONDITION_NOT, CONDITION_AND, CONDITION_OR };
struct condition {
    enum condition_kind kind;
    uint32_t depth;  /* 0: a leaf, as x = 1 and x != 1; a chain of one operator adds 1 */
    uint32_t term;   /* EQUAL: index in terms */
    bool to_address; /* EQUAL: value is a location's number */
    int64_t value;
    struct condition *operand[2];
};

/* ---- all of it --------------------------------------------------------------------------- */

struct litmus {
    struct pool pool;
    const char *file, *text, *name;
    uint32_t location_count, location_room, cell_count;
    struct location *locations;
    const char **location_names;
    uint32_t thread_count;
    struct thread *threads;
    uint32_t label_count, label_room;
    const char **labels;
    enum quantifier quantifier;
    struct condition *condition;
    uint32_t term_count;
    struct litmus_term *terms;
};

/* One value: a number, or an address (of location value). */
struct term_value {
    int64_t value;
    bool is_address;
};
/* values: one for each term. */
bool condition_holds(const struct condition *condition, const struct term_value *values);

void litmus_survey(struct litmus *test);
bool litmus_atomics_may_race(const struct litmus *test, const struct location *location, uint32_t thread);

/* The number of each thread: groups in the order of their first mention, and threads in order within a
 * group. */
struct thread_places {
    uint32_t group_count, group_size;
    uint32_t group[THREADS_MOST], item[THREADS_MOST], device[THREADS_MOST];
};
void litmus_place(const struct litmus *test, struct thread_places *out_places);

/* The kernel's arguments: for each location that is used so a global pointer, then a local one; the log is
 * last. A thread writes to log[0] 1 + label before a barrier, and its register i to log[1 + i] at its end. */
enum { KERNEL_ARGUMENTS_MOST = 2 * CELLS_MOST + 1 };
#define LITMUS_KERNEL_NAME "litmus"
bool kernel_passes(const struct location *location, enum space space); /* GLOBAL or LOCAL */

void litmus_print_flags(uint32_t flags, FILE *stream); /* "CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE" */
/* Prints an expression as C: as in the test, or as OpenCL C needs it. */
void expression_print(const struct thread *thread, const struct expression *expression, bool kernel,
                      FILE *stream);

#endif
