# SPDX-License-Identifier: Apache-2.0
# Each target replays its corpus under make check. For libFuzzer build the same file without fuzz_main.c:
#
#   configure CC=clang CFLAGS='-g -O1 -fsanitize=fuzzer-no-link' --enable-asan --enable-ubsan, then link with
#   -fsanitize=fuzzer
if BUILD_TESTS
fuzz_driver = %D%/fuzz_main.c %D%/fuzz.h

check_PROGRAMS += %D%/fuzz_module
%C%_fuzz_module_SOURCES = %D%/fuzz_module.c $(fuzz_driver)
%C%_fuzz_module_LDADD = libsim.la

check_PROGRAMS += %D%/fuzz_run
%C%_fuzz_run_SOURCES = %D%/fuzz_run.c $(fuzz_driver)
%C%_fuzz_run_LDADD = libsim.la

check_PROGRAMS += %D%/fuzz_scenario
%C%_fuzz_scenario_SOURCES = %D%/fuzz_scenario.c $(fuzz_driver)
%C%_fuzz_scenario_LDADD = libsim.la

check_PROGRAMS += %D%/fuzz_options
%C%_fuzz_options_SOURCES = %D%/fuzz_options.c $(fuzz_driver)
%C%_fuzz_options_LDADD = libsim.la
endif

EXTRA_DIST += %D%/corpus
