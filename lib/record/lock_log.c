/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each thread has a list of its recorded steps, and a place, which other threads read without a lock.
 * Recording: an object keeps its last step, so that the next step of another thread can name it; the step is
 * left out if the thread is ordered after that place already (is_ordered). Replaying: a step that names
 * another thread's place waits until that thread has passed it (wait_past). A thread past its recorded end
 * waits for all others to reach theirs.
 */
#include "lock_log.h"

#include <errno.h>
#include <inttypes.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "orrery/checked.h"

enum { NAME_CHARS = 64, STEP_BITS = 36, GIVE_UP_SECONDS = 20, PAUSE_NANOSECONDS = 100000 };
enum { PAUSES = GIVE_UP_SECONDS * (1000000000 / PAUSE_NANOSECONDS) };

/* The high bits count calls, the low STEP_BITS the steps since the last call. */
typedef uint64_t place;

/* `count` steps in a row; the first of them waits until thread `after` (or NULL) is past `after_place`. */
struct lock_step {
    place at, count, after_place;
    struct lock_thread *after;
    enum lock_kind kind;
    int result;
};
struct lock_steps {
    struct lock_step *step;
    size_t count, room;
};
/* A thread is ordered after this place of another. */
struct lock_order {
    const struct lock_thread *thread;
    place at;
};
/* The last step on an object. */
struct locked_object {
    const void *address;
    struct lock_thread *last;
    place at;
};

enum lock_thread_state {
    STATE_RUNS,
    STATE_WAITS,
    STATE_BLOCKED
}; /* WAITS: until a step is due; BLOCKED: at the object itself */

struct lock_thread {
    char name[NAME_CHARS];
    struct lock_thread *next;
    _Atomic place reached; /* the place of its next step */
    _Atomic int state;
    struct lock_steps made; /* guarded by the lock */
    struct lock_order *ordered;
    size_t ordered_count; /* places of other threads that it is ordered after; guarded by the lock */
    struct lock_steps due;
    size_t at;
    unsigned pauses; /* of lock_log_retry in this step */
    /* of the record */
    place end;     /* its last place */
    bool recorded; /* it has a last place */
    bool stays;    /* it waited there when the recorded run ended */
};

/* host_log.c looks these functions up by name. */
const char *orrery_thread_name(void);
void orrery_thread_call(void);
void orrery_thread_call_lock(int taken);
void orrery_locks_leave_out(const void *address);
void orrery_locks_follow(const char *text);
int orrery_locks_give_up(void);
int orrery_locks_passed(void);
void orrery_locks_print(FILE *stream);

static const char *const kind_name[] = {
    [LOCK_MUTEX] = "mutex",     [LOCK_READ] = "read",           [LOCK_WRITE] = "write",
    [LOCK_SPIN] = "spin",       [LOCK_CONDITION] = "condition", [LOCK_SEMAPHORE] = "semaphore",
    [LOCK_BARRIER] = "barrier", [LOCK_ONCE] = "once",           [LOCK_RAN] = "ran",
};
enum { KINDS = sizeof kind_name / sizeof *kind_name };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t moved;
    atomic_bool active, follows, forgotten;
    atomic_uint waiting; /* threads that wait for `moved` */
    atomic_uint moves;   /* counts steps and calls */
    _Atomic(struct lock_thread *) in_call;
    uintptr_t own_start, own_end; /* code of the runtime, whose locks are not the program's */
    struct lock_thread *threads;  /* the rest is guarded by the lock */
    struct locked_object *objects;
    size_t object_count, object_room;
    bool read, lost, passed; /* passed: some lock went from one thread to another, or a step failed */
} lock_log = {.lock = PTHREAD_MUTEX_INITIALIZER, .moved = PTHREAD_COND_INITIALIZER};

static __thread struct {
    struct lock_thread *thread;
    unsigned inside;
} self;

/* Locks that are taken in between, also by malloc, are no steps. */
static void enter(void)
{
    self.inside++;
    pthread_mutex_lock(&lock_log.lock);
}

static void leave(void)
{
    CHECKED(self.inside > 0);
    pthread_mutex_unlock(&lock_log.lock);
    self.inside--;
}

/* ---- tables ------------------------------------------------------------------------------ */

static struct lock_thread *thread_of(const char *name)
{
    struct lock_thread **at = &lock_log.threads;
    while (*at && strcmp((*at)->name, name) != 0)
        at = &(*at)->next;
    if (!*at && (*at = calloc(1, sizeof **at)))
        snprintf((*at)->name, NAME_CHARS, "%s", name);
    return *at;
}

