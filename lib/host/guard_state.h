/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  State of both halves of the guard: guard.c decides which pages are closed, guard_catch.c has the
 *          signal handler, its notes and their reports.
 *
 * Interface   with guard.lock held
 *   guard_set_pages      false: the kernel refused
 *   guard_pages_of       an allocation's, from the first to after the last
 *   guard_area_at        the page's area; NULL: none
 *   guard_open_area, guard_open_all
 *   guard_install        the handler, again whenever pages are closed
 *             without
 *   guard_watching       shared_pages is on, and nothing ended it
 */
#ifndef ORRERY_LIB_HOST_GUARD_STATE_H
#define ORRERY_LIB_HOST_GUARD_STATE_H
#include <pthread.h>
#include <signal.h>

#include "guard.h"
#include "host_place.h"
#include "host_use.h"
#include "owned_lock.h"

enum { PAGE_BYTES = 4096, NOTES = 64, RETRIES = 64 };

/* Bytes that a map command makes the host's, from enqueueing it to enqueueing its unmap. */
struct window {
    struct window *next;
    uint64_t low, high;
    uint32_t command;
    const char *call;
    const struct memobj *owner; /* NULL: shared virtual memory */
    bool acquired;              /* the host is ordered after the map's completion */
    bool unmapped;              /* by an unmap that may mean another one of the owner's that begin there */
};
/* One allocation, in whole pages. No page holds two: of memory after a buffer only those that it fills
 * count. */
struct area {
    struct area *next;
    uint64_t low, high;
    /* where the buffer is on the device, and this is the program's; 0: memory of the device */
    uint64_t past;
    /* the device has the bytes elsewhere, too: pages stay closed while a thread executes */
    bool apart;
    bool together;  /* the kernel refused that */
    bool fresh;     /* never written */
    bool ambiguous; /* after: of several buffers, and not watched */
    /* after: by commands that may write; they may have written what the host need not have */
    bool used, unseen;
    bool is_svm, of_device; /* of_device: never the host's */
    bool is_shared;         /* both use it alternately: commands begin the device's time, waits end it */
    struct window *windows;
    uint32_t unmap; /* the last command that unmapped some of it */
};
enum { SENTENCE_CHARS = 300 };
struct verdict {
    uint32_t command;
    char why[SENTENCE_CHARS];
    const char *fix;
};
struct note {
    uint64_t address;      /* after a buffer: the buffer's */
    bool write, is_shared; /* is_shared: what commands touch judges */
    struct host_trace trace;
    bool judged;
    struct verdict verdict;
};

/* Threads that faulted on an open page, after this many closings. */
struct retry {
    pthread_t thread;
    uint64_t address, pc, closings;
};

struct guard {
    struct owned_lock lock; /* never held while memory of the device is touched: the handler takes it */
    struct area *areas;     /* changed with runtime_lock held, too */
    bool inside, installed; /* inside: a thread executes */
    pthread_t executes;     /* that thread, while inside */
    bool shared;            /* nothing is watched any more */
    bool under_way;         /* commands that the host is not ordered after, at the last check */
    bool prepared;
    struct sigaction before;
    struct note notes[NOTES];
    size_t note_count;
    uint64_t closings; /* how often pages were */
    struct retry retries[RETRIES];
    size_t retry_next;
    size_t apart_count; /* areas */
};
extern struct guard guard;

static inline uint64_t guard_page_of(uint64_t address)
{
    return address & ~(uint64_t)(PAGE_BYTES - 1);
}

bool guard_set_pages(uint64_t low, uint64_t high, int protection);
struct extent guard_pages_of(const struct area *area);
struct area *guard_area_at(uint64_t address);
void guard_open_area(const struct area *area);
void guard_open_all(void);
void guard_install(void);
bool guard_watching(void);
#endif
