/* SPDX-License-Identifier: Apache-2.0 */
/* Variables ORRERY_*: each option of scenario.def has one, and is applied as on the command line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "orrery/variables.h"
#include "api_runtime.h"
#include "environment.h"

static enum status apply_variable(struct scenario *scenario, const struct scenario_option *option,
                                  struct diagnosis *diagnosis)
{
    const char *value = secure_getenv(option->variable);
    struct diagnosis cause = {0};
    enum status status = value ? scenario_apply_option(scenario, option->name, value, &cause) : STATUS_OK;
    if (status)
        diagnose(diagnosis, status, "environment variable %s: %s", option->variable, cause.text);
    return status;
}

/* Applies options in the order of the table (profiles of checks, then single options), not of environ. A
 * program with privileges of its own (set-user-ID) ignores them (secure_getenv), since options name files
 * to read and write. */
enum status environment_apply(struct scenario *scenario, struct diagnosis *diagnosis)
{
    if (getauxval(AT_SECURE))
        return STATUS_OK;
    enum status status = variables_check(environ, diagnosis);
    struct scenario_option option;
    for (int profiles = 1; profiles >= 0; profiles--) {
        for (size_t i = 0; !status && scenario_option(i, &option); i++) {
            if (scenario_option_selects(&option) == profiles)
                status = apply_variable(scenario, &option, diagnosis);
        }
    }
    return status;
}

/* $ORRERY_CACHE_DIR, or orrery/ in the cache directory of the XDG base directory specification. */
static char *cache_directory(void)
{
    const char *wanted = secure_getenv("ORRERY_CACHE"), *own = secure_getenv("ORRERY_CACHE_DIR");
    const char *xdg = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
    char *path = NULL;
    if (wanted && !strcmp(wanted, "0"))
        return NULL;
    if (own && *own)
        return strdup(own);
    bool use_xdg = xdg && *xdg == '/';
    if (!use_xdg && (!home || *home != '/'))
        return NULL;
    if (asprintf(&path, use_xdg ? "%s/orrery" : "%s/.cache/orrery", use_xdg ? xdg : home) < 0)
        return NULL;
    return path;
}

void environment_configure_compiler(void)
{
    char *directory = cache_directory();
    compiler_configure(&(struct compiler_settings){
        .clang = secure_getenv("ORRERY_CLANG"),
        .llvm_spirv = secure_getenv("ORRERY_LLVM_SPIRV"),
        .compile_server = secure_getenv("ORRERY_COMPILE_SERVER"),
        .runtime_directory = secure_getenv("XDG_RUNTIME_DIR"),
        .cache_directory = directory,
    });
    free(directory);
}
