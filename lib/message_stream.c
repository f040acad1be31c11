/* SPDX-License-Identifier: Apache-2.0 */
/* The stream that findings and notes go to: each write asks anew where it goes. */
#define _GNU_SOURCE
#include "message_stream.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

static struct {
    pthread_once_t once;
    int (*first)(void); /* of stderr_preload.c; NULL: it is not preloaded */
    FILE *stream;
} message = {.once = PTHREAD_ONCE_INIT};

static ssize_t put(void *cookie, const char *text, size_t size)
{
    (void)cookie;
    return write(message_file(), text, size);
}

static void open_stream(void)
{
    const cookie_io_functions_t functions = {.write = put};
    message.first = (int (*)(void))(uintptr_t)dlsym(RTLD_DEFAULT, "orrery_first_stderr");
    message.stream = message.first ? fopencookie(NULL, "w", functions) : NULL;
    if (message.stream)
        setvbuf(message.stream, NULL, _IONBF, 0);
    else
        message.stream = stderr;
}

FILE *message_stream(void)
{
    pthread_once(&message.once, open_stream);
    return message.stream;
}

int message_file(void)
{
    pthread_once(&message.once, open_stream);
    const int first = message.first ? message.first() : -1;
    return first >= 0 ? first : STDERR_FILENO;
}
