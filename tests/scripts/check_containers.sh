#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The Dockerfile and the development container, where no docker runs: they start from Debian's image, copy what the source has, run steps
# of ./setup and commands that a shell can read, install packages that Debian has (if apt knows its packages), and name files of
# Orrery's packages. CHECK_CONTAINERS_ALL=1 builds the image, runs a kernel in it, and builds the other one; it needs docker.
set -u
src=${ORRERY_SRCDIR:?}
cd "$src" || exit 99
work=$(mktemp -d "${TMPDIR:-/tmp}/check_containers.XXXXXX")
trap 'rm -rf "$work"' EXIT
bad=0
problem() {
    echo "FAIL: $*"
    bad=1
}
[ -f Dockerfile ] || exit 77 # an installed source has none
release=$(sed -n 's/^FROM debian:\([0-9]*\).*/\1/p' Dockerfile | head -1)

# A line that ends in a backslash goes on in the next.
instructions() { sed -e ':a' -e '/\\$/{N; s/ *\\\n */ /; ba' -e '}' -e '/^#/d' -e '/^$/d' "$1"; }

# Is the file one that the build gets, and no built one?
is_copied() {
    [ -e "$1" ] || { problem "$2 copies $1, which is not there"; return; }
    ! grep -qxF "${1%/}" .dockerignore || problem "$2 copies $1, which .dockerignore leaves out"
}

known_package() {
    case $1 in /*) [[ $1 == /tmp/deb/*.deb ]] || problem "found $1, expected packages of the first stage" ;; *)
        [ -z "$have_apt" ] || grep -qx "$1" "$work/packages" || problem "Debian has no package $1" ;;
    esac
}
have_apt=
if command -v apt-cache >/dev/null && grep -qs "^VERSION_ID=\"$release\"" /etc/os-release; then
    apt-cache pkgnames >"$work/packages"
    [ "$(wc -l <"$work/packages")" -lt 10000 ] || have_apt=yes
fi

# Each command of a RUN: steps of ./setup, and the packages that apt-get installs.
check_commands() { # FILE TEXT
    bash -n <<<"$2" 2>"$work/err" || problem "$1: $(cat "$work/err")"
    local command
    while read -r command; do
        case $command in
        *setup\ *)
            grep -qE "^(${command##* }\)|.*[| ]${command##* }( \||\)))" setup || problem "$1: ./setup has no step ${command##* }" ;;
        *apt-get\ install*)
            for word in ${command#*apt-get install}; do
                case $word in -*) ;; *) known_package "$word" ;; esac
            done ;;
        esac
    done <<<"${2// && /$'\n'}"
}

check_file() { # FILE CONTEXT
    local stages='' word rest
    while read -r word rest; do
        case $word in
        FROM)
            [[ $rest == debian:"$release" || $rest == "debian:$release AS "* ]] || problem "$1 starts from $rest, expected debian:$release"
            stages="$stages ${rest##* }" ;;
        COPY)
            if [[ $rest == --from=* ]]; then
                local stage=${rest%% *}
                [[ " $stages " == *" ${stage#--from=} "* ]] || problem "$1 copies from ${stage#--from=}, which is no stage before"
                [[ $rest == *build/deb/*.deb* ]] || problem "$1 copies other files than the packages: $rest"
            else
                is_copied "$2/${rest%% *}" "$1"
            fi ;;
        RUN) check_commands "$1" "$rest" ;;
        ENV) [ "$rest" = OCL_ICD_VENDORS=/usr/share/orrery ] || problem "$1: found $rest, expected the directory of orrery.icd" ;;
        WORKDIR | CMD) ;;
        ENTRYPOINT) [ "$rest" = '["orrery"]' ] || problem "$1: found the entry point $rest, expected orrery" ;;
        *) problem "$1: found the instruction $word" ;;
        esac
    done < <(instructions "$1")
}
check_file Dockerfile .
check_file .devcontainer/Dockerfile .
grep -qx 'usr/bin/orrery' debian/orrery.install || problem 'the package has no command orrery'
grep -qx 'usr/share/orrery/orrery.icd' debian/*.install || problem 'no package has orrery.icd where the image looks for it'

# The context of the development container is the source, as its COPY needs it.
if command -v python3 >/dev/null; then
    python3 - <<'EOP' || problem 'devcontainer.json'
import json, os
made = json.load(open(".devcontainer/devcontainer.json"))
build = made["build"]
context = os.path.normpath(os.path.join(".devcontainer", build.get("context", ".")))
assert os.path.isfile(os.path.join(".devcontainer", build["dockerfile"])), "no Dockerfile"
copied = [line.split()[1] for line in open(".devcontainer/Dockerfile") if line.startswith("COPY")]
assert all(os.path.exists(os.path.join(context, name)) for name in copied), "%s is not in the context %s" % (copied, context)
assert made["postCreateCommand"] == "./setup build", made["postCreateCommand"]
EOP
fi

if [ -n "${CHECK_CONTAINERS_ALL:-}" ]; then
    docker build -t orrery-check . || problem 'docker does not build the image'
    printf 'kernel void k(global int *a) { a[0] = get_global_id(0); }\n' >"$work/k.cl"
    docker run --rm -v "$work:/work" orrery-check run k.cl >"$work/out" 2>&1
    [ $? = 66 ] && grep -q race-global "$work/out" || problem "the image finds no race: $(cat "$work/out")"
    docker build -f .devcontainer/Dockerfile . || problem 'docker does not build the development container'
fi
exit "$bad"
