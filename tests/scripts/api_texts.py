#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which errors and queries the specifications list, and whether lib/api_rows.def has them all.

  api_texts.py list SPECS       function, token, section and condition, one line each, of the texts
  api_texts.py compare SPECS    what the table lacks, and what it has that no text has; exit status 1 if anything

SPECS has opencl-2.2-api.txt, the OpenCL 2.2 API as plain text; opencl-3.0/api, the AsciiDoc sources of the 3.0 one;
opencl-3.0/extensions, texts of extensions that stand apart; cl_ext_device_fission.txt. They are not part of the project.
Where both list a function, 3.0 says how many conditions an error has, and 2.2 which section it is in. Text that the
sources show only together with an extension counts when lib/api_device.c has the extension.
"""
import os
import re
import sys

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib", "api_rows.def")


def extensions():
    """Those that the library can report."""
    device = open(os.path.join(os.path.dirname(TABLE), "device.c"), encoding="utf-8").read()
    return set(re.findall(r'^    EXTENSION\("(cl_\w+)"', device, re.M))


def is_defined(names, known):
    return all(any(name in known for name in part.split(",")) for part in names.split("+"))


def shown_lines(path):
    """The lines of an AsciiDoc source without what stands under an ifdef:: of what is not there."""
    hidden, known = [], extensions()
    for line in open(path, encoding="utf-8"):
        line = line.rstrip("\n")
        condition = re.match(r"if(n?)def::(.*?)\[(.*)\]$", line)
        if condition:
            if not condition.group(3):
                hidden.append(is_defined(condition.group(2), known) == bool(condition.group(1)))
        elif line.startswith("endif::"):
            hidden and hidden.pop()
        elif not any(hidden):
            yield line


# Second names of calls, which enter under the first one; and those that a layer or a loader handles.
SAME_CALLS = {
    "clCreateCommandQueueWithPropertiesKHR", "clCreateProgramWithILKHR", "clIcdGetPlatformIDsKHR",
    "clIcdSetPlatformDispatchDataKHR",
}


class Chapter:
    """One source file, read from top to bottom."""

    def __init__(self, number):
        self.rows, self.functions, self.levels = [], [], [number]
        self.bases = {} # call: the one whose errors it has, and those of them that are replaced
        self.before = "" # a line that ends at another call's name
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
        bullet = re.match(r"(?:    \*\* |  \*\* (?=if))(.*)", line)
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
        error = re.match(r"  \* \{(CL_(?!MEM_SVM|MEM_USE)\w+?)\}(.*)", line)
        proto = re.match(r"include::\{generated\}/api/protos/(cl\w+)\.txt", line)
        title = re.match(r"\.(?:List of (?:supported param_names|parameter names supported) by )?\{(cl\w+)\}(?: values)?$", line)
        query = re.match(r"\| \{(CL_\w+)_anchor\}", line)
        base = re.search(r"the errors defined by \{(cl\w+)\}", self.before + " " + line)
        replaced = re.match(r"\{(CL_\w+)\} is replaced with:", line)
        self.before = line if line.endswith("the errors defined by") else ""
        if base:
            self.bases.update((function, (base.group(1), [])) for function in self.functions)
        elif replaced:
            self.bases[self.functions[0]][1].append(replaced.group(1))
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


def inherited(chapter):
    errors = [row for row in chapter.rows if row[0] == "error"]
    section = {row[1]: row[3] for row in errors}
    return [
        ("error", call, row[2], section[call]) + row[4:]
        for call, (base, replaced) in chapter.bases.items() if call in section
        for row in errors if row[1] == base and row[2] not in replaced
    ]


def read_30(directory):
    rows = []
    for name, number in (("opencl_platform_layer", 4), ("opencl_runtime_layer", 5)):
        chapter = Chapter(number)
        for line in shown_lines(os.path.join(directory, name + ".asciidoc")):
            chapter.line(line)
        chapter.flush()
        rows += chapter.rows + inherited(chapter)
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


class Extension:
    """A text of its own: what it adds to calls that there are, and calls that it has."""

    described = frozenset() # commands that its text names
    TABLE = re.compile(r'param_names by \**(cl\w+)|"?\**(cl\w+)\** parameter queries')
    CALLS = re.compile(
        r"\*(cl\w+)\*(?: and \*(cl\w+)\*)? (?:will )?returns? |returned by \*(cl\w+)\* for|error conditions for \*(cl\w+)\*"
    )

    def __init__(self, name):
        self.name, self.rows, self.calls, self.table, self.open = name, [], [], None, False
        self.every, self.shared = None, [] # in a list for all commands: the calls of the errors that follow

    def shared_line(self, line):
        """Errors of all commands: (whom they concern, error, condition)."""
        whom = re.match(r"For all (other )?enqueue APIs", line)
        error = re.match(r"\* `(CL_\w+)` (if .*)", line)
        if line.startswith("(Add to the list of error conditions for all enqueue APIs)"):
            self.every = "all"
        elif self.every and line.startswith("=="):
            self.every = None
        elif self.every and whom:
            self.every = "others" if whom.group(1) else "described"
        elif self.every and error:
            self.shared.append((self.every,) + error.groups())

    def line(self, line):
        line = line.replace("{zwsp}", "")
        self.shared_line(line)
        if "support calls to" in line:
            self.described = self.described | set(re.findall(r"`(cl\w+)`", line))
        title, calls = self.TABLE.search(line), self.CALLS.search(line)
        error = re.match(r" *\* `(CL_\w+)` (if .*)", line)
        queries = re.match(r"(?:\| |  )[`{](CL_\w+)[`}](?: \+)?$", line)
        if re.match(r"=+ |\(Add|For all", line):
            self.table, self.calls = None, []
        if title:
            self.table = title.group(1) or title.group(2)
        elif "Device Queries" in line:
            self.table = "clGetDeviceInfo"
        elif queries and self.table and (self.open or line.startswith("|")):
            self.rows.append(("query", self.table, queries.group(1), self.name, ""))
        self.open = bool(queries) or (self.open and line.strip() == "{blank}")
        if calls: # KHR: those stand in the 3.0 API
            self.calls = [call for call in calls.groups() if call and not call.endswith("KHR")]
        elif error:
            self.rows += [("error", call, error.group(1), self.name, error.group(2)) for call in self.calls]


def spread(text, rows):
    """A row for each command that a list for all commands concerns: those with a wait list, or with an event."""
    errors, commands = {}, []
    for row in rows:
        if row[0] == "error" and row[1].startswith("clEnqueue"):
            errors.setdefault(row[1], set()).add(row[2])
    for call in errors:
        waits = "CL_INVALID_EVENT_WAIT_LIST" in errors[call]
        concerned = {"CL_INVALID_EVENT_WAIT_LIST": waits, "CL_INVALID_EVENT": waits or call == "clEnqueueMarker"}
        whom = ("all", "described" if call in text.described else "others")
        commands += [("error", call, error, text.name, condition) for each, error, condition in text.shared
                     if each in whom and concerned.get(error, True)]
    return commands


def read_extensions(directory, before):
    rows, lists = [], []
    for name in sorted(extensions()):
        path = os.path.join(directory, name + ".asciidoc")
        if os.path.exists(path):
            text = Extension(name)
            for line in open(path, encoding="utf-8"):
                text.line(line.rstrip("\n"))
            rows += text.rows
            lists.append(text)
    return rows + [row for text in lists for row in spread(text, before + rows)]


def read_fission(path):
    """Its errors and selectors stand in no list that says which call they are of."""
    name, rows, listing = "cl_ext_device_fission", [], None
    text = open(path, encoding="utf-8").read()
    for call in re.findall(r"(cl(?:Retain|Release)DeviceEXT) \w+crements", text):
        rows.append(("error", call, "CL_INVALID_DEVICE", name, "device is not a device"))
    for line in text.split("\n"):
        error = re.match(r"    (CL_\w+) - (.*)", line)
        selector = re.match(r"        (CL_DEVICE_\w+_EXT) (?:- a selector|Return the device)", line)
        if "may be returned by clCreateSubDevicesEXT" in line:
            listing = "clCreateSubDevicesEXT"
        elif listing and error and error.group(1) != "CL_SUCCESS":
            rows.append(("error", listing, error.group(1), name, error.group(2)))
        elif listing and re.match(" +CL_INVALID_PROPERTY instead", line):
            rows.append(("error", listing, "CL_INVALID_PROPERTY", name, line.strip()))
        elif selector:
            rows.append(("query", "clGetDeviceInfo", selector.group(1), name, ""))
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
    intel = {call + "INTEL" for call in re.findall(r"^API_INTEL\((\w+)\)", api, re.M)}
    return set(re.findall(r"^(?:API|NAMED)\((\w+)\)", api, re.M)) | intel


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


def once(rows):
    """The two names of one call have one list."""
    return list(dict.fromkeys(rows))


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in ("list", "compare"):
        sys.exit(__doc__)
    specs = sys.argv[2]
    texts, _ = merge(read_22(os.path.join(specs, "opencl-2.2-api.txt")), read_30(os.path.join(specs, "opencl-3.0", "api")))
    texts += read_extensions(os.path.join(specs, "opencl-3.0", "extensions"), texts)
    texts += read_fission(os.path.join(specs, "cl_ext_device_fission.txt"))
    texts = [r for r in texts if r[1] not in SAME_CALLS]
    known = ours() # calls of 3.1 that are there under the name of their extension
    texts = once((r[0], r[1] + "KHR") + r[2:] if r[1] not in known and r[1] + "KHR" in known else r for r in texts)
    if sys.argv[1] == "compare":
        sys.exit(compare(texts))
    for row in texts:
        print("\t".join(row))


main()
