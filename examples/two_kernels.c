/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Two kernels that alternate, four launches in all: fill, sum, fill, sum. Both race, and each of them may be looked at
 *          alone:
 *
 *              orrery run --kernel=sum -- two_kernels two_kernels.cl
 *              orrery run --launches=3.. -- two_kernels two_kernels.cl
 *
 * Usage    two_kernels KERNELS.cl
 */
#include "start.h"

enum { ITEMS = 8, GROUP = 4 };

int main(int argc, char **argv)
{
    struct start device;
    const size_t global = ITEMS, local = GROUP;
    cl_int error, zero = 0, sums[ITEMS / GROUP];
    start(&device, argc, argv, "", "sum");
    cl_mem data = new_argument(&device, 0, CL_MEM_READ_WRITE, ITEMS * sizeof zero, NULL);
    cl_mem out = new_argument(&device, 1, CL_MEM_READ_WRITE, sizeof sums, NULL);
    cl_mem counter =
        clCreateBuffer(device.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof zero, &zero, &error);
    need(error, "clCreateBuffer");
    cl_kernel fill = clCreateKernel(device.program, "fill", &error);
    need(error, "clCreateKernel");
    need(clSetKernelArg(fill, 0, sizeof data, &data), "clSetKernelArg");
    need(clSetKernelArg(fill, 1, sizeof counter, &counter), "clSetKernelArg");

    for (int round = 0; round < 2; round++) {
        need(clEnqueueNDRangeKernel(device.queue, fill, 1, NULL, &global, &local, 0, NULL, NULL),
             "clEnqueueNDRangeKernel");
        run(&device, ITEMS, GROUP, out, sizeof sums, sums);
        printf("%d %d\n", sums[0], sums[1]);
    }

    clReleaseKernel(fill);
    clReleaseMemObject(counter);
    clReleaseMemObject(out);
    clReleaseMemObject(data);
    stop(&device);
    return 0;
}
