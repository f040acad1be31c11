/* SPDX-License-Identifier: Apache-2.0 */
/* One build: options, source, cache, clang, llvm-spirv, repairs, validation. The key in the cache is a hash
 * of everything that decides the words and the log: tools, arguments, source, headers, and the directory if
 * the source may include files. Features that the device lacks are checked after the cache, because one
 * entry serves all devices. */
#include "compile.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "orrery/file_limit.h"
#include "compile_cache.h"
#include "spirv_words.h"

static bool is_cplusplus(const struct options *options)
{
    return strncmp(options->cl_std, "CLC++", strlen("CLC++")) == 0;
}

/* Without -cl-std the language is OpenCL C 1.2, even on a newer device. */
static unsigned cl_std_of(const struct compile_request *request, const struct options *options)
{
    unsigned device = request->version_major * 100 + request->version_minor * 10;
    if (is_cplusplus(options))
        return strcmp(options->cl_std, "CLC++2021") == 0 ? 300 : 200;
    if (options->cl_std[0])
        return (unsigned)(options->cl_std[2] - '0') * 100 + (unsigned)(options->cl_std[4] - '0') * 10;
    return device < 120 ? device : 120;
}

/* Devices of OpenCL 2.1 and 2.2 support OpenCL C 2.0. */
static enum status check_version(const struct compilation *compilation, struct text *log)
{
    const struct compile_request *request = compilation->request;
    if (compilation->cl_std > request->version_major * 100 + request->version_minor * 10)
        text_addf(log, "build option '-cl-std=%s': the device has OpenCL %u.%u\n",
                  compilation->options->cl_std, request->version_major, request->version_minor);
    else if (compilation->cplusplus && !(request->generic_address_space && request->program_scope_variables))
        text_addf(log, "build option '-cl-std=%s': the device has no cl_ext_cxx_for_opencl\n",
                  compilation->options->cl_std);
    else if (compilation->cl_std == 200 && !compilation->cplusplus && !request->opencl_c_20)
        text_addf(log, "build option '-cl-std=CL2.0': the device lacks a feature that OpenCL C 2.0 has\n");
    else
        return STATUS_OK;
    return STATUS_COMPILE_FAILED;
}

static enum status check_words(const struct spirv *spirv, struct text *log)
{
    char *complaint = NULL;
    enum status status = spirv_validate(spirv->words, spirv->word_count, &complaint);
    if (status && !refused_place_of_module(spirv, log))
        text_addf(log, "the compiler produced an invalid module: %s", complaint ? complaint : "");
    free(complaint);
    return status == STATUS_BAD_BINARY ? STATUS_COMPILE_FAILED : status;
}

bool compile_has_device_enqueue(const struct compile_request *request)
{
    return request->device_enqueue && request->generic_address_space && request->program_scope_variables;
}

static bool is_constant(const struct spirv *spirv, uint32_t id, uint32_t value)
{
    for (size_t at = HEADER_WORDS; at < spirv->word_count; at += length_of(spirv->words[at])) {
        const uint32_t *w = spirv->words + at;
        if (opcode_of(w[0]) == SpvOpConstant && w[2] == id)
            return w[3] == value;
    }
    return false;
}

static bool is_group_function(const struct spirv *spirv, const uint32_t *w, SpvScope scope)
{
    const uint32_t opcode = opcode_of(w[0]);
    const bool core = opcode >= SpvOpGroupAll && opcode <= SpvOpGroupSMax;
    const bool uniform = opcode >= SpvOpGroupIMulKHR && opcode <= SpvOpGroupLogicalXorKHR;
    return (core || uniform) && is_constant(spirv, w[3], scope);
}

