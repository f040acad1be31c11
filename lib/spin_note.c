/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every two seconds all memory is compared with what it was (device_is_still). After five comparisons in a
 * row without a change the note is printed. The first comparison has nothing to compare with, and counts.
 */
#include "spin_note.h"

#include <stdint.h>
#include <stdio.h>

#include "orrery/device.h"
#include "deadline.h"
#include "message_stream.h"

enum { LOOK_SECONDS = 2, LOOKS_BEFORE_NOTE = 5 };

static struct {
    struct timespec next; /* the next comparison; 0: the time starts at the next look */
    uint32_t still;       /* comparisons in a row without a change */
    bool printed;
} spin_note;

bool spin_note_due(void)
{
    return !spin_note.printed;
}

void spin_note_print(struct device *device, int seconds)
{
    char text[700];
    if (spin_note.printed)
        return;
    spin_note.printed = true;
    device_say_spin(device, text, sizeof text);
    if (text[0])
        fprintf(message_stream(),
                "orrery: note: for %d seconds kernels have only spun: %s; the host may still write there, so "
                "they are waited for\n",
                seconds, text);
}

void spin_note_look(struct device *device)
{
    if (spin_note.printed || !deadline_passed(CLOCK_MONOTONIC, &spin_note.next))
        return;
    const bool started = spin_note.next.tv_sec != 0;
    if (started) {
        const bool same = device_is_still(device) || !spin_note.still;
        spin_note.still = same ? spin_note.still + 1 : 1;
    }
    spin_note.next = deadline_in(CLOCK_MONOTONIC, LOOK_SECONDS, 0);
    if (spin_note.still == LOOKS_BEFORE_NOTE)
        spin_note_print(device, LOOK_SECONDS * LOOKS_BEFORE_NOTE);
}

void spin_note_reset(void)
{
    spin_note.next = (struct timespec){0, 0};
    spin_note.still = 0;
    spin_note.printed = false;
}
