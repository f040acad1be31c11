/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command: one table of sub-commands, from which help and completion are made too. A name that is none is
 * compared with all of them, and the nearest is proposed; a file name in its place gets the hint to `orrery
 * run`.
 */
#include "tools.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "orrery/nearest.h"

static const struct tool_command commands[] = {
    {"run", cmd_run, "run a program, a kernel by itself, or a scenario"},
    {"check", cmd_check, "run scenarios and compare with what they expect"},
    {"replay", cmd_replay, "have a recorded run again"},
    {"debug", cmd_debug, "step through kernels, forwards and backwards"},
    {"show", cmd_show, "write a page for a browser: a run, a litmus test, two runs side by side"},
    {"serve", cmd_serve, "serve a page with an editor that runs kernels, scenarios and litmus tests"},
    {"litmus", cmd_litmus, "visit every execution of litmus tests"},
    {"dis", cmd_dis, "show SPIR-V and bytecode of a program"},
    {"explain", cmd_explain, "say what a kind of finding means"},
    {"topology", cmd_topology, "show a topology and its partitions"},
    {"info", cmd_info, "show the device, its limits and the tools"},
    {"completion", cmd_completion, "print the completion script of a shell"},
};
enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

const struct tool_command *tool_command_at(size_t index)
{
    return index < COMMAND_COUNT ? &commands[index] : NULL;
}

_Noreturn void tools_no_memory(void)
{
    fputs("orrery: error: out of memory\n", stderr);
    exit(EXIT_FAILED);
}

static void print_help(FILE *stream)
{
    fputs("Usage: orrery COMMAND [OPTION...] ...\n\n"
          "A deterministic, simulated OpenCL device that says what a program did wrong.\n\n",
          stream);
    for (int i = 0; i < COMMAND_COUNT; i++)
        fprintf(stream, "  %-11s %s\n", commands[i].name, commands[i].help);
    fputs("\n`orrery COMMAND --help` lists the options of a command; orrery(1) is the manual.\n", stream);
}

static const char *name_at(const void *self, size_t index)
{
    (void)self;
    return commands[index].name;
}

static int nothing_given(void)
{
    print_help(stderr);
    return EXIT_USAGE;
}

static bool is_file(const char *name)
{
    return access(name, F_OK) == 0;
}

static const char *option_at(const void *self, size_t index)
{
    static const char *const options[] = {"--help", "--version"};
    (void)self;
    return options[index];
}

static void unknown_option(const char *name)
{
    char *meant = nearest_names(name, "", option_at, NULL, 2);
    if (meant && *meant)
        tools_message("error: no option is named '%s'; did you mean %s?", name, meant);
    else if (name[1] == '-')
        tools_message("error: found '%s', expected a command: options follow it, as in `orrery run %s ...`",
                      name, name);
    else
        tools_message(
            "error: no option is named '%s'; -h lists the commands, -V prints the version, other options "
            "follow the command",
            name);
    free(meant);
}

static int unknown(const char *name)
{
    char *meant = nearest_names(name, "", name_at, NULL, COMMAND_COUNT);
    const bool near = meant && *meant;
    if (is_file(name))
        tools_message("error: there is no command '%s'; did you mean `orrery run %s`?", name, name);
    else if (name[0] == '-')
        unknown_option(name);
    else
        tools_message("error: there is no command '%s'%s%s%s `orrery --help` lists them", name,
                      near ? "; did you mean " : "", near ? meant : "", near ? "?" : ";");
    free(meant);
    return EXIT_USAGE;
}

static bool is(const char *argument, const char *a, const char *b)
{
    return strcmp(argument, a) == 0 || strcmp(argument, b) == 0;
}

static int run_command(int argc, char **argv)
{
    for (int i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(commands[i].name, argv[0]) == 0)
            return commands[i].run(argc, argv);
    }
    return unknown(argv[0]);
}

/* `orrery help run` is `orrery run --help`. */
static int help_on(char *command)
{
    char *words[] = {command, (char *)(uintptr_t) "--help", NULL};
    return run_command(2, words);
}

/* What was printed is not there, on a full disk: the command has not done its work. */
static void close_output(int status, void *self)
{
    (void)self;
    const bool failed = ferror(stdout);
    if (fflush(stdout) == 0 && !failed)
        return;
    if (errno == EPIPE || errno == EBADF)
        return;
    if (failed) /* some time ago: for what reason is not known */
        tools_message("error: the standard output cannot be written");
    else
        tools_message("error: the standard output cannot be written: %s", strerror(errno));
    if (status == 0)
        _exit(EXIT_FAILED);
}

int main(int argc, char **argv)
{
    on_exit(close_output, NULL);
    if (argc < 2)
        return nothing_given();
    if (strcmp(argv[1], "help") == 0 && argv[2])
        return help_on(argv[2]);
    if (is(argv[1], "--help", "-h") || is(argv[1], "help", "-?")) {
        print_help(stdout);
        return 0;
    }
    if (is(argv[1], "--version", "-V") || strcmp(argv[1], "version") == 0) {
        version_print();
        return 0;
    }
    return run_command(argc - 1, argv + 1);
}
