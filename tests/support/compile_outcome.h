/* SPDX-License-Identifier: Apache-2.0 */
/* Builds in a directory of the test's own. Tests compare their SPIR-V words and their logs. */
#ifndef ORRERY_TESTS_SUPPORT_COMPILE_OUTCOME_H
#define ORRERY_TESTS_SUPPORT_COMPILE_OUTCOME_H

#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/compile_request.h"
#include "tests/support/fail_at.h"

static const char plain_source[] = "kernel void add(global int *a, int n) { a[get_global_id(0)] += n; }\n";

/* guarded by each test's own process */
static char directory[64], server[512];

static inline void path_of(const char *name, char *out_path, size_t size)
{
    snprintf(out_path, size, "%s/%s", directory, name);
}

static inline bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && !strcmp(text + length - end_length, end);
}

static inline void find_server(void)
{
    const char *build = getenv("ORRERY_BUILDDIR");
    snprintf(server, sizeof server, "%s/orrery-compile-server", build ? build : ".");
    char *real = realpath(server, NULL);
    if (real)
        snprintf(server, sizeof server, "%s", real);
    free(real);
}

static inline struct compile_request request_by(const char *source, const char *options, enum compile_way way)
{
    struct compile_request request = request_for(source, options);
    request.seconds = 60;
    request.memory_bytes = UINT64_C(4) << 30;
    request.way = way;
    return request;
}

/* The result of a build. */
struct outcome {
    enum status status;
    struct spirv spirv;
    char *log;
};

static inline struct outcome outcome_of(const struct compile_request *request)
{
    struct outcome outcome = {STATUS_OK, {NULL, 0}, NULL};
    outcome.status = compile_opencl_c(request, &outcome.spirv, &outcome.log);
    return outcome;
}

static inline struct outcome build(const char *source, const char *options, enum compile_way way)
{
    const struct compile_request request = request_by(source, options, way);
    return outcome_of(&request);
}

static inline void outcome_fini(struct outcome *outcome)
{
    spirv_fini(&outcome->spirv);
    free(outcome->log);
}

/* Both builds ended alike: status, log, words. A failure has the line of the test. */
#define expect_same(programs, other, name) expect_same_at(__FILE__, __LINE__, programs, other, name)
static inline void expect_same_at(const char *file, int line, const struct outcome *programs,
                                  const struct outcome *other, const char *name)
{
    if (programs->status != other->status)
        fail_at(file, line, "%s: %s, not %s\n%s", name, status_name(other->status),
                status_name(programs->status), other->log);
    if (strcmp(programs->log, other->log) != 0)
        fail_at(file, line, "%s: another log\n%s\n---\n%s", name, other->log, programs->log);
    const size_t count = programs->spirv.word_count, bytes = count * sizeof(uint32_t);
    if (count != other->spirv.word_count ||
        (count && memcmp(programs->spirv.words, other->spirv.words, bytes) != 0))
        fail_at(file, line, "%s: other words: %zu of them, not %zu, or others", name, other->spirv.word_count,
                count);
}

/* The process that serves this one; 0: none. */
static inline pid_t server_of(pid_t host)
{
    pid_t found = 0;
    DIR *processes = opendir("/proc");
    ck_assert_ptr_nonnull(processes);
    for (struct dirent *entry; !found && (entry = readdir(processes));) {
        char path[300], words[1024] = "", wanted[32];
        snprintf(path, sizeof path, "/proc/%s/cmdline", entry->d_name);
        const int file = open(path, O_RDONLY | O_CLOEXEC);
        if (file < 0)
            continue;
        const ssize_t size = read(file, words, sizeof words - 1);
        close(file);
        snprintf(wanted, sizeof wanted, "%d", host);
        if (size > 0 && ends_with(words, "-compile-server") && !strcmp(words + strlen(words) + 1, wanted))
            found = atoi(entry->d_name);
    }
    closedir(processes);
    return found;
}

static const char piped_source[] = "#include \"pipe.h\"\nkernel void k(global int *a) { a[0] = PIPE; }\n";

static char pipe_path[100], pipe_options[100];

static inline void make_pipe(void)
{
    path_of("pipe.h", pipe_path, sizeof pipe_path);
    snprintf(pipe_options, sizeof pipe_options, "-I %s", directory);
    ck_assert_int_eq(mkfifo(pipe_path, 0600), 0);
}

#endif
