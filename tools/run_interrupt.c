/* SPDX-License-Identifier: Apache-2.0 */
/* A signal while a scenario runs: its launches stop, it is summed up, and the command ends by the signal. */
#include "tools.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "orrery/schedule.h"
#include "orrery/signal_repeat.h"

static const int caught[] = {SIGINT, SIGTERM};
static volatile sig_atomic_t came, launches;
static volatile sig_atomic_t
    ends_before; /* a launch has begun: while a compiler runs nothing is to be summed up */

static struct timespec first; /* signal that came; of the handler */

/* A second signal that is no repetition ends the command at once. */
static void on_signal(int signal_number)
{
    const bool again = came != 0;
    if (signal_repeats(&first))
        return;
    came = signal_number;
    if (again || (ends_before && !launches)) {
        signal(signal_number, SIG_DFL);
        raise(signal_number);
    }
}

static void note(const char *text)
{
    tools_message("note: %s", text);
}

static void show_launch(uint32_t launch, const char *kernel, uint32_t percent)
{
    progress_note("orrery: launch %" PRIu32 ", kernel %s, %" PRIu32 " %% of its work-groups have begun",
                  launch, kernel, percent);
}

void interrupt_catch(void)
{
    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++) {
        struct sigaction action = {.sa_flags = SA_RESTART}, before;
        action.sa_handler = on_signal;
        if (sigaction(caught[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(caught[i], &action, NULL);
    }
}

void interrupt_attach(struct scenario *scenario, bool shows_launches)
{
    static const struct schedule_watch silent = {.signal = &came, .launches = &launches, .note = note},
                                       shown = {.signal = &came,
                                                .launches = &launches,
                                                .note = note,
                                                .progress = show_launch};
    ends_before = shows_launches;
    scenario->schedule.watch = shows_launches ? &shown : &silent;
    interrupt_catch();
}

int interrupt_caught(void)
{
    return came;
}

void interrupt_end(void)
{
    if (!came)
        return;
    tools_message("the run was ended by signal %d (%s)", (int)came, strsignal(came));
    tools_end_by(came);
}

/* As the shell expects of a command that was interrupted; one core is enough. */
_Noreturn void tools_end_by(int signal_number)
{
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    fflush(NULL);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
    _exit(128 + signal_number);
}
