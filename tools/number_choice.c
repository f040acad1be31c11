/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The values are n, the size of a launch or a little less, and others near it: buffers are products of them,
 * and an index with a wrong factor leaves its buffer by a little. Numbers that may be the length of a row
 * with its padding are larger than all that ids or counters reach.
 */
#include "number_choice.h"

#include <assert.h>

enum { NUMBERS_MOST = 32, STEP = 2, PADDING = 8, PADDING_STEP = 6, FACTORS_LEAST = 3, ITEMS_FEW = 16 };

struct choice {
    const struct number_request *request;
    enum number_order order;
    uint64_t *values;
    uint32_t left; /* bit i: argument i has no value yet */
};

static uint32_t count_of(uint32_t set)
{
    uint32_t count = 0;
    for (; set; set &= set - 1)
        count++;
    return count;
}

/* The arguments of a set get first, first + step and so on, in the choice's order. */
static void give(struct choice *choice, uint32_t set, uint64_t first, uint64_t step)
{
    set &= choice->left;
    const uint32_t count = count_of(set);
    uint32_t at = 0;
    for (uint32_t i = 0; i < NUMBERS_MOST; i++) {
        if (!(set >> i & 1))
            continue;
        choice->values[i] = first + step * (choice->order == NUMBERS_ASCEND ? at : count - 1 - at);
        at++;
    }
    choice->left &= ~set;
}

/* The smallest value given so far; n if there is none. */
static uint64_t smallest(const struct choice *choice)
{
    const uint32_t given = choice->request->numbers & ~choice->left;
    uint64_t found = given ? UINT64_MAX : choice->request->whole;
    for (uint32_t i = 0; i < NUMBERS_MOST; i++)
        if (given >> i & 1 && choice->values[i] < found)
            found = choice->values[i];
    return found;
}

static uint64_t largest(const struct choice *choice)
{
    const uint32_t given = choice->request->numbers & ~choice->left;
    uint64_t found = given ? 0 : choice->request->whole;
    for (uint32_t i = 0; i < NUMBERS_MOST; i++)
        if (given >> i & 1 && choice->values[i] > found)
            found = choice->values[i];
    return found;
}

/* ---- products ------------------------------------------------------------------------------------ */

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Finds two numbers whose product is a little less than `below`. They have no common divisor, and differ by
 * FACTORS_LEAST or more. */
static bool split(uint64_t below, uint64_t out_factors[2])
{
    uint64_t small = FACTORS_LEAST;
    while ((small + 1) * (small + 1) < below)
        small++;
    for (; small >= FACTORS_LEAST; small--) {
        const uint64_t large = (below - 1) / small;
        if (large >= small + FACTORS_LEAST && common_divisor(small, large) == 1) {
            out_factors[0] = small;
            out_factors[1] = large;
            return true;
        }
    }
    return false;
}

static void give_values(struct choice *choice, uint32_t set, const uint64_t *values)
{
    const uint32_t count = count_of(set);
    uint32_t at = 0;
    for (uint32_t i = 0; i < NUMBERS_MOST; i++)
        if (set >> i & 1) {
            choice->values[i] = values[choice->order == NUMBERS_ASCEND ? at : count - 1 - at];
            at++;
        }
    choice->left &= ~set;
}

/* Gives rows and columns values with a product near n. */
static void give_products(struct choice *choice)
{
    const struct number_request *request = choice->request;
    const uint32_t set = request->shape->products & request->numbers, count = count_of(set);
    uint64_t factors[3] = {FACTORS_LEAST + 1};
    const uint64_t items = request->global[0];
    if (request->dimensions == 1 && count == 2 && split(items, factors))
        give_values(choice, set, factors);
    if (request->dimensions == 1 && count == 3 && split(items / factors[0], factors + 1))
        give_values(choice, set, factors);
}

/* Gives values to the columns and rows of a table that is as large as the launch: no id is compared with
 * them. */
static void give_divisors(struct choice *choice)
{
    const struct number_request *request = choice->request;
    const uint32_t columns = request->shape->divisors & request->numbers,
                   rows = request->numbers & ~columns & ~request->shape->counts;
    uint64_t width = 1;
    while (width * width < request->global[0])
        width++;
    while (width < request->global[0] && request->global[0] % width)
        width++;
    if (request->dimensions > 1 || count_of(columns) != 1 || count_of(rows) > 1)
        return;
    give(choice, columns, width, 0);
    give(choice, rows, request->global[0] / width, 0);
}

/* ---- limits of ids ------------------------------------------------------------------------------- */

/* The numbers that limit the ids of a dimension. If there is none, a number that nothing reads may have been
 * meant for it. */
