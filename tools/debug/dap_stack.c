/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stackTrace and scopes. The last frame of a program's stack is the host's call that enqueued the launch.
 */
#include "dap_adapter.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The call that enqueued the launch. It has no scopes: the host's variables are not known. */
static json_t *host_frame(struct dap *dap, const json_t *host, json_int_t thread)
{
    char name[256];
    const char *file = TEXT(host, "file"), *slash = file ? strrchr(file, '/') : NULL;
    snprintf(name, sizeof name, "%s%s%s", TEXT(host, "function") ? TEXT(host, "function") : "host program",
             TEXT(host, "call") ? ": " : "", TEXT(host, "call") ? TEXT(host, "call") : "");
    const json_int_t id =
        dap_handle_new(dap, &(struct dap_handle){.kind = HANDLE_HOST_FRAME, .thread = thread});
    json_t *shown = json_pack("{s:I,s:s,s:I,s:i,s:s}", "id", id, "name", name, "line", NUMBER(host, "line"),
                              "column", 0, "presentationHint", "subtle");
    char *path = NUMBER(host, "line") && file ? dap_program_path(dap, file) : NULL;
    if (path)
        json_object_set_new(shown, "source",
                            json_pack("{s:s,s:s}", "name", slash ? slash + 1 : file, "path", path));
    free(path);
    return shown;
}

json_t *dap_stack_trace(struct dap *dap, const json_t *arguments)
{
    const json_int_t thread = dap_item_of(dap, NUMBER(arguments, "threadId")),
                     first = NUMBER(arguments, "startFrame"), levels = NUMBER(arguments, "levels");
    json_t *answer = dap_query(dap, json_pack("{s:s,s:I}", "verb", "stack", "thread", thread)),
           *list = json_array();
    const json_t *frames = json_object_get(answer, "frames");
    const json_int_t count = (json_int_t)json_array_size(frames);
    if (!answer) {
        json_decref(list);
        return dap->session && (session_ended(dap->session) || !NUMBER(dap->stop, "thread"))
                   ? json_pack("{s:[],s:i}", "stackFrames", "totalFrames", 0)
                   : NULL;
    }
    json_t *code = dap_query(
        dap, json_pack("{s:s,s:I,s:i,s:i}", "verb", "disassemble", "thread", thread, "start", 0, "count", 0));
    for (json_int_t i = first > 0 ? first : 0; i < count && (levels <= 0 || i < first + levels); i++) {
        const json_t *frame = json_array_get(frames, (size_t)i);
        char instruction[24];
        snprintf(instruction, sizeof instruction, "0x%" PRIx64, (uint64_t)NUMBER(code, "here"));
        const json_int_t id = dap_handle_new(
            dap, &(struct dap_handle){.kind = HANDLE_FRAME, .thread = thread, .frame = (int)i});
        json_t *shown = json_pack("{s:I,s:s,s:o,s:I,s:I}", "id", id, "name", TEXT(frame, "function"),
                                  "source", dap_source_of(dap, TEXT(frame, "file")), "line",
                                  NUMBER(frame, "line"), "column", NUMBER(frame, "column"));
        if (!i)
            json_object_set_new(shown, "instructionPointerReference", json_string(instruction));
        json_array_append_new(list, shown);
    }
    const json_t *host = json_object_get(answer, "host");
    if (host && first <= count && (levels <= 0 || count < first + levels))
        json_array_append_new(list, host_frame(dap, host, thread));
    json_decref(code);
    json_t *body = json_pack("{s:o,s:I}", "stackFrames", list, "totalFrames", count + (host != NULL));
    json_decref(answer);
    return body;
}

json_t *dap_scopes(struct dap *dap, const json_t *arguments)
{
    static const struct {
        const char *name, *scope, *hint;
    } rows[] = {{"Locals", "locals", "locals"},
                {"Arguments", "arguments", "arguments"},
                {"Program and work-group", "globals", NULL}};
    const struct dap_handle *found = dap_handle_find(dap, NUMBER(arguments, "frameId"), "frameId");
    if (!found)
        return NULL;
    if (found->kind == HANDLE_HOST_FRAME)
        return json_pack("{s:[]}", "scopes");
    const struct dap_handle frame = *found;
    json_t *list = json_array();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const json_int_t id =
            dap_handle_new(dap, &(struct dap_handle){.kind = HANDLE_SCOPE,
                                                     .thread = frame.thread,
                                                     .frame = frame.frame,
                                                     .text = (char *)(uintptr_t)rows[i].scope});
        json_t *scope =
            json_pack("{s:s,s:I,s:b}", "name", rows[i].name, "variablesReference", id, "expensive", false);
        if (rows[i].hint)
            json_object_set_new(scope, "presentationHint", json_string(rows[i].hint));
        json_array_append_new(list, scope);
    }
    const json_int_t id = dap_handle_new(
        dap, &(struct dap_handle){.kind = HANDLE_IDS, .thread = frame.thread, .frame = frame.frame});
    json_array_append_new(
        list, json_pack("{s:s,s:I,s:b}", "name", "Work-item", "variablesReference", id, "expensive", false));
    return json_pack("{s:o}", "scopes", list);
}
