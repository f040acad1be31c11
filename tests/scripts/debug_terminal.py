#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The line editor of `orrery debug` on a terminal: what the tabulator completes after each verb.

debug_terminal.py ORRERY SCENARIO: exit status 77 where libedit is missing, so that nothing is completed.
"""
import os
import pty
import sys
import time


class Terminal:
    def __init__(self, argv):
        self.seen = b""  # and not looked at yet
        self.process, self.terminal = pty.fork()
        if not self.process:
            os.environ["TERM"] = "dumb"
            os.execv(argv[0], argv)

    def until(self, text):
        end = time.monotonic() + 60
        while text.encode() not in self.seen:
            assert time.monotonic() < end, (text, self.seen)
            self.seen += os.read(self.terminal, 4096)
        before, _, self.seen = self.seen.partition(text.encode())
        return before.decode(errors="replace")

    def types(self, text, answer):
        os.write(self.terminal, text.encode())
        return self.until(answer) + self.until("(orrery) ")


def main():
    terminal = Terminal([sys.argv[1], "debug", sys.argv[2]])
    terminal.until("(orrery) ")
    if "is no verb" in terminal.types("ech\t one\r", "one\r\n"):
        sys.exit(77)
    terminal.types("break hel\t\r", "Breakpoint 1 at function helper")
    terminal.types("run\r", "Breakpoint 1, helper")
    terminal.types("print twi\t\r", "twice = ")
    terminal.types("up\r", "#1  k")
    terminal.types("p min\t\r", "mine = {")
    terminal.types("info lo\t\r", "mine = {")
    terminal.types("catch race-gl\t\r", "findings of kind race-global")
    terminal.types("help reverse-f\t\r", "reverse-finish to the line")
    os.write(terminal.terminal, b"quit\r")
    assert os.waitpid(terminal.process, 0)[1] == 0


main()
