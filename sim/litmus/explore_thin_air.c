/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Candidates that no order executes (candidate_is_executable): where values may have no cause, and where a
 * read ends past a barrier that does not order it. The value of each read is guessed, then a store of it is
 * searched.
 *
 * Possible guesses: the initial values, the values in the clause, and the values that stores compute from
 * these. A value of some execution derives from one of the first two through a chain of stores of which each
 * is another one. So after as many rounds as an execution has stores, further values are of none.
 *
 * Most tests have no such candidate, and their text (text_allows_cycle) or the paths of their threads
 * (some_cycle_possible) show it: then none is built.
 */
#include <stdlib.h>
#include <string.h>

#include "orders.h"

enum { VALUES_MOST = 128, ROUNDS_WHEN_CUT = 4, TRACES_MOST = 1 << 16 };

/* The possible values of a cell; reads of this round use the first `read` of them. */
struct value_domain {
    uint32_t count, read;
    int32_t value[VALUES_MOST];
};

struct thread_trace {
    struct litmus_event *events;
    uint32_t count;
    struct step *end;
};
struct traces {
    struct thread_trace *items;
    uint32_t count, room;
};

struct thin_air_search {
    struct unfold *unfold;
    uint32_t threads;
    bool thin_air;        /* values may have no cause */
    bool judges_thin_air; /* executions that have values without a cause are refused */
    bool cut;
    enum status status;
    struct value_domain domain[CELLS_MOST];
    bool grown; /* some domain got a new value in this round */
    struct traces traces[THREADS_MOST];
    struct litmus_event path[EVENTS_MOST];
    const struct thread_trace *chosen[THREADS_MOST];
    struct orders orders;
};

static bool going(const struct thin_air_search *search)
{
    return search->status == STATUS_OK && !search->orders.stopped;
}

/* Gives up for another reason than the bound: not all executions are explored. */
static void give_up(struct thin_air_search *search)
{
    search->unfold->gave_up = search->orders.stopped = true;
}

/* ---- values -------------------------------------------------------------------------------- */

static void domain_add(struct thin_air_search *search, uint32_t cell, int32_t value)
{
    struct value_domain *domain = &search->domain[cell];
    for (uint32_t i = 0; i < domain->count; i++)
        if (domain->value[i] == value)
            return;
    if (domain->count == VALUES_MOST) {
        give_up(search);
        return;
    }
    domain->value[domain->count++] = value;
    search->grown = true;
}

/* A value out of thin air may be any value in the clause. */
static void add_wanted(struct thin_air_search *search, const struct condition *condition)
{
    if (!condition)
        return;
    if (condition->kind == CONDITION_EQUAL && !condition->to_address)
        for (uint32_t i = 0; i < search->unfold->test->cell_count; i++)
            domain_add(search, i, (int32_t)condition->value);
    add_wanted(search, condition->operand[0]);
    add_wanted(search, condition->operand[1]);
}

static void domains_init(struct thin_air_search *search)
{
    const struct litmus *test = search->unfold->test;
    for (uint32_t i = 0; i < test->location_count; i++)
        for (uint32_t k = 0; k < test->locations[i].cells; k++)
            domain_add(search, test->locations[i].first_cell + k, test->locations[i].initial[k]);
    if (search->thin_air)
        add_wanted(search, test->condition);
}

/* ---- paths of one thread ---------------------------------------------------------------------- */

static void fail(struct thin_air_search *search)
{
    search->status = search->unfold->status != STATUS_OK ? search->unfold->status : STATUS_OUT_OF_MEMORY;
}

static void keep_trace(struct thin_air_search *search, struct step *end)
{
    struct traces *traces = &search->traces[end->thread];
    if (traces->count == TRACES_MOST) {
        give_up(search);
        return;
    }
    if (traces->count == traces->room) {
        uint32_t room = traces->room ? traces->room * 2 : 16;
        struct thread_trace *items = realloc(traces->items, room * sizeof *items);
        if (!items) {
            fail(search);
            return;
        }
        traces->items = items;
        traces->room = room;
    }
    struct litmus_event *events = malloc((end->depth + 1) * sizeof *events);
    if (!events) {
        fail(search);
        return;
    }
    memcpy(events, search->path, end->depth * sizeof *events);
    traces->items[traces->count++] = (struct thread_trace){events, end->depth, end};
}

