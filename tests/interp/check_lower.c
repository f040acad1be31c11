/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering and its passes, judged by properties: which accesses stay, which variables become values,
 * what is uniform, affine or varying, and that loops keep the shape that execution relies on. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/interp/ir.h"
#include "orrery/compiler.h"

#define HEAD                                                                                                 \
    "OpCapability Kernel\nOpCapability Addresses\nOpCapability Linkage\nOpCapability Int64\n%std = "         \
    "OpExtInstImport \"OpenCL.std\"\n"                                                                       \
    "OpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %f \"k\" %gid\nOpDecorate %gid BuiltIn "           \
    "GlobalInvocationId\n"                                                                                   \
    "OpDecorate %gid Constant\nOpDecorate %gid LinkageAttributes \"gid\" Import\n"                           \
    "%void = OpTypeVoid\n%bool = OpTypeBool\n%int = OpTypeInt 32 0\n%long = OpTypeInt 64 0\n%v3 = "          \
    "OpTypeVector %long 3\n"                                                                                 \
    "%pin = OpTypePointer Input %v3\n%pint = OpTypePointer CrossWorkgroup %int\n%pvar = OpTypePointer "      \
    "Function %int\n"                                                                                        \
    "%fn = OpTypeFunction %void %pint %int\n%zero = OpConstant %int 0\n%one = OpConstant %int 1\n%ten = "    \
    "OpConstant %int 10\n%two = OpConstant %int 2\n"                                                         \
    "%gid = OpVariable %pin Input\n%f = OpFunction %void None %fn\n%buffer = OpFunctionParameter %pint\n%n " \
    "= OpFunctionParameter %int\n"                                                                           \
    "%entry = OpLabel\n"
#define ID "%ids = OpLoad %v3 %gid\n%x = OpCompositeExtract %long %ids 0\n%i = OpUConvert %int %x\n"
#define TAIL "OpReturn\nOpFunctionEnd\n"

static struct module *module;
static struct diagnosis diagnosis;
static jmp_buf failed;

static void load(const char *text)
{
    struct spirv spirv = {0};
    char *log = NULL;
    memset(&diagnosis, 0, sizeof diagnosis);
    ck_assert_msg(spirv_assemble(text, &spirv, &log) == STATUS_OK, "%s", log);
    free(log);
    ck_assert_msg(interp_module_new(spirv.words, spirv.word_count, NULL, 0, &module, &diagnosis) == STATUS_OK,
                  "%s", diagnosis.text);
    spirv_fini(&spirv);
    module->fail = module->arena.out_of_memory = module->work.out_of_memory = &failed;
    module->diagnosis = &diagnosis;
}

static struct ir *lowered(const char *text)
{
    load(text);
    if (setjmp(failed))
        ck_abort_msg("%s", diagnosis.text);
    struct ir *ir = lower_kernel(module, &module->entries.at[0], &(struct code_request){0});
    cfg_build(ir);
    return ir;
}

static struct ir *simplified(const char *text)
{
    struct ir *ir = lowered(text);
    promote_variables(ir);
    simplify(ir);
    return ir;
}

static struct ir *classified(const char *text)
{
    struct ir *ir = simplified(text);
    cfg_canonical(ir);
    simplify_if_convert(ir);
    cfg_canonical(ir);
    simplify_hoist_invariants(ir);
    simplify(ir);
    cfg_canonical(ir);
    cfg_loop_closed(ir);
    cfg_split_edges(ir);
    loop_iterations_number(ir);
    diverge_classify(ir);
    return ir;
}

static uint32_t count_op(struct ir *ir, enum ir_op op)
{
    uint32_t count = 0;
    for (uint32_t o = 0; o < ir->order_count; o++)
        for (uint32_t i = 0; i < ir_block(ir, ir->order[o])->insts.count; i++)
            count += ir_value(ir, ir_block(ir, ir->order[o])->insts.at[i])->op == op;
    return count;
}

