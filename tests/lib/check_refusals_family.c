/* SPDX-License-Identifier: Apache-2.0 */
/* The errors that cl_intel_command_queue_families adds to all commands: the rows of lib/api_rows.def, one by
 * one. */
#include "tests/support/refusal_fixture.h"

#include <CL/cl_ext.h>

static const struct {
    const char *call, *error, *about, *condition, *proof;
} rows[] = {
#define ERROR(call, error, section, about, condition, proof) {#call, #error, section, condition, #proof},
#define QUERY(call, name, section, proof)
#include "lib/api_rows.def"
#undef ERROR
#undef QUERY
};

static cl_command_queue compute, copies;
static cl_kernel kernel;
static cl_mem image;
static int *shared;
static cl_semaphore_khr semaphore;
static cl_command_buffer_khr recorded[2]; /* on compute, on copies */

/* ---- the commands ---------------------------------------------------------------------------- */

static const size_t zero[3], box[3] = {4, 1, 1};

static void CL_CALLBACK native(void *args)
{
    (void)args;
}

static void CL_CALLBACK keep(cl_command_queue on, cl_uint count, void *pointers[], void *data)
{
    (void)on, (void)count, (void)pointers, (void)data;
}

static cl_int unmap(cl_command_queue on, cl_uint count, const cl_event *list, cl_event *event)
{
    cl_int err;
    void *mapped = clEnqueueMapBuffer(compute, buffer, CL_TRUE, CL_MAP_READ, 0, 4, 0, NULL, NULL, &err);
    cl_ok(err);
    err = clEnqueueUnmapMemObject(on, buffer, mapped, count, list, event);
    if (err)
        cl_ok(clEnqueueUnmapMemObject(compute, buffer, mapped, 0, NULL, NULL));
    return err;
}

static cl_int run_recorded(cl_command_queue on, cl_uint count, const cl_event *list, cl_event *event)
{
    return NAMED(clEnqueueCommandBufferKHR)(0, NULL, recorded[on == copies], count, list, event);
}

static cl_command_buffer_khr record_nothing(cl_command_queue on)
{
    cl_int err;
    cl_command_buffer_khr made = NAMED(clCreateCommandBufferKHR)(1, &on, NULL, &err);
    cl_ok(err);
    cl_ok(NAMED(clFinalizeCommandBufferKHR)(made));
    return made;
}

