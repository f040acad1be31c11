#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A client of the Debug Adapter Protocol that drives each request of `orrery debug --dap` on one scenario.

dap_client.py ORRERY SCENARIO [PROGRAM ARGUMENT...]: exit status 0 when each answer is as expected. Only the standard library.
With DAP_SCHEMA=FILE, the protocol's debugProtocol.json (github.com/microsoft/vscode-debugadapter-node), each message has
to be valid by it, those of the adapter and the requests that it is to fulfil, and a line says which definitions were met; this needs
python3-jsonschema.
"""
import base64
import json
import os
import random
import re
import socket
import subprocess
import sys
import tempfile


class Schema:
    """The published schema of the protocol. Its definition of a message is named after its command or event."""

    def __init__(self, path):
        import jsonschema
        with open(path) as file:
            self.schema = json.load(file)
        self.validate = jsonschema.Draft4Validator
        self.validators = {}
        self.met = set()

    def name_of(self, message):
        kind = message["type"].capitalize()
        if kind == "Response" and not message["success"]:
            return "ErrorResponse"
        name = message["event" if kind == "Event" else "command"]
        name = name[:1].upper() + name[1:] + kind
        return name if name in self.schema["definitions"] else kind

    def check(self, message):
        name = self.name_of(message)
        self.met.add(name)
        if name not in self.validators:  # to make one takes longer than to check a message
            whole = {"$ref": "#/definitions/" + name, "definitions": self.schema["definitions"]}
            self.validators[name] = self.validate(whole)
        errors = ["%s: %s" % ("/".join(map(str, error.absolute_path)), error.message)
                  for error in self.validators[name].iter_errors(message)]
        assert not errors, (name, errors, message)


schema = Schema(os.environ["DAP_SCHEMA"]) if os.environ.get("DAP_SCHEMA") else None


class Client:
    def __init__(self, argv, port=False, options=()):
        self.process = subprocess.Popen(argv + ["debug", *options, "--dap=0" if port else "--dap"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE if port else None)
        self.read, self.write = self.process.stdout, self.process.stdin
        if port:
            number = int(re.search(rb":(\d+)$", self.process.stderr.readline().strip()).group(1))
            self.socket = socket.create_connection(("127.0.0.1", number))
            self.read = self.write = self.socket.makefile("rwb")
        self.sequence = 0
        self.events = []
        self.ended = False  # test_walk's
        self.commands = set()

    def receive(self):
        length = 0
        while True:
            line = self.read.readline()
            if not line:
                raise EOFError("the adapter has gone")
            if line == b"\r\n":
                break
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        message = json.loads(self.read.read(length))
        if schema:
            schema.check(message)
        return message

    def send(self, command, arguments, valid=False):
        """valid: it is one that the protocol allows."""
        self.sequence += 1
        message = {"seq": self.sequence, "type": "request", "command": command, "arguments": arguments}
        if schema and valid:
            schema.check(message)
        body = json.dumps(message).encode()
        self.write.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.write.flush()
        self.commands.add(command)
        return self.sequence

    def response(self, sequence):
        while True:
            message = self.receive()
            if message["type"] == "event":
                self.events.append(message)
            elif message["request_seq"] == sequence:
                return message

    def ask(self, command, **arguments):
        message = self.response(self.send(command, arguments, valid=True))
        assert message["success"], (command, message)
        return message["body"]

    def refused(self, command, **arguments):
        message = self.response(self.send(command, arguments))
        assert not message["success"] and message["message"], (command, message)
        return message["message"]

    def event(self, *names):
        while True:
            for i, event in enumerate(self.events):
                if event["event"] in names:
                    return self.events.pop(i)
            message = self.receive()
            assert message["type"] == "event", message
            self.events.append(message)

    def run(self, command, **arguments):
        """A request that resumes, and the stop that follows."""
        self.ask(command, **arguments)
        return self.event("stopped", "terminated")

    def top(self, thread=None):
        thread = thread or self.ask("threads")["threads"][0]["id"]
        return self.ask("stackTrace", threadId=thread)["stackFrames"][0]

    def hash(self):
        answer = self.ask("orrery/hash")
        return answer["position"], answer["hash"]


def variables(client, frame, scope):
    for row in client.ask("scopes", frameId=frame)["scopes"]:
        if row["name"] == scope:
            return {v["name"]: v for v in client.ask("variables", variablesReference=row["variablesReference"])["variables"]}
    raise AssertionError(scope)


def launched(argv, scenario, port=False):
    client = Client(argv, port)
    capabilities = client.ask("initialize", clientID="test", adapterID="orrery")
    assert capabilities["supportsStepBack"] and capabilities["supportsDataBreakpoints"], capabilities
    assert any(f["filter"] == "race-global" for f in capabilities["exceptionBreakpointFilters"])
    client.ask("launch", program=scenario, stopOnEntry=False, stopAtEnd=True)
    client.event("initialized")
    return client


def test_focus(client, scenario):
    """To continue keeps the work-item of the request, forwards and backwards, where the breakpoint holds for it."""
    source = {"path": os.path.realpath(scenario)[:-5] + ".cl"}
    line = 1 + next(i for i, row in enumerate(open(source["path"])) if "/* call */" in row)
    client.ask("setBreakpoints", source=source, breakpoints=[{"line": line}])
    client.ask("configurationDone")
    assert client.event("stopped")["body"]["threadId"] == 1
    assert client.run("continue", threadId=4)["body"]["threadId"] == 4
    assert client.run("reverseContinue", threadId=3)["body"]["threadId"] == 3
    client.ask("setBreakpoints", source=source, breakpoints=[{"line": line, "condition": "i == 5"}])
    assert client.run("continue", threadId=3)["body"]["threadId"] == 6
    client.ask("disconnect")
    assert client.process.wait(20) == 0


def test_requests(client, scenario):
    source = {"path": os.path.realpath(scenario)[:-5] + ".cl"}
    text = open(source["path"]).read().split("\n")
    line = {key: 1 + next(i for i, row in enumerate(text) if "/* " + key + " */" in row) for key in ("call", "inside", "store")}
    points = client.ask("setBreakpoints", source=source, breakpoints=[{"line": line["call"], "condition": "j == 1"}, {"line": 10000}])["breakpoints"]
    assert points[0]["verified"] and points[0]["line"] == line["call"] and not points[1]["verified"], points
    assert client.ask("setFunctionBreakpoints", breakpoints=[])["breakpoints"] == []
    client.ask("setExceptionBreakpoints", filters=[])
    assert "expected" in client.refused("setExceptionBreakpoints", filters=["no-such-kind"])
    client.ask("setExceptionBreakpoints", filters=[])
    client.ask("configurationDone")
    stop = client.event("stopped")["body"]
    assert stop["reason"] == "breakpoint" and stop["hitBreakpointIds"] == [points[0]["id"]], stop
    thread = stop["threadId"]
    frame = client.top(thread)
    assert frame["line"] == line["call"] and frame["name"] == "k" and frame["source"]["path"] == source["path"], frame
    threads = client.ask("threads")["threads"]
    groups = threads[8:]
    assert len(threads) > 8 and all(row["name"].startswith("work-item") for row in threads[:8]), threads
    assert [row["name"] for row in groups] == ["sub-group %d of work-group (0,0,0)" % i for i in range(len(groups))], groups
    first = client.ask("stackTrace", threadId=groups[0]["id"])["stackFrames"][0]
    assert first["line"] == line["call"] and first["name"] == "k", first

    def completions(text, column=None):
        targets = client.ask("completions", frameId=frame["id"], text=text, column=column or len(text) + 1)["targets"]
        return [(target["label"], target["start"], target["length"]) for target in targets]
    assert completions("1 + mi") == [("mine", 5, 2)] and completions("mi + 1", 3) == [("mine", 1, 2)], completions("1 + mi")
    assert completions("get_l") == [("get_local_id", 1, 5)] and completions("mine.") == completions("12") == completions("nothing") == []
    assert {"i", "j", "data", "table", "get_global_id"} <= {label for label, _, _ in completions("")}, completions("")
    assert "column" in client.refused("completions", text="mi", column=0)
    local = variables(client, frame["id"], "Locals")
    assert local["j"]["value"] == "1" and local["f"]["value"] == "(1, 2, 3, 4)" and local["e"]["value"] == "B", local
    assert variables(client, frame["id"], "Arguments")["n"]["value"] == "3"
    assert variables(client, frame["id"], "Program and work-group")["table"]["value"] == "{1, 2, 3}"
    assert variables(client, frame["id"], "Work-item")["get_global_id(0)"]["value"] == str(thread - 1)
    part = client.ask("variables", variablesReference=local["m"]["variablesReference"], start=1, count=1)["variables"]
    assert [v["name"] for v in part] == ["[1]"], part
    assert client.ask("evaluate", expression="f.y * 2 + table[j]", frameId=frame["id"])["result"] == "6"
    assert client.ask("evaluate", expression="j", frameId=frame["id"], format={"hex": True})["result"] == "0x1"
    assert "no variable" in client.refused("evaluate", expression="nothing", frameId=frame["id"])
    assert "assignment" in client.refused("evaluate", expression="j = 5", frameId=frame["id"], context="hover")
    # variables are written where they are
    scope = client.ask("scopes", frameId=frame["id"])["scopes"][0]["variablesReference"]
    assert client.ask("setVariable", variablesReference=scope, name="u", value="40 + 2")["value"] == "42"
    assert client.ask("evaluate", expression="u", frameId=frame["id"])["result"] == "42"
    assert client.ask("setExpression", expression="u", value="3", frameId=frame["id"])["value"] == "3"
    # memory
    data = client.ask("evaluate", expression="data", frameId=frame["id"])
    client.ask("writeMemory", memoryReference=data["memoryReference"], offset=200, data=base64.b64encode(b"\1\2\3\4").decode())
    answer = client.ask("readMemory", memoryReference=data["memoryReference"], offset=200, count=4)
    assert base64.b64decode(answer["data"]) == b"\1\2\3\4", answer
    assert client.ask("readMemory", memoryReference="0x10", count=4)["unreadableBytes"] == 4
    rows = client.ask("disassemble", memoryReference=frame["instructionPointerReference"], instructionOffset=-2, instructionCount=5)["instructions"]
    assert len(rows) == 5 and rows[2]["instruction"].startswith("line"), rows
    # text
    assert client.ask("loadedSources")["sources"][0]["name"] == os.path.basename(source["path"])
    modules = client.ask("modules")
    assert [(module["name"], module["symbolStatus"]) for module in modules["modules"]] == [("calls.cl", "variables and lines")], modules
    rows = client.ask("disassemble", memoryReference="0", instructionCount=400)["instructions"]
    texts = [row["instruction"] for row in rows]
    assert any(re.match(r"mul_32\w+ .*  ; %mul = OpIMul %uint ", text) for text in texts), texts
    assert "line 6" in texts and rows[texts.index("line 6")]["line"] == 6, texts
    assert "location" not in rows[texts.index("line 6") + 1]
    assert "kernel void k" in client.ask("source", sourceReference=0, source={"name": os.path.basename(source["path"])})["content"]
    # steps, forwards and back
    here = client.hash()
    stop = client.run("stepIn", threadId=thread)["body"]
    inside = client.ask("stackTrace", threadId=thread)
    assert stop["reason"] == "step" and inside["stackFrames"][0]["name"] == "helper" and inside["totalFrames"] == 2, inside
    assert client.ask("stackTrace", threadId=thread, startFrame=1, levels=1)["stackFrames"][0]["line"] == line["call"]
    client.run("next", threadId=thread)
    assert client.top(thread)["line"] == line["inside"], client.top(thread)
    # the same call of the function, from its first line; where it stands already; the kernel
    entered = []
    for depth in (0, 0, 1):
        frames = client.ask("stackTrace", threadId=thread)["stackFrames"]
        stop = client.run("restartFrame", frameId=frames[depth]["id"])["body"]
        assert stop["reason"] == "restart" and stop["threadId"] == thread, stop
        entered.append((client.top(thread)["name"], client.top(thread)["line"], client.hash()))
        if depth == 0:
            assert client.ask("evaluate", expression="a", frameId=client.top(thread)["id"])["result"] == "1"
    assert entered[0] == entered[1] and entered[0][:2] == ("helper", line["inside"] - 1), entered
    assert entered[2][0] == "k" and entered[2][1] < line["call"] - 3 and entered[2][2][0] < entered[0][2][0], entered
    assert "frameId" in client.refused("restartFrame", frameId=12345)
    client.run("orrery/goto", position=entered[0][2][0])
    client.run("next", threadId=thread)
    client.run("stepBack", threadId=thread)
    client.run("stepOut", threadId=thread)
    assert client.top(thread)["name"] == "k" and client.top(thread)["line"] == line["call"]
    client.run("orrery/goto", position=here[0])
    # values written by hand are not part of the run: the state is the one of the run
    again = client.hash()
    client.run("next", threadId=thread)
    client.run("orrery/goto", position=here[0])
    assert client.hash() == again
    # watched memory: found by a variable, hit by the run
    frame = client.top(thread)
    client.ask("setBreakpoints", source=source, breakpoints=[])
    info = client.ask("dataBreakpointInfo", name="data[4]", frameId=frame["id"])
    assert "write" in info["accessTypes"], info
    assert client.ask("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"], "accessType": "write"}])["breakpoints"][0]["verified"]
    stop = client.run("continue", threadId=thread)["body"]
    assert stop["reason"] == "data breakpoint" and "write of 4 bytes" in stop["text"], stop
    hit = client.hash()
    client.run("continue", threadId=thread)
    back = client.run("reverseContinue", threadId=thread)["body"]
    assert client.hash() == hit, (back, client.hash(), hit)
    last = client.ask("orrery/lastAccess", memoryReference=data["memoryReference"], count=4)
    assert last["last"] > 0 and client.hash() == hit, last
    client.ask("setDataBreakpoints", breakpoints=[])
    local_info = client.ask("dataBreakpointInfo", name="nothing", frameId=client.top(thread)["id"])
    assert local_info["dataId"] is None, local_info
    assert len(client.ask("orrery/lanes", expression="get_global_id(0)")["threads"]) == 8
    # the race checker's state: work-item 1 has stored there in helper, and so has work-item 4 on the line of the stop
    def inside(thread):
        accesses = client.ask("orrery/why", expression="data[4]", threadId=thread)["accesses"]
        return next(access for access in accesses if access["global"] == [1, 0, 0] and access["line"] == line["inside"])
    assert inside(2)["own"] and not inside(2)["races_with_write"], inside(2)
    assert inside(3)["races_with_write"] and inside(3)["why"] and not inside(3)["edges"], inside(3)
    assert "no variable" in client.refused("orrery/why", expression="nothing", threadId=2)
    assert all(row["local_memory"] for row in client.ask("orrery/clocks", threadId=1)["rows"])
    # findings
    client.ask("setExceptionBreakpoints", filters=["findings"])
    stop = client.run("continue", threadId=thread)["body"]
    assert stop["reason"] == "exception" and stop["text"] == "race-global", stop
    assert client.ask("exceptionInfo", threadId=thread)["exceptionId"] == "race-global"
    client.ask("setExceptionBreakpoints", filters=[])
    stop = client.run("continue", threadId=thread)["body"]
    assert stop["description"] == "The run is over", stop
    # hit counts, log points, functions; from the beginning
    counted = client.ask("setFunctionBreakpoints", breakpoints=[
        {"name": "helper", "hitCondition": text} for text in ("2", ">= 2", "> 1 ", "% 2", "two", "")])["breakpoints"]
    assert ["hit count" in each.get("message", "") for each in counted] == [False, False, False, True, True, False], counted
    assert counted[4]["message"] == "found hit count 'two', expected a number, as in 5, >= 5 or > 4", counted
    client.ask("setFunctionBreakpoints", breakpoints=[{"name": "helper", "hitCondition": "2"}])
    client.ask("setBreakpoints", source=source, breakpoints=[{"line": line["store"], "logMessage": "store of {twice}"}])
    stop = client.run("restart")["body"]
    assert stop["reason"] == "breakpoint", stop
    logged = [e["body"]["output"] for e in client.events if e["event"] == "output"]
    assert any("store of 0" in text for text in logged), logged
    assert client.ask("evaluate", expression="a", frameId=client.top(stop["threadId"])["id"])["result"] == "1"
    client.ask("pause", threadId=1)
    assert "not supported" in client.refused("gotoTargets", source=source, line=1)
    assert "already" in client.refused("attach", processId=1)
    assert "already" in client.refused("launch", program=scenario)
    client.ask("terminate")
    client.ask("disconnect")
    assert client.process.wait(20) == 0


def test_console(argv, scenario):
    """The console takes the terminal's verbs, and their moves are stops like those of other requests."""
    client = launched(argv, scenario)
    source = {"path": os.path.realpath(scenario)[:-5] + ".cl"}
    text = open(source["path"]).read().split("\n")
    call = 1 + next(i for i, row in enumerate(text) if "/* call */" in row)
    client.ask("setBreakpoints", source=source, breakpoints=[{"line": call, "condition": "j == 1"}])
    client.ask("configurationDone")
    thread = client.event("stopped")["body"]["threadId"]

    def console(line, **arguments):
        return client.ask("evaluate", expression=line, context="repl", **arguments)["result"]

    def moves(line):
        answer = console(line)
        return answer, client.event("stopped")["body"]
    # expressions come first: n is an argument, and no verb
    assert console("n") == "3" and console("j + 1") == "2" and console("print j") == "j = 1"
    assert "no variable" in client.refused("evaluate", expression="n + nothing", context="repl")
    assert "no verb" not in client.refused("evaluate", expression="frobnicate", context="repl")
    assert "no variable" in client.refused("evaluate", expression="print j", context="hover")
    rows = console("lanes get_local_id(0)").split("\n")
    assert len(rows) == 8 and rows[3].startswith("(3,0,0)  3"), rows
    here = client.hash()
    answer, stop = moves("step")
    assert stop["reason"] == "step" and "helper" in answer and client.top(stop["threadId"])["name"] == "helper", (answer, stop)
    answer, stop = moves("reverse-finish")
    assert client.hash()[0] <= here[0] and "j] = r" not in answer and client.top(stop["threadId"])["name"] == "k", answer
    answer, stop = moves("until barrier")
    assert client.top(stop["threadId"])["name"] == "k", answer
    assert "at position" in console("who-wrote data[0]")
    assert "new value" in console("history data[4]") or any("new value" in e["body"].get("output", "") for e in client.events)
    # breakpoints of the console and of the editor are both there
    moves("goto 1")
    assert "at calls.cl:" in console("break 8")
    info = console("info breakpoints")
    assert "calls.cl:8" in info and len(info.split("\n")) == 1, info
    answer, stop = moves("continue")
    assert stop["reason"] == "breakpoint" and "calls.cl:8" in answer, answer
    console("delete")
    answer, stop = moves("continue")
    assert stop["reason"] == "breakpoint" and client.top(stop["threadId"])["line"] == call, (answer, stop)
    answer, stop = moves("race next")
    assert answer.startswith("Finding: race-global") and stop["reason"] == "exception", (answer, stop)
    assert moves("first-access")[1]["reason"] == "goto"
    # another work-item
    answer, stop = moves("work-item 5 0 0")
    assert answer.startswith("Work-item 5, which") and stop["threadId"] == 6, (answer, stop)
    assert console("get_global_id(0)") == "5"
    client.ask("orrery/focus", global_id=[2])
    assert client.event("stopped")["body"]["threadId"] == 3 and console("get_global_id(0)") == "2"
    assert "expected 0 to 7" in client.refused("orrery/focus", global_id=[8, 0, 0])
    assert "global_id" in client.refused("orrery/focus")
    assert "no host program" in client.refused("orrery/host")
    answer, stop = moves("goto %d" % 10**9)
    assert stop["description"] == "The run is over", stop
    client.ask("disconnect")
    assert client.process.wait(20) == 0
    return thread


