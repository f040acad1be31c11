/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faults of the scenario: calls refused, the device lost, commands that are delayed. The rows of
 * lib/api_rows.def whose errors are lack of resources are tested here, each refused in its call. Linked with
 * the library itself: a loader handles some calls alone.
 */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/cl_fixture.h"
#include "orrery/orrery.h"
#include "tests/support/recorder_fixture.h"

static void set_up(void)
{
    setenv("ORRERY_CHECK_API", "warning", 1);
    setenv("ORRERY_KEEP_EXIT_CODE", "1", 1);
    setenv("ORRERY_LOG", "/dev/null", 1);
    cl_find_device();
}

static void tear_down(void) {}

static void load(const char *text)
{
    char error[300] = "";
    ck_assert_msg(orrery_load_scenario_text(text, error, sizeof error) == 0, "%s\n%s", error, text);
}

static void faults(const char *list)
{
    char text[600];
    snprintf(text, sizeof text, "orrery: 1\nchecks: {api: warning}\nreport: {log: /dev/null}\nfaults:\n%s",
             list);
    load(text);
}

static struct orrery_finding last_finding(void)
{
    struct orrery_finding finding;
    ck_assert_uint_ge(orrery_finding_count(), 1);
    ck_assert_int_eq(orrery_finding_get(orrery_finding_count() - 1, &finding), 0);
    return finding;
}

/* ---- every call ----------------------------------------------------------------------------- */

enum { NOTHING = 1 }; /* what a call without an error returns: no error */

