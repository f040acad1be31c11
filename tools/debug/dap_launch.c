/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The life of a session: launch, attach, configurationDone, restart, terminate, disconnect.
 */
#include "dap_adapter.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/target.h"
#include "tools/tools.h"

/* A run that ends before its first kernel is refused with its output, which says why: the program did
 * not compile. */
static json_t *begin_session(struct dap *dap)
{
    const struct session_host host = {
        .self = dap, .print = dap_print_output, .owns_output = true, .wait = dap_wait_for_run};
    dap->session = session_new(&dap->scenario, dap->command, &host);
    if (!dap->session)
        return dap_fail(dap, "no process for the target");
    json_t *stop = dap_accepted(dap, session_run(dap->session, json_pack("{s:s}", "mode", "launch")));
    if (!stop)
        return NULL;
    if (session_ended(dap->session)) {
        dap_fail(dap, "%s",
                 TEXT(stop, "text") && *TEXT(stop, "text") ? TEXT(stop, "text")
                                                           : "the scenario launches no kernel");
        json_decref(stop);
        return NULL;
    }
    dap->stop = stop;
    return json_object();
}

static bool has_program(const struct scenario *scenario)
{
    return scenario->program.source_file || scenario->program.source_text || scenario->program.spirv_file;
}

/* Copies the path of the program and its arguments from the request. */
static bool take_command(struct dap *dap, const char *path, const json_t *arguments)
{
    if (arguments && !json_is_array(arguments) && !json_is_null(arguments)) {
        dap_fail(dap, "\"args\": expected a list of texts");
        return false;
    }
    const size_t count = json_array_size(arguments);
    dap->command = calloc(count + 2, sizeof *dap->command);
    if (!dap->command)
        tools_no_memory();
    dap->command[0] = strdup(path);
    for (size_t i = 0; i < count; i++) {
        const char *argument = json_string_value(json_array_get(arguments, i));
        if (!argument) {
            dap_fail(dap, "\"args\" has something that is no string");
            return false;
        }
        dap->command[1 + i] = strdup(argument);
    }
    if (library_select() && settings_export(&dap->settings))
        return true;
    dap_fail(dap, "liborrery.so is neither beside this command nor in %s", ORRERY_LIBDIR);
    return false;
}

/* Loads a file of OpenCL C as the scenario that follows from the kernel's signature. */
static bool load_kernel(struct dap *dap, const char *word, const char *file, const char *kernel)
{
    char *text = target_scenario(&dap->settings, file, kernel, file, NULL);
    const bool loaded = text && settings_load_text(&dap->settings, text, word, &dap->scenario);
    free(text);
    return loaded;
}

/* Standard error goes to a file meanwhile; NULL: it stays where it is. */
static FILE *catch_messages(int *out_before)
{
    FILE *file = tmpfile();
    *out_before = file ? dup(STDERR_FILENO) : -1;
    if (*out_before >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0)
        return file;
    if (file)
        fclose(file);
    return NULL;
}

/* What was written to it is written again, and becomes the error if the target was not loaded. */
static void release_messages(struct dap *dap, FILE *file, int before)
{
    char text[sizeof dap->error] = "";
    if (!file)
        return;
    dup2(before, STDERR_FILENO);
    close(before);
    rewind(file);
    const size_t size = fread(text, 1, sizeof text - 1, file);
    fwrite(text, 1, size, stderr);
    fclose(file);
    const char *head = "orrery: error: ",
               *reason = strncmp(text, head, strlen(head)) ? text : text + strlen(head);
    if (!dap->loaded && size)
        dap_fail(dap, "%.*s", (int)strcspn(reason, "\n"), reason);
}

/* out_own: the target is a program, which launches its kernels itself. */
static bool load_quietly(struct dap *dap, const char *path, bool *out_own)
{
    const char *kernel;
    char *file = target_file(path, &kernel);
    *out_own = !file && !target_is_scenario(path);
    dap->loaded = file ? load_kernel(dap, path, file, kernel)
                       : settings_load(&dap->settings, *out_own ? NULL : path, &dap->scenario);
    free(file);
    if (!dap->loaded)
        dap_fail(dap, "%s cannot be loaded; standard error says why", path);
    return dap->loaded;
}

