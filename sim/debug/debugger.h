/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What the files of the engine share.
 *
 * A stop stands at one lane of one wave: the focus. Requests name another work-item by its number, 1 + its
 * global linear id in the launch.
 */
#ifndef ORRERY_DEBUG_DEBUGGER_H
#define ORRERY_DEBUG_DEBUGGER_H

#include <signal.h>

#include "sim/interp/interp.h"
#include "sim/device/launch.h"
#include "orrery/debug.h"
#include "orrery/schedule.h"
#include "sim/device/device_program.h"

/* ---- value.c, expression.c ------------------------------------------------------------------- */

enum { VALUE_BYTES = 128, DEBUG_TEXT = 160 };
/* An lvalue is memory at address, private to the focus or of the device. Any other value is in bytes. */
struct debug_value {
    const struct debug_type *type;
    bool lvalue;
    uint64_t address;
    uint8_t bytes[VALUE_BYTES];
};

/* One lane in one of its frames: the place from which expressions see variables. */
struct view {
    struct debugger *debugger;
    struct wave *wave;
    uint32_t lane;
    uint32_t call, scope; /* of the frame */
    uint32_t line;        /* index in code->debug->lines */
    char format;          /* of numbers that are printed: one of FORMATS; 0: by their type */
};
/* As gdb's; X: x of what is no floating-point number. */
#define FORMATS "duxotcfasX"

struct evaluation {
    const struct view *view;
    const char *at; /* of the expression, what is left */
    bool assigns;   /* assignments are allowed */
    uint32_t depth;
    char error[DEBUG_TEXT]; /* "": none */
    struct debug_type *made[64];
    uint32_t made_count; /* pointer types of casts and &; of this evaluation */
};
/* Returns false if refused; error has the reason. The evaluation may own the value's type, so call
 * evaluation_fini only when the value is no longer used. */
bool expression_evaluate(struct evaluation *evaluation, const struct view *view, const char *expression,
                         bool assigns, struct debug_value *out_value);
void evaluation_fini(struct evaluation *evaluation);
/* Likewise, for a type: that of an expression, or one of this name. */
bool expression_type(struct evaluation *evaluation, const struct view *view, const char *text,
                     const struct debug_type **out_type);
/* Finds a type by its name, "int" or "float4". NULL: no type has that name, or there is no memory. The
 * evaluation owns vector types. */
const struct debug_type *expression_type_named(struct evaluation *evaluation, const char *name);
const struct debug_type *expression_vector_type(struct evaluation *evaluation,
                                                const struct debug_type *element, uint64_t count);
/* functions.c: calls a built-in function of OpenCL C on loaded values. Returns NULL, or what is wrong. */
bool function_is_known(const char *name);
const char *function_call(struct evaluation *evaluation, const char *name,
                          const struct debug_value *arguments, uint32_t count, struct debug_value *out);
bool value_is_true(const struct debug_value *value);

bool value_read_memory(const struct view *view, uint64_t address, void *out_bytes, uint64_t size);
bool value_write_memory(const struct view *view, uint64_t address, const void *bytes, uint64_t size);
bool value_memory_undefined(const struct view *view, uint64_t address,
                            uint64_t size); /* all of it was never written */
bool value_load(const struct view *view,
                struct debug_value *value); /* an lvalue of at most VALUE_BYTES gets its bytes */
void value_write(const struct view *view, const struct debug_value *value, FILE *stream);
void value_print_type(const struct debug_type *type, FILE *stream);
void value_print_definition(const struct debug_type *type, FILE *stream); /* with its members */
double value_double(const struct debug_value *value);
int64_t value_integer(const struct debug_value *value);
bool value_set_number(struct debug_value *value, const struct debug_type *type,
                      const struct debug_value *from); /* converts */
uint32_t value_children(const struct debug_value *value);
const struct debug_type *value_basic_type(const char *name); /* NULL: there is none of that name */
const struct debug_type *value_integer_type(uint64_t size, bool is_unsigned); /* of 1, 2, 4 or 8 bytes */

/* ---- place.c --------------------------------------------------------------------------------- */

enum place_lane_state { LANE_GONE, LANE_RUNS, LANE_READY, LANE_PARKED, LANE_BARRIER };
struct seen_wave {
    struct wave *wave;
    uint32_t line;        /* the latest that began; UINT32_MAX: none */
    uint64_t *iterations; /* iterations.c: of each of its code's loops; NULL: not counted */
};
struct frame {
    const char *function;
    const char *file;
    uint32_t line, column, call, scope, line_index;
};

