/* SPDX-License-Identifier: Apache-2.0 */
/* Validates, assembles and disassembles by SPIRV-Tools. All of it is in one file, because the C header
 * defines a constant with external linkage and can be included only once per program. */
#include <spirv-tools/libspirv.h>
#include <spirv/unified1/spirv.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/compiler.h"
#include "spirv_words.h"
#include "text.h"

enum {
    ASSEMBLE_OPTIONS = SPV_TEXT_TO_BINARY_OPTION_PRESERVE_NUMERIC_IDS,
    DISASSEMBLE_OPTIONS = SPV_BINARY_TO_TEXT_OPTION_INDENT | SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES
};
enum { MAGIC_SWAPPED = 0x03022307 };

static spv_target_env universal_environment(uint32_t minor)
{
    static const spv_target_env environments[] = {
        SPV_ENV_UNIVERSAL_1_0, SPV_ENV_UNIVERSAL_1_1, SPV_ENV_UNIVERSAL_1_2, SPV_ENV_UNIVERSAL_1_3,
        SPV_ENV_UNIVERSAL_1_4, SPV_ENV_UNIVERSAL_1_5, SPV_ENV_UNIVERSAL_1_6,
    };
    return environments[minor < 6 ? minor : 6];
}

/* Capabilities of OpenCL extensions. The validator's OpenCL rules refuse them, although a device may
 * support them. */
static bool is_extension_capability(uint32_t capability)
{
    enum { FIRST_OF_VENDORS = 4096 };
    switch (capability) {
    case SpvCapabilityFloat16:
    case SpvCapabilityInt64Atomics:
    case SpvCapabilityImageMipmap:
    case SpvCapabilityNamedBarrier: return true;
    default:
        return capability >= FIRST_OF_VENDORS ||
               (capability >= SpvCapabilityGroupNonUniform && capability <= SpvCapabilityGroupNonUniformQuad);
    }
}

static bool needs_extension(const uint32_t *words, size_t word_count)
{
    for (size_t at = HEADER_WORDS; at + 1 < word_count && opcode_of(words[at]) == SpvOpCapability; at += 2)
        if (is_extension_capability(words[at + 1]))
            return true;
    return false;
}

/* The rules by which a module is validated: those of OpenCL for SPIR-V up to 1.2 without extensions, else
 * the universal rules. */
static spv_target_env module_environment(const uint32_t *words, size_t word_count)
{
    uint32_t version = word_count > 1 ? words[1] : 0;
    if (word_count && words[0] == MAGIC_SWAPPED)
        version = __builtin_bswap32(version);
    uint32_t minor = version >> 8 & 0xff;
    if (minor > 2 || needs_extension(words, word_count))
        return universal_environment(minor < 2 ? 2 : minor);
    return SPV_ENV_OPENCL_2_2;
}

static void add_diagnostic(spv_diagnostic diagnostic, bool in_text, struct text *log)
{
    if (!diagnostic)
        return;
    if (in_text)
        text_addf(log, "line %zu, column %zu: %s\n", diagnostic->position.line + 1,
                  diagnostic->position.column + 1, diagnostic->error);
    else
        text_addf(log, "instruction %zu: %s\n", diagnostic->position.index, diagnostic->error);
}

/* Instructions that extensions allow but the validator refuses: a level of detail for OpImageWrite,
 * gradients of four components (as OpenCL C has them for 3D images), named barriers as pointers (as OpenCL
 * C has them), and clocks, whose capability implies shaders for it. A copy without them is validated; the
 * interpreter checks them itself. Returns how many words of the instruction are kept, 0 for any other
 * instruction. An instruction with a result becomes OpUndef. */
static size_t kept_words(const uint32_t *w, size_t count)
{
    switch (opcode_of(w[0])) {
    case SpvOpImageWrite: return count == 6 && w[4] == SpvImageOperandsLodMask ? 4 : 0;
    case SpvOpImageSampleExplicitLod: return count == 8 && w[5] == SpvImageOperandsGradMask ? 3 : 0;
    case SpvOpNamedBarrierInitialize:
    case SpvOpReadClockKHR: return count == 4 ? 3 : 0;
    case SpvOpMemoryNamedBarrier: return count == 4 ? 1 : 0;
    default: return 0;
    }
}

