/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Run by partition_oracle.py: `orrery topology --partition=STEPS TOPOLOGY` for each line "TOPOLOGY STEPS" of
 * the standard input, in one process. Prints what the command does, and a line "= STATUS".
 */
#include "tools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the options of all commands refer to beside it. */
_Noreturn void tools_no_memory(void)
{
    exit(EXIT_FAILED);
}
void version_print(void)
{
}

int main(void)
{
    char *line = NULL, command[] = "topology", option[] = "--partition";
    size_t size = 0;
    while (getline(&line, &size, stdin) > 0) {
        char *steps = strchr(line, ' ');
        if (!steps)
            return EXIT_USAGE;
        *steps++ = '\0';
        steps[strcspn(steps, "\n")] = '\0';
        char *arguments[] = {command, option, steps, line, NULL};
        const int status = cmd_topology(4, arguments);
        printf("= %d\n", status);
    }
    free(line);
    return 0;
}
