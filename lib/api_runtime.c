/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The library in a process: the first call sets up scenario, report, device and platform; a destructor of
 * the library writes the summary, the files and the replay line, and may replace the exit status. Processes
 * that end without exit (abort, _exit, exec) have their record written by a child process first.
 */
#include "api_runtime.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "built_in.h"
#include "lib/diagnose/call.h"
#include "debug_session.h"
#include "environment.h"
#include "error.h"
#include "lib/diagnose/injected_fault.h"
#include "lib/host/guard.h"
#include "lib/diagnose/host_gone.h"
#include "lib/host/host_changed.h"
#include "lib/record/launch_saver.h"
#include "lib/record/host_log.h"
#include "interrupt.h"
#include "message_stream.h"
#include "queue.h"
#include "root.h"
#include "lib/record/saved_report.h"
#include "subdevice.h"
#include "lib/diagnose/usage.h"
#include "orrery/file_limit.h"
#include "orrery/replay.h"
#include "orrery/report_width.h"
#include "orrery/schedule.h"
#include "orrery/watch.h"

enum { EXIT_USAGE = 2, EXIT_NOTHING_RAN = 3, EXIT_NO_PROGRESS = 124 };

static struct runtime runtime;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool started;      /* atomic */
static pid_t started_by;  /* differs in a forked child that makes no call */
static FILE *log_stream;  /* NULL: message_stream() */
static char *record_name; /* NULL: nothing is recorded */
static bool concluded;
static bool interrupted;        /* a signal ends the run; the summary and the replay line are printed */
static uint64_t kernels_before; /* kernels that ran on devices which runtime_load replaced */
static uint64_t launches_most;  /* the largest number of launches of one device with the scenario */

/* ---- the lock ------------------------------------------------------------------ */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local bool lock_held;

void runtime_lock(void)
{
    pthread_mutex_lock(&lock);
    lock_held = true;
}

void runtime_unlock(void)
{
    lock_held = false;
    pthread_mutex_unlock(&lock);
}

bool runtime_lock_held(void)
{
    return lock_held;
}

/* ---- set-up -------------------------------------------------------------------- */

static void error(const struct diagnosis *diagnosis)
{
    fprintf(message_stream(), "orrery: error: %s\n",
            diagnosis->text[0] ? diagnosis->text : status_name(diagnosis->status));
}

/* Reads a scenario from path or text (or neither), and applies the environment's options to it. */
static enum status scenario_read(struct scenario *scenario, const char *path, const char *text,
                                 struct diagnosis *diagnosis)
{
    enum status status = STATUS_OK;
    scenario_default(scenario);
    scenario->schedule.watch = interrupt_watch();
    if (path)
        status = scenario_load_file(scenario, path, diagnosis);
    else if (text)
        status = scenario_load_text(scenario, text, "scenario", diagnosis);
    if (!status)
        status = environment_apply(scenario, diagnosis);
    if (!status)
        status = scenario_check_policy(scenario, diagnosis);
    return status ? status : report_outputs_check(scenario, diagnosis);
}

/* https://no-color.org: NO_COLOR that is set and not empty means no colour. */
static bool wants_colour(void)
{
    const char *refused = getenv("NO_COLOR");
    if (runtime.scenario.colour != COLOUR_AUTO)
        return runtime.scenario.colour == COLOUR_ALWAYS;
    return isatty(message_file()) && !(refused && *refused);
}

static FILE *findings_stream(void)
{
    return log_stream ? log_stream : message_stream();
}

static void log_open(void)
{
    const char *name = runtime.scenario.log_file;
    if (log_stream)
        fclose(log_stream);
    log_stream = name ? report_open_log(name, saved_watch(), runtime.scenario.force_files) : NULL;
    if (name && !log_stream)
        fprintf(message_stream(), "orrery: warning: cannot write %s: findings go to standard error\n", name);
    if (log_stream)
        report_set_stream(runtime.report, log_stream, false);
    else
        report_set_stream(runtime.report, message_stream(), wants_colour());
    report_set_columns(runtime.report, log_stream ? 0 : report_columns(message_file(), getenv("COLUMNS")));
}