def part_of(wanted, found):
    """Objects have at least these members, lists begin so, all else is equal."""
    if isinstance(wanted, dict):
        return isinstance(found, dict) and all(key in found and part_of(wanted[key], found[key]) for key in wanted)
    if isinstance(wanted, list):
        return isinstance(found, list) and len(wanted) <= len(found) and all(part_of(a, b) for a, b in zip(wanted, found))
    return wanted == found


def at_path(value, path):
    for key in path.split("."):
        value = value[int(key)] if isinstance(value, list) else value[key]
    return value


def test_session(argv, scenario):
    """The rows of tests/debug/editor.session, which says what they mean."""
    client = Client(argv)
    values = {"scenario": scenario, "source": os.path.realpath(scenario)[:-5] + ".cl"}

    def filled(value):
        if isinstance(value, dict):
            return {key: filled(each) for key, each in value.items()}
        if isinstance(value, list):
            return [filled(each) for each in value]
        return values[value[1:]] if isinstance(value, str) and value.startswith("$") else value

    def passes(event):
        return event["event"] == "output" or event["event"].startswith("progress")  # of a slow machine

    def next_event():
        while True:
            while client.events:
                event = client.events.pop(0)
                if not passes(event):
                    return event
            client.events.append(client.receive())
    met = []
    with open(os.path.join(os.path.dirname(scenario), "editor.session")) as file:
        rows = [json.loads(row) for row in file if not row.startswith("#")]
    for row in rows:
        if "request" in row:
            body = client.ask(row["request"], **filled(row["arguments"]))
            assert part_of(filled(row.get("answer", {})), body), (row, body)
        elif "event" in row:
            event = next_event()
            met.append(event["event"])
            body = event["body"]
            assert event["event"] == row["event"] and part_of(filled(row.get("body", {})), body), (row, event)
        else:
            assert all(passes(event) for event in client.events), client.events
        for name, path in row.get("take", {}).items():
            values[name] = at_path(body, path)
    assert client.process.wait(20) == 0
    assert met[0] == "initialized" and met[-2:] == ["exited", "terminated"], met


