/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each version with each feature off, or on that is usually off: queries, extension strings, macros, builds
 * and calls agree. The tests do not check which features a device has: only that its results agree, and that
 * each feature of scenario.def changes some of them.
 */
#include "tests/support/cl_fixture.h"

#include <CL/cl_orrery_cslice.h>

#include "orrery/check.h"

static const char *const versions[] = {"1.2", "2.0", "2.1", "2.2", "3.0"};
static const char *const standards[] = {"-cl-std=CL1.2", "-cl-std=CL2.0", "-cl-std=CL2.0", "-cl-std=CL2.0",
                                        "-cl-std=CL3.0"};
static const struct {
    const char *section, *key;
} scenario_rows[] = {
    {"device.features", ""}, /* all as usual */
#define ROW(key, section, field, kind, low, high, option, argument, help) {section, key},
#include "sim/scenario/scenario.def"
#undef ROW
};
static const char *features[sizeof scenario_rows / sizeof *scenario_rows]; /* filled by main */
static int feature_keys;
enum { VERSIONS = sizeof versions / sizeof *versions };

static const char *standard, *reported_off;
static cl_version reported_version;
static cl_name_version extensions[128], c_features[64];
static size_t extension_count, feature_count;

static bool is_off_by_default(const char *feature)
{
    return strcmp(feature, "svm_system") == 0 || strcmp(feature, "cslice_partition") == 0;
}

/* A device without compiler has to be a custom device. */
static void start(int config)
{
    const char *version = versions[config % VERSIONS], *feature = features[config / VERSIONS];
    char text[200];
    snprintf(text, sizeof text,
             "device: {type: %s, topology: \"tile:1 cslice:2 cu:2\", version: %s, features: {%s%s}}",
             strcmp(feature, "compiler") == 0 ? "custom" : "gpu", version, feature,
             !*feature                 ? ""
             : is_off_by_default(feature) ? ": true"
                                       : ": false");
    cl_set_up_with(text);
    standard = standards[config % VERSIONS];
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS_WITH_VERSION, sizeof extensions, extensions,
                          &extension_count));
    feature_count = 0;
    if (config % VERSIONS == VERSIONS - 1)
        cl_ok(clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_FEATURES, sizeof c_features, c_features,
                              &feature_count));
    extension_count /= sizeof *extensions;
    reported_version = CL_MAKE_VERSION((cl_version)(version[0] - '0'), (cl_version)(version[2] - '0'), 0);
    reported_off = is_off_by_default(feature) ? "" : feature;
    feature_count /= sizeof *c_features;
}

static bool listed(const cl_name_version *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0)
            return true;
    return false;
}

static bool has_extension(const char *name)
{
    return listed(extensions, extension_count, name);
}

static bool has_feature(const char *name)
{
    return listed(c_features, feature_count, name);
}

static bool builds_as(const char *source, const char *options, char log[2000])
{
    cl_int err;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
    cl_ok(err);
    err = clBuildProgram(program, 0, NULL, options, NULL, NULL);
    log[0] = '\0';
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 2000, log, NULL);
    cl_ok(clReleaseProgram(program));
    return err == CL_SUCCESS;
}

static bool builds(const char *source, char log[2000])
{
    return builds_as(source, standard, log);
}

enum { KERNEL_CLOCKS = 0x1076 }; /* CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR */

static cl_ulong query(cl_device_info name)
{
    cl_ulong value = 0;
    cl_ok(clGetDeviceInfo(device, name, sizeof value, &value, NULL));
    return value;
}

/* The results of queries of a later version: such a device has none, and 2.x has all that is not off. */
static cl_ulong reported(cl_device_info name, cl_version since, const char *feature)
{
    cl_ulong value;
    if (reported_version >= since)
        return query(name);
    cl_is(clGetDeviceInfo(device, name, sizeof value, &value, NULL), CL_INVALID_VALUE);
    return reported_version >= CL_MAKE_VERSION(2, 0, 0) && strcmp(feature, reported_off) != 0;
}

enum {
    V2_0 = CL_MAKE_VERSION(2, 0, 0),
    V2_1 = CL_MAKE_VERSION(2, 1, 0),
    V2_2 = CL_MAKE_VERSION(2, 2, 0),
    V3_0 = CL_MAKE_VERSION(3, 0, 0)
};

/* Device queues need these features, too. */
static bool has_device_queues(void)
{
    return reported(CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, V3_0, "device_enqueue") &&
           (reported_version >= V3_0 || (strcmp(reported_off, "generic_address_space") &&
                                         strcmp(reported_off, "program_scope_variables")));
}

