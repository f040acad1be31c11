/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The steps between source and words: clang.c, llvm_spirv.c, operations.c, repair*.c, embed.c,
 *          mark.c. compile.c calls them in this order.
 *
 * Interface
 *   struct compilation           the input of every step
 *   clang_compile                source to LLVM bitcode, and the files that were included
 *   clang_arguments              all of clang's arguments, for the key in the cache
 *   clang_source                 the text that clang reads: prologue and source
 *   clang_language               the arguments that decide what the header means; clang_default_header()
 *                                adds the header
 *   clang_text                   bitcode as text, to find an error's place in
 *   llvm_spirv_translate         bitcode to words
 *   compile_run                  runs one tool, in the compile server or as a program
 *   refused_place_of_module, refused_place_of_text   the source line that the validator, or the translator,
 *                                refuses, into the log; false: unknown
 *   operations_of_module         calls of functions of extensions.c become the instructions that they stand
 *                                for
 *   debug_records_pack           takes debug records out and marks where variables begin; keeps them for a
 *                                debugger, where no other reader of the module sees them
 *   repair_module                makes the module valid, drops debug records, and gives files the user's
 *                                names
 *   mark_module, mark_is         marks a module as made by this front end
 */
#ifndef ORRERY_FRONTEND_COMPILE_H
#define ORRERY_FRONTEND_COMPILE_H

#include "options.h"
#include <time.h>

#include "orrery/compiler.h"
#include "child_process.h"
#include "compile_protocol.h"
#include "toolchain.h"

/* The name that clang gets for the directory of the compilation; repair_module() removes it. */
#define COMPILE_DIRECTORY "/orrery-source"

/* The translation that the compile server made together with clang's output. */
struct early_translation {
    bool done;
    struct process_result translation;
};
void early_translation_fini(struct early_translation *early);

struct compilation {
    const struct compile_request *request;
    const struct options *options;
    struct toolchain *toolchain;
    const char *working_directory; /* absolute path of the caller's directory */
    struct process_limits limits;  /* of each tool */
    unsigned cl_std;               /* 100 * major + 10 * minor: 120, 200 or 300 */
    struct early_translation *early;
    bool cplusplus; /* C++ for OpenCL 1.0 or 2021, based on OpenCL C 2.0 and 3.0 */
};

/* Messages are appended to log; `included` receives absolute paths. */
enum status clang_compile(const struct compilation *compilation, struct text *out_bitcode,
                          struct list *included, struct text *log);
void clang_arguments(const struct compilation *compilation, struct list *arguments);
void clang_source(const struct compilation *compilation, struct text *source);
void clang_language(const struct compilation *compilation, struct list *arguments);
void clang_default_header(const struct compilation *compilation, struct list *arguments);
void llvm_spirv_arguments(const struct compilation *compilation, struct list *arguments);
enum status llvm_spirv_translate(const struct compilation *compilation, const struct text *bitcode,
                                 struct spirv *out_spirv, struct text *log);
/* Runs one tool. translation: the process that follows clang in the compile server; NULL: none. */
enum status compile_run(const struct compilation *compilation, enum compile_tool tool,
                        const struct process *process, const struct process *translation,
                        struct process_result *out_result, struct diagnosis *diagnosis);
bool refused_place_of_module(const struct spirv *spirv, struct text *log);
void refused_place_of_text(const char *text, struct text *log);
void clang_text(const struct compilation *compilation, const struct text *bitcode, struct text *out_text);
/* debug_records.c; before repair_module(). keeps: for a debugger */
enum status debug_records_pack(struct spirv *spirv, bool keeps);
enum status repair_module(struct spirv *spirv);
/* The passes of repair_module(), each in the file of its name. */
enum status repair_addresses(struct spirv *spirv);
enum status repair_destructors(struct spirv *spirv);
enum status repair_expected(struct spirv *spirv);
enum status repair_extracts(struct spirv *spirv);
enum status repair_lines(struct spirv *spirv);
enum status repair_literals(struct spirv *spirv);
enum status repair_opaques(struct spirv *spirv);
enum status repair_order(struct spirv *spirv);
enum status repair_selects(struct spirv *spirv);
enum status operations_of_module(struct spirv *spirv);
enum status mark_module(struct spirv *spirv);
bool mark_is(const uint32_t *words, uint32_t count);
/* Embeds the lines of included files, and of the source if the request says so. begun: the time before
 * clang read the files. */
enum status embed_module(const struct compilation *compilation, const struct list *included,
                         const struct timespec *begun, struct spirv *spirv);
/* Adds macros and functions of extensions that clang's header lacks, or defines for every device. */
void extensions_add_functions(const struct compilation *compilation, struct text *source);

/* Device-side enqueue also needs the generic address space and program-scope variables. */
bool compile_has_device_enqueue(const struct compile_request *request);
/* Can the source, an option or an included file contain this text? */
bool compile_may_name(const struct compilation *compilation, const char *part);
/* Logs the output of a tool that failed, and how it ended. */
enum status compile_tool_failed(const char *tool, const struct process_result *result, struct text *log);

#endif