/* Writes the copy to validate; returns its words, 0: it would equal the module. */
static size_t copy_for_validation(const uint32_t *words, size_t word_count, uint32_t *out)
{
    bool found = false;
    size_t kept = 0;
    for (size_t at = 0, count; at < word_count; at += count) {
        count = at < HEADER_WORDS ? 1 : length_of(words[at]);
        if (count == 0 || count > word_count - at)
            return 0;
        const size_t less = at < HEADER_WORDS ? 0 : kept_words(words + at, count), rest = less ? less : count;
        memcpy(out + kept, words + at, rest * sizeof *out);
        if (less)
            out[kept] = instruction_word(less == 3   ? (uint32_t)SpvOpUndef
                                         : less == 1 ? (uint32_t)SpvOpNop
                                                     : opcode_of(words[at]),
                                         rest);
        const bool clock = at >= HEADER_WORDS && words[at] == instruction_word(SpvOpCapability, 2) &&
                           words[at + 1] == SpvCapabilityShaderClockKHR;
        if (clock)
            out[kept + 1] = SpvCapabilityKernel;
        kept += rest;
        found |= less || clock;
    }
    return found ? kept : 0;
}

/* The id of the import of OpenCL.DebugInfo.100; 0: the module has none. */
static uint32_t debug_set(const uint32_t *words, size_t word_count)
{
    static const char name[] = "OpenCL.DebugInfo.100";
    for (size_t at = HEADER_WORDS, count; at < word_count; at += count) {
        count = length_of(words[at]);
        if (count == 0 || count > word_count - at || opcode_of(words[at]) == SpvOpFunction)
            return 0;
        if (opcode_of(words[at]) == SpvOpExtInstImport && count >= 2 + sizeof name / sizeof *words &&
            !strncmp((const char *)(words + at + 2), name, sizeof name))
            return words[at + 1];
    }
    return 0;
}

/* Takes the debug records out of the words; returns how many words are left. */
static size_t drop_records(uint32_t *words, size_t word_count, uint32_t set)
{
    size_t kept = HEADER_WORDS;
    for (size_t at = HEADER_WORDS, count; at < word_count; at += count) {
        count = length_of(words[at]);
        if (count == 0 || count > word_count - at)
            return word_count;
        const bool record = opcode_of(words[at]) == SpvOpExtInst && count > 4 && words[at + 3] == set;
        memmove(words + kept, words + at, count * sizeof *words);
        kept += record ? 0 : count;
    }
    return kept;
}

/* The translator's records of structs refer to later ones, which the validator refuses. They change nothing
 * that runs, so a module that is valid without them is valid. Names of ids for the message take half of a
 * validation, so only a module that is refused is read again with them. */
static bool is_valid(spv_const_context context, spv_validator_options options, uint32_t *words,
                     size_t word_count, spv_diagnostic *diagnostic)
{
    spvValidatorOptionsSetFriendlyNames(options, false);
    spv_const_binary_t all = {words, word_count};
    if (spvValidateWithOptions(context, options, &all, NULL) == SPV_SUCCESS)
        return true;
    const uint32_t set = debug_set(words, word_count);
    spv_const_binary_t rest = {words, set ? drop_records(words, word_count, set) : word_count};
    if (set && spvValidateWithOptions(context, options, &rest, NULL) == SPV_SUCCESS)
        return true;
    spvValidatorOptionsSetFriendlyNames(options, true);
    return spvValidateWithOptions(context, options, &rest, diagnostic) == SPV_SUCCESS;
}

