# SPDX-License-Identifier: Apache-2.0
EXTRA_LIBRARIES += libtopology.a
libtopology_a_SOURCES = \
	%D%/topology_build.c \
	%D%/topology_build.h \
	%D%/cache_model.c \
	%D%/cache_model.h \
	%D%/partition_cslice.c \
	%D%/topology_import.c \
	%D%/access_lanes.h \
	%D%/pages.c \
	%D%/pages.h \
	%D%/topology_parse.c \
	%D%/partition.c \
	%D%/topology_text.c \
	%D%/topology.c \
	%D%/topology.def
libtopology_a_CFLAGS = $(CONVERSION_CFLAGS)
libtopology_a_CPPFLAGS = $(AM_CPPFLAGS) $(HWLOC_CFLAGS)
