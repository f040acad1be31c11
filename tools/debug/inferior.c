/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process that runs a scenario. Every so many events it leaves a copy of itself; when all places for
 * copies are taken, every second one goes and the distance doubles. Besides the messages of the engine's host
 * (orrery/debug_wire.h) it sends
 *
 *   {"copy": slot, "position": n, "process": pid} {"dropped": slot} {"interval": n} {"woken": pid}
 */
#include "inferior.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "orrery/debug_wire.h"
#include "orrery/scenario_run.h"
#include "orrery/schedule.h"
#include "tools/tools.h"

enum { FIRST_INTERVAL = 1 << 15 };

struct running {
    const struct inferior *channels;
    struct copy_slot slots[COPIES];
    struct debugger *debugger;
};

static struct debugger *interrupted; /* by a signal */

static void on_interrupt(int number)
{
    (void)number;
    if (interrupted)
        debugger_interrupt(interrupted);
}

/* Ends the process if the session has ended or requests it. */
static void go_on_if(bool there)
{
    if (!there)
        _exit(0);
}

static void send_message(const struct running *running, json_t *message)
{
    go_on_if(debug_wire_send(running->channels->socket, message));
}

static void stopped(void *self, struct debugger *debugger, json_t *stop)
{
    struct running *running = self;
    running->debugger = debugger;
    go_on_if(debug_wire_stop(running->channels->socket, debugger, stop));
}

static void print(void *self, uint64_t position, const char *text, bool of_log_point)
{
    const struct running *running = self;
    go_on_if(debug_wire_print(running->channels->socket, position, text, of_log_point));
}

/* ---- copies ---------------------------------------------------------------------------------- */

static int free_slot(const struct running *running)
{
    for (int i = 0; i < COPIES; i++)
        if (!running->slots[i].used)
            return i;
    return -1;
}

static bool has_copy_at(const struct running *running, uint64_t position)
{
    for (int i = 0; i < COPIES; i++)
        if (running->slots[i].used && running->slots[i].position == position)
            return true;
    return false;
}

/* Ends the copies whose position is no multiple of the doubled distance. The one at position 0 stays. */
static void thin_out(struct running *running)
{
    const struct wake end = {.end = true};
    const uint64_t interval = debugger_checkpoint_interval(running->debugger) * 2;
    for (int i = 0; i < COPIES; i++) {
        struct copy_slot *slot = &running->slots[i];
        if (!slot->used || slot->position % interval == 0)
            continue;
        go_on_if(debug_wire_bytes(running->channels->pipes[i][1], &end, sizeof end));
        slot->used = false;
        send_message(running, json_pack("{s:i}", "dropped", i));
    }
    debugger_checkpoint_every(running->debugger, interval);
    send_message(running, json_pack("{s:I}", "interval", (json_int_t)interval));
}

static bool read_wake(const struct running *running, int slot, struct wake *out)
{
    struct pollfd fds[2] = {{running->channels->pipes[slot][0], POLLIN, 0},
                            {running->channels->life, POLLIN, 0}};
    for (;;) {
        if (poll(fds, 2, -1) < 0 && errno != EINTR)
            return false;
        if (fds[0].revents & POLLIN)
            return read(fds[0].fd, out, sizeof *out) == (ssize_t)sizeof *out;
        if (fds[1].revents & (POLLHUP | POLLIN | POLLERR))
            return false;
    }
}

/* Runs in the copy: sleeps until it is woken, and returns in a child of the copy. */
static void sleep_at(struct running *running, int slot)
{
    struct wake wake;
    signal(DEBUG_SIGNAL, SIG_IGN);
    signal(SIGCHLD, SIG_IGN); /* those that were woken leave no zombies */
    for (;;) {
        if (!read_wake(running, slot, &wake) || wake.end)
            _exit(0);
        if (fork() == 0)
            break;
    }
    signal(DEBUG_SIGNAL, on_interrupt);
    signal(SIGCHLD, SIG_DFL);
    memcpy(running->slots, wake.slots, sizeof running->slots);
    if (wake.interval != debugger_checkpoint_interval(running->debugger))
        debugger_checkpoint_every(running->debugger, wake.interval);
    send_message(running, json_pack("{s:i}", "woken", (int)getpid()));
    debugger_hold(running->debugger);
    go_on_if(debug_wire_serve(running->channels->socket, running->debugger));
}

static void checkpoint(void *self, struct debugger *debugger, uint64_t position)
{
    struct running *running = self;
    running->debugger = debugger;
    if (has_copy_at(running, position))
        return;
    int slot = free_slot(running);
    if (slot < 0) {
        thin_out(running);
        slot = free_slot(running);
    }
    if (slot < 0 || position % debugger_checkpoint_interval(debugger))
        return;
    running->slots[slot] = (struct copy_slot){true, position, 0};
    const pid_t copy = fork();
    if (copy < 0) {
        running->slots[slot].used = false;
        return;
    }
    if (copy == 0)
        sleep_at(running, slot);
    running->slots[slot].process = copy;
    send_message(running, json_pack("{s:i,s:I,s:i}", "copy", slot, "position", (json_int_t)position,
                                    "process", (int)copy));
}

/* ---- the run --------------------------------------------------------------------------------- */

/* Prints a token if steps were chosen by hand, since neither policy nor seed repeats those. */
static void print_token(const struct scenario *scenario, const struct schedule_record *record, FILE *stream)
{
    char *token = record && record->shrunk ? schedule_replay_token(record) : NULL;
    if (token)
        fprintf(stream, "The same schedule again: orrery replay %s %s\n", token, scenario->file);
    free(token);
}

static char *conclusion(const struct scenario *scenario, struct report *report, enum status status,
                        const struct diagnosis *diagnosis, const struct scenario_result *result)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return NULL;
    if (status != STATUS_OK && status != STATUS_NO_PROGRESS)
        fprintf(stream, "error: %s: %s\n", scenario->file,
                diagnosis->text[0] ? diagnosis->text : status_name(status));
    for (size_t i = 0; i < report_count(report); i++)
        report_print_finding(stream, report_get(report, i), false);
    if (status == STATUS_OK || status == STATUS_NO_PROGRESS)
        report_finish(stream, report, result->kernels_run);
    print_token(scenario, result->record, stream);
    fclose(stream);
    return text;
}

_Noreturn void inferior_run(const struct inferior *channels, struct scenario *scenario)
{
    struct running running = {.channels = channels};
    struct diagnosis diagnosis = {0};
    struct scenario_result result;
    struct report *report = report_new(scenario);
    const struct debugger_host host = {
        .self = &running, .stopped = stopped, .checkpoint = checkpoint, .print = print};
    struct debugger *debugger = report ? debugger_new(&host, report) : NULL;
    if (!debugger)
        tools_no_memory();
    interrupted = debugger;
    signal(SIGINT, SIG_IGN); /* the session passes on what the terminal sends */
    signal(DEBUG_SIGNAL, on_interrupt);
    debugger_attend(debugger, scenario);
    report_set_stream(report, NULL, false);
    debugger_begin(debugger);
    debugger_checkpoint_every(debugger, FIRST_INTERVAL);
    enum status status = scenario_run(scenario, report, &result, &diagnosis);
    char *text = conclusion(scenario, report, status, &diagnosis, &result);
    debugger_end(debugger, text ? text : "",
                 tools_exit_status_of_run(scenario, report, status, result.kernels_run));
    _exit(0);
}
