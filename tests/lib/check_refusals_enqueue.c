/* SPDX-License-Identifier: Apache-2.0 */
/* The errors of commands: rows of lib/api_rows.def. Linked with the library itself: a loader looks at some
 * arguments on its own. */
#include "tests/support/refusal_fixture.h"

static const cl_image_format rgba = {CL_RGBA, CL_UNORM_INT8};
static cl_mem image, other_image;

static void set_up(void)
{
    refusal_set_up();
    image = refusal_flat(context, 0);
    other_image = refusal_flat(other_context, 0);
}

static void tear_down(void)
{
    cl_ok(clReleaseMemObject(image));
    cl_ok(clReleaseMemObject(other_image));
    refusal_tear_down();
}

/* ---- buffers ------------------------------------------------------------------------------------- */

START_TEST(rows_are_read)
{
    const size_t zero[3] = {0, 0, 0}, region[3] = {4, 4, 2}, flat[3] = {4, 0, 1}, far[3] = {1000, 100, 9};
    REFUSES(clEnqueueReadBufferRect, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer, buffer, CL_TRUE,
            zero, zero, region, 0, 0, 0, 0, host, NONE);
    REFUSES(clEnqueueReadBufferRect, CL_INVALID_CONTEXT, queue, other_buffer, CL_TRUE, zero, zero, region, 0,
            0, 0, 0, host, NONE);
    REFUSES(clEnqueueReadBufferRect, CL_INVALID_CONTEXT, queue, buffer, CL_TRUE, zero, zero, region, 0, 0, 0,
            0, host, OTHER_EVENT);
    REFUSES(clEnqueueReadBufferRect, CL_INVALID_MEM_OBJECT, queue, (cl_mem)queue, CL_TRUE, zero, zero, region,
            0, 0, 0, 0, host, NONE);
    REFUSES(clEnqueueReadBufferRect, CL_INVALID_VALUE, queue, buffer, CL_TRUE, NULL, zero, region, 0, 0, 0, 0,
            host, NONE);
    REFUSES(clEnqueueReadBufferRect, CL_INVALID_VALUE, queue, buffer, CL_TRUE, far, zero, region, 0, 0, 0, 0,
            host, NONE);
    REFUSES(clEnqueueReadBufferRect, CL_INVALID_VALUE, queue, buffer, CL_TRUE, zero, zero, flat, 0, 0, 0, 0,
            host, NONE);
    REFUSES(clEnqueueReadBufferRect, CL_INVALID_VALUE, queue, buffer, CL_TRUE, zero, zero, region, 3, 0, 0, 0,
            host, NONE);
    REFUSES(clEnqueueReadBufferRect, CL_INVALID_VALUE, queue, buffer, CL_TRUE, zero, zero, region, 4, 12, 0,
            0, host, NONE);
    REFUSES(clEnqueueReadBufferRect, CL_INVALID_VALUE, queue, buffer, CL_TRUE, zero, zero, region, 4, 18, 0,
            0, host, NONE);
    REFUSES(clEnqueueReadBufferRect, CL_INVALID_VALUE, queue, buffer, CL_TRUE, zero, zero, region, 0, 0, 3, 0,
            host, NONE);
    REFUSES(clEnqueueReadBufferRect, CL_INVALID_VALUE, queue, buffer, CL_TRUE, zero, zero, region, 0, 0, 4,
            12, host, NONE);
    REFUSES(clEnqueueReadBufferRect, CL_INVALID_VALUE, queue, buffer, CL_TRUE, zero, zero, region, 0, 0, 4,
            18, host, NONE);
    REFUSES(clEnqueueReadBufferRect, CL_INVALID_VALUE, queue, buffer, CL_TRUE, zero, zero, region, 0, 0, 0, 0,
            NULL, NONE);
    REFUSES(clEnqueueReadBufferRect, CL_INVALID_EVENT_WAIT_LIST, queue, buffer, CL_TRUE, zero, zero, region,
            0, 0, 0, 0, host, COUNT_WITHOUT_LIST);
    REFUSES(clEnqueueReadBufferRect, CL_INVALID_EVENT_WAIT_LIST, queue, buffer, CL_TRUE, zero, zero, region,
            0, 0, 0, 0, host, LIST_WITHOUT_COUNT);
    REFUSES(clEnqueueReadBufferRect, CL_INVALID_EVENT_WAIT_LIST, queue, buffer, CL_TRUE, zero, zero, region,
            0, 0, 0, 0, host, NO_EVENT);
    REFUSES(clEnqueueReadBufferRect, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, queue, buffer, CL_TRUE,
            zero, zero, region, 0, 0, 0, 0, host, FAILED);
}
END_TEST

START_TEST(rows_are_written)
{
    const size_t zero[3] = {0, 0, 0}, region[3] = {4, 4, 2}, flat[3] = {4, 0, 1}, far[3] = {1000, 100, 9};
    REFUSES(clEnqueueWriteBufferRect, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer, buffer, CL_TRUE,
            zero, zero, region, 0, 0, 0, 0, host, NONE);
    REFUSES(clEnqueueWriteBufferRect, CL_INVALID_CONTEXT, queue, other_buffer, CL_TRUE, zero, zero, region, 0,
            0, 0, 0, host, NONE);
    REFUSES(clEnqueueWriteBufferRect, CL_INVALID_CONTEXT, queue, buffer, CL_TRUE, zero, zero, region, 0, 0, 0,
            0, host, OTHER_EVENT);
    REFUSES(clEnqueueWriteBufferRect, CL_INVALID_MEM_OBJECT, queue, (cl_mem)queue, CL_TRUE, zero, zero,
            region, 0, 0, 0, 0, host, NONE);
    REFUSES(clEnqueueWriteBufferRect, CL_INVALID_VALUE, queue, buffer, CL_TRUE, NULL, zero, region, 0, 0, 0,
            0, host, NONE);
    REFUSES(clEnqueueWriteBufferRect, CL_INVALID_VALUE, queue, buffer, CL_TRUE, far, zero, region, 0, 0, 0, 0,
            host, NONE);
    REFUSES(clEnqueueWriteBufferRect, CL_INVALID_VALUE, queue, buffer, CL_TRUE, zero, zero, flat, 0, 0, 0, 0,
            host, NONE);
    REFUSES(clEnqueueWriteBufferRect, CL_INVALID_VALUE, queue, buffer, CL_TRUE, zero, zero, region, 3, 0, 0,
            0, host, NONE);
    REFUSES(clEnqueueWriteBufferRect, CL_INVALID_VALUE, queue, buffer, CL_TRUE, zero, zero, region, 4, 12, 0,
            0, host, NONE);
    REFUSES(clEnqueueWriteBufferRect, CL_INVALID_VALUE, queue, buffer, CL_TRUE, zero, zero, region, 4, 18, 0,
            0, host, NONE);
    REFUSES(clEnqueueWriteBufferRect, CL_INVALID_VALUE, queue, buffer, CL_TRUE, zero, zero, region, 0, 0, 3,
            0, host, NONE);
    REFUSES(clEnqueueWriteBufferRect, CL_INVALID_VALUE, queue, buffer, CL_TRUE, zero, zero, region, 0, 0, 4,
            12, host, NONE);
    REFUSES(clEnqueueWriteBufferRect, CL_INVALID_VALUE, queue, buffer, CL_TRUE, zero, zero, region, 0, 0, 4,
            18, host, NONE);
    REFUSES(clEnqueueWriteBufferRect, CL_INVALID_VALUE, queue, buffer, CL_TRUE, zero, zero, region, 0, 0, 0,
            0, NULL, NONE);
    REFUSES(clEnqueueWriteBufferRect, CL_INVALID_EVENT_WAIT_LIST, queue, buffer, CL_TRUE, zero, zero, region,
            0, 0, 0, 0, host, COUNT_WITHOUT_LIST);
    REFUSES(clEnqueueWriteBufferRect, CL_INVALID_EVENT_WAIT_LIST, queue, buffer, CL_TRUE, zero, zero, region,
            0, 0, 0, 0, host, LIST_WITHOUT_COUNT);
    REFUSES(clEnqueueWriteBufferRect, CL_INVALID_EVENT_WAIT_LIST, queue, buffer, CL_TRUE, zero, zero, region,
            0, 0, 0, 0, host, NO_EVENT);
    REFUSES(clEnqueueWriteBufferRect, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, queue, buffer, CL_TRUE,
            zero, zero, region, 0, 0, 0, 0, host, FAILED);
}
END_TEST

