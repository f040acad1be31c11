#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What `make lint` does: lint.sh [STEP...], from the build directory, which has compile_commands.json. Without a name all steps
# run; the first one that finds something does not end the others. What each tool is asked stands in .clang-format, .clang-tidy,
# .shellcheckrc and cppcheck.* beside this file.
set -u
src=${ORRERY_SRCDIR:?} here=${ORRERY_SRCDIR:?}/tests/lint
jobs=${LINT_JOBS:-$(nproc)}
bad=0

needs() { # PROGRAM PACKAGE
    command -v "$1" >/dev/null && return
    echo "lint: $1 is not installed: apt-get install $2, or ./setup lint" >&2
    return 1
}

# The format of C is one of the things that check_words.sh looks at.
words() {
    needs clang-format-14 clang-format-14 && bash "$src/tests/scripts/check_words.sh"
}

sources() { # the C files of the database
    sed -n 's/.*"file": "\([^"]*\)".*/\1/p' compile_commands.json
}

# The analyser looks no further than into small functions: what it finds beyond takes ten times as long, and proved to be nothing.
tidy() {
    needs clang-tidy-14 clang-tidy-14 || return
    sources | xargs -P "$jobs" -n 8 clang-tidy-14 --quiet -p . --extra-arg=-DORRERY_CHECKS --extra-arg=-Wno-unknown-warning-option \
        --extra-arg=-Xclang --extra-arg=-analyzer-config --extra-arg=-Xclang --extra-arg=mode=shallow 2>lint.tidy
    local status=$?
    grep -v ' warnings\? generated\.$\| warnings\? .*treated as errors\?$' lint.tidy
    rm -f lint.tidy
    return "$status"
}

cpp() {
    needs cppcheck cppcheck || return
    cppcheck --project=compile_commands.json --library="$here/cppcheck.cfg" --suppressions-list="$here/cppcheck.suppressions" \
        --enable=warning,portability,performance --inline-suppr --error-exitcode=1 --quiet -j "$jobs" \
        --template='{file}:{line}: {severity}: {message} [{id}]'
}

# What others source is checked with them.
scripts() (
    needs shellcheck shellcheck && cd "$src" || exit
    find . \( -path './build*' -o -path ./.git \) -prune -o -type f \( -name '*.sh' -o -path ./setup -o -path ./.ci/run \) -print |
        sed 's|^\./||' | LC_ALL=C sort | xargs grep -l '^#!.*sh$' | xargs shellcheck --format=gcc
)

run() { # STEP
    case $1 in
    words) words ;;
    layers | names | tables | forms) bash "$src/tests/scripts/check_$1.sh" ;;
    scripts) scripts ;;
    cpp) cpp ;;
    tidy) tidy ;;
    *)
        echo "lint: found step '$1', expected words, layers, names, tables, forms, scripts, cpp or tidy" >&2
        return 2
        ;;
    esac
}

[ $# -gt 0 ] || set -- words layers names tables forms scripts cpp tidy
for step in "$@"; do
    echo "lint: $step"
    run "$step" || { echo "lint: $step: FAILED" >&2; bad=1; }
done
exit "$bad"
