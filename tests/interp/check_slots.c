/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The check of slots: code in which waiting lanes lose a value is found, code that keeps it is not. With
 * files of OpenCL C as arguments, each kernel of each file is checked, for every lane width, with and without
 * preemption points, the check for uninitialised values and optimisation.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/interp/interp.h"
#include "sim/interp/slot_check.h"
#include "orrery/compiler.h"
#include "tests/support/compile_request.h"

/* Slots of the code below: a condition, the counter of a loop, and what leaves the loop. */
enum { COND = 1024, COUNT = 1088, RESULT = 1152, ONE = 0, FIXTURE_INSNS = 16, FIXTURE_BLOCKS = 5 };

struct fixture {
    struct insn insns[FIXTURE_INSNS];
    uint16_t ops[FIXTURE_INSNS];
    uint32_t starts[FIXTURE_BLOCKS], count, blocks;
    struct slot_undefined undefined;
    uint32_t undefined_count;
};

static void put(struct fixture *f, enum op op, uint32_t d, uint32_t a, uint32_t e, uint32_t f_)
{
    f->ops[f->count] = (uint16_t)op;
    f->insns[f->count++] = (struct insn){.d = d, .a = a, .e = e, .f = f_};
}

static void begin(struct fixture *f)
{
    f->starts[f->blocks++] = f->count;
}

/* Lanes leave a loop (block 1) one by one to block 2, which waits there with what `keep` put into RESULT. */
static void put_loop(struct fixture *f, enum op keep, bool reads_result)
{
    begin(f);
    put(f, OP_splat_32, COUNT, ONE, 0, 0);
    put(f, OP_jump, 0, 0, 1, 0);
    begin(f);
    put(f, OP_add_32_vu, COUNT, COUNT, 0, 0);
    put(f, keep, RESULT, COUNT, 0, 0);
    put(f, OP_ieq_32_vu, COND, COUNT, 0, 0);
    put(f, OP_branch_v, 0, COND, 2, 1);
    begin(f);
    put(f, OP_st_u_32, reads_result ? RESULT : COND, ONE, 0, 1);
    put(f, OP_ret, 0, 0, 0, 0);
}

static bool accepted(const struct fixture *f, struct slot_fault *fault)
{
    struct arena arena = {0};
    jmp_buf no_memory;
    const struct code code = {.insns = (struct insn *)f->insns,
                              .insn_count = f->count,
                              .ops = (uint16_t *)f->ops,
                              .block_start = f->starts,
                              .block_count = f->blocks,
                              .undefined = &f->undefined,
                              .undefined_count = f->undefined_count};
    arena.out_of_memory = &no_memory;
    ck_assert(!setjmp(no_memory));
    const bool right = slot_check(&code, &arena, fault);
    arena_free(&arena);
    return right;
}

START_TEST(value_past_its_loop_overwritten_by_the_next_iteration_is_found)
{
    struct fixture f = {0};
    struct slot_fault fault;
    put_loop(&f, OP_mov_32, true);
    ck_assert(!accepted(&f, &fault));
    ck_assert_uint_eq(fault.insn, 3);
    ck_assert_uint_eq(fault.slot, RESULT);
    ck_assert_uint_eq(fault.waits_at, 2);
    ck_assert_uint_eq(fault.from, 1);
}
END_TEST

/* The condition itself is read by waiting lanes: each iteration writes it anew. */
START_TEST(a_mask_that_is_read_after_the_loop_is_found)
{
    struct fixture f = {0};
    struct slot_fault fault;
    put_loop(&f, OP_movm_32, false);
    ck_assert(!accepted(&f, &fault));
    ck_assert_uint_eq(fault.slot, COND);
}
END_TEST

START_TEST(a_copy_of_active_lanes_keeps_the_value)
{
    struct fixture f = {0};
    struct slot_fault fault;
    put_loop(&f, OP_movm_32, true);
    ck_assert(accepted(&f, &fault));
}
END_TEST

START_TEST(a_loop_that_all_leave_together_may_write_it)
{
    struct fixture f = {0};
    struct slot_fault fault;
    put_loop(&f, OP_mov_32, true);
    f.ops[5] = OP_branch_u;
    ck_assert(accepted(&f, &fault));
}
END_TEST

/* Block 0 parts lanes: some run block 1, which writes RESULT, the others wait at block 2, which reads it. */
static void put_branch(struct fixture *f, enum op before)
{
    begin(f);
    put(f, before, RESULT, ONE, 0, 0);
    put(f, OP_branch_v, 0, COND, 1, 2);
    begin(f);
    put(f, OP_splat_32, RESULT, ONE, 0, 0);
    put(f, OP_jump, 0, 0, 2, 0);
    begin(f);
    put(f, OP_st_u_32, RESULT, ONE, 0, 1);
    put(f, OP_ret, 0, 0, 0, 0);
}

