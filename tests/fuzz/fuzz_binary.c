/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a program's binary and as its intermediate language: an error of the call, or a program that
 * builds or reports an error, and whose kernels return their queries.
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "mutate_module.h"

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

/* The header of lib/program_binary.c, as 32-bit words: magic, magic, version, type, checksum, checksum, bytes
 * of the options, of the source, values of specialisation constants, flags, words of the module (two). */
enum {
    HEADER_BYTES = 48,
    AT_CHECKSUM = 4,
    AT_OPTIONS = 6,
    AT_SOURCE,
    AT_CONSTANTS,
    AT_WORDS = 10,
    CONSTANT_BYTES = 16
};

static void seal(uint8_t *data, size_t size)
{
    uint64_t sum = 0xcbf29ce484222325u;
    memset(data + 4 * AT_CHECKSUM, 0, sizeof sum);
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ data[i]) * 0x100000001b3u;
    memcpy(data + 4 * AT_CHECKSUM, &sum, sizeof sum);
}

/* Where the words of the module begin; 0: it is no binary that holds one. */
static size_t words_at(const uint8_t *data, size_t size)
{
    uint32_t header[HEADER_BYTES / 4];
    if (size < HEADER_BYTES || memcmp(data, "ORRERYPB", 8))
        return 0;
    memcpy(header, data, sizeof header);
    const uint64_t at = HEADER_BYTES + (uint64_t)header[AT_OPTIONS] + header[AT_SOURCE] +
                        (uint64_t)header[AT_CONSTANTS] * CONSTANT_BYTES;
    return at < size ? at : 0;
}

/* The module that a binary holds is mutated as one, else its other bytes; the checksum is right mostly. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed)
{
    const size_t at = words_at(data, size);
    if (!at)
        return seed % 4 ? module_mutate(data, size, most, seed) : LLVMFuzzerMutate(data, size, most);
    if (seed % 4 == 0) {
        LLVMFuzzerMutate(data + 8, at - 8, at - 8);
    } else {
        uint8_t *module = malloc(most - at + 1); /* aligned as words are */
        if (!module)
            exit(99);
        memcpy(module, data + at, size - at);
        const size_t bytes = module_mutate(module, size - at, most - at, seed);
        memcpy(data + at, module, bytes);
        free(module);
        memcpy(data + 4 * AT_WORDS, &(uint64_t){bytes / 4}, 8);
        size = at + bytes;
    }
    if (seed / 4 % 16)
        seal(data, size);
    return size;
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
