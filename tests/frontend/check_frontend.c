/* SPDX-License-Identifier: Apache-2.0 */
/* What is compiled, by whatever compiles: options, logs, the language, headers. */
#include <unistd.h>

#include <spirv/unified1/spirv.h>

#include "tests/support/frontend_fixture.h"

/* Options */

static enum status parse(const char *options, bool linking, struct build_options *build,
                         struct diagnosis *diagnosis)
{
    *diagnosis = (struct diagnosis){0};
    return build_options_parse(options, linking, build, diagnosis);
}

static void expect_bad(const char *options, bool linking, const char *part)
{
    struct build_options build;
    struct diagnosis diagnosis;
    ck_assert_msg(parse(options, linking, &build, &diagnosis) == STATUS_BAD_OPTIONS, "accepted: %s", options);
    ck_assert_int_eq(diagnosis.status, STATUS_BAD_OPTIONS);
    ck_assert_msg(strstr(diagnosis.text, part) != NULL, "'%s' is not in: %s", part, diagnosis.text);
}

static void expect_good(const char *options, bool linking, struct build_options expected)
{
    struct build_options build;
    struct diagnosis diagnosis;
    enum status status = parse(options, linking, &build, &diagnosis);
    ck_assert_msg(status == STATUS_OK, "%s: %s", options ? options : "NULL", diagnosis.text);
    ck_assert_msg(!memcmp(&build, &expected, sizeof build), "fields of: %s", options ? options : "NULL");
}

#define BUILD(...) ((struct build_options){__VA_ARGS__})

START_TEST(options_of_compilation_are_accepted)
{
    expect_good(NULL, false, BUILD(0));
    expect_good("", false, BUILD(0));
    expect_good(" \t\n ", false, BUILD(0));
    expect_good("-D A -DB=2 -D C=3 -I dir -Idir2 -w -Werror -g -x spir -spir-std=1.2 -cl-std=CL2.0", false,
                BUILD(.debug = true));
    expect_good("-cl-single-precision-constant -cl-fp32-correctly-rounded-divide-sqrt -cl-strict-aliasing "
                "-cl-mad-enable -cl-no-signed-zeros -cl-unsafe-math-optimizations -cl-finite-math-only "
                "-cl-fast-relaxed-math",
                false, BUILD(0));
    expect_good("-cl-kernel-arg-info", false, BUILD(.kernel_arg_info = true));
    expect_good("-cl-opt-disable", false, BUILD(.opt_disable = true));
    expect_good("-cl-denorms-are-zero", false, BUILD(.denorms_are_zero = true));
    expect_good("-cl-uniform-work-group-size", false, BUILD(.uniform_work_group_size = true));
    expect_good("-cl-no-subgroup-ifp", false, BUILD(.no_subgroup_ifp = true));
    expect_good("-cl-opt-disable -cl-kernel-arg-info", false,
                BUILD(.kernel_arg_info = true, .opt_disable = true));
}
END_TEST

START_TEST(options_of_linking_are_accepted)
{
    expect_good("-create-library", true, BUILD(.create_library = true));
    expect_good("-create-library -enable-link-options", true,
                BUILD(.create_library = true, .enable_link_options = true));
    expect_good("-cl-denorms-are-zero -cl-no-signed-zeroes -cl-no-signed-zeros -cl-unsafe-math-optimizations "
                "-cl-finite-math-only -cl-fast-relaxed-math -cl-no-subgroup-ifp",
                true, BUILD(.denorms_are_zero = true, .no_subgroup_ifp = true));
    expect_bad("-enable-link-options", true, "-create-library");
    expect_bad("-D A", true, "'-D' is for clBuildProgram");
    expect_bad("-cl-std=CL2.0", true, "-cl-std=CL2.0");
    expect_bad("-create-library", false, "'-create-library' is for clLinkProgram");
}
END_TEST

START_TEST(bad_options_are_named)
{
    expect_bad("-cl-nonsense", false, "'-cl-nonsense'");
    expect_bad("-D A -O3 -w", false, "'-O3'");
    expect_bad("program.cl", false, "'program.cl'");
    expect_bad("-cl-opt-disabled", false, "'-cl-opt-disabled'");
    expect_bad("-cl-std=CL2.7", false, "CL2.7");
    expect_bad("-cl-std=CLC++17", false, "CLC++17");
    expect_bad("-D", false, "'-D' lacks its value");
    expect_bad("-w -I", false, "'-I' lacks its value");
    expect_bad("-x c", false, "-x c");
    expect_bad("-D A=\"x y", false, "quote");
    expect_bad("-wx", false, "'-wx'");
}
END_TEST

