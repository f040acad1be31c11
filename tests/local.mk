# SPDX-License-Identifier: Apache-2.0
# One block per test program:
#
#   check_PROGRAMS += %D%/check_rng
#   %C%_check_rng_SOURCES = %D%/check_rng.c
#   %C%_check_rng_LDADD = libsim.la $(CHECK_LIBS)
#
# Tests of the API link $(OPENCL_LIBS) $(CHECK_LIBS) instead of libsim.la and reach the library through the loader
# (OCL_ICD_VENDORS is set). Tests that need MPFR add $(MPFR_LIBS). Scripts are listed in TESTS and EXTRA_DIST.
if BUILD_TESTS
endif

test_scripts = \
	%D%/check_demo.sh \
	%D%/check_layers.sh \
	%D%/check_repeat.sh \
	%D%/check_tables.sh \
	%D%/check_vector.sh

TESTS += $(check_PROGRAMS) $(test_scripts)
EXTRA_DIST += $(test_scripts)
