/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of single atomics, fences and barriers: a row of tests for each, of which the first that fails is
 * reported. */
#include "misuse.h"

#include <stdlib.h>
#include <string.h>

#include "sim/memmodel/common/scope.h"

static bool seen_before(struct misuse *misuse, uint32_t site)
{
    if (site >= misuse->seen_count) {
        uint32_t count = site + 64;
        uint8_t *seen = realloc(misuse->seen, count);
        if (!seen)
            return true;
        memset(seen + misuse->seen_count, 0, count - misuse->seen_count);
        misuse->seen = seen;
        misuse->seen_count = count;
    }
    bool before = misuse->seen[site];
    misuse->seen[site] = 1;
    return before;
}

void misuse_begin(struct misuse *misuse)
{
    if (misuse->seen)
        memset(misuse->seen, 0, misuse->seen_count);
}

void misuse_fini(struct misuse *misuse)
{
    free(misuse->seen);
}

static uint32_t first_lane(const uint64_t *mask)
{
    uint32_t word = 0;
    while (word + 1 < LANE_MASK_WORDS && !mask[word])
        word++;
    return mask[word] ? word * 64 + (uint32_t)__builtin_ctzll(mask[word]) : 0;
}

struct misuse_fault {
    enum finding_kind kind;
    const char *why, *fix, *spec;
};

static void report_misuse(struct misuse *misuse, const struct origin *origin, const uint64_t *mask,
                          enum access_kind kind, uint32_t size, const struct misuse_fault *fault)
{
    struct finding finding = {.kind = fault->kind,
                              .kernel = origin->launch->kernel,
                              .access_count = 1,
                              .why = fault->why,
                              .fix = fault->fix,
                              .spec = fault->spec};
    struct finding_access *access = &finding.access[0];
    if (misuse->host->access)
        misuse->host->access(misuse->host->self, origin->site, access);
    else
        misuse->host->place(misuse->host->self, origin->site, &access->place);
    access->what = misuse->host->what(misuse->host->self, origin->site);
    access->act = size ? ACT_ACCESS : ACT_FENCE; /* a fence accesses no bytes */
    access->kind = kind;
    access->size_bytes = size;
    access->has_item = true;
    origin_item(origin, first_lane(mask), &access->item);
    report_add(misuse->report, &finding);
}

/* ---- scopes --------------------------------------------------------------------- */

static bool judge_scope(const struct misuse *misuse, enum memory_scope scope, uint32_t image_fence,
                        struct misuse_fault *out_fault)
{
    static const char spec[] = "OpenCL 2.2 API, 3.3.4 memory scopes";
    if (scope == SCOPE_WORK_ITEM && !image_fence) {
        *out_fault = (struct misuse_fault){
            FINDING_ATOMIC_SCOPE,
            "memory_scope_work_item is for fences with CLK_IMAGE_MEM_FENCE alone: it includes "
            "no other work-item",
            "memory_scope_work_group, or the scope of all work-items that use the object", spec};
        return true;
    }
    if (scope == SCOPE_SUB_GROUP && !misuse->scenario->device.sub_groups) {
        *out_fault = (struct misuse_fault){FINDING_ATOMIC_SCOPE,
                                           "the device has no sub-groups, and so no memory_scope_sub_group",
                                           "memory_scope_work_group", spec};
        return true;
    }
    return false;
}

/* ---- orders ---------------------------------------------------------------------- */

static bool judge_order(const struct access_event *event, struct misuse_fault *out_fault)
{
    static const char spec[] = "OpenCL C 3.0, 6.15.12.7 atomic functions";
    bool store = event->kind == ACCESS_ATOMIC_WRITE, load = event->kind == ACCESS_ATOMIC_READ;
    if (store && (event->order == ORDER_ACQUIRE || event->order == ORDER_ACQ_REL)) {
        *out_fault = (struct misuse_fault){FINDING_ATOMIC_ORDER, "a store cannot acquire: it reads nothing",
                                           "memory_order_release", spec};
        return true;
    }
    if (load && (event->order == ORDER_RELEASE || event->order == ORDER_ACQ_REL)) {
        *out_fault = (struct misuse_fault){FINDING_ATOMIC_ORDER, "a load cannot release: it writes nothing",
                                           "memory_order_acquire", spec};
        return true;
    }
    if (event->failure_order == ORDER_RELEASE || event->failure_order == ORDER_ACQ_REL) {
        *out_fault = (struct misuse_fault){
            FINDING_ATOMIC_ORDER,
            "a compare-exchange that fails only reads: its failure order cannot release",
            "memory_order_acquire or memory_order_relaxed for failure", spec};
        return true;
    }
    if (!failure_order_fits(event->order, event->failure_order)) {
        *out_fault = (struct misuse_fault){
            FINDING_ATOMIC_ORDER,
            "the failure order of a compare-exchange is stronger than its success order",
            event->failure_order == ORDER_SEQ_CST ? "memory_order_seq_cst for success"
                                                  : "memory_order_acquire for success",
            spec};
        return true;
    }
    return false;
}

void misuse_access(struct misuse *misuse, const struct access_event *event)
{
    struct misuse_fault fault;
    const uint32_t site = event->origin.site;
    if (misuse_has(misuse, site) || event->kind < ACCESS_ATOMIC_READ || seen_before(misuse, site))
        return;
    if (judge_scope(misuse, event->scope, 0, &fault) || judge_order(event, &fault))
        report_misuse(misuse, &event->origin, event->mask, event->kind, event->size_bytes, &fault);
}

/* ---- fences ------------------------------------------------------------------------ */

static bool judge_flags(const struct sync_event *event, struct misuse_fault *out_fault)
{
    static const char spec[] = "OpenCL 2.2 API, 3.3.5 memory fences; OpenCL C 3.0, 6.15.12.5";
    if (event->kind != SYNC_FENCE)
        return false;
    if (!event->regions) {
        *out_fault = (struct misuse_fault){
            FINDING_FENCE_FLAGS,
            "the fence has none of CLK_GLOBAL_MEM_FENCE, CLK_LOCAL_MEM_FENCE and CLK_IMAGE_MEM_FENCE: it "
            "orders nothing, and its meaning is undefined",
            "CLK_GLOBAL_MEM_FENCE, CLK_LOCAL_MEM_FENCE or CLK_IMAGE_MEM_FENCE, of the memory that others see",
            spec};
        return true;
    }
    if (event->regions & REGION_IMAGE && (event->order != ORDER_ACQ_REL || event->scope != SCOPE_WORK_ITEM)) {
        *out_fault = (struct misuse_fault){
            FINDING_FENCE_FLAGS,
            "a fence with CLK_IMAGE_MEM_FENCE has memory_order_acq_rel and memory_scope_work_item and no "
            "others",
            "atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item)",
            spec};
        return true;
    }
    return false;
}

void misuse_sync(struct misuse *misuse, const struct sync_event *event)
{
    struct misuse_fault fault;
    if (event->kind > SYNC_NAMED_BARRIER || seen_before(misuse, event->origin.site))
        return;
    if (judge_flags(event, &fault) ||
        judge_scope(misuse, event->scope, event->regions & REGION_IMAGE, &fault))
        report_misuse(misuse, &event->origin, event->mask, ACCESS_READ, 0, &fault);
}
