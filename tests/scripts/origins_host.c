/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel reads buffers that the host left uninitialised in different ways: check_origins.sh. Argument: which
 * way. Lines that findings name have a mark. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char source[] = "kernel void k(global const int *in, global int *out) { out[0] = in[3]; }"
                             "kernel void texel(read_only image2d_t in, global int *out)"
                             "{ out[0] = read_imagei(in, (int2)(3, 0)).x; }";

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    const char *text = source;
    const cl_int zero = 0;
    const cl_mem_migration_flags undefined = CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    const size_t one = 1, origin[3] = {0}, whole[3] = {4, 1, 1};
    const cl_image_format format = {CL_R, CL_SIGNED_INT32};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 1};
    cl_platform_id platform;
    cl_device_id device;
    cl_int err = clGetPlatformIDs(1, &platform, NULL);
    if (err || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
        return 1;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &err);
    cl_mem first = clCreateBuffer(context, CL_MEM_READ_WRITE, 16, NULL, &err); /* first */
    cl_mem in = clCreateBuffer(context, CL_MEM_READ_WRITE, 16, NULL, &err);    /* in */
    cl_mem spare = clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, &err);
    cl_mem image = clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, &err); /* image */
    cl_mem out = clCreateBuffer(context, CL_MEM_READ_WRITE, 16, NULL, &err);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    if (err || clBuildProgram(program, 1, &device, "", NULL, NULL))
        return 1;
    const bool texel = strncmp(way, "image", 5) == 0;
    cl_kernel kernel = clCreateKernel(program, texel ? "texel" : "k", &err);
    if (strcmp(way, "copy") == 0)
        clEnqueueCopyBuffer(queue, first, in, 0, 0, 16, 0, NULL, NULL); /* copy */
    if (strcmp(way, "migrate") == 0) {
        clEnqueueFillBuffer(queue, in, &zero, sizeof zero, 0, 16, 0, NULL, NULL);
        clEnqueueMigrateMemObjects(queue, 1, &in, undefined, 0, NULL, NULL); /* migrate */
    }
    if (strcmp(way, "image-copy") == 0)
        clEnqueueCopyImage(queue, spare, image, origin, origin, whole, 0, NULL, NULL); /* image-copy */
    if (strcmp(way, "part") == 0)
        clEnqueueFillBuffer(queue, in, &zero, sizeof zero, 0, 12, 0, NULL, NULL);
    clSetKernelArg(kernel, 0, sizeof in, texel ? &image : &in);
    clSetKernelArg(kernel, 1, sizeof out, &out);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, 0, NULL, NULL);
    err = clFinish(queue);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseMemObject(first);
    clReleaseMemObject(in);
    clReleaseMemObject(spare);
    clReleaseMemObject(image);
    clReleaseMemObject(out);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return err != CL_SUCCESS;
}
