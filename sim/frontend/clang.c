/* SPDX-License-Identifier: Apache-2.0 */
/* Calls clang: its arguments, and the prologue that is put before the program's text. */
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "compile.h"
#include "headers.h"
#include "precompiled.h"

/* Arguments that do not depend on clang's installation. */
static const char *const fixed_arguments[] = {
    "-cc1",
    "-triple",
    "spir64",
    "-x",
    "cl",
    "-O0",
    "-disable-O0-optnone", /* keeps every access of the source */
    "-ffp-contract=off",
    "-fpreserve-vec3-type",     /* the bytes of a fourth component are padding */
    "-cl-kernel-arg-info",      /* clGetKernelArgInfo reads the names in the module */
    "-debug-info-kind=limited", /* debug_records.c takes what it needs */
    ("-fdebug-compilation-dir=" COMPILE_DIRECTORY),
    "-Wno-builtin-macro-redefined", /* The results are the same bytes at any time. */
    "-D__DATE__=\"Jan  1 1970\"",
    "-D__TIME__=\"00:00:00\"",
    "-D__TIMESTAMP__=\"Thu Jan  1 00:00:00 1970\"",
};

static const char *const sub_group_macros[] = {
    "cl_khr_subgroup_extended_types",   "cl_khr_subgroup_non_uniform_vote",
    "cl_khr_subgroup_ballot",           "cl_khr_subgroup_non_uniform_arithmetic",
    "cl_khr_subgroup_shuffle",          "cl_khr_subgroup_shuffle_relative",
    "cl_khr_subgroup_clustered_reduce",
};

/* The header needs images. Where the device has none, these macros are undefined after the header, and
 * compile.c refuses a module that uses images nevertheless. */
static const char *const image_macros[] = {
    "__IMAGE_SUPPORT__",          "__opencl_c_images",
    "__opencl_c_3d_image_writes", "__opencl_c_read_write_images",
    "cl_khr_3d_image_writes",     "cl_khr_depth_images",
    "cl_khr_mipmap_image",        "cl_khr_mipmap_image_writes",
};

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static void add_extensions(const struct compile_request *request, unsigned cl_std, struct list *arguments)
{
    const struct {
        bool on;
        unsigned since, until;
        const char *names;
    } rows[] = {
        {true, 100, 300,
         ",+cl_khr_byte_addressable_store,+cl_khr_global_int32_base_atomics"
         ",+cl_khr_global_int32_extended_atomics,+cl_khr_local_int32_base_atomics"
         ",+cl_khr_local_int32_extended_atomics"},
        {request->fp16, 100, 300, ",+cl_khr_fp16"},
        {request->fp64, 100, 300, ",+cl_khr_fp64"},
        {request->fp64, 300, 300, ",+__opencl_c_fp64"},
        {request->int64_atomics, 100, 300, ",+cl_khr_int64_base_atomics,+cl_khr_int64_extended_atomics"},
        {request->images, 100, 299, ",+cl_khr_3d_image_writes,+cl_khr_depth_images"},
        {true, 300, 300, ",+cl_khr_3d_image_writes,+cl_khr_depth_images"},
        {request->images, 200, 299, ",+cl_khr_mipmap_image,+cl_khr_mipmap_image_writes"},
        {true, 300, 300, ",+cl_khr_mipmap_image,+cl_khr_mipmap_image_writes"},
        /* The header does not compile without images; see image_macros. */
        {true, 300, 300, ",+__opencl_c_images,+__opencl_c_3d_image_writes,+__opencl_c_read_write_images"},
        {request->sub_groups, 120, 300, ",+cl_khr_subgroups"},
        {request->sub_groups, 300, 300, ",+__opencl_c_subgroups"},
        {request->sub_groups, 120, 300, ",+cl_intel_subgroups,+cl_intel_subgroups_short"},
        {request->pipes && request->generic_address_space, 300, 300, ",+__opencl_c_pipes"},
        {compile_has_device_enqueue(request), 300, 300, ",+__opencl_c_device_enqueue"},
        {request->generic_address_space, 300, 300, ",+__opencl_c_generic_address_space"},
        {request->program_scope_variables, 300, 300, ",+__opencl_c_program_scope_global_variables"},
        {true, 300, 300, ",+__opencl_c_atomic_order_acq_rel,+__opencl_c_atomic_order_seq_cst"},
    };
    struct text names = {0};
    text_add(&names, "-cl-ext=-all");
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (rows[i].on && cl_std >= rows[i].since && cl_std <= rows[i].until)
            text_add(&names, rows[i].names);
    list_add(arguments, names.failed ? "" : names.data);
    text_fini(&names);
}

