#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# `orrery serve`: what it runs and answers, which requests it refuses, which limits hold, and that nothing is left when it ends
# (serve_client.py). Beyond loopback it wants a token. In Chromium, where that is installed, the page runs a kernel by the keyboard.
set -u
src=$(realpath "${ORRERY_SRCDIR:-.}") build=$(realpath "${ORRERY_BUILDDIR:-build}")
orrery=$build/orrery
python3=$(command -v python3) || { echo "no python3"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
mkdir tmp && export TMPDIR=$work/tmp
bad=0

# refuses WORDS -- ARGUMENT...: status 2 and the words, on one line
refuses() {
    local words=$1
    shift 2
    timeout 20 "$orrery" serve "$@" >out 2>err </dev/null
    [ $? = 2 ] && [ ! -s out ] && grep -qF -- "$words" err || { echo "serve $*: not refused with '$words'"; cat out err; bad=1; }
}
if ! grep -q -e -DORRERY_MICROHTTPD "$build/Makefile"; then
    refuses 'install libmicrohttpd-dev' --
    exit $((bad ? 1 : 77))
fi
refuses 'no --token, expected one' -- --listen=0.0.0.0
refuses 'no --token, expected one' -- --listen=::
refuses 'at least 16' -- --listen=0.0.0.0 --token=short
refuses 'at least 16' -- --token='0123456789 abcdef'
refuses 'expected a numeric address' -- --listen=localhost.example
refuses 'from 0 to 65535' -- --port=70000
refuses 'from 1 to 600' -- --seconds=0
refuses 'none.cl' -- none.cl
# The library is opened by this command alone: no other one starts slower because of it.
mkdir absent && : >"absent/$(grep -o 'libmicrohttpd\.so\.[0-9]*' "$build/Makefile" | head -n 1)"
LD_LIBRARY_PATH=$work/absent refuses 'serve needs libmicrohttpd: ' --
LD_LIBRARY_PATH=$work/absent "$orrery" --help >out 2>&1 || { echo "--help needs libmicrohttpd"; cat out; bad=1; }
[ "$bad" = 0 ] || exit 1

cp "$src/scenarios/racy/histogram.yaml" "$src/scenarios/racy/histogram.cl" "$src/scenarios/litmus/teaching/mp_plain.litmus" .
echo secret-of-the-user >secret.h
"$python3" "$src/tests/scripts/serve_client.py" "$orrery" || exit 1
[ -z "$(ls tmp)" ] || { echo "left behind: $(ls tmp)"; exit 1; }
"$python3" "$src/tests/scripts/page_browser.py" --available || exit 0
PYTHONPATH=$src/tests/scripts timeout 100 "$python3" "$src/tests/scripts/serve_browser.py" "$orrery" "$work"
