# SPDX-License-Identifier: Apache-2.0
# Each target replays its corpus under make check. With --enable-fuzz the same files become libFuzzer's, which
# tests/fuzz/run.sh starts.
if BUILD_TESTS
fuzz_targets = \
	%D%/fuzz_binary \
	%D%/fuzz_calls \
	%D%/fuzz_litmus \
	%D%/fuzz_module \
	%D%/fuzz_options \
	%D%/fuzz_replay \
	%D%/fuzz_run \
	%D%/fuzz_scenario \
	%D%/fuzz_suppressions \
	%D%/fuzz_threads \
	%D%/fuzz_topology \
	%D%/fuzz_xml
if FUZZ
noinst_PROGRAMS += $(fuzz_targets)
fuzz_driver = %D%/fuzz.h
fuzz_flags = -fsanitize=fuzzer
else
check_PROGRAMS += $(fuzz_targets)
fuzz_driver = %D%/fuzz_main.c %D%/fuzz.h
fuzz_flags =
endif

module_mutator = \
	%D%/draft.c \
	%D%/draft.h \
	%D%/mutate_declaration.c \
	%D%/mutate_flow.c \
	%D%/mutate_instruction.c \
	%D%/mutate_module.c \
	%D%/mutate_module.h \
	%D%/mutate_operand.c \
	%D%/splice_module.c

fuzz_calls = \
	%D%/calls.c \
	%D%/calls.def \
	%D%/calls.h \
	%D%/calls_callbacks.c \
	%D%/calls_devices.c \
	%D%/calls_draw.c \
	%D%/calls_events.c \
	%D%/calls_kernels.c \
	%D%/calls_memory.c \
	%D%/calls_programs.c \
	%D%/calls_queries.c \
	%D%/calls_sequence.h \
	%D%/calls_svm.c \
	%D%/calls_transfers.c
if FUZZ
fuzz_calls += %D%/calls_mutate.c
else
EXTRA_DIST += %D%/calls_mutate.c
endif

%C%_fuzz_binary_SOURCES = %D%/fuzz_binary.c $(module_mutator) $(fuzz_driver)
%C%_fuzz_binary_LDADD = libapi.a $(SIM_LIBS)
%C%_fuzz_binary_LDFLAGS = $(AM_LDFLAGS) $(fuzz_flags)

%C%_fuzz_calls_SOURCES = %D%/fuzz_calls.c $(fuzz_calls) $(fuzz_driver)
%C%_fuzz_calls_LDADD = libapi.a $(SIM_LIBS)
%C%_fuzz_calls_LDFLAGS = $(AM_LDFLAGS) $(fuzz_flags)

%C%_fuzz_litmus_SOURCES = %D%/fuzz_litmus.c %D%/mutate_text.c $(fuzz_driver)
%C%_fuzz_litmus_LDADD = $(SIM_LIBS)
%C%_fuzz_litmus_LDFLAGS = $(AM_LDFLAGS) $(fuzz_flags)

%C%_fuzz_module_SOURCES = %D%/fuzz_module.c %D%/fuzz_mutator.c $(module_mutator) $(fuzz_driver)
%C%_fuzz_module_LDADD = $(SIM_LIBS)
%C%_fuzz_module_LDFLAGS = $(AM_LDFLAGS) $(fuzz_flags)

%C%_fuzz_options_SOURCES = %D%/fuzz_options.c %D%/mutate_text.c $(fuzz_driver)
%C%_fuzz_options_LDADD = $(SIM_LIBS)
%C%_fuzz_options_LDFLAGS = $(AM_LDFLAGS) $(fuzz_flags)

%C%_fuzz_replay_SOURCES = %D%/fuzz_replay.c %D%/mutate_text.c $(fuzz_driver)
%C%_fuzz_replay_LDADD = $(SIM_LIBS)
%C%_fuzz_replay_LDFLAGS = $(AM_LDFLAGS) $(fuzz_flags)

%C%_fuzz_run_SOURCES = %D%/fuzz_run.c %D%/fuzz_launch.c %D%/fuzz_launch.h %D%/fuzz_mutator.c $(module_mutator) $(fuzz_driver)
%C%_fuzz_run_LDADD = $(SIM_LIBS)
%C%_fuzz_run_LDFLAGS = $(AM_LDFLAGS) $(fuzz_flags)

%C%_fuzz_scenario_SOURCES = %D%/fuzz_scenario.c %D%/mutate_text.c $(fuzz_driver)
%C%_fuzz_scenario_LDADD = $(SIM_LIBS)
%C%_fuzz_scenario_LDFLAGS = $(AM_LDFLAGS) $(fuzz_flags)

%C%_fuzz_suppressions_SOURCES = %D%/fuzz_suppressions.c %D%/mutate_text.c %D%/fuzz_file.h $(fuzz_driver)
%C%_fuzz_suppressions_LDADD = $(SIM_LIBS)
%C%_fuzz_suppressions_LDFLAGS = $(AM_LDFLAGS) $(fuzz_flags)

%C%_fuzz_threads_SOURCES = %D%/fuzz_threads.c $(fuzz_calls) $(fuzz_driver)
%C%_fuzz_threads_LDADD = libapi.a $(SIM_LIBS)
%C%_fuzz_threads_LDFLAGS = $(AM_LDFLAGS) $(fuzz_flags)

%C%_fuzz_topology_SOURCES = %D%/fuzz_topology.c %D%/mutate_text.c $(fuzz_driver)
%C%_fuzz_topology_LDADD = $(SIM_LIBS)
%C%_fuzz_topology_LDFLAGS = $(AM_LDFLAGS) $(fuzz_flags)

%C%_fuzz_xml_SOURCES = %D%/fuzz_xml.c %D%/mutate_text.c %D%/fuzz_file.h $(fuzz_driver)
%C%_fuzz_xml_LDADD = $(SIM_LIBS)
%C%_fuzz_xml_LDFLAGS = $(AM_LDFLAGS) $(fuzz_flags)

endif

EXTRA_DIST += %D%/corpus %D%/run.sh
