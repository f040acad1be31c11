/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Runs small kernels on one platform and compares what they write with what another
 *          implementation wrote. run_differential [--write | --print] PLATFORM FILE-OR-DIRECTORY...
 *          Each .cl or .spvasm file has lines that begin with "//!" or ";!", which direct its run:
 *
 *   global X [Y [Z]], local X [Y [Z]], offset X [Y [Z]]    of the launch; global 1 if absent
 *   out TYPE N          a buffer of zeros, printed afterwards
 *   in TYPE N           a buffer of reproducible values, edge cases first
 *   small TYPE N        a buffer of reproducible values from 0 to 15
 *   inout TYPE N        as small, printed afterwards
 *   scalar TYPE VALUE   an argument by value; bytes N one of N bytes 0, 1, 2 ...
 *   shared BYTES        a local argument
 *   image TYPE W H D    an image of four channels to read, of reproducible values; TYPE uchar: normalised
 *                       bytes, char, int, uint, float: as they are. W 0 0: 1D, W H 0: 2D, else 3D
 *   picture TYPE W H D  one to write, printed afterwards
 *   layers TYPE W H N   as image: N 2D images
 *   times N             launched N times
 *   spec ID VALUE       a 32-bit specialisation constant; specbool ID VALUE a truth value
 *   self                every printed value must be 1: the kernel judges itself
 *   text                what the kernel prints counts as well, line by line, sorted
 *   options ...         the rest of the line goes to clBuildProgram
 *
 * The kernel is called test. NAME.expect holds what is to come out; for a file that judges itself
 * there is none. Each file runs in a process of its own, so that a crash is one failure.
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ARGS_MAX = 24, SPECS_MAX = 8, TIMEOUT_SECONDS = 30, OUTPUT_MAX = 1 << 20 };

enum type { CHAR, UCHAR, SHORT, USHORT, INT, UINT, LONG, ULONG, HALF, FLOAT, DOUBLE, TYPES };
static const struct {
    const char *name;
    size_t bytes;
} types[TYPES] = {{"char", 1}, {"uchar", 1}, {"short", 2}, {"ushort", 2}, {"int", 4},   {"uint", 4},
                  {"long", 8}, {"ulong", 8}, {"half", 2},  {"float", 4},  {"double", 8}};

enum arg_kind {
    ARG_OUT,
    ARG_IN,
    ARG_SMALL,
    ARG_INOUT,
    ARG_SCALAR,
    ARG_BYTES,
    ARG_SHARED,
    ARG_IMAGE,
    ARG_PICTURE,
    ARG_LAYERS
};

struct arg {
    enum arg_kind kind;
    enum type type;
    size_t count;
    size_t size[3]; /* of images */
    double value;
    cl_mem buffer;
    void *data;
};

struct run {
    size_t global[3], local[3], offset[3], times;
    cl_uint dimensions;
    bool has_local, has_offset, self, text;
    struct arg args[ARGS_MAX];
    cl_uint arg_count;
    struct {
        cl_uint id;
        cl_uint value;
        size_t bytes;
    } specs[SPECS_MAX];
    size_t spec_count;
    char options[512];
};

static _Noreturn void give_up(const char *what, long code)
{
    fprintf(stdout, "error: %s (%ld)\n", what, code);
    fflush(stdout);
    _exit(3);
}

static void demand(cl_int err, const char *what)
{
    if (err != CL_SUCCESS)
        give_up(what, err);
}

static char *read_file(const char *path, size_t *out_size)
{
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, OUTPUT_MAX + 1);
    if (!file || !text) {
        free(text);
        if (file)
            fclose(file);
        return NULL;
    }
    size_t size = fread(text, 1, OUTPUT_MAX, file);
    fclose(file);
    if (out_size)
        *out_size = size;
    return text;
}

/* ---- the directive lines ------------------------------------------------------------------- */

static enum type type_named(const char *name)
{
    for (int t = 0; name && t < TYPES; t++)
        if (!strcmp(types[t].name, name))
            return (enum type)t;
    give_up(name ? name : "a type is missing", 0);
}

static bool is_number(const char *word)
{
    return word && (*word == '-' || (*word >= '0' && *word <= '9'));
}