static void name_roots(void)
{
    for (cl_uint i = 0; i < runtime.platform->root_count; i++)
        device_report_name(runtime.platform->roots[i], runtime.report);
}

static enum status platform_set_up(struct diagnosis *diagnosis)
{
    struct roots roots;
    enum status status = device_new(&runtime.scenario, runtime.report, &runtime.device, diagnosis);
    if (!status)
        status = roots_make(runtime.device, &runtime.scenario, &roots, diagnosis);
    if (status)
        return status;
    runtime.platform = object_new(OBJECT_PLATFORM, sizeof *runtime.platform);
    if (!runtime.platform)
        return diagnose(diagnosis, STATUS_OUT_OF_MEMORY, "out of host memory");
    object_publish(runtime.platform);
    status = roots_replace(runtime.platform, &roots, diagnosis);
    if (!status)
        name_roots();
    return status;
}

/* The settings that may change between two launches, as the scenario had them. */
static struct {
    struct schedule_config schedule;
    enum severity checks[CHECK_COUNT], fail_on;
    uint32_t max_findings;
} loaded;

static void remember_options(void)
{
    loaded.schedule = runtime.scenario.schedule;
    memcpy(loaded.checks, runtime.scenario.checks, sizeof loaded.checks);
    loaded.fail_on = runtime.scenario.fail_on;
    loaded.max_findings = runtime.scenario.max_findings;
}

/* The exit status by the findings, or 0: the program's own. */
static int exit_status(uint64_t kernels)
{
    const struct scenario *scenario = &runtime.scenario;
    if (scenario->keep_exit_code)
        return 0;
    if (scenario->fail_on != SEVERITY_OFF && report_total(runtime.report, scenario->fail_on))
        return scenario->error_exitcode;
    return scenario->expect_kernels && !kernels ? EXIT_NOTHING_RAN : 0;
}

/* ---- names of this process ------------------------------------------------------------ */

enum { WORDS_MOST = 64 };

/* pytest appends the phase to the name: "test_sum.py::test_sum (call)". */
static void name_of_test(char out_name[TEST_NAME_CHARS])
{
    const char *own = secure_getenv("ORRERY_TEST"),
               *name = own && *own ? own : secure_getenv("PYTEST_CURRENT_TEST");
    snprintf(out_name, TEST_NAME_CHARS, "%s", name ? name : "");
    char *phase = own && *own ? NULL : strrchr(out_name, '(');
    if (phase && phase > out_name && phase[-1] == ' ')
        phase[-1] = '\0';
}

/* The words of the command line, at most WORDS_MOST; malloc'd. */
static void take_words(char *words[WORDS_MOST + 1])
{
    size_t room = 0, count = 0;
    FILE *stream = fopen("/proc/self/cmdline", "re");
    while (stream && count < WORDS_MOST && getdelim(&words[count], &room, '\0', stream) > 0) {
        count++;
        room = 0;
    }
    free(words[count]);
    words[count] = NULL;
    if (stream)
        fclose(stream);
}

static void name_process(void)
{
    char *words[WORDS_MOST + 1] = {NULL};
    struct watch *watch = saved_watch();
    take_words(words);
    const struct report_process process = {.program = program_invocation_short_name,
                                           .words = (const char *const *)words,
                                           .number = watch ? watch_count_process(watch) : 0};
    report_set_process(runtime.report, &process);
    report_set_test(runtime.report, name_of_test);
    for (size_t i = 0; words[i]; i++)
        free(words[i]);
}

static void begin_to_save(void);

static void set_up(void)
{
    struct diagnosis diagnosis = {0};
    const char *path = secure_getenv("ORRERY_SCENARIO");
    environment_configure_compiler();
    enum status status = scenario_read(&runtime.scenario, path && *path ? path : NULL, NULL, &diagnosis);
    if (!status) {
        runtime.report = report_new(&runtime.scenario);
        status =
            runtime.report ? STATUS_OK : diagnose(&diagnosis, STATUS_OUT_OF_MEMORY, "out of host memory");
    }
    if (!status) {
        remember_options();
        name_process();
        log_open();
        debug_begin(&runtime.scenario, runtime.report);
        status = platform_set_up(&diagnosis);
    }
    if (!status)
        status = host_log_begin(runtime.scenario.schedule.record_file, runtime.scenario.schedule.replay,
                                &diagnosis);
    runtime.broken = status != STATUS_OK;
    if (runtime.broken)
        error(&diagnosis);
    else
        begin_to_save();
    started_by = getpid();
    interrupt_catch();
    __atomic_store_n(&started, true, __ATOMIC_RELEASE);
}

