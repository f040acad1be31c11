/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host memory that a non-blocking write reads, and that the program changes before it is ordered after the
 * command: reported, whether or not the command has run by then; and no change that a program may make.
 */
#include "tests/support/host_fixture.h"

enum { COUNT = 64, BYTES = COUNT * sizeof(cl_int) };

static const char source[] = "kernel void set(global int *a) { a[get_global_id(0)] = 7; }\n";
static cl_mem buffer, other;
static cl_int memory[COUNT];

static void set_up(void)
{
    host_set_up("warning", "false", source);
    buffer = cl_buffer(context, 0, BYTES, NULL);
    other = cl_buffer(context, 0, BYTES, NULL);
    for (int i = 0; i < COUNT; i++)
        memory[i] = i;
}

static void write_all(cl_uint count, const cl_event *after, cl_event *event)
{
    cl_ok(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, BYTES, memory, count, after, event));
}

static void read_all(cl_bool blocking)
{
    cl_ok(clEnqueueReadBuffer(queue, other, blocking, 0, BYTES, memory, 0, NULL, NULL));
}

/* ---- reported ---------------------------------------------------------------------------------- */

static void changed_at_once(void)
{
    write_all(0, NULL, NULL);
    memory[5] = 99;
}

static void changed_after_a_flush(void)
{
    write_all(0, NULL, NULL);
    cl_ok(clFlush(queue));
    memory[COUNT - 1] = 99;
}

static __attribute__((noinline)) void from_a_stack(void)
{
    cl_int own[COUNT];
    memset(own, 1, sizeof own);
    cl_ok(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, BYTES, own, 0, NULL, NULL));
}

static __attribute__((noinline)) void use_the_stack(void)
{
    volatile cl_int own[4 * COUNT];
    for (int i = 0; i < 4 * COUNT; i++)
        own[i] = i;
    (void)own[COUNT];
}

static void of_a_function_that_returned(void)
{
    from_a_stack();
    use_the_stack();
}

static void changed_after_another_wait(void)
{
    cl_event first;
    cl_ok(clEnqueueFillBuffer(queue, other, &memory[0], 4, 0, BYTES, 0, NULL, &first));
    write_all(0, NULL, NULL);
    cl_ok(clWaitForEvents(1, &first));
    memory[0] = 99;
    cl_ok(clReleaseEvent(first));
}

/* Rows of 16 bytes, 32 apart in memory. */
static void write_rows(void)
{
    const size_t origin[3] = {0, 0, 0}, region[3] = {16, 4, 2};
    cl_ok(clEnqueueWriteBufferRect(queue, buffer, CL_FALSE, origin, origin, region, 16, 64, 32, 128, memory, 0, NULL,
                                   NULL));
}

static void changed_in_a_row(void)
{
    write_rows();
    memory[(128 + 3 * 32 + 12) / 4] = 99;
}

static void changed_before_a_user_event_of_another(void)
{
    write_all(0, NULL, NULL);
    cl_event go = cl_user_event(context);
    cl_ok(clEnqueueFillBuffer(queue, other, &memory[0], 4, 0, BYTES, 1, &go, NULL));
    memory[3] = 99;
    cl_ok(clSetUserEventStatus(go, CL_COMPLETE));
    cl_ok(clReleaseEvent(go));
}

static void (*const mistakes[])(void) = {
    changed_at_once,           changed_after_a_flush, of_a_function_that_returned,
    changed_after_another_wait, changed_in_a_row,      changed_before_a_user_event_of_another,
};

START_TEST(changes_are_reported)
{
    struct orrery_finding finding;
    if (CL_SANITIZED && mistakes[_i] == of_a_function_that_returned)
        return; /* the copy from there is what a sanitizer ends the program for */
    set_up();
    mistakes[_i]();
    host_reported(1);
    ck_assert_int_eq(orrery_finding_get(0, &finding), 0);
    ck_assert_ptr_nonnull(strstr(finding.why, "are not those that were there at the call"));
    ck_assert_ptr_nonnull(strstr(finding.access[0].what, "clEnqueueWriteBuffer"));
    write_all(0, NULL, NULL);
    host_reported(1);
}
END_TEST

/* ---- not reported ------------------------------------------------------------------------------ */

static void not_changed(void)
{
    write_all(0, NULL, NULL);
    memory[5] = 5;
}

