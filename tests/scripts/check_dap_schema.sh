#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The Debug Adapter Protocol by what others publish of it. Neither file is part of this project; each part is skipped without its own:
#   DAP_SCHEMA=FILE   debugProtocol.json of github.com/microsoft/vscode-debugadapter-node: each request that is to be fulfilled, and
#                     each response and event of `orrery debug --dap`, is valid by its schema (python3-jsonschema)
#   NODE_PATH=FOLDER  a node_modules with @vscode/debugadapter-testsupport (npm install): that client drives each family of requests
set -u
src=$(realpath "${ORRERY_SRCDIR:-.}")
build=$(realpath "${ORRERY_BUILDDIR:-build}")
orrery=$build/orrery
[ -x "$orrery" ] || { echo "no orrery command in $build"; exit 77; }
scenario=$src/tests/debug/calls.yaml
failed=0 ran=0

if [ -n "${DAP_SCHEMA:-}" ] && python3 -W ignore -c 'import jsonschema' 2>/dev/null; then
    ran=1
    timeout 600 python3 -W ignore "$src/tests/scripts/dap_client.py" "$orrery" "$scenario" "$build/examples/lost_update" "$src/examples/lost_update.cl" ||
        { echo "FAIL: a message is not valid"; failed=1; }
else
    echo "DAP_SCHEMA names no schema, or there is no python3-jsonschema"
fi
if command -v node >/dev/null && node -e 'require("@vscode/debugadapter-testsupport")' 2>/dev/null; then
    ran=1
    timeout 300 node "$src/tests/scripts/dap_testsupport.js" "$orrery" "$scenario" || failed=1
else
    echo "no @vscode/debugadapter-testsupport in NODE_PATH"
fi
[ $ran -eq 1 ] || exit 77
exit $failed
