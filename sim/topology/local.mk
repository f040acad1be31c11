# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += libtopology.la
libtopology_la_SOURCES = \
	%D%/build.c \
	%D%/build.h \
	%D%/cache.c \
	%D%/cache.h \
	%D%/cslice.c \
	%D%/import.c \
	%D%/lanes.h \
	%D%/pages.c \
	%D%/pages.h \
	%D%/parse.c \
	%D%/partition.c \
	%D%/print.c \
	%D%/topology.c \
	%D%/topology.def
libtopology_la_CPPFLAGS = $(AM_CPPFLAGS) $(HWLOC_CFLAGS)
libtopology_la_LIBADD = $(HWLOC_LIBS)
