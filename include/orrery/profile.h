/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What the instructions of a kernel are, and where they stand in the source: how often each was
 *          executed is counted by straight piece, which execute as a whole.
 *
 * Meaning  An instruction is one of SPIR-V, as the compiler made it, in the kernel or in a function that it
 *          calls; how the interpreter runs it does not matter, nor do schedules and checks. Types,
 *          constants, phis, merges, labels and line tables are none.
 *
 * Ownership  struct profile_code belongs to the code of a kernel, and lasts as long as its program.
 */
#ifndef ORRERY_PROFILE_H
#define ORRERY_PROFILE_H

#include <stdint.h>

/* INSTRUCTION(ENUM, "name in reports") */
/* clang-format off */
#define INSTRUCTION_CLASS_LIST(INSTRUCTION)                                                                     \
    INSTRUCTION(INTEGER,  "integer")    /* and comparisons, logic and selections of anything but floats */      \
    INSTRUCTION(FLOAT,    "float")                                                                              \
    INSTRUCTION(CONVERT,  "convert")    /* and casts */                                                         \
    INSTRUCTION(MATH,     "math")       /* built-in functions: OpenCL.std */                                    \
    INSTRUCTION(COMPOSITE, "composite") /* components taken from or put into vectors and structures */          \
    INSTRUCTION(ADDRESS,  "address")                                                                            \
    INSTRUCTION(GLOBAL,   "global")     /* loads, stores and copies, by address space; a copy by its target's */ \
    INSTRUCTION(CONSTANT, "constant")                                                                           \
    INSTRUCTION(LOCAL,    "local")                                                                              \
    INSTRUCTION(PRIVATE,  "private")                                                                            \
    INSTRUCTION(GENERIC,  "generic")                                                                            \
    INSTRUCTION(ATOMIC,   "atomic")                                                                             \
    INSTRUCTION(IMAGE,    "image")                                                                              \
    INSTRUCTION(BARRIER,  "barrier")    /* and fences */                                                        \
    INSTRUCTION(GROUP,    "group")      /* collectives, asynchronous copies, pipes, kernels that are enqueued */ \
    INSTRUCTION(BRANCH,   "branch")     /* jumps and returns */                                                 \
    INSTRUCTION(CALL,     "call")                                                                               \
    INSTRUCTION(OTHER,    "other")
/* clang-format on */
enum instruction_class {
#define INSTRUCTION_CLASS_ENUM(name, text) INSTRUCTION_##name,
    INSTRUCTION_CLASS_LIST(INSTRUCTION_CLASS_ENUM)
#undef INSTRUCTION_CLASS_ENUM
        INSTRUCTION_CLASS_COUNT
};

/* A place of a function: line 0 is not known. call: which inlined call of it, 0 is the kernel itself. */
struct profile_place {
    const char *file; /* NULL: the program's text */
    uint32_t line;
    uint32_t call;
};
/* `count` instructions of a class on one line of a straight piece. */
struct profile_row {
    uint32_t piece;
    struct profile_place place;
    enum instruction_class what;
    uint32_t count;
};
/* One way out of a conditional branch or switch. */
struct profile_way {
    struct profile_place place;
    uint32_t branch; /* its number among the branches of its call; the ways of one branch stand together */
    uint32_t way;
};
struct profile_function {
    const char *name;
    uint32_t piece; /* its first */
    uint32_t call;
};

/* What a run did not reach. */
struct idle_lines {
    char *lines;       /* "4, 7..9"; "" if all ran */
    uint32_t count;    /* of them */
    uint64_t executed; /* instructions, of all work-items */
};

struct profile_code {
    uint32_t piece_count;
    const struct profile_row *rows; /* ascending by piece */
    uint32_t row_count;
    const struct profile_way *ways;
    uint32_t way_count;
    const struct profile_function *functions; /* each call of one, the kernel first */
    uint32_t function_count;
};

#endif
