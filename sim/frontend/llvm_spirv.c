/* SPDX-License-Identifier: Apache-2.0 */
/* Calls llvm-spirv, and explains its errors in terms of the program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile.h"

static enum status take_words(const struct text *output, struct spirv *out_spirv, struct text *log)
{
    if (output->size < 5 * sizeof(uint32_t) || output->size % sizeof(uint32_t)) {
        text_addf(log, "llvm-spirv wrote %zu bytes, which is no module\n", output->size);
        return STATUS_COMPILE_FAILED;
    }
    out_spirv->words = malloc(output->size);
    if (!out_spirv->words)
        return STATUS_OUT_OF_MEMORY;
    memcpy(out_spirv->words, output->data, output->size);
    out_spirv->word_count = output->size / sizeof(uint32_t);
    return STATUS_OK;
}

void llvm_spirv_arguments(const struct compilation *compilation, struct list *arguments)
{
    static const char *const fixed[] = {
        /* A module gets the lowest version that it needs; 1.3 is needed for non-uniform sub-groups. */
        "--spirv-max-version=1.3",
        /* mad would leave the rounding of a*b+c to the device. */
        "--spirv-replace-fmuladd-with-ocl-mad=false",
        "--preserve-ocl-kernel-arg-type-metadata-through-string",
        "-o",
        "-",
        "-",
    };
    list_add(arguments, compilation->toolchain->llvm_spirv);
    /* Destructors are registered by function pointers: repair_destructor.c. */
    list_addf(arguments,
              "--spirv-ext=+SPV_INTEL_subgroups,+SPV_KHR_bit_instructions,+SPV_KHR_expect_assume"
              ",+SPV_EXT_shader_atomic_float_add,+SPV_EXT_shader_atomic_float_min_max%s",
              compilation->cplusplus ? ",+SPV_INTEL_function_pointers" : "");
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        list_add(arguments, fixed[i]);
}

/* The variable follows as LLVM prints it: "@name = addrspace(2) constant [70000 x i32] ...". */
static void explain_initializer(const char *found, struct text *log)
{
    const char *at = strchr(found, '@'), *bracket = at ? strchr(at, '[') : NULL;
    char name[100], count[24];
    if (!bracket)
        return;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(at + 1, " \n"), at + 1);
    snprintf(count, sizeof count, "%.*s", (int)strspn(bracket + 1, "0123456789"), bracket + 1);
    text_addf(log,
              "the array %s of the program is initialized with %s elements; an instruction of SPIR-V holds "
              "65532: split the array, or pass it as a buffer\n",
              name, count);
}

/* clang gives a literal that fits no type of OpenCL C a 128-bit type, with an error only if it is stored
 * unchanged. */
static void explain_failure(const struct compilation *compilation, const struct text *bitcode,
                            struct text *log)
{
    struct text text = {0};
    if (log->data && strstr(log->data, "InvalidBitWidth: Invalid bit width in input: 128"))
        text_add(log, "an integer literal of the program is too long for ulong\n");
    if (log->data && strstr(log->data, "word count greater than 65535") &&
        strstr(log->data, "OpCode: Switch"))
        text_add(log, "a switch of the program has more than 32766 cases, which is what an instruction of "
                      "SPIR-V holds\n");
    const char *composite = log->data ? strstr(log->data, "than OpConstantComposite can have") : NULL;
    if (composite)
        explain_initializer(composite, log);
    if (!log->data || !strstr(log->data, "ConstantInt"))
        return;
    clang_text(compilation, bitcode, &text);
    if (text.data)
        refused_place_of_text(text.data, log);
    text_fini(&text);
}

static enum status run(const struct compilation *compilation, const struct text *bitcode,
                       struct process_result *result, struct text *log)
{
    struct list arguments = {0};
    struct diagnosis diagnosis = {0};
    if (compilation->early->done) {
        *result = compilation->early->translation;
        compilation->early->done = false;
        return STATUS_OK;
    }
    llvm_spirv_arguments(compilation, &arguments);
    struct process process = {.arguments = arguments.items,
                              .input = bitcode->data,
                              .input_size = bitcode->size,
                              .limits = compilation->limits};
    enum status status =
        arguments.failed ? STATUS_OUT_OF_MEMORY
                         : compile_run(compilation, COMPILE_LLVM_SPIRV, &process, NULL, result, &diagnosis);
    text_add(log, diagnosis.text);
    list_fini(&arguments);
    return status;
}

enum status llvm_spirv_translate(const struct compilation *compilation, const struct text *bitcode,
                                 struct spirv *out_spirv, struct text *log)
{
    struct process_result result = {0};
    enum status status = run(compilation, bitcode, &result, log);
    if (!status && process_failed(&result))
        status = compile_tool_failed("llvm-spirv", &result, log);
    if (status == STATUS_COMPILE_FAILED)
        explain_failure(compilation, bitcode, log);
    if (!status)
        status = take_words(&result.output, out_spirv, log);
    process_result_fini(&result);
    return status;
}
