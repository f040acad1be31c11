/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Sentences about races, piece by piece in a fixed buffer; an overflow is cut.
 *
 * Interface
 *   wording_add      printf
 *   wording_change   a change that the words propose; wording_call: of the call at a site, what is not
 *                    NOT_GIVEN; wording_store, wording_load: an atomic access instead of a plain one;
 *                    wording_statement: a call more
 *   wording_put      another word instead of one, as long or shorter, wherever it stands
 *   wording_place    "mp.cl:8"; wording_line: another line of the site's file, 0: its own
 *   wording_group    "work-group (1,0,0)"
 *   wording_regions    "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE"
 *   wording_region     an allocation of the device: "buffer 3 (64 bytes)"
 *   wording_one_at_a_time  continues a sentence: of a pipe's side
 *   region_flag, space_word
 */
#ifndef ORRERY_SIM_MEMMODEL_EXPLAIN_WORDING_H
#define ORRERY_SIM_MEMMODEL_EXPLAIN_WORDING_H

#include "sim/memmodel/common/code_host.h"

enum { CHANGES_MOST = 3 };

/* changes: those of the code that a fix's words propose; partial: the words propose more. */
struct wording {
    char bytes[600];
    size_t used;
    struct code_change changes[CHANGES_MOST];
    uint32_t change_count;
    bool partial;
};

void wording_add(struct wording *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void wording_change(struct wording *text, const struct code_change *change);
void wording_call(struct wording *text, uint32_t site, uint32_t regions, int order, int failure, int scope);
void wording_store(struct wording *text, uint32_t site, bool local, enum memory_ordering order,
                   enum memory_scope scope);
void wording_load(struct wording *text, uint32_t site, bool local, enum memory_ordering order,
                  enum memory_scope scope);
void wording_statement(struct wording *text, const char *statement, const struct fence_place *place);
void wording_put(struct wording *text, const char *old, const char *now);
void wording_line(struct wording *text, const struct checker_host *host, uint32_t site, uint32_t line);
void wording_place(struct wording *text, const struct checker_host *host, uint32_t site);
void wording_group(struct wording *text, const struct launch_info *launch, uint64_t group);
void wording_regions(struct wording *text, uint32_t regions);

void wording_region(const struct region *region, char *out_text, size_t size);
void wording_one_at_a_time(bool reads, char *why, size_t size);

/* what it counts as, where that is less */
void wording_scope(struct wording *text, enum memory_scope written, enum memory_scope counts);

const char *region_flag(int region); /* of IN_GLOBAL, IN_LOCAL, IN_IMAGE */
const char *space_word(int region);  /* "global" */

#endif
