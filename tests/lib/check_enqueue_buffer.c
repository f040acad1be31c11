/* SPDX-License-Identifier: Apache-2.0 */
/* Buffer commands: what they refuse, what they do, judged by a copy of the bytes on the host. */
#include "tests/support/cl_fixture.h"

enum { SIZE = 1024 };
static cl_mem buffer, other_buffer, foreign;
static char bytes[SIZE];
static cl_event foreign_event;

static void set_up(void)
{
    cl_set_up();
    buffer = cl_buffer(context, CL_MEM_READ_WRITE, SIZE, NULL);
    other_buffer = cl_buffer(context, CL_MEM_READ_WRITE, SIZE, NULL);
    foreign = cl_buffer(other_context, CL_MEM_READ_WRITE, SIZE, NULL);
    foreign_event = cl_user_event(other_context);
    for (int i = 0; i < SIZE; i++)
        bytes[i] = (char)(i * 7 + i / 256);
}

static void tear_down(void)
{
    cl_ok(clReleaseMemObject(buffer));
    cl_ok(clReleaseMemObject(other_buffer));
    cl_ok(clReleaseMemObject(foreign));
    cl_ok(clReleaseEvent(foreign_event));
    cl_tear_down();
}

static cl_mem sub_buffer(cl_mem parent, cl_mem_flags flags, size_t origin, size_t size)
{
    cl_int err;
    const cl_buffer_region region = {origin, size};
    cl_mem made = clCreateSubBuffer(parent, flags, CL_BUFFER_CREATE_TYPE_REGION, &region, &err);
    cl_ok(err);
    return made;
}

static void expect_bytes(cl_mem of, size_t offset, const char *expected, size_t size)
{
    char *back = malloc(size);
    cl_ok(clEnqueueReadBuffer(queue, of, CL_TRUE, offset, size, back, 0, NULL, NULL));
    ck_assert_mem_eq(back, expected, size);
    free(back);
}

/* ---- read and write ------------------------------------------------------------------- */

