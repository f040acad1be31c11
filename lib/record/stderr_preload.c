/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Part of both preloaded libraries: keeps the standard error output that the program began with. Test
 * frameworks send the program's own to a file while a test runs, and often throw that file away.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Programs expect that files get the lowest free number. */
enum { LEAST_NUMBER = 200 };

/* By name, for message_stream.c. -1: there was none, or the program has closed it. */
int orrery_first_stderr(void);

static int kept = -1;
static struct stat kept_file;

__attribute__((constructor)) static void keep(void)
{
    kept = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, LEAST_NUMBER);
    if (kept >= 0 && fstat(kept, &kept_file) != 0)
        kept = -1;
}

/* A program that closes all files may have another one of that number since. */
int orrery_first_stderr(void)
{
    struct stat now;
    if (kept < 0 || fstat(kept, &now) != 0 || now.st_dev != kept_file.st_dev ||
        now.st_ino != kept_file.st_ino)
        return -1;
    return kept;
}
