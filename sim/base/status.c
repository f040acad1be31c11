/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statuses, their names, and diagnosis texts. The first diagnosis of a struct stays: a later failure is a
 * consequence of it, so diagnose() then returns its status and changes nothing.
 */
#include "orrery/status.h"

#include <stdarg.h>
#include <stdio.h>

const char *status_name(enum status status)
{
    static const char *const names[STATUS_COUNT] = {
#define STATUS_NAME(code, text) [STATUS_##code] = text,
        STATUS_LIST(STATUS_NAME)
#undef STATUS_NAME
    };
    return (unsigned)status < STATUS_COUNT ? names[status] : "unknown status";
}

enum status diagnose(struct diagnosis *diagnosis, enum status status, const char *format, ...)
{
    if (!diagnosis || diagnosis->text[0] || diagnosis->status != STATUS_OK)
        return status;
    diagnosis->status = status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(diagnosis->text, sizeof diagnosis->text, format, arguments);
    va_end(arguments);
    return status;
}
