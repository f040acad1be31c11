# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += libmemmodel.la
libmemmodel_la_SOURCES = \
	%D%/byte_map.c \
	%D%/byte_map.h \
	%D%/command_graph.c \
	%D%/command_graph.h \
	%D%/commands.c \
	%D%/commands.h \
	%D%/footprint.c \
	%D%/footprint.h
