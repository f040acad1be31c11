/* SPDX-License-Identifier: Apache-2.0 */
/* The tools: found in PATH, identified by path, size and modification time; a snapshot for one
 * compilation. */
#include "toolchain.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "orrery/compiler.h"
#include "child_process.h"
#include "server_program.h"

#ifndef ORRERY_CLANG_DEFAULT
#define ORRERY_CLANG_DEFAULT "clang-14"
#endif
#ifndef ORRERY_LLVM_SPIRV_DEFAULT
#define ORRERY_LLVM_SPIRV_DEFAULT "llvm-spirv-14"
#endif

static pthread_mutex_t settings_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    char *clang, *llvm_spirv, *cache_directory, *runtime_directory, *compile_server;
    unsigned shared_idle_ms;
} settings; /* guarded by settings_lock */

static void replace(char **field, const char *value)
{
    free(*field);
    *field = value ? strdup(value) : NULL;
}

void compiler_configure(const struct compiler_settings *wanted)
{
    pthread_mutex_lock(&settings_lock);
    replace(&settings.clang, wanted->clang);
    replace(&settings.llvm_spirv, wanted->llvm_spirv);
    replace(&settings.cache_directory, wanted->cache_directory);
    replace(&settings.runtime_directory, wanted->runtime_directory);
    replace(&settings.compile_server, wanted->compile_server);
    settings.shared_idle_ms = wanted->shared_idle_ms;
    pthread_mutex_unlock(&settings_lock);
}

/* The search of execvp(), done here because the file that will run is part of the key in the cache. */
static char *find_in_path(const char *name)
{
    const char *directories = secure_getenv("PATH");
    for (const char *at = directories ? directories : "/usr/bin:/bin"; *at;) {
        size_t length = strcspn(at, ":");
        struct text path = {0};
        text_addf(&path, "%.*s%s%s", (int)length, at, length ? "/" : "", name);
        if (path.data && server_program_is_executable(path.data))
            return text_take(&path);
        text_fini(&path);
        at += length + (at[length] == ':');
    }
    return NULL;
}

static char *find_tool(const char *name)
{
    if (!strchr(name, '/'))
        return find_in_path(name);
    return server_program_is_executable(name) ? strdup(name) : NULL;
}

