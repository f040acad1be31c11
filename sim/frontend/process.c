/* SPDX-License-Identifier: Apache-2.0 */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Memory files that become the tool's descriptors 0, 1, 2 and 3. */
enum { STREAM_INPUT, STREAM_OUTPUT, STREAM_ERROR, STREAM_EXTRA, STREAM_COUNT };

static bool write_all(int fd, const void *bytes, size_t size)
{
    const char *next = bytes;
    while (size) {
        ssize_t written = write(fd, next, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        next += written;
        size -= (size_t)written;
    }
    return true;
}

static void read_all(int fd, struct text *out_text)
{
    char buffer[65536];
    off_t offset = 0;
    ssize_t size;
    while ((size = pread(fd, buffer, sizeof buffer, offset)) > 0 || (size < 0 && errno == EINTR)) {
        if (size < 0)
            continue;
        text_add_bytes(out_text, buffer, (size_t)size);
        offset += size;
    }
    text_add_bytes(out_text, "", 0);
}

/* Above the tool's own numbers, or the dup2 of one stream could close another. */
static int stream_open(void)
{
    int fd = memfd_create("orrery-stream", MFD_CLOEXEC);
    if (fd < 0 || fd >= STREAM_COUNT)
        return fd;
    int high = fcntl(fd, F_DUPFD_CLOEXEC, STREAM_COUNT);
    close(fd);
    return high;
}

static bool streams_open(int *streams, const struct process *process)
{
    for (int i = 0; i < STREAM_COUNT; i++)
        if ((streams[i] = stream_open()) < 0)
            return false;
    return write_all(streams[STREAM_INPUT], process->input, process->input_size) &&
           lseek(streams[STREAM_INPUT], 0, SEEK_SET) == 0;
}

static void streams_close(const int *streams)
{
    for (int i = 0; i < STREAM_COUNT; i++)
        if (streams[i] >= 0)
            close(streams[i]);
}

/* The tool must not inherit what the host ignores or blocks. */
static int spawn(const struct process *process, const int *streams, pid_t *out_pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    for (int i = 0; i < (process->extra_output ? STREAM_COUNT : STREAM_EXTRA); i++)
        posix_spawn_file_actions_adddup2(&actions, streams[i], i);
    if (process->directory)
        posix_spawn_file_actions_addchdir_np(&actions, process->directory);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    int error =
        posix_spawnp(out_pid, process->arguments[0], &actions, &attributes, process->arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static void wait_for(pid_t pid, struct process_result *result)
{
    int ended = 0;
    pid_t waited;
    do {
        waited = waitpid(pid, &ended, 0);
    } while (waited < 0 && errno == EINTR);
    result->exit_code = -1;
    if (waited < 0)
        result->reaped_by_host = true;
    else if (WIFSIGNALED(ended))
        result->signal = WTERMSIG(ended);
    else
        result->exit_code = WEXITSTATUS(ended);
}

enum status process_run(const struct process *process, struct process_result *out_result,
                        struct diagnosis *diagnosis)
{
    *out_result = (struct process_result){0};
    int streams[STREAM_COUNT] = {-1, -1, -1, -1};
    enum status status = STATUS_OK;
    if (!streams_open(streams, process)) {
        status = diagnose(diagnosis, STATUS_IO, "cannot create memory files for %s: %s",
                          process->arguments[0], strerror(errno));
        goto out;
    }
    pid_t pid;
    int error = spawn(process, streams, &pid);
    if (error) {
        status = diagnose(diagnosis, STATUS_COMPILER_MISSING, "cannot run %s: %s", process->arguments[0],
                          strerror(error));
        goto out;
    }
    wait_for(pid, out_result);
    read_all(streams[STREAM_OUTPUT], &out_result->output);
    read_all(streams[STREAM_ERROR], &out_result->error);
    read_all(streams[STREAM_EXTRA], &out_result->extra);
    if (out_result->output.failed || out_result->error.failed || out_result->extra.failed)
        status = STATUS_OUT_OF_MEMORY;
out:
    streams_close(streams);
    return status;
}

bool process_failed(const struct process_result *result)
{
    if (result->reaped_by_host)
        return result->output.size == 0;
    return result->signal || result->exit_code != 0;
}

void process_result_fini(struct process_result *result)
{
    text_fini(&result->output);
    text_fini(&result->error);
    text_fini(&result->extra);
}