static cl_device_svm_capabilities svm(void)
{
    return reported_version >= V2_0 ? query(CL_DEVICE_SVM_CAPABILITIES) : 0;
}

/* Also by an extension. */
static bool has_il(void)
{
    char il[100] = "";
    cl_int err = clGetDeviceInfo(device, CL_DEVICE_IL_VERSION, sizeof il, il, NULL);
    cl_is(err,
          reported_version >= V2_1 || has_extension("cl_khr_il_program") ? CL_SUCCESS : CL_INVALID_VALUE);
    return il[0] != '\0';
}

/* ---- strings and macros ---------------------------------------------------------------------- */

/* Of OpenCL C in every version that these tests build for. */
static const char *const language_extensions[] = {
    "cl_khr_byte_addressable_store",
    "cl_khr_global_int32_base_atomics",
    "cl_khr_local_int32_extended_atomics",
    "cl_khr_int64_base_atomics",
    "cl_khr_int64_extended_atomics",
    "cl_khr_fp16",
    "cl_khr_fp64",
    "cl_khr_3d_image_writes",
    "cl_khr_depth_images",
    "cl_khr_mipmap_image",
    "cl_khr_mipmap_image_writes",
    "cl_khr_subgroups",
    "cl_khr_subgroup_extended_types",
    "cl_khr_subgroup_non_uniform_vote",
    "cl_khr_subgroup_ballot",
    "cl_khr_subgroup_non_uniform_arithmetic",
    "cl_khr_subgroup_shuffle",
    "cl_khr_subgroup_shuffle_relative",
    "cl_khr_subgroup_clustered_reduce",
    "cl_khr_subgroup_rotate",
    "cl_intel_subgroups",
    "cl_khr_integer_dot_product",
    "cl_khr_work_group_uniform_arithmetic",
    "cl_ext_float_atomics",
    "cl_khr_kernel_clock",
    "cl_khr_subgroup_named_barrier",
    "cl_khr_srgb_image_writes",
};

static const char *const feature_names[] = {
    "__opencl_c_int64",
    "__opencl_c_fp64",
    "__opencl_c_atomic_order_acq_rel",
    "__opencl_c_atomic_order_seq_cst",
    "__opencl_c_atomic_scope_device",
    "__opencl_c_generic_address_space",
    "__opencl_c_program_scope_global_variables",
    "__opencl_c_pipes",
    "__opencl_c_device_enqueue",
    "__opencl_c_images",
    "__opencl_c_3d_image_writes",
    "__opencl_c_read_write_images",
    "__opencl_c_subgroups",
    "__opencl_c_work_group_collective_functions",
    "__opencl_c_integer_dot_product_input_4x8bit",
    "__opencl_c_integer_dot_product_input_4x8bit_packed",
    "__opencl_c_ext_fp32_global_atomic_add",
    "__opencl_c_ext_fp32_local_atomic_add",
    "__opencl_c_ext_fp32_global_atomic_min_max",
    "__opencl_c_ext_fp32_local_atomic_min_max",
    "__opencl_c_ext_fp64_global_atomic_add",
    "__opencl_c_ext_fp64_local_atomic_add",
    "__opencl_c_ext_fp64_global_atomic_min_max",
    "__opencl_c_ext_fp64_local_atomic_min_max",
    "__opencl_c_ext_fp16_global_atomic_add",
    "__opencl_c_ext_fp16_global_atomic_load_store",
    "__opencl_c_kernel_clock_scope_device",
    "__opencl_c_kernel_clock_scope_work_group",
    "__opencl_c_kernel_clock_scope_sub_group",
};

static void expect_macro(char *source, const char *name, bool there)
{
    sprintf(source + strlen(source), "#if%sdef %s\n#error \"%s is %s\"\n#endif\n", there ? "n" : "", name,
            name, there ? "reported and not defined" : "defined and not reported");
}

START_TEST(macros_match_the_reported_version)
{
    static char source[16384];
    char log[2000], text[8192];
    start(_i);
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof text, text, NULL));
    source[0] = '\0';
    for (size_t i = 0; i < sizeof language_extensions / sizeof *language_extensions; i++) {
        expect_macro(source, language_extensions[i], has_extension(language_extensions[i]));
        ck_assert_int_eq(strstr(text, language_extensions[i]) != NULL, has_extension(language_extensions[i]));
    }
    for (size_t i = 0;
         i < sizeof feature_names / sizeof *feature_names && strcmp(standard, "-cl-std=CL3.0") == 0; i++)
        expect_macro(source, feature_names[i], has_feature(feature_names[i]));
    strcat(source, "kernel void k(void) {}\n");
    ck_assert_msg(!query(CL_DEVICE_COMPILER_AVAILABLE) || builds(source, log), "%s", log);
    cl_tear_down();
}
END_TEST

