# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += libmemmodel.la
libmemmodel_la_SOURCES = \
	%D%/footprint.c \
	%D%/footprint.h
