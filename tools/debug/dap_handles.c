/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handles: the numbers by which a client names frames, scopes and values with members. They index a table
 * that is cleared at each stop, so that a number of an earlier stop is refused.
 */
#include "dap_adapter.h"

#include <stdlib.h>
#include <string.h>

#include "tools/tools.h"

void dap_handles_clear(struct dap *dap)
{
    while (dap->handle_count)
        free(dap->handles[--dap->handle_count].text);
}

json_int_t dap_handle_new(struct dap *dap, const struct dap_handle *handle)
{
    if (dap->handle_count == dap->handle_room) {
        dap->handle_room = dap->handle_room ? dap->handle_room * 2 : 64;
        struct dap_handle *grown = realloc(dap->handles, dap->handle_room * sizeof *grown);
        if (!grown)
            tools_no_memory();
        dap->handles = grown;
    }
    dap->handles[dap->handle_count] = *handle;
    dap->handles[dap->handle_count].text = handle->text ? strdup(handle->text) : NULL;
    return (json_int_t)++dap->handle_count;
}

const struct dap_handle *dap_handle_find(struct dap *dap, json_int_t number, const char *what)
{
    if (number > 0 && (size_t)number <= dap->handle_count)
        return &dap->handles[number - 1];
    dap_fail(dap, "%s %" JSON_INTEGER_FORMAT " is not one of this stop's", what, number);
    return NULL;
}

/* Finds a frame of a kernel. The frame of the host program's call is refused, since its variables are
 * not known. */
const struct dap_handle *dap_frame_find(struct dap *dap, json_int_t number)
{
    const struct dap_handle *found = dap_handle_find(dap, number, "frameId");
    if (!found || found->kind != HANDLE_HOST_FRAME)
        return found;
    dap_fail(dap, "this is the host program: its variables are not known");
    return NULL;
}
