/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Findings as the report keeps them, and lists of them.
 *
 * Interface
 *   report_entry_new             a copy of the finding, and takes the key; NULL: out of memory
 *   report_entry_free            frees the key, too
 *   report_entry_set_text        replaces a string of a kept finding by a copy
 *   report_entry_set_iterations  likewise the iterations of one of its accesses
 *   report_list_add              takes the entry. False: out of memory
 *   report_list_clear            frees all entries
 */
#ifndef ORRERY_SIM_REPORT_REPORT_ENTRY_H
#define ORRERY_SIM_REPORT_REPORT_ENTRY_H

#include "orrery/report.h"

/* Out of memory for the hash table: the finding is reported each time it occurs. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

struct report_entry {
    struct finding finding; /* all strings owned */
    char *key;
    bool hidden;       /* it is in report.suppressed */
    uint64_t reported; /* the part of finding.count that was printed; 0: beyond the limit */
    uint64_t taken;    /* the part of finding.count that report_take_new has seen */
    bool waits;        /* report_release prints it, with the count `reported` */
    const struct report_entry *covered_by; /* report_covered; NULL: by none */
    UT_hash_handle hh; /* for lookup only: findings are reported in the order of the list */
};

struct report_list {
    struct report_entry **entries;
    size_t count, room;
}; /* in order of first occurrence */

struct report_entry *report_entry_new(const struct finding *finding, char *key);
void report_entry_free(struct report_entry *entry);
void report_entry_set_text(const char **text, const char *to);
void report_entry_set_iterations(struct finding_access *access, const struct finding_iteration *iterations,
                                 uint32_t count);
bool report_list_add(struct report_list *list, struct report_entry *entry);
void report_list_clear(struct report_list *list);

#endif
