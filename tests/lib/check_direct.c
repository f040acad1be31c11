/* SPDX-License-Identifier: Apache-2.0 */
/* A program linked with -lorrery instead of a loader: every call is there and is ours. */
#include <dlfcn.h>

#include "tests/support/cl_fixture.h"

/* clang-format off */
#define CALLS(CALL) \
    CALL(clBuildProgram) CALL(clCloneKernel) CALL(clCompileProgram) CALL(clCreateBuffer) \
    CALL(clCreateBufferWithProperties) CALL(clCreateCommandQueue) CALL(clCreateCommandQueueWithProperties) \
    CALL(clCreateContext) CALL(clCreateContextFromType) CALL(clCreateImage) CALL(clCreateImage2D) \
    CALL(clCreateImage3D) CALL(clCreateImageWithProperties) CALL(clCreateKernel) \
    CALL(clCreateKernelsInProgram) CALL(clCreatePipe) CALL(clCreateProgramWithBinary) \
    CALL(clCreateProgramWithBuiltInKernels) CALL(clCreateProgramWithIL) CALL(clCreateProgramWithSource) \
    CALL(clCreateSampler) CALL(clCreateSamplerWithProperties) CALL(clCreateSubBuffer) \
    CALL(clCreateSubDevices) CALL(clCreateUserEvent) CALL(clEnqueueBarrier) \
    CALL(clEnqueueBarrierWithWaitList) CALL(clEnqueueCopyBuffer) CALL(clEnqueueCopyBufferRect) \
    CALL(clEnqueueCopyBufferToImage) CALL(clEnqueueCopyImage) CALL(clEnqueueCopyImageToBuffer) \
    CALL(clEnqueueFillBuffer) CALL(clEnqueueFillImage) CALL(clEnqueueMapBuffer) CALL(clEnqueueMapImage) \
    CALL(clEnqueueMarker) CALL(clEnqueueMarkerWithWaitList) CALL(clEnqueueMigrateMemObjects) \
    CALL(clEnqueueNDRangeKernel) CALL(clEnqueueNativeKernel) CALL(clEnqueueReadBuffer) \
    CALL(clEnqueueReadBufferRect) CALL(clEnqueueReadImage) CALL(clEnqueueSVMFree) CALL(clEnqueueSVMMap) \
    CALL(clEnqueueSVMMemFill) CALL(clEnqueueSVMMemcpy) CALL(clEnqueueSVMMigrateMem) \
    CALL(clEnqueueSVMUnmap) CALL(clEnqueueTask) CALL(clEnqueueUnmapMemObject) CALL(clEnqueueWaitForEvents) \
    CALL(clEnqueueWriteBuffer) CALL(clEnqueueWriteBufferRect) CALL(clEnqueueWriteImage) CALL(clFinish) \
    CALL(clFlush) CALL(clGetCommandQueueInfo) CALL(clGetContextInfo) CALL(clGetDeviceAndHostTimer) \
    CALL(clGetDeviceIDs) CALL(clGetDeviceInfo) CALL(clGetEventInfo) CALL(clGetEventProfilingInfo) \
    CALL(clGetExtensionFunctionAddress) CALL(clGetExtensionFunctionAddressForPlatform) \
    CALL(clGetHostTimer) CALL(clGetImageInfo) CALL(clGetKernelArgInfo) CALL(clGetKernelInfo) \
    CALL(clGetKernelSubGroupInfo) CALL(clGetKernelWorkGroupInfo) CALL(clGetMemObjectInfo) \
    CALL(clGetPipeInfo) CALL(clGetPlatformIDs) CALL(clGetPlatformInfo) CALL(clGetProgramBuildInfo) \
    CALL(clGetProgramInfo) CALL(clGetSamplerInfo) CALL(clGetSupportedImageFormats) CALL(clLinkProgram) \
    CALL(clReleaseCommandQueue) CALL(clReleaseContext) CALL(clReleaseDevice) CALL(clReleaseEvent) \
    CALL(clReleaseKernel) CALL(clReleaseMemObject) CALL(clReleaseProgram) CALL(clReleaseSampler) \
    CALL(clRetainCommandQueue) CALL(clRetainContext) CALL(clRetainDevice) CALL(clRetainEvent) \
    CALL(clRetainKernel) CALL(clRetainMemObject) CALL(clRetainProgram) CALL(clRetainSampler) \
    CALL(clSVMAlloc) CALL(clSVMFree) CALL(clSetCommandQueueProperty) CALL(clSetContextDestructorCallback) \
    CALL(clSetDefaultDeviceCommandQueue) CALL(clSetEventCallback) CALL(clSetKernelArg) \
    CALL(clSetKernelArgSVMPointer) CALL(clSetKernelExecInfo) CALL(clSetMemObjectDestructorCallback) \
    CALL(clSetProgramReleaseCallback) CALL(clSetProgramSpecializationConstant) CALL(clSetUserEventStatus) \
    CALL(clUnloadCompiler) CALL(clUnloadPlatformCompiler) CALL(clWaitForEvents)
