/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stop of the engine as the protocol's events: stopped, or exited and terminated.
 */
#include "dap_adapter.h"

#include <string.h>

static void announce_end(struct dap *dap, const json_t *stop)
{
    const char *text = TEXT(stop, "text");
    if (text && *text)
        dap_event(dap, "output", json_pack("{s:s,s:s}", "category", "console", "output", text));
    dap->exit_code = NUMBER(stop, "status");
    if (dap->stops_at_end) {
        dap_event(dap, "stopped",
                  json_pack("{s:s,s:s,s:i,s:b}", "reason", "pause", "description", "The run is over",
                            "threadId", 1, "allThreadsStopped", true));
        return;
    }
    dap->over = true;
    dap_event(dap, "exited", json_pack("{s:I}", "exitCode", dap->exit_code));
    dap_event(dap, "terminated", NULL);
}

void dap_announce_stop(struct dap *dap, json_t *stop)
{
    static const struct {
        const char *reason, *of_protocol;
    } rows[] = {{"breakpoint", "breakpoint"},
                {"watchpoint", "data breakpoint"},
                {"finding", "exception"},
                {"step", "step"},
                {"launch", "entry"},
                {"pause", "pause"},
                {"barrier", "step"},
                {"entry", "restart"},
                {"focus", "focus"}};
    const char *error = TEXT(stop, "error"), *reason = TEXT(stop, "reason"), *shown = "goto";
    dap_handles_clear(dap);
    json_decref(dap->stop);
    dap->stop = stop;
    if (error) {
        json_t *line = json_sprintf("%s\n", error);
        dap_event(dap, "output", json_pack("{s:s,s:o}", "category", "stderr", "output", line));
        if (session_ended(dap->session) && !dap->over) {
            dap->over = true;
            const json_int_t code = NUMBER(stop, "exit_code");
            dap_event(dap, "exited", json_pack("{s:I}", "exitCode", code ? code : dap->exit_code));
            dap_event(dap, "terminated", NULL);
        }
        return;
    }
    if (!strcmp(reason, "exited")) {
        announce_end(dap, stop);
        return;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].reason, reason))
            shown = rows[i].of_protocol;
    if (dap->enters && !strcmp(shown, "step"))
        shown = "entry";
    dap->enters = false;
    const json_int_t thread = NUMBER(stop, "thread"), point = NUMBER(stop, "point");
    const json_t *finding = json_object_get(stop, "finding");
    json_t *body = json_pack("{s:s,s:I,s:b}", "reason", shown, "threadId", thread ? thread : 1,
                             "allThreadsStopped", true);
    if (point && point < TERMINAL_OWN_POINT)
        json_object_set_new(body, "hitBreakpointIds", json_pack("[I]", point));
    if (!strcmp(reason, "beginning"))
        json_object_set_new(body, "description", json_string("The beginning of the run"));
    if (finding)
        json_object_set_new(body, "text", json_string(TEXT(finding, "id")));
    else if (TEXT(stop, "text"))
        json_object_set_new(body, "text", json_string(TEXT(stop, "text")));
    dap_announce_breakpoints(dap);
    dap_event(dap, "stopped", body);
}
