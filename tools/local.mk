# SPDX-License-Identifier: Apache-2.0
# The command holds the simulator itself; `run` finds liborrery.so beside it in the build tree or in ORRERY_LIBDIR.
bin_PROGRAMS += orrery
orrery_SOURCES = \
	%D%/arguments.c \
	%D%/check_forms.c \
	%D%/check_outcome.c \
	%D%/check_outcome.h \
	%D%/check_program.c \
	%D%/check_results.c \
	%D%/check_results.h \
	%D%/check_run.c \
	%D%/check_run.h \
	%D%/buffer_sizes.c \
	%D%/buffer_sizes.h \
	%D%/cmd_check.c \
	%D%/cmd_completion.c \
	%D%/cmd_debug.c \
	%D%/cmd_dis.c \
	%D%/cmd_explain.c \
	%D%/cmd_info.c \
	%D%/cmd_replay.c \
	%D%/cmd_litmus.c \
	%D%/cmd_run.c \
	%D%/cmd_serve.c \
	%D%/cmd_show.c \
	%D%/cmd_topology.c \
	%D%/counters_compare.c \
	%D%/run_interrupt.c \
	%D%/debug/completions.c \
	%D%/debug/completions.h \
	%D%/debug/dap.c \
	%D%/debug/dap.h \
	%D%/debug/dap_adapter.h \
	%D%/debug/dap_breakpoints.c \
	%D%/debug/dap_capabilities.c \
	%D%/debug/dap_client_forms.c \
	%D%/debug/dap_console.c \
	%D%/debug/dap_data_breakpoints.c \
	%D%/debug/dap_disassemble.c \
	%D%/debug/dap_handles.c \
	%D%/debug/dap_launch.c \
	%D%/debug/dap_memory.c \
	%D%/debug/dap_progress.c \
	%D%/debug/dap_queries.c \
	%D%/debug/dap_sources.c \
	%D%/debug/dap_stack.c \
	%D%/debug/dap_steps.c \
	%D%/debug/dap_stops.c \
	%D%/debug/dap_threads.c \
	%D%/debug/dap_variables.c \
	%D%/debug/dap_wire.c \
	%D%/debug/dap_wire.h \
	%D%/debug/inferior.c \
	%D%/debug/inferior.h \
	%D%/debug/line_editor.c \
	%D%/debug/line_editor.h \
	%D%/debug/session.c \
	%D%/debug/session.h \
	%D%/debug/session_forks.c \
	%D%/debug/session_messages.c \
	%D%/debug/session_process.c \
	%D%/debug/session_sources.c \
	%D%/debug/session_state.h \
	%D%/debug/terminal.c \
	%D%/debug/terminal_host.c \
	%D%/debug/terminal_info.c \
	%D%/debug/terminal_memory.c \
	%D%/debug/terminal_order.c \
	%D%/debug/terminal_past.c \
	%D%/debug/terminal_points.c \
	%D%/debug/terminal_run.c \
	%D%/debug/terminal_schedule.c \
	%D%/debug/terminal_source.c \
	%D%/debug/terminal_stack.c \
	%D%/debug/terminal_threads.c \
	%D%/debug/terminal_values.c \
	%D%/debug/terminal.h \
	%D%/kernel_shape.c \
	%D%/kernel_shape.h \
	%D%/late_library.c \
	%D%/late_library.h \
	%D%/library.c \
	%D%/litmus_output.c \
	%D%/litmus_output.h \
	%D%/main.c \
	%D%/near_file.c \
	%D%/near_file.h \
	%D%/host_process.c \
	%D%/progress.c \
	%D%/seeds.c \
	%D%/serve/serve.h \
	%D%/settings.c \
	%D%/tools.h \
	%D%/launch_sizes.c \
	%D%/number_choice.c \
	%D%/number_choice.h \
	%D%/skeleton.c \
	%D%/skeleton.h \
	%D%/skeleton_fit.c \
	%D%/skeleton_print.c \
	%D%/skeleton_state.h \
	%D%/target.c \
	%D%/target.h \
	%D%/topology_print.c \
	%D%/topology_print.h \
	%D%/tool_versions.c \
	%D%/watched.c
if MICROHTTPD
orrery_SOURCES += \
	%D%/serve/serve_examples.c \
	%D%/serve/serve_http.c \
	%D%/serve/serve_run.c \
	%D%/serve/serve_sandbox.c
endif
orrery_CFLAGS = $(CONVERSION_CFLAGS)
orrery_CPPFLAGS = $(AM_CPPFLAGS) -I$(builddir)/%D% -iquote $(top_srcdir)/tools $(JANSSON_CFLAGS) $(EDIT_CFLAGS) $(MICROHTTPD_CFLAGS)
# The commit of a build from git; empty in one from a distribution. Written anew only when it changes.
%D%/orrery-tool_versions.$(OBJEXT): %D%/commit.h
%D%/commit.h: force-commit
	@$(MKDIR_P) %D%; commit=`test ! -e '$(srcdir)/.git' || git -C '$(srcdir)' rev-parse --short=12 HEAD 2>/dev/null`; \
	line="#define ORRERY_COMMIT \"$$commit\""; \
	test "`cat $@ 2>/dev/null`" = "$$line" || echo "$$line" >$@
force-commit:
.PHONY: force-commit
CLEANFILES += %D%/commit.h
# Completion by the tables that the command itself reads its options with.
bashcompletiondir = $(datadir)/bash-completion/completions
bashcompletion_DATA = %D%/completion/orrery
zshcompletiondir = $(datadir)/zsh/site-functions
zshcompletion_DATA = %D%/completion/_orrery
fishcompletiondir = $(datadir)/fish/vendor_completions.d
fishcompletion_DATA = %D%/completion/orrery.fish
%D%/completion/orrery: orrery$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && ./orrery$(EXEEXT) completion bash >$@.new && mv $@.new $@
%D%/completion/_orrery: orrery$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && ./orrery$(EXEEXT) completion zsh >$@.new && mv $@.new $@
%D%/completion/orrery.fish: orrery$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && ./orrery$(EXEEXT) completion fish >$@.new && mv $@.new $@
CLEANFILES += %D%/completion/orrery %D%/completion/_orrery %D%/completion/orrery.fish
orrery_LDADD = $(SIM_LIBS) $(JANSSON_LIBS) -ldl

# The terms of orrery-glossary(7), for `orrery explain`.
%D%/glossary_pages.inc: $(srcdir)/man/orrery-glossary.7 $(srcdir)/man/pages.awk
	$(AM_V_GEN)$(MKDIR_P) %D% && $(AWK) -v section=TERMS -f $(srcdir)/man/pages.awk $(srcdir)/man/orrery-glossary.7 > $@.new && mv $@.new $@
BUILT_SOURCES += %D%/glossary_pages.inc
CLEANFILES += %D%/glossary_pages.inc

# The lines of the page of `orrery serve` as C strings.
serve_parts = %D%/serve/serve_page.html %D%/serve/serve_page.css %D%/serve/serve_page.js
%D%/serve/serve_page_lines.inc: $(serve_parts) sim/page/page.awk
	$(AM_V_GEN)$(MKDIR_P) %D%/serve && $(AWK) -v folder=$(srcdir)/%D%/serve/ -f $(srcdir)/sim/page/page.awk $(srcdir)/%D%/serve/serve_page.html > $@.new && mv $@.new $@
BUILT_SOURCES += %D%/serve/serve_page_lines.inc
CLEANFILES += %D%/serve/serve_page_lines.inc
EXTRA_DIST += $(serve_parts) %D%/serve/tsconfig.json %D%/lesson_pages.sh
