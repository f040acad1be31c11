/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The record that `orrery run` keeps of a program that ends without a summary: by abort, _Exit, exec
 *          or a signal. A page of memory is shared with all that it starts; each process that loads the
 *          library has a seat there, and leaves it when it ends as it should.
 *
 * Interface
 *   watch_new        the page, and the name by which others find it; NULL: not available
 *   watch_open       of the name, in another process; NULL when that is gone
 *   watch_take_seat  for this process; NULL: all are taken
 *   watch_leave_seat all reports were printed
 *   watch_print_refused  the note on refused calls, of a seat or of the process itself
 *   watch_note_kernel   a kernel has run, in any of the processes
 *   watch_kernel_ran    one has
 *   watch_note_reported     a summary was printed, or there is a reason for none; exit_status: the status
 *                           that findings, or an error of the run, gave the process, 0: none
 *   watch_note_reached  how far a process came in using OpenCL; the farthest of all counts. type: of the
 *                       devices it requested
 *   reach_print      why no kernel ran, as far as that is known
 *   watch_note_unrunnable  the program cannot be run: nothing is to be summed up
 *   watch_note_unwritten   a file of the report is not complete, of any of the processes
 *   watch_lock, watch_unlock   while a file is written that other processes write, too
 *   watch_count_process  a process begins: its number, from 1
 *   watch_write_text    a process of that number writes text; true: it must say which it is
 *   watch_begin_file    of the page's processes only this one has written the file, as far as it did
 *                       (written: some of it), so that it may be made anew; within watch_lock
 *   watch_accept        a finding was accepted, since the baseline has it
 *   watch_use_row      it has this row; those past WATCH_ROWS are taken for met
 *   watch_row_used       the row was met, by any of the processes
 *   watch_note_replay   how to have the run again, should the program fail by itself, and what a replay
 *                       leaves to chance in a second line; "": that was reported, or there is no need
 */
#ifndef ORRERY_WATCH_H
#define ORRERY_WATCH_H

#include <pthread.h>
#include <sys/types.h>

#include "orrery/report.h"

enum {
    WATCH_SEATS = 48,
    WATCH_NAME_CHARS = 64,
    WATCH_LINE_CHARS = 8000,
    WATCH_CALL_CHARS = 640,
    WATCH_FILES = 64,
    WATCH_ROOT_CHARS = 4096,
    WATCH_ROWS = 65536
};

/* Calls that returned an error, where nothing reports each. */
struct watch_refused {
    uint64_t count;
    char first[WATCH_CALL_CHARS]; /* its name, error and reason, and where more is to be had */
};

struct watch_seat {
    pid_t process; /* atomic; 0: free */
    bool quiet;
    int exit_status; /* that findings ask for; 0: the program's own stands */
    struct report_counts counts;
    struct watch_refused refused;
};

/* How far a program came that ran no kernel. */
enum reach {
    REACH_NOTHING,
    REACH_PLATFORM,
    REACH_NO_DEVICE,
    REACH_DEVICE,
    REACH_CONTEXT,
    REACH_REFUSED, /* a call that enqueues a kernel returned an error */
    REACH_EMPTY,   /* it enqueued one for no work-items */
    REACH_ENQUEUED
};

struct watch_file {
    uint64_t name; /* of its path; 0: free */
    pid_t process; /* that writes it; 0: several do */
};

struct watch {
    struct watch_seat seats[WATCH_SEATS];
    bool kernel_ran; /* atomic */
    /* atomic; some process has had its summary, or there is nothing to sum up */
    bool reported;
    int exit_status;      /* atomic; the first that is not a process's own */
    bool cannot_run;      /* atomic; the program was not there, or could not be run */
    bool unwritten;       /* atomic; a file of the report is not complete */
    int reached;          /* atomic; enum reach */
    uint64_t asked_type;  /* atomic; of REACH_NO_DEVICE: the bits of the type */
    pthread_mutex_t lock; /* guards files, and the writing of them; robust */
    struct watch_file files[WATCH_FILES];
    char replay[WATCH_LINE_CHARS]; /* of the process that noted it last */
    uint32_t processes, writer; /* atomic; how many have begun, and the number of the last that wrote text */
    uint64_t accepted;          /* atomic; findings that a baseline has, of all processes */
    uint8_t rows[WATCH_ROWS / 8]; /* atomic; of the baseline, which of them were met */
    char root[WATCH_ROOT_CHARS];  /* the directory that the run began in; "": it is not known */
};

struct watch *watch_new(char out_name[WATCH_NAME_CHARS]);
struct watch *watch_open(const char *name);
struct watch_seat *watch_take_seat(struct watch *watch);
void watch_leave_seat(struct watch_seat *seat);
void watch_print_refused(FILE *stream, const struct watch_refused *refused);
void watch_note_kernel(struct watch *watch);
bool watch_kernel_ran(const struct watch *watch);
void watch_note_reported(struct watch *watch, int exit_status);
void watch_note_reached(struct watch *watch, enum reach reached, uint64_t type);
void reach_print(FILE *stream, enum reach reached, uint64_t type);
void watch_note_unrunnable(struct watch *watch, int exit_status);
void watch_note_unwritten(struct watch *watch);
void watch_lock(struct watch *watch);
void watch_unlock(struct watch *watch);
uint32_t watch_count_process(struct watch *watch);
bool watch_write_text(struct watch *watch, uint32_t number);
void watch_accept(struct watch *watch);
void watch_use_row(struct watch *watch, size_t row);
bool watch_row_used(const struct watch *watch, size_t row);
bool watch_begin_file(struct watch *watch, const char *name, bool written);
void watch_note_replay(struct watch *watch, const char *line);

#endif
