/* SPDX-License-Identifier: Apache-2.0 */
/* Questions to a report: its findings one by one, and how many there are of which severity. */
#include "report_state.h"

static size_t list_count(const struct report *report, const struct report_list *list)
{
    pthread_mutex_lock(report_lock(report));
    size_t count = list->count;
    pthread_mutex_unlock(report_lock(report));
    return count;
}

static const struct finding *list_get(const struct report *report, const struct report_list *list,
                                      size_t index)
{
    pthread_mutex_lock(report_lock(report));
    const struct finding *finding = index < list->count ? &list->entries[index]->finding : NULL;
    pthread_mutex_unlock(report_lock(report));
    return finding;
}

size_t report_count(const struct report *report)
{
    return list_count(report, &report->found);
}

const struct finding *report_get(const struct report *report, size_t index)
{
    return list_get(report, &report->found, index);
}

size_t report_suppressed_count(const struct report *report)
{
    return list_count(report, &report->suppressed);
}

size_t report_accepted_count(const struct report *report)
{
    pthread_mutex_lock(report_lock(report));
    const size_t count = report->accepted;
    pthread_mutex_unlock(report_lock(report));
    return count;
}

const struct finding *report_suppressed_get(const struct report *report, size_t index)
{
    return list_get(report, &report->suppressed, index);
}

void report_miss(struct report *report, enum check check)
{
    pthread_mutex_lock(report_lock(report));
    report->lost[report->scenario->checks[check]]++;
    pthread_mutex_unlock(report_lock(report));
}

size_t report_total(const struct report *report, enum severity at_least)
{
    size_t total = 0;
    pthread_mutex_lock(report_lock(report));
    for (size_t i = 0; i < report->found.count; i++) {
        const struct finding *finding = &report->found.entries[i]->finding;
        total += finding->severity >= at_least ? (size_t)finding->count : 0;
    }
    for (enum severity severity = at_least; severity <= SEVERITY_ERROR; severity++)
        total += report->lost[severity];
    pthread_mutex_unlock(report_lock(report));
    return total;
}

/* Findings of every severity are marked as seen, so that a lower at_least does not bring back old ones. */
size_t report_take_new(struct report *report, enum severity at_least, FILE *stream)
{
    const bool wanted = at_least != SEVERITY_OFF;
    size_t count = 0;
    pthread_mutex_lock(&report->lock);
    for (size_t i = 0; i < report->found.count; i++) {
        struct report_entry *entry = report->found.entries[i];
        const bool is_new = entry->finding.count > entry->taken;
        entry->taken = entry->finding.count;
        if (!is_new || !wanted || entry->finding.severity < at_least)
            continue;
        count++;
        if (stream)
            report_print_finding(stream, &entry->finding, false);
    }
    for (enum severity severity = SEVERITY_WARNING; severity <= SEVERITY_ERROR; severity++) {
        if (wanted && severity >= at_least)
            count += report->lost[severity] - report->lost_taken[severity];
        report->lost_taken[severity] = report->lost[severity];
    }
    pthread_mutex_unlock(&report->lock);
    return count;
}

uint64_t report_add_count(const struct report *report)
{
    pthread_mutex_lock(report_lock(report));
    const uint64_t add_count = report->add_count;
    pthread_mutex_unlock(report_lock(report));
    return add_count;
}

bool report_at_least(const struct report *report)
{
    bool at_least = false;
    pthread_mutex_lock(report_lock(report));
    for (int kind = 0; kind < FINDING_KIND_COUNT; kind++)
        at_least |= report->incomplete[kind];
    pthread_mutex_unlock(report_lock(report));
    return at_least;
}

size_t report_distinct(const struct report *report, enum severity severity)
{
    pthread_mutex_lock(report_lock(report));
    size_t count = report->lost[severity];
    for (size_t i = 0; i < report->found.count; i++)
        count += report->found.entries[i]->finding.severity == severity;
    pthread_mutex_unlock(report_lock(report));
    return count;
}
