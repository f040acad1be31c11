/* SPDX-License-Identifier: Apache-2.0 */
#include "tools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct command { const char *name; int (*run)(int, char **); const char *help; } commands[] = {
    {"run", cmd_run, "run a program, or a scenario that launches its kernels itself"},
    {"check", cmd_check, "run scenarios and compare with what they expect"},
    {"replay", cmd_replay, "have a recorded run again"},
    {"litmus", cmd_litmus, "visit every execution of litmus tests"},
    {"dis", cmd_dis, "show SPIR-V and bytecode of a program"},
    {"explain", cmd_explain, "say what a kind of finding means"},
    {"topology", cmd_topology, "show a topology and its partitions"},
    {"info", cmd_info, "show the device, its limits and the tools"},
};
enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

_Noreturn void tools_no_memory(void)
{
    fputs("orrery: error: out of memory\n", stderr);
    exit(EXIT_FAILED);
}

static void print_help(FILE *stream)
{
    fputs("Usage: orrery COMMAND [OPTION...] ...\n\n"
          "A deterministic, simulated OpenCL device that says what a program did wrong.\n\n", stream);
    for (int i = 0; i < COMMAND_COUNT; i++)
        fprintf(stream, "  %-9s %s\n", commands[i].name, commands[i].help);
    fputs("\n`orrery COMMAND --help` lists the options of a command; orrery(1) is the manual.\n", stream);
}

static int unknown(const char *name)
{
    if (name)
        say("error: there is no command '%s'", name);
    print_help(stderr);
    return EXIT_USAGE;
}

static bool is(const char *argument, const char *a, const char *b)
{
    return strcmp(argument, a) == 0 || strcmp(argument, b) == 0;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return unknown(NULL);
    if (is(argv[1], "--help", "-h") || is(argv[1], "help", "-?")) {
        print_help(stdout);
        return 0;
    }
    if (is(argv[1], "--version", "-V")) {
        printf("orrery %s\n", ORRERY_VERSION);
        return 0;
    }
    for (int i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(commands[i].name, argv[1]) == 0)
            return commands[i].run(argc - 1, argv + 1);
    }
    return unknown(argv[1]);
}
