/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Times kernels of every class on one OpenCL device, and hashes what they wrote. An ordinary OpenCL program:
 *          bench/compare runs it on several devices in turn.
 *
 * Output   One line per case: name, class, work-items, CPU ms (median of the runs, launches and clFinish), hash of the
 *          results, sum of their absolute values. A case that cannot run prints "absent" or "failed" and why.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BUFFER_MOST = 4, RUN_MOST = 99, TABLE_ITEMS = 65536 };

enum element { ELEMENT_INT, ELEMENT_FLOAT, ELEMENT_DOUBLE };

struct buffer { cl_mem memory; void *start; size_t bytes; enum element element; bool result; };

struct device {
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
};

/* One case on its way: what set-up makes, what launching needs. */
struct run {
    const struct device *device;
    cl_kernel kernel;
    double scale;
    struct buffer buffers[BUFFER_MOST];
    int buffer_count;
    cl_uint next_arg;
    cl_uint work_dim;
    size_t global[2], local[2];
    uint32_t seed;
    int launches;
};

struct bench {
    const char *name, *class;
    void (*set_up)(struct run *run);
};

static void need(cl_int error, const char *what)
{
    if (error == CL_SUCCESS)
        return;
    fprintf(stderr, "orrery-bench: %s failed with %d\n", what, error);
    exit(2);
}

static void *need_memory(size_t bytes)
{
    void *memory = calloc(1, bytes ? bytes : 1);
    if (!memory) {
        fputs("orrery-bench: out of memory\n", stderr);
        exit(2);
    }
    return memory;
}

/* ---- inputs ------------------------------------------------------------------------------- */

/* Weyl sequence through a multiply: the same everywhere, and no two cases alike. */
static uint32_t draw(struct run *run)
{
    run->seed += 0x9e3779b9u;
    uint64_t x = (uint64_t)(run->seed ^ run->seed >> 15) * 0xd6e8feb86659fd93u;
    return (uint32_t)(x >> 32);
}

