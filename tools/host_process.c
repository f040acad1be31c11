/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a program as a child and waits for it. */
#include "tools.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static char *read_all(int descriptor)
{
    char *text = NULL, chunk[4096];
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return NULL;
    for (ssize_t got; (got = read(descriptor, chunk, sizeof chunk)) > 0;)
        fwrite(chunk, 1, (size_t)got, stream);
    fclose(stream);
    return text;
}

static int wait_for(pid_t child)
{
    int status;
    if (waitpid(child, &status, 0) < 0)
        return -1;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int process_capture(char *const argv[], char *const environment[], char **out_output)
{
    int ends[2];
    pid_t child;
    posix_spawn_file_actions_t actions;
    *out_output = NULL;
    if (pipe(ends) != 0)
        return -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    fflush(NULL);
    int failed = posix_spawnp(&child, argv[0], &actions, NULL, argv, environment);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (!failed)
        *out_output = read_all(ends[0]);
    close(ends[0]);
    return failed ? -1 : wait_for(child);
}

int process_status(char *const argv[], bool quiet)
{
    pid_t child;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (quiet) {
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    }
    fflush(NULL);
    int failed = posix_spawn(&child, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return failed ? -1 : wait_for(child);
}
