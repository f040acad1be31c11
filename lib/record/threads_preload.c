/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A preloaded library, with ending_preload.c and locks_preload.c, of recorded and replayed runs. Names
 * threads by the path of their creation: "0.2" is the third thread that thread "0" created. The name is the
 * same in every run, whichever thread runs first. host_log.c looks it up. From the second thread on
 * lock_log.c orders locks.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>

#include "lock_log.h"

enum { NAME_CHARS = 64 };

const char *orrery_thread_name(void);
void orrery_thread_hide(int hide);

static __thread struct {
    char name[NAME_CHARS];
    unsigned created;
    int hidden;
} self = {.name = "0"};

struct thread_start {
    void *(*function)(void *);
    int (*c11_function)(void *);
    void *argument;
    char name[NAME_CHARS];
};

const char *orrery_thread_name(void)
{
    return self.name;
}

/* The runtime's own threads start on demand, so they are not counted. */
void orrery_thread_hide(int hide)
{
    self.hidden = hide;
}

static struct thread_start *start_new(void *argument)
{
    struct thread_start *start = malloc(sizeof *start);
    if (!start)
        return NULL;
    *start = (struct thread_start){.argument = argument};
    lock_log_begin();
    if (self.hidden) { /* of the runtime's threads only the callback thread runs code of the program */
        snprintf(start->name, sizeof start->name, "callbacks");
        return start;
    }
    int used = snprintf(start->name, sizeof start->name, "%s.%u", self.name, self.created);
    if (used >= (int)sizeof start->name) /* too deep: the thread has its creator's name */
        snprintf(start->name, sizeof start->name, "%s", self.name);
    return start;
}

static struct thread_start take_name(void *data)
{
    struct thread_start start = *(struct thread_start *)data;
    free(data);
    snprintf(self.name, sizeof self.name, "%s", start.name);
    return start;
}

static void *run(void *data)
{
    const struct thread_start start = take_name(data);
    return start.function(start.argument);
}

static int run_c11(void *data)
{
    const struct thread_start start = take_name(data);
    return start.c11_function(start.argument);
}

int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
                   void *(*function)(void *), void *restrict argument)
{
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
        (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))dlsym(RTLD_NEXT,
                                                                                       "pthread_create");
    struct thread_start *start = start_new(argument);
    if (!start)
        return EAGAIN;
    start->function = function;
    int err = create(thread, attributes, run, start);
    if (err)
        free(start);
    else
        self.created += !self.hidden;
    return err;
}

int thrd_create(thrd_t *thread, thrd_start_t function, void *argument)
{
    int (*create)(thrd_t *, thrd_start_t, void *) =
        (int (*)(thrd_t *, thrd_start_t, void *))dlsym(RTLD_NEXT, "thrd_create");
    struct thread_start *start = start_new(argument);
    if (!start)
        return thrd_nomem;
    start->c11_function = function;
    int answer = create(thread, run_c11, start);
    if (answer != thrd_success)
        free(start);
    else
        self.created++;
    return answer;
}
