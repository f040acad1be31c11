/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happens before and after every call of the program. A refused call becomes a finding: each row of
 * api_rows.def for this call and error is judged by the values of the arguments (judge), and the rows with
 * the best verdict give condition, section and the arguments that the finding prints.
 */
#include "call.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/callback.h"
#include "lib/context.h"
#include "lib/error.h"
#include "caller.h"
#include "injected_fault.h"
#include "lib/record/host_log.h"
#include "lib/record/saved_report.h"
#include "orrery/checked.h"
#include "usage.h"

struct api_row {
    const char *call, *error, *section, *about, *condition;
};

static const struct api_row rows[] = {
#define ERROR(call, error, section, about, condition, proof) {#call, #error, section, about, condition},
#define QUERY(call, name, section, proof)
#include "lib/api_rows.def"
#undef ERROR
#undef QUERY
};

enum { ROW_COUNT = sizeof rows / sizeof *rows, ROWS_OF_ERROR = 32, NAME_MAX = 64, ABOUT_MAX = 6 };

/*
 * The calls that this thread is in: functions of the program that run inside a call make calls, too. Calls
 * nested deeper than the array share its last element.
 */
enum { NESTED_MAX = 4 };
static _Thread_local struct {
    const char *name;
    const void *frame; /* in the frame of the call */
    bool injected;     /* a fault of the scenario refused it */
    bool misused;      /* a misuse was reported, so an error adds no finding */
    char detail[400];
} nested[NESTED_MAX];
static _Thread_local unsigned depth; /* 0: in no call */
#define current (nested[(depth < NESTED_MAX ? depth : NESTED_MAX) - 1])

_Thread_local const char *call_unwatched;
static _Thread_local char unwatched_detail[400];

const void *call_frame(void)
{
    return depth ? current.frame : NULL;
}

const char *call_running(void)
{
    return depth ? current.name : call_unwatched;
}

/* ---- refusals that are only counted ---- */

static struct {
    pthread_mutex_t lock;
    struct watch_refused calls;
} refused = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Programs query properties that may be absent, so errors of queries are not counted. */
static bool is_query(const char *name)
{
    return strncmp(name, "clGet", 5) == 0;
}

/* The absence of devices of a type is a valid result: programs query each type. So is that of what a device
 * may lack; but times that are not there are garbage for a program that does not look at the error. */
static bool is_valid_result(const char *name, cl_int err)
{
    return (is_query(name) && err != CL_PROFILING_INFO_NOT_AVAILABLE) || err == CL_DEVICE_NOT_FOUND;
}

/* Why no kernel may run at all. */
static void note_reach(const char *name)
{
    if (strcmp(name, "clEnqueueNDRangeKernel") == 0 || strcmp(name, "clEnqueueTask") == 0)
        saved_reached(REACH_REFUSED, 0);
}

/* The condition of the specification for that error; NULL: there are several, and one would be a guess. */
static const char *condition_of(const char *name, const char *error)
{
    const char *condition = NULL;
    size_t count = 0;
    for (size_t i = 0; i < ROW_COUNT; i++)
        if (strcmp(rows[i].call, name) == 0 && strcmp(rows[i].error, error) == 0) {
            condition = rows[i].condition;
            count++;
        }
    return count == 1 ? condition : NULL;
}

/* The words on the first refused call. detail: its call_detail; "": none */
static void describe_first(const char *name, cl_int err, const char *detail)
{
    const char *error = error_name(err), *reason = detail[0] ? detail : condition_of(name, error);
    snprintf(refused.calls.first, sizeof refused.calls.first, "%s: %s%s%s; --check-api says %swhere", name,
             error, reason ? ", " : "", reason ? reason : "", reason ? "" : "why and ");
}

/* The process may end without a destructor, so `orrery run` gets each at once. */
cl_int call_refused(const char *name, cl_int err)
{
    note_reach(name);
    if (!is_valid_result(name, err)) {
        pthread_mutex_lock(&refused.lock);
        if (!refused.calls.count++)
            describe_first(name, err, unwatched_detail);
        saved_refused(&refused.calls);
        pthread_mutex_unlock(&refused.lock);
    }
    unwatched_detail[0] = '\0';
    return err;
}

