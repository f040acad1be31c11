/* SPDX-License-Identifier: Apache-2.0 */
/* The module reader: refusals with their place, layout of types, constants, properties of kernels. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/interp/module.h"
#include "orrery/compiler.h"

#define HEAD                                                                                              \
    "OpCapability Kernel\nOpCapability Addresses\nOpCapability Linkage\nOpCapability Int8\nOpCapability " \
    "Int16\n"                                                                                             \
    "OpCapability Int64\nOpCapability Float64\nOpCapability Vector16\n%std = OpExtInstImport "            \
    "\"OpenCL.std\"\n"                                                                                    \
    "OpMemoryModel Physical64 OpenCL\n"

static struct spirv assembled;

static struct module *load_with(const char *text, const struct spec_constant *constants, size_t count,
                                struct diagnosis *diagnosis)
{
    char *log = NULL;
    struct module *module = NULL;
    spirv_fini(&assembled);
    ck_assert_msg(spirv_assemble(text, &assembled, &log) == STATUS_OK, "%s", log);
    free(log);
    memset(diagnosis, 0, sizeof *diagnosis);
    enum status status =
        interp_module_new(assembled.words, assembled.word_count, constants, count, &module, diagnosis);
    ck_assert_int_eq(status == STATUS_OK, module != NULL);
    return module;
}

static struct module *load(const char *text)
{
    struct diagnosis diagnosis;
    struct module *module = load_with(text, NULL, 0, &diagnosis);
    ck_assert_msg(module != NULL, "%s", diagnosis.text);
    return module;
}

/* Types and constants are made at the first use, inside a call that may fail. */
static jmp_buf failed;
static void open_module(struct module *module)
{
    module->fail = module->arena.out_of_memory = &failed;
    if (setjmp(failed))
        ck_abort_msg("the module failed");
}

static uint32_t id_of(struct module *module, const char *name)
{
    for (uint32_t id = 1; id < module->bound; id++)
        if (module->names[id] && !strcmp(module->names[id], name))
            return id;
    ck_abort_msg("no id is named %s", name);
}

START_TEST(refuses_too_few_words)
{
    struct diagnosis d = {0};
    struct module *m = NULL;
    uint32_t words[3] = {SpvMagicNumber, 0x10000, 0};
    ck_assert_int_eq(interp_module_new(words, 3, NULL, 0, &m, &d), STATUS_BAD_BINARY);
    ck_assert_ptr_nonnull(strstr(d.text, "3 words"));
}
END_TEST

START_TEST(refuses_a_bad_magic_number_and_names_it)
{
    struct diagnosis d = {0};
    struct module *m = NULL;
    uint32_t words[5] = {0xdeadbeef, 0x10000, 0, 1, 0};
    ck_assert_int_eq(interp_module_new(words, 5, NULL, 0, &m, &d), STATUS_BAD_BINARY);
    ck_assert_ptr_nonnull(strstr(d.text, "0xdeadbeef"));
}
END_TEST

START_TEST(refuses_an_instruction_that_runs_past_the_end)
{
    struct diagnosis d = {0};
    struct module *m = NULL;
    uint32_t words[6] = {SpvMagicNumber, 0x10000, 0, 8, 0, 9u << 16 | SpvOpName};
    ck_assert_int_eq(interp_module_new(words, 6, NULL, 0, &m, &d), STATUS_BAD_BINARY);
    ck_assert_ptr_nonnull(strstr(d.text, "word 5"));
}
END_TEST

START_TEST(reads_words_of_the_other_byte_order)
{
    struct diagnosis d = {0};
    struct module *m = load(HEAD);
    interp_module_free(m);
    for (size_t i = 0; i < assembled.word_count; i++)
        assembled.words[i] = __builtin_bswap32(assembled.words[i]);
    ck_assert_int_eq(interp_module_new(assembled.words, assembled.word_count, NULL, 0, &m, &d), STATUS_OK);
    interp_module_free(m);
}
END_TEST