START_TEST(buffers_are_copied)
{
    const cl_buffer_region low = {0, 256}, high = {128, 256};
    cl_mem a = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &low, NULL);
    cl_mem b = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &high, NULL);
    const size_t zero[3] = {0, 0, 0}, one[3] = {1, 0, 0}, two[3] = {2, 1, 0}, region[3] = {4, 4, 2},
                 flat[3] = {4, 0, 1};
    const size_t far[3] = {1000, 100, 9}, middle[3] = {64, 0, 0};
    cl_mem second = cl_buffer(context, 0, 1024, NULL);
    REFUSES(clEnqueueCopyBuffer, CL_INVALID_CONTEXT, queue, other_buffer, second, 0, 0, 4, NONE);
    REFUSES(clEnqueueCopyBuffer, CL_INVALID_CONTEXT, queue, buffer, other_buffer, 0, 0, 4, NONE);
    REFUSES(clEnqueueCopyBuffer, CL_INVALID_CONTEXT, queue, buffer, second, 0, 0, 4, OTHER_EVENT);
    REFUSES(clEnqueueCopyBuffer, CL_INVALID_EVENT_WAIT_LIST, queue, buffer, second, 0, 0, 4,
            COUNT_WITHOUT_LIST);
    REFUSES(clEnqueueCopyBuffer, CL_INVALID_EVENT_WAIT_LIST, queue, buffer, second, 0, 0, 4,
            LIST_WITHOUT_COUNT);
    REFUSES(clEnqueueCopyBuffer, CL_INVALID_EVENT_WAIT_LIST, queue, buffer, second, 0, 0, 4, NO_EVENT);
    REFUSES(clEnqueueCopyBufferRect, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer, buffer, second, zero,
            zero, region, 0, 0, 0, 0, NONE);
    REFUSES(clEnqueueCopyBufferRect, CL_INVALID_CONTEXT, queue, other_buffer, second, zero, zero, region, 0,
            0, 0, 0, NONE);
    REFUSES(clEnqueueCopyBufferRect, CL_INVALID_CONTEXT, queue, buffer, other_buffer, zero, zero, region, 0,
            0, 0, 0, NONE);
    REFUSES(clEnqueueCopyBufferRect, CL_INVALID_CONTEXT, queue, buffer, second, zero, zero, region, 0, 0, 0,
            0, OTHER_EVENT);
    REFUSES(clEnqueueCopyBufferRect, CL_INVALID_MEM_OBJECT, queue, (cl_mem)queue, second, zero, zero, region,
            0, 0, 0, 0, NONE);
    REFUSES(clEnqueueCopyBufferRect, CL_INVALID_MEM_OBJECT, queue, buffer, (cl_mem)queue, zero, zero, region,
            0, 0, 0, 0, NONE);
    REFUSES(clEnqueueCopyBufferRect, CL_INVALID_EVENT_WAIT_LIST, queue, buffer, second, zero, zero, region, 0,
            0, 0, 0, COUNT_WITHOUT_LIST);
    REFUSES(clEnqueueCopyBufferRect, CL_INVALID_EVENT_WAIT_LIST, queue, buffer, second, zero, zero, region, 0,
            0, 0, 0, LIST_WITHOUT_COUNT);
    REFUSES(clEnqueueCopyBufferRect, CL_INVALID_EVENT_WAIT_LIST, queue, buffer, second, zero, zero, region, 0,
            0, 0, 0, NO_EVENT);
    REFUSES(clEnqueueCopyBufferRect, CL_INVALID_VALUE, queue, buffer, second, NULL, zero, region, 0, 0, 0, 0,
            NONE);
    REFUSES(clEnqueueCopyBufferRect, CL_INVALID_VALUE, queue, buffer, second, far, zero, region, 0, 0, 0, 0,
            NONE);
    REFUSES(clEnqueueCopyBufferRect, CL_INVALID_VALUE, queue, buffer, second, zero, far, region, 0, 0, 0, 0,
            NONE);
    REFUSES(clEnqueueCopyBufferRect, CL_INVALID_VALUE, queue, buffer, second, zero, zero, flat, 0, 0, 0, 0,
            NONE);
    REFUSES(clEnqueueCopyBufferRect, CL_INVALID_VALUE, queue, buffer, second, zero, zero, region, 3, 0, 0, 0,
            NONE);
    REFUSES(clEnqueueCopyBufferRect, CL_INVALID_VALUE, queue, buffer, second, zero, zero, region, 4, 12, 0, 0,
            NONE);
    REFUSES(clEnqueueCopyBufferRect, CL_INVALID_VALUE, queue, buffer, second, zero, zero, region, 4, 18, 0, 0,
            NONE);
    REFUSES(clEnqueueCopyBufferRect, CL_INVALID_VALUE, queue, buffer, second, zero, zero, region, 0, 0, 3, 0,
            NONE);
    REFUSES(clEnqueueCopyBufferRect, CL_INVALID_VALUE, queue, buffer, second, zero, zero, region, 0, 0, 4, 12,
            NONE);
    REFUSES(clEnqueueCopyBufferRect, CL_INVALID_VALUE, queue, buffer, second, zero, zero, region, 0, 0, 4, 18,
            NONE);
    REFUSES(clEnqueueCopyBufferRect, CL_INVALID_VALUE, queue, buffer, buffer, zero, middle, region, 8, 32, 16,
            64, NONE);
    REFUSES(clEnqueueCopyBufferRect, CL_INVALID_VALUE, queue, buffer, buffer, zero, middle, region, 8, 32, 8,
            64, NONE);
    REFUSES(clEnqueueCopyBufferRect, CL_MEM_COPY_OVERLAP, queue, buffer, buffer, zero, one, region, 16, 64,
            16, 64, NONE);
    REFUSES(clEnqueueCopyBufferRect, CL_MEM_COPY_OVERLAP, queue, a, b, middle, zero,
            (const size_t[3]){128, 1, 1}, 0, 0, 0, 0, NONE);
    REFUSES(clEnqueueCopyBufferRect, CL_MEM_COPY_OVERLAP, queue, buffer, buffer, zero, two, region, 16, 64,
            16, 64, NONE);
    cl_ok(clReleaseMemObject(a));
    cl_ok(clReleaseMemObject(b));
    cl_ok(clReleaseMemObject(second));
}
END_TEST

