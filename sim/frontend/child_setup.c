/* SPDX-License-Identifier: Apache-2.0 */
/* Signals, limits and environment of a tool, and the limit that ended it. A tool that runs out of memory
 * may print a message, crash or throw bad_alloc. It counts as out of memory if it printed so or had used
 * three quarters of its limit. */
#include "child_setup.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void child_signals_reset(void)
{
    const struct sigaction usual = {.sa_handler = SIG_DFL};
    sigset_t none;
    for (int number = 1; number < NSIG; number++)
        sigaction(number, &usual, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static void limit(int resource, uint64_t soft, uint64_t hard)
{
    struct rlimit old;
    if (getrlimit((__rlimit_resource_t)resource, &old) != 0)
        return;
    if (old.rlim_max != RLIM_INFINITY && hard > old.rlim_max)
        hard = old.rlim_max;
    const struct rlimit wanted = {.rlim_cur = soft < hard ? soft : hard, .rlim_max = hard};
    setrlimit((__rlimit_resource_t)resource, &wanted);
}

/* The hard limit is a second later: it kills a tool that catches SIGXCPU. */
void child_limits_set(const struct process_limits *limits)
{
    if (limits->seconds)
        limit(RLIMIT_CPU, limits->seconds, limits->seconds + 1);
    if (limits->bytes) {
        limit(RLIMIT_AS, limits->bytes, limits->bytes);
        limit(RLIMIT_FSIZE, limits->bytes, limits->bytes); /* files in memory count as files */
    }
    limit(RLIMIT_CORE, 0, 0);
}

/* The kernel counts whole seconds. Time used before this call is rounded up; the little that a fork costs
 * is rounded away. */
void child_time_begin(const struct process_limits *limits)
{
    const struct child_usage used = child_usage_now();
    struct rlimit old;
    if (!limits->seconds || getrlimit(RLIMIT_CPU, &old) != 0)
        return;
    const rlim_t soft = (rlim_t)(used.seconds + 0.99) + limits->seconds;
    old.rlim_cur = soft < old.rlim_max ? soft : old.rlim_max;
    setrlimit(RLIMIT_CPU, &old);
}

struct child_usage child_usage_of(const struct rusage *usage)
{
    return (struct child_usage){(double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
                                    (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * 1e-6,
                                (uint64_t)usage->ru_maxrss * 1024};
}

struct child_usage child_usage_now(void)
{
    struct rusage usage = {0};
    getrusage(RUSAGE_SELF, &usage);
    return child_usage_of(&usage);
}

/* The host's preloaded libraries are not meant for the tool: they slow its start, and a sanitizer among
 * them may not fit the tool's limits. */
char **child_environment(void)
{
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    char **list = malloc((count + 1) * sizeof *list);
    for (size_t i = 0; list && i < count; i++)
        if (strncmp(environ[i], "LD_PRELOAD=", strlen("LD_PRELOAD=")) != 0)
            list[kept++] = environ[i];
    if (list)
        list[kept] = NULL;
    return list;
}

bool process_failed(const struct process_result *result)
{
    if (result->limit)
        return true;
    if (result->reaped_by_host)
        return result->output.size == 0;
    return result->signal || result->exit_code != 0;
}

static bool contains(const struct text *text, const char *words)
{
    return text->data && strstr(text->data, words);
}

static bool says_memory_ran_out(const struct process_result *result)
{
    return result->signal == SIGXFSZ || contains(&result->error, "out of memory") ||
           contains(&result->error, "bad_alloc");
}

/* The kernel's limit counts timer ticks, of which the host of a virtual machine may have taken a part. LLVM
 * handles SIGXCPU, and may be ended by another signal then. */
static bool ran_out_of_time(const struct process_limits *limits, const struct process_result *result,
                            const struct child_usage *usage)
{
    return result->signal == SIGXCPU || usage->seconds > limits->seconds - 0.05 ||
           (result->signal && usage->seconds > 0.8 * limits->seconds);
}

enum process_limit child_limit_hit(const struct process_limits *limits, const struct process_result *result,
                                   const struct child_usage *usage)
{
    if (result->limit || !process_failed(result))
        return result->limit;
    if (limits->seconds && ran_out_of_time(limits, result, usage))
        return PROCESS_TIME;
    if (limits->bytes && (usage->bytes > limits->bytes / 4 * 3 || says_memory_ran_out(result)))
        return PROCESS_MEMORY;
    return PROCESS_UNLIMITED;
}
