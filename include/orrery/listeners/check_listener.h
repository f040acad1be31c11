/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Check, the unit test framework for C: the test in which Orrery found something fails, with the
 *          finding as its message.
 *
 * Interface
 *   orrery_check_listen    before the test case's own fixtures are added, so that their teardowns, which may
 *                          finish the queues, come first
 */
#ifndef ORRERY_LISTENERS_CHECK_LISTENER_H
#define ORRERY_LISTENERS_CHECK_LISTENER_H

#include <check.h>

#include "listener.h"

static inline void orrery_check_start(void)
{
    orrery_listener_take(NULL, 0);
    orrery_listener_begin(tcase_name());
}

/* Check refuses messages of more than 8192 bytes. */
static inline void orrery_check_end(void)
{
    static char text[4000];
    const size_t count = orrery_listener_take(text, sizeof text);
    orrery_listener_begin(NULL);
    if (count)
        ck_abort_msg("Orrery: %lu %s in this test\n%s", (unsigned long)count,
                     count == 1 ? "finding" : "findings", text);
}

static inline void orrery_check_listen(TCase *tcase)
{
    tcase_add_checked_fixture(tcase, orrery_check_start, orrery_check_end);
}

#endif
