/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Progress events of requests that run the target again. They begin after a second, so that quick ones
 * show none.
 */
#include "dap_adapter.h"

#include <stdio.h>
#include <time.h>

static void progress_event(struct dap *dap, const char *name, json_t *body)
{
    char id[24];
    snprintf(id, sizeof id, "back-%d", dap->progress.number);
    json_object_set_new(body, "progressId", json_string(id));
    dap_event(dap, name, body);
}

void dap_begin_progress(struct dap *dap, const char *title)
{
    dap->progress.title = dap->progress.supported ? title : NULL;
    clock_gettime(CLOCK_MONOTONIC, &dap->progress.began);
}

/* Shows the progress when the request has taken a second, and then each second. */
void dap_note_progress(struct dap *dap)
{
    char text[40];
    struct timespec now;
    if (!dap->progress.title)
        return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const int64_t ms = (now.tv_sec - dap->progress.began.tv_sec) * INT64_C(1000) +
                       (now.tv_nsec - dap->progress.began.tv_nsec) / 1000000;
    const long seconds = (long)(ms / 1000);
    if (!seconds || (dap->progress.shown && seconds == dap->progress.reported))
        return;
    snprintf(text, sizeof text, "%ld s", seconds);
    dap->progress.reported = seconds;
    if (dap->progress.shown) {
        progress_event(dap, "progressUpdate", json_pack("{s:s}", "message", text));
        return;
    }
    dap->progress.shown = true;
    dap->progress.number++;
    progress_event(
        dap, "progressStart",
        json_pack("{s:s,s:b,s:s}", "title", dap->progress.title, "cancellable", true, "message", text));
}

void dap_end_progress(struct dap *dap)
{
    if (dap->progress.shown)
        progress_event(dap, "progressEnd", json_object());
    dap->progress.shown = false;
    dap->progress.title = NULL;
}