def test_kernel(argv, folder):
    """A file of OpenCL C runs as in the terminal, also a kernel of it by name."""
    with open(os.path.join(folder, "two.cl"), "w") as file:
        file.write("kernel void one(global int *a) { a[0] = 1; }\nkernel void two(global int *a, int n)\n{\n    a[get_global_id(0)] = n;\n}\n")
    path = os.path.join(folder, "two.cl")
    client = Client(argv)
    client.ask("initialize", adapterID="orrery")
    assert "none.cl cannot be read" in client.refused("launch", program=os.path.join(folder, "none.cl"))
    client.ask("launch", program=path + ":two", stopOnEntry=True)
    client.event("initialized")
    source = {"path": path}
    assert client.ask("setBreakpoints", source=source, breakpoints=[{"line": 4}])["breakpoints"][0]["verified"]
    client.ask("configurationDone")
    stop = client.event("stopped")["body"]
    frame = client.top(stop["threadId"])
    assert frame["name"] == "two" and frame["source"]["path"] == os.path.realpath(path), frame
    client.ask("disconnect")
    assert client.process.wait(20) == 0


def test_host(argv, program):
    """The host program's call is the outermost frame; its queues, commands and events are listed."""
    client = Client(argv)
    client.ask("initialize", adapterID="orrery")
    client.ask("launch", program=program, stopOnEntry=True)
    client.event("initialized")
    client.ask("configurationDone")
    thread = client.event("stopped")["body"]["threadId"]
    answer = client.ask("stackTrace", threadId=thread)
    host = answer["stackFrames"][-1]
    assert answer["totalFrames"] == 2 and host["presentationHint"] == "subtle" and "clEnqueueNDRangeKernel" in host["name"], answer
    assert client.ask("scopes", frameId=host["id"])["scopes"] == []
    assert "host program" in client.refused("evaluate", expression="sum", frameId=host["id"])
    assert "host program" in client.refused("restartFrame", frameId=host["id"])
    state = client.ask("orrery/host")
    assert [(row["out_of_order"], row["unfinished"]) for row in state["queues"]] == [(False, 1), (True, 2)], state
    calls = [(row["call"], row["queue"], row["state"]) for row in state["commands"]]
    assert calls == [("clEnqueueFillBuffer", 1, "complete"), ("clEnqueueFillBuffer", 2, "queued"),
                     ("clEnqueueNDRangeKernel", 2, "queued"), ("clEnqueueNDRangeKernel", 1, "running")], state
    assert [(row["user"], row["state"]) for row in state["events"]] == [(True, "submitted"), (False, "queued")], state
    client.ask("disconnect")
    assert client.process.wait(20) == 0


