# SPDX-License-Identifier: Apache-2.0
# `make lint`: what is wrong with the sources without running them; STEPS="tidy cpp" does only these (lint.sh lists them).
# What `make -n` would run if every source had changed is how each is compiled.
lint_sources = $(sort $(filter lib/%.c sim/%.c tools/%.c,$(DIST_SOURCES)))
lint_targets = libapi.a libsim.a orrery$(EXEEXT) liborrery_sync.la liborrery_threads.la
if COMPILE_SERVER
lint_targets += orrery-compile-server$(EXEEXT)
endif
compile_commands.json: Makefile %D%/commands.awk
	$(AM_V_GEN)$(MAKE) -n V=1 $(lint_sources:%=-W $(srcdir)/%) $(lint_targets) | \
		$(AWK) -v folder="`pwd`" -f $(srcdir)/%D%/commands.awk >$@.new && mv $@.new $@
lint: all compile_commands.json
	$(AM_V_at)$(AM_TESTS_ENVIRONMENT) bash $(srcdir)/%D%/lint.sh $(STEPS)
.PHONY: lint
CLEANFILES += compile_commands.json
EXTRA_DIST += .clang-tidy .shellcheckrc %D%/commands.awk %D%/cppcheck.cfg %D%/cppcheck.suppressions %D%/lint.sh
