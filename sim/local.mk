# SPDX-License-Identifier: Apache-2.0
# Everything below lib/ is in $(SIM_LIBS): link these and nothing else.
noinst_LIBRARIES += libsim.a
libsim_a_SOURCES = \
	%D%/litmus/axioms.c \
	%D%/litmus/axioms.h \
	%D%/device/barrier.c \
	%D%/device/barrier.h \
	%D%/device/device_observers.c \
	%D%/device/device_observers.h \
	%D%/base/clock.c \
	%D%/base/clock.h \
	%D%/device/concurrent.c \
	%D%/device/concurrent.h \
	%D%/observers/counters_report.c \
	%D%/observers/counters_report.h \
	%D%/observers/execution_profile.c \
	%D%/observers/execution_profile.h \
	%D%/observers/profile_lcov.c \
	%D%/observers/profile_report.c \
	%D%/debug/asks_checker.c \
	%D%/debug/debug_attach.c \
	%D%/debug/debugger.c \
	%D%/debug/disassembly.c \
	%D%/debug/disassembly.h \
	%D%/debug/debugger.h \
	%D%/debug/expression.c \
	%D%/debug/functions.c \
	%D%/debug/operators.c \
	%D%/debug/operators.h \
	%D%/debug/place.c \
	%D%/debug/place.h \
	%D%/debug/plan.c \
	%D%/debug/plan.h \
	%D%/debug/request.c \
	%D%/debug/schedule_forks.c \
	%D%/debug/stop.c \
	%D%/debug/stop.h \
	%D%/debug/value.c \
	%D%/debug/value.h \
	%D%/debug/visible_writes.c \
	%D%/debug/iterations.c \
	%D%/debug/iterations.h \
	%D%/debug/line_values.c \
	%D%/debug/line_values.h \
	%D%/debug/wire.c \
	%D%/device/device.c \
	%D%/device/device_announce.c \
	%D%/device/device_checker.c \
	%D%/device/device_commands.c \
	%D%/device/device_enqueue.c \
	%D%/device/device_enqueue.h \
	%D%/device/device_event.c \
	%D%/device/device_event.h \
	%D%/device/device_tree.c \
	%D%/device/device_launch.c \
	%D%/device/device_queue.c \
	%D%/device/device_queue.h \
	%D%/device/device_state.h \
	%D%/device/divergence.c \
	%D%/device/divergence.h \
	%D%/litmus/explore.h \
	%D%/litmus/explore_interleavings.c \
	%D%/litmus/explore_reads.c \
	%D%/litmus/explore_thin_air.c \
	%D%/device/bounds_advice.c \
	%D%/device/bounds_advice.h \
	%D%/device/element_name.c \
	%D%/device/element_name.h \
	%D%/device/argument_part.c \
	%D%/device/argument_part.h \
	%D%/device/fault.c \
	%D%/device/fault.h \
	%D%/device/fault_access.c \
	%D%/device/fault_state.h \
	%D%/device/group.c \
	%D%/device/group.h \
	%D%/device/host_memory.c \
	%D%/device/host_memory.h \
	%D%/device/lane_values.c \
	%D%/device/launch.c \
	%D%/device/launch.h \
	%D%/device/launch_between.c \
	%D%/device/launch_changes.c \
	%D%/device/launch_iterations.c \
	%D%/device/launch_places.c \
	%D%/device/launch_places.h \
	%D%/litmus/litmus_page.c \
	%D%/litmus/litmus_race.c \
	%D%/litmus/litmus_race.h \
	%D%/litmus/litmus_run.c \
	%D%/litmus/litmus_why.c \
	%D%/litmus/litmus_why.h \
	%D%/device/memory.c \
	%D%/device/memory_arena.c \
	%D%/device/memory_arena.h \
	%D%/device/memory_view.c \
	%D%/device/memory_view.h \
	%D%/device/object_name.c \
	%D%/device/object_name.h \
	%D%/device/uninitialised.c \
	%D%/device/uninitialised.h \
	%D%/device/device_path.c \
	%D%/device/device_path.h \
	%D%/scenario/argument_extent.c \
	%D%/scenario/argument_extent.h \
	%D%/scenario/expect_counter.c \
	%D%/scenario/launch_filter.c \
	%D%/device/placement_log.c \
	%D%/device/profiled.c \
	%D%/device/profiled.h \
	%D%/device/placement_log.h \
	%D%/device/pipe_end.c \
	%D%/device/pipe_end.h \
	%D%/device/page.c \
	%D%/device/page.h \
	%D%/device/page_diff.c \
	%D%/device/placement.c \
	%D%/device/placement.h \
	%D%/litmus/orders.c \
	%D%/litmus/orders.h \
	%D%/device/device_program.c \
	%D%/device/device_program.h \
	%D%/base/check.c \
	%D%/report/baseline.c \
	%D%/report/baseline.h \
	%D%/report/finding.c \
	%D%/report/fingerprint.c \
	%D%/report/fingerprint.h \
	%D%/report/line_hash.c \
	%D%/base/file_limit.c \
	%D%/base/nearest.c \
	%D%/report/report.c \
	%D%/report/report_cause.c \
	%D%/report/report_cause.h \
	%D%/report/report_counts.c \
	%D%/report/report_end.c \
	%D%/report/report_entry.c \
	%D%/report/report_entry.h \
	%D%/report/report_key.c \
	%D%/report/report_key.h \
	%D%/report/report_state.h \
	%D%/report/report_devices.c \
	%D%/report/report_devices.h \
	%D%/report/report_places.c \
	%D%/report/report_places.h \
	%D%/report/report_dot.c \
	%D%/report/report_files.c \
	%D%/report/report_outputs.c \
	%D%/report/report_launches.c \
	%D%/report/report_launches.h \
	%D%/report/report_json.c \
	%D%/report/report_json.h \
	%D%/report/report_print.c \
	%D%/report/report_sarif.c \
	%D%/report/report_share.c \
	%D%/report/report_spool.c \
	%D%/report/report_spool.h \
	%D%/report/report_share.h \
	%D%/report/report_words.h \
	%D%/report/report_wrap.c \
	%D%/report/report_wrap.h \
	%D%/report/sarif.h \
	%D%/report/sarif_join.c \
	%D%/report/sarif_places.c \
	%D%/report/sarif_rules.c \
	%D%/source/rewrite.c \
	%D%/source/rewrite_apply.c \
	%D%/source/rewrite_buffer.c \
	%D%/source/rewrite_change.c \
	%D%/source/rewrite_form.c \
	%D%/source/rewrite_form.h \
	%D%/source/rewrite_form_read.c \
	%D%/source/rewrite_print.c \
	%D%/source/rewrite_range.c \
	%D%/source/rewrite.h \
	%D%/source/rewrite_state.h \
	%D%/source/rewrite_text.c \
	%D%/source/rewrite_type.c \
	%D%/source/rewrite_update.c \
	%D%/source/rewrite_write.c \
	%D%/source/rewrite_text.h \
	%D%/base/rng.c \
	%D%/base/rng.h \
	%D%/scenario/scenario.c \
	%D%/scenario/scenario.def \
	%D%/scenario/scenario_build.c \
	%D%/scenario/scenario_again.c \
	%D%/scenario/scenario_again.h \
	%D%/scenario/scenario_values.c \
	%D%/scenario/scenario_values.h \
	%D%/scenario/fix_rerun.c \
	%D%/scenario/fix_rerun.h \
	%D%/scenario/scenario_fixes.c \
	%D%/scenario/scenario_fixes.h \
	%D%/scenario/scenario_image.c \
	%D%/scenario/scenario_image.h \
	%D%/scenario/saved_launch.c \
	%D%/scenario/scenario_launch.c \
	%D%/schedule/replay.c \
	%D%/scenario/scenario_launch.h \
	%D%/scenario/scenario_option.c \
	%D%/scenario/scenario_parse.c \
	%D%/scenario/scenario_parse.h \
	%D%/scenario/scenario_parse_expect.c \
	%D%/scenario/scenario_parse_launch.c \
	%D%/scenario/scenario_print.c \
	%D%/scenario/scenario_reader.c \
	%D%/scenario/scenario_reader.h \
	%D%/base/scenario_rows.h \
	%D%/scenario/scenario_rows.c \
	%D%/scenario/scenario_run.c \
	%D%/scenario/scenario_value.c \
	%D%/schedule/schedule.c \
	%D%/schedule/schedule_choose.c \
	%D%/schedule/schedule_cycle.c \
	%D%/schedule/schedule_livelock.c \
	%D%/schedule/schedule_livelock.h \
	%D%/schedule/schedule_pct.c \
	%D%/schedule/schedule_progress.c \
	%D%/schedule/schedule_record.c \
	%D%/device/schedule_record.h \
	%D%/schedule/schedule_script.c \
	%D%/schedule/schedule_spinner.c \
	%D%/schedule/schedule_state.h \
	%D%/device/launch_schedule.h \
	%D%/base/memory_words.c \
	%D%/base/memory_words.h \
	%D%/base/real_text.c \
	%D%/base/real_text.h \
	%D%/base/sentence.c \
	%D%/base/sentence.h \
	%D%/schedule/positions.c \
	%D%/schedule/positions.h \
	%D%/source/line_marker.c \
	%D%/source/line_marker.h \
	%D%/source/statement.c \
	%D%/source/statement.h \
	%D%/base/status.c \
	%D%/base/utf8.c \
	%D%/base/utf8.h \
	%D%/observers/timeline.c \
	%D%/observers/timeline.h \
	%D%/observers/trace.c \
	%D%/observers/trace.h \
	%D%/report/suppression.c \
	%D%/report/suppression.h \
	%D%/litmus/loop_iteration.c \
	%D%/litmus/loop_iteration.h \
	%D%/scenario/variables.c \
	%D%/report/watch.c \
	%D%/litmus/unfold.c \
	%D%/litmus/unfold.h

