#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Debian's packages: each file that is installed is in exactly one of them, each pattern of debian/*.install stands for a file, and
# the version is that of the tarball. What is built without an optional library (the compile server) has no file to stand for.
# `make deb` builds them, which takes as long as the whole build: it is tried by hand, with lintian and in a bare Debian.
set -u
src=${ORRERY_SRCDIR:?} build=${ORRERY_BUILDDIR:?}
. "$src/tests/scripts/staged.sh"
work=$(mktemp -d "${TMPDIR:-/tmp}/check_packages.XXXXXX")
trap 'rm -rf "$work"' EXIT
bad=0

version=$("$build/orrery" --version | sed -n '1s/^orrery \([0-9.]*\).*/\1/p')
[ "$(sed -n '1s/^orrery (\([^)]*\)).*/\1/p' "$src/debian/changelog")" = "$version" ] ||
    { echo "debian/changelog is of another version than $version: $(head -1 "$src/debian/changelog")"; bad=1; }

staged "$work/stage"
# as debhelper lays it out: /usr, and libraries in the directory of the architecture
(cd "$prefix" && find . -type f -o -type l) | sed -e 's|^\./|usr/|' -e '/\.la$/d' -e 's|^usr/lib/|usr/lib/arch/|' | LC_ALL=C sort >"$work/files"
declare -A owner
while read -r file; do owner[$file]=; done <"$work/files"
for list in "$src"/debian/*.install; do
    package=$(basename "$list" .install)
    while read -r pattern; do
        matched=0
        while read -r file; do
            # a directory is all that is in it
            # shellcheck disable=SC2053
            [[ $file == $pattern || $file == $pattern/* ]] || continue
            matched=$((matched + 1))
            [ -z "${owner[$file]}" ] || { echo "$file is in ${owner[$file]} and in $package"; bad=1; }
            owner[$file]=$package
        done <"$work/files"
        [ "$matched" -gt 0 ] || { echo "$list: $pattern stands for no file"; bad=1; }
    done <"$list"
done
for file in "${!owner[@]}"; do
    [ -n "${owner[$file]}" ] || { echo "$file is in no package"; bad=1; }
done
[ "$(wc -l <"$work/files")" -ge 100 ] || { echo "only $(wc -l <"$work/files") files are installed"; bad=1; }

# the compile server is found where the installation is, not only where it was configured to be
if [ -x "$build/orrery-compile-server" ]; then
    mkdir -p "$work/moved" && cp -r "$prefix" "$work/moved/prefix"
    for root in "$prefix" "$work/moved/prefix"; do
        env -u ORRERY_COMPILE_SERVER "$root/bin/orrery" --version >"$work/out" 2>&1
        grep -q "compile server *$root/libexec/orrery/orrery-compile-server" "$work/out" ||
            { echo "$root/bin/orrery does not find its compile server:"; cat "$work/out"; bad=1; }
    done
fi

# examples and scenarios are complete: one that needs its own source runs from there
"$prefix/bin/orrery" check "$prefix/share/orrery/scenarios/racy/histogram.yaml" >"$work/out" 2>&1 || { cat "$work/out"; bad=1; }
for name in examples scenarios; do
    (cd "$src" && find $name -type f \( -name '*.cl' -o -name '*.yaml' -o -name '*.litmus' \)) | LC_ALL=C sort >"$work/there"
    (cd "$prefix/share/orrery" && find $name -type f \( -name '*.cl' -o -name '*.yaml' -o -name '*.litmus' \)) | LC_ALL=C sort |
        diff "$work/there" - || { echo "$name are not the source's"; bad=1; }
done
exit "$bad"
