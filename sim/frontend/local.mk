# SPDX-License-Identifier: Apache-2.0
EXTRA_LIBRARIES += libfrontend.a
libfrontend_a_SOURCES = \
	%D%/refused_place.c \
	%D%/run_tool.c \
	%D%/server_program.c \
	%D%/server_program.h \
	%D%/server_start.c \
	%D%/server_start.h \
	%D%/shared_name.c \
	%D%/shared_server.c \
	%D%/shared_server.h \
	%D%/shared_libraries.c \
	%D%/shared_libraries.h \
	%D%/compile_cache.c \
	%D%/compile_cache.h \
	%D%/clang.c \
	%D%/compile.c \
	%D%/compile.h \
	%D%/embed.c \
	%D%/extensions.c \
	%D%/headers.c \
	%D%/headers.h \
	%D%/link.c \
	%D%/link.h \
	%D%/linker.cpp \
	%D%/llvm_spirv.c \
	%D%/mark.c \
	%D%/operations.c \
	%D%/options.c \
	%D%/options.def \
	%D%/options.h \
	%D%/precompiled.c \
	%D%/precompiled.h \
	%D%/child_process.c \
	%D%/child_process.h \
	%D%/child_setup.c \
	%D%/child_setup.h \
	%D%/compile_protocol.h \
	%D%/compile_revision.c \
	%D%/compile_server.c \
	%D%/compile_server.h \
	%D%/memory_file.c \
	%D%/memory_file.h \
	%D%/repair.c \
	%D%/repair_address.c \
	%D%/repair_destructor.c \
	%D%/repair_expected.c \
	%D%/repair_extract.c \
	%D%/repair_line.c \
	%D%/repair_literal.c \
	%D%/repair_opaque.c \
	%D%/repair_order.c \
	%D%/repair_select.c \
	%D%/debug_records.c \
	%D%/spirv_tools.c \
	%D%/spirv_words.h \
	%D%/text.c \
	%D%/text.h \
	%D%/toolchain.c \
	%D%/toolchain.h
libfrontend_a_CFLAGS = $(CONVERSION_CFLAGS)
libfrontend_a_CPPFLAGS = $(AM_CPPFLAGS) $(SPIRV_TOOLS_CFLAGS) $(XXHASH_CFLAGS) -DORRERY_LIBEXECDIR='"$(pkglibexecdir)"' -DORRERY_BINDIR='"$(bindir)"' -Dtext_add=frontend_text_add
# Whose work the compile cache keeps: what an earlier Orrery made of a source is not loaded.
%D%/revision.inc: $(libfrontend_a_SOURCES) $(compile_server_sources)
	$(AM_V_at)$(MKDIR_P) %D%
	$(AM_V_GEN)cd $(srcdir) && cat $(libfrontend_a_SOURCES) $(compile_server_sources) | cksum | tr ' ' '.' | sed 's/.*/"&"/' > $(abs_builddir)/$@
BUILT_SOURCES += %D%/revision.inc
CLEANFILES += %D%/revision.inc

# The compile server: a program of its own, so that the library is not linked with LLVM. Without sanitizers, as its builds have
# limits of memory.
compile_server_sources = %D%/server/server_main.c %D%/server/builds.c %D%/server/builds.h %D%/server/server_request.c %D%/server/server_request.h \
	%D%/server/clang_tools.cpp %D%/server/clang_tools.h
EXTRA_DIST += $(compile_server_sources)
if COMPILE_SERVER
pkglibexec_PROGRAMS = orrery-compile-server
orrery_compile_server_SOURCES = $(compile_server_sources) %D%/child_setup.c %D%/compile_revision.c
orrery_compile_server_CPPFLAGS = $(AM_CPPFLAGS) $(COMPILE_SERVER_CPPFLAGS)
orrery_compile_server_CFLAGS = -D_GNU_SOURCE= $(WARN_CFLAGS) $(COMMON_FLAGS)
orrery_compile_server_CXXFLAGS = $(WARN_FLAGS) $(COMMON_FLAGS)
orrery_compile_server_LDFLAGS = -Wl,--as-needed
orrery_compile_server_LDADD = $(COMPILE_SERVER_LIBS)
endif

# The language's header as clang keeps it, for the default device: the first build of a fresh machine does not wait for it. Without
# clang there is none.
noinst_DATA += precompiled/made
precompiled/made: %D%/revision.inc | orrery$(EXEEXT)
	$(AM_V_at)rm -rf precompiled && $(MKDIR_P) precompiled && echo 'kernel void k(void) {}' >precompiled/empty.cl
	$(AM_V_GEN)for language in CL1.2 CL2.0 CL3.0; do \
		env -i PATH="$$PATH" ORRERY_CACHE_DIR=`pwd`/precompiled ORRERY_COMPILER=programs \
			./orrery$(EXEEXT) dis --spirv --build-options=-cl-std=$$language precompiled/empty.cl >/dev/null 2>&1 || :; \
	done; rm -f precompiled/*.spirv precompiled/empty.cl && touch $@
install-exec-local: precompiled/made
	$(MKDIR_P) $(DESTDIR)$(pkglibexecdir)/precompiled
	for file in precompiled/*.pch; do \
		test ! -f $$file || $(INSTALL_DATA) $$file $(DESTDIR)$(pkglibexecdir)/precompiled/ || exit 1; \
	done
uninstall-local:
	rm -rf $(DESTDIR)$(pkglibexecdir)/precompiled
