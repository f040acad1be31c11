# SPDX-License-Identifier: Apache-2.0
# libsim.la holds everything below lib/: link this one and nothing else.
noinst_LTLIBRARIES += libsim.la
libsim_la_SOURCES = \
	%D%/axioms.c \
	%D%/axioms.h \
	%D%/barrier.c \
	%D%/barrier.h \
	%D%/books.c \
	%D%/books.h \
	%D%/clock.c \
	%D%/clock.h \
	%D%/concurrent.c \
	%D%/concurrent.h \
	%D%/counters_report.c \
	%D%/counters_report.h \
	%D%/device.c \
	%D%/device_enqueue.c \
	%D%/device_enqueue.h \
	%D%/device_event.c \
	%D%/device_event.h \
	%D%/device_family.c \
	%D%/device_launch.c \
	%D%/device_queue.c \
	%D%/device_queue.h \
	%D%/device_state.h \
	%D%/divergence.c \
	%D%/divergence.h \
	%D%/explore.h \
	%D%/explore_interleavings.c \
	%D%/explore_reads.c \
	%D%/explore_thin_air.c \
	%D%/fault.c \
	%D%/fault.h \
	%D%/group.c \
	%D%/group.h \
	%D%/host_memory.c \
	%D%/host_memory.h \
	%D%/lane_values.c \
	%D%/launch.c \
	%D%/launch.h \
	%D%/launch_places.c \
	%D%/litmus_race.c \
	%D%/litmus_race.h \
	%D%/litmus_run.c \
	%D%/memory.c \
	%D%/memory_arena.c \
	%D%/memory_arena.h \
	%D%/memory_view.c \
	%D%/memory_view.h \
	%D%/object_name.c \
	%D%/device_path.c \
	%D%/device_path.h \
	%D%/expect_counter.c \
	%D%/placed.c \
	%D%/placed.h \
	%D%/pipe_end.c \
	%D%/pipe_end.h \
	%D%/placement.c \
	%D%/placement.h \
	%D%/orders.c \
	%D%/orders.h \
	%D%/program.c \
	%D%/program.h \
	%D%/finding.c \
	%D%/report.c \
	%D%/report_devices.c \
	%D%/report_devices.h \
	%D%/report_dot.c \
	%D%/report_files.c \
	%D%/report_json.c \
	%D%/report_json.h \
	%D%/report_print.c \
	%D%/report_sarif.c \
	%D%/report_share.c \
	%D%/report_share.h \
	%D%/report_words.h \
	%D%/rng.c \
	%D%/rng.h \
	%D%/scenario.c \
	%D%/scenario.def \
	%D%/scenario_build.c \
	%D%/scenario_image.c \
	%D%/scenario_image.h \
	%D%/scenario_launch.c \
	%D%/replay.c \
	%D%/scenario_launch.h \
	%D%/scenario_parse.c \
	%D%/scenario_parse.h \
	%D%/scenario_parse_expect.c \
	%D%/scenario_parse_launch.c \
	%D%/scenario_print.c \
	%D%/scenario_reader.c \
	%D%/scenario_reader.h \
	%D%/scenario_rows.h \
	%D%/scenario_run.c \
	%D%/scenario_value.c \
	%D%/schedule.c \
	%D%/schedule_choose.c \
	%D%/schedule_circle.c \
	%D%/schedule_livelock.c \
	%D%/schedule_livelock.h \
	%D%/schedule_pct.c \
	%D%/schedule_progress.c \
	%D%/schedule_record.c \
	%D%/schedule_record.h \
	%D%/schedule_script.c \
	%D%/schedule_spinner.c \
	%D%/schedule_state.h \
	%D%/schedule.h \
	%D%/sentence.c \
	%D%/sentence.h \
	%D%/statement.c \
	%D%/statement.h \
	%D%/status.c \
	%D%/timeline.c \
	%D%/timeline.h \
	%D%/trace.c \
	%D%/trace.h \
	%D%/suppression.c \
	%D%/suppression.h \
	%D%/turn.c \
	%D%/turn.h \
	%D%/watch.c \
	%D%/unfold.c \
	%D%/unfold.h

# The pages of orrery-findings(7), for `orrery explain` and the rules of SARIF.
%D%/finding_pages.inc: $(srcdir)/man/orrery-findings.7 $(srcdir)/man/pages.awk
	$(AM_V_GEN)$(MKDIR_P) %D% && $(AWK) -f $(srcdir)/man/pages.awk $(srcdir)/man/orrery-findings.7 > $@.new && mv $@.new $@
BUILT_SOURCES += %D%/finding_pages.inc
CLEANFILES += %D%/finding_pages.inc

libsim_la_CPPFLAGS = $(AM_CPPFLAGS) $(YAML_CFLAGS) $(JANSSON_CFLAGS) $(XXHASH_CFLAGS)
# $(SPIRV_LINK_LIBS) stands here, since libtool drops -lstdc++ from a library that has C++ sources itself.
libsim_la_LIBADD = libinterp.la libmemmodel.la libtopology.la libfrontend.la liblitmus.la $(SPIRV_LINK_LIBS) $(YAML_LIBS) \
	$(JANSSON_LIBS) -lm
