/* SPDX-License-Identifier: Apache-2.0 */
/* Fixes that no edit of a synchronising operation is: a plain flag that becomes atomic, and what is added. */
#include "tests/support/explain_fixture.h"

static struct proposal proposal;

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
    store(THIRD, 8, ORDER_RELAXED, SCOPE_DEVICE); /* the load reads this value */
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
    struct question question = question_of(&instance, 1);
    question.host = &with_places;
    question.region = region;
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

/* The fix of the first access and one of another work-group, atomic with that scope or plain. */
static void fix_of_pair_is(uint32_t line, bool atomic, enum memory_scope scope, uint32_t size,
                           const char *fix)
{
    struct race_instance instance = instance_of(FIRST, OTHER);
    instance.first.atomic = atomic;
    instance.first.scope = scope;
    instance.second.site = line;
    instance.second.size = size;
    struct question question = question_of(&instance, 1);
    ck_assert_int_eq(is_fixed(&question), fix[0] != 0);
    ck_assert_str_eq(proposal.fix.bytes, fix);
}

START_TEST(a_plain_access_is_to_be_atomic)
{
    first_access(FIRST);
    fix_of_pair_is(LAST_LINE, true, SCOPE_DEVICE, 4,
                   "an atomic operation with memory_scope_device at k.cl:50");
    fix_of_pair_is(LAST_LINE, true, SCOPE_WORK_GROUP, 4, ""); /* which does not reach the other group */
    fix_of_pair_is(LAST_LINE, true, SCOPE_DEVICE, 1, "");
    fix_of_pair_is(DATA_LINE, false, SCOPE_DEVICE, 4, "atomic operations with memory_scope_device at k.cl:5");
    fix_of_pair_is(LAST_LINE, false, SCOPE_DEVICE, 4, "");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        plain_flag_would_order_earlier_accesses,
        unit_that_passes_on_a_plain_flag_passes_on_its_clock,
        a_plain_flag_orders_nothing_after_the_store_or_before_the_load,
        segments_order_accesses_before_a_plain_flag,
        atomic_end_of_a_flag_keeps_its_order,
        barrier_is_placed_where_all_work_items_execute,
        two_barriers_in_each_iteration_cover_one_group,
        groups_are_ordered_by_two_kernels,
        a_barrier_covers_one_group_and_two_kernels_all,
        atomic_fix_covers_pairs_within_its_scope,
        a_plain_access_is_to_be_atomic,
    };
    return run_explain_tests("explain_fix", tests, sizeof tests / sizeof tests[0]);
}