/* The thread of that name; NULL: out of memory. */
static struct lock_thread *lock_log_thread(const char *name)
{
    enter();
    struct lock_thread *thread = thread_of(name);
    leave();
    return thread;
}

static struct lock_step *last_of(const struct lock_steps *steps)
{
    return steps->count ? &steps->step[steps->count - 1] : NULL;
}

/* Is the step one more attempt that fails in the same way, right after the last? */
static bool repeats(const struct lock_step *last, const struct lock_step *step)
{
    const bool same_failure = last->result && last->kind == step->kind && last->result == step->result;
    return same_failure && !step->after && last->at + last->count == step->at;
}

static bool add(struct lock_steps *steps, struct lock_step step)
{
    struct lock_step *last = last_of(steps);
    if (last && repeats(last, &step)) {
        last->count += step.count;
        return true;
    }
    if (steps->count == steps->room) {
        const size_t room = steps->room ? 2 * steps->room : 16;
        struct lock_step *grown = realloc(steps->step, room * sizeof *grown);
        if (!grown)
            return false;
        steps->step = grown;
        steps->room = room;
    }
    CHECKED(steps->count < steps->room);
    steps->step[steps->count++] = step;
    return true;
}

/* The slot of the address, or the free one where it belongs. The table is never full. */
static struct locked_object *slot_of(struct locked_object *objects, size_t room, const void *address)
{
    size_t at = (size_t)(((uintptr_t)address >> 3) * UINT64_C(0x9E3779B97F4A7C15) >> 20) & (room - 1);
    while (objects[at].address && objects[at].address != address)
        at = (at + 1) & (room - 1);
    return &objects[at];
}

static struct locked_object *object_of(const void *address)
{
    if (2 * (lock_log.object_count + 1) > lock_log.object_room) {
        const size_t room = lock_log.object_room ? 2 * lock_log.object_room : 256;
        struct locked_object *grown = calloc(room, sizeof *grown);
        if (!grown)
            return NULL;
        for (size_t i = 0; i < lock_log.object_room; i++)
            if (lock_log.objects[i].address)
                *slot_of(grown, room, lock_log.objects[i].address) = lock_log.objects[i];
        free(lock_log.objects);
        lock_log.objects = grown;
        lock_log.object_room = room;
    }
    struct locked_object *object = slot_of(lock_log.objects, lock_log.object_room, address);
    CHECKED(address && 2 * lock_log.object_count <= lock_log.object_room);
    lock_log.object_count += !object->address;
    object->address = address;
    return object;
}

/* Is the thread ordered after that place by an earlier step? Notes the order if not. */
static bool is_ordered(struct lock_thread *thread, const struct lock_thread *other, place at)
{
    struct lock_order *ordered = thread->ordered;
    size_t i = 0;
    while (i < thread->ordered_count && ordered[i].thread != other)
        i++;
    if (i == thread->ordered_count && (ordered = realloc(ordered, (i + 1) * sizeof *ordered))) {
        thread->ordered = ordered;
        thread->ordered_count++;
        ordered[i] = (struct lock_order){other, at};
        return false;
    }
    if (!ordered || ordered[i].at >= at)
        return ordered;
    ordered[i].at = at;
    return false;
}

/* ---- threads ---------------------------------------------------------------------------------- */

static struct lock_thread *own(void)
{
    if (!self.thread)
        self.thread = lock_log_thread(orrery_thread_name());
    return self.thread;
}

struct lock_thread *lock_log_self(const void *caller)
{
    if (!atomic_load_explicit(&lock_log.active, memory_order_acquire) || self.inside)
        return NULL;
    if ((uintptr_t)caller >= lock_log.own_start && (uintptr_t)caller < lock_log.own_end)
        return NULL;
    return own();
}

static int leave_out(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    uintptr_t start = UINTPTR_MAX, end = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const uintptr_t first = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        if (info->dlpi_phdr[i].p_type != PT_LOAD)
            continue;
        start = first < start ? first : start;
        end = first + info->dlpi_phdr[i].p_memsz > end ? first + info->dlpi_phdr[i].p_memsz : end;
    }
    if ((uintptr_t)data < start || (uintptr_t)data >= end)
        return 0;
    lock_log.own_start = start;
    lock_log.own_end = end;
    return 1;
}

