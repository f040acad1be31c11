# SPDX-License-Identifier: Apache-2.0
"""A browser for the tests of pages: Chromium through ChromeDriver, by the WebDriver protocol.

    with Browser(folder) as browser:
        browser.open("one.html")
        browser.press("step-table", "ArrowRight")
        browser.script("return document.title")
        browser.close_page()       # no error on the console, no request but the page's own

`python3 page_browser.py --available` has status 77 where Chromium or ChromeDriver is not installed.
"""
import base64, json, pathlib, re, shutil, subprocess, sys, time, urllib.request

KEYS = {"PageUp": "\ue00e", "PageDown": "\ue00f", "End": "\ue010", "Home": "\ue011", "ArrowLeft": "\ue012",
        "ArrowUp": "\ue013", "ArrowRight": "\ue014", "ArrowDown": "\ue015", "Tab": "\ue004", "Enter": "\ue007",
        " ": " "}


def available():
    return all(shutil.which(name) for name in ("chromium", "chromedriver"))


class Browser:
    def __init__(self, folder, dark=False, width=1300, height=1000):
        self.folder = pathlib.Path(folder)
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, text=True)
        for line in self.driver.stdout:
            if found := re.search(r"successfully on port (\d+)", line):
                break
        self.address = f"http://127.0.0.1:{found[1]}"
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     "--force-prefers-reduced-motion", f"--window-size={width},{height}",
                     f"--user-data-dir={self.folder / 'browser'}"]
        if dark:
            arguments.append("--force-dark-mode")
        wanted = {"browserName": "chrome", "goog:chromeOptions": {"args": arguments},
                  "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        self.session = "/session"
        made = self.ask("POST", "", {"capabilities": {"alwaysMatch": wanted}})
        self.session = f"/session/{made['sessionId']}"

    def __enter__(self):
        return self

    def __exit__(self, *error):
        try:
            self.ask("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()

    def ask(self, method, path, body=None):
        data = None if method != "POST" else json.dumps(body or {}).encode()
        request = urllib.request.Request(self.address + self.session + path, data, method=method,
                                         headers={"Content-Type": "application/json"})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(error.read().decode()[:2000]) from None

    def open(self, name):
        name, _, part = name.partition("#")
        self.address_of_page = (self.folder / name).resolve().as_uri()
        self.ask("POST", "/se/log", {"type": "performance"})
        self.ask("POST", "/url", {"url": self.address_of_page + (part and "#" + part)})
        assert self.script("return document.documentElement.dataset.ready") == "yes", f"{name}: not drawn"

    def script(self, text, *arguments):
        return self.ask("POST", "/execute/sync", {"script": text, "args": list(arguments)})

    def press(self, element, *keys):
        """Real key strokes, with the focus on the element of that id; None: where it is."""
        if element:
            self.script("document.getElementById(arguments[0]).focus()", element)
        strokes = []
        for key in keys:
            value = KEYS.get(key, key)
            strokes += [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        self.ask("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": strokes}]})

    def close_page(self):
        console = self.ask("POST", "/se/log", {"type": "browser"})
        assert not console, console
        asked = []
        for entry in self.ask("POST", "/se/log", {"type": "performance"}):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                asked.append(message["params"]["request"]["url"])
        left = [url for url in asked if url != self.address_of_page and not url.startswith(("data:", "chrome:"))]  # the browser's own
        assert not left and asked.count(self.address_of_page) == 1, asked

    def shot(self, name):
        (self.folder / name).write_bytes(base64.b64decode(self.ask("GET", "/screenshot")))


if __name__ == "__main__" and sys.argv[1:] == ["--available"]:
    sys.exit(0 if available() else 77)