/* ---- what is taken --------------------------------------------------------------------------- */

static struct {
    bool reported, taken;
} seen[2][128]; /* of two devices */
static size_t seen_count;
static int seen_by;

static size_t next_to_be_seen(void)
{
    ck_assert_uint_lt(seen_count, sizeof seen[0] / sizeof seen[0][0]);
    return seen_count++;
}

static void see(size_t at, const char *what, bool reported_, bool taken, const char *why)
{
    ck_assert_msg(reported_ == taken, "%s: reported %d, taken %d: %s", what, reported_, taken, why);
    seen[seen_by][at].reported = reported_;
    seen[seen_by][at].taken = taken;
}

static void expect(const char *what, bool reported_, bool taken, const char *why)
{
    see(next_to_be_seen(), what, reported_, taken, why);
}

static void expect_call(const char *what, bool there, cl_int err, cl_int refusal)
{
    char why[20];
    snprintf(why, sizeof why, "%d", err);
    ck_assert_msg(err == CL_SUCCESS || err == refusal, "%s: %s", what, why);
    expect(what, there, err == CL_SUCCESS, why);
}

/*
 * Sources that have to build are built at the end, all with the same options at once: that takes a third of
 * the time. Sources that must not build are built alone.
 */
static struct {
    size_t at;
    const char *what, *source, *options;
    bool built;
} pending[32];
static size_t pending_count;

static void expect_build_as(const char *what, bool there, const char *source, const char *options)
{
    char log[2000];
    if (!there || !query(CL_DEVICE_COMPILER_AVAILABLE)) {
        const bool taken = builds_as(source, options, log);
        expect(what, false, taken, log);
        return;
    }
    ck_assert_uint_lt(pending_count, sizeof pending / sizeof *pending);
    pending[pending_count].at = next_to_be_seen();
    pending[pending_count].what = what;
    pending[pending_count].source = source;
    pending[pending_count].options = options;
    pending[pending_count++].built = false;
}

/* Each with names and extensions of its own. */
static bool build_together(const char *options, char log[2000])
{
    static char all[8192];
    size_t size = 0;
    for (size_t i = 0; i < pending_count; i++)
        if (strcmp(pending[i].options, options) == 0) {
            size += (size_t)snprintf(all + size, sizeof all - size,
                                     "#pragma OPENCL EXTENSION all : disable\n#undef k\n#define k "
                                     "k%zu\n#undef n\n#define n n%zu\n%s\n",
                                     i, i, pending[i].source);
            ck_assert_uint_lt(size, sizeof all);
        }
    return builds_as(all, options, log);
}

/* If they do not all build, each is built alone. */
static void expect_awaited(void)
{
    char log[2000];
    for (size_t i = 0; i < pending_count; i++) {
        const bool together = !pending[i].built && build_together(pending[i].options, log);
        for (size_t j = i; j < pending_count && together; j++)
            pending[j].built |= strcmp(pending[j].options, pending[i].options) == 0;
        const bool taken = pending[i].built || builds_as(pending[i].source, pending[i].options, log);
        see(pending[i].at, pending[i].what, true, taken, log);
    }
    pending_count = 0;
}

static void expect_build(const char *what, bool there, const char *source)
{
    expect_build_as(what, there, source, standard);
}

static bool has_language(cl_version version)
{
    cl_name_version list[8];
    size_t size;
    if (reported_version < V3_0)
        return version <= (cl_version)query(CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR);
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_ALL_VERSIONS, sizeof list, list, &size));
    for (size_t i = 0; i < size / sizeof *list; i++)
        if (list[i].version == version)
            return true;
    return false;
}

