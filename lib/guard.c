/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which pages are open is a function of the maps and of who has the baton; the kernel keeps it, and guard.areas say what
 * it must be. The signal handler only notes and opens: what it saw is told later, on a thread that may take locks.
 */
#include "guard.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "command.h"
#include "host_place.h"
#include "order.h"
#include "runtime.h"

enum { PAGE_BYTES = 4096, NOTES = 64 };

/* Bytes that a map command makes the host's, from enqueueing it to enqueueing its unmap. */
struct window {
    struct window *next;
    uint64_t low, high;
    uint32_t command;
    const char *call;
    bool known; /* the host knows the map to be complete */
};
/* One allocation, in whole pages. No page holds two. */
struct area {
    struct area *next;
    uint64_t low, high;
    bool is_svm, of_device; /* of_device: never the host's */
    bool is_shared;         /* the host's and the device's, in turns that commands begin and waits end */
    struct window *windows;
    uint32_t unmap; /* the last command that unmapped some of it */
};
struct note {
    uint64_t address;
    bool write, is_shared;
    struct host_trace trace;
};

static struct {
    pthread_mutex_t lock; /* never held while memory of the device is touched: the handler takes it */
    struct area *areas;
    bool inside, installed; /* inside: someone executes */
    bool shared;            /* nothing is watched any more */
    struct sigaction before;
    struct note notes[NOTES];
    size_t note_count;
} guard = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- pages --------------------------------------------------------------------------- */

static uint64_t page_of(uint64_t address)
{
    return address & ~(uint64_t)(PAGE_BYTES - 1);
}

static void set_pages(uint64_t low, uint64_t high, int protection)
{
    uint64_t start = page_of(low), end = page_of(high + PAGE_BYTES - 1);
    mprotect((void *)(uintptr_t)start, end - start, protection);
}

static void open_area(const struct area *area)
{
    set_pages(area->low, area->high, PROT_READ | PROT_WRITE);
}

static void close_area(const struct area *area)
{
    if (area->is_shared && !device_under_way(runtime_device())) {
        open_area(area);
        return;
    }
    set_pages(area->low, area->high, PROT_NONE);
    for (const struct window *window = area->windows; window; window = window->next)
        if (window->known)
            set_pages(window->low, window->high, PROT_READ | PROT_WRITE);
}

static struct area *area_at(uint64_t address)
{
    for (struct area *area = guard.areas; area; area = area->next)
        if (address >= page_of(area->low) && address < page_of(area->high + PAGE_BYTES - 1))
            return area;
    return NULL;
}

/* ---- the signal ------------------------------------------------------------------------- */

static bool was_write(const void *context)
{
#if defined __x86_64__
    enum { ERROR_WRITE = 2 };
    return ((const ucontext_t *)context)->uc_mcontext.gregs[REG_ERR] & ERROR_WRITE;
#else
    (void)context;
    return false;
#endif
}

static uint64_t program_counter(const void *context)
{
#if defined __x86_64__
    return (uint64_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
#else
    (void)context;
    return 0;
#endif
}

static void take_note(const struct area *area, uint64_t address, const void *context)
{
    struct note *note = &guard.notes[guard.note_count++];
    note->address = address;
    note->is_shared = area->is_shared;
    note->write = was_write(context);
    host_place_capture(&note->trace);
    note->trace.pc = program_counter(context);
}

/* A page that is open again by now is ours too: another thread may have begun to execute. */
static bool catch(uint64_t address, const void *context)
{
    pthread_mutex_lock(&guard.lock);
    const struct area *area = area_at(address);
    if (area && !guard.inside) {
        bool room = guard.note_count < NOTES;
        if (room)
            take_note(area, address, context);
        if (room) /* a store that follows a load is one more to know of */
            set_pages(page_of(address), page_of(address) + PAGE_BYTES,
                      area->is_shared && !was_write(context) ? PROT_READ : PROT_READ | PROT_WRITE);
        else
            open_area(area);
    }
    pthread_mutex_unlock(&guard.lock);
    return area != NULL;
}

static void pass_on(int number, siginfo_t *info, void *context)
{
    const struct sigaction *before = &guard.before;
    if (before->sa_flags & SA_SIGINFO)
        before->sa_sigaction(number, info, context);
    else if (before->sa_handler != SIG_DFL && before->sa_handler != SIG_IGN)
        before->sa_handler(number);
    else
        signal(number, SIG_DFL); /* it comes again, and ends the process as it would have without us */
}

static void on_fault(int number, siginfo_t *info, void *context)
{
    bool access = info->si_code == SEGV_ACCERR;
    if (!access || !catch((uint64_t)(uintptr_t)info->si_addr, context))
        pass_on(number, info, context);
}

/* Again whenever pages are closed: the program may have installed its own, which is then asked second. */
static void install(void)
{
    struct sigaction current, ours = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&ours.sa_mask);
    if (sigaction(SIGSEGV, NULL, &current) || (current.sa_flags & SA_SIGINFO && current.sa_sigaction == on_fault))
        return;
    if (!guard.installed)
        host_place_prepare();
    guard.before = current;
    guard.installed = sigaction(SIGSEGV, &ours, NULL) == 0;
}

