/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  An ordinary OpenCL program with two mistakes in its kernel. It prints plausible numbers and exits with 0
 *          on most devices; under Orrery it ends with findings.
 *
 * Usage    out_of_bounds KERNEL.cl
 */
#include "start.h"

enum { ITEM_COUNT = 64 };

int main(int argc, char **argv)
{
    struct start device;
    cl_int data[ITEM_COUNT];
    for (int i = 0; i < ITEM_COUNT; i++)
        data[i] = i * i;
    start(&device, argc, argv, "", "shift");
    cl_mem buffers[3] = {
        new_argument(&device, 0, CL_MEM_READ_ONLY, sizeof data, data),
        new_argument(&device, 1, CL_MEM_READ_WRITE, sizeof data, NULL),
        new_argument(&device, 2, CL_MEM_READ_WRITE, sizeof data, data),
    };
    run(&device, ITEM_COUNT, 16, buffers[2], sizeof data, data);
    printf("shifted[1] = %d, shifted[%d] = %d\n", data[1], ITEM_COUNT - 1, data[ITEM_COUNT - 1]);

    for (int i = 0; i < 3; i++)
        clReleaseMemObject(buffers[i]);
    stop(&device);
    return 0;
}