/* Up to three numbers; returns how many. */
static cl_uint sizes(char **words, cl_uint *at, size_t out[3])
{
    cl_uint count = 0;
    while (count < 3 && is_number(words[*at]))
        out[count++] = strtoull(words[(*at)++], NULL, 0);
    return count;
}

static double number(char **words, cl_uint *at)
{
    if (!words[*at])
        give_up("a number is missing", 0);
    return strtod(words[(*at)++], NULL);
}

static bool parse_arg(struct run *run, const char *word, char **words, cl_uint *at)
{
    static const char *const kinds[] = {"out",   "in",     "small", "inout",   "scalar",
                                        "bytes", "shared", "image", "picture", "layers"};
    for (int k = ARG_OUT; k <= ARG_LAYERS; k++) {
        if (strcmp(word, kinds[k]))
            continue;
        if (run->arg_count == ARGS_MAX)
            give_up("too many arguments", ARGS_MAX);
        struct arg *arg = &run->args[run->arg_count++];
        arg->kind = (enum arg_kind)k;
        arg->type = k == ARG_BYTES || k == ARG_SHARED ? UCHAR : type_named(words[(*at)++]);
        if (k >= ARG_IMAGE) {
            if (sizes(words, at, arg->size) != 3)
                give_up("an image has three sizes", 0);
            arg->count =
                4 * arg->size[0] * (arg->size[1] ? arg->size[1] : 1) * (arg->size[2] ? arg->size[2] : 1);
            return true;
        }
        arg->value = number(words, at);
        arg->count = k == ARG_SCALAR ? 1 : (size_t)arg->value;
        return true;
    }
    return false;
}

static void parse_words(struct run *run, char **words)
{
    for (cl_uint at = 0; words[at];) {
        const char *word = words[at++];
        if (!strcmp(word, "global")) {
            run->dimensions = sizes(words, &at, run->global);
        } else if (!strcmp(word, "local")) {
            run->has_local = sizes(words, &at, run->local);
        } else if (!strcmp(word, "offset")) {
            run->has_offset = sizes(words, &at, run->offset);
        } else if (!strcmp(word, "times")) {
            run->times = (size_t)number(words, &at);
        } else if (!strcmp(word, "self")) {
            run->self = true;
        } else if (!strcmp(word, "text")) {
            run->text = true;
        } else if (!strncmp(word, "spec", 4) && run->spec_count < SPECS_MAX) {
            run->specs[run->spec_count].bytes = word[4] ? 1 : 4;
            run->specs[run->spec_count].id = (cl_uint)number(words, &at);
            run->specs[run->spec_count++].value = (cl_uint)number(words, &at);
        } else if (!strcmp(word, "options")) {
            for (; words[at]; at++) {
                strncat(run->options, words[at], sizeof run->options - strlen(run->options) - 2);
                strcat(run->options, " ");
            }
        } else if (!parse_arg(run, word, words, &at)) {
            give_up(word, 0);
        }
    }
}

static void parse_header(struct run *run, const char *text)
{
    *run = (struct run){.global = {1, 1, 1}, .local = {1, 1, 1}, .times = 1, .dimensions = 1};
    for (const char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        size_t mark = !strncmp(line, "//!", 3) ? 3 : !strncmp(line, ";!", 2) ? 2 : 0;
        if (!mark)
            continue;
        char *copy = strndup(line + mark, strcspn(line + mark, "\n")), *words[64] = {NULL}, *rest = NULL;
        size_t count = 0;
        for (char *word = strtok_r(copy, " \t", &rest); word && count < 63;
             word = strtok_r(NULL, " \t", &rest))
            words[count++] = word;
        parse_words(run, words);
        free(copy);
    }
}

