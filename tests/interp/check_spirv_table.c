/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every instruction of the SPIR-V grammar is in a class: done (a row of spirv_ops.def of the same number), or
 * refused by name when a module has it. The grammar also has which of the refused are not for kernels, since
 * they need a capability that only shaders have.
 */
#include <check.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/interp/module.h"
#include "sim/interp/spirv_ops.h"

static const char *const grammar_path = "/usr/include/spirv/unified1/spirv.core.grammar.json";
static json_t *grammar;

static void read_grammar(void)
{
    grammar = json_load_file(grammar_path, 0, NULL);
    ck_assert_msg(grammar != NULL, "%s cannot be read", grammar_path);
}

static void forget_grammar(void)
{
    json_decref(grammar);
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* ---- capabilities ------------------------------------------------------------------------------- */

static const json_t *capability_named(const char *name)
{
    size_t k, i;
    json_t *kind, *entry;
    json_array_foreach(json_object_get(grammar, "operand_kinds"), k,
                       kind) if (!strcmp(text_of(kind, "kind"), "Capability"))
        json_array_foreach(json_object_get(kind, "enumerants"), i,
                           entry) if (!strcmp(text_of(entry, "enumerant"), name)) return entry;
    return NULL;
}

/* Matrix is what Shader is made of. */
static bool is_shaders_only(const char *capability, int depth)
{
    size_t i;
    json_t *implied;
    if (!strcmp(capability, "Shader") || !strcmp(capability, "Matrix"))
        return true;
    json_t *list = json_object_get(capability_named(capability), "capabilities");
    json_array_foreach(list, i, implied) if (depth < 16 && is_shaders_only(json_string_value(implied),
                                                                           depth + 1)) return true;
    return false;
}

/* One of the listed capabilities is enough to use an instruction. */
static bool for_shaders_only(const json_t *instruction)
{
    json_t *list = json_object_get(instruction, "capabilities"), *name;
    size_t i;
    json_array_foreach(list, i, name) if (!is_shaders_only(json_string_value(name), 0)) return false;
    return json_array_size(list) > 0;
}

/* ---- a module with one instruction --------------------------------------------------------------- */

enum { VOID = 1, FUNCTION_TYPE, FUNCTION, LABEL, UINT, RESULT, BOUND };

static size_t put(uint32_t *words, size_t at, uint32_t opcode, size_t count, const uint32_t *operands)
{
    words[at] = (uint32_t)(count + 1) << 16 | opcode;
    for (size_t i = 0; i < count; i++)
        words[at + 1 + i] = operands[i];
    return at + count + 1;
}
#define PUT(opcode, ...)                                                              \
    at = put(words, at, opcode, sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), \
             (const uint32_t[]){__VA_ARGS__})

/* With every operand that must be there, ids that exist and literals that need no further operands. */
static size_t put_instruction(uint32_t *words, size_t at, const json_t *instruction)
{
    uint32_t operands[64], count = 0;
    size_t i;
    json_t *operand;
    json_array_foreach(json_object_get(instruction, "operands"), i, operand)
    {
        const char *kind = text_of(operand, "kind");
        if (*text_of(operand, "quantifier") || count == 64)
            continue;
        operands[count++] = !strcmp(kind, "IdResultType") ? UINT
                            : !strcmp(kind, "IdResult")   ? RESULT
                            : strncmp(kind, "Id", 2) == 0 ? VOID
                                                          : 0;
    }
    return put(words, at, (uint32_t)json_integer_value(json_object_get(instruction, "opcode")), count,
               operands);
}

static bool is_declaration(const char *class)
{
    return !strcmp(class, "Type-Declaration") || !strcmp(class, "Constant-Creation") ||
           !strcmp(class, "Annotation") || !strcmp(class, "Debug") || !strcmp(class, "Extension") ||
           !strcmp(class, "Mode-Setting");
}

static enum status load_with(const json_t *instruction, struct diagnosis *diagnosis)
{
    uint32_t words[256] = {0x07230203, 0x00010400, 0, BOUND, 0};
    size_t at = 5;
    struct module *module = NULL;
    bool outside = is_declaration(text_of(instruction, "class"));
    PUT(17, 6);           /* OpCapability Kernel */
    PUT(14, 2, 2);        /* OpMemoryModel Physical64 OpenCL */
    PUT(19, VOID);        /* OpTypeVoid */
    PUT(21, UINT, 32, 0); /* OpTypeInt */
    PUT(33, FUNCTION_TYPE, VOID);
    if (outside)
        at = put_instruction(words, at, instruction);
    PUT(54, VOID, FUNCTION, 0, FUNCTION_TYPE);
    PUT(248, LABEL);
    if (!outside)
        at = put_instruction(words, at, instruction);
    at = put(words, at, 253, 0, NULL); /* OpReturn */
    at = put(words, at, 56, 0, NULL);  /* OpFunctionEnd */
    enum status status = interp_module_new(words, at, NULL, 0, &module, diagnosis);
    if (status == STATUS_OK)
        interp_module_free(module);
    return status;
}

