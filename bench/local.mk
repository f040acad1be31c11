# SPDX-License-Identifier: Apache-2.0
# Speed is no test: `make bench` builds the program and bench/compare runs it. make check only looks at its results.
EXTRA_DIST += %D%/README %D%/compare %D%/kernels.cl %D%/expected
if BUILD_TESTS
noinst_PROGRAMS += orrery-bench
orrery_bench_SOURCES = %D%/orrery_bench.c
orrery_bench_CPPFLAGS = $(OPENCL_CFLAGS) -DBENCH_KERNELS='"$(abs_top_srcdir)/%D%/kernels.cl"'
orrery_bench_LDADD = $(OPENCL_LIBS) -lm
noinst_PROGRAMS += orrery-bench-runtime
orrery_bench_runtime_SOURCES = %D%/runtime.c
orrery_bench_runtime_CPPFLAGS = $(OPENCL_CFLAGS)
orrery_bench_runtime_LDADD = $(OPENCL_LIBS)
bench: orrery-bench$(EXEEXT) liborrery.la
endif
