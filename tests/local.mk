# SPDX-License-Identifier: Apache-2.0
# One block per test program:
#
#   check_PROGRAMS += %D%/check_memory
#   %C%_check_memory_SOURCES = %D%/sim/check_memory.c
#   %C%_check_memory_LDADD = $(TEST_SIM_LIBS) $(CHECK_LIBS)
#
# Tests of the API link $(OPENCL_LIBS) $(CHECK_LIBS) instead of $(SIM_LIBS) and reach the library through the loader
# (OCL_ICD_VENDORS is set). Tests that need MPFR add $(MPFR_LIBS). Scripts are listed in TESTS and EXTRA_DIST.
if BUILD_TESTS
# Everything below lib/ as a shared library, so that a change of one file does not link a hundred programs with all of it.
# Its calls of its own functions are bound, and it finds what was installed beside it: programs with a fake_interp.c, and the one
# whose headers are to be precompiled anew, link $(SIM_LIBS).
libsim_test.so: libsim.a
	$(AM_V_CCLD)$(CC) $(AM_CFLAGS) $(CFLAGS) $(AM_LDFLAGS) $(LDFLAGS) -shared -Wl,-Bsymbolic -o $@ \
		-Wl,--whole-archive libsim.a -Wl,--no-whole-archive $(SIM_SYSTEM_LIBS)
CLEANFILES += libsim_test.so
if COVERAGE
# What a shared library counts is lost beside what the program itself counts.
TEST_SIM_LIBS = $(SIM_LIBS)
else
TEST_SIM_LIBS = $(TEST_RPATH) libsim_test.so $(SIM_SYSTEM_LIBS)
endif

race_world = %D%/support/race_world.c %D%/support/race_world.h %D%/support/race_world_state.h %D%/support/race_world_access.c %D%/support/race_world_split.c \
	%D%/support/race_world_sync.c %D%/support/race_world_verdict.c \
	%D%/support/race_oracle.c %D%/support/race_oracle.h %D%/support/race_judge.c %D%/support/race_judge.h

# The longest first, so that nothing waits for it alone at the end; before them what sleeps most of its time, which needs no processor.
check_PROGRAMS += %D%/check_concurrent
%C%_check_concurrent_SOURCES = %D%/lib/check_concurrent.c %D%/support/cl_fixture.h
%C%_check_concurrent_LDADD = libapi.a $(TEST_SIM_LIBS) $(CHECK_LIBS)

check_PROGRAMS += %D%/check_race_random
%C%_check_race_random_SOURCES = %D%/memmodel/check_race_random.c %D%/support/dice.h $(race_world)
%C%_check_race_random_LDADD = $(TEST_SIM_LIBS) $(CHECK_LIBS)

check_PROGRAMS += %D%/check_race_ways
%C%_check_race_ways_SOURCES = %D%/memmodel/check_race_ways.c $(race_world)
%C%_check_race_ways_LDADD = $(TEST_SIM_LIBS) $(CHECK_LIBS)

check_PROGRAMS += %D%/check_race
%C%_check_race_SOURCES = %D%/memmodel/check_race.c $(race_world)
%C%_check_race_LDADD = $(TEST_SIM_LIBS) $(CHECK_LIBS)

check_PROGRAMS += %D%/check_versions
%C%_check_versions_SOURCES = %D%/lib/check_versions.c %D%/support/cl_fixture.h
%C%_check_versions_LDADD = $(OPENCL_LIBS) $(CHECK_LIBS)

check_PROGRAMS += %D%/check_device_limits
%C%_check_device_limits_SOURCES = %D%/lib/check_device_limits.c %D%/support/cl_fixture.h
%C%_check_device_limits_LDADD = $(OPENCL_LIBS) $(CHECK_LIBS)

math_fixture = %D%/support/math_fixture.h %D%/support/many_asserts.h
check_PROGRAMS += %D%/check_math
%C%_check_math_SOURCES = %D%/interp/check_math.c $(math_fixture)
%C%_check_math_LDADD = $(TEST_SIM_LIBS) $(MPFR_LIBS) -lm $(CHECK_LIBS)
check_PROGRAMS += %D%/check_math_edges
%C%_check_math_edges_SOURCES = %D%/interp/check_math_edges.c $(math_fixture)
%C%_check_math_edges_LDADD = $(TEST_SIM_LIBS) $(MPFR_LIBS) -lm $(CHECK_LIBS)
check_PROGRAMS += %D%/check_math_integers
%C%_check_math_integers_SOURCES = %D%/interp/check_math_integers.c $(math_fixture)
%C%_check_math_integers_LDADD = $(TEST_SIM_LIBS) $(MPFR_LIBS) -lm $(CHECK_LIBS)


check_PROGRAMS += %D%/check_topology
%C%_check_topology_SOURCES = %D%/topology/check_topology.c %D%/support/many_asserts.h
%C%_check_topology_CPPFLAGS = $(AM_CPPFLAGS) $(HWLOC_CFLAGS)
%C%_check_topology_LDADD = $(TEST_SIM_LIBS) $(HWLOC_LIBS) $(CHECK_LIBS)

# It looks inside: the API and the simulator are linked in, without a loader.
check_PROGRAMS += %D%/check_units
%C%_check_units_SOURCES = %D%/lib/check_units.c %D%/support/cl_fixture.h
%C%_check_units_LDADD = libapi.a $(TEST_SIM_LIBS) $(CHECK_LIBS)

