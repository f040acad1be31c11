/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a tool in the compile server or as a program of its own: the same arguments, the same result. The
 * server translates clang's output at once, in the same process; compilation->early keeps that for
 * llvm_spirv.c. */
#include "compile.h"

#include "compile_server.h"

static bool is_given(const struct process *process)
{
    return process->arguments != NULL;
}

static bool run_by(const struct compilation *compilation, const struct shared_server *shared,
                   enum compile_tool tool, const struct process *process, const struct process *translation,
                   struct process_result *out_result)
{
    struct compile_server_job job = {.processes = {*process}, .tools = {tool}, .count = 1};
    struct process_result results[COMPILE_TOOL_COUNT] = {{.exit_code = 0}};
    size_t ran = 0;
    if (is_given(translation)) {
        job.processes[1] = *translation;
        job.tools[1] = COMPILE_LLVM_SPIRV;
        job.count = 2;
    }
    if (!compile_server_run(compilation->toolchain->server, shared, &job, results, &ran))
        return false;
    *out_result = results[0];
    if (ran == 2) {
        compilation->early->done = true;
        compilation->early->translation = results[1];
    }
    return true;
}

/* If no server can be shared, or the shared one fails, a server of the host's own is used. */
static bool run_by_server(const struct compilation *compilation, enum compile_tool tool,
                          const struct process *process, const struct process *translation,
                          struct process_result *out_result)
{
    const struct shared_server shared = toolchain_shared_server(compilation->toolchain);
    return (compilation->request->way == COMPILE_SHARED &&
            run_by(compilation, &shared, tool, process, translation, out_result)) ||
           run_by(compilation, NULL, tool, process, translation, out_result);
}

enum status compile_run(const struct compilation *compilation, enum compile_tool tool,
                        const struct process *process, const struct process *translation,
                        struct process_result *out_result, struct diagnosis *diagnosis)
{
    static const struct process none = {.arguments = NULL};
    const struct toolchain *toolchain = compilation->toolchain;
    if (toolchain->server &&
        run_by_server(compilation, tool, process, translation ? translation : &none, out_result))
        return STATUS_OK;
    if (toolchain->server && compilation->request->way == COMPILE_BY_SERVER)
        return diagnose(
            diagnosis, STATUS_COMPILER_MISSING,
            "the compile server %s ended or did not reply (--compiler=auto runs clang and llvm-spirv "
            "then)\n",
            toolchain->server);
    return process_run(process, out_result, diagnosis);
}

void early_translation_fini(struct early_translation *early)
{
    if (early->done)
        process_result_fini(&early->translation);
    early->done = false;
}
