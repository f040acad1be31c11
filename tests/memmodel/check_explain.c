/* SPDX-License-Identifier: Apache-2.0 */
/* Why two accesses are unordered: which edit of what happened orders them, and which does not. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/memmodel/explain/explain.h"

/* Four work-groups of two work-items. Sites are lines: line 7 is at "k.cl:7". */
static struct launch_info launch = {.launch = 1,
                                    .kernel = "k",
                                    .work_dim = 1,
                                    .global_size = {8, 1, 1},
                                    .local_size = {2, 1, 1},
                                    .group_count = {4, 1, 1},
                                    .sub_group_size = 2};
enum { FIRST = 0, NEIGHBOUR = 1, OTHER = 2, THIRD = 4 }; /* units: groups 0, 0, 1, 2 */
enum { DATA_LINE = 5, LAST_LINE = 50 };
static const uint64_t FLAG = 0x1000;

static struct order order;
static struct sync_log sync_log;
static struct answer answer;
static struct proposal proposal;
static uint64_t first_clock, spent;

static void place(void *self, uint32_t site, struct source_place *out_place)
{
    (void)self;
    *out_place = (struct source_place){.file = "k.cl", .line = site, .column = 1, .text = "x"};
}

static const char *what(void *self, uint32_t site)
{
    (void)self;
    (void)site;
    return "atomic";
}

static const struct checker_host host = {.place = place, .what = what};

static void setup(void)
{
    order_init(&order, SCOPE_RULE_EQUAL);
    sync_log = (struct sync_log){.items = NULL};
    order.sync_log = &sync_log;
    order_launch_begin(&order, &launch);
}

static void teardown(void)
{
    order_check(&order);
    sync_log_check(&sync_log);
    order_fini(&order);
    sync_log_fini(&sync_log);
}

/* ---- what happens ------------------------------------------------------------------- */

static void act(uint64_t unit, uint32_t line, bool reads, bool writes, enum memory_ordering how,
                enum memory_scope scope, int region)
{
    struct unit_state unit_state;
    const struct atomic_operation done = {FLAG, 4, region, reads, writes, how, scope, line, false, false, 0};
    order_unit_state(&order, unit, &unit_state);
    order_atomic(&order, &unit_state, &done);
}

static void store(uint64_t unit, uint32_t line, enum memory_ordering how, enum memory_scope scope)
{
    act(unit, line, false, true, how, scope, IN_GLOBAL);
}

static void load(uint64_t unit, uint32_t line, enum memory_ordering how, enum memory_scope scope)
{
    act(unit, line, true, false, how, scope, IN_GLOBAL);
}

static void exchange_fails(uint64_t unit, uint32_t line, enum memory_ordering success)
{
    struct unit_state unit_state;
    const struct atomic_operation exchange = {FLAG,
                                              4,
                                              IN_GLOBAL,
                                              true,
                                              false,
                                              ORDER_RELAXED,
                                              SCOPE_DEVICE,
                                              line,
                                              false,
                                              false,
                                              (uint8_t)(1 + success)};
    order_unit_state(&order, unit, &unit_state);
    order_atomic(&order, &unit_state, &exchange);
}

static void fence(uint64_t unit, uint32_t line, uint32_t regions, enum memory_ordering how)
{
    struct unit_state unit_state;
    order_unit_state(&order, unit, &unit_state);
    order_fence(&order, &unit_state, regions, how, SCOPE_DEVICE, line);
}

static void first_access(uint64_t unit)
{
    struct unit_state unit_state;
    order_unit_state(&order, unit, &unit_state);
    first_clock = order_segment(&unit_state);
}

static struct race_instance instance_of(uint64_t first, uint64_t second)
{
    struct race_instance instance = {
        .first = {.unit = first, .clock = first_clock, .site = DATA_LINE, .size = 4},
        .second = {.unit = second, .site = LAST_LINE, .size = 4},
        .end = sync_log.count};
    instance.first_at = explain_locate(&sync_log, &instance.first, instance.end);
    return instance;
}

/* The second access is now. */
static bool explained(uint64_t first, uint64_t second, int region)
{
    const struct race_instance instance = instance_of(first, second);
    const struct question question = {.sync_log = &sync_log,
                                      .launch = &launch,
                                      .host = &host,
                                      .rule = order.rule,
                                      .region = region,
                                      .instances = &instance,
                                      .instance_count = 1,
                                      .spent = &spent};
    return explain_race(&question, &answer);
}

static void explains(const char *why, const char *fix)
{
    ck_assert_msg(strstr(answer.proposal.why.bytes, why) != NULL, "why: %s", answer.proposal.why.bytes);
    ck_assert_str_eq(answer.proposal.fix.bytes, fix);
}

static void edge_is(uint32_t index, uint32_t from, uint32_t to, bool synchronises)
{
    ck_assert_uint_lt(index, answer.edge_count);
    ck_assert_uint_eq(answer.edges[index].from, from);
    ck_assert_uint_eq(answer.edges[index].to, to);
    ck_assert_int_eq(answer.edges[index].synchronises, synchronises);
}

static struct question question_of(const struct race_instance *instances, uint32_t count)
{
    return (struct question){.sync_log = &sync_log,
                             .launch = &launch,
                             .host = &host,
                             .rule = order.rule,
                             .region = IN_GLOBAL,
                             .instances = instances,
                             .instance_count = count,
                             .spent = &spent};
}

/* ---- single edits ------------------------------------------------------------------------ */

