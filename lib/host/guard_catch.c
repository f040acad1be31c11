/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The signal handler notes the access and opens the page, so that the access succeeds when it is repeated. It
 * allocates nothing. The notes are reported later, by a thread that may take locks; their verdicts are
 * computed before the maps change.
 */
#include "guard_state.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "lib/api_runtime.h"

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

/* used: a command uses the page as host memory; then area may be NULL. */
static void take_note(const struct guard_area *area, bool used, uint64_t address, const void *context)
{
    const bool of_buffer = !used && area->buffer;
    struct guard_note *note = &guard.notes[guard.note_count++];
    note->address = of_buffer ? address - area->low + area->buffer : address;
    note->judged = false;
    note->is_access = used || of_buffer || area->is_fine;
    note->write = was_write(context);
    host_place_capture(&note->trace);
    note->trace.pc = program_counter(context);
}

static bool open_page(uint64_t address, int protection)
{
    return guard_set_pages(guard_page_of(address), guard_page_of(address) + PAGE_BYTES, protection);
}

static bool area_lost(void)
{
    bool lost = false;
    for (const struct guard_area *area = guard.areas; area && !lost; area = area->next) {
        const struct host_extent pages = guard_pages_of(area);
        lost = area->buffer && msync((void *)(uintptr_t)pages.low, pages.high - pages.low, MS_ASYNC) != 0 &&
               errno == ENOMEM;
    }
    return lost;
}

/* The program moved closed memory (mremap): its pages are closed at the new place. */
static bool catch_moved(uint64_t address)
{
    return (host_use_lost() || area_lost()) && open_page(address, PROT_READ | PROT_WRITE);
}

/*
 * Another thread may have opened the page, and removed its area, before the handler has the lock. So the
 * access is tried once more. If it faults again and no page was closed meanwhile, the fault is not ours.
 */
static bool try_again(uint64_t address, uint64_t pc)
{
    const struct guard_retry now = {pthread_self(), address, pc, guard.closings};
    for (size_t i = 0; i < RETRIES; i++) {
        struct guard_retry *before = &guard.retries[i];
        if (before->address != address || before->pc != pc || !pthread_equal(before->thread, now.thread))
            continue;
        const bool again = before->closings != now.closings;
        *before = again ? now : (struct guard_retry){.address = 0};
        return again;
    }
    guard.retries[guard.retry_next++ % RETRIES] = now;
    return true;
}

/* A map gives the page to the host, so it is open. */
static bool is_mapped(const struct guard_area *area, uint64_t address)
{
    const uint64_t page = guard_page_of(address);
    const struct mapped_range *map = area->maps;
    while (map && !(map->acquired && page >= guard_page_of(map->low) && page < map->high))
        map = map->next;
    return map;
}

/* The page is still closed. Without a second view it opens as a thread begins to execute. */
static bool is_closed(const struct guard_area *area, uint64_t address, bool used)
{
    return area && area->apart ? used || !is_mapped(area, address) : !guard.executing;
}

/* The page is closed only because a command uses it as host memory; else the maps decide. */
static bool is_used(const struct guard_area *area, uint64_t address)
{
    const uint64_t page = guard_page_of(address);
    const bool is_open = !area || area->buffer || area->is_fine;
    return host_use_meets(page, page + PAGE_BYTES) && (is_open || is_mapped(area, address));
}

/*
 * True: the fault is ours, and the access can be repeated; also if the page is open by now. The executing
 * thread may access everything, as a native kernel does at the host's addresses.
 */
static bool catch_with_lock(uint64_t address, const void *context)
{
    const struct guard_area *area = guard_area_at(address);
    const bool used = is_used(area, address),
               executes = guard.executing && pthread_equal(guard.executor, pthread_self());
    bool ours = area || used;
    if (area && executes) {
        guard_open_area(area);
    } else if (ours && is_closed(area, address, used)) {
        const bool room = guard.note_count < NOTES;
        /* after a load the page stays closed to stores, which are noted, too */
        const bool load = !was_write(context) && (used || area->is_fine || area->buffer);
        if (room)
            take_note(area, used, address, context);
        if (!room || !open_page(address, load ? PROT_READ : PROT_READ | PROT_WRITE))
            guard_open_all(); /* the kernel is out of memory for a page with protection of its own */
    }
    if (!ours && guard_watching())
        ours = catch_moved(address);
    if (!ours)
        ours = try_again(address, program_counter(context));
    return ours;
}

static void allow_faults(bool allow)
{
    sigset_t faults;
    sigemptyset(&faults);
    sigaddset(&faults, SIGSEGV);
    pthread_sigmask(allow ? SIG_UNBLOCK : SIG_BLOCK, &faults, NULL);
}

