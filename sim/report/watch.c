/* SPDX-License-Identifier: Apache-2.0 */
/* A page of memory that all processes of a run share, by which `orrery run` learns what they found. Counts
 * are atomic; a robust mutex guards files. */
#include "orrery/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xxhash.h>

static struct watch *map(int descriptor)
{
    void *memory = mmap(NULL, sizeof(struct watch), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* A robust mutex: when a process dies with the lock, the next one gets it. */
static void make_lock(struct watch *watch)
{
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&watch->lock, &kind);
    pthread_mutexattr_destroy(&kind);
}

/* Programs open the page by a path in /proc. A descriptor that they inherited they might close. */
struct watch *watch_new(char out_name[WATCH_NAME_CHARS])
{
    int descriptor = memfd_create("orrery", MFD_CLOEXEC);
    struct watch *watch = NULL;
    if (descriptor >= 0 && ftruncate(descriptor, sizeof *watch) == 0)
        watch = map(descriptor);
    snprintf(out_name, WATCH_NAME_CHARS, "/proc/%ld/fd/%d", (long)getpid(), descriptor);
    if (watch)
        make_lock(watch);
    if (watch && !getcwd(watch->root, sizeof watch->root))
        watch->root[0] = '\0';
    if (!watch && descriptor >= 0)
        close(descriptor);
    return watch;
}

struct watch *watch_open(const char *name)
{
    int descriptor = open(name, O_RDWR | O_CLOEXEC);
    if (descriptor < 0)
        return NULL;
    bool whole = lseek(descriptor, 0, SEEK_END) == (off_t)sizeof(struct watch);
    struct watch *watch = whole ? map(descriptor) : NULL;
    close(descriptor);
    return watch;
}

struct watch_seat *watch_take_seat(struct watch *watch)
{
    for (size_t i = 0; i < WATCH_SEATS; i++) {
        struct watch_seat *seat = &watch->seats[i];
        pid_t none = 0;
        if (!__atomic_compare_exchange_n(&seat->process, &none, getpid(), false, __ATOMIC_ACQ_REL,
                                         __ATOMIC_RELAXED))
            continue;
        seat->exit_status = 0;
        seat->counts = (struct report_counts){0};
        seat->refused.count = 0;
        return seat;
    }
    return NULL;
}

void watch_leave_seat(struct watch_seat *seat)
{
    __atomic_store_n(&seat->process, 0, __ATOMIC_RELEASE);
}

void watch_note_kernel(struct watch *watch)
{
    __atomic_store_n(&watch->kernel_ran, true, __ATOMIC_RELEASE);
}

bool watch_kernel_ran(const struct watch *watch)
{
    return __atomic_load_n(&watch->kernel_ran, __ATOMIC_ACQUIRE);
}

void watch_note_reported(struct watch *watch, int exit_status)
{
    int none = 0;
    __atomic_compare_exchange_n(&watch->exit_status, &none, exit_status, false, __ATOMIC_ACQ_REL,
                                __ATOMIC_RELAXED);
    __atomic_store_n(&watch->reported, true, __ATOMIC_RELEASE);
}

void watch_note_unrunnable(struct watch *watch, int exit_status)
{
    __atomic_store_n(&watch->cannot_run, true, __ATOMIC_RELEASE);
    watch_note_reported(watch, exit_status);
}

void watch_note_unwritten(struct watch *watch)
{
    __atomic_store_n(&watch->unwritten, true, __ATOMIC_RELEASE);
}

/* ---- how far it got -------------------------------------------------------------------- */

void watch_note_reached(struct watch *watch, enum reach reached, uint64_t type)
{
    int before = __atomic_load_n(&watch->reached, __ATOMIC_ACQUIRE);
    if (reached == REACH_NO_DEVICE)
        __atomic_store_n(&watch->asked_type, type, __ATOMIC_RELEASE);
    while (before < (int)reached && !__atomic_compare_exchange_n(&watch->reached, &before, (int)reached,
                                                                 false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        continue;
}

/* The kind of device for a cl_device_type; "a CPU" is what --device-type makes of the device. */
static const char *type_name(uint64_t type)
{
    static const char *const names[] = {"default", "cpu", "gpu", "accelerator", "custom"};
    for (size_t i = 1; i < sizeof names / sizeof *names; i++) {
        if (type == UINT64_C(1) << i)
            return names[i];
    }
    return NULL;
}

static void print_type(FILE *stream, uint64_t type)
{
    const char *name = type_name(type);
    fputs("the program asked for devices of a type that the simulated device is not", stream);
    if (name)
        fprintf(stream, "; --device-type=%s makes it one", name);
}

void watch_print_refused(FILE *stream, const struct watch_refused *refused)
{
    if (refused->count)
        fprintf(stream, "orrery: note: %" PRIu64 " call%s refused, the first %s\n", refused->count,
                refused->count == 1 ? " was" : "s were", refused->first);
}

void reach_print(FILE *stream, enum reach reached, uint64_t type)
{
    static const char *const reasons[] = {
        [REACH_NOTHING] = "no process called OpenCL: it does not use it, failed before, or loads the library "
                          "of another vendor itself",
        [REACH_PLATFORM] = "the program listed the platforms and asked Orrery's for no device: it may look "
                           "for another platform",
        [REACH_DEVICE] = "the program asked for devices and made no context",
        [REACH_CONTEXT] = "the program made a context, and no call enqueued a kernel",
        [REACH_REFUSED] = "the program made a context, and the calls that enqueue a kernel were refused",
        [REACH_EMPTY] =
            "the program enqueued kernels for no work-items: global_work_size has a 0, or is NULL",
        [REACH_ENQUEUED] =
            "the program enqueued kernels and ended before one of them began; clFinish waits for them",
    };
    fputs("orrery: note: no kernel ran: ", stream);
    if (reached == REACH_NO_DEVICE)
        print_type(stream, type);
    else
        fputs(reasons[reached], stream);
    fputc('\n', stream);
}

/* ---- which process it is --------------------------------------------------------------- */

uint32_t watch_count_process(struct watch *watch)
{
    return __atomic_add_fetch(&watch->processes, 1, __ATOMIC_RELAXED);
}

/* Does the text of this process need a heading? The first process's does only after another one has
 * written. */
bool watch_write_text(struct watch *watch, uint32_t number)
{
    const uint32_t before = __atomic_exchange_n(&watch->writer, number, __ATOMIC_ACQ_REL);
    return before != number && (before || number != 1);
}

/* ---- files that several processes write ---------------------------------------------- */

void watch_lock(struct watch *watch)
{
    if (pthread_mutex_lock(&watch->lock) == EOWNERDEAD)
        pthread_mutex_consistent(&watch->lock);
}

void watch_unlock(struct watch *watch)
{
    pthread_mutex_unlock(&watch->lock);
}

/* A hash of the absolute name: processes may run in different directories. */
static uint64_t path_of(const char *name)
{
    char *directory = *name == '/' ? NULL : getcwd(NULL, 0), *path = NULL;
    if (directory && asprintf(&path, "%s/%s", directory, name) < 0)
        path = NULL;
    const char *full = path ? path : name;
    const uint64_t hash = XXH3_64bits(full, strlen(full));
    free(directory);
    free(path);
    return hash ? hash : 1;
}

/*
 * True: no other process of the run has written the file, so what is in it does not count. written: this
 * program has. Without that the same process id proves nothing: a program started by exec keeps it. Beyond
 * the limit of files the contents always count.
 */
bool watch_begin_file(struct watch *watch, const char *name, bool written)
{
    const uint64_t path = path_of(name);
    size_t at = 0;
    while (at < WATCH_FILES && watch->files[at].name && watch->files[at].name != path)
        at++;
    if (at == WATCH_FILES)
        return false;
    struct watch_file *file = &watch->files[at];
    const bool fresh = !file->name, alone = fresh || (written && file->process == getpid());
    file->name = path;
    file->process = alone ? getpid() : 0;
    return alone;
}

/* ---- the baseline ------------------------------------------------------------------------ */

void watch_accept(struct watch *watch)
{
    __atomic_fetch_add(&watch->accepted, 1, __ATOMIC_RELAXED);
}

void watch_use_row(struct watch *watch, size_t row)
{
    if (row < WATCH_ROWS)
        __atomic_fetch_or(&watch->rows[row / 8], (uint8_t)(1u << row % 8), __ATOMIC_RELAXED);
}

bool watch_row_used(const struct watch *watch, size_t row)
{
    return row >= WATCH_ROWS || (__atomic_load_n(&watch->rows[row / 8], __ATOMIC_RELAXED) >> row % 8 & 1);
}

/* A line that is too long is not kept. */
void watch_note_replay(struct watch *watch, const char *line)
{
    watch->replay[0] = '\0';
    if (strlen(line) < sizeof watch->replay)
        strcpy(watch->replay, line);
}
