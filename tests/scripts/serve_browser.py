# SPDX-License-Identifier: Apache-2.0
"""serve_browser.py ORRERY FOLDER: the page of `orrery serve` in Chromium: a text is run by the keyboard, its report and its page are
shown, every control has a label, the console stays empty, and no request goes elsewhere."""
import json, signal, subprocess, sys, time
from page_browser import Browser

orrery, folder = sys.argv[1:3]
TOKEN = "0123456789abcdef-token"
LABELS = """
return [...document.querySelectorAll("select, input, textarea, button, iframe")].filter(each =>
    !(each.textContent.trim() && each.tagName === "BUTTON") && !each.title && !document.querySelector(`label[for="${each.id}"]`)
).map(each => each.outerHTML)"""
CONTRAST = """
const light = color => color.match(/\\d+/g).slice(0, 3).map(c => c / 255)
    .map(c => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
const style = getComputedStyle(document.getElementById(arguments[0]));
const both = [light(style.color), light(style.backgroundColor)].sort((a, b) => b - a);
return (both[0] + 0.05) / (both[1] + 0.05)"""


def until(browser, script, what, seconds=40):
    end = time.monotonic() + seconds
    while not browser.script(script):
        assert time.monotonic() < end, what
        time.sleep(0.1)


def control_enter(browser):
    down, up = ({"type": kind, "value": "\ue009"} for kind in ("keyDown", "keyUp"))
    enter = [{"type": "keyDown", "value": "\ue007"}, {"type": "keyUp", "value": "\ue007"}]
    browser.script("document.getElementById('text').focus()")
    browser.ask("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": [down, *enter, up]}]})


def use(browser, url):
    browser.address_of_page = url.split("?")[0]
    browser.ask("POST", "/se/log", {"type": "performance"})
    browser.ask("POST", "/url", {"url": url})
    until(browser, "return document.documentElement.dataset.ready === 'yes'", "the page is not ready")
    assert browser.script("return location.href") == browser.address_of_page, "the token is in the address"
    assert browser.script(LABELS) == [], browser.script(LABELS)
    assert browser.script("return document.getElementById('text').value").startswith("# Teaching set 18"), "the first example"
    for part in ("text", "run", "schedule"):
        assert browser.script(CONTRAST, part) >= 4.5, f"the contrast of {part}"
    control_enter(browser)
    until(browser, "return document.getElementById('state').textContent === 'The run ended with errors.'", "no answer")
    assert "race-global" in browser.script("return document.getElementById('report').textContent")
    frame = browser.script("return document.querySelector('iframe')")
    browser.ask("POST", "/frame", {"id": frame})
    until(browser, "return document.documentElement.dataset.ready === 'yes'", "the page of the run is not drawn")
    assert browser.script("return document.getElementById('title').textContent"), "no title"
    assert browser.script("return window.origin") == "null", "the page of the run has the origin of the editor"
    browser.ask("POST", "/frame", {"id": None})
    browser.script("document.getElementById('text').value = 'kernel void k(global int *a) { a[0] = ; }'")
    control_enter(browser)
    until(browser, "return document.getElementById('state').textContent.startsWith('The text is wrong')", "no error")
    assert browser.script("return document.getElementById('page-section').hidden && !document.querySelector('iframe')")
    browser.script("document.querySelector('#report a').click()")  # a place of the report leads into the editor
    assert browser.script("const t = document.activeElement; return t.value.slice(t.selectionStart, t.selectionEnd)") == "; }"
    browser.script("document.getElementById('text').value = 'kernel void k(global atomic_int *a) { atomic_store(a + N, 1); }'")
    browser.script("document.getElementById('build_options').value = '-cl-std=CL3.0 -DN=3'")
    control_enter(browser)
    until(browser, "return document.getElementById('state').textContent === 'The run ended without errors.'", "build options")
    console = browser.ask("POST", "/se/log", {"type": "browser"})
    assert not console, console
    for entry in browser.ask("POST", "/se/log", {"type": "performance"}):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            asked = message["params"]["request"]["url"]
            assert asked.startswith((browser.address_of_page, "data:", "chrome:")), asked


for dark, arguments in ((False, []), (True, [f"--token={TOKEN}"])):
    server = subprocess.Popen([orrery, "serve", *arguments, "histogram.yaml"], stdout=subprocess.PIPE, text=True)
    try:
        with Browser(folder, dark=dark) as browser:
            use(browser, server.stdout.readline().strip())
            if len(sys.argv) > 3:
                browser.shot(f"{sys.argv[3]}{int(dark)}.png")
    finally:
        server.send_signal(signal.SIGINT)
        assert server.wait(20) == 0
print("the page in Chromium")