static void follow(struct thin_air_search *search, struct step *step);

static void follow_value(struct thin_air_search *search, struct step *step, struct reading read)
{
    search->path[step->depth] = (struct litmus_event){.step = step, .read = read};
    if (step_is_access(step) && step_writes(step, read))
        domain_add(search, step->cell, step_stored(step, read));
    struct step *next = unfold_next(search->unfold, step, read);
    if (next)
        follow(search, next);
    else
        fail(search);
}

/*
 * A spinning thread is not followed: its result is the same without the iterations that changed nothing,
 * except for races.
 */
static void follow(struct thin_air_search *search, struct step *step)
{
    search->orders.stopped |= !unfold_spend(search->unfold, 1);
    if (step->kind == STEP_END) {
        keep_trace(search, step);
    } else if (step->kind == STEP_CUT || step->depth == EVENTS_MOST) {
        search->cut = true;
    } else if (step_reads(step)) {
        bool continues = !step->again || unfold_follows(search->unfold, step);
        for (uint32_t i = 0; continues && going(search) && i < search->domain[step->cell].read; i++) {
            const int32_t value = search->domain[step->cell].value[i];
            follow_value(search, step, (struct reading){value, false});
            if (step_may_refuse(step, value) && going(search))
                follow_value(search, step, (struct reading){value, true});
        }
    } else {
        follow_value(search, step, (struct reading){0, false});
    }
}

static void forget_traces(struct thin_air_search *search)
{
    for (uint32_t i = 0; i < search->threads; i++) {
        for (uint32_t k = 0; k < search->traces[i].count; k++)
            free(search->traces[i].items[k].events);
        search->traces[i].count = 0;
    }
}

static uint32_t count_stores(const struct thread_trace *trace)
{
    uint32_t stores = 0;
    for (uint32_t i = 0; i < trace->count; i++)
        stores += step_is_access(trace->events[i].step) &&
                  step_writes(trace->events[i].step, trace->events[i].read);
    return stores;
}

/* Stores of all threads together in one execution. */
static uint32_t most_stores(const struct thin_air_search *search)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < search->threads; i++) {
        uint32_t most = 0;
        for (uint32_t k = 0; k < search->traces[i].count; k++) {
            const uint32_t stores = count_stores(&search->traces[i].items[k]);
            most = stores > most ? stores : most;
        }
        sum += most;
    }
    return sum;
}

/*
 * A value that one thread stores another may read: repeated until no execution has a new value. If the bound
 * leaves some out anyway, a few rounds suffice.
 */
static void find_traces(struct thin_air_search *search)
{
    uint32_t round = 0;
    for (search->grown = true; search->grown && going(search); round++) {
        if (round > (search->cut ? ROUNDS_WHEN_CUT - 1 : most_stores(search)))
            return;
        search->grown = false;
        for (uint32_t i = 0; i < CELLS_MOST; i++)
            search->domain[i].read = search->domain[i].count;
        forget_traces(search);
        for (uint32_t i = 0; i < search->threads && going(search); i++) {
            struct step *first = unfold_first(search->unfold, i);
            if (first)
                follow(search, first);
            else
                fail(search);
        }
    }
}

/* ---- is there a candidate at all? ----------------------------------------------------------------- */

static bool is_barrier(const struct litmus_event *event)
{
    return event->step->kind == STEP_BARRIER;
}

/* The regions of accesses that may move past the barrier. */
static uint32_t regions_left(const struct step *barrier)
{
    return (REGION_GLOBAL | REGION_LOCAL) & ~barrier->regions;
}

/* A read that is followed in its thread by a barrier that does not order it. */
static bool reads_past_barrier(const struct thread_trace *trace)
{
    uint32_t read = 0;
    for (uint32_t i = 0; i < trace->count; i++) {
        if (is_barrier(&trace->events[i]) && regions_left(trace->events[i].step) & read)
            return true;
        if (step_is_access(trace->events[i].step) && step_reads(trace->events[i].step))
            read |= trace->events[i].step->regions;
    }
    return false;
}

