/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each scenario is checked in a process of its own, whose standard output and standard error output are files
 * without a name. A third such file takes notes, lines of JSON: a finding, or a mark
 * {"type":"mark","end":BYTES,"whole":BOOL} with the bytes of the standard output that were differences by
 * then. The parent waits for the processes in the order of the command line, prints the output of each, and
 * writes the forms at the end: nothing depends on which process was first.
 */
#include "check_results.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools.h"

struct job {
    pid_t process;
    FILE *out, *err, *notes;
};

struct checked_work {
    const struct check_options *options;
    check_one *one;
    void *context;
    struct job *jobs;
    size_t started;
};

void check_mark(FILE *notes, enum check_mark mark)
{
    if (!notes)
        return;
    fflush(stdout);
    json_t *line =
        json_pack("{s:s,s:I,s:b}", "type", "mark", "end", (json_int_t)lseek(STDOUT_FILENO, 0, SEEK_CUR),
                  "whole", mark == CHECK_MARK_WHOLE);
    json_dumpf(line, notes, JSON_COMPACT);
    fputc('\n', notes);
    json_decref(line);
}

/* ---- what a process left ------------------------------------------------------------- */

static char *read_stream(FILE *stream, size_t *out_length)
{
    char chunk[4096], *text = NULL;
    FILE *memory = open_memstream(&text, out_length);
    if (!memory)
        tools_no_memory();
    rewind(stream);
    for (size_t got; (got = fread(chunk, 1, sizeof chunk, stream)) > 0;)
        fwrite(chunk, 1, got, memory);
    fclose(memory);
    return text;
}

static void add_difference(json_t *differences, const char *text, size_t length)
{
    while (length && *text == ' ') {
        text++;
        length--;
    }
    while (length && text[length - 1] == '\n')
        length--;
    char *clean = check_clean_text(text, length);
    if (*clean)
        json_array_append_new(differences, json_string(clean));
    free(clean);
}

static void add_differences(json_t *differences, const char *text, size_t length, bool whole)
{
    for (size_t at = 0; at < length;) {
        const char *newline = whole ? NULL : memchr(text + at, '\n', length - at);
        const size_t end = newline ? (size_t)(newline - text) + 1 : length;
        add_difference(differences, text + at, end - at);
        at = end;
    }
}

static void take_notes(struct check_result *result, FILE *notes, const char *out, size_t length)
{
    char *line = NULL;
    size_t room = 0, begin = 0;
    rewind(notes);
    while (getline(&line, &room, notes) > 0) {
        json_t *object = json_loads(line, 0, NULL);
        const char *type = json_string_value(json_object_get(object, "type"));
        const size_t end = (size_t)json_integer_value(json_object_get(object, "end"));
        if (type && strcmp(type, "finding") == 0)
            json_array_append(result->findings, object);
        if (type && strcmp(type, "time") == 0)
            result->time = json_incref(json_object_get(object, "ns"));
        if (type && strcmp(type, "mark") == 0 && end >= begin && end <= length) {
            add_differences(result->differences, out + begin, end - begin,
                            json_is_true(json_object_get(object, "whole")));
            begin = end;
        }
        json_decref(object);
    }
    free(line);
}