def test_many(argv, folder):
    """A million work-items: the threads are those of the work-group in focus, which may be any that is in flight."""
    program = os.path.join(folder, "many.yaml")
    with open(program, "w") as file:
        file.write('orrery: 1\nprogram: {text: "kernel void k(global int *a)\\n{\\n    int i = get_global_id(0);\\n    a[i] = i;\\n'
                   '    barrier(CLK_GLOBAL_MEM_FENCE);\\n    if (i % 2)\\n        a[i] += 1;\\n    barrier(CLK_GLOBAL_MEM_FENCE);\\n}\\n"}\nlaunch:\n'
                   '  - {kernel: k, global: [1048576], local: [256], args: [{buffer: {type: int, count: 1048576, fill: 0}}]}\n')
    for policy in ("lockstep", "round-robin"):
        client = Client(argv, options=["--schedule=" + policy, "--resident-groups=4"])
        client.ask("initialize", adapterID="orrery")
        client.ask("launch", program=program)
        client.event("initialized")
        client.ask("setBreakpoints", source={"name": "program.cl"}, breakpoints=[{"line": 7, "condition": "i >= 600"}])
        client.ask("configurationDone")
        client.event("stopped")
        threads = client.ask("threads")["threads"]
        groups = [row for row in threads if row["name"].startswith("sub-group")]
        assert len(threads) == 256 + 8 and all("(2,0,0)" in row["name"] for row in groups), groups
        if policy == "lockstep":
            # those with an even number wait for the other ones, so the first active one has an odd number
            frame = client.ask("stackTrace", threadId=groups[2]["id"])["stackFrames"][0]
            assert frame["line"] == 7 and client.ask("evaluate", expression="i", frameId=frame["id"])["result"] == "577", frame
            assert "has not begun" in client.refused("orrery/focus", global_id=[300, 0, 0])
        else:
            client.ask("orrery/focus", global_id=[300, 0, 0])
            assert client.event("stopped")["body"]["threadId"] == 301
            names = [row["name"] for row in client.ask("threads")["threads"]]
            assert names[0].startswith("work-item (256,0,0)") and names[-1] == "sub-group 7 of work-group (1,0,0)", names
        client.ask("disconnect")
        assert client.process.wait(20) == 0