/* Bits: threads that read the first cell and store to the second one later. */
struct edges {
    uint16_t threads[CELLS_MOST][CELLS_MOST];
};

static void add_edges(struct edges *edges, const struct thread_trace *trace, uint32_t thread)
{
    for (uint32_t i = 0; i < trace->count; i++)
        for (uint32_t k = i + 1; k < trace->count; k++) {
            const struct litmus_event *from = &trace->events[i], *to = &trace->events[k];
            const bool is_load = step_is_access(from->step) && step_reads(from->step);
            const bool is_store = step_is_access(to->step) && step_writes(to->step, to->read);
            if (is_load && is_store && from->step->cell != to->step->cell)
                edges->threads[from->step->cell][to->step->cell] |= (uint16_t)(1u << thread);
        }
}

static void close_edges(const struct edges *edges, uint64_t reach[CELLS_MOST])
{
    for (uint32_t i = 0; i < CELLS_MOST; i++)
        for (uint32_t k = 0; k < CELLS_MOST; k++)
            reach[i] |= (uint64_t)(edges->threads[i][k] != 0) << k;
    for (uint32_t k = 0; k < CELLS_MOST; k++)
        for (uint32_t i = 0; i < CELLS_MOST; i++)
            if (reach[i] >> k & 1)
                reach[i] |= reach[k];
}

/* A cycle of program order and reading goes, cell after cell, along a read and a later store of one thread.
 * Within a cell no such step leads back, since accesses that are ordered stand in modification order; and one
 * thread alone only goes ahead. So it takes two cells that reach each other, by steps of two threads. */
static bool has_cell_cycle(const struct edges *edges)
{
    uint64_t reach[CELLS_MOST] = {0};
    close_edges(edges, reach);
    for (uint32_t cell = 0; cell < CELLS_MOST; cell++) {
        uint16_t threads = 0;
        for (uint32_t i = 0; i < CELLS_MOST; i++)
            for (uint32_t k = 0; k < CELLS_MOST; k++)
                if (reach[cell] >> i & 1 && reach[k] >> cell & 1)
                    threads |= edges->threads[i][k];
        if (threads & (threads - 1))
            return true;
    }
    return false;
}

static bool some_cycle_possible(const struct thin_air_search *search)
{
    struct edges edges = {{{0}}};
    for (uint32_t i = 0; i < search->threads; i++)
        for (uint32_t k = 0; k < search->traces[i].count; k++) {
            if (reads_past_barrier(&search->traces[i].items[k]))
                return true;
            if (search->thin_air)
                add_edges(&edges, &search->traces[i].items[k], i);
        }
    return has_cell_cycle(&edges);
}

/* ---- is there one, by the text alone? -------------------------------------------------------------- */

/* A thread's text, read from its beginning to its end: both ways of a branch one after the other, loops
 * twice, and what one statement does in no order. So whatever a path reads before it stores, the text
 * does, too. */
struct reading_text {
    const struct litmus *test;
    const struct thread *thread;
    uint32_t number;
    uint64_t read, now_read, now_written; /* cells read before this statement; read and written by it */
    struct edges *edges;
    bool past_barrier;
};

/* All cells of the location that the pointer is into. */
static uint64_t cells_of(const struct reading_text *text, const struct expression *pointer)
{
    while (pointer->kind != EXPRESSION_PARAMETER)
        pointer = pointer->operand[0];
    const struct location *location =
        &text->test->locations[text->thread->parameters[pointer->index].location];
    uint64_t cells = 0;
    for (uint32_t i = 0; i < location->cells && location->first_cell + i < CELLS_MOST; i++)
        cells |= UINT64_C(1) << (location->first_cell + i);
    return cells;
}

static void read_text_expression(struct reading_text *text, const struct expression *expression);

