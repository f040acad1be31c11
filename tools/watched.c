/* SPDX-License-Identifier: Apache-2.0 */
/* A program as a child: what it found is reported when it ends without the library's last words. */
#include "tools.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "near_file.h"
#include "orrery/watch.h"

/* ---- signals ------------------------------------------------------------------------ */

static const int forwarded[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
static volatile sig_atomic_t child;

/* Signals of a terminal reach the program by themselves. */
static void forward(int signal, siginfo_t *info, void *context)
{
    (void)context;
    if (info->si_code <= 0)
        kill((pid_t)child, signal);
}

static void forward_signals(void)
{
    for (size_t i = 0; i < sizeof forwarded / sizeof *forwarded; i++) {
        struct sigaction action = {.sa_flags = SA_SIGINFO | SA_RESTART}, before;
        action.sa_sigaction = forward;
        if (sigaction(forwarded[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(forwarded[i], &action, NULL);
    }
}

/* ---- the program -------------------------------------------------------------------- */

static bool is_kind(const char *path, mode_t kind)
{
    struct stat status;
    return stat(path, &status) == 0 && (status.st_mode & S_IFMT) == kind;
}

/* A file that is no program, by the end of its name. */
static void say_kind(const char *name)
{
    const char *dot = strrchr(name, '.');
    if (dot && strcmp(dot, ".litmus") == 0)
        tools_message("%s is a litmus test: `orrery litmus %s` runs it", name, name);
    else if (dot && (strcmp(dot, ".spv") == 0 || strcmp(dot, ".spvasm") == 0))
        tools_message("%s is SPIR-V: `orrery dis %s` prints it, a scenario with program: {spirv: %s} runs it",
                      name, name, name);
    else
        tools_message("%s is no program: put the one that runs it before it; a kernel's file ends in .cl or "
                      ".clcpp, a scenario's in .yaml",
                      name);
}

/* What the name was probably meant to be. */
static void say_meant(const char *name)
{
    const bool here = is_kind(name, S_IFREG);
    const char *dot = strrchr(name, '.');
    if (!here && dot && strcmp(dot, ".json") == 0)
        tools_message("the file of --counters and --instructions stands after '=': --counters=%s", name);
    if (here && access(name, X_OK) == 0)
        tools_message("do you mean ./%s?", name);
    else if (here)
        say_kind(name);
    else if (is_kind(name, S_IFDIR))
        tools_message("%s is a directory: name a program, a scenario or a kernel's file", name);
    else if (strchr(name, '/'))
        near_file_say(name);
}

static int cannot_run(const char *name)
{
    const bool missing = errno == ENOENT, there = missing && access(name, F_OK) == 0;
    if (there && strchr(name, '/'))
        tools_message("error: %s: the interpreter or loader that it names is not there", name);
    else if (there)
        tools_message("error: %s: no program in PATH has this name", name);
    else
        tools_message("error: %s: %s", name, strerror(errno));
    if (!there || !strchr(name, '/'))
        say_meant(name);
    return missing ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
}

static _Noreturn void become(char **command, pid_t parent, void (*child_signal)(int), struct watch *watch)
{
    signal(SIGCHLD, child_signal);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a signal to us is meant for the program */
    if (getppid() != parent)
        _exit(EXIT_FAILED);
    execvp(command[0], command);
    const int failed = cannot_run(command[0]);
    if (watch)
        watch_note_unrunnable(watch, failed);
    _exit(failed);
}

static int wait_for_child(void)
{
    int status;
    while (waitpid((pid_t)child, &status, 0) < 0) {
        if (errno != EINTR)
            return -1;
    }
    return status;
}

/* ---- what was left ------------------------------------------------------------------- */

static bool is_gone(pid_t process)
{
    return process == (pid_t)child || (kill(process, 0) != 0 && errno == ESRCH);
}

static void print_counts(struct watch *watch, const struct watch_seat *seat, const struct scenario *scenario)
{
    const struct report_counts *counts = &seat->counts;
    const bool has_findings = counts->errors || counts->warnings || counts->suppressed;
    bool wanted = counts->kernels || has_findings || getenv("ORRERY_SUMMARY");
    FILE *log = scenario->log_file ? report_append_file(scenario->log_file, (long)seat->process) : stderr;
    if (!seat->quiet)
        watch_print_refused(stderr, &seat->refused);
    if (log && wanted && !seat->quiet)
        report_print_counts(log, counts);
    if (wanted)
        watch_note_reported(watch, 0);
    if (counts->kernels) /* perhaps it still ran */
        watch_note_kernel(watch);
    tools_log_close(log, scenario);
}

static bool any_left(const struct watch *watch)
{
    for (size_t i = 0; watch && i < WATCH_SEATS; i++) {
        if (watch->seats[i].process)
            return true;
    }
    return false;
}

/* The exit status by the findings, 0: none. Another process may have run the kernel that is expected. */
static int print_all_counts(struct watch *watch, const struct scenario *scenario)
{
    int code = 0;
    for (size_t i = 0; watch && i < WATCH_SEATS; i++) {
        const struct watch_seat *seat = &watch->seats[i];
        if (!seat->process || !is_gone(seat->process))
            continue;
        print_counts(watch, seat, scenario);
        code = code || seat->exit_status == EXIT_NOTHING_RAN ? code : seat->exit_status;
    }
    return code;
}

/* For messages about all processes: their one log, else standard error. */
static FILE *shared_log(const struct scenario *scenario)
{
    return scenario->log_file && !strchr(scenario->log_file, '%')
               ? report_append_file(scenario->log_file, (long)child)
               : stderr;
}

/* It failed by itself, or was ended: findings have had their line. */
static void print_replay(const struct watch *watch, const struct scenario *scenario, int status)
{
    const bool failed = WIFSIGNALED(status) || WEXITSTATUS(status) != 0;
    FILE *log = shared_log(scenario);
    const bool has_line = watch && failed && watch->replay[0];
    if (has_line && log && !scenario->quiet)
        fprintf(log, "orrery: replay with: %s\n", watch->replay);
    tools_log_close(log, scenario);
}

/* For any status of the program. */
static bool nothing_ran(const struct watch *watch, const struct scenario *scenario)
{
    const bool judged = scenario->expect_kernels && !scenario->keep_exit_code;
    return judged && watch && !watch_kernel_ran(watch) && !watch->exit_status;
}

/* The library prints it, too, if it is loaded in a process that ends by itself. */
static int report_nothing_ran(const struct watch *watch, int status)
{
    if (!watch->reported || !WIFEXITED(status) || WEXITSTATUS(status) != EXIT_NOTHING_RAN)
        tools_message("error: no process ran a kernel, and --expect-kernels wants one: exit status %d",
                      EXIT_NOTHING_RAN);
    return EXIT_NOTHING_RAN;
}

/* Processes without kernels and findings have no summary of their own, nor those that never load the
 * library: one stands for all. */
static void sum_up(struct watch *watch, const struct scenario *scenario)
{
    struct report_counts none = {.seed = scenario->schedule.seed, .policy = (int)scenario->schedule.policy};
    memcpy(none.checks, scenario->checks, sizeof none.checks);
    if (scenario->quiet || !watch || watch->reported)
        return;
    FILE *log = stderr;
    if (scenario->log_file && !strchr(scenario->log_file, '%'))
        log = report_open_log(scenario->log_file, watch, scenario->force_files);
    if (log)
        report_print_counts(log, &none);
    tools_log_close(log, scenario);
}

/* Also what is no regular file, or has a name for each process. */
static bool is_written_since(const char *name, const struct timespec *began)
{
    struct stat file;
    if (strchr(name, '%'))
        return true;
    if (stat(name, &file) != 0)
        return false;
    const struct timespec *written = &file.st_mtim;
    return !S_ISREG(file.st_mode) || written->tv_sec > began->tv_sec ||
           (written->tv_sec == began->tv_sec && written->tv_nsec >= began->tv_nsec);
}

/* What the library writes at the end of a process, it does not where the end is a signal or _exit. */
static void note_unwritten(FILE *log, const struct scenario *scenario, const struct timespec *began)
{
    const char *const files[] = {scenario->html_file, scenario->timeline_file, scenario->coverage_file,
                                 scenario_counters_file(scenario), scenario_instructions_file(scenario)};
    const char *separator = "orrery: note: ";
    bool any = false;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (!files[i] || is_written_since(files[i], began))
            continue;
        fprintf(log, "%s%s", separator, files[i]);
        separator = ", ";
        any = true;
    }
    if (any)
        fputs(": not written, since no process that ran a kernel came to the end of main() or to exit()\n",
              log);
}

/* Once for all processes: what no checks were on for, and why no kernel ran. A program that cannot be run
 * has no summary. */
static void add_notes(const struct watch *watch, const struct scenario *scenario,
                      const struct timespec *began)
{
    FILE *log = scenario->quiet ? NULL : shared_log(scenario);
    if (log && watch && !watch_kernel_ran(watch) && !watch->cannot_run)
        reach_print(log, (enum reach)watch->reached, watch->asked_type);
    if (log && !(watch && watch->cannot_run))
        report_note_off(log, scenario);
    if (log && watch && !watch->cannot_run)
        report_note_baseline(log, scenario, watch);
    if (log && watch && watch_kernel_ran(watch))
        note_unwritten(log, scenario, began);
    tools_log_close(log, scenario);
}

/* The rest of the program's status. */
static int outcome(struct watch *watch, const struct scenario *scenario, int status,
                   const struct timespec *began)
{
    int code = print_all_counts(watch, scenario);
    /* a process that it started ended with it, and it was not passed on */
    if (!code && watch && !scenario->keep_exit_code)
        code = watch->exit_status;
    if (!code && nothing_ran(watch, scenario))
        code = report_nothing_ran(watch, status);
    sum_up(watch, scenario);
    add_notes(watch, scenario, began);
    if (!code && WIFSIGNALED(status)) /* as the program ended, so do we */
        tools_end_by(WTERMSIG(status));
    if (!code)
        code = WEXITSTATUS(status);
    const bool lost = watch && __atomic_load_n(&watch->unwritten, __ATOMIC_ACQUIRE);
    return !code && lost && !scenario->keep_exit_code ? EXIT_FAILED : code;
}

int watched_run(char **command, const struct scenario *scenario)
{
    char name[WATCH_NAME_CHARS];
    struct watch *watch = watch_new(name);
    void (*child_signal)(int) = signal(SIGCHLD, SIG_DFL); /* else it would leave no status */
    pid_t parent = getpid();
    struct timespec began;
    clock_gettime(CLOCK_REALTIME_COARSE, &began); /* the clock of files */
    if (watch)
        setenv("ORRERY_WATCH", name, 1);
    fflush(NULL);
    child = fork();
    if (child < 0)
        return cannot_run(command[0]);
    if (child == 0)
        become(command, parent, child_signal, watch);
    forward_signals();
    int status = wait_for_child();
    if (status < 0)
        return EXIT_FAILED;
    if (WIFSIGNALED(status) && (any_left(watch) || nothing_ran(watch, scenario)))
        tools_message("the program was ended by signal %d (%s)", WTERMSIG(status),
                      strsignal(WTERMSIG(status)));
    print_replay(watch, scenario, status);
    return outcome(watch, scenario, status, &began);
}
