/* SPDX-License-Identifier: Apache-2.0 */
/* Refused calls as findings: which call, which argument with which value, under which condition of the text.
 */
#include "tests/support/finding_fixture.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void refused(const char *what, const char *object, const char *why, const char *spec)
{
    struct orrery_finding finding = finding_last("api-error");
    ck_assert_str_eq(finding.access[0].what, what);
    ck_assert_str_eq(finding.access[0].by, "the host");
    ck_assert_str_eq(finding.object, object);
    ck_assert_str_eq(finding.why, why);
    ck_assert_str_eq(finding.spec, spec);
}

START_TEST(a_refused_call_names_argument_condition_and_section)
{
    cl_int err;
    clCreateBuffer(context, 0, 0, NULL, &err);
    cl_is(err, CL_INVALID_BUFFER_SIZE);
    refused("clCreateBuffer returned CL_INVALID_BUFFER_SIZE", "size = 0", "size is 0",
            "OpenCL 2.2 API, 5.2.1");
    ck_assert_uint_eq(findings_of("api-error"), 1);
}
END_TEST

START_TEST(flags_are_reported_in_hexadecimal_and_a_null_pointer_as_that)
{
    clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 4, NULL, NULL);
    refused("clCreateBuffer returned CL_INVALID_HOST_PTR", "flags = 0x8, host_ptr = NULL",
            "flags ask for a host pointer, and host_ptr is NULL", "OpenCL 2.2 API, 5.2.1");
}
END_TEST

START_TEST(calls_of_3_0_name_its_sections)
{
    const cl_mem_properties unknown[] = {1, 2, 0};
    clCreateBufferWithProperties(context, unknown, 0, 4, NULL, NULL);
    struct orrery_finding finding = finding_last("api-error");
    ck_assert_str_eq(finding.spec, "OpenCL 3.0 API, 5.2.1");
    ck_assert_ptr_nonnull(
        strstr(finding.access[0].what, "clCreateBufferWithProperties returned CL_INVALID_PROPERTY"));
}
END_TEST

START_TEST(values_distinguish_conditions_of_one_error)
{
    char bytes[8];
    cl_mem buffer = cl_buffer(context, 0, 16, NULL);
    cl_is(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 12, 8, bytes, 0, NULL, NULL), CL_INVALID_VALUE);
    refused("clEnqueueReadBuffer returned CL_INVALID_VALUE", "offset = 12, size = 8",
            "offset and size leave the buffer: offset 12 and size 8 leave buffer 1, which has 16 bytes",
            "OpenCL 2.2 API, 5.2.2");
    cl_is(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 8, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    refused("clEnqueueReadBuffer returned CL_INVALID_VALUE", "ptr = NULL", "ptr is NULL",
            "OpenCL 2.2 API, 5.2.2");
    cl_is(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 8, bytes, 1, NULL, NULL),
          CL_INVALID_EVENT_WAIT_LIST);
    refused("clEnqueueReadBuffer returned CL_INVALID_EVENT_WAIT_LIST",
            "num_events_in_wait_list = 1, event_wait_list = NULL",
            "num_events_in_wait_list counts events, but event_wait_list is NULL", "OpenCL 2.2 API, 5.2.2");
    cl_ok(clReleaseMemObject(buffer));
}
END_TEST

START_TEST(objects_are_reported_by_kind_and_number)
{
    cl_uint out;
    cl_mem buffer = cl_buffer(context, 0, 16, NULL);
    cl_is(clEnqueueReadBuffer(other_queue, buffer, CL_TRUE, 0, 4, &out, 0, NULL, NULL), CL_INVALID_CONTEXT);
    refused("clEnqueueReadBuffer returned CL_INVALID_CONTEXT", "buffer = memory object 1",
            "buffer and command_queue are of different contexts", "OpenCL 2.2 API, 5.2.2");
    cl_is(clEnqueueReadBuffer(queue, (cl_mem)queue, CL_TRUE, 0, 4, &out, 0, NULL, NULL),
          CL_INVALID_MEM_OBJECT);
    refused("clEnqueueReadBuffer returned CL_INVALID_MEM_OBJECT", "buffer = no memory object",
            "buffer is not a buffer", "OpenCL 2.2 API, 5.2.2");
    cl_ok(clReleaseMemObject(buffer));
}
END_TEST

