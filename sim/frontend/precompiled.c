/* SPDX-License-Identifier: Apache-2.0 */
/* Precompiled headers of the language, one per set of options, kept in the compile cache. */
#include "precompiled.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compile_cache.h"

/* NULL: memory ran out. */
static char *path_of(const struct compilation *compilation, const struct list *language)
{
    struct cache_key key;
    struct text text = {0};
    text_add_bytes(&text, compilation->toolchain->identity.data, compilation->toolchain->identity.size);
    cache_describe(language, &text);
    char *path =
        cache_key_of(&text, &key) ? cache_path(compilation->toolchain->cache_directory, key, "pch") : NULL;
    text_fini(&text);
    return path;
}

static bool make(const struct compilation *compilation, struct list *arguments, const char *path)
{
    struct process_result result = {0};
    clang_default_header(compilation, arguments);
    list_add(arguments, "-emit-pch");
    list_add(arguments, "-fno-pch-timestamp");
    list_add(arguments, "-o");
    list_add(arguments, "-");
    list_add(arguments, "-");
    struct process process = {.arguments = arguments->items, .limits = compilation->limits};
    bool made = !arguments->failed &&
                !compile_run(compilation, COMPILE_CLANG, &process, NULL, &result, NULL) &&
                !process_failed(&result) && cache_write_file(path, result.output.data, result.output.size);
    process_result_fini(&result);
    return made;
}

char *precompiled_get(const struct compilation *compilation)
{
    const struct toolchain *toolchain = compilation->toolchain;
    if (!toolchain->cache_directory || !toolchain->header_directory)
        return NULL;
    struct list arguments = {0};
    list_add(&arguments, toolchain->clang);
    clang_language(compilation, &arguments);
    char *path = path_of(compilation, &arguments);
    if (path && !cache_is_own(path) && !make(compilation, &arguments, path)) {
        free(path);
        path = NULL;
    }
    list_fini(&arguments);
    return path;
}

bool precompiled_is_to_blame(const struct process_result *result)
{
    static const char *const signs[] = {"PCH", "AST file", "precompiled"};
    if (result->limit)
        return false;
    if (result->signal)
        return true;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (result->error.data && strstr(result->error.data, signs[i]))
            return true;
    return false;
}

void precompiled_drop(const char *path)
{
    unlink(path);
}