/* Of fine-grained SVM with atomics: all_svm_devices is not to be narrowed, the host may be the third. */
START_TEST(scopes_of_shared_objects_meet_at_the_wider)
{
    struct unit_state unit_state;
    struct atomic_operation act = {FLAG,          4, IN_GLOBAL, false, true, ORDER_RELEASE,
                                   SCOPE_ALL_SVM, 7, true,      false, 0};
    first_access(FIRST);
    order_unit_state(&order, FIRST, &unit_state);
    order_atomic(&order, &unit_state, &act);
    act = (struct atomic_operation){FLAG,         4, IN_GLOBAL, true,  false, ORDER_ACQUIRE,
                                    SCOPE_DEVICE, 9, true,      false, 0};
    order_unit_state(&order, OTHER, &unit_state);
    order_atomic(&order, &unit_state, &act);
    ck_assert(explained(FIRST, OTHER, IN_GLOBAL));
    explains("the acquire at k.cl:9 has memory_scope_device, and the release at k.cl:7 has "
             "memory_scope_all_svm_devices: before OpenCL 3.1 both ends of an edge need the same scope",
             "memory_scope_all_svm_devices at k.cl:9");
}
END_TEST

START_TEST(a_relaxed_store_is_to_release)
{
    first_access(FIRST);
    store(FIRST, 7, ORDER_RELAXED, SCOPE_DEVICE);
    load(OTHER, 9, ORDER_ACQUIRE, SCOPE_DEVICE);
    ck_assert(explained(FIRST, OTHER, IN_GLOBAL));
    explains("the store at k.cl:7 is relaxed", "memory_order_release at k.cl:7");
}
END_TEST

START_TEST(two_pairs_want_an_edit_for_both)
{
    struct race_instance instances[2];
    first_access(FIRST);
    store(FIRST, 7, ORDER_RELAXED, SCOPE_DEVICE);
    load(OTHER, 9, ORDER_ACQUIRE, SCOPE_DEVICE);
    load(THIRD, 10, ORDER_RELAXED, SCOPE_DEVICE);
    instances[0] = instance_of(FIRST, OTHER);
    instances[1] = instance_of(FIRST, THIRD);
    const struct question both = question_of(instances, 2), one = question_of(instances, 1);
    ck_assert(explain_race(&one, &answer));
    ck_assert_str_eq(answer.proposal.fix.bytes, "memory_order_release at k.cl:7");
    ck_assert(explain_covers(&one, &answer.proposal.suggested));
    ck_assert(!explain_covers(&both, &answer.proposal.suggested));
    ck_assert(explain_race(&both, &answer));
    ck_assert_str_eq(answer.proposal.fix.bytes,
                     "memory_order_release at k.cl:7, and memory_order_acquire at k.cl:10");
    ck_assert(explain_covers(&both, &answer.proposal.suggested));
}
END_TEST

/* No edit orders the second pair: that of the first is the result. */
/* The scope and the order of one store are two edits, of which each is made. */
START_TEST(two_edits_of_one_place_serve_later_pairs)
{
    first_access(FIRST);
    store(FIRST, 7, ORDER_RELAXED, SCOPE_WORK_GROUP);
    load(OTHER, 9, ORDER_ACQUIRE, SCOPE_DEVICE);
    struct race_instance instances[2] = {instance_of(FIRST, OTHER)};
    struct question question = question_of(instances, 1);
    ck_assert(explain_race(&question, &answer));
    ck_assert_str_eq(answer.proposal.fix.bytes,
                     "memory_scope_device at k.cl:7, and memory_order_release at k.cl:7");
    load(THIRD, 9, ORDER_ACQUIRE, SCOPE_DEVICE);
    instances[1] = instance_of(FIRST, THIRD);
    question = question_of(instances, 2);
    ck_assert(explain_covers(&question, &answer.proposal.suggested));
    struct suggested_fix one_edit = answer.proposal.suggested;
    one_edit.edit_count = 1;
    ck_assert(!explain_covers(&question, &one_edit));
    instances[1] = instance_of(THIRD, OTHER);
    ck_assert(!explain_covers(&question, &answer.proposal.suggested));
}
END_TEST

START_TEST(unordered_pair_changes_no_result)
{
    struct race_instance instances[2];
    first_access(FIRST);
    store(FIRST, 7, ORDER_RELAXED, SCOPE_DEVICE);
    load(OTHER, 9, ORDER_ACQUIRE, SCOPE_DEVICE);
    instances[0] = instance_of(FIRST, OTHER);
    instances[1] = instance_of(FIRST, THIRD);
    const struct question both = question_of(instances, 2);
    ck_assert(explain_race(&both, &answer));
    ck_assert_str_eq(answer.proposal.fix.bytes, "memory_order_release at k.cl:7");
    ck_assert(!explain_covers(&both, &answer.proposal.suggested));
    sync_log.full = true;
    ck_assert(explain_covers(&both, &answer.proposal.suggested)); /* unknown */
}
END_TEST

START_TEST(a_relaxed_load_is_to_acquire)
{
    first_access(FIRST);
    store(FIRST, 7, ORDER_RELEASE, SCOPE_DEVICE);
    load(OTHER, 9, ORDER_RELAXED, SCOPE_DEVICE);
    ck_assert(explained(FIRST, OTHER, IN_GLOBAL));
    explains("the load at k.cl:9 is relaxed", "memory_order_acquire at k.cl:9");
}
END_TEST

START_TEST(a_barrier_wants_the_other_flag)
{
    first_access(FIRST);
    order_barrier(&order, 0, REGION_LOCAL, SCOPE_WORK_GROUP, 7);
    ck_assert(explained(FIRST, NEIGHBOUR, IN_GLOBAL));
    explains("the barrier at k.cl:7 has CLK_LOCAL_MEM_FENCE only; these are global accesses",
             "CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE at k.cl:7");
}
END_TEST

