/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One pass over the module finds variables that are work-item ids, vectors that were loaded from them, and
 * functions. Each function keeps which components it takes from such vectors, which tile it accesses, and
 * which functions it calls; a kernel has what the functions that it reaches have.
 *
 * Each value has what it was computed from: work-item ids, and which arguments of the kernel. A variable has
 * what all of its stores have, a parameter what all calls give it. Passes are repeated until none adds
 * anything.
 */
#include "kernel_shape.h"

#include <spirv/unified1/spirv.h>
#include <stdlib.h>
#include <string.h>

enum {
    HEADER_WORDS = 5,
    DIMENSIONS = 3,
    IDS_MOST = 1 << 22,
    ARGUMENTS_MOST = 32,
    ALL_DIMENSIONS = 7,
    ITEMS_LEAST = 8,
    ITEMS_MOST = 1024,
    BORDER_MOST = 8
};

enum { ID_GLOBAL = 1, ID_LOCAL = 2, ID_GROUP = 4 };

struct fact {
    uint32_t element, length; /* of an array, or of what a pointer to local memory points to */
    uint32_t constant;
    uint32_t tile, items;     /* of a variable: the tile; the elements of a flat array */
    uint8_t is_id;            /* a built-in variable of work-item ids, or a vector of them */
    uint8_t read;             /* of a function: bit d is dimension d */
    uint8_t reached;          /* of a function: the kernel calls it */
    uint32_t in_tile;         /* of a function: the tile that it accesses */
    uint32_t in_array;        /* of a function: the elements of a flat array that it accesses */
    uint32_t read_from;       /* arguments of the kernel: a value was computed from what their memory has */
    bool of_memory;           /* a type of pointers to global memory, or a pointer of one */
    bool is_constant, beside; /* beside: a sum with the constant 1 */
    uint32_t from;    /* arguments of the kernel: a value was computed from them; of a function: its result */
    uint8_t from_id;  /* likewise work-item ids: bit d is dimension d */
    size_t at;        /* of a function: the word with which it begins */
    bool of_items;    /* of a function: it reads local ids */
    bool of_groups;   /* a built-in variable that differs between work-groups; of a function: it reads one */
    uint32_t product; /* arguments that were multiplied with each other */
    uint32_t divided_by; /* of an id: arguments */
    /* Computed from: a size of the launch; an id that was subtracted from an argument; kinds of ids. For
     * built-in variables, the first and last say what they are. */
    bool from_size, remaining;
    uint8_t id_kinds;
    bool is_argument;        /* nothing was done with it but a conversion */
    uint32_t stores;         /* of a variable */
    uint32_t border;         /* a small constant that was added to an argument */
    bool of_loop;            /* it was computed from what differs between iterations */
    bool plus_size, strided; /* an id to which a size of the launch was added; by each iteration of a loop */
};

struct shape_search {
    const uint32_t *words;
    size_t count;
    struct fact *facts;
    uint32_t bound, function, kernel;
    /* Arguments whose elements are, or are parts of, something that is compared, or an index; that are read
     * at [i + 1]; that have elements beside the first; that are written. */
    uint32_t compared, indices, beside, elements, written;
    uint32_t tests_launch; /* arguments that limit global ids, or sums of those of work-groups and others */
    uint32_t arguments;    /* of the kernel, so far */
    struct kernel_shape shape;
    const char *name;
};