START_TEST(unknown_instruction_is_named)
{
    struct diagnosis d;
    struct module *m = load_with(HEAD "OpCapability Shader\nOpEntryPoint Kernel %f \"k\"\n%void = "
                                      "OpTypeVoid\n%float = OpTypeFloat 32\n%fn = OpTypeFunction %void\n"
                                      "%zero = OpConstant %float 0\n%f = OpFunction %void None %fn\n%l = "
                                      "OpLabel\n%x = OpDPdx %float %zero\nOpReturn\nOpFunctionEnd\n",
                                 NULL, 0, &d);
    ck_assert_ptr_null(m);
    ck_assert_int_eq(d.status, STATUS_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(d.text, "OpDPdx"));
    ck_assert_ptr_nonnull(strstr(d.text, "word"));
}
END_TEST

#define TYPES                                                                                                \
    "%char = OpTypeInt 8 0\n%short = OpTypeInt 16 0\n%int = OpTypeInt 32 0\n%long = OpTypeInt 64 0\n%float " \
    "= OpTypeFloat 32\n%double = OpTypeFloat 64\n"                                                           \
    "%v3 = OpTypeVector %float 3\n%v4 = OpTypeVector %char 4\n%n = OpConstant %int 5\n%array = OpTypeArray " \
    "%short %n\n"

START_TEST(lays_out_types_as_opencl_does)
{
    struct module *m = load(
        HEAD
        "OpName %s \"s\"\nOpName %p \"p\"\nOpName %v3 \"v3\"\nOpName %array \"array\"\nOpDecorate %p "
        "CPacked\n" TYPES
        "%s = OpTypeStruct %char %double %short %v3 %v4 %array\n%p = OpTypeStruct %char %double %short\n");
    open_module(m);
    const struct type *v3 = module_type(m, id_of(m, "v3")), *s = module_type(m, id_of(m, "s")),
                      *p = module_type(m, id_of(m, "p"));
    const struct type *array = module_type(m, id_of(m, "array"));
    ck_assert_uint_eq(v3->size, 16); /* OpenCL C 6.1.5: as the 4-component vector */
    ck_assert_uint_eq(v3->align, 16);
    ck_assert_uint_eq(v3->leaves, 3);
    ck_assert_uint_eq(array->size, 10);
    const uint64_t offsets[] = {0, 8, 16, 32, 48, 52};
    for (int i = 0; i < 6; i++)
        ck_assert_uint_eq(s->offsets[i], offsets[i]);
    ck_assert_uint_eq(s->size, 64);
    ck_assert_uint_eq(s->align, 16);
    ck_assert_uint_eq(s->leaves, 1 + 1 + 1 + 3 + 4 + 5);
    ck_assert_uint_eq(type_first_leaf(s, 4), 6);
    ck_assert_uint_eq(p->size, 11);
    ck_assert_uint_eq(p->offsets[1], 1);
    ck_assert_uint_eq(p->align, 1);
    interp_module_free(m);
}
END_TEST

START_TEST(constants_are_flattened_and_specialised_ones_folded)
{
    const char *text =
        HEAD "OpName %c \"c\"\nOpName %sum \"sum\"\nOpName %wide \"wide\"\nOpDecorate %x SpecId 7\n" TYPES
             "%v2 = OpTypeVector %int 2\n%st = OpTypeStruct %v2 %int\n%x = OpSpecConstant %int 3\n%two = "
             "OpConstant %int 2\n%vec = OpConstantComposite %v2 %two %n\n"
             "%c = OpConstantComposite %st %vec %two\n%sum = OpSpecConstantOp %int IAdd %x %n\n%wide = "
             "OpConstant %long 0x123456789abcdef0\n";
    struct module *m = load(text);
    open_module(m);
    const struct constant *c = module_constant(m, id_of(m, "c"));
    ck_assert_uint_eq(c->count, 3);
    ck_assert_uint_eq(c->leaves[0].bits, 2);
    ck_assert_uint_eq(c->leaves[1].bits, 5);
    ck_assert_uint_eq(c->leaves[2].bits, 2);
    ck_assert_uint_eq(module_constant(m, id_of(m, "sum"))->leaves[0].bits, 8);
    ck_assert_uint_eq(module_constant(m, id_of(m, "wide"))->leaves[0].bits, 0x123456789abcdef0ull);
    interp_module_free(m);

    struct diagnosis d;
    struct spec_constant value = {7, 4, 100};
    m = load_with(text, &value, 1, &d);
    open_module(m);
    ck_assert_uint_eq(module_constant(m, id_of(m, "sum"))->leaves[0].bits, 105);
    ck_assert_uint_eq(module_spec_constant_size(assembled.words, assembled.word_count, 7), 4);
    ck_assert_uint_eq(module_spec_constant_size(assembled.words, assembled.word_count, 8), 0);
    interp_module_free(m);
}
END_TEST

