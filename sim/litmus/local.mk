# SPDX-License-Identifier: Apache-2.0
EXTRA_LIBRARIES += liblitmus.a
liblitmus_a_SOURCES = \
	%D%/litmus_accesses.c \
	%D%/litmus_c_parser.c \
	%D%/litmus_c_parser.h \
	%D%/litmus_condition.c \
	%D%/litmus_kernel.c \
	%D%/litmus_lexer.c \
	%D%/litmus_lexer.h \
	%D%/litmus_parser.c \
	%D%/litmus_pool.c \
	%D%/litmus_pool.h \
	%D%/litmus_printer.c \
	%D%/litmus_statements.c \
	%D%/litmus_test.h
liblitmus_a_CFLAGS = $(CONVERSION_CFLAGS)