START_TEST(a_foreign_store_is_to_be_an_update)
{
    first_access(FIRST);
    store(FIRST, 7, ORDER_RELEASE, SCOPE_DEVICE);
    store(THIRD, 8, ORDER_RELAXED, SCOPE_DEVICE);
    load(OTHER, 9, ORDER_ACQUIRE, SCOPE_DEVICE);
    ck_assert(explained(FIRST, OTHER, IN_GLOBAL));
    explains("the store at k.cl:8 broke the release sequence", "an atomic read-modify-write at k.cl:8");
}
END_TEST

START_TEST(a_release_fence_goes_before_its_store)
{
    first_access(FIRST);
    store(FIRST, 7, ORDER_RELAXED, SCOPE_DEVICE);
    fence(FIRST, 8, REGION_GLOBAL, ORDER_RELEASE);
    load(OTHER, 9, ORDER_RELAXED, SCOPE_DEVICE);
    fence(OTHER, 10, REGION_GLOBAL, ORDER_ACQUIRE);
    ck_assert(explained(FIRST, OTHER, IN_GLOBAL));
    explains("the release fence at k.cl:8 comes after", "the fence of k.cl:8 before that atomic");
}
END_TEST

START_TEST(an_acquire_fence_goes_after_its_load)
{
    first_access(FIRST);
    fence(FIRST, 7, REGION_GLOBAL, ORDER_RELEASE);
    store(FIRST, 8, ORDER_RELAXED, SCOPE_DEVICE);
    fence(OTHER, 9, REGION_GLOBAL, ORDER_ACQUIRE);
    load(OTHER, 10, ORDER_RELAXED, SCOPE_DEVICE);
    ck_assert(explained(FIRST, OTHER, IN_GLOBAL));
    explains("the acquire fence at k.cl:9 comes before", "the fence of k.cl:9 after that atomic");
}
END_TEST

/* ---- two edits ----------------------------------------------------------------------------- */

START_TEST(both_scopes_are_to_be_wider)
{
    first_access(FIRST);
    store(FIRST, 7, ORDER_RELEASE, SCOPE_WORK_GROUP);
    load(OTHER, 9, ORDER_ACQUIRE, SCOPE_WORK_GROUP);
    ck_assert(explained(FIRST, OTHER, IN_GLOBAL));
    explains("it reaches work-group (0,0,0) only, and the acquire at k.cl:9 that meets it is in work-group "
             "(1,0,0)",
             "memory_scope_device at k.cl:7 and k.cl:9");
}
END_TEST

START_TEST(one_scope_suffices_if_wider_ones_synchronise)
{
    order.rule = SCOPE_RULE_INCLUSIVE31;
    first_access(FIRST);
    store(FIRST, 7, ORDER_RELEASE, SCOPE_WORK_GROUP);
    load(OTHER, 9, ORDER_ACQUIRE, SCOPE_ALL_SVM);
    ck_assert(explained(FIRST, OTHER, IN_GLOBAL));
    explains("the release at k.cl:7 has memory_scope_work_group", "memory_scope_device at k.cl:7");
}
END_TEST

/* The fence's could as well be narrower, with which no two atomics race. */
START_TEST(a_scope_that_makes_its_object_race_is_left_alone)
{
    first_access(FIRST);
    fence(FIRST, 7, REGION_GLOBAL, ORDER_RELEASE);
    store(FIRST, 8, ORDER_RELAXED, SCOPE_WORK_GROUP);
    load(NEIGHBOUR, 9, ORDER_ACQUIRE, SCOPE_WORK_GROUP);
    ck_assert(explained(FIRST, NEIGHBOUR, IN_GLOBAL));
    explains("the release fence at k.cl:7 has memory_scope_device", "memory_scope_work_group at k.cl:7");
}
END_TEST

START_TEST(other_users_of_the_object_get_the_scope)
{
    first_access(FIRST);
    store(FIRST, 7, ORDER_RELEASE, SCOPE_WORK_GROUP);
    load(NEIGHBOUR, 8, ORDER_RELAXED, SCOPE_WORK_GROUP);
    load(OTHER, 9, ORDER_ACQUIRE, SCOPE_DEVICE);
    ck_assert(explained(FIRST, OTHER, IN_GLOBAL));
    explains("the release at k.cl:7 has memory_scope_work_group", "memory_scope_device at k.cl:7 and k.cl:8");
}
END_TEST

START_TEST(atomics_that_a_barrier_orders_do_not_race_with_another_scope)
{
    store(NEIGHBOUR, 6, ORDER_RELAXED, SCOPE_WORK_GROUP);
    order_barrier(&order, 0, REGION_GLOBAL, SCOPE_WORK_GROUP, 4);
    first_access(FIRST);
    store(FIRST, 7, ORDER_RELEASE, SCOPE_WORK_GROUP);
    load(OTHER, 9, ORDER_ACQUIRE, SCOPE_DEVICE);
    ck_assert(explained(FIRST, OTHER, IN_GLOBAL));
    explains("the release at k.cl:7 has memory_scope_work_group", "memory_scope_device at k.cl:7");
}
END_TEST

/* And with it success where that would be weaker. */
START_TEST(failed_exchange_acquires_by_the_failure_order)
{
    first_access(FIRST);
    store(FIRST, 7, ORDER_RELEASE, SCOPE_DEVICE);
    exchange_fails(OTHER, 9, ORDER_RELAXED);
    struct race_instance instances[2] = {instance_of(FIRST, OTHER)};
    struct question question = question_of(instances, 1);
    ck_assert(explain_race(&question, &answer));
    explains("the compare-exchange at k.cl:9 failed, and has memory_order_relaxed for failure",
             "memory_order_acquire for success and failure at k.cl:9");
    exchange_fails(THIRD, 9, ORDER_RELAXED);
    instances[1] = instance_of(FIRST, THIRD);
    question = question_of(instances, 2);
    ck_assert(explain_covers(&question, &answer.proposal.suggested));
}
END_TEST

