/* SPDX-License-Identifier: Apache-2.0 */
/* How the threads access each location, by their text alone: an upper bound for races. */
#include "litmus_test.h"

struct survey {
    struct litmus *test;
    uint32_t thread;
};

static struct location *location_of(const struct survey *survey, const struct expression *pointer)
{
    while (pointer->kind != EXPRESSION_PARAMETER)
        pointer = pointer->operand[0];
    return &survey->test
                ->locations[survey->test->threads[survey->thread].parameters[pointer->index].location];
}

static void note_plain(const struct survey *survey, const struct expression *pointer)
{
    location_of(survey, pointer)->plain |= 1u << survey->thread;
}

static void survey_expression(const struct survey *survey, const struct expression *expression);

static void survey_call(const struct survey *survey, const struct expression *call)
{
    const struct expression *expected = atomic_call_operands[call->call] == 3 ? call->operand[1] : NULL;
    location_of(survey, call->operand[0])->scopes |= 1u << call->scope;
    if (expected &&
        !(expected->kind == EXPRESSION_ADDRESS_OF && expected->operand[0]->kind == EXPRESSION_REGISTER))
        note_plain(survey, expected);
}

static void survey_expression(const struct survey *survey, const struct expression *expression)
{
    if (!expression)
        return;
    /* an element: its address is computed, not accessed */
    if (expression->kind == EXPRESSION_ADDRESS_OF) {
        survey_expression(survey, expression->operand[0]->operand[1]);
        return;
    }
    if (expression->kind == EXPRESSION_DEREFERENCE || expression->kind == EXPRESSION_INDEX)
        note_plain(survey, expression->operand[0]);
    else if (expression->kind == EXPRESSION_ATOMIC)
        survey_call(survey, expression);
    for (uint32_t i = 0; i < 3; i++)
        survey_expression(survey, expression->operand[i]);
}

static void survey_statements(const struct survey *survey, const struct litmus_statement *first)
{
    for (const struct litmus_statement *statement = first; statement; statement = statement->next) {
        survey_expression(survey, statement->to);
        survey_expression(survey, statement->value);
        survey_statements(survey, statement->body);
        survey_statements(survey, statement->otherwise);
    }
}

void litmus_survey(struct litmus *test)
{
    for (uint32_t i = 0; i < test->thread_count; i++)
        survey_statements(&(struct survey){test, i}, test->threads[i].body);
}

/* ---- what races at most ---------------------------------------------------------------------- */

/* Every thread is in the set. */
static bool holds_all(const struct litmus *test, enum memory_scope scope)
{
    for (uint32_t i = 1; i < test->thread_count; i++) {
        const struct thread *a = &test->threads[0], *b = &test->threads[i];
        if (scope != SCOPE_ALL_SVM && a->device != b->device)
            return false;
        if (scope < SCOPE_DEVICE && a->group != b->group)
            return false;
    }
    return scope != SCOPE_WORK_ITEM;
}

bool litmus_atomics_may_race(const struct litmus *test, const struct location *location, uint32_t thread)
{
    if (location->plain & ~(1u << thread))
        return true;
    for (enum memory_scope scope = SCOPE_WORK_ITEM; scope <= SCOPE_ALL_SVM; scope++)
        if (location->scopes & 1u << scope)
            return location->scopes != 1u << scope || !holds_all(test, scope);
    return false;
}
