/* SPDX-License-Identifier: Apache-2.0 */
/* Which build of Orrery this is, and which compilers it finds. */
#include "tools.h"

#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "orrery/compiler.h"
#include "commit.h"

static void print_tool(const char *name, const char *variable, const char *usual)
{
    const char *chosen = getenv(variable);
    char *argv[] = {(char *)(uintptr_t)(chosen && *chosen ? chosen : usual), "--version", NULL};
    char *output = NULL;
    int status = process_capture(argv, environ, &output);
    const char *line = output ? strstr(output, "version") : NULL;
    printf("  %-26s %s", name, argv[0]);
    if (status != 0 || !output)
        puts(" (does not run)");
    else
        printf(" (%.*s)\n", (int)strcspn(line ? line : output, "\n"), line ? line : output);
    free(output);
}

static void print_shared(void)
{
    struct diagnosis diagnosis = {0};
    char *directory = compiler_shared_directory(&diagnosis);
    if (directory)
        printf(" (shared, in %s)", directory);
    else
        printf(" (not shared: %s)", diagnosis.text);
    free(directory);
}

static void print_server(void)
{
    struct diagnosis diagnosis = {0};
    const char *way = getenv("ORRERY_COMPILER");
    environment_configure_compiler();
    char *server = compiler_server(&diagnosis);
    printf("  %-26s %s", "compile server", server ? server : "");
    if (server && way && !strcmp(way, "programs"))
        printf(" (not used: ORRERY_COMPILER=programs)");
    else if (server && way && !strcmp(way, "shared"))
        print_shared();
    if (server)
        puts("");
    else
        printf("none (%.*s)\n", (int)strcspn(diagnosis.text, "\n"), diagnosis.text);
    free(server);
}

void version_print_tools(void)
{
    printf("  %-26s %s%s%s\n", "orrery", ORRERY_VERSION, *ORRERY_COMMIT ? ", commit " : "", ORRERY_COMMIT);
    fflush(stdout);
    print_tool("clang", "ORRERY_CLANG", ORRERY_CLANG_DEFAULT);
    print_tool("llvm-spirv", "ORRERY_LLVM_SPIRV", ORRERY_LLVM_SPIRV_DEFAULT);
    print_server();
}

void version_print(void)
{
    printf("orrery %s%s%s%s\n", ORRERY_VERSION, *ORRERY_COMMIT ? " (commit " : "", ORRERY_COMMIT,
           *ORRERY_COMMIT ? ")" : "");
    fflush(stdout);
    print_tool("clang", "ORRERY_CLANG", ORRERY_CLANG_DEFAULT);
    print_tool("llvm-spirv", "ORRERY_LLVM_SPIRV", ORRERY_LLVM_SPIRV_DEFAULT);
    print_server();
}
