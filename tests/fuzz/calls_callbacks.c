/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the program that Orrery calls. Each makes one call of the input, with the handle that it was
 * given. */
#include <string.h>

#include "calls_sequence.h"

void try_from_note(struct note *note, enum sort sort, void *handle)
{
    if (note)
        calls_nested(note->record, note->sequence, sort, handle);
}

void CL_CALLBACK on_event(cl_event event, cl_int status, void *data)
{
    (void)status;
    try_from_note(data, EVENTS, event);
}

/* The handle is no longer valid in these four. */
void CL_CALLBACK on_memory(cl_mem memory, void *data)
{
    try_from_note(data, MEMORY, memory);
}

void CL_CALLBACK on_context(cl_context context, void *data)
{
    try_from_note(data, CONTEXTS, context);
}

void CL_CALLBACK on_program(cl_program program, void *data)
{
    try_from_note(data, PROGRAMS, program);
}

void CL_CALLBACK on_error(const char *text, const void *binary, size_t size, void *data)
{
    if (!text || strlen(text) == 0 || (size && !binary))
        __builtin_trap();
    try_from_note(data, CONTEXTS, NULL);
}

void CL_CALLBACK on_free(cl_command_queue queue, cl_uint count, void *pointers[], void *data)
{
    cl_context context = NULL;
    clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    for (cl_uint i = 0; i < count; i++)
        clSVMFree(context, pointers[i]);
    try_from_note(data, QUEUES, queue);
}