#define WAITS count, list, event
/* clang-format off */
#define CALLS(CALL) \
    CALL(clEnqueueReadBuffer, clEnqueueReadBuffer(on, buffer, CL_TRUE, 0, 4, host, WAITS)) \
    CALL(clEnqueueWriteBuffer, clEnqueueWriteBuffer(on, buffer, CL_TRUE, 0, 4, host, WAITS)) \
    CALL(clEnqueueReadBufferRect, clEnqueueReadBufferRect(on, buffer, CL_TRUE, zero, zero, box, 0, 0, 0, 0, host, WAITS)) \
    CALL(clEnqueueWriteBufferRect, clEnqueueWriteBufferRect(on, buffer, CL_TRUE, zero, zero, box, 0, 0, 0, 0, host, WAITS)) \
    CALL(clEnqueueFillBuffer, clEnqueueFillBuffer(on, buffer, host, 4, 0, 4, WAITS)) \
    CALL(clEnqueueCopyBuffer, clEnqueueCopyBuffer(on, buffer, buffer, 0, 64, 4, WAITS)) \
    CALL(clEnqueueCopyBufferRect, clEnqueueCopyBufferRect(on, buffer, buffer, zero, (size_t[]){64, 0, 0}, box, 0, 0, 0, 0, WAITS)) \
    CALL(clEnqueueMapBuffer, (clEnqueueMapBuffer(on, buffer, CL_TRUE, CL_MAP_READ, 0, 4, WAITS, &err), err)) \
    CALL(clEnqueueReadImage, clEnqueueReadImage(on, image, CL_TRUE, zero, box, 0, 0, host, WAITS)) \
    CALL(clEnqueueWriteImage, clEnqueueWriteImage(on, image, CL_TRUE, zero, box, 0, 0, host, WAITS)) \
    CALL(clEnqueueFillImage, clEnqueueFillImage(on, image, host, zero, box, WAITS)) \
    CALL(clEnqueueCopyImage, clEnqueueCopyImage(on, image, image, zero, (size_t[]){0, 1, 0}, box, WAITS)) \
    CALL(clEnqueueCopyImageToBuffer, clEnqueueCopyImageToBuffer(on, image, buffer, zero, box, 0, WAITS)) \
    CALL(clEnqueueCopyBufferToImage, clEnqueueCopyBufferToImage(on, buffer, image, 0, zero, box, WAITS)) \
    CALL(clEnqueueMapImage, (clEnqueueMapImage(on, image, CL_TRUE, CL_MAP_READ, zero, box, &pitch, NULL, WAITS, &err), err)) \
    CALL(clEnqueueUnmapMemObject, unmap(on, WAITS)) \
    CALL(clEnqueueMigrateMemObjects, clEnqueueMigrateMemObjects(on, 1, &buffer, 0, WAITS)) \
    CALL(clEnqueueSVMFree, clEnqueueSVMFree(on, 1, (void *[]){shared}, keep, NULL, WAITS)) \
    CALL(clEnqueueSVMMemcpy, clEnqueueSVMMemcpy(on, CL_TRUE, shared, host, 4, WAITS)) \
    CALL(clEnqueueSVMMemFill, clEnqueueSVMMemFill(on, shared, host, 4, 4, WAITS)) \
    CALL(clEnqueueSVMMap, clEnqueueSVMMap(on, CL_TRUE, CL_MAP_READ, shared, 4, WAITS)) \
    CALL(clEnqueueSVMUnmap, clEnqueueSVMUnmap(on, shared, WAITS)) \
    CALL(clEnqueueSVMMigrateMem, clEnqueueSVMMigrateMem(on, 1, (const void *[]){shared}, NULL, 0, WAITS)) \
    CALL(clEnqueueNDRangeKernel, clEnqueueNDRangeKernel(on, kernel, 1, NULL, box, NULL, WAITS)) \
    CALL(clEnqueueTask, clEnqueueTask(on, kernel, WAITS)) \
    CALL(clEnqueueNativeKernel, clEnqueueNativeKernel(on, native, NULL, 0, 0, NULL, NULL, WAITS)) \
    CALL(clEnqueueMarkerWithWaitList, clEnqueueMarkerWithWaitList(on, WAITS)) \
    CALL(clEnqueueMarker, clEnqueueMarker(on, event ? event : &made)) \
    CALL(clEnqueueWaitForEvents, clEnqueueWaitForEvents(on, 1, &failed)) \
    CALL(clEnqueueBarrierWithWaitList, clEnqueueBarrierWithWaitList(on, WAITS)) \
    CALL(clEnqueueBarrier, clEnqueueBarrier(on)) \
    CALL(clEnqueueWaitSemaphoresKHR, NAMED(clEnqueueWaitSemaphoresKHR)(on, 1, &semaphore, NULL, WAITS)) \
    CALL(clEnqueueSignalSemaphoresKHR, NAMED(clEnqueueSignalSemaphoresKHR)(on, 1, &semaphore, NULL, WAITS)) \
    CALL(clEnqueueCommandBufferKHR, run_recorded(on, WAITS)) \
    CALL(clEnqueueMemFillINTEL, NAMED(clEnqueueMemFillINTEL)(on, shared, host, 4, 4, WAITS)) \
    CALL(clEnqueueMemcpyINTEL, NAMED(clEnqueueMemcpyINTEL)(on, CL_TRUE, shared, host, 4, WAITS)) \
    CALL(clEnqueueMigrateMemINTEL, NAMED(clEnqueueMigrateMemINTEL)(on, shared, 4, 0, WAITS)) \
    CALL(clEnqueueMemAdviseINTEL, NAMED(clEnqueueMemAdviseINTEL)(on, shared, 4, 0, WAITS))
/* clang-format on */

static cl_int enqueue(const char *call, cl_command_queue on, cl_uint count, const cl_event *list,
                      cl_event *event)
{
    cl_int err = 1;
    size_t pitch;
    cl_event made = NULL;
#define CALL(name, expression)      \
    if (strcmp(call, #name) == 0) { \
        err = expression;           \
        if (made)                   \
            clReleaseEvent(made);   \
        return err;                 \
    }
    CALLS(CALL)
#undef CALL
    ck_abort_msg("%s is not among the commands here", call);
}

/* ---- the rows ----------------------------------------------------------------------------------- */

static bool is_row(size_t row, const char *condition)
{
    return strcmp(rows[row].about, "cl_intel_command_queue_families") == 0 &&
           strcmp(rows[row].proof, "BY(check_refusals_family)") == 0 &&
           strcmp(rows[row].condition, condition) == 0;
}

static void expect_row(size_t row, cl_int got, cl_int wanted)
{
    refused(rows[row].call, got, wanted, rows[row].error);
    const struct orrery_finding finding = finding_last("api-error");
    ck_assert_msg(strstr(finding.why, rows[row].condition) != NULL, "%s: %s", rows[row].call, finding.why);
}

/* Each row of this condition; how many there are. */
static size_t expect_rows(const char *condition, cl_command_queue on, cl_int wanted, cl_uint count,
                          const cl_event *list, cl_event *event)
{
    size_t found = 0;
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        if (!is_row(row, condition))
            continue;
        expect_row(row, enqueue(rows[row].call, on, count, list, event), wanted);
        found++;
    }
    return found;
}