static void blocking(void)
{
    cl_ok(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, BYTES, memory, 0, NULL, NULL));
    memory[5] = 99;
}

static void changed_after_a_wait(void)
{
    cl_event event;
    write_all(0, NULL, &event);
    cl_ok(clWaitForEvents(1, &event));
    memory[5] = 99;
    cl_ok(clReleaseEvent(event));
}

static void changed_after_a_later_blocking_call(void)
{
    cl_int one;
    write_all(0, NULL, NULL);
    cl_ok(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof one, &one, 0, NULL, NULL));
    memory[5] = 99;
}

static void changed_after_a_query(void)
{
    cl_event event;
    write_all(0, NULL, &event);
    cl_ok(clFlush(queue));
    host_poll(event, CL_COMPLETE);
    memory[5] = 99;
    cl_ok(clReleaseEvent(event));
}

static void read_back_in_order(void)
{
    write_all(0, NULL, NULL);
    read_all(CL_FALSE);
    write_all(0, NULL, NULL);
    cl_ok(clFlush(queue));
}

static void filled_before_a_user_event(void)
{
    cl_event go = cl_user_event(context);
    write_all(1, &go, NULL);
    memory[5] = 99;
    cl_ok(clSetUserEventStatus(go, CL_COMPLETE));
    cl_ok(clReleaseEvent(go));
}

static void filled_before_a_user_event_of_a_command_before(void)
{
    cl_event go = cl_user_event(context);
    cl_ok(clEnqueueFillBuffer(queue, other, &memory[0], 4, 0, BYTES, 1, &go, NULL));
    write_all(0, NULL, NULL);
    memory[5] = 99;
    cl_ok(clSetUserEventStatus(go, CL_COMPLETE));
    cl_ok(clReleaseEvent(go));
}

static void CL_CALLBACK fill(void *unused)
{
    (void)unused;
    memory[5] = 99;
}

static void filled_by_a_native_kernel(void)
{
    void *unused = NULL;
    cl_ok(clEnqueueNativeKernel(queue, fill, &unused, sizeof unused, 0, NULL, NULL, 0, NULL, NULL));
    write_all(0, NULL, NULL);
}

static void changed_by_a_native_kernel_after_it(void)
{
    void *unused = NULL;
    write_all(0, NULL, NULL);
    cl_ok(clEnqueueNativeKernel(queue, fill, &unused, sizeof unused, 0, NULL, NULL, 0, NULL, NULL));
}

static void CL_CALLBACK reuse(cl_event event, cl_int status, void *flag)
{
    (void)event, (void)status;
    memory[5] = 99;
    __atomic_store_n((int *)flag, 1, __ATOMIC_RELEASE);
}

static void changed_by_its_callback(void)
{
    static int done;
    cl_event event;
    write_all(0, NULL, &event);
    cl_ok(clSetEventCallback(event, CL_COMPLETE, reuse, &done));
    cl_ok(clFlush(queue));
    while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE))
        ;
    cl_ok(clReleaseEvent(event));
}

static void changed_between_rows(void)
{
    write_rows();
    memory[20 / 4] = memory[(128 + 16) / 4] = 99;
}

static void (*const right[])(void) = {
    not_changed,
    blocking,
    changed_after_a_wait,
    changed_after_a_later_blocking_call,
    changed_after_a_query,
    read_back_in_order,
    filled_before_a_user_event,
    filled_before_a_user_event_of_a_command_before,
    filled_by_a_native_kernel,
    changed_by_a_native_kernel_after_it,
    changed_by_its_callback,
    changed_between_rows,
};

START_TEST(changes_that_a_program_may_make)
{
    set_up();
    right[_i]();
    host_reported(0);
    memory[6] = 98;
    host_reported(0);
}
END_TEST

/* Without the check of races nothing is compared. */
START_TEST(check_is_off)
{
    host_set_up("off", "false", source);
    buffer = cl_buffer(context, 0, BYTES, NULL);
    changed_at_once();
    host_reported(0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("memory that writes read");
    TCase *tests = tcase_create("changes");
    setenv("ORRERY_QUIET", "1", 0);
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, changes_are_reported, 0, sizeof mistakes / sizeof *mistakes);
    tcase_add_loop_test(tests, changes_that_a_program_may_make, 0, sizeof right / sizeof *right);
    tcase_add_test(tests, check_is_off);
    suite_add_tcase(suite, tests);
    return cl_run_suite(suite);
}