static const struct value *only_op(struct ir *ir, enum ir_op op)
{
    const struct value *found = NULL;
    ck_assert_uint_eq(count_op(ir, op), 1);
    for (uint32_t o = 0; o < ir->order_count; o++)
        for (uint32_t i = 0; i < ir_block(ir, ir->order[o])->insts.count; i++)
            if (ir_value(ir, ir_block(ir, ir->order[o])->insts.at[i])->op == op)
                found = ir_value(ir, ir_block(ir, ir->order[o])->insts.at[i]);
    return found;
}

START_TEST(variables_become_values)
{
    struct ir *ir = simplified(HEAD "%v = OpVariable %pvar Function\nOpStore %v %one\n%a = OpLoad %int "
                                    "%v\n%b = OpIAdd %int %a %n\nOpStore %v %b\n"
                                    "%c = OpLoad %int %v\nOpStore %buffer %c\n" TAIL);
    ck_assert_uint_eq(count_op(ir, IR_load), 0);
    const struct value *store = only_op(ir, IR_store);
    ck_assert_int_eq(ir_value(ir, store->list[0])->op, IR_add);
    ck_assert(!ir->private_variables.at[0].live);
    interp_module_free(module);
}
END_TEST

START_TEST(a_variable_whose_address_is_computed_stays_in_memory)
{
    struct ir *ir =
        simplified("OpCapability Kernel\nOpCapability Addresses\nOpCapability Int64\nOpMemoryModel "
                   "Physical64 OpenCL\nOpEntryPoint Kernel %f \"k\"\n%void = OpTypeVoid\n"
                   "%int = OpTypeInt 32 0\n%four = OpConstant %int 4\n%array = OpTypeArray %int "
                   "%four\n%parray = OpTypePointer Function %array\n%pvar = OpTypePointer Function %int\n"
                   "%fn = OpTypeFunction %void %int\n%f = OpFunction %void None %fn\n%n = "
                   "OpFunctionParameter %int\n%entry = OpLabel\n%v = OpVariable %parray Function\n"
                   "%p = OpInBoundsAccessChain %pvar %v %n\nOpStore %p %four\n%x = OpLoad %int %p\nOpStore "
                   "%p %x\n" TAIL);
    ck_assert(ir->private_variables.at[0].live);
    ck_assert_uint_eq(count_op(ir, IR_store), 2);
    ck_assert_uint_eq(count_op(ir, IR_load), 1);
    interp_module_free(module);
}
END_TEST

/* Accesses that others can observe are never merged, removed or reordered, however redundant. */
START_TEST(global_accesses_all_stay_in_order)
{
    struct ir *ir =
        classified(HEAD "%a = OpLoad %int %buffer\n%b = OpLoad %int %buffer\nOpStore %buffer %a\nOpStore "
                        "%buffer %b\n%c = OpLoad %int %buffer\nOpStore %buffer %c\n" TAIL);
    static const enum ir_op expected[] = {IR_load, IR_load, IR_store, IR_store, IR_load, IR_store};
    uint32_t at = 0;
    for (uint32_t o = 0; o < ir->order_count; o++)
        for (uint32_t i = 0; i < ir_block(ir, ir->order[o])->insts.count; i++) {
            enum ir_op op = ir_value(ir, ir_block(ir, ir->order[o])->insts.at[i])->op;
            if (op == IR_load || op == IR_store) {
                ck_assert_uint_lt(at, 6);
                ck_assert_int_eq(op, expected[at++]);
            }
        }
    ck_assert_uint_eq(at, 6);
    interp_module_free(module);
}
END_TEST

START_TEST(constants_fold_as_two_complement)
{
    struct ir *ir =
        simplified(HEAD "%m = OpISub %int %zero %one\n%d = OpSDiv %int %m %zero\n%s = OpShiftLeftLogical "
                        "%int %one %ten\n%r = OpSRem %int %m %ten\n%t = OpIAdd %int %s %r\n"
                        "%u = OpIAdd %int %t %d\nOpStore %buffer %u\n" TAIL);
    const struct value *store = only_op(ir, IR_store);
    uint64_t bits = 0;
    ck_assert(ir_is_const(ir, store->list[0], &bits));
    ck_assert_uint_eq(bits, 1024 - 1 + 0); /* 1 << 10, -1 % 10, -1 / 0 = 0 */
    interp_module_free(module);
}
END_TEST

