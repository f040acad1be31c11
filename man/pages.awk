# SPDX-License-Identifier: Apache-2.0
# A manual to rows PAGE(id, spec, text) in C, for `orrery explain`: each .Ss of the section that the variable `section` names
# (FINDINGS of orrery-findings(7), TERMS of orrery-glossary(7)) is a page.
# It knows the macros that the manual uses and fails on others.
# Items of a list with bullets begin with a dash.
# spec: of the paragraph "Specification" the part before the first colon.

function wrap(words, indent,    n, i, part, line, out) {
    n = split(words, part, " ")
    line = indent
    for (i = 1; i <= n; i++) {
        if (length(line) > length(indent) && length(line) + 1 + length(part[i]) > 80) {
            out = out line "\n"
            line = indent
        }
        line = line (length(line) > length(indent) ? " " : "") part[i]
    }
    return out line "\n"
}

function flush_paragraph() {
    if (paragraph == "")
        return
    if (item == "Specification" && spec == "") {
        spec = paragraph
        sub(/: .*|\.$/, "", spec)
    }
    wrapped = wrap(paragraph, item == "" && !bullets ? "  " : "    ")
    if (bullets)
        sub(/^    /, "  - ", wrapped)
    text = text wrapped
    paragraph = ""
}

function quoted(s,    out) {
    gsub(/\\/, "\\\\", s)
    gsub(/"/, "\\\"", s)
    gsub(/\n/, "\\n\"\n    \"", s)
    return "\"" s "\""
}

function finish_page() {
    flush_paragraph()
    if (page != "")
        printf "PAGE(%s, %s,\n    %s)\n", quoted(page), quoted(spec), quoted(text)
    page = text = spec = item = ""
}

# Punctuation after a macro's words belongs to the word before it.
function append(s) {
    if (s ~ /^[.,:;)]/)
        paragraph = paragraph s
    else
        paragraph = paragraph (paragraph == "" ? "" : " ") s
}

function plain(s) {
    gsub(/\\-/, "-", s)
    gsub(/\\&/, "", s)
    gsub(/\\e/, "\\", s)
    return s
}

/^\.\\"/ { next }
/^\.Sh / { finish_page(); inside = ($2 == (section ? section : "FINDINGS")); next }
!inside { next }
/^\.Ss / { finish_page(); page = substr($0, 5); text = page "\n"; next }
page == "" { next }
literal && /^\.Ed/ { literal = 0; next }
literal { text = text "    " plain($0) "\n"; next }
/^\.Bd -literal/ { flush_paragraph(); literal = 1; next }
/^\.Pp/ { flush_paragraph(); text = text "\n"; next }
/^\.Bl / || /^\.El/ { flush_paragraph(); bullets = /-bullet/; next }
/^\.It$/ { flush_paragraph(); next }
/^\.It / { flush_paragraph(); item = $2; text = text "\n  " item "\n"; next }
/^\.(Ic|Cm|Ql|Pa|Xr|Fl|Ev) / {
    if ($1 == ".Xr") {
        append($2 "(" $3 ")" ($4 ? $4 : ""))
        next
    }
    append(plain($2))
    for (i = 3; i <= NF; i++)
        append(plain($i))
    next
}
/^\./ { print "pages.awk: no such macro: " $0 > "/dev/stderr"; failed = 1; exit 1 }
{ append(plain($0)) }
END {
    if (failed)
        exit 1
    finish_page()
    print "PAGE(\"\", \"\", \"\")"
}