static const char *absent_capability(const struct compile_request *request, uint32_t capability)
{
    switch (capability) {
    case SpvCapabilityFloat16: return request->fp16 ? NULL : "half precision arithmetic";
    case SpvCapabilityFloat64: return request->fp64 ? NULL : "double precision arithmetic";
    case SpvCapabilityInt64Atomics: return request->int64_atomics ? NULL : "64-bit atomics";
    case SpvCapabilityGenericPointer:
        return request->generic_address_space ? NULL : "the generic address space";
    case SpvCapabilityNamedBarrier:
        return request->named_barriers && request->sub_groups ? NULL : "named barriers";
    case SpvCapabilityShaderClockKHR: return request->kernel_clock ? NULL : "the kernel clock";
    case SpvCapabilitySubgroupDispatch:
    case SpvCapabilitySubgroupShuffleINTEL:
    case SpvCapabilitySubgroupBufferBlockIOINTEL:
    case SpvCapabilityGroupNonUniformRotateKHR: return request->sub_groups ? NULL : "sub-groups";
    default:
        return request->sub_groups || capability < SpvCapabilityGroupNonUniform ||
                       capability > SpvCapabilityGroupNonUniformQuad
                   ? NULL
                   : "sub-groups";
    }
}

/* clang defines features of OpenCL C 2.0 for every device, and a program may declare functions of others,
 * so the module is checked. */
static const char *absent_feature(const struct compile_request *request, const struct spirv *spirv,
                                  const uint32_t *w)
{
    const uint32_t opcode = opcode_of(w[0]);
    if (opcode == SpvOpCapability)
        return absent_capability(request, w[1]);
    if (!request->program_scope_variables && opcode == SpvOpVariable && w[3] == SpvStorageClassCrossWorkgroup)
        return "program-scope variables";
    if (!request->work_group_collectives && is_group_function(spirv, w, SpvScopeWorkgroup))
        return "work-group functions";
    if (!request->sub_groups && is_group_function(spirv, w, SpvScopeSubgroup))
        return "sub-groups";
    return NULL;
}

static enum status check_features(const struct compile_request *request, const struct spirv *spirv,
                                  struct text *log)
{
    for (size_t at = HEADER_WORDS; at < spirv->word_count; at += length_of(spirv->words[at])) {
        uint32_t opcode = opcode_of(spirv->words[at]);
        const char *absent = absent_feature(request, spirv, spirv->words + at);
        if (!request->images && (opcode == SpvOpTypeImage || opcode == SpvOpTypeSampler))
            absent = "images or samplers";
        if (!request->pipes && opcode == SpvOpTypePipe)
            absent = "pipes";
        if (!compile_has_device_enqueue(request) &&
            (opcode == SpvOpTypeQueue || opcode == SpvOpTypeDeviceEvent))
            absent = "device-side enqueue";
        if (absent) {
            text_addf(log, "the program uses %s, which the device does not have\n", absent);
            return STATUS_COMPILE_FAILED;
        }
    }
    return STATUS_OK;
}

static enum status compile(const struct compilation *compilation, struct spirv *out_spirv,
                           struct list *included, struct text *log)
{
    struct text bitcode = {0};
    struct timespec begun = {0};
    clock_gettime(CLOCK_REALTIME, &begun);
    enum status status = clang_compile(compilation, &bitcode, included, log);
    if (!status)
        status = llvm_spirv_translate(compilation, &bitcode, out_spirv, log);
    if (!status)
        status = debug_records_pack(out_spirv, compilation->request->debug);
    if (!status && (status = repair_module(out_spirv)) != STATUS_OK) {
        text_add(log, "llvm-spirv wrote words that are no instructions\n");
        status = STATUS_COMPILE_FAILED;
    }
    if (!status)
        status = embed_module(compilation, included, &begun, out_spirv);
    if (!status)
        status = mark_module(out_spirv);
    if (!status)
        status = check_words(out_spirv, log);
    text_fini(&bitcode);
    return status;
}

/* Can the source include files of the caller's directory? A backslash at a line end may split the word
 * `include`. */
static bool may_include(const struct compile_request *request)
{
    static const char *const signs[] = {"include", "import", "\\\n", "\\\r"};
    bool found = request->header_count > 0;
    for (size_t i = 0; !found && i < sizeof signs / sizeof *signs; i++)
        found = strstr(request->source, signs[i]) != NULL;
    return found;
}

