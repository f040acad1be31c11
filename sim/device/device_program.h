/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A loaded module on a device: its variables' memory, its kernels, and for each
 *          kernel the code and groups of every form in which it has been launched.
 *
 * Interface  program_* and kernel_info of orrery/device.h, and for device.c:
 *   kernel_variant   code for a lane width and checks, with its pool of groups
 *   program_construct  constructors, before the first launch
 *   program_running  the code whose sites program_site finds
 *   program_line     how a line of a site's file begins
 *   program_debug    clang's description of a kernel's variables: its text is compiled again for that, once
 *   program_builds   does its text with those edits compile? Not more than TRIALS_MOST texts are tried
 *   program_source_get   the texts that are known of it
 *   program_is_own   the site is in the text that the program was built from
 */
#ifndef ORRERY_SIM_DEVICE_DEVICE_PROGRAM_H
#define ORRERY_SIM_DEVICE_DEVICE_PROGRAM_H

#include "group.h"
#include "sim/source/statement.h"

struct code_edit;
struct compile_request;

struct variant {
    struct code_request request;
    const struct code *code;
    struct group_pool pool;
    struct variant *next;
};

struct kernel {
    struct program *program;
    size_t index;
    const struct kernel_info *info;
    struct kernel_traits traits;
    bool traits_known;
    struct variant *variants; /* used by the thread that launches only */
};

enum { TRIALS_MOST = 64 };
/* Texts that were compiled for findings, by their hashes. */
struct trials {
    struct {
        uint64_t hash;
        bool builds;
    } items[TRIALS_MOST];
    uint32_t count;
    struct module *debug; /* of the text itself, with debug information; NULL: there is none, or */
    bool debug_tried;     /* it was compiled, or that failed */
};

/* A file that the module carries, or a #line of the text names, as positions name it. */
struct source_file {
    const char *name;
    char *text;
    char **lines;
    uint32_t line_count;
};

struct program {
    struct device *device;
    struct module *module;
    size_t kernel_count;
    struct kernel *kernels;
    size_t hosted_count;
    const struct kernel **hosted; /* those of them that the host can enqueue */
    bool constructed, destructed; /* have they run? */
    bool profiled;                /* its kernels are known to the profile */
    uint64_t *variables;          /* addresses */
    uint64_t variable_bytes;
    char *source_name, *source_text, *module_name;
    char **lines;
    uint32_t line_count; /* of source_text */
    char **own_lines;    /* those that positions in source_name mean: with #line they are not lines */
    uint32_t own_line_count;
    struct source_line *statements; /* of each of them; NULL: not known */
    struct source_file *files;
    size_t file_count;
    struct compile_request *compiled; /* how the text was; NULL: not known */
    struct trials *trials;
    const struct code *running; /* the latest code launched */
    bool detailed_errors, uniform_groups, unoptimised, zero_local, zero_private; /* as requested */
};

enum status kernel_traits_get(struct kernel *kernel, const struct code_request *request,
                              struct kernel_traits *out_traits, struct diagnosis *diagnosis);
enum status kernel_variant(struct kernel *kernel, const struct code_request *request,
                           struct variant **out_variant, struct diagnosis *diagnosis);
/* The program's constructors run with the first launch, where that runs. OUT_OF_MEMORY and what ends a
 * run. */
enum status program_construct(struct program *program, const struct launch_request *first,
                              struct diagnosis *diagnosis);
void program_running(struct program *program, const struct code *code);
/* NULL: it is not known. The numbers of private variables are those of the code that runs. */
const struct code_debug *program_debug(const struct program *program, const struct kernel_info *kernel);
bool program_builds(const struct program *program, const struct code_edit *edits, uint32_t count);
/* As places in reports name it. */
const char *program_file(const struct program *program, const char *file, uint32_t line);
bool program_is_own(const struct program *program, uint32_t site);
/* The module, with the values of its specialisation constants. */
const uint32_t *program_words(const struct program *program, size_t *out_count);
/* Text 0 is the one that it was built from; then those that the module carries: unquoted lines are empty. */
struct program_source {
    const char *name;
    char *const *lines;
    uint32_t line_count;
};
bool program_source_get(const struct program *program, size_t index,
                        struct program_source *out_source); /* false: past the end */
struct source_line program_line(const struct program *program, uint32_t site, uint32_t line);

#endif