frontend_fixture = %D%/support/frontend_fixture.h %D%/support/compile_request.h
check_PROGRAMS += %D%/check_frontend
%C%_check_frontend_SOURCES = %D%/frontend/check_frontend.c $(frontend_fixture)
%C%_check_frontend_LDADD = $(SIM_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_frontend_cache
%C%_check_frontend_cache_SOURCES = %D%/frontend/check_frontend_cache.c $(frontend_fixture)
%C%_check_frontend_cache_LDADD = $(SIM_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_frontend_tools
%C%_check_frontend_tools_SOURCES = %D%/frontend/check_frontend_tools.c $(frontend_fixture)
%C%_check_frontend_tools_LDADD = $(SIM_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_link
%C%_check_link_SOURCES = %D%/frontend/check_link.c $(frontend_fixture)
%C%_check_link_LDADD = $(SIM_LIBS) $(CHECK_LIBS)

if COMPILE_SERVER
check_PROGRAMS += %D%/check_compile_server
%C%_check_compile_server_SOURCES = %D%/frontend/check_compile_server.c %D%/support/compile_outcome.h %D%/support/compile_request.h
%C%_check_compile_server_LDADD = $(TEST_SIM_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_compile_shared
%C%_check_compile_shared_SOURCES = %D%/frontend/check_compile_shared.c %D%/support/shared_servers.h %D%/support/compile_outcome.h %D%/support/compile_request.h
%C%_check_compile_shared_LDADD = $(TEST_SIM_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_compile_orders
%C%_check_compile_orders_SOURCES = %D%/frontend/check_compile_orders.c %D%/support/shared_servers.h %D%/support/compile_outcome.h %D%/support/compile_request.h
%C%_check_compile_orders_LDADD = $(TEST_SIM_LIBS) $(CHECK_LIBS)
# Its libraries are all that it has of a compile server.
noinst_PROGRAMS += %D%/false_server
%C%_false_server_SOURCES = %D%/support/false_server.c
%C%_false_server_CFLAGS = -D_GNU_SOURCE= $(WARN_CFLAGS)
%C%_false_server_LDFLAGS = -Wl,--no-as-needed
%C%_false_server_LDADD = $(COMPILE_SERVER_LIBS)
endif

check_PROGRAMS += %D%/check_hostile_kernels
%C%_check_hostile_kernels_SOURCES = %D%/sim/check_hostile_kernels.c
%C%_check_hostile_kernels_LDADD = $(TEST_SIM_LIBS) $(CHECK_LIBS)

check_PROGRAMS += %D%/check_memory
%C%_check_memory_SOURCES = %D%/sim/check_memory.c
%C%_check_memory_LDADD = $(TEST_SIM_LIBS) $(CHECK_LIBS)

check_PROGRAMS += %D%/check_counters
%C%_check_counters_SOURCES = %D%/topology/check_counters.c %D%/support/launcher.c %D%/support/launcher.h
%C%_check_counters_LDADD = $(TEST_SIM_LIBS) $(CHECK_LIBS)

check_PROGRAMS += %D%/check_placement
%C%_check_placement_SOURCES = %D%/topology/check_placement.c %D%/support/launcher.c %D%/support/launcher.h
%C%_check_placement_LDADD = $(TEST_SIM_LIBS) $(CHECK_LIBS)

check_PROGRAMS += %D%/check_statement
%C%_check_statement_SOURCES = %D%/sim/check_statement.c
%C%_check_statement_LDADD = $(TEST_SIM_LIBS) $(CHECK_LIBS)

check_PROGRAMS += %D%/check_launch
%C%_check_launch_SOURCES = %D%/sim/check_launch.c %D%/support/fake_interp.c %D%/support/fake_interp.h
%C%_check_launch_LDADD = $(SIM_LIBS) $(CHECK_LIBS)

check_PROGRAMS += %D%/check_demangle
%C%_check_demangle_SOURCES = %D%/sim/check_demangle.c
%C%_check_demangle_LDADD = $(TEST_SIM_LIBS) $(CHECK_LIBS)

check_PROGRAMS += %D%/check_schedule
%C%_check_schedule_SOURCES = %D%/sim/check_schedule.c %D%/support/fake_interp.c %D%/support/fake_interp.h
%C%_check_schedule_LDADD = $(SIM_LIBS) $(CHECK_LIBS)

check_PROGRAMS += %D%/check_choice
%C%_check_choice_SOURCES = %D%/sim/check_choice.c
%C%_check_choice_LDADD = $(TEST_SIM_LIBS) $(CHECK_LIBS)

check_PROGRAMS += %D%/check_device
%C%_check_device_SOURCES = %D%/sim/check_device.c %D%/support/fake_interp.c %D%/support/fake_interp.h
%C%_check_device_LDADD = $(SIM_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_commands
%C%_check_commands_SOURCES = %D%/memmodel/check_commands.c %D%/support/commands_fixture.h %D%/support/growth.h
%C%_check_commands_LDADD = $(TEST_SIM_LIBS) $(CHECK_LIBS)

check_PROGRAMS += %D%/check_command_fixes
%C%_check_command_fixes_SOURCES = %D%/memmodel/check_command_fixes.c %D%/support/commands_fixture.h
%C%_check_command_fixes_LDADD = $(TEST_SIM_LIBS) $(CHECK_LIBS)

check_PROGRAMS += %D%/check_command_graph
%C%_check_command_graph_SOURCES = %D%/memmodel/check_command_graph.c %D%/support/commands_fixture.h %D%/support/dice.h
%C%_check_command_graph_LDADD = $(TEST_SIM_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_epoch_filter
%C%_check_epoch_filter_SOURCES = %D%/memmodel/check_epoch_filter.c %D%/support/dice.h %D%/support/many_asserts.h
%C%_check_epoch_filter_LDADD = $(TEST_SIM_LIBS) $(CHECK_LIBS)

check_PROGRAMS += %D%/check_footprints
%C%_check_footprints_SOURCES = %D%/memmodel/check_footprints.c %D%/support/dice.h %D%/support/growth.h
%C%_check_footprints_LDADD = $(TEST_SIM_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_api_order
%C%_check_api_order_SOURCES = %D%/lib/check_api_order.c %D%/support/order_fixture.h %D%/support/cl_fixture.h
%C%_check_api_order_LDADD = $(OPENCL_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_api_conflicts
%C%_check_api_conflicts_SOURCES = %D%/lib/check_api_conflicts.c %D%/support/order_fixture.h %D%/support/cl_fixture.h
%C%_check_api_conflicts_LDADD = $(OPENCL_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_api_maps
%C%_check_api_maps_SOURCES = %D%/lib/check_api_maps.c %D%/support/order_fixture.h %D%/support/cl_fixture.h
%C%_check_api_maps_LDADD = $(OPENCL_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_aliased_maps
%C%_check_aliased_maps_SOURCES = %D%/lib/check_aliased_maps.c %D%/support/order_fixture.h %D%/support/cl_fixture.h
%C%_check_aliased_maps_LDADD = $(OPENCL_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_api_places
%C%_check_api_places_SOURCES = %D%/lib/check_api_places.c %D%/support/order_fixture.h %D%/support/cl_fixture.h
%C%_check_api_places_LDADD = $(OPENCL_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_inter_launch
%C%_check_inter_launch_SOURCES = %D%/memmodel/check_inter_launch.c %D%/support/inter_launch_fixture.h %D%/support/finding_fixture.h %D%/support/cl_fixture.h
%C%_check_inter_launch_LDADD = $(OPENCL_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_inter_launch_host
%C%_check_inter_launch_host_SOURCES = %D%/memmodel/check_inter_launch_host.c %D%/support/inter_launch_fixture.h %D%/support/finding_fixture.h %D%/support/cl_fixture.h
%C%_check_inter_launch_host_LDADD = $(OPENCL_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_inter_launch_within
%C%_check_inter_launch_within_SOURCES = %D%/memmodel/check_inter_launch_within.c %D%/support/finding_fixture.h %D%/support/cl_fixture.h
%C%_check_inter_launch_within_LDADD = $(OPENCL_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_api_findings
%C%_check_api_findings_SOURCES = %D%/lib/check_api_findings.c %D%/support/finding_fixture.h %D%/support/cl_fixture.h
%C%_check_api_findings_CPPFLAGS = $(AM_CPPFLAGS) -DLINE_FILE='"$(abs_builddir)/tests/check_api_findings.line"'
%C%_check_api_findings_LDADD = $(OPENCL_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_host_unmapped
%C%_check_host_unmapped_SOURCES = %D%/lib/check_host_unmapped.c %D%/support/finding_fixture.h %D%/support/cl_fixture.h
%C%_check_host_unmapped_LDADD = $(OPENCL_LIBS) $(CHECK_LIBS)

check_PROGRAMS += %D%/check_refusal_texts
%C%_check_refusal_texts_SOURCES = %D%/lib/check_refusal_texts.c %D%/support/recorder_fixture.h %D%/support/usage_fixture.h %D%/support/finding_fixture.h %D%/support/cl_fixture.h
%C%_check_refusal_texts_LDADD = $(OPENCL_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_usage
%C%_check_usage_SOURCES = %D%/lib/check_usage.c %D%/support/usage_fixture.h %D%/support/finding_fixture.h %D%/support/cl_fixture.h
%C%_check_usage_LDADD = $(OPENCL_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_usage_shared
%C%_check_usage_shared_SOURCES = %D%/lib/check_usage_shared.c %D%/support/usage_fixture.h %D%/support/finding_fixture.h %D%/support/cl_fixture.h
%C%_check_usage_shared_LDADD = $(OPENCL_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_refusals
%C%_check_refusals_SOURCES = %D%/lib/check_refusals.c %D%/support/refusal_fixture.h %D%/support/finding_fixture.h %D%/support/cl_fixture.h
%C%_check_refusals_LDADD = liborrery.la $(CHECK_LIBS)
%C%_check_refusals_LDFLAGS = $(AM_LDFLAGS)
check_PROGRAMS += %D%/check_refusals_extension
%C%_check_refusals_extension_SOURCES = %D%/lib/check_refusals_extension.c %D%/support/recorder_fixture.h %D%/support/refusal_fixture.h %D%/support/finding_fixture.h %D%/support/cl_fixture.h
%C%_check_refusals_extension_LDADD = liborrery.la $(CHECK_LIBS)
%C%_check_refusals_extension_LDFLAGS = $(AM_LDFLAGS)
check_PROGRAMS += %D%/check_host_memory
%C%_check_host_memory_SOURCES = %D%/sim/check_host_memory.c
%C%_check_host_memory_LDADD = $(TEST_SIM_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_command_buffer
%C%_check_command_buffer_SOURCES = %D%/lib/check_command_buffer.c %D%/support/recorder_fixture.h %D%/support/finding_fixture.h %D%/support/cl_fixture.h
%C%_check_command_buffer_LDADD = $(OPENCL_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_refusals_recorded
%C%_check_refusals_recorded_SOURCES = %D%/lib/check_refusals_recorded.c %D%/support/recorder_fixture.h %D%/support/refusal_fixture.h %D%/support/finding_fixture.h %D%/support/cl_fixture.h
%C%_check_refusals_recorded_LDADD = liborrery.la $(CHECK_LIBS)
%C%_check_refusals_recorded_LDFLAGS = $(AM_LDFLAGS)
check_PROGRAMS += %D%/check_refusals_family
%C%_check_refusals_family_SOURCES = %D%/lib/check_refusals_family.c %D%/support/refusal_fixture.h %D%/support/finding_fixture.h %D%/support/cl_fixture.h
%C%_check_refusals_family_LDADD = liborrery.la $(CHECK_LIBS)
%C%_check_refusals_family_LDFLAGS = $(AM_LDFLAGS)
check_PROGRAMS += %D%/check_refusals_enqueue
%C%_check_refusals_enqueue_SOURCES = %D%/lib/check_refusals_enqueue.c %D%/support/refusal_fixture.h %D%/support/finding_fixture.h %D%/support/cl_fixture.h
%C%_check_refusals_enqueue_LDADD = liborrery.la $(CHECK_LIBS)
%C%_check_refusals_enqueue_LDFLAGS = $(AM_LDFLAGS)
check_PROGRAMS += %D%/check_queries
%C%_check_queries_SOURCES = %D%/lib/check_queries.c %D%/support/recorder_fixture.h %D%/support/refusal_fixture.h %D%/support/finding_fixture.h %D%/support/cl_fixture.h
%C%_check_queries_LDADD = liborrery.la $(CHECK_LIBS)
%C%_check_queries_LDFLAGS = $(AM_LDFLAGS)
check_PROGRAMS += %D%/check_queue
%C%_check_queue_SOURCES = %D%/lib/check_queue.c %D%/support/cl_fixture.h %D%/support/growth.h
%C%_check_queue_LDADD = $(OPENCL_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_event
%C%_check_event_SOURCES = %D%/lib/check_event.c %D%/support/cl_fixture.h
%C%_check_event_LDADD = $(OPENCL_LIBS) $(CHECK_LIBS)
report_fixture = %D%/support/report_fixture.c %D%/support/run_tests.h %D%/support/report_fixture.h

check_PROGRAMS += %D%/check_report_text
%C%_check_report_text_SOURCES = %D%/sim/check_report_text.c $(report_fixture)
%C%_check_report_text_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
%C%_check_report_text_LDADD = $(TEST_SIM_LIBS) $(JANSSON_LIBS) $(CHECK_LIBS)

check_PROGRAMS += %D%/check_report_json
%C%_check_report_json_SOURCES = %D%/sim/check_report_json.c $(report_fixture)
%C%_check_report_json_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
%C%_check_report_json_LDADD = $(TEST_SIM_LIBS) $(JANSSON_LIBS) $(CHECK_LIBS)

check_PROGRAMS += %D%/check_report_sarif
%C%_check_report_sarif_SOURCES = %D%/sim/check_report_sarif.c $(report_fixture)
%C%_check_report_sarif_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
%C%_check_report_sarif_LDADD = $(TEST_SIM_LIBS) $(JANSSON_LIBS) $(CHECK_LIBS)

check_PROGRAMS += %D%/check_report_dot
%C%_check_report_dot_SOURCES = %D%/sim/check_report_dot.c $(report_fixture)
%C%_check_report_dot_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
%C%_check_report_dot_LDADD = $(TEST_SIM_LIBS) $(JANSSON_LIBS) $(CHECK_LIBS)

check_PROGRAMS += %D%/check_report_suppressions
%C%_check_report_suppressions_SOURCES = %D%/sim/check_report_suppressions.c $(report_fixture)
%C%_check_report_suppressions_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
%C%_check_report_suppressions_LDADD = $(TEST_SIM_LIBS) $(JANSSON_LIBS) $(CHECK_LIBS)

check_PROGRAMS += %D%/check_report_summary
%C%_check_report_summary_SOURCES = %D%/sim/check_report_summary.c $(report_fixture)
%C%_check_report_summary_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
%C%_check_report_summary_LDADD = $(TEST_SIM_LIBS) $(JANSSON_LIBS) $(CHECK_LIBS)

check_PROGRAMS += %D%/check_report_devices
%C%_check_report_devices_SOURCES = %D%/sim/check_report_devices.c $(report_fixture)
%C%_check_report_devices_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
%C%_check_report_devices_LDADD = $(TEST_SIM_LIBS) $(JANSSON_LIBS) $(CHECK_LIBS)

check_PROGRAMS += %D%/check_report
%C%_check_report_SOURCES = %D%/sim/check_report.c $(report_fixture)
%C%_check_report_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
%C%_check_report_LDADD = $(TEST_SIM_LIBS) $(JANSSON_LIBS) $(CHECK_LIBS)

check_PROGRAMS += %D%/check_explain
%C%_check_explain_SOURCES = %D%/memmodel/check_explain.c %D%/support/explain_fixture.h %D%/support/run_tests.h
%C%_check_explain_LDADD = $(TEST_SIM_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_explain_fix
%C%_check_explain_fix_SOURCES = %D%/memmodel/check_explain_fix.c %D%/support/explain_fixture.h %D%/support/run_tests.h
%C%_check_explain_fix_LDADD = $(TEST_SIM_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_explain_steps
%C%_check_explain_steps_SOURCES = %D%/memmodel/check_explain_steps.c %D%/support/explain_fixture.h %D%/support/run_tests.h
%C%_check_explain_steps_LDADD = $(TEST_SIM_LIBS) $(CHECK_LIBS)

check_PROGRAMS += %D%/check_scenario
%C%_check_scenario_SOURCES = %D%/sim/check_scenario.c %D%/support/scenario_fixture.h %D%/support/run_tests.h
%C%_check_scenario_LDADD = $(TEST_SIM_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_scenario_refused
%C%_check_scenario_refused_SOURCES = %D%/sim/check_scenario_refused.c %D%/support/scenario_fixture.h %D%/support/run_tests.h
%C%_check_scenario_refused_LDADD = $(TEST_SIM_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_scenario_launches
%C%_check_scenario_launches_SOURCES = %D%/sim/check_scenario_launches.c %D%/support/scenario_fixture.h %D%/support/run_tests.h
%C%_check_scenario_launches_LDADD = $(TEST_SIM_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_options
%C%_check_options_SOURCES = %D%/sim/check_options.c %D%/support/scenario_fixture.h %D%/support/run_tests.h
%C%_check_options_LDADD = $(TEST_SIM_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_enqueue_buffer
%C%_check_enqueue_buffer_SOURCES = %D%/lib/check_enqueue_buffer.c %D%/support/cl_fixture.h
%C%_check_enqueue_buffer_LDADD = $(OPENCL_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_litmus
%C%_check_litmus_SOURCES = %D%/litmus/check_litmus.c
%C%_check_litmus_LDADD = $(TEST_SIM_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_module
%C%_check_module_SOURCES = %D%/interp/check_module.c
%C%_check_module_LDADD = $(TEST_SIM_LIBS) $(CHECK_LIBS)

check_PROGRAMS += %D%/check_code
%C%_check_code_SOURCES = %D%/interp/check_code.c
%C%_check_code_LDADD = $(TEST_SIM_LIBS) $(CHECK_LIBS)

check_PROGRAMS += %D%/check_written
%C%_check_written_SOURCES = %D%/interp/check_written.c
%C%_check_written_LDADD = $(TEST_SIM_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_read_only_set
%C%_check_read_only_set_SOURCES = %D%/memmodel/check_read_only_set.c %D%/support/finding_fixture.h %D%/support/cl_fixture.h
%C%_check_read_only_set_LDADD = $(OPENCL_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_geometric
%C%_check_geometric_SOURCES = %D%/lib/check_geometric.c %D%/support/cl_fixture.h %D%/support/dice.h
%C%_check_geometric_LDADD = $(OPENCL_LIBS) $(MPFR_LIBS) -lm $(CHECK_LIBS)

check_PROGRAMS += %D%/check_slots
%C%_check_slots_SOURCES = %D%/interp/check_slots.c %D%/support/compile_request.h
%C%_check_slots_LDADD = $(TEST_SIM_LIBS) $(CHECK_LIBS)

check_PROGRAMS += %D%/check_lower
%C%_check_lower_SOURCES = %D%/interp/check_lower.c
%C%_check_lower_LDADD = $(TEST_SIM_LIBS) $(CHECK_LIBS)

# Its own flags: the library's objects are libtool's.
check_PROGRAMS += %D%/check_object
%C%_check_object_SOURCES = %D%/lib/check_object.c lib/info.c lib/object.c
%C%_check_object_CPPFLAGS = $(AM_CPPFLAGS)
%C%_check_object_LDADD = $(CHECK_LIBS)

check_PROGRAMS += %D%/check_api_platform
%C%_check_api_platform_SOURCES = %D%/lib/check_api_platform.c %D%/support/cl_fixture.h
%C%_check_api_platform_LDADD = $(OPENCL_LIBS) $(CHECK_LIBS)

check_PROGRAMS += %D%/check_api_memory
%C%_check_api_memory_SOURCES = %D%/lib/check_api_memory.c %D%/support/cl_fixture.h
%C%_check_api_memory_LDADD = $(OPENCL_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_image_api
%C%_check_image_api_SOURCES = %D%/lib/check_image_api.c %D%/support/image_fixture.h %D%/support/cl_fixture.h
%C%_check_image_api_LDADD = $(OPENCL_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_enqueue_image
%C%_check_enqueue_image_SOURCES = %D%/lib/check_enqueue_image.c %D%/support/image_fixture.h %D%/support/cl_fixture.h
%C%_check_enqueue_image_LDADD = $(OPENCL_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_image_exec
%C%_check_image_exec_SOURCES = %D%/lib/check_image_exec.c %D%/support/image_kernels.h %D%/support/image_fixture.h %D%/support/cl_fixture.h
%C%_check_image_exec_LDADD = $(OPENCL_LIBS) $(CHECK_LIBS) -lm
check_PROGRAMS += %D%/check_image_sampling
%C%_check_image_sampling_SOURCES = %D%/lib/check_image_sampling.c %D%/support/image_kernels.h %D%/support/image_fixture.h %D%/support/cl_fixture.h
%C%_check_image_sampling_LDADD = $(OPENCL_LIBS) $(CHECK_LIBS) -lm
check_PROGRAMS += %D%/check_image_findings
%C%_check_image_findings_SOURCES = %D%/lib/check_image_findings.c %D%/support/image_kernels.h %D%/support/image_fixture.h %D%/support/cl_fixture.h
%C%_check_image_findings_LDADD = $(OPENCL_LIBS) $(CHECK_LIBS) -lm
check_PROGRAMS += %D%/check_enqueue_kernel
%C%_check_enqueue_kernel_SOURCES = %D%/lib/check_enqueue_kernel.c %D%/support/cl_fixture.h
%C%_check_enqueue_kernel_LDADD = $(OPENCL_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_pipe
%C%_check_pipe_SOURCES = %D%/lib/check_pipe.c %D%/support/cl_fixture.h
%C%_check_pipe_LDADD = $(OPENCL_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_device_queue
%C%_check_device_queue_SOURCES = %D%/lib/check_device_queue.c %D%/support/cl_fixture.h
%C%_check_device_queue_LDADD = $(OPENCL_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_sub_group
%C%_check_sub_group_SOURCES = %D%/lib/check_sub_group.c %D%/support/cl_fixture.h
%C%_check_sub_group_LDADD = $(OPENCL_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_enqueue_svm
%C%_check_enqueue_svm_SOURCES = %D%/lib/check_enqueue_svm.c %D%/support/cl_fixture.h
%C%_check_enqueue_svm_LDADD = $(OPENCL_LIBS) $(CHECK_LIBS)

check_PROGRAMS += %D%/check_api_program
%C%_check_api_program_SOURCES = %D%/lib/check_api_program.c %D%/support/program_fixture.h %D%/support/cl_fixture.h
%C%_check_api_program_LDADD = $(OPENCL_LIBS) $(CHECK_LIBS)

check_PROGRAMS += %D%/check_program_variables
%C%_check_program_variables_SOURCES = %D%/lib/check_program_variables.c %D%/support/program_fixture.h %D%/support/cl_fixture.h
%C%_check_program_variables_LDADD = $(OPENCL_LIBS) $(CHECK_LIBS)

check_PROGRAMS += %D%/check_api_kernel
%C%_check_api_kernel_SOURCES = %D%/lib/check_api_kernel.c %D%/support/cl_fixture.h
%C%_check_api_kernel_LDADD = $(OPENCL_LIBS) $(CHECK_LIBS)

check_PROGRAMS += %D%/check_debug_same
%C%_check_debug_same_SOURCES = %D%/sim/check_debug_same.c
%C%_check_debug_same_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
%C%_check_debug_same_LDADD = $(TEST_SIM_LIBS) $(JANSSON_LIBS)

check_PROGRAMS += %D%/check_runtime
%C%_check_runtime_SOURCES = %D%/lib/check_runtime.c %D%/support/cl_fixture.h
%C%_check_runtime_LDADD = $(OPENCL_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_control
%C%_check_control_SOURCES = %D%/interp/check_control.c %D%/support/cl_fixture.h
%C%_check_control_LDADD = liborrery.la $(CHECK_LIBS)
%C%_check_control_LDFLAGS = $(AM_LDFLAGS)
check_PROGRAMS += %D%/check_api_faults
%C%_check_api_faults_SOURCES = %D%/lib/check_api_faults.c %D%/support/recorder_fixture.h %D%/support/cl_fixture.h
%C%_check_api_faults_LDADD = liborrery.la $(CHECK_LIBS)
%C%_check_api_faults_LDFLAGS = $(AM_LDFLAGS)
check_PROGRAMS += %D%/check_direct
%C%_check_direct_SOURCES = %D%/lib/check_direct.c %D%/support/cl_fixture.h
%C%_check_direct_LDADD = liborrery.la $(CHECK_LIBS)
%C%_check_direct_LDFLAGS = $(AM_LDFLAGS)
check_PROGRAMS += %D%/check_subdevice
%C%_check_subdevice_SOURCES = %D%/lib/check_subdevice.c %D%/support/cl_fixture.h
%C%_check_subdevice_LDADD = $(OPENCL_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_fission
%C%_check_fission_SOURCES = %D%/lib/check_fission.c %D%/support/cl_fixture.h
%C%_check_fission_LDADD = $(OPENCL_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_event_counters
%C%_check_event_counters_SOURCES = %D%/lib/check_event_counters.c %D%/support/cl_fixture.h
%C%_check_event_counters_LDADD = $(OPENCL_LIBS) $(CHECK_LIBS)

check_PROGRAMS += %D%/check_queue_family
%C%_check_queue_family_SOURCES = %D%/lib/check_queue_family.c %D%/support/cl_fixture.h
%C%_check_queue_family_LDADD = $(OPENCL_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_extensions
%C%_check_extensions_SOURCES = %D%/lib/check_extensions.c %D%/support/extension_fixture.h %D%/support/cl_fixture.h
%C%_check_extensions_LDADD = $(OPENCL_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_semaphore
%C%_check_semaphore_SOURCES = %D%/lib/check_semaphore.c %D%/support/extension_fixture.h %D%/support/cl_fixture.h
%C%_check_semaphore_LDADD = $(OPENCL_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_recording
%C%_check_recording_SOURCES = %D%/lib/check_recording.c %D%/support/extension_fixture.h %D%/support/cl_fixture.h
%C%_check_recording_LDADD = $(OPENCL_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_language
%C%_check_language_SOURCES = %D%/interp/check_language.c %D%/support/extension_fixture.h %D%/support/cl_fixture.h
%C%_check_language_LDADD = $(OPENCL_LIBS) $(CHECK_LIBS)

check_PROGRAMS += %D%/check_built_in
%C%_check_built_in_SOURCES = %D%/lib/check_built_in.c %D%/support/cl_fixture.h
%C%_check_built_in_LDADD = $(OPENCL_LIBS) $(CHECK_LIBS)

check_PROGRAMS += %D%/check_small_stack
%C%_check_small_stack_SOURCES = %D%/lib/check_small_stack.c %D%/support/cl_fixture.h
%C%_check_small_stack_LDADD = $(OPENCL_LIBS) $(CHECK_LIBS)

check_PROGRAMS += %D%/check_selector
%C%_check_selector_SOURCES = %D%/lib/check_selector.c %D%/support/cl_fixture.h
%C%_check_selector_LDADD = $(OPENCL_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/host_threads
%C%_host_threads_SOURCES = %D%/scripts/host_threads.c
%C%_host_threads_LDADD = $(OPENCL_LIBS)
noinst_PROGRAMS += %D%/host_reads
%C%_host_reads_SOURCES = %D%/support/host_reads.c
%C%_host_reads_LDADD = $(OPENCL_LIBS)
noinst_PROGRAMS += %D%/saved_arguments
%C%_saved_arguments_SOURCES = %D%/support/saved_arguments.c
%C%_saved_arguments_LDADD = $(OPENCL_LIBS)

noinst_PROGRAMS += %D%/thread_order
%C%_thread_order_SOURCES = %D%/support/thread_order.c
%C%_thread_order_LDADD = $(OPENCL_LIBS)

noinst_PROGRAMS += %D%/attach_target
%C%_attach_target_SOURCES = %D%/support/attach_target.c
%C%_attach_target_LDADD = $(OPENCL_LIBS)
noinst_PROGRAMS += %D%/host_commands
%C%_host_commands_SOURCES = %D%/support/host_commands.c
%C%_host_commands_LDADD = $(OPENCL_LIBS)
noinst_PROGRAMS += %D%/endless_kernel
%C%_endless_kernel_SOURCES = %D%/support/endless_kernel.c
%C%_endless_kernel_LDADD = $(OPENCL_LIBS)

noinst_PROGRAMS += %D%/freed_blocks
%C%_freed_blocks_SOURCES = %D%/scripts/freed_blocks.c
%C%_freed_blocks_LDADD = $(OPENCL_LIBS)
noinst_PROGRAMS += %D%/refused_calls
%C%_refused_calls_SOURCES = %D%/scripts/refused_calls.c
%C%_refused_calls_LDADD = $(OPENCL_LIBS)
noinst_PROGRAMS += %D%/host_waits
%C%_host_waits_SOURCES = %D%/scripts/host_waits.c
%C%_host_waits_LDADD = $(OPENCL_LIBS)
noinst_PROGRAMS += %D%/partition_lines
%C%_partition_lines_SOURCES = %D%/support/partition_lines.c tools/arguments.c tools/cmd_topology.c tools/progress.c \
	tools/near_file.c tools/settings.c tools/topology_print.c
%C%_partition_lines_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(top_srcdir)/tools
%C%_partition_lines_LDADD = $(SIM_LIBS)
noinst_PROGRAMS += %D%/origins_host
%C%_origins_host_SOURCES = %D%/scripts/origins_host.c
%C%_origins_host_LDADD = $(OPENCL_LIBS)
noinst_PROGRAMS += %D%/host_locks
%C%_host_locks_SOURCES = %D%/scripts/host_locks.c
%C%_host_locks_LDADD = $(OPENCL_LIBS)
noinst_PROGRAMS += %D%/host_callbacks
%C%_host_callbacks_SOURCES = %D%/scripts/host_callbacks.c
%C%_host_callbacks_LDADD = $(OPENCL_LIBS)
check_PROGRAMS += %D%/check_sub_buffer
%C%_check_sub_buffer_SOURCES = %D%/lib/check_sub_buffer.c %D%/support/cl_fixture.h %D%/support/host_fixture.h
%C%_check_sub_buffer_LDADD = libapi.a $(TEST_SIM_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_source_place
%C%_check_source_place_SOURCES = %D%/lib/check_source_place.c
%C%_check_source_place_LDADD = libapi.a $(TEST_SIM_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_long_run
%C%_check_long_run_SOURCES = %D%/lib/check_long_run.c %D%/support/cl_fixture.h %D%/support/host_fixture.h
%C%_check_long_run_LDADD = libapi.a $(TEST_SIM_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_host_changed
%C%_check_host_changed_SOURCES = %D%/lib/check_host_changed.c %D%/support/cl_fixture.h %D%/support/host_fixture.h
%C%_check_host_changed_LDADD = libapi.a $(TEST_SIM_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_host_bytes
%C%_check_host_bytes_SOURCES = %D%/lib/check_host_bytes.c %D%/support/cl_fixture.h %D%/support/host_fixture.h
%C%_check_host_bytes_LDADD = libapi.a $(TEST_SIM_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_children_fine
%C%_check_children_fine_SOURCES = %D%/lib/check_children_fine.c %D%/support/cl_fixture.h %D%/support/host_fixture.h
%C%_check_children_fine_LDADD = libapi.a $(TEST_SIM_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_shared_bytes
%C%_check_shared_bytes_SOURCES = %D%/lib/check_shared_bytes.c %D%/support/cl_fixture.h %D%/support/host_fixture.h
%C%_check_shared_bytes_LDADD = libapi.a $(TEST_SIM_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_host_pages
%C%_check_host_pages_SOURCES = %D%/lib/check_host_pages.c %D%/support/cl_fixture.h %D%/support/host_fixture.h
%C%_check_host_pages_LDADD = libapi.a $(TEST_SIM_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_host_mapped
%C%_check_host_mapped_SOURCES = %D%/lib/check_host_mapped.c %D%/support/cl_fixture.h %D%/support/host_fixture.h
%C%_check_host_mapped_LDADD = libapi.a $(TEST_SIM_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_host_concurrent
%C%_check_host_concurrent_SOURCES = %D%/lib/check_host_concurrent.c %D%/support/cl_fixture.h %D%/support/host_fixture.h
%C%_check_host_concurrent_LDADD = libapi.a $(TEST_SIM_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_svm_fine
%C%_check_svm_fine_SOURCES = %D%/lib/check_svm_fine.c %D%/support/cl_fixture.h
%C%_check_svm_fine_LDADD = libapi.a $(TEST_SIM_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_context
%C%_check_context_SOURCES = %D%/lib/check_context.c %D%/support/cl_fixture.h
%C%_check_context_LDADD = libapi.a $(TEST_SIM_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_usm
%C%_check_usm_SOURCES = %D%/lib/check_usm.c %D%/support/cl_fixture.h
%C%_check_usm_LDADD = $(OPENCL_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_exec_integer
%C%_check_exec_integer_SOURCES = %D%/interp/check_exec_integer.c %D%/support/exec_support.c %D%/support/exec_support.h
%C%_check_exec_integer_LDADD = $(TEST_SIM_LIBS) -lm $(CHECK_LIBS)
check_PROGRAMS += %D%/check_exec_float
%C%_check_exec_float_SOURCES = %D%/interp/check_exec_float.c %D%/support/exec_support.c %D%/support/exec_support.h
%C%_check_exec_float_LDADD = $(TEST_SIM_LIBS) -lm $(CHECK_LIBS)
check_PROGRAMS += %D%/check_exec_compare
%C%_check_exec_compare_SOURCES = %D%/interp/check_exec_compare.c %D%/support/exec_support.c %D%/support/exec_support.h
%C%_check_exec_compare_LDADD = $(TEST_SIM_LIBS) -lm $(CHECK_LIBS)
check_PROGRAMS += %D%/check_exec_convert
%C%_check_exec_convert_SOURCES = %D%/interp/check_exec_convert.c %D%/support/exec_support.c %D%/support/exec_support.h
%C%_check_exec_convert_LDADD = $(TEST_SIM_LIBS) -lm $(CHECK_LIBS)
check_PROGRAMS += %D%/check_exec_memory
%C%_check_exec_memory_SOURCES = %D%/interp/check_exec_memory.c %D%/support/exec_support.c %D%/support/exec_support.h
%C%_check_exec_memory_LDADD = $(TEST_SIM_LIBS) -lm $(CHECK_LIBS)
check_PROGRAMS += %D%/check_exec_image
%C%_check_exec_image_SOURCES = %D%/interp/check_exec_image.c %D%/support/exec_support.c %D%/support/exec_support.h
%C%_check_exec_image_LDADD = $(TEST_SIM_LIBS) -lm $(CHECK_LIBS)
check_PROGRAMS += %D%/check_exec_generic
%C%_check_exec_generic_SOURCES = %D%/interp/check_exec_generic.c %D%/support/exec_support.c %D%/support/exec_support.h
%C%_check_exec_generic_LDADD = $(TEST_SIM_LIBS) -lm $(CHECK_LIBS)
check_PROGRAMS += %D%/check_exec_poison
%C%_check_exec_poison_SOURCES = %D%/interp/check_exec_poison.c %D%/support/exec_support.c %D%/support/exec_support.h
%C%_check_exec_poison_LDADD = $(TEST_SIM_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_spirv_table
%C%_check_spirv_table_SOURCES = %D%/interp/check_spirv_table.c
%C%_check_spirv_table_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
%C%_check_spirv_table_LDADD = $(TEST_SIM_LIBS) $(JANSSON_LIBS) $(CHECK_LIBS)

check_PROGRAMS += %D%/check_misuse
%C%_check_misuse_SOURCES = %D%/memmodel/check_misuse.c $(race_world)
%C%_check_misuse_LDADD = $(TEST_SIM_LIBS) $(CHECK_LIBS)

check_PROGRAMS += %D%/check_compact_page
%C%_check_compact_page_SOURCES = %D%/memmodel/check_compact_page.c %D%/support/dice.h
%C%_check_compact_page_LDADD = $(TEST_SIM_LIBS) $(CHECK_LIBS)

check_PROGRAMS += %D%/check_access_log
%C%_check_access_log_SOURCES = %D%/memmodel/check_access_log.c
%C%_check_access_log_LDADD = $(TEST_SIM_LIBS) $(CHECK_LIBS)

check_PROGRAMS += %D%/check_reader_set
%C%_check_reader_set_SOURCES = %D%/memmodel/check_reader_set.c %D%/support/dice.h
%C%_check_reader_set_LDADD = $(TEST_SIM_LIBS) $(CHECK_LIBS)
check_PROGRAMS += %D%/check_vclock
%C%_check_vclock_SOURCES = %D%/memmodel/check_vclock.c
%C%_check_vclock_LDADD = $(TEST_SIM_LIBS) $(CHECK_LIBS)

# Not a test by itself: check_differential.sh runs it. Its kernels are in the directory differential.
noinst_PROGRAMS += %D%/run_differential
%C%_run_differential_SOURCES = %D%/support/differential.c
%C%_run_differential_LDADD = $(OPENCL_LIBS) -lm
test_scripts_built = %D%/scripts/check_differential.sh
endif

include $(srcdir)/tests/fuzz/local.mk

if BUILD_TESTS
check_PROGRAMS += %D%/check_process
%C%_check_process_SOURCES = %D%/frontend/check_process.c %D%/support/cl_fixture.h
%C%_check_process_LDADD = $(OPENCL_LIBS) $(CHECK_LIBS) -ldl
endif

# Programs and libraries of other people, skipped where they are not installed.
client_scripts = \
	%D%/clients/boost_compute.sh \
	%D%/clients/catch2.sh \
	%D%/clients/check.sh \
	%D%/clients/clblast.sh \
	%D%/clients/clfft.sh \
	%D%/clients/clinfo.sh \
	%D%/clients/clpeak.sh \
	%D%/clients/cmake.sh \
	%D%/clients/ffmpeg.sh \
	%D%/clients/gtest.sh \
	%D%/clients/hpp_lines.sh \
	%D%/clients/opencl_hpp.sh \
	%D%/clients/opencv.sh \
	%D%/clients/openmm.sh \
	%D%/clients/partition_pocl.sh \
	%D%/clients/piglit.sh \
	%D%/clients/pyopencl.sh \
	%D%/clients/pytest.sh \
	%D%/clients/viennacl.sh
TESTS += $(client_scripts)
EXTRA_DIST += $(client_scripts) \
	%D%/clients/boost_compute.cpp \
	%D%/clients/clblast.c \
	%D%/clients/client.h \
	%D%/clients/hpp_lines.cpp \
	%D%/clients/listener_catch2.cpp \
	%D%/clients/listener_check.c \
	%D%/clients/listener_gtest.cpp \
	%D%/clients/listener_pytest.py \
	%D%/clients/listeners.h \
	%D%/clients/listeners.sh \
	%D%/clients/opencl_hpp.cpp \
	%D%/clients/opencv_umat.py \
	%D%/clients/openmm_forces.py \
	%D%/clients/partition_pocl.c \
	%D%/clients/pyopencl_numpy.py \
	%D%/clients/run.sh \
	%D%/clients/viennacl_solve.cpp

# Preloaded by check_alloc.sh, check_race_memory.sh and check_interrupt.sh; -rpath makes libtool build a shared object of what is not installed.
check_LTLIBRARIES += fail_alloc.la peak_alloc.la fast_clock.la
fail_alloc_la_SOURCES = %D%/support/fail_alloc.c
fail_alloc_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -rpath /nowhere
fail_alloc_la_LIBADD = -ldl
peak_alloc_la_SOURCES = %D%/support/peak_alloc.c
peak_alloc_la_LDFLAGS = $(fail_alloc_la_LDFLAGS)
fast_clock_la_SOURCES = %D%/support/fast_clock.c
fast_clock_la_LDFLAGS = $(fail_alloc_la_LDFLAGS)
fast_clock_la_LIBADD = -ldl

# Here, too.
test_scripts = \
	%D%/scripts/check_host_waits.sh \
	%D%/scripts/check_source_name.sh \
	%D%/scripts/check_refused_note.sh \
	%D%/scripts/check_freed_blocks.sh \
	%D%/scripts/check_instruction_places.sh \
	%D%/scripts/check_report_names.sh \
	%D%/scripts/check_host_locks.sh \
	%D%/scripts/check_race_memory.sh \
	%D%/scripts/check_mutation.sh \
	%D%/scripts/check_repeat.sh \
	%D%/scripts/check_results.sh \
	%D%/scripts/check_sarif.sh \
	%D%/scripts/check_save_launch.sh \
	%D%/scripts/check_host_reads.sh \
	%D%/scripts/check_baseline.sh \
	%D%/scripts/check_alloc.sh \
	%D%/scripts/check_oracle.sh \
	%D%/scripts/check_fix_claims.sh \
	%D%/scripts/check_fixes.sh \
	%D%/scripts/check_printed_fixes.sh \
	%D%/scripts/check_python_lines.sh \
	%D%/scripts/check_host_callbacks.sh \
	%D%/scripts/check_sub_group_waits.sh \
	%D%/scripts/check_waiting_loops.sh \
	%D%/scripts/check_barrier_waits.sh \
	%D%/scripts/check_cli.sh \
	%D%/scripts/check_terminal.sh \
	%D%/scripts/check_endings.sh \
	%D%/scripts/check_examples.sh \
	%D%/scripts/check_packages.sh \
	%D%/scripts/check_bench.sh \
	%D%/scripts/check_demo.sh \
	%D%/scripts/check_guide.sh \
	%D%/scripts/check_expect.sh \
	%D%/scripts/check_faulty_access.sh \
	%D%/scripts/check_forms.sh \
	%D%/scripts/check_identifiers.sh \
	%D%/scripts/check_picture.sh \
	%D%/scripts/check_host_order.sh \
	%D%/scripts/check_interrupt.sh \
	%D%/scripts/check_thread_order.sh \
	%D%/scripts/check_host_threads.sh \
	%D%/scripts/check_random_kernels.sh \
	%D%/scripts/check_verdicts.sh \
	%D%/scripts/check_partition.sh \
	%D%/scripts/check_launch_filter.sh \
	%D%/scripts/check_instructions.sh \
	%D%/scripts/check_schemas.sh \
	%D%/scripts/check_manuals.sh \
	%D%/scripts/check_labs.sh \
	%D%/scripts/check_coverage.sh \
	%D%/scripts/check_origins.sh \
	%D%/scripts/check_severity.sh \
	%D%/scripts/check_replay.sh \
	%D%/scripts/check_outputs.sh \
	%D%/scripts/check_page.sh \
	%D%/scripts/check_show.sh \
	%D%/scripts/check_student_kernels.sh \
	%D%/scripts/check_lessons.sh \
	%D%/scripts/check_host_lines.sh \
	%D%/scripts/check_serve.sh \
	%D%/scripts/check_page_browser.sh \
	%D%/scripts/check_litmus_page.sh \
	%D%/scripts/check_components.sh \
	%D%/scripts/check_partial_words.sh \
	%D%/scripts/check_uninitialised_flow.sh \
	%D%/scripts/check_unset.sh \
	%D%/scripts/check_values.sh \
	%D%/scripts/check_index.sh \
	%D%/scripts/check_copies.sh \
	%D%/scripts/check_attach.sh \
	%D%/scripts/check_dap_schema.sh \
	%D%/scripts/check_debug.sh \
	%D%/scripts/check_debug_races.sh \
	%D%/scripts/check_timeline.sh \
	%D%/scripts/check_topology_picture.sh \
	%D%/scripts/check_machines.sh \
	%D%/scripts/check_vector.sh

# These read the sources and run nothing of Orrery: once is enough, whatever else is built.
source_scripts = \
	%D%/scripts/check_api_rows.sh \
	%D%/scripts/check_containers.sh \
	%D%/scripts/check_layers.sh \
	%D%/scripts/check_names.sh \
	%D%/scripts/check_assertions.sh \
	%D%/scripts/check_sections.sh \
	%D%/scripts/check_page_types.sh \
	%D%/scripts/check_tables.sh \
	%D%/scripts/check_words.sh

# What .ci/run runs under the sanitizers: all test programs and scenarios, and of the scripts those that take a way of their own
# through the command or the library. Left out are those that measure, that take ways of others many times over, and those in which
# clang's tools or Python do most of the work.
sanitized_scripts = $(addprefix %D%/scripts/check_,$(addsuffix .sh, \
	attach barrier_waits baseline cli components copies coverage debug demo differential endings expect faulty_access fix_claims \
	host_locks host_order host_threads index instructions interrupt launch_filter lessons litmus_page outputs page partition picture repeat \
	refused_note replay results sarif save_launch serve severity show source_name sub_group_waits terminal thread_order timeline topology_picture unset values \
	waiting_loops))
sanitized_tests = $(sanitized_scripts) $(check_PROGRAMS) $(scenario_batches)

TESTS += $(test_scripts_built) $(test_scripts) $(source_scripts) $(check_PROGRAMS)
EXTRA_DIST += $(test_scripts) $(source_scripts)
# The files that they read or run, one a line.
EXTRA_DIST += \
	%D%/debug \
	%D%/differential \
	%D%/litmus/dat3m.interleavings \
	%D%/litmus/dat3m.weak \
	%D%/litmus/mixes.interleavings \
	%D%/litmus/mixes.weak \
	%D%/litmus/rules.interleavings \
	%D%/litmus/rules.weak \
	%D%/litmus/teaching.interleavings \
	%D%/litmus/teaching.weak \
	%D%/oracle/compare.py \
	%D%/oracle/model.py \
	%D%/oracle/programs.py \
	%D%/oracle/values.py \
	%D%/schema/junit.xsd \
	%D%/schema/sarif-2.1.0.json \
	%D%/scripts/api_texts.py \
	%D%/scripts/check_differential.sh \
	%D%/scripts/dap_client.py \
	%D%/scripts/debug_terminal.py \
	%D%/scripts/dap_testsupport.js \
	%D%/scripts/debug_findings.py \
	%D%/scripts/examples.sh \
	%D%/scripts/fix_table.py \
	%D%/scripts/uninitialised_flow.py \
	%D%/scripts/check_python_lines.py \
	%D%/scripts/check_python_strings.py \
	%D%/scripts/litmus_page.py \
	%D%/scripts/lstopo_compare.py \
	%D%/scripts/page_browser.py \
	%D%/scripts/page_fits.sh \
	%D%/scripts/page_views.py \
	%D%/scripts/partition_oracle.py \
	%D%/scripts/printed_fixes.py \
	%D%/scripts/identifiers.py \
	%D%/scripts/random_kernels.py \
	%D%/scripts/random_kernels_forms.py \
	%D%/scripts/random_kernels_host.py \
	%D%/scripts/random_kernels_pocl.py \
	%D%/scripts/student_kernels.py \
	%D%/scripts/student_kernels_more.py \
	%D%/scripts/serve_browser.py \
	%D%/scripts/serve_client.py \
	%D%/scripts/staged.sh \
	%D%/scripts/timeline_check.py \
	%D%/scripts/waiting_loops.py \
	%D%/support/race_memory.cl

# What has threads, of the host program or of its own making: `make check-tsan` in a build of --enable-tsan. A race of the runtime
# ends the test that shows it with status 66. Not check_host_pages, check_shared_bytes and check_svm_fine: there the host writes what a
# command uses, which is what they look at. Without the compile server, whose start on the memory of the parent the sanitizer does not
# understand.
tsan_tests = \
	%D%/check_api_order \
	%D%/check_api_program \
	%D%/check_concurrent \
	%D%/check_context \
	%D%/check_direct \
	%D%/check_event \
	%D%/check_host_mapped \
	%D%/check_host_concurrent \
	%D%/check_object \
	%D%/check_process \
	%D%/check_program_variables \
	%D%/check_queue \
	%D%/check_refusals \
	%D%/check_report \
	%D%/check_semaphore \
	%D%/check_subdevice \
	%D%/check_versions \
	%D%/fuzz/fuzz_threads
if TSAN
check-tsan:
	TSAN_OPTIONS="die_after_fork=0 second_deadlock_stack=1 $$TSAN_OPTIONS" ORRERY_COMPILER=programs \
		$(MAKE) check TESTS='$(tsan_tests)' check_PROGRAMS='$(tsan_tests)'
else
check-tsan:
	@echo "check-tsan: this build has no ThreadSanitizer: configure --enable-tsan in a directory of its own" >&2; exit 1
endif
.PHONY: check-tsan

# Which lines of lib/ and sim/ the suite runs: `make coverage` in a build of --enable-coverage. Left out is what measures, reads the
# sources, builds programs of its own, or runs again what others run. COVERAGE_TESTS="tests/check_queue ..." adds these alone to what
# has been counted; COVERAGE_FILES="lib/queue.c ..." prints their lines that never ran.
coverage_tests = $(filter-out $(source_scripts) $(client_scripts) \
	$(addprefix %D%/scripts/check_,$(addsuffix .sh,alloc bench machines mutation packages race_memory repeat vector)),$(TESTS))
if COVERAGE
coverage:
	@test -n '$(COVERAGE_TESTS)$(COVERAGE_FILES)' || find . -name '*.gcda' -delete
	-test -n '$(COVERAGE_FILES)' || $(MAKE) check TESTS='$(or $(COVERAGE_TESTS),$(coverage_tests))'
	@python3 $(srcdir)/%D%/support/coverage.py $(srcdir) . $(COVERAGE_FILES)
else
coverage:
	@echo "coverage: this build does not count: configure --enable-coverage in a directory of its own" >&2; exit 1
endif
.PHONY: coverage
EXTRA_DIST += %D%/support/coverage.py %D%/support/coverage_exit.h %D%/support/fail_at.h