/* ---- inputs ---------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static const uint64_t edge_ints[] = {
    0,          1,          UINT64_MAX, 2,         UINT64_MAX - 1,          0x7f, 0x80, 0x7fff, 0x8000,
    0x7fffffff, 0x80000000, 0xffffffff, INT64_MAX, (uint64_t)INT64_MAX + 1, 31,   64};
static const double edge_floats[] = {
    0.0,  -0.0, 1.0, -1.0, (double)INFINITY, -(double)INFINITY, (double)NAN,    0.5,
    -0.5, 1.5,  2.5, -2.5, 0x1p-126,         0x1p-140,          0x1.fffffep127, 3.0e9};
static const uint16_t edge_halves[] = {0,      0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0x3800,
                                       0xb800, 0x3e00, 0x4100, 0xc100, 0x0400, 0x0001, 0x7bff, 0x5640};

static void set_number(void *data, enum type type, size_t i, double real, uint64_t whole)
{
    float single = (float)real;
    if (type == DOUBLE)
        memcpy((char *)data + i * 8, &real, 8);
    else if (type == FLOAT)
        memcpy((char *)data + i * 4, &single, 4);
    else
        memcpy((char *)data + i * types[type].bytes, &whole, types[type].bytes);
}

static void fill(const struct arg *arg, uint64_t seed)
{
    for (size_t i = 0; i < arg->count; i++) {
        uint64_t r = mix(seed * 0x9e3779b97f4a7c15u + i + 1);
        if (arg->kind != ARG_IN)
            set_number(arg->data, arg->type, i, (double)(r % 16),
                       arg->type == HALF ? 0x3c00 + (r % 16) * 64 : r % 16);
        else if (i < 16 && arg->type == HALF)
            set_number(arg->data, HALF, i, 0, edge_halves[i]);
        else if (i < 16)
            set_number(arg->data, arg->type, i, edge_floats[(i + seed) % 16], edge_ints[(i + seed) % 16]);
        else
            set_number(arg->data, arg->type, i, ((double)(r % 2000001) - 1000000) / 4096,
                       arg->type == HALF ? r & 0xbbff : r);
    }
}

static void make_image(struct arg *arg, cl_context context, cl_kernel kernel, cl_uint index)
{
    static const cl_channel_type channels[TYPES] = {
        [CHAR] = CL_SIGNED_INT8,    [UCHAR] = CL_UNORM_INT8, [INT] = CL_SIGNED_INT32,
        [UINT] = CL_UNSIGNED_INT32, [FLOAT] = CL_FLOAT,      [HALF] = CL_HALF_FLOAT};
    const size_t *size = arg->size;
    cl_image_format format = {CL_RGBA, channels[arg->type]};
    cl_image_desc desc = {.image_type = arg->kind == ARG_LAYERS ? CL_MEM_OBJECT_IMAGE2D_ARRAY
                                        : size[2]               ? CL_MEM_OBJECT_IMAGE3D
                                        : size[1]               ? CL_MEM_OBJECT_IMAGE2D
                                                                : CL_MEM_OBJECT_IMAGE1D,
                          .image_width = size[0],
                          .image_height = size[1]};
    cl_int err;
    if (arg->kind == ARG_LAYERS)
        desc.image_array_size = size[2];
    else
        desc.image_depth = size[2];
    arg->data = calloc(arg->count + 1, types[arg->type].bytes);
    fill(arg, index);
    arg->buffer = clCreateImage(context, CL_MEM_COPY_HOST_PTR, &format, &desc, arg->data, &err);
    demand(err, "create an image");
    demand(clSetKernelArg(kernel, index, sizeof arg->buffer, &arg->buffer), "set an image argument");
}

static void read_back(const struct arg *arg, cl_command_queue queue)
{
    const size_t origin[3] = {0, 0, 0},
                 region[3] = {arg->size[0], arg->size[1] ? arg->size[1] : 1, arg->size[2] ? arg->size[2] : 1};
    if (arg->kind == ARG_PICTURE)
        demand(
            clEnqueueReadImage(queue, arg->buffer, CL_TRUE, origin, region, 0, 0, arg->data, 0, NULL, NULL),
            "read an image");
    else
        demand(clEnqueueReadBuffer(queue, arg->buffer, CL_TRUE, 0, arg->count * types[arg->type].bytes,
                                   arg->data, 0, NULL, NULL),
               "read a buffer");
}

static void make_arg(struct arg *arg, cl_context context, cl_kernel kernel, cl_uint index)
{
    cl_int err = CL_SUCCESS;
    size_t size = arg->count * types[arg->type].bytes;
    if (arg->kind >= ARG_IMAGE) {
        make_image(arg, context, kernel, index);
        return;
    }
    if (arg->kind == ARG_SHARED) {
        demand(clSetKernelArg(kernel, index, size, NULL), "set a local argument");
        return;
    }
    arg->data = calloc(1, size + 8);
    if (arg->kind == ARG_SCALAR) {
        set_number(arg->data, arg->type, 0, arg->value,
                   arg->value < 0 ? (uint64_t)(int64_t)arg->value : (uint64_t)arg->value);
        demand(clSetKernelArg(kernel, index, size, arg->data), "set an argument by value");
        return;
    }
    for (size_t i = 0; arg->kind == ARG_BYTES && i < size; i++)
        ((uint8_t *)arg->data)[i] = (uint8_t)i;
    if (arg->kind == ARG_BYTES) {
        demand(clSetKernelArg(kernel, index, size, arg->data), "set an argument of bytes");
        return;
    }
    if (arg->kind != ARG_OUT)
        fill(arg, index);
    arg->buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, size, arg->data, &err);
    demand(err, "create a buffer");
    demand(clSetKernelArg(kernel, index, sizeof arg->buffer, &arg->buffer), "set a buffer argument");
}

/* ---- results ------------------------------------------------------------------------------------ */