bool call_watched(void)
{
    host_log_see();
    const bool injects_or_records = !runtime_get()->broken && (fault_any() || host_log_active());
    return call_finds() || context_some_terminated() || callback_thread() || injects_or_records;
}

bool call_finds(void)
{
    const struct runtime *runtime = runtime_get();
    const enum severity *checks = runtime->scenario.checks;
    return !runtime->broken && (checks[CHECK_MISUSE] != SEVERITY_OFF || checks[CHECK_API] != SEVERITY_OFF);
}

/* A refusal is a finding. */
static bool refusals_found(void)
{
    const struct runtime *runtime = runtime_get();
    return !runtime->broken && runtime->scenario.checks[CHECK_API] != SEVERITY_OFF;
}

const struct api_argument *call_argument(const struct api_call *call, const char *name)
{
    for (size_t i = 0; i < call->count; i++)
        if (strcmp(call->arguments[i].name, name) == 0)
            return &call->arguments[i];
    return NULL;
}

/* ---- which rows of api_rows.def apply --------------------------------------------------------------- */

static const struct object *object_of(const struct api_argument *argument)
{
    if (!argument || argument->kind < VALUE_HANDLE)
        return NULL;
    return object_lookup((const void *)(uintptr_t)argument->bits,
                         (enum object_kind)(argument->kind - VALUE_HANDLE));
}

static const void *context_of(const struct object *object)
{
    switch (object ? object->kind : OBJECT_KIND_COUNT) {
    case OBJECT_CONTEXT: return object;
    case OBJECT_QUEUE: return ((const struct queue *)object)->context;
    case OBJECT_MEMOBJ: return ((const struct memobj *)object)->context;
    case OBJECT_PROGRAM: return ((const struct program_object *)object)->context;
    case OBJECT_KERNEL: return ((const struct kernel_object *)object)->program->context;
    case OBJECT_EVENT: return ((const struct event *)object)->context;
    case OBJECT_SAMPLER: return ((const struct sampler_object *)object)->context;
    case OBJECT_SEMAPHORE: return semaphore_context(object);
    case OBJECT_COMMAND_BUFFER: return command_buffer_context(object);
    default: return NULL;
    }
}

/* The handle is invalid; a memory object also if its type is not the one in the argument's name. */
static bool is_invalid(const struct api_argument *argument)
{
    const struct object *object = object_of(argument);
    if (!object || object->kind != OBJECT_MEMOBJ)
        return !object;
    const cl_mem_object_type type = ((const struct memobj *)object)->type;
    if (strstr(argument->name, "buffer"))
        return type != CL_MEM_OBJECT_BUFFER;
    if (strstr(argument->name, "image"))
        return type == CL_MEM_OBJECT_BUFFER || type == CL_MEM_OBJECT_PIPE;
    return strcmp(argument->name, "pipe") == 0 && type != CL_MEM_OBJECT_PIPE;
}

/* The object belongs to another context than the first argument of the call. */
static bool is_of_other_context(const struct api_call *call, const struct api_argument *argument)
{
    const void *context = context_of(object_of(argument)), *home = context_of(object_of(&call->arguments[0]));
    return context && home && context != home;
}

static bool is_limited(const struct queue *queue)
{
    return queue && queue->capabilities != CL_QUEUE_DEFAULT_CAPABILITIES_INTEL;
}

/* A queue of the argument, or of an event in its list, has a family with limited capabilities. */
static bool has_limits(const struct api_call *call, const struct api_argument *argument)
{
    const struct object *object = object_of(argument);
    const struct api_argument *count = call_argument(call, "num_events_in_wait_list");
    const cl_event *events =
        argument->kind == VALUE_EVENTS ? (const cl_event *)(uintptr_t)argument->bits : NULL;
    bool limited = object && object->kind == OBJECT_QUEUE && is_limited((const struct queue *)object);
    limited |= object && object->kind == OBJECT_COMMAND_BUFFER && is_limited(command_buffer_queue(object));
    for (uint64_t i = 0; events && count && i < count->bits && !limited; i++) {
        const struct event *event = object_lookup(events[i], OBJECT_EVENT);
        limited = event && is_limited(event->queue);
    }
    return limited;
}