static bool is_warning_option(const char *option)
{
    return !strncmp(option, "-w", 2) || !strncmp(option, "-W", 2);
}

/* The arguments that decide what the header means. A precompiled header fits every compilation with the
 * same arguments. */
void clang_language(const struct compilation *compilation, struct list *arguments)
{
    const struct compile_request *request = compilation->request;
    for (size_t i = 0; i < COUNT_OF(fixed_arguments); i++)
        list_add(arguments, fixed_arguments[i]);
    if (compilation->cplusplus) {
        list_addf(arguments, "-cl-std=%s", compilation->options->cl_std);
    } else {
        list_addf(arguments, "-cl-std=CL%u.%u", compilation->cl_std / 100, compilation->cl_std / 10 % 10);
        /* Without optimisation, plain inline functions of C99 would have no body. */
        list_add(arguments, "-fgnu89-inline");
    }
    add_extensions(request, compilation->cl_std, arguments);
    list_addf(arguments, "-D__OPENCL_VERSION__=%u",
              request->version_major * 100 + request->version_minor * 10);
    /* clang assumes the generic address space in OpenCL C 2.0; this declares functions of pointers to each
     * named address space. */
    if (compilation->cl_std == 200 && !request->generic_address_space)
        list_add(arguments, "-D__opencl_c_named_address_space_builtins=1");
    if (compilation->cl_std == 300 && request->work_group_collectives)
        list_add(arguments, "-D__opencl_c_work_group_collective_functions=1");
    if (compilation->cl_std == 300)
        list_add(arguments, "-D__opencl_c_int64=1");
    if (compilation->cl_std == 300)
        list_add(arguments, "-D__opencl_c_images=1");
    for (size_t i = 0; i < compilation->options->clang.count; i++)
        if (!is_warning_option(compilation->options->clang.items[i]))
            list_add(arguments, compilation->options->clang.items[i]);
    if (compilation->toolchain->header_directory) {
        list_add(arguments, "-internal-isystem");
        list_add(arguments, compilation->toolchain->header_directory);
    }
}

static void clang_warnings(const struct compilation *compilation, struct list *arguments)
{
    for (size_t i = 0; i < compilation->options->clang.count; i++)
        if (is_warning_option(compilation->options->clang.items[i]))
            list_add(arguments, compilation->options->clang.items[i]);
}

void clang_default_header(const struct compilation *compilation, struct list *arguments)
{
    if (!compilation->toolchain->header_directory) {
        list_add(arguments, "-finclude-default-header");
        return;
    }
    list_add(arguments, "-include");
    list_add(arguments, "opencl-c.h");
}

static void add_directory(const struct compilation *compilation, const char *option, const char *directory,
                          struct list *arguments)
{
    list_add(arguments, option);
    if (directory[0] == '/')
        list_add(arguments, directory);
    else
        list_addf(arguments, "%s/%s", compilation->working_directory, directory);
}

/* Directories of #include, in order: embedded headers, those of -I, the caller's own. */
static void add_directories(const struct compilation *compilation, const struct headers *headers,
                            struct list *arguments)
{
    const struct options *options = compilation->options;
    if (headers->directory) {
        list_add(arguments, "-I");
        list_add(arguments, ".");
        add_directory(compilation, "-iquote", compilation->working_directory, arguments);
    }
    for (size_t i = 0; i < options->directories.count; i++)
        add_directory(compilation, "-I", options->directories.items[i], arguments);
    if (compilation->request->program_dir)
        add_directory(compilation, "-I", compilation->request->program_dir, arguments);
}

static void undefine(struct text *source, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        text_addf(source, "#undef %s\n", names[i]);
}

/* Like -D: "NAME" is 1, the last definition of a name counts, and the value ends at a line end. */
static void define(struct text *source, const char *macro)
{
    size_t name = strcspn(macro, "(= "), head = strcspn(macro, "="), whole = strcspn(macro, "\r\n");
    const char *value = head < whole && macro[head] ? macro + head + 1 : "1";
    if (head > whole)
        head = whole;
    text_addf(source, "#undef %.*s\n#define %.*s %.*s\n", (int)name, macro, (int)head, macro,
              (int)strcspn(value, "\r\n"), value);
}

static void add_line_marker(struct text *source, const char *name)
{
    text_add(source, "#line 1 \"");
    for (; *name; name++) {
        if (*name == '"' || *name == '\\')
            text_add(source, "\\");
        text_add_bytes(source, *name == '\n' ? " " : name, 1);
    }
    text_add(source, "\"\n");
}

