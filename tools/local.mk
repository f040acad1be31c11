# SPDX-License-Identifier: Apache-2.0
# The command holds the simulator itself; `run` finds liborrery.so beside it in the build tree or in ORRERY_LIBDIR.
bin_PROGRAMS += orrery
orrery_SOURCES = \
	%D%/cmd_check.c \
	%D%/cmd_dis.c \
	%D%/cmd_explain.c \
	%D%/cmd_info.c \
	%D%/cmd_replay.c \
	%D%/cmd_litmus.c \
	%D%/cmd_run.c \
	%D%/cmd_topology.c \
	%D%/counters_compare.c \
	%D%/library.c \
	%D%/litmus_output.c \
	%D%/litmus_output.h \
	%D%/main.c \
	%D%/process.c \
	%D%/seeds.c \
	%D%/settings.c \
	%D%/tools.h \
	%D%/topology_print.c \
	%D%/topology_print.h \
	%D%/watched.c
orrery_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
orrery_LDADD = libsim.la $(JANSSON_LIBS)
