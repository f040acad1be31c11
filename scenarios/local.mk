# SPDX-License-Identifier: Apache-2.0
# Each scenario listed here is a test, run by `orrery check`. demo.yaml has a host program: tests/check_demo.sh.
scenario_tests =

# Kernels and other files that scenarios name.
scenario_files = \
	%D%/demo.yaml

TESTS += $(scenario_tests)
EXTRA_DIST += $(scenario_tests) $(scenario_files)
