/* SPDX-License-Identifier: Apache-2.0 */
/* Pipe functions. The first work-item performs those of a work-group or sub-group. After a reservation it
 * passes the id to all; before a commit it waits for all. */
#include "lower.h"
#include "wave_pipe.h"

static uint32_t as_i64(struct lower *l, uint32_t value)
{
    return lower_type(l, value) == T_I64 ? value : lower_emit(l, IR_zext, T_I64, value, NONE, NONE, 0);
}

static uint32_t zero(struct lower *l)
{
    return ir_const(l->ir, T_I64, 0);
}

struct pipe_call {
    enum pipe_op op;
    uint32_t pipe, pointer, number, index, takes_part; /* values */
    uint32_t bytes, align;
    const char *what;
};

static uint32_t call(struct lower *l, const struct pipe_call *call)
{
    /* the kernel reads what the pointer points to */
    bool reads = call->op == PIPE_WRITE || call->op == PIPE_RESERVED_WRITE;
    uint32_t site =
        lower_site(l, &(struct site){.act = call->op <= PIPE_RESERVED_WRITE ? ACT_ACCESS : ACT_CALL,
                                     .access = reads ? ACCESS_READ : ACCESS_WRITE,
                                     .storage = STORAGE_GENERIC,
                                     .size = call->bytes,
                                     .components = 1,
                                     .align = call->align ? call->align : 1,
                                     .what = call->what});
    uint32_t v = lower_effect(l, IR_pipe, T_I64, site), *list = ARENA_ARRAY(l->arena, uint32_t, 5);
    list[0] = call->pipe;
    list[1] = call->pointer;
    list[2] = call->number;
    list[3] = call->index;
    list[4] = call->takes_part;
    ir_value(l->ir, v)->list = list;
    ir_value(l->ir, v)->list_count = 5;
    ir_value(l->ir, v)->imm = call->op | call->bytes << PIPE_BYTES_SHIFT;
    return v;
}

/* A collective maximum of the group's values, which also checks that all work-items pass the same pipe and
 * the same number or id. */
static uint32_t agree(struct lower *l, uint32_t value, bool sub_group, const struct pipe_call *c)
{
    uint32_t scope = sub_group ? SCOPE_SUB_GROUP : SCOPE_WORK_GROUP,
             *list = ARENA_ARRAY(l->arena, uint32_t, 3);
    uint32_t v =
        lower_effect(l, IR_collective, T_I64,
                     lower_site(l, &(struct site){.act = ACT_COLLECTIVE, .scope = scope, .what = c->what}));
    list[0] = value;
    list[1] = c->pipe;
    list[2] = c->number;
    ir_value(l->ir, v)->list = list;
    ir_value(l->ir, v)->list_count = 3;
    ir_value(l->ir, v)->imm = COLLECTIVE_REDUCE_MAX | COLLECTIVE_SAME | 2u << COLLECTIVE_IDS_SHIFT |
                              COLLECTIVE_UNSIGNED |
                              (sub_group ? SCOPE_SUB_GROUP << COLLECTIVE_SCOPE_SHIFT : 0u) |
                              (uint32_t)lower_math_type(T_I64) << COLLECTIVE_TYPE_SHIFT;
    return v;
}

static uint32_t is_first(struct lower *l, bool sub_group)
{
    uint32_t id = ir_new_value(l->ir, IR_input, sub_group ? T_I32 : T_I64);
    ir_value(l->ir, id)->imm = sub_group ? INPUT_SUB_GROUP_LOCAL_ID : INPUT_LOCAL_LINEAR_ID;
    uint32_t first =
        lower_emit(l, IR_ieq, T_BOOL, id, ir_const(l->ir, sub_group ? T_I32 : T_I64, 0), NONE, 0);
    return lower_emit(l, IR_select, T_I64, first, ir_const(l->ir, T_I64, 1), zero(l), 0);
}