START_TEST(quotes_and_backslashes_group_words)
{
    const char source[] = "constant char text[] = TEXT;\n"
                          "kernel void k(global int *a) { a[0] = FIRST SECOND + sizeof text; }\n";
    struct spirv spirv = compile_text(source, "-D TEXT=\"\\\"a b\\\"\" -D 'FIRST=1 +' -DSECOND=2");
    expect_listing(&spirv, "OpTypeArray", true);
    spirv_fini(&spirv);
    struct compile_request request = request_for(source, "-DTEXT='\"x\"' -D FIRST=1 + -DSECOND=2");
    expect_log(&request, STATUS_BAD_OPTIONS, "'+'");
}
END_TEST

/* Compilation */

START_TEST(module_is_valid_and_keeps_every_access)
{
    struct spirv spirv =
        compile_text("kernel void k(global int *a)\n{\n  a[0] = 1;\n  a[0] = 2;\n  int x = a[1];\n"
                     "  int y = a[1];\n  a[2] = x + y;\n}\n",
                     NULL);
    char *log;
    ck_assert_int_eq(spirv_validate(spirv.words, spirv.word_count, &log), STATUS_OK);
    ck_assert_str_eq(log, "");
    free(log);
    ck_assert_uint_eq(count_opcode(&spirv, SpvOpInBoundsPtrAccessChain), 5);
    expect_listing(&spirv, "OpEntryPoint Kernel", true);
    expect_listing(&spirv, "DebugInfo.100", false);
    spirv_fini(&spirv);
}
END_TEST

/* SPIR-V, 2.17, wants support of 16383 cases and allows more; 32766 fit into an instruction. */
START_TEST(a_switch_may_have_more_cases_than_every_device_must_take)
{
    enum { CASES = 17000, CASE_BYTES = 40 };
    char *source = malloc(CASES * CASE_BYTES + 200);
    ck_assert_ptr_nonnull(source);
    int length = sprintf(source, "kernel void k(global int *a) { switch (a[0]) {\n");
    for (int i = 0; i < CASES; i++)
        length += sprintf(source + length, "case %d: a[%d] = 1; break;\n", 3 * i, i % 100);
    sprintf(source + length, "} }\n");
    struct spirv spirv = compile_text(source, "");
    spirv_fini(&spirv);
    free(source);
}
END_TEST

START_TEST(products_and_sums_are_not_fused)
{
    struct spirv spirv = compile_text("kernel void k(global float *a) { a[0] = a[1] * a[2] + a[3]; }", NULL);
    ck_assert_uint_eq(count_opcode(&spirv, SpvOpFMul), 1);
    ck_assert_uint_eq(count_opcode(&spirv, SpvOpFAdd), 1);
    expect_listing(&spirv, "ContractionOff", true);
    spirv_fini(&spirv);
    spirv = compile_text("#pragma OPENCL FP_CONTRACT ON\n"
                         "kernel void k(global float *a) { a[0] = a[1] * a[2] + a[3]; }",
                         "-cl-mad-enable");
    ck_assert_uint_eq(count_opcode(&spirv, SpvOpFMul), 1);
    ck_assert_uint_eq(count_opcode(&spirv, SpvOpFAdd), 1);
    spirv_fini(&spirv);
}
END_TEST

START_TEST(positions_name_the_users_file_and_line)
{
    struct compile_request request = request_for(plain_source, "-D UNUSED=1 -D OTHER");
    request.source_name = "kernels/add one.cl";
    struct spirv spirv = compile_ok(&request);
    ck_assert(has_line(&spirv, "kernels/add one.cl", 3));
    ck_assert(has_line(&spirv, "kernels/add one.cl", 4));
    ck_assert(!has_line(&spirv, "kernels/add one.cl", 6));
    spirv_fini(&spirv);
    request.source_name = "/abs/olute.cl";
    spirv = compile_ok(&request);
    ck_assert(has_line(&spirv, "/abs/olute.cl", 4));
    spirv_fini(&spirv);
}
END_TEST

/* The line that the first instruction with the opcode has; 0: none. */
static uint32_t line_of(const struct spirv *spirv, uint32_t opcode)
{
    uint32_t line = 0;
    for (size_t at = 5; at < spirv->word_count; at += spirv->words[at] >> SpvWordCountShift) {
        const uint32_t here = spirv->words[at] & SpvOpCodeMask;
        if (here == opcode)
            return line;
        if (here == SpvOpLine || here == SpvOpLabel)
            line = here == SpvOpLine ? spirv->words[at + 2] : 0;
    }
    return 0;
}

