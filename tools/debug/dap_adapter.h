/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What the files of the Debug Adapter share: its state, its handles, and the requests that each file
 *          answers. dap.c has the loop; no file outside tools/debug/dap*.c includes this.
 *
 * Interface
 *   A request gets its "arguments" and returns the body of its response. NULL: it is refused, and dap->error
 *   has the reason (dap_fail). It may leave work for after the response with dap_resume_later.
 *   Bodies and answers of the engine are new references, which the caller releases.
 */
#ifndef ORRERY_TOOLS_DEBUG_DAP_ADAPTER_H
#define ORRERY_TOOLS_DEBUG_DAP_ADAPTER_H

#include <time.h>

#include "dap_wire.h"
#include "orrery/report.h"
#include "orrery/scenario.h"
#include "session.h"
#include "terminal.h"
#include "tools/tools.h"

#define TEXT(object, key) json_string_value(json_object_get(object, key))
#define NUMBER(object, key) json_integer_value(json_object_get(object, key))

enum dap_handle_kind { HANDLE_FRAME, HANDLE_HOST_FRAME, HANDLE_SCOPE, HANDLE_VALUE, HANDLE_IDS };
struct dap_handle {
    enum dap_handle_kind kind;
    json_int_t thread;
    int frame;
    char *text;   /* the name of the scope, or the value's expression */
    bool indexed; /* its members are numbered */
};

enum { BY_LINE, BY_FUNCTION, BY_DATA, BY_FINDING, DAP_POINT_KINDS };

struct dap {
    struct dap_wire wire;
    struct settings settings; /* the command line's, and the launch's after them */
    size_t own_settings;      /* number of the command line's */
    json_t *texts;            /* of the launch's */
    struct scenario scenario;
    char **command; /* the target, when it is a program; NULL: a scenario that launches its kernels */
    bool loaded, quits, stops_on_entry, stops_at_end, over;
    bool without_stops; /* "noDebug": breakpoints are accepted and not set */
    bool enters;        /* the next step is the one to the first line */
    struct session *session;
    json_int_t exit_code; /* of a run that ended by itself */
    json_t *waiting;      /* requests that arrived while it ran */
    json_t *stop;         /* the latest, of the engine */
    json_t *resume;       /* work after the response: {"how": ..., "plan": ...} */
    json_t *points[DAP_POINT_KINDS];
    json_int_t next_point;
    struct dap_handle *handles;
    size_t handle_count, handle_room;
    json_t *sources;          /* names: sourceReference is 1 + index */
    struct terminal terminal; /* the verbs of the debug console */
    struct {
        bool lines_from_0, columns_from_0, uris;
        bool takes_invalidated, takes_memory; /* these events */
    } client;
    json_t *threads;  /* the latest answer, for a client that asks while the target runs; NULL: none yet */
    json_t *verified; /* ids of breakpoints that were announced as verified: keys of an object */
    int finding;      /* the run goes to this one first; 0: to none */
    bool runs;        /* the target runs forwards */
    bool paused;      /* the client wants it to stop */
    bool peeks;       /* it is to stop for requests that set breakpoints, and then to go on */
    bool moved;       /* a verb moved, or another work-item is in focus: announced after the response */
    struct {
        bool supported, shown;
        struct timespec began;
        long reported;     /* seconds */
        int number;        /* of the latest that was shown */
        const char *title; /* of what is under way; NULL: nothing that is to be shown */
    } progress;
    char error[512];
};

typedef json_t *dap_request(struct dap *dap, const json_t *arguments);

/* dap.c */
json_t *dap_fail(struct dap *dap, const char *format, ...) __attribute__((format(printf, 2, 3))); /* NULL */
void dap_event(struct dap *dap, const char *name, json_t *body); /* takes the body; NULL: an empty one */
void dap_print_output(void *self, const char *text);
bool dap_wait_for_run(void *self, int fd);
json_t *dap_accepted(struct dap *dap, json_t *answer); /* takes the answer; NULL: the engine refused */
json_t *dap_query(struct dap *dap, json_t *wanted);    /* takes the request; NULL: refused */

dap_request dap_initialize; /* dap_capabilities.c */