static void languages(void)
{
    static const struct {
        cl_version version;
        const char *option;
    } list[] = {{CL_MAKE_VERSION(1, 1, 0), "-cl-std=CL1.1"},
                {CL_MAKE_VERSION(1, 2, 0), "-cl-std=CL1.2"},
                {V2_0, "-cl-std=CL2.0"},
                {V3_0, "-cl-std=CL3.0"}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        expect_build_as(list[i].option, has_language(list[i].version),
                        "kernel void k(global int *p) { *p = 1; }", list[i].option);
    expect_build_as("C++", has_extension("cl_ext_cxx_for_opencl"),
                    "kernel void k(global int *p) { auto q = p; *q = 1; }", "-cl-std=CLC++");
}

static void programs(void)
{
    const bool c12 = strcmp(standard, "-cl-std=CL1.2") == 0,
               int64 = has_extension("cl_khr_int64_base_atomics");
    const bool sub_groups = reported(CL_DEVICE_MAX_NUM_SUB_GROUPS, V2_1, "sub_groups");
    expect_build("double", query(CL_DEVICE_DOUBLE_FP_CONFIG),
                 "kernel void k(global double *p) { *p += 1.0; }");
    expect_build(
        "half", query(CL_DEVICE_HALF_FP_CONFIG),
        "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\nkernel void k(global half *p) { *p += *p; }");
    const char *halves = "kernel void k(global half *p, global float *f) { vstore_half(vload_half(0, p), 1, "
                         "p); *f = fract(vload_half(1, p), f + 1); }";
    expect_build_as("half in memory", true, halves, "-cl-std=CL1.2");
    expect_build_as("half in memory, to OpenCL C 2.0", has_language(V2_0), halves, "-cl-std=CL2.0");
    expect_build(
        "image", query(CL_DEVICE_IMAGE_SUPPORT),
        "kernel void k(read_only image2d_t i, global int4 *p) { *p = read_imagei(i, (int2)(0, 0)); }");
    expect_build("64-bit atomics", int64,
                 "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\nkernel void k(volatile global "
                 "long *p) { atom_add(p, 1L); }");
    expect_build("64-bit atomics that a program declares", int64,
                 "#undef atom_add\nlong __attribute__((overloadable)) atom_add(volatile global long *p, long "
                 "x); kernel void k(volatile global long *p) { atom_add(p, 1L); }");
    expect_build("sub-groups", sub_groups,
                 "#pragma OPENCL EXTENSION cl_khr_subgroups : enable\nkernel void k(global uint *p) { *p = "
                 "get_sub_group_size(); }");
    if (!sub_groups)
        expect_build("sub-groups that a program declares", false,
                     "int __attribute__((overloadable)) sub_group_reduce_add(int); kernel void k(global int "
                     "*p) { *p = sub_group_reduce_add(1); }");
    else
        expect("sub-groups that a program declares", true, true, "");
    expect_build("group functions",
                 reported(CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, V3_0, "work_group_collectives"),
                 "kernel void k(global int *p) { *p = work_group_reduce_add(*p); }");
    expect_build("generic pointers",
                 reported(CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, V3_0, "generic_address_space"),
                 "kernel void k(global int *p) { int *g = p; *g = 1; }");
    expect_build("program-scope variables",
                 reported(CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, V2_0, "program_scope_variables"),
                 "global int n; kernel void k(global int *p) { *p = n; }");
    if (!c12)
        expect_build("pipes",
                     reported(CL_DEVICE_PIPE_SUPPORT, V3_0, "pipes") &&
                         reported(CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, V3_0, "generic_address_space"),
                     "kernel void k(read_only pipe int q, global int *p) { read_pipe(q, p); }");
    expect_build("device queues", has_device_queues(),
                 "kernel void k(queue_t q, global int *p) { enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, "
                 "ndrange_1D(1), ^{ *p = 1; }); }");
    expect_build("named barriers", query(CL_DEVICE_MAX_NAMED_BARRIER_COUNT_KHR),
                 "kernel void k(global int *p) { local named_barrier_t *b = named_barrier_init(1); "
                 "work_group_named_barrier(b, CLK_LOCAL_MEM_FENCE); }");
    expect_build("the device's clock", query(KERNEL_CLOCKS) & 1,
                 "kernel void k(global ulong *p) { *p = clock_read_device(); }");
    expect_build("the work-group's clock", query(KERNEL_CLOCKS) & 2,
                 "kernel void k(global uint2 *p) { *p = clock_read_hilo_work_group(); }");
    expect_build("the sub-group's clock", query(KERNEL_CLOCKS) & 4,
                 "kernel void k(global ulong *p) { *p = clock_read_sub_group(); }");
}

static bool has_capability(const cl_uint *had, size_t size, cl_uint capability)
{
    for (size_t i = 0; i < size / sizeof *had; i++)
        if (had[i] == capability)
            return true;
    return false;
}

static cl_int build_module(const uint32_t *words, size_t size, char *out_log, size_t room)
{
    cl_int err;
    cl_program program = clCreateProgramWithIL(context, words, size, &err);
    if (program) {
        err = clBuildProgram(program, 0, NULL, "", NULL, NULL);
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, room, out_log, NULL);
        cl_ok(clReleaseProgram(program));
    }
    return err;
}