struct written {
    uint64_t address[4];
    uint64_t value[4];
    int count;
};
static void note(void *self, uint64_t address, const void *bytes, size_t size, bool initialised)
{
    struct written *w = self;
    ck_assert_uint_eq(size, 8);
    ck_assert(initialised);
    w->address[w->count] = address;
    memcpy(&w->value[w->count++], bytes, 8);
}

START_TEST(writes_initialisers_with_the_addresses_of_variables)
{
    struct module *m =
        load(HEAD "OpName %a \"a\"\nOpName %b \"b\"\n" TYPES
                  "%plong = OpTypePointer CrossWorkgroup %long\n%pp = OpTypePointer CrossWorkgroup %plong\n"
                  "%seven = OpConstant %long 7\n%a = OpVariable %plong CrossWorkgroup %seven\n%b = "
                  "OpVariable %pp CrossWorkgroup %a\n");
    struct written w = {.count = 0};
    ck_assert_uint_eq(interp_variable_count(m), 2);
    ck_assert_uint_eq(interp_variable(m, 0)->size, 8);
    ck_assert(!interp_variable(m, 0)->constant);
    ck_assert_int_eq(interp_module_bind(m, (uint64_t[]){0x1000, 0x2000}, note, &w), STATUS_OK);
    ck_assert_int_eq(w.count, 2);
    ck_assert_uint_eq(w.value[0], 7);
    ck_assert_uint_eq(w.address[1], 0x2000);
    ck_assert_uint_eq(w.value[1], 0x1000);
    interp_module_free(m);
}
END_TEST

START_TEST(describes_kernels)
{
    struct module *m =
        load(HEAD "OpEntryPoint Kernel %f \"work\"\nOpExecutionMode %f LocalSize 8 4 1\nOpName %data "
                  "\"data\"\nOpName %scratch \"scratch\"\nOpName %count \"count\"\n" TYPES
                  "%void = OpTypeVoid\n%g = OpTypePointer CrossWorkgroup %v3\n%w = OpTypePointer Workgroup "
                  "%int\n%c = OpTypePointer UniformConstant %float\n"
                  "%fn = OpTypeFunction %void %g %w %c %short\n%f = OpFunction %void None %fn\n%data = "
                  "OpFunctionParameter %g\n%scratch = OpFunctionParameter %w\n"
                  "%table = OpFunctionParameter %c\n%count = OpFunctionParameter %short\n%l = "
                  "OpLabel\nOpReturn\nOpFunctionEnd\n");
    ck_assert_uint_eq(interp_kernel_count(m), 1);
    const struct kernel_info *info = interp_kernel_info(m, 0);
    ck_assert_str_eq(info->name, "work");
    ck_assert_str_eq(info->attributes, "reqd_work_group_size(8,4,1)");
    ck_assert_uint_eq(info->required_size[0], 8);
    ck_assert_uint_eq(info->required_size[1], 4);
    ck_assert_uint_eq(info->arg_count, 4);
    const enum arg_kind kinds[] = {ARG_GLOBAL, ARG_LOCAL, ARG_CONSTANT, ARG_VALUE};
    const size_t sizes[] = {8, 8, 8, 2};
    const char *const names[] = {"data", "scratch", "", "count"};
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(info->args[i].kind, kinds[i]);
        ck_assert_uint_eq(info->args[i].size, sizes[i]);
        ck_assert_str_eq(info->args[i].name, names[i]);
    }
    ck_assert_str_eq(info->args[0].type_name, "float3*");
    interp_module_free(m);
}
END_TEST

/*
 * Errors that the validator need not find: image instructions whose operands are no images, lack coordinates,
 * or use features that OpenCL lacks.
 */