# The pages of orrery-findings(7), for `orrery explain` and the rules of SARIF.
%D%/finding_pages.inc: $(srcdir)/man/orrery-findings.7 $(srcdir)/man/pages.awk
	$(AM_V_GEN)$(MKDIR_P) %D% && $(AWK) -f $(srcdir)/man/pages.awk $(srcdir)/man/orrery-findings.7 > $@.new && mv $@.new $@
BUILT_SOURCES += %D%/finding_pages.inc
CLEANFILES += %D%/finding_pages.inc

# The lines of the page of --html as C strings.
page_parts = \
	%D%/page/page.html \
	%D%/page/page.css \
	%D%/page/page_text.js \
	%D%/page/page_values.js \
	%D%/page/page_play.js \
	%D%/page/page_steps.js \
	%D%/page/page_memory.js \
	%D%/page/page_picture.js \
	%D%/page/page_litmus.js \
	%D%/page/page_diff.js \
	%D%/page/page_source.js \
	%D%/page/page_order.js \
	%D%/page/page_views.js
%D%/page/page_lines.inc: $(page_parts) %D%/page/page.awk
	$(AM_V_GEN)$(MKDIR_P) %D%/page && $(AWK) -v folder=$(srcdir)/%D%/page/ -f $(srcdir)/%D%/page/page.awk $(srcdir)/%D%/page/page.html > $@.new && mv $@.new $@