/* A module of one capability more than nothing, and of what it needs; those of SPIR-V's core that a device of
 * OpenCL may have, and some of extensions. */
static void capabilities(void)
{
    static const struct {
        uint32_t capability, needs;
    } list[] = {{9, 8},   {10, 6},  {12, 11}, {13, 6},  {14, 13}, {15, 13}, {17, 6},  {18, 6},  {19, 6},
                {20, 13}, {38, 6},  {43, 13}, {44, 13}, {46, 13}, {47, 13}, {58, 6},  {59, 58}, {61, 6},
                {62, 61}, {63, 61}, {64, 61}, {65, 61}, {66, 61}, {67, 61}, {5055, 6}};
    enum { SPIRV_CAPABILITIES = 0x12BB };
    cl_uint had[128];
    size_t size = 0;
    if (has_extension("cl_khr_spirv_queries"))
        cl_ok(clGetDeviceInfo(device, SPIRV_CAPABILITIES, sizeof had, had, &size));
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        const uint32_t version = list[i].capability < 61 ? 0x00010100 : 0x00010300; /* of SPIR-V */
        const uint32_t words[] = {0x07230203,
                                  version,
                                  0,
                                  1,
                                  0,
                                  2u << 16 | 17,
                                  4,
                                  2u << 16 | 17,
                                  5,
                                  2u << 16 | 17,
                                  6,
                                  2u << 16 | 17,
                                  list[i].needs,
                                  2u << 16 | 17,
                                  list[i].capability,
                                  3u << 16 | 14,
                                  2,
                                  2};
        char what[30], log[2000] = "";
        const bool there = has_capability(had, size, list[i].capability);
        snprintf(what, sizeof what, "capability %u", list[i].capability);
        expect(what, there, build_module(words, sizeof words, log, sizeof log) == CL_SUCCESS, log);
    }
    /* SubgroupDispatch, which brings DeviceEnqueue along, and a type of the latter's */
    const uint32_t queue_type[] = {0x07230203,
                                   0x00010100,
                                   0,
                                   2,
                                   0,
                                   2u << 16 | 17,
                                   4,
                                   2u << 16 | 17,
                                   5,
                                   2u << 16 | 17,
                                   6,
                                   2u << 16 | 17,
                                   58,
                                   3u << 16 | 14,
                                   2,
                                   2,
                                   2u << 16 | 37,
                                   1};
    const bool both = has_capability(had, size, 19) && has_capability(had, size, 58);
    char log[2000] = "";
    expect("device queues of a module", both,
           build_module(queue_type, sizeof queue_type, log, sizeof log) == CL_SUCCESS, log);
}

static cl_int made_with(cl_context_properties property)
{
    const cl_context_properties list[] = {property, 1, 0};
    cl_int err;
    cl_context made = clCreateContext(list, 1, &device, NULL, NULL, &err);
    if (made)
        cl_ok(clReleaseContext(made));
    return err;
}

