/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One line on a terminal with the progress of a command, once it takes longer than two seconds. It is
 * rewritten during the command, and erased before anything else is printed: what remains on the terminal is
 * as without it.
 */
#include "tools.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SILENT_SECONDS = 2, LINE_CHARS = 200 };

static struct {
    pthread_mutex_t lock;
    pthread_t thread;
    bool running; /* the thread is there */
    int users;    /* that began and did not end */
    bool over, shown;
    struct timespec began;
    char text[LINE_CHARS]; /* empty: nothing is shown */
} progress = {.lock = PTHREAD_MUTEX_INITIALIZER};

static long seconds_since_begin(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long)(now.tv_sec - progress.began.tv_sec);
}

/* lock held */
static void erase(void)
{
    static const char clear[] = "\r\033[K";
    if (progress.shown && write(STDERR_FILENO, clear, strlen(clear)) < 0)
        progress.over = true;
    progress.shown = false;
}

/* lock held */
static void show(void)
{
    char line[LINE_CHARS + 40];
    const int columns = tools_terminal_columns(STDERR_FILENO) - 1;
    int length = snprintf(line, sizeof line, "\r\033[K%.*s, %ld s", columns - 12, progress.text,
                          seconds_since_begin());
    if (write(STDERR_FILENO, line, (size_t)length) < 0)
        progress.over = true;
    progress.shown = true;
}

static void *run(void *self)
{
    const struct timespec pause = {0, 500000000};
    (void)self;
    for (bool over = false; !over;) {
        nanosleep(&pause, NULL);
        pthread_mutex_lock(&progress.lock);
        over = progress.over;
        if (!over && progress.text[0] && seconds_since_begin() >= SILENT_SECONDS)
            show();
        pthread_mutex_unlock(&progress.lock);
    }
    return NULL;
}

void progress_begin(void)
{
    if (progress.users++)
        return;
    clock_gettime(CLOCK_MONOTONIC, &progress.began);
    progress.running = isatty(STDERR_FILENO) && pthread_create(&progress.thread, NULL, run, NULL) == 0;
}

void progress_note(const char *format, ...)
{
    va_list arguments;
    if (!progress.running)
        return;
    pthread_mutex_lock(&progress.lock);
    va_start(arguments, format);
    vsnprintf(progress.text, sizeof progress.text, format, arguments);
    va_end(arguments);
    pthread_mutex_unlock(&progress.lock);
}

void progress_hide(void)
{
    if (!progress.running)
        return;
    pthread_mutex_lock(&progress.lock);
    progress.text[0] = '\0';
    erase();
    pthread_mutex_unlock(&progress.lock);
}

void progress_end(void)
{
    if (--progress.users || !progress.running)
        return;
    progress_hide();
    pthread_mutex_lock(&progress.lock);
    progress.over = true;
    pthread_mutex_unlock(&progress.lock);
    pthread_join(progress.thread, NULL);
    progress.running = false;
}