static void print_number(const void *data, enum type type, size_t i)
{
    const char *at = (const char *)data + i * types[type].bytes;
    double d;
    float f;
    int64_t s = 0;
    uint64_t u = 0;
    memcpy(&u, at, types[type].bytes);
    if (type == DOUBLE) {
        memcpy(&d, at, 8);
        isnan(d) ? printf("nan") : printf("%a", d);
    } else if (type == FLOAT) {
        memcpy(&f, at, 4);
        isnan(f) ? printf("nan") : printf("%a", (double)f);
    } else if (type == HALF) {
        (u & 0x7fff) > 0x7c00 ? printf("nan") : printf("h%04x", (unsigned)u);
    } else if (type % 2) { /* unsigned types have odd numbers */
        printf("%" PRIu64, u);
    } else {
        uint32_t unused = 64 - 8 * (uint32_t)types[type].bytes;
        s = (int64_t)(u << unused) >> unused;
        printf("%" PRId64, s);
    }
}

static uint64_t hash_bytes(const uint8_t *bytes, size_t size)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return hash;
}

static bool is_floating(enum type type)
{
    return type >= HALF;
}

static void print_arg(const struct arg *arg, cl_uint index)
{
    printf("argument %u %s %zu", index, types[arg->type].name, arg->count);
    for (size_t i = 0; i < arg->count; i++) {
        printf(i % 16 ? " " : "\n");
        print_number(arg->data, arg->type, i);
    }
    if (!is_floating(arg->type)) /* the bits of a NaN are not specified */
        printf("\nhash %016" PRIx64, hash_bytes(arg->data, arg->count * types[arg->type].bytes));
    printf("\n");
}

static void judge_self(const struct arg *arg, cl_uint index)
{
    uint64_t one = 1;
    for (size_t i = 0; i < arg->count; i++)
        if (memcmp((char *)arg->data + i * types[arg->type].bytes, &one, types[arg->type].bytes)) {
            printf("argument %u: value %zu is ", index, i);
            print_number(arg->data, arg->type, i);
            printf(", not 1\n");
        }
}

/* ---- one file, in its own process ------------------------------------------------------------------- */

static cl_device_id find_device(const char *wanted)
{
    cl_platform_id platforms[16];
    cl_uint count = 0;
    cl_device_id device = NULL;
    demand(clGetPlatformIDs(16, platforms, &count), "list platforms");
    for (cl_uint i = 0; i < count && i < 16 && !device; i++) {
        char name[256] = "";
        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
        if (strstr(name, wanted))
            demand(clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL), "find a device");
    }
    if (!device)
        give_up(wanted, 0);
    return device;
}