#define LOOP_TO(limit, body)                                                                            \
    "OpBranch %head\n%head = OpLabel\n%k = OpPhi %int %zero %entry %k1 %latch\n%c = OpSLessThan %bool " \
    "%k " limit "\n"                                                                                    \
    "OpBranchConditional %c %body %exit\n%body = OpLabel\n" body                                        \
    "OpBranch %latch\n%latch = OpLabel\n%k1 = OpIAdd %int %k %one\nOpBranch %head\n%exit = OpLabel\n"

START_TEST(a_loop_counter_to_an_argument_is_uniform)
{
    struct ir *ir = classified(HEAD ID LOOP_TO("%n", "OpStore %buffer %k\n") TAIL);
    ck_assert_int_eq(only_op(ir, IR_phi)->cls, CLASS_U);
    ck_assert_uint_eq(ir->loops.count, 1);
    ck_assert(!ir->loops.at[0].divergent);
    interp_module_free(module);
}
END_TEST

START_TEST(a_counter_that_leaves_a_loop_lane_by_lane_varies_outside)
{
    struct ir *ir = classified(HEAD ID "%w = OpBitwiseAnd %int %i %ten\n" LOOP_TO(
        "%w", "OpStore %buffer %k\n") "OpStore %buffer %k\n" TAIL);
    ck_assert_uint_eq(ir->loops.count, 1);
    ck_assert(ir->loops.at[0].divergent);
    uint32_t uniform = 0, varying = 0;
    for (uint32_t o = 0; o < ir->order_count; o++)
        for (uint32_t i = 0; i < ir_block(ir, ir->order[o])->insts.count; i++) {
            const struct value *v = ir_value(ir, ir_block(ir, ir->order[o])->insts.at[i]);
            if (v->op != IR_phi)
                continue;
            uniform += v->cls == CLASS_U;
            varying += v->cls == CLASS_V && v->masked;
        }
    ck_assert_uint_eq(uniform, 1); /* inside, all lanes are in the same iteration */
    ck_assert_uint_eq(varying, 1); /* after the exit they left at different ones */
    interp_module_free(module);
}
END_TEST

/* It costs time in every iteration: only loops that need it have it. */
START_TEST(barrier_in_a_uniform_loop_has_no_iteration_operand)
{
    struct ir *ir =
        classified(HEAD ID LOOP_TO("%n", "OpControlBarrier %two %two %ten\nOpStore %buffer %k\n") TAIL);
    ck_assert_uint_eq(only_op(ir, IR_barrier)->args[0], NONE);
    ck_assert_uint_eq(count_op(ir, IR_phi), 1);
    interp_module_free(module);
}
END_TEST

START_TEST(barrier_in_a_divergent_loop_has_an_iteration_operand)
{
    struct ir *ir =
        classified(HEAD ID LOOP_TO("%i", "OpControlBarrier %two %two %ten\nOpStore %buffer %k\n") TAIL);
    const struct value *iteration = ir_value(ir, only_op(ir, IR_barrier)->args[0]);
    ck_assert_int_eq(iteration->op, IR_phi);
    ck_assert_int_eq(iteration->cls, CLASS_U);
    ck_assert_uint_eq(iteration->block, ir->loops.at[0].header);
    interp_module_free(module);
}
END_TEST

/* Each wave loads it when it gets there, and another one may have written meanwhile. */
START_TEST(barrier_in_a_loop_that_memory_ends_has_an_iteration_operand)
{
    struct ir *ir = classified(
        HEAD ID "OpBranch %head\n%head = OpLabel\n%m = OpLoad %int %buffer\n%c = OpSLessThan %bool %m %ten\n"
                "OpBranchConditional %c %body %exit\n%body = OpLabel\nOpControlBarrier %two %two "
                "%ten\nOpBranch %head\n"
                "%exit = OpLabel\n" TAIL);
    ck_assert_uint_ne(only_op(ir, IR_barrier)->args[0], NONE);
    ck_assert(!ir->loops.at[0].divergent);
    interp_module_free(module);
}
END_TEST

