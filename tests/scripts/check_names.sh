#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The guides name what there is: fails with guide, line and name where a guide or the README of a folder names a file, a test, a step of
# ./setup, a target of make, an option of configure, a manual page or a variable of a test that does not exist.
# It fails, too, where the README of a folder leaves out one of its C files or tests.
# An x that is a word of a path ("tools/cmd_x.c") stands for any word. `check_names.sh --self-test` proves that it can fail.
set -u
src=${ORRERY_SRCDIR:-.}
bad=0

# Folders at the top of the tree: a name that begins with one is a path from there.
folders='lib|sim|tests|tools|include|scenarios|examples|bench|man|debian|m4|\.ci|\.devcontainer|\.github'
kinds='c|h|def|cpp|sh|py|js|mk|awk|css|html'
# Names that stand for files of the reader's, or that are made when building.
others=' build/deb build/orrery build/icd build/icd/orrery.icd build/session build/tests build/html html/index.html prog.c '
# Targets that automake makes.
targets=' all check clean dist distcheck html install install-html '

problem() { echo "$1: names $2, which is not there"; bad=1; }

# All files of the tree, a path a line, and each name without its folder; build directories and the repository's own files are left out.
declare -A paths names
read_tree() {
    local path
    paths=() names=()
    while IFS= read -r path; do
        path=${path#./}
        paths[$path]=1 names[${path##*/}]=1
    done < <(find . \( -name .git -o -path './build*' -o -name '*.cache' \) -prune -o -print)
}

# Programs of tests are built in tests/, whatever folder their source is in.
is_there() { # FOLDER NAME
    local folder=$1 name=$2 any
    [ -n "${paths[$name]-}" ] || [ -n "${paths[$folder$name]-}" ] && return 0
    [[ $folder == tests/* ]] && [ -n "${paths[tests/support/$name]-}" ] && return 0
    case $name in
    */*) ;;
    check_*.*) [ -n "${names[$name]-}" ] && return 0 ;;
    *.*) [ -z "$folder" ] && [ -n "${names[$name]-}" ] && return 0 ;;
    check_*) [ -n "${names[$name.c]-}" ] || [ -n "${names[$name.sh]-}" ] && return 0 ;;
    esac
    case $name in
    tests/check_*/*) ;;
    tests/check_*.*) ;;
    tests/check_*) [ -n "${names[${name##*/}.c]-}" ] && return 0 ;;
    build/tests/*.log) [ -n "${names[$(basename "$name" .log).c]-}" ] && return 0 ;;
    build/examples/*) [ -n "${paths[${name#build/}.c]-}" ] && return 0 ;;
    esac
    any=$(sed -E 's,(^|[/_])x([._/]|$),\1*\2,g' <<<"$name")
    [[ $any == *\** ]] && { compgen -G "$any" || { [ -n "$folder" ] && compgen -G "$folder$any"; } || { [ -z "$folder" ] && [[ $any != */* ]] && find . -name "$any" | grep -q .; }; } >/dev/null
}

# The words of a guide that match, as LINE:WORD; {a,b} is written out. Addresses of the web are no names, and examples are run
# by tests of their own.
words() { # GUIDE PATTERN
    sed -E 's,https?://[^ )]*,,g; s,^ *\$ .*,,' "$1" | grep -noP "$2" | sed -E 's/[.,:]+$//' | while IFS= read -r word; do
        case $word in
        *\{*,*\}*) eval "printf '%s\n' ${word//[!A-Za-z0-9_.\/:\{\},*-]/}" ;;
        *) echo "$word" ;;
        esac
    done
}

# Names with a folder, names with the ending of a source, and names of tests.
check_files() { # GUIDE
    local line name folder=
    case $1 in */README) folder=${1%README} ;; esac
    while IFS=: read -r line name; do
        name=${name%/}
        [[ $others == *" $name "* ]] || is_there "$folder" "$name" || problem "$1:$line" "$name"
    done < <(
        words "$1" "(?<![\\w./\$-])((build/)?($folders)/[\\w.*{},/-]*[\\w*}/]|build/[\\w./-]*\\w)"
        words "$1" "(?<![\\w./\$*{},-])[\\w*][\\w*{},-]*\\.($kinds)(?![\\w*-])"
        words "$1" '(?<!struct )(?<![\w./$-])check_[\w{},]*[\w}](?![\w.*/({-])'
    )
}

