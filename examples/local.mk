# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/out_of_bounds.cl
if BUILD_TESTS
noinst_PROGRAMS += %D%/out_of_bounds
%C%_out_of_bounds_SOURCES = %D%/out_of_bounds.c
%C%_out_of_bounds_CPPFLAGS = $(OPENCL_CFLAGS)
%C%_out_of_bounds_LDADD = $(OPENCL_LIBS)
endif
