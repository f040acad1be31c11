/* SPDX-License-Identifier: Apache-2.0 */
/* Precompiled headers of the language, one per set of language options: installed with the library, or kept
 * in the compile cache. */
#include "precompiled.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compile_cache.h"
#include "server_program.h"

/* False: out of memory. */
static bool cache_key_of_compilation(const struct compilation *compilation, const struct list *language,
                                     struct cache_key *out_key)
{
    struct text text = {0};
    text_add_bytes(&text, compilation->toolchain->identity.data, compilation->toolchain->identity.size);
    cache_describe(language, &text);
    const bool whole = cache_key_of(&text, out_key);
    text_fini(&text);
    return whole;
}

/* The installed precompiled header, if the same compilers made it; NULL: none. */
static char *installed(struct cache_key key)
{
    char *name = cache_path("precompiled", key, "pch");
    char *path = name ? server_program_beside(name) : NULL;
    free(name);
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
    /* The file contains the directory that it was made in. */
    struct process process = {.arguments = arguments->items, .directory = "/", .limits = compilation->limits};
    bool made = !arguments->failed &&
                !compile_run(compilation, COMPILE_CLANG, &process, NULL, &result, NULL) &&
                !process_failed(&result) && cache_write_file(path, result.output.data, result.output.size);
    process_result_fini(&result);
    return made;
}

static char *kept(const struct compilation *compilation, struct list *arguments, struct cache_key key)
{
    const char *directory = compilation->toolchain->cache_directory;
    char *path = directory ? cache_path(directory, key, "pch") : NULL;
    if (path && !cache_is_own(path) && !make(compilation, arguments, path)) {
        free(path);
        path = NULL;
    }
    return path;
}

char *precompiled_get(const struct compilation *compilation)
{
    struct list arguments = {0};
    struct cache_key key;
    char *path = NULL;
    if (!compilation->toolchain->header_directory)
        return NULL;
    list_add(&arguments, compilation->toolchain->clang);
    clang_language(compilation, &arguments);
    if (cache_key_of_compilation(compilation, &arguments, &key) && !(path = installed(key)))
        path = kept(compilation, &arguments, key);
    list_fini(&arguments);
    return path;
}

bool precompiled_is_refused(const struct process_result *result)
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

void precompiled_drop(const struct compilation *compilation, const char *path)
{
    const char *directory = compilation->toolchain->cache_directory;
    if (directory && !strncmp(path, directory, strlen(directory)))
        unlink(path);
}