static bool load_target(struct dap *dap, const char *path, bool *out_own)
{
    int before;
    FILE *messages = catch_messages(&before);
    const bool loaded = load_quietly(dap, path, out_own);
    release_messages(dap, messages, before);
    return loaded;
}

/* null: as if it were left out. */
static bool is_object(struct dap *dap, const char *key, const json_t *value)
{
    if (!value || json_is_object(value) || json_is_null(value))
        return true;
    dap_fail(dap, "\"%s\": expected an object, as {\"NAME\": \"VALUE\"}", key);
    return false;
}

/* "env": of a program; null takes a variable away. */
static bool take_environment(struct dap *dap, json_t *environment)
{
    const char *name;
    json_t *value;
    if (!is_object(dap, "env", environment))
        return false;
    json_object_foreach(environment, name, value)
    {
        if (!json_is_string(value) && !json_is_null(value)) {
            dap_fail(dap, "\"env\": \"%s\" is neither text nor null", name);
            return false;
        }
        if (json_is_null(value) ? unsetenv(name) : setenv(name, json_string_value(value), 1)) {
            dap_fail(dap, "\"env\": '%s' is no name of a variable", name);
            return false;
        }
    }
    return true;
}

/* Text that lives as long as the settings, which is as long as the process. */
static const char *kept_text(struct dap *dap, const json_t *value)
{
    json_t *text = json_is_string(value)    ? json_incref((json_t *)(uintptr_t)value)
                   : json_is_integer(value) ? json_sprintf("%" JSON_INTEGER_FORMAT, json_integer_value(value))
                   : json_is_boolean(value) ? json_string(json_is_true(value) ? "true" : "false")
                                            : NULL;
    if (text)
        json_array_append_new(dap->texts, text);
    return json_string_value(text);
}

/* "options": those of orrery(1) by their names, as {"schedule": "random", "seed": 3}. */
static bool take_options(struct dap *dap, json_t *options)
{
    const char *name;
    json_t *value;
    dap->settings.count = dap->own_settings;
    if (!is_object(dap, "options", options))
        return false;
    json_object_foreach(options, name, value)
    {
        struct scenario_option option;
        const char *text = kept_text(dap, value);
        size_t i = 0;
        while (scenario_option(i, &option) && strcmp(option.name, name) != 0)
            i++;
        if (!scenario_option(i, &option) || !text || dap->settings.count == SETTINGS_MAX) {
            dap_fail(dap, "\"options\": found '%s', expected an option of orrery(1) and text or a number",
                     name);
            return false;
        }
        dap->settings.given[dap->settings.count].name = option.name;
        dap->settings.given[dap->settings.count++].value = text;
    }
    return true;
}

/* Another launch may follow one that was refused. */
static void forget_target(struct dap *dap)
{
    session_free(dap->session);
    dap->session = NULL;
    if (dap->loaded)
        scenario_fini(&dap->scenario);
    dap->loaded = false;
    for (char **word = dap->command; word && *word; word++)
        free(*word);
    free(dap->command);
    dap->command = NULL;
}

static json_t *launch(struct dap *dap, const json_t *arguments)
{
    const char *path = TEXT(arguments, "program"), *directory = TEXT(arguments, "cwd");
    bool own;
    if (!path || !*path)
        return dap_fail(dap,
                        "launch needs \"program\": the path of a scenario, a kernel's file or a program");
    if (directory && chdir(directory) < 0)
        return dap_fail(dap, "cwd: %s: %s", directory, strerror(errno));
    if (!take_environment(dap, json_object_get(arguments, "env")) ||
        !take_options(dap, json_object_get(arguments, "options")) || !load_target(dap, path, &own))
        return NULL;
    dap->scenario.schedule.timeout_seconds = 0; /* time passes while the user thinks */
    dap->without_stops = json_is_true(json_object_get(arguments, "noDebug"));
    dap->stops_on_entry = !dap->without_stops && json_is_true(json_object_get(arguments, "stopOnEntry"));
    dap->stops_at_end = !dap->without_stops && json_is_true(json_object_get(arguments, "stopAtEnd"));
    dap->finding = dap->without_stops ? 0 : (int)NUMBER(arguments, "finding");
    if (!own && !has_program(&dap->scenario))
        return dap_fail(dap, "%s has no program of its own: launch the program", path);
    if (own && target_missing(path))
        return dap_fail(dap, "%s: %s", path, strerror(target_missing(path)));
    if (own && !take_command(dap, path, json_object_get(arguments, "args")))
        return NULL;
    return begin_session(dap);
}