/* The translator drops the position of what it gives another type: the statement before then had it. */
START_TEST(function_that_returns_bool_has_its_line)
{
    static const struct {
        const char *call;
        uint32_t opcode;
    } rows[] = {
        {"work_group_any(1)", SpvOpGroupAny},
        {"work_group_all(1)", SpvOpGroupAll},
        {"sub_group_any(1)", SpvOpGroupAny},
        {"sub_group_elect()", SpvOpGroupNonUniformElect},
        {"sub_group_non_uniform_all(1)", SpvOpGroupNonUniformAll},
        {"atomic_compare_exchange_strong(&held, &e, 1)", SpvOpAtomicCompareExchange},
        {"atomic_compare_exchange_weak_explicit(&wide, &we, 1, memory_order_relaxed, memory_order_relaxed, "
         "memory_scope_device)",
         SpvOpAtomicCompareExchangeWeak},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char source[640];
        snprintf(source, sizeof source,
                 "global atomic_int held;\nglobal atomic_long wide;\nkernel void k(global int *a)\n{\n    "
                 "int e = 0;\n"
                 "    long we = 0;\n    a[0] = 1;\n    %s;\n    a[1] = 2;\n    a[2] = e + we;\n}\n",
                 rows[i].call);
        struct spirv spirv = compile_text(source, "-cl-std=CL3.0");
        ck_assert_msg(line_of(&spirv, rows[i].opcode) == 8, "%s has line %u", rows[i].call,
                      line_of(&spirv, rows[i].opcode));
        ck_assert(has_line(&spirv, "program.cl", 7));
        ck_assert(has_line(&spirv, "program.cl", 9));
        spirv_fini(&spirv);
    }
}
END_TEST

START_TEST(logs_name_the_users_file_and_line)
{
    struct compile_request request =
        request_for("kernel void k(global int *a)\n{\n    a[0] = b;\n}\n", "-DX=1");
    request.source_name = "mine.cl";
    expect_log(&request, STATUS_COMPILE_FAILED, "mine.cl:3:12: error: use of undeclared identifier 'b'");
    expect_log(&request, STATUS_COMPILE_FAILED, "    a[0] = b;");
    request.source_name = "a \"quoted\" name.cl";
    expect_log(&request, STATUS_COMPILE_FAILED, "a \"quoted\" name.cl:3:12: error:");
}
END_TEST

START_TEST(a_literal_that_is_too_long_is_named)
{
    struct compile_request request =
        request_for("kernel void k(global ulong *p) { p[1] = p[0] * 9999999999999999999999; }", "");
    expect_log(&request, STATUS_COMPILE_FAILED, "an integer literal of the program is too long for ulong");
}
END_TEST

START_TEST(an_initializer_that_no_instruction_holds_is_named)
{
    enum { ELEMENTS = 65533, ELEMENT_BYTES = 3 };
    char *source = malloc(ELEMENTS * ELEMENT_BYTES + 200);
    ck_assert_ptr_nonnull(source);
    int length = sprintf(source, "constant int primes[%d] = {", ELEMENTS);
    for (int i = 0; i < ELEMENTS; i++)
        length += sprintf(source + length, "%d,", i % 7 + 1);
    sprintf(source + length, "}; kernel void k(global int *a) { a[0] = primes[a[1]]; }");
    struct compile_request request = request_for(source, "");
    expect_log(&request, STATUS_COMPILE_FAILED,
               "the array primes of the program is initialized with 65533 elements; an instruction of SPIR-V "
               "holds 65532: split the array, or pass it as a buffer\n");
    free(source);
}
END_TEST

/* OpenCL C 3.0, 6.15.12.7: the failure order shall be neither release nor acq_rel. */
START_TEST(an_order_of_failure_that_releases_is_named_with_its_line)
{
    struct compile_request request = request_for(
        "kernel void k(global atomic_uint *a) {\n"
        "    uint seen = 0;\n"
        "    a += get_global_id(0);\n"
        "    atomic_compare_exchange_strong_explicit(a, &seen, 1, memory_order_acq_rel,\n"
        "                                            memory_order_release, memory_scope_device);\n"
        "}\n",
        "-cl-std=CL3.0");
    expect_log(&request, STATUS_COMPILE_FAILED, "program.cl:");
    expect_log(&request, STATUS_COMPILE_FAILED,
               "error: the order of failure of an atomic compare and exchange is memory_order_release");
}
END_TEST

/* OpenCL C 3.0, 6.15.12.7: the order shall be neither acquire nor acq_rel. */
START_TEST(an_order_that_a_flag_cannot_be_cleared_with_is_named_with_its_line)
{
    struct compile_request request =
        request_for("kernel void k(global atomic_flag *a) {\n"
                    "    atomic_flag_clear_explicit(a, memory_order_release, memory_scope_device);\n"
                    "    if (get_global_id(0) == 7)\n"
                    "        atomic_flag_clear_explicit(a, memory_order_acquire, memory_scope_device);\n"
                    "}\n",
                    "-cl-std=CL3.0");
    expect_log(&request, STATUS_COMPILE_FAILED,
               "program.cl:4:9: error: the order of atomic_flag_clear is memory_order_acquire");
}
END_TEST

