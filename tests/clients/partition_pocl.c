/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clCreateSubDevices with all sorts of lists, on a root device and on a sub-device of one unit: the result of
 * each.
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdio.h>
#include <string.h>

typedef cl_device_partition_property property;
#define EQUALLY CL_DEVICE_PARTITION_EQUALLY
#define COUNTS CL_DEVICE_PARTITION_BY_COUNTS
#define AFFINITY CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN

static const struct {
    property list[8];
    cl_uint room;
    int out;
} calls[] = {
    {{0}, 0, 0},
    {{-1, 0}, 0, 0},
    {{EQUALLY, 0, 0}, 0, 0},
    {{EQUALLY, 1, 0}, 0, 0},
    {{EQUALLY, 2, 0}, 0, 0},
    {{EQUALLY, 3, 0}, 0, 0},
    {{EQUALLY, 8, 0}, 0, 0},
    {{EQUALLY, 9, 0}, 0, 0},
    {{EQUALLY, -1, 0}, 0, 0},
    {{EQUALLY, 2, COUNTS, 2, 0, 0}, 0, 0},
    {{COUNTS, 0, 0}, 0, 0},
    {{COUNTS, 3, 1, 0, 0}, 0, 0},
    {{COUNTS, 8, 0, 0}, 0, 0},
    {{COUNTS, 9, 0, 0}, 0, 0},
    {{COUNTS, -1, 0, 0}, 0, 0},
    {{COUNTS, 1, 0, EQUALLY, 1, 0}, 0, 0},
    {{AFFINITY, CL_DEVICE_AFFINITY_DOMAIN_NUMA, 0}, 0, 0},
    {{AFFINITY, CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE, 0}, 0, 0},
    {{CL_DEVICE_PARTITION_BY_NAMES_INTEL, 0, -1, 0}, 0, 0},
    {{EQUALLY, 2, 0}, 4, 0},
    {{EQUALLY, 2, 0}, 0, 1},
    {{EQUALLY, 2, 0}, 3, 1},
    {{EQUALLY, 2, 0}, 4, 1},
    {{EQUALLY, 2, 0}, 9, 1},
    {{COUNTS, 3, 1, 0, 0}, 9, 1},
};

static void print_list(cl_device_id device, cl_device_info what)
{
    property list[16];
    size_t size = 0;
    clGetDeviceInfo(device, what, sizeof list, list, &size);
    for (size_t i = 0; i < size / sizeof *list; i++)
        printf(" %lx", (unsigned long)list[i]);
}

static void describe(const char *name, cl_device_id device)
{
    cl_uint units = 0, most = 99;
    clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    clGetDeviceInfo(device, CL_DEVICE_PARTITION_MAX_SUB_DEVICES, sizeof most, &most, NULL);
    printf("%s: units %u, most %u, offers", name, units, most);
    print_list(device, CL_DEVICE_PARTITION_PROPERTIES);
    printf(", made");
    print_list(device, CL_DEVICE_PARTITION_TYPE);
    printf("\n");
}

static void try_all(cl_device_id device)
{
    cl_device_id made[64];
    cl_uint count;
    printf("no list: %d\n", clCreateSubDevices(device, NULL, 0, NULL, &count));
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        cl_int err =
            clCreateSubDevices(device, calls[i].list, calls[i].room, calls[i].out ? made : NULL, &count);
        printf("list %zu, room %u: %d", i, calls[i].room, err);
        printf(err ? "\n" : ", %u parts\n", count);
        for (cl_uint k = 0; !err && calls[i].out && k < count; k++) {
            describe("    part", made[k]);
            clReleaseDevice(made[k]);
        }
    }
}

int main(int argc, char **argv)
{
    const property ones[] = {EQUALLY, 1, 0};
    cl_platform_id platforms[16];
    cl_device_id root, parts[64];
    cl_uint count = 0;
    clGetPlatformIDs(16, platforms, &count);
    for (cl_uint i = 0; i < count; i++) {
        char name[128] = "";
        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
        if (argc < 2 || !strstr(name, argv[1]) ||
            clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &root, NULL))
            continue;
        describe("root", root);
        try_all(root);
        if (clCreateSubDevices(root, ones, 64, parts, NULL))
            return 1;
        describe("part", parts[0]);
        try_all(parts[0]);
        return 0;
    }
    return 77;
}