static void objects(void)
{
    static const uint32_t module[] = {0x07230203, 0x00010000,    0, 1, 0, 2u << 16 | 17, 4, 2u << 16 | 17,
                                      6,          3u << 16 | 14, 2, 2};
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc plane = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    const cl_queue_properties device_queue[] = {
        CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    cl_int err;
    cl_mem image = clCreateImage(context, 0, &format, &plane, NULL, &err);
    expect_call("clCreateImage", query(CL_DEVICE_IMAGE_SUPPORT), err, CL_INVALID_OPERATION);
    cl_mem pipe = clCreatePipe(context, 0, 4, 4, NULL, &err);
    expect_call("clCreatePipe", reported(CL_DEVICE_PIPE_SUPPORT, V3_0, "pipes"), err, CL_INVALID_OPERATION);
    cl_program program = clCreateProgramWithIL(context, module, sizeof module, &err);
    expect_call("clCreateProgramWithIL", has_il(), err, CL_INVALID_OPERATION);
    ck_assert_int_eq(has_extension("cl_khr_il_program"), has_il());
    cl_command_queue made = clCreateCommandQueueWithProperties(context, device, device_queue, &err);
    expect_call("a device queue", has_device_queues(), err, CL_INVALID_QUEUE_PROPERTIES);
    expect_call("initialised memory", has_extension("cl_khr_initialize_memory"),
                made_with(CL_CONTEXT_MEMORY_INITIALIZE_KHR), CL_INVALID_PROPERTY);
    expect_call("terminated contexts", has_extension("cl_khr_terminate_context"),
                made_with(CL_CONTEXT_TERMINATE_KHR), CL_INVALID_PROPERTY);
    ck_assert_int_eq(query(CL_DEVICE_MAX_NAMED_BARRIER_COUNT_KHR) != 0,
                     has_extension("cl_khr_subgroup_named_barrier"));
    ck_assert_int_eq(query(KERNEL_CLOCKS) != 0, has_extension("cl_khr_kernel_clock"));
    ck_assert_int_eq(query(CL_DEVICE_TERMINATE_CAPABILITY_KHR) != 0,
                     has_extension("cl_khr_terminate_context"));
    if (image)
        cl_ok(clReleaseMemObject(image));
    if (pipe)
        cl_ok(clReleaseMemObject(pipe));
    if (program)
        cl_ok(clReleaseProgram(program));
    if (made)
        cl_ok(clReleaseCommandQueue(made));
}

static bool lists_format(cl_mem_flags flags, cl_image_format wanted)
{
    cl_image_format formats[512];
    cl_uint count = 0;
    cl_ok(clGetSupportedImageFormats(context, flags, CL_MEM_OBJECT_IMAGE2D, 512, formats, &count));
    for (cl_uint i = 0; i < count; i++)
        if (memcmp(&formats[i], &wanted, sizeof wanted) == 0)
            return true;
    return false;
}

static void images(void)
{
    const cl_image_format srgb = {CL_sRGBA, CL_UNORM_INT8};
    const cl_image_desc plane = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    const bool there = query(CL_DEVICE_IMAGE_SUPPORT), writes = has_extension("cl_khr_srgb_image_writes");
    const cl_mem_flags uses[] = {CL_MEM_READ_WRITE, CL_MEM_WRITE_ONLY, CL_MEM_READ_ONLY};
    cl_int err;
    ck_assert(!writes || there);
    for (int use = 0; use < 3; use++) {
        const bool reported_ = use == 2 ? there && reported_version >= V2_0 : writes;
        ck_assert_int_eq(lists_format(uses[use], srgb), reported_);
        cl_mem image = clCreateImage(context, uses[use], &srgb, &plane, NULL, &err);
        expect_call("sRGB", reported_, err,
                    !there                     ? CL_INVALID_OPERATION
                    : reported_version >= V2_0 ? CL_IMAGE_FORMAT_NOT_SUPPORTED
                                               : CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
        if (image)
            cl_ok(clReleaseMemObject(image));
    }
}

static void expect_shared(const char *what, bool there, cl_svm_mem_flags flags)
{
    void *made = clSVMAlloc(context, CL_MEM_READ_WRITE | flags, 64, 0);
    expect(what, there, made != NULL, "");
    clSVMFree(context, made);
}

static void shared_memory(void)
{
    cl_int err;
    expect_shared("coarse-grained", svm() & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER, 0);
    expect_shared("fine-grained", svm() & CL_DEVICE_SVM_FINE_GRAIN_BUFFER, CL_MEM_SVM_FINE_GRAIN_BUFFER);
    expect_shared("atomics", svm() & CL_DEVICE_SVM_ATOMICS,
                  CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS);
    void *made = NAMED(clHostMemAllocINTEL)(context, NULL, 64, 0, &err);
    expect_call("unified", has_extension("cl_intel_unified_shared_memory"), err, CL_INVALID_OPERATION);
    ck_assert_int_eq(query(CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL) != 0, made != NULL);
    if (made)
        cl_ok(NAMED(clMemFreeINTEL)(context, made));
}

static void launches(void)
{
    const char *source = "kernel void k(global int *p) {}";
    const bool ragged = reported(CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, V3_0, "non_uniform_groups") &&
                        strcmp(standard, "-cl-std=CL1.2") != 0;
    const size_t five = 5, two = 2;
    const cl_bool yes = CL_TRUE;
    cl_int err;
    if (!query(CL_DEVICE_COMPILER_AVAILABLE))
        return;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
    cl_ok(clBuildProgram(program, 0, NULL, standard, NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    cl_ok(err);
    expect_call("memory of the system", svm() & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM,
                clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof yes, &yes),
                CL_INVALID_OPERATION);
    cl_ok(clSetKernelArg(kernel, 0, sizeof(cl_mem), NULL));
    expect_call("a smaller work-group", ragged,
                clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &five, &two, 0, NULL, NULL),
                CL_INVALID_WORK_GROUP_SIZE);
    cl_ok(clFinish(queue));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
}

static void partitions(void)
{
    const cl_device_partition_property cslices[] = {CL_DEVICE_PARTITION_BY_CSLICE_ORRERY, 0, 0};
    cl_device_partition_property list[16];
    size_t size = 0;
    cl_uint count = 0;
    bool there = false;
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_PARTITION_PROPERTIES, sizeof list, list, &size));
    for (size_t i = 0; i < size / sizeof *list; i++)
        there |= list[i] == CL_DEVICE_PARTITION_BY_CSLICE_ORRERY;
    expect_call("cslices", there, clCreateSubDevices(device, cslices, 0, NULL, &count), CL_INVALID_VALUE);
    ck_assert_int_eq(has_extension(CL_ORRERY_CSLICE_EXTENSION_NAME), there);
}