START_TEST(buffers_are_filled)
{
    REFUSES(clEnqueueFillBuffer, CL_INVALID_VALUE, queue, buffer, host, 4, 1024, 4, NONE);
    REFUSES(clEnqueueFillBuffer, CL_INVALID_VALUE, queue, buffer, NULL, 4, 0, 4, NONE);
    REFUSES(clEnqueueFillBuffer, CL_INVALID_VALUE, queue, buffer, host, 0, 0, 4, NONE);
    REFUSES(clEnqueueFillBuffer, CL_INVALID_VALUE, queue, buffer, host, 3, 0, 3, NONE);
    REFUSES(clEnqueueFillBuffer, CL_INVALID_VALUE, queue, buffer, host, 256, 0, 256, NONE);
    REFUSES(clEnqueueFillBuffer, CL_INVALID_VALUE, queue, buffer, host, 4, 2, 4, NONE);
    REFUSES(clEnqueueFillBuffer, CL_INVALID_VALUE, queue, buffer, host, 4, 0, 6, NONE);
    REFUSES(clEnqueueFillBuffer, CL_INVALID_EVENT_WAIT_LIST, queue, buffer, host, 4, 0, 4,
            COUNT_WITHOUT_LIST);
    REFUSES(clEnqueueFillBuffer, CL_INVALID_EVENT_WAIT_LIST, queue, buffer, host, 4, 0, 4,
            LIST_WITHOUT_COUNT);
    REFUSES(clEnqueueFillBuffer, CL_INVALID_EVENT_WAIT_LIST, queue, buffer, host, 4, 0, 4, NO_EVENT);
}
END_TEST

START_TEST(buffers_are_mapped)
{
    REFUSES_OBJECT(clEnqueueMapBuffer, CL_INVALID_CONTEXT, queue, other_buffer, CL_TRUE, CL_MAP_READ, 0, 4,
                   NONE);
    REFUSES_OBJECT(clEnqueueMapBuffer, CL_INVALID_CONTEXT, queue, buffer, CL_TRUE, CL_MAP_READ, 0, 4,
                   OTHER_EVENT);
    REFUSES_OBJECT(clEnqueueMapBuffer, CL_INVALID_VALUE, queue, buffer, CL_TRUE, CL_MAP_READ, 1000, 100,
                   NONE);
    REFUSES_OBJECT(clEnqueueMapBuffer, CL_INVALID_VALUE, queue, buffer, CL_TRUE, CL_MAP_READ, 0, 0, NONE);
    REFUSES_OBJECT(clEnqueueMapBuffer, CL_INVALID_VALUE, queue, buffer, CL_TRUE, 1 << 20, 0, 4, NONE);
    REFUSES_OBJECT(clEnqueueMapBuffer, CL_INVALID_EVENT_WAIT_LIST, queue, buffer, CL_TRUE, CL_MAP_READ, 0, 4,
                   COUNT_WITHOUT_LIST);
    REFUSES_OBJECT(clEnqueueMapBuffer, CL_INVALID_EVENT_WAIT_LIST, queue, buffer, CL_TRUE, CL_MAP_READ, 0, 4,
                   LIST_WITHOUT_COUNT);
    REFUSES_OBJECT(clEnqueueMapBuffer, CL_INVALID_EVENT_WAIT_LIST, queue, buffer, CL_TRUE, CL_MAP_READ, 0, 4,
                   NO_EVENT);
}
END_TEST

/* ---- images ---------------------------------------------------------------------------------------- */

START_TEST(images_are_read)
{
    const size_t zero[3] = {0, 0, 0}, region[3] = {4, 4, 1}, large[3] = {5, 4, 1}, deep[3] = {4, 4, 2};
    REFUSES(clEnqueueReadImage, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer, image, CL_TRUE, zero,
            region, 0, 0, host, NONE);
    REFUSES(clEnqueueReadImage, CL_INVALID_CONTEXT, queue, other_image, CL_TRUE, zero, region, 0, 0, host,
            NONE);
    REFUSES(clEnqueueReadImage, CL_INVALID_CONTEXT, queue, image, CL_TRUE, zero, region, 0, 0, host,
            OTHER_EVENT);
    REFUSES(clEnqueueReadImage, CL_INVALID_MEM_OBJECT, queue, buffer, CL_TRUE, zero, region, 0, 0, host,
            NONE);
    REFUSES(clEnqueueReadImage, CL_INVALID_VALUE, queue, image, CL_TRUE, NULL, region, 0, 0, host, NONE);
    REFUSES(clEnqueueReadImage, CL_INVALID_VALUE, queue, image, CL_TRUE, zero, NULL, 0, 0, host, NONE);
    REFUSES(clEnqueueReadImage, CL_INVALID_VALUE, queue, image, CL_TRUE, zero, large, 0, 0, host, NONE);
    REFUSES(clEnqueueReadImage, CL_INVALID_VALUE, queue, image, CL_TRUE, zero, deep, 0, 0, host, NONE);
    REFUSES(clEnqueueReadImage, CL_INVALID_VALUE, queue, image, CL_TRUE, zero, region, 16, 64, host, NONE);
    REFUSES(clEnqueueReadImage, CL_INVALID_VALUE, queue, image, CL_TRUE, zero, region, 0, 0, NULL, NONE);
    REFUSES(clEnqueueReadImage, CL_INVALID_EVENT_WAIT_LIST, queue, image, CL_TRUE, zero, region, 0, 0, host,
            COUNT_WITHOUT_LIST);
    REFUSES(clEnqueueReadImage, CL_INVALID_EVENT_WAIT_LIST, queue, image, CL_TRUE, zero, region, 0, 0, host,
            LIST_WITHOUT_COUNT);
    REFUSES(clEnqueueReadImage, CL_INVALID_EVENT_WAIT_LIST, queue, image, CL_TRUE, zero, region, 0, 0, host,
            NO_EVENT);
    REFUSES(clEnqueueReadImage, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, queue, image, CL_TRUE, zero,
            region, 0, 0, host, FAILED);
}
END_TEST