START_TEST(flags_that_are_no_constant_are_named_with_their_line)
{
    struct compile_request request = request_for("kernel void k(int flags, global int *a) {\n"
                                                 "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                                                 "    barrier(flags);\n"
                                                 "}\n",
                                                 "");
    expect_log(&request, STATUS_COMPILE_FAILED,
               "program.cl:3:5: error: an argument of barrier is not a constant");
    request = request_for("kernel void k(int scope, global int *a) {\n"
                          "    if (a[0])\n"
                          "        work_group_barrier(CLK_LOCAL_MEM_FENCE, (memory_scope)scope);\n"
                          "}\n",
                          "-cl-std=CL2.0");
    expect_log(&request, STATUS_COMPILE_FAILED,
               "program.cl:3:9: error: an argument of work_group_barrier is not a constant");
}
END_TEST

START_TEST(warnings_are_in_the_log_and_can_be_changed)
{
    const char source[] =
        "kernel void k(global int *a)\n{\n  int *p = (global float *)0 == a ? 0 : 0;\n  a[0] = p == 0;\n}";
    struct compile_request request = request_for(source, "-cl-std=CL2.0");
    expect_log(&request, STATUS_OK, "program.cl:3:");
    request.options = "-cl-std=CL2.0 -Werror";
    expect_log(&request, STATUS_COMPILE_FAILED, "-Werror");
    request.options = "-cl-std=CL2.0 -w";
    struct spirv spirv;
    char *log;
    ck_assert_int_eq(compile_request(&request, &spirv, &log), STATUS_OK);
    ck_assert_str_eq(log, "");
    free(log);
    spirv_fini(&spirv);
}
END_TEST

START_TEST(macros_reach_the_source)
{
    const char source[] = "#if ONE != 1 || TWO != 2 || SQUARE(3) != 9 || LAST != 2\n#error macro\n#endif\n"
                          "#ifdef EMPTY\nconstant int empty[] = { EMPTY 1 };\n#endif\n"
                          "kernel void k(global int *a) { a[0] = MAX; }\n";
    struct spirv spirv = compile_text(source, "-D ONE -DTWO=2 -D 'SQUARE(x)=((x)*(x))' -D EMPTY= -DLAST=1 "
                                              "-DLAST=2 -DMAX=max(3,4)");
    spirv_fini(&spirv);
    /* a macro of the user's must not change the meaning of the language's own declarations */
    spirv =
        compile_text("kernel void k(global float *a) { a[0] = sqrt(a[1]); }", "-D x=y -Dulong=int -DM_PI=3");
    expect_listing(&spirv, "sqrt", true);
    spirv_fini(&spirv);
}
END_TEST

START_TEST(date_and_time_are_fixed)
{
    struct spirv first = compile_text("constant char d[] = __DATE__ __TIME__;\nkernel void k(global char *a) "
                                      "{ a[0] = d[a[1]]; }",
                                      NULL);
    sleep(1);
    struct spirv second =
        compile_text("constant char d[] = __DATE__ __TIME__;\nkernel void k(global char *a) "
                     "{ a[0] = d[a[1]]; }",
                     NULL);
    ck_assert(same_words(&first, &second));
    spirv_fini(&first);
    spirv_fini(&second);
}
END_TEST

START_TEST(argument_information_is_in_the_module)
{
    struct spirv spirv =
        compile_text("typedef struct { int x; } thing;\n"
                     "kernel void k(global const thing *restrict first, float4 second,\n"
                     "              volatile local uint *third) { third[0] = first->x + second.x; }",
                     "-cl-kernel-arg-info");
    expect_listing(&spirv, "kernel_arg_type.k.thing*,float4,uint*,", true);
    expect_listing(&spirv, "kernel_arg_type_qual.k.restrict const,,volatile,", true);
    expect_listing(&spirv, "OpName %first \"first\"", true);
    spirv_fini(&spirv);
}
END_TEST

/* Language versions and features */

static void expect_version(const char *options, unsigned major, const char *expected)
{
    char source[300];
    snprintf(source, sizeof source,
             "#if __OPENCL_C_VERSION__ != %s || __OPENCL_VERSION__ != %u00\n"
             "#error version\n#endif\nkernel void k(void) {}\n",
             expected, major);
    struct compile_request request = request_for(source, options);
    request.version_major = major;
    struct spirv spirv = compile_ok(&request);
    spirv_fini(&spirv);
}

START_TEST(language_version_follows_options_and_device)
{
    expect_version("", 3, "120");
    expect_version("", 2, "120");
    expect_version("-cl-std=CL1.1", 3, "110");
    expect_version("-cl-std=CL2.0", 2, "200");
    expect_version("-cl-std=CL3.0", 3, "300");
    struct compile_request request = request_for(plain_source, "-cl-std=CL3.0");
    request.version_major = 2;
    request.version_minor = 2;
    expect_log(&request, STATUS_COMPILE_FAILED, "OpenCL 2.2");
    request.version_major = 1;
    request.options = "-cl-std=CL2.0";
    expect_log(&request, STATUS_COMPILE_FAILED, "OpenCL 1.2");
}
END_TEST

