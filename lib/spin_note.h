/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The note on kernels that only spin for a long time while the host may still write the memory that
 *          they read: they are not ended, so the user needs to know what they wait for. It is printed once,
 *          until a launch ends.
 *
 * Interface
 *   spin_note_look    after a time slice: prints the note if memory has not changed for ten seconds
 *   spin_note_print   prints it now, for that many seconds, unless it was printed
 *   spin_note_due     it was not printed since the last launch that ended
 *   spin_note_reset   a launch has ended: the time begins again
 *
 * Locks    The caller has the executor lock, and not runtime_lock.
 */
#ifndef ORRERY_LIB_SPIN_NOTE_H
#define ORRERY_LIB_SPIN_NOTE_H
#include <stdbool.h>

struct device;

void spin_note_look(struct device *device);
void spin_note_print(struct device *device, int seconds);
bool spin_note_due(void);
void spin_note_reset(void);
#endif
