/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a program's binary and as its intermediate language: an error of the call, or a program that
 * builds or reports an error, and whose kernels return their queries.
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdlib.h>

#include "fuzz.h"

const char fuzz_name[] = "binary";

enum { KERNELS_MOST = 8, NAME_BYTES = 64 };

static cl_device_id device;
static cl_context context;

static void set_up(void)
{
    cl_platform_id platform;
    if (context)
        return;
    setenv("ORRERY_QUIET", "true", 1);
    if (clGetPlatformIDs(1, &platform, NULL) ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
        abort();
    context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    if (!context)
        abort();
}

static void query_kernel(cl_kernel kernel)
{
    cl_uint count = 0;
    size_t size = 0;
    char name[NAME_BYTES];
    clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL);
    clGetKernelInfo(kernel, CL_KERNEL_ATTRIBUTES, 0, NULL, &size);
    clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof(cl_ulong), &(cl_ulong){0},
                             NULL);
    for (cl_uint i = 0; i < count && i < KERNELS_MOST; i++)
        clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_NAME, sizeof name, name, NULL);
}

static void use(cl_program program)
{
    cl_kernel kernels[KERNELS_MOST];
    cl_uint count = 0;
    size_t log = 0;
    const cl_int err = clBuildProgram(program, 1, &device, "", NULL, NULL);
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &log);
    if (err == CL_BUILD_PROGRAM_FAILURE && log < 2)
        abort(); /* refused without a word */
    if (!err && !clCreateKernelsInProgram(program, KERNELS_MOST, kernels, &count))
        for (cl_uint i = 0; i < count; i++) {
            query_kernel(kernels[i]);
            clReleaseKernel(kernels[i]);
        }
    clReleaseProgram(program);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cl_int status;
    set_up();
    cl_program binary = clCreateProgramWithBinary(context, 1, &device, &size, &data, &status, NULL);
    if (binary)
        use(binary);
    cl_program language = clCreateProgramWithIL(context, data, size, NULL);
    if (language)
        use(language);
    return 0;
}