/* Locks of the library that has this address are no steps. */
void orrery_locks_leave_out(const void *address)
{
    dl_iterate_phdr(leave_out, (void *)(uintptr_t)address);
}

/* ---- progress of threads ------------------------------------------------------------------------------ */

static void notify_moved(void)
{
    atomic_fetch_add(&lock_log.moves, 1);
    if (!atomic_load(&lock_log.waiting))
        return;
    enter();
    pthread_cond_broadcast(&lock_log.moved);
    leave();
}

void orrery_thread_call(void)
{
    struct lock_thread *thread = own();
    if (!thread)
        return;
    atomic_store(&thread->reached, ((thread->reached >> STEP_BITS) + 1) << STEP_BITS);
    notify_moved();
}

void orrery_thread_call_lock(int taken)
{
    atomic_store(&lock_log.in_call, taken ? own() : NULL);
    notify_moved();
}

void lock_log_done(struct lock_thread *thread)
{
    atomic_store(&thread->state, STATE_RUNS);
    atomic_fetch_add(&thread->reached, 1);
    notify_moved();
}

bool lock_log_follows(void)
{
    return atomic_load(&lock_log.follows);
}

/* Of stderr_preload.c, in the same library. */
int orrery_first_stderr(void);

static int message_file(void)
{
    const int first = orrery_first_stderr();
    return first >= 0 ? first : STDERR_FILENO;
}

/* The order of the locks is given up, with a warning. The lock is held. */
static void give_up(const char *format, const char *first, const char *second)
{
    if (!atomic_exchange(&lock_log.follows, false))
        return;
    const int file = message_file();
    dprintf(file, "orrery: warning: the replay gives up the order of the program's locks: ");
    dprintf(file, format, first, second);
    dprintf(file, "\n");
    pthread_cond_broadcast(&lock_log.moved);
}

void lock_log_abandon(const char *why)
{
    enter();
    give_up("%s%s", why, "");
    leave();
}

/* For a due call that is not made: true if threads waited for locks, whose order is given up then. */
int orrery_locks_give_up(void)
{
    enter();
    const bool use = lock_log_follows() && atomic_load(&lock_log.waiting);
    if (use)
        give_up("the call that is due is not made%s%s", "", "");
    leave();
    return use;
}

/* The lock is held. False: no thread has moved for a long time, and no other thread is in a call. */
static bool wait_moved(const struct lock_thread *thread)
{
    struct timespec until;
    int state, err = 0;
    const unsigned moves = atomic_load(&lock_log.moves);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += GIVE_UP_SECONDS;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    err = pthread_cond_timedwait(&lock_log.moved, &lock_log.lock, &until);
    pthread_setcancelstate(state, &state);
    const struct lock_thread *in_call = atomic_load(&lock_log.in_call);
    return !err || moves != atomic_load(&lock_log.moves) || (in_call && in_call != thread);
}

static void wait_past(struct lock_thread *thread, const struct lock_step *step)
{
    CHECKED(step->after && step->after != thread);
    while (lock_log_follows() && atomic_load(&step->after->reached) <= step->after_place)
        if (!wait_moved(thread))
            give_up("thread %s waits for thread %s, and nothing moves", thread->name, step->after->name);
}

static bool all_reached_their_end(void)
{
    for (const struct lock_thread *thread = lock_log.threads; thread; thread = thread->next)
        if (thread->recorded && atomic_load(&thread->reached) < thread->end)
            return false;
    return true;
}

static bool any_is_blocked(void)
{
    for (const struct lock_thread *thread = lock_log.threads; thread; thread = thread->next)
        if (atomic_load(&thread->state) == STATE_BLOCKED)
            return true;
    return false;
}

/*
 * The thread is at the end of its record: the others reach theirs first. Then the order is at its end. A
 * thread that stayed there in the recorded run waits without a limit, unless another thread is blocked.
 */
static void wait_for_all(struct lock_thread *thread)
{
    while (lock_log_follows() && !all_reached_their_end())
        if (!wait_moved(thread) && (!thread->stays || any_is_blocked()))
            give_up("thread %s continues where it ended%s, and nothing moves", thread->name, "");
    atomic_store(&lock_log.follows, false);
    pthread_cond_broadcast(&lock_log.moved);
}

/* ---- a step -------------------------------------------------------------------------------------- */

