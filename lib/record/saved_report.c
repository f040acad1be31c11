/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process may be killed, or end without destructors. So the report's files are written, and the counts are
 * put into memory shared with `orrery run`, before each command completes. To bound the cost within one
 * launch, later findings are saved at powers of two only.
 */
#include "saved_report.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/executor.h"
#include "orrery/watch.h"
#include "lib/api_runtime.h"

/* Saving writes all findings. So only the first findings of a launch are saved at once. */
enum { SAVED_AT_ONCE = 16 };

static struct {
    struct report *report; /* NULL: not begun, or ended */
    int (*status)(uint64_t kernels);
    void (*first)(void);     /* NULL: was called */
    struct watch *watch;     /* NULL: not watched */
    struct watch_seat *seat; /* likewise */
    pid_t process;           /* differs in a forked child, which saves nothing */
    bool changed;            /* atomic: there is something to save */
    pthread_mutex_t lock;    /* one thread saves */
} saved = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void update_seat(uint64_t kernels)
{
    if (!saved.seat)
        return;
    report_get_counts(saved.report, kernels, &saved.seat->counts);
    saved.seat->quiet = report_scenario(saved.report)->quiet;
    saved.seat->exit_status = saved.status(kernels);
}

static void save(uint64_t kernels)
{
    struct report_end end = {.kernels_run = kernels, .exit_status = -1, .unfinished = true};
    if (saved.process != getpid())
        return;
    pthread_mutex_lock(&saved.lock);
    __atomic_store_n(&saved.changed, false, __ATOMIC_RELAXED);
    if (saved.report) {
        update_seat(kernels);
        if (saved.seat && saved.seat->exit_status)
            end.exit_status = saved.seat->exit_status;
        report_save_files(saved.report, &end);
    }
    pthread_mutex_unlock(&saved.lock);
}

static bool is_power(size_t count)
{
    return (count & (count - 1)) == 0;
}

/* A finding outside of commands is saved at once: the host's error may be its last step. */
static void host_finding_saved(size_t count)
{
    __atomic_store_n(&saved.changed, true, __ATOMIC_RELAXED);
    if (!executor_is_here() || count <= SAVED_AT_ONCE || is_power(count))
        save(runtime_kernels_run());
}

struct watch *saved_watch(void)
{
    const char *name = saved.watch ? NULL : secure_getenv("ORRERY_WATCH");
    if (name)
        saved.watch = watch_open(name);
    return saved.watch;
}

void saved_begin(struct report *report, int (*status)(uint64_t kernels), void (*first)(void))
{
    struct watch *watch = saved_watch();
    saved.report = report;
    saved.status = status;
    saved.first = first;
    saved.process = getpid();
    saved.seat = watch ? watch_take_seat(watch) : NULL;
    update_seat(0);
    report_share_files(report, watch);
    report_set_listener(report, host_finding_saved);
}

void saved_reached(enum reach reached, uint64_t type)
{
    if (saved.watch)
        watch_note_reached(saved.watch, reached, type);
}

void saved_replay(const char *line)
{
    if (saved.watch)
        watch_note_replay(saved.watch, line);
}

void saved_refused(const struct watch_refused *refused)
{
    if (!saved.watch || saved.process != getpid())
        return;
    pthread_mutex_lock(&saved.lock);
    if (saved.seat)
        saved.seat->refused = *refused;
    pthread_mutex_unlock(&saved.lock);
}

void saved_kernel_ran(void)
{
    if (saved.watch)
        watch_note_kernel(saved.watch);
}

void saved_reported(int exit_status)
{
    if (saved.watch)
        watch_note_reported(saved.watch, exit_status);
}

void saved_unwritten(void)
{
    if (saved.watch)
        watch_note_unwritten(saved.watch);
}

static void call_first(void)
{
    void (*first)(void) = saved.first;
    if (!first || !saved.watch || saved.process != getpid() || !runtime_kernels_run())
        return;
    saved.first = NULL;
    watch_note_kernel(saved.watch);
    pthread_mutex_lock(&saved.lock);
    if (saved.report)
        update_seat(runtime_kernels_run()); /* a kernel may be all that was expected */
    pthread_mutex_unlock(&saved.lock);
    first();
}

/* Until the first command is complete the program may still choose another schedule, so the replay line
 * is noted again. */
void saved_kernel_began(void)
{
    if (!saved.watch || saved.process != getpid())
        return;
    pthread_mutex_lock(&saved.lock);
    if (saved.report && saved.first)
        update_seat(runtime_kernels_run());
    else if (saved.seat)
        saved.seat->counts.kernels = runtime_kernels_run();
    pthread_mutex_unlock(&saved.lock);
    if (saved.first)
        saved.first();
}

void saved_command_over(void)
{
    call_first();
    if (__atomic_load_n(&saved.changed, __ATOMIC_RELAXED))
        save(runtime_kernels_run());
    else if (saved.seat)
        saved.seat->counts.kernels = runtime_kernels_run();
}

void saved_end(void)
{
    if (!saved.report || saved.process != getpid())
        return;
    pthread_mutex_lock(&saved.lock);
    report_set_listener(saved.report, NULL);
    saved.report = NULL;
    if (saved.seat)
        watch_leave_seat(saved.seat);
    saved.seat = NULL;
    pthread_mutex_unlock(&saved.lock);
}
