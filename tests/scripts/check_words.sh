#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One language: fails with file, line and the term to use where code, comments or manuals have a word that the project gave up; where
# a source file does not open with a comment that says what it does; where a line is longer than 110 columns; where a README of a
# folder names a file that is not there; and, where clang-format 14 is installed, where a file is not in its format.
# `check_words.sh --self-test` proves that it can fail.
set -u
src=${ORRERY_SRCDIR:-.}
bad=0

# WORD|TERM|FILES, an extended regular expression of paths. A word is matched as a part of an identifier (between underscores), too.
words='
crew|wave items|^(sim|tests)/
crowds?|access set|^(sim|tests/memmodel|tests/support)/
kinship|launch tree|^(sim|tests)/
relatives|launch tree|^(sim|tests)/
knowledge|vector clock (vclock)|^sim/
ticks?|clock value|^sim/memmodel/
stamps?|epoch, visited|^(sim|tests)/
sieve|epoch filter|^(sim|tests)/
journal|affine filter|^sim/memmodel/
family|launch tree|^sim/(device|memmodel|schedule)/.*[.][ch]$
families|launch trees|^sim/(device|memmodel|schedule)/
deputy|observer of a launch|^(sim|include|tests)/
deputies|observers of launches|^(sim|include|tests)/
heirs?|later kernel|^tests/
meetings?|conflict, instance of a race|^(sim|tests)/
lets? (it )?go|releases|^(sim|tests|lib|tools)/
happenings?|sync operation|^(sim|tests)/
deeds?|operation|^(sim|tests)/
relays?|hand-off|^sim/
strands?|deferred join|^sim/
elders?|predecessor|^sim/
baton|executor lock|^lib/
remed[iy]e?[sd]?|fix|^(sim|lib|tools|man|tests|scenarios)/
mends?|fix|^(sim|lib|tools|man|tests|scenarios)/
mended|fixed, repaired|^(sim|lib|tools|man|tests|scenarios)/
amendments?|edit|^(sim|lib|tools|man)/
cures?|fix|^(sim|lib|tools|man|tests)/
steers|controls the branch|^(sim|lib|tools)/
awaits|spins on|^(sim|lib|tools)/
behind|after|^(sim|lib|tools|man|include|tests)/
told|reported, announced|^(sim|lib|tools|man|include|tests|scenarios)/
tells?|reports, announces|^(sim|lib|tools|include|tests)/
telling|reports|^(sim|lib|tools|man|include|tests|scenarios)/
untold|unreported|^(sim|lib|tools|man|include|tests)/
hears?|receives, observes|^(sim|lib|tools|man|include|tests|scenarios)/
heard|received|^(sim|lib|tools|man|include|tests|scenarios)/
unheard|not received|^(sim|lib|tools|man|include|tests|scenarios)/
knows|has, happens before|^(sim/(device|interp|schedule|report|memmodel/(launches|shadow|commands|order|filter))|lib|tools|include|tests)/
doubts?|order query, aliased map|^(sim/memmodel/(common|launches|shadow)|lib)/
cross_launch|inter_launch|^(sim|lib|tests)/
hearer|reporter|^sim/
knew|had, had acquired|^(sim|lib|tools|include|tests|scenarios)/
turns|iterations, time slices, switches|^(lib|tools)/
goes on|continues|^(sim|lib|tools|include|tests|scenarios)/
everybody|all units|^(sim|lib|tools|man|include|tests|scenarios)/
anybody|any unit|^(sim|lib|tools|include|tests|scenarios)/
nobody|no unit|^(lib|tools|man|include)/
somebody|a unit|^(sim|lib|tools|include|scenarios)/
tally|counter|^(sim|lib|tools|man|include|tests|scenarios)/
books|counters, results|^(sim|lib|tools|include|tests|scenarios)/
moments?|clock snapshot, event number|^(sim|include|tests|scenarios)/
news|report|^(sim|lib|tools|include|tests|scenarios)/
starves|runs out of memory|^(sim|lib|tools|man|include|tests)/
comes? by|executes, reaches|^(sim|lib|tools|include|tests|scenarios)/
agents?|unit|^sim/memmodel/(order|launches|common)/
agrees|inclusive, disjoint|^sim/memmodel/(filter|shadow|race)/
asking|search|^sim/memmodel/explain/
bygone|overwritten|^sim/memmodel/
calm|no host access, compact page|^sim/memmodel/(explain|commands)/
crossings?|race between launches|^sim/memmodel/commands/
dead|invalid, destroyed|^lib/
deaf|incomplete|^sim/memmodel/(order|launches|common)/
doubts?|conflict|^sim/memmodel/(filter|shadow)/
hands? on|passes on|^sim/memmodel/(order|launches|common)/
hearsay|call order|^sim/memmodel/commands/
history|sync log|^sim/memmodel/(explain|commands)/
hurry|limit work|^sim/memmodel/explain/
insist|retry|^lib/
knowing|clock|^sim/memmodel/(order|launches|common)/
learn[a-z]*|compute, add|^sim/memmodel/commands/
learned|joined, acquired|^sim/memmodel/(order|launches|common)/
learns?|joins, acquires|^sim/memmodel/(order|launches|common)/
let go|released, dropped|^sim/memmodel/(order|launches|common)/
loose|scattered access|^sim/memmodel/commands/
messages?|release clock|^sim/memmodel/(explain|commands)/
messages?|release clock|^sim/memmodel/(order|launches|common)/
met|conflicts with|^sim/memmodel/(explain|commands)/
newcomers|a new wave|^sim/memmodel/
notes|access log, records|^sim/memmodel/(filter|shadow)/
paces?|clock mapping|^sim/memmodel/(order|launches|common)/
partly|end of a work-group|^sim/memmodel/commands/
patience|limit, progress|^lib/
put off|deferred|^sim/memmodel/(order|launches|common)/
relayed|in a hand-off|^sim/memmodel/(order|launches|common)/
resting|packed|^sim/memmodel/(order|launches|common)/
rival|overlapping object|^lib/
sieved|filtered|^sim/memmodel/
sought|search|^sim/memmodel/(explain|commands)/
strangers?|object of another context|^lib/
talks?|kernels with atomics on one object|^sim/memmodel/commands/
teaches|adds|^sim/memmodel/(order|launches|common)/
vague|undecided|^sim/memmodel/commands/
whom?ever|any unit|^sim/(memmodel/(explain|commands)|report)/
windows?|mapped range|^lib/
circles?|cycle|^sim/schedule/
standing|position|^sim/schedule/
'
# Lines that need a word: the place, and why.
allowed() { # FILE:LINE:TEXT
    case $1 in
    sim/device/divergence.c:*'"ahead"'*) return 0 ;; # ahead and behind, in a loop
    *) return 1 ;;
    esac
}

