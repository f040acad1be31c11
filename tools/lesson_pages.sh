#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Pages of what is taught: lesson_pages.sh ORRERY SCENARIOS OUT makes OUT/index.html of SCENARIOS/lessons, and a page of each program
# that it names. It fails where a file is missing, a program cannot be run, or a page cannot be written.
set -eu
orrery=$(realpath "$1") scenarios=$(realpath "$2")
mkdir -p "$3"
out=$(realpath "$3")
cd "$scenarios" # so that pages name files as the lessons do

page() { # FILE: prints the name of its page, and makes it unless another lesson has done so
    name=$(echo "${1%.*}" | tr / - | sed 's/^litmus-teaching-/litmus-/').html
    if [ ! -e "$out/$name" ]; then
        case $1 in
        *.litmus) "$orrery" litmus --html="$out/$name" "$1" >"$out/log" 2>&1 || [ $? = 1 ] || { cat "$out/log" >&2; exit 1; } ;;
        *) "$orrery" run --fail-on=off --html="$out/$name" "$1" >"$out/log" 2>&1 || [ $? = 124 ] || { cat "$out/log" >&2; exit 1; } ;;
        esac
        [ -s "$out/$name" ] || { echo "$1: no page was written" >&2; exit 1; }
    fi
    echo "$name"
}

links() { # FILES: a list of links, one a line of its cell
    for file; do
        long=${file%%[!-]*}
        file=${file#-}
        [ -e "$file" ] || { echo "lessons: there is no $file" >&2; exit 1; }
        title=$(basename "$file" | sed 's/\.[a-z]*$//; s/_/ /g')
        case $file in
        *.litmus) kind='what may happen' ;;
        *) kind='a run' ;;
        esac
        [ -z "$long" ] || { echo "<div>$title <small>a long run: orrery run $file</small></div>"; continue; }
        name=$(page "$file")
        echo "<div><a href=\"$name\">$title</a> <small>$kind</small></div>"
    done
}

rm -f "$out"/*.html
{
    cat <<'END'
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Orrery: lessons on the memory model</title>
<style>
:root { color-scheme: light dark; }
body { font: 1rem/1.5 sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
caption { text-align: left; padding-bottom: 0.5rem; }
th, td { border-bottom: 1px solid; padding: 0.4rem 0.8rem 0.4rem 0; text-align: left; vertical-align: top; }
</style>
</head>
<body>
<h1>Lessons on the memory model</h1>
<p>Each page shows a small OpenCL program: its source with what was found, its steps, the order between them. A run is one schedule;
a litmus test shows every outcome that the memory model of OpenCL allows. The pages need no network.</p>
<table>
<caption>Broken programs, and the same fixed</caption>
<thead><tr><th scope="col">No.<th scope="col">Lesson<th scope="col">Broken<th scope="col">Mended</tr></thead>
<tbody>
END
    grep -v '^#' lessons | while IFS='|' read -r number title broken fixed; do
        # file names have no spaces
        # shellcheck disable=SC2086
        first=$(links $broken) && second=$(links $fixed) || exit 1
        printf '<tr><td>%s<th scope="row">%s<td>%s\n<td>%s</tr>\n' "$number" "$title" "$first" "$second"
    done
    printf '</tbody>\n</table>\n</body>\n</html>\n'
} >"$out/index"
mv "$out/index" "$out/index.html"
rm -f "$out/log"
