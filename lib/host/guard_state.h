/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What the two halves of the guard share: guard.c says which pages are closed, guard_catch.c has the
 *          signal, the notes it takes and what is reported of them.
 *
 * Interface   with guard.lock held
 *   guard_set_pages      false: the kernel refused
 *   guard_pages_of       an allocation's, from the first to after the last
 *   guard_area_at        whose page it is; NULL: nobody's
 *   guard_open_area, guard_open_all
 *   guard_install        the handler, again whenever pages are closed
 *             without
 *   guard_watching       shared_pages was asked for, and nothing ended it
 */
#ifndef ORRERY_LIB_HOST_GUARD_STATE_H
#define ORRERY_LIB_HOST_GUARD_STATE_H
#include <pthread.h>
#include <signal.h>

#include "guard.h"
#include "host_place.h"
#include "host_use.h"

enum { PAGE_BYTES = 4096, NOTES = 64, RETRIES = 64 };

/* Bytes that a map command makes the host's, from enqueueing it to enqueueing its unmap. */
struct window {
    struct window *next;
    uint64_t low, high;
    uint32_t command;
    const char *call;
    const struct memobj *owner; /* NULL: shared virtual memory */
    bool known;                 /* the host knows the map to be complete */
    bool unmapped;              /* by an unmap that may mean another one of the owner's that begin there */
};
/* One allocation, in whole pages. No page holds two: of memory after a buffer only those that it fills
 * count. */
struct area {
    struct area *next;
    uint64_t low, high;
    /* where the buffer is on the device, and this is the program's; 0: memory of the device */
    uint64_t past;
    /* the device has the bytes elsewhere, too: pages stay closed while someone executes */
    bool apart;
    bool together;  /* the kernel refused that */
    bool fresh;     /* nobody has written there */
    bool ambiguous; /* after: of several buffers, and not watched */
    /* after: by commands that may write; they may have written what the host need not have */
    bool used, unseen;
    bool is_svm, of_device; /* of_device: never the host's */
    bool is_shared;         /* the host's and the device's, in turns that commands begin and waits end */
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

/* Who faulted where nothing is closed, after so many closings. */
struct retry {
    pthread_t thread;
    uint64_t address, pc, closings;
};

struct guard {
    pthread_mutex_t lock;   /* never held while memory of the device is touched: the handler takes it */
    struct area *areas;     /* changed with runtime_lock held, too */
    bool inside, installed; /* inside: someone executes */
    pthread_t executes;     /* who, while inside */
    bool shared;            /* nothing is watched any more */
    bool under_way;         /* commands that the host does not know to be complete, when it was looked */
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