static int by_name(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* The headers of <prefix>/bin/clang are in <prefix>/lib/clang/<version>/include; of several versions the
 * last by name is taken. */
static char *find_header_directory(const char *clang)
{
    char *real = realpath(clang, NULL);
    struct text directory = {0};
    struct list versions = {0};
    if (real && strrchr(real, '/')) {
        *strrchr(real, '/') = '\0';
        text_addf(&directory, "%s/../lib/clang", real);
    }
    DIR *entries = directory.data ? opendir(directory.data) : NULL;
    for (struct dirent *entry; entries && (entry = readdir(entries));)
        if (entry->d_name[0] != '.')
            list_add(&versions, entry->d_name);
    if (entries)
        closedir(entries);
    if (versions.count)
        qsort(versions.items, versions.count, sizeof *versions.items, by_name);
    char *found = NULL;
    for (size_t i = versions.count; i-- > 0 && !found;) {
        struct text header = {0};
        text_addf(&header, "%s/%s/include/opencl-c.h", directory.data, versions.items[i]);
        if (header.data && access(header.data, R_OK) == 0) {
            *strrchr(header.data, '/') = '\0';
            found = realpath(header.data, NULL);
        }
        text_fini(&header);
    }
    list_fini(&versions);
    text_fini(&directory);
    free(real);
    return found;
}

static enum status missing(const char *name, struct diagnosis *diagnosis)
{
    return diagnose(
        diagnosis, STATUS_COMPILER_MISSING,
        "OpenCL C source needs clang and llvm-spirv, and %s was not found; on Debian and Ubuntu:\n"
        "    apt install clang-14 libclang-common-14-dev llvm-spirv-14\n"
        "or name the programs in ORRERY_CLANG and ORRERY_LLVM_SPIRV",
        name);
}

enum { QUERY_SECONDS = 60 };

/* A wrapper script has no headers beside it, so clang is run to print where they are. */
void toolchain_find_headers(struct toolchain *toolchain)
{
    char *arguments[] = {toolchain->clang, "-print-resource-dir", NULL};
    struct process process = {.arguments = arguments, .limits = {.seconds = QUERY_SECONDS}};
    struct process_result result = {0};
    struct text header = {0};
    if (toolchain->header_directory)
        return;
    if (!process_run(&process, &result, NULL) && !process_failed(&result) && result.output.size)
        text_addf(&header, "%.*s/include/opencl-c.h", (int)strcspn(result.output.data, "\n"),
                  result.output.data);
    if (header.data && access(header.data, R_OK) == 0) {
        *strrchr(header.data, '/') = '\0';
        toolchain->header_directory = text_take(&header);
    }
    text_fini(&header);
    process_result_fini(&result);
}

/* An orphaned process becomes a child of the host if the host is the first process of its container or a
 * subreaper. A host that waits for any child would then wait for the server. */
static bool host_gets_orphans(void)
{
    int subreaper = 0;
    return getpid() == 1 || (prctl(PR_GET_CHILD_SUBREAPER, &subreaper) == 0 && subreaper);
}

/* clang reserves about this much address space before it begins. A smaller limit must apply to the program
 * itself, not to a server. */
static const uint64_t memory_least = UINT64_C(1) << 30;

enum status toolchain_find_server(struct toolchain *toolchain, const struct compile_request *request,
                                  struct diagnosis *diagnosis)
{
    const bool must = request->way == COMPILE_BY_SERVER;
    const bool small = request->memory_bytes && request->memory_bytes < memory_least;
    if (request->way == COMPILE_BY_PROGRAMS || (!must && (small || host_gets_orphans())))
        return STATUS_OK;
    toolchain->server = server_program_find(toolchain->server_wanted, toolchain->clang, toolchain->llvm_spirv,
                                            must ? diagnosis : NULL);
    return toolchain->server || !must ? STATUS_OK : STATUS_COMPILER_MISSING;
}

struct shared_server toolchain_shared_server(const struct toolchain *toolchain)
{
    return (struct shared_server){.program = toolchain->server,
                                  .identity = toolchain->identity.data,
                                  .runtime_directory = toolchain->runtime_directory,
                                  .cache_directory = toolchain->cache_directory,
                                  .idle_ms = toolchain->shared_idle_ms};
}

char *compiler_shared_directory(struct diagnosis *diagnosis)
{
    struct toolchain toolchain;
    char *directory = NULL;
    if (toolchain_open(&toolchain, diagnosis) == STATUS_OK) {
        const struct shared_server shared = toolchain_shared_server(&toolchain);
        directory = shared_server_directory(&shared, diagnosis);
    }
    toolchain_fini(&toolchain);
    return directory;
}

char *compiler_server(struct diagnosis *diagnosis)
{
    const struct compile_request request = {.way = COMPILE_BY_SERVER};
    struct toolchain toolchain;
    char *server = NULL;
    if (toolchain_open(&toolchain, diagnosis) == STATUS_OK &&
        toolchain_find_server(&toolchain, &request, diagnosis) == STATUS_OK) {
        server = toolchain.server;
        toolchain.server = NULL;
    }
    toolchain_fini(&toolchain);
    return server;
}

static void identify(const char *path, struct text *identity)
{
    struct stat about = {0};
    if (stat(path, &about) == 0)
        text_addf(identity, "%s %lld %lld.%09ld\n", path, (long long)about.st_size,
                  (long long)about.st_mtim.tv_sec, about.st_mtim.tv_nsec);
}

/* The file that the user names; else the file found at build time; else, because that may have been on
 * another machine, the file of the same name in PATH. */
static char *wanted_tool(const char *named, const char *built)
{
    const char *slash = strrchr(built, '/');
    if (named)
        return strdup(named);
    return strdup(server_program_is_executable(built) || !slash ? built : slash + 1);
}

/* A hash of the sources of the front end. */
static const char revision[] =
#include "sim/frontend/revision.inc"
    ;

enum status toolchain_open(struct toolchain *out_toolchain, struct diagnosis *diagnosis)
{
    struct toolchain *toolchain = out_toolchain;
    *toolchain = (struct toolchain){0};
    pthread_mutex_lock(&settings_lock);
    char *clang = wanted_tool(settings.clang, ORRERY_CLANG_DEFAULT);
    char *llvm_spirv = wanted_tool(settings.llvm_spirv, ORRERY_LLVM_SPIRV_DEFAULT);
    if (settings.cache_directory)
        toolchain->cache_directory = strdup(settings.cache_directory);
    if (settings.runtime_directory)
        toolchain->runtime_directory = strdup(settings.runtime_directory);
    toolchain->shared_idle_ms = settings.shared_idle_ms ? settings.shared_idle_ms : SHARED_IDLE_MS;
    if (settings.compile_server)
        toolchain->server_wanted = strdup(settings.compile_server);
    pthread_mutex_unlock(&settings_lock);

    enum status status = clang && llvm_spirv ? STATUS_OK : STATUS_OUT_OF_MEMORY;
    if (!status && !(toolchain->clang = find_tool(clang)))
        status = missing(clang, diagnosis);
    if (!status && !(toolchain->llvm_spirv = find_tool(llvm_spirv)))
        status = missing(llvm_spirv, diagnosis);
    if (!status) {
        text_addf(&toolchain->identity, "%s\n", revision);
        identify(toolchain->clang, &toolchain->identity);
        identify(toolchain->llvm_spirv, &toolchain->identity);
        toolchain->header_directory = find_header_directory(toolchain->clang);
        if (toolchain->header_directory)
            text_addf(&toolchain->identity, "%s\n", toolchain->header_directory);
        if (toolchain->identity.failed)
            status = STATUS_OUT_OF_MEMORY;
    }
    free(clang);
    free(llvm_spirv);
    return status;
}

void toolchain_fini(struct toolchain *toolchain)
{
    free(toolchain->clang);
    free(toolchain->llvm_spirv);
    free(toolchain->header_directory);
    free(toolchain->cache_directory);
    free(toolchain->runtime_directory);
    free(toolchain->server_wanted);
    free(toolchain->server);
    text_fini(&toolchain->identity);
}

bool compiler_available(void)
{
    struct toolchain toolchain;
    enum status status = toolchain_open(&toolchain, NULL);
    toolchain_fini(&toolchain);
    return status == STATUS_OK;
}
