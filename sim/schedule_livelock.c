/* SPDX-License-Identifier: Apache-2.0 */
/* Nobody can go on but in circles: the launch ends, and who waits for what is told. */
#include <inttypes.h>

#include "orrery/report.h"
#include "schedule_livelock.h"

/* ---- the finding ------------------------------------------------------------------------ */

static void say_why(struct sentence *why, const struct schedule *schedule, const struct spinners *spinners,
                    const struct finding *finding)
{
    const struct finding_access *access = &finding->access[0];
    sentence_add(why, "%" PRIu64 " work-item%s read%s the same again and again", spinners->spin,
                 spinners->spin == 1 ? "" : "s", spinners->spin == 1 ? "s" : "");
    if (access->has_value && finding->object)
        sentence_add(why, " (%s, byte %" PRIu64 ": %" PRIu64 ")", finding->object, finding->offset_bytes, access->value);
    if (spinners->wait)
        sentence_add(why, ", %" PRIu64 " wait%s at barriers", spinners->wait, spinners->wait == 1 ? "s" : "");
    sentence_add(why, "; memory has not changed and nobody else can run");
    if (schedule->next < schedule->total)
        sentence_add(why, ", for no more work-groups fit beside these %" PRIu32, schedule->count);
}

/* False: they read nothing that others could write, so they wait for nobody. */
static bool report(struct schedule *schedule)
{
    struct launch *launch = schedule->launch;
    struct finding finding = {.kind = FINDING_LIVELOCK, .kernel = launch->info.kernel};
    struct spinners spinners;
    struct heard heard[2];
    struct sentence why, object;
    spinners_count(schedule, &spinners);
    sentence_init(&why);
    sentence_init(&object);
    for (uint32_t i = 0; i < spinners.count; i++) {
        spinner_listen(spinners.group[i], spinners.index[i], &heard[i]);
        spinner_access(launch, spinners.group[i]->waves[spinners.index[i]].wave, &heard[i], &finding.access[i]);
    }
    if (spinners.count == 0 || !heard[0].known)
        return false;
    finding.access_count = spinners.count;
    launch->running = spinners.group[0];
    spinner_object(launch, &heard[0], &finding, &object);
    launch->running = NULL;
    say_why(&why, schedule, &spinners, &finding);
    finding.fix = "let the work-item that is waited for run first, or end the wait: cut the launch in two";
    finding.why = why.bytes;
    report_add(launch->report, &finding);
    return true;
}

/* ---- verdict ---------------------------------------------------------------------------- */

static void end_livelock(struct schedule *schedule)
{
    bool waits = !schedule->livelock.endless && report(schedule);
    schedule->livelock.endless = !waits;
    schedule->status = waits ? STATUS_NO_PROGRESS : STATUS_OK;
}

bool livelock_check(struct schedule *schedule, enum helper helper)
{
    if (schedule->status != STATUS_OK || schedule->livelock.endless || !circle_of_launch(schedule))
        return false;
    if (livelock_free_held(schedule, true))
        return false;
    if (helper == HELPER_NONE) {
        end_livelock(schedule);
        return false;
    }
    progress_wait(schedule, helper);
    return true;
}

void schedule_check_all_stuck(struct concurrent *concurrent)
{
    bool freed = false;
    if (!circle_of_all(concurrent))
        return;
    for (uint32_t i = 0; i < concurrent->count; i++)
        freed |= livelock_free_held(concurrent->live[i]->schedule, false);
    if (freed)
        return;
    for (uint32_t i = 0; i < concurrent->count; i++) {
        concurrent_focus(concurrent->live[i]);
        end_livelock(concurrent->live[i]->schedule);
    }
}