/* The exchange that succeeds has the order of success. */
START_TEST(one_place_may_succeed_and_fail)
{
    first_access(FIRST);
    act(FIRST, 9, true, true, ORDER_RELEASE, SCOPE_DEVICE, IN_GLOBAL);
    exchange_fails(OTHER, 9, ORDER_RELEASE);
    ck_assert(explained(FIRST, OTHER, IN_GLOBAL));
    explains("failed", "memory_order_acq_rel for success and memory_order_acquire for failure at k.cl:9");
    ck_assert_uint_eq(answer.proposal.suggested.edit_count, 1);
}
END_TEST

START_TEST(both_orders_are_to_be_stronger)
{
    first_access(FIRST);
    store(FIRST, 7, ORDER_RELAXED, SCOPE_DEVICE);
    load(OTHER, 9, ORDER_RELAXED, SCOPE_DEVICE);
    ck_assert(explained(FIRST, OTHER, IN_GLOBAL));
    explains("is relaxed", "memory_order_release at k.cl:7, and memory_order_acquire at k.cl:9");
}
END_TEST

START_TEST(a_local_flag_wants_fences_with_both_flags)
{
    first_access(FIRST);
    act(FIRST, 7, false, true, ORDER_SEQ_CST, SCOPE_WORK_GROUP, IN_LOCAL);
    act(NEIGHBOUR, 9, true, false, ORDER_SEQ_CST, SCOPE_WORK_GROUP, IN_LOCAL);
    ck_assert(explained(FIRST, NEIGHBOUR, IN_GLOBAL));
    explains(
        "Only the intent of 3.3.6, Atomic Operations, orders the data here (of two seq_cst operations: \"If "
        "X local-synchronizes-with",
        "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_order_release, "
        "memory_scope_work_group) before k.cl:7, and atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | "
        "CLK_LOCAL_MEM_FENCE, memory_order_acquire, memory_scope_work_group) after k.cl:9");
}
END_TEST

START_TEST(seq_cst_with_acquire_reports_no_intent)
{
    first_access(FIRST);
    act(FIRST, 7, false, true, ORDER_SEQ_CST, SCOPE_WORK_GROUP, IN_LOCAL);
    act(NEIGHBOUR, 9, true, false, ORDER_ACQUIRE, SCOPE_WORK_GROUP, IN_LOCAL);
    ck_assert(explained(FIRST, NEIGHBOUR, IN_GLOBAL));
    ck_assert_ptr_nonnull(strstr(answer.proposal.why.bytes, "seq_cst alone does not"));
    ck_assert_ptr_null(strstr(answer.proposal.why.bytes, "intent"));
}
END_TEST

/* ---- what no edit fixes ----------------------------------------------------------------------- */

START_TEST(an_access_after_the_store_is_not_carried_by_it)
{
    store(FIRST, 7, ORDER_RELAXED, SCOPE_DEVICE);
    first_access(FIRST);
    load(OTHER, 9, ORDER_RELAXED, SCOPE_DEVICE);
    ck_assert(!explained(FIRST, OTHER, IN_GLOBAL));
    ck_assert_uint_eq(answer.proposal.fix.used, 0);
}
END_TEST

START_TEST(units_that_never_meet_have_no_edit)
{
    first_access(FIRST);
    order_barrier(&order, 0, REGION_GLOBAL, SCOPE_WORK_GROUP, 7);
    order_barrier(&order, 1, REGION_GLOBAL, SCOPE_WORK_GROUP, 7);
    ck_assert(!explained(FIRST, OTHER, IN_GLOBAL));
    ck_assert_uint_eq(answer.step_count, 2);
}
END_TEST

START_TEST(ordered_pair_needs_no_edit)
{
    first_access(FIRST);
    store(FIRST, 7, ORDER_RELEASE, SCOPE_DEVICE);
    load(OTHER, 9, ORDER_ACQUIRE, SCOPE_DEVICE);
    ck_assert(!explained(FIRST, OTHER, IN_GLOBAL));
}
END_TEST

START_TEST(full_sync_log_suggests_nothing)
{
    first_access(FIRST);
    store(FIRST, 7, ORDER_RELAXED, SCOPE_DEVICE);
    for (uint32_t i = 0; i <= SYNC_LOG_MOST; i++)
        store(THIRD, 8, ORDER_RELAXED, SCOPE_DEVICE);
    load(OTHER, 9, ORDER_ACQUIRE, SCOPE_DEVICE);
    ck_assert(sync_log.full);
    ck_assert(!explained(FIRST, OTHER, IN_GLOBAL));
}
END_TEST

/* ---- a flag that is no atomic object ------------------------------------------------------------ */

enum { STORE_LINE = 6, LOAD_LINE = 9 };
static struct flag_reads flag_reads;

/* As lines of one work-item that does each once. */
static bool precedes(void *self, uint32_t a, uint32_t b)
{
    (void)self;
    return a < b;
}

static const struct checker_host with_order = {.place = place, .what = what, .precedes = precedes};

static struct racing_access plain_at(uint64_t unit, uint32_t line)
{
    struct unit_state unit_state;
    order_unit_state(&order, unit, &unit_state);
    return (struct racing_access){.unit = unit, .clock = order_segment(&unit_state), .site = line, .size = 4};
}

