/* SPDX-License-Identifier: Apache-2.0 */
/* For check_freed_blocks.sh: frees memory that a buffer or an image was made with, in the order that its first
 * argument names; or that a read or write uses. Its second argument is the size of the block in bytes. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cl_context context;
static cl_command_queue queue;

static void CL_CALLBACK free_block(cl_mem buffer, void *block)
{
    (void)buffer;
    free(block);
}

static void launch(cl_mem buffer)
{
    static const char *source = "kernel void f(global int *a) { a[get_global_id(0)] += 1; }";
    const size_t size = 8;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    clBuildProgram(program, 0, NULL, NULL, NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "f", NULL);
    clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
}

static void map_buffer(cl_mem buffer, size_t bytes)
{
    void *map = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_WRITE, 0, bytes, 0, NULL, NULL, NULL);
    clEnqueueUnmapMemObject(queue, buffer, map, 0, NULL, NULL);
    clFinish(queue);
}

static void map_image(void)
{
    const cl_image_format format = {CL_R, CL_SIGNED_INT32};
    const cl_image_desc shape = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 16};
    const size_t from[3] = {0, 0, 0}, size[3] = {16, 16, 1};
    size_t pitch;
    void *block = malloc(16 * 16 * 4);
    cl_mem image = clCreateImage(context, CL_MEM_USE_HOST_PTR, &format, &shape, block, NULL);
    free(block);
    void *map =
        clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_WRITE, from, size, &pitch, NULL, 0, NULL, NULL, NULL);
    clEnqueueUnmapMemObject(queue, image, map, 0, NULL, NULL);
    clFinish(queue);
    clReleaseMemObject(image);
}

/* A read or write of the block, without a buffer that was made with it. */
static void transfer(const char *order, size_t bytes)
{
    char *block = calloc(1, bytes);
    cl_mem buffer = clCreateBuffer(context, 0, bytes, NULL, NULL);
    clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, bytes, block, 0, NULL, NULL);
    if (strcmp(order, "written") == 0)
        clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, bytes - 64, block + 64, 0, NULL, NULL);
    else
        clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, bytes - 64, block + 64, 0, NULL, NULL);
    if (strcmp(order, "read_flushed") == 0)
        clFlush(queue);
    if (strcmp(order, "read_right") == 0)
        clFinish(queue);
    if (strcmp(order, "read_moved") == 0)
        block = realloc(block, 64 * bytes);
    free(block);
    clFinish(queue);
    clReleaseMemObject(buffer);
}

/* Blocks take the place of the freed one, in the program and in the library. */
static void allocate(size_t bytes)
{
    for (size_t i = 0; i < 200; i++)
        free(realloc(malloc(bytes / (i + 1)), bytes / (i + 1) + 64));
}

int main(int count, char **words)
{
    const char *order = count > 1 ? words[1] : "right";
    const size_t bytes = count > 2 ? (size_t)strtoul(words[2], NULL, 10) : 4096;
    cl_platform_id platform;
    cl_device_id device;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    queue = clCreateCommandQueue(context, device, 0, NULL);
    if (strncmp(order, "read", 4) == 0 || strcmp(order, "written") == 0)
        transfer(order, bytes);
    char *block = calloc(1, bytes);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, bytes - 64, block + 64, NULL);
    if (strcmp(order, "early") == 0) {
        launch(buffer);
        free(block);
    } else if (strcmp(order, "moved") == 0) {
        launch(buffer);
        block = realloc(block, 64 * bytes);
    } else if (strcmp(order, "map") == 0) {
        free(block);
        allocate(bytes);
        map_buffer(buffer, bytes - 64);
    } else if (strcmp(order, "image") == 0) {
        map_image();
    } else if (strcmp(order, "callback") == 0) {
        launch(buffer);
        clSetMemObjectDestructorCallback(buffer, free_block, block);
    } else if (strcmp(order, "after_finish") == 0) {
        launch(buffer);
        clFinish(queue);
        free(block);
    }
    clReleaseMemObject(buffer);
    clFinish(queue);
    if (strcmp(order, "right") == 0)
        free(block);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}