START_TEST(clEnqueueReadBuffer_judges_its_arguments)
{
    cl_event one = cl_user_event(context), none = NULL;
    cl_is(clEnqueueReadBuffer(NULL, buffer, 1, 0, 1, bytes, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    cl_is(clEnqueueReadBuffer((cl_command_queue)context, buffer, 1, 0, 1, bytes, 0, NULL, NULL),
          CL_INVALID_COMMAND_QUEUE);
    cl_is(clEnqueueReadBuffer(queue, NULL, 1, 0, 1, bytes, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    cl_is(clEnqueueReadBuffer(queue, (cl_mem)queue, 1, 0, 1, bytes, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    cl_is(clEnqueueReadBuffer(queue, foreign, 1, 0, 1, bytes, 0, NULL, NULL), CL_INVALID_CONTEXT);
    cl_is(clEnqueueReadBuffer(queue, buffer, 1, 0, 1, bytes, 1, &foreign_event, NULL), CL_INVALID_CONTEXT);
    cl_is(clEnqueueReadBuffer(queue, buffer, 1, 0, 1, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueReadBuffer(queue, buffer, 1, 0, SIZE + 1, bytes, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueReadBuffer(queue, buffer, 1, SIZE, 1, bytes, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueReadBuffer(queue, buffer, 1, SIZE_MAX, 2, bytes, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueReadBuffer(queue, buffer, 1, 0, 1, bytes, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    cl_is(clEnqueueReadBuffer(queue, buffer, 1, 0, 1, bytes, 0, &one, NULL), CL_INVALID_EVENT_WAIT_LIST);
    cl_is(clEnqueueReadBuffer(queue, buffer, 1, 0, 1, bytes, 1, &none, NULL), CL_INVALID_EVENT_WAIT_LIST);
    cl_ok(clEnqueueReadBuffer(queue, buffer, 1, SIZE, 0, bytes, 0, NULL, NULL));
    cl_ok(clReleaseEvent(one));
}
END_TEST

START_TEST(clEnqueueWriteBuffer_judges_its_arguments)
{
    cl_event one = cl_user_event(context), none = NULL;
    cl_is(clEnqueueWriteBuffer(NULL, buffer, 1, 0, 1, bytes, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    cl_is(clEnqueueWriteBuffer(queue, NULL, 1, 0, 1, bytes, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    cl_is(clEnqueueWriteBuffer(queue, foreign, 1, 0, 1, bytes, 0, NULL, NULL), CL_INVALID_CONTEXT);
    cl_is(clEnqueueWriteBuffer(queue, buffer, 1, 0, 1, bytes, 1, &foreign_event, NULL), CL_INVALID_CONTEXT);
    cl_is(clEnqueueWriteBuffer(queue, buffer, 1, 0, 1, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueWriteBuffer(queue, buffer, 1, 1, SIZE, bytes, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueWriteBuffer(queue, buffer, 1, 0, 1, bytes, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    cl_is(clEnqueueWriteBuffer(queue, buffer, 1, 0, 1, bytes, 0, &one, NULL), CL_INVALID_EVENT_WAIT_LIST);
    cl_is(clEnqueueWriteBuffer(queue, buffer, 1, 0, 1, bytes, 1, &none, NULL), CL_INVALID_EVENT_WAIT_LIST);
    cl_ok(clReleaseEvent(one));
}
END_TEST

START_TEST(a_refused_command_leaves_no_event)
{
    cl_event event = (cl_event)context;
    cl_is(clEnqueueWriteBuffer(queue, buffer, 1, 0, SIZE + 1, bytes, 0, NULL, &event), CL_INVALID_VALUE);
    ck_assert_ptr_eq(event, (cl_event)context);
}
END_TEST

START_TEST(host_access_flags_are_kept)
{
    static const size_t zero[3], one[3] = {1, 1, 1};
    cl_mem no_read = cl_buffer(context, CL_MEM_HOST_WRITE_ONLY, SIZE, NULL),
           no_write = cl_buffer(context, CL_MEM_HOST_READ_ONLY, SIZE, NULL);
    cl_mem neither = cl_buffer(context, CL_MEM_HOST_NO_ACCESS, SIZE, NULL);
    cl_mem write_denied[] = {no_write, neither}, read_denied[] = {no_read, neither};
    for (int i = 0; i < 2; i++) {
        cl_int err = 0;
        cl_is(clEnqueueWriteBuffer(queue, write_denied[i], 1, 0, 1, bytes, 0, NULL, NULL),
              CL_INVALID_OPERATION);
        cl_is(clEnqueueReadBuffer(queue, read_denied[i], 1, 0, 1, bytes, 0, NULL, NULL),
              CL_INVALID_OPERATION);
        cl_is(clEnqueueWriteBufferRect(queue, write_denied[i], 1, zero, zero, one, 0, 0, 0, 0, bytes, 0, NULL,
                                       NULL),
              CL_INVALID_OPERATION);
        cl_is(clEnqueueReadBufferRect(queue, read_denied[i], 1, zero, zero, one, 0, 0, 0, 0, bytes, 0, NULL,
                                      NULL),
              CL_INVALID_OPERATION);
        ck_assert_ptr_null(
            clEnqueueMapBuffer(queue, write_denied[i], 1, CL_MAP_WRITE, 0, 1, 0, NULL, NULL, &err));
        cl_is(err, CL_INVALID_OPERATION);
        ck_assert_ptr_null(clEnqueueMapBuffer(queue, write_denied[i], 1, CL_MAP_WRITE_INVALIDATE_REGION, 0, 1,
                                              0, NULL, NULL, &err));
        cl_is(err, CL_INVALID_OPERATION);
        ck_assert_ptr_null(
            clEnqueueMapBuffer(queue, read_denied[i], 1, CL_MAP_READ, 0, 1, 0, NULL, NULL, &err));
        cl_is(err, CL_INVALID_OPERATION);
    }
    cl_ok(clEnqueueWriteBuffer(queue, no_read, 1, 0, 1, bytes, 0, NULL, NULL));
    cl_ok(clEnqueueReadBuffer(queue, no_write, 1, 0, 1, bytes, 0, NULL, NULL));
    cl_ok(clEnqueueFillBuffer(queue, neither, bytes, 1, 0, SIZE, 0, NULL, NULL));
    cl_ok(clEnqueueCopyBuffer(queue, neither, no_write, 0, 0, SIZE, 0, NULL, NULL));
    cl_ok(clFinish(queue));
    clReleaseMemObject(no_read), clReleaseMemObject(no_write), clReleaseMemObject(neither);
}
END_TEST

START_TEST(written_bytes_are_read_back)
{
    char back[SIZE] = {0};
    cl_ok(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, SIZE, bytes, 0, NULL, NULL));
    cl_ok(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 100, 200, back, 0, NULL, NULL));
    cl_ok(clFinish(queue));
    ck_assert_mem_eq(back, bytes + 100, 200);
    ck_assert_int_eq(back[200], 0);
    expect_bytes(buffer, 0, bytes, SIZE);
}
END_TEST

START_TEST(a_buffer_released_early_lives_until_its_commands_end)
{
    char back[SIZE] = {0};
    cl_event gate = cl_user_event(context);
    cl_mem early = cl_buffer(context, CL_MEM_COPY_HOST_PTR, SIZE, bytes);
    cl_ok(clEnqueueReadBuffer(queue, early, CL_FALSE, 0, SIZE, back, 1, &gate, NULL));
    cl_ok(clReleaseMemObject(early));
    cl_is(clEnqueueReadBuffer(queue, early, CL_FALSE, 0, SIZE, back, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    cl_ok(clFinish(queue));
    ck_assert_mem_eq(back, bytes, SIZE);
    cl_ok(clReleaseEvent(gate));
}
END_TEST

/* ---- copy and fill ---------------------------------------------------------------------- */

START_TEST(clEnqueueCopyBuffer_judges_its_arguments)
{
    cl_event none = NULL;
    cl_is(clEnqueueCopyBuffer(NULL, buffer, other_buffer, 0, 0, 1, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    cl_is(clEnqueueCopyBuffer(queue, NULL, other_buffer, 0, 0, 1, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    cl_is(clEnqueueCopyBuffer(queue, buffer, NULL, 0, 0, 1, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    cl_is(clEnqueueCopyBuffer(queue, foreign, buffer, 0, 0, 1, 0, NULL, NULL), CL_INVALID_CONTEXT);
    cl_is(clEnqueueCopyBuffer(queue, buffer, foreign, 0, 0, 1, 0, NULL, NULL), CL_INVALID_CONTEXT);
    cl_is(clEnqueueCopyBuffer(queue, buffer, other_buffer, 0, 0, 1, 1, &foreign_event, NULL),
          CL_INVALID_CONTEXT);
    cl_is(clEnqueueCopyBuffer(queue, buffer, other_buffer, SIZE, 0, 1, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueCopyBuffer(queue, buffer, other_buffer, 0, SIZE, 1, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueCopyBuffer(queue, buffer, other_buffer, 0, 0, SIZE + 1, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueCopyBuffer(queue, buffer, other_buffer, 0, 0, 1, 1, NULL, NULL),
          CL_INVALID_EVENT_WAIT_LIST);
    cl_is(clEnqueueCopyBuffer(queue, buffer, other_buffer, 0, 0, 1, 1, &none, NULL),
          CL_INVALID_EVENT_WAIT_LIST);
    cl_is(clEnqueueCopyBuffer(queue, buffer, buffer, 0, 8, 9, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    cl_is(clEnqueueCopyBuffer(queue, buffer, buffer, 8, 0, 9, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    cl_is(clEnqueueCopyBuffer(queue, buffer, buffer, 8, 8, 1, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    cl_ok(clEnqueueCopyBuffer(queue, buffer, buffer, 0, 8, 8, 0, NULL, NULL));
    cl_ok(clFinish(queue));
}
END_TEST

START_TEST(copies_between_sub_buffers_see_their_overlap)
{
    cl_mem low = sub_buffer(buffer, 0, 0, 512), high = sub_buffer(buffer, 0, 256, 512);
    cl_is(clEnqueueCopyBuffer(queue, low, high, 200, 0, 100, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    cl_is(clEnqueueCopyBuffer(queue, buffer, high, 256, 0, 1, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    cl_ok(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, SIZE, bytes, 0, NULL, NULL));
    cl_ok(clEnqueueCopyBuffer(queue, low, high, 0, 400, 100, 0, NULL, NULL));
    expect_bytes(buffer, 656, bytes, 100);
    expect_bytes(high, 400, bytes, 100);
    cl_is(clEnqueueReadBuffer(queue, high, CL_TRUE, 500, 13, bytes, 0, NULL, NULL), CL_INVALID_VALUE);
    clReleaseMemObject(low), clReleaseMemObject(high);
}
END_TEST

START_TEST(clEnqueueFillBuffer_judges_its_arguments)
{
    char pattern[256] = {0};
    cl_is(clEnqueueFillBuffer(NULL, buffer, pattern, 1, 0, 1, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    cl_is(clEnqueueFillBuffer(queue, NULL, pattern, 1, 0, 1, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    cl_is(clEnqueueFillBuffer(queue, foreign, pattern, 1, 0, 1, 0, NULL, NULL), CL_INVALID_CONTEXT);
    cl_is(clEnqueueFillBuffer(queue, buffer, pattern, 1, 0, 1, 1, &foreign_event, NULL), CL_INVALID_CONTEXT);
    cl_is(clEnqueueFillBuffer(queue, buffer, NULL, 1, 0, 1, 0, NULL, NULL), CL_INVALID_VALUE);
    for (size_t size = 0; size <= 256; size++) {
        bool good = size && size <= 128 && !(size & (size - 1));
        cl_is(clEnqueueFillBuffer(queue, buffer, pattern, size, 0, 0, 0, NULL, NULL),
              good ? CL_SUCCESS : CL_INVALID_VALUE);
    }
    cl_is(clEnqueueFillBuffer(queue, buffer, pattern, 4, 2, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueFillBuffer(queue, buffer, pattern, 4, 4, 6, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueFillBuffer(queue, buffer, pattern, 4, SIZE, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueFillBuffer(queue, buffer, pattern, 4, 0, SIZE + 4, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueFillBuffer(queue, buffer, pattern, 4, 0, 4, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    cl_ok(clFinish(queue));
}
END_TEST

START_TEST(a_fill_repeats_its_pattern)
{
    char pattern[16], expected[SIZE];
    memset(expected, 0x55, SIZE);
    for (int i = 0; i < 16; i++)
        pattern[i] = (char)(i + 1);
    for (int i = 32; i < 32 + 160; i++)
        expected[i] = pattern[i % 16];
    cl_ok(clEnqueueFillBuffer(queue, buffer, &(char){0x55}, 1, 0, SIZE, 0, NULL, NULL));
    cl_ok(clEnqueueFillBuffer(queue, buffer, pattern, 16, 32, 160, 0, NULL, NULL));
    memset(pattern, 0, sizeof pattern); /* may be reused at once */
    expect_bytes(buffer, 0, expected, SIZE);
}
END_TEST

/* ---- rectangles -------------------------------------------------------------------------- */

START_TEST(rect_commands_judge_their_arguments)
{
    static const size_t zero[3], one[3] = {1, 1, 1}, flat[3] = {4, 0, 1}, block[3] = {4, 4, 4},
                                 out[3] = {SIZE, 0, 0}, huge[3] = {0, SIZE_MAX, 0};
    cl_is(clEnqueueReadBufferRect(NULL, buffer, 1, zero, zero, one, 0, 0, 0, 0, bytes, 0, NULL, NULL),
          CL_INVALID_COMMAND_QUEUE);
    cl_is(clEnqueueReadBufferRect(queue, NULL, 1, zero, zero, one, 0, 0, 0, 0, bytes, 0, NULL, NULL),
          CL_INVALID_MEM_OBJECT);
    cl_is(clEnqueueReadBufferRect(queue, foreign, 1, zero, zero, one, 0, 0, 0, 0, bytes, 0, NULL, NULL),
          CL_INVALID_CONTEXT);
    cl_is(clEnqueueReadBufferRect(queue, buffer, 1, zero, zero, one, 0, 0, 0, 0, bytes, 1, &foreign_event,
                                  NULL),
          CL_INVALID_CONTEXT);
    cl_is(clEnqueueReadBufferRect(queue, buffer, 1, zero, zero, one, 0, 0, 0, 0, bytes, 1, NULL, NULL),
          CL_INVALID_EVENT_WAIT_LIST);
    cl_is(clEnqueueReadBufferRect(queue, buffer, 1, zero, zero, one, 0, 0, 0, 0, NULL, 0, NULL, NULL),
          CL_INVALID_VALUE);
    cl_is(clEnqueueReadBufferRect(queue, buffer, 1, out, zero, one, 0, 0, 0, 0, bytes, 0, NULL, NULL),
          CL_INVALID_VALUE);
    cl_is(clEnqueueReadBufferRect(queue, buffer, 1, huge, zero, one, 8, 0, 0, 0, bytes, 0, NULL, NULL),
          CL_INVALID_VALUE);
    cl_is(clEnqueueReadBufferRect(queue, buffer, 1, zero, zero, flat, 0, 0, 0, 0, bytes, 0, NULL, NULL),
          CL_INVALID_VALUE);
    cl_is(clEnqueueReadBufferRect(queue, buffer, 1, zero, zero, block, 3, 0, 0, 0, bytes, 0, NULL, NULL),
          CL_INVALID_VALUE);
    cl_is(clEnqueueReadBufferRect(queue, buffer, 1, zero, zero, block, 0, 0, 3, 0, bytes, 0, NULL, NULL),
          CL_INVALID_VALUE);
    cl_is(clEnqueueReadBufferRect(queue, buffer, 1, zero, zero, block, 4, 12, 0, 0, bytes, 0, NULL, NULL),
          CL_INVALID_VALUE);
    cl_is(clEnqueueReadBufferRect(queue, buffer, 1, zero, zero, block, 4, 18, 0, 0, bytes, 0, NULL, NULL),
          CL_INVALID_VALUE);
    cl_is(clEnqueueReadBufferRect(queue, buffer, 1, zero, zero, block, 0, 0, 4, 18, bytes, 0, NULL, NULL),
          CL_INVALID_VALUE);
    cl_is(clEnqueueReadBufferRect(queue, buffer, 1, NULL, zero, one, 0, 0, 0, 0, bytes, 0, NULL, NULL),
          CL_INVALID_VALUE);
    cl_is(clEnqueueWriteBufferRect(NULL, buffer, 1, zero, zero, one, 0, 0, 0, 0, bytes, 0, NULL, NULL),
          CL_INVALID_COMMAND_QUEUE);
    cl_is(clEnqueueWriteBufferRect(queue, NULL, 1, zero, zero, one, 0, 0, 0, 0, bytes, 0, NULL, NULL),
          CL_INVALID_MEM_OBJECT);
    cl_is(clEnqueueWriteBufferRect(queue, foreign, 1, zero, zero, one, 0, 0, 0, 0, bytes, 0, NULL, NULL),
          CL_INVALID_CONTEXT);
    cl_is(clEnqueueWriteBufferRect(queue, buffer, 1, zero, zero, one, 0, 0, 0, 0, NULL, 0, NULL, NULL),
          CL_INVALID_VALUE);
    cl_is(clEnqueueWriteBufferRect(queue, buffer, 1, zero, zero, flat, 0, 0, 0, 0, bytes, 0, NULL, NULL),
          CL_INVALID_VALUE);
    cl_is(clEnqueueWriteBufferRect(queue, buffer, 1, zero, zero, one, 0, 0, 0, 0, bytes, 1, NULL, NULL),
          CL_INVALID_EVENT_WAIT_LIST);
    cl_is(clEnqueueCopyBufferRect(NULL, buffer, other_buffer, zero, zero, one, 0, 0, 0, 0, 0, NULL, NULL),
          CL_INVALID_COMMAND_QUEUE);
    cl_is(clEnqueueCopyBufferRect(queue, NULL, other_buffer, zero, zero, one, 0, 0, 0, 0, 0, NULL, NULL),
          CL_INVALID_MEM_OBJECT);
    cl_is(clEnqueueCopyBufferRect(queue, buffer, NULL, zero, zero, one, 0, 0, 0, 0, 0, NULL, NULL),
          CL_INVALID_MEM_OBJECT);
    cl_is(clEnqueueCopyBufferRect(queue, buffer, foreign, zero, zero, one, 0, 0, 0, 0, 0, NULL, NULL),
          CL_INVALID_CONTEXT);
    cl_is(clEnqueueCopyBufferRect(queue, foreign, buffer, zero, zero, one, 0, 0, 0, 0, 0, NULL, NULL),
          CL_INVALID_CONTEXT);
    cl_is(clEnqueueCopyBufferRect(queue, buffer, other_buffer, zero, zero, flat, 0, 0, 0, 0, 0, NULL, NULL),
          CL_INVALID_VALUE);
    cl_is(clEnqueueCopyBufferRect(queue, buffer, other_buffer, out, zero, one, 0, 0, 0, 0, 0, NULL, NULL),
          CL_INVALID_VALUE);
    cl_is(clEnqueueCopyBufferRect(queue, buffer, other_buffer, zero, out, one, 0, 0, 0, 0, 0, NULL, NULL),
          CL_INVALID_VALUE);
    cl_is(clEnqueueCopyBufferRect(queue, buffer, other_buffer, zero, zero, block, 3, 0, 0, 0, 0, NULL, NULL),
          CL_INVALID_VALUE);
    cl_is(clEnqueueCopyBufferRect(queue, buffer, other_buffer, zero, zero, block, 0, 0, 4, 18, 0, NULL, NULL),
          CL_INVALID_VALUE);
    cl_is(clEnqueueCopyBufferRect(queue, buffer, buffer, zero, (size_t[]){64, 0, 0}, one, 8, 0, 16, 0, 0,
                                  NULL, NULL),
          CL_INVALID_VALUE);
    cl_is(clEnqueueCopyBufferRect(queue, buffer, other_buffer, zero, zero, one, 0, 0, 0, 0, 1, NULL, NULL),
          CL_INVALID_EVENT_WAIT_LIST);
}
END_TEST

static uint32_t rect_random;

static size_t pick(size_t bound)
{
    rect_random = rect_random * 1664525u + 1013904223u;
    return (rect_random >> 8) % bound;
}

struct side {
    size_t origin[3], row, slice;
};

static size_t side_offset(const struct side *side, size_t x, size_t y, size_t z)
{
    return (side->origin[2] + z) * side->slice + (side->origin[1] + y) * side->row + side->origin[0] + x;
}

static bool pick_side(struct side *side, const size_t region[3])
{
    side->row = region[0] + pick(8);
    side->slice = side->row * (region[1] + pick(4));
    for (int d = 0; d < 3; d++)
        side->origin[d] = pick(6);
    return side_offset(side, region[0] - 1, region[1] - 1, region[2] - 1) < SIZE;
}

/* Byte by byte, as the specification's formulas have it. */
static void model_rect(char *target, const struct side *to, const char *source, const struct side *from,
                       const size_t region[3])
{
    for (size_t z = 0; z < region[2]; z++)
        for (size_t y = 0; y < region[1]; y++)
            for (size_t x = 0; x < region[0]; x++)
                target[side_offset(to, x, y, z)] = source[side_offset(from, x, y, z)];
}

static bool sides_overlap(const struct side *a, const struct side *b, const size_t region[3])
{
    static bool used[SIZE];
    memset(used, 0, sizeof used);
    for (size_t i = 0; i < region[0] * region[1] * region[2]; i++)
        used[side_offset(a, i % region[0], i / region[0] % region[1], i / region[0] / region[1])] = true;
    for (size_t i = 0; i < region[0] * region[1] * region[2]; i++)
        if (used[side_offset(b, i % region[0], i / region[0] % region[1], i / region[0] / region[1])])
            return true;
    return false;
}

START_TEST(random_rectangles_move_like_the_model)
{
    static char model[SIZE], host[SIZE], host_model[SIZE];
    rect_random = 77u + (uint32_t)_i;
    memcpy(model, bytes, SIZE);
    memcpy(host, bytes, SIZE);
    memcpy(host_model, bytes, SIZE);
    cl_ok(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, SIZE, bytes, 0, NULL, NULL));
    for (int round = 0; round < 300; round++) {
        const size_t region[3] = {1 + pick(12), 1 + pick(6), 1 + pick(4)};
        struct side a, b;
        if (!pick_side(&a, region) || !pick_side(&b, region))
            continue;
        if (round % 3 == 0) {
            host[pick(SIZE)] = (char)round;
            memcpy(host_model, host, SIZE);
            cl_ok(clEnqueueWriteBufferRect(queue, buffer, CL_TRUE, a.origin, b.origin, region, a.row, a.slice,
                                           b.row, b.slice, host, 0, NULL, NULL));
            model_rect(model, &a, host_model, &b, region);
        } else if (round % 3 == 1) {
            cl_ok(clEnqueueReadBufferRect(queue, buffer, CL_TRUE, a.origin, b.origin, region, a.row, a.slice,
                                          b.row, b.slice, host, 0, NULL, NULL));
            model_rect(host_model, &b, model, &a, region);
            ck_assert_mem_eq(host, host_model, SIZE);
        } else {
            b.row = a.row, b.slice = a.slice;
            if (side_offset(&b, region[0] - 1, region[1] - 1, region[2] - 1) >= SIZE)
                continue;
            cl_int expected = sides_overlap(&a, &b, region) ? CL_MEM_COPY_OVERLAP : CL_SUCCESS;
            cl_is(clEnqueueCopyBufferRect(queue, buffer, buffer, a.origin, b.origin, region, a.row, a.slice,
                                          b.row, b.slice, 0, NULL, NULL),
                  expected);
            if (!expected)
                model_rect(model, &b, model, &a, region);
        }
        expect_bytes(buffer, 0, model, SIZE);
    }
}
END_TEST

START_TEST(pitches_of_0_mean_packed)
{
    static const size_t zero[3], region[3] = {4, 3, 2};
    char back[24] = {0};
    cl_ok(clEnqueueWriteBufferRect(queue, buffer, CL_TRUE, zero, zero, region, 0, 0, 0, 0, bytes, 0, NULL,
                                   NULL));
    expect_bytes(buffer, 0, bytes, 24);
    cl_ok(
        clEnqueueCopyBufferRect(queue, buffer, other_buffer, zero, zero, region, 0, 0, 0, 0, 0, NULL, NULL));
    cl_ok(clEnqueueReadBufferRect(queue, other_buffer, CL_TRUE, zero, zero, region, 0, 0, 0, 0, back, 0, NULL,
                                  NULL));
    ck_assert_mem_eq(back, bytes, 24);
}
END_TEST

/* ---- map, unmap, migrate ----------------------------------------------------------------- */

static cl_uint map_count(cl_mem of)
{
    cl_uint count = 99;
    cl_ok(clGetMemObjectInfo(of, CL_MEM_MAP_COUNT, sizeof count, &count, NULL));
    return count;
}

static cl_int map_error(cl_command_queue on, cl_mem of, cl_map_flags flags, size_t offset, size_t size,
                        cl_uint count, const cl_event *waits)
{
    cl_int err = 1;
    void *pointer = clEnqueueMapBuffer(on, of, CL_TRUE, flags, offset, size, count, waits, NULL, &err);
    ck_assert_msg((pointer != NULL) == (err == CL_SUCCESS), "a pointer if and only if it succeeds");
    if (pointer)
        cl_ok(clEnqueueUnmapMemObject(on, of, pointer, 0, NULL, NULL));
    return err;
}

START_TEST(clEnqueueMapBuffer_judges_its_arguments)
{
    cl_is(map_error(NULL, buffer, CL_MAP_READ, 0, 1, 0, NULL), CL_INVALID_COMMAND_QUEUE);
    cl_is(map_error(queue, NULL, CL_MAP_READ, 0, 1, 0, NULL), CL_INVALID_MEM_OBJECT);
    cl_is(map_error(queue, foreign, CL_MAP_READ, 0, 1, 0, NULL), CL_INVALID_CONTEXT);
    cl_is(map_error(queue, buffer, CL_MAP_READ, 0, 1, 1, &foreign_event), CL_INVALID_CONTEXT);
    cl_is(map_error(queue, buffer, CL_MAP_READ, 0, 1, 1, NULL), CL_INVALID_EVENT_WAIT_LIST);
    cl_is(map_error(queue, buffer, CL_MAP_READ, 0, 0, 0, NULL), CL_INVALID_VALUE);
    cl_is(map_error(queue, buffer, CL_MAP_READ, SIZE, 1, 0, NULL), CL_INVALID_VALUE);
    cl_is(map_error(queue, buffer, CL_MAP_READ, 1, SIZE, 0, NULL), CL_INVALID_VALUE);
    cl_is(map_error(queue, buffer, 1u << 9, 0, 1, 0, NULL), CL_INVALID_VALUE);
    cl_is(map_error(queue, buffer, CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION, 0, 1, 0, NULL),
          CL_INVALID_VALUE);
    cl_ok(map_error(queue, buffer, CL_MAP_READ, 0, SIZE, 0, NULL));
    ck_assert_uint_eq(map_count(buffer), 0);
}
END_TEST

START_TEST(a_mapped_region_is_the_buffers)
{
    cl_int err;
    cl_ok(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, SIZE, bytes, 0, NULL, NULL));
    char *mapped =
        clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 100, 200, 0, NULL, NULL, &err);
    cl_ok(err);
    ck_assert_uint_eq(map_count(buffer), 1);
    ck_assert_mem_eq(mapped, bytes + 100, 200);
    mapped[5] = 'x';
    cl_ok(clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL));
    ck_assert_uint_eq(map_count(buffer), 0);
    bytes[105] = 'x';
    expect_bytes(buffer, 0, bytes, SIZE);
}
END_TEST

START_TEST(host_memory_is_refreshed_and_written_back)
{
    static char host[SIZE];
    cl_int err;
    memcpy(host, bytes, SIZE);
    cl_mem shared = cl_buffer(context, CL_MEM_USE_HOST_PTR, SIZE, host);
    cl_mem part = sub_buffer(shared, 0, 256, 256);
    cl_ok(clEnqueueFillBuffer(queue, shared, &(char){9}, 1, 0, SIZE, 0, NULL, NULL));
    char *mapped = clEnqueueMapBuffer(queue, part, CL_TRUE, CL_MAP_READ, 16, 64, 0, NULL, NULL, &err);
    cl_ok(err);
    ck_assert_ptr_eq(mapped, host + 272);
    for (int i = 0; i < 64; i++)
        ck_assert_int_eq(mapped[i], 9);
    cl_ok(clEnqueueUnmapMemObject(queue, part, mapped, 0, NULL, NULL));
    mapped = clEnqueueMapBuffer(queue, shared, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0, 32, 0, NULL, NULL,
                                &err);
    cl_ok(err);
    ck_assert_ptr_eq(mapped, host);
    memset(mapped, 5, 32);
    cl_ok(clEnqueueUnmapMemObject(queue, shared, mapped, 0, NULL, NULL));
    char expected[SIZE];
    memset(expected, 9, SIZE);
    memset(expected, 5, 32);
    expect_bytes(shared, 0, expected, SIZE);
    clReleaseMemObject(part), clReleaseMemObject(shared);
}
END_TEST

START_TEST(regions_mapped_for_writing_do_not_overlap)
{
    cl_int err;
    cl_mem part = sub_buffer(buffer, 0, 256, 256);
    void *first = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_WRITE, 200, 100, 0, NULL, NULL, &err);
    cl_ok(err);
    cl_is(map_error(queue, buffer, CL_MAP_WRITE, 299, 1, 0, NULL), CL_INVALID_OPERATION);
    cl_is(map_error(queue, buffer, CL_MAP_WRITE_INVALIDATE_REGION, 0, 201, 0, NULL), CL_INVALID_OPERATION);
    cl_is(map_error(queue, part, CL_MAP_WRITE, 43, 1, 0, NULL), CL_INVALID_OPERATION);
    cl_ok(map_error(queue, part, CL_MAP_WRITE, 44, 1, 0, NULL));
    cl_ok(map_error(queue, buffer, CL_MAP_WRITE, 0, 200, 0, NULL));
    ck_assert_uint_eq(map_count(buffer), 1);
    ck_assert_uint_eq(map_count(part), 0);
    cl_ok(clEnqueueUnmapMemObject(queue, buffer, first, 0, NULL, NULL));
    cl_ok(map_error(queue, buffer, CL_MAP_WRITE, 0, SIZE, 0, NULL));
    cl_ok(clFinish(queue));
    cl_ok(clReleaseMemObject(part));
}
END_TEST

START_TEST(regions_mapped_for_reading_may_overlap)
{
    void *first = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, 100, 0, NULL, NULL, NULL);
    void *second = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, 50, 0, NULL, NULL, NULL);
    ck_assert_ptr_eq(first, second);
    ck_assert_uint_eq(map_count(buffer), 2);
    cl_ok(clEnqueueUnmapMemObject(queue, buffer, first, 0, NULL, NULL));
    cl_ok(clEnqueueUnmapMemObject(queue, buffer, second, 0, NULL, NULL));
    cl_is(clEnqueueUnmapMemObject(queue, buffer, second, 0, NULL, NULL), CL_INVALID_VALUE);
    ck_assert_uint_eq(map_count(buffer), 0);
    cl_ok(clFinish(queue));
}
END_TEST

START_TEST(a_map_that_fails_is_no_mapping)
{
    cl_int err = 1;
    cl_event gate = cl_user_event(context), event = NULL;
    void *pointer =
        clEnqueueMapBuffer(queue, buffer, CL_FALSE, CL_MAP_WRITE, 0, SIZE, 1, &gate, &event, &err);
    cl_ok(err);
    ck_assert_ptr_nonnull(pointer);
    ck_assert_uint_eq(map_count(buffer), 1);
    cl_ok(clSetUserEventStatus(gate, -1));
    cl_is(clWaitForEvents(1, &event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    ck_assert_uint_eq(map_count(buffer), 0);
    cl_is(clEnqueueUnmapMemObject(queue, buffer, pointer, 0, NULL, NULL), CL_INVALID_VALUE);
    clReleaseEvent(gate), clReleaseEvent(event);
}
END_TEST

START_TEST(an_unmap_that_fails_leaves_the_mapping)
{
    cl_event gate = cl_user_event(context), event = NULL;
    void *pointer = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_WRITE, 0, SIZE, 0, NULL, NULL, NULL);
    cl_ok(clEnqueueUnmapMemObject(queue, buffer, pointer, 1, &gate, &event));
    cl_ok(clSetUserEventStatus(gate, -1));
    cl_is(clWaitForEvents(1, &event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    ck_assert_uint_eq(map_count(buffer), 1);
    cl_ok(clEnqueueUnmapMemObject(queue, buffer, pointer, 0, NULL, NULL));
    cl_ok(clFinish(queue));
    clReleaseEvent(gate), clReleaseEvent(event);
}
END_TEST

START_TEST(clEnqueueUnmapMemObject_judges_its_arguments)
{
    void *pointer = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 8, 8, 0, NULL, NULL, NULL);
    cl_is(clEnqueueUnmapMemObject(NULL, buffer, pointer, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    cl_is(clEnqueueUnmapMemObject(queue, NULL, pointer, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    cl_is(clEnqueueUnmapMemObject(other_queue, buffer, pointer, 0, NULL, NULL), CL_INVALID_CONTEXT);
    cl_is(clEnqueueUnmapMemObject(queue, buffer, pointer, 1, &foreign_event, NULL), CL_INVALID_CONTEXT);
    cl_is(clEnqueueUnmapMemObject(queue, buffer, pointer, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    cl_is(clEnqueueUnmapMemObject(queue, buffer, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueUnmapMemObject(queue, buffer, (char *)pointer + 1, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueUnmapMemObject(queue, other_buffer, pointer, 0, NULL, NULL), CL_INVALID_VALUE);
    ck_assert_uint_eq(map_count(buffer), 1);
    cl_ok(clEnqueueUnmapMemObject(queue, buffer, pointer, 0, NULL, NULL));
    cl_ok(clFinish(queue));
}
END_TEST

START_TEST(clEnqueueMigrateMemObjects_judges_its_arguments)
{
    cl_mem pair[2] = {buffer, foreign}, good[2] = {buffer, other_buffer}, none = NULL;
    cl_event event = NULL;
    cl_is(clEnqueueMigrateMemObjects(NULL, 1, pair, 0, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    cl_is(clEnqueueMigrateMemObjects(queue, 0, pair, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueMigrateMemObjects(queue, 1, NULL, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueMigrateMemObjects(queue, 1, pair, 1u << 7, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueMigrateMemObjects(queue, 2, pair, 0, 0, NULL, NULL), CL_INVALID_CONTEXT);
    cl_is(clEnqueueMigrateMemObjects(queue, 1, &none, 0, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    cl_is(clEnqueueMigrateMemObjects(queue, 1, good, 0, 1, &foreign_event, NULL), CL_INVALID_CONTEXT);
    cl_is(clEnqueueMigrateMemObjects(queue, 1, good, 0, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    cl_ok(clEnqueueMigrateMemObjects(queue, 2, good,
                                     CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0,
                                     NULL, &event));
    cl_ok(clWaitForEvents(1, &event));
    cl_ok(clReleaseEvent(event));
}
END_TEST

static Suite *buffer_suite(void)
{
    Suite *suite = suite_create("enqueue_buffer");
    TCase *moves = tcase_create("moves"), *rects = tcase_create("rectangles"),
          *maps = tcase_create("mapping");
    tcase_add_checked_fixture(moves, set_up, tear_down);
    tcase_add_test(moves, clEnqueueReadBuffer_judges_its_arguments);
    tcase_add_test(moves, clEnqueueWriteBuffer_judges_its_arguments);
    tcase_add_test(moves, a_refused_command_leaves_no_event);
    tcase_add_test(moves, host_access_flags_are_kept);
    tcase_add_test(moves, written_bytes_are_read_back);
    tcase_add_test(moves, a_buffer_released_early_lives_until_its_commands_end);
    tcase_add_test(moves, clEnqueueCopyBuffer_judges_its_arguments);
    tcase_add_test(moves, copies_between_sub_buffers_see_their_overlap);
    tcase_add_test(moves, clEnqueueFillBuffer_judges_its_arguments);
    tcase_add_test(moves, a_fill_repeats_its_pattern);
    tcase_add_checked_fixture(rects, set_up, tear_down);
    tcase_add_test(rects, rect_commands_judge_their_arguments);
    tcase_add_loop_test(rects, random_rectangles_move_like_the_model, 0, 4);
    tcase_add_test(rects, pitches_of_0_mean_packed);
    tcase_add_checked_fixture(maps, set_up, tear_down);
    tcase_add_test(maps, clEnqueueMapBuffer_judges_its_arguments);
    tcase_add_test(maps, a_mapped_region_is_the_buffers);
    tcase_add_test(maps, host_memory_is_refreshed_and_written_back);
    tcase_add_test(maps, regions_mapped_for_writing_do_not_overlap);
    tcase_add_test(maps, regions_mapped_for_reading_may_overlap);
    tcase_add_test(maps, a_map_that_fails_is_no_mapping);
    tcase_add_test(maps, an_unmap_that_fails_leaves_the_mapping);
    tcase_add_test(maps, clEnqueueUnmapMemObject_judges_its_arguments);
    tcase_add_test(maps, clEnqueueMigrateMemObjects_judges_its_arguments);
    suite_add_tcase(suite, moves);
    suite_add_tcase(suite, rects);
    suite_add_tcase(suite, maps);
    return suite;
}

int main(void)
{
    return cl_run_suite(buffer_suite());
}