bool compile_may_name(const struct compilation *compilation, const char *part)
{
    const struct list *macros = &compilation->options->macros;
    bool named = may_include(compilation->request) || strstr(compilation->request->source, part);
    for (size_t i = 0; i < macros->count && !named; i++)
        named = strstr(macros->items[i], part) != NULL;
    return named;
}

/* Hashes everything that decides the words and the log, and nothing else. Included files are compared when
 * an entry is loaded. False: out of memory. */
static bool cache_key_of_compilation(const struct compilation *compilation, struct cache_key *out_key)
{
    const struct compile_request *request = compilation->request;
    struct text description = {0};
    struct list arguments = {0};
    text_add_bytes(&description, compilation->toolchain->identity.data,
                   compilation->toolchain->identity.size);
    clang_arguments(compilation, &arguments);
    llvm_spirv_arguments(compilation, &arguments);
    list_add(&arguments, may_include(request) ? compilation->working_directory : "");
    list_add(&arguments, request->embed_source ? "source" : "");
    list_add(&arguments, request->debug ? "debug records" : "");
    for (size_t i = 0; i < request->header_count; i++) {
        list_add(&arguments, request->headers[i].name);
        list_add(&arguments, request->headers[i].text);
    }
    cache_describe(&arguments, &description);
    clang_source(compilation, &description);
    const bool whole = cache_key_of(&description, out_key);
    list_fini(&arguments);
    text_fini(&description);
    return whole;
}

static enum status compile_or_load(const struct compilation *compilation, struct spirv *out_spirv,
                                   struct text *log)
{
    const char *directory = compilation->toolchain->cache_directory;
    struct list included = {0};
    struct cache_key key;
    if (directory && !cache_key_of_compilation(compilation, &key))
        directory = NULL;
    if (directory && cache_load(directory, key, out_spirv, log))
        return check_features(compilation->request, out_spirv, log);
    struct diagnosis diagnosis = {0};
    toolchain_find_headers(compilation->toolchain);
    enum status status = toolchain_find_server(compilation->toolchain, compilation->request, &diagnosis);
    if (status)
        text_addf(log, "%s\n", diagnosis.text);
    else
        status = compile(compilation, out_spirv, &included, log);
    if (!status && directory)
        cache_store(directory, key, out_spirv, log, &included);
    list_fini(&included);
    /* A cached module may be of a device with other features. */
    return status ? status : check_features(compilation->request, out_spirv, log);
}

static enum status compile_request(const struct compile_request *request, struct spirv *out_spirv,
                                   struct text *log)
{
    struct options options;
    struct toolchain toolchain = {0};
    struct diagnosis diagnosis = {0};
    struct early_translation early = {0};
    char *working_directory = getcwd(NULL, 0);
    enum status status = options_parse(request->options, false, &options, &diagnosis);
    struct compilation compilation = {.request = request,
                                      .options = &options,
                                      .toolchain = &toolchain,
                                      .working_directory = working_directory ? working_directory : "/",
                                      .limits = {request->seconds, request->memory_bytes},
                                      .cl_std = cl_std_of(request, &options),
                                      .early = &early,
                                      .cplusplus = is_cplusplus(&options)};
    if (!status)
        status = check_version(&compilation, log);
    if (!status)
        status = toolchain_open(&toolchain, &diagnosis);
    if (diagnosis.text[0])
        text_addf(log, "%s\n", diagnosis.text);
    if (!status)
        status = compile_or_load(&compilation, out_spirv, log);
    early_translation_fini(&early);
    toolchain_fini(&toolchain);
    options_fini(&options);
    free(working_directory);
    return status;
}

enum status compile_opencl_c(const struct compile_request *request, struct spirv *out_spirv, char **out_log)
{
    struct text log = {0};
    struct file_limit hold;
    *out_spirv = (struct spirv){0};
    file_limit_hold(&hold);
    enum status status = compile_request(request, out_spirv, &log);
    file_limit_release(&hold);
    if (status)
        spirv_fini(out_spirv);
    *out_log = text_take(&log);
    return status;
}
