/* SPDX-License-Identifier: Apache-2.0 */
/* Decides whether a compile server can stand for clang -cc1 and llvm-spirv. Their work is in shared
 * libraries: a server that is linked with the same libraries, found in the same places, gives the same
 * results. Scripts and programs with other libraries run as programs. */
#include "server_program.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shared_libraries.h"

#ifndef ORRERY_LIBEXECDIR
#define ORRERY_LIBEXECDIR "/usr/local/libexec/orrery"
#define ORRERY_BINDIR "/usr/local/bin"
#endif

static const char program_name[] = "orrery-compile-server";

bool server_program_is_executable(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode) && access(path, X_OK) == 0;
}

/* The file of this library, or of the program it is linked into; NULL: unknown. */
static char *own_file(void)
{
    Dl_info about;
    struct link_map *map = NULL;
    if (!dladdr1(program_name, &about, (void **)&map, RTLD_DL_LINKMAP) || !map)
        return NULL;
    if (!map->l_name[0])
        return realpath("/proc/self/exe", NULL);
    return map->l_name[0] == '/' ? realpath(map->l_name, NULL) : NULL;
}

/* libtool keeps built libraries and programs in .libs, one level below. */
static void cut_last(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash)
        *slash = '\0';
}

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && !strcmp(text + length - end_length, end);
}

/* The length of the common part of two paths, up to and including a slash. */
static size_t shared_length(const char *a, const char *b)
{
    size_t shared = 0;
    for (size_t i = 0; a[i] && a[i] == b[i]; i++)
        if (a[i] == '/')
            shared = i + 1;
    return shared;
}

static char *readable(const char *directory, const char *name)
{
    struct text path = {0};
    text_addf(&path, "%s/%s", directory, name);
    if (!path.failed && access(path.data, R_OK) == 0)
        return text_take(&path);
    text_fini(&path);
    return NULL;
}

/* Finds a file of an installation that was moved as a whole, or is below DESTDIR. `installed`, where
 * `directory` was to be, begins like ORRERY_LIBEXECDIR. If `directory` still ends like `installed`, the
 * part before that end replaces the common beginning. */
static char *moved(const char *directory, const char *installed, const char *name)
{
    const size_t shared = shared_length(installed, ORRERY_LIBEXECDIR);
    const size_t length = strlen(directory), below = strlen(installed + shared);
    struct text root = {0};
    char *found = NULL;
    if (!shared || length <= below || !ends_with(directory, installed + shared) ||
        directory[length - below - 1] != '/')
        return NULL;
    text_addf(&root, "%.*s%s", (int)(length - below), directory, &ORRERY_LIBEXECDIR[shared]);
    if (!root.failed)
        found = readable(root.data, name);
    text_fini(&root);
    return found;
}

char *server_program_beside(const char *name)
{
    char *directory = own_file(), *found = NULL;
    if (directory) {
        cut_last(directory);
        if (ends_with(directory, "/.libs"))
            cut_last(directory);
        found = readable(directory, name);
        if (!found)
            found = moved(directory, ORRERY_BINDIR, name);
        if (!found)
            found = moved(directory, ORRERY_LIBDIR, name);
    }
    free(directory);
    return found ? found : readable(ORRERY_LIBEXECDIR, name);
}

static bool is_of_compiler(const char *library)
{
    return !strncmp(library, "libclang", strlen("libclang")) ||
           !strncmp(library, "libLLVM", strlen("libLLVM"));
}

static bool has(const struct shared_libraries *libraries, const char *beginning)
{
    for (size_t i = 0; i < libraries->names.count; i++)
        if (!strncmp(libraries->names.items[i], beginning, strlen(beginning)))
            return true;
    return false;
}

/* Does the program use the main library, and no library of the compiler that the server lacks? */
static bool fits(const char *path, const char *main_library, const struct shared_libraries *server)
{
    struct shared_libraries libraries;
    bool same =
        shared_libraries_read(path, &libraries) && !libraries.own_path && has(&libraries, main_library);
    for (size_t i = 0; same && i < libraries.names.count; i++) {
        const char *name = libraries.names.items[i];
        same = !is_of_compiler(name) || list_has(&server->names, name);
    }
    shared_libraries_fini(&libraries);
    return same;
}

static bool fits_both(const char *path, const char *clang, const char *llvm_spirv,
                      struct diagnosis *diagnosis)
{
    struct shared_libraries server;
    const char *other = NULL;
    if (!shared_libraries_read(path, &server) || server.own_path)
        other = path;
    else if (!fits(clang, "libclang-cpp", &server))
        other = clang;
    else if (!fits(llvm_spirv, "libLLVMSPIRVLib", &server))
        other = llvm_spirv;
    shared_libraries_fini(&server);
    if (other)
        diagnose(diagnosis, STATUS_COMPILER_MISSING,
                 "%s is not linked with the libraries of the compile server", other);
    return !other;
}

char *server_program_find(const char *wanted, const char *clang, const char *llvm_spirv,
                          struct diagnosis *diagnosis)
{
    char *path = wanted ? strdup(wanted) : server_program_beside(program_name);
    if (path && path[0] == '/' && server_program_is_executable(path)) {
        if (fits_both(path, clang, llvm_spirv, diagnosis))
            return path;
    } else {
        diagnose(diagnosis, STATUS_COMPILER_MISSING, "the compile server %s was not found",
                 path ? path : program_name);
    }
    free(path);
    return NULL;
}
