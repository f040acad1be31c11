/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests that move: continue, the steps, their reverses, restartFrame and pause. Each makes a plan of the
 * engine's (sim/debug/plan.c), which dap.c carries out after the response.
 */
#include "dap_adapter.h"

#include <string.h>

static json_t *step_plan(struct dap *dap, const char *mode, json_int_t thread, size_t depth)
{
    json_t *stack =
        dap_query(dap, json_pack("{s:s,s:I}", "verb", "stack", "thread", dap_item_of(dap, thread)));
    if (!stack)
        return NULL;
    const json_t *frame = json_array_get(json_object_get(stack, "frames"), depth);
    json_t *plan =
        json_pack("{s:s,s:I,s:I,s:I,s:I}", "mode", mode, "thread", NUMBER(stack, "thread"), "launch",
                  NUMBER(stack, "launch"), "call", NUMBER(frame, "call"), "line", NUMBER(frame, "line"));
    json_decref(stack);
    return plan;
}

/* Leaves the move for after the response. */
void dap_resume_later(struct dap *dap, const char *how, json_t *plan)
{
    json_decref(dap->resume);
    dap->resume = json_pack("{s:s,s:o}", "how", how, "plan", plan);
}

/* Runs by the plan; takes it. Where the run stopped only for requests that set breakpoints, it continues. */
static json_t *run(struct dap *dap, json_t *plan)
{
    dap->runs = true;
    dap->paused = dap->peeks = false;
    json_t *stop = session_run(dap->session, json_deep_copy(plan));
    for (;;) {
        const char *reason = TEXT(stop, "reason");
        const bool goes_on = dap->peeks && !dap->paused && reason && !strcmp(reason, "pause");
        dap_answer_waiting(dap);
        if (!goes_on || dap->quits)
            break;
        json_decref(stop);
        stop = session_run(dap->session, json_deep_copy(plan));
    }
    dap->runs = false;
    json_decref(plan);
    return stop;
}

void dap_resume_now(struct dap *dap)
{
    json_t *resume = dap->resume;
    const char *how = TEXT(resume, "how");
    json_t *plan = json_deep_copy(json_object_get(resume, "plan"));
    dap->resume = NULL;
    json_t *stop;
    if (strcmp(how, "run") != 0)
        dap_begin_progress(dap, !strcmp(how, "back") ? "Running backwards" : "Going to a position");
    if (!strcmp(how, "back")) {
        stop = session_back(dap->session, plan);
    } else if (!strcmp(how, "goto")) {
        stop = session_goto(dap->session, (uint64_t)NUMBER(plan, "position"));
        json_decref(plan);
    } else if (!strcmp(how, "finding")) {
        json_decref(plan);
        stop = dap_run_to_finding(dap, dap->finding);
    } else {
        stop = run(dap, plan);
    }
    json_decref(resume);
    dap_end_progress(dap);
    dap_announce_stop(dap, stop);
}

/* Of a sub-group no work-item has that number, and the focus stays. */
static json_t *plan_to_continue(const struct dap *dap, const json_t *arguments)
{
    return json_pack("{s:s,s:I,s:I}", "mode", "continue", "thread", NUMBER(arguments, "threadId"), "launch",
                     NUMBER(dap->stop, "launch"));
}

json_t *dap_continue(struct dap *dap, const json_t *arguments)
{
    if (!dap->session)
        return dap_fail(dap, "nothing is launched");
    dap_resume_later(dap, "run", plan_to_continue(dap, arguments));
    return json_pack("{s:b}", "allThreadsContinued", true);
}

static json_t *step(struct dap *dap, const json_t *arguments, const char *mode, bool back)
{
    json_t *plan = step_plan(dap, mode, NUMBER(arguments, "threadId"), 0);
    if (!plan)
        return NULL;
    dap_resume_later(dap, back ? "back" : "run", plan);
    return json_object();
}

json_t *dap_next(struct dap *dap, const json_t *arguments)
{
    return step(dap, arguments, "next", false);
}

json_t *dap_step_in(struct dap *dap, const json_t *arguments)
{
    return step(dap, arguments, "step", false);
}

json_t *dap_step_out(struct dap *dap, const json_t *arguments)
{
    return step(dap, arguments, "finish", false);
}

json_t *dap_step_back(struct dap *dap, const json_t *arguments)
{
    return step(dap, arguments, "next", true);
}

json_t *dap_reverse_continue(struct dap *dap, const json_t *arguments)
{
    if (!dap->session)
        return dap_fail(dap, "nothing is launched");
    dap_resume_later(dap, "back", plan_to_continue(dap, arguments));
    return json_object();
}

/* Goes back to where the work-item entered the function this time, so nothing runs that has not run
 * before. */
json_t *dap_restart_frame(struct dap *dap, const json_t *arguments)
{
    if (!dap->session)
        return dap_fail(dap, "nothing is launched");
    const struct dap_handle *found = dap_frame_find(dap, NUMBER(arguments, "frameId"));
    json_t *plan = found ? step_plan(dap, "entry", found->thread, (size_t)found->frame) : NULL;
    if (!plan)
        return NULL;
    json_object_set_new(plan, "points", json_false());
    dap_resume_later(dap, "back", plan);
    return json_object();
}

json_t *dap_pause(struct dap *dap, const json_t *arguments)
{
    (void)arguments;
    if (!dap->session)
        return dap_fail(dap, "nothing is launched");
    return json_object(); /* it stands: while it runs, dap_wait_for_run() takes the request */
}

/* What waits or runs is cancelled in dap_wait_for_run(). */
json_t *dap_cancel(struct dap *dap, const json_t *arguments)
{
    (void)dap;
    (void)arguments;
    return json_object();
}

json_t *dap_goto_position(struct dap *dap, const json_t *arguments)
{
    if (!dap->session)
        return dap_fail(dap, "nothing is launched");
    dap_resume_later(dap, "goto", json_pack("{s:I}", "position", NUMBER(arguments, "position")));
    return json_object();
}