START_TEST(images_are_written)
{
    const size_t zero[3] = {0, 0, 0}, region[3] = {4, 4, 1}, large[3] = {5, 4, 1}, deep[3] = {4, 4, 2};
    REFUSES(clEnqueueWriteImage, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer, image, CL_TRUE, zero,
            region, 0, 0, host, NONE);
    REFUSES(clEnqueueWriteImage, CL_INVALID_CONTEXT, queue, other_image, CL_TRUE, zero, region, 0, 0, host,
            NONE);
    REFUSES(clEnqueueWriteImage, CL_INVALID_CONTEXT, queue, image, CL_TRUE, zero, region, 0, 0, host,
            OTHER_EVENT);
    REFUSES(clEnqueueWriteImage, CL_INVALID_MEM_OBJECT, queue, buffer, CL_TRUE, zero, region, 0, 0, host,
            NONE);
    REFUSES(clEnqueueWriteImage, CL_INVALID_VALUE, queue, image, CL_TRUE, NULL, region, 0, 0, host, NONE);
    REFUSES(clEnqueueWriteImage, CL_INVALID_VALUE, queue, image, CL_TRUE, zero, NULL, 0, 0, host, NONE);
    REFUSES(clEnqueueWriteImage, CL_INVALID_VALUE, queue, image, CL_TRUE, zero, large, 0, 0, host, NONE);
    REFUSES(clEnqueueWriteImage, CL_INVALID_VALUE, queue, image, CL_TRUE, zero, deep, 0, 0, host, NONE);
    REFUSES(clEnqueueWriteImage, CL_INVALID_VALUE, queue, image, CL_TRUE, zero, region, 16, 64, host, NONE);
    REFUSES(clEnqueueWriteImage, CL_INVALID_VALUE, queue, image, CL_TRUE, zero, region, 0, 0, NULL, NONE);
    REFUSES(clEnqueueWriteImage, CL_INVALID_EVENT_WAIT_LIST, queue, image, CL_TRUE, zero, region, 0, 0, host,
            COUNT_WITHOUT_LIST);
    REFUSES(clEnqueueWriteImage, CL_INVALID_EVENT_WAIT_LIST, queue, image, CL_TRUE, zero, region, 0, 0, host,
            LIST_WITHOUT_COUNT);
    REFUSES(clEnqueueWriteImage, CL_INVALID_EVENT_WAIT_LIST, queue, image, CL_TRUE, zero, region, 0, 0, host,
            NO_EVENT);
    REFUSES(clEnqueueWriteImage, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, queue, image, CL_TRUE, zero,
            region, 0, 0, host, FAILED);
}
END_TEST

START_TEST(images_are_copied)
{
    const size_t zero[3] = {0, 0, 0}, one[3] = {1, 0, 0}, region[3] = {4, 4, 1}, part[3] = {2, 2, 1},
                 deep[3] = {2, 2, 2};
    cl_mem second = refusal_flat(context, 0);
    REFUSES(clEnqueueCopyImage, CL_INVALID_CONTEXT, queue, other_image, image, zero, zero, region, NONE);
    REFUSES(clEnqueueCopyImage, CL_INVALID_CONTEXT, queue, image, other_image, zero, zero, region, NONE);
    REFUSES(clEnqueueCopyImage, CL_INVALID_CONTEXT, queue, image, second, zero, zero, region, OTHER_EVENT);
    REFUSES(clEnqueueCopyImage, CL_INVALID_VALUE, queue, image, second, NULL, zero, region, NONE);
    REFUSES(clEnqueueCopyImage, CL_INVALID_VALUE, queue, image, second, zero, NULL, region, NONE);
    REFUSES(clEnqueueCopyImage, CL_INVALID_VALUE, queue, image, second, zero, zero, NULL, NONE);
    REFUSES(clEnqueueCopyImage, CL_INVALID_VALUE, queue, image, second, one, zero, region, NONE);
    REFUSES(clEnqueueCopyImage, CL_INVALID_VALUE, queue, image, second, zero, one, region, NONE);
    REFUSES(clEnqueueCopyImage, CL_INVALID_VALUE, queue, image, second, zero, zero, deep, NONE);
    REFUSES(clEnqueueCopyImage, CL_INVALID_EVENT_WAIT_LIST, queue, image, second, zero, zero, region,
            COUNT_WITHOUT_LIST);
    REFUSES(clEnqueueCopyImage, CL_INVALID_EVENT_WAIT_LIST, queue, image, second, zero, zero, region,
            LIST_WITHOUT_COUNT);
    REFUSES(clEnqueueCopyImage, CL_INVALID_EVENT_WAIT_LIST, queue, image, second, zero, zero, region,
            NO_EVENT);
    REFUSES(clEnqueueCopyImage, CL_MEM_COPY_OVERLAP, queue, image, image, zero, one, part, NONE);
    cl_ok(clReleaseMemObject(second));
}
END_TEST

START_TEST(images_are_filled)
{
    const size_t zero[3] = {0, 0, 0}, region[3] = {4, 4, 1};
    REFUSES(clEnqueueFillImage, CL_INVALID_CONTEXT, queue, other_image, host, zero, region, NONE);
    REFUSES(clEnqueueFillImage, CL_INVALID_CONTEXT, queue, image, host, zero, region, OTHER_EVENT);
    REFUSES(clEnqueueFillImage, CL_INVALID_EVENT_WAIT_LIST, queue, image, host, zero, region,
            COUNT_WITHOUT_LIST);
    REFUSES(clEnqueueFillImage, CL_INVALID_EVENT_WAIT_LIST, queue, image, host, zero, region,
            LIST_WITHOUT_COUNT);
    REFUSES(clEnqueueFillImage, CL_INVALID_EVENT_WAIT_LIST, queue, image, host, zero, region, NO_EVENT);
}
END_TEST

START_TEST(images_are_copied_to_buffers)
{
    const size_t zero[3] = {0, 0, 0}, one[3] = {1, 0, 0}, region[3] = {4, 4, 1}, deep[3] = {4, 4, 2},
                 row[3] = {4, 1, 1};
    const cl_image_desc on = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 4, .buffer = buffer};
    cl_mem inside = refusal_image(context, 0, &rgba, &on);
    REFUSES(clEnqueueCopyImageToBuffer, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer, image, buffer,
            zero, region, 0, NONE);
    REFUSES(clEnqueueCopyImageToBuffer, CL_INVALID_CONTEXT, queue, other_image, buffer, zero, region, 0,
            NONE);
    REFUSES(clEnqueueCopyImageToBuffer, CL_INVALID_CONTEXT, queue, image, other_buffer, zero, region, 0,
            NONE);
    REFUSES(clEnqueueCopyImageToBuffer, CL_INVALID_CONTEXT, queue, image, buffer, zero, region, 0,
            OTHER_EVENT);
    REFUSES(clEnqueueCopyImageToBuffer, CL_INVALID_MEM_OBJECT, queue, buffer, buffer, zero, region, 0, NONE);
    REFUSES(clEnqueueCopyImageToBuffer, CL_INVALID_MEM_OBJECT, queue, image, image, zero, region, 0, NONE);
    REFUSES(clEnqueueCopyImageToBuffer, CL_INVALID_MEM_OBJECT, queue, inside, buffer, zero, row, 0, NONE);
    REFUSES(clEnqueueCopyImageToBuffer, CL_INVALID_VALUE, queue, image, buffer, NULL, region, 0, NONE);
    REFUSES(clEnqueueCopyImageToBuffer, CL_INVALID_VALUE, queue, image, buffer, zero, NULL, 0, NONE);
    REFUSES(clEnqueueCopyImageToBuffer, CL_INVALID_VALUE, queue, image, buffer, one, region, 0, NONE);
    REFUSES(clEnqueueCopyImageToBuffer, CL_INVALID_VALUE, queue, image, buffer, zero, region, 1000, NONE);
    REFUSES(clEnqueueCopyImageToBuffer, CL_INVALID_VALUE, queue, image, buffer, zero, deep, 0, NONE);
    REFUSES(clEnqueueCopyImageToBuffer, CL_INVALID_EVENT_WAIT_LIST, queue, image, buffer, zero, region, 0,
            COUNT_WITHOUT_LIST);
    REFUSES(clEnqueueCopyImageToBuffer, CL_INVALID_EVENT_WAIT_LIST, queue, image, buffer, zero, region, 0,
            LIST_WITHOUT_COUNT);
    REFUSES(clEnqueueCopyImageToBuffer, CL_INVALID_EVENT_WAIT_LIST, queue, image, buffer, zero, region, 0,
            NO_EVENT);
    cl_ok(clReleaseMemObject(inside));
}
END_TEST