struct item_id {
    uint32_t launch;
    uint64_t number;
}; /* number: 1 + global linear id; 0: none */
uint64_t place_item_number(const struct origin *origin, uint32_t lane);
bool place_find_item(const struct debugger *d, const struct item_id *id, struct wave **out_wave,
                     uint32_t *out_lane);
enum place_lane_state place_lane_state(const struct debugger *d, const struct wave *wave, uint32_t lane);
uint32_t place_lane_line(const struct debugger *d, const struct wave *wave,
                         uint32_t lane); /* UINT32_MAX: unknown */
/* Finds frame `level` of a lane; 0 is the innermost. False: the lane has fewer frames. */
bool place_find_frame(const struct view *view, uint32_t level, struct frame *out_frame);
bool view_of(struct debugger *d, struct wave *wave, uint32_t lane, uint32_t level, struct view *out_view);
const char *place_lane_state_name(enum place_lane_state state);
const char *place_code_file(const struct code *code, uint32_t string);
const struct code_variable *place_find_variable(const struct view *view, const char *name);
bool place_is_visible(const struct view *view, const struct code_variable *variable);
/* False: it has no address, or no value here. */
bool place_variable_value(const struct view *view, const struct code_variable *variable,
                          struct debug_value *out_value);
bool place_is_copy(const struct view *view, uint64_t address); /* the debugger's copy of a variable */

/* ---- stop.c ---------------------------------------------------------------------------------- */

enum point_kind { POINT_LINE, POINT_FUNCTION, POINT_WATCH, POINT_EXPRESSION, POINT_FINDING };
/* A condition that compares a variable with an integer, as in "i >= 600". length 0: the condition is of
 * another form. */
struct simple_condition {
    char name[64];
    size_t length; /* of the name */
    char operator[3];
    int32_t number;
};
struct point {
    uint32_t id;
    enum point_kind kind;
    char *file, *function, *condition, *log, *expression;
    uint32_t line;
    struct simple_condition simple; /* what the condition is, if it is one */
    uint64_t number;                /* of the only work-item that stops there; 0: each does */
    uint64_t address, size;         /* watched bytes */
    bool read, write;
    uint64_t ignore; /* so many hits do not stop */
    uint64_t hits;
    uint64_t seen; /* mark */
    uint8_t old[VALUE_BYTES];
    bool has_old;      /* POINT_EXPRESSION: its value at the line before */
    struct item_id of; /* POINT_EXPRESSION: whose */
};
struct hit {
    uint32_t point;
    struct wave *wave;
    uint32_t lane;
    char text[DEBUG_TEXT * 2];
};

/* Matches the breakpoints with the line, access or finding of this event. True: out_hit is the
 * breakpoint that stops. */
bool stop_at_line(struct debugger *d, struct wave *wave, uint32_t line, struct hit *out_hit);
bool stop_at_access(struct debugger *d, const struct access_event *event, struct hit *out_hit);
bool stop_at_finding(struct debugger *d, const struct finding *finding, struct hit *out_hit);
json_t *stop_points_set(struct debugger *d, const json_t *request);
json_t *stop_points_get(const struct debugger *d);
void stop_points_fini(struct debugger *d);
/* Returns the first line from `line` on that the code has in a function that begins at `line` or before; a
 * breakpoint on `line` is set there. 0: there is none. */
uint32_t stop_line_of_code(const struct code *code, const char *file, uint32_t line);
/* the same, in any function */
uint32_t stop_next_line(const struct code *code, const char *file, uint32_t line);

/* ---- plan.c ---------------------------------------------------------------------------------- */

enum plan_mode {
    PLAN_CONTINUE,
    PLAN_GOTO,
    PLAN_STEP,
    PLAN_NEXT,
    PLAN_FINISH,
    PLAN_UNTIL,
    PLAN_BARRIER,
    PLAN_LAUNCH,
    PLAN_ENTRY
};
struct plan {
    enum plan_mode mode;
    struct item_id item;
    uint32_t call, line; /* where it began; UNTIL: the line */
    uint64_t limit;      /* position at which it ends in any case; 0: none */
    /* likewise: once so many launches and work-groups have begun or ended, and so many slices since;
     * 0: none */
    uint64_t phases, slices;
    bool plain;    /* nothing can stop it: launches that begin run without marks */
    bool collect;  /* does not stop: notes the last place before limit */
    bool points;   /* breakpoints count */
    uint64_t last; /* noted; 0: none */
    uint32_t last_point;
    uint32_t previous_call, previous_line; /* of the item's line before, for collecting */
    uint64_t count;                        /* places that were noted */
    bool fresh;                            /* collecting began where no work-item had begun a line */
    bool unsure;               /* a line of the item was met, and whether it began there is unknown */
    char text[DEBUG_TEXT * 2]; /* of the last hit */
};
json_t *plan_set(struct debugger *d, const json_t *request); /* NULL: it is set */
bool plan_met_at_line(struct debugger *d, struct wave *wave, uint32_t line, uint32_t *out_lane);

