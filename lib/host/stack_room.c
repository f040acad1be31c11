/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much is left is known for threads of pthread_create, and for the first thread, whose stack grows up to
 * RLIMIT_STACK. A stack pointer outside both belongs to a coroutine, whose stack is taken for a small one.
 */
#include "stack_room.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum { ENOUGH_BYTES = 512 << 10, OWN_BYTES = 8 << 20, GUARD_BYTES = 64 << 10 };

extern void *__libc_stack_end; /* where the first thread's stack began */

static bool is_first_thread(void)
{
    return syscall(SYS_gettid) == getpid();
}

/* pthread_getattr_np would read /proc/self/maps for the first thread. */
static bool first_has_room(uintptr_t here)
{
    const uintptr_t begin = (uintptr_t)__libc_stack_end;
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0)
        return true;
    return here <= begin &&
           (limit.rlim_cur == RLIM_INFINITY || begin - here + ENOUGH_BYTES <= limit.rlim_cur);
}

static bool thread_has_room(uintptr_t here)
{
    pthread_attr_t attributes;
    void *lowest = NULL;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return true;
    pthread_attr_getstack(&attributes, &lowest, &size);
    pthread_attr_destroy(&attributes);
    return here >= (uintptr_t)lowest + ENOUGH_BYTES && here - (uintptr_t)lowest <= size;
}

struct call {
    void (*function)(void *self);
    void *self;
    ucontext_t inside, outside;
};

/* makecontext passes ints only. */
static void begin(unsigned high, unsigned low)
{
    struct call *call = (struct call *)((uintptr_t)high << 32 | low);
    call->function(call->self);
}

static void call_on(struct call *call, void *stack)
{
    const uintptr_t address = (uintptr_t)call;
    getcontext(&call->inside);
    call->inside.uc_stack.ss_sp = (char *)stack + GUARD_BYTES;
    call->inside.uc_stack.ss_size = OWN_BYTES - GUARD_BYTES;
    call->inside.uc_link = &call->outside;
    makecontext(&call->inside, (void (*)(void))begin, 2, (unsigned)(address >> 32), (unsigned)address);
    swapcontext(&call->outside, &call->inside);
}

void stack_room_call(void (*function)(void *self), void *self)
{
    struct call call = {.function = function, .self = self};
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    void *stack = MAP_FAILED;
    if (!(is_first_thread() ? first_has_room(here) : thread_has_room(here)))
        stack = mmap(NULL, OWN_BYTES, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (stack == MAP_FAILED) {
        function(self);
        return;
    }
    mprotect(stack, GUARD_BYTES, PROT_NONE);
    call_on(&call, stack);
    munmap(stack, OWN_BYTES);
}