def way_back(argv, program, supported):
    """The names of the events of progress of a way back through the whole run."""
    client = Client(argv)
    client.ask("initialize", adapterID="orrery", supportsProgressReporting=supported)
    client.ask("launch", program=program, stopAtEnd=True)
    client.event("initialized")
    client.ask("configurationDone")
    client.event("stopped")
    client.ask("setFunctionBreakpoints", breakpoints=[{"name": "k", "condition": "a == 0"}])
    client.run("reverseContinue", threadId=1)
    names = [event["event"] for event in client.events if event["event"].startswith("progress")]
    client.ask("disconnect")
    assert client.process.wait(60) == 0
    return names


def test_progress(argv, folder):
    """A way back that takes over a second is announced, to a client that can show it."""
    program, names = os.path.join(folder, "long.cl"), []
    for count in (20000, 100000, 500000, 2500000):
        with open(program, "w") as file:
            file.write("kernel void k(global int *a)\n{\n    int s = 0;\n    for (int i = 0; i < %d; i++)\n        s += i & a[0];\n    a[0] = s;\n}\n" % count)
        names = names or way_back(argv, program, True)
        if names:
            break
    assert names[0] == "progressStart" and names[-1] == "progressEnd" and set(names[1:-1]) <= {"progressUpdate"}, names
    assert way_back(argv, program, False) == []