/* Functions that the installed header lacks, written in terms of others, for sources that use them. */
static void add_rotations(const struct compilation *compilation, struct text *source)
{
    static const char *const types[] = {"char", "uchar", "short", "ushort", "int",   "uint",
                                        "long", "ulong", "float", "half",   "double"};
    const struct compile_request *request = compilation->request;
    text_add(source, "#define cl_khr_subgroup_rotate 1\n");
    if (!strstr(request->source, "sub_group_rotate") &&
        !strstr(request->source, "sub_group_clustered_rotate"))
        return;
    if (request->fp16)
        text_add(source, "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n");
    for (size_t i = 0; i < COUNT_OF(types); i++) {
        char text[640];
        if ((!request->fp16 && !strcmp(types[i], "half")) || (!request->fp64 && !strcmp(types[i], "double")))
            continue;
        snprintf(text, sizeof text,
                 "static inline __attribute__((overloadable)) %s sub_group_rotate(%s x, int delta)"
                 "{return sub_group_shuffle(x, (get_sub_group_local_id() + (uint)delta) %% "
                 "get_max_sub_group_size());}"
                 "static inline __attribute__((overloadable)) %s sub_group_clustered_rotate(%s x, int delta, "
                 "uint size)"
                 "{uint i = get_sub_group_local_id(); return sub_group_shuffle(x, (i & ~(size - 1)) | ((i + "
                 "(uint)delta) & (size - 1)));}\n",
                 types[i], types[i], types[i], types[i]);
        text_add(source, text);
    }
    if (request->fp16)
        text_add(source, "#pragma OPENCL EXTENSION cl_khr_fp16 : disable\n");
}

/* Shuffles of half vectors, which Intel's compiler has and the header lacks. */
static void add_half_shuffles(const struct compilation *compilation, struct text *source)
{
    static const char *const sizes[] = {"2", "3", "4", "8", "16"};
    static const char *const names[] = {"shuffle", "shuffle_xor"}, *const pairs[] = {"shuffle_down",
                                                                                     "shuffle_up"};
    if (!compilation->request->fp16 || !strstr(compilation->request->source, "intel_sub_group_shuffle"))
        return;
    text_add(source, "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n");
    for (size_t i = 0; i < COUNT_OF(sizes); i++)
        for (size_t k = 0; k < COUNT_OF(names); k++) {
            const char *n = sizes[i];
            text_addf(
                source,
                "static inline __attribute__((overloadable)) half%s intel_sub_group_%s(half%s x, uint c)"
                "{return as_half%s(intel_sub_group_%s(as_ushort%s(x), c));}\n",
                n, names[k], n, n, names[k], n);
            text_addf(source,
                      "static inline __attribute__((overloadable)) half%s intel_sub_group_%s(half%s x, "
                      "half%s y, uint c)"
                      "{return as_half%s(intel_sub_group_%s(as_ushort%s(x), as_ushort%s(y), c));}\n",
                      n, pairs[k], n, n, n, pairs[k], n, n);
        }
    text_add(source, "#pragma OPENCL EXTENSION cl_khr_fp16 : disable\n");
}

/* What the translator lacks of device-side enqueue: null handles, and arrays of sizes with another length.
 * Handles are compared by functions named _bits, which lose their linkage in repair.c. */
static void add_device_enqueue(struct text *source, const char *user)
{
    static const char *const handles[][3] = {{"queue_t", "queue", "QUEUE"},
                                             {"clk_event_t", "event", "EVENT"}};
    for (size_t i = 0; i < COUNT_OF(handles); i++) {
        const char *type = handles[i][0], *name = handles[i][1];
        if (!strstr(user, type) && !strstr(user, "enqueue_"))
            continue;
        text_addf(source, "ulong __orrery_%s_bits(%s x){return *(private ulong *)&x;}\n", name, type);
        text_addf(source,
                  "static inline %s __orrery_null_%s(void){ulong x = 0; return *(private %s *)&x;}\n"
                  "#undef CLK_NULL_%s\n#define CLK_NULL_%s __orrery_null_%s()\n",
                  type, name, type, handles[i][2], handles[i][2], name);
    }
    for (int n = 2; n <= 3; n++) {
        char call[24];
        snprintf(call, sizeof call, "ndrange_%dD", n);
        if (!strstr(user, call))
            continue;
        text_addf(source,
                  "static inline __attribute__((overloadable)) ndrange_t __orrery_%s(const size_t *o, const "
                  "size_t *g, const size_t *l)"
                  "{ndrange_t r = {%d, {0, 0, 0}, {1, 1, 1}, {0, 0, 0}}; for (int i = 0; i < %d; i++)"
                  "{r.globalWorkOffset[i] = o ? o[i] : 0; r.globalWorkSize[i] = g[i]; r.localWorkSize[i] = l "
                  "? l[i] : 0;} return r;}\n",
                  call, n, n);
        text_addf(source,
                  "static inline __attribute__((overloadable)) ndrange_t __orrery_%s(const size_t *g, const "
                  "size_t *l)"
                  "{return __orrery_%s(0, g, l);}\n"
                  "static inline __attribute__((overloadable)) ndrange_t __orrery_%s(const size_t *g){return "
                  "__orrery_%s(0, g, 0);}\n"
                  "#define %s __orrery_%s\n",
                  call, call, call, call, call, call);
    }
}