static const struct lock_step *due(struct lock_thread *thread, place at)
{
    const struct lock_steps *steps = &thread->due;
    while (thread->at < steps->count && steps->step[thread->at].at + steps->step[thread->at].count <= at)
        thread->at++;
    const struct lock_step *step = thread->at < steps->count ? &steps->step[thread->at] : NULL;
    return step && step->at <= at ? step : NULL;
}

static int follow(struct lock_thread *thread, enum lock_kind kind)
{
    const place at = atomic_load(&thread->reached);
    const bool over = at >= thread->end;
    const struct lock_step *step = over ? NULL : due(thread, at);
    if (!over && !step)
        return 0;
    if (!over && step->kind == kind &&
        (!step->after || atomic_load(&step->after->reached) > step->after_place))
        return step->result;
    enter();
    atomic_fetch_add(&lock_log.waiting, 1);
    if (over)
        wait_for_all(thread);
    else if (step->kind != kind)
        give_up("thread %s does something else to its locks%s", thread->name, "");
    else
        wait_past(thread, step);
    atomic_fetch_sub(&lock_log.waiting, 1);
    leave();
    return step && lock_log_follows() ? step->result : 0;
}

bool lock_log_before(struct lock_thread *thread, enum lock_kind kind, int *out_result)
{
    atomic_store(&thread->state, STATE_WAITS);
    thread->pauses = 0;
    *out_result = lock_log_follows() ? follow(thread, kind) : 0;
    atomic_store(&thread->state, STATE_BLOCKED);
    return *out_result != 0;
}

void lock_log_suspend(bool pass)
{
    self.inside += pass ? 1u : -1u;
}

void lock_log_note(struct lock_thread *thread, const void *object, enum lock_kind kind, int result)
{
    const place at = atomic_load(&thread->reached);
    enter();
    struct locked_object *entry = object && !result ? object_of(object) : NULL;
    struct lock_step step = {.at = at, .count = 1, .kind = kind, .result = result};
    if (entry && entry->last && entry->last != thread && !is_ordered(thread, entry->last, entry->at)) {
        step.after = entry->last;
        step.after_place = entry->at;
    }
    if (entry && kind != LOCK_ONCE) {
        entry->last = thread;
        entry->at = at;
    }
    const bool noted = step.after || result;
    lock_log.passed |= noted;
    const bool object_lost = object && !result && !entry;
    const bool step_lost = noted && !object_lost && !add(&thread->made, step);
    lock_log.lost |= object_lost || step_lost;
    leave();
}

/* A lock that was free in the recorded run may still be held by a thread that will release it soon. */
bool lock_log_retry(struct lock_thread *thread)
{
    const struct timespec pause = {0, PAUSE_NANOSECONDS};
    if (++thread->pauses > PAUSES)
        lock_log_abandon("a lock that is due stays held");
    if (!lock_log_follows())
        return false;
    nanosleep(&pause, NULL);
    return true;
}

/* ---- text ---------------------------------------------------------------------------------------- */

static void print_place(FILE *stream, const struct lock_thread *thread, place at)
{
    fprintf(stream, "%s %" PRIu64 ".%" PRIu64, thread->name, at >> STEP_BITS,
            at & ((UINT64_C(1) << STEP_BITS) - 1));
}

static void print_step(FILE *stream, const struct lock_thread *thread, const struct lock_step *step)
{
    CHECKED((unsigned)step->kind < KINDS);
    print_place(stream, thread, step->at);
    fprintf(stream, " %s", kind_name[step->kind]);
    if (step->after) {
        fputs(" after ", stream);
        print_place(stream, step->after, step->after_place);
    } else {
        fprintf(stream, " gives %d %" PRIu64, step->result, step->count);
    }
    fputc('\n', stream);
}

static void print_thread(FILE *stream, const struct lock_thread *thread)
{
    const place reached = atomic_load(&thread->reached);
    for (size_t i = 0; i < thread->made.count; i++)
        print_step(stream, thread, &thread->made.step[i]);
    print_place(stream, thread, reached);
    fputs(atomic_load(&thread->state) == STATE_RUNS ? " end\n" : " stays\n", stream);
}

int orrery_locks_passed(void)
{
    return lock_log.passed && !lock_log.lost;
}