START_TEST(the_global_id_is_affine_and_its_square_varies)
{
    struct ir *ir =
        classified(HEAD ID "%j = OpIAdd %int %i %n\n%q = OpIMul %int %j %j\nOpStore %buffer %q\n" TAIL);
    ck_assert_int_eq(only_op(ir, IR_add)->cls, CLASS_A);
    ck_assert_int_eq(only_op(ir, IR_mul)->cls, CLASS_V);
    interp_module_free(module);
}
END_TEST

START_TEST(small_diamonds_become_selects)
{
    struct ir *ir = classified(HEAD ID "%c = OpSLessThan %bool %i %n\nOpBranchConditional %c %yes %no\n%yes "
                                       "= OpLabel\n%a = OpIAdd %int %i %one\nOpBranch %join\n%no = OpLabel\n"
                                       "%b = OpISub %int %i %one\nOpBranch %join\n%join = OpLabel\n%p = "
                                       "OpPhi %int %a %yes %b %no\nOpStore %buffer %p\n" TAIL);
    ck_assert_uint_eq(count_op(ir, IR_phi), 0);
    ck_assert_uint_eq(count_op(ir, IR_select), 1);
    ck_assert_uint_eq(ir->order_count, 1);
    interp_module_free(module);
}
END_TEST

START_TEST(a_store_in_one_arm_keeps_the_branch)
{
    struct ir *ir =
        classified(HEAD ID "%c = OpSLessThan %bool %i %n\nOpBranchConditional %c %yes %join\n%yes = "
                           "OpLabel\nOpStore %buffer %i\nOpBranch %join\n%join = OpLabel\n" TAIL);
    ck_assert_uint_gt(ir->order_count, 1);
    ck_assert_uint_eq(count_op(ir, IR_store), 1);
    interp_module_free(module);
}
END_TEST

/* Blocks of a loop are neighbours in the order, the latch last; that is what makes lanes reconverge. */
START_TEST(loops_are_contiguous_with_one_latch)
{
    struct ir *ir = classified(HEAD ID LOOP_TO(
        "%n", "%odd = OpBitwiseAnd %int %k %i\n%z = OpIEqual %bool %odd %zero\nOpBranchConditional %z %early "
              "%more\n%early = OpLabel\nOpStore %buffer %k\nOpBranch %latch\n"
              "%more = OpLabel\nOpStore %buffer %one\n") TAIL);
    for (uint32_t l = 0; l < ir->loops.count; l++) {
        const struct loop *loop = &ir->loops.at[l];
        uint32_t low = UINT32_MAX, high = 0;
        for (uint32_t i = 0; i < loop->blocks.count; i++) {
            uint32_t at = ir_block(ir, loop->blocks.at[i])->order;
            low = at < low ? at : low;
            high = at > high ? at : high;
        }
        ck_assert_uint_eq(high - low + 1, loop->blocks.count);
        ck_assert_uint_eq(ir_block(ir, loop->header)->order, low);
        ck_assert_uint_eq(ir_block(ir, loop->latch)->order, high);
        uint32_t back = 0;
        for (uint32_t i = 0; i < ir_block(ir, loop->header)->pred_count; i++)
            back += loop->members[ir_block(ir, loop->header)->preds[i]];
        ck_assert_uint_eq(back, 1);
    }
    ck_assert_uint_eq(ir->loops.count, 1);
    interp_module_free(module);
}
END_TEST

static void refused(const char *text, const char *expected)
{
    struct spirv spirv = {0};
    char *log = NULL;
    memset(&diagnosis, 0, sizeof diagnosis);
    ck_assert_msg(spirv_assemble(text, &spirv, &log) == STATUS_OK, "%s", log);
    free(log);
    ck_assert_int_ne(interp_module_new(spirv.words, spirv.word_count, NULL, 0, &module, &diagnosis),
                     STATUS_OK);
    ck_assert_msg(strstr(diagnosis.text, expected) != NULL, "%s", diagnosis.text);
    spirv_fini(&spirv);
}

