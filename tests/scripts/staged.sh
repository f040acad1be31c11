# SPDX-License-Identifier: Apache-2.0
# Sourced by tests of what is installed; $build is the build tree.

# staged DIRECTORY: installs below it, as a packager does, and sets $prefix. The tests run below a make, whose flags are not for
# this one.
staged() {
    mkdir -p "$1"
    env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -C "$build" install DESTDIR="$1" >"$1/install.log" 2>&1 ||
        { cat "$1/install.log"; exit 1; }
    prefix=$1$(sed -n 's/^prefix=//p' "$build/lib/orrery.pc")
}