START_TEST(buffers_are_copied_to_images)
{
    const size_t zero[3] = {0, 0, 0}, one[3] = {1, 0, 0}, region[3] = {4, 4, 1}, deep[3] = {4, 4, 2},
                 row[3] = {4, 1, 1};
    const cl_image_desc on = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 4, .buffer = buffer};
    cl_mem inside = refusal_image(context, 0, &rgba, &on);
    REFUSES(clEnqueueCopyBufferToImage, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer, buffer, image, 0,
            zero, region, NONE);
    REFUSES(clEnqueueCopyBufferToImage, CL_INVALID_CONTEXT, queue, other_buffer, image, 0, zero, region,
            NONE);
    REFUSES(clEnqueueCopyBufferToImage, CL_INVALID_CONTEXT, queue, buffer, other_image, 0, zero, region,
            NONE);
    REFUSES(clEnqueueCopyBufferToImage, CL_INVALID_CONTEXT, queue, buffer, image, 0, zero, region,
            OTHER_EVENT);
    REFUSES(clEnqueueCopyBufferToImage, CL_INVALID_MEM_OBJECT, queue, image, image, 0, zero, region, NONE);
    REFUSES(clEnqueueCopyBufferToImage, CL_INVALID_MEM_OBJECT, queue, buffer, buffer, 0, zero, region, NONE);
    REFUSES(clEnqueueCopyBufferToImage, CL_INVALID_MEM_OBJECT, queue, buffer, inside, 0, zero, row, NONE);
    REFUSES(clEnqueueCopyBufferToImage, CL_INVALID_VALUE, queue, buffer, image, 0, NULL, region, NONE);
    REFUSES(clEnqueueCopyBufferToImage, CL_INVALID_VALUE, queue, buffer, image, 0, zero, NULL, NONE);
    REFUSES(clEnqueueCopyBufferToImage, CL_INVALID_VALUE, queue, buffer, image, 1000, zero, region, NONE);
    REFUSES(clEnqueueCopyBufferToImage, CL_INVALID_VALUE, queue, buffer, image, 0, one, region, NONE);
    REFUSES(clEnqueueCopyBufferToImage, CL_INVALID_VALUE, queue, buffer, image, 0, zero, deep, NONE);
    REFUSES(clEnqueueCopyBufferToImage, CL_INVALID_EVENT_WAIT_LIST, queue, buffer, image, 0, zero, region,
            COUNT_WITHOUT_LIST);
    REFUSES(clEnqueueCopyBufferToImage, CL_INVALID_EVENT_WAIT_LIST, queue, buffer, image, 0, zero, region,
            LIST_WITHOUT_COUNT);
    REFUSES(clEnqueueCopyBufferToImage, CL_INVALID_EVENT_WAIT_LIST, queue, buffer, image, 0, zero, region,
            NO_EVENT);
    cl_ok(clReleaseMemObject(inside));
}
END_TEST

START_TEST(images_are_mapped)
{
    const size_t zero[3] = {0, 0, 0}, one[3] = {1, 0, 0}, region[3] = {4, 4, 1}, deep[3] = {4, 4, 2};
    const cl_image_desc layers = {.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY,
                                  .image_width = 4,
                                  .image_height = 4,
                                  .image_array_size = 2};
    const cl_image_desc solid = {
        .image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = 4, .image_height = 4, .image_depth = 2};
    cl_mem array = refusal_image(context, 0, &rgba, &layers), cube = refusal_image(context, 0, &rgba, &solid);
    cl_mem not_read = refusal_flat(context, CL_MEM_HOST_WRITE_ONLY),
           not_written = refusal_flat(context, CL_MEM_HOST_READ_ONLY);
    const cl_map_flags reads = CL_MAP_READ, writes = CL_MAP_WRITE;
    size_t row, slice;
    cl_int err;
    REFUSES_OBJECT(clEnqueueMapImage, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer, image, CL_TRUE,
                   reads, zero, region, &row, NULL, NONE);
    REFUSES_OBJECT(clEnqueueMapImage, CL_INVALID_CONTEXT, queue, other_image, CL_TRUE, reads, zero, region,
                   &row, NULL, NONE);
    REFUSES_OBJECT(clEnqueueMapImage, CL_INVALID_CONTEXT, queue, image, CL_TRUE, reads, zero, region, &row,
                   NULL, OTHER_EVENT);
    REFUSES_OBJECT(clEnqueueMapImage, CL_INVALID_MEM_OBJECT, queue, buffer, CL_TRUE, reads, zero, region,
                   &row, NULL, NONE);
    REFUSES_OBJECT(clEnqueueMapImage, CL_INVALID_VALUE, queue, image, CL_TRUE, reads, NULL, region, &row,
                   NULL, NONE);
    REFUSES_OBJECT(clEnqueueMapImage, CL_INVALID_VALUE, queue, image, CL_TRUE, reads, zero, NULL, &row, NULL,
                   NONE);
    REFUSES_OBJECT(clEnqueueMapImage, CL_INVALID_VALUE, queue, image, CL_TRUE, reads, one, region, &row, NULL,
                   NONE);
    REFUSES_OBJECT(clEnqueueMapImage, CL_INVALID_VALUE, queue, image, CL_TRUE, 1 << 20, zero, region, &row,
                   NULL, NONE);
    REFUSES_OBJECT(clEnqueueMapImage, CL_INVALID_VALUE, queue, image, CL_TRUE, reads, zero, deep, &row, NULL,
                   NONE);
    REFUSES_OBJECT(clEnqueueMapImage, CL_INVALID_VALUE, queue, image, CL_TRUE, reads, zero, region, NULL,
                   NULL, NONE);
    REFUSES_OBJECT(clEnqueueMapImage, CL_INVALID_VALUE, queue, array, CL_TRUE, reads, zero, region, &row,
                   NULL, NONE);
    REFUSES_OBJECT(clEnqueueMapImage, CL_INVALID_VALUE, queue, cube, CL_TRUE, reads, zero, region, &row, NULL,
                   NONE);
    REFUSES_OBJECT(clEnqueueMapImage, CL_INVALID_EVENT_WAIT_LIST, queue, image, CL_TRUE, reads, zero, region,
                   &row, NULL, COUNT_WITHOUT_LIST);
    REFUSES_OBJECT(clEnqueueMapImage, CL_INVALID_EVENT_WAIT_LIST, queue, image, CL_TRUE, reads, zero, region,
                   &row, NULL, LIST_WITHOUT_COUNT);
    REFUSES_OBJECT(clEnqueueMapImage, CL_INVALID_EVENT_WAIT_LIST, queue, image, CL_TRUE, reads, zero, region,
                   &row, NULL, NO_EVENT);
    REFUSES_OBJECT(clEnqueueMapImage, CL_INVALID_OPERATION, queue, not_read, CL_TRUE, reads, zero, region,
                   &row, NULL, NONE);
    REFUSES_OBJECT(clEnqueueMapImage, CL_INVALID_OPERATION, queue, not_written, CL_TRUE, writes, zero, region,
                   &row, NULL, NONE);
    void *mapped = clEnqueueMapImage(queue, cube, CL_TRUE, writes, zero, region, &row, &slice, NONE, &err);
    cl_ok(err);
    REFUSES_OBJECT(clEnqueueMapImage, CL_INVALID_OPERATION, queue, cube, CL_TRUE, writes, zero, region, &row,
                   &slice, NONE);
    cl_ok(clEnqueueUnmapMemObject(queue, cube, mapped, NONE));
    REFUSES_OBJECT(clEnqueueMapImage, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, queue, image, CL_TRUE,
                   reads, zero, region, &row, NULL, FAILED);
    const cl_mem made[] = {array, cube, not_read, not_written};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        cl_ok(clReleaseMemObject(made[i]));
}
END_TEST