/* spirv-as as a program: its library is C++. */
static cl_program assemble(cl_context context, const char *path, const char *text)
{
    char module[] = "/tmp/differential.XXXXXX", command[2048];
    const char *mark = strstr(text, ";env ");
    int fd = mkstemp(module);
    char environment[16] = "spv1.2";
    if (mark)
        sscanf(mark + 5, "%15s", environment);
    snprintf(command, sizeof command, "spirv-as --target-env %s -o %s '%s' 2>&1", environment, module, path);
    size_t size = 0;
    cl_int err = fd < 0 || system(command) ? -1 : CL_SUCCESS;
    char *words = read_file(module, &size);
    close(fd);
    unlink(module);
    if (err || !words || !size)
        give_up("spirv-as", err);
    cl_program program = clCreateProgramWithIL(context, words, size, &err);
    demand(err, "clCreateProgramWithIL");
    free(words);
    return program;
}

static cl_program build(const struct run *run, cl_context context, cl_device_id device, const char *path,
                        const char *text)
{
    cl_int err = CL_SUCCESS;
    bool il = strstr(path, ".spvasm") != NULL;
    cl_program program =
        il ? assemble(context, path, text) : clCreateProgramWithSource(context, 1, &text, NULL, &err);
    demand(err, "clCreateProgramWithSource");
    for (size_t i = 0; i < run->spec_count; i++)
        demand(clSetProgramSpecializationConstant(program, run->specs[i].id, run->specs[i].bytes,
                                                  &run->specs[i].value),
               "specialise");
    err = clBuildProgram(program, 1, &device, run->options, NULL, NULL);
    if (err != CL_SUCCESS) {
        static char log[65536];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
        printf("%s\n", log);
        give_up("clBuildProgram", err);
    }
    return program;
}

static void launch(const struct run *run, cl_command_queue queue, cl_kernel kernel)
{
    cl_event event;
    cl_int status = 0;
    demand(clEnqueueNDRangeKernel(queue, kernel, run->dimensions, run->has_offset ? run->offset : NULL,
                                  run->global, run->has_local ? run->local : NULL, 0, NULL, &event),
           "clEnqueueNDRangeKernel");
    demand(clFinish(queue), "clFinish");
    demand(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL),
           "clGetEventInfo");
    demand(status, "the launch");
    clReleaseEvent(event);
}

static int run_file(const char *platform, const char *path)
{
    struct run run;
    cl_int err;
    char *text = read_file(path, NULL);
    if (!text)
        give_up(path, 0);
    parse_header(&run, text);
    cl_device_id device = find_device(platform);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    demand(err, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &err);
    demand(err, "create a queue");
    cl_program program = build(&run, context, device, path, text);
    cl_kernel kernel = clCreateKernel(program, "test", &err);
    demand(err, "clCreateKernel");
    for (cl_uint i = 0; i < run.arg_count; i++)
        make_arg(&run.args[i], context, kernel, i);
    for (size_t i = 0; i < run.times; i++)
        launch(&run, queue, kernel);
    for (cl_uint i = 0; i < run.arg_count; i++) {
        struct arg *arg = &run.args[i];
        if (arg->kind != ARG_OUT && arg->kind != ARG_INOUT && arg->kind != ARG_PICTURE)
            continue;
        read_back(arg, queue);
        if (run.self)
            judge_self(arg, i);
        else
            print_arg(arg, i);
    }
    for (cl_uint i = 0; i < run.arg_count; i++) {
        if (run.args[i].buffer)
            clReleaseMemObject(run.args[i].buffer);
        free(run.args[i].data);
    }
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    free(text);
    return 0;
}

/* ---- all files ------------------------------------------------------------------------------- */