/* A term of a row's fourth column: a relation, and the name of an argument. */
enum row_relation { REPORTED, IS_ZERO, IS_NOT_ZERO, IS_INVALID, IS_OF_OTHER_CONTEXT, IS_LIMITED };

static const char *next_term(const char *about, enum row_relation *out_relation, char out_name[NAME_MAX])
{
    size_t length = strcspn(about, " "), name = length;
    *out_relation = *about == '?'   ? IS_INVALID
                    : *about == '^' ? IS_OF_OTHER_CONTEXT
                    : *about == '~' ? IS_LIMITED
                                    : REPORTED;
    if (*out_relation != REPORTED) {
        about++;
        name = --length;
    } else if (length > 3 &&
               (strncmp(about + length - 3, "==0", 3) == 0 || strncmp(about + length - 3, "!=0", 3) == 0)) {
        name = length - 3;
        *out_relation = about[name] == '=' ? IS_ZERO : IS_NOT_ZERO;
    }
    snprintf(out_name, NAME_MAX, "%.*s", (int)name, about);
    about += length;
    return about + strspn(about, " ");
}

enum row_verdict { EXCLUDED, POSSIBLE, CERTAIN };

static enum row_verdict judge_term(const struct api_call *call, enum row_relation relation, const char *name)
{
    const struct api_argument *argument = call_argument(call, name);
    if (!argument || relation == REPORTED)
        return POSSIBLE;
    if (relation == IS_NOT_ZERO)
        return argument->bits ? POSSIBLE : EXCLUDED;
    if (relation == IS_LIMITED)
        return has_limits(call, argument) ? POSSIBLE : EXCLUDED;
    const bool holds = relation == IS_ZERO      ? !argument->bits
                       : relation == IS_INVALID ? is_invalid(argument)
                                                : is_of_other_context(call, argument);
    return holds ? CERTAIN : EXCLUDED;
}

static enum row_verdict judge(const struct api_call *call, const struct api_row *row)
{
    enum row_verdict verdict = POSSIBLE;
    for (const char *about = row->about; *about;) {
        enum row_relation relation;
        char name[NAME_MAX];
        about = next_term(about, &relation, name);
        enum row_verdict term = judge_term(call, relation, name);
        if (term == EXCLUDED)
            return EXCLUDED;
        verdict = term > verdict ? term : verdict;
    }
    return verdict;
}

static bool matches(const struct api_row *row, const struct api_call *call, const char *error)
{
    return strcmp(row->call, call->name) == 0 && strcmp(row->error, error) == 0;
}

/* Rows of one error. */
struct fitting_rows {
    const struct api_row *rows[ROWS_OF_ERROR];
    size_t count;
};

/* The rows of this error that have the best verdict; none if all are excluded. The finding names them. */
static void find_rows(const struct api_call *call, const char *error, struct fitting_rows *out_best)
{
    enum row_verdict best = EXCLUDED;
    out_best->count = 0;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        const enum row_verdict verdict = matches(&rows[i], call, error) ? judge(call, &rows[i]) : EXCLUDED;
        if (verdict == EXCLUDED || verdict < best)
            continue;
        if (verdict > best)
            out_best->count = 0;
        best = verdict;
        CHECKED(out_best->count < ROWS_OF_ERROR);
        if (out_best->count < ROWS_OF_ERROR)
            out_best->rows[out_best->count++] = &rows[i];
    }
}

/* ---- the finding ------------------------------------------------------------------------------ */

struct named_arguments {
    const struct api_argument *arguments[ABOUT_MAX];
    size_t count;
};

static void add_argument(struct named_arguments *named, const struct api_argument *argument)
{
    for (size_t i = 0; i < named->count; i++)
        if (named->arguments[i] == argument)
            return;
    if (argument && named->count < ABOUT_MAX)
        named->arguments[named->count++] = argument;
}

