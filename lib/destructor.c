/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A list with the latest registration first, so that callbacks run in reverse order of registration. The
 * list is changed under runtime_lock. Callbacks run without it, since they may make calls.
 */
#include "destructor.h"

#include <stdlib.h>

#include "lib/diagnose/usage.h"

typedef void CL_CALLBACK destructor_function(void *handle, void *data);

cl_int destructor_add(struct destructor **list, void *function, void *data)
{
    struct destructor *destructor = malloc(sizeof *destructor);
    if (!destructor)
        return CL_OUT_OF_HOST_MEMORY;
    *destructor = (struct destructor){.function = function, .data = data};
    runtime_lock();
    destructor->next = *list;
    *list = destructor;
    runtime_unlock();
    return CL_SUCCESS;
}

void destructor_run(struct destructor *list, void *handle)
{
    while (list) {
        struct destructor *destructor = list;
        list = destructor->next;
        usage_callback(1);
        ((destructor_function *)destructor->function)(handle, destructor->data);
        usage_callback(-1);
        free(destructor);
    }
}