struct runtime *runtime_get(void)
{
    pthread_once(&once, set_up);
    return &runtime;
}

/* The first call was made. Sets up nothing. */
static bool runtime_started(void)
{
    return __atomic_load_n(&started, __ATOMIC_ACQUIRE);
}

struct device *runtime_device(void)
{
    return runtime_get()->device;
}

/* ---- another scenario ------------------------------------------------------------ */

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static void count_launches(void)
{
    const uint64_t launches = device_kernels_run(runtime.device);
    launches_most = launches > launches_most ? launches : launches_most;
}

/* Makes another device for the scenario. Objects of the old device stay valid. */
static enum status renew_device(struct diagnosis *diagnosis)
{
    struct device *device = NULL;
    struct roots roots = {0};
    enum status status = device_new(&runtime.scenario, runtime.report, &device, diagnosis);
    if (!status)
        status = roots_make(device, &runtime.scenario, &roots, diagnosis);
    if (!status)
        status = roots_replace(runtime.platform, &roots, diagnosis);
    if (status) {
        roots_free(&roots);
        device_free(device);
        return status;
    }
    name_roots();
    count_launches();
    kernels_before += device_kernels_run(runtime.device);
    device_free(runtime.device);
    runtime.device = device;
    return STATUS_OK;
}

/* The report points to runtime.scenario, so the scenario is replaced in place. So are the device objects,
 * whose handles the program may have. */
static enum status exchange(struct scenario *scenario, struct diagnosis *diagnosis)
{
    struct scenario old = runtime.scenario;
    runtime.scenario = *scenario;
    runtime.scenario.debug = old.debug;
    enum status status = renew_device(diagnosis);
    if (status) {
        runtime.scenario = old;
        scenario_fini(scenario);
        return status;
    }
    if (!same_text(old.log_file, runtime.scenario.log_file))
        log_open();
    launches_most = 0;
    remember_options();
    fault_reset();
    scenario_fini(&old);
    return STATUS_OK;
}

/* Sub-devices that only the platform references do not count. */
static bool sub_devices_live(void)
{
    const struct platform *platform = runtime.platform;
    for (cl_uint i = 0; i < platform->root_count; i++)
        subdevice_forget_tiles(platform->roots[i]);
    return object_live_count(OBJECT_DEVICE) > platform->root_count;
}

