/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Threads of the program may have a small stack (pthread_attr_setstacksize, ulimit -s); builds and
 *          launches need more. Where too little is left of it, they run on a stack of their own.
 *
 * Interface
 *   stack_room_call  calls function(self) in this thread, and returns when it has returned
 *
 * Limits   Without memory for a stack the function runs on the thread's.
 */
#ifndef ORRERY_LIB_HOST_STACK_ROOM_H
#define ORRERY_LIB_HOST_STACK_ROOM_H

void stack_room_call(void (*function)(void *self), void *self);

#endif