/* ---- what the host may touch ---------------------------------------------------------------- */

static struct area *area_new(uint64_t address, bool is_svm)
{
    uint64_t start, size;
    struct area *area = NULL;
    if (!guard.shared && device_allocation(runtime_device(), address, &start, &size))
        area = calloc(1, sizeof *area);
    if (!area)
        return NULL;
    *area = (struct area){.next = guard.areas, .low = start, .high = start + size, .is_svm = is_svm};
    return guard.areas = area;
}

static void apply(const struct area *area)
{
    if (guard.inside)
        return;
    install();
    if (guard.installed)
        close_area(area);
}

static void add(void *pointer, bool of_device, bool is_shared)
{
    if (!order_heard())
        return;
    runtime_lock(); /* so that nobody begins to execute meanwhile */
    pthread_mutex_lock(&guard.lock);
    struct area *area = area_new((uint64_t)(uintptr_t)pointer, true);
    if (area) {
        area->of_device = of_device;
        area->is_shared = is_shared;
        apply(area);
    }
    pthread_mutex_unlock(&guard.lock);
    runtime_unlock();
}

void guard_add(void *pointer, bool of_device)
{
    add(pointer, of_device, false);
}

void guard_add_shared(void *pointer)
{
    add(pointer, false, true);
}

static void area_free(struct area *area)
{
    while (area->windows) {
        struct window *window = area->windows;
        area->windows = window->next;
        free(window);
    }
    free(area);
}

void guard_remove(void *pointer)
{
    uint64_t address = (uint64_t)(uintptr_t)pointer;
    guard_tell();
    pthread_mutex_lock(&guard.lock);
    struct area **link = &guard.areas;
    while (*link && !(address >= (*link)->low && address < (*link)->high))
        link = &(*link)->next;
    struct area *area = *link;
    if (area) {
        *link = area->next;
        open_area(area);
        area_free(area);
    }
    pthread_mutex_unlock(&guard.lock);
}

static void add_window(uint64_t low, size_t size, const struct command *command, const char *call)
{
    struct area *area = area_at(low);
    struct window *window = calloc(1, sizeof *window);
    if (!area)
        area = area_new(low, false);
    if (!window || !area) {
        free(window);
        return;
    }
    *window = (struct window){
        .next = area->windows, .low = low, .high = low + size, .command = command->serial, .call = call};
    area->windows = window;
    apply(area);
}

/* The last one mapped at the pointer, as the runtime takes the last record. */
static void remove_window(uint64_t low, const struct command *command)
{
    struct area *area = area_at(low);
    struct window **link = area ? &area->windows : NULL;
    while (link && *link && (*link)->low != low)
        link = &(*link)->next;
    if (!link || !*link)
        return;
    struct window *window = *link;
    *link = window->next;
    free(window);
    area->unmap = command->serial;
    apply(area);
}

static void apply_shared(void)
{
    for (const struct area *area = guard.areas; area; area = area->next)
        if (area->is_shared)
            apply(area);
}

void guard_enqueued(const struct command *command)
{
    pthread_mutex_lock(&guard.lock);
    apply_shared();
    pthread_mutex_unlock(&guard.lock);
    bool map = command->kind == COMMAND_MAP_BUFFER || command->kind == COMMAND_MAP_IMAGE;
    bool buffer = map || command->kind == COMMAND_UNMAP_MEM_OBJECT;
    bool svm = command->kind == COMMAND_SVM_MAP || command->kind == COMMAND_SVM_UNMAP;
    const void *pointer = buffer ? command->u.map.record->pointer : svm ? command->u.svm_map.pointer : NULL;
    uint64_t low = (uint64_t)(uintptr_t)pointer;
    uint64_t start, size;
    if (!pointer || !device_allocation(runtime_device(), low, &start, &size))
        return;
    guard_tell();
    pthread_mutex_lock(&guard.lock);
    if (map)
        add_window(low, command->u.map.record->size, command, command_call(command->kind));
    else if (command->kind == COMMAND_SVM_MAP)
        add_window(low, command->u.svm_map.size, command, command_call(command->kind));
    else
        remove_window(low, command);
    pthread_mutex_unlock(&guard.lock);
}

