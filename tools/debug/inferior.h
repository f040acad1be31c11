/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The process that runs the target, seen from the session that starts it: their shared definitions.
 *
 * A copy of the process sleeps at its pipe. A struct wake makes it fork once more: it stays, and its child
 * continues from there as the one that runs.
 */
#ifndef ORRERY_TOOLS_DEBUG_INFERIOR_H
#define ORRERY_TOOLS_DEBUG_INFERIOR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct scenario;

enum { COPIES = 32 };
struct copy_slot {
    bool used;
    uint64_t position;
    pid_t process;
};
struct wake {
    bool end;
    uint64_t interval;
    struct copy_slot slots[COPIES];
};

struct inferior {
    int socket; /* to the session */
    int life;   /* ends when the session does */
    int pipes[COPIES][2];
};
/* Never returns. */
_Noreturn void inferior_run(const struct inferior *channels, struct scenario *scenario);

#endif
