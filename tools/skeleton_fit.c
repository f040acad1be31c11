/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What suits a kernel without a scenario. It runs quietly a few times: with the whole numbers of
 * number_choice.h in two orders, of which that is kept which shows a mistake; with 1 or 0 in the place of a
 * number, which is kept if the kernel does more, or if lines run that do not run otherwise; and with each
 * work-group for which it may be written, of which that with the fewest findings is kept. Buffers are as
 * large as buffer_sizes.h says. A kernel that does much has only the first of these runs.
 */
#include <stdlib.h>
#include <string.h>

#include "buffer_sizes.h"
#include "number_choice.h"
#include "skeleton_state.h"
#include "tools.h"

enum { SIZE_BYTES = 4, MANY = 6, PADDING_MOST = 16 };

/* Instructions, of all work-items: some seconds, or four runs that do not end. */
static const uint64_t WORK_MOST = 2000000000;

/* ---- trials -------------------------------------------------------------------------------- */

static uint32_t all_numbers(const struct kernel_info *info)
{
    return skeleton_numbers(info, 1);
}

/* For buffer_sizes.h. */
static enum status print_trial(FILE *stream, const void *self, const uint64_t *elements,
                               struct diagnosis *diagnosis)
{
    return skeleton_print(stream, self, "trial", elements, diagnosis);
}

static void fitting_init(struct fitting *fitting, const struct skeleton *skeleton)
{
    *fitting = (struct fitting){.skeleton = *skeleton,
                                .elements = calloc(skeleton->info->arg_count + 1, sizeof(uint64_t))};
    if (!fitting->elements)
        tools_no_memory();
}

void skeleton_fit_fini(struct fitting *fitting)
{
    free(fitting->elements);
    free(fitting->idle.lines);
}

static struct buffer_trials trials_of(const struct skeleton *skeleton, const struct scenario *scenario,
                                      const char *file)
{
    return (struct buffer_trials){.scenario = scenario,
                                  .file = file,
                                  .info = skeleton->info,
                                  .work = skeleton->work,
                                  .local = skeleton_product(skeleton->sizes.local),
                                  .one_more = skeleton->shape->offsets,
                                  .print = print_trial,
                                  .self = skeleton};
}

/* Is there time for another trial? */
static bool may_try(const struct skeleton *skeleton)
{
    return *skeleton->work < WORK_MOST;
}

/* The arguments that number_choice.h gives values, no two of them equal. */
static uint32_t numbers_in(const struct skeleton *skeleton)
{
    return skeleton_numbers(skeleton->info, SIZE_BYTES) & ~(skeleton->ones | skeleton->zeros);
}

static void choose_numbers(struct skeleton *skeleton, enum number_order order)
{
    struct launch_sizes *sizes = &skeleton->sizes;
    const struct kernel_shape *shape = skeleton->shape;
    struct number_request request = {.shape = shape,
                                     .numbers = numbers_in(skeleton),
                                     .dimensions = skeleton_dimensions(sizes),
                                     .in_group = skeleton->in_group,
                                     .whole = sizes->whole,
                                     .exact = sizes->exact};
    for (int d = 0; d < 3; d++) {
        request.global[d] = sizes->global[d];
        request.local[d] = sizes->local[d];
        request.groups[d] = sizes->global[d] / sizes->local[d];
    }
    numbers_choose(&request, order, skeleton->numbers);
    for (uint32_t i = 0; i < 32; i++) {
        const uint32_t limit = shape->limits & request.numbers & UINT32_C(1) << i;
        if (limit & shape->limits_of[0] & ~shape->limits_of[1])
            sizes->width = skeleton->numbers[i];
        if (limit & shape->limits_of[1] & ~shape->limits_of[0])
            sizes->height = skeleton->numbers[i];
    }
}

/* How far ids go that are compared with the argument. */
static uint64_t ids_past(const struct skeleton *skeleton, uint32_t argument, uint64_t value)
{
    const struct kernel_shape *shape = skeleton->shape;
    const struct launch_sizes *sizes = &skeleton->sizes;
    uint64_t past = value;
    for (int d = 0; d < 3; d++) {
        const uint64_t groups = sizes->global[d] / sizes->local[d],
                       ids = skeleton_has(shape->group_limits, argument) ? groups : sizes->ids[d];
        const bool limits = skeleton_has(
            (shape->limits & shape->limits_of[d]) | (sizes->exact ? 0 : shape->unread), argument);
        if (limits && ids > past)
            past = ids;
    }
    return past;
}

