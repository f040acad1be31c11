# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += liblitmus.la
liblitmus_la_SOURCES = \
	%D%/accesses.c \
	%D%/c_parser.c \
	%D%/c_parser.h \
	%D%/condition.c \
	%D%/kernel.c \
	%D%/lexer.c \
	%D%/lexer.h \
	%D%/parser.c \
	%D%/pool.c \
	%D%/pool.h \
	%D%/printer.c \
	%D%/test.h