/* The store was done in the slice of the latest plain_at. */
static void passes(struct racing_access by, uint64_t to, uint64_t when)
{
    flag_reads.items[0] = (struct flag_read){.store = by,
                                             .load = plain_at(to, LOAD_LINE),
                                             .region = IN_GLOBAL,
                                             .address = FLAG,
                                             .end = sync_log.count,
                                             .when = when};
    flag_reads.count = flag_reads.next = 1;
    flag_reads.lost = false;
}

static bool follows(uint64_t second, uint64_t when, const struct checker_host *judged_host)
{
    struct race_instance instance = instance_of(FIRST, second);
    struct question question = question_of(&instance, 1);
    instance.when = when;
    question.host = judged_host;
    question.flag_reads = &flag_reads;
    proposal = (struct proposal){.rewrite_count = 0};
    if (!explain_flag(&question, &proposal))
        return false;
    ck_assert(explain_covers(&question, &proposal.suggested));
    return true;
}

START_TEST(plain_flag_would_order_earlier_accesses)
{
    first_access(FIRST);
    passes(plain_at(FIRST, STORE_LINE), OTHER, 1);
    ck_assert(follows(OTHER, 2, &with_order));
    ck_assert_str_eq(proposal.why.bytes,
                     "the load at k.cl:9 read what the store at k.cl:6 wrote, and both are "
                     "plain: they race, and order nothing else");
    ck_assert_str_eq(proposal.fix.bytes,
                     "atomic_store_explicit with memory_order_release, memory_scope_device at k.cl:6, and "
                     "atomic_load_explicit with memory_order_acquire, memory_scope_device at k.cl:9");
    order_group_end(&order, 0); /* it ended since */
    ck_assert(follows(OTHER, 2, &with_order));
}
END_TEST

/* Nothing that the history has lies between its load and its store. */
START_TEST(unit_that_passes_on_a_plain_flag_passes_on_its_clock)
{
    enum { GIVEN_ON = LOAD_LINE + 1 };
    first_access(FIRST);
    passes(plain_at(FIRST, GIVEN_ON), OTHER, 1);
    flag_reads.items[1] = flag_reads.items[0];
    flag_reads.items[1].store = plain_at(OTHER, GIVEN_ON);
    flag_reads.items[1].load = plain_at(THIRD, LOAD_LINE);
    flag_reads.items[1].when = 2;
    flag_reads.count = flag_reads.next = 2;
    ck_assert(follows(THIRD, 3, &with_order));
    /* before it takes it */
    flag_reads.items[1].store.site = flag_reads.items[0].store.site = flag_reads.items[1].load.site =
        STORE_LINE;
    flag_reads.items[0].load.site = STORE_LINE;
    ck_assert(!follows(THIRD, 3, &with_order));
}
END_TEST

START_TEST(a_plain_flag_orders_nothing_after_the_store_or_before_the_load)
{
    first_access(FIRST);
    passes(plain_at(FIRST, DATA_LINE - 1), OTHER, 1);
    ck_assert(!follows(OTHER, 2, &with_order)); /* the data is written after the flag */
    passes(plain_at(FIRST, STORE_LINE), OTHER, 1);
    ck_assert(!follows(OTHER, 2, &host)); /* or may be */
    passes(plain_at(FIRST, STORE_LINE), OTHER, 3);
    ck_assert(!follows(OTHER, 2, &with_order)); /* the flag is read after the data */
    passes(plain_at(FIRST, STORE_LINE), THIRD, 1);
    ck_assert(!follows(OTHER, 2, &with_order)); /* by another work-item */
    passes(plain_at(NEIGHBOUR, STORE_LINE), OTHER, 1);
    ck_assert(!follows(OTHER, 2, &with_order)); /* it is another work-item's */
}
END_TEST

START_TEST(segments_order_accesses_before_a_plain_flag)
{
    first_access(FIRST);
    order_barrier(&order, 0, REGION_GLOBAL, SCOPE_WORK_GROUP, 7);
    passes(plain_at(NEIGHBOUR, STORE_LINE), OTHER + 1, 1); /* for its group */
    ck_assert(!follows(OTHER, 2, &host));
    order_barrier(&order, 1, REGION_GLOBAL, SCOPE_WORK_GROUP, 8);
    ck_assert(follows(OTHER, 2, &host));
    passes(plain_at(NEIGHBOUR, STORE_LINE), OTHER + 1, 1); /* after that barrier */
    ck_assert(!follows(OTHER, 2, &host));
}
END_TEST

START_TEST(atomic_end_of_a_flag_keeps_its_order)
{
    first_access(FIRST);
    struct racing_access by = plain_at(FIRST, 7);
    by.atomic = by.writes = true;
    by.scope = SCOPE_DEVICE;
    store(FIRST, 7, ORDER_RELAXED, SCOPE_DEVICE);
    passes(by, OTHER, 1);
    ck_assert(follows(OTHER, 2, &host));
    ck_assert_str_eq(proposal.fix.bytes,
                     "memory_order_release, memory_scope_device at k.cl:7, and "
                     "atomic_load_explicit with memory_order_acquire, memory_scope_device at k.cl:9");
    flag_reads.items[0].order[0] = ORDER_RELEASE;
    ck_assert(follows(OTHER, 2, &host));
    ck_assert_str_eq(proposal.fix.bytes,
                     "atomic_load_explicit with memory_order_acquire, memory_scope_device at k.cl:9");
    store(THIRD, 8, ORDER_RELAXED, SCOPE_DEVICE); /* whose value was read */
    passes(by, OTHER, 1);
    ck_assert(!follows(OTHER, 2, &host));
}
END_TEST

/* ---- what is to be added ------------------------------------------------------------------------ */

static struct code_place where; /* line 0: nowhere */

static bool is_fixed(const struct question *question)
{
    proposal = (struct proposal){.rewrite_count = 0};
    return explain_fix(question, &proposal);
}