static struct fact *fact_of(const struct shape_search *s, uint32_t id)
{
    return &s->facts[id < s->bound ? id : 0];
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static bool is_work_item_id(uint32_t built_in)
{
    return built_in == SpvBuiltInGlobalInvocationId || built_in == SpvBuiltInLocalInvocationId ||
           built_in == SpvBuiltInWorkgroupId;
}

static uint8_t id_kind(uint32_t built_in)
{
    return built_in == SpvBuiltInGlobalInvocationId  ? ID_GLOBAL
           : built_in == SpvBuiltInLocalInvocationId ? ID_LOCAL
           : built_in == SpvBuiltInWorkgroupId       ? ID_GROUP
                                                     : 0;
}

static bool differs_between_groups(uint32_t built_in)
{
    switch (built_in) {
    case SpvBuiltInGlobalInvocationId:
    case SpvBuiltInWorkgroupId:
    case SpvBuiltInNumWorkgroups:
    case SpvBuiltInGlobalSize:
    case SpvBuiltInGlobalLinearId: return true;
    default: return false;
    }
}

/* The size of the tile that a variable is: an array of two dimensions. It is the smaller of the two sizes, or
 * the larger one if that is a power of two and near. */
static uint32_t tile_of(const struct shape_search *s, uint32_t pointer)
{
    const struct fact *rows = fact_of(s, fact_of(s, pointer)->element), *columns = fact_of(s, rows->element);
    const uint32_t least = smaller(rows->length, columns->length),
                   most = rows->length + columns->length - least;
    if (!least || fact_of(s, columns->element)->length)
        return 0;
    return most - least <= least / 4 && !(most & (most - 1)) ? most : least; /* or a column too few */
}

/* Notes the size of the array that a variable in local memory is. */
static void take_array(const struct shape_search *s, const uint32_t *w)
{
    const struct fact *array = fact_of(s, fact_of(s, w[1])->element);
    const bool is_flat = !fact_of(s, array->element)->length;
    fact_of(s, w[2])->tile = tile_of(s, w[1]);
    fact_of(s, w[2])->items = is_flat ? array->length : 0;
}

static void read_declaration(struct shape_search *s, uint32_t op, const uint32_t *w, uint32_t n)
{
    if (op == SpvOpEntryPoint && n > 3 && strcmp((const char *)(w + 3), s->name) == 0)
        s->kernel = w[2];
    else if (op == SpvOpDecorate && n > 3 && w[2] == SpvDecorationBuiltIn) {
        fact_of(s, w[1])->is_id = is_work_item_id(w[3]);
        fact_of(s, w[1])->id_kinds = id_kind(w[3]);
        fact_of(s, w[1])->from_size = w[3] == SpvBuiltInGlobalSize || w[3] == SpvBuiltInWorkgroupSize ||
                                      w[3] == SpvBuiltInNumWorkgroups;
        fact_of(s, w[1])->of_groups = differs_between_groups(w[3]);
    } else if (op == SpvOpConstant && n > 3) {
        fact_of(s, w[2])->constant = w[3];
        fact_of(s, w[2])->is_constant = true;
    } else if (op == SpvOpTypeArray && n > 3)
        *fact_of(s, w[1]) = (struct fact){.element = w[2], .length = fact_of(s, w[3])->constant};
    else if (op == SpvOpTypePointer && n > 3 && w[2] != SpvStorageClassWorkgroup)
        fact_of(s, w[1])->of_memory = w[2] == SpvStorageClassCrossWorkgroup ||
                                      w[2] == SpvStorageClassUniformConstant ||
                                      w[2] == SpvStorageClassGeneric;
    else if (op == SpvOpTypePointer && n > 3)
        fact_of(s, w[1])->element = w[3];
    else if (op == SpvOpVariable && n > 3 && w[3] == SpvStorageClassWorkgroup)
        take_array(s, w);
}

static bool is_address(uint32_t op)
{
    return op == SpvOpAccessChain || op == SpvOpInBoundsAccessChain || op == SpvOpPtrAccessChain ||
           op == SpvOpInBoundsPtrAccessChain;
}

static void read_code(struct shape_search *s, uint32_t op, const uint32_t *w, uint32_t n)
{
    struct fact *function = fact_of(s, s->function);
    if (op == SpvOpFunction && n > 2) {
        s->function = w[2];
        fact_of(s, w[2])->at = (size_t)(w - s->words);
    } else if (op == SpvOpStore && n > 2) {
        fact_of(s, w[1])->stores++;
    } else if (op == SpvOpLoad && n > 3) {
        fact_of(s, w[2])->is_id = fact_of(s, w[3])->is_id;
        function->of_groups |= fact_of(s, w[3])->of_groups;
        function->of_items |= fact_of(s, w[3])->id_kinds == ID_LOCAL;
    } else if (op == SpvOpCompositeExtract && n > 4 && fact_of(s, w[3])->is_id && w[4] < DIMENSIONS)
        function->read |= (uint8_t)(1u << w[4]);
    else if (is_address(op) && n > 3) {
        const struct fact *array = fact_of(s, w[3]);
        function->in_tile = array->tile ? array->tile : function->in_tile;
        function->in_array = array->items ? array->items : function->in_array;
    }
}

/* Calls one of those that are reached: was it not reached before? */
static bool reach(struct shape_search *s, uint32_t op, const uint32_t *w, uint32_t n)
{
    if (op == SpvOpFunction && n > 2)
        s->function = w[2];
    if (op != SpvOpFunctionCall || n < 4 || !fact_of(s, s->function)->reached || fact_of(s, w[3])->reached)
        return false;
    fact_of(s, w[3])->reached = 1;
    return true;
}

/* ---- what values are computed from ------------------------------------------------------------ */

/* Adds to one fact what another one has: was anything new? */
static bool add_origins(struct fact *to, const struct fact *value)
{
    const struct fact was = *to;
    to->from |= value->from;
    to->read_from |= value->read_from;
    to->beside |= value->beside;
    to->from_id |= value->is_id ? ALL_DIMENSIONS : value->from_id;
    to->product |= value->product;
    to->divided_by |= value->divided_by;
    to->from_size |= value->from_size;
    to->id_kinds |= value->id_kinds;
    to->remaining |= value->remaining;
    to->plus_size |= value->plus_size;
    to->strided |= value->strided;
    to->of_loop |= value->of_loop;
    to->border = value->border > to->border ? value->border : to->border;
    return to->from != was.from || to->from_id != was.from_id || to->read_from != was.read_from ||
           to->beside != was.beside || to->product != was.product || to->divided_by != was.divided_by ||
           to->from_size != was.from_size || to->id_kinds != was.id_kinds || to->remaining != was.remaining ||
           to->plus_size != was.plus_size || to->strided != was.strided || to->of_loop != was.of_loop ||
           to->border != was.border;
}

static bool is_arithmetic(uint32_t op)
{
    const bool converts = op >= SpvOpConvertFToU && op <= SpvOpBitcast;
    const bool calculates = op >= SpvOpSNegate && op <= SpvOpFMod;
    const bool changes_bits = op >= SpvOpShiftRightLogical && op <= SpvOpNot;
    return converts || calculates || changes_bits;
}

/* The first word that is an operand of an instruction whose result was computed from all of them; 0: it is
 * no such instruction. */
static uint32_t first_operand(uint32_t op)
{
    switch (op) {
    case SpvOpExtInst: return 5;
    case SpvOpSelect:
    case SpvOpPhi:
    case SpvOpCompositeExtract:
    case SpvOpVectorShuffle:
    case SpvOpCopyObject: return 3;
    default: return is_arithmetic(op) ? 3 : 0;
    }
}

static bool compares_sizes(uint32_t op)
{
    return op >= SpvOpUGreaterThan && op <= SpvOpSLessThanEqual;
}

static bool is_group_size(uint32_t items)
{
    return items >= ITEMS_LEAST && items <= ITEMS_MOST && !(items & (items - 1));
}

/* A local id, which loops may have increased, against a constant or an argument. */
static void compare_local(struct kernel_shape *shape, const struct fact *id, const struct fact *limit)
{
    const uint32_t items = is_group_size(limit->constant) ? limit->constant : limit->constant + 1;
    shape->any_group |= id->strided;
    if (!id->of_loop && limit->is_constant && is_group_size(items) && items > shape->tested_items)
        shape->tested_items = items;
}

/* An id against arguments alone, or what is left of one: n - id. */
static void compare(struct shape_search *s, const struct fact *id, const struct fact *limit)
{
    struct kernel_shape *shape = &s->shape;
    s->compared |= id->read_from;
    if (!id->from_id && !limit->from_id && !id->is_constant)
        shape->counts |= limit->from & ~id->from;
    if (!id->from_id || (limit->from_id && !limit->remaining))
        return;
    if (id->id_kinds == ID_LOCAL)
        compare_local(shape, id, limit);
    if (id->strided && !limit->remaining)
        shape->shared |= limit->from;
    else
        shape->limits |= limit->from;
    if (id->id_kinds == ID_GROUP)
        shape->group_limits |= limit->from;
    else if (id->id_kinds == ID_LOCAL && !id->of_loop && !limit->remaining)
        shape->item_limits |= limit->from;
    if (id->id_kinds != ID_GROUP && (id->id_kinds != ID_LOCAL || id->of_loop || limit->remaining))
        s->tests_launch |= limit->from;
    shape->products |= id->divided_by ? limit->from | id->divided_by : limit->product;
    for (int d = 0; d < DIMENSIONS; d++)
        shape->limits_of[d] |= id->from_id >> d & 1 ? limit->from : 0;
}

static bool is_counted(const struct fact *value)
{
    return value->from_id || value->of_loop || (!value->from && !value->is_constant);
}

/* Computed from arguments alone. */
static bool is_number(const struct fact *value)
{
    return value->from && !value->from_id && !value->of_loop;
}

static void take_border(struct kernel_shape *shape, const struct fact *factor)
{
    if (is_number(factor) && factor->border > shape->border)
        shape->border = factor->border;
}

static bool is_step(const struct fact *id, const struct fact *size)
{
    return id->from_id && size->from_size && !size->from_id;
}

/* Adds what the operation makes of its result, beside what its operands are. */
static bool add_parts(struct shape_search *s, uint32_t op, const uint32_t *w)
{
    const struct fact *a = fact_of(s, w[3]), *b = fact_of(s, w[4]);
    struct fact parts = {.from = 0};
    switch (op) {
    case SpvOpIMul:
        if (a->from && b->from && a->from != b->from)
            parts.product = a->from | b->from;
        s->shape.strides |= is_counted(a) ? b->from : 0;
        s->shape.strides |= is_counted(b) ? a->from : 0;
        take_border(&s->shape, a);
        take_border(&s->shape, b);
        break;
    case SpvOpUDiv:
    case SpvOpSDiv:
    case SpvOpUMod:
    case SpvOpSRem:
    case SpvOpSMod:
        if (a->from_id && !b->from_id) {
            parts.divided_by = b->from;
            s->shape.divisors |= b->from;
        }
        break;
    case SpvOpIAdd:
        parts.plus_size = is_step(a, b) || is_step(b, a);
        parts.border = a->is_argument && b->is_constant && b->constant <= BORDER_MOST ? b->constant : 0;
        s->shape.addends |= is_counted(a) && is_number(b) ? b->from : 0;
        s->shape.addends |= is_counted(b) && is_number(a) ? a->from : 0;
        break;
    case SpvOpISub:
        parts.remaining = a->from && !a->from_id && b->from_id;
        s->shape.addends |= !a->is_constant && is_number(b) ? b->from : 0;
        break;
    default: break;
    }
    return add_origins(fact_of(s, w[2]), &parts);
}

/* ---- global memory ------------------------------------------------------------------------------ */

/* Its first two words are a type and a result. */
static bool gives_value(uint32_t op)
{
    return op != SpvOpStore && op != SpvOpAtomicStore && op != SpvOpCopyMemory && op != SpvOpCopyMemorySized;
}

static bool points_to_memory(const struct shape_search *s, uint32_t id)
{
    return fact_of(s, id)->of_memory;
}

/* An address from a base and indices: its elements are of the base's argument. */
static bool add_address(struct shape_search *s, const uint32_t *w, uint32_t n)
{
    struct fact *address = fact_of(s, w[2]);
    const bool changed = add_origins(address, &(struct fact){.from = fact_of(s, w[3])->from});
    for (uint32_t i = 4; i < n; i++) {
        const struct fact *index = fact_of(s, w[i]);
        s->indices |= index->read_from;
        s->elements |= index->is_constant ? 0 : address->from;
        if (index->beside)
            s->beside |= address->from;
    }
    return changed;
}

/* Copies what remains true of a value that is passed on unchanged. */
static bool add_value(struct fact *copy, const struct fact *value)
{
    copy->is_argument |= value->is_argument;
    return add_origins(copy, value);
}

/* What the memory of an argument has, or a variable that keeps a value. */
static bool add_load(struct shape_search *s, const uint32_t *w)
{
    const struct fact *pointer = fact_of(s, w[3]);
    s->shape.unread &= ~pointer->from;
    return points_to_memory(s, w[3])
               ? add_origins(fact_of(s, w[2]), &(struct fact){.read_from = pointer->from})
               : add_value(fact_of(s, w[2]), pointer);
}

static bool add_store(struct shape_search *s, const uint32_t *w)
{
    const struct fact *pointer = fact_of(s, w[1]);
    struct fact value = *fact_of(s, w[2]);
    value.beside = false; /* the next element of a loop is no i + 1 */
    value.strided |= value.plus_size;
    value.of_loop |= pointer->stores > 1;
    if (!points_to_memory(s, w[1]))
        return add_value(fact_of(s, w[1]), &value);
    s->written |= pointer->from;
    return false;
}

static bool is_atomic(uint32_t op)
{
    return op >= SpvOpAtomicLoad && op <= SpvOpAtomicXor;
}

static bool is_one(const struct shape_search *s, uint32_t id)
{
    return fact_of(s, id)->is_constant && fact_of(s, id)->constant == 1;
}

/* The kernel's parameters are its arguments. */
static bool add_argument(struct shape_search *s, uint32_t id)
{
    const uint32_t number = s->arguments++;
    const struct fact argument = {.from = number < ARGUMENTS_MOST ? UINT32_C(1) << number : 0};
    if (s->function != s->kernel)
        return false;
    fact_of(s, id)->is_argument = true;
    if (!fact_of(s, id)->from)
        s->shape.unread |= argument.from;
    return add_origins(fact_of(s, id), &argument);
}

/* What the call gives to the parameters of a function of the module, and gets as its result. */
static bool add_call(struct shape_search *s, const uint32_t *w, uint32_t n)
{
    const struct fact *function = fact_of(s, w[3]);
    bool changed = add_origins(fact_of(s, w[2]), function);
    uint32_t given = 4;
    for (size_t at = function->at; at && at < s->count && given < n;) {
        const uint32_t *p = s->words + at, words = p[0] >> SpvWordCountShift, op = p[0] & SpvOpCodeMask;
        if (!words || words > s->count - at || op == SpvOpLabel || op == SpvOpFunctionEnd)
            break;
        if (op == SpvOpFunctionParameter && words > 2)
            changed |= add_value(fact_of(s, p[2]), fact_of(s, w[given++]));
        at += words;
    }
    return changed;
}

static bool add_operands(struct shape_search *s, uint32_t op, const uint32_t *w, uint32_t n)
{
    const uint32_t literals = op == SpvOpCompositeExtract ? 4 : op == SpvOpVectorShuffle ? 5 : n;
    bool changed = false;
    for (uint32_t i = first_operand(op); i && i < n && i < literals; i++)
        changed |= add_origins(fact_of(s, w[2]), fact_of(s, w[i]));
    return changed;
}

/* One instruction of a function that the kernel reaches: was anything new? */
static bool compute(struct shape_search *s, uint32_t op, const uint32_t *w, uint32_t n)
{
    if (op == SpvOpFunction && n > 2) {
        s->function = w[2];
        s->arguments = 0;
    }
    if (!fact_of(s, s->function)->reached || n < 2)
        return false;
    if (op == SpvOpReturnValue)
        return add_origins(fact_of(s, s->function), fact_of(s, w[1]));
    if (n < 3)
        return false;
    fact_of(s, w[2])->of_memory |= gives_value(op) && fact_of(s, w[1])->of_memory;
    if (op == SpvOpFunctionParameter)
        return add_argument(s, w[2]);
    if (op == SpvOpStore)
        return add_store(s, w);
    if (n < 4)
        return false;
    if (is_atomic(op))
        s->shape.counters |= fact_of(s, op == SpvOpAtomicStore ? w[1] : w[3])->from;
    if (is_address(op))
        return add_address(s, w, n);
    if (op == SpvOpFunctionCall)
        return add_call(s, w, n);
    if (op == SpvOpLoad)
        return add_load(s, w);
    if (compares_sizes(op) && n > 4) {
        compare(s, fact_of(s, w[3]), fact_of(s, w[4]));
        compare(s, fact_of(s, w[4]), fact_of(s, w[3]));
    }
    if (op == SpvOpCompositeExtract && n > 4 && fact_of(s, w[3])->is_id && w[4] < DIMENSIONS)
        return add_origins(fact_of(s, w[2]), &(struct fact){.from_id = (uint8_t)(1u << w[4]),
                                                            .id_kinds = fact_of(s, w[3])->id_kinds});
    bool changed = add_operands(s, op, w, n);
    if (op >= SpvOpUConvert && op <= SpvOpSConvert)
        fact_of(s, w[2])->is_argument = fact_of(s, w[3])->is_argument;
    if (op == SpvOpPhi)
        changed |= add_origins(fact_of(s, w[2]),
                               &(struct fact){.of_loop = true, .strided = fact_of(s, w[2])->plus_size});
    if (n > 4)
        changed |= add_parts(s, op, w);
    if (op == SpvOpIAdd && n > 4 && (is_one(s, w[3]) || is_one(s, w[4])))
        changed |= add_origins(fact_of(s, w[2]), &(struct fact){.beside = true});
    return changed;
}

enum pass { PASS_READ, PASS_REACH, PASS_COMPUTE };

/* True: something was reached. */
static bool walk(struct shape_search *s, enum pass pass)
{
    bool changed = false;
    s->function = 0; /* declarations belong to none */
    for (size_t at = HEADER_WORDS; at < s->count;) {
        const uint32_t *w = s->words + at, n = w[0] >> SpvWordCountShift, op = w[0] & SpvOpCodeMask;
        if (!n || n > s->count - at)
            break;
        if (pass == PASS_REACH) {
            changed |= reach(s, op, w, n);
        } else if (pass == PASS_COMPUTE) {
            changed |= compute(s, op, w, n);
        } else {
            read_declaration(s, op, w, n);
            read_code(s, op, w, n);
        }
        at += n;
    }
    return changed;
}

/* What the functions that the kernel reaches have. */
static void take_functions(struct shape_search *s)
{
    struct kernel_shape *shape = &s->shape;
    for (uint32_t id = 1; id < s->bound; id++) {
        const struct fact *function = &s->facts[id];
        if (!function->reached)
            continue;
        for (uint32_t d = shape->dimensions; d < DIMENSIONS; d++)
            if (function->read >> d & 1)
                shape->dimensions = d + 1;
        shape->tile = function->in_tile ? function->in_tile : shape->tile;
        shape->array_items =
            function->in_array > shape->array_items ? function->in_array : shape->array_items;
        shape->local_ids |= function->of_items;
        shape->several_groups |= function->of_groups;
    }
}

/* Forgets the comparisons of a pass in which not everything was known of the values. */
static void forget_comparisons(struct shape_search *s)
{
    struct kernel_shape *shape = &s->shape;
    s->tests_launch = 0;
    shape->limits = shape->group_limits = shape->item_limits = shape->shared = shape->counts = 0;
    shape->products = shape->divisors = shape->strides = 0;
    shape->tested_items = shape->addends = shape->border = 0;
    shape->any_group = false;
    memset(shape->limits_of, 0, sizeof shape->limits_of);
}

struct kernel_shape kernel_shape_find(const uint32_t *words, size_t word_count, const char *kernel)
{
    const uint32_t bound = word_count > HEADER_WORDS ? words[3] : 0;
    struct shape_search s = {
        .words = words, .count = word_count, .bound = bound, .shape = {.dimensions = 1}, .name = kernel};
    s.facts = bound && bound < IDS_MOST ? calloc(bound, sizeof *s.facts) : NULL;
    if (!s.facts)
        return s.shape;
    walk(&s, PASS_READ);
    if (s.kernel && s.kernel < bound) {
        s.facts[s.kernel].reached = 1;
        while (walk(&s, PASS_REACH))
            ;
        while (walk(&s, PASS_COMPUTE))
            ;
        forget_comparisons(&s);
        walk(&s, PASS_COMPUTE);
    }
    take_functions(&s);
    s.shape.group_limits &= ~s.tests_launch;
    s.shape.item_limits &= ~(s.tests_launch | s.shape.shared);
    s.shape.counters |= s.written & ~s.elements;
    s.shape.offsets = s.compared & s.indices & s.beside & ~s.written;
    free(s.facts);
    return s.shape;
}
