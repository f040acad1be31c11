/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the source says about the two accesses of a question: are they of one line, one statement, one
 * operator, and which comes first? The columns of the debug information are those of operators.
 */
#include "explain_accesses.h"

bool accesses_in_one_group(const struct question *question, const struct race_instance *instance)
{
    return unit_group(question, instance->first.unit) == unit_group(question, instance->second.unit);
}

bool accesses_all_in_one_group(const struct question *question)
{
    for (uint32_t i = 0; i < question->instance_count; i++) {
        if (!accesses_in_one_group(question, &question->instances[i]))
            return false;
    }
    return true;
}

static bool is_one_place(const struct source_place *a, const struct source_place *b)
{
    return a->line == b->line && a->column == b->column &&
           (a->file == b->file || (a->file && b->file && strcmp(a->file, b->file) == 0));
}

/* Are the accesses in one function that was called at two places? What is one line there is two statements
 * of the kernel. */
static bool are_of_two_calls(const struct question *question)
{
    const struct checker_host *host = question->host;
    struct finding_access first = {.call_count = 0}, second = {.call_count = 0};
    if (!host->access)
        return false;
    host->access(host->self, question->instances->first.site, &first);
    host->access(host->self, question->instances->second.site, &second);
    bool same = first.call_count == second.call_count && is_one_place(&first.caller, &second.caller);
    for (uint32_t i = 0; same && i < first.call_count; i++)
        same = is_one_place(&first.calls[i], &second.calls[i]);
    return !same;
}

bool accesses_on_one_line(const struct question *question)
{
    const uint32_t first = question->instances->first.site, second = question->instances->second.site;
    return code_same_line(question->host, first, second) && !are_of_two_calls(question);
}

bool accesses_all_write(const struct question *question)
{
    return question->instances->first.writes && question->instances->second.writes;
}

bool accesses_have_text(const struct question *question)
{
    return code_source(question->host, question->instances->first.site).text &&
           code_source(question->host, question->instances->second.site).text;
}

/* How the two accesses stand in the code; false: unknown. */
bool accesses_code_order(const struct question *question, struct code_order *out_order)
{
    return ASK(question, order, question->instances->first.site, question->instances->second.site, out_order);
}

/* Is it one statement over several lines, which loads before it stores? */
bool accesses_read_then_write(const struct question *question)
{
    const struct race_instance *instance = question->instances;
    struct code_order order;
    return accesses_code_order(question, &order) && order.entwined &&
           !(order.first == 0 ? instance->first : instance->second).writes;
}

/* Are the accesses of one operator: one store, or the load and store of x++? */
bool accesses_of_one_operator(const struct question *question)
{
    const uint32_t first = question->instances->first.site, second = question->instances->second.site;
    return code_same_place(question->host, first, second) && !are_of_two_calls(question);
}

/* Two statements that each work-item executes, and that store to one place. Whatever comes between the two,
 * work-items make the first store at the same time, and the second. With atomics the place may be that of a
 * lock. */
bool accesses_are_stores_of_all(const struct question *question)
{
    const struct checker_host *host = question->host;
    const struct race_instance *instance = question->instances;
    if (!accesses_all_write(question) || instance->first.atomic || instance->second.atomic ||
        accesses_of_one_operator(question) || !host->same_for_all)
        return false;
    for (uint32_t i = 0; i < question->sync_log->count; i++)
        if (is_atomic(&question->sync_log->items[i]))
            return false;
    return !question->sync_log->full && host->same_for_all(host->self, instance->first.site) &&
           host->same_for_all(host->self, instance->second.site);
}

/* Does a semicolon stand between the two columns of the line, other than in the head of a for loop? */
bool accesses_statement_ends(const struct question *question, uint32_t a, uint32_t b)
{
    const struct source_place first = code_source(question->host, a), second = code_source(question->host, b);
    int depth = 0;
    bool ends = false;
    if (!first.text || !first.column || first.column >= second.column || strlen(first.text) < second.column)
        return false;
    for (const char *at = first.text; at < first.text + second.column - 1; at++) {
        depth += (*at == '(') - (*at == ')');
        ends |= *at == ';' && depth == 0 && at >= first.text + first.column - 1;
        ends &= depth >= 0; /* below 0: the head of a loop began on an earlier line */
        depth = depth < 0 ? 0 : depth;
    }
    return ends;
}

/* Are the accesses on one line, in two statements? */
bool accesses_in_two_statements(const struct question *question, const struct code_order *order)
{
    const uint32_t site[2] = {question->instances->first.site, question->instances->second.site};
    return accesses_on_one_line(question) &&
           accesses_statement_ends(question, site[order->first], site[!order->first]);
}

/* Can a barrier stand between two accesses of one line or statement? Not if the first is a load of the same
 * statement: that is read into a variable instead. */
bool accesses_in_line(const struct question *question, struct code_order *out_order)
{
    const struct race_instance *instance = question->instances;
    if (accesses_of_one_operator(question) || !accesses_code_order(question, out_order) ||
        !(accesses_on_one_line(question) || out_order->entwined))
        return false;
    return (out_order->first == 0 ? instance->first : instance->second).writes ||
           accesses_in_two_statements(question, out_order);
}