enum status spirv_validate(const uint32_t *words, size_t word_count, char **out_log)
{
    struct text log = {0};
    spv_diagnostic diagnostic = NULL;
    spv_context context = spvContextCreate(module_environment(words, word_count));
    spv_validator_options options = spvValidatorOptionsCreate();
    enum status status = STATUS_OUT_OF_MEMORY;
    uint32_t *judged = malloc((word_count + 1) * sizeof *judged);
    if (context && options && judged) {
        /* SPIR-V, 2.17: 255 parameters and 16383 cases are the minimum that must be supported, not the
         * maximum. OpenCL C limits parameters by CL_DEVICE_MAX_PARAMETER_SIZE, SPIR-V a switch by the
         * length of an instruction. */
        spvValidatorOptionsSetUniversalLimit(options, spv_validator_limit_max_function_args, UINT16_MAX);
        spvValidatorOptionsSetUniversalLimit(options, spv_validator_limit_max_switch_branches, UINT16_MAX);
        size_t judged_count = copy_for_validation(words, word_count, judged);
        if (!judged_count)
            memcpy(judged, words, word_count * sizeof *judged);
        status = is_valid(context, options, judged, judged_count ? judged_count : word_count, &diagnostic)
                     ? STATUS_OK
                     : STATUS_BAD_BINARY;
        add_diagnostic(diagnostic, false, &log);
    }
    free(judged);
    spvDiagnosticDestroy(diagnostic);
    if (options)
        spvValidatorOptionsDestroy(options);
    if (context)
        spvContextDestroy(context);
    *out_log = text_take(&log);
    return status;
}

/* The version in the comment "; Version: 1.N", as the disassembler writes it; without one SPIR-V 1.2, the
 * version of OpenCL 2.2. */
static spv_target_env text_environment(const char *text)
{
    static const char mark[] = "; Version: 1.";
    const char *version = strstr(text, mark);
    char minor = version ? version[sizeof mark - 1] : '2';
    return universal_environment(minor >= '0' && minor <= '6' ? (uint32_t)(minor - '0') : 2);
}

static enum status copy_words(spv_binary binary, struct spirv *out_spirv)
{
    out_spirv->words = malloc(binary->wordCount * sizeof *out_spirv->words);
    if (!out_spirv->words)
        return STATUS_OUT_OF_MEMORY;
    memcpy(out_spirv->words, binary->code, binary->wordCount * sizeof *out_spirv->words);
    out_spirv->word_count = binary->wordCount;
    return STATUS_OK;
}

enum status spirv_assemble(const char *source, struct spirv *out_spirv, char **out_log)
{
    *out_spirv = (struct spirv){0};
    struct text log = {0};
    spv_diagnostic diagnostic = NULL;
    spv_binary binary = NULL;
    enum status status = STATUS_OUT_OF_MEMORY;
    spv_context context = spvContextCreate(text_environment(source));
    if (context) {
        spv_result_t result = spvTextToBinaryWithOptions(context, source, strlen(source), ASSEMBLE_OPTIONS,
                                                         &binary, &diagnostic);
        status = result == SPV_SUCCESS ? copy_words(binary, out_spirv) : STATUS_BAD_BINARY;
        add_diagnostic(diagnostic, true, &log);
        spvBinaryDestroy(binary);
        spvDiagnosticDestroy(diagnostic);
        spvContextDestroy(context);
    }
    *out_log = text_take(&log);
    return status;
}

enum status spirv_disassemble(const uint32_t *words, size_t word_count, char **out_text, char **out_log)
{
    struct text log = {0}, listing = {0};
    spv_diagnostic diagnostic = NULL;
    spv_text text = NULL;
    enum status status = STATUS_OUT_OF_MEMORY;
    spv_context context = spvContextCreate(module_environment(words, word_count));
    if (context) {
        spv_result_t result =
            spvBinaryToText(context, words, word_count, DISASSEMBLE_OPTIONS, &text, &diagnostic);
        status = result == SPV_SUCCESS ? STATUS_OK : STATUS_BAD_BINARY;
        if (status == STATUS_OK)
            text_add_bytes(&listing, text->str, text->length);
        add_diagnostic(diagnostic, false, &log);
        spvTextDestroy(text);
        spvDiagnosticDestroy(diagnostic);
        spvContextDestroy(context);
    }
    *out_text = text_take(&listing);
    *out_log = text_take(&log);
    return status;
}

void spirv_fini(struct spirv *spirv)
{
    free(spirv->words);
    *spirv = (struct spirv){0};
}
