/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The debug console: evaluate and completions. Text that is no expression is a verb of the terminal client.
 */
#include "dap_adapter.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "completions.h"

/* Offers the variables of the frame, else of the stop. Without a work-item it offers functions alone. */
json_t *dap_completions(struct dap *dap, const json_t *arguments)
{
    static const char *const scopes[] = {"locals", "arguments", "globals"};
    const json_int_t id = NUMBER(arguments, "frameId"), column = NUMBER(arguments, "column");
    const char *text = TEXT(arguments, "text");
    json_int_t thread = NUMBER(dap->stop, "thread");
    int frame = 0;
    if (!text || column < 1)
        return dap_fail(dap, "completions needs a text and a column from 1");
    if (id) {
        const struct dap_handle *handle = dap_frame_find(dap, id);
        if (!handle)
            return NULL;
        thread = handle->thread;
        frame = handle->frame;
    }
    json_t *variables = json_array();
    for (size_t i = 0; dap->session && thread && i < sizeof scopes / sizeof *scopes; i++) {
        json_t *answer = dap_query(dap, json_pack("{s:s,s:s,s:I,s:i}", "verb", "variables", "scope",
                                                  scopes[i], "thread", thread, "frame", frame));
        json_array_extend(variables, json_object_get(answer, "list"));
        json_decref(answer);
    }
    json_t *targets = completions_find(text, (size_t)column, variables);
    for (size_t i = 0; dap->client.columns_from_0 && i < json_array_size(targets); i++) {
        json_t *target = json_array_get(targets, i);
        json_object_set_new(target, "start", json_integer(NUMBER(target, "start") - 1));
    }
    json_decref(variables);
    return json_pack("{s:o}", "targets", targets);
}

/* Where no work-item runs, line numbers mean the first source of the program. */
static char *first_source(struct dap *dap)
{
    json_t *sources = dap_query(dap, json_pack("{s:s}", "verb", "sources"));
    const char *file = json_string_value(json_array_get(json_object_get(sources, "list"), 0));
    char *copy = file ? strdup(file) : NULL;
    json_decref(sources);
    return copy;
}

/* The terminal's verbs apply to the frame that the client selected, else to that of the stop. */
static void look_from(struct dap *dap, const struct dap_handle *frame)
{
    struct terminal *t = &dap->terminal;
    t->session = dap->session;
    t->file = t->file ? t->file : first_source(dap);
    if (dap->stop != t->stop) {
        json_decref(t->stop);
        t->stop = json_incref(dap->stop);
    }
    t->thread = frame ? frame->thread : NUMBER(dap->stop, "thread");
    t->launch = NUMBER(dap->stop, "launch");
    t->frame = frame ? (uint32_t)frame->frame : 0;
    t->next_point = (uint32_t)dap->next_point + 1;
    t->others = json_array();
    for (int i = 0; i < 4; i++)
        json_array_extend(t->others, dap->points[i]);
}

/* Does the verb run the target again, from an earlier copy or from the beginning? */
static bool goes_back(const char *line)
{
    static const char *const verbs[] = {"reverse-", "rc", "rn", "rs", "goto", "first-access", "run", "start"};
    line += strspn(line, " \t");
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (!strncmp(line, verbs[i], strlen(verbs[i])))
            return true;
    return false;
}

/* Executes a verb of the terminal. Its stop is announced after the response. */
static json_t *run_verb(struct dap *dap, const struct dap_handle *frame, const char *line)
{
    struct terminal *t = &dap->terminal;
    look_from(dap, frame);
    const json_int_t thread = t->thread;
    if (goes_back(line))
        dap_begin_progress(dap, "Going back");
    char *text = terminal_text(t, line);
    dap_end_progress(dap);
    const size_t size = strlen(text);
    if (size && text[size - 1] == '\n')
        text[size - 1] = '\0';
    dap->next_point = (json_int_t)t->next_point - 1;
    json_decref(t->others);
    t->others = NULL;
    if (t->stop != dap->stop) {
        json_decref(dap->stop);
        dap->stop = json_incref(t->stop);
        dap->moved = true;
    } else if (t->thread != thread) {
        dap_focus_on(dap, t->thread);
    }
    if (t->quits)
        dap_terminate(dap, NULL);
    json_t *body = t->failed ? dap_fail(dap, "%.*s", (int)strcspn(text, "\n"), text)
                             : json_pack("{s:s,s:i}", "result", text, "variablesReference", 0);
    free(text);
    return body;
}

json_t *dap_run_to_finding(struct dap *dap, int number)
{
    char line[32];
    snprintf(line, sizeof line, "race %d", number);
    json_t *answer = run_verb(dap, NULL, line);
    if (!answer)
        dap_event(dap, "output", json_pack("{s:s,s:s+}", "category", "console", "output", dap->error, "\n"));
    json_decref(answer);
    dap->moved = false;
    return json_incref(dap->stop);
}

/* Memory and variables may show in several places of the client. */
void dap_announce_values(struct dap *dap, const json_t *address, json_int_t size)
{
    char reference[24];
    snprintf(reference, sizeof reference, "0x%" PRIx64, (uint64_t)json_integer_value(address));
    if (dap->client.takes_memory && address)
        dap_event(dap, "memory",
                  json_pack("{s:s,s:i,s:I}", "memoryReference", reference, "offset", 0, "count", size));
    if (dap->client.takes_invalidated)
        dap_event(dap, "invalidated", json_pack("{s:[s]}", "areas", "variables"));
}

/* In the console, text that is no expression here is tried as a verb of the terminal. */
json_t *dap_evaluate(struct dap *dap, const json_t *arguments)
{
    const char *context = TEXT(arguments, "context"),
               *expression = TEXT(arguments, "expression") ? TEXT(arguments, "expression") : "";
    const bool console = context && !strcmp(context, "repl");
    const json_int_t id = NUMBER(arguments, "frameId");
    json_t *body = dap_evaluate_here(dap, arguments, expression, console, "result");
    if (body || !console || !dap->session || !terminal_has_verb(expression))
        return body;
    const struct dap_handle *frame = id ? dap_frame_find(dap, id) : NULL;
    if (id && !frame)
        return NULL;
    const struct dap_handle copy = frame ? *frame : (struct dap_handle){0};
    return run_verb(dap, frame ? &copy : NULL, expression);
}
