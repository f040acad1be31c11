/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What the tests of images share: descriptors, images, building a program.
 */
#ifndef ORRERY_TESTS_SUPPORT_IMAGE_FIXTURE_H
#define ORRERY_TESTS_SUPPORT_IMAGE_FIXTURE_H

#include "cl_fixture.h"

static const cl_image_format rgba8 = {CL_RGBA, CL_UNORM_INT8};

/* layers_or_depth: of an array or a 3D image. */
static inline cl_image_desc image_desc(cl_mem_object_type type, size_t width, size_t height,
                                       size_t layers_or_depth)
{
    cl_image_desc desc = {.image_type = type, .image_width = width};
    bool array = type == CL_MEM_OBJECT_IMAGE1D_ARRAY || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    if (type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY || type == CL_MEM_OBJECT_IMAGE3D)
        desc.image_height = height;
    if (array)
        desc.image_array_size = layers_or_depth;
    else if (type == CL_MEM_OBJECT_IMAGE3D)
        desc.image_depth = layers_or_depth;
    return desc;
}

static inline cl_mem new_image(cl_mem_flags flags, const cl_image_format *format, const cl_image_desc *desc,
                               void *host)
{
    cl_int err;
    cl_mem image = clCreateImage(context, flags, format, desc, host, &err);
    cl_ok(err);
    return image;
}

static inline cl_mem new_2d(cl_mem_flags flags, const cl_image_format *format, size_t width, size_t height,
                            void *host)
{
    const cl_image_desc desc = image_desc(CL_MEM_OBJECT_IMAGE2D, width, height, 0);
    return new_image(flags, format, &desc, host);
}

static inline cl_program build_program(const char *source, const char *options)
{
    cl_int err;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
    cl_ok(err);
    err = clBuildProgram(program, 1, &device, options, NULL, NULL);
    if (err) {
        char log[4096] = "";
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        ck_abort_msg("%d: %s", err, log);
    }
    return program;
}

static inline cl_kernel new_kernel(cl_program program, const char *name)
{
    cl_int err;
    cl_kernel kernel = clCreateKernel(program, name, &err);
    cl_ok(err);
    return kernel;
}

#endif
