/* SPDX-License-Identifier: Apache-2.0 */
/* Images and samplers. An image is the address of its descriptor, a sampler its packed bits, a sampled
 * image both: each is one value, equal in all lanes. Coordinates and texels vary by lane. */
#include "image_op.h"
#include "lower.h"

static const uint32_t *image_type_words(struct lower *l, uint32_t id)
{
    const struct type *type = module_value_type(l->m, id);
    const uint32_t *w = &l->m->words[l->m->def[type->id]];
    return type->opcode == SpvOpTypeSampledImage ? &l->m->words[l->m->def[w[2]]] : w;
}

/* Coordinates have 32 bits; only hand-written modules have other widths. */
static uint32_t coordinate(struct lower *l, uint32_t value, enum scalar type)
{
    if (type == T_F16 || type == T_F64)
        return lower_convert(l, value, type == T_F16 ? NUMBER_F16 : NUMBER_F64, NUMBER_F32, ROUND_DEFAULT,
                             false);
    if (type == T_I64)
        return lower_emit(l, IR_trunc, T_I32, value, NONE, NONE, 0);
    return type == T_I8 || type == T_I16 ? lower_emit(l, IR_sext, T_I32, value, NONE, NONE, 0) : value;
}

/* The operands of one instruction. */
struct image_operands {
    uint32_t list[IMAGE_OPERANDS_MAX], count;
    uint64_t flags;
};

static void add_coordinates(struct lower *l, struct image_operands *o, uint32_t image, uint32_t id)
{
    const uint32_t *leaves = lower_get(l, id);
    enum scalar type = lower_component(l, id);
    enum image_type kind = module_image_type(l->m, image_type_words(l, image));
    uint32_t count = image_dimensions(kind) + image_is_array(kind);
    if (module_value_type(l->m, id)->leaves < count)
        module_fail(l->m, STATUS_BAD_BINARY, "id %u has too few coordinates for its image", id);
    for (uint32_t i = 0; i < count; i++)
        o->list[o->count++] = coordinate(l, leaves[i], type);
    o->flags |= count | (type >= T_F16 ? IMAGE_OP_FLOAT : 0u);
}

static bool is_zero(struct lower *l, uint32_t value)
{
    uint64_t bits;
    return ir_is_const(l->ir, value, &bits) && bits == 0;
}

static void add_gradient(struct lower *l, struct image_operands *o, uint32_t id)
{
    const uint32_t *leaves = lower_get(l, id);
    uint32_t count = module_value_type(l->m, id)->leaves;
    for (uint32_t i = 0; i < 3; i++)
        o->list[o->count++] = i < count ? leaves[i] : ir_const(l->ir, T_F32, 0);
    o->flags |= IMAGE_OP_GRADIENT;
}

/* Parses the optional image operands at word i of an instruction of n words. */
static void add_options(struct lower *l, struct image_operands *o, uint32_t word, uint32_t i)
{
    const uint32_t *w = &l->m->words[word];
    uint32_t n = spv_length(l->m, word), mask = i < n ? w[i++] : 0;
    const uint32_t known = SpvImageOperandsLodMask | SpvImageOperandsGradMask |
                           SpvImageOperandsSignExtendMask | SpvImageOperandsZeroExtendMask;
    if (mask & ~known)
        module_fail(l->m, STATUS_UNSUPPORTED, "image operands 0x%x of %s at word %u are not supported", mask,
                    spirv_op_name(spv_opcode(l->m, word)), word);
    if (mask & SpvImageOperandsLodMask) {
        uint32_t lod = lower_scalar(l, w[i]);
        enum scalar type = lower_component(l, w[i++]);
        if (!is_zero(l, lod)) {
            o->list[o->count++] = coordinate(l, lod, type);
            o->flags |= IMAGE_OP_LOD | (type >= T_F16 ? IMAGE_OP_LOD_FLOAT : 0u);
        }
    }
    if (mask & SpvImageOperandsGradMask) {
        add_gradient(l, o, w[i]);
        add_gradient(l, o, w[i + 1]);
    }
}

static uint64_t texel_flags(struct lower *l, enum scalar type, uint32_t word)
{
    switch (type) {
    case T_F32: return IMAGE_OP_F32;
    case T_F16: return IMAGE_OP_F16;
    case T_I32: return IMAGE_OP_I32;
    default:
        module_fail(l->m, STATUS_UNSUPPORTED, "%s at word %u: texels of this type are not supported",
                    spirv_op_name(spv_opcode(l->m, word)), word);
    }
}