/* ---- shared memory --------------------------------------------------------------------------- */

START_TEST(shared_memory)
{
    char *shared = clSVMAlloc(context, 0, 256, 0);
    const void *pointers[] = {shared};
    REFUSES(clEnqueueSVMMemcpy, CL_INVALID_EVENT_WAIT_LIST, queue, CL_TRUE, shared, shared + 64, 4,
            COUNT_WITHOUT_LIST);
    REFUSES(clEnqueueSVMMemcpy, CL_INVALID_EVENT_WAIT_LIST, queue, CL_TRUE, shared, shared + 64, 4,
            LIST_WITHOUT_COUNT);
    REFUSES(clEnqueueSVMMemcpy, CL_INVALID_EVENT_WAIT_LIST, queue, CL_TRUE, shared, shared + 64, 4, NO_EVENT);
    REFUSES(clEnqueueSVMMemFill, CL_INVALID_EVENT_WAIT_LIST, queue, shared, host, 4, 4, COUNT_WITHOUT_LIST);
    REFUSES(clEnqueueSVMMemFill, CL_INVALID_EVENT_WAIT_LIST, queue, shared, host, 4, 4, LIST_WITHOUT_COUNT);
    REFUSES(clEnqueueSVMMemFill, CL_INVALID_EVENT_WAIT_LIST, queue, shared, host, 4, 4, NO_EVENT);
    REFUSES(clEnqueueSVMMap, CL_INVALID_EVENT_WAIT_LIST, queue, CL_TRUE, CL_MAP_READ, shared, 4,
            COUNT_WITHOUT_LIST);
    REFUSES(clEnqueueSVMMap, CL_INVALID_EVENT_WAIT_LIST, queue, CL_TRUE, CL_MAP_READ, shared, 4,
            LIST_WITHOUT_COUNT);
    REFUSES(clEnqueueSVMMap, CL_INVALID_EVENT_WAIT_LIST, queue, CL_TRUE, CL_MAP_READ, shared, 4, NO_EVENT);
    REFUSES(clEnqueueSVMMap, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, queue, CL_TRUE, CL_MAP_READ,
            shared, 4, FAILED);
    REFUSES(clEnqueueSVMUnmap, CL_INVALID_EVENT_WAIT_LIST, queue, shared, COUNT_WITHOUT_LIST);
    REFUSES(clEnqueueSVMUnmap, CL_INVALID_EVENT_WAIT_LIST, queue, shared, LIST_WITHOUT_COUNT);
    REFUSES(clEnqueueSVMUnmap, CL_INVALID_EVENT_WAIT_LIST, queue, shared, NO_EVENT);
    REFUSES(clEnqueueSVMMigrateMem, CL_INVALID_EVENT_WAIT_LIST, queue, 1, pointers, NULL, 0,
            COUNT_WITHOUT_LIST);
    REFUSES(clEnqueueSVMMigrateMem, CL_INVALID_EVENT_WAIT_LIST, queue, 1, pointers, NULL, 0,
            LIST_WITHOUT_COUNT);
    REFUSES(clEnqueueSVMMigrateMem, CL_INVALID_EVENT_WAIT_LIST, queue, 1, pointers, NULL, 0, NO_EVENT);
    cl_ok(clFinish(queue));
    clSVMFree(context, shared);
}
END_TEST

/* ---- kernels --------------------------------------------------------------------------------- */

static const char *plain = "kernel void k(global int *p) { *p = 1; }";
static const char *sized =
    "kernel __attribute__((reqd_work_group_size(8, 1, 1))) void k(global int *p) { *p = 1; }";

START_TEST(kernels)
{
    const size_t eight = 8, four = 4, three = 3, none = 0, many = 1 << 20, most = (size_t)-1;
    cl_kernel kernel = cl_kernel_of(context, plain, "-cl-std=CL1.2"),
              other = cl_kernel_of(other_context, plain, "");
    cl_kernel wants = cl_kernel_of(context, sized, "");
    REFUSES(clEnqueueNDRangeKernel, CL_INVALID_KERNEL_ARGS, queue, kernel, 1, NULL, &eight, NULL, NONE);
    cl_ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    cl_ok(clSetKernelArg(wants, 0, sizeof buffer, &buffer));
    REFUSES(clEnqueueNDRangeKernel, CL_INVALID_GLOBAL_OFFSET, queue, kernel, 1, &most, &eight, NULL, NONE);
    REFUSES(clEnqueueNDRangeKernel, CL_INVALID_WORK_GROUP_SIZE, queue, kernel, 1, NULL, &eight, &three, NONE);
    REFUSES(clEnqueueNDRangeKernel, CL_INVALID_WORK_GROUP_SIZE, queue, kernel, 1, NULL, &eight, &none, NONE);
    REFUSES(clEnqueueNDRangeKernel, CL_INVALID_WORK_GROUP_SIZE, queue, kernel, 3, NULL,
            (const size_t[3]){64, 64, 64}, (const size_t[3]){64, 64, 64}, NONE);
    REFUSES(clEnqueueNDRangeKernel, CL_INVALID_WORK_GROUP_SIZE, queue, wants, 1, NULL, &eight, &four, NONE);
    REFUSES(clEnqueueNDRangeKernel, CL_INVALID_WORK_ITEM_SIZE, queue, kernel, 1, NULL, &many, &many, NONE);
    REFUSES(clEnqueueTask, CL_INVALID_CONTEXT, queue, other, NONE);
    REFUSES(clEnqueueTask, CL_INVALID_WORK_GROUP_SIZE, queue, wants, NONE);
    cl_kernel unset = cl_kernel_of(context, plain, "");
    REFUSES(clEnqueueTask, CL_INVALID_KERNEL_ARGS, queue, unset, NONE);
    const cl_kernel made[] = {kernel, other, wants, unset};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        cl_ok(clReleaseKernel(made[i]));
}
END_TEST