static void read_text_call(struct reading_text *text, const struct expression *call)
{
    const struct expression *expected = atomic_call_operands[call->call] == 3 ? call->operand[1] : NULL;
    const uint64_t cells = cells_of(text, call->operand[0]);
    if (call->call != CALL_atomic_store)
        text->now_read |= cells;
    if (call->call != CALL_atomic_load)
        text->now_written |= cells;
    if (!expected ||
        (expected->kind == EXPRESSION_ADDRESS_OF && expected->operand[0]->kind == EXPRESSION_REGISTER))
        return;
    text->now_read |= cells_of(text, expected);
    text->now_written |= cells_of(text, expected);
}

static void read_text_expression(struct reading_text *text, const struct expression *expression)
{
    if (!expression)
        return;
    if (expression->kind == EXPRESSION_ADDRESS_OF) {
        read_text_expression(text, expression->operand[0]->operand[1]);
        return;
    }
    if (expression->kind == EXPRESSION_DEREFERENCE || expression->kind == EXPRESSION_INDEX)
        text->now_read |= cells_of(text, expression->operand[0]);
    else if (expression->kind == EXPRESSION_ATOMIC)
        read_text_call(text, expression);
    for (uint32_t i = 0; i < 3; i++)
        read_text_expression(text, expression->operand[i]);
}

static void end_statement(struct reading_text *text)
{
    text->read |= text->now_read;
    for (uint32_t from = 0; from < CELLS_MOST; from++)
        for (uint32_t to = 0; to < CELLS_MOST; to++)
            if (from != to && text->read >> from & 1 && text->now_written >> to & 1)
                text->edges->threads[from][to] |= (uint16_t)(1u << text->number);
    text->now_read = text->now_written = 0;
}

static void read_text_statements(struct reading_text *text, const struct litmus_statement *first)
{
    for (const struct litmus_statement *statement = first; statement; statement = statement->next) {
        const bool loops = statement->kind == STATEMENT_WHILE || statement->kind == STATEMENT_DO;
        for (int lap = 0; lap < (loops ? 2 : 1); lap++) {
            read_text_expression(text, statement->to);
            read_text_expression(text, statement->value);
            if (statement->kind == STATEMENT_STORE)
                text->now_written |= cells_of(text, statement->to);
            if (statement->kind == STATEMENT_BARRIER && text->read &&
                (statement->flags & (REGION_GLOBAL | REGION_LOCAL)) != (REGION_GLOBAL | REGION_LOCAL))
                text->past_barrier = true;
            end_statement(text);
            read_text_statements(text, statement->body);
            read_text_statements(text, statement->otherwise);
        }
    }
}

/* Values are ignored here: updates compute new ones without end. */
static bool text_allows_cycle(const struct thin_air_search *search)
{
    struct edges edges = {{{0}}};
    const struct litmus *test = search->unfold->test;
    bool past_barrier = false;
    for (uint32_t i = 0; i < test->thread_count; i++) {
        struct reading_text text = {.test = test, .thread = &test->threads[i], .number = i, .edges = &edges};
        read_text_statements(&text, test->threads[i].body);
        past_barrier |= text.past_barrier;
    }
    return past_barrier || (search->thin_air && has_cell_cycle(&edges));
}

/* ---- the events of one choice of paths ------------------------------------------------------------ */

static uint32_t barrier_instance(const struct thread_trace *trace, uint32_t at)
{
    uint32_t instance = 0;
    for (uint32_t i = 0; i < at; i++)
        instance += trace->events[i].step->kind == STEP_BARRIER;
    return instance;
}

/* The label of the n-th barrier, or UINT32_MAX. */
static uint32_t barrier_label(const struct thread_trace *trace, uint32_t number)
{
    for (uint32_t i = 0; i < trace->count; i++)
        if (trace->events[i].step->kind == STEP_BARRIER && number-- == 0)
            return trace->events[i].step->label;
    return UINT32_MAX;
}

static bool same_barriers(const struct thread_trace *a, const struct thread_trace *b)
{
    for (uint32_t number = 0;; number++) {
        uint32_t label = barrier_label(a, number);
        if (label != barrier_label(b, number))
            return false;
        if (label == UINT32_MAX)
            return true;
    }
}

/* All threads of a group reach the same barriers, or none of them passes. */
static bool barriers_match(const struct thin_air_search *search)
{
    const uint32_t *group = search->unfold->places.group;
    for (uint32_t i = 0; i < search->threads; i++)
        for (uint32_t k = i + 1; k < search->threads; k++)
            if (group[i] == group[k] && !same_barriers(search->chosen[i], search->chosen[k]))
                return false;
    return true;
}

