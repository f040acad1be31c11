#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The manuals read well: no sentence has more than 25 words, except those that only list names, and mandoc finds no mistake in them.
set -u
src=${ORRERY_SRCDIR:?}
command -v mandoc >/dev/null || { echo "no mandoc"; exit 77; }
bad=0
for manual in "$src"/man/*.[0-9]; do
    # what mandoc says of pages of others, which need not be installed, is not counted
    mandoc -Tlint -Wwarning "$manual" 2>&1 | grep -v 'mandoc.db' && bad=1
    # a sign of punctuation alone stands after the quotes that should be around it, unless \& precedes it
    grep -nHE '^\.(Ql|Sq|Dq|Pq) [].,:;?!()[]+$' "$manual" && bad=1
    mandoc -Tutf8 -Owidth=900 "$manual" | python3 -c '
import re, sys
bad = 0
for paragraph in re.sub(".\x08", "", sys.stdin.read()).splitlines():
    for sentence in re.split(r"(?<=[.:;?!])\s+", paragraph.strip()):
        words = sentence.split()
        listed = sum(word.endswith((",", ")")) for word in words)
        if len(words) > 25 and listed * 3 < len(words):
            print("%s: %d words: %s" % (sys.argv[1], len(words), sentence))
            bad = 1
sys.exit(bad)' "$(basename "$manual")" || bad=1
done
[ $bad = 0 ] && echo "all sentences of the manuals are short"
exit $bad