/* clang skips a byte order mark at the start of its input only, which is the prologue's. */
static const char *after_byte_order_mark(const char *source)
{
    static const char mark[] = "\xef\xbb\xbf";
    return strncmp(source, mark, 3) ? source : source + 3;
}

/* The prologue. User positions count from the first line after it. Macros of the options are defined here
 * instead of by arguments, so that they cannot change the language's header: one precompiled header serves
 * every program. */
void clang_source(const struct compilation *compilation, struct text *source)
{
    const struct compile_request *request = compilation->request;
    extensions_add_functions(compilation, source);
    if (!request->sub_groups)
        undefine(source, sub_group_macros, COUNT_OF(sub_group_macros));
    else
        add_rotations(compilation, source);
    if (request->sub_groups)
        add_half_shuffles(compilation, source);
    if (compilation->cl_std >= 200 && !compilation->cplusplus && compile_has_device_enqueue(request))
        add_device_enqueue(source, request->source);
    if (!request->images)
        undefine(source, image_macros, COUNT_OF(image_macros));
    add_line_marker(source, "<build options>");
    for (size_t i = 0; i < compilation->options->macros.count; i++)
        define(source, compilation->options->macros.items[i]);
    add_line_marker(source, request->source_name ? request->source_name : "program.cl");
    text_add(source, after_byte_order_mark(request->source));
    text_add(source, "\n");
}

/* The stack that a crashing tool prints differs from run to run, so it is cut off. */
static size_t size_without_stack(const char *error)
{
    static const char *const starts[] = {"PLEASE submit a bug report", "Stack dump"};
    size_t size = strlen(error);
    for (size_t i = 0; i < COUNT_OF(starts); i++) {
        const char *start = strstr(error, starts[i]);
        if (start && (size_t)(start - error) < size)
            size = (size_t)(start - error);
    }
    return size;
}

static void add_limit(const char *tool, const struct process_result *result, struct text *log)
{
    if (result->limit == PROCESS_TIME)
        text_addf(log, "%s was stopped after %u seconds of processor time (--compile-time sets the limit)\n",
                  tool, result->limits.seconds);
    else if (result->limit == PROCESS_BLOCKED)
        text_addf(log,
                  "%s was stopped after %u seconds in which it only waited, perhaps for a file that cannot "
                  "be read to "
                  "its end (--compile-time sets the limit)\n",
                  tool, result->limits.seconds);
    else
        text_addf(log, "%s needed more than %llu MiB of memory (--compile-memory sets the limit)\n", tool,
                  (unsigned long long)(result->limits.bytes >> 20));
}

/* Lines are cut where they no longer help: llvm-spirv prints whole initializers. */
static void add_output(const char *output, size_t size, struct text *log)
{
    enum { CHARS_MOST = 1000, CHARS_SHOWN = 200 };
    for (size_t at = 0, end; at < size; at = end) {
        const char *newline = memchr(output + at, '\n', size - at);
        end = newline ? (size_t)(newline + 1 - output) : size;
        const bool cut = end - at > CHARS_MOST;
        text_add_bytes(log, output + at, cut ? CHARS_SHOWN : end - at);
        if (cut)
            text_add(log, "...\n");
    }
}

enum status compile_tool_failed(const char *tool, const struct process_result *result, struct text *log)
{
    const char *error = result->error.data ? result->error.data : "";
    add_output(error, size_without_stack(error), log);
    if (result->limit)
        add_limit(tool, result, log);
    else if (result->signal)
        text_addf(log, "%s was ended by signal %d (%s); this is a fault of %s, not of the host program\n",
                  tool, result->signal, strsignal(result->signal), tool);
    else if (!result->error.size)
        text_addf(log, "%s ended with status %d and said nothing\n", tool, result->exit_code);
    return STATUS_COMPILE_FAILED;
}