static uint32_t limits_of(const struct choice *choice, int dimension)
{
    const struct kernel_shape *shape = choice->request->shape;
    const uint32_t limits = shape->limits & shape->limits_of[dimension];
    const bool has_none =
        (uint32_t)dimension < choice->request->dimensions && !(limits & choice->request->numbers);
    return (has_none ? shape->unread : limits) & choice->left;
}

/* Width, height and depth: n and a little less. What limits several dimensions is below them in one order,
 * and above in the other. */
static void give_limits(struct choice *choice)
{
    const struct number_request *request = choice->request;
    const uint32_t x = limits_of(choice, 0), y = limits_of(choice, 1), z = limits_of(choice, 2),
                   only_x = x & ~y & ~z, only_y = y & ~x & ~z, only_z = z & ~x & ~y,
                   several = (x | y | z) & ~only_x & ~only_y & ~only_z;
    const uint64_t step = request->dimensions == 3 ? 1 : STEP;
    const uint32_t ascending[] = {several, only_x, only_y, only_z};
    uint64_t past = request->whole + step;
    for (int at = 3; at >= 0; at--) {
        const uint32_t set = ascending[choice->order == NUMBERS_ASCEND ? at : 3 - at], count = count_of(set);
        if (!count || past <= step * (count + 1))
            continue;
        past -= step * count;
        give(choice, set, past, step);
    }
}

/* Gives values below all others in one order, and above all in the other. */
static void give_near(struct choice *choice, uint32_t set)
{
    const uint32_t count = count_of(set & choice->left);
    const bool below = choice->order == NUMBERS_DESCEND && smallest(choice) > STEP * count;
    if (count)
        give(choice, set, below ? smallest(choice) - STEP * count : largest(choice) + STEP, STEP);
}

static void give_group_limits(struct choice *choice)
{
    const struct number_request *request = choice->request;
    const struct kernel_shape *shape = request->shape;
    for (int d = 0; d < 3; d++)
        if (request->groups[d] > 1)
            give(choice, request->numbers & shape->group_limits & shape->limits_of[d], request->groups[d] - 1,
                 0);
}

/* Gives limits of local ids a value less than the work-items of a group, as n is less than those of the
 * launch. */
static void give_item_limits(struct choice *choice)
{
    const struct number_request *request = choice->request;
    const uint64_t items = request->local[0] * request->local[1] * request->local[2];
    const bool several = request->global[0] > request->local[0];
    if (several && items > ITEMS_FEW)
        give(choice, request->shape->item_limits, request->in_group ? request->in_group : items * 5 / 8 | 1,
             request->in_group ? 0 : STEP);
}

/* Gives a value to the length of a range that work-items share in a loop: several times the launch. */
static void give_shared(struct choice *choice)
{
    const struct number_request *request = choice->request;
    if (request->numbers & request->shape->group_limits && choice->order == NUMBERS_DESCEND)
        give_near(choice, request->shape->shared);
    else
        give(choice, request->shape->shared, 2 * request->global[0] + (request->global[0] / 3 | 1), STEP);
}

uint32_t numbers_small(const struct kernel_shape *shape)
{
    return shape->addends & ~(shape->strides | shape->limits | shape->shared | shape->products |
                              shape->divisors | shape->unread);
}

/* A number alone differs between the orders, unless it is the size of the launch. */
static void vary(struct choice *choice)
{
    const struct number_request *request = choice->request;
    const uint32_t numbers = request->numbers & ~request->shape->item_limits;
    for (uint32_t i = 0; i < NUMBERS_MOST; i++)
        if (numbers >> i & 1 && choice->order == NUMBERS_DESCEND && !request->exact &&
            choice->values[i] > 2 * STEP)
            choice->values[i] -= STEP;
}

void numbers_choose(const struct number_request *request, enum number_order order, uint64_t out_values[32])
{
    const struct kernel_shape *shape = request->shape;
    struct choice choice = {request, order, out_values, request->numbers};
    assert(order < NUMBER_ORDERS);
    for (uint32_t i = 0; i < NUMBERS_MOST; i++)
        out_values[i] = request->whole;
    give_group_limits(&choice);
    give_item_limits(&choice);
    give_products(&choice);
    if (request->exact)
        give_divisors(&choice);
    else
        give_limits(&choice);
    give_shared(&choice);
    if (count_of(request->numbers) < 2) {
        vary(&choice);
        return;
    }
    if (request->exact && choice.left == request->numbers) {
        /* all but these are the size of the launch */
        give(&choice, shape->counts, request->whole + STEP, STEP);
        return;
    }
    const uint32_t small = numbers_small(shape) & choice.left;
    choice.left &= ~small;
    give_near(&choice, shape->counts);
    give(&choice, choice.left, largest(&choice) + PADDING, PADDING_STEP);
    choice.left = small;
    give(&choice, small, FACTORS_LEAST, STEP);
}