void guard_waited(void)
{
    if (!guard_active())
        return;
    guard_tell();
    pthread_mutex_lock(&guard.lock);
    for (struct area *area = guard.areas; area; area = area->next) {
        bool more = false;
        for (struct window *window = area->windows; window; window = window->next) {
            bool known = window->known || device_host_knows(runtime_device(), window->command);
            more |= known != window->known;
            window->known = known;
        }
        if (more)
            apply(area);
    }
    apply_shared();
    pthread_mutex_unlock(&guard.lock);
}

void guard_share(void)
{
    guard_tell();
    pthread_mutex_lock(&guard.lock);
    guard.shared = true;
    while (guard.areas) {
        struct area *area = guard.areas;
        guard.areas = area->next;
        open_area(area);
        area_free(area);
    }
    pthread_mutex_unlock(&guard.lock);
}

bool guard_active(void)
{
    return __atomic_load_n(&guard.areas, __ATOMIC_RELAXED) != NULL;
}

void guard_enter(void)
{
    if (guard_active())
        guard_tell();
    pthread_mutex_lock(&guard.lock);
    for (const struct area *area = guard.areas; area; area = area->next)
        open_area(area);
    guard.inside = true;
    pthread_mutex_unlock(&guard.lock);
}

bool guard_pause(void)
{
    const bool inside = __atomic_load_n(&guard.inside, __ATOMIC_RELAXED);
    if (!inside)
        guard_enter();
    return !inside;
}

void guard_leave(void)
{
    pthread_mutex_lock(&guard.lock);
    guard.inside = false;
    for (const struct area *area = guard.areas; area; area = area->next)
        apply(area);
    pthread_mutex_unlock(&guard.lock);
}

/* ---- telling ------------------------------------------------------------------------------- */

enum { SENTENCE_CHARS = 300 };
struct verdict {
    uint32_t command;
    char why[SENTENCE_CHARS];
    const char *fix;
};

/* By the maps as they are: they do not change before what was caught is told. */
static void judge(uint64_t address, struct verdict *out_verdict)
{
    const struct area *area = area_at(address);
    const struct window *window = area ? area->windows : NULL;
    while (window && !(address >= window->low && address < window->high))
        window = window->next;
    *out_verdict = (struct verdict){0};
    if (window && !window->known) {
        out_verdict->command = window->command;
        snprintf(out_verdict->why, SENTENCE_CHARS,
                 "command %" PRIu32 " (%s) maps these bytes, and the host does not know yet that it is complete: asking "
                 "for an event's status orders nothing",
                 window->command, window->call);
        out_verdict->fix = "wait for the event of the map, or let the map block";
    } else if (area && area->unmap) {
        out_verdict->command = area->unmap;
        snprintf(out_verdict->why, SENTENCE_CHARS,
                 "command %" PRIu32 " unmaps these bytes: from its enqueueing on they are the device's", area->unmap);
        out_verdict->fix = "unmap after the last access, or map again and wait for that";
    } else {
        bool of_device = area && area->of_device, svm = area && area->is_svm;
        snprintf(out_verdict->why, SENTENCE_CHARS, "%s",
                 of_device ? "the allocation is of a device: the host may not touch it at all"
                 : svm     ? "the host may touch coarse-grained shared virtual memory only while it is mapped"
                           : "the host may touch these bytes of the buffer only while they are mapped");
        out_verdict->fix = of_device ? "copy it with clEnqueueMemcpyINTEL, or take a shared allocation"
                                     : "map the bytes first and wait for that, unmap them after the last access";
    }
}

static void tell(const struct note *note, const struct verdict *verdict)
{
    struct host_place place;
    char what[192];
    host_place_find(&note->trace, &place);
    snprintf(what, sizeof what, "%s%s%s", note->write ? "store" : "load", place.function[0] ? " in " : "",
             place.function);
    struct host_access access = {.address = note->address,
                                 .write = note->write,
                                 .place = place.place,
                                 .what = what,
                                 .why = verdict->why,
                                 .fix = verdict->fix,
                                 .command = verdict->command};
    (note->is_shared ? device_host_touched : device_host_access)(runtime_device(), &access);
}

void guard_tell(void)
{
    for (;;) {
        struct note note;
        struct verdict verdict;
        pthread_mutex_lock(&guard.lock);
        bool some = guard.note_count > 0;
        if (some) {
            note = guard.notes[0];
            memmove(guard.notes, guard.notes + 1, --guard.note_count * sizeof note);
            judge(note.address, &verdict);
        }
        pthread_mutex_unlock(&guard.lock);
        if (!some)
            return;
        tell(&note, &verdict);
    }
}
