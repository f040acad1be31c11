/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The possible origins of a reported value: the reads and variables that it derives from. Operands are
 * followed backwards through the kernel from each value of a report. A read is found again at run time,
 * where poison_trail.c chooses among the origins of a list. Two reads are never one source, even if they
 * are equal; a variable is one source however often it is reached.
 */
#include "orrery/checked.h"
#include "poison.h"

uint32_t poison_source_new(struct poisoning *p, const struct poison_source *source)
{
    *list_push(p->ir->arena, &p->ir->poison_sources) = *source;
    return p->ir->poison_sources.count - 1;
}

static uint32_t source_of(struct poisoning *p, uint32_t operation)
{
    return (uint32_t)(ir_value(p->ir, operation)->imm >> POISON_FROM_SHIFT);
}

/* Limits of the search for origins; beyond them no origin is reported. */
enum { FOLLOWED_MOST = 512, SOURCES_MOST = 16 };

struct following {
    struct poisoning *p;
    uint32_t *seen, mark;    /* seen[v] == mark: the value was visited for this question */
    uint32_t *source;        /* per undefined value: its source, if it has one */
    uint32_t *passed_source; /* the same of one that was passed on */
    uint32_t work[FOLLOWED_MOST], count, steps;
    uint32_t found[SOURCES_MOST], found_count;
    bool unknown;
    bool passed; /* a function of the group was followed: what comes now may be of another work-item */
};

static void follow(struct following *f, uint32_t v)
{
    if (!poison_companion(f->p, v) || f->seen[v] == f->mark)
        return;
    f->seen[v] = f->mark;
    f->unknown |= ++f->steps > FOLLOWED_MOST;
    if (!f->unknown)
        f->work[f->count++] = v;
}

static bool is_same_source(const struct poison_source *a, const struct poison_source *b)
{
    return a->origin == b->origin && a->site == b->site && a->variable == b->variable &&
           a->offset == b->offset && a->bytes == b->bytes && a->passed_on == b->passed_on;
}

static void find_source(struct following *f, uint32_t source)
{
    const struct poison_source *sources = f->p->ir->poison_sources.at;
    f->unknown |=
        f->passed && sources[source].origin == POISON_READ; /* the trail has reads of the own lane */
    for (uint32_t i = 0; i < f->found_count; i++)
        if (f->found[i] == source || (sources[source].origin != POISON_READ &&
                                      is_same_source(&sources[f->found[i]], &sources[source])))
            return;
    CHECKED(source > 0 && source < f->p->ir->poison_sources.count); /* 0: unknown */
    f->unknown |= f->found_count == SOURCES_MOST;
    if (!f->unknown)
        f->found[f->found_count++] = source;
}

/* Undefined values that promote.c did not make belong to no variable, so their origin is unknown. */
static void find_undefined(struct following *f, uint32_t v)
{
    struct ir *ir = f->p->ir;
    const struct value *value = ir_value(ir, v);
    f->unknown |= value->imm == 0;
    if (f->unknown)
        return;
    const struct private_variable *variable = &ir->private_variables.at[value->imm - 1];
    const struct poison_source source = {.origin = POISON_VARIABLE,
                                         .variable = (uint32_t)value->imm - 1,
                                         .offset = (uint32_t)value->offset,
                                         .bytes = scalar_bytes((enum scalar)value->type),
                                         .name = variable->name,
                                         .size = variable->size,
                                         .elements = variable->elements,
                                         .passed_on = f->passed};
    uint32_t *known = &(f->passed ? f->passed_source : f->source)[v];
    if (!*known)
        *known = poison_source_new(f->p, &source);
    find_source(f, *known);
}

static void follow_one(struct following *f, uint32_t v)
{
    struct ir *ir = f->p->ir;
    const struct value *value = ir_value(ir, v);
    const bool component = value->op == IR_extract && ir_value(ir, value->args[0])->op == IR_load;
    f->passed |= value->op == IR_collective;
    if (value->op == IR_undef || value->op == IR_stale)
        find_undefined(f, v);
    else if (component)
        find_source(f, source_of(f->p, f->p->from[value->args[0]] + (uint32_t)value->imm));
    else if (value->op == IR_load || value->op == IR_atomic)
        find_source(f, source_of(f->p, f->p->from[v]));
    else if (value->op == IR_image_read)
        find_source(f, (uint32_t)(value->imm >> POISON_FROM_SHIFT));
    else
        IR_OPERANDS(ir, v, slot)
    follow(f, *slot);
}

/* The index of the list of origins; 0: unknown. */
static uint32_t origins_of(struct following *f, const struct poison_question *question)
{
    struct ir *ir = f->p->ir;
    f->mark++;
    f->count = f->steps = f->found_count = 0;
    f->unknown = f->passed = false;
    for (uint32_t i = 0; i < question->count; i++)
        follow(f, f->p->operands.at[question->first + i]);
    while (f->count && !f->unknown)
        follow_one(f, f->work[--f->count]);
    if (f->unknown || !f->found_count)
        return 0;
    const uint32_t list = ir->poison_lists.count;
    CHECKED(f->found_count <= SOURCES_MOST);
    *list_push(ir->arena, &ir->poison_lists) = f->found_count;
    for (uint32_t i = 0; i < f->found_count; i++)
        *list_push(ir->arena, &ir->poison_lists) = f->found[i];
    return list;
}

/* The value that an atomic stores derives from the old value, or from its operand. */
static void origins_of_atomic(struct following *f, const struct poison_question *question)
{
    struct ir *ir = f->p->ir;
    const uint32_t source = (uint32_t)(ir_value(ir, question->operation)->imm >> POISON_FROM_SHIFT);
    const uint32_t operand = f->p->operands.at[question->first];
    const uint32_t list = poison_companion(f->p, operand) ? origins_of(f, question) : 0;
    if (poison_companion(f->p, operand) && !list)
        return;
    const uint32_t count = list ? ir->poison_lists.at[list] : 0, mine = ir->poison_lists.count;
    *list_push(ir->arena, &ir->poison_lists) = count + 1;
    *list_push(ir->arena, &ir->poison_lists) = source;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t other = ir->poison_lists.at[list + 1 + i];
        *list_push(ir->arena, &ir->poison_lists) = other;
    }
    ir->poison_sources.at[source].list = mine;
}

void poison_attach_origins(struct poisoning *p, uint32_t values)
{
    struct following *f = ARENA_NEW(p->ir->arena, struct following);
    f->p = p;
    f->seen = ARENA_ARRAY(p->ir->arena, uint32_t, values);
    f->source = ARENA_ARRAY(p->ir->arena, uint32_t, values);
    f->passed_source = ARENA_ARRAY(p->ir->arena, uint32_t, values);
    for (uint32_t i = 0; i < p->questions.count; i++) {
        const struct poison_question *question = &p->questions.at[i];
        struct value *operation = ir_value(p->ir, question->operation);
        CHECKED(question->first + question->count <= p->operands.count);
        if (operation->op == IR_poison_atomic)
            origins_of_atomic(f, question);
        else
            operation->imm |= (uint64_t)origins_of(f, question) << POISON_FROM_SHIFT;
    }
}