static bool between(void *self, uint32_t a, uint32_t b, struct code_place *out_place)
{
    (void)self;
    ck_assert(a == DATA_LINE);
    ck_assert(b == LAST_LINE);
    *out_place = where;
    return where.site != 0;
}

static void is_fixed_by(uint64_t second, int region, const char *fix)
{
    const struct checker_host with_places = {.place = place, .what = what, .between = between};
    const struct race_instance instance = instance_of(FIRST, second);
    const struct question question = {.sync_log = &sync_log,
                                      .launch = &launch,
                                      .host = &with_places,
                                      .rule = order.rule,
                                      .region = region,
                                      .instances = &instance,
                                      .instance_count = 1,
                                      .spent = &spent};
    ck_assert_int_eq(is_fixed(&question), fix[0] != 0);
    ck_assert_str_eq(proposal.fix.bytes, fix);
}

START_TEST(barrier_is_placed_where_all_work_items_execute)
{
    first_access(FIRST);
    where = (struct code_place){.site = 30, .before = true, .first = 0};
    is_fixed_by(NEIGHBOUR, IN_LOCAL, "work_group_barrier(CLK_LOCAL_MEM_FENCE) before k.cl:30");
    where = (struct code_place){.site = 30, .first = 1}; /* the later access stands first in the code */
    is_fixed_by(NEIGHBOUR, IN_GLOBAL, "work_group_barrier(CLK_GLOBAL_MEM_FENCE) after k.cl:30");
    where.site = 0;
    is_fixed_by(NEIGHBOUR, IN_GLOBAL, "");
}
END_TEST

static bool each_iteration(void *self, uint32_t a, uint32_t b, struct code_place out_places[2])
{
    (void)self;
    ck_assert(a == DATA_LINE && b == LAST_LINE);
    out_places[0] = (struct code_place){.site = 30, .before = true};
    out_places[1] = (struct code_place){.site = 31, .line = 32};
    return true;
}

START_TEST(two_barriers_in_each_iteration_cover_one_group)
{
    const struct checker_host with_iterations = {
        .place = place, .what = what, .between = between, .each_iteration = each_iteration};
    const char *const fix = "work_group_barrier(CLK_LOCAL_MEM_FENCE) before k.cl:30, and after k.cl:32, in "
                            "each iteration of the loop";
    where.site = 0;
    first_access(FIRST);
    struct race_instance instance = instance_of(FIRST, NEIGHBOUR);
    struct question question = question_of(&instance, 1);
    question.host = &with_iterations;
    question.region = IN_LOCAL;
    ck_assert(is_fixed(&question));
    ck_assert_str_eq(proposal.fix.bytes, fix);
    ck_assert(explain_fix_covers(&launch, order.rule, &proposal.suggested, OTHER, OTHER + 1));
    ck_assert(!explain_fix_covers(&launch, order.rule, &proposal.suggested, FIRST, OTHER));
    instance = instance_of(FIRST, OTHER);
    question.region = IN_GLOBAL;
    ck_assert(!is_fixed(&question));
    where = (struct code_place){.site = 33, .before = true}; /* one edit is less */
    instance = instance_of(FIRST, NEIGHBOUR);
    ck_assert(is_fixed(&question));
    ck_assert_str_eq(proposal.fix.bytes, "work_group_barrier(CLK_GLOBAL_MEM_FENCE) before k.cl:33");
}
END_TEST

START_TEST(groups_are_ordered_by_two_kernels)
{
    first_access(FIRST);
    where = (struct code_place){.site = 30, .before = true, .first = 0};
    is_fixed_by(OTHER, IN_GLOBAL, "two kernels, split before k.cl:30");
    is_fixed_by(OTHER, IN_LOCAL, "");
    where.site = 0;
    is_fixed_by(OTHER, IN_GLOBAL, "");
}
END_TEST

START_TEST(a_barrier_covers_one_group_and_two_kernels_all)
{
    struct race_instance instances[2];
    const struct checker_host with_places = {.place = place, .what = what, .between = between};
    where = (struct code_place){.site = 30, .before = true, .first = 0};
    first_access(FIRST);
    instances[0] = instance_of(FIRST, NEIGHBOUR);
    instances[1] = instance_of(FIRST, OTHER);
    struct question question = question_of(instances, 1);
    question.host = &with_places;
    ck_assert(is_fixed(&question));
    ck_assert_str_eq(proposal.fix.bytes, "work_group_barrier(CLK_GLOBAL_MEM_FENCE) before k.cl:30");
    ck_assert(explain_fix_covers(&launch, order.rule, &proposal.suggested, OTHER, OTHER + 1));
    ck_assert(!explain_fix_covers(&launch, order.rule, &proposal.suggested, FIRST, OTHER));
    ck_assert(!explain_fix_covers(&launch, order.rule, &proposal.suggested, FIRST, UNIT_COPIES));
    question.instance_count = 2;
    ck_assert(is_fixed(&question));
    ck_assert_str_eq(proposal.fix.bytes, "two kernels, split before k.cl:30");
    ck_assert(explain_fix_covers(&launch, order.rule, &proposal.suggested, FIRST, OTHER));
    question.region = IN_LOCAL;
    ck_assert(is_fixed(&question));
    ck_assert_str_eq(proposal.fix.bytes, "work_group_barrier(CLK_LOCAL_MEM_FENCE) before k.cl:30");
}
END_TEST

START_TEST(atomic_fix_covers_pairs_within_its_scope)
{
    proposal.suggested = (struct suggested_fix){.kind = FIX_ATOMIC, .scope = SCOPE_WORK_GROUP};
    ck_assert(explain_fix_covers(&launch, order.rule, &proposal.suggested, FIRST, NEIGHBOUR));
    ck_assert(!explain_fix_covers(&launch, order.rule, &proposal.suggested, FIRST, OTHER));
    proposal.suggested.scope = SCOPE_DEVICE;
    ck_assert(explain_fix_covers(&launch, order.rule, &proposal.suggested, FIRST, OTHER));
}
END_TEST