static int code_of(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void close_job(struct job *job)
{
    fclose(job->out);
    fclose(job->err);
    fclose(job->notes);
}

/* In order, each stream where it belongs; TAP has the standard output for itself. */
static void print_streams(const struct check_options *options, const char *out, size_t out_length,
                          const char *err, size_t err_length)
{
    if (!options->tap)
        fwrite(out, 1, out_length, stdout);
    fflush(stdout);
    fwrite(err, 1, err_length, stderr);
    fflush(stderr);
}

static void collect(const struct check_options *options, struct job *job, struct check_result *result,
                    size_t number)
{
    int status = 0;
    size_t out_length = 0, err_length = 0;
    while (waitpid(job->process, &status, 0) < 0)
        ;
    result->code = code_of(status);
    char *out = read_stream(job->out, &out_length), *err = read_stream(job->err, &err_length);
    print_streams(options, out, out_length, err, err_length);
    take_notes(result, job->notes, out, out_length);
    result->out = check_clean_text(out, out_length);
    result->err = check_clean_text(err, err_length);
    if (WIFSIGNALED(status))
        result->interrupted = WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGTERM;
    if (WIFSIGNALED(status) && !result->interrupted)
        tools_message("error: %s: the check was ended by signal %d (%s)", result->path, WTERMSIG(status),
                      strsignal(WTERMSIG(status)));
    if (options->tap)
        check_forms_tap(result, number);
    fflush(stdout);
    free(out);
    free(err);
    close_job(job);
}

/* ---- the processes ----------------------------------------------------------------------- */

static const int passed_on[] = {SIGINT, SIGTERM};
static struct {
    volatile pid_t *processes;
    volatile size_t count;
    volatile sig_atomic_t caught_signal;
} running;

/* Signals of a terminal reach the processes anyway; one from another process is for all of them. */
static void on_signal(int number, siginfo_t *info, void *context)
{
    (void)context;
    running.caught_signal = number;
    for (size_t i = 0; info->si_code <= 0 && i < running.count; i++)
        if (running.processes[i] > 0)
            kill(running.processes[i], number);
}

static void catch_signals(void)
{
    for (size_t i = 0; i < sizeof passed_on / sizeof *passed_on; i++) {
        struct sigaction action = {.sa_flags = (int)(SA_SIGINFO | SA_RESTART | SA_RESETHAND)};
        action.sa_sigaction = on_signal;
        sigaction(passed_on[i], &action, NULL);
    }
}

_Noreturn static void check_in_child(const struct checked_work *work, char *path, const struct job *job)
{
    for (size_t i = 0; i < sizeof passed_on / sizeof *passed_on; i++)
        signal(passed_on[i], SIG_DFL);
    dup2(fileno(job->out), STDOUT_FILENO);
    dup2(fileno(job->err), STDERR_FILENO);
    const int code = work->one(work->context, path, job->notes);
    fflush(NULL);
    _exit(code);
}

static bool start(struct checked_work *work, char *path, size_t index)
{
    struct job *job = &work->jobs[index];
    *job = (struct job){.out = tmpfile(), .err = tmpfile(), .notes = tmpfile()};
    if (!job->out || !job->err || !job->notes) {
        tools_message("error: no temporary file can be made");
        return false;
    }
    fflush(NULL);
    job->process = fork();
    if (job->process == 0)
        check_in_child(work, path, job);
    if (job->process < 0)
        tools_message("error: no process can be started");
    running.processes[index] = job->process;
    running.count = index + 1;
    return job->process > 0;
}

static bool start_up_to(struct checked_work *work, char *const *paths, size_t count)
{
    bool fine = true;
    for (; fine && !running.caught_signal && work->started < count; work->started += fine)
        fine = start(work, paths[work->started], work->started);
    return fine;
}

static struct check_result result_of(const char *path)
{
    return (struct check_result){.path = path, .differences = json_array(), .findings = json_array()};
}

static void results_free(struct check_result *results, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(results[i].out);
        free(results[i].err);
        json_decref(results[i].differences);
        json_decref(results[i].findings);
        json_decref(results[i].time);
    }
    free(results);
}

void check_failed_begin(struct check_failed *failed)
{
    *failed = (struct check_failed){.names = NULL};
    failed->stream = open_memstream(&failed->names, &failed->size);
    if (!failed->stream)
        tools_no_memory();
}

void check_failed_add(struct check_failed *failed, const char *path, int code)
{
    if (code)
        fprintf(failed->stream, "%s%s", failed->count++ ? ", " : "", path);
}

void check_failed_end(struct check_failed *failed, size_t checked, const struct check_options *options)
{
    if (fclose(failed->stream) != 0)
        tools_no_memory();
    fflush(stdout);
    if (failed->count && checked > 1 && !options->tap && !options->quiet)
        tools_message("%zu of %zu scenarios do not pass: %s", failed->count, checked, failed->names);
    free(failed->names);
}

int check_results_run(const struct check_options *options, char *const *paths, size_t count, check_one *one,
                      void *context, int *out_caught)
{
    struct checked_work work = {
        .options = options, .one = one, .context = context, .jobs = calloc(count + 1, sizeof *work.jobs)};
    struct check_result *results = calloc(count + 1, sizeof *results);
    pid_t *processes = calloc(count + 1, sizeof *processes);
    struct check_failed failed;
    int worst = 0;
    size_t done = 0;
    bool fine = true;
    if (!work.jobs || !results || !processes)
        tools_no_memory();
    running.processes = processes;
    check_failed_begin(&failed);
    catch_signals();
    if (options->tap)
        printf("TAP version 14\n1..%zu\n", count);
    for (; done < count; done++) {
        const size_t ahead = done + options->jobs;
        fine = start_up_to(&work, paths, ahead < count ? ahead : count) && fine;
        if (done == work.started)
            break;
        results[done] = result_of(paths[done]);
        collect(options, &work.jobs[done], &results[done], done + 1);
        processes[done] = 0; /* the number may be another's from now on */
        worst = results[done].code > worst ? results[done].code : worst;
        check_failed_add(&failed, paths[done], results[done].code);
    }
    if (options->tap && done < count)
        puts("Bail out! The check was interrupted.");
    fine &= check_forms_write(options, results, done);
    check_failed_end(&failed, done, options);
    results_free(results, done);
    free(work.jobs);
    running.count = 0;
    free(processes);
    *out_caught = running.caught_signal;
    return !fine && worst < EXIT_FAILED ? EXIT_FAILED : worst;
}
