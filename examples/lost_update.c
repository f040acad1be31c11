/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A program whose kernel is right under most schedules. It ends with 1 when an update was lost:
 *          `orrery run --seeds 0..99` finds a seed where it is, and the smallest schedule that loses one.
 *
 * Usage    lost_update KERNEL.cl
 */
#include "start.h"

enum { GROUP_COUNT = 4 };

int main(int argc, char **argv)
{
    struct start device;
    cl_int total = 0;
    start(&device, argc, argv, "", "count");
    cl_mem buffer = new_argument(&device, 0, CL_MEM_READ_WRITE, sizeof total, &total);
    run(&device, GROUP_COUNT, 1, buffer, sizeof total, &total);
    printf("counted %d of %d\n", total, GROUP_COUNT);

    clReleaseMemObject(buffer);
    stop(&device);
    return total == GROUP_COUNT ? 0 : 1;
}
