# SPDX-License-Identifier: Apache-2.0
# libapi.la is the API without the simulator: liborrery.la has both, and so have tests that look inside.
noinst_LTLIBRARIES += libapi.la
libapi_la_SOURCES = \
	%D%/absent.c \
	%D%/api.h \
	%D%/api_rows.def \
	%D%/build.c \
	%D%/built_in.c \
	%D%/built_in.h \
	%D%/call.c \
	%D%/call.h \
	%D%/callback.c \
	%D%/callback.h \
	%D%/caller.c \
	%D%/caller.h \
	%D%/command.c \
	%D%/command_buffer.c \
	%D%/command.def \
	%D%/command.h \
	%D%/context.c \
	%D%/context.h \
	%D%/destructor.c \
	%D%/destructor.h \
	%D%/device.c \
	%D%/device_queue.c \
	%D%/device_queue.h \
	%D%/device_info.def \
	%D%/device_info.h \
	%D%/device_memory.c \
	%D%/device_spirv.c \
	%D%/device_spirv.h \
	%D%/dispatch.c \
	%D%/enqueue.c \
	%D%/enqueue.h \
	%D%/enqueue_buffer.c \
	%D%/enqueue_image.c \
	%D%/enqueue_kernel.c \
	%D%/enqueue_map.c \
	%D%/enqueue_native.c \
	%D%/enqueue_rect.c \
	%D%/enqueue_svm.c \
	%D%/enqueue_sync.c \
	%D%/environment.c \
	%D%/error.c \
	%D%/error.h \
	%D%/event.c \
	%D%/event.h \
	%D%/executor.c \
	%D%/executor.h \
	%D%/expectation.c \
	%D%/expectation.h \
	%D%/exports.c \
	%D%/fault.c \
	%D%/fault.h \
	%D%/fission.c \
	%D%/graph.c \
	%D%/graph.h \
	%D%/guard.c \
	%D%/guard.h \
	%D%/guard_catch.c \
	%D%/guard_state.h \
	%D%/host_place.c \
	%D%/host_place.h \
	%D%/host_use.c \
	%D%/host_use.h \
	%D%/host_bytes.c \
	%D%/host_bytes.h \
	%D%/shared_bytes.c \
	%D%/shared_bytes.h \
	%D%/host_log.c \
	%D%/host_log.h \
	%D%/icd.c \
	%D%/image.c \
	%D%/image.h \
	%D%/info.c \
	%D%/info.h \
	%D%/intel.c \
	%D%/intel.h \
	%D%/kernel.c \
	%D%/kernel_info.c \
	%D%/map_doubt.c \
	%D%/map_doubt.h \
	%D%/memobj.c \
	%D%/memobj.h \
	%D%/thread_state.c \
	%D%/thread_state.h \
	%D%/usage.c \
	%D%/usage.h \
	%D%/usage_pending.c \
	%D%/usage_shared.c \
	%D%/object.c \
	%D%/object.def \
	%D%/object.h \
	%D%/order.c \
	%D%/order.h \
	%D%/orrery_api.c \
	%D%/orrery_api.h \
	%D%/partition.c \
	%D%/partition.def \
	%D%/pipe.c \
	%D%/platform.c \
	%D%/program.c \
	%D%/program.h \
	%D%/program_binary.c \
	%D%/program_build.c \
	%D%/queue.c \
	%D%/queue.h \
	%D%/queue_family.c \
	%D%/queue_family.h \
	%D%/ready.c \
	%D%/ready.h \
	%D%/root.c \
	%D%/root.h \
	%D%/runtime.c \
	%D%/runtime.h \
	%D%/sampler.c \
	%D%/saved.c \
	%D%/saved.h \
	%D%/semaphore.c \
	%D%/selector.c \
	%D%/subdevice.c \
	%D%/subdevice.h \
	%D%/svm.c \
	%D%/svm.h \
	%D%/tokens.h \
	%D%/transfer.h \
	%D%/usm.c \
	%D%/version.c \
	%D%/version.def \
	%D%/version.h \
	%D%/wait.c
lib_LTLIBRARIES += liborrery.la
liborrery_la_SOURCES =
liborrery_la_LIBADD = libapi.la libsim.la
# No -fvisibility=hidden: CL_API_ENTRY is empty on Linux, both together export nothing. -Bsymbolic keeps our
# own calls ours when a loader that exports the same names is in the process.
liborrery_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 -export-symbols $(srcdir)/%D%/icd.sym \
	-Wl,-Bsymbolic $(UNRESOLVED_FLAGS)
EXTRA_liborrery_la_DEPENDENCIES = %D%/icd.sym
EXTRA_DIST += %D%/icd.sym %D%/orrery.pc.in

# Preloaded by the command while a run is recorded or replayed. Never instrumented: it comes before every runtime.
pkglib_LTLIBRARIES = liborrery_threads.la
liborrery_threads_la_SOURCES = \
	%D%/ending_preload.c \
	%D%/lock_log.c \
	%D%/lock_log.h \
	%D%/locks_preload.c \
	%D%/threads_preload.c
liborrery_threads_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared

include_orrerydir = $(includedir)/orrery
include_orrery_HEADERS = include/orrery/orrery.h
include_CLdir = $(includedir)/CL
include_CL_HEADERS = include/CL/cl_orrery_counters.h include/CL/cl_orrery_cslice.h

pkgconfigdir = $(libdir)/pkgconfig
pkgconfig_DATA = %D%/orrery.pc

# icd/orrery.icd names the library in this build tree: OCL_ICD_VENDORS=.../build/icd works from any directory.
# share/orrery.icd names the installed one and stays inactive unless --with-icd-dir was given.
noinst_DATA += icd/orrery.icd
icd/orrery.icd: liborrery.la
	$(AM_V_GEN)mkdir -p icd && echo '$(abs_builddir)/.libs/liborrery.so' > $@
share/orrery.icd: Makefile
	$(AM_V_GEN)mkdir -p share && echo '$(libdir)/liborrery.so' > $@
icddir = $(pkgdatadir)
icd_DATA = share/orrery.icd
if ICD_ACTIVE
activedir = $(icd_active_dir)
active_DATA = share/orrery.icd
endif