static void begin(const char *capabilities)
{
    const cl_queue_properties family[] = {CL_QUEUE_FAMILY_INTEL, 1, CL_QUEUE_INDEX_INTEL, 0, 0};
    const cl_semaphore_properties_khr binary[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, 0};
    char scenario[400];
    cl_int err;
    snprintf(scenario, sizeof scenario,
             "device: {topology: \"tile:1 cslice:4 cu:2\", errors: spec, copy_capabilities: [%s]}",
             capabilities);
    refusal_set_up_with(scenario);
    compute = queue;
    copies = clCreateCommandQueueWithProperties(context, device, family, &err);
    cl_ok(err);
    image = refusal_flat(context, 0);
    kernel = cl_kernel_of(context, "kernel void k(void) {}", "");
    shared = clSVMAlloc(context, 0, 64, 0);
    semaphore = NAMED(clCreateSemaphoreWithPropertiesKHR)(context, binary, &err);
    cl_ok(err);
    recorded[0] = record_nothing(compute);
    recorded[1] = record_nothing(copies);
}

static void end(void)
{
    cl_ok(clFinish(compute));
    for (int i = 0; i < 2; i++)
        cl_ok(NAMED(clReleaseCommandBufferKHR)(recorded[i]));
    cl_ok(NAMED(clReleaseSemaphoreKHR)(semaphore));
    clSVMFree(context, shared);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseMemObject(image));
    cl_ok(clReleaseCommandQueue(copies));
    refusal_tear_down();
}

/* Its arguments are none that another row is about. */
static void expect_fine_elsewhere(const char *condition)
{
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++)
        if (is_row(row, condition) && strcmp(rows[row].call, "clEnqueueWaitForEvents") &&
            !strstr(rows[row].call, "Semaphores"))
            ck_assert_msg(enqueue(rows[row].call, compute, 0, NULL, NULL) == CL_SUCCESS, "%s",
                          rows[row].call);
}

START_TEST(families_without_the_command)
{
    const char *condition = "the family of command_queue does not have this command";
    begin("single-events, cross-events, single-waits, cross-waits");
    expect_fine_elsewhere(condition);
    ck_assert_uint_eq(expect_rows(condition, copies, CL_INVALID_OPERATION, 0, NULL, NULL), 38);
    end();
}
END_TEST

START_TEST(families_that_wait_for_nothing)
{
    begin("single-events, marker");
    ck_assert_uint_eq(expect_rows("the family of command_queue cannot wait for events", copies,
                                  CL_INVALID_EVENT_WAIT_LIST, 1, &user, NULL),
                      35);
    end();
}
END_TEST

START_TEST(families_whose_events_are_their_own)
{
    cl_event event;
    begin("single-events, single-waits, marker");
    cl_ok(clEnqueueMarkerWithWaitList(copies, 0, NULL, &event));
    ck_assert_uint_eq(
        expect_rows("the queue of an event in event_wait_list makes none that other queues wait for", compute,
                    CL_INVALID_EVENT_WAIT_LIST, 1, &event, NULL),
        35);
    cl_ok(clReleaseEvent(event));
    end();
}
END_TEST

START_TEST(families_that_wait_for_their_own)
{
    cl_event event;
    begin("single-events, single-waits, marker");
    cl_ok(clEnqueueMarkerWithWaitList(compute, 0, NULL, &event));
    ck_assert_uint_eq(expect_rows("the family of command_queue cannot wait for events of other queues",
                                  copies, CL_INVALID_EVENT_WAIT_LIST, 1, &event, NULL),
                      35);
    cl_ok(clReleaseEvent(event));
    end();
}
END_TEST

/* A command that no family but the first has is refused for that. */
START_TEST(families_that_make_no_events)
{
    cl_event event;
    begin("single-waits, cross-waits, transfer-buffer, transfer-rect, map-buffer, fill-buffer, "
          "transfer-image, map-image, fill-image, "
          "buffer-to-image, image-to-buffer, marker, barrier, kernel");
    ck_assert_uint_eq(
        expect_rows("the family of command_queue makes no events", copies, CL_INVALID_EVENT, 0, NULL, &event),
        19);
    end();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("refusals of queue families");
    TCase *tcase = tcase_create("families");
    tcase_add_test(tcase, families_without_the_command);
    tcase_add_test(tcase, families_that_wait_for_nothing);
    tcase_add_test(tcase, families_whose_events_are_their_own);
    tcase_add_test(tcase, families_that_wait_for_their_own);
    tcase_add_test(tcase, families_that_make_no_events);
    suite_add_tcase(suite, tcase);
    return cl_run_suite(suite);
}