static void everything(int by)
{
    seen_by = by;
    seen_count = 0;
    languages();
    programs();
    expect_awaited();
    capabilities();
    objects();
    images();
    shared_memory();
    partitions();
    launches();
    cl_tear_down();
}

START_TEST(reported_versions_are_accepted)
{
    start(_i);
    everything(0);
}
END_TEST

START_TEST(each_feature_changes_something)
{
    bool changes = false;
    start(VERSIONS - 1);
    everything(0);
    start(_i * VERSIONS + VERSIONS - 1);
    everything(1);
    for (size_t i = 0; i < seen_count; i++)
        changes |= seen[0][i].taken != seen[1][i].taken;
    ck_assert_msg(changes, "no test here sees features.%s", features[_i]);
}
END_TEST

/* ---- what a later version brought ------------------------------------------------------------ */

static void expect_since(const char *call, cl_int err, cl_version since)
{
    ck_assert_msg((err == CL_INVALID_OPERATION) == (reported_version < since), "%s: %d", call, err);
}

/* tests/scripts/check_tables.sh compares the table with cl.h. */
START_TEST(queries_are_those_of_the_version)
{
    static const struct {
        cl_uint name;
        cl_version since;
        const char *text;
        bool by_extension;
    } rows[] = {
#define SINCE(query, major, minor, extension) \
    {query, CL_MAKE_VERSION(major, minor, 0), #query, sizeof #extension != sizeof "false"},
#include "lib/version.def"
#undef SINCE
    };
    char answer[8192];
    start(_i);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cl_int err = strncmp(rows[i].text, "CL_DEVICE", 9) == 0
                         ? clGetDeviceInfo(device, rows[i].name, sizeof answer, answer, NULL)
                     : strncmp(rows[i].text, "CL_QUEUE", 8) == 0
                         ? clGetCommandQueueInfo(queue, rows[i].name, sizeof answer, answer, NULL)
                     : strncmp(rows[i].text, "CL_PLAT", 7) == 0
                         ? clGetPlatformInfo(platform, rows[i].name, sizeof answer, answer, NULL)
                     : reported_version >= rows[i].since || rows[i].by_extension ? CL_SUCCESS
                                                                                 : CL_INVALID_VALUE;
        if (rows[i].name != CL_QUEUE_SIZE) /* of device queues */
            ck_assert_msg((err == CL_SUCCESS) == (reported_version >= rows[i].since || rows[i].by_extension),
                          "%s: %d", rows[i].text, err);
    }
    cl_tear_down();
}
END_TEST

static void expect_query(const char *query, cl_int err, cl_version since)
{
    ck_assert_msg(err == (reported_version >= since ? CL_SUCCESS : CL_INVALID_VALUE), "%s: %d", query, err);
}