static const char *const feature_macros[] = {
    "cl_khr_fp16",
    "cl_khr_fp64",
    "__opencl_c_fp64",
    "cl_khr_int64_base_atomics",
    "__opencl_c_subgroups",
    "cl_khr_subgroup_shuffle",
    "__opencl_c_generic_address_space",
    "__opencl_c_program_scope_global_variables",
    "__opencl_c_work_group_collective_functions",
    "__opencl_c_images",
    "__IMAGE_SUPPORT__",
    "__opencl_c_read_write_images",
    "__opencl_c_3d_image_writes",
    "cl_khr_depth_images",
    "cl_khr_mipmap_image",
    "cl_khr_mipmap_image_writes",
    "cl_khr_srgb_image_writes",
    "__opencl_c_device_enqueue",
};

static void expect_features(bool there)
{
    char source[4000] = "";
    for (size_t i = 0; i < sizeof feature_macros / sizeof *feature_macros; i++)
        sprintf(source + strlen(source), "#if%sdef %s\n#error feature %s\n#endif\n", there ? "n" : "",
                feature_macros[i], feature_macros[i]);
    strcat(source,
           "#if defined(__opencl_c_ext_fp16_global_atomic_add)\n#error too much\n#endif\n"
           "#if !defined(__opencl_c_int64) || !defined(__ENDIAN_LITTLE__)\n#error too little\n#endif\n");
    struct compile_request request = request_for(source, "-cl-std=CL3.0");
    request.fp16 = request.fp64 = request.int64_atomics = request.sub_groups = request.generic_address_space =
        request.program_scope_variables = request.work_group_collectives = request.images = request.pipes =
            request.device_enqueue = there;
    struct spirv spirv = compile_ok(&request);
    spirv_fini(&spirv);
}

START_TEST(features_follow_the_device)
{
    expect_features(true);
    expect_features(false);
    struct compile_request request =
        request_for("global int g;\nkernel void k(global int *a) { int *p = a; *p = g; }", "-cl-std=CL3.0");
    struct spirv spirv = compile_ok(&request);
    expect_listing(&spirv, "GenericPointer", true);
    spirv_fini(&spirv);
    request.program_scope_variables = false;
    expect_log(&request, STATUS_COMPILE_FAILED, "program.cl:1:");
    request.source = "kernel void k(global int *a) { int *p = a; *p = 1; }";
    request.generic_address_space = false;
    expect_log(&request, STATUS_COMPILE_FAILED, "error");
    request.source = "kernel void k(global double *a) { *a = 1.0; }";
    request.fp64 = false;
    expect_log(&request, STATUS_COMPILE_FAILED, "double");
    request.source = "kernel void k(read_only image2d_t i, global int *a) { a[0] = get_image_width(i); }";
    expect_log(&request, STATUS_OK, "");
    request.images = false;
    expect_log(&request, STATUS_COMPILE_FAILED, "images");
    request.options = "";
    expect_log(&request, STATUS_COMPILE_FAILED, "images");
    request.options = "-cl-std=CL3.0";
    request.source = "kernel void k(read_only pipe int p) { }";
    expect_log(&request, STATUS_COMPILE_FAILED, "error"); /* pipes need the generic address space */
    request.generic_address_space = true;
    expect_log(&request, STATUS_OK, "");
    request.pipes = false;
    expect_log(&request, STATUS_COMPILE_FAILED, "error");
    request.options = "-cl-std=CL2.0";
    expect_log(&request, STATUS_COMPILE_FAILED, "pipes");
    request.source =
        "kernel void k(queue_t q, global int *a) { size_t s[3] = {1, 2, 3}; a[0] = q == CLK_NULL_QUEUE; "
        "enqueue_kernel(q, 0, ndrange_2D(s), ^{ a[1] = create_user_event() != CLK_NULL_EVENT; }); }";
    request.program_scope_variables = true;
    spirv = compile_ok(&request); /* what the translator cannot do of it is repaired */
    expect_listing(&spirv, "OpEnqueueKernel", true);
    spirv_fini(&spirv);
    request.source = "kernel void k(global int *a) { enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), "
                     "^{ a[1] = 1; }); }";
    request.source = "kernel void k(queue_t q, queue_t r, global int *a) { a[0] = q == r; clk_event_t e = "
                     "create_user_event(), f = e; "
                     "a[1] = e != f; }";
    spirv = compile_ok(&request);
    expect_listing(&spirv, "__orrery_queue_bits\" Export", false); /* two such modules can be linked */
    expect_listing(&spirv, "OpConvertPtrToU", false);
    spirv_fini(&spirv);
    request.source = "kernel void k(global int *a) { enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), "
                     "^{ a[1] = 1; }); }";
    request.device_enqueue = false;
    expect_log(&request, STATUS_COMPILE_FAILED, "device-side enqueue");
    request.opencl_c_20 = false;
    expect_log(&request, STATUS_COMPILE_FAILED, "'-cl-std=CL2.0': the device lacks");
    request.options = "-cl-std=CL3.0";
    expect_log(&request, STATUS_COMPILE_FAILED, "error");
}
END_TEST