static void group_pipe(struct lower *l, const uint32_t *w, uint32_t op)
{
    bool reserves = op == SpvOpGroupReserveReadPipePackets || op == SpvOpGroupReserveWritePipePackets;
    bool writes = op == SpvOpGroupReserveWritePipePackets || op == SpvOpGroupCommitWritePipe;
    uint32_t at = reserves ? 3 : 1;
    bool sub_group = lower_constant_bits(l, w[at]) == SpvScopeSubgroup;
    struct pipe_call c = {.op = reserves ? writes ? PIPE_RESERVE_WRITE : PIPE_RESERVE_READ
                                : writes ? PIPE_COMMIT_WRITE
                                         : PIPE_COMMIT_READ,
                          .pipe = lower_scalar(l, w[at + 1]),
                          .pointer = zero(l),
                          .number = as_i64(l, lower_scalar(l, w[at + 2])),
                          .index = zero(l),
                          .takes_part = is_first(l, sub_group),
                          .bytes = lower_constant_bits(l, w[at + 3]),
                          .what = reserves ? "group reservation of packets" : "group commit of packets"};
    if (!reserves)
        agree(l, zero(l), sub_group, &c);
    uint32_t id = call(l, &c);
    if (reserves) {
        id = agree(l, id, sub_group, &c);
        lower_set(l, w[2], &id, 1);
    }
}

/* The operation of a function that a single work-item calls. */
static enum pipe_op op_of(uint32_t op)
{
    switch (op) {
    case SpvOpReadPipe: return PIPE_READ;
    case SpvOpWritePipe: return PIPE_WRITE;
    case SpvOpReservedReadPipe: return PIPE_RESERVED_READ;
    case SpvOpReservedWritePipe: return PIPE_RESERVED_WRITE;
    case SpvOpReserveReadPipePackets: return PIPE_RESERVE_READ;
    case SpvOpReserveWritePipePackets: return PIPE_RESERVE_WRITE;
    case SpvOpCommitReadPipe: return PIPE_COMMIT_READ;
    case SpvOpCommitWritePipe: return PIPE_COMMIT_WRITE;
    case SpvOpGetNumPipePackets: return PIPE_PACKETS;
    default: return PIPE_PACKETS_MAX;
    }
}

static const char *name_of(enum pipe_op op)
{
    static const char *const names[] = {"read_pipe",           "write_pipe",        "read_pipe",
                                        "write_pipe",          "reserve_read_pipe", "reserve_write_pipe",
                                        "commit_read_pipe",    "commit_write_pipe", "get_pipe_num_packets",
                                        "get_pipe_max_packets"};
    return names[op];
}

void lower_pipe_op(struct lower *l, uint32_t word)
{
    const uint32_t *w = &l->m->words[word];
    uint32_t op = spv_opcode(l->m, word);
    if (op == SpvOpGroupReserveReadPipePackets || op == SpvOpGroupReserveWritePipePackets ||
        op == SpvOpGroupCommitReadPipe || op == SpvOpGroupCommitWritePipe) {
        group_pipe(l, w, op);
        return;
    }
    if (op == SpvOpIsValidReserveId) {
        uint32_t valid = lower_emit(l, IR_ine, T_BOOL, lower_scalar(l, w[3]), zero(l), NONE, 0);
        lower_set(l, w[2], &valid, 1);
        return;
    }
    struct pipe_call c = {.op = op_of(op),
                          .pointer = zero(l),
                          .number = zero(l),
                          .index = zero(l),
                          .takes_part = ir_const(l->ir, T_I64, 1),
                          .what = name_of(op_of(op))};
    bool commits = c.op == PIPE_COMMIT_READ || c.op == PIPE_COMMIT_WRITE;
    uint32_t at = commits ? 1 : 3, n = spv_length(l->m, word);
    c.pipe = lower_scalar(l, w[at]);
    c.bytes = lower_constant_bits(l, w[n - 2]);
    c.align = lower_constant_bits(l, w[n - 1]);
    if (c.op == PIPE_READ || c.op == PIPE_WRITE)
        c.pointer = lower_scalar(l, w[4]);
    else if (c.op == PIPE_RESERVED_READ || c.op == PIPE_RESERVED_WRITE)
        c.number = lower_scalar(l, w[4]), c.index = as_i64(l, lower_scalar(l, w[5])),
        c.pointer = lower_scalar(l, w[6]);
    else if (n - at > 3)
        c.number = as_i64(l, lower_scalar(l, w[at + 1]));
    uint32_t result = call(l, &c);
    if (commits)
        return;
    if (module_type(l->m, w[1])->scalar == T_I32)
        result = lower_emit(l, IR_trunc, T_I32, result, NONE, NONE, 0);
    lower_set(l, w[2], &result, 1);
}