/* clang-format off */
#define CALLS \
    CALL(clGetPlatformIDs, err = clGetPlatformIDs(0, 0, 0)) \
    CALL(clGetPlatformInfo, err = clGetPlatformInfo(0, 0, 0, 0, 0)) \
    CALL(clGetDeviceIDs, err = clGetDeviceIDs(0, 0, 0, 0, 0)) \
    CALL(clGetDeviceInfo, err = clGetDeviceInfo(0, 0, 0, 0, 0)) \
    CALL(clCreateSubDevices, err = clCreateSubDevices(0, 0, 0, 0, 0)) \
    CALL(clRetainDevice, err = clRetainDevice(0)) \
    CALL(clReleaseDevice, err = clReleaseDevice(0)) \
    CALL(clSetDefaultDeviceCommandQueue, err = clSetDefaultDeviceCommandQueue(0, 0, 0)) \
    CALL(clGetDeviceAndHostTimer, err = clGetDeviceAndHostTimer(0, 0, 0)) \
    CALL(clGetHostTimer, err = clGetHostTimer(0, 0)) \
    CALL(clCreateContext, clCreateContext(0, 0, 0, 0, 0, &err)) \
    CALL(clCreateContextFromType, clCreateContextFromType(0, 0, 0, 0, &err)) \
    CALL(clRetainContext, err = clRetainContext(0)) \
    CALL(clReleaseContext, err = clReleaseContext(0)) \
    CALL(clGetContextInfo, err = clGetContextInfo(0, 0, 0, 0, 0)) \
    CALL(clSetContextDestructorCallback, err = clSetContextDestructorCallback(0, 0, 0)) \
    CALL(clCreateCommandQueueWithProperties, clCreateCommandQueueWithProperties(0, 0, 0, &err)) \
    CALL(clRetainCommandQueue, err = clRetainCommandQueue(0)) \
    CALL(clReleaseCommandQueue, err = clReleaseCommandQueue(0)) \
    CALL(clGetCommandQueueInfo, err = clGetCommandQueueInfo(0, 0, 0, 0, 0)) \
    CALL(clCreateBuffer, clCreateBuffer(0, 0, 0, 0, &err)) \
    CALL(clCreateSubBuffer, clCreateSubBuffer(0, 0, 0, 0, &err)) \
    CALL(clCreateImage, clCreateImage(0, 0, 0, 0, 0, &err)) \
    CALL(clCreatePipe, clCreatePipe(0, 0, 0, 0, 0, &err)) \
    CALL(clCreateBufferWithProperties, clCreateBufferWithProperties(0, 0, 0, 0, 0, &err)) \
    CALL(clCreateImageWithProperties, clCreateImageWithProperties(0, 0, 0, 0, 0, 0, &err)) \
    CALL(clRetainMemObject, err = clRetainMemObject(0)) \
    CALL(clReleaseMemObject, err = clReleaseMemObject(0)) \
    CALL(clGetSupportedImageFormats, err = clGetSupportedImageFormats(0, 0, 0, 0, 0, 0)) \
    CALL(clGetMemObjectInfo, err = clGetMemObjectInfo(0, 0, 0, 0, 0)) \
    CALL(clGetImageInfo, err = clGetImageInfo(0, 0, 0, 0, 0)) \
    CALL(clGetPipeInfo, err = clGetPipeInfo(0, 0, 0, 0, 0)) \
    CALL(clSetMemObjectDestructorCallback, err = clSetMemObjectDestructorCallback(0, 0, 0)) \
    CALL(clSVMAlloc, err = clSVMAlloc(0, 0, 0, 0) ? 0 : NOTHING) \
    CALL(clCreateSamplerWithProperties, clCreateSamplerWithProperties(0, 0, &err)) \
    CALL(clRetainSampler, err = clRetainSampler(0)) \
    CALL(clReleaseSampler, err = clReleaseSampler(0)) \
    CALL(clGetSamplerInfo, err = clGetSamplerInfo(0, 0, 0, 0, 0)) \
    CALL(clCreateProgramWithSource, clCreateProgramWithSource(0, 0, 0, 0, &err)) \
    CALL(clCreateProgramWithBinary, clCreateProgramWithBinary(0, 0, 0, 0, 0, 0, &err)) \
    CALL(clCreateProgramWithBuiltInKernels, clCreateProgramWithBuiltInKernels(0, 0, 0, 0, &err)) \
    CALL(clCreateProgramWithIL, clCreateProgramWithIL(0, 0, 0, &err)) \
    CALL(clRetainProgram, err = clRetainProgram(0)) \
    CALL(clReleaseProgram, err = clReleaseProgram(0)) \
    CALL(clBuildProgram, err = clBuildProgram(0, 0, 0, 0, 0, 0)) \
    CALL(clCompileProgram, err = clCompileProgram(0, 0, 0, 0, 0, 0, 0, 0, 0)) \
    CALL(clLinkProgram, clLinkProgram(0, 0, 0, 0, 0, 0, 0, 0, &err)) \
    CALL(clSetProgramReleaseCallback, err = clSetProgramReleaseCallback(0, 0, 0)) \
    CALL(clSetProgramSpecializationConstant, err = clSetProgramSpecializationConstant(0, 0, 0, 0)) \
    CALL(clUnloadPlatformCompiler, err = clUnloadPlatformCompiler(0)) \
    CALL(clGetProgramInfo, err = clGetProgramInfo(0, 0, 0, 0, 0)) \
    CALL(clGetProgramBuildInfo, err = clGetProgramBuildInfo(0, 0, 0, 0, 0, 0)) \
    CALL(clCreateKernel, clCreateKernel(0, 0, &err)) \
    CALL(clCreateKernelsInProgram, err = clCreateKernelsInProgram(0, 0, 0, 0)) \
    CALL(clCloneKernel, clCloneKernel(0, &err)) \
    CALL(clRetainKernel, err = clRetainKernel(0)) \
    CALL(clReleaseKernel, err = clReleaseKernel(0)) \
    CALL(clSetKernelArg, err = clSetKernelArg(0, 0, 0, 0)) \
    CALL(clSetKernelArgSVMPointer, err = clSetKernelArgSVMPointer(0, 0, 0)) \
    CALL(clSetKernelExecInfo, err = clSetKernelExecInfo(0, 0, 0, 0)) \
    CALL(clGetKernelInfo, err = clGetKernelInfo(0, 0, 0, 0, 0)) \
    CALL(clGetKernelArgInfo, err = clGetKernelArgInfo(0, 0, 0, 0, 0, 0)) \
    CALL(clGetKernelWorkGroupInfo, err = clGetKernelWorkGroupInfo(0, 0, 0, 0, 0, 0)) \
    CALL(clGetKernelSubGroupInfo, err = clGetKernelSubGroupInfo(0, 0, 0, 0, 0, 0, 0, 0)) \
    CALL(clWaitForEvents, err = clWaitForEvents(0, 0)) \
    CALL(clGetEventInfo, err = clGetEventInfo(0, 0, 0, 0, 0)) \
    CALL(clCreateUserEvent, clCreateUserEvent(0, &err)) \
    CALL(clRetainEvent, err = clRetainEvent(0)) \
    CALL(clReleaseEvent, err = clReleaseEvent(0)) \
    CALL(clSetUserEventStatus, err = clSetUserEventStatus(0, 0)) \
    CALL(clSetEventCallback, err = clSetEventCallback(0, 0, 0, 0)) \
    CALL(clGetEventProfilingInfo, err = clGetEventProfilingInfo(0, 0, 0, 0, 0)) \
    CALL(clFlush, err = clFlush(0)) \
    CALL(clFinish, err = clFinish(0)) \
    CALL(clEnqueueReadBuffer, err = clEnqueueReadBuffer(0, 0, 0, 0, 0, 0, 0, 0, 0)) \
    CALL(clEnqueueReadBufferRect, err = clEnqueueReadBufferRect(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) \
    CALL(clEnqueueWriteBuffer, err = clEnqueueWriteBuffer(0, 0, 0, 0, 0, 0, 0, 0, 0)) \
    CALL(clEnqueueWriteBufferRect, err = clEnqueueWriteBufferRect(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) \
    CALL(clEnqueueFillBuffer, err = clEnqueueFillBuffer(0, 0, 0, 0, 0, 0, 0, 0, 0)) \
    CALL(clEnqueueCopyBuffer, err = clEnqueueCopyBuffer(0, 0, 0, 0, 0, 0, 0, 0, 0)) \
    CALL(clEnqueueCopyBufferRect, err = clEnqueueCopyBufferRect(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) \
    CALL(clEnqueueReadImage, err = clEnqueueReadImage(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) \
    CALL(clEnqueueWriteImage, err = clEnqueueWriteImage(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) \
    CALL(clEnqueueFillImage, err = clEnqueueFillImage(0, 0, 0, 0, 0, 0, 0, 0)) \
    CALL(clEnqueueCopyImage, err = clEnqueueCopyImage(0, 0, 0, 0, 0, 0, 0, 0, 0)) \
    CALL(clEnqueueCopyImageToBuffer, err = clEnqueueCopyImageToBuffer(0, 0, 0, 0, 0, 0, 0, 0, 0)) \
    CALL(clEnqueueCopyBufferToImage, err = clEnqueueCopyBufferToImage(0, 0, 0, 0, 0, 0, 0, 0, 0)) \
    CALL(clEnqueueMapBuffer, clEnqueueMapBuffer(0, 0, 0, 0, 0, 0, 0, 0, 0, &err)) \
    CALL(clEnqueueMapImage, clEnqueueMapImage(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, &err)) \
    CALL(clEnqueueUnmapMemObject, err = clEnqueueUnmapMemObject(0, 0, 0, 0, 0, 0)) \
    CALL(clEnqueueMigrateMemObjects, err = clEnqueueMigrateMemObjects(0, 0, 0, 0, 0, 0, 0)) \
    CALL(clEnqueueNDRangeKernel, err = clEnqueueNDRangeKernel(0, 0, 0, 0, 0, 0, 0, 0, 0)) \
    CALL(clEnqueueNativeKernel, err = clEnqueueNativeKernel(0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) \
    CALL(clEnqueueMarkerWithWaitList, err = clEnqueueMarkerWithWaitList(0, 0, 0, 0)) \
    CALL(clEnqueueBarrierWithWaitList, err = clEnqueueBarrierWithWaitList(0, 0, 0, 0)) \
    CALL(clEnqueueSVMFree, err = clEnqueueSVMFree(0, 0, 0, 0, 0, 0, 0, 0)) \
    CALL(clEnqueueSVMMemcpy, err = clEnqueueSVMMemcpy(0, 0, 0, 0, 0, 0, 0, 0)) \
    CALL(clEnqueueSVMMemFill, err = clEnqueueSVMMemFill(0, 0, 0, 0, 0, 0, 0, 0)) \
    CALL(clEnqueueSVMMap, err = clEnqueueSVMMap(0, 0, 0, 0, 0, 0, 0, 0)) \
    CALL(clEnqueueSVMUnmap, err = clEnqueueSVMUnmap(0, 0, 0, 0, 0)) \
    CALL(clEnqueueSVMMigrateMem, err = clEnqueueSVMMigrateMem(0, 0, 0, 0, 0, 0, 0, 0)) \
    CALL(clSetCommandQueueProperty, err = clSetCommandQueueProperty(0, 0, 0, 0)) \
    CALL(clCreateImage2D, clCreateImage2D(0, 0, 0, 0, 0, 0, 0, &err)) \
    CALL(clCreateImage3D, clCreateImage3D(0, 0, 0, 0, 0, 0, 0, 0, 0, &err)) \
    CALL(clEnqueueMarker, err = clEnqueueMarker(0, 0)) \
    CALL(clEnqueueWaitForEvents, err = clEnqueueWaitForEvents(0, 0, 0)) \
    CALL(clEnqueueBarrier, err = clEnqueueBarrier(0)) \
    CALL(clCreateCommandQueue, clCreateCommandQueue(0, 0, 0, &err)) \
    CALL(clCreateSampler, clCreateSampler(0, 0, 0, 0, &err)) \
    CALL(clEnqueueTask, err = clEnqueueTask(0, 0, 0, 0, 0)) \
    CALL(clTerminateContextKHR, err = NAMED(clTerminateContextKHR)(0)) \
    CALL(clGetKernelSuggestedLocalWorkSizeKHR, err = NAMED(clGetKernelSuggestedLocalWorkSizeKHR)(0, 0, 0, 0, 0, 0)) \
    CALL(clGetKernelSubGroupInfoKHR, err = NAMED(clGetKernelSubGroupInfoKHR)(0, 0, 0, 0, 0, 0, 0, 0)) \
    CALL(clCreateSemaphoreWithPropertiesKHR, NAMED(clCreateSemaphoreWithPropertiesKHR)(0, 0, &err)) \
    CALL(clEnqueueWaitSemaphoresKHR, err = NAMED(clEnqueueWaitSemaphoresKHR)(0, 0, 0, 0, 0, 0, 0)) \
    CALL(clEnqueueSignalSemaphoresKHR, err = NAMED(clEnqueueSignalSemaphoresKHR)(0, 0, 0, 0, 0, 0, 0)) \
    CALL(clReleaseSemaphoreKHR, err = NAMED(clReleaseSemaphoreKHR)(0)) \
    CALL(clRetainSemaphoreKHR, err = NAMED(clRetainSemaphoreKHR)(0)) \
    CALL(clGetSemaphoreInfoKHR, err = NAMED(clGetSemaphoreInfoKHR)(0, 0, 0, 0, 0)) \
    CALL(clCreateCommandBufferKHR, NAMED(clCreateCommandBufferKHR)(0, 0, 0, &err)) \
    CALL(clRetainCommandBufferKHR, err = NAMED(clRetainCommandBufferKHR)(0)) \
    CALL(clReleaseCommandBufferKHR, err = NAMED(clReleaseCommandBufferKHR)(0)) \
    CALL(clFinalizeCommandBufferKHR, err = NAMED(clFinalizeCommandBufferKHR)(0)) \
    CALL(clEnqueueCommandBufferKHR, err = NAMED(clEnqueueCommandBufferKHR)(0, 0, 0, 0, 0, 0)) \
    CALL(clCommandBarrierWithWaitListKHR, err = NAMED(clCommandBarrierWithWaitListKHR)(0, 0, 0, 0, 0, 0)) \
    CALL(clCommandCopyBufferKHR, err = NAMED(clCommandCopyBufferKHR)(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) \
    CALL(clCommandCopyBufferRectKHR, err = NAMED(clCommandCopyBufferRectKHR)(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) \
    CALL(clCommandCopyBufferToImageKHR, err = NAMED(clCommandCopyBufferToImageKHR)(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) \
    CALL(clCommandCopyImageKHR, err = NAMED(clCommandCopyImageKHR)(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) \
    CALL(clCommandCopyImageToBufferKHR, err = NAMED(clCommandCopyImageToBufferKHR)(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) \
    CALL(clCommandFillBufferKHR, err = NAMED(clCommandFillBufferKHR)(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) \
    CALL(clCommandFillImageKHR, err = NAMED(clCommandFillImageKHR)(0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) \
    CALL(clCommandNDRangeKernelKHR, err = NAMED(clCommandNDRangeKernelKHR)(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) \
    CALL(clCommandSVMMemcpyKHR, err = NAMED(clCommandSVMMemcpyKHR)(0, 0, 0, 0, 0, 0, 0, 0, 0)) \
    CALL(clCommandSVMMemFillKHR, err = NAMED(clCommandSVMMemFillKHR)(0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) \
    CALL(clGetCommandBufferInfoKHR, err = NAMED(clGetCommandBufferInfoKHR)(0, 0, 0, 0, 0)) \
    CALL(clHostMemAllocINTEL, NAMED(clHostMemAllocINTEL)(0, 0, 0, 0, &err)) \
    CALL(clDeviceMemAllocINTEL, NAMED(clDeviceMemAllocINTEL)(0, 0, 0, 0, 0, &err)) \
    CALL(clSharedMemAllocINTEL, NAMED(clSharedMemAllocINTEL)(0, 0, 0, 0, 0, &err)) \
    CALL(clMemFreeINTEL, err = NAMED(clMemFreeINTEL)(0, 0)) \
    CALL(clMemBlockingFreeINTEL, err = NAMED(clMemBlockingFreeINTEL)(0, 0)) \
    CALL(clGetMemAllocInfoINTEL, err = NAMED(clGetMemAllocInfoINTEL)(0, 0, 0, 0, 0, 0)) \
    CALL(clSetKernelArgMemPointerINTEL, err = NAMED(clSetKernelArgMemPointerINTEL)(0, 0, 0)) \
    CALL(clEnqueueMemFillINTEL, err = NAMED(clEnqueueMemFillINTEL)(0, 0, 0, 0, 0, 0, 0, 0)) \
    CALL(clEnqueueMemcpyINTEL, err = NAMED(clEnqueueMemcpyINTEL)(0, 0, 0, 0, 0, 0, 0, 0)) \
    CALL(clEnqueueMigrateMemINTEL, err = NAMED(clEnqueueMigrateMemINTEL)(0, 0, 0, 0, 0, 0, 0)) \
    CALL(clEnqueueMemAdviseINTEL, err = NAMED(clEnqueueMemAdviseINTEL)(0, 0, 0, 0, 0, 0, 0))
/* clang-format on */

#define CALL(name, expression)      \
    static cl_int call_##name(void) \
    {                               \
        cl_int err = 0;             \
        expression;                 \
        return err;                 \
    }
CALLS
#undef CALL

static const struct {
    const char *name;
    cl_int (*make)(void);
} calls[] = {
#define CALL(name, expression) {#name, call_##name},
    CALLS
#undef CALL
};
enum { CALL_COUNT = sizeof calls / sizeof *calls };

/* clSVMAlloc's only error is NULL. */
#define CL_NULL NOTHING
static const struct {
    const char *call, *name, *proof;
} rows[] = {
#define ERROR(call, error, section, about, condition, proof) {#call, #error, #proof},
#define QUERY(call, name, section, proof)
#include "lib/api_rows.def"
#undef ERROR
#undef QUERY
};
enum { ROW_COUNT = sizeof rows / sizeof *rows };

static bool is_mine(size_t row)
{
    return strcmp(rows[row].proof, "BY(check_api_faults)") == 0;
}

static bool has_error(size_t row)
{
    return strcmp(rows[row].name, "NULL") != 0;
}

/* The first call gets the error of its first row, the second that of its second, and so on. */
static char *every_row_as_a_fault(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    fputs("orrery: 1\nchecks: {api: warning}\nreport: {log: /dev/null}\nfaults:\n", stream);
    for (size_t i = 0, nth = 1; i < ROW_COUNT; i++) {
        nth = i && strcmp(rows[i].call, rows[i - 1].call) == 0 ? nth : 1;
        if (is_mine(i))
            fprintf(stream, "  - {fail: %s, nth: %zu, error: %s}\n", rows[i].call, nth++,
                    has_error(i) ? rows[i].name : "CL_OUT_OF_RESOURCES");
    }
    fclose(stream);
    return text;
}

static cl_int make(const char *name)
{
    for (size_t i = 0; i < CALL_COUNT; i++)
        if (strcmp(calls[i].name, name) == 0)
            return calls[i].make();
    ck_abort_msg("no call %s", name);
    return 0;
}

static const char *name_of(cl_int error)
{
    switch (error) {
    case NOTHING: return "NULL";
#define API_ERROR(name, number) \
    case number:                \
        return #name;
#include "orrery/api_error.def"
#undef API_ERROR
    default: return "success";
    }
}

START_TEST(every_call_can_want_for_resources)
{
    char what[200], *text = every_row_as_a_fault();
    size_t done = 0;
    load(text);
    free(text);
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (!is_mine(i))
            continue;
        const cl_int err = make(rows[i].call);
        ck_assert_msg(strcmp(name_of(err), rows[i].name) == 0, "%s returned %s, not %s", rows[i].call,
                      name_of(err), rows[i].name);
        struct orrery_finding finding = last_finding();
        snprintf(what, sizeof what, "%s returned %s", rows[i].call, rows[i].name);
        ck_assert_str_eq(finding.access[0].what, what);
        ck_assert_str_eq(finding.why, "the scenario's faults want it so");
        orrery_clear_findings();
        done++;
    }
    ck_assert_uint_gt(done, 200);
}
END_TEST

/* ---- which calls ------------------------------------------------------------------------------- */

static cl_int buffer_error(cl_context owner)
{
    cl_int err;
    cl_mem made = clCreateBuffer(owner, 0, 4, NULL, &err);
    ck_assert_int_eq(!made, err != CL_SUCCESS);
    if (made)
        cl_ok(clReleaseMemObject(made));
    return err;
}

START_TEST(the_nth_call_is_refused_and_no_other)
{
    faults("  - {fail: clCreateBuffer, nth: 2, error: CL_OUT_OF_HOST_MEMORY}\n");
    cl_set_up();
    cl_ok(buffer_error(context));
    cl_is(buffer_error(context), CL_OUT_OF_HOST_MEMORY);
    cl_ok(buffer_error(context));
    cl_tear_down();
}
END_TEST

START_TEST(fault_applies_times_or_always)
{
    faults("  - {fail: clCreateBuffer, nth: 2, times: 2}\n  - {fail: clFlush, times: 0}\n");
    cl_set_up();
    cl_ok(buffer_error(context));
    cl_is(buffer_error(context), CL_OUT_OF_RESOURCES);
    cl_is(buffer_error(context), CL_OUT_OF_RESOURCES);
    cl_ok(buffer_error(context));
    for (int i = 0; i < 5; i++)
        cl_is(clFlush(queue), CL_OUT_OF_RESOURCES);
    cl_tear_down();
}
END_TEST

START_TEST(allocations_are_counted_together)
{
    faults("  - {fail: allocation, nth: 3}\n");
    cl_set_up();
    cl_ok(buffer_error(context));
    void *shared = clSVMAlloc(context, 0, 64, 0);
    ck_assert_ptr_nonnull(shared);
    cl_is(buffer_error(context), CL_MEM_OBJECT_ALLOCATION_FAILURE);
    cl_ok(buffer_error(context));
    clSVMFree(context, shared);
    cl_tear_down();
    faults("  - {fail: allocation}\n");
    cl_set_up();
    ck_assert_ptr_null(clSVMAlloc(context, 0, 64, 0));
    cl_tear_down();
}
END_TEST

START_TEST(a_build_is_refused_and_the_next_is_not)
{
    static const char *source = "kernel void k(void) {}";
    faults("  - {fail: build}\n");
    cl_set_up();
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    cl_is(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    cl_ok(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    cl_ok(clReleaseProgram(program));
    cl_tear_down();
}
END_TEST

START_TEST(an_enqueue_is_refused_and_leaves_nothing)
{
    const cl_uint one = 1;
    cl_event event = NULL;
    faults("  - {fail: enqueue, nth: 2}\n");
    cl_set_up();
    cl_mem buffer = cl_buffer(context, 0, 16, NULL);
    cl_ok(clEnqueueMarkerWithWaitList(queue, 0, NULL, NULL));
    cl_is(clEnqueueFillBuffer(queue, buffer, &one, 4, 0, 16, 0, NULL, &event), CL_OUT_OF_RESOURCES);
    ck_assert_ptr_null(event);
    cl_ok(clEnqueueFillBuffer(queue, buffer, &one, 4, 0, 16, 0, NULL, NULL));
    cl_ok(clFinish(queue));
    cl_ok(clReleaseMemObject(buffer));
    cl_tear_down();
}
END_TEST

START_TEST(faults_work_without_the_check)
{
    load("orrery: 1\nreport: {log: /dev/null}\nfaults: [{fail: clCreateBuffer}]\n");
    orrery_set_option("check-api", "off", NULL, 0);
    cl_set_up();
    cl_is(buffer_error(context), CL_OUT_OF_RESOURCES);
    cl_ok(buffer_error(context));
    ck_assert_uint_eq(orrery_finding_count(), 0);
    cl_tear_down();
}
END_TEST

START_TEST(another_scenario_counts_anew)
{
    faults("  - {fail: clCreateUserEvent}\n");
    cl_is(call_clCreateUserEvent(), CL_OUT_OF_RESOURCES);
    cl_is(call_clCreateUserEvent(), CL_INVALID_CONTEXT);
    faults("  - {fail: clCreateUserEvent}\n");
    cl_is(call_clCreateUserEvent(), CL_OUT_OF_RESOURCES);
}
END_TEST

/* ---- the device --------------------------------------------------------------------------------- */

static cl_bool available(void)
{
    cl_bool answer = 7;
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_AVAILABLE, sizeof answer, &answer, NULL));
    return answer;
}

START_TEST(a_lost_device_runs_nothing_more)
{
    const cl_uint one = 1, two = 2;
    cl_uint word = 0;
    cl_event before, after;
    cl_int err;
    faults("  - {lose_device: 2}\n");
    cl_set_up();
    cl_mem buffer = cl_buffer(context, CL_MEM_USE_HOST_PTR, 4, &word);
    cl_ok(clEnqueueFillBuffer(queue, buffer, &one, 4, 0, 4, 0, NULL, &before));
    cl_ok(clWaitForEvents(1, &before));
    ck_assert_int_eq(available(), CL_TRUE);
    cl_ok(clEnqueueFillBuffer(queue, buffer, &two, 4, 0, 4, 0, NULL, &after));
    cl_is(clFinish(queue), CL_OUT_OF_RESOURCES);
    cl_is(cl_status(before), CL_COMPLETE);
    cl_is(cl_status(after), CL_DEVICE_NOT_AVAILABLE);
    ck_assert_int_eq(available(), CL_FALSE);
    cl_is(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, &word, 0, NULL, NULL), CL_OUT_OF_RESOURCES);
    cl_is(clFlush(queue), CL_OUT_OF_RESOURCES);
    ck_assert_ptr_null(clCreateContext(NULL, 1, &device, NULL, NULL, &err));
    cl_is(err, CL_DEVICE_NOT_AVAILABLE);
    ck_assert_ptr_null(clCreateContextFromType(NULL, CL_DEVICE_TYPE_ALL, NULL, NULL, &err));
    cl_is(err, CL_DEVICE_NOT_AVAILABLE);
    cl_ok(clReleaseEvent(before));
    cl_ok(clReleaseEvent(after));
    cl_ok(clReleaseMemObject(buffer));
    cl_tear_down();
}
END_TEST

/* Two roots, the command that brings the loss on the second one. The first (_i = 0: the second) continues. */
START_TEST(loss_of_one_root_leaves_the_other_running)
{
    static const char *const losses[] = {"device: a", "device: b"};
    const cl_uint one = 1;
    cl_device_id both[2];
    cl_command_queue queues[2];
    cl_bool there;
    cl_event event;
    char text[300];
    cl_int err;
    snprintf(text, sizeof text,
             "orrery: 1\ndevices: [{name: a}, {name: b}]\nreport: {log: /dev/null}\nfaults: [{lose_device: "
             "2%s%s}]\n",
             _i < 2 ? ", " : "", _i < 2 ? losses[_i] : "");
    load(text);
    const int lost = _i == 0 ? 0 : 1, good = 1 - lost;
    cl_ok(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 2, both, NULL));
    context = clCreateContext(NULL, 2, both, NULL, NULL, &err);
    cl_ok(err);
    for (int i = 0; i < 2; i++) {
        queues[i] = clCreateCommandQueueWithProperties(context, both[i], NULL, &err);
        cl_ok(err);
    }
    cl_mem buffer = cl_buffer(context, 0, 4, NULL);
    cl_command_buffer_khr recorders[2] = {recorder_new(queues[0], NULL), recorder_new(queues[1], NULL)};
    for (int i = 0; i < 2; i++)
        cl_ok(NAMED(clFinalizeCommandBufferKHR)(recorders[i]));
    cl_ok(clEnqueueFillBuffer(queues[0], buffer, &one, 4, 0, 4, 0, NULL, NULL));
    cl_ok(clFinish(queues[0]));
    cl_ok(clEnqueueFillBuffer(queues[1], buffer, &one, 4, 0, 4, 0, NULL, &event));
    cl_is(clFinish(queues[1]), lost ? CL_OUT_OF_RESOURCES : CL_SUCCESS);
    cl_is(cl_status(event), lost ? CL_DEVICE_NOT_AVAILABLE : CL_COMPLETE);
    for (int i = 0; i < 2; i++) {
        const bool gone = i == lost;
        cl_ok(clGetDeviceInfo(both[i], CL_DEVICE_AVAILABLE, sizeof there, &there, NULL));
        ck_assert_int_eq(there, !gone);
        cl_is(clEnqueueFillBuffer(queues[i], buffer, &one, 4, 0, 4, 0, NULL, NULL),
              gone ? CL_OUT_OF_RESOURCES : CL_SUCCESS);
        cl_is(NAMED(clEnqueueCommandBufferKHR)(0, NULL, recorders[i], 0, NULL, NULL),
              gone ? CL_OUT_OF_RESOURCES : CL_SUCCESS);
        cl_is(NAMED(clEnqueueCommandBufferKHR)(1, &queues[i], recorders[i], 0, NULL, NULL),
              gone ? CL_OUT_OF_RESOURCES : CL_INVALID_OPERATION);
        cl_is(clFlush(queues[i]), gone ? CL_OUT_OF_RESOURCES : CL_SUCCESS);
        clCreateCommandQueueWithProperties(context, both[i], NULL, &err);
        cl_is(err, gone ? CL_DEVICE_NOT_AVAILABLE : CL_SUCCESS);
        clCreateContext(NULL, 1, &both[i], NULL, NULL, &err);
        cl_is(err, gone ? CL_DEVICE_NOT_AVAILABLE : CL_SUCCESS);
    }
    clCreateContext(NULL, 2, both, NULL, NULL, &err);
    cl_is(err, CL_DEVICE_NOT_AVAILABLE);
    /* one is available */
    ck_assert_ptr_nonnull(clCreateContextFromType(NULL, CL_DEVICE_TYPE_ALL, NULL, NULL, &err));
    cl_ok(clFinish(queues[good]));
}
END_TEST

START_TEST(wait_for_a_lost_command_fails)
{
    const cl_uint one = 1;
    cl_event event;
    faults("  - {lose_device: 1}\n");
    cl_set_up();
    cl_mem buffer = cl_buffer(context, 0, 4, NULL);
    cl_ok(clEnqueueFillBuffer(queue, buffer, &one, 4, 0, 4, 0, NULL, &event));
    cl_is(clWaitForEvents(1, &event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    cl_ok(clReleaseEvent(event));
    cl_ok(clReleaseMemObject(buffer));
    cl_tear_down();
}
END_TEST

static cl_ulong duration(cl_event event)
{
    cl_ulong start, end;
    cl_ok(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL));
    cl_ok(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL));
    return end - start;
}

START_TEST(delay_lengthens_the_command)
{
    const cl_uint one = 1;
    cl_event events[3];
    faults("  - {delay: 123456, command: 2}\n");
    cl_set_up();
    cl_mem buffer = cl_buffer(context, 0, 4, NULL);
    for (int i = 0; i < 3; i++)
        cl_ok(clEnqueueFillBuffer(queue, buffer, &one, 4, 0, 4, 0, NULL, &events[i]));
    cl_ok(clFinish(queue));
    ck_assert_uint_eq(duration(events[1]), duration(events[0]) + 123456);
    ck_assert_uint_eq(duration(events[2]), duration(events[0]));
    for (int i = 0; i < 3; i++)
        cl_ok(clReleaseEvent(events[i]));
    cl_ok(clReleaseMemObject(buffer));
    cl_tear_down();
}
END_TEST

/* ---- the end --------------------------------------------------------------------------------------- */

static void report_at_exit(const char *log)
{
    char text[400];
    snprintf(text, sizeof text,
             "orrery: 1\nreport: {log: \"%s\"}\nfaults: [{fail: clFinish, nth: 2}, {lose_device: 9}, {fail: "
             "clFlush}]\n",
             log);
    unsetenv("ORRERY_LOG");
    unsetenv("ORRERY_QUIET");
    orrery_set_option("quiet", "off", NULL, 0);
    load(text);
    cl_set_up();
    cl_ok(clFinish(queue));
    cl_is(clFlush(queue), CL_OUT_OF_RESOURCES);
    cl_tear_down();
}

START_TEST(fault_that_never_applied_is_reported)
{
    char log[] = "/tmp/orrery-faults-XXXXXX", text[2000] = "";
    int status, file = mkstemp(log);
    ck_assert_int_ge(file, 0);
    pid_t child = fork();
    if (child == 0) {
        setenv("ORRERY_LOG", log, 1);
        report_at_exit(log);
        exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    ck_assert_int_gt(read(file, text, sizeof text - 1), 0);
    ck_assert_msg(strstr(text, "a fault was not met: fail clFinish, nth 2: there were 1\n") != NULL, "%s",
                  text);
    ck_assert_msg(strstr(text, "a fault was not met: there was no command 9\n") != NULL, "%s", text);
    ck_assert_ptr_null(strstr(text, "clFlush, nth"));
    close(file);
    unlink(log);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("api_faults");
    TCase *tcase = tcase_create("faults");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, every_call_can_want_for_resources);
    tcase_add_test(tcase, the_nth_call_is_refused_and_no_other);
    tcase_add_test(tcase, fault_applies_times_or_always);
    tcase_add_test(tcase, allocations_are_counted_together);
    tcase_add_test(tcase, a_build_is_refused_and_the_next_is_not);
    tcase_add_test(tcase, an_enqueue_is_refused_and_leaves_nothing);
    tcase_add_test(tcase, faults_work_without_the_check);
    tcase_add_test(tcase, another_scenario_counts_anew);
    tcase_add_test(tcase, a_lost_device_runs_nothing_more);
    tcase_add_loop_test(tcase, loss_of_one_root_leaves_the_other_running, 0, 3);
    tcase_add_test(tcase, wait_for_a_lost_command_fails);
    tcase_add_test(tcase, delay_lengthens_the_command);
    suite_add_tcase(suite, tcase);
    TCase *ends = tcase_create("ends");
    tcase_add_test(ends, fault_that_never_applied_is_reported);
    suite_add_tcase(suite, ends);
    return cl_run_suite(suite);
}
