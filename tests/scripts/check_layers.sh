#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Fails on an #include edge between two folders that the table below does not allow. `check_layers.sh --self-test` proves that it
# can fail, and that the table has no cycle.
set -u
src=${ORRERY_SRCDIR:-.}

# FOLDER: the folders whose headers its files may include, besides its own and include/orrery. A folder may name only folders that
# stand above it, so there is no cycle. A name that ends with .h allows that header alone. Files of a room of lib/ (lib/host and so on)
# may include the headers of lib/ itself, too: lib/ and its rooms are one layer, and the table orders the rooms.
table='
include:
sim/base:
sim/frontend:
sim/frontend/server: sim/frontend
sim/interp:
sim/topology:
sim/memmodel/common:
sim/memmodel/order: sim/memmodel/common
sim/memmodel/filter: sim/memmodel/common sim/memmodel/order
sim/memmodel/shadow: sim/memmodel/common sim/memmodel/order sim/memmodel/filter
sim/memmodel/explain: sim/base/memory_words.h sim/memmodel/common sim/memmodel/order
sim/memmodel/race: sim/base/memory_words.h sim/memmodel/common sim/memmodel/order sim/memmodel/shadow sim/memmodel/explain
sim/memmodel/launches: sim/base/memory_words.h sim/memmodel/common sim/memmodel/order sim/memmodel/shadow sim/memmodel/explain sim/memmodel/race
sim/memmodel/commands: sim/memmodel/common sim/memmodel/order sim/memmodel/explain sim/memmodel/launches
sim/memmodel: sim/base/memory_words.h sim/memmodel/common sim/memmodel/order sim/memmodel/filter sim/memmodel/shadow sim/memmodel/explain sim/memmodel/race sim/memmodel/launches
sim/report: sim/base
sim/observers: sim/topology sim/report/report_json.h
sim/source: sim/base sim/memmodel/checker.h
sim/device: sim/base sim/source sim/interp/interp.h sim/topology sim/observers sim/memmodel/checker.h sim/memmodel/checkers.h sim/memmodel/commands/commands.h sim/memmodel/commands/launch_tree_races.h sim/report/report_json.h
sim/schedule: sim/base sim/device sim/interp/interp.h
sim/debug: sim/base sim/device sim/interp/interp.h sim/memmodel/checkers.h
sim/scenario: sim/base sim/source/rewrite.h sim/device sim/debug/line_values.h sim/report
sim/litmus: sim/base sim/device sim/interp/interp.h sim/memmodel/checker.h sim/report/report_json.h
lib/record:
lib/host:
lib/diagnose: lib/host lib/record
lib: lib/host lib/record lib/diagnose
tools:
'

# Thousands of edges are checked: results are left in variables, since a process for each takes longer than all the rest.
layer_of() { # PATH -> layer: the folder of the table that owns it
    case $1 in
    include/*) layer=include ;;
    lib/*/*) layer=${1%/*} ;;
    lib/*) layer=lib ;;
    tools/*) layer=tools ;;
    *) layer=${1%/*} ;;
    esac
}

declare -A allows
read_table() {
    local line from targets target above=" "
    while read -r line; do
        [ -n "$line" ] || continue
        from=${line%%:*} targets=${line#*:}
        for target in $targets; do
            case $target in *.h) target=${target%/*} ;; esac
            [[ $above == *" $target "* ]] || { echo "the table: $from names $target, which does not stand above it"; exit 1; }
        done
        allows[$from]=" $targets "
        above="$above$from "
    done <<<"$table"
}

# A quoted name is a file of the same folder, or a path from the top of the tree.
resolve() { # TREE FILE NAME -> target
    if [ -e "$1/${2%/*}/$3" ]; then
        target=${2%/*}/$3
        case /$target/ in */../* | */./*) target=$(realpath -m --relative-to="$1" "$1/$target") ;; esac
    elif [ -e "$1/include/$3" ]; then
        target=include/$3
    elif [ -e "$1/$3" ]; then
        target=$3
    else
        target=absent/$3
    fi
}

allowed() { # FROM-LAYER TARGET-PATH
    case "$1>$2" in
    *'>absent/config.h' | 'sim/report>absent/sim/finding_pages.inc' | 'sim/device>absent/sim/page/page_lines.inc' | 'sim/frontend>absent/sim/frontend/revision.inc' | 'tools>absent/tools/glossary_pages.inc' | 'tools>absent/tools/serve/serve_page_lines.inc' | 'tools>absent/commit.h') return 0 ;; # made when building
    lib/*'>'lib/*/*) ;; # between rooms the table decides
    lib/*'>'lib/*) return 0 ;;
    include'>'include/*) return 0 ;;
    include'>'*) return 1 ;;
    *'>include/'*) return 0 ;;
    esac
    layer_of "$2"
    [ "$layer" = "$1" ] && return 0
    [[ ${allows[$1]-} == *" $layer "* || ${allows[$1]-} == *" $2 "* ]]
}

check_include() { # TREE FILE INCLUDE: "" for a file without any
    local from target layer
    layer_of "$2"
    from=$layer
    [ -n "${allows[$from]+set}" ] || echo "$2: the table has no folder $from"
    case $3 in
    '<CL/'*)
        [ "${from%%/*}" = lib ] || [ "$2" = include/orrery/orrery.h ] || [ "${2%/*}" = include/CL ] || echo "$2: $3: only lib/ knows OpenCL's headers"
        ;;
    '"'*)
        resolve "$1" "$2" "${3//\"/}"
        allowed "$from" "$target" || echo "$2: \"$target\": $from may not include it"
        ;;
    esac
}

# The includes of all files are read by one process.
check_tree() { # TREE
    local file include
    (cd "$1" && find include lib sim tools -name '*.[ch]' -o -name '*.cpp' -o -name '*.def' | sort | xargs awk '
        FNR == 1 { print FILENAME "\t" }
        match($0, /^[ \t]*#[ \t]*include[ \t]*["<][^">]*[">]/) {
            include = substr($0, 1, RLENGTH)
            sub(/^[^"<]*/, "", include)
            print FILENAME "\t" include
        }') |
        while IFS=$'\t' read -r file include; do check_include "$1" "$file" "$include"; done
}

