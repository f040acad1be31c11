/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What the tests of the listeners run: a kernel that is right, and one that writes after the end of its
 *          buffer. The results of both are as expected, so only a listener can make a test fail.
 *
 * Interface
 *   launch    runs the kernel `right` or `beyond` and finishes the queue
 */
#ifndef ORRERY_TESTS_CLIENTS_LISTENERS_H
#define ORRERY_TESTS_CLIENTS_LISTENERS_H

#include "client.h"

static inline void launch(const char *name)
{
    static const char *source = "kernel void right(global int *p) { p[get_global_id(0)] = 1; }\n"
                                "kernel void beyond(global int *p) { p[get_global_id(0) + 1] = 1; }\n";
    const size_t count = 4;
    client_open();
    cl_program program = clCreateProgramWithSource(client_context, 1, &source, NULL, NULL);
    CLIENT_OK(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, name, NULL);
    cl_mem buffer = client_buffer(NULL, count * sizeof(cl_int));
    CLIENT_OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    CLIENT_OK(clEnqueueNDRangeKernel(client_queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL));
    CLIENT_OK(clFinish(client_queue));
    CLIENT_OK(clReleaseMemObject(buffer));
    CLIENT_OK(clReleaseKernel(kernel));
    CLIENT_OK(clReleaseProgram(program));
    client_close();
}

#endif