def test_walk(client, steps, call):
    """Positions that were seen before have the state that they had."""
    client.ask("setBreakpoints", source={"name": "calls.cl"}, breakpoints=[{"line": call}])
    client.ask("configurationDone")
    client.ask("setFunctionBreakpoints", breakpoints=[])
    client.event("stopped")
    client.run("orrery/goto", position=10**9)
    last = client.ask("orrery/hash")["position"] - 1
    moves = ["next", "stepIn", "stepOut", "stepBack", "reverseContinue", "continue"]
    verbs = ["reverse-step", "reverse-next", "reverse-finish", "until barrier", "step 2"]
    seen, again = {}, 0
    dice = random.Random(1)
    for step in range(steps):
        kind, thread = dice.randrange(8), dice.randint(1, 8)
        if kind < 2 or client.ended:
            client.run("orrery/goto", position=dice.randint(1, last))
        elif kind < 6:
            if client.response(client.send(dice.choice(moves), {"threadId": thread}))["success"]:
                client.event("stopped")
        else:
            client.response(client.send("evaluate", {"expression": dice.choice(verbs), "context": "repl"}))
        position, state = client.hash()
        again += position in seen
        assert seen.setdefault(position, state) == state, (step, position)
        client.ended = position > last
        client.events.clear()
    assert again > steps // 4, (again, steps)
    client.ask("disconnect")
    assert client.process.wait(20) == 0


def test_errors(argv):
    client = Client(argv)
    client.ask("initialize", adapterID="orrery")
    assert "program" in client.refused("launch")
    assert "/no/such.yaml: the scenario cannot be read" in client.refused("launch", program="/no/such.yaml")
    assert client.refused("launch", program="/no/program") == "/no/program: No such file or directory"
    assert "needs \"program\"" in client.refused("launch", program="")
    assert client.refused("launch", program="/bin/true", args="-v") == "\"args\": expected a list of texts"
    for key in ("env", "options"):
        assert f"\"{key}\": expected an object" in client.refused("launch", **{"program": "/bin/true", key: "a"})
    for command in ("continue", "next", "threads", "evaluate", "setBreakpoints", "readMemory", "reverseContinue", "configurationDone"):
        if command != "threads":
            client.refused(command, source={"name": "x"})
    client.ask("disconnect")
    assert client.process.wait(20) == 0


def test_program(argv, program):
    """A program that calls OpenCL itself: the same, and back by running it again."""
    client = Client(argv)
    client.ask("initialize", adapterID="orrery")
    client.ask("launch", program=program[0], args=program[1:], stopAtEnd=True)
    client.event("initialized")
    client.ask("setFunctionBreakpoints", breakpoints=[{"name": "count"}])
    client.ask("configurationDone")
    assert client.event("stopped")["body"]["reason"] == "breakpoint"
    first = client.hash()
    client.run("continue", threadId=1)
    client.run("reverseContinue", threadId=1)
    assert client.hash() == first
    assert "count" in client.ask("source", source={"name": program[1]}, sourceReference=0)["content"]
    client.ask("disconnect")
    assert client.process.wait(20) == 0


def test_end(argv, scenario):
    """A run that stands at its end ends when it is continued, with the status of the run; so does a program that crashes."""
    client = Client(argv)
    client.ask("initialize", adapterID="orrery")
    client.ask("launch", program=scenario, stopAtEnd=True)
    client.event("initialized")
    client.ask("configurationDone")
    assert client.event("stopped")["body"]["description"] == "The run is over"
    client.ask("continue", threadId=1)
    assert client.event("exited")["body"]["exitCode"] == 66 and client.event("terminated")
    client.ask("disconnect")
    assert client.process.wait(20) == 0
    client = Client(argv)
    client.ask("initialize", adapterID="orrery")
    assert "signal 11" in client.refused("launch", program="/bin/sh", args=["-c", "kill -SEGV $$"])
    client.ask("disconnect")
    assert client.process.wait(20) == 0


def test_entry(argv, scenario):
    """The stop at the first line has the reason that the protocol has for it, and so has each kind of step after it."""
    client = Client(argv)
    client.ask("initialize", adapterID="orrery")
    client.ask("launch", program=scenario, stopOnEntry=True)
    client.event("initialized")
    client.ask("configurationDone")
    stop = client.event("stopped")["body"]
    assert stop["reason"] == "entry", stop
    assert client.run("next", threadId=stop["threadId"])["body"]["reason"] == "step"
    client.ask("disconnect")
    assert client.process.wait(20) == 0


def test_schedule(argv, scenario):
    """Work-item 0 runs first instead of 3, and work-item 3 may then read its update of the counter, or what was there before."""
    client = Client(argv)
    client.ask("initialize", adapterID="orrery")
    client.ask("launch", program=scenario, stopOnEntry=True)
    client.event("initialized")
    client.ask("configurationDone")
    client.event("stopped")
    waves = client.ask("orrery/schedule")["waves"]
    assert [(wave["global"][0], wave["next"]) for wave in waves] == [(0, False), (1, False), (2, False), (3, True)], waves
    assert "found work-item 16" in client.refused("orrery/schedule", threadId=17)
    client.ask("orrery/schedule", threadId=1)
    source = {"path": scenario.replace(".yaml", ".cl")}
    client.ask("setBreakpoints", source=source, breakpoints=[{"line": 6}])
    assert client.run("continue", threadId=1)["body"]["threadId"] == 1
    answer = client.ask("orrery/mayRead", expression="*counter", threadId=4)
    assert [(write["global"], write["value"], write["ordered"]) for write in answer["writes"]] == [([0, 0, 0], "1", False)], answer
    assert answer["initial"] == "0" and not answer["hidden"], answer
    answer = client.ask("orrery/mayRead", expression="*counter", threadId=1)
    assert answer["writes"][0]["ordered"] and "initial" not in answer, answer
    assert "no variable" in client.refused("orrery/mayRead", expression="nothing", threadId=4)
    client.ask("setBreakpoints", source=source, breakpoints=[])
    client.run("continue", threadId=1)
    output = "".join(event["body"]["output"] for event in client.events if event["event"] == "output")
    assert "0 is number 0" in output and "orrery replay 1:5:random," in output, output
    client.ask("disconnect")
    assert client.process.wait(20) == 0