/* clang-format on */

typedef void any_function(void);
static const struct call {
    const char *name;
    any_function *function;
} calls[] = {
#define CALL(name) {#name, (any_function *)name},
    CALLS(CALL)
#undef CALL
};
enum { CALL_COUNT = sizeof calls / sizeof *calls };

START_TEST(every_call_is_exported)
{
    Dl_info info;
    ck_assert_int_ne(dladdr((void *)(uintptr_t)calls[_i].function, &info), 0);
    ck_assert_msg(strstr(info.dli_fname, "liborrery") != NULL, "%s is in %s", calls[_i].name, info.dli_fname);
    ck_assert_ptr_eq(dlsym(RTLD_DEFAULT, calls[_i].name), (void *)(uintptr_t)calls[_i].function);
}
END_TEST

START_TEST(internal_names_are_not_exported)
{
    ck_assert_ptr_null(dlsym(RTLD_DEFAULT, "api_clGetPlatformIDs"));
    ck_assert_ptr_null(dlsym(RTLD_DEFAULT, "queue_drain"));
    ck_assert_ptr_nonnull(dlsym(RTLD_DEFAULT, "clIcdGetPlatformIDsKHR"));
}
END_TEST

START_TEST(calls_work_without_a_loader)
{
    cl_set_up();
    char byte = 1;
    cl_mem buffer = cl_buffer(context, CL_MEM_READ_WRITE, 1, NULL);
    cl_ok(clEnqueueFillBuffer(queue, buffer, &(char){42}, 1, 0, 1, 0, NULL, NULL));
    cl_ok(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 1, &byte, 0, NULL, NULL));
    ck_assert_int_eq(byte, 42);
    cl_ok(clReleaseMemObject(buffer));
    cl_tear_down();
}
END_TEST

START_TEST(extension_functions_are_found_by_name)
{
    static const char *const known[] = {"clIcdGetPlatformIDsKHR", "clCreateCommandQueueWithPropertiesKHR",
                                        "clCreateProgramWithILKHR", "clGetKernelSubGroupInfoKHR",
                                        "orrery_load_scenario_text"};
    cl_find_device();
    for (int i = 0; i < 5; i++) {
        ck_assert_msg(clGetExtensionFunctionAddress(known[i]) != NULL, "%s", known[i]);
        ck_assert_msg(clGetExtensionFunctionAddressForPlatform(platform, known[i]) != NULL, "%s", known[i]);
    }
    ck_assert_ptr_null(clGetExtensionFunctionAddress("clNoSuchThingKHR"));
    ck_assert_ptr_null(clGetExtensionFunctionAddress(NULL));
    ck_assert_ptr_null(clGetExtensionFunctionAddressForPlatform(NULL, known[0]));
    ck_assert_ptr_null(clGetExtensionFunctionAddressForPlatform(platform, NULL));
}
END_TEST

static Suite *direct_suite(void)
{
    Suite *suite = suite_create("direct");
    TCase *exports = tcase_create("exports"), *use = tcase_create("use");
    tcase_add_loop_test(exports, every_call_is_exported, 0, CALL_COUNT);
    tcase_add_test(exports, internal_names_are_not_exported);
    tcase_add_test(use, calls_work_without_a_loader);
    tcase_add_test(use, extension_functions_are_found_by_name);
    suite_add_tcase(suite, exports);
    suite_add_tcase(suite, use);
    return suite;
}

int main(void)
{
    return cl_run_suite(direct_suite());
}