START_TEST(image_instructions_are_checked)
{
    static const struct {
        const char *parameter, *body, *text;
        enum status status;
    } rows[] = {
        {"%image",
         "%si = OpSampledImage %both %i %s\n%t = OpImageSampleExplicitLod %v4f %si %c Lod %zero\n%back = "
         "OpImage "
         "%image %si\n%u = OpImageRead %v4f %back %c\nOpImageWrite %o %c %u\n%q = OpImageQuerySizeLod %v2i "
         "%i %one\n",
         NULL, STATUS_OK},
        {"%image", "%t = OpImageRead %v4f %s %c\n", "not an image", STATUS_BAD_BINARY},
        {"%image", "%t = OpImageRead %v4f %zero %c\n", "not an image", STATUS_BAD_BINARY},
        {"%image", "%t = OpImageSampleExplicitLod %v4f %i %c Lod %zero\n", "not an image", STATUS_BAD_BINARY},
        {"%image", "%t = OpImageRead %v4f %i %one\n", "too few coordinates", STATUS_BAD_BINARY},
        {"%image", "%t = OpImageRead %v4f %i %s\n", "not a number", STATUS_BAD_BINARY},
        {"%image", "%t = OpImageRead %v4f %i %c Lod %c\n", "not one number", STATUS_BAD_BINARY},
        {"%image", "%t = OpImageRead %v4d %i %c\n", "texels of this type", STATUS_UNSUPPORTED},
        {"%image", "%t = OpImageRead %v4f %i %c ConstOffset %c\n", "image operands 0x8", STATUS_UNSUPPORTED},
        {"%image", "%si = OpSampledImage %both %i %zero\n", "do not fit", STATUS_BAD_BINARY},
        {"%image", "%q = OpImageQuerySizeLod %v4f %i %one\n", "not a number", STATUS_BAD_BINARY},
        {"%cube", "", "of this dimension", STATUS_UNSUPPORTED}};
    char text[4096];
    struct diagnosis d;
    snprintf(
        text, sizeof text, "%s%s%s%s%s%sOpReturn\nOpFunctionEnd\n",
        HEAD
        "OpEntryPoint Kernel %f \"k\"\n" TYPES "%void = OpTypeVoid\n%v4f = OpTypeVector %float 4\n%v4d = "
                                               "OpTypeVector %double 4\n%v2i = OpTypeVector "
        "%int 2\n%zero = OpConstant %float 0\n%one = OpConstant %int 1\n%c = OpConstantComposite %v2i %one "
        "%one\n%image = OpTypeImage %void 2D 0 0 0 0 Unknown ReadOnly\n%to = OpTypeImage %void 2D 0 0 0 0 "
        "Unknown WriteOnly\n%cube = OpTypeImage %void Cube 0 0 0 0 Unknown ReadOnly\n%sampler = "
        "OpTypeSampler\n"
        "%both = OpTypeSampledImage %image\n%fn = OpTypeFunction %void ",
        rows[_i].parameter, " %to %sampler\n%f = OpFunction %void None %fn\n%i = OpFunctionParameter ",
        rows[_i].parameter,
        "\n%o = OpFunctionParameter %to\n%s = OpFunctionParameter %sampler\n%l = OpLabel\n", rows[_i].body);
    struct module *m = load_with(text, NULL, 0, &d);
    ck_assert_msg(d.status == rows[_i].status, "%s", d.text);
    if (rows[_i].text)
        ck_assert_msg(strstr(d.text, rows[_i].text) != NULL, "%s", d.text);
    if (m)
        interp_module_free(m);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("module");
    TCase *tcase = tcase_create("module");
    suite_add_tcase(suite, tcase);
    tcase_add_test(tcase, refuses_too_few_words);
    tcase_add_test(tcase, refuses_a_bad_magic_number_and_names_it);
    tcase_add_test(tcase, refuses_an_instruction_that_runs_past_the_end);
    tcase_add_test(tcase, reads_words_of_the_other_byte_order);
    tcase_add_test(tcase, unknown_instruction_is_named);
    tcase_add_test(tcase, lays_out_types_as_opencl_does);
    tcase_add_test(tcase, constants_are_flattened_and_specialised_ones_folded);
    tcase_add_test(tcase, writes_initialisers_with_the_addresses_of_variables);
    tcase_add_test(tcase, describes_kernels);
    tcase_add_loop_test(tcase, image_instructions_are_checked, 0, 12);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failures = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failures != 0;
}
