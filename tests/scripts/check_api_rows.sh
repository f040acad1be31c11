#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every error and query that the specification lists for a call is a row of lib/api_rows.def with a test after it.
#
#   check_api_rows.sh            checks the rows against their tests; prints how many are open; fails when a proof is none
#   check_api_rows.sh --open     prints the rows that have no test
#   check_api_rows.sh --counts   calls, errors and queries, and how many rows of each have which proof
#
# BY(test) of an error: tests/test.c has, for each such row of the call and the error, a place of its own where the
# error stands in the same statement as the call (within six lines). A test that includes the table itself has one for
# each row. BY(test) of a query: the test names the call and the query. A proof that is neither BY, NEVER nor OPEN, or
# NEVER without a reason, is a mistake.
src=${srcdir:-.}
[ -f "$src/lib/api_rows.def" ] || src=$(dirname "$0")/..
exec awk -v mode="$1" -v src="$src" '
    function fault(text) { print text; bad++ }

    # The words of a line; comments count, too: they name what a table or a helper is about.
    function words(line, out,    n, parts, i, count) {
        n = split(line, parts, /[^A-Za-z0-9_]+/)
        count = 0
        for (i = 1; i <= n; i++)
            if (parts[i] ~ /^(cl[A-Z]|CL_|NULL$)/)
                out[++count] = parts[i]
        return count
    }

    # places[test, call, error]: how often the error stands within six lines after the call, or before it in its line.
    function read_test(test,    file, line, n, i, j, found, window, at, seen, key) {
        file = src "/tests/lib/" test ".c"
        if ((getline line < file) < 0)
            return 0
        at = 0
        do {
            at++
            n = words(line, found)
            split("", seen)
            for (i = 1; i <= n; i++) {
                mentioned[test, found[i]] = 1
                if (found[i] ~ /^cl/)
                    window[found[i]] = at
            }
            if (line ~ /^#include .*api_rows.def/)
                whole[test] = 1
            for (i = 1; i <= n; i++) {
                if (found[i] ~ /^cl/ || found[i] in seen)
                    continue
                seen[found[i]] = 1
                for (key in window)
                    if (at - window[key] < 6)
                        places[test, key, found[i]]++
            }
        } while ((getline line < file) > 0)
        close(file)
        return 1
    }

    function use(test) {
        if (!(test in known))
            known[test] = read_test(test)
        return known[test]
    }

    /^(ERROR|QUERY)\(/ {
        kind = substr($0, 1, 5)
        match($0, /, (OPEN|BY\([a-z0-9_]+\)|NEVER\("[^"]+"\))\)$/)
        if (!RSTART) {
            fault("line " NR ": no proof: " $0)
            next
        }
        proof = substr($0, RSTART + 2, RLENGTH - 3)
        split(substr($0, 7), part, ", ")
        call = part[1]
        token = part[2]
        rows++
        calls[call] = 1
        total[kind]++
        count[kind, substr(proof, 1, 2)]++
        if (proof == "OPEN" && mode == "--open")
            print
        if (proof !~ /^BY/)
            next
        test = substr(proof, 4, length(proof) - 4)
        if (!use(test))
            fault(call ", " token ": there is no tests/" test ".c")
        else if (kind == "QUERY" && !(((test, call) in mentioned) && (((test, token) in mentioned) || test in whole)))
            fault(call ", " token ": tests/" test ".c does not ask for it")
        else if (kind == "ERROR" && !(test in whole) && ++needed[test, call, token] > places[test, call, token])
            fault(call ", " token ": tests/" test ".c has " places[test, call, token] + 0 " places for " needed[test, call, token] " rows")
        else if (kind == "ERROR" && (test in whole) && !((test, call) in mentioned))
            fault(call ", " token ": tests/" test ".c does not make the call")
    }

    END {
        n = 0
        for (call in calls)
            n++
        if (mode == "--counts") {
            printf "%d calls\n", n
            for (kind in total)
                printf "%s %d rows: %d by a test, %d never, %d open\n", kind, total[kind], count[kind, "BY"], count[kind, "NE"], count[kind, "OP"]
        }
        printf "%d rows of %d calls, %d open, %d wrong\n", rows, n, count["ERROR", "OP"] + count["QUERY", "OP"], bad
        exit(bad || rows == 0 ? 1 : 0)
    }
' "$src/lib/api_rows.def"