/* Functions that real programs use, and the instruction that each must become. */
static const struct {
    const char *options, *source, *instruction;
} language[] = {
    {"-cl-std=CL2.0",
     "kernel void k(global atomic_int *a) { atomic_fetch_add_explicit(a, 1, memory_order_release, "
     "memory_scope_work_group); }",
     "OpAtomicIAdd"},
    {"-cl-std=CL2.0",
     "kernel void k(global atomic_int *a, int o, global int *r) { memory_order m = o ? "
     "memory_order_acquire : memory_order_relaxed; r[0] = atomic_load_explicit(a, m, memory_scope_device); }",
     "OpAtomicLoad"},
    {"-cl-std=CL2.0",
     "kernel void k(global atomic_int *a, global int *e) { int x = 1; "
     "e[0] = atomic_compare_exchange_strong(a, &x, 2); }",
     "OpAtomicCompareExchange"},
    {"-cl-std=CL2.0",
     "kernel void k(global atomic_flag *a, global int *e) { e[0] = atomic_flag_test_and_set(a); }",
     "OpAtomicFlagTestAndSet"},
    {"-cl-std=CL2.0", "kernel void k(global int *a) { a[0] = work_group_scan_inclusive_add(a[1]); }",
     "OpGroupIAdd"},
    {"-cl-std=CL2.0", "kernel void k(global int *a) { a[0] = sub_group_broadcast(a[1], 2); }",
     "OpGroupBroadcast"},
    {"-cl-std=CL2.0", "kernel void k(global int *a) { a[0] = sub_group_shuffle_xor(a[1], 2); }",
     "OpGroupNonUniformShuffleXor"},
    {"-cl-std=CL2.0", "global int counter = 3;\nkernel void k(global int *a) { a[0] = counter++; }",
     "CrossWorkgroup"},
    {"-cl-std=CL3.0",
     "kernel void k(global int *a) { work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_device); }",
     "OpControlBarrier"},
    {"", "kernel void k(global int *a) { atomic_cmpxchg(a, 1, 2); }", "OpAtomicCompareExchange"},
    {"",
     "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
     "kernel void k(volatile global long *a) { atom_add(a, 1L); }",
     "Int64Atomics"},
    {"",
     "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\nkernel void k(global half *a) { a[0] = a[1] * a[2]; }",
     "OpTypeFloat 16"},
    {"", "kernel void k(global double *a) { a[0] = sin(a[1]); }", "sin"},
    {"", "kernel void k(global float *a, global half *h) { vstore_half_rtz(a[0], 0, h); }", "vstore_half_r"},
    {"", "kernel void k(global float *a) { float3 v = vload3(1, a); vstore3(v.zyx, 0, a); }", "vloadn"},
    {"", "kernel void k(global float *a) { printf(\"%f %v4d\\n\", a[0], (int4)(1)); }", "printf"},
    {"",
     "kernel void k(global int *a, local int *l) { event_t e = async_work_group_copy(l, a, 8, 0); "
     "wait_group_events(1, &e); }",
     "OpGroupAsyncCopy"},
    {"", "typedef struct { int a[4]; float f; } s;\nkernel void k(s v, global s *o) { o[0] = v; }",
     "FuncParamAttr ByVal"},
    {"", "kernel __attribute__((reqd_work_group_size(8, 4, 2))) void k(global int *a) { a[0] = 1; }",
     "LocalSize 8 4 2"},
    {"",
     "kernel void k(read_only image2d_t i, sampler_t s, global float4 *o) { o[0] = read_imagef(i, s, "
     "(int2)(1)); }",
     "OpImageSampleExplicitLod"},
    {"-cl-std=CL2.0", "kernel void k(read_only pipe int p, global int *o) { read_pipe(p, o); }",
     "OpReadPipe"},
    {"-cl-std=CL2.0",
     "kernel void k(global int *a) { enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, "
     "ndrange_1D(4), ^{ a[0] = 1; }); }",
     "OpEnqueueKernel"},
    {"-cl-fast-relaxed-math",
     "#ifndef __FAST_RELAXED_MATH__\n#error macro\n#endif\n"
     "kernel void k(global float *a) { a[0] = a[1] + a[2]; }",
     "FPFastMathMode"},
};

START_TEST(language_becomes_instructions)
{
    struct spirv spirv = compile_text(language[_i].source, language[_i].options);
    expect_listing(&spirv, language[_i].instruction, true);
    char *text = listing_of(&spirv);
    for (char *at = text; (at = strstr(at, "LinkageAttributes \"")); at++)
        if (strstr(at, "Import") && strchr(at, '\n') > strstr(at, "Import"))
            ck_assert_msg(strstr(at, "\"__spirv_BuiltIn") == at + strlen("LinkageAttributes "),
                          "import: %.60s", at);
    free(text);
    spirv_fini(&spirv);
}
END_TEST

