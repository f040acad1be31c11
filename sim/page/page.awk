# SPDX-License-Identifier: Apache-2.0
# The lines of page.html as C strings; in place of a line @INCLUDE NAME@ stand those of the file NAME of
# `folder`. Comments of types, /** to */ on lines of their own, are left out.

function put(s) {
    gsub(/\\/, "\\\\&", s)
    gsub(/"/, "\\\"", s)
    gsub(/\?/, "\\?", s) # no trigraphs
    print "\"" s "\","
}

/^@INCLUDE .*@$/ {
    name = folder substr($2, 1, length($2) - 1)
    types = 0
    while ((got = (getline part < name)) > 0) {
        end = index(part, "*/")
        rest = end ? substr(part, end + 2) : ""
        if (part ~ /^[ \t]*\/\*\*/ && rest ~ /^[ \t]*$/)
            types = 1
        if (!types || rest !~ /^[ \t]*$/)
            put(types ? rest : part)
        types = types && !end
    }
    if (got < 0) {
        print "page.awk: no such file: " name > "/dev/stderr"
        exit 1
    }
    close(name)
    next
}
{ put($0) }