START_TEST(vectors_are_reported_with_their_numbers)
{
    const size_t zero[3] = {0, 0, 0}, region[3] = {4, 4, 2};
    char bytes[64];
    cl_mem buffer = cl_buffer(context, 0, 16, NULL);
    cl_is(
        clEnqueueReadBufferRect(queue, buffer, CL_TRUE, zero, zero, region, 3, 0, 0, 0, bytes, 0, NULL, NULL),
        CL_INVALID_VALUE);
    const char *object = finding_last("api-error").object;
    ck_assert_msg(strstr(object, "region = {4, 4, 2}, buffer_row_pitch = 3") != NULL, "%s", object);
    cl_ok(clReleaseMemObject(buffer));
}
END_TEST

START_TEST(the_entry_of_a_wait_list_is_reported)
{
    cl_event mine = cl_user_event(context), theirs = cl_user_event(other_context);
    const cl_event list[] = {mine, theirs}, broken[] = {mine, mine, (cl_event)queue};
    cl_is(clEnqueueMarkerWithWaitList(queue, 2, list, NULL), CL_INVALID_CONTEXT);
    refused("clEnqueueMarkerWithWaitList returned CL_INVALID_CONTEXT",
            "event_wait_list = a pointer, event_wait_list[1] = event 2",
            "an event of the wait list is of another context than command_queue", "OpenCL 2.2 API, 5.12");
    cl_is(clEnqueueMarkerWithWaitList(queue, 3, broken, NULL), CL_INVALID_EVENT_WAIT_LIST);
    refused("clEnqueueMarkerWithWaitList returned CL_INVALID_EVENT_WAIT_LIST",
            "num_events_in_wait_list = 3, event_wait_list = a pointer, event_wait_list[2] = no event",
            "count and list do not fit together, or an entry is not an event", "OpenCL 2.2 API, 5.12");
    cl_ok(clReleaseEvent(mine));
    cl_ok(clReleaseEvent(theirs));
}
END_TEST

