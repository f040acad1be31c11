/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the names of ORRERY_ variables against the table of options. Of several wrong names, the first in
 * alphabetical order is reported. */
#include "orrery/variables.h"

#include <stdlib.h>
#include <string.h>

#include "orrery/nearest.h"
#include "orrery/scenario.h"

static const char prefix[] = "ORRERY_";

/* Variables that are not options: for users, from `orrery run` to the library, for tests, of CMake's
 * find_package. */
static const char *const reserved[] = {
    "ORRERY_SCENARIO", "ORRERY_SUMMARY",      "ORRERY_CLANG",        "ORRERY_LLVM_SPIRV",
    "ORRERY_CACHE",    "ORRERY_CACHE_DIR",    "ORRERY_WATCH",        "ORRERY_BUILDDIR",
    "ORRERY_SRCDIR",   "ORRERY_LIBRARY",      "ORRERY_ICD",          "ORRERY_ROOT",
    "ORRERY_DIR",      "ORRERY_DEBUG_SOCKET", "ORRERY_DEBUG_LISTEN", "ORRERY_COMPILE_SERVER",
    "ORRERY_TEST",
};
enum { RESERVED_COUNT = sizeof reserved / sizeof *reserved };

/* The reserved names, then those of the options; NULL past the end. The text is valid until the next
 * call. */
static const char *name_at(const void *self, size_t index)
{
    struct scenario_option *option = (struct scenario_option *)(uintptr_t)self;
    if (index < RESERVED_COUNT)
        return reserved[index];
    return scenario_option(index - RESERVED_COUNT, option) ? option->variable : NULL;
}

static size_t name_count(struct scenario_option *option)
{
    size_t count = 0;
    while (name_at(option, count))
        count++;
    return count;
}

static bool is_known(const char *name, size_t length)
{
    struct scenario_option option;
    const char *known;
    for (size_t i = 0; (known = name_at(&option, i)) != NULL; i++) {
        if (strlen(known) == length && strncmp(known, name, length) == 0)
            return true;
    }
    return false;
}

static enum status refuse(const char *variable, struct diagnosis *diagnosis)
{
    struct scenario_option option;
    char *name = strndup(variable, strcspn(variable, "="));
    char *meant = name ? nearest_names(name, "", name_at, &option, name_count(&option)) : NULL;
    const bool near = meant && *meant;
    diagnose(diagnosis, STATUS_NOT_FOUND, "environment variable %s: no option has this name%s%s%s",
             name ? name : variable, near ? "; did you mean " : "", near ? meant : "", near ? "?" : "");
    free(meant);
    free(name);
    return STATUS_NOT_FOUND;
}

enum status variables_check(char *const environment[], struct diagnosis *diagnosis)
{
    const char *first = NULL;
    for (char *const *variable = environment; *variable; variable++) {
        const bool ours = strncmp(*variable, prefix, strlen(prefix)) == 0;
        if (ours && !is_known(*variable, strcspn(*variable, "=")) && (!first || strcmp(*variable, first) < 0))
            first = *variable;
    }
    return first ? refuse(first, diagnosis) : STATUS_OK;
}