BUILT_SOURCES += %D%/page/page_lines.inc
CLEANFILES += %D%/page/page_lines.inc
EXTRA_DIST += $(page_parts) %D%/page/page.awk %D%/page/page_types.d.ts %D%/page/tsconfig.json

libsim_a_CFLAGS = $(CONVERSION_CFLAGS)
libsim_a_CPPFLAGS = $(AM_CPPFLAGS) $(YAML_CFLAGS) $(JANSSON_CFLAGS) $(XXHASH_CFLAGS)
# $(SPIRV_LINK_LIBS) stands here, since libtool drops -lstdc++ from a library that has C++ sources itself.
libsim_a_LIBADD = $(liblitmus_a_OBJECTS) $(libmemmodel_a_OBJECTS) $(libtopology_a_OBJECTS) $(libfrontend_a_OBJECTS) $(INTERP_OBJECTS)
libsim_a_DEPENDENCIES = $(libsim_a_LIBADD)
SIM_SYSTEM_LIBS = $(HWLOC_LIBS) $(XXHASH_LIBS) $(SLEEF_LIBS) $(SPIRV_LINK_LIBS) $(YAML_LIBS) $(JANSSON_LIBS) -lm
SIM_LIBS = libsim.a $(SIM_SYSTEM_LIBS)