static enum size_square square_of(const struct skeleton *skeleton, uint32_t argument)
{
    const struct kernel_shape *shape = skeleton->shape;
    const uint32_t numbers = numbers_in(skeleton) & ~numbers_small(shape), limits = shape->limits & numbers;
    int dimensions = 0, others = 0;
    for (int d = 0; d < 3; d++) {
        dimensions += skeleton_has(limits & shape->limits_of[d], argument);
        others += (limits & shape->limits_of[d]) && !skeleton_has(shape->limits_of[d], argument);
    }
    if (skeleton_has(shape->group_limits, argument))
        return SQUARE_UNLIKELY;
    if (dimensions > 1 || !(numbers & (numbers - 1)))
        return SQUARE_LIKELY;
    return dimensions && (others || skeleton_has(shape->products, argument)) ? SQUARE_UNLIKELY
                                                                             : SQUARE_POSSIBLE;
}

static void add_factor(struct size_fit *fit, const struct size_factor *factor)
{
    bool fits = fit->factor_count < SIZE_FACTORS_MOST && factor->value[0] > 1;
    for (size_t c = 0; c < fit->choice_count; c++)
        fits = fits && factor->value[c] > 1; /* sizes are divided by it */
    if (fits)
        fit->factors[fit->factor_count++] = *factor;
}

/* What sizes are made of: the whole numbers and, if no id stays below one, the sizes of the launch. */
static void find_factors(const struct fitting *fittings, struct size_fit *fit)
{
    const struct skeleton *skeleton = &fittings->skeleton;
    const uint32_t numbers = numbers_in(skeleton), used = skeleton->shape->limits | skeleton->shape->counts |
                                                          skeleton->shape->shared |
                                                          skeleton->shape->group_limits;
    const uint32_t small = numbers_small(skeleton->shape);
    bool known[3] = {false};
    for (uint32_t i = 0; i < 32; i++) {
        struct size_factor factor = {.square = square_of(skeleton, i),
                                     .around = skeleton_has(skeleton->shape->counts | small, i),
                                     .alone = skeleton_has(small, i)};
        for (size_t c = 0; c < fit->choice_count && skeleton_has(numbers, i); c++) {
            factor.value[c] = fittings[c].skeleton.numbers[i];
            factor.past[c] = ids_past(&fittings[c].skeleton, i, factor.value[c]);
            factor.padding[c] = skeleton_has(used, i) ? 0 : PADDING_MOST;
        }
        for (int d = 0; d < 3; d++)
            known[d] |= skeleton_has(numbers, i) && factor.value[0] == skeleton->sizes.global[d];
        add_factor(fit, &factor);
        for (size_t c = 0; c < fit->choice_count && factor.value[0]; c++) {
            factor.value[c] += skeleton->shape->border;
            factor.past[c] += skeleton->shape->border;
        }
        if (skeleton->shape->border)
            add_factor(fit, &factor);
    }
    for (int d = 0; d < 3 && (skeleton->sizes.exact || !numbers); d++) {
        const uint64_t size = skeleton->sizes.global[d];
        if (!known[d] && (!d || size != skeleton->sizes.global[d - 1]))
            add_factor(
                fit, &(struct size_factor){{size, size}, {size, size}, {0, 0}, SQUARE_LIKELY, false, false});
    }
}

/* Both orders of the numbers: the first is kept, unless the second alone shows accesses outside, and does as
 * much. */
