#!/usr/bin/env python3
"""Identifiers can be found by their names.

An external function, declared in a header, begins with a word of the name of
its header, of the file that defines it or of their folder, or with the tag of a
struct of the header. The tag of a struct, union or enum is defined once in the
tree. Prints FILE:LINE: and the identifier for each one that is not so.
"""
import collections
import glob
import os
import re
import sys

# diagnose() is in more than eighty files; a macro of exec_atomic.c defines the other two.
ALLOWED = {"diagnose", "atomic_float_32", "atomic_float_64"}


def plain(text):
    """The text without comments, preprocessor lines and bodies; as many lines as before."""
    text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m[0].count("\n"), text, flags=re.S)
    text = re.sub(r"(?m)^[ \t]*#(?:.*\\\n)*.*$", lambda m: "\n" * m[0].count("\n"), text)
    text = text.replace('extern "C" {', "")
    out, depth = [], 0
    for c in text:
        depth -= c == "}"
        if depth == 0 or c == "\n":
            out.append(c)
        depth += c == "{"
    return "".join(out)


def variants(word):
    """Singular and plural."""
    return {word, word + "s", word + "es", re.sub("s$", "", word), re.sub("es$", "", word), re.sub("ies$", "y", word),
            re.sub("y$", "ies", word)}


def words_of(path):
    """The words with which a function of the file may begin."""
    names = os.path.basename(path)[:-2].split("_") + os.path.basename(os.path.dirname(path)).split("_")
    return set().union(*(variants(name) for name in names), [name[3:] for name in names if name.startswith("sub")])


def functions(text, end):
    """(line, name) of each external function that is declared (end is ";") or defined ("{")."""
    text = plain(text)
    pattern = r"(?:^|(?<=[;}{]))\s*([^;{}()=]*?)\b([a-z][a-z0-9_]*)\s*\((?:[^;{}()]|\([^()]*\))*\)\s*(?:__attribute__\s*\(\(.*?\)\)\s*)?" + end
    for m in re.finditer(pattern, text):
        before = set(m[1].split())
        if before and not before & {"static", "typedef", "return", "else"}:
            yield text[:m.start(2)].count("\n") + 1, m[2]


def misnamed(path, text, sources):
    words, tags = words_of(path), re.findall(r"(?m)^(?:struct|union|enum) (\w+)", text)
    for line, name in functions(text, ";"):
        first = name.split("_")[0]
        if (first not in words and not any(first in words_of(source) for source in sources[name]) and name not in ALLOWED
                and not any(name.startswith(tag + "_") for tag in tags)):
            yield f"{path}:{line}: {name}: begins with no word of its file's name, and with no struct of the header"


def tags_of(path, text):
    text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m[0].count("\n"), text, flags=re.S)
    for m in re.finditer(r"(?m)^[ \t]*(?:static |const |typedef )*(?:struct|union|enum) (\w+)\s*\{", text):
        yield m[1], f"{path}:{text[:m.start(1)].count(chr(10)) + 1}"


def problems_of(files):
    """files: path -> text."""
    problems, tags, sources = [], collections.defaultdict(list), collections.defaultdict(list)
    for path, text in files.items():
        for _, name in functions(text, r"\{") if path.endswith(".c") else ():
            sources[name].append(path)
    for path, text in files.items():
        if path.endswith(".h"):
            problems += misnamed(path, text, sources)
        for tag, place in tags_of(path, text):
            tags[tag].append(place)
    for tag, places in sorted(tags.items()):
        for place in places if len(places) > 1 else ():
            problems.append(f"{place}: {tag}: also defined at {', '.join(p for p in places if p != place)}")
    return problems


def self_test():
    found = problems_of({"sim/a/clock.h": "/* x */\nstruct tick { int n; };\nint clock_read(void);\nint tick_add(int n);\nint go_on(void);\n",
                         "sim/a/clock.c": "struct tick { int m; };\nint clock_read(void)\n{\n}\n",
                         "sim/a/walk.c": "int go(void)\n{\n}\n"})
    assert [f.split(": ")[:2] for f in found] == [["sim/a/clock.h:5", "go_on"], ["sim/a/clock.h:2", "tick"], ["sim/a/clock.c:1", "tick"]], found


def main():
    self_test()
    os.chdir(sys.argv[1])
    files = {}
    for path in sorted(f for folder in ("include", "sim", "lib", "tools") for f in glob.glob(f"{folder}/**/*.[ch]", recursive=True)):
        with open(path, encoding="utf-8") as file:
            files[path] = file.read()
    problems = problems_of(files)
    print("\n".join(problems + [f"{len(files)} files, {len(problems)} problems"]))
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
