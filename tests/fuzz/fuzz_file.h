/* SPDX-License-Identifier: Apache-2.0 */
/* PURPOSE  An input as a file, for what reads files by name. In memory; one at a time. */
#ifndef TESTS_FUZZ_FUZZ_FILE_H
#define TESTS_FUZZ_FUZZ_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct fuzz_file {
    int descriptor;
    char path[40];
};

static inline void fuzz_file_open(struct fuzz_file *file, const uint8_t *data, size_t size)
{
    file->descriptor = memfd_create("fuzz", 0);
    if (file->descriptor < 0 || write(file->descriptor, data, size) != (ssize_t)size)
        exit(99);
    snprintf(file->path, sizeof file->path, "/proc/self/fd/%d", file->descriptor);
}

static inline void fuzz_file_close(struct fuzz_file *file)
{
    close(file->descriptor);
}

#endif
