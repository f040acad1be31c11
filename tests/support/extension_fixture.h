/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What tests of extensions share: whether there is one, programs and kernels of one source.
 *
 * Interface
 *   has_extension     is it in CL_DEVICE_EXTENSIONS_WITH_VERSION?
 *   build, builds     a program, which must build; does it?
 *   kernel_of         its kernel k
 *   status_of_build   of a module of SPIR-V
 */
#ifndef ORRERY_TESTS_SUPPORT_EXTENSION_FIXTURE_H
#define ORRERY_TESTS_SUPPORT_EXTENSION_FIXTURE_H

#include "fail_at.h"
#include "cl_fixture.h"

static inline bool has_extension(const char *name)
{
    cl_name_version list[128];
    size_t size = 0;
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS_WITH_VERSION, sizeof list, list, &size));
    for (size_t i = 0; i < size / sizeof *list; i++)
        if (strcmp(list[i].name, name) == 0)
            return true;
    return false;
}

#define build(source, options) build_at(__FILE__, __LINE__, source, options)
static inline cl_program build_at(const char *file, int line, const char *source, const char *options)
{
    static char log[4096];
    cl_int err;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
    cl_ok(err);
    err = clBuildProgram(program, 0, NULL, options, NULL, NULL);
    if (err) {
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fail_at(file, line, "clBuildProgram returned %d with '%s'\n%s\n%s", err, options, source, log);
    }
    return program;
}

#define kernel_of(source, options) kernel_of_at(__FILE__, __LINE__, source, options)
static inline cl_kernel kernel_of_at(const char *file, int line, const char *source, const char *options)
{
    cl_int err;
    cl_program program = build_at(file, line, source, options);
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    cl_ok(err);
    cl_ok(clReleaseProgram(program));
    return kernel;
}

static inline cl_int status_of_build(const void *il, size_t size)
{
    cl_int err;
    cl_program program = clCreateProgramWithIL(context, il, size, &err);
    cl_ok(err);
    err = clBuildProgram(program, 0, NULL, "", NULL, NULL);
    cl_ok(clReleaseProgram(program));
    return err;
}

static inline bool builds(const char *source, const char *options)
{
    cl_int err;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
    cl_ok(err);
    err = clBuildProgram(program, 0, NULL, options, NULL, NULL);
    cl_ok(clReleaseProgram(program));
    ck_assert(err == CL_SUCCESS || err == CL_BUILD_PROGRAM_FAILURE);
    return err == CL_SUCCESS;
}

#endif