/* ---- debugger.c ------------------------------------------------------------------------------ */

struct debugger {
    struct debugger_host host;
    struct debug_hook hook;
    struct report *report;
    struct device *device;
    uint64_t position;
    bool resumes, ended;
    struct plan plan;
    size_t findings; /* that were there at the event before */
    uint64_t checkpoint_every, checkpoint_next;
    volatile sig_atomic_t interrupted;
    uint64_t phases; /* launches and work-groups that have begun or ended */
    uint64_t slices; /* of waves, that have begun since */
    uint32_t live;   /* launches that have begun and not ended */
    bool plain;      /* they run without marks, and positions are not counted */
    bool waits;      /* for a session: until one is there they run so */
    bool changed;    /* memory was written by hand: another run to here is not the same */

    struct seen_wave *waves;
    uint32_t wave_count, wave_room;
    uint32_t latest_wave;    /* index of the one that was looked for last */
    struct wave *running;    /* whose line or access it was last; NULL: none */
    const struct insn *insn; /* of it, when a line began */
    uint32_t access_site;    /* of the access at which it stopped; 0: it is a line */
    struct {
        struct wave *wave;
        uint32_t lane;
    } focus;
    const struct launch *launch; /* the latest that began */

    struct point *points;
    uint32_t point_count, point_room;
    struct schedule_fork fork;
    json_t *forks;                  /* schedule_forks.c; NULL: none */
    bool looks_ahead;               /* this process is a copy that reports the next wave, */
    int ahead;                      /* there */
    struct visible_writes *visible; /* visible_writes.c; NULL: not requested */
    struct line_values *values;     /* line_values.c; NULL: not requested. Borrowed */
    struct debugger *self;          /* what the observer of visible_writes.c gets as self */
    /* The latest accesses of watched bytes are not kept: who-wrote runs the target again. */
};

struct stop_place {
    const char *reason;
    const struct hit *hit;
    const struct finding *finding;
};
void debugger_stop(struct debugger *d, const struct stop_place *place);
void debugger_add_place(struct debugger *d, json_t *stop); /* where the focus stands */
struct seen_wave *debugger_wave(struct debugger *d, const struct wave *wave);
uint64_t debugger_hash(const struct debugger *d);

/* asks_checker.c: whether each earlier access of the expression's bytes would race with a read or write
 * by the view's work-item; and which operations of other work-items happen before it */
json_t *ask_why(struct debugger *d, const struct view *view, const char *expression);
struct race_inquiry;
/* Finds the bytes that an expression means. Returns NULL, or the refusal; out_type is their type, if
 * known. */
json_t *ask_bytes(const struct view *view, const char *expression, struct race_inquiry *inquiry,
                  const struct debug_type **out_type);
json_t *ask_clocks(struct debugger *d, const struct view *view);

/* visible_writes.c: which of the writes so far a load here may return. A run that tracks the bytes
 * records their writes. */
void visible_writes_device(struct debugger *d, struct device *device);
void visible_writes_launch(struct debugger *d, uint32_t launch);
void visible_writes_access(struct debugger *d, const struct access_event *event);
void visible_writes_free(struct visible_writes *visible);
json_t *visible_writes_track(struct debugger *d, const json_t *request); /* without an address: no more */
json_t *visible_writes_request(struct debugger *d, const struct view *view, const char *expression);

/* line_values.c: an access is announced, or was faulty. Called before the findings of this access are
 * read. */
void line_values_access(struct debugger *d, const struct access_event *event);
void line_values_fault(struct debugger *d);

/* schedule_forks.c: forecasts which wave runs next, and makes another one run instead. */
bool forks_next(void *debugger, const struct schedule_next *next, struct unit *out_unit);
json_t *forks_forecast(struct debugger *d, const json_t *request);
json_t *forks_set(struct debugger *d, const json_t *request);
void forks_over(struct debugger *d); /* a launch ends: a copy that looks ahead reports it */

json_t *request_handle(struct debugger *d, const json_t *request); /* request.c */
json_t *debugger_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
