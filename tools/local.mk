# SPDX-License-Identifier: Apache-2.0
# The command holds the simulator itself; `run` finds liborrery.so beside it in the build tree or in ORRERY_LIBDIR.
# bin_PROGRAMS += orrery
# orrery_SOURCES = %D%/main.c ...
# orrery_LDADD = libsim.la
