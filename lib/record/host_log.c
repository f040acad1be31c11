/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One list of entries (thread, call, count) in the order in which threads took the call lock. A recorded run
 * appends to `made`. A replayed run waits in acquire_call() until the next entry of `due` is the calling
 * thread's; if no call is made for 20 seconds, or another call than the due one, the replay ends with an
 * error.
 */
#include "host_log.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "orrery/checked.h"
#include "lib/callback.h"
#include "lib/api_runtime.h"
#include "lib/message_stream.h"

enum { NAME_MAX_CHARS = 64, GIVE_UP_SECONDS = 20 };

/* Functions of threads_preload.c and lock_log.c; NULL where they are not preloaded. */
static struct {
    const char *(*name)(void);
    void (*hide)(int);
    void (*call)(void);
    void (*call_lock)(int);
    int (*locks_give_up)(void);
    void (*locks_follow)(const char *);
    int (*locks_passed)(void);
    void (*locks_print)(FILE *);
} preloaded;

/* `count` calls in a row. */
struct host_log_entry {
    uint32_t thread, call;
    uint64_t count;
};
struct host_log_names {
    char (*name)[NAME_MAX_CHARS];
    uint32_t count, room;
};
struct host_log_entries {
    struct host_log_entry *entry;
    size_t count, room;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t given; /* signalled when the call lock is released */
    bool active, recording, lost;
    bool held; /* a thread has the call lock */
    struct host_log_names threads, calls;
    struct host_log_entries made, due;
    size_t at;            /* the next entry of due */
    uint64_t in_entry;    /* calls of due.entry[at] that were made */
    uint64_t first_calls; /* numbers of unnamed threads */
    uint32_t seen;        /* threads that called; atomic */
} host_log = {.lock = PTHREAD_MUTEX_INITIALIZER, .given = PTHREAD_COND_INITIALIZER};

static __thread struct {
    uint32_t depth;
    bool seen;
    char name[NAME_MAX_CHARS];
    const char *call;
} self;

bool host_log_active(void)
{
    return __atomic_load_n(&host_log.active, __ATOMIC_RELAXED);
}

void host_log_see(void)
{
    if (self.seen)
        return;
    self.seen = true;
    __atomic_add_fetch(&host_log.seen, 1, __ATOMIC_RELAXED);
}

bool host_log_several(void)
{
    return __atomic_load_n(&host_log.seen, __ATOMIC_RELAXED) > 1 ||
           (preloaded.locks_passed && preloaded.locks_passed());
}

bool host_log_follows(void)
{
    return host_log.due.count != 0;
}

/* ---- tables ------------------------------------------------------------------------------ */

static bool grow(void **items, size_t *room, size_t count, size_t size)
{
    if (count < *room)
        return true;
    size_t wanted = *room ? 2 * *room : 16;
    void *grown = realloc(*items, wanted * size);
    if (!grown)
        return false;
    *items = grown;
    *room = wanted;
    return true;
}

/* UINT32_MAX: out of memory. */
static uint32_t number_of(struct host_log_names *names, const char *name)
{
    for (uint32_t i = names->count; i-- > 0;)
        if (strcmp(names->name[i], name) == 0)
            return i;
    size_t room = names->room;
    if (!grow((void **)&names->name, &room, names->count, sizeof *names->name))
        return UINT32_MAX;
    names->room = (uint32_t)room;
    CHECKED(names->count < names->room);
    snprintf(names->name[names->count], NAME_MAX_CHARS, "%s", name);
    return names->count++;
}

static bool add(struct host_log_entries *entries, struct host_log_entry entry)
{
    struct host_log_entry *last = entries->count ? &entries->entry[entries->count - 1] : NULL;
    if (entry.thread == UINT32_MAX || entry.call == UINT32_MAX)
        return false;
    if (last && last->thread == entry.thread && last->call == entry.call) {
        last->count += entry.count;
        return true;
    }
    if (!grow((void **)&entries->entry, &entries->room, entries->count, sizeof *entries->entry))
        return false;
    entries->entry[entries->count++] = entry;
    return true;
}

/* ---- threads ------------------------------------------------------------------------------------ */

static void *found(const char *name)
{
    return dlsym(RTLD_DEFAULT, name);
}

/* Runs as the library is loaded, so that its own locks are never taken for the program's. */
__attribute__((constructor)) static void find_preloaded(void)
{
    void (*leave_out)(const void *) = (void (*)(const void *))(uintptr_t)found("orrery_locks_leave_out");
    preloaded.name = (const char *(*)(void))(uintptr_t)found("orrery_thread_name");
    preloaded.hide = (void (*)(int))(uintptr_t)found("orrery_thread_hide");
    preloaded.call = (void (*)(void))(uintptr_t)found("orrery_thread_call");
    preloaded.call_lock = (void (*)(int))(uintptr_t)found("orrery_thread_call_lock");
    preloaded.locks_give_up = (int (*)(void))(uintptr_t)found("orrery_locks_give_up");
    preloaded.locks_follow = (void (*)(const char *))(uintptr_t)found("orrery_locks_follow");
    preloaded.locks_passed = (int (*)(void))(uintptr_t)found("orrery_locks_passed");
    preloaded.locks_print = (void (*)(FILE *))(uintptr_t)found("orrery_locks_print");
    if (leave_out)
        leave_out(&host_log);
}