def test_attach(argv, program):
    """A program that runs already: at its next launch, breakpoints there; it goes on when the session ends."""
    with tempfile.TemporaryDirectory() as directory:
        environment = dict(os.environ, ORRERY_DEBUG_LISTEN=directory + "/socket")
        with open(os.path.join(directory, "add.cl"), "w") as file: # the text that the program gives to OpenCL
            file.write("int add(int value, int more)\n{\n    return value + more;\n}\nkernel void k(global int *data)\n{\n"
                       "    int i = get_global_id(0);\n    data[i] = add(i + 1, data[i]);\n}\n")
        target = subprocess.Popen([program, directory + "/stop"], cwd=directory, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        line = target.stderr.readline()
        assert b"--attach=" in line, line
        client = Client(argv)
        client.ask("initialize", adapterID="orrery")
        assert "processId" in client.refused("attach")
        assert "No such file" in client.refused("attach", socket=directory + "/nobody")
        client.ask("attach", socket=directory + "/socket")
        client.event("initialized")
        client.ask("setFunctionBreakpoints", breakpoints=[{"name": "add"}])
        client.ask("configurationDone")
        stop = client.event("stopped")["body"]
        assert stop["reason"] == "breakpoint" and client.top(stop["threadId"])["name"] == "add", stop
        source = client.top(stop["threadId"])["source"]
        assert source.get("path") == os.path.realpath(directory + "/add.cl"), source
        client.run("next", threadId=stop["threadId"])
        assert "no way back" in client.refused("restart")
        client.ask("disconnect")
        assert client.process.wait(20) == 0
        open(directory + "/stop", "w").close()
        out, err = target.communicate(timeout=60)
        assert target.returncode == 0 and b"all launches were right" in out, (out, err)
        assert not os.path.exists(directory + "/socket")


def test_launch(argv, scenario):
    """A launch with options, to a finding, or without stops; one that is refused may be followed by another."""
    client = Client(argv)
    client.ask("initialize", adapterID="orrery")
    assert "expected lockstep" in client.refused("launch", program=scenario, options={"schedule": "fifo"})
    assert "'nothing'" in client.refused("launch", program=scenario, options={"nothing": 1})
    assert "A=" in client.refused("launch", program=scenario, env={"A=": "b"})
    assert "neither text nor null" in client.refused("launch", program=scenario, env={"A": 1})
    client.ask("launch", program=scenario, finding=2, options={"schedule": "random", "seed": 3}, env={"A": "b", "B": None})
    client.event("initialized")
    client.ask("configurationDone")
    stop = client.event("stopped")["body"]
    assert stop["reason"] == "exception" and stop["text"] == "race-global" and "hitBreakpointIds" not in stop, stop
    assert client.ask("exceptionInfo", threadId=stop["threadId"])["exceptionId"] == "race-global"
    client.ask("disconnect")
    assert client.process.wait(20) == 0
    client = Client(argv)
    client.ask("initialize", adapterID="orrery")
    client.ask("launch", program=scenario, noDebug=True, stopOnEntry=True)
    client.event("initialized")
    client.ask("setFunctionBreakpoints", breakpoints=[{"name": "helper"}])
    client.ask("configurationDone")
    assert client.event("stopped", "terminated")["event"] == "terminated"
    client.ask("disconnect")
    assert client.process.wait(20) == 0


def test_forms(argv, scenario):
    """A client that counts from 0 and writes URIs gets what it sends."""
    client = Client(argv)
    client.ask("initialize", adapterID="orrery", linesStartAt1=False, columnsStartAt1=False, pathFormat="uri")
    client.ask("launch", program=scenario)
    client.event("initialized")
    uri = "file://" + os.path.realpath(scenario)[:-5] + ".cl"
    point = client.ask("setBreakpoints", source={"path": uri}, breakpoints=[{"line": 5}])["breakpoints"][0]
    assert point["line"] == 5 and point["source"]["path"] == uri, point
    client.ask("configurationDone")
    frame = client.top(client.event("stopped")["body"]["threadId"])
    assert (frame["line"], frame["column"], frame["source"]["path"]) == (5, 16, uri), frame
    assert client.ask("completions", text="get_gr", column=6)["targets"][0]["start"] == 0
    client.ask("disconnect")
    assert client.process.wait(20) == 0


def test_changes(argv, scenario):
    """Values that were changed, and breakpoints of a kernel that is launched later, are announced; lines that can have one are listed."""
    source = {"path": scenario.replace(".yaml", ".cl")}
    client = Client(argv)
    client.ask("initialize", adapterID="orrery", supportsInvalidatedEvent=True, supportsMemoryEvent=True)
    client.ask("launch", program=scenario)
    client.event("initialized")
    lines = [row["line"] for row in client.ask("breakpointLocations", source=source, line=16, endLine=19)["breakpoints"]]
    assert lines == [16, 18, 19], lines
    points = client.ask("setBreakpoints", source=source, breakpoints=[{"line": 28}, {"line": 22, "condition": "i == 9"}])["breakpoints"]
    assert [point["verified"] for point in points] == [False, True], points
    client.ask("configurationDone")
    thread = client.event("stopped")["body"]["threadId"]
    frame = client.top(thread)["id"]
    scope = client.ask("scopes", frameId=frame)["scopes"][0]["variablesReference"]
    rows = {row["name"]: row for row in client.ask("variables", variablesReference=scope, format={"hex": True})["variables"]}
    assert rows["i"]["value"] == "0x9" and rows["h"]["value"] == "1.5" and rows["m"]["value"].startswith("{{{0x0, 0x1}"), rows
    client.ask("setVariable", variablesReference=scope, name="x", value="3")
    assert client.event("memory")["body"]["count"] == 8 and client.event("invalidated")["body"]["areas"] == ["variables"]
    client.ask("setBreakpoints", source=source, breakpoints=[{"line": 28}])
    client.run("continue", threadId=thread)
    change = client.event("breakpoint")["body"]
    assert change["reason"] == "changed" and change["breakpoint"]["verified"] and change["breakpoint"]["line"] == 28, change
    client.ask("disconnect")
    assert client.process.wait(20) == 0


def test_running(argv, folder):
    """While the target runs threads are known, what waits can be cancelled, breakpoints can be set, and it can be stopped."""
    program = os.path.join(folder, "endless.cl")
    with open(program, "w") as file:
        file.write("kernel void k(global int *a)\n{\n    int s = 0;\n    for (long i = 0; i < 1000000000000; i++)\n        s += i & a[0];\n    a[0] = s;\n}\n")
    client = Client(argv)
    client.ask("initialize", adapterID="orrery")
    client.ask("launch", program=program)
    client.event("initialized")
    client.ask("configurationDone")
    assert client.ask("threads")["threads"][0]["id"] == 1
    waits = client.send("stackTrace", {"threadId": 1})
    client.send("cancel", {"requestId": waits}, valid=True)
    answer = client.response(waits)
    assert not answer["success"] and answer["message"] == "cancelled", answer
    point = client.ask("setBreakpoints", source={"path": program}, breakpoints=[{"line": 5, "condition": "i % 1000 == 7"}])["breakpoints"][0]
    assert point["verified"] and point["line"] == 5, point
    stop = client.event("stopped")["body"]
    assert stop["reason"] == "breakpoint", stop
    value = int(client.ask("evaluate", expression="i", frameId=client.top(stop["threadId"])["id"])["result"])
    assert value % 1000 == 7, value
    client.ask("setBreakpoints", source={"path": program}, breakpoints=[{"line": 5, "condition": "i < 0"}])
    here = client.hash()
    client.ask("continue", threadId=1)
    client.ask("pause", threadId=1)
    assert client.event("stopped")["body"]["reason"] == "pause"
    client.ask("reverseContinue", threadId=1)
    client.ask("pause", threadId=1)
    assert client.event("stopped")["body"]["reason"] in ("pause", "goto")
    client.run("orrery/goto", position=here[0])
    assert client.hash() == here
    client.ask("disconnect")
    assert client.process.wait(20) == 0


def test_frames(argv):
    """What is no request is reported, and the session stays."""
    client = Client(argv)
    for text in (b"Content-Length: 7\r\n\r\n{broken", b"Content-Length: 2\r\nOther: x\r\n\r\n[]", b"Content-Length: -5\r\n\r\n",
                 b"Content-Length: 99999999999\r\n\r\n"):
        client.write.write(text)
        client.write.flush()
        assert "no request" in client.event("output")["body"]["output"], text
    client.ask("initialize", adapterID="orrery")
    client.ask("disconnect")
    assert client.process.wait(20) == 0


def test_nonsense(client):
    """Arguments that are missing or of another type are refused or ignored, and the session stays."""
    commands = ("setBreakpoints setFunctionBreakpoints setExceptionBreakpoints exceptionInfo dataBreakpointInfo setDataBreakpoints threads stackTrace scopes "
                "variables evaluate setVariable setExpression readMemory writeMemory source loadedSources orrery/lanes orrery/lastAccess "
                "orrery/mayRead orrery/schedule completions launch").split()
    keys = "source breakpoints filters name frameId variablesReference expression value memoryReference count offset data threadId dataId asAddress".split()
    values = [None, {}, [], "x", -1, 10**12, 0, True, "1 + ", "data", [{}], [None], 1.5, "(" * 500, "0x10"]
    dice = random.Random(7)
    client.ask("setFunctionBreakpoints", breakpoints=[{"name": "helper"}])
    client.ask("configurationDone")
    client.event("stopped")
    for command in commands:
        for i in range(6):
            client.response(client.send(command, {key: dice.choice(values) for key in dice.sample(keys, i)}))
    client.ask("disconnect")
    assert client.process.wait(20) == 0


def main():
    argv, scenario = sys.argv[1].split(), sys.argv[2]
    if len(sys.argv) > 3:
        test_program(argv, sys.argv[3:])
    target = os.path.join(os.path.dirname(argv[0]), "tests", "attach_target")
    if os.access(target, os.X_OK):
        test_attach(argv, target)
    test_errors(argv)
    test_frames(argv)
    test_entry(argv, scenario)
    test_end(argv, scenario)
    test_launch(argv, scenario)
    test_forms(argv, scenario)
    test_changes(argv, os.path.join(os.path.dirname(scenario), "types.yaml"))
    test_schedule(argv, os.path.join(os.path.dirname(scenario), "schedule.yaml"))
    test_requests(launched(argv, scenario), scenario)
    test_focus(launched(argv, scenario), scenario)
    test_nonsense(launched(argv, scenario))
    test_console(argv, scenario)
    test_session(argv, scenario)
    with tempfile.TemporaryDirectory() as folder:
        test_kernel(argv, folder)
        test_many(argv, folder)
        test_progress(argv, folder)
        test_running(argv, folder)
    host = os.path.join(os.path.dirname(argv[0]), "tests", "host_commands")
    if os.access(host, os.X_OK):
        test_host(argv, host)
    steps = 100000 if os.environ.get("CHECK_DEBUG_ALL") == "1" else 1000
    test_walk(launched(argv, scenario, port=True), int(os.environ.get("WALK", steps)), 21)
    if schema:
        print("valid:", " ".join(sorted(schema.met)))


main()
