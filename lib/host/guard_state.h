/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  State of both halves of the guard: guard.c decides which pages are closed; guard_catch.c has the
 *          signal handler, its notes and their reports.
 *
 * Interface   with guard.lock held:
 *   guard_set_pages      sets the protection of the pages in [low, high); false: the kernel refused
 *   guard_pages_of       the pages of an area, from the first to after the last
 *   guard_area_at        the area whose pages hold the address; NULL: none
 *   guard_open_area, guard_open_all   the host may load and store there
 *   guard_install        installs the signal handler; called whenever pages are closed
 *             without it:
 *   guard_watching       the scenario has shared_pages, and no memory is shared openly (guard_share)
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

/* Bytes that a map command gives to the host, from the map's enqueueing to that of its unmap. */
struct mapped_range {
    struct mapped_range *next;
    uint64_t low, high;
    uint32_t command;
    const char *call;
    const struct memobj *owner; /* NULL: shared virtual memory */
    bool acquired;              /* the host is ordered after the map's completion */
    bool unmapped;              /* an unmap was enqueued; it may mean another map with the same pointer */
};
/*
 * One allocation of the device, or the host memory of a buffer (CL_MEM_USE_HOST_PTR). No page belongs to two
 * areas: an allocation has its pages alone, and of a buffer's host memory only the pages that lie wholly in
 * it count.
 */
struct guard_area {
    struct guard_area *next;
    uint64_t low, high;
    uint64_t buffer; /* host memory of a buffer: the buffer's address on the device; 0: an allocation */
    /* an allocation */
    bool apart; /* the device reaches the bytes at other addresses: pages stay closed while it executes */
    bool apart_refused;     /* the kernel refused that */
    bool fresh;             /* never written */
    bool is_svm, of_device; /* of_device: the host may never access it */
    bool is_fine;           /* fine-grained: open to the host while no command is under way */
    /* host memory of a buffer */
    bool ambiguous;    /* several buffers have it: not watched */
    bool used;         /* by commands that may write the buffer */
    bool device_dirty; /* commands may have written bytes that the host does not have yet */
    struct mapped_range *maps;
    uint32_t unmap; /* the last command that unmapped part of it; 0: none */
};
enum { SENTENCE_CHARS = 300 };
struct guard_verdict { /* why the access was forbidden */
    uint32_t command;  /* which forbids it; 0: none */
    char why[SENTENCE_CHARS];
    const char *fix;
};
struct guard_note {   /* an access that was caught */
    uint64_t address; /* on the device */
    bool write;
    bool is_access; /* the race checker decides, by the accesses of commands; else the verdict stands */
    struct host_trace trace;
    bool judged;
    struct guard_verdict verdict;
};

/* A thread that faulted on an open page, when `closings` calls had closed pages. */
struct guard_retry {
    pthread_t thread;
    uint64_t address, pc, closings;
};

struct guard {
    struct owned_lock lock;   /* the handler takes it, so its owner accesses no memory that may be closed */
    struct guard_area *areas; /* changed with runtime_lock held, too */
    bool executing;           /* a thread executes */
    pthread_t executor;       /* that thread */
    bool installed;           /* the signal handler is */
    bool shared;              /* nothing is watched any more */
    bool under_way;           /* at the last query there were commands that the host is not ordered after */
    bool prepared;
    struct sigaction before; /* the handler that ours replaced */
    struct guard_note notes[NOTES];
    size_t note_count;
    uint64_t closings; /* calls that closed pages */
    struct guard_retry retries[RETRIES];
    size_t retry_next;
    size_t apart_count; /* areas that are apart */
};
extern struct guard guard;

static inline uint64_t guard_page_of(uint64_t address)
{
    return address & ~(uint64_t)(PAGE_BYTES - 1);
}

bool guard_set_pages(uint64_t low, uint64_t high, int protection);
struct host_extent guard_pages_of(const struct guard_area *area);
struct guard_area *guard_area_at(uint64_t address);
void guard_open_area(const struct guard_area *area);
void guard_open_all(void);
void guard_install(void);
bool guard_watching(void);
#endif