static void fit(struct fitting *fitting, const struct scenario *scenario, const char *file)
{
    struct fitting fittings[NUMBER_ORDERS];
    struct size_fit sizes = {.whole = fitting->skeleton.sizes.whole};
    struct buffer_trials trials[NUMBER_ORDERS];
    bool fine = true;
    for (size_t c = 0; c < NUMBER_ORDERS; c++) {
        fitting_init(&fittings[c], &fitting->skeleton);
        choose_numbers(&fittings[c].skeleton, (enum number_order)c);
        trials[c] = trials_of(&fittings[c].skeleton, scenario, file);
        const bool same = c && memcmp(fittings[c].skeleton.numbers, fittings[0].skeleton.numbers,
                                      sizeof fittings[c].skeleton.numbers) == 0;
        fine = fine && !same && (!c || may_try(&fittings[c].skeleton)) &&
               buffer_trial_run(&trials[c], &sizes.trial[c]);
        if (fine && sizes.trial[c].idle.count <= sizes.trial[0].idle.count)
            sizes.choice_count = c + 1;
        sizes.elements[c] = fittings[c].elements;
    }
    sizes.trials = trials;
    if (!sizes.choice_count) /* the run that follows says why */
        for (size_t i = 0; i < fitting->skeleton.info->arg_count; i++)
            fittings[0].elements[i] =
                fitting->skeleton.info->args[i].kind == ARG_LOCAL ? trials[0].local : sizes.whole;
    find_factors(fittings, &sizes);
    buffer_sizes_fit(&sizes);
    const size_t chosen = sizes.choice_count > 1 && sizes.leaves[1] && !sizes.leaves[0];
    skeleton_fit_fini(fitting);
    *fitting = fittings[chosen];
    fitting->leaves = sizes.leaves[chosen];
    if (sizes.choice_count) {
        fitting->idle = sizes.trial[chosen].idle;
        sizes.trial[chosen].idle.lines = NULL;
    }
    skeleton_fit_fini(&fittings[!chosen]);
    for (size_t c = 0; c < NUMBER_ORDERS; c++)
        buffer_trial_fini(&sizes.trial[c]);
}

/* The instructions that run when whole numbers are as large as the launch, but for those of `ones`; 0: it
 * does not end. */
static uint64_t executed_with(const struct skeleton *skeleton, uint32_t ones, const struct scenario *scenario,
                              const char *file)
{
    struct fitting fitting;
    struct buffer_trial trial;
    fitting_init(&fitting, skeleton);
    fitting.skeleton.ones = ones;
    const struct buffer_trials trials = trials_of(&fitting.skeleton, scenario, file);
    uint64_t most = 1;
    for (int d = 0; d < 3; d++)
        most = skeleton->sizes.global[d] > most ? skeleton->sizes.global[d] : most;
    for (size_t i = 0; i < 32; i++)
        fitting.skeleton.numbers[i] = skeleton->sizes.global[0];
    for (size_t i = 0; i < skeleton->info->arg_count; i++)
        fitting.elements[i] = skeleton->info->args[i].kind == ARG_LOCAL ? trials.local : 2 * most * most;
    const uint64_t executed =
        buffer_trial_measure(&trials, fitting.elements, &trial) ? trial.idle.executed : 0;
    buffer_trial_fini(&trial);
    skeleton_fit_fini(&fitting);
    return executed;
}

/* The numbers that an id has to reach: more work-items do something with a small one than with a large one.
 */
static uint32_t lower_bounds(const struct skeleton *skeleton, const struct scenario *scenario,
                             const char *file)
{
    const uint32_t limits = skeleton->shape->limits & all_numbers(skeleton->info);
    uint32_t found = 0;
    const uint64_t before = limits ? executed_with(skeleton, 0, scenario, file) : 0;
    for (uint32_t i = 0; before && i < 32; i++)
        if (skeleton_has(limits, i) && may_try(skeleton) &&
            executed_with(skeleton, UINT32_C(1) << i, scenario, file) > before)
            found |= UINT32_C(1) << i;
    return found;
}

/* Keeps the better of two: more lines run, or as many with all accesses inside, and not for less work. */
static void keep_better(struct fitting *best, struct fitting *other)
{
    const bool more = other->idle.count < best->idle.count;
    const bool inside = best->leaves && !other->leaves && other->idle.count == best->idle.count;
    const bool better = other->idle.lines && (more || inside) && other->idle.executed >= best->idle.executed;
    struct fitting *worse = better ? best : other;
    skeleton_fit_fini(worse);
    if (better)
        *best = *other;
}

/* The numbers that are neither limits of ids nor of counters: places, say, which have to be inside. */
static uint32_t places_of(const struct skeleton *skeleton)
{
    const struct kernel_shape *shape = skeleton->shape;
    return all_numbers(skeleton->info) & ~(shape->limits | shape->shared | shape->counts | shape->strides |
                                           shape->divisors | shape->unread);
}