/* Only those of that version, by cl.h. */
START_TEST(calls_are_those_of_the_version)
{
    const cl_sampler_properties none[] = {0};
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc plane = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    const char *source = "kernel void k(void) {}";
    cl_ulong time, other;
    size_t size;
    cl_int err;
    start(_i);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    cl_ok(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "k", NULL), copy = clCloneKernel(kernel, &err);
    expect_since("clCloneKernel", err, V2_1);
    expect_since("clGetHostTimer", clGetHostTimer(device, &time), V2_1);
    expect_since("clGetDeviceAndHostTimer", clGetDeviceAndHostTimer(device, &time, &other), V2_1);
    cl_sampler sampler = clCreateSamplerWithProperties(context, none, &err);
    expect_since("clCreateSamplerWithProperties", err, V2_0);
    cl_mem buffer = clCreateBufferWithProperties(context, NULL, 0, 16, NULL, &err);
    expect_since("clCreateBufferWithProperties", err, V3_0);
    cl_mem image = clCreateImageWithProperties(context, NULL, 0, &format, &plane, NULL, &err);
    expect_since("clCreateImageWithProperties", err, V3_0);
    expect_since("clSetContextDestructorCallback", clSetContextDestructorCallback(context, NULL, NULL), V3_0);
    cl_mem plain = cl_buffer(context, 0, 16, NULL);
    expect_query("CL_MEM_PROPERTIES", clGetMemObjectInfo(plain, CL_MEM_PROPERTIES, 0, NULL, &size), V3_0);
    expect_query("CL_MEM_USES_SVM_POINTER",
                 clGetMemObjectInfo(plain, CL_MEM_USES_SVM_POINTER, 0, NULL, &size), V2_0);
    expect_query("CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT",
                 clGetProgramInfo(program, CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, 0, NULL, &size), V2_2);
    expect_query(
        "CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE",
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, 0, NULL, &size),
        V2_0);
    if (sampler)
        expect_query("CL_SAMPLER_PROPERTIES",
                     clGetSamplerInfo(sampler, CL_SAMPLER_PROPERTIES, 0, NULL, &size), V3_0);
    ck_assert(
        (copy != NULL) == (reported_version >= V2_1) && (sampler != NULL) == (reported_version >= V2_0) &&
        (buffer != NULL) == (reported_version >= V3_0) && (image != NULL) == (reported_version >= V3_0));
    if (copy)
        cl_ok(clReleaseKernel(copy));
    if (sampler)
        cl_ok(clReleaseSampler(sampler));
    if (buffer)
        cl_ok(clReleaseMemObject(buffer));
    if (image)
        cl_ok(clReleaseMemObject(image));
    cl_ok(clReleaseMemObject(plain));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    cl_tear_down();
}
END_TEST

/* The version is by cl.h. */
START_TEST(formats_are_those_of_the_version)
{
    static const struct {
        cl_image_format format;
        cl_version since;
    } rows[] = {{{CL_Rx, CL_FLOAT}, 0},
                {{CL_RGBx, CL_UNORM_SHORT_565}, 0},
                {{CL_DEPTH, CL_FLOAT}, 0},
                {{CL_sRGBx, CL_UNORM_INT8}, V2_0},
                {{CL_sRGBA, CL_UNORM_INT8}, V2_0},
                {{CL_sBGRA, CL_UNORM_INT8}, V2_0},
                {{CL_ABGR, CL_UNORM_INT8}, V2_0},
                {{CL_RGBA, CL_UNORM_INT_101010_2}, V2_1}};
    const cl_image_desc plane = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    cl_int err;
    start(_i);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_assert_int_eq(lists_format(CL_MEM_READ_ONLY, rows[i].format), reported_version >= rows[i].since);
        cl_mem image = clCreateImage(context, CL_MEM_READ_ONLY, &rows[i].format, &plane, NULL, &err);
        cl_is(err, reported_version >= rows[i].since ? CL_SUCCESS : CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
        if (image)
            cl_ok(clReleaseMemObject(image));
    }
    cl_tear_down();
}
END_TEST

/* Up to 2.2 "arg_size != sizeof(cl_mem)" is an error, in 3.0 only when "arg_value points to a memory
 * object". */
START_TEST(a_memory_object_has_the_size_of_its_version)
{
    const char *source = "kernel void k(global int *p) {}";
    start(_i);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    cl_ok(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "k", NULL);
    cl_is(clSetKernelArg(kernel, 0, 4, NULL), reported_version < V3_0 ? CL_INVALID_ARG_SIZE : CL_SUCCESS);
    cl_is(clSetKernelArg(kernel, 0, 0, NULL), reported_version < V3_0 ? CL_INVALID_ARG_SIZE : CL_SUCCESS);
    cl_ok(clSetKernelArg(kernel, 0, sizeof(cl_mem), NULL));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    cl_tear_down();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("versions");
    TCase *tests = tcase_create("agree");
    for (size_t i = 0; i < sizeof scenario_rows / sizeof *scenario_rows; i++)
        if (strcmp(scenario_rows[i].section, "device.features") == 0)
            features[feature_keys++] = scenario_rows[i].key;
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, macros_match_the_reported_version, 0, VERSIONS * feature_keys);
    tcase_add_loop_test(tests, reported_versions_are_accepted, 0, VERSIONS * feature_keys);
    tcase_add_loop_test(tests, each_feature_changes_something, 1, feature_keys);
    tcase_add_loop_test(tests, formats_are_those_of_the_version, 0, VERSIONS);
    tcase_add_loop_test(tests, queries_are_those_of_the_version, 0, VERSIONS);
    tcase_add_loop_test(tests, calls_are_those_of_the_version, 0, VERSIONS);
    tcase_add_loop_test(tests, a_memory_object_has_the_size_of_its_version, 0, VERSIONS);
    suite_add_tcase(suite, tests);
    return cl_run_suite(suite);
}