void host_log_hide(bool hide)
{
    if (preloaded.hide)
        preloaded.hide(hide);
}

static const char *own_name(void)
{
    const char *path = self.name[0] || !preloaded.name ? NULL : preloaded.name();
    if (self.name[0])
        return self.name;
    if (callback_thread())
        snprintf(self.name, sizeof self.name, "callbacks");
    else if (path)
        snprintf(self.name, sizeof self.name, "%s", path);
    else
        snprintf(self.name, sizeof self.name, "call-%" PRIu64, host_log.first_calls++);
    return self.name;
}

/* ---- the call lock ---------------------------------------------------------------------------------- */

static const struct host_log_entry *next_due(void)
{
    return host_log.at < host_log.due.count ? &host_log.due.entry[host_log.at] : NULL;
}

static void step(void)
{
    const struct host_log_entry *next = next_due();
    CHECKED(!next || host_log.in_entry < next->count);
    if (next && ++host_log.in_entry == next->count) {
        host_log.at++;
        host_log.in_entry = 0;
    }
}

static _Noreturn void end_unfit(const char *thread, const char *call)
{
    const struct host_log_entry *next = next_due();
    struct diagnosis diagnosis = {0};
    diagnose(&diagnosis, STATUS_BAD_SCENARIO,
             "the replay does not fit: %s of thread %s is to be the next call (line %zu of [host]), but "
             "thread %s calls %s",
             host_log.calls.name[next->call], host_log.threads.name[next->thread], host_log.at + 1, thread,
             call);
    pthread_mutex_unlock(&host_log.lock);
    runtime_bad_scenario(&diagnosis);
}

/* False: no call was made for a long time, so the replay cannot continue. */
static bool wait_given(void)
{
    struct timespec until;
    const size_t at = host_log.at;
    const uint64_t in_entry = host_log.in_entry;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += GIVE_UP_SECONDS;
    int err = pthread_cond_timedwait(&host_log.given, &host_log.lock, &until);
    const bool continued = at != host_log.at || in_entry != host_log.in_entry;
    if (!err || host_log.held || continued)
        return true;
    return preloaded.locks_give_up && preloaded.locks_give_up();
}

static void record_call(uint32_t thread, uint32_t name)
{
    step();
    if (host_log.recording && !host_log.lost)
        host_log.lost = !add(&host_log.made, (struct host_log_entry){thread, name, 1});
}

static void acquire_call(const char *call)
{
    pthread_mutex_lock(&host_log.lock);
    const uint32_t thread = number_of(&host_log.threads, own_name()), name = number_of(&host_log.calls, call);
    const struct host_log_entry *next = NULL;
    while (host_log.held || ((next = next_due()) && next->thread != thread))
        if (!wait_given())
            end_unfit(own_name(), call);
    if (next && next->call != name)
        end_unfit(own_name(), call);
    CHECKED(!host_log.held && (!next || next->thread == thread));
    host_log.held = true;
    record_call(thread, name);
    pthread_mutex_unlock(&host_log.lock);
    if (preloaded.call_lock)
        preloaded.call_lock(true);
}

static void release_call(void)
{
    if (preloaded.call_lock)
        preloaded.call_lock(false);
    pthread_mutex_lock(&host_log.lock);
    CHECKED(host_log.held); /* by this thread */
    host_log.held = false;
    pthread_cond_broadcast(&host_log.given);
    pthread_mutex_unlock(&host_log.lock);
}

void host_log_enter(const char *call)
{
    if (self.depth++ || !host_log_active())
        return;
    self.call = call;
    if (preloaded.call)
        preloaded.call();
    acquire_call(call);
}

void host_log_leave(void)
{
    CHECKED(self.depth > 0);
    if (--self.depth == 0 && self.call) {
        self.call = NULL;
        release_call();
    }
}

void host_log_pause(void)
{
    if (self.call)
        release_call();
}

void host_log_resume(void)
{
    if (self.call)
        acquire_call(self.call);
}

/* Entries of [host] that stand for pauses. */
static const char wait_name[] = "(waits)", yield_name[] = "(callbacks)";

void host_log_wait(void)
{
    if (!self.call)
        return;
    pthread_mutex_lock(&host_log.lock);
    const uint32_t thread = number_of(&host_log.threads, own_name()),
                   name = number_of(&host_log.calls, wait_name);
    const struct host_log_entry *next = next_due();
    if (next && (next->thread != thread || next->call != name))
        end_unfit(own_name(), wait_name);
    record_call(thread, name);
    pthread_mutex_unlock(&host_log.lock);
    release_call();
}