static int by_line(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Work-items print in any order. */
static void sort_lines(char *text)
{
    char *lines[4096], *copy = strdup(text), *rest = NULL;
    size_t count = 0;
    for (char *line = strtok_r(copy, "\n", &rest); line && count < 4096; line = strtok_r(NULL, "\n", &rest))
        lines[count++] = line;
    qsort(lines, count, sizeof *lines, by_line);
    *text = '\0';
    for (size_t i = 0; i < count; i++) {
        text = stpcpy(text, lines[i]);
        text = stpcpy(text, "\n");
    }
    free(copy);
}

/* Runs the file and gives what it printed; false when the process failed. */
static bool collect(const char *platform, const char *path, char *out)
{
    int ends[2], status = 0;
    size_t size = 0;
    fflush(stdout);
    if (pipe(ends))
        return false;
    pid_t child = fork();
    if (child == 0) {
        alarm(TIMEOUT_SECONDS);
        dup2(ends[1], 1);
        close(ends[0]);
        close(ends[1]);
        exit(run_file(platform, path));
    }
    close(ends[1]);
    for (ssize_t got = 1; got > 0 && size < OUTPUT_MAX; size += (size_t)(got > 0 ? got : 0))
        got = read(ends[0], out + size, OUTPUT_MAX - size);
    close(ends[0]);
    waitpid(child, &status, 0);
    out[size] = '\0';
    if (status)
        sprintf(out + strlen(out), "error: the process ended with %s %d\n",
                WIFSIGNALED(status) ? "signal" : "status",
                WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    return status == 0;
}

/* x.cl and x.spvasm share x.expect: one program in two forms. */
static void expect_path(const char *path, char *out, size_t size)
{
    snprintf(out, size, "%s", path);
    strcpy(strrchr(out, '.'), ".expect");
}

static void first_difference(const char *got, const char *want)
{
    while (*got && *got == *want)
        got++, want++;
    while (got[-1] != '\n' && got[-1] != '\0')
        got--, want--;
    printf("  got  %.*s\n  want %.*s\n", (int)strcspn(got, "\n"), got, (int)strcspn(want, "\n"), want);
}

static bool judge(const char *platform, const char *path, const char *mode)
{
    static char room[OUTPUT_MAX + 4096];
    char *out = room + 1, expect[1024], *want;
    struct run run;
    char *text = read_file(path, NULL);
    if (!text)
        give_up(path, 0);
    parse_header(&run, text);
    free(text);
    if (mode && !strcmp(mode, "--write") && (run.self || strstr(path, ".spvasm")))
        return true;
    bool good = collect(platform, path, out);
    if (run.text)
        sort_lines(out);
    expect_path(path, expect, sizeof expect);
    if (mode && !strcmp(mode, "--print")) {
        fputs(out, stdout);
        return good;
    }
    if (mode && good) {
        FILE *file = fopen(expect, "w");
        if (!file)
            give_up(expect, 0);
        fputs(out, file);
        return fclose(file) == 0;
    }
    want = run.self ? strdup("") : read_file(expect, NULL);
    bool same = good && want && !strcmp(out, want);
    printf("%s %s\n", same ? "ok  " : "FAIL", path);
    if (!good || !want || run.self)
        printf("%.*s", 2000, want ? out : "  no expectation\n");
    else if (!same)
        first_difference(out, want);
    free(want);
    return same;
}

static int is_test(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot && (!strcmp(dot, ".cl") || !strcmp(dot, ".spvasm"));
}

static int judge_all(const char *platform, const char *path, const char *mode, int *total)
{
    struct stat info;
    struct dirent **entries;
    int bad = 0;
    if (!stat(path, &info) && !S_ISDIR(info.st_mode)) {
        ++*total;
        return !judge(platform, path, mode);
    }
    int count = scandir(path, &entries, is_test, alphasort);
    if (count < 0)
        give_up(path, 0);
    for (int i = 0; i < count; i++) {
        char file[1024];
        snprintf(file, sizeof file, "%s/%s", path, entries[i]->d_name);
        bad += judge_all(platform, file, mode, total);
        free(entries[i]);
    }
    free(entries);
    return bad;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 && argv[1][0] == '-' ? argv[1] : NULL;
    int bad = 0, total = 0, at = mode ? 2 : 1;
    if (argc < at + 2) {
        fprintf(stderr, "usage: run_differential [--write | --print] PLATFORM FILE-OR-DIRECTORY...\n");
        return 2;
    }
    for (int i = at + 1; i < argc; i++)
        bad += judge_all(argv[at], argv[i], mode, &total);
    if (!mode)
        printf("%d kernels, %d wrong\n", total, bad);
    return bad != 0;
}