static void agreed(uint32_t line, bool atomic, enum memory_scope scope, uint32_t size, const char *fix)
{
    struct race_instance instance = instance_of(FIRST, OTHER);
    instance.first.atomic = atomic;
    instance.first.scope = scope;
    instance.second.site = line;
    instance.second.size = size;
    const struct question question = {.sync_log = &sync_log,
                                      .launch = &launch,
                                      .host = &host,
                                      .rule = order.rule,
                                      .region = IN_GLOBAL,
                                      .instances = &instance,
                                      .instance_count = 1,
                                      .spent = &spent};
    ck_assert_int_eq(is_fixed(&question), fix[0] != 0);
    ck_assert_str_eq(proposal.fix.bytes, fix);
}

START_TEST(a_plain_access_is_to_be_atomic)
{
    first_access(FIRST);
    agreed(LAST_LINE, true, SCOPE_DEVICE, 4, "an atomic operation with memory_scope_device at k.cl:50");
    agreed(LAST_LINE, true, SCOPE_WORK_GROUP, 4, ""); /* which does not reach the other group */
    agreed(LAST_LINE, true, SCOPE_DEVICE, 1, "");
    agreed(DATA_LINE, false, SCOPE_DEVICE, 4, "atomic operations with memory_scope_device at k.cl:5");
    agreed(LAST_LINE, false, SCOPE_DEVICE, 4, "");
}
END_TEST

/* ---- remembering ----------------------------------------------------------------------------------- */

START_TEST(waiter_is_recorded_once_for_each_store)
{
    for (int i = 0; i < 100; i++)
        load(OTHER, 9, ORDER_ACQUIRE, SCOPE_DEVICE);
    ck_assert_uint_eq(sync_log.count, 1);
    store(FIRST, 7, ORDER_RELEASE, SCOPE_DEVICE);
    for (int i = 0; i < 100; i++)
        load(OTHER, 9, ORDER_ACQUIRE, SCOPE_DEVICE);
    ck_assert_uint_eq(sync_log.count, 3);
}
END_TEST

/* The value read again need not be a release. */
START_TEST(waiter_for_a_relaxed_store_has_read_it)
{
    load(OTHER, 9, ORDER_ACQUIRE, SCOPE_DEVICE);
    first_access(FIRST);
    store(FIRST, 7, ORDER_RELAXED, SCOPE_DEVICE);
    for (int i = 0; i < 100; i++)
        load(OTHER, 9, ORDER_ACQUIRE, SCOPE_DEVICE);
    ck_assert_uint_eq(sync_log.count, 3);
    ck_assert(explained(FIRST, OTHER, IN_GLOBAL));
    explains("the store at k.cl:7 is relaxed", "memory_order_release at k.cl:7");
}
END_TEST

START_TEST(write_elsewhere_is_not_waited_for)
{
    struct unit_state unit_state;
    const struct atomic_operation beside = {FLAG + 4,     4, IN_GLOBAL, false, true, ORDER_RELEASE,
                                            SCOPE_DEVICE, 7, false,     false, 0};
    load(OTHER, 9, ORDER_ACQUIRE, SCOPE_DEVICE);
    order_unit_state(&order, FIRST, &unit_state);
    order_atomic(&order, &unit_state, &beside);
    load(OTHER, 9, ORDER_ACQUIRE, SCOPE_DEVICE);
    ck_assert_uint_eq(sync_log.count, 2);
}
END_TEST

START_TEST(a_launch_begins_without_memories)
{
    store(FIRST, 7, ORDER_RELEASE, SCOPE_DEVICE);
    order_launch_begin(&order, &launch);
    ck_assert_uint_eq(sync_log.count, 0);
}
END_TEST

START_TEST(steps_are_those_between_the_accesses)
{
    store(FIRST, 3, ORDER_RELEASE, SCOPE_DEVICE);
    first_access(FIRST);
    store(FIRST, 7, ORDER_RELEASE, SCOPE_WORK_GROUP);
    order_barrier(&order, 1, REGION_LOCAL, SCOPE_WORK_GROUP, 8);
    load(THIRD, 6, ORDER_ACQUIRE, SCOPE_DEVICE);
    load(OTHER, 9, ORDER_ACQUIRE, SCOPE_WORK_GROUP);
    ck_assert(explained(FIRST, OTHER, IN_GLOBAL));
    ck_assert_uint_eq(answer.step_count, 3);
    static const struct {
        uint32_t side, line;
        const char *text;
    } expected[] = {
        {0, 7, "atomic, memory_order_release, memory_scope_work_group"},
        {1, 8, "barrier, CLK_LOCAL_MEM_FENCE"},
        {1, 9, "atomic, memory_order_acquire, memory_scope_work_group"},
    };
    for (uint32_t i = 0; i < 3; i++) {
        ck_assert_uint_eq(answer.steps[i].side, expected[i].side);
        ck_assert_uint_eq(answer.steps[i].before, expected[i].side);
        ck_assert_uint_eq(answer.steps[i].place.line, expected[i].line);
        ck_assert_str_eq(answer.steps[i].text, expected[i].text);
    }
    ck_assert_uint_eq(answer.edge_count, 1);
    edge_is(0, 0, 2, false);
}
END_TEST

/*
 * R8, R11: an update in the middle keeps the release sequence and passes it on; its own acquire is missing.
 */
