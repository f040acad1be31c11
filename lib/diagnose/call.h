/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Surrounds every call of the program (exports.c): takes the call lock in a recorded run, notes
 *          that the callback thread is in a call, lets faults of the scenario refuse it, and reports
 *          refusals and misuse.
 *
 * Interface
 *   call_watched     some of this is necessary; else exports.c jumps to the call directly
 *   CALL             struct api_call of a call and its arguments
 *   call_begin       CL_SUCCESS, or the error that the call is to return instead of being made
 *   call_end         the call returned this; gives the result for the program
 *   call_failed      the same for calls that return no error
 *   call_finds       findings about calls are enabled; call_is_off: findings of this kind are not
 *   call_find        reports a finding about the call that this thread is in; call_find_at: about a place
 *   call_site_new    the place from which the program calls; NULL: out of memory, outside of a call, or
 *                    findings are not enabled
 *   call_running     the call of the program that this thread is in; NULL: none
 *   call_answer      counts the refusals of calls that are not watched; call_refused_note: prints their
 *                    number and the first
 *   call_detail      called by code that refuses a call: a sentence for the finding. False: this thread is
 *                    in no watched call; call_because: the same with a format, and returns the error
 *
 * The rows of api_rows.def name the conditions of each error and the arguments that they are about. The
 * values of the arguments exclude rows or make one certain. The finding names all rows of the best verdict.
 */
#ifndef ORRERY_LIB_DIAGNOSE_CALL_H
#define ORRERY_LIB_DIAGNOSE_CALL_H
#include <stdio.h>

#include "lib/host/host_place.h"
#include "lib/object.h"
#include "orrery/report.h"

enum value_kind {
    VALUE_UNSIGNED,
    VALUE_SIGNED,
    VALUE_POINTER,
    VALUE_TEXT,
    VALUE_SIZES,  /* const size_t * */
    VALUE_EVENTS, /* const cl_event * */
    VALUE_HANDLE, /* plus the kind of object; last */
};

struct api_argument {
    const char *name;
    enum value_kind kind;
    uint64_t bits;
};

struct api_call {
    const char *name;
    const struct api_argument *arguments;
    size_t count;
};

bool call_watched(void);
cl_int call_begin(const struct api_call *call);
cl_int call_end(const struct api_call *call, cl_int err);
void call_failed(const struct api_call *call, bool failed);
bool call_detail(const char *text);
cl_int call_because(cl_int err, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *call_running(void);
/* An address in the stack frame of the watched call that runs on this thread: what is below belongs to no
 * function of the program. NULL: none runs. */
const void *call_frame(void);
void call_refused_note(FILE *stream);
/* The name of the unwatched call that runs on this thread; NULL: none. */
extern _Thread_local const char *call_unwatched;
cl_int call_refused(const char *name, cl_int err);
static inline cl_int call_answer(const char *name, cl_int err)
{
    call_unwatched = NULL;
    return err < 0 ? call_refused(name, err) : err;
}

/* A place from which the program calls; released by free(). */
struct call_site {
    const char *call;
    struct host_trace trace;
};
struct call_site *call_site_new(void);
struct call_site *call_site_copy(const struct call_site *site); /* of NULL: NULL */

/* The finding's text besides kind and place; NULL: none. */
struct call_finding {
    const char *object, *why, *fix;
    const char *spec;              /* NULL: of the kind */
    const struct call_site *other; /* the second place */
    const char *other_what;
};
bool call_finds(void);
bool call_is_off(enum finding_kind kind);
void call_find(enum finding_kind kind, const struct call_finding *finding);
void call_find_at(enum finding_kind kind, const struct call_site *site, const struct call_finding *finding);

/* NULL: the call has no argument of this name. */
const struct api_argument *call_argument(const struct api_call *call, const char *name);

/* clang-format off */
#define ARGUMENT_KIND(value) \
    _Generic((value), cl_platform_id: VALUE_HANDLE + OBJECT_PLATFORM, cl_device_id: VALUE_HANDLE + OBJECT_DEVICE, \
             cl_context: VALUE_HANDLE + OBJECT_CONTEXT, cl_command_queue: VALUE_HANDLE + OBJECT_QUEUE, \
             cl_mem: VALUE_HANDLE + OBJECT_MEMOBJ, cl_program: VALUE_HANDLE + OBJECT_PROGRAM, \
             cl_kernel: VALUE_HANDLE + OBJECT_KERNEL, cl_event: VALUE_HANDLE + OBJECT_EVENT, \
             cl_sampler: VALUE_HANDLE + OBJECT_SAMPLER, cl_semaphore_khr: VALUE_HANDLE + OBJECT_SEMAPHORE, cl_command_buffer_khr: VALUE_HANDLE + OBJECT_COMMAND_BUFFER, const char *: VALUE_TEXT, const size_t *: VALUE_SIZES, const cl_event *: VALUE_EVENTS, \
             cl_int: VALUE_SIGNED, \
             cl_uint: VALUE_UNSIGNED, unsigned long: VALUE_UNSIGNED, unsigned long long: VALUE_UNSIGNED, \
             default: VALUE_POINTER)
#define ARGUMENT(value) {#value, (enum value_kind)ARGUMENT_KIND(value), (uint64_t)(uintptr_t)(value)}

/* One ARGUMENT for each of up to sixteen names. */
#define EACH_1(a) ARGUMENT(a)
#define EACH_2(a, ...) ARGUMENT(a), EACH_1(__VA_ARGS__)
#define EACH_3(a, ...) ARGUMENT(a), EACH_2(__VA_ARGS__)
#define EACH_4(a, ...) ARGUMENT(a), EACH_3(__VA_ARGS__)
#define EACH_5(a, ...) ARGUMENT(a), EACH_4(__VA_ARGS__)
#define EACH_6(a, ...) ARGUMENT(a), EACH_5(__VA_ARGS__)
#define EACH_7(a, ...) ARGUMENT(a), EACH_6(__VA_ARGS__)
#define EACH_8(a, ...) ARGUMENT(a), EACH_7(__VA_ARGS__)
#define EACH_9(a, ...) ARGUMENT(a), EACH_8(__VA_ARGS__)
#define EACH_10(a, ...) ARGUMENT(a), EACH_9(__VA_ARGS__)
#define EACH_11(a, ...) ARGUMENT(a), EACH_10(__VA_ARGS__)
#define EACH_12(a, ...) ARGUMENT(a), EACH_11(__VA_ARGS__)
#define EACH_13(a, ...) ARGUMENT(a), EACH_12(__VA_ARGS__)
#define EACH_14(a, ...) ARGUMENT(a), EACH_13(__VA_ARGS__)
#define EACH_15(a, ...) ARGUMENT(a), EACH_14(__VA_ARGS__)
#define EACH_16(a, ...) ARGUMENT(a), EACH_15(__VA_ARGS__)
#define EACH_PICK(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, each, ...) each
#define EACH(...) \
    EACH_PICK(__VA_ARGS__, EACH_16, EACH_15, EACH_14, EACH_13, EACH_12, EACH_11, EACH_10, EACH_9, EACH_8, EACH_7, \
              EACH_6, EACH_5, EACH_4, EACH_3, EACH_2, EACH_1, ) (__VA_ARGS__)
#define CALL(call_name, ...) \
    (struct api_call){#call_name, (const struct api_argument[]){EACH(__VA_ARGS__)}, \
                  sizeof((const struct api_argument[]){EACH(__VA_ARGS__)}) / sizeof(struct api_argument)}
/* clang-format on */
#endif
