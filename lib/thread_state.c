/* SPDX-License-Identifier: Apache-2.0 */
#include "thread_state.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool read_file(const char *path, char *text, size_t size)
{
    size_t length = 0;
    ssize_t got = 0;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    while (length + 1 < size && (got = read(file, text + length, size - 1 - length)) > 0)
        length += (size_t)got;
    close(file);
    text[length] = '\0';
    return got >= 0;
}

static bool read_of(pid_t thread, const char *what, char *text, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%ld/%s", (long)thread, what);
    return read_file(path, text, size);
}

static bool is_napping(pid_t thread)
{
    char text[256];
    long number;
    return read_of(thread, "syscall", text, sizeof text) && sscanf(text, "%ld", &number) == 1 &&
           (number == SYS_nanosleep || number == SYS_clock_nanosleep);
}

bool thread_is_alone(uint32_t others)
{
    char text[8192];
    unsigned count;
    if (!read_file("/proc/self/status", text, sizeof text))
        return true;
    const char *threads = strstr(text, "\nThreads:");
    return !threads || sscanf(threads, "\nThreads: %u", &count) != 1 || count <= others + 1;
}

bool thread_state_read(pid_t thread, struct thread_state *out_state)
{
    char text[8192], letter;
    if (!read_of(thread, "status", text, sizeof text))
        return false;
    const char *state = strstr(text, "\nState:"), *switches = strstr(text, "\nvoluntary_ctxt_switches:");
    if (!state || !switches || sscanf(state, "\nState: %c", &letter) != 1 ||
        sscanf(switches, "\nvoluntary_ctxt_switches: %" SCNu64, &out_state->switches) != 1)
        return false;
    out_state->asleep = letter == 'S';
    out_state->naps = out_state->asleep && is_napping(thread);
    return true;
}
