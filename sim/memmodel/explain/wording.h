/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Sentences about races, written piece by piece into a fixed buffer; what is too long is cut.
 *
 * Interface
 *   wording_add        appends, as printf does
 *   wording_change     records a change of the code that the words propose. More than CHANGES_MOST: partial
 *   wording_call       a change of the call at a site: the arguments that are not NOT_GIVEN
 *   wording_access_change   an atomic store or load instead of a plain one
 *   wording_statement  a new statement, at the change's place
 *   wording_put        replaces a word by one that is not longer, at all places
 *   AT, AT_LINE        texts for wording_add, which live until the end of the block: the place of a site, as
 *                      "mp.cl:8"; another line of the site's file, 0: the site's line
 *   WORK_GROUP         "work-group (1,0,0)"
 *   REGIONS            "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE", or "no flags"
 *   SCOPE              "memory_scope_device", and if another scope counts (3.3.5), "(counts as ...)"
 *   wording_region     an allocation of the device: "buffer 3 (64 bytes)"; NULL: "host memory"
 *   wording_one_at_a_time   appends to `why` that one kernel at a time may use that end of a pipe
 *   wording_region_flag        "CLK_LOCAL_MEM_FENCE" for IN_LOCAL; wording_space_word: "local"
 */
#ifndef ORRERY_SIM_MEMMODEL_EXPLAIN_WORDING_H
#define ORRERY_SIM_MEMMODEL_EXPLAIN_WORDING_H

#include "sim/memmodel/common/code_host.h"

enum { CHANGES_MOST = 3 };

/* changes: what the words of a fix propose, as changes of the code; partial: the words propose more than
 * these. */
struct wording {
    char bytes[600];
    size_t used;
    struct code_change changes[CHANGES_MOST];
    uint32_t change_count;
    bool partial;
};

void wording_add(struct wording *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void wording_change(struct wording *text, const struct code_change *change);
void wording_call(struct wording *text, uint32_t site, bool local, uint32_t regions, int order, int failure,
                  int scope);
void wording_access_change(struct wording *text, uint32_t site, bool stores, bool local,
                           enum memory_ordering order, enum memory_scope scope);
void wording_statement(struct wording *text, const char *statement, const struct code_change *where);
void wording_put(struct wording *text, const char *old, const char *now);

/* A text for one argument of wording_add; what is too long is cut. */
struct wording_piece {
    char bytes[320];
};
#define AT(host, site) wording_line(&(struct wording_piece){{0}}, host, site, 0)
#define AT_LINE(host, site, line) wording_line(&(struct wording_piece){{0}}, host, site, line)
#define WORK_GROUP(launch, group) wording_group(&(struct wording_piece){{0}}, launch, group)
#define REGIONS(regions) wording_regions(&(struct wording_piece){{0}}, regions)
#define SCOPE(written, counts) wording_scope(&(struct wording_piece){{0}}, written, counts)
const char *wording_line(struct wording_piece *piece, const struct checker_host *host, uint32_t site,
                         uint32_t line);
const char *wording_group(struct wording_piece *piece, const struct launch_info *launch, uint64_t group);
const char *wording_regions(struct wording_piece *piece, uint32_t regions);
const char *wording_scope(struct wording_piece *piece, enum memory_scope written, enum memory_scope counts);

/* snprintf, for a text that may be cut, which it returns. */
const char *wording_print(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "read", "write" or "atomic access" */
const char *wording_access(enum access_kind kind);
/* "write by a kernel"; one_of_several: "one of the writes by a kernel", where the instruction is not known */
void wording_action(const char *access, bool one_of_several, const char *by, char *out_text, size_t size);
void wording_region(const struct region *region, char *out_text, size_t size);
void wording_one_at_a_time(bool reads, char *why, size_t size);

/* "acq_rel" */
const char *wording_order(enum memory_ordering order);

/* region: IN_GLOBAL, IN_LOCAL or IN_IMAGE */
const char *wording_region_flag(int region);
const char *wording_space_word(int region);

#endif
