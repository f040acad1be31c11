/* SPDX-License-Identifier: Apache-2.0 */
/* The types of a module, made on demand from their words: their layout by the C rules of OpenCL, and how
 * many scalars (leaves) a value of each has. */
#include "ir.h"

#include "spirv_ops.h"

enum { TYPE_LEAVES_MAX = 1 << 28 };

/* ---- small facts about types ---------------------------------------------- */

uint32_t scalar_bytes(enum scalar scalar)
{
    static const uint8_t bytes[] = {0, 1, 1, 2, 4, 8, 2, 4, 8};
    return bytes[scalar];
}

uint32_t scalar_bits(enum scalar scalar)
{
    return scalar == T_BOOL ? 1 : scalar_bytes(scalar) * 8;
}

uint64_t module_bits_truncate(uint64_t bits, enum scalar scalar)
{
    uint32_t width = scalar_bits(scalar);
    return width < 64 ? bits & ((1ull << width) - 1) : bits;
}

int64_t module_bits_signed(uint64_t bits, enum scalar scalar)
{
    uint32_t shift = 64 - scalar_bits(scalar);
    return (int64_t)(bits << shift) >> shift;
}

struct type *type_part(const struct type *type, uint32_t index)
{
    if (type->kind == TYPE_STRUCT)
        return index < type->count ? type->members[index] : NULL;
    return type->element;
}

uint64_t type_part_offset(const struct type *type, uint32_t index)
{
    return type->kind == TYPE_STRUCT ? type->offsets[index] : type->stride * index;
}

uint32_t type_first_leaf(const struct type *type, uint32_t index)
{
    if (type->kind != TYPE_STRUCT)
        return index * type->element->leaves;
    uint32_t leaf = 0;
    for (uint32_t i = 0; i < index; i++)
        leaf += type->members[i]->leaves;
    return leaf;
}

/* ---- types ------------------------------------------------------------------ */

static uint64_t align_up(uint64_t value, uint64_t align)
{
    return (value + align - 1) / align * align;
}

uint64_t type_stride(const struct type *element)
{
    return align_up(element->size, element->align);
}

static _Noreturn void refuse_type(struct module *m, uint32_t word, const char *why)
{
    module_fail(m, STATUS_BAD_BINARY, "%s at word %u %s", spirv_op_name(spv_opcode(m, word)), word, why);
}

struct type *module_part_type(struct module *m, uint32_t id, uint32_t word)
{
    struct type *type = module_type(m, id);
    if (type->kind == TYPE_VOID || type->kind == TYPE_FUNCTION)
        refuse_type(m, word, "has a part that is no value");
    if (type->leaves > TYPE_LEAVES_MAX)
        refuse_type(m, word, "is too large");
    return type;
}

static void lay_out_struct(struct module *m, struct type *type, uint32_t word)
{
    bool packed = module_decoration(m, type->id, SpvDecorationCPacked);
    type->kind = TYPE_STRUCT;
    type->count = spv_length(m, word) - 2;
    type->members = ARENA_ARRAY(&m->arena, struct type *, type->count + 1);
    type->offsets = ARENA_ARRAY(&m->arena, uint64_t, type->count + 1);
    type->align = 1;
    type->name = m->names[type->id];
    for (uint32_t i = 0; i < type->count; i++) {
        struct type *member = module_part_type(m, m->words[word + 2 + i], word);
        uint32_t align = packed ? 1 : member->align;
        type->members[i] = member;
        type->offsets[i] = align_up(type->size, align);
        type->size = type->offsets[i] + member->size;
        type->align = align > type->align ? align : type->align;
        type->leaves += member->leaves;
        if (type->leaves > TYPE_LEAVES_MAX)
            refuse_type(m, word, "is too large");
    }
    type->size = align_up(type->size, type->align);
}

static void set_scalar(struct type *type, enum scalar scalar)
{
    type->kind = TYPE_SCALAR;
    type->scalar = scalar;
    type->size = type->align = scalar_bytes(scalar);
    type->leaves = 1;
}

static enum scalar int_scalar(struct module *m, uint32_t bits)
{
    switch (bits) {
    case 8: return T_I8;
    case 16: return T_I16;
    case 32: return T_I32;
    case 64: return T_I64;
    default: module_fail(m, STATUS_UNSUPPORTED, "OpTypeInt of %u bits", bits);
    }
}

static enum scalar float_scalar(struct module *m, uint32_t bits)
{
    switch (bits) {
    case 16: return T_F16;
    case 32: return T_F32;
    case 64: return T_F64;
    default: module_fail(m, STATUS_UNSUPPORTED, "OpTypeFloat of %u bits", bits);
    }
}

static void set_vector(struct module *m, struct type *type, uint32_t word)
{
    const uint32_t *w = &m->words[word];
    type->kind = TYPE_VECTOR;
    type->element = module_type(m, w[2]);
    if (type->element->kind != TYPE_SCALAR || w[3] < 2 || w[3] > 16)
        refuse_type(m, word, "is not 2 to 16 scalars");
    type->count = w[3];
    type->leaves = w[3];
    type->stride = type->element->size;
    type->size = type->stride * (w[3] == 3 ? 4 : w[3]);
    type->align = (uint32_t)type->size & -(uint32_t)type->size;
}