/* ---- tests ------------------------------------------------------------------------------------------ */

START_TEST(every_instruction_is_done_or_refused)
{
    size_t i, done = 0, refused = 0, shaders = 0;
    json_t *instruction;
    json_array_foreach(json_object_get(grammar, "instructions"), i, instruction)
    {
        uint32_t opcode = (uint32_t)json_integer_value(json_object_get(instruction, "opcode"));
        const char *name = text_of(instruction, "opname");
        struct diagnosis diagnosis = {0};
        if (spirv_op_supported(opcode)) {
            done++;
            continue;
        }
        enum status status = load_with(instruction, &diagnosis);
        ck_assert_msg(status == STATUS_UNSUPPORTED, "%s (%u) gives status %d, \"%s\"", name, opcode,
                      (int)status, diagnosis.text);
        ck_assert_msg(strstr(diagnosis.text, "Op") != NULL, "%s (%u) is refused without a name: \"%s\"", name,
                      opcode, diagnosis.text);
        ck_assert_msg(strstr(diagnosis.text, spirv_op_name(opcode)) != NULL, "%s (%u) is refused as \"%s\"",
                      name, opcode, diagnosis.text);
        if (for_shaders_only(instruction))
            shaders++;
        else
            refused++;
    }
    printf("%zu instructions are done, %zu refused by name, %zu more are not for kernels\n", done, refused,
           shaders);
    ck_assert_uint_gt(done, 190);
    ck_assert_uint_gt(shaders, 50);
}
END_TEST

/* An instruction that joined the core has an entry under the name of its extension, too. */
static bool names_it(const json_t *instruction, const char *name)
{
    const char *listed = text_of(instruction, "opname");
    const size_t length = strlen(name);
    return !strncmp(listed, name, length) &&
           (!listed[length] || !strcmp(listed + length, "KHR") || !strcmp(listed + length, "GOOGLE"));
}

START_TEST(rows_carry_the_names_of_the_grammar)
{
    size_t i;
    json_t *instruction;
    json_array_foreach(json_object_get(grammar, "instructions"), i, instruction)
    {
        uint32_t opcode = (uint32_t)json_integer_value(json_object_get(instruction, "opcode"));
        const struct spirv_op *row = spirv_op(opcode);
        if (row->lowering == LOWER_ABSENT)
            continue;
        ck_assert_ptr_nonnull(row->name);
        ck_assert_msg(names_it(instruction, row->name), "%s, not %s", row->name,
                      text_of(instruction, "opname"));
    }
}
END_TEST

START_TEST(no_row_is_for_shaders_only)
{
    size_t i;
    json_t *instruction;
    json_array_foreach(json_object_get(grammar, "instructions"), i, instruction)
    {
        uint32_t opcode = (uint32_t)json_integer_value(json_object_get(instruction, "opcode"));
        const char *name = text_of(instruction, "opname");
        bool harmless = !strcmp(name, "OpQuantizeToF16") || !strcmp(name, "OpTypeRuntimeArray") ||
                        !strcmp(name, "OpReadClockKHR"); /* which cl_khr_kernel_clock brings to kernels */
        if (spirv_op_supported(opcode) && !harmless)
            ck_assert_msg(!for_shaders_only(instruction), "%s has a row", name);
    }
}
END_TEST

START_TEST(a_number_beyond_the_grammar_is_refused)
{
    json_t *instruction =
        json_pack("{s:i, s:s, s:[]}", "opcode", 60000, "class", "Miscellaneous", "operands");
    struct diagnosis diagnosis = {0};
    enum status status = load_with(instruction, &diagnosis);
    ck_assert_msg(status == STATUS_UNSUPPORTED || status == STATUS_BAD_BINARY, "%s", diagnosis.text);
    json_decref(instruction);
}
END_TEST

START_TEST(the_module_around_it_is_accepted)
{
    /* OpNop */
    json_t *instruction = json_pack("{s:i, s:s, s:[]}", "opcode", 0, "class", "Miscellaneous", "operands");
    struct diagnosis diagnosis = {0};
    ck_assert_msg(load_with(instruction, &diagnosis) == STATUS_OK, "%s", diagnosis.text);
    json_decref(instruction);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("spirv_table");
    TCase *table = tcase_create("table");
    tcase_add_checked_fixture(table, read_grammar, forget_grammar);
    tcase_add_test(table, every_instruction_is_done_or_refused);
    tcase_add_test(table, rows_carry_the_names_of_the_grammar);
    tcase_add_test(table, no_row_is_for_shaders_only);
    tcase_add_test(table, a_number_beyond_the_grammar_is_refused);
    tcase_add_test(table, the_module_around_it_is_accepted);
    suite_add_tcase(suite, table);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