cl_int runtime_load(const char *path, const char *text, struct diagnosis *diagnosis)
{
    struct scenario scenario;
    if (runtime_get()->broken)
        return CL_INVALID_PLATFORM;
    queue_settle();
    if (object_live_count(OBJECT_CONTEXT) || sub_devices_live()) {
        diagnose(diagnosis, STATUS_BAD_SCENARIO,
                 "release every context and sub-device before another scenario is loaded");
        return CL_INVALID_OPERATION;
    }
    if (scenario_read(&scenario, path, text, diagnosis)) {
        scenario_fini(&scenario);
        return CL_INVALID_VALUE;
    }
    built_ins_forget();
    return exchange(&scenario, diagnosis) ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

/*
 * Seeds, policies and limits apply from the next launch on. A device's counters are fixed at its creation.
 * An unused device is made again; with a used one the checks stay as they were before.
 */
static cl_int settle_checks(const enum severity before[CHECK_COUNT], struct diagnosis *diagnosis)
{
    const bool same = !memcmp(before, runtime.scenario.checks, sizeof runtime.scenario.checks);
    if (!same && !object_live_count(OBJECT_CONTEXT))
        return error_from_status(renew_device(diagnosis));
    if (same || device_has_check_data(runtime.device))
        return CL_SUCCESS;
    memcpy(runtime.scenario.checks, before, sizeof runtime.scenario.checks);
    diagnose(diagnosis, STATUS_BAD_SCENARIO,
             "release every context before switching on a check that needs all earlier accesses");
    return CL_INVALID_OPERATION;
}

cl_int runtime_set_option(const char *option, const char *value, struct diagnosis *diagnosis)
{
    enum severity before[CHECK_COUNT];
    if (runtime_get()->broken)
        return CL_INVALID_PLATFORM;
    queue_settle();
    memcpy(before, runtime.scenario.checks, sizeof before);
    runtime_lock();
    enum status status = scenario_apply_option(&runtime.scenario, option, value, diagnosis);
    runtime_unlock();
    return status ? error_from_status(status) : settle_checks(before, diagnosis);
}

cl_int runtime_restore_options(void)
{
    enum severity before[CHECK_COUNT];
    queue_settle();
    memcpy(before, runtime.scenario.checks, sizeof before);
    runtime_lock();
    runtime.scenario.schedule = loaded.schedule;
    memcpy(runtime.scenario.checks, loaded.checks, sizeof loaded.checks);
    runtime.scenario.fail_on = loaded.fail_on;
    runtime.scenario.max_findings = loaded.max_findings;
    runtime_unlock();
    return settle_checks(before, NULL);
}

/* ---- the end --------------------------------------------------------------------- */

uint64_t runtime_kernels_run(void)
{
    return kernels_before + device_kernels_run(runtime.device);
}

/* "-- ./program arguments", as this process was started; malloc'd. */
static char *own_command(void)
{
    char *text = NULL, *word = NULL;
    size_t size = 0, room = 0;
    FILE *words = fopen("/proc/self/cmdline", "re"), *stream = words ? open_memstream(&text, &size) : NULL;
    if (stream)
        fputs("--", stream);
    while (stream && getdelim(&word, &room, '\0', words) > 0) {
        fputc(' ', stream);
        replay_word_print(stream, word);
    }
    free(word);
    if (stream && fclose(stream) != 0) {
        free(text);
        text = NULL;
    }
    if (words)
        fclose(words);
    return text;
}

static char *option_value(const void *self, const struct scenario_option *option)
{
    const char *value = secure_getenv(option->variable);
    (void)self;
    return value ? strdup(value) : NULL;
}

static struct replay_options own_options(void)
{
    const char *path = secure_getenv("ORRERY_SCENARIO");
    return (struct replay_options){.scenario = path && *path ? path : NULL, .value = option_value};
}

/* The name of the record that has the order of the threads; NULL: the order does not matter, or is not
 * recorded. */
static char *own_record(bool recorded)
{
    const char *replay = secure_getenv("ORRERY_REPLAY");
    if (!host_log_several())
        return NULL;
    if (record_name && recorded)
        return strdup(record_name);
    return host_log_follows() && replay ? strdup(replay) : NULL;
}

/* The replay line; NULL: out of memory, or a debugger has chosen steps, which no token repeats. */
static char *line_of(const struct schedule_record *record, const char *file)
{
    const struct replay_options options = own_options();
    char *target = record->forked ? NULL : own_command();
    const struct replay_run run = {.options = &options, .record = record, .file = file, .target = target};
    char *line = target ? replay_line(&run) : NULL;
    free(target);
    return line;
}

/* The run depends on choices of the scheduler. */
static bool was_chosen(const struct schedule_record *record)
{
    const bool changes_waves =
        record->settings.policy != SCHEDULE_LOCKSTEP || record->mixed || record->has_switches;
    return record->shape && (changes_waves || host_log_several());
}

/* Gives the replay line to `orrery run`, which prints it if the program fails by itself. */
static void note_replay(bool recorded)
{
    const struct schedule_record *record = device_record(runtime_device());
    char *file = own_record(recorded), *line = was_chosen(record) ? line_of(record, file) : NULL,
         *noted = NULL;
    if (line && !file && host_log_several() && asprintf(&noted, "%s\n%s", line, report_loose_note()) < 0)
        noted = NULL;
    saved_replay(noted ? noted : line ? line : "");
    free(noted);
    free(line);
    free(file);
}

/* If findings do not change the exit status, as under `orrery check`, the line is printed only for a
 * schedule that no token can represent. */
static void print_replay(const struct schedule_record *record, bool recorded, bool failed)
{
    char *file = own_record(recorded), *line = failed ? line_of(record, file) : NULL;
    report_set_replay(runtime.report, line, !file && host_log_several());
    if (line)
        saved_replay("");
    free(line);
    free(file);
}

/* True: the record was written to its file. */
static bool write_record(const struct schedule_record *record)
{
    const struct replay_options options = own_options();
    FILE *stream = record_name ? report_output_open(record_name, "w", runtime.scenario.force_files) : NULL;
    if (record_name && !stream)
        fprintf(message_stream(), "orrery: warning: cannot write %s\n", record_name);
    if (!stream)
        return false;
    fputs(SCHEDULE_RECORD_MAGIC, stream);
    replay_options_print(&options, !record->shape, stream);
    schedule_record_print(record, stream);
    host_log_print(stream);
    const bool whole = !ferror(stream);
    if (fclose(stream) == 0 && whole)
        return true;
    fprintf(message_stream(), "orrery: error: cannot write %s\n", record_name);
    return false;
}

/* ---- ends without exit -------------------------------------------------------------- */

enum { CHILD_WAITS = 100 /* of 10 milliseconds */, CHILD_TRIES = 8 };

/*
 * A child process writes the record. It is made by the system call, without the handlers of fork(2), because
 * this thread may hold any lock: only the child can hang on it, or crash on data that another thread was
 * changing. False: it hung or crashed.
 */
static bool write_record_apart(void)
{
    const struct timespec pause = {0, 10000000};
    const pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    int status = 0;
    if (child == 0) {
        note_replay(write_record(device_record(runtime_device())));
        _exit(0);
    }
    for (int i = 0; child > 0 && i < CHILD_WAITS; i++) {
        if (waitpid(child, &status, WNOHANG) != 0)
            return WIFEXITED(status);
        nanosleep(&pause, NULL);
    }
    if (child > 0) {
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    return child < 0;
}

/* Several tries: by the next one the other thread may have released its lock and finished its change. */
static void write_record_before(void)
{
    bool done = started_by != getpid() || concluded;
    for (int tries = 0; !done && tries < CHILD_TRIES; tries++)
        done = write_record_apart();
}

static void on_abort(int signal_number)
{
    const int kept = errno;
    write_record_before();
    errno = kept;
    raise(signal_number); /* the signal is blocked until the handler returns; then it ends the process */
}

static void catch_abort(void)
{
    struct sigaction action = {.sa_flags = (int)SA_RESETHAND}, before;
    action.sa_handler = on_abort;
    if (sigaction(SIGABRT, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
        sigaction(SIGABRT, &action, NULL);
}

/* Registers with ending_preload.c, if that is preloaded. */
static void catch_ending(void)
{
    void (*call)(void (*)(void)) =
        (void (*)(void (*)(void)))(uintptr_t)dlsym(RTLD_DEFAULT, "orrery_ending_call");
    if (call)
        call(write_record_before);
}

static void note_first(void)
{
    note_replay(record_name != NULL);
}

static void begin_to_save(void)
{
    const char *name = runtime.scenario.schedule.record_file;
    record_name = name ? report_file_name(name) : NULL;
    saved_begin(runtime.report, exit_status, note_first);
    if (record_name) {
        catch_abort();
        catch_ending();
    }
}

/* The program is not to blame: its status stays, except that `orrery run` makes a 0 of it EXIT_FAILED. */
static void warn_unwritten(const struct diagnosis *diagnosis)
{
    fprintf(message_stream(), "orrery: warning: %s\n", diagnosis->text);
    saved_unwritten();
}

/* status: the exit status by the findings; -1: the program's own. fits: the run followed its schedule to
 * the end. */
static void write_conclusion(uint64_t kernels, int status, bool fits)
{
    const bool nothing_ran = status == EXIT_NOTHING_RAN && runtime.scenario.expect_kernels && !kernels;
    const bool has_findings = report_count(runtime.report) || report_suppressed_count(runtime.report);
    const bool happened = kernels || nothing_ran || fault_any() || has_findings;
    bool wanted = happened || secure_getenv("ORRERY_SUMMARY");
    const struct report_end end = {.kernels_run = kernels, .exit_status = status};
    struct diagnosis diagnosis = {0};
    bool recorded = write_record(device_record(runtime_device()));
    concluded = true;
    note_replay(recorded);
    if (!fits)
        saved_replay("");
    const bool failed = status > 0 || interrupted;
    if (fits && (failed || (runtime.scenario.keep_exit_code && report_count(runtime.report))))
        print_replay(device_record(runtime_device()), recorded, failed);
    if (!report_write_files(runtime.report, &end, &diagnosis))
        warn_unwritten(&diagnosis);
    diagnosis = (struct diagnosis){0};
    if (!device_write_results(runtime.device, wanted ? findings_stream() : NULL, &diagnosis))
        warn_unwritten(&diagnosis);
    if (record_name && !recorded)
        saved_unwritten();
    if (wanted && !runtime.scenario.quiet)
        fault_finish(findings_stream());
    if (!runtime.scenario.quiet)
        call_refused_note(message_stream());
    launch_saver_end(runtime.device);
    if (nothing_ran)
        fprintf(message_stream(),
                "orrery: error: this process ran no kernel, and --expect-kernels wants one: exit status %d\n",
                EXIT_NOTHING_RAN);
    if (wanted && fits)
        report_finish(findings_stream(), runtime.report, kernels);
    if (wanted && fits && !saved_watch()) /* under `orrery run`, that prints it once for all processes */
        report_note_off(findings_stream(), &runtime.scenario);
    if (log_stream && (fflush(log_stream) != 0 || ferror(log_stream))) {
        fprintf(message_stream(), "orrery: warning: %s cannot be written: what was found is not in it\n",
                runtime.scenario.log_file);
        saved_unwritten();
    }
    if (wanted || !fits)
        saved_reported(status > 0 && !nothing_ran ? status : 0);
}

/* The program's own streams are flushed as without the library: past RLIMIT_FSIZE it ends by a signal. */
static void conclude(uint64_t kernels, int status, bool fits)
{
    struct file_limit hold;
    file_limit_hold(&hold);
    write_conclusion(kernels, status, fits);
    file_limit_release(&hold);
    fflush(NULL);
    saved_end();
}

/* A replay or script that does not fit is an error of the user, not a finding about the program. */
_Noreturn void runtime_bad_scenario(const struct diagnosis *diagnosis)
{
    error(diagnosis);
    conclude(runtime_kernels_run(), EXIT_USAGE, false);
    _exit(EXIT_USAGE);
}

_Noreturn void runtime_no_progress(void)
{
    conclude(runtime_kernels_run(), EXIT_NO_PROGRESS, true);
    _exit(EXIT_NO_PROGRESS);
}

/* The places of the work-items are printed already. The summary has the findings so far; the exit status
 * is that of the signal. */
_Noreturn void runtime_interrupted(void)
{
    interrupted = true;
    if (runtime_kernels_run())
        saved_kernel_ran(); /* a kernel that has begun counts for --expect-kernels */
    conclude(runtime_kernels_run(), -1, true);
    interrupt_end();
}

/* A library's destructors run after the program's atexit handlers and the destructors of its static C++
 * objects, so no calls follow. */
__attribute__((destructor)) static void process_ends(void)
{
    if (!runtime_started() || runtime.broken || started_by != getpid())
        return;
    queue_shutdown();
    guard_share();
    host_gone_look();
    host_changed_look();
    host_changed_end();
    usage_finish();
    uint64_t kernels = runtime_kernels_run();
    struct diagnosis diagnosis = {0};
    count_launches();
    if (schedule_script_over(&runtime.scenario.schedule, launches_most, &diagnosis) ||
        schedule_replay_over(&runtime.scenario.schedule, launches_most, &diagnosis))
        runtime_bad_scenario(&diagnosis);
    int status = exit_status(kernels);
    conclude(kernels, status ? status : -1, true);
    debug_end(status);
    if (status)
        _exit(status);
}
