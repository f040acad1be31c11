/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The handler only sets a flag, which the schedule polls; the executing thread does the rest. A second
 * signal that is no repetition, or one while no kernel runs, has its default action. A handler that the
 * program installs later replaces this one.
 */
#include "interrupt.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "message_stream.h"
#include "orrery/signal_repeat.h"

static const int caught[] = {SIGINT, SIGTERM};
static volatile sig_atomic_t caught_signal, runs;
static struct timespec first; /* signal that is caught; of the handler */

static void on_signal(int signal_number)
{
    if (caught_signal && signal_repeats(&first))
        return;
    if (runs && !caught_signal) {
        caught_signal = signal_number;
        signal_repeats(&first);
        return;
    }
    signal(signal_number, SIG_DFL);
    raise(signal_number); /* the signal is blocked until the handler returns; then it ends the process */
}

void interrupt_catch(void)
{
    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++) {
        struct sigaction action = {.sa_flags = SA_RESTART}, before;
        action.sa_handler = on_signal;
        if (sigaction(caught[i], NULL, &before) == 0 && !(before.sa_flags & SA_SIGINFO) &&
            before.sa_handler == SIG_DFL)
            sigaction(caught[i], &action, NULL);
    }
}

bool interrupt_own(int signal_number)
{
    struct sigaction now;
    return sigaction(signal_number, NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) &&
           now.sa_handler == on_signal;
}

static void note(const char *text)
{
    fprintf(message_stream(), "orrery: note: %s\n", text);
}

const struct schedule_watch *interrupt_watch(void)
{
    static const struct schedule_watch watch = {.signal = &caught_signal, .note = note};
    return &watch;
}

void interrupt_running(bool now)
{
    runs = now;
}

int interrupt_caught(void)
{
    return caught_signal;
}

_Noreturn void interrupt_end(void)
{
    const int signal_number = caught_signal;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal_number);
    fprintf(message_stream(), "orrery: the program was ended by signal %d (%s)\n", signal_number,
            strsignal(signal_number));
    signal(signal_number, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    raise(signal_number);
    _exit(128 + signal_number);
}