problem() { echo "$1"; bad=1; }

check_terms() { # FILE...
    local word term files line
    while IFS='|' read -r word term files; do
        [ -n "$word" ] || continue
        grep -qE "$word|$files" /dev/null || [ $? -eq 1 ] || problem "a word of this script is no pattern: $word|$term|$files"
        while IFS= read -r line; do
            allowed "$line" || problem "${line%%:*}:$(cut -d: -f2 <<<"$line"): '$(grep -oiE "(^|[^[:alnum:]])$word([^[:alnum:]]|$)" <<<"${line#*:*:}" | head -1 | tr -d ' ')': use '$term'"
        done < <(printf '%s\n' "$@" | grep -E "$files" | xargs -r grep -niE "(^|[^[:alnum:]])$word([^[:alnum:]]|$)" /dev/null)
    done <<<"$words"
}

check_heads() { # FILE...
    printf '%s\n' "$@" | grep -E '\.[ch]$' | xargs -r awk '
        FNR == 2 && !/^\/\*/ { print FILENAME ":2: a source file opens with a comment that says what it does"; found = 1 }
        FNR == 2 { nextfile }
        END { exit found }' || bad=1
}

# Rows of tables are one line each, however long.
check_columns() { # FILE...
    local tables='^(include/orrery/(report|counters|device|observer)\.h|lib/exports\.c|lib/api_device\.c|lib/command_buffer\.c|tools/seeds\.c|lib/queue\.h|lib/tokens\.h|lib/diagnose/absent\.c|tests/)'
    printf '%s\n' "$@" | grep -E '\.[ch]$' | grep -vE "$tables" | xargs -r awk '
        length($0) > 110 && !/^[[:space:]]*(#|[A-Z_]+\(|\{)/ && !/\\$/ { printf "%s:%d: %d columns, 110 are allowed\n", FILENAME, FNR, length($0); found = 1 }
        END { exit found }' || bad=1
}

check_readmes() { # README...
    local readme name folder
    for readme in "$@"; do
        folder=${readme%/*}
        for name in $(grep -oE '[A-Za-z_*/.]+\.(c|h|def|cpp)\b' "$readme"); do
            name=${name#./}
            compgen -G "$folder/$name" >/dev/null || compgen -G "$name" >/dev/null || problem "$readme: names $name, which is not there"
        done
    done
}

self_test() {
    local out
    tree=$(mktemp -d)
    trap 'rm -rf "$tree"' EXIT
    mkdir -p "$tree/sim/memmodel"
    printf '/* SPDX */\n/* Head. */\nint access_set; /* after */\n' >"$tree/sim/memmodel/good.c"
    printf '/* SPDX */\n#include <stdio.h>\nint wave_crew;\n/* comes behind */\n' >"$tree/sim/memmodel/wrong.c"
    printf '/* SPDX */\n/* Head. */\nint a; %0120d\n' 0 >"$tree/sim/long.c"
    echo 'names absent.c and good.c' >"$tree/sim/memmodel/README"
    out=$(cd "$tree" && check_all sim/memmodel/good.c sim/memmodel/wrong.c sim/long.c -- sim/memmodel/README)
    [ "$(wc -l <<<"$out")" = 5 ] && grep -q "^sim/memmodel/wrong.c:3: .*use 'wave items'" <<<"$out" && grep -q '^sim/long.c:3: 127 columns' <<<"$out" &&
        grep -q 'README: names absent.c' <<<"$out" || { echo "self-test found:"; echo "$out"; exit 1; }
}

check_all() { # FILE... -- README...
    local files=()
    while [ $# -gt 0 ] && [ "$1" != -- ]; do files+=("$1"); shift; done
    shift
    check_terms "${files[@]}"
    check_heads "${files[@]}"
    check_columns "${files[@]}"
    check_readmes "$@"
}

self_test
[ "${1-}" = --self-test ] && exit 0
bad=0
cd "$src" || exit 99
mapfile -t files < <(find sim lib tools include tests man scenarios \( -name '*.[ch]' -o -name '*.def' -o -name '*.[1-9]' -o -name '*.yaml' \) ! -path '*/fuzz/corpus/*' ! -path 'tests/differential/*' | LC_ALL=C sort)
mapfile -t sources < <(printf '%s\n' "${files[@]}" | grep -E '^(sim|lib|tools)/.*\.[ch]$')
mapfile -t readmes < <(find sim lib -name README | LC_ALL=C sort)
check_terms "${files[@]}"
check_heads "${sources[@]}"
check_columns "${files[@]}"
check_readmes "${readmes[@]}"
format=$(command -v clang-format-14) && {
    printf '%s\n' "${files[@]}" | grep -E '^(sim|lib|tools)/.*\.[ch]$|^include/orrery/.*\.h$' | grep -vE '^include/orrery/(report|counters)\.h$|^lib/(exports|api_device)\.c$|^tools/seeds\.c$' |
        xargs -P2 -n40 "$format" --dry-run -Werror 2>&1 | grep -E 'error:' | head -20 | grep . && bad=1
}
[ "$bad" = 0 ] || exit 1
echo "${#files[@]} files"
