# SPDX-License-Identifier: Apache-2.0
# libapi.la is the API without the simulator: liborrery.la has both, and so have tests that look inside.
noinst_LTLIBRARIES += libapi.la
libapi_la_SOURCES = \
	%D%/diagnose/absent.c \
	%D%/api.h \
	%D%/api_rows.def \
	%D%/program_compile.c \
	%D%/built_in.c \
	%D%/built_in.h \
	%D%/diagnose/call.c \
	%D%/diagnose/call.h \
	%D%/callback.c \
	%D%/callback.h \
	%D%/diagnose/caller.c \
	%D%/diagnose/caller.h \
	%D%/command.c \
	%D%/command_buffer.c \
	%D%/command.def \
	%D%/command.h \
	%D%/context.c \
	%D%/context.h \
	%D%/destructor.c \
	%D%/destructor.h \
	%D%/api_device.c \
	%D%/api_device_queue.c \
	%D%/api_device_queue.h \
	%D%/device_info.def \
	%D%/device_info.h \
	%D%/device_memory.c \
	%D%/device_spirv.c \
	%D%/device_spirv.h \
	%D%/dispatch.c \
	%D%/enqueue_command.c \
	%D%/enqueue_command.h \
	%D%/enqueue_buffer.c \
	%D%/enqueue_image.c \
	%D%/enqueue_kernel.c \
	%D%/enqueue_map.c \
	%D%/enqueue_native.c \
	%D%/enqueue_rect.c \
	%D%/enqueue_svm.c \
	%D%/enqueue_sync.c \
	%D%/debug_session.c \
	%D%/debug_session.h \
	%D%/environment.c \
	%D%/error.c \
	%D%/error.h \
	%D%/event.c \
	%D%/event.h \
	%D%/executor.c \
	%D%/executor.h \
	%D%/diagnose/expectation.c \
	%D%/diagnose/expectation.h \
	%D%/exports.c \
	%D%/diagnose/injected_fault.c \
	%D%/diagnose/injected_fault.h \
	%D%/fission.c \
	%D%/graph.c \
	%D%/graph.h \
	%D%/host/guard.c \
	%D%/host/guard.h \
	%D%/host/guard_catch.c \
	%D%/host/guard_state.h \
	%D%/host/host_place.c \
	%D%/host/host_place.h \
	%D%/host/host_use.c \
	%D%/host/host_use.h \
	%D%/host/host_bytes.c \
	%D%/host/host_gone.c \
	%D%/host/host_gone.h \
	%D%/host/host_bytes.h \
	%D%/host/shared_bytes.c \
	%D%/host/shared_bytes.h \
	%D%/record/host_clock.c \
	%D%/record/host_clock.h \
	%D%/record/host_log.c \
	%D%/record/host_log.h \
	%D%/icd.c \
	%D%/api_image.c \
	%D%/api_image.h \
	%D%/info.c \
	%D%/info.h \
	%D%/interrupt.c \
	%D%/interrupt.h \
	%D%/intel.c \
	%D%/intel.h \
	%D%/api_kernel.c \
	%D%/api_kernel_info.c \
	%D%/host/aliased_maps.c \
	%D%/host/aliased_maps.h \
	%D%/memobj.c \
	%D%/memobj.h \
	%D%/record/thread_state.c \
	%D%/record/thread_state.h \
	%D%/diagnose/usage.c \
	%D%/diagnose/usage.h \
	%D%/diagnose/usage_pending.c \
	%D%/diagnose/usage_shared.c \
	%D%/object.c \
	%D%/object.def \
	%D%/object.h \
	%D%/command_order.c \
	%D%/command_order.h \
	%D%/orrery_api.c \
	%D%/orrery_api.h \
	%D%/subdevice_partition.c \
	%D%/subdevice_partition.def \
	%D%/api_pipe.c \
	%D%/platform.c \
	%D%/api_program.c \
	%D%/api_program.h \
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
	%D%/api_runtime.c \
	%D%/api_runtime.h \
	%D%/sampler.c \
	%D%/record/saved_report.c \
	%D%/record/saved_report.h \
	%D%/semaphore.c \
	%D%/selector.c \
	%D%/source_file.c \
	%D%/source_file.h \
	%D%/subdevice.c \
	%D%/subdevice.h \
	%D%/svm.c \
	%D%/svm.h \
	%D%/record/tokens.h \
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
pkglib_LTLIBRARIES = liborrery_sync.la liborrery_threads.la
liborrery_sync_la_SOURCES = %D%/record/sync_preload.c
liborrery_sync_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared
liborrery_threads_la_SOURCES = \
	%D%/record/ending_preload.c \
	%D%/record/lock_log.c \
	%D%/record/lock_log.h \
	%D%/record/locks_preload.c \
	%D%/record/threads_preload.c
liborrery_threads_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared

include_orrerydir = $(includedir)/orrery
include_orrery_HEADERS = include/orrery/orrery.h
include_CLdir = $(includedir)/CL
include_CL_HEADERS = include/CL/cl_orrery_counters.h include/CL/cl_orrery_cslice.h

# Listeners of test frameworks, which programs of other people include or load.
include_listenersdir = $(includedir)/orrery/listeners
include_listeners_HEADERS = \
	include/orrery/listeners/catch2_listener.h \
	include/orrery/listeners/check_listener.h \
	include/orrery/listeners/gtest_listener.h \
	include/orrery/listeners/listener.h
listenersdir = $(pkgdatadir)/listeners
dist_listeners_DATA = include/orrery/listeners/orrery_pytest.py

pkgconfigdir = $(libdir)/pkgconfig
pkgconfig_DATA = %D%/orrery.pc

# Directories may be given to make, so these files are made by it, not by configure.
cmakedir = $(libdir)/cmake/Orrery
cmake_DATA = share/OrreryConfig.cmake share/OrreryConfigVersion.cmake
EXTRA_DIST += %D%/OrreryConfig.cmake.in %D%/OrreryConfigVersion.cmake.in
share/OrreryConfig.cmake: %D%/OrreryConfig.cmake.in Makefile
	$(AM_V_GEN)mkdir -p share && $(SED) -e 's|@cmakedir''@|$(cmakedir)|g' -e 's|@bindir''@|$(bindir)|g' \
		-e 's|@pkgdatadir''@|$(pkgdatadir)|g' -e 's|@libdir''@|$(libdir)|g' -e 's|@includedir''@|$(includedir)|g' \
		$(srcdir)/%D%/OrreryConfig.cmake.in >$@
share/OrreryConfigVersion.cmake: %D%/OrreryConfigVersion.cmake.in Makefile
	$(AM_V_GEN)mkdir -p share && $(SED) -e 's|@PACKAGE_VERSION''@|$(PACKAGE_VERSION)|g' \
		$(srcdir)/%D%/OrreryConfigVersion.cmake.in >$@

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