/* Headers */

START_TEST(embedded_headers_are_found)
{
    struct compile_header headers[] = {
        {"one.h", "#define ONE 1\n"},
        {"deep/er/two.h",
         "#include \"three.h\"\n#include \"one.h\"\nint two(void)\n{\n    return ONE + THREE;\n}\n"},
        {"deep/er/three.h", "#define THREE 3\n"},
        {"one.h", "#error the first of a name counts\n"},
    };
    struct compile_request request = request_for("#include \"one.h\"\n#include <deep/er/two.h>\n"
                                                 "kernel void k(global int *a)\n{\n    a[ONE] = two();\n}\n",
                                                 "");
    request.headers = headers;
    request.header_count = 4;
    struct spirv spirv = compile_ok(&request);
    ck_assert(has_line(&spirv, "program.cl", 5));
    ck_assert(has_line(&spirv, "deep/er/two.h", 5));
    expect_listing(&spirv, "/tmp", false);
    spirv_fini(&spirv);
    headers[1].text = "int two(void) { return bad; }\n";
    expect_log(&request, STATUS_COMPILE_FAILED,
               "deep/er/two.h:1:24: error: use of undeclared identifier 'bad'");
    headers[1].name = "../outside.h";
    expect_log(&request, STATUS_COMPILE_FAILED, "../outside.h");
}
END_TEST

/* Editors on Windows write one; clang skips it at the start of its input. */
START_TEST(byte_order_mark_before_a_text_is_skipped)
{
    struct compile_header header = {"one.h", "\xef\xbb\xbf#define ONE 1\n"};
    struct compile_request request = request_for(
        "\xef\xbb\xbf#include \"one.h\"\nkernel void k(global int *a)\n{\n    a[ONE] = 1;\n}\n", "");
    request.headers = &header;
    request.header_count = 1;
    struct spirv spirv = compile_ok(&request);
    ck_assert(has_line(&spirv, "program.cl", 4));
    spirv_fini(&spirv);
    request.source = "\xef\xbb\xbf";
    spirv = compile_ok(&request);
    spirv_fini(&spirv);
    request.source = "kernel void k(void) {} \xef\xbb\xbf";
    expect_log(&request, STATUS_COMPILE_FAILED, "program.cl:1:24");
}
END_TEST

/* Their calls are operations from wherever they are named: llvm-spirv would give them the scope of the
 * work-group. */
START_TEST(legacy_atomics_have_the_scope_of_the_device)
{
    struct compile_header header = {"add.h",
                                    "static int add(volatile global int *p) { return atomic_add(p, 1); }\n"};
    struct compile_request included =
        request_for("#include \"add.h\"\nkernel void k(global int *a) { add(a); }", "");
    struct compile_request option =
        request_for("kernel void k(global int *a) { ADD(a, 1); }", "-DADD=atomic_add");
    included.headers = &header;
    included.header_count = 1;
    const struct compile_request *const requests[] = {&included, &option};
    for (size_t i = 0; i < 2; i++) {
        struct spirv spirv = compile_ok(requests[i]);
        uint32_t scope = 0;
        for (size_t at = 5; at < spirv.word_count; at += spirv.words[at] >> 16)
            if ((spirv.words[at] & 0xffff) == SpvOpAtomicIAdd)
                scope = spirv.words[at + 4];
        ck_assert_uint_ne(scope, 0);
        for (size_t at = 5; at < spirv.word_count; at += spirv.words[at] >> 16)
            if ((spirv.words[at] & 0xffff) == SpvOpConstant && spirv.words[at + 2] == scope)
                ck_assert_uint_eq(spirv.words[at + 3], SpvScopeDevice);
        spirv_fini(&spirv);
    }
}
END_TEST

/* OpenCL C 3.0: the variant of sub_group_barrier that does not take a scope has memory_scope_sub_group. */
START_TEST(a_barrier_of_a_sub_group_has_its_scope)
{
    struct spirv spirv =
        compile_text("kernel void k(global int *a) { sub_group_barrier(CLK_GLOBAL_MEM_FENCE); a[0] = 1; }",
                     "-cl-std=CL3.0");
    uint32_t scopes[2] = {0}, found = 0;
    for (size_t at = 5; at < spirv.word_count; at += spirv.words[at] >> SpvWordCountShift)
        if ((spirv.words[at] & SpvOpCodeMask) == SpvOpControlBarrier)
            memcpy(scopes, spirv.words + at + 1, sizeof scopes);
    for (size_t at = 5; at < spirv.word_count; at += spirv.words[at] >> SpvWordCountShift)
        if ((spirv.words[at] & SpvOpCodeMask) == SpvOpConstant &&
            (spirv.words[at + 2] == scopes[0] || spirv.words[at + 2] == scopes[1])) {
            ck_assert_uint_eq(spirv.words[at + 3], SpvScopeSubgroup);
            found++;
        }
    ck_assert_uint_ne(found, 0);
    spirv_fini(&spirv);
}
END_TEST