check_commands() { # GUIDE
    local line name
    while IFS=: read -r line name; do
        grep -q "usage: \./setup .*\b$name\b" setup || problem "$1:$line" "./setup $name"
    done < <(words "$1" '\./setup \K[a-z]+')
    while IFS=: read -r line name; do
        [[ $targets == *" $name "* ]] || grep -qE "^$name(-local)?:" Makefile.am "${makefiles[@]}" || problem "$1:$line" "make $name"
    done < <(words "$1" '(?<![\w-])make (-C \S+ |-j\d+ |-s )*\K[a-z][a-z-]*(?= [A-Z]+=|[`;,)]| \\|  |$| and )')
    while IFS=: read -r line name; do
        grep -q "AC_ARG_\(ENABLE\|WITH\)(\[${name#*-}\]" configure.ac || problem "$1:$line" "configure --$name"
    done < <(words "$1" '(?<!\w)--\K((enable|disable)-(?!asan-)[a-z-]+|with-icd-dir)')
    while IFS=: read -r line name; do
        [ -n "${paths[man/${name/\(/.}]-}" ] || problem "$1:$line" "$name)"
    done < <(words "$1" '(?<![\w-])orrery(-[a-z]+)?\([1-7](?=\))')
    while IFS=: read -r line name; do
        grep -rqF "$name" tests/ || problem "$1:$line" "$name"
    done < <(words "$1" '(?<![\w$])(CHECK|RANDOM_KERNELS|COVERAGE)_[A-Z_]+(?==)')
}

# The C files of a folder of the source, or the tests of one of tests/: a header stands for its C file.
check_complete() { # GUIDE
    local folder=${1%README} line name pattern file patterns=()
    case $1 in
    lib/*README | sim/*README | tools/*README) set -- "$1" "$folder"*.c ;;
    tests/*/README) set -- "$1" "$folder"check_*.c "$folder"check_*.sh ;;
    *) return ;;
    esac
    while IFS=: read -r line name; do
        [[ $name == *_x.* ]] || patterns+=("${name/%.h/.c}")
    done < <(words "$1" '(?<![\w./$*{},-])[\w*{},]*\w[\w*{},]*\.(c|h|sh)(?![\w*-])')
    for file in "${@:2}"; do
        [ -f "$file" ] || continue
        for pattern in "${patterns[@]}"; do
            # shellcheck disable=SC2053 # names in guides are patterns
            [[ ${file##*/} == $pattern ]] && continue 2
        done
        echo "$1: leaves out ${file##*/}"
        bad=1
    done
}

check_all() { # GUIDE...
    local guide
    mapfile -t makefiles < <(find . -name local.mk)
    read_tree
    for guide in "$@"; do
        check_files "$guide"
        check_commands "$guide"
        check_complete "$guide"
    done
}

self_test() {
    local out
    tree=$(mktemp -d)
    trap 'rm -rf "$tree"' EXIT
    mkdir -p "$tree"/{sim/device,tests/lib,man}
    touch "$tree"/{sim/device/a.c,sim/device/a_b.c,sim/b.c,tests/lib/check_a.c,man/orrery.1}
    touch "$tree/sim/local.mk" "$tree/configure.ac"
    echo 'speed:' >"$tree/Makefile.am"
    echo 'echo "usage: ./setup build|quick"' >"$tree/setup"
    printf '%s\n' 'sim/device/a.c and sim/device/a_x.c, a_b.c, check_a, tests/check_a, sim/device/, orrery(1)' 'make -C build speed; ./setup quick' \
        'sim/device/absent.c' 'tests/check_absent' 'absent.c' 'check_absent' './setup absent' '`make absent`' '--enable-absent' 'orrery-absent(7)' \
        'CHECK_ABSENT=1' >"$tree/HACKING"
    printf '%s\n' 'a.c and check_a.c are there' 'b.c is elsewhere' >"$tree/sim/device/README"
    echo 'check_b.c has its row' >"$tree/tests/lib/README"
    touch "$tree"/tests/lib/check_b.c
    out=$(cd "$tree" && check_all HACKING sim/device/README tests/lib/README)
    [ "${out//, which is not there/}" = "HACKING:3: names sim/device/absent.c
HACKING:4: names tests/check_absent
HACKING:5: names absent.c
HACKING:6: names check_absent
HACKING:7: names ./setup absent
HACKING:8: names make absent
HACKING:9: names configure --enable-absent
HACKING:10: names orrery-absent(7)
HACKING:11: names CHECK_ABSENT
sim/device/README:2: names b.c
sim/device/README: leaves out a_b.c
tests/lib/README: leaves out check_a.c" ] || { echo "self-test found:"; echo "$out"; exit 1; }
}

self_test
[ "${1-}" = --self-test ] && exit 0
bad=0
cd "$src" || exit 99
mapfile -t guides < <(ls ARCHITECTURE.md CONTRIBUTING.md GETTING-STARTED.md HACKING README
    find sim lib tools include tests scenarios bench -name README | LC_ALL=C sort)
check_all "${guides[@]}"
[ "$bad" = 0 ] || exit 1
echo "${#guides[@]} guides"
