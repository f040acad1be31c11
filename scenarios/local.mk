# SPDX-License-Identifier: Apache-2.0
# litmus/ is for tests/check_litmus.sh. Each scenario listed here is a test, run by `orrery check`. demo.yaml has a host program: tests/check_demo.sh.
scenario_tests = \
	%D%/clean/async_copy.yaml \
	%D%/clean/atomics.yaml \
	%D%/clean/barrier_in_loop.yaml \
	%D%/clean/checks_off.yaml \
	%D%/clean/collectives.yaml \
	%D%/clean/deep_calls.yaml \
	%D%/clean/divergence.yaml \
	%D%/clean/division.yaml \
	%D%/clean/initialised.yaml \
	%D%/clean/null_argument.yaml \
	%D%/clean/partial_group.yaml \
	%D%/clean/printf.yaml \
	%D%/clean/program_scope.yaml \
	%D%/clean/reduction.yaml \
	%D%/clean/shared_buffer.yaml \
	%D%/clean/struct_arguments.yaml \
	%D%/clean/sub_groups.yaml \
	%D%/clean/three_dimensions.yaml \
	%D%/clean/uninitialised_unused.yaml \
	%D%/clean/absent_dimension.yaml \
	%D%/clean/bit_fields.yaml \
	%D%/clean/float_atomics.yaml \
	%D%/clean/vectors.yaml \
	%D%/clean/wide_types.yaml \
	%D%/faulty/barrier_divergence.yaml \
	%D%/faulty/collective_divergence.yaml \
	%D%/faulty/endless_loop.yaml \
	%D%/faulty/global_before.yaml \
	%D%/faulty/global_far.yaml \
	%D%/faulty/global_read.yaml \
	%D%/faulty/global_write.yaml \
	%D%/faulty/local_read.yaml \
	%D%/faulty/local_write.yaml \
	%D%/faulty/misaligned.yaml \
	%D%/faulty/missing_wait.yaml \
	%D%/faulty/null_read.yaml \
	%D%/faulty/null_write.yaml \
	%D%/faulty/private_overflow.yaml \
	%D%/faulty/private_read.yaml \
	%D%/faulty/private_write.yaml \
	%D%/faulty/read_only_write.yaml \
	%D%/faulty/two_barriers.yaml \
	%D%/faulty/two_places.yaml \
	%D%/faulty/uninitialised_address.yaml \
	%D%/faulty/uninitialised_branch.yaml \
	%D%/faulty/uninitialised_local.yaml \
	%D%/faulty/uninitialised_private.yaml \
	%D%/faulty/uninitialised_store.yaml \
	%D%/faulty/unreachable.yaml \
	%D%/faulty/warnings.yaml \
	%D%/faulty/write_only_read.yaml \
	%D%/racy/message_passing_scope.yaml

# Kernels and other files that scenarios name.
scenario_files = \
	%D%/demo.yaml \
	%D%/clean/async_copy.cl \
	%D%/clean/atomics.cl \
	%D%/clean/barrier_in_loop.cl \
	%D%/clean/checks_off.cl \
	%D%/clean/collectives.cl \
	%D%/clean/deep_calls.cl \
	%D%/clean/divergence.cl \
	%D%/clean/division.cl \
	%D%/clean/initialised.cl \
	%D%/clean/null_argument.cl \
	%D%/clean/partial_group.cl \
	%D%/clean/printf.cl \
	%D%/clean/program_scope.cl \
	%D%/clean/reduction.cl \
	%D%/clean/shared_buffer.cl \
	%D%/clean/struct_arguments.cl \
	%D%/clean/sub_groups.cl \
	%D%/clean/three_dimensions.cl \
	%D%/clean/uninitialised_unused.cl \
	%D%/clean/absent_dimension.cl \
	%D%/clean/bit_fields.cl \
	%D%/clean/float_atomics.spvasm \
	%D%/clean/vectors.cl \
	%D%/clean/wide_types.cl \
	%D%/faulty/barrier_divergence.cl \
	%D%/faulty/collective_divergence.cl \
	%D%/faulty/endless_loop.cl \
	%D%/faulty/global_before.cl \
	%D%/faulty/global_far.cl \
	%D%/faulty/global_read.cl \
	%D%/faulty/global_write.cl \
	%D%/faulty/local_read.cl \
	%D%/faulty/local_write.cl \
	%D%/faulty/misaligned.cl \
	%D%/faulty/missing_wait.cl \
	%D%/faulty/null_read.cl \
	%D%/faulty/null_write.cl \
	%D%/faulty/private_overflow.cl \
	%D%/faulty/private_read.cl \
	%D%/faulty/private_write.cl \
	%D%/faulty/read_only_write.cl \
	%D%/faulty/two_barriers.cl \
	%D%/faulty/two_places.cl \
	%D%/faulty/uninitialised_address.cl \
	%D%/faulty/uninitialised_branch.cl \
	%D%/faulty/uninitialised_local.cl \
	%D%/faulty/uninitialised_private.cl \
	%D%/faulty/uninitialised_store.cl \
	%D%/faulty/unreachable.cl \
	%D%/faulty/warnings.cl \
	%D%/faulty/write_only_read.cl \
	%D%/racy/message_passing_scope.cl

TESTS += $(scenario_tests)
EXTRA_DIST += $(scenario_tests) $(scenario_files) %D%/litmus
