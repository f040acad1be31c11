# SPDX-License-Identifier: Apache-2.0
EXTRA_LIBRARIES += libfrontend.a
libfrontend_a_SOURCES = \
	%D%/refused_place.c \
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
	%D%/repair.c \
	%D%/repair_destructor.c \
	%D%/repair_expected.c \
	%D%/repair_line.c \
	%D%/repair_select.c \
	%D%/debug_records.c \
	%D%/spirv_tools.c \
	%D%/spirv_words.h \
	%D%/text.c \
	%D%/text.h \
	%D%/toolchain.c \
	%D%/toolchain.h
libfrontend_a_CPPFLAGS = $(AM_CPPFLAGS) $(SPIRV_TOOLS_CFLAGS) $(XXHASH_CFLAGS) -Dtext_add=frontend_text_add
# Whose work the compile cache keeps: what an earlier Orrery made of a source is not loaded.
%D%/revision.inc: $(libfrontend_a_SOURCES)
	$(AM_V_at)$(MKDIR_P) %D%
	$(AM_V_GEN)cd $(srcdir) && cat $(libfrontend_a_SOURCES) | cksum | tr ' ' '.' | sed 's/.*/"&"/' > $(abs_builddir)/$@
BUILT_SOURCES += %D%/revision.inc
CLEANFILES += %D%/revision.inc