static void add_arguments(struct named_arguments *named, const struct api_call *call,
                          const struct api_row *row)
{
    for (const char *about = row->about; *about;) {
        enum row_relation relation;
        char name[NAME_MAX];
        about = next_term(about, &relation, name);
        add_argument(named, call_argument(call, name));
    }
}

/* Flags and names of queries are printed in hexadecimal, as in the headers. */
static bool is_code(const char *name)
{
    return strstr(name, "flags") || strstr(name, "param_name") || strstr(name, "_type") ||
           strstr(name, "_mode");
}

static void print_handle(FILE *stream, const struct api_argument *argument)
{
    const struct object *object = object_of(argument);
    if (!argument->bits)
        fputs("NULL", stream);
    else if (!object)
        fprintf(stream, "no %s", object_kind_name((enum object_kind)(argument->kind - VALUE_HANDLE)));
    else
        fprintf(stream, "%s %" PRIu32, object_kind_name(object->kind), object->id);
}

/* The number of elements of a vector argument; 0: it is none. */
static uint64_t vector_length(const struct api_call *call, const char *name)
{
    const struct api_argument *dimensions = call_argument(call, "work_dim");
    if (strstr(name, "_work_"))
        return dimensions && dimensions->bits <= 3 ? dimensions->bits : 0;
    return strstr(name, "origin") || strcmp(name, "region") == 0 ? 3 : 0;
}

static void print_sizes(FILE *stream, const struct api_call *call, const struct api_argument *argument)
{
    const size_t *sizes = (const size_t *)(uintptr_t)argument->bits;
    const uint64_t length = vector_length(call, argument->name);
    if (!sizes || !length)
        fputs(sizes ? "a pointer" : "NULL", stream);
    for (uint64_t i = 0; sizes && i < length; i++)
        fprintf(stream, "%s%zu%s", i ? ", " : "{", sizes[i], i + 1 == length ? "}" : "");
}

/* Prints the first handle that is no event, or an event of another context. */
static void print_events(FILE *stream, const struct api_call *call, const struct api_argument *argument)
{
    const struct api_argument *count = call_argument(call, "num_events_in_wait_list");
    const cl_event *events = (const cl_event *)(uintptr_t)argument->bits;
    const uint64_t length = count ? count->bits : 0;
    fputs(events ? "a pointer" : "NULL", stream);
    for (uint64_t i = 0; events && i < length; i++) {
        const struct api_argument entry = {"", (enum value_kind)(VALUE_HANDLE + OBJECT_EVENT),
                                           (uint64_t)(uintptr_t)events[i]};
        if (object_of(&entry) && !is_of_other_context(call, &entry))
            continue;
        fprintf(stream, ", %s[%" PRIu64 "] = ", argument->name, i);
        print_handle(stream, &entry);
        return;
    }
}

static void print_argument(FILE *stream, const struct api_call *call, const struct api_argument *argument)
{
    fprintf(stream, "%s = ", argument->name);
    if (argument->kind >= VALUE_HANDLE)
        print_handle(stream, argument);
    else if (argument->kind == VALUE_SIZES)
        print_sizes(stream, call, argument);
    else if (argument->kind == VALUE_EVENTS)
        print_events(stream, call, argument);
    else if (argument->kind == VALUE_TEXT && argument->bits)
        fprintf(stream, "\"%.60s\"", (const char *)(uintptr_t)argument->bits);
    else if (argument->kind == VALUE_POINTER || argument->kind == VALUE_TEXT)
        fputs(argument->bits ? "a pointer" : "NULL", stream);
    else if (argument->kind == VALUE_SIGNED)
        fprintf(stream, "%" PRId32, (int32_t)argument->bits);
    else
        fprintf(stream, is_code(argument->name) ? "0x%" PRIx64 : "%" PRIu64, argument->bits);
}