static uint32_t put(struct lower *l, enum ir_op op, const struct image_operands *o, uint32_t image,
                    uint32_t sampler, const char *what)
{
    struct site site = {.access = op == IR_image_read ? ACCESS_READ : ACCESS_WRITE,
                        .storage = STORAGE_GLOBAL,
                        .size = 1,
                        .components = 1,
                        .align = 1,
                        .sampled = (o->flags & IMAGE_OP_SAMPLED) != 0,
                        .what = what};
    uint32_t s = lower_site(l, &site), v = lower_effect(l, op, T_NONE, s);
    struct value *value = ir_value(l->ir, v);
    value->args[0] = image;
    value->args[1] = sampler;
    value->imm = o->flags;
    value->list = arena_copy(l->arena, o->list, o->count * sizeof *o->list);
    value->list_count = o->count;
    return v;
}

static void lower_read(struct lower *l, uint32_t word)
{
    const uint32_t *w = &l->m->words[word];
    const struct type *result = module_type(l->m, w[1]);
    bool sampled = spv_opcode(l->m, word) == SpvOpImageSampleExplicitLod;
    enum scalar type = result->kind == TYPE_VECTOR ? result->element->scalar : result->scalar;
    struct image_operands o = {.flags = texel_flags(l, type, word)};
    const uint32_t *image = lower_get(l, w[3]);
    uint32_t out[16];
    add_coordinates(l, &o, w[3], w[4]);
    add_options(l, &o, word, 5);
    if (sampled)
        o.flags |= IMAGE_OP_SAMPLED;
    uint32_t read = put(l, IR_image_read, &o, image[0], sampled ? image[1] : NONE, "image read");
    for (uint32_t i = 0; i < result->leaves; i++) {
        out[i] = ir_new_value(l->ir, IR_extract, type);
        ir_value(l->ir, out[i])->args[0] = read;
        ir_value(l->ir, out[i])->imm = i;
        ir_append(l->ir, l->block, out[i]);
    }
    lower_set(l, w[2], out, result->leaves);
}

static void lower_write(struct lower *l, uint32_t word)
{
    const uint32_t *w = &l->m->words[word];
    enum scalar type = lower_component(l, w[3]);
    const uint32_t *texel = lower_get(l, w[3]);
    uint32_t leaves = module_value_type(l->m, w[3])->leaves;
    struct image_operands o = {.flags = texel_flags(l, type, word)};
    for (uint32_t i = 0; i < 4; i++)
        o.list[o.count++] = i < leaves ? texel[i] : ir_const(l->ir, type, 0);
    add_coordinates(l, &o, w[1], w[2]);
    add_options(l, &o, word, 4);
    put(l, IR_image_write, &o, lower_scalar(l, w[1]), NONE, "image write");
}

static void lower_query(struct lower *l, uint32_t word)
{
    const uint32_t *w = &l->m->words[word];
    const struct type *result = module_type(l->m, w[1]);
    enum scalar type = result->kind == TYPE_VECTOR ? result->element->scalar : result->scalar;
    uint32_t op = spv_opcode(l->m, word), image = lower_get(l, w[3])[0], lod = NONE, out[16];
    uint64_t what = op == SpvOpImageQueryFormat   ? IMAGE_QUERY_DATA
                    : op == SpvOpImageQueryOrder  ? IMAGE_QUERY_ORDER
                    : op == SpvOpImageQueryLevels ? IMAGE_QUERY_LEVELS
                                                  : IMAGE_QUERY_SIZE;
    if (op == SpvOpImageQuerySizeLod && !is_zero(l, lower_scalar(l, w[4])))
        lod = coordinate(l, lower_scalar(l, w[4]), lower_component(l, w[4])), what |= IMAGE_QUERY_AT_LEVEL;
    for (uint32_t i = 0; i < result->leaves; i++)
        out[i] = lower_emit(l, IR_image_query, type, image, lod, NONE, what | (uint64_t)i << 8);
    lower_set(l, w[2], out, result->leaves);
}

void lower_image_op(struct lower *l, uint32_t word)
{
    const uint32_t *w = &l->m->words[word];
    switch (spv_opcode(l->m, word)) {
    case SpvOpSampledImage: {
        uint32_t both[2] = {lower_scalar(l, w[3]), lower_scalar(l, w[4])};
        lower_set(l, w[2], both, 2);
        break;
    }
    case SpvOpImage: lower_set(l, w[2], lower_get(l, w[3]), 1); break;
    case SpvOpImageSampleExplicitLod:
    case SpvOpImageRead: lower_read(l, word); break;
    case SpvOpImageWrite: lower_write(l, word); break;
    default: lower_query(l, word); break;
    }
}