/* dap_client_forms.c */
void dap_take_client_forms(struct dap *dap, const json_t *arguments);
void dap_from_client(const struct dap *dap, json_t *arguments);
json_t *dap_to_client(const struct dap *dap, json_t *body); /* takes the body; another one, or the same */

/* dap_launch.c */
dap_request dap_launch, dap_attach, dap_configuration_done, dap_disconnect, dap_terminate, dap_restart;

/* dap_steps.c */
dap_request dap_continue, dap_next, dap_step_in, dap_step_out, dap_step_back, dap_reverse_continue,
    dap_restart_frame, dap_pause, dap_cancel, dap_goto_position;
void dap_resume_later(struct dap *dap, const char *how, json_t *plan); /* takes the plan */
void dap_resume_now(struct dap *dap);
void dap_answer_waiting(struct dap *dap); /* dap.c: requests that set breakpoints, which came while it ran */

/* dap_stops.c */
void dap_announce_stop(struct dap *dap, json_t *stop); /* takes the stop */

/* dap_progress.c: of one long request at a time */
void dap_begin_progress(struct dap *dap, const char *title);
void dap_note_progress(struct dap *dap);
void dap_end_progress(struct dap *dap);

/* dap_breakpoints.c */
dap_request dap_set_breakpoints, dap_set_function_breakpoints, dap_set_exception_breakpoints,
    dap_exception_info, dap_breakpoint_locations;
void dap_announce_breakpoints(struct dap *dap); /* those that the kernel here has, and earlier ones had not */
bool dap_sets_breakpoints(const char *command);
json_t *dap_send_points(struct dap *dap); /* all kinds to the engine; its places of them */
json_t *dap_breakpoints_body(struct dap *dap, const json_t *mine);
void dap_take_options(json_t *point, const json_t *from); /* condition, hit count, log message */

dap_request dap_data_breakpoint_info, dap_set_data_breakpoints; /* dap_data_breakpoints.c */

/* dap_threads.c */
dap_request dap_threads, dap_focus;
json_t *dap_known_threads(const struct dap *dap); /* without asking the engine */
json_int_t dap_item_of(struct dap *dap, json_int_t thread);
bool dap_focus_on(struct dap *dap, json_int_t thread);

dap_request dap_stack_trace, dap_scopes; /* dap_stack.c */

/* dap_handles.c */
void dap_handles_clear(struct dap *dap);
json_int_t dap_handle_new(struct dap *dap, const struct dap_handle *handle); /* copies its text */
/* NULL: refused; what is the member of the request. A pointer is good until the next dap_handle_new. */
const struct dap_handle *dap_handle_find(struct dap *dap, json_int_t number, const char *what);
const struct dap_handle *dap_frame_find(struct dap *dap, json_int_t number); /* of a kernel */

/* dap_variables.c */
dap_request dap_variables, dap_set_variable, dap_set_expression;
/* key: the member for the value's text, "value" or "result" */
json_t *dap_evaluate_here(struct dap *dap, const json_t *arguments, const char *expression, bool assigns,
                          const char *key);
/* The expression of the variable that arguments name in a container or a frame; malloc'd. NULL: refused. */
char *dap_expression_of(struct dap *dap, const json_t *arguments, const char *name, json_int_t *out_thread,
                        int *out_frame);

dap_request dap_evaluate, dap_completions;               /* dap_console.c */
json_t *dap_run_to_finding(struct dap *dap, int number); /* the stop */
void dap_announce_values(struct dap *dap, const json_t *address,
                         json_int_t size); /* they were changed by hand */

/* dap_memory.c */
dap_request dap_read_memory, dap_write_memory;
uint64_t dap_address_of(const json_t *arguments); /* memoryReference + offset */

dap_request dap_disassemble; /* dap_disassemble.c */

/* dap_sources.c */
dap_request dap_source, dap_loaded_sources, dap_modules;
json_t *dap_source_of(struct dap *dap, const char *name);
char *dap_program_path(const struct dap *dap,
                       const char *name); /* of the host or a kernel; malloc'd, or NULL */

/* dap_queries.c */
dap_request dap_host, dap_lanes, dap_why, dap_may_read, dap_schedule, dap_clocks, dap_hash, dap_last_access;

#endif