/* A runtime array has no elements that are known, so its size is 0. */
static void set_array(struct module *m, struct type *type, uint32_t word)
{
    type->kind = TYPE_ARRAY;
    type->element = module_part_type(m, m->words[word + 2], word);
    type->stride = type_stride(type->element);
    type->align = type->element->align;
    if (type->opcode == SpvOpTypeRuntimeArray)
        return;
    const uint32_t length = m->words[word + 3];
    const struct constant *count = module_constant(m, length);
    if (count->count != 1 || module_value_type(m, length)->kind != TYPE_SCALAR)
        refuse_type(m, word, "has a length that is not a number");
    const uint64_t most = TYPE_LEAVES_MAX / (type->element->leaves + 1);
    if (count->leaves[0].bits > most)
        module_fail(m, STATUS_UNSUPPORTED,
                    "found an array of %llu elements, expected at most %llu of this type",
                    (unsigned long long)count->leaves[0].bits, (unsigned long long)most);
    type->count = (uint32_t)count->leaves[0].bits;
    type->size = type->stride * type->count;
    type->leaves = type->element->leaves * type->count;
}

/* `element` stays NULL: pointers may be recursive, so pointees are looked up on demand. */
static void set_pointer(struct module *m, struct type *type, uint32_t word)
{
    set_scalar(type, T_I64);
    type->kind = TYPE_POINTER;
    type->size = type->align = m->address_bits / 8;
    type->storage = m->words[word + 2];
}

static void set_function(struct module *m, struct type *type, uint32_t word)
{
    type->kind = TYPE_FUNCTION;
    type->element = module_type(m, m->words[word + 2]);
    type->count = spv_length(m, word) - 3;
    type->members = ARENA_ARRAY(&m->arena, struct type *, type->count + 1);
    for (uint32_t i = 0; i < type->count; i++)
        type->members[i] = module_type(m, m->words[word + 3 + i]);
}

static void set_opaque(struct type *type, uint32_t leaves)
{
    set_scalar(type, T_I64);
    type->kind = TYPE_OPAQUE;
    type->leaves = leaves;
}

static struct type *make_type(struct module *m, uint32_t id)
{
    const uint32_t word = m->def[id];
    struct type *type = ARENA_NEW(&m->arena, struct type);
    m->types[id] = type;
    type->id = id;
    type->opcode = spv_opcode(m, word);
    type->align = 1;
    switch (type->opcode) {
    case SpvOpTypeVoid: type->kind = TYPE_VOID; break;
    case SpvOpTypeBool: set_scalar(type, T_BOOL); break;
    case SpvOpTypeInt: set_scalar(type, int_scalar(m, m->words[word + 2])); break;
    case SpvOpTypeFloat: set_scalar(type, float_scalar(m, m->words[word + 2])); break;
    case SpvOpTypeVector: set_vector(m, type, word); break;
    case SpvOpTypeArray:
    case SpvOpTypeRuntimeArray: set_array(m, type, word); break;
    case SpvOpTypeStruct: lay_out_struct(m, type, word); break;
    case SpvOpTypePointer: set_pointer(m, type, word); break;
    case SpvOpTypeFunction: set_function(m, type, word); break;
    case SpvOpTypeEvent:
    case SpvOpTypeOpaque:
    case SpvOpTypeSampler:
    case SpvOpTypeImage:
    case SpvOpTypePipe:
    case SpvOpTypeQueue:
    case SpvOpTypeDeviceEvent:
    case SpvOpTypeReserveId:
    case SpvOpTypeNamedBarrier:
    case SpvOpTypeForwardPointer: set_opaque(type, 1); break;
    case SpvOpTypeSampledImage: set_opaque(type, 2); break; /* image and sampler */
    default:
        module_fail(m, STATUS_UNSUPPORTED, "%s at word %u is not supported", spirv_op_name(type->opcode),
                    word);
    }
    return type;
}

struct type *module_type(struct module *m, uint32_t id)
{
    if (id >= m->bound || !m->def[id])
        module_fail(m, STATUS_BAD_BINARY, "type id %u is not defined", id);
    if (m->types[id])
        return m->types[id];
    if (++m->nesting > MODULE_NESTING_MAX)
        module_fail(m, STATUS_UNSUPPORTED, "type id %u is nested too deep", id);
    struct type *type = make_type(m, id);
    m->nesting--;
    return type;
}

struct type *module_value_type(struct module *m, uint32_t id)
{
    if (id >= m->bound || !m->type_of[id])
        module_fail(m, STATUS_BAD_BINARY, "id %u has no type", id);
    return module_type(m, m->type_of[id]);
}

enum image_type module_image_type(struct module *m, const uint32_t *w)
{
    bool arrayed = w[5], sampled = w[6];
    switch (sampled ? UINT32_MAX : w[3]) {
    case SpvDim1D: return arrayed ? IMAGE_1D_ARRAY : IMAGE_1D;
    case SpvDim2D: return arrayed ? IMAGE_2D_ARRAY : IMAGE_2D;
    case SpvDim3D:
        if (!arrayed)
            return IMAGE_3D; /* fall through */
    case SpvDimBuffer:
        if (!arrayed)
            return IMAGE_1D_BUFFER; /* fall through */
    default:
        module_fail(m, STATUS_UNSUPPORTED,
                    "OpTypeImage %u: images of this dimension, multisampled or arrayed, are not supported",
                    w[1]);
    }
}
