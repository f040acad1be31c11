# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += libmemmodel.la
libmemmodel_la_SOURCES = \
	%D%/byte_map.c \
	%D%/byte_map.h \
	%D%/checker.c \
	%D%/checker.h \
	%D%/checker_keep.c \
	%D%/checker_state.h \
	%D%/checkers.c \
	%D%/checkers.h \
	%D%/command_graph.c \
	%D%/command_graph.h \
	%D%/commands.c \
	%D%/commands.h \
	%D%/edges.c \
	%D%/edges.h \
	%D%/explain.c \
	%D%/explain.h \
	%D%/footprint.c \
	%D%/footprint.h \
	%D%/history.c \
	%D%/history.h \
	%D%/journal.c \
	%D%/journal.h \
	%D%/knowledge.c \
	%D%/knowledge.h \
	%D%/lane_mask.h \
	%D%/misuse.c \
	%D%/misuse.h \
	%D%/narrow.c \
	%D%/narrow.h \
	%D%/notes.c \
	%D%/notes.h \
	%D%/order.c \
	%D%/order.h \
	%D%/order_atomics.c \
	%D%/order_barriers.c \
	%D%/order_copies.c \
	%D%/order_knows.c \
	%D%/order_messages.c \
	%D%/order_state.h \
	%D%/race.c \
	%D%/race.h \
	%D%/relatives.c \
	%D%/relatives.h \
	%D%/scope.c \
	%D%/scope.h \
	%D%/shadow.c \
	%D%/shadow.h \
	%D%/sieve.c \
	%D%/sieve.h \
	%D%/stamps.c \
	%D%/stamps.h \
	%D%/stamps_body.h \
	%D%/ways.h \
	%D%/stale.c \
	%D%/stale.h \
	%D%/windows.c \
	%D%/windows.h \
	%D%/wording.c \
	%D%/wording.h
# The sieve's loops want vectors.
libmemmodel_la_CFLAGS = $(AM_CFLAGS) -O2 -ftree-vectorize
