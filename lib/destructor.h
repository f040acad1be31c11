/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The destructor callbacks of contexts, memory objects and programs: all are
 *          function(handle, user data) and run in reverse order of registration.
 *
 * Interface
 *   destructor_add    CL_OUT_OF_HOST_MEMORY or CL_SUCCESS; several threads may add
 *   destructor_run    calls and frees the list; never under runtime_lock
 */
#ifndef ORRERY_LIB_DESTRUCTOR_H
#define ORRERY_LIB_DESTRUCTOR_H
#include "object.h"

cl_int destructor_add(struct destructor **list, void *function, void *data);
void destructor_run(struct destructor *list, void *handle);
#endif