static enum status run(const struct compilation *compilation, const struct list *arguments,
                       const struct headers *headers, struct process_result *result, struct text *log)
{
    struct text source = {0};
    struct diagnosis diagnosis = {0};
    clang_source(compilation, &source);
    struct process process = {.arguments = arguments->items,
                              .directory = headers->directory,
                              .input = source.data,
                              .input_size = source.size,
                              .extra_output = true,
                              .limits = compilation->limits};
    struct list translator = {0};
    llvm_spirv_arguments(compilation, &translator);
    const struct process translation = {.arguments = translator.items, .limits = compilation->limits};
    enum status status =
        source.failed || arguments->failed || translator.failed
            ? STATUS_OUT_OF_MEMORY
            : compile_run(compilation, COMPILE_CLANG, &process, &translation, result, &diagnosis);
    text_add(log, diagnosis.text);
    list_fini(&translator);
    text_fini(&source);
    return status;
}

static void add_arguments(const struct compilation *compilation, const struct headers *headers,
                          const char *precompiled, struct list *arguments)
{
    static const char *const output[] = {
        "-emit-llvm-bc", "-dependency-file", "/dev/fd/3", "-MT", "program", "-o", "-", "-"};
    list_add(arguments, compilation->toolchain->clang);
    clang_language(compilation, arguments);
    if (precompiled) {
        list_add(arguments, "-include-pch");
        list_add(arguments, precompiled);
    } else {
        clang_default_header(compilation, arguments);
    }
    clang_warnings(compilation, arguments);
    add_directories(compilation, headers, arguments);
    for (size_t i = 0; i < COUNT_OF(output); i++)
        list_add(arguments, output[i]);
}

void clang_arguments(const struct compilation *compilation, struct list *arguments)
{
    const struct headers none = {0};
    add_arguments(compilation, &none, NULL, arguments);
}

static enum status compile_once(const struct compilation *compilation, const struct headers *headers,
                                const char *precompiled, struct process_result *result, struct text *log)
{
    struct list arguments = {0};
    add_arguments(compilation, headers, precompiled, &arguments);
    enum status status = run(compilation, &arguments, headers, result, log);
    list_fini(&arguments);
    return status;
}

/* If the precompiled header is damaged or of another clang, compiles again without it. */
static enum status compile_with_headers(const struct compilation *compilation, const struct headers *headers,
                                        struct process_result *result, struct text *log)
{
    char *precompiled = precompiled_get(compilation);
    enum status status = compile_once(compilation, headers, precompiled, result, log);
    if (!status && precompiled && process_failed(result) && precompiled_is_refused(result)) {
        precompiled_drop(compilation, precompiled);
        process_result_fini(result);
        status = compile_once(compilation, headers, NULL, result, log);
    }
    free(precompiled);
    return status;
}

enum status clang_compile(const struct compilation *compilation, struct text *out_bitcode,
                          struct list *included, struct text *log)
{
    struct headers headers = {0};
    struct process_result result = {0};
    enum status status = headers_write(compilation->request, &headers, log);
    if (!status)
        status = compile_with_headers(compilation, &headers, &result, log);
    if (!status && process_failed(&result))
        status = compile_tool_failed("clang", &result, log);
    if (!status) {
        text_add_bytes(log, result.error.data, result.error.size);
        headers_included(&headers, compilation->working_directory, &result.extra, included);
        *out_bitcode = result.output;
        result.output = (struct text){0};
    }
    process_result_fini(&result);
    headers_remove(&headers);
    return status;
}

void clang_text(const struct compilation *compilation, const struct text *bitcode, struct text *out_text)
{
    static const char *const words[] = {
        "-cc1", "-triple",    "spir64", "-x", "ir", "-O0", "-disable-llvm-passes",
        "-S",   "-emit-llvm", "-w",     "-o", "-",  "-"};
    struct list arguments = {0};
    struct process_result result = {0};
    struct diagnosis diagnosis = {0};
    list_add(&arguments, compilation->toolchain->clang);
    for (size_t i = 0; i < COUNT_OF(words); i++)
        list_add(&arguments, words[i]);
    struct process process = {.arguments = arguments.items,
                              .input = bitcode->data,
                              .input_size = bitcode->size,
                              .limits = compilation->limits};
    if (!arguments.failed &&
        compile_run(compilation, COMPILE_CLANG, &process, NULL, &result, &diagnosis) == STATUS_OK &&
        !process_failed(&result))
        text_add_bytes(out_text, result.output.data, result.output.size);
    process_result_fini(&result);
    list_fini(&arguments);
}
