/* SPDX-License-Identifier: Apache-2.0 */
/* Memory scopes and memory semantics that are not constant. SPIR-V forbids them only to shaders (SPIR-V
 * 1.6, 3.32.20 barriers, 3.32.21 atomic instructions). They become a switch over the possible values; each
 * case has the instruction with that value as a constant. An invalid order counts as the strongest, an
 * invalid scope as a constant invalid scope would. */
#include "lower.h"

struct operand_domain {
    uint32_t mask; /* the bits of the operand that encode the value */
    uint32_t count;
    uint32_t values[8]; /* the first also stands for all values that are not listed */
};
static const struct operand_domain scopes = {
    UINT32_MAX,
    5,
    {SpvScopeDevice, SpvScopeCrossDevice, SpvScopeWorkgroup, SpvScopeSubgroup, SpvScopeInvocation}};
static const struct operand_domain orders = {0x1e, 5, {0x10, 0, 0x2, 0x4, 0x8}};
static const struct operand_domain flags = {0xb00, 8, {0, 0x100, 0x200, 0x300, 0x800, 0x900, 0xa00, 0xb00}};

struct operand_choice {
    uint32_t id;
    const struct operand_domain *domain;
    uint32_t bits;
    const struct operand_choice *outer;
};

struct varying {
    uint32_t id;
    const struct operand_domain *domain;
};

extern void SpvHasResultAndType(SpvOp opcode, bool *has_result, bool *has_type);

static bool has_result(const struct lower *l, uint32_t word)
{
    bool result, type;
    SpvHasResultAndType(spv_opcode(l->m, word), &result, &type);
    return result;
}

static const struct operand_choice *choice_of(const struct lower *l, const struct varying *operand)
{
    const struct operand_choice *choice = l->choices;
    while (choice && (choice->id != operand->id || choice->domain != operand->domain))
        choice = choice->outer;
    return choice;
}

static bool is_settled(struct lower *l, const struct varying *operand)
{
    return ir_is_const(l->ir, lower_scalar(l, operand->id), &(uint64_t){0}) || choice_of(l, operand);
}

static uint32_t bits_of(struct lower *l, const struct varying *operand)
{
    const struct operand_choice *choice = choice_of(l, operand);
    return choice ? choice->bits : lower_constant_bits(l, operand->id) & operand->domain->mask;
}

enum memory_scope lower_memory_scope(struct lower *l, uint32_t id)
{
    return lower_scope(bits_of(l, &(struct varying){id, &scopes}));
}

uint32_t lower_order_bits(struct lower *l, uint32_t id)
{
    return bits_of(l, &(struct varying){id, &orders});
}

uint32_t lower_flag_bits(struct lower *l, uint32_t id)
{
    return bits_of(l, &(struct varying){id, &flags});
}

static void each(struct lower *l, uint32_t word, const struct varying *operand, uint32_t count,
                 lowering *one);

/* The results of the instruction in the cases so far. */
struct choice_results {
    uint32_t values[8], blocks[8], count;
};

static uint32_t join(struct lower *l, const struct choice_results *results)
{
    const uint32_t v = ir_new_value(l->ir, IR_phi, lower_type(l, results->values[0]));
    ir_append(l->ir, l->block, v);
    struct value *phi = ir_value(l->ir, v);
    phi->list_count = results->count;
    phi->list = ARENA_ARRAY(l->arena, uint32_t, results->count * 2);
    for (uint32_t i = 0; i < results->count; i++) {
        phi->list[i] = results->values[i];
        phi->list[results->count + i] = results->blocks[i];
    }
    return v;
}

static void split(struct lower *l, uint32_t word, const struct varying *operand, uint32_t count,
                  lowering *one)
{
    const struct operand_domain *domain = operand->domain;
    const uint32_t result = has_result(l, word) ? l->m->words[word + 2] : 0,
                   value = lower_scalar(l, operand->id);
    const enum scalar type = lower_type(l, value);
    const uint32_t selector =
        domain->mask == UINT32_MAX
            ? value
            : lower_emit(l, IR_and, type, value, ir_const(l->ir, type, domain->mask), NONE, 0);
    uint32_t blocks[8], joined = ir_new_block(l->ir);
    uint64_t *cases = ARENA_ARRAY(l->arena, uint64_t, domain->count);
    struct choice_results results = {.count = domain->count};
    for (uint32_t i = 0; i < domain->count; i++) {
        blocks[i] = ir_new_block(l->ir);
        if (i)
            cases[i - 1] = domain->values[i];
    }
    lower_switch_to(l, selector, blocks, cases, domain->count);
    for (uint32_t i = 0; i < domain->count; i++) {
        const struct operand_choice choice = {operand->id, domain, domain->values[i], l->choices};
        l->choices = &choice;
        l->block = blocks[i];
        each(l, word, operand + 1, count - 1, one);
        results.values[i] = result ? lower_scalar(l, result) : NONE;
        results.blocks[i] = l->block;
        lower_jump(l, joined);
        l->choices = choice.outer;
    }
    l->block = joined;
    if (result)
        lower_set(l, result, (uint32_t[]){join(l, &results)}, 1);
}

static void each(struct lower *l, uint32_t word, const struct varying *operand, uint32_t count, lowering *one)
{
    while (count && is_settled(l, operand))
        operand++, count--;
    if (count)
        split(l, word, operand, count, one);
    else
        one(l, word);
}

void lower_atomic_op(struct lower *l, uint32_t word)
{
    const uint32_t *w = &l->m->words[word], op = spv_opcode(l->m, word);
    const bool exchange = op == SpvOpAtomicCompareExchange || op == SpvOpAtomicCompareExchangeWeak;
    w += has_result(l, word) ? 4 : 2;
    each(l, word, (struct varying[]){{w[0], &scopes}, {w[1], &orders}, {exchange ? w[2] : w[1], &orders}}, 3,
         lower_one_atomic);
    if (op == SpvOpAtomicCompareExchangeWeak && l->refused)
        l->refused[w[-2]] = (struct refusal){w[4], lower_effect(l, IR_refused, T_BOOL, 0)};
}

/* SPIR-V's compare-exchange returns only the old value. The translator compares that with the expected
 * value to find out whether the exchange succeeded. A spurious failure would count as a success, so its
 * flag is added to the condition. */
uint32_t lower_succeeded(struct lower *l, uint32_t word, uint32_t equal)
{
    const uint32_t *w = &l->m->words[word];
    for (uint32_t k = 3; l->refused && k <= 4; k++) {
        const struct refusal *found = &l->refused[w[k]];
        if (found->refused && found->comparator == w[7 - k])
            return lower_emit(l, IR_mand, T_BOOL, equal,
                              lower_emit(l, IR_mnot, T_BOOL, found->refused, NONE, NONE, 0), NONE, 0);
    }
    return equal;
}

void lower_ordering(struct lower *l, uint32_t word, uint32_t scope, uint32_t semantics, lowering *one)
{
    each(l, word, (struct varying[]){{scope, &scopes}, {semantics, &orders}, {semantics, &flags}}, 3, one);
}