START_TEST(kernels_of_two_sub_groups)
{
    const size_t two = 2;
    size_t local = 0, range, count = 0;
    cl_uint out = 0;
    cl_kernel kernel = restricted_kernel();
    cl_mem small = cl_buffer(context, 0, 64, NULL);
    cl_ok(clSetKernelArg(kernel, 0, sizeof small, &small));
    cl_ok(clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_COMPILE_NUM_SUB_GROUPS, 0, NULL, sizeof count,
                                  &count, NULL));
    ck_assert_uint_eq(count, 2);
    cl_ok(clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof two, &two,
                                  sizeof local, &local, NULL));
    ck_assert_uint_gt(local, 0);
    range = 2 * local;
    REFUSES(clEnqueueNDRangeKernel, CL_INVALID_WORK_GROUP_SIZE, queue, kernel, 1, NULL, &range, &range, NONE);
    REFUSES(clEnqueueTask, CL_INVALID_WORK_GROUP_SIZE, queue, kernel, NONE);
    cl_ok(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &range, &local, 0, NULL, NULL));
    cl_ok(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &range, NULL, 0, NULL, NULL));
    cl_ok(clEnqueueReadBuffer(queue, small, CL_TRUE, 0, sizeof out, &out, 0, NULL, NULL));
    ck_assert_uint_eq(out, 5);
    cl_ok(clReleaseMemObject(small));
    cl_ok(clReleaseKernel(kernel));
}
END_TEST

START_TEST(suggestions)
{
    const size_t eight = 8, none = 0, most = (size_t)-1;
    size_t local[3];
    cl_kernel kernel = cl_kernel_of(context, plain, ""), other = cl_kernel_of(other_context, plain, "");
    REFUSES_NAMED(clGetKernelSuggestedLocalWorkSizeKHR, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer,
                  kernel, 1, NULL, &eight, local);
    REFUSES_NAMED(clGetKernelSuggestedLocalWorkSizeKHR, CL_INVALID_KERNEL, queue, (cl_kernel)buffer, 1, NULL,
                  &eight, local);
    REFUSES_NAMED(clGetKernelSuggestedLocalWorkSizeKHR, CL_INVALID_CONTEXT, queue, other, 1, NULL, &eight,
                  local);
    REFUSES_NAMED(clGetKernelSuggestedLocalWorkSizeKHR, CL_INVALID_KERNEL_ARGS, queue, kernel, 1, NULL,
                  &eight, local);
    cl_ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    REFUSES_NAMED(clGetKernelSuggestedLocalWorkSizeKHR, CL_INVALID_WORK_DIMENSION, queue, kernel, 4, NULL,
                  &eight, local);
    REFUSES_NAMED(clGetKernelSuggestedLocalWorkSizeKHR, CL_INVALID_GLOBAL_OFFSET, queue, kernel, 1, &most,
                  &eight, local);
    REFUSES_NAMED(clGetKernelSuggestedLocalWorkSizeKHR, CL_INVALID_GLOBAL_WORK_SIZE, queue, kernel, 1, NULL,
                  NULL, local);
    REFUSES_NAMED(clGetKernelSuggestedLocalWorkSizeKHR, CL_INVALID_GLOBAL_WORK_SIZE, queue, kernel, 1, NULL,
                  &none, local);
    REFUSES_NAMED(clGetKernelSuggestedLocalWorkSizeKHR, CL_INVALID_VALUE, queue, kernel, 1, NULL, &eight,
                  NULL);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseKernel(other));
}
END_TEST

static void with_small_limits(void)
{
    refusal_set_up_with(
        "device: {limits: {local_memory: 256, read_images: 3, write_images: 2, samplers: 4}}");
    image = refusal_flat(context, 0);
    other_image = refusal_flat(other_context, 0);
}

/* An array counts once; so do equal constant samplers. */
static const struct {
    cl_device_info limit;
    cl_uint value;
    const char *parameters[6], *body; /* the last parameter is too much */
} too_much[] = {
    {CL_DEVICE_LOCAL_MEM_SIZE, 256, {"local int *", "local int *", "local int *"}, ""},
    {CL_DEVICE_MAX_READ_IMAGE_ARGS,
     3,
     {"write_only image2d_t", "image2d_t", "read_only image2d_t", "image2d_array_t", "image2d_t"},
     ""},
    {CL_DEVICE_MAX_WRITE_IMAGE_ARGS,
     2,
     {"image2d_t", "write_only image2d_t", "write_only image2d_array_t", "write_only image2d_t"},
     ""},
    {CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS,
     2,
     {"read_write image2d_t", "write_only image2d_t", "read_write image2d_t"},
     ""},
    {CL_DEVICE_MAX_SAMPLERS,
     4,
     {"image2d_t", "sampler_t", "sampler_t", "sampler_t"},
     "const sampler_t s = CLK_FILTER_NEAREST, t = CLK_FILTER_LINEAR, u = CLK_FILTER_NEAREST;"
     "float2 c = 0; read_imagef(p0, s, c); read_imagef(p0, t, c); read_imagef(p0, u, c); read_imagef(p0, s, "
     "c);"},
};

static cl_kernel kernel_with(size_t row, size_t count, cl_mem array, cl_sampler sampler)
{
    char source[1000] = "kernel void k(";
    for (size_t i = 0; i < count; i++)
        sprintf(source + strlen(source), "%s%s p%zu", i ? ", " : "", too_much[row].parameters[i], i);
    sprintf(source + strlen(source), ") { %s }", too_much[row].body);
    cl_kernel kernel = cl_kernel_of(context, source, "-cl-std=CL2.0");
    for (cl_uint i = 0; i < count; i++) {
        const char *type = too_much[row].parameters[i];
        if (strstr(type, "local"))
            cl_ok(clSetKernelArg(kernel, i, 128, NULL));
        else if (strstr(type, "sampler"))
            cl_ok(clSetKernelArg(kernel, i, sizeof sampler, &sampler));
        else
            cl_ok(clSetKernelArg(kernel, i, sizeof array, strstr(type, "array") ? &array : &image));
    }
    return kernel;
}

START_TEST(kernels_that_need_too_much)
{
    const cl_image_desc layers = {.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY,
                                  .image_width = 4,
                                  .image_height = 4,
                                  .image_array_size = 9};
    const size_t one = 1;
    cl_ulong reported = 0;
    size_t count = 0;
    cl_int err;
    cl_sampler sampler = clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &err);
    cl_ok(err);
    cl_mem array = refusal_image(context, 0, &rgba, &layers);
    cl_ok(clGetDeviceInfo(device, too_much[_i].limit, sizeof reported, &reported, NULL));
    ck_assert_uint_eq(reported, too_much[_i].value);
    while (too_much[_i].parameters[count])
        count++;
    cl_kernel fits = kernel_with((size_t)_i, count - 1, array, sampler),
              kernel = kernel_with((size_t)_i, count, array, sampler);
    cl_ok(clEnqueueNDRangeKernel(queue, fits, 1, NULL, &one, NULL, 0, NULL, NULL));
    REFUSES(clEnqueueNDRangeKernel, CL_OUT_OF_RESOURCES, queue, kernel, 1, NULL, &one, NULL, NONE);
    cl_ok(clFinish(queue));
    cl_ok(clReleaseKernel(fits));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseMemObject(array));
    cl_ok(clReleaseSampler(sampler));
}
END_TEST

