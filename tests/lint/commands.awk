# SPDX-License-Identifier: Apache-2.0
# Makes a compilation database of what `make -n V=1` prints: -v folder=DIRECTORY, the build directory. Handlers are built for
# several instruction sets of the same text; the database has the first.
function json(text) {
    gsub(/[\\"]/, "\\\\&", text)
    return "\"" text "\""
}

BEGIN { print "[" }
/ -c -o / && / -DORRERY_ISA=[12] / { next }
/ -c -o / {
    sub(/^.*--mode=compile /, "")
    sub(/^ccache /, "")
    # cppcheck knows no -iquote, no quotes of the shell, and takes relative folders for those of its own directory.
    gsub(/ -iquote /, " -I")
    gsub(/ -I\./, " -I" folder "/.")
    gsub(/'"|"'/, "\\\"")
    gsub(/ -M[TF] [^ ]*| -M[DP]/, "")
    gsub(/ -fvect-cost-model=[a-z-]*/, "") # clang-tidy knows it no more than clang does
    if (match($0, /`test -f '[^']*' \|\| echo '[^']*'`/)) {
        source = substr($0, RSTART, RLENGTH)
        sub(/^.*echo '/, "", source)
        sub(/'`$/, "", source)
        $0 = substr($0, 1, RSTART - 1) source substr($0, RSTART + RLENGTH)
    }
    sub(/ *(&& *)?\\?$/, "")
    file = $NF
    if (file !~ /\.c$/ || seen[file]++)
        next
    printf "%s{\"directory\": %s, \"command\": %s, \"file\": %s}", rows++ ? ",\n" : "", json(folder), json($0), json(file)
}
END { print "\n]" }
