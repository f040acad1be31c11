/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A write past RLIMIT_FSIZE raises SIGXFSZ, which ends the program by default: the host would die of
 *          a file of ours. Between hold and release the calling thread's write fails with EFBIG instead.
 *
 * Interface: both calls in one thread; pairs may nest. A signal that was pending before stays pending.
 */
#ifndef ORRERY_FILE_LIMIT_H
#define ORRERY_FILE_LIMIT_H

#include <signal.h>
#include <stdbool.h>

struct file_limit {
    sigset_t mask;
    bool pending;
};

void file_limit_hold(struct file_limit *out_hold);
void file_limit_release(const struct file_limit *hold);

#endif
