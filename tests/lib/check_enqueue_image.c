/* SPDX-License-Identifier: Apache-2.0 */
/* Commands on images: reading, writing, copying, filling, mapping; every error of the calls. */
#include <math.h>

#include "tests/support/image_fixture.h"

enum { WIDTH = 6, HEIGHT = 5, DEPTH = 4, TEXELS = WIDTH * HEIGHT * DEPTH };
static const size_t zero[4] = {0, 0, 0, 0}, one[3] = {1, 1, 1};

static const struct shape {
    cl_mem_object_type type;
    size_t region[3];
} shapes[] = {
    {CL_MEM_OBJECT_IMAGE1D, {WIDTH, 1, 1}},          {CL_MEM_OBJECT_IMAGE1D_ARRAY, {WIDTH, DEPTH, 1}},
    {CL_MEM_OBJECT_IMAGE2D, {WIDTH, HEIGHT, 1}},     {CL_MEM_OBJECT_IMAGE2D_ARRAY, {WIDTH, HEIGHT, DEPTH}},
    {CL_MEM_OBJECT_IMAGE3D, {WIDTH, HEIGHT, DEPTH}}, {CL_MEM_OBJECT_IMAGE1D_BUFFER, {WIDTH, 1, 1}}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static cl_mem new_shape(const struct shape *shape, cl_mem_flags flags, void *host)
{
    cl_image_desc desc = image_desc(shape->type, WIDTH, HEIGHT, DEPTH);
    if (shape->type != CL_MEM_OBJECT_IMAGE1D_BUFFER)
        return new_image(flags, &rgba8, &desc, host);
    desc.buffer = cl_buffer(context, flags, WIDTH * 4, host);
    cl_mem image = new_image(0, &rgba8, &desc, NULL);
    cl_ok(clReleaseMemObject(desc.buffer));
    return image;
}

static size_t texels(const struct shape *shape)
{
    return shape->region[0] * shape->region[1] * shape->region[2];
}

static void count_up(uint32_t *values, size_t count, uint32_t from)
{
    for (size_t i = 0; i < count; i++)
        values[i] = from + (uint32_t)i;
}

static void read_all(cl_mem image, const struct shape *shape, uint32_t *out)
{
    cl_ok(clEnqueueReadImage(queue, image, CL_TRUE, zero, shape->region, 0, 0, out, 0, NULL, NULL));
}

static cl_command_type type_of(cl_event event)
{
    cl_command_type type = 0;
    cl_ok(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    cl_ok(clReleaseEvent(event));
    return type;
}

/* ---- contents ---------------------------------------------------------------------------------- */

START_TEST(written_texels_are_read_back)
{
    const struct shape *shape = &shapes[_i];
    uint32_t in[TEXELS], out[TEXELS], again[TEXELS];
    cl_event event;
    count_up(in, TEXELS, 100);
    cl_mem image = new_shape(shape, CL_MEM_COPY_HOST_PTR, in);
    read_all(image, shape, out);
    ck_assert_mem_eq(out, in, 4 * texels(shape));
    count_up(in, TEXELS, 5000);
    cl_ok(clEnqueueWriteImage(queue, image, CL_FALSE, zero, shape->region, 0, 0, in, 0, NULL, &event));
    ck_assert_uint_eq(type_of(event), CL_COMMAND_WRITE_IMAGE);
    cl_ok(clEnqueueReadImage(queue, image, CL_TRUE, zero, shape->region, 0, 0, again, 0, NULL, &event));
    ck_assert_uint_eq(type_of(event), CL_COMMAND_READ_IMAGE);
    ck_assert_mem_eq(again, in, 4 * texels(shape));
    cl_ok(clReleaseMemObject(image));
}
END_TEST

/* A part in the middle, with gaps between the host's rows and slices. */
START_TEST(regions_and_pitches)
{
    const struct shape *shape = &shapes[_i];
    uint32_t all[TEXELS], host[400], rows = 8;
    bool line = shape->type == CL_MEM_OBJECT_IMAGE1D_ARRAY, volume = shape->region[2] > 1;
    size_t origin[3], region[3], slice = line ? 4 * rows : volume ? 4 * rows * 6 : 0;
    count_up(all, TEXELS, 0);
    cl_mem image = new_shape(shape, CL_MEM_COPY_HOST_PTR, all);
    for (int d = 0; d < 3; d++) {
        origin[d] = shape->region[d] > 1;
        region[d] = shape->region[d] > 1 ? shape->region[d] - 2 : 1;
    }
    memset(host, 0xff, sizeof host);
    cl_ok(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 4 * rows, slice, host, 0, NULL, NULL));
    size_t step = line ? slice / 4 : rows, planes = slice / 4;
    for (size_t z = 0; z < region[2]; z++)
        for (size_t y = 0; y < region[1]; y++)
            for (size_t x = 0; x < rows; x++) {
                uint32_t is = host[z * planes + y * step + x];
                size_t at = ((z + origin[2]) * shape->region[1] + y + origin[1]) * WIDTH + x + origin[0];
                ck_assert_uint_eq(is, x < region[0] ? all[at] : UINT32_MAX);
            }
    for (size_t i = 0; i < 400; i++)
        host[i] = host[i] == UINT32_MAX ? host[i] : host[i] + 1000;
    cl_ok(clEnqueueWriteImage(queue, image, CL_TRUE, origin, region, 4 * rows, slice, host, 0, NULL, NULL));
    uint32_t now[TEXELS];
    read_all(image, shape, now);
    for (size_t i = 0; i < texels(shape); i++) {
        size_t at[3] = {i % WIDTH, i / WIDTH % shape->region[1], i / WIDTH / shape->region[1]};
        bool inside = true;
        for (int d = 0; d < 3; d++)
            inside &= at[d] >= origin[d] && at[d] < origin[d] + region[d];
        ck_assert_uint_eq(now[i], all[i] + (inside ? 1000 : 0));
    }
    cl_ok(clReleaseMemObject(image));
}
END_TEST

START_TEST(copies_between_images_and_buffers)
{
    const struct shape *shape = &shapes[_i];
    uint32_t in[TEXELS], out[TEXELS + 3];
    cl_event event;
    count_up(in, TEXELS, 7);
    cl_mem from = new_shape(shape, CL_MEM_COPY_HOST_PTR, in), to = new_shape(shape, 0, NULL),
           buffer = cl_buffer(context, 0, sizeof out, NULL);
    cl_ok(clEnqueueCopyImage(queue, from, to, zero, zero, shape->region, 0, NULL, &event));
    ck_assert_uint_eq(type_of(event), CL_COMMAND_COPY_IMAGE);
    read_all(to, shape, out);
    ck_assert_mem_eq(out, in, 4 * texels(shape));
    cl_ok(clEnqueueFillBuffer(queue, buffer, &(uint32_t){0}, 4, 0, sizeof out, 0, NULL, NULL));
    cl_ok(clEnqueueCopyImageToBuffer(queue, to, buffer, zero, shape->region, 12, 0, NULL, &event));
    ck_assert_uint_eq(type_of(event), CL_COMMAND_COPY_IMAGE_TO_BUFFER);
    cl_ok(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    ck_assert_mem_eq(out + 3, in, 4 * texels(shape));
    ck_assert_uint_eq(out[2], 0);
    cl_ok(clEnqueueCopyBufferToImage(queue, buffer, to, 8, zero, shape->region, 0, NULL, &event));
    ck_assert_uint_eq(type_of(event), CL_COMMAND_COPY_BUFFER_TO_IMAGE);
    read_all(to, shape, out);
    ck_assert_uint_eq(out[0], 0);
    ck_assert_mem_eq(out + 1, in, 4 * texels(shape) - 4);
    const cl_mem objects[] = {from, to, buffer};
    for (int i = 0; i < 3; i++)
        cl_ok(clReleaseMemObject(objects[i]));
}
END_TEST

/* Between images of different kinds: a slice of a volume is a picture. */
START_TEST(copies_between_kinds)
{
    uint32_t in[TEXELS], out[WIDTH * HEIGHT];
    const size_t slice[3] = {WIDTH, HEIGHT, 1}, third[3] = {0, 0, 2};
    count_up(in, TEXELS, 0);
    cl_mem volume = new_shape(&shapes[4], CL_MEM_COPY_HOST_PTR, in), picture = new_shape(&shapes[2], 0, NULL);
    cl_ok(clEnqueueCopyImage(queue, volume, picture, third, zero, slice, 0, NULL, NULL));
    read_all(picture, &shapes[2], out);
    ck_assert_mem_eq(out, in + 2 * WIDTH * HEIGHT, sizeof out);
    cl_ok(clEnqueueCopyImage(queue, volume, volume, third, zero, slice, 0, NULL, NULL));
    cl_ok(clEnqueueReadImage(queue, volume, CL_TRUE, zero, slice, 0, 0, out, 0, NULL, NULL));
    ck_assert_mem_eq(out, in + 2 * WIDTH * HEIGHT, sizeof out);
    cl_ok(clReleaseMemObject(volume));
    cl_ok(clReleaseMemObject(picture));
}
END_TEST

START_TEST(fills_convert_the_color)
{
    const struct {
        cl_image_format format;
        union {
            float f[4];
            int32_t i[4];
            uint32_t u[4];
        } color;
        uint8_t texel[16];
        size_t size;
    } rows[] = {{{CL_RGBA, CL_UNORM_INT8}, {.f = {0, 0.5f, 2, -1}}, {0, 128, 255, 0}, 4},
                {{CL_BGRA, CL_UNORM_INT8}, {.f = {1, 0, 0.2f, 0}}, {51, 0, 255, 0}, 4},
                {{CL_RGBA, CL_SIGNED_INT8}, {.i = {-1000, 1000, -5, 7}}, {0x80, 0x7f, 0xfb, 7}, 4},
                {{CL_RG, CL_UNSIGNED_INT16}, {.u = {70000, 258, 0, 0}}, {0xff, 0xff, 2, 1}, 4},
                {{CL_R, CL_SNORM_INT16}, {.f = {-1}}, {1, 0x80}, 2},
                {{CL_A, CL_UNORM_INT8}, {.f = {0, 0, 0, 1}}, {255}, 1},
                {{CL_RGB, CL_UNORM_SHORT_565}, {.f = {1, 0, 1, 0}}, {0x1f, 0xf8}, 2},
                {{CL_RGBA, CL_UNORM_INT_101010_2}, {.f = {1, 0, 0, 1}}, {3, 0, 0xc0, 0xff}, 4},
                {{CL_R, CL_HALF_FLOAT}, {.f = {1.5f}}, {0, 0x3e}, 2},
                {{CL_DEPTH, CL_UNORM_INT16}, {.f = {1.0f}}, {0xff, 0xff}, 2},
                {{CL_RGBx, CL_UNORM_INT8}, {.f = {1, 0, 0.2f, 1}}, {255, 0, 51}, 3},
                {{CL_sRGBA, CL_UNORM_INT8}, {.f = {0.25f, NAN, 2, 0.5f}}, {137, 0, 255, 128}, 4},
                {{CL_sBGRA, CL_UNORM_INT8}, {.f = {0.002f, -1, 1, 0.25f}}, {255, 0, 7, 64}, 4}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t out[4][16] = {{0}}, before[16 * 4] = {0};
        cl_event event;
        cl_mem image = new_2d(CL_MEM_COPY_HOST_PTR, &rows[i].format, 4, 1, before);
        cl_ok(clEnqueueFillImage(queue, image, &rows[i].color, (size_t[]){1, 0, 0}, (size_t[]){2, 1, 1}, 0,
                                 NULL, &event));
        ck_assert_uint_eq(type_of(event), CL_COMMAND_FILL_IMAGE);
        for (size_t x = 0; x < 4; x++)
            cl_ok(clEnqueueReadImage(queue, image, CL_TRUE, (size_t[]){x, 0, 0}, one, 0, 0, out[x], 0, NULL,
                                     NULL));
        ck_assert_mem_eq(out[1], rows[i].texel, rows[i].size);
        ck_assert_mem_eq(out[2], rows[i].texel, rows[i].size);
        ck_assert_mem_eq(out[0], before, 16);
        ck_assert_mem_eq(out[3], before, 16);
        cl_ok(clReleaseMemObject(image));
    }
}
END_TEST

/* ---- mapping ----------------------------------------------------------------------------------- */

START_TEST(mapped_texels_are_the_images)
{
    const struct shape *shape = &shapes[_i];
    uint32_t in[TEXELS], out[TEXELS];
    size_t row = 77, slice = 77, origin[3], region[3];
    cl_int err;
    cl_event event;
    cl_uint maps = 0;
    for (int host = 0; host < 2; host++) { /* in the device's memory, in the program's */
        count_up(in, TEXELS, 40);
        cl_mem image = new_shape(shape, host ? CL_MEM_USE_HOST_PTR : CL_MEM_COPY_HOST_PTR, in);
        for (int d = 0; d < 3; d++) {
            origin[d] = shape->region[d] > 1;
            region[d] = shape->region[d] > 1 ? shape->region[d] - 1 : 1;
        }
        uint32_t *map = clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, origin, region,
                                          &row, &slice, 0, NULL, &event, &err);
        cl_ok(err);
        ck_assert_uint_eq(type_of(event), CL_COMMAND_MAP_IMAGE);
        ck_assert_uint_eq(row, 4 * WIDTH);
        size_t first = (origin[2] * shape->region[1] + origin[1]) * WIDTH + origin[0];
        if (host)
            ck_assert_ptr_eq(map, in + first);
        ck_assert_uint_eq(*map, 40 + first);
        cl_ok(clGetMemObjectInfo(image, CL_MEM_MAP_COUNT, sizeof maps, &maps, NULL));
        ck_assert_uint_eq(maps, 1);
        size_t far = (region[2] - 1) * slice + (region[1] - 1) * row + (region[0] - 1) * 4;
        map[far / 4] = 9999;
        cl_ok(clEnqueueUnmapMemObject(queue, image, map, 0, NULL, NULL));
        read_all(image, shape, out);
        ck_assert_uint_eq(out[texels(shape) - 1], 9999);
        ck_assert_uint_eq(out[0], 40);
        cl_ok(clReleaseMemObject(image));
    }
}
END_TEST

/* Texels beside a region that is mapped for writing are not touched by its unmapping. */
START_TEST(unmapping_writes_the_region_alone)
{
    uint32_t in[WIDTH * HEIGHT], out[WIDTH * HEIGHT], value = 1;
    size_t row = 0;
    cl_int err;
    count_up(in, WIDTH * HEIGHT, 0);
    cl_mem image = new_shape(&shapes[2], CL_MEM_USE_HOST_PTR, in);
    uint32_t *map = clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_WRITE, (size_t[]){0, 0, 0},
                                      (size_t[]){2, HEIGHT, 1}, &row, NULL, 0, NULL, NULL, &err);
    cl_ok(err);
    cl_ok(clEnqueueWriteImage(queue, image, CL_TRUE, (size_t[]){4, 2, 0}, one, 0, 0, &value, 0, NULL, NULL));
    map[2 * WIDTH + 1] = 2;
    cl_ok(clEnqueueUnmapMemObject(queue, image, map, 0, NULL, NULL));
    read_all(image, &shapes[2], out);
    ck_assert_uint_eq(out[2 * WIDTH + 4], 1);
    ck_assert_uint_eq(out[2 * WIDTH + 1], 2);
    cl_ok(clReleaseMemObject(image));
}
END_TEST