json_t *dap_launch(struct dap *dap, const json_t *arguments)
{
    if (dap->loaded || dap->session)
        return dap_fail(dap, "a program is launched already");
    json_t *body = launch(dap, arguments);
    if (!body)
        forget_target(dap);
    return body;
}

static void say_waiting(struct dap *dap)
{
    char text[80];
    snprintf(text, sizeof text, "Waiting for the next launch of process %d.\n",
             session_process(dap->session));
    dap_event(dap, "output", json_pack("{s:s,s:s}", "category", "console", "output", text));
}

static json_t *attach_to(struct dap *dap, const char *target)
{
    const struct session_host host = {.self = dap, .print = dap_print_output, .wait = dap_wait_for_run};
    struct diagnosis diagnosis = {0};
    dap->session = session_attach(target, &host, &diagnosis);
    if (!dap->session)
        return dap_fail(dap, "%s", diagnosis.text);
    say_waiting(dap);
    dap->stop = dap_accepted(dap, session_await_launch(dap->session));
    if (!dap->stop)
        return NULL;
    return session_ended(dap->session) ? dap_fail(dap, "the process has ended without a launch")
                                       : json_object();
}

/* The response is sent as the next launch of the process begins. "processId" may be text: an editor that lets
 * one pick has it so. */
json_t *dap_attach(struct dap *dap, const json_t *arguments)
{
    const char *target = TEXT(arguments, "socket") ? TEXT(arguments, "socket") : TEXT(arguments, "processId");
    char number[24];
    if (dap->loaded || dap->session)
        return dap_fail(dap, "a program is launched already");
    if (!target && NUMBER(arguments, "processId") > 0) {
        snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, NUMBER(arguments, "processId"));
        target = number;
    }
    if (!target)
        return dap_fail(dap, "attach needs \"processId\" or \"socket\": of a program that was started with "
                             "ORRERY_DEBUG_LISTEN=1");
    dap->stops_on_entry = json_is_true(json_object_get(arguments, "stopOnEntry"));
    return attach_to(dap, target);
}

/* Returns the number of the launch that begins here. An attached process may have had earlier ones. */
static json_int_t first_launch(struct dap *dap)
{
    json_t *launch = dap_query(dap, json_pack("{s:s}", "verb", "launch"));
    const json_int_t number = launch ? NUMBER(launch, "launch") : 1;
    json_decref(launch);
    return number;
}

json_t *dap_configuration_done(struct dap *dap, const json_t *arguments)
{
    (void)arguments;
    if (!dap->session)
        return dap_fail(dap, "nothing is launched");
    dap->enters = dap->stops_on_entry;
    if (dap->finding > 0)
        dap_resume_later(dap, "finding", json_object());
    else if (dap->stops_on_entry)
        dap_resume_later(
            dap, "run", json_pack("{s:s,s:i,s:I}", "mode", "step", "thread", 1, "launch", first_launch(dap)));
    else
        dap_resume_later(dap, "run", json_pack("{s:s}", "mode", "continue"));
    return json_object();
}

json_t *dap_disconnect(struct dap *dap, const json_t *arguments)
{
    (void)arguments;
    dap->quits = true;
    return json_object();
}

json_t *dap_terminate(struct dap *dap, const json_t *arguments)
{
    (void)arguments;
    if (!dap->over)
        dap_event(dap, "terminated", NULL);
    dap->over = true;
    return json_object();
}

json_t *dap_restart(struct dap *dap, const json_t *arguments)
{
    (void)arguments;
    if (!dap->session)
        return dap_fail(dap, "nothing is launched");
    dap_begin_progress(dap, "Restarting");
    json_t *start = dap_accepted(dap, session_restart(dap->session));
    dap_end_progress(dap);
    if (!start)
        return NULL;
    json_decref(start);
    dap->over = false;
    dap_resume_later(dap, "run",
                     json_pack("{s:s,s:i,s:i}", "mode", dap->stops_on_entry ? "step" : "continue", "thread",
                               1, "launch", 1));
    return json_object();
}
