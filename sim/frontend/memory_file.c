/* SPDX-License-Identifier: Apache-2.0 */
/* Files in memory (memfd_create) as the streams of a tool. They can have any size, and are read after the
 * tool has ended, so neither side waits for the other. Partial reads and writes are continued. */
#include "memory_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

int memory_file_open(void)
{
    int file = memfd_create("orrery-stream", MFD_CLOEXEC);
    if (file < 0 || file >= MEMORY_FILE_LOWEST)
        return file;
    int high = fcntl(file, F_DUPFD_CLOEXEC, MEMORY_FILE_LOWEST);
    close(file);
    return high;
}

bool memory_file_write(int file, const void *bytes, size_t size)
{
    const char *next = bytes;
    while (size) {
        ssize_t written = write(file, next, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        next += written;
        size -= (size_t)written;
    }
    return lseek(file, 0, SEEK_SET) == 0;
}

void memory_file_read(int file, struct text *out_text)
{
    char buffer[8192];
    off_t offset = 0;
    ssize_t size;
    while ((size = pread(file, buffer, sizeof buffer, offset)) > 0 || (size < 0 && errno == EINTR)) {
        if (size < 0)
            continue;
        text_add_bytes(out_text, buffer, (size_t)size);
        offset += size;
    }
    text_add_bytes(out_text, "", 0);
}
