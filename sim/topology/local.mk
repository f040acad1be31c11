# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += libtopology.la
libtopology_la_SOURCES = %D%/topology.c
libtopology_la_CPPFLAGS = $(AM_CPPFLAGS) $(HWLOC_CFLAGS)
libtopology_la_LIBADD = $(HWLOC_LIBS)