START_TEST(recursion_is_refused_by_name)
{
    refused("OpCapability Kernel\nOpCapability Addresses\nOpMemoryModel Physical64 OpenCL\nOpEntryPoint "
            "Kernel %f \"k\"\nOpName %g \"again\"\n%void = OpTypeVoid\n%fn = OpTypeFunction %void\n"
            "%f = OpFunction %void None %fn\n%a = OpLabel\n%r = OpFunctionCall %void "
            "%g\nOpReturn\nOpFunctionEnd\n%g = OpFunction %void None %fn\n%b = OpLabel\n%s = OpFunctionCall "
            "%void %g\nOpReturn\nOpFunctionEnd\n",
            "'again' calls itself");
}
END_TEST

/* Not at the first launch: the build of the program fails. */
START_TEST(unsupported_kernel_fails_the_build)
{
    refused("OpCapability Kernel\nOpCapability Addresses\nOpCapability Int8\nOpMemoryModel Physical64 "
            "OpenCL\nOpEntryPoint Kernel %f \"k\"\n%void = OpTypeVoid\n%int = OpTypeInt 32 0\n"
            "%char = OpTypeInt 8 0\n%p = OpTypePointer CrossWorkgroup %char\n%one = OpConstant %int 1\n%c = "
            "OpConstant %char 1\n%fn = OpTypeFunction %void %p\n%f = OpFunction %void None %fn\n"
            "%x = OpFunctionParameter %p\n%a = OpLabel\n%r = OpAtomicIAdd %char %x %one %one "
            "%c\nOpReturn\nOpFunctionEnd\n",
            "OpAtomicIAdd of 8 bits");
}
END_TEST

START_TEST(uninitialised_value_is_checked_at_its_use)
{
    struct ir *ir = lowered(
        HEAD "%v = OpVariable %pvar Function\n%a = OpLoad %int %v\n%c = OpIEqual %bool %a "
             "%one\nOpBranchConditional %c %yes %no\n%yes = OpLabel\nOpStore %buffer %one\nOpBranch %no\n"
             "%no = OpLabel\nOpStore %buffer %a\n" TAIL);
    promote_variables(ir);
    poison_track(ir);
    ck_assert_uint_eq((uint32_t)only_op(ir, IR_poison_check)->imm, FAULT_UNINITIALISED_BRANCH);
    ck_assert_uint_eq(count_op(ir, IR_poison_store), 2);
    interp_module_free(module);
}
END_TEST

START_TEST(preemption_points_stand_before_every_access)
{
    load(HEAD "%a = OpLoad %int %buffer\nOpStore %buffer %a\n" TAIL);
    if (setjmp(failed))
        ck_abort_msg("%s", diagnosis.text);
    struct ir *ir = lower_kernel(module, &module->entries.at[0], &(struct code_request){.preempt = true});
    cfg_build(ir);
    ck_assert_uint_eq(count_op(ir, IR_yield), 2);
    interp_module_free(module);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lower");
    TCase *tcase = tcase_create("lower");
    suite_add_tcase(suite, tcase);
    tcase_add_test(tcase, variables_become_values);
    tcase_add_test(tcase, a_variable_whose_address_is_computed_stays_in_memory);
    tcase_add_test(tcase, global_accesses_all_stay_in_order);
    tcase_add_test(tcase, constants_fold_as_two_complement);
    tcase_add_test(tcase, a_loop_counter_to_an_argument_is_uniform);
    tcase_add_test(tcase, a_counter_that_leaves_a_loop_lane_by_lane_varies_outside);
    tcase_add_test(tcase, barrier_in_a_uniform_loop_has_no_iteration_operand);
    tcase_add_test(tcase, barrier_in_a_divergent_loop_has_an_iteration_operand);
    tcase_add_test(tcase, barrier_in_a_loop_that_memory_ends_has_an_iteration_operand);
    tcase_add_test(tcase, the_global_id_is_affine_and_its_square_varies);
    tcase_add_test(tcase, small_diamonds_become_selects);
    tcase_add_test(tcase, a_store_in_one_arm_keeps_the_branch);
    tcase_add_test(tcase, loops_are_contiguous_with_one_latch);
    tcase_add_test(tcase, recursion_is_refused_by_name);
    tcase_add_test(tcase, unsupported_kernel_fails_the_build);
    tcase_add_test(tcase, uninitialised_value_is_checked_at_its_use);
    tcase_add_test(tcase, preemption_points_stand_before_every_access);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failures = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failures != 0;
}
