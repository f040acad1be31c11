/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Work-group 0 passes a value to work-group 1 through a flag, whose memory scope holds one work-group only. It
 *          prints 42 on most devices; under Orrery it ends with a finding that names the scope that is needed.
 *
 * Usage    message_passing KERNEL.cl
 */
#include "start.h"

int main(int argc, char **argv)
{
    struct start device;
    cl_int zero = 0, result = 0;
    cl_mem buffers[3]; /* data, flag, out */
    start(&device, argc, argv, "-cl-std=CL3.0", "mp");
    for (cl_uint i = 0; i < 3; i++)
        buffers[i] = new_argument(&device, i, CL_MEM_READ_WRITE, sizeof zero, &zero);
    run(&device, 128, 64, buffers[2], sizeof result, &result);
    printf("%d\n", result);

    for (int i = 0; i < 3; i++)
        clReleaseMemObject(buffers[i]);
    stop(&device);
    return 0;
}