START_TEST(edges_go_by_way_of_others)
{
    first_access(FIRST);
    store(FIRST, 7, ORDER_RELEASE, SCOPE_DEVICE);
    act(OTHER, 8, true, true, ORDER_ACQ_REL, SCOPE_DEVICE, IN_GLOBAL);
    load(THIRD, 9, ORDER_RELAXED, SCOPE_DEVICE);
    ck_assert(explained(FIRST, THIRD, IN_GLOBAL));
    explains("the load at k.cl:9 is relaxed", "memory_order_acquire at k.cl:9");
    ck_assert_uint_eq(answer.step_count, 3);
    ck_assert_uint_eq(answer.steps[2].side, 2);
    ck_assert_uint_eq(answer.step_unit[2], OTHER);
    ck_assert_uint_eq(answer.edge_count, 2);
    edge_is(0, 0, 2, true);
    edge_is(1, 2, 1, false);
}
END_TEST

/* R12, R13: fences are the ends, wherever the atomics are; R17: a barrier hands on to the neighbour. */
START_TEST(edges_have_fences_and_barriers_as_ends)
{
    first_access(FIRST);
    order_barrier(&order, 0, REGION_GLOBAL, SCOPE_WORK_GROUP, 6);
    fence(NEIGHBOUR, 7, REGION_GLOBAL, ORDER_RELEASE);
    store(NEIGHBOUR, 8, ORDER_RELAXED, SCOPE_DEVICE);
    load(OTHER, 9, ORDER_ACQUIRE, SCOPE_WORK_GROUP);
    ck_assert(explained(FIRST, OTHER, IN_GLOBAL));
    explains("the acquire at k.cl:9 has memory_scope_work_group", "memory_scope_device at k.cl:9");
    ck_assert_uint_eq(answer.step_count, 4);
    static const uint32_t lines[] = {6, 9, 6, 7};
    for (uint32_t i = 0; i < 4; i++)
        ck_assert_uint_eq(answer.steps[i].place.line, lines[i]);
    ck_assert_uint_eq(answer.edge_count, 2);
    edge_is(0, 0, 2, true);
    edge_is(1, 3, 1, false);
}
END_TEST

/* The synchronisation was too early for the access. */
START_TEST(edge_before_the_access_is_shown)
{
    store(FIRST, 7, ORDER_RELEASE, SCOPE_DEVICE);
    first_access(FIRST);
    load(OTHER, 9, ORDER_ACQUIRE, SCOPE_DEVICE);
    ck_assert(!explained(FIRST, OTHER, IN_GLOBAL));
    ck_assert_uint_eq(answer.step_count, 2);
    ck_assert(answer.steps[0].before);
    ck_assert_uint_eq(answer.edge_count, 1);
    edge_is(0, 0, 1, true);
}
END_TEST

/* R8: another unit's store ends the sequence. */
START_TEST(edges_end_with_a_foreign_store)
{
    store(FIRST, 7, ORDER_RELEASE, SCOPE_DEVICE);
    store(THIRD, 8, ORDER_RELAXED, SCOPE_DEVICE);
    first_access(FIRST);
    load(OTHER, 9, ORDER_ACQUIRE, SCOPE_DEVICE);
    ck_assert(!explained(FIRST, OTHER, IN_GLOBAL));
    ck_assert_uint_eq(answer.edge_count, 0);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        scopes_of_shared_objects_meet_at_the_wider,
        a_relaxed_store_is_to_release,
        a_relaxed_load_is_to_acquire,
        two_pairs_want_an_edit_for_both,
        two_edits_of_one_place_serve_later_pairs,
        unordered_pair_changes_no_result,
        a_barrier_wants_the_other_flag,
        a_foreign_store_is_to_be_an_update,
        a_release_fence_goes_before_its_store,
        an_acquire_fence_goes_after_its_load,
        both_scopes_are_to_be_wider,
        one_scope_suffices_if_wider_ones_synchronise,
        a_scope_that_makes_its_object_race_is_left_alone,
        other_users_of_the_object_get_the_scope,
        atomics_that_a_barrier_orders_do_not_race_with_another_scope,
        failed_exchange_acquires_by_the_failure_order,
        one_place_may_succeed_and_fail,
        both_orders_are_to_be_stronger,
        a_local_flag_wants_fences_with_both_flags,
        seq_cst_with_acquire_reports_no_intent,
        an_access_after_the_store_is_not_carried_by_it,
        plain_flag_would_order_earlier_accesses,
        unit_that_passes_on_a_plain_flag_passes_on_its_clock,
        a_plain_flag_orders_nothing_after_the_store_or_before_the_load,
        segments_order_accesses_before_a_plain_flag,
        atomic_end_of_a_flag_keeps_its_order,
        barrier_is_placed_where_all_work_items_execute,
        two_barriers_in_each_iteration_cover_one_group,
        groups_are_ordered_by_two_kernels,
        a_plain_access_is_to_be_atomic,
        a_barrier_covers_one_group_and_two_kernels_all,
        atomic_fix_covers_pairs_within_its_scope,
        units_that_never_meet_have_no_edit,
        ordered_pair_needs_no_edit,
        full_sync_log_suggests_nothing,
        waiter_is_recorded_once_for_each_store,
        waiter_for_a_relaxed_store_has_read_it,
        write_elsewhere_is_not_waited_for,
        a_launch_begins_without_memories,
        steps_are_those_between_the_accesses,
        edges_go_by_way_of_others,
        edges_have_fences_and_barriers_as_ends,
        edge_before_the_access_is_shown,
        edges_end_with_a_foreign_store,
    };
    Suite *suite = suite_create("explain");
    TCase *tcase = tcase_create("explain");
    tcase_add_checked_fixture(tcase, setup, teardown);
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
