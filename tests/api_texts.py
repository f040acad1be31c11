#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which errors and queries the specifications list, and whether lib/api_rows.def has them all.

  api_texts.py list 22 30       function, token, section and condition, one line each, of the texts
  api_texts.py compare 22 30    what the table lacks, and what it has that no text has; exit status 1 if anything

22 is the OpenCL 2.2 API as plain text, 30 the directory with the AsciiDoc sources of the 3.0 one. The texts are not part
of the project. Where both list a function, 3.0 says how many conditions an error has, and 2.2 which section it is in.
Text that the sources show only together with an extension is left out.
"""
import os
import re
import sys

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib", "api_rows.def")


def shown_lines(path):
    """The lines of an AsciiDoc source without what stands under ifdef::."""
    hidden = []
    for line in open(path, encoding="utf-8"):
        line = line.rstrip("\n")
        condition = re.match(r"if(n?)def::.*\[(.*)\]$", line)
        if condition:
            if not condition.group(2):
                hidden.append(condition.group(1) == "")
        elif line.startswith("endif::"):
            hidden and hidden.pop()
        elif not any(hidden):
            yield line


class Chapter:
    """One source file, read from top to bottom."""

    def __init__(self, number):
        self.rows, self.functions, self.levels = [], [], [number]
        self.error = self.condition = self.table = None

    def flush(self):
        if self.condition and self.error:
            text = re.sub(r"\s+", " ", self.condition).strip()
            only = re.match(r"if \{(cl\w+)\} is called", text)
            functions = [only.group(1)] if only else self.functions
            self.rows += [("error", f, self.error, self.section(), text) for f in functions]
        self.condition = None

    def section(self):
        return ".".join(map(str, self.levels))

    def heading(self, depth):
        self.flush()
        self.error = None
        self.levels = (self.levels + [0] * depth)[: depth + 1]
        self.levels[depth] += 1

    def error_line(self, line):
        bullet = re.match(r"    \*\* (.*)", line)
        if bullet:
            self.flush()
            self.condition = bullet.group(1)
        elif line.startswith("    ") and self.condition is not None:
            self.condition += " " + line.strip()
        elif not line.strip():
            self.flush()
        elif line.strip() != "+":
            self.flush()
            self.error = None

    def line(self, line):
        heading = re.match(r"(={2,5}) +\S", line)
        error = re.match(r"  \* \{(CL_(?!MEM_SVM)\w+?)\}(.*)", line)
        proto = re.match(r"include::\{generated\}/api/protos/(cl\w+)\.txt", line)
        title = re.match(r"\.List of supported param_names by \{(cl\w+)\}", line)
        query = re.match(r"\| \{(CL_\w+)_anchor\}", line)
        if heading:
            self.heading(len(heading.group(1)) - 1)
        elif line.startswith("[open,refpage="):
            self.flush()
            self.functions, self.error = [], None
        elif proto:
            self.functions.append(proto.group(1))
        elif title:
            self.table = title.group(1)
        elif line.startswith(".List") or line.startswith("[["):
            self.table = None
        elif query and self.table:
            self.rows.append(("query", self.table, query.group(1), self.section(), ""))
        elif error and not error.group(1).endswith("_anchor"):
            self.flush()
            self.error, self.condition = error.group(1), error.group(2).strip() or None
        elif self.error:
            self.error_line(line)


def read_30(directory):
    rows = []
    for name, number in (("opencl_platform_layer", 4), ("opencl_runtime_layer", 5)):
        chapter = Chapter(number)
        for line in shown_lines(os.path.join(directory, name + ".asciidoc")):
            chapter.line(line)
        chapter.flush()
        rows += chapter.rows
    return rows


LISTS = re.compile(
    r"one of the following error|following error values returned|clSVMAlloc will fail if"
    r"|list of errors that can be returned|clRetainDevice returns|clReleaseDevice returns")


def read_22(path):
    rows, functions, prototypes, section, listing = [], [], [], "", False
    for line in open(path, encoding="utf-8"):
        heading = re.match(r"([45]\.\d+(\.\d+)*)\.? +[A-Z]", line)
        proto = re.match(r"(?:void ?\*?|cl_\w+) ?\*? ?(cl[A-Z]\w+)\*? ?\(", line)
        bullet = re.match(r"\s*•\s*(?:\*?(CL_[A-Z_]+)\*? +if )?(.*)", line)
        if heading:
            section, listing = heading.group(1), False
        elif re.match(r"Appendix|6\.", line):
            listing = False
        elif proto:
            prototypes = ([] if listing else prototypes) + [proto.group(1)]
            listing = False
        elif LISTS.search(line):
            named = re.match(r"(cl\w+)(?: and (cl\w+))? (?:will )?return", line)
            functions = [f for f in named.groups() if f] if named else []
            functions = functions or re.findall(r"(cl[A-Z]\w+) returns", line)[-1:] or prototypes[-1:]
            listing, prototypes = True, []
        elif bullet and listing:
            for function in functions:
                if bullet.group(1):
                    rows.append(("error", function, bullet.group(1), section, bullet.group(2).strip()))
                elif function == "clSVMAlloc":
                    rows.append(("error", function, "NULL", section, bullet.group(2).strip()))
    return rows


def merge(rows_22, rows_30):
    """3.0's rows with 2.2's sections, and the pairs that only 2.2 has."""
    sections = {row[1]: row[3] for row in rows_22}
    pairs = {row[1:3] for row in rows_30}
    functions = {row[1] for row in rows_30}
    merged = [row[:3] + (sections.get(row[1], "3.0 " + row[3]),) + row[4:] for row in rows_30]
    for row in rows_22:
        if row[1:3] not in pairs:
            last = max([i for i, other in enumerate(merged) if other[1] == row[1]], default=len(merged) - 1)
            merged.insert(last + 1, row)
    return merged, functions


def read_table():
    rows = []
    for line in open(TABLE, encoding="utf-8"):
        row = re.match(r'(ERROR|QUERY)\((\w+), (\w+), "([^"]*)"', line)
        if row:
            rows.append((row.group(1).lower(),) + row.groups()[1:])
    return rows


def ours():
    """The calls that the library answers."""
    api = open(os.path.join(os.path.dirname(TABLE), "api.h"), encoding="utf-8").read()
    return set(re.findall(r"^(?:API|NAMED)\((\w+)\)", api, re.M))


def compare(texts):
    def count(rows):
        counts = {}
        for row in rows:
            counts[row[:3]] = counts.get(row[:3], 0) + 1
        return counts

    known = ours()
    wanted, there = count(r for r in texts if r[1] in known), count(read_table())
    bad = 0
    for key in sorted(wanted.keys() | there.keys()):
        if wanted.get(key, 0) != there.get(key, 0):
            print("%s %s %s: %d in the texts, %d in the table" % (key + (wanted.get(key, 0), there.get(key, 0))))
            bad += 1
    for function in sorted({r[1] for r in texts} - known):
        print("no such call here: " + function)
    print("%d rows of the texts, %d of the table, %d differ" % (sum(wanted.values()), sum(there.values()), bad))
    return 1 if bad else 0


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in ("list", "compare"):
        sys.exit(__doc__)
    texts, _ = merge(read_22(sys.argv[2]), read_30(sys.argv[3]))
    known = ours() # calls of 3.1 that are there under the name of their extension
    texts = [(r[0], r[1] + "KHR") + r[2:] if r[1] not in known and r[1] + "KHR" in known else r for r in texts]
    if sys.argv[1] == "compare":
        sys.exit(compare(texts))
    for row in texts:
        print("\t".join(row))


main()
