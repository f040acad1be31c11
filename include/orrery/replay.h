/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The command line that repeats a run, for a shell in the same directory: a token or a record, the
 *          options of the checks, the target. And the section of a record that keeps these options.
 *
 * Interface
 *   replay_line              malloc'd, without a newline; NULL: no memory
 *   replay_options_print     the section [options] of a record; schedule: with the settings of a token, as
 *                            there is none
 *   replay_options_read      calls back for each option of that section
 *   replay_word_print        a word, quoted where a shell would read something into it
 *
 * Rules    Options decide the findings and how the run ends; destinations of output are left out. Those that
 *          choose the schedule are left out too if a token or a record has it.
 */
#ifndef ORRERY_REPLAY_H
#define ORRERY_REPLAY_H

#include "orrery/scenario.h"
#include "orrery/schedule.h"

/* Options from any source. */
struct replay_options {
    const char *scenario; /* --scenario; NULL: none */
    const void *self;
    char *(*value)(const void *self, const struct scenario_option *option); /* malloc'd; NULL: not given */
};

struct replay_run {
    const struct replay_options *options;
    const struct schedule_record *record; /* NULL: nothing was chosen */
    const char *file;                     /* a record, which keeps the options; NULL: none */
    const char *token;                    /* instead of the record's; NULL: none */
    bool compares;                        /* `orrery check`, not `orrery replay` */
    const char *target;                   /* as it is to stand there, quoted */
};

char *replay_line(const struct replay_run *run);
void replay_word_print(FILE *stream, const char *word);
void replay_options_print(const struct replay_options *options, bool schedule, FILE *stream);
/* Of the text of a record; name "scenario" is --scenario. Both strings are the callee's. */
bool replay_options_read(const char *text, bool (*take)(void *self, char *name, char *value), void *self);

#endif