START_TEST(branch_side_that_overwrites_the_other_sides_value_is_found)
{
    struct fixture f = {0};
    struct slot_fault fault;
    put_branch(&f, OP_splat_32);
    ck_assert(!accepted(&f, &fault));
    ck_assert_uint_eq(fault.insn, 2);
    f.ops[2] = OP_movmu_32;
    ck_assert(accepted(&f, &fault));
}
END_TEST

START_TEST(slot_undefined_on_the_edge_may_be_overwritten)
{
    struct fixture f = {.undefined = {0, 2, RESULT}, .undefined_count = 1};
    struct slot_fault fault;
    put_branch(&f, OP_splat_32);
    ck_assert(accepted(&f, &fault));
}
END_TEST

/* ---- files --------------------------------------------------------------------------- */

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;
    if (!file || getdelim(&text, &size, '\0', file) < 0) {
        fprintf(stderr, "%s: cannot be read\n", path);
        exit(2);
    }
    fclose(file);
    return text;
}

static struct module *compiled(const char *path)
{
    char *text = read_file(path), *log = NULL;
    struct compile_request request = request_for(text, "-cl-std=CL2.0");
    request.source_name = path;
    struct spirv spirv = {0};
    struct diagnosis diagnosis = {0};
    struct module *module = NULL;
    if (compile_opencl_c(&request, &spirv, &log) != STATUS_OK ||
        interp_module_new(spirv.words, spirv.word_count, NULL, 0, &module, &diagnosis) != STATUS_OK) {
        fprintf(stderr, "%s: %s%s\n", path, log ? log : "", diagnosis.text);
        exit(2);
    }
    spirv_fini(&spirv);
    free(log);
    free(text);
    return module;
}

static bool check_code(const char *path, const char *kernel, struct module *module,
                       const struct code_request *request)
{
    struct arena arena = {0};
    struct diagnosis diagnosis = {0};
    const struct code *code;
    struct slot_fault fault;
    jmp_buf no_memory;
    arena.out_of_memory = &no_memory;
    if (setjmp(no_memory) || interp_code(module, request, &code, &diagnosis) != STATUS_OK) {
        fprintf(stderr, "%s: %s: %s\n", path, kernel, diagnosis.text);
        exit(2);
    }
    const bool right = slot_check(code, &arena, &fault);
    arena_free(&arena);
    if (!right)
        printf("%s: kernel %s, width %u, preempt %d, poison %d: instruction %u (%s) writes slot %u, which "
               "lanes that wait "
               "at block %u, come from block %u, read later\n",
               path, kernel, request->width, request->preempt, request->poison, fault.insn,
               op_names[code->ops[fault.insn]], fault.slot, fault.waits_at, fault.from);
    return right;
}

static int check_file(const char *path)
{
    static const uint32_t widths[] = {16, 64, 256};
    struct module *module = compiled(path);
    int bad = 0;
    for (size_t kernel = 0; kernel < interp_kernel_count(module); kernel++)
        for (uint32_t form = 0; form < 3 * 8; form++) {
            const struct code_request request = {.kernel = kernel,
                                                 .width = widths[form % 3],
                                                 .preempt = form / 3 & 1,
                                                 .poison = form / 6 & 1,
                                                 .unoptimised = form / 12 & 1};
            bad += !check_code(path, interp_kernel_info(module, kernel)->name, module, &request);
        }
    interp_module_free(module);
    return bad;
}

int main(int argc, char **argv)
{
    int bad = 0;
    for (int i = 1; i < argc; i++)
        bad += check_file(argv[i]);
    if (argc > 1)
        return bad != 0;
    Suite *suite = suite_create("slots");
    TCase *tcase = tcase_create("slots");
    suite_add_tcase(suite, tcase);
    tcase_add_test(tcase, value_past_its_loop_overwritten_by_the_next_iteration_is_found);
    tcase_add_test(tcase, a_mask_that_is_read_after_the_loop_is_found);
    tcase_add_test(tcase, a_copy_of_active_lanes_keeps_the_value);
    tcase_add_test(tcase, a_loop_that_all_leave_together_may_write_it);
    tcase_add_test(tcase, branch_side_that_overwrites_the_other_sides_value_is_found);
    tcase_add_test(tcase, slot_undefined_on_the_edge_may_be_overwritten);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    bad = srunner_ntests_failed(runner);
    srunner_free(runner);
    return bad != 0;
}
