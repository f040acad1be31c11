/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  From the source of a program to SPIR-V words.  OpenCL C goes through
 *          clang and llvm-spirv, as child processes or in the compile server; SPIRV-Tools validates,
 *          assembles, disassembles and links.  Has no OpenCL objects.
 *
 * Ownership  struct spirv owns its words; spirv_fini frees them.  Logs are malloc'd
 *            strings the caller frees; they are set (possibly "") on every return.
 */
#ifndef ORRERY_COMPILER_H
#define ORRERY_COMPILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "orrery/status.h"

struct spirv {
    uint32_t *words;
    size_t word_count;
};
void spirv_fini(struct spirv *spirv);

/* OpSourceExtension of a module that compile_opencl_c made: an access to components of a vector is that of
 * the source. */
#define MODULE_COMPONENTS "orrery.components"

/* OpModuleProcessed of a module that was compiled for a debugger: debug records as words, in hexadecimal.
 * Two numbers are our own. */
#define DEBUG_RECORDS_PREFIX "orrery.debug:"
enum { DEBUG_RECORD_POSITION = 0x10000, DEBUG_RECORD_VARIABLE };

struct compile_header {
    const char *name;
    const char *text;
};

/* The compilers used: the compile server if it fits clang and llvm-spirv, else these, the default; or only
 * one of them; or the compile server that the user's processes share, and else the default. The result is the
 * same. */
enum compile_way { COMPILE_AUTO, COMPILE_BY_SERVER, COMPILE_BY_PROGRAMS, COMPILE_SHARED };

struct compile_request {
    const char *source;      /* OpenCL C */
    const char *source_name; /* shown in logs and findings, "program.cl" */
    const char *options;     /* as given to clBuildProgram; NULL = "" */
    const struct compile_header *headers;
    size_t header_count;
    uint32_t version_major, version_minor; /* of the device: default and limit of -cl-std */
    bool opencl_c_20;                      /* whether -cl-std=CL2.0 is one of them */
    bool fp16, fp64, int64_atomics, sub_groups, generic_address_space, program_scope_variables,
        work_group_collectives, images, pipes, device_enqueue, kernel_clock, named_barriers, srgb_writes;
    const char *program_dir; /* extra include directory, or NULL */
    uint32_t seconds;        /* processor time of clang and of llvm-spirv, of each at most; 0: no limit */
    uint64_t memory_bytes;   /* likewise */
    enum compile_way way;
    bool debug; /* the module keeps a debugger's data on variables and types */
    /* what is quoted of the source is kept in the module, as it is of what it includes */
    bool embed_source;
};

/* The options' requests beyond the front end. */
struct build_options {
    bool kernel_arg_info, create_library, enable_link_options, denorms_are_zero, opt_disable, no_subgroup_ifp,
        uniform_work_group_size, debug;
};
enum status build_options_parse(const char *options, bool linking, struct build_options *out_options,
                                struct diagnosis *diagnosis);

/* BAD_OPTIONS, COMPILER_MISSING, COMPILE_FAILED (with clang's log), OK. Only syntax of options is judged
 * before the compiler is looked for. The returned module has been validated, OpLine positions name
 * source_name and the headers as included. */
enum status compile_opencl_c(const struct compile_request *request, struct spirv *out_spirv, char **out_log);
bool compiler_available(void);

/* Which programs compile and where results are kept: set once by lib/ or tools/, which read
 * the environment, before the first compilation.  NULL fields keep their defaults; strings
 * are copied.  With the connection to the compile server the only process-wide state below lib/, because
 * the tools and the cache belong to the machine, not to a device. */
struct compiler_settings {
    const char *clang;           /* path, or name in PATH; default: found by configure */
    const char *llvm_spirv;      /* the same */
    const char *cache_directory; /* default NULL: nothing is kept between processes */
    const char *compile_server;  /* absolute path; default: what is installed with the library */
    /* of the user's session: a shared compile server listens below it; default NULL: below the cache's */
    const char *runtime_directory;
    unsigned shared_idle_ms; /* a shared server ends when nothing was built for so long; default 0: 10 s */
};
void compiler_configure(const struct compiler_settings *settings);

/* Path of the compile server that would build now, malloc'd; NULL: none, for the reason in the diagnosis. */
char *compiler_server(struct diagnosis *diagnosis);
/* Where a server that is shared listens, malloc'd; NULL: none can be shared, for the reason in the
 * diagnosis. */
char *compiler_shared_directory(struct diagnosis *diagnosis);

/* Several modules to one. create_library keeps exports and allows open imports. */
enum status spirv_link(const struct spirv *modules, size_t count, bool create_library,
                       struct spirv *out_spirv, char **out_log);

/* spirv-val for the OpenCL environment of the module's version. Log has position and message. */
enum status spirv_validate(const uint32_t *words, size_t word_count, char **out_log);
enum status spirv_assemble(const char *text, struct spirv *out_spirv, char **out_log);
enum status spirv_disassemble(const uint32_t *words, size_t word_count, char **out_text, char **out_log);

#endif
