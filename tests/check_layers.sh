#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Fails on an #include edge that ARCHITECTURE.md does not allow. `check_layers.sh --self-test` proves that it can fail.
set -u
src=${ORRERY_SRCDIR:-.}

# Thousands of edges are looked at: answers are left in variables, since a process for each takes longer than all the rest.
layer_of() { # PATH -> layer: that owns it
    case $1 in
    include/orrery/*) layer=include ;;
    sim/*/*) layer=${1#sim/} layer=sim/${layer%%/*} ;;
    *) layer=${1%%/*} ;;
    esac
}

# The header that a quoted name means for a file: its own directory first, then the -iquote list of Makefile.am.
resolve() { # TREE FILE NAME -> target
    local dir
    for dir in "${2%/*}" . sim sim/interp sim/memmodel sim/topology sim/frontend lib include; do
        if [ -e "$1/$dir/$3" ]; then
            target=$dir/$3 target=${target#./}
            case /$target/ in */../* | */./*) target=$(realpath -m --relative-to="$1" "$1/$target") ;; esac
            return
        fi
    done
    target=absent/$3
}

allowed() { # FROM-LAYER TARGET-PATH
    local layer
    layer_of "$2"
    [ "$layer" = "$1" ] && return 0
    case "$1>$2" in
    *'>absent/config.h' | 'sim>absent/sim/finding_pages.inc' | 'sim/frontend>absent/sim/frontend/revision.inc') return 0 ;; # made when building
    include'>'*) return 1 ;;
    *'>include/'*) return 0 ;;
    'sim>sim/interp/interp.h' | 'sim>sim/memmodel/checker.h' | 'sim>sim/memmodel/checkers.h' | 'sim>sim/memmodel/commands.h' | 'sim>sim/memmodel/relatives.h' | 'sim>sim/topology/'* | 'sim>sim/litmus/test.h') return 0 ;;
    esac
    return 1
}

check_file() { # TREE FILE
    local from include target layer
    layer_of "$2"
    from=$layer
    while read -r include; do
        case $include in
        '<CL/'*)
            [ "$from" = lib ] || [ "$2" = include/orrery/orrery.h ] || [ "${2%/*}" = include/CL ] || echo "$2: $include: only lib/ knows OpenCL's headers"
            ;;
        '"'*)
            resolve "$1" "$2" "${include//\"/}"
            allowed "$from" "$target" || echo "$2: \"$target\": $from may not include it"
            ;;
        esac
    done < <(sed -n 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*\(["<][^">]*[">]\).*/\1/p' "$1/$2")
}

check_tree() { # TREE
    local file
    (cd "$1" && find include lib sim tools -name '*.[ch]' -o -name '*.cpp' -o -name '*.def') | sort |
        while read -r file; do check_file "$1" "$file"; done
}

self_test() {
    local bad
    tree=$(mktemp -d)
    trap 'rm -rf "$tree"' EXIT
    mkdir -p "$tree"/{include/orrery,lib,tools,sim/{interp,memmodel,topology,frontend}}
    touch "$tree"/include/orrery/device.h "$tree"/lib/queue.h "$tree"/sim/interp/{interp,wave}.h
    touch "$tree"/sim/memmodel/checker.h "$tree"/sim/frontend/process.h
    printf '#include "interp.h"\n#include "orrery/device.h"\n#include <stdio.h>\n' >"$tree"/sim/good.c
    printf '#include <CL/cl.h>\n#include "queue.h"\n' >"$tree"/lib/good.c
    echo '#include "wave.h"' >"$tree"/sim/bad1.c
    echo '#include "process.h"' >"$tree"/sim/bad2.c
    echo '#include "sim/memmodel/checker.h"' >"$tree"/sim/interp/bad3.c
    echo '#include "../../lib/queue.h"' >"$tree"/sim/memmodel/bad4.c
    echo '#  include <CL/cl.h>' >"$tree"/sim/bad5.c
    echo '#include "queue.h"' >"$tree"/tools/bad6.c
    echo '#include "interp.h"' >"$tree"/lib/bad7.c
    bad=$(check_tree "$tree" | sed 's/:.*//' | xargs -n1 basename | tr '\n' ' ')
    [ "$bad" = "bad7.c bad1.c bad2.c bad5.c bad3.c bad4.c bad6.c " ] || { echo "self-test found: $bad"; exit 1; }
}

self_test || exit 1
[ "${1-}" = --self-test ] && exit 0
edges=$(check_tree "$src")
[ -z "$edges" ] || { echo "$edges"; exit 1; }
# A script and a program of one name have one log, and make check runs only one of them.
for script in "$src"/tests/check_*.sh; do
    [ ! -e "${script%.sh}.c" ] || { echo "$script: there is a program of this name, too"; exit 1; }
done