enum host_log_yields host_log_waits(void)
{
    if (!self.call)
        return YIELDS_UNSAID;
    pthread_mutex_lock(&host_log.lock);
    const struct host_log_entry *next = next_due(); /* the entry after the call that this thread makes */
    const bool waits = next && next->thread == number_of(&host_log.threads, own_name()) &&
                       next->call == number_of(&host_log.calls, wait_name);
    pthread_mutex_unlock(&host_log.lock);
    return !next ? YIELDS_UNSAID : waits ? YIELDS : YIELDS_NOT;
}

void host_log_yield(void)
{
    if (self.call)
        acquire_call(yield_name);
}

enum host_log_yields host_log_yields(void)
{
    if (!self.call)
        return YIELDS_UNSAID;
    pthread_mutex_lock(&host_log.lock);
    const uint32_t thread = number_of(&host_log.threads, own_name()),
                   name = number_of(&host_log.calls, yield_name);
    enum host_log_yields yields = next_due() ? YIELDS_NOT : YIELDS_UNSAID;
    size_t i = host_log.at;
    while (i < host_log.due.count && host_log.due.entry[i].thread != thread)
        i++;
    if (i < host_log.due.count && host_log.due.entry[i].call == name)
        yields = YIELDS;
    pthread_mutex_unlock(&host_log.lock);
    return yields;
}

/* ---- text ---------------------------------------------------------------------------------------- */

static bool several_threads(void)
{
    for (size_t i = 1; i < host_log.made.count; i++)
        if (host_log.made.entry[i].thread != host_log.made.entry[0].thread)
            return true;
    return false;
}

void host_log_print(FILE *stream)
{
    if (host_log.lost)
        fputs("orrery: warning: the calls of the threads are not recorded: out of memory\n",
              message_stream());
    const bool locks = preloaded.locks_passed && preloaded.locks_passed();
    if (host_log.lost || (!several_threads() && !locks))
        return;
    fputs("[host]\n", stream);
    for (size_t i = 0; i < host_log.made.count; i++) {
        const struct host_log_entry *entry = &host_log.made.entry[i];
        fprintf(stream, "%s %s", host_log.threads.name[entry->thread], host_log.calls.name[entry->call]);
        if (entry->count > 1)
            fprintf(stream, " %" PRIu64, entry->count);
        fputc('\n', stream);
    }
    if (locks)
        preloaded.locks_print(stream);
}

static enum status parse_line(const char *text, size_t number, struct diagnosis *diagnosis)
{
    char line[3 * NAME_MAX_CHARS], thread[NAME_MAX_CHARS], call[NAME_MAX_CHARS], rest[2];
    uint64_t count = 1;
    int length = (int)strcspn(text, "\n");
    snprintf(line, sizeof line, "%.*s", length, text);
    int fields = sscanf(line, "%63s %63s %" SCNu64 "%1s", thread, call, &count, rest);
    bool only_two = fields == 2 && strcmp(strchr(line, ' ') + 1, call) == 0;
    if (!only_two && (fields != 3 || !count))
        return diagnose(
            diagnosis, STATUS_BAD_SCENARIO,
            "the record, line %zu of [host]: found '%.*s', expected a thread, a call and perhaps how often",
            number, length > 100 ? 100 : length, text);
    const struct host_log_entry entry = {number_of(&host_log.threads, thread),
                                         number_of(&host_log.calls, call), count};
    return add(&host_log.due, entry) ? STATUS_OK
                                     : diagnose(diagnosis, STATUS_OUT_OF_MEMORY, "no memory for a record");
}

static enum status parse(const char *text, struct diagnosis *diagnosis)
{
    const char *section = text ? strstr(text, "\n[host]\n") : NULL;
    enum status status = STATUS_OK;
    size_t number = 1;
    for (const char *line = section ? section + strlen("\n[host]\n") : "";
         *line && *line != '[' && status == STATUS_OK; number++) {
        status = parse_line(line, number, diagnosis);
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    return status;
}

/* ---- life ------------------------------------------------------------------------------------------- */

/* A forked child has one thread, and its calls are not recorded. */
static void forget(void)
{
    host_log.active = false;
    host_log.recording = false;
    self.call = NULL;
}

static void at_fork(void)
{
    pthread_atfork(NULL, NULL, forget);
}

enum status host_log_begin(bool record, const char *replay, struct diagnosis *diagnosis)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    enum status status = parse(replay, diagnosis);
    host_log.recording = record;
    host_log.active = status == STATUS_OK && (record || host_log.due.count);
    if (host_log.active && preloaded.locks_follow)
        preloaded.locks_follow(replay);
    if (host_log.active)
        pthread_once(&once, at_fork);
    return status;
}