START_TEST(names_are_reported)
{
    static const char *source = "kernel void known(global int *p) { *p = 1; }";
    cl_int err;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
    cl_ok(err);
    cl_ok(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    clCreateKernel(program, "unknown", NULL);
    refused("clCreateKernel returned CL_INVALID_KERNEL_NAME", "kernel_name = \"unknown\"",
            "the program has no kernel of this name: 'unknown' is not one of its kernels 'known'",
            "OpenCL 2.2 API, 5.9.1");
    cl_ok(clReleaseProgram(program));
}
END_TEST

START_TEST(build_log_is_added)
{
    static const char *source = "kernel void k(void) {}";
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    cl_is(clBuildProgram(program, 0, NULL, "-cl-nonsense", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
    refused("clBuildProgram returned CL_INVALID_BUILD_OPTIONS", "options = \"-cl-nonsense\"",
            "options has something that is not a build option: clBuildProgram: unknown build option "
            "'-cl-nonsense'",
            "OpenCL 2.2 API, 5.8.4");
    ck_assert_uint_eq(findings_of("api-error"), 1);
    cl_ok(clReleaseProgram(program));
}
END_TEST

static cl_program compiled_for(cl_context parts_context, const char *source, cl_device_id part)
{
    cl_int err;
    cl_program program = clCreateProgramWithSource(parts_context, 1, &source, NULL, &err);
    cl_ok(err);
    cl_ok(clCompileProgram(program, 1, &part, NULL, 0, NULL, NULL, NULL, NULL));
    return program;
}

/* The reason was that an earlier build might not be done yet, which was not so. */
START_TEST(clLinkProgram_names_the_program_that_has_no_binary_for_a_device)
{
    static const cl_device_partition_property counts[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 1, 0, 0};
    cl_int err;
    cl_uint count;
    cl_device_id parts[2];
    cl_ok(clCreateSubDevices(device, counts, 2, parts, &count));
    cl_context parts_context = clCreateContext(NULL, 2, parts, NULL, NULL, &err);
    cl_ok(err);
    cl_program inputs[] = {
        compiled_for(parts_context, "int f(void); kernel void k(global int *p) { *p = f(); }", parts[0]),
        compiled_for(parts_context, "int f(void) { return 1; }", parts[1])};
    clLinkProgram(parts_context, 0, NULL, NULL, 2, inputs, NULL, NULL, &err);
    cl_is(err, CL_INVALID_OPERATION);
    refused("clLinkProgram returned CL_INVALID_OPERATION", "input_programs = a pointer",
            "program 2 has no compiled binary for device 2, and program 1 has one", "OpenCL 2.2 API, 5.8.5");
    clLinkProgram(parts_context, 1, &parts[1], NULL, 2, inputs, NULL, NULL, &err);
    cl_is(err, CL_INVALID_OPERATION);
    refused("clLinkProgram returned CL_INVALID_OPERATION", "input_programs = a pointer",
            "program 1 has no compiled binary for device 3, and program 2 has one", "OpenCL 2.2 API, 5.8.5");
    cl_ok(clReleaseProgram(inputs[0]));
    cl_ok(clReleaseProgram(inputs[1]));
    cl_ok(clReleaseContext(parts_context));
    cl_ok(clReleaseDevice(parts[0]));
    cl_ok(clReleaseDevice(parts[1]));
}
END_TEST

START_TEST(a_call_without_error_code_is_refused_with_nothing)
{
    ck_assert_ptr_null(clSVMAlloc((cl_context)queue, 0, 4, 0));
    refused("clSVMAlloc returned NULL", "context = no context", "context is not a context",
            "OpenCL 2.2 API, 5.6.1");
}
END_TEST

START_TEST(each_line_of_the_program_is_a_finding_of_its_own)
{
    for (int i = 0; i < 5; i++)
        clFlush((cl_command_queue)context);
    ck_assert_uint_eq(findings_of("api-error"), 1);
    ck_assert_uint_eq(finding_last("api-error").count, 5);
    clFinish((cl_command_queue)context);
    ck_assert_uint_eq(findings_of("api-error"), 2);
}
END_TEST

START_TEST(calls_that_succeed_are_none)
{
    cl_mem buffer = cl_buffer(context, 0, 16, NULL);
    cl_ok(clFinish(queue));
    cl_ok(clReleaseMemObject(buffer));
    ck_assert_uint_eq(finding_count(), 0);
}
END_TEST

static void CL_CALLBACK remember(const char *text, const void *info, size_t size, void *data)
{
    (void)info;
    (void)size;
    strcpy(data, text);
}

START_TEST(the_context_is_notified_as_well)
{
    char text[200] = "";
    cl_context notified = clCreateContext(NULL, 1, &device, remember, text, NULL);
    clCreateBuffer(notified, 0, 0, NULL, NULL);
    ck_assert_str_eq(text, "clCreateBuffer returned CL_INVALID_BUFFER_SIZE (-61)");
    cl_ok(clReleaseContext(notified));
}
END_TEST

static void CL_CALLBACK query_inside(const char *text, const void *info, size_t size, void *data)
{
    cl_uint count;
    (void)text;
    (void)info;
    (void)size;
    cl_is(clGetContextInfo(*(cl_context *)data, 0, sizeof count, &count, NULL), CL_INVALID_VALUE);
}

START_TEST(a_call_inside_a_call_is_another_one)
{
    static const char *source = "kernel void k(void) {}";
    cl_context querying = NULL;
    querying = clCreateContext(NULL, 1, &device, query_inside, &querying, NULL);
    cl_program program = clCreateProgramWithSource(querying, 1, &source, NULL, NULL);
    cl_is(clBuildProgram(program, 0, NULL, "-cl-nonsense", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
    struct orrery_finding finding = finding_last("api-error");
    ck_assert_str_eq(finding.access[0].what, "clBuildProgram returned CL_INVALID_BUILD_OPTIONS");
    ck_assert_ptr_nonnull(strstr(finding.why, "unknown build option '-cl-nonsense'"));
    ck_assert_uint_eq(findings_of("api-error"), 2);
    cl_ok(clReleaseProgram(program));
    cl_ok(clReleaseContext(querying));
}
END_TEST

/* A file that seems to have been compiled into this program, as old as that or newer than it. */
static void write_line_file(time_t when)
{
    const struct timespec times[2] = {{.tv_sec = when}, {.tv_sec = when}};
    FILE *file = fopen(LINE_FILE, "w");
    ck_assert_ptr_nonnull(file);
    fputs("1\n2\n    clCreateBuffer(context, 0, 0); // of no bytes\n4\n", file);
    fclose(file);
    ck_assert_int_eq(utimensat(AT_FDCWD, LINE_FILE, times, 0), 0);
}

static void refuse_in_line_file(void);

static void clear_findings(void)
{
    orrery_clear_findings_fn *clear;
    void *const found = clGetExtensionFunctionAddressForPlatform(platform, "orrery_clear_findings");
    memcpy(&clear, &found, sizeof found);
    clear();
}

START_TEST(a_line_of_the_program_has_its_text_while_that_is_certain)
{
    write_line_file(1000000);
    refuse_in_line_file();
    struct orrery_finding finding = finding_last("api-error");
    if (finding.line) {                                         /* there is debug information, and libdw */
        ck_assert_ptr_nonnull(strstr(LINE_FILE, finding.file)); /* perhaps from the working directory */
        ck_assert_uint_eq(finding.line, 3);
        ck_assert_str_eq(finding.access[0].text, "    clCreateBuffer(context, 0, 0); // of no bytes");
        clear_findings();
        write_line_file(time(NULL) + 1000);
        refuse_in_line_file();
        ck_assert_str_eq(finding_last("api-error").access[0].text, "");
        clear_findings();
        unlink(LINE_FILE);
        refuse_in_line_file();
        ck_assert_str_eq(finding_last("api-error").access[0].text, "");
    }
    unlink(LINE_FILE);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("api_findings");
    TCase *tcase = tcase_create("refusals");
    tcase_add_checked_fixture(tcase, finding_set_up, cl_tear_down);
    tcase_add_test(tcase, a_refused_call_names_argument_condition_and_section);
    tcase_add_test(tcase, flags_are_reported_in_hexadecimal_and_a_null_pointer_as_that);
    tcase_add_test(tcase, calls_of_3_0_name_its_sections);
    tcase_add_test(tcase, values_distinguish_conditions_of_one_error);
    tcase_add_test(tcase, objects_are_reported_by_kind_and_number);
    tcase_add_test(tcase, vectors_are_reported_with_their_numbers);
    tcase_add_test(tcase, the_entry_of_a_wait_list_is_reported);
    tcase_add_test(tcase, names_are_reported);
    tcase_add_test(tcase, build_log_is_added);
    tcase_add_test(tcase, clLinkProgram_names_the_program_that_has_no_binary_for_a_device);
    tcase_add_test(tcase, a_call_without_error_code_is_refused_with_nothing);
    tcase_add_test(tcase, each_line_of_the_program_is_a_finding_of_its_own);
    tcase_add_test(tcase, calls_that_succeed_are_none);
    tcase_add_test(tcase, the_context_is_notified_as_well);
    tcase_add_test(tcase, a_call_inside_a_call_is_another_one);
    tcase_add_test(tcase, a_line_of_the_program_has_its_text_while_that_is_certain);
    suite_add_tcase(suite, tcase);
    return cl_run_suite(suite);
}

/* The last lines of this file: no other findings are at that one. */
static void refuse_in_line_file(void)
{
#line 3 LINE_FILE
    clCreateBuffer(context, 0, 0, NULL, NULL);
}
