# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/labs/histogram.cl %D%/labs/matmul.cl %D%/labs/matmul.yaml %D%/labs/sb.litmus %D%/labs/sum.cl
EXTRA_DIST += %D%/labs/CMakeLists.txt %D%/labs/sum_fixed.cl %D%/labs/sum.py %D%/labs/sum_test.c %D%/labs/test_sum.py
EXTRA_DIST += %D%/message_passing.cl %D%/out_of_bounds.cl %D%/lost_update.cl %D%/two_kernels.cl
if BUILD_TESTS
noinst_PROGRAMS += %D%/out_of_bounds
%C%_out_of_bounds_SOURCES = %D%/out_of_bounds.c %D%/start.h
%C%_out_of_bounds_CPPFLAGS = $(OPENCL_CFLAGS)
%C%_out_of_bounds_LDADD = $(OPENCL_LIBS)
noinst_PROGRAMS += %D%/message_passing
%C%_message_passing_SOURCES = %D%/message_passing.c %D%/start.h
%C%_message_passing_CPPFLAGS = $(OPENCL_CFLAGS)
%C%_message_passing_LDADD = $(OPENCL_LIBS)
noinst_PROGRAMS += %D%/lost_update
%C%_lost_update_SOURCES = %D%/lost_update.c %D%/start.h
%C%_lost_update_CPPFLAGS = $(OPENCL_CFLAGS)
%C%_lost_update_LDADD = $(OPENCL_LIBS)
noinst_PROGRAMS += %D%/two_kernels
%C%_two_kernels_SOURCES = %D%/two_kernels.c %D%/start.h
%C%_two_kernels_CPPFLAGS = $(OPENCL_CFLAGS)
%C%_two_kernels_LDADD = $(OPENCL_LIBS)
noinst_PROGRAMS += %D%/host_order
%C%_host_order_SOURCES = %D%/host_order.c
%C%_host_order_CPPFLAGS = $(OPENCL_CFLAGS)
%C%_host_order_LDADD = $(OPENCL_LIBS)

# A test suite of kernels is one of ours, too.
check_PROGRAMS += %D%/test_suite/test_suite
%C%_test_suite_test_suite_SOURCES = %D%/test_suite/test_suite.c
%C%_test_suite_test_suite_CPPFLAGS = -I$(top_srcdir)/include $(OPENCL_CFLAGS)
%C%_test_suite_test_suite_LDADD = liborrery.la $(CHECK_LIBS)
%C%_test_suite_test_suite_LDFLAGS = $(AM_LDFLAGS)
endif

if BUILD_TESTS
noinst_PROGRAMS += %D%/partition_explorer/partition_explorer
%C%_partition_explorer_partition_explorer_SOURCES = %D%/partition_explorer/partition_explorer.c
%C%_partition_explorer_partition_explorer_CPPFLAGS = $(OPENCL_CFLAGS)
%C%_partition_explorer_partition_explorer_LDADD = $(OPENCL_LIBS)

noinst_PROGRAMS += %D%/cslice/cslice
%C%_cslice_cslice_SOURCES = %D%/cslice/cslice.c
%C%_cslice_cslice_CPPFLAGS = $(OPENCL_CFLAGS) -I$(srcdir)/include
%C%_cslice_cslice_LDADD = $(OPENCL_LIBS)
endif