START_TEST(overlapping_maps_for_writing_are_refused)
{
    size_t row = 0;
    cl_int err = 1;
    cl_mem image = new_shape(&shapes[2], 0, NULL);
    const size_t left[3] = {2, HEIGHT, 1}, right[3] = {2, 0, 0};
    void *a =
        clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_WRITE, zero, left, &row, NULL, 0, NULL, NULL, &err);
    cl_ok(err);
    ck_assert_ptr_null(clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_WRITE, (size_t[]){1, 1, 0}, left, &row,
                                         NULL, 0, NULL, NULL, &err));
    cl_is(err, CL_INVALID_VALUE); /* HEIGHT rows from 1 are too many */
    ck_assert_ptr_null(clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_WRITE, (size_t[]){1, 1, 0},
                                         (size_t[]){2, 2, 1}, &row, NULL, 0, NULL, NULL, &err));
    cl_is(err, CL_INVALID_OPERATION);
    void *b =
        clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_WRITE, right, left, &row, NULL, 0, NULL, NULL, &err);
    cl_ok(err);
    cl_ok(clEnqueueUnmapMemObject(queue, image, a, 0, NULL, NULL));
    cl_ok(clEnqueueUnmapMemObject(queue, image, b, 0, NULL, NULL));
    cl_is(clEnqueueUnmapMemObject(queue, image, b, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_ok(clReleaseMemObject(image));
}
END_TEST

/* ---- mip levels -------------------------------------------------------------------------------- */

static const struct pyramid {
    struct shape shape;
    int layers; /* the dimension that keeps its size; -1: none */
    int used;   /* coordinates; the level's number stands after them */
} pyramids[] = {{{CL_MEM_OBJECT_IMAGE1D, {8, 1, 1}}, -1, 1},
                {{CL_MEM_OBJECT_IMAGE1D_ARRAY, {8, 3, 1}}, 1, 2},
                {{CL_MEM_OBJECT_IMAGE2D, {8, 8, 1}}, -1, 2},
                {{CL_MEM_OBJECT_IMAGE2D_ARRAY, {8, 8, 3}}, 2, 3},
                {{CL_MEM_OBJECT_IMAGE3D, {8, 8, 8}}, -1, 3}};

static size_t level_region(const struct pyramid *p, size_t level, size_t region[3])
{
    for (int d = 0; d < 3; d++)
        region[d] = d == p->layers                ? p->shape.region[d]
                    : p->shape.region[d] >> level ? p->shape.region[d] >> level
                                                  : 1;
    return region[0] * region[1] * region[2];
}

START_TEST(commands_reach_mip_levels)
{
    const struct pyramid *p = &pyramids[_i];
    cl_image_desc desc = image_desc(p->shape.type, 8, 8, p->layers < 0 ? 8 : 3);
    uint32_t in[512], out[512];
    size_t at[4] = {0}, to[4] = {0}, region[3];
    cl_uint levels = 0;
    desc.num_mip_levels = 4;
    cl_mem pyramid = new_image(0, &rgba8, &desc, NULL);
    cl_ok(clGetImageInfo(pyramid, CL_IMAGE_NUM_MIP_LEVELS, sizeof levels, &levels, NULL));
    ck_assert_uint_eq(levels, 4);
    for (size_t n = 0; n < 4; n++) {
        at[p->used] = n;
        count_up(in, level_region(p, n, region), (uint32_t)(1000 * n));
        cl_ok(clEnqueueWriteImage(queue, pyramid, CL_TRUE, at, region, 0, 0, in, 0, NULL, NULL));
    }
    for (size_t n = 0; n < 4; n++) {
        at[p->used] = n;
        size_t count = level_region(p, n, region);
        count_up(in, count, (uint32_t)(1000 * n));
        cl_ok(clEnqueueReadImage(queue, pyramid, CL_TRUE, at, region, 0, 0, out, 0, NULL, NULL));
        ck_assert_mem_eq(out, in, 4 * count);
    }
    at[p->used] = 4;
    cl_is(clEnqueueReadImage(queue, pyramid, CL_TRUE, at, one, 0, 0, out, 0, NULL, NULL),
          CL_INVALID_MIP_LEVEL);
    cl_is(clEnqueueFillImage(queue, pyramid, in, at, one, 0, NULL, NULL), CL_INVALID_MIP_LEVEL);
    cl_is(clEnqueueCopyImage(queue, pyramid, pyramid, zero, at, one, 0, NULL, NULL), CL_INVALID_MIP_LEVEL);
    at[p->used] = 1, to[p->used] = 2;
    cl_ok(
        clEnqueueCopyImage(queue, pyramid, pyramid, at, to, one, 0, NULL, NULL)); /* levels do not overlap */
    cl_ok(clEnqueueReadImage(queue, pyramid, CL_TRUE, to, one, 0, 0, out, 0, NULL, NULL));
    ck_assert_uint_eq(out[0], 1000);
    cl_ok(clReleaseMemObject(pyramid));
}
END_TEST

/* ---- errors ------------------------------------------------------------------------------------ */

static cl_mem image, buffer, stranger;

static void set_up_objects(void)
{
    cl_int err;
    const cl_image_desc desc = image_desc(CL_MEM_OBJECT_IMAGE2D, WIDTH, HEIGHT, 0);
    cl_set_up();
    image = new_shape(&shapes[2], 0, NULL);
    buffer = cl_buffer(context, 0, 4 * WIDTH * HEIGHT, NULL);
    stranger = clCreateImage(other_context, 0, &rgba8, &desc, NULL, &err);
    cl_ok(err);
}

static void tear_down_objects(void)
{
    cl_ok(clReleaseMemObject(image));
    cl_ok(clReleaseMemObject(buffer));
    cl_ok(clReleaseMemObject(stranger));
    cl_tear_down();
}

#define BAD_QUEUE ((cl_command_queue)context)

/* Invalid origins and regions of a 2D image. */
static const struct place {
    size_t origin[3], region[3];
} bad_places[] = {{{0, 0, 0}, {0, 1, 1}},         {{0, 0, 0}, {1, 0, 1}},      {{0, 0, 0}, {1, 1, 0}},
                  {{0, 0, 0}, {1, 1, 2}},         {{0, 0, 1}, {1, 1, 1}},      {{WIDTH, 0, 0}, {1, 1, 1}},
                  {{0, 0, 0}, {WIDTH + 1, 1, 1}}, {{0, HEIGHT, 0}, {1, 1, 1}}, {{1, 0, 0}, {SIZE_MAX, 1, 1}}};
enum { BAD_PLACES = sizeof bad_places / sizeof *bad_places };

START_TEST(reads_and_writes_check_their_arguments)
{
    uint32_t host[256];
    cl_int err = 1;
    size_t row;
    cl_mem hidden = new_shape(&shapes[2], CL_MEM_HOST_NO_ACCESS, NULL), line = new_shape(&shapes[0], 0, NULL);
#define READ(q, i, o, r, rp, sp, p) clEnqueueReadImage(q, i, CL_TRUE, o, r, rp, sp, p, 0, NULL, NULL)
#define WRITE(q, i, o, r, rp, sp, p) clEnqueueWriteImage(q, i, CL_TRUE, o, r, rp, sp, p, 0, NULL, NULL)
#define MAP(q, i, f, o, r, rp) clEnqueueMapImage(q, i, CL_TRUE, f, o, r, rp, NULL, 0, NULL, NULL, &err)
#define BOTH(error, ...)             \
    cl_is(READ(__VA_ARGS__), error); \
    cl_is(WRITE(__VA_ARGS__), error)
    BOTH(CL_INVALID_COMMAND_QUEUE, BAD_QUEUE, image, zero, one, 0, 0, host);
    BOTH(CL_INVALID_MEM_OBJECT, queue, buffer, zero, one, 0, 0, host);
    BOTH(CL_INVALID_MEM_OBJECT, queue, (cl_mem)context, zero, one, 0, 0, host);
    BOTH(CL_INVALID_CONTEXT, queue, stranger, zero, one, 0, 0, host);
    BOTH(CL_INVALID_VALUE, queue, image, NULL, one, 0, 0, host);
    BOTH(CL_INVALID_VALUE, queue, image, zero, NULL, 0, 0, host);
    BOTH(CL_INVALID_VALUE, queue, image, zero, one, 0, 0, NULL);
    BOTH(CL_INVALID_VALUE, queue, image, zero, one, 2, 0, host);
    BOTH(CL_INVALID_VALUE, queue, image, zero, one, 4, 4, host);
    BOTH(CL_INVALID_VALUE, queue, line, zero, one, 0, 4, host);
    BOTH(CL_INVALID_OPERATION, queue, hidden, zero, one, 0, 0, host);
    for (int i = 0; i < BAD_PLACES; i++) {
        BOTH(CL_INVALID_VALUE, queue, image, bad_places[i].origin, bad_places[i].region, 0, 0, host);
        cl_is(
            clEnqueueFillImage(queue, image, host, bad_places[i].origin, bad_places[i].region, 0, NULL, NULL),
            CL_INVALID_VALUE);
        ck_assert_ptr_null(MAP(queue, image, CL_MAP_READ, bad_places[i].origin, bad_places[i].region, &row));
        cl_is(err, CL_INVALID_VALUE);
    }
    cl_is(clEnqueueReadImage(queue, image, CL_TRUE, zero, one, 0, 0, host, 1, NULL, NULL),
          CL_INVALID_EVENT_WAIT_LIST);
    cl_is(clEnqueueWriteImage(queue, image, CL_TRUE, zero, one, 0, 0, host, 1, NULL, NULL),
          CL_INVALID_EVENT_WAIT_LIST);
    cl_is(clEnqueueFillImage(BAD_QUEUE, image, host, zero, one, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    cl_is(clEnqueueFillImage(queue, buffer, host, zero, one, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    cl_is(clEnqueueFillImage(queue, stranger, host, zero, one, 0, NULL, NULL), CL_INVALID_CONTEXT);
    cl_is(clEnqueueFillImage(queue, image, NULL, zero, one, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueFillImage(queue, image, host, NULL, one, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueFillImage(queue, image, host, zero, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueFillImage(queue, image, host, zero, one, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
#define MAP_IS(error, ...)                \
    ck_assert_ptr_null(MAP(__VA_ARGS__)); \
    cl_is(err, error)
    MAP_IS(CL_INVALID_COMMAND_QUEUE, BAD_QUEUE, image, CL_MAP_READ, zero, one, &row);
    MAP_IS(CL_INVALID_MEM_OBJECT, queue, buffer, CL_MAP_READ, zero, one, &row);
    MAP_IS(CL_INVALID_CONTEXT, queue, stranger, CL_MAP_READ, zero, one, &row);
    MAP_IS(CL_INVALID_VALUE, queue, image, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, zero, one, &row);
    MAP_IS(CL_INVALID_VALUE, queue, image, CL_MAP_READ, NULL, one, &row);
    MAP_IS(CL_INVALID_VALUE, queue, image, CL_MAP_READ, zero, NULL, &row);
    MAP_IS(CL_INVALID_VALUE, queue, image, CL_MAP_READ, zero, one, NULL);
    MAP_IS(CL_INVALID_OPERATION, queue, hidden, CL_MAP_READ, zero, one, &row);
    MAP_IS(CL_INVALID_OPERATION, queue, hidden, CL_MAP_WRITE, zero, one, &row);
    cl_mem volume = new_shape(&shapes[4], 0, NULL);
    MAP_IS(CL_INVALID_VALUE, queue, volume, CL_MAP_READ, zero, one, &row);
    cl_ok(clReleaseMemObject(volume));
    cl_ok(clReleaseMemObject(hidden));
    cl_ok(clReleaseMemObject(line));
}
END_TEST

START_TEST(copies_check_their_arguments)
{
    const cl_image_format other = {CL_BGRA, CL_UNORM_INT8};
    cl_mem bgra = new_2d(0, &other, WIDTH, HEIGHT, NULL), small = cl_buffer(context, 0, 16, NULL);
    cl_image_desc desc = image_desc(CL_MEM_OBJECT_IMAGE1D_BUFFER, 4, 0, 0);
    desc.buffer = small;
    cl_mem line = new_image(0, &rgba8, &desc, NULL);
#define COPY(q, a, b, ao, bo, r) clEnqueueCopyImage(q, a, b, ao, bo, r, 0, NULL, NULL)
    cl_is(COPY(BAD_QUEUE, image, image, zero, zero, one), CL_INVALID_COMMAND_QUEUE);
    cl_is(COPY(queue, buffer, image, zero, zero, one), CL_INVALID_MEM_OBJECT);
    cl_is(COPY(queue, image, buffer, zero, zero, one), CL_INVALID_MEM_OBJECT);
    cl_is(COPY(queue, image, stranger, zero, zero, one), CL_INVALID_CONTEXT);
    cl_is(COPY(queue, image, bgra, zero, zero, one), CL_IMAGE_FORMAT_MISMATCH);
    cl_is(COPY(queue, image, image, NULL, zero, one), CL_INVALID_VALUE);
    cl_is(COPY(queue, image, image, zero, NULL, one), CL_INVALID_VALUE);
    cl_is(COPY(queue, image, image, zero, zero, NULL), CL_INVALID_VALUE);
    cl_is(COPY(queue, image, image, zero, zero, one), CL_MEM_COPY_OVERLAP);
    cl_is(COPY(queue, image, image, zero, ((size_t[]){1, 1, 0}), ((size_t[]){2, 2, 1})), CL_MEM_COPY_OVERLAP);
    cl_ok(COPY(queue, image, image, zero, ((size_t[]){2, 0, 0}), ((size_t[]){2, HEIGHT, 1})));
    cl_is(clEnqueueCopyImage(queue, image, image, zero, zero, one, 1, NULL, NULL),
          CL_INVALID_EVENT_WAIT_LIST);
#define TO_BUFFER(q, i, b, o, r, at) clEnqueueCopyImageToBuffer(q, i, b, o, r, at, 0, NULL, NULL)
#define FROM_BUFFER(q, i, b, o, r, at) clEnqueueCopyBufferToImage(q, b, i, at, o, r, 0, NULL, NULL)
#define PAIR(error, ...)                  \
    cl_is(TO_BUFFER(__VA_ARGS__), error); \
    cl_is(FROM_BUFFER(__VA_ARGS__), error)
    PAIR(CL_INVALID_COMMAND_QUEUE, BAD_QUEUE, image, buffer, zero, one, 0);
    PAIR(CL_INVALID_MEM_OBJECT, queue, buffer, buffer, zero, one, 0);
    PAIR(CL_INVALID_MEM_OBJECT, queue, image, image, zero, one, 0);
    PAIR(CL_INVALID_MEM_OBJECT, queue, line, small, zero, one, 0);
    PAIR(CL_INVALID_CONTEXT, queue, stranger, buffer, zero, one, 0);
    PAIR(CL_INVALID_VALUE, queue, image, buffer, NULL, one, 0);
    PAIR(CL_INVALID_VALUE, queue, image, buffer, zero, NULL, 0);
    PAIR(CL_INVALID_VALUE, queue, image, small, zero, one, 13);
    PAIR(CL_INVALID_VALUE, queue, image, small, zero, ((size_t[]){5, 1, 1}), 0);
    for (int i = 0; i < BAD_PLACES; i++) {
        PAIR(CL_INVALID_VALUE, queue, image, buffer, bad_places[i].origin, bad_places[i].region, 0);
        cl_is(COPY(queue, image, image, bad_places[i].origin, zero, bad_places[i].region), CL_INVALID_VALUE);
    }
    cl_is(clEnqueueCopyImageToBuffer(queue, image, buffer, zero, one, 0, 1, NULL, NULL),
          CL_INVALID_EVENT_WAIT_LIST);
    cl_is(clEnqueueCopyBufferToImage(queue, buffer, image, 0, zero, one, 1, NULL, NULL),
          CL_INVALID_EVENT_WAIT_LIST);
    const cl_mem objects[] = {bgra, small, line};
    for (int i = 0; i < 3; i++)
        cl_ok(clReleaseMemObject(objects[i]));
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("commands on images");
    TCase *contents = tcase_create("contents"), *errors = tcase_create("errors");
    tcase_add_checked_fixture(contents, cl_set_up, cl_tear_down);
    tcase_add_loop_test(contents, written_texels_are_read_back, 0, SHAPES);
    tcase_add_loop_test(contents, regions_and_pitches, 0, SHAPES);
    tcase_add_loop_test(contents, copies_between_images_and_buffers, 0, SHAPES);
    tcase_add_test(contents, copies_between_kinds);
    tcase_add_test(contents, fills_convert_the_color);
    tcase_add_loop_test(contents, mapped_texels_are_the_images, 0, SHAPES);
    tcase_add_loop_test(contents, commands_reach_mip_levels, 0, 5);
    tcase_add_test(contents, unmapping_writes_the_region_alone);
    tcase_add_test(contents, overlapping_maps_for_writing_are_refused);
    suite_add_tcase(suite, contents);
    tcase_add_checked_fixture(errors, set_up_objects, tear_down_objects);
    tcase_add_test(errors, reads_and_writes_check_their_arguments);
    tcase_add_test(errors, copies_check_their_arguments);
    suite_add_tcase(suite, errors);
    return suite;
}

int main(void)
{
    return cl_run_suite(suite());
}