self_test() {
    local bad
    tree=$(mktemp -d)
    trap 'rm -rf "$tree"' EXIT
    mkdir -p "$tree"/{include/orrery,lib/{host,record},tools,sim/{device,interp,memmodel/order,frontend,nowhere}}
    touch "$tree"/include/orrery/device.h "$tree"/lib/queue.h "$tree"/lib/host/guard.h "$tree"/sim/interp/{interp,wave}.h
    touch "$tree"/sim/memmodel/{checker,checker_state}.h "$tree"/sim/frontend/child_process.h
    printf '#include "sim/interp/interp.h"\n#include "orrery/device.h"\n#include <stdio.h>\n' >"$tree"/sim/device/good.c
    printf '#include <CL/cl.h>\n#include "lib/queue.h"\n' >"$tree"/lib/host/good.c
    echo '#include "sim/interp/wave.h"' >"$tree"/sim/device/bad1.c
    echo '#include "sim/frontend/child_process.h"' >"$tree"/sim/device/bad2.c
    echo '#include "sim/memmodel/checker.h"' >"$tree"/sim/interp/bad3.c
    echo '#include "../../../lib/queue.h"' >"$tree"/sim/memmodel/order/bad4.c
    echo '#  include <CL/cl.h>' >"$tree"/sim/device/bad5.c
    echo '#include "lib/queue.h"' >"$tree"/tools/bad6.c
    echo '#include "sim/interp/interp.h"' >"$tree"/lib/bad7.c
    echo '#include "lib/host/guard.h"' >"$tree"/lib/record/bad10.c
    echo '#include "lib/host/guard.h"' >"$tree"/lib/good.c
    echo '#include "sim/memmodel/checker.h"' >"$tree"/sim/memmodel/order/bad8.c
    echo "int bad;" >"$tree"/sim/nowhere/bad9.c
    bad=$(check_tree "$tree" | sed 's/:.*//' | xargs -n1 basename | tr '\n' ' ')
    [ "$bad" = "bad7.c bad10.c bad1.c bad2.c bad5.c bad3.c bad4.c bad8.c bad9.c bad6.c " ] || { echo "self-test found: $bad"; exit 1; }
}

read_table
self_test || exit 1
[ "${1-}" = --self-test ] && exit 0
edges=$(check_tree "$src")
[ -z "$edges" ] || { echo "$edges"; exit 1; }
# Names of source files are unique, so that a name in a comment or a message means one file.
twice=$(cd "$src" && find lib sim tools include/orrery -name '*.[ch]' -o -name '*.def' -o -name '*.cpp' | sed 's|.*/||' | sort | uniq -d)
[ -z "$twice" ] || { echo "two files of one name: $twice"; exit 1; }
# A script and a program of one name would be taken for each other.
for script in "$src"/tests/scripts/check_*.sh; do
    name=${script##*/}
    for program in "$src"/tests/*/"${name%.sh}.c"; do
        [ ! -e "$program" ] || { echo "$script: there is a program of this name, too"; exit 1; }
    done
done
# A program with privileges of its own takes nothing from the environment: its caller chose that.
if grep -rn --include='*.c' '[^_]getenv("ORRERY_\|[^_]getenv(option' "$src"/lib; then
    echo "lib/ reads the variables of Orrery with secure_getenv"
    exit 1
fi
