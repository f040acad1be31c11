/* SPDX-License-Identifier: Apache-2.0 */
/* Reads /proc/self/status and /proc/self/task/TID/{status,syscall}; see proc(5). */
#include "thread_state.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/interrupt.h"

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

uint32_t thread_count(void)
{
    char text[8192];
    uint32_t count = 0;
    const char *threads =
        read_file("/proc/self/status", text, sizeof text) ? strstr(text, "\nThreads:") : NULL;
    return threads && sscanf(threads, "\nThreads: %" SCNu32, &count) == 1 ? count : 0;
}

static uint64_t bit_of(int number)
{
    return UINT64_C(1) << (number - 1);
}

/*
 * Does not count signals that an instruction of the thread itself raises, signals reserved by the C library,
 * and the handlers of interrupt.c, which store to no memory that kernels read.
 */
bool thread_signals_caught(void)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPIPE, 32, 33};
    char text[8192];
    uint64_t caught = 0;
    const char *mask = read_file("/proc/self/status", text, sizeof text) ? strstr(text, "\nSigCgt:") : NULL;
    if (!mask || sscanf(mask, "\nSigCgt: %" SCNx64, &caught) != 1)
        return true;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        caught &= ~bit_of(own[i]);
    for (int i = 1; i < 32; i++)
        if (caught & bit_of(i) && interrupt_own(i))
            caught &= ~bit_of(i);
    return caught != 0;
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

bool thread_others_move(pid_t one, pid_t another)
{
    DIR *threads = opendir("/proc/self/task");
    bool move = false;
    for (const struct dirent *entry; threads && !move && (entry = readdir(threads));) {
        struct thread_state state;
        const pid_t thread = (pid_t)atol(entry->d_name);
        const bool is_other = thread && thread != one && thread != another;
        if (is_other && thread_state_read(thread, &state))
            move = !state.asleep || state.naps;
    }
    if (threads)
        closedir(threads);
    return move;
}
