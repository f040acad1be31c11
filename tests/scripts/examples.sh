# SPDX-License-Identifier: Apache-2.0
# Sourced by the tests of texts that show commands: each command after a dollar sign is run in the current directory, in order, and
# prints the lines that follow it, each of them as a part of one line. "(orrery) LINE" is typed into the command. "cat FILE" of a
# file that is not there makes it of the lines that follow. No example may end with a usage error, an unknown command or an unknown verb.
# $build is the build tree.

commands=0 lines=0 skipped=0 bad=0
squeezed() { tr -s ' ' | sed 's/^ //'; }

# The system's Python, which sees Debian's modules, is python3 in examples; so is the orrery of the build tree.
examples_path() { # DIRECTORY
    mkdir -p "$1" && ln -sf /usr/bin/python3 "$1/python3"
    export PATH=$1:$build:$PATH PYTHONDONTWRITEBYTECODE=1
}

# Installs Orrery below $work, for commands that find it by pkg-config and CMake.
use_staged() {
    staged "$work/stage"
    mkdir "$work/pkgconfig"
    sed "s|^prefix=.*|prefix=$prefix|" "$build/lib/orrery.pc" >"$work/pkgconfig/orrery.pc"
    export PKG_CONFIG_PATH=$work/pkgconfig CMAKE_PREFIX_PATH=$prefix
    export XDG_CACHE_HOME=$work PYOPENCL_NO_CACHE=1 PYTEST_ADDOPTS="-p no:cacheprovider" PYTHONWARNINGS=ignore
}

# A command's missing requirement, in words; nothing when it can be run.
lacks() { # COMMAND
    case $1 in
    *ctest* | *cmake* | *pytest* | *"run -- "* | *" cc "* | "cc "*)
        ! ldd "$build/.libs/liborrery.so" 2>/dev/null | grep -q "lib[at]san" || { echo "a library without a sanitizer"; return; }
        ;;
    esac
    case $1 in
    *ctest* | *cmake*) command -v cmake >/dev/null || echo cmake ;;
    *pytest* | *"python3 sum.py") python3 -c 'import pytest, pyopencl, numpy' 2>/dev/null || echo "pytest and PyOpenCL" ;;
    *.svg*) command -v dot >/dev/null || echo graphviz ;;
    esac
}

# The parts of one example: its command, the lines that it prints and those that are typed.
run_example() {
    local line status missing
    [ -n "$command" ] || return 0
    missing=$(lacks "$command")
    if [ -n "$missing" ]; then
        echo "skipped: $command: no $missing"
        skipped=$((skipped + 1))
        return 0
    fi
    commands=$((commands + 1))
    printf '%s' "$typed" | bash -c "$command" >.raw 2>&1
    status=$?
    squeezed <.raw >.out
    case $status in 2 | 126 | 127) echo "FAIL: $command: status $status:"; cat .raw; bad=1 ;; esac
    grep -q 'which is no verb' .out && { echo "FAIL: $command: the debugger has no such verb:"; cat .raw; bad=1; }
    for line in "${expected[@]}"; do
        lines=$((lines + 1))
        grep -qF -- "$(squeezed <<<"$line")" .out && continue
        echo "FAIL: $command: expected '$line', found:"
        cat .raw
        bad=1
    done
}

# Reads a text whose examples are indented by four blanks or more. Another line ends an example; so does an empty one, but in a file.
run_examples() {
    local line text file=
    command='' expected=() typed=
    while IFS= read -r line || [ -n "$line" ]; do
        text=${line#"${line%%[! ]*}"}
        case $line in
        '    $ '* | '       $ '*)
            run_example
            command=${text#\$ } file='' expected=() typed=
            case $command in
            'cat '*)
                if [ ! -e "${command#cat }" ]; then
                    file=${command#cat } command=
                    : >"$file"
                fi
                ;;
            esac
            ;;
        '    (orrery) '*) typed+=${text#(orrery) }$'\n' ;;
        '    '* | '')
            if [ -n "$file" ]; then
                printf '%s\n' "${line#    }" >>"$file"
            elif [ -n "$text" ]; then
                expected+=("$text")
            else
                run_example
                command='' expected=() typed=
            fi
            ;;
        *)
            run_example
            command='' file='' expected=() typed=
            ;;
        esac
    done
    run_example
}
