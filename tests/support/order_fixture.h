/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What the tests of races between commands start from: a program as a user writes it, with race
 *          checking on, two queues in order (queue, second), one out of order (unordered) and a buffer of 64
 *          bytes.
 *
 * Interface
 *   set_up, tear_down        set_up_uninitialized: uninitialised memory is looked for, too
 *   fill(on, count, waits)   all of the buffer is written, after these events
 *   expect_fix(text)        there is one race of commands, and its fix, which has this text, was tried
 *   races()                  all queues are finished: how many race-commands there are; race(): is there any?
 */
#ifndef ORRERY_TESTS_SUPPORT_ORDER_FIXTURE_H
#define ORRERY_TESTS_SUPPORT_ORDER_FIXTURE_H

#include "finding_fixture.h"

static cl_command_queue second;
static cl_mem buffer;
static const cl_uint one = 1, two = 2;

static inline void set_up(void)
{
    setenv("ORRERY_DATA_RACES", "warning", 1);
    setenv("ORRERY_KEEP_EXIT_CODE", "1", 1);
    cl_set_up();
    finding_functions();
    second = cl_new_queue(context, 0);
    buffer = cl_buffer(context, CL_MEM_READ_WRITE, 64, NULL);
}

static inline void set_up_uninitialized(void)
{
    setenv("ORRERY_UNINITIALIZED", "warning", 1);
    set_up();
}

static inline void tear_down(void)
{
    cl_ok(clFinish(queue));
    cl_ok(clFinish(second));
    cl_ok(clFinish(unordered));
    cl_ok(clReleaseMemObject(buffer));
    cl_ok(clReleaseCommandQueue(second));
    cl_tear_down();
}

static inline cl_event fill(cl_command_queue on, cl_uint count, const cl_event *waits)
{
    cl_event event;
    cl_ok(clEnqueueFillBuffer(on, buffer, &one, sizeof one, 0, 64, count, waits, &event));
    return event;
}

static inline size_t races(void)
{
    cl_ok(clFinish(queue));
    cl_ok(clFinish(second));
    cl_ok(clFinish(unordered));
    return findings_of("race-commands");
}

static inline bool race(void)
{
    return races() > 0;
}

/* One race, whose fix has this text, and orders the two. */
#define expect_fix(text) expect_fix_at(__FILE__, __LINE__, text)
static inline void expect_fix_at(const char *file, int line, const char *text)
{
    const size_t found = races();
    if (found != 1)
        fail_at(file, line, "found %zu races, expected one whose fix has '%s'", found, text);
    const struct orrery_finding finding = finding_last_at(file, line, "race-commands");
    if (!strstr(finding.fix, text) || strcmp(finding.fix_claim, "orders") != 0)
        fail_at(file, line, "found the fix '%s' (%s), expected '%s' (orders)", finding.fix, finding.fix_claim,
                text);
}

#endif