static struct buffer *add_buffer(struct run *run, size_t bytes, enum element element)
{
    cl_int error;
    struct buffer *buffer = &run->buffers[run->buffer_count++];
    *buffer = (struct buffer){.start = need_memory(bytes), .bytes = bytes, .element = element};
    buffer->memory = clCreateBuffer(run->device->context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    need(error, "clCreateBuffer");
    need(clSetKernelArg(run->kernel, run->next_arg++, sizeof buffer->memory, &buffer->memory), "clSetKernelArg");
    return buffer;
}

static void add_floats(struct run *run, size_t count, float low, float high)
{
    float *to = add_buffer(run, count * sizeof *to, ELEMENT_FLOAT)->start;
    for (size_t i = 0; i < count; i++)
        to[i] = low + (high - low) * ((float)(draw(run) >> 8) * 0x1p-24f);
}

static void add_words(struct run *run, size_t count, uint32_t below)
{
    uint32_t *to = add_buffer(run, count * sizeof *to, ELEMENT_INT)->start;
    for (size_t i = 0; i < count; i++)
        to[i] = below ? draw(run) % below : draw(run);
}

static void add_result(struct run *run, size_t bytes, enum element element)
{
    add_buffer(run, bytes, element)->result = true;
}

static void add_int(struct run *run, cl_int value)
{
    need(clSetKernelArg(run->kernel, run->next_arg++, sizeof value, &value), "clSetKernelArg");
}

static void add_float(struct run *run, cl_float value)
{
    need(clSetKernelArg(run->kernel, run->next_arg++, sizeof value, &value), "clSetKernelArg");
}

static size_t multiple(double wanted, size_t of)
{
    size_t times = (size_t)(wanted / (double)of + 0.5);
    return (times ? times : 1) * of;
}

static size_t set_items(struct run *run, double count, size_t local)
{
    run->work_dim = 1;
    run->local[0] = local;
    return run->global[0] = multiple(count * run->scale, local);
}

static size_t set_square(struct run *run, double side, size_t local)
{
    run->work_dim = 2;
    run->local[0] = run->local[1] = local;
    return run->global[0] = run->global[1] = multiple(side * sqrt(run->scale), local);
}

/* ---- cases --------------------------------------------------------------------------------- */

static void set_triad(struct run *run)
{
    size_t count = set_items(run, 1000000, 64);
    add_float(run, 1.75f);
    add_floats(run, count, -2, 2);
    add_floats(run, count, -2, 2);
    add_result(run, count * 4, ELEMENT_FLOAT);
}

static void set_soften(struct run *run)
{
    size_t side = set_square(run, 800, 16);
    add_floats(run, side * side, 0, 255);
    add_result(run, side * side * 4, ELEMENT_FLOAT);
    add_int(run, (cl_int)side);
    add_int(run, (cl_int)side);
}

static void set_correlate(struct run *run)
{
    size_t count = set_items(run, 40000, 128);
    add_floats(run, count + 96, -1, 1);
    add_floats(run, 96, -1, 1);
    add_result(run, count * 4, ELEMENT_FLOAT);
    add_int(run, 96);
}

static void set_potential(struct run *run)
{
    size_t count = set_items(run, 1536, 64);
    add_floats(run, count * 4, 0, 1);
    add_result(run, count * 4, ELEMENT_FLOAT);
    add_int(run, (cl_int)count);
    add_float(run, 0.02f);
}

static void set_transpose(struct run *run)
{
    size_t side = set_square(run, 768, 16);
    add_floats(run, side * side, -9, 9);
    add_result(run, side * side * 4, ELEMENT_FLOAT);
    add_int(run, (cl_int)side);
}

static void set_group_maximum(struct run *run)
{
    size_t count = set_items(run, 400000, 128);
    add_words(run, count, 1u << 30);
    add_result(run, count / 128 * 4, ELEMENT_INT);
    need(clSetKernelArg(run->kernel, run->next_arg++, 128 * 4, NULL), "clSetKernelArg");
}

static void set_julia(struct run *run)
{
    size_t side = set_square(run, 256, 8);
    add_result(run, side * side * 4, ELEMENT_INT);
    add_int(run, (cl_int)side);
    add_float(run, 3.2f / (float)side);
    add_int(run, 300);
}

static void set_divisor(struct run *run)
{
    size_t count = set_items(run, 40000, 64);
    add_words(run, count, 0);
    add_words(run, count, 0);
    add_result(run, count * 4, ELEMENT_INT);
}

static void set_damped(struct run *run)
{
    size_t count = set_items(run, 150000, 64);
    add_floats(run, count, 0, 4);
    add_result(run, count * 4, ELEMENT_FLOAT);
    add_float(run, 0.35f);
}

static void set_scramble(struct run *run)
{
    size_t count = set_items(run, 16384, 64);
    add_words(run, count, 0);
    add_result(run, count * 4, ELEMENT_INT);
    add_int(run, 100);
}

static void set_tally(struct run *run)
{
    size_t count = set_items(run, 12288, 64);
    add_words(run, count * 8, 0);
    add_result(run, count * 4, ELEMENT_INT);
    add_int(run, 8);
}

static void set_wide(struct run *run)
{
    size_t count = set_items(run, 12288, 64);
    add_words(run, count * 2, 0);
    add_result(run, count * 8, ELEMENT_INT);
    add_result(run, count * 8, ELEMENT_DOUBLE);
    add_int(run, 60);
}

static void set_quaternions(struct run *run)
{
    size_t count = set_items(run, 8192, 64);
    add_floats(run, count * 4, -0.5f, 0.5f);
    add_result(run, count * 16, ELEMENT_FLOAT);
    add_int(run, 60);
}

static void set_pick(struct run *run)
{
    size_t count = set_items(run, 65536, 64);
    add_floats(run, TABLE_ITEMS, -1, 1);
    add_words(run, count * 12, TABLE_ITEMS);
    add_result(run, count * 4, ELEMENT_FLOAT);
    add_int(run, 12);
}

static void set_ragged(struct run *run)
{
    size_t count = set_items(run, 40000, 64);
    int32_t *first = add_buffer(run, (count + 1) * 4, ELEMENT_INT)->start;
    for (size_t i = 0; i < count; i++)
        first[i + 1] = first[i] + 2 + (int32_t)(draw(run) % 30);
    add_floats(run, (size_t)first[count], -1, 1);
    add_result(run, count * 4, ELEMENT_FLOAT);
}

static void set_relax(struct run *run)
{
    size_t count = set_items(run, 8192, 64);
    add_floats(run, count, 0, 100);
    run->buffers[0].result = true;
    add_result(run, count * 4, ELEMENT_FLOAT);
    add_int(run, (cl_int)count - 1);
    run->launches = 120;
}

static void set_vote(struct run *run)
{
    size_t count = set_items(run, 60000, 64);
    add_words(run, count * 20, 0);
    add_result(run, 64 * 4, ELEMENT_INT);
    add_int(run, 20);
}

static void set_guarded(struct run *run)
{
    set_items(run, 16384, 64);
    add_buffer(run, 2 * 4, ELEMENT_INT);
    add_result(run, 3 * 4, ELEMENT_INT);
    add_int(run, 12);
}

static const struct bench benches[] = {
    {"triad", "stream", set_triad},
    {"soften", "stream", set_soften},
    {"correlate", "uniform-loop", set_correlate},
    {"potential", "uniform-loop", set_potential},
    {"transpose", "local-barrier", set_transpose},
    {"group_maximum", "local-barrier", set_group_maximum},
    {"julia", "divergent", set_julia},
    {"divisor", "divergent", set_divisor},
    {"damped", "math", set_damped},
    {"scramble", "integer", set_scramble},
    {"tally", "private", set_tally},
    {"wide", "64-bit", set_wide},
    {"quaternions", "vector", set_quaternions},
    {"pick", "gather", set_pick},
    {"ragged", "gather", set_ragged},
    {"relax", "many-launches", set_relax},
    {"vote", "atomics", set_vote},
    {"guarded", "atomics", set_guarded},
    {"image", "image", NULL},
};
enum { BENCH_COUNT = sizeof benches / sizeof *benches };

/* ---- measuring ------------------------------------------------------------------------------ */

static double cpu_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static void restore_buffers(const struct run *run)
{
    for (int i = 0; i < run->buffer_count; i++) {
        const struct buffer *buffer = &run->buffers[i];
        need(clEnqueueWriteBuffer(run->device->queue, buffer->memory, CL_TRUE, 0, buffer->bytes, buffer->start, 0, NULL, NULL),
             "clEnqueueWriteBuffer");
    }
}

/* Later launches swap the first two buffers. */
static double launch(const struct run *run)
{
    restore_buffers(run);
    double start = cpu_ms();
    for (int i = 0; i < run->launches; i++) {
        for (cl_uint k = 0; k < 2 && run->launches > 1; k++)
            need(clSetKernelArg(run->kernel, k, sizeof(cl_mem), &run->buffers[(k + (cl_uint)i) & 1].memory), "clSetKernelArg");
        need(clEnqueueNDRangeKernel(run->device->queue, run->kernel, run->work_dim, NULL, run->global, run->local, 0, NULL, NULL),
             "clEnqueueNDRangeKernel");
    }
    need(clFinish(run->device->queue), "clFinish");
    return cpu_ms() - start;
}

struct digest { uint64_t hash; double sum; };

static double magnitude(const struct buffer *buffer, const uint8_t *bytes, size_t at)
{
    float single;
    double wide;
    uint32_t word;
    switch (buffer->element) {
    case ELEMENT_FLOAT:
        memcpy(&single, bytes + at, sizeof single);
        return fabs((double)single);
    case ELEMENT_DOUBLE:
        memcpy(&wide, bytes + at, sizeof wide);
        return fabs(wide);
    default:
        memcpy(&word, bytes + at, sizeof word);
        return (double)word;
    }
}

static void digest_results(const struct run *run, struct digest *digest)
{
    *digest = (struct digest){.hash = 0xcbf29ce484222325u};
    for (int i = 0; i < run->buffer_count; i++) {
        const struct buffer *buffer = &run->buffers[i];
        if (!buffer->result)
            continue;
        uint8_t *bytes = need_memory(buffer->bytes);
        need(clEnqueueReadBuffer(run->device->queue, buffer->memory, CL_TRUE, 0, buffer->bytes, bytes, 0, NULL, NULL),
             "clEnqueueReadBuffer");
        for (size_t k = 0; k < buffer->bytes; k++)
            digest->hash = (digest->hash ^ bytes[k]) * 0x100000001b3u;
        for (size_t k = 0; k < buffer->bytes; k += buffer->element == ELEMENT_DOUBLE ? 8 : 4)
            digest->sum += magnitude(buffer, bytes, k);
        free(bytes);
    }
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void release(struct run *run)
{
    for (int i = 0; i < run->buffer_count; i++) {
        clReleaseMemObject(run->buffers[i].memory);
        free(run->buffers[i].start);
    }
    clReleaseKernel(run->kernel);
}

static void measure(const struct device *device, const struct bench *bench, double scale, int runs, int warm_ups)
{
    if (!bench->set_up) {
        printf("%-14s %-14s absent: no image kernels yet\n", bench->name, bench->class);
        return;
    }
    cl_int error;
    double times[RUN_MOST];
    struct digest digest;
    struct run run = {.device = device, .scale = scale, .launches = 1, .seed = (uint32_t)(bench - benches)};
    run.kernel = clCreateKernel(device->program, bench->name, &error);
    need(error, bench->name);
    bench->set_up(&run);
    for (int i = 0; i < warm_ups; i++)
        launch(&run);
    for (int i = 0; i < runs; i++)
        times[i] = launch(&run);
    digest_results(&run, &digest);
    qsort(times, (size_t)runs, sizeof *times, by_value);
    size_t items = run.global[0] * (run.work_dim == 2 ? run.global[1] : 1) * (size_t)run.launches;
    printf("%-14s %-14s %9zu %12.3f %016llx %.9g\n", bench->name, bench->class, items, times[runs / 2],
           (unsigned long long)digest.hash, digest.sum);
    fflush(stdout);
    release(&run);
}

/* ---- device ----------------------------------------------------------------------------------- */

static char *read_kernels(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = need_memory(1 << 16);
    if (!file || fread(text, 1, (1 << 16) - 1, file) == 0) {
        fprintf(stderr, "orrery-bench: cannot read %s\n", path);
        exit(2);
    }
    fclose(file);
    return text;
}

static cl_device_id find_device(const char *platform)
{
    cl_platform_id platforms[16];
    cl_uint count = 0;
    need(clGetPlatformIDs(16, platforms, &count), "clGetPlatformIDs");
    for (cl_uint i = 0; i < count && i < 16; i++) {
        char name[256] = "";
        cl_device_id device;
        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
        if (strstr(name, platform) && clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS) {
            fprintf(stderr, "# %s\n", name);
            return device;
        }
    }
    fprintf(stderr, "orrery-bench: no platform is called like '%s'\n", platform);
    exit(2);
}

static void open_device(struct device *device, const char *platform, const char *kernels)
{
    cl_int error;
    char *text = read_kernels(kernels);
    device->id = find_device(platform);
    device->context = clCreateContext(NULL, 1, &device->id, NULL, NULL, &error);
    need(error, "clCreateContext");
    device->queue = clCreateCommandQueue(device->context, device->id, 0, &error);
    need(error, "clCreateCommandQueue");
    device->program = clCreateProgramWithSource(device->context, 1, (const char **)&text, NULL, &error);
    need(error, "clCreateProgramWithSource");
    free(text);
    error = clBuildProgram(device->program, 1, &device->id, "", NULL, NULL);
    if (error != CL_SUCCESS) {
        char log[4096] = "";
        clGetProgramBuildInfo(device->program, device->id, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fputs(log, stderr);
    }
    need(error, "clBuildProgram");
}

static void close_device(struct device *device)
{
    clReleaseProgram(device->program);
    clReleaseCommandQueue(device->queue);
    clReleaseContext(device->context);
}

/* ---- options ------------------------------------------------------------------------------------ */

static const char usage[] =
    "usage: orrery-bench [--platform NAME] [--only CASE]... [--scale F] [--runs N] [--warm-ups N] [--kernels FILE] [--list]\n"
    "  --platform   a part of the platform's name; the first platform by default\n"
    "  --scale      1: some ten million instructions per case\n"
    "  --warm-ups   launches that are not timed: the first pays for a just-in-time compiler\n";

struct options { const char *platform, *kernels; bool only[BENCH_COUNT], some; double scale; int runs, warm_ups; };

static void take_case(struct options *options, const char *name)
{
    for (int i = 0; i < BENCH_COUNT; i++) {
        if (strcmp(benches[i].name, name) == 0) {
            options->only[i] = options->some = true;
            return;
        }
    }
    fprintf(stderr, "orrery-bench: no case is called %s\n", name);
    exit(2);
}

static int between(const char *text, int low, int high)
{
    int value = atoi(text);
    return value < low ? low : value > high ? high : value;
}

static bool take_option(struct options *options, const char *name, const char *value)
{
    if (strcmp(name, "--platform") == 0)
        options->platform = value;
    else if (strcmp(name, "--kernels") == 0)
        options->kernels = value;
    else if (strcmp(name, "--only") == 0)
        take_case(options, value);
    else if (strcmp(name, "--scale") == 0)
        options->scale = atof(value);
    else if (strcmp(name, "--runs") == 0)
        options->runs = between(value, 1, RUN_MOST);
    else if (strcmp(name, "--warm-ups") == 0)
        options->warm_ups = between(value, 0, RUN_MOST);
    else
        return false;
    return true;
}

int main(int argc, char **argv)
{
    struct options options = {.platform = "", .kernels = BENCH_KERNELS, .scale = 1, .runs = 5, .warm_ups = 1};
    struct device device;
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        for (int i = 0; i < BENCH_COUNT; i++)
            printf("%-14s %s\n", benches[i].name, benches[i].class);
        return 0;
    }
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 == argc || !take_option(&options, argv[i], argv[i + 1])) {
            fputs(usage, stderr);
            return 2;
        }
    }
    open_device(&device, options.platform, options.kernels);
    for (int i = 0; i < BENCH_COUNT; i++)
        if (!options.some || options.only[i])
            measure(&device, &benches[i], options.scale, options.runs, options.warm_ups);
    close_device(&device);
    return 0;
}
