/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The steps between source and words, each one file: clang.c, llvm_spirv.c,
 *          repair*.c, operations.c.  compile.c strings them together.
 *
 * Interface
 *   struct compilation   what every step reads
 *   clang_compile()      source to LLVM bitcode; also the files that were included
 *   clang_arguments()    all of clang's arguments, for the key of a cached result
 *   clang_source()       the text clang reads: prologue and source
 *   clang_language()     arguments that decide what a header means; clang_default_header()
 *   llvm_spirv_translate()   bitcode to words
 *   operations_of_module()  instructions that the translator lacks, from functions of extensions.c
 *   compile_run()        one tool, by the compile server or as a program
 *   clang_text()         bitcode as text, when something is to be found in it
 *   refused_place_of_module(), refused_place_of_text()   the source line that the validator, or the
 *   translator, refuses; false:
 *                                  unknown
 *   mark_module()        marks it as this front end's; mark_is()
 *   debug_records_park()  keep debug records for a debugger where nothing else sees them
 *   repair_module()      drop debug records, keep OpLine, make file names the user's
 */
#ifndef ORRERY_FRONTEND_COMPILE_H
#define ORRERY_FRONTEND_COMPILE_H

#include "options.h"
#include <time.h>

#include "orrery/compiler.h"
#include "child_process.h"
#include "compile_protocol.h"
#include "toolchain.h"

/* Stands for the directory of the compilation in clang's output; repair_module() removes it. */
#define COMPILE_DIRECTORY "/orrery-source"

/* The compile server's side effects. */
struct compile_ahead {
    bool done;
    struct process_result translation;
};
void compile_ahead_fini(struct compile_ahead *ahead);

struct compilation {
    const struct compile_request *request;
    const struct options *options;
    struct toolchain *toolchain;
    const char *working_directory; /* the caller's, absolute */
    struct process_limits limits;  /* of each program that runs */
    unsigned cl_std;               /* 100 * major + 10 * minor: 120, 200, 300 */
    struct compile_ahead *ahead;
    bool cplusplus; /* C++ for OpenCL 1.0 or 2021, which go with OpenCL C 2.0 and 3.0 */
};

/* Every log grows at its end; included receives absolute paths. */
enum status clang_compile(const struct compilation *compilation, struct text *out_bitcode,
                          struct list *included, struct text *log);
void clang_arguments(const struct compilation *compilation, struct list *arguments);
void clang_source(const struct compilation *compilation, struct text *source);
void clang_language(const struct compilation *compilation, struct list *arguments);
void clang_default_header(const struct compilation *compilation, struct list *arguments);
void llvm_spirv_arguments(const struct compilation *compilation, struct list *arguments);
enum status llvm_spirv_translate(const struct compilation *compilation, const struct text *bitcode,
                                 struct spirv *out_spirv, struct text *log);
/* translation: of what clang writes, if the tool is clang and it succeeds; NULL: none. */
enum status compile_run(const struct compilation *compilation, enum compile_tool tool,
                        const struct process *process, const struct process *translation,
                        struct process_result *out_result, struct diagnosis *diagnosis);
bool refused_place_of_module(const struct spirv *spirv, struct text *log);
void refused_place_of_text(const char *text, struct text *log);
void clang_text(const struct compilation *compilation, const struct text *bitcode, struct text *out_text);
enum status debug_records_park(struct spirv *spirv); /* debug_records.c: before it */
enum status repair_module(struct spirv *spirv);
/* Steps of it: repair_destructor.c, repair_expected.c, repair_line.c, repair_order.c, repair_select.c. */
enum status repair_destructors(struct spirv *spirv);
enum status repair_expected(struct spirv *spirv);
enum status repair_lines(struct spirv *spirv);
enum status repair_order(struct spirv *spirv);
enum status repair_selects(struct spirv *spirv);
enum status operations_of_module(struct spirv *spirv);
enum status mark_module(struct spirv *spirv);
bool mark_is(const uint32_t *words, uint32_t count);
/* Lines of included files, and of the source if requested; begun: before clang read them. */
enum status embed_module(const struct compilation *compilation, const struct list *included,
                         const struct timespec *begun, struct spirv *spirv);
/* Macros and functions of extensions that clang's header lacks, or has for every device. */
void extensions_add_functions(const struct compilation *compilation, struct text *source);

/* Device-side enqueue needs the two features besides its own. */
bool compile_has_device_enqueue(const struct compile_request *request);
/* The source, an option or a file that is included. */
bool compile_may_name(const struct compilation *compilation, const char *part);
/* A tool ended badly: its log and how it ended. */
enum status compile_tool_failed(const char *tool, const struct process_result *result, struct text *log);

#endif