/* malloc'd; NULL: out of memory, or no argument is named. */
static char *print_arguments(const struct api_call *call, const struct named_arguments *named)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = named->count ? open_memstream(&text, &size) : NULL;
    if (!stream)
        return NULL;
    for (size_t i = 0; i < named->count; i++) {
        fputs(i ? ", " : "", stream);
        print_argument(stream, call, named->arguments[i]);
    }
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

/* A section is one of the API specification, or an extension with a text of its own. */
static void name_section(char *name, size_t room, const char *section)
{
    const bool newer = strncmp(section, "3.0 ", 4) == 0;
    if (strncmp(section, "cl_", 3) == 0)
        snprintf(name, room, "%s", section);
    else
        snprintf(name, room, "OpenCL %s API, %s", newer ? "3.0" : "2.2", section + (newer ? 4 : 0));
}

static char *print_conditions(const struct api_call *call, const char *error, struct named_arguments *named,
                              char *section, size_t room)
{
    char *text = NULL;
    size_t size = 0, count = 0;
    bool repeats = false;
    struct fitting_rows best = {.count = 0};
    if (!current.injected)
        find_rows(call, error, &best);
    /* the detail replaces the conditions if it decides between several */
    const bool exact = current.detail[0] && best.count > 1;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return NULL;
    for (size_t i = 0; i < best.count; i++) {
        const struct api_row *row = best.rows[i];
        repeats |= strcmp(row->condition, current.detail) == 0;
        if (!exact)
            fprintf(stream, "%s%s", count++ ? "; or " : "", row->condition);
        add_arguments(named, call, row);
        name_section(section, room, row->section);
    }
    if (current.injected)
        fputs("the scenario's faults want it so", stream);
    if (current.detail[0] && !(repeats && count))
        fprintf(stream, "%s%s", count ? ": " : "", current.detail);
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

/* Each call stack is looked up once, since programs poll with calls that fail. own: room for the place of a
 * stack that cannot be kept. */
static const struct host_place *place_here(struct host_place *own)
{
    const struct enqueuer *caller = caller_of_source();
    const struct host_place *kept = caller ? caller_place(caller) : NULL;
    if (kept)
        return kept;
    struct host_trace trace;
    host_place_of_call(&trace, HOST_FRAMES);
    host_place_find(&trace, own);
    return own;
}

static struct finding_access access_at(const struct host_place *place, const char *what)
{
    return (struct finding_access){.place = place->place, .act = ACT_CALL, .what = what, .by = "the host"};
}

static void report_refusal(const struct api_call *call, const char *error)
{
    struct named_arguments named = {.count = 0};
    struct host_place own;
    char section[64] = "", what[160];
    char *why = print_conditions(call, error, &named, section, sizeof section);
    char *object = print_arguments(call, &named);
    snprintf(what, sizeof what, "%s returned %s", call->name, error);
    struct finding finding = {.kind = FINDING_API_ERROR,
                              .object = object,
                              .access_count = 1,
                              .access[0] = access_at(place_here(&own), what),
                              .why = why && *why ? why : NULL,
                              .spec = section[0] ? section : NULL};
    report_add(runtime_get()->report, &finding);
    free(object);
    free(why);
}

struct call_site *call_site_new(void)
{
    struct call_site *site = depth && call_finds() ? malloc(sizeof *site) : NULL;
    if (!site)
        return NULL;
    site->call = current.name;
    host_place_of_call(&site->trace, HOST_FRAMES);
    return site;
}

struct call_site *call_site_copy(const struct call_site *site)
{
    struct call_site *copy = site ? malloc(sizeof *copy) : NULL;
    if (copy)
        *copy = *site;
    return copy;
}

/* Asked first, since looking up the line of an address costs more than most calls. */
bool call_is_off(enum finding_kind kind)
{
    return runtime_get()->scenario.checks[finding_check(kind)] == SEVERITY_OFF;
}

void call_find_at(enum finding_kind kind, const struct call_site *site, const struct call_finding *text)
{
    if (call_is_off(kind))
        return;
    struct host_place place, other;
    struct finding finding = {.kind = kind,
                              .object = text->object,
                              .why = text->why,
                              .fix = text->fix,
                              .spec = text->spec,
                              .access_count = 1};
    char what[160];
    host_place_find(&site->trace, &place);
    finding.access[0] = access_at(&place, site->call);
    if (text->other) {
        host_place_find(&text->other->trace, &other);
        snprintf(what, sizeof what, "%s: %s", text->other->call, text->other_what);
        finding.access[1] = access_at(&other, what);
        finding.access_count = 2;
    }
    report_add(runtime_get()->report, &finding);
}

void call_find(enum finding_kind kind, const struct call_finding *text)
{
    struct call_site site = {.call = depth ? current.name : "the end of the program"};
    if (call_is_off(kind))
        return;
    host_place_of_call(&site.trace, HOST_FRAMES);
    call_find_at(kind, &site, text);
}

/* ---- calls about a context that was terminated ------------------------------------------------- */

static bool begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

/* Calls with a terminated context that remain valid: queries, retain, release, free
 * (cl_khr_terminate_context). */
static bool is_valid_after_termination(const struct api_call *call)
{
    static const char *const remaining[] = {"clGet",     "clRetain",  "clRelease",        "clTerminate",
                                            "clSVMFree", "clMemFree", "clMemBlockingFree"};
    for (size_t i = 0; i < sizeof remaining / sizeof *remaining; i++)
        if (begins(call->name, remaining[i]))
            return true;
    return false;
}

static bool creates_or_enqueues(const struct api_call *call)
{
    static const char *const names[] = {"clCreate", "clClone", "clEnqueue", "clCommand", "clLink"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (begins(call->name, names[i]))
            return true;
    return false;
}

static bool is_refused_by_termination(const struct api_call *call)
{
    for (size_t i = 0; i < call->count && context_some_terminated(); i++) {
        const struct object *object = object_of(&call->arguments[i]);
        const struct context *context = context_of(object);
        if (context)
            return context_terminated(context) &&
                   (creates_or_enqueues(call) ||
                    (object->kind == OBJECT_CONTEXT && !is_valid_after_termination(call)));
    }
    return false;
}

/* ---- the call --------------------------------------------------------------------------------- */

cl_int call_begin(const struct api_call *call)
{
    callback_inside(1);
    host_log_enter(call->name);
    depth++;
    current.name = call->name;
    current.frame = call;
    current.detail[0] = '\0';
    current.misused = call_finds() && usage_begin(call);
    const cl_int err = fault_any() ? fault_refusal(call) : CL_SUCCESS;
    current.injected = err != CL_SUCCESS;
    if (err || !is_refused_by_termination(call))
        return err;
    call_detail("its context was terminated");
    return CL_CONTEXT_TERMINATED_KHR;
}

cl_int call_end(const struct api_call *call, cl_int err)
{
    if (fault_any())
        err = fault_end(call, err);
    if (err && !current.injected)
        note_reach(call->name);
    if (err && refusals_found() && !current.misused)
        report_refusal(call, error_name(err));
    else if (call_finds() && (!err || current.misused))
        usage_answered(call);
    else if (err && !current.injected) {
        snprintf(unwatched_detail, sizeof unwatched_detail, "%s", current.detail);
        call_refused(call->name, err);
    }
    depth--;
    host_log_leave();
    callback_inside(-1);
    return err;
}

void call_failed(const struct api_call *call, bool failed)
{
    if (failed && refusals_found() && !current.misused)
        report_refusal(call, "NULL");
    depth--;
    host_log_leave();
    callback_inside(-1);
}

bool call_detail(const char *text)
{
    if (depth)
        snprintf(current.detail, sizeof current.detail, "%s", text);
    else if (call_unwatched)
        snprintf(unwatched_detail, sizeof unwatched_detail, "%s", text);
    return depth != 0;
}

cl_int call_because(cl_int err, const char *format, ...)
{
    char text[sizeof current.detail];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    call_detail(text);
    return err;
}

void call_refused_note(FILE *stream)
{
    pthread_mutex_lock(&refused.lock);
    watch_print_refused(stream, &refused.calls);
    pthread_mutex_unlock(&refused.lock);
}
