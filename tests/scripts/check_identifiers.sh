#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# An external function begins with a word of its file's name, and each struct has a tag of its own.
set -u
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
exec python3 -B "${ORRERY_SRCDIR:-.}/tests/scripts/identifiers.py" "${ORRERY_SRCDIR:-.}"
