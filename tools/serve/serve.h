/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  `orrery serve`: a page with an editor, whose texts run in child processes with limits.
 *
 * Interface
 *   serve_run        runs one text in a directory of its own; blocks until the child has ended
 *   serve_http_run   serves until a signal comes; returns the exit status
 *   serve_examples   the examples of the page, as JSON
 *   sandbox_*        restricts a child to the files that it needs
 *
 * Each connection has a thread. Between fork and exec a child makes system calls only.
 */
#ifndef ORRERY_SERVE_H
#define ORRERY_SERVE_H

#include <stdbool.h>
#include <stddef.h>

enum {
    SERVE_TEXT_BYTES = 1 << 20,    /* of a text */
    SERVE_OPTIONS_BYTES = 1000,    /* of its build options */
    SERVE_BODY_BYTES = 4 << 20,    /* of the same as JSON, which escapes characters */
    SERVE_OUTPUT_BYTES = 32 << 20, /* of each file that a run writes */
    SERVE_REPORT_BYTES = 1 << 20,  /* of the report in an answer */
    SERVE_RUNS = 2,                /* at the same time */
    SERVE_PAGES = 16,              /* the latest ones, kept in memory */
    SERVE_CONNECTIONS = 32,
    SERVE_REQUEST_SECONDS = 10, /* until a request is complete, and between two bytes of an answer */
    SERVE_EXAMPLES = 64
};

/* ---- the sandbox ----------------------------------------------------------------------------- */

/* Landlock: a ruleset that allows a run to read the files of Orrery and its compilers, and to write below
 * its directory. */
bool sandbox_available(void);
/* A descriptor of the ruleset; -1: not available, or out of memory. */
int sandbox_new(const char *directory);
/* Restricts the calling process for ever; makes system calls only. */
bool sandbox_enter(int descriptor);

/* ---- a run ----------------------------------------------------------------------------------- */

enum serve_kind { SERVE_KERNEL, SERVE_SCENARIO, SERVE_LITMUS };

struct serve_request {
    const char *text, *schedule, *seed, *kernel, *build_options; /* all but the text may be empty */
    unsigned seconds;
    const char *directory; /* the parent of the run's directory */
    int client, stop;      /* the run ends when the client hangs up, or when `stop` becomes readable */
};
enum serve_end { SERVE_ENDED, SERVE_TIMED_OUT, SERVE_GONE, SERVE_FAILED };
struct serve_result {
    enum serve_end end;
    int status;          /* exit status, or 128 + signal */
    char *report, *page; /* malloc'd; page NULL: the run wrote none */
    size_t report_size, page_size;
    bool report_cut;
};
void serve_run(const struct serve_request *request, struct serve_result *out_result);
void serve_result_fini(struct serve_result *result);
/* Removes a directory with its contents. */
void serve_remove(const char *directory);

/* ---- the page -------------------------------------------------------------------------------- */

/* A JSON array of {name, text} that can be put into a page: of these files, or of the installed examples.
 * malloc'd; NULL: a file cannot be read, which was printed. */
char *serve_examples(char *const *files);

struct serve_options {
    const char *address, *port, *token; /* token NULL: none is required */
    bool open;
    unsigned seconds;
    char *const *files; /* NULL-terminated */
};
int serve_http_run(const struct serve_options *options);

#endif