START_TEST(include_directories_are_searched)
{
    make_directory();
    char *sub = path_of("with space");
    ck_assert_int_eq(mkdir(sub, 0700), 0);
    free(write_file("with space/value.h", "#define VALUE 7\n", 0600));
    free(write_file("own.h", "#define OWN 8\n", 0600));
    char options[200];
    snprintf(options, sizeof options, "-I \"%s\"", sub);
    struct compile_request request = request_for("#include \"value.h\"\n#include \"own.h\"\n"
                                                 "kernel void k(global int *a) { a[VALUE] = OWN; }\n",
                                                 options);
    request.program_dir = directory;
    struct spirv spirv = compile_ok(&request);
    spirv_fini(&spirv);
    ck_assert_int_eq(chdir(directory), 0);
    request.program_dir = ".";
    request.options = "-I 'with space'";
    spirv = compile_ok(&request);
    spirv_fini(&spirv);
    request.options = "";
    expect_log(&request, STATUS_COMPILE_FAILED, "'value.h' file not found");
    ck_assert_int_eq(chdir("/"), 0);
    free(sub);
    remove_directory();
}
END_TEST

START_TEST(first_diagnosis_stays)
{
    struct diagnosis diagnosis = {0};
    ck_assert_int_eq(diagnose(&diagnosis, STATUS_NOT_FOUND, "no %s %d", "file", 3), STATUS_NOT_FOUND);
    ck_assert_int_eq(diagnose(&diagnosis, STATUS_IO, "later"), STATUS_IO);
    ck_assert_int_eq(diagnosis.status, STATUS_NOT_FOUND);
    ck_assert_str_eq(diagnosis.text, "no file 3");
    ck_assert_int_eq(diagnose(NULL, STATUS_IO, "nobody"), STATUS_IO);
    ck_assert_str_eq(status_name(STATUS_OK), "success");
    ck_assert_str_eq(status_name(STATUS_ABORTED), "launch ended by a finding");
    ck_assert_str_eq(status_name((enum status)999), "unknown status");
}
END_TEST

static Suite *texts_suite(void)
{
    Suite *suite = suite_create("frontend: texts");
    TCase *tests = add_case(suite, "options");
    tcase_add_test(tests, options_of_compilation_are_accepted);
    tcase_add_test(tests, options_of_linking_are_accepted);
    tcase_add_test(tests, bad_options_are_named);
    tcase_add_test(tests, quotes_and_backslashes_group_words);
    tcase_add_test(tests, first_diagnosis_stays);
    tests = add_case(suite, "compile");
    tcase_add_test(tests, module_is_valid_and_keeps_every_access);
    tcase_add_test(tests, a_switch_may_have_more_cases_than_every_device_must_take);
    tcase_add_test(tests, products_and_sums_are_not_fused);
    tcase_add_test(tests, positions_name_the_users_file_and_line);
    tcase_add_test(tests, function_that_returns_bool_has_its_line);
    tcase_add_test(tests, logs_name_the_users_file_and_line);
    tcase_add_test(tests, a_literal_that_is_too_long_is_named);
    tcase_add_test(tests, an_initializer_that_no_instruction_holds_is_named);
    tcase_add_test(tests, an_order_of_failure_that_releases_is_named_with_its_line);
    tcase_add_test(tests, an_order_that_a_flag_cannot_be_cleared_with_is_named_with_its_line);
    tcase_add_test(tests, flags_that_are_no_constant_are_named_with_their_line);
    tcase_add_test(tests, warnings_are_in_the_log_and_can_be_changed);
    tcase_add_test(tests, macros_reach_the_source);
    tcase_add_test(tests, date_and_time_are_fixed);
    tcase_add_test(tests, argument_information_is_in_the_module);
    tests = add_case(suite, "language");
    tcase_add_test(tests, language_version_follows_options_and_device);
    tcase_add_test(tests, features_follow_the_device);
    tcase_add_loop_test(tests, language_becomes_instructions, 0, (int)(sizeof language / sizeof *language));
    tests = add_case(suite, "headers");
    tcase_add_test(tests, embedded_headers_are_found);
    tcase_add_test(tests, byte_order_mark_before_a_text_is_skipped);
    tcase_add_test(tests, legacy_atomics_have_the_scope_of_the_device);
    tcase_add_test(tests, a_barrier_of_a_sub_group_has_its_scope);
    tcase_add_test(tests, include_directories_are_searched);
    return suite;
}

int main(void)
{
    share_server();
    return failures_of(texts_suite(), CK_NOFORK) ? EXIT_FAILURE : EXIT_SUCCESS;
}
