/* SPDX-License-Identifier: Apache-2.0 */
/* Completion scripts for shells, from the tables of commands and options that the command lines are read
 * with. */
#include "tools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct completion_arguments {
    const char *shell;
};

/* Each command adds its options to the list and fails, as if its command line were wrong. */
static void options_of(const struct tool_command *command, struct option_list *list)
{
    char *words[] = {(char *)(uintptr_t)command->name, NULL};
    list->count = 0;
    arguments_listen(list);
    command->run(1, words);
    arguments_listen(NULL);
}

/* The values of an argument that has a few words; NULL: it has others. */
static const char *values_of(const struct option_entry *option)
{
    static const struct {
        const char *argument, *words;
    } values[] = {
        {"SEVERITY", "off warning error"},
        {"BOOL", "true false"},
        {"WHEN", "auto always never"},
    };
    for (size_t i = 0; option->argument && i < sizeof values / sizeof *values; i++) {
        if (strcmp(values[i].argument, option->argument) == 0)
            return values[i].words;
    }
    return NULL;
}

/* Text between single quotes of a shell, without the characters that mean something to _arguments. */
static void print_quoted(const char *text, const char *escaped)
{
    putchar('\'');
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", stdout);
        else if (strchr(escaped, *text))
            printf("\\%c", *text);
        else
            putchar(*text);
    }
    putchar('\'');
}

/* ---- bash -------------------------------------------------------------------------------- */

static void bash_words(const struct option_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct option_entry *option = &list->at[i];
        if (!option->hidden)
            printf(" --%s%s", option->name, option->argument && !option->optional ? "=" : "");
    }
}

/* "--check-races=off" and the like: bash takes the = for a word of its own. */
static void bash_values(const struct option_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const char *values = values_of(&list->at[i]);
        if (values)
            printf("    --%s) values='%s' ;;\n", list->at[i].name, values);
    }
}

static void print_bash(void)
{
    struct option_list list;
    puts("# bash completion for orrery\n_orrery()\n{\n    local current=${COMP_WORDS[COMP_CWORD]} words= "
         "values= option=\n"
         "    if [ \"$COMP_CWORD\" = 1 ]; then");
    fputs("        COMPREPLY=($(compgen -W '", stdout);
    for (size_t i = 0; tool_command_at(i); i++)
        printf("%s ", tool_command_at(i)->name);
    puts("--help --version' -- \"$current\"))\n        return\n    fi\n    case ${COMP_WORDS[1]} in");
    for (size_t i = 0; tool_command_at(i); i++) {
        options_of(tool_command_at(i), &list);
        printf("    %s) words='", tool_command_at(i)->name);
        bash_words(&list);
        puts("' ;;");
    }
    puts("    esac\n    [ \"$current\" = = ] && option=${COMP_WORDS[COMP_CWORD-1]} current=\n"
         "    [ \"${COMP_WORDS[COMP_CWORD-1]}\" = = ] && option=${COMP_WORDS[COMP_CWORD-2]}\n    case "
         "$option in");
    options_of(tool_command_at(0), &list);
    bash_values(&list);
    puts(
        "    esac\n    if [ -n \"$values\" ]; then\n        COMPREPLY=($(compgen -W \"$values\" -- "
        "\"$current\"))\n"
        "    elif [[ $current == -* ]]; then\n        COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
        "        [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace\n    else\n        compopt -o filenames\n"
        "        COMPREPLY=($(compgen -f -- \"$current\"))\n    fi\n}\ncomplete -F _orrery orrery");
}

/* ---- zsh ---------------------------------------------------------------------------------- */

static void zsh_option(const struct option_entry *option)
{
    const char *values = values_of(option);
    printf(" \\\n            '--%s%s['", option->name,
           !option->argument  ? ""
           : option->optional ? "=-"
                              : "=");
    print_quoted(option->help ? option->help : "", "[]\\:");
    fputs("']", stdout);
    if (option->argument && values)
        printf("%s%s:(%s)", option->optional ? "::" : ":", option->argument, values);
    else if (option->argument)
        printf("%s%s:_files", option->optional ? "::" : ":", option->argument);
    putchar('\'');
}

static void print_zsh(void)
{
    struct option_list list;
    fputs("#compdef orrery\n_orrery()\n{\n    local -a commands=(", stdout);
    for (size_t i = 0; tool_command_at(i); i++) {
        printf("\n        %s:", tool_command_at(i)->name);
        print_quoted(tool_command_at(i)->help, "");
    }
    puts("\n    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n        return\n    "
         "fi\n"
         "    local name=$words[2]\n    shift words\n    (( CURRENT-- ))\n    case $name in");
    for (size_t i = 0; tool_command_at(i); i++) {
        options_of(tool_command_at(i), &list);
        printf("    %s)\n        _arguments", tool_command_at(i)->name);
        for (size_t o = 0; o < list.count; o++) {
            if (!list.at[o].hidden)
                zsh_option(&list.at[o]);
        }
        puts(" \\\n            '*:file:_files'\n        ;;");
    }
    puts("    esac\n}\n_orrery \"$@\"");
}

/* ---- fish ---------------------------------------------------------------------------------- */

static void fish_option(const char *command, const struct option_entry *option)
{
    const char *values = values_of(option);
    printf("complete -c orrery -n '__fish_seen_subcommand_from %s' -l %s", command, option->name);
    if (option->argument && !option->optional)
        fputs(" -r", stdout);
    if (values)
        printf(" -x -a '%s'", values);
    fputs(" -d ", stdout);
    print_quoted(option->help ? option->help : "", "");
    putchar('\n');
}

static void print_fish(void)
{
    struct option_list list;
    puts("# fish completion for orrery");
    for (size_t i = 0; tool_command_at(i); i++) {
        const struct tool_command *command = tool_command_at(i);
        printf("complete -c orrery -n __fish_use_subcommand -f -a %s -d ", command->name);
        print_quoted(command->help, "");
        putchar('\n');
        options_of(command, &list);
        for (size_t o = 0; o < list.count; o++) {
            if (!list.at[o].hidden)
                fish_option(command->name, &list.at[o]);
        }
    }
}

/* ---- the command ----------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*print)(void);
} shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct completion_arguments *arguments = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        if (arguments->shell)
            argp_error(state, "one shell at a time");
        arguments->shell = argument;
        return 0;
    case ARGP_KEY_NO_ARGS: argp_error(state, "no shell given: bash, zsh or fish"); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

int cmd_completion(int argc, char **argv)
{
    struct completion_arguments arguments = {.shell = NULL};
    const struct argp argp = {
        .parser = parse,
        .args_doc = "bash|zsh|fish",
        .doc = "Prints the script by which the shell completes commands and options.",
    };
    if (arguments_parse(&argp, argc, argv, &arguments) != 0 || !arguments.shell || !tools_check_environment())
        return EXIT_USAGE;
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
        if (strcmp(shells[i].name, arguments.shell) == 0) {
            shells[i].print();
            return 0;
        }
    }
    tools_message("error: found '%s', expected a shell: bash, zsh or fish", arguments.shell);
    return EXIT_USAGE;
}