static void with_races(void)
{
    refusal_set_up_with("checks: {races: error}");
}

START_TEST(more_work_items_than_races_are_looked_for_among)
{
    const size_t sizes[] = {(size_t)1 << 20, (size_t)1 << 20};
    cl_kernel kernel = cl_kernel_of(context, "kernel void k(void) {}", "");
    REFUSES(clEnqueueNDRangeKernel, CL_OUT_OF_RESOURCES, queue, kernel, 2, NULL, sizes, NULL, NONE);
    cl_ok(clReleaseKernel(kernel));
}
END_TEST

static void with_two_devices(void)
{
    refusal_pair("devices: [{name: a}, {name: b}]");
}

START_TEST(kernels_that_are_built_for_another_device)
{
    cl_int err;
    const size_t one = 1;
    size_t local[3];
    cl_program program = cl_program_of(pair.context, "kernel void k(void) {}", NULL);
    cl_ok(clBuildProgram(program, 1, pair.device, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    cl_ok(err);
    REFUSES(clEnqueueNDRangeKernel, CL_INVALID_PROGRAM_EXECUTABLE, pair.queue[1], kernel, 1, NULL, &one, NULL,
            NONE);
    REFUSES(clEnqueueTask, CL_INVALID_PROGRAM_EXECUTABLE, pair.queue[1], kernel, NONE);
    REFUSES_NAMED(clGetKernelSuggestedLocalWorkSizeKHR, CL_INVALID_PROGRAM_EXECUTABLE, pair.queue[1], kernel,
                  1, NULL, &one, local);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
}
END_TEST

static void with_one_that_shares(void)
{
    refusal_pair("devices: [{features: {svm_coarse: true}}, {features: {svm_coarse: false}}]");
}

START_TEST(pointers_that_a_device_cannot_follow)
{
    const size_t one = 1;
    size_t local[3];
    void *shared = clSVMAlloc(pair.context, 0, 64, 0);
    ck_assert_ptr_nonnull(shared);
    cl_kernel kernel = cl_kernel_of(pair.context, plain, "");
    cl_ok(clSetKernelArgSVMPointer(kernel, 0, shared));
    REFUSES_NAMED(clGetKernelSuggestedLocalWorkSizeKHR, CL_INVALID_OPERATION, pair.queue[1], kernel, 1, NULL,
                  &one, local);
    REFUSES(clEnqueueNDRangeKernel, CL_INVALID_OPERATION, pair.queue[1], kernel, 1, NULL, &one, NULL, NONE);
    REFUSES(clEnqueueTask, CL_INVALID_OPERATION, pair.queue[1], kernel, NONE);
    cl_ok(clReleaseKernel(kernel));
    clSVMFree(pair.context, shared);
}
END_TEST

static void with_one_of_system(void)
{
    refusal_pair("devices: [{features: {svm_system: true}}, {features: {svm_system: false}}]");
}

START_TEST(pointers_of_the_system)
{
    const size_t one = 1;
    size_t local[3];
    cl_kernel kernel = cl_kernel_of(pair.context, plain, "");
    cl_ok(clSetKernelArgSVMPointer(kernel, 0, host));
    cl_ok(NAMED(clGetKernelSuggestedLocalWorkSizeKHR)(pair.queue[0], kernel, 1, NULL, &one, local));
    REFUSES_NAMED(clGetKernelSuggestedLocalWorkSizeKHR, CL_INVALID_OPERATION, pair.queue[1], kernel, 1, NULL,
                  &one, local);
    REFUSES(clEnqueueNDRangeKernel, CL_INVALID_OPERATION, pair.queue[1], kernel, 1, NULL, &one, NULL, NONE);
    REFUSES(clEnqueueTask, CL_INVALID_OPERATION, pair.queue[1], kernel, NONE);
    cl_ok(clReleaseKernel(kernel));
}
END_TEST

static void of_2_0(void)
{
    refusal_set_up_with("device: {version: \"2.0\"}");
}

START_TEST(ranges_before_2_1)
{
    const size_t none = 0;
    cl_kernel kernel = cl_kernel_of(context, plain, "");
    cl_ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    REFUSES(clEnqueueNDRangeKernel, CL_INVALID_GLOBAL_WORK_SIZE, queue, kernel, 1, NULL, NULL, NULL, NONE);
    REFUSES(clEnqueueNDRangeKernel, CL_INVALID_GLOBAL_WORK_SIZE, queue, kernel, 1, NULL, &none, NULL, NONE);
    cl_ok(clReleaseKernel(kernel));
}
END_TEST

static void without_images(void)
{
    refusal_pair("devices: [{features: {images: true}}, {features: {images: false}}]");
}

/* An image of the context that one of its devices cannot use. */
START_TEST(queues_without_images)
{
    const size_t zero[3] = {0, 0, 0}, region[3] = {4, 4, 1};
    size_t row;
    cl_mem picture = refusal_flat(pair.context, 0);
    REFUSES_OBJECT(clEnqueueMapImage, CL_INVALID_OPERATION, pair.queue[1], picture, CL_TRUE, CL_MAP_READ,
                   zero, region, &row, NULL, NONE);
    cl_ok(clReleaseMemObject(picture));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("refusals_enqueue");
    TCase *usual = tcase_create("usual"), *small = tcase_create("limits");
    tcase_add_checked_fixture(usual, set_up, tear_down);
    tcase_add_test(usual, rows_are_read);
    tcase_add_test(usual, rows_are_written);
    tcase_add_test(usual, buffers_are_copied);
    tcase_add_test(usual, buffers_are_filled);
    tcase_add_test(usual, buffers_are_mapped);
    tcase_add_test(usual, images_are_read);
    tcase_add_test(usual, images_are_written);
    tcase_add_test(usual, images_are_copied);
    tcase_add_test(usual, images_are_filled);
    tcase_add_test(usual, images_are_copied_to_buffers);
    tcase_add_test(usual, buffers_are_copied_to_images);
    tcase_add_test(usual, images_are_mapped);
    tcase_add_test(usual, shared_memory);
    tcase_add_test(usual, kernels);
    tcase_add_test(usual, kernels_of_two_sub_groups);
    tcase_add_test(usual, suggestions);
    suite_add_tcase(suite, usual);
    refusal_case(suite, "two devices", with_two_devices, refusal_unpair,
                 kernels_that_are_built_for_another_device);
    tcase_add_checked_fixture(small, with_small_limits, tear_down);
    tcase_add_loop_test(small, kernels_that_need_too_much, 0, sizeof too_much / sizeof *too_much);
    suite_add_tcase(suite, small);
    refusal_case(suite, "svm", with_one_that_shares, refusal_unpair, pointers_that_a_device_cannot_follow);
    refusal_case(suite, "system", with_one_of_system, refusal_unpair, pointers_of_the_system);
    refusal_case(suite, "races", with_races, refusal_tear_down,
                 more_work_items_than_races_are_looked_for_among);
    refusal_case(suite, "2.0", of_2_0, refusal_tear_down, ranges_before_2_1);
    refusal_case(suite, "images", without_images, refusal_unpair, queues_without_images);
    return cl_run_suite(suite);
}