/*
 * A fault of the thread that holds guard.lock comes from this library or the C library: the program freed
 * memory while a command uses it, and malloc gave it to one of them. That is no finding, and the lists may
 * lie in the closed page, so they are not read.
 */
static bool handle_fault(uint64_t address, const void *context)
{
    if (owned_lock_is_mine(&guard.lock))
        return open_page(address, PROT_READ | PROT_WRITE);
    owned_lock_take(&guard.lock);
    allow_faults(true);
    const bool ours = catch_with_lock(address, context);
    allow_faults(false);
    owned_lock_release(&guard.lock);
    return ours;
}

static void pass_on(int number, siginfo_t *info, void *context)
{
    const struct sigaction *before = &guard.before;
    if (before->sa_flags & SA_SIGINFO)
        before->sa_sigaction(number, info, context);
    else if (before->sa_handler != SIG_DFL && before->sa_handler != SIG_IGN)
        before->sa_handler(number);
    else
        signal(number, SIG_DFL); /* the fault repeats, and ends the process as it would have without us */
}

static void on_fault(int number, siginfo_t *info, void *context)
{
    const bool access = info->si_code == SEGV_ACCERR;
    const int error = errno;
    const bool ours = access && handle_fault((uint64_t)(uintptr_t)info->si_addr, context);
    errno = error;
    if (!ours)
        pass_on(number, info, context);
}

/* Called whenever pages are closed, since the program may have installed a handler, which then runs
 * second. */
void guard_install(void)
{
    struct sigaction current, ours = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&ours.sa_mask);
    if (sigaction(SIGSEGV, NULL, &current) ||
        (current.sa_flags & SA_SIGINFO && current.sa_sigaction == on_fault))
        return;
    guard.before = current;
    guard.installed = sigaction(SIGSEGV, &ours, NULL) == 0;
}

/* ---- reports ------------------------------------------------------------------------------- */

/* The verdict by the present maps: callers report or judge all notes before the maps change. */
static void judge(uint64_t address, struct guard_verdict *out_verdict)
{
    const struct guard_area *area = guard_area_at(address);
    const struct mapped_range *map = area ? area->maps : NULL;
    while (map && !(address >= map->low && address < map->high))
        map = map->next;
    *out_verdict = (struct guard_verdict){0};
    if (map && !map->acquired) {
        out_verdict->command = map->command;
        snprintf(out_verdict->why, SENTENCE_CHARS,
                 "command %" PRIu32
                 " (%s) maps these bytes, and the host does not know yet that it is complete: asking "
                 "for an event's status orders nothing",
                 map->command, map->call);
        out_verdict->fix = "wait for the event of the map, or let the map block";
    } else if (area && area->unmap) {
        out_verdict->command = area->unmap;
        snprintf(out_verdict->why, SENTENCE_CHARS,
                 "command %" PRIu32 " unmaps these bytes: from its enqueueing on they are the device's",
                 area->unmap);
        out_verdict->fix = "unmap after the last access, or map again and wait for that";
    } else {
        bool of_device = area && area->of_device, svm = area && area->is_svm;
        snprintf(out_verdict->why, SENTENCE_CHARS, "%s",
                 of_device ? "the allocation is of a device: the host may not touch it at all"
                 : svm     ? "the host may touch coarse-grained shared virtual memory only while it is mapped"
                           : "the host may touch these bytes of the buffer only while they are mapped");
        out_verdict->fix = of_device
                               ? "copy it with clEnqueueMemcpyINTEL, or take a shared allocation"
                               : "map the bytes first and wait for that, unmap them after the last access";
    }
}

static void report_caught(const struct guard_note *note)
{
    const struct guard_verdict *verdict = &note->verdict;
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
    (note->is_access ? device_host_touched : device_host_access)(runtime_device(), &access);
}

static void judge_all(void)
{
    for (struct guard_note *note = guard.notes; note < guard.notes + guard.note_count; note++) {
        if (!note->judged)
            judge(note->address, &note->verdict);
        note->judged = true;
    }
}

/* While a thread executes no note is reported: the device would take the finding for one of its command. */
void guard_report(void)
{
    for (;;) {
        struct guard_note note;
        owned_lock_take(&guard.lock);
        judge_all();
        bool some = guard.note_count > 0 && !guard.executing;
        if (some) {
            note = guard.notes[0];
            memmove(guard.notes, guard.notes + 1, --guard.note_count * sizeof note);
        }
        owned_lock_release(&guard.lock);
        if (!some)
            return;
        report_caught(&note);
    }
}
