/* SPDX-License-Identifier: Apache-2.0 */
/* Builds kernels that stand in strings of this file, each with an error, and prints the logs. check_string_lines.sh looks
 * the places of the errors up here: what is undeclared stands once before a semicolon. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>

static const char *const quoted = "kernel void k(global int *out)\n"
                                  "{\n"
                                  "    if (out[0])\n"
                                  "        out[0] = quoted_lines;\n"
                                  "\tprintf(\"%d\\n\", 100 % 3);\n"
                                  "}\n";

static const char *const tabs = "kernel void k(global int *out)\n"
                                "{\n"
                                "\tout[0] = after_a_tab;\n"
                                "}";

static const char *const continued = "kernel void k(global int *out)\n\
{\n\
    out[0] = continued_lines;\n\
}\n";

static const char *lines[] = {
    "kernel void k(global int *out)\n", /* not alone in its line, as the next ones are */
    "{\n",
    "    out[0] = of_an_array;\n",
    "}\n",
};

static const char *listed[] = {
    "kernel void k(global int *out)\n",
    "{\n",
    "    out[0] = of_a_list;\n",
    "}\n",
};

static const char *const joined = "kernel void k(global int *out) "
                                  "{ out[0] = no_lines; }";

static void build(cl_context context, cl_device_id device, const char *const *strings, cl_uint count)
{
    char log[4096] = "";
    cl_program program = clCreateProgramWithSource(context, count, (const char **)strings, NULL, NULL);
    if (clBuildProgram(program, 0, NULL, NULL, NULL, NULL) != CL_BUILD_PROGRAM_FAILURE)
        printf("built\n");
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    printf("%s", log);
    clReleaseProgram(program);
}

int main(void)
{
    cl_platform_id platform;
    cl_device_id device;
    if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
        return 1;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    build(context, device, &quoted, 1);
    build(context, device, &tabs, 1);
    build(context, device, &continued, 1);
    build(context, device, lines, sizeof lines / sizeof *lines);
    build(context, device, listed, sizeof listed / sizeof *listed);
    build(context, device, &joined, 1);
    return clReleaseContext(context) != CL_SUCCESS;
}