static bool build_candidate(struct thin_air_search *search)
{
    struct candidate *candidate = &search->orders.candidate;
    candidate_init(candidate, search->unfold, search->judges_thin_air);
    for (uint32_t i = 0; i < search->threads; i++) {
        search->orders.last[i] = search->chosen[i]->end;
        for (uint32_t k = 0; k < search->chosen[i]->count; k++)
            if (!candidate_add(candidate, search->chosen[i]->events[k].step,
                               search->chosen[i]->events[k].read, barrier_instance(search->chosen[i], k)))
                return false;
    }
    candidate_link(candidate);
    orders_list_stores(&search->orders);
    return true;
}

/* ---- stores for reads ---------------------------------------------------------------------------------- */

/* Each value that is read is stored by some store; two updates never read the same store. */
static bool reads_have_stores(const struct orders *orders)
{
    const struct candidate *candidate = &orders->candidate;
    for (uint32_t i = 0; i < candidate->count; i++) {
        const struct candidate_event *read = &candidate->event[i];
        uint32_t stores = 0, updates = 0;
        for (uint32_t k = 0; read->is_read && k < candidate->count; k++) {
            const struct candidate_event *other = &candidate->event[k];
            const bool same = other->cell == read->cell && (other->is_read || other->is_write);
            stores += same && other->is_write && k != i && other->stored == read->read;
            updates += same && other->is_write && other->is_read && other->read == read->read;
        }
        if (read->is_read && (!stores || (read->is_write && updates > stores + (read->stored == read->read))))
            return false;
    }
    return true;
}

static void choose_stores(struct thin_air_search *search, uint32_t event)
{
    struct orders *orders = &search->orders;
    struct candidate *candidate = &orders->candidate;
    while (event < candidate->count && !candidate->event[event].is_read)
        event++;
    orders->stopped |= !unfold_spend(search->unfold, 1);
    if (event == candidate->count) {
        if (!candidate_is_executable(candidate))
            orders_visit(orders);
        return;
    }
    uint32_t cell = candidate->event[event].cell;
    for (uint32_t i = 0; i < orders->store_count[cell] && going(search); i++) {
        uint32_t store = orders->stores[cell][i];
        if (store == event || candidate->event[store].stored != candidate->event[event].read)
            continue;
        candidate->reads_from[event] = store;
        choose_stores(search, event + 1);
    }
}

static void choose_traces(struct thin_air_search *search, uint32_t thread)
{
    search->orders.stopped |= !unfold_spend(search->unfold, 1);
    if (thread < search->threads) {
        for (uint32_t i = 0; i < search->traces[thread].count && going(search); i++) {
            search->chosen[thread] = &search->traces[thread].items[i];
            choose_traces(search, thread + 1);
        }
        return;
    }
    if (!barriers_match(search))
        return;
    if (!build_candidate(search))
        search->cut = true;
    else if (reads_have_stores(&search->orders))
        choose_stores(search, 0);
}

enum status explore_thin_air(struct unfold *unfold, bool thin_air, bool *out_cut, execution_visit *visit,
                             void *self)
{
    struct thin_air_search *search = calloc(1, sizeof *search);
    if (!search)
        return STATUS_OUT_OF_MEMORY;
    search->unfold = unfold;
    search->threads = unfold->test->thread_count;
    search->thin_air = thin_air || unfold->explains;
    search->judges_thin_air = thin_air;
    search->orders.unfold = unfold;
    search->orders.visit = visit;
    search->orders.self = self;
    unfold->spinners_stay = true;
    if (unfold->explains || text_allows_cycle(search)) {
        domains_init(search);
        find_traces(search);
        if (going(search) && (unfold->explains || some_cycle_possible(search)))
            choose_traces(search, 0);
    }
    enum status status = search->status;
    *out_cut |= search->cut;
    forget_traces(search);
    for (uint32_t i = 0; i < search->threads; i++)
        free(search->traces[i].items);
    free(search);
    return status;
}