/* While lines do not run, each whole number in turn is 1, or 0; while accesses leave buffers, each place. */
static void reach_lines(struct fitting *best, const struct scenario *scenario, const char *file)
{
    for (uint32_t i = 0; i < 64; i++) {
        const uint32_t argument = UINT32_C(1) << i / 2, whole = best->idle.count
                                                                    ? all_numbers(best->skeleton.info)
                                                                : best->leaves ? places_of(&best->skeleton)
                                                                               : 0;
        struct fitting other;
        if (!(whole & argument) || (best->skeleton.ones | best->skeleton.zeros) & argument ||
            !may_try(&best->skeleton))
            continue;
        fitting_init(&other, &best->skeleton);
        *(i % 2 ? &other.skeleton.zeros : &other.skeleton.ones) |= argument;
        fit(&other, scenario, file);
        keep_better(best, &other);
    }
}

/* Elements up to the last that is accessed in any buffer when whole numbers are so large; 0: it does not
 * end. */
static uint64_t reached_with(const struct skeleton *skeleton, uint64_t whole, const struct scenario *scenario,
                             const char *file)
{
    struct skeleton large = *skeleton;
    struct buffer_trial trial;
    uint64_t most = 0;
    for (size_t i = 0; i < 32; i++)
        large.numbers[i] = whole;
    const struct buffer_trials trials = trials_of(&large, scenario, file);
    const bool fine = buffer_trial_run(&trials, &trial);
    for (size_t i = 0; i < skeleton->info->arg_count && fine; i++)
        if (skeleton->info->args[i].kind == ARG_GLOBAL && trial.elements[i] > most)
            most = trial.elements[i];
    buffer_trial_fini(&trial);
    return most;
}

/* Work-items that do several elements each: n is less than all of these, if it limits them. */
static void widen_ids(struct skeleton *skeleton, const struct scenario *scenario, const char *file)
{
    struct launch_sizes *sizes = &skeleton->sizes;
    const struct kernel_shape *shape = skeleton->shape;
    const uint32_t numbers = numbers_in(skeleton);
    const bool fits = skeleton_dimensions(sizes) == 1 && numbers && !(numbers & (numbers - 1)) &&
                      numbers & shape->limits && !(numbers & (shape->item_limits | shape->group_limits));
    const uint64_t items = sizes->global[0],
                   all = fits && may_try(skeleton) ? reached_with(skeleton, MANY * items, scenario, file) : 0;
    if (all % items || all / items < 2 || all / items >= MANY)
        return;
    const uint64_t less = launch_sizes_fewer(all, 1);
    if (!may_try(skeleton) || reached_with(skeleton, less, scenario, file) == all)
        return; /* something else limits them */
    sizes->ids[0] = all;
    sizes->whole = less;
}

/* ---- of several work-groups ------------------------------------------------------------------ */

static void fit_groups(const struct skeleton *skeleton, const struct group_plan *plan,
                       const struct scenario *scenario, const char *file, struct fitting *out_fitting)
{
    struct skeleton *fitted = &out_fitting->skeleton;
    const struct device_config *device = &scenario->device;
    fitting_init(out_fitting, skeleton);
    fitted->sizes = launch_sizes_of(skeleton, device, plan, 0);
    fitted->ones = lower_bounds(fitted, scenario, file);
    fitted->sizes = launch_sizes_of(skeleton, device, plan, fitted->ones);
    fitted->in_group = plan->in_group;
    widen_ids(fitted, scenario, file);
    fit(out_fitting, scenario, file);
    reach_lines(out_fitting, scenario, file);
}

/* The first plan with which nothing is found, or the least: a kernel that is right for one is right. */
void skeleton_fit(const struct skeleton *skeleton, const struct scenario *scenario, const char *file,
                  struct fitting *out_best)
{
    struct group_plan plans[PLANS_MOST];
    const size_t count = launch_sizes_plan(skeleton, &scenario->device, plans);
    size_t least = SIZE_MAX;
    fit_groups(skeleton, &plans[0], scenario, file, out_best);
    for (size_t i = 0; i < count && count > 1 && least && may_try(skeleton); i++) {
        struct fitting fitting;
        if (i)
            fit_groups(skeleton, &plans[i], scenario, file, &fitting);
        struct fitting *tried = i ? &fitting : out_best;
        const struct buffer_trials trials = trials_of(&tried->skeleton, scenario, file);
        const size_t found = buffer_trial_findings(&trials, tried->elements);
        if (i)
            skeleton_fit_fini(found < least ? out_best : &fitting);
        if (i && found < least)
            *out_best = fitting;
        least = found < least ? found : least;
    }
}
