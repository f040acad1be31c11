# SPDX-License-Identifier: Apache-2.0
dist_man_MANS += \
	%D%/orrery.1 \
	%D%/orrery.3 \
	%D%/orrery-debug.1 \
	%D%/orrery-partition.7 \
	%D%/orrery-extensions.7 \
	%D%/orrery-limits.7 \
	%D%/orrery-scenario.5 \
	%D%/orrery-report.5 \
	%D%/orrery-topology.5 \
	%D%/orrery-testing.7 \
	%D%/orrery-glossary.7 \
	%D%/orrery-findings.7
EXTRA_DIST += %D%/pages.awk
dist_pkgdata_DATA = \
	%D%/check.schema.json \
	%D%/counters.schema.json \
	%D%/findings.schema.json \
	%D%/instructions.schema.json \
	%D%/litmus.schema.json \
	%D%/timeline.schema.json \
	%D%/trace.schema.json
