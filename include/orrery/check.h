/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What a run looks for: one table of checks, which drives the keys of a scenario, the options of the
 *          command, the variables of the environment, the profiles and the summary.
 *
 * Interface
 *   checks_parse      a list as --checks has it: "all", "none", "fast", "races,bounds=warning",
 *                     "all,no-races"
 *   checks_fast       the profile --fast: the checks that cost next to nothing
 *   checks_print      what is looked for, as the summary has it: "all", "none", or the names
 *   checks_print_off  the checks of "all" that are off, as a list; false: none is
 *   check_filtered    --kernel and --launches choose the launches that this check looks at
 */
#ifndef ORRERY_CHECK_H
#define ORRERY_CHECK_H

#include <stdbool.h>
#include <stdio.h>

enum severity { SEVERITY_OFF, SEVERITY_WARNING, SEVERITY_ERROR };

/*
 * CHECK(ENUM, "name", default severity, severity in --fast, "what it reports")
 *
 * The option of a check is --check-NAME, its variable ORRERY_CHECK_NAME, its key is its name in checks: of a
 * scenario. "all" is every check but api: what that reports is legal, and programs that test errors do it on
 * purpose.
 */
/* clang-format off */
#define CHECK_LIST(CHECK)                                                                                       \
    CHECK(BOUNDS,        "bounds",        ERROR, ERROR, "report accesses outside what the kernel was given")    \
    CHECK(ALIGNMENT,     "alignment",     ERROR, ERROR, "report accesses that are not aligned to their type")   \
    CHECK(RIGHTS,        "rights",        WARNING, WARNING, "report accesses that CL_MEM_READ_ONLY and WRITE_ONLY rule out") \
    CHECK(UNINITIALISED, "uninitialised", ERROR, OFF,   "report the use of values that nothing wrote")          \
    CHECK(DIVERGENCE,    "divergence",    ERROR, ERROR, "report barriers and collectives that not all reach")   \
    CHECK(RACES,         "races",         ERROR, OFF,   "report data races")                                    \
    CHECK(ATOMICS,       "atomics",       ERROR, ERROR, "report orders, scopes and flags that atomics and fences do not allow") \
    CHECK(PROGRESS,      "progress",      ERROR, ERROR, "report launches that cannot end, or run past timeout or max_steps") \
    CHECK(MISUSE,        "misuse",        ERROR, OFF,   "report calls of the host whose behaviour is undefined") \
    CHECK(API,           "api",           OFF,   OFF,   "report calls that return an error, leaks, and shared units")
/* clang-format on */
enum check {
#define CHECK_ENUM(name, key, severity, fast, help) CHECK_##name,
    CHECK_LIST(CHECK_ENUM)
#undef CHECK_ENUM
        CHECK_COUNT
};

/* These receive every access, or need code of their own. The others cost next to nothing, and look at every
 * launch. */
static inline bool check_filtered(enum check check)
{
    return check == CHECK_UNINITIALISED || check == CHECK_RACES || check == CHECK_ATOMICS;
}

/* Either spelling of each name. */
bool check_from_name(const char *name, enum check *out_check);
/* False: `expected` has what may stand there; checks are as they were. */
bool checks_parse(const char *text, enum severity checks[CHECK_COUNT], char *expected, size_t expected_size);
void checks_default(enum severity checks[CHECK_COUNT]);
void checks_fast(enum severity checks[CHECK_COUNT]);
void checks_print(const enum severity checks[CHECK_COUNT], FILE *stream);
bool checks_print_off(const enum severity checks[CHECK_COUNT], FILE *stream);

#endif