/* The section [locks] of the record, if a lock went from one thread to another. */
void orrery_locks_print(FILE *stream)
{
    enter();
    if (lock_log.lost)
        dprintf(message_file(),
                "orrery: warning: the order of the program's locks is not recorded: out of memory\n");
    if (orrery_locks_passed()) {
        fputs("[locks]\n", stream);
        for (const struct lock_thread *thread = lock_log.threads; thread; thread = thread->next)
            if (atomic_load(&thread->reached) || atomic_load(&thread->state) != STATE_RUNS)
                print_thread(stream, thread);
    }
    leave();
}

static place place_from(uint64_t calls, uint64_t steps)
{
    return calls << STEP_BITS | steps;
}

static bool parse_step(struct lock_thread *thread, struct lock_step step, const char *text)
{
    char kind[16], name[NAME_CHARS];
    uint64_t calls, steps;
    size_t number = 0;
    bool fine = sscanf(text, "%15s gives %d %" SCNu64, kind, &step.result, &step.count) == 3 && step.count;
    if (!fine && sscanf(text, "%15s after %63s %" SCNu64 ".%" SCNu64, kind, name, &calls, &steps) == 4) {
        step.after = thread_of(name);
        step.after_place = place_from(calls, steps);
        fine = step.after != NULL;
    }
    while (fine && number < KINDS && strcmp(kind_name[number], kind) != 0)
        number++;
    step.kind = (enum lock_kind)number;
    return fine && number < KINDS && add(&thread->due, step);
}

static bool parse_line(const char *line)
{
    char name[NAME_CHARS];
    uint64_t calls, steps;
    int used = 0;
    if (sscanf(line, "%63s %" SCNu64 ".%" SCNu64 " %n", name, &calls, &steps, &used) != 3 || !used)
        return false;
    struct lock_thread *thread = thread_of(name);
    const char *rest = line + used;
    if (!thread)
        return false;
    thread->stays = strcmp(rest, "stays") == 0;
    if (!thread->stays && strcmp(rest, "end") != 0)
        return parse_step(thread, (struct lock_step){.at = place_from(calls, steps), .count = 1}, rest);
    thread->recorded = true;
    thread->end = place_from(calls, steps);
    return true;
}

/* Parses the lines of the section; the number of the first bad line, or 0. */
static size_t parse(char *text)
{
    char *rest = NULL;
    size_t number = 1;
    for (char *line = strtok_r(text, "\n", &rest); line && *line != '[';
         line = strtok_r(NULL, "\n", &rest), number++)
        if (!parse_line(line))
            return number;
    for (struct lock_thread *thread = lock_log.threads; thread; thread = thread->next)
        if (!thread->recorded)
            thread->end = UINT64_MAX;
    return 0;
}

/* The lock is held. */
static void read_record(char *text)
{
    static const char title[] = "\n[locks]\n";
    char *section = lock_log.read ? NULL : strstr(text, title);
    const size_t bad = section ? parse(section + sizeof title - 1) : 0;
    lock_log.read = true;
    if (bad)
        dprintf(message_file(),
                "orrery: warning: the replay does not keep the order of the program's locks: line %zu of "
                "[locks] is none\n",
                bad);
    else if (section)
        atomic_store(&lock_log.follows, true);
}

/* Threads may take locks before liborrery is loaded, which reads the record otherwise. */
static void read_named_record(void)
{
    const char *path = secure_getenv("ORRERY_REPLAY");
    FILE *stream = path && strncmp(path, "1:", 2) != 0 ? fopen(path, "re") : NULL;
    char *text = NULL;
    size_t room = 0;
    if (stream && getdelim(&text, &room, '\0', stream) > 0)
        read_record(text);
    free(text);
    if (stream)
        fclose(stream);
}

void orrery_locks_follow(const char *text)
{
    enter();
    char *own_text = text && !lock_log.read ? strdup(text) : NULL;
    if (own_text)
        read_record(own_text);
    free(own_text);
    leave();
}

/* ---- life ------------------------------------------------------------------------------------------- */

/* In a forked child: there is one thread, and no order. */
static void lock_log_forget(void)
{
    atomic_store(&lock_log.active, false);
    atomic_store(&lock_log.follows, false);
    atomic_store(&lock_log.forgotten, true); /* another thread may have held the lock */
}

void lock_log_begin(void)
{
    if (atomic_load_explicit(&lock_log.active, memory_order_acquire) || atomic_load(&lock_log.forgotten))
        return;
    enter();
    if (!atomic_load(&lock_log.active)) {
        read_named_record();
        pthread_atfork(NULL, NULL, lock_log_forget);
        atomic_store_explicit(&lock_log.active, true, memory_order_release);
    }
    leave();
}
