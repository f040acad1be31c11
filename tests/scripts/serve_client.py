# SPDX-License-Identifier: Apache-2.0
"""serve_client.py ORRERY: asks `orrery serve` as browsers and others would, in a directory that check_serve.sh made."""
import atexit, ctypes, http.client, json, os, pathlib, signal, socket, subprocess, sys, threading, time

orrery = sys.argv[1]
TOKEN = "0123456789abcdef-token"
RACE = "kernel void k(global int *a) { a[0] = a[0] + 1; }"
SCENARIO = """# a comment comes first
orrery: 1
program: {text: "kernel void k(global int *a) { a[get_global_id(0)] += 1; }"}
launch: [{kernel: k, global: 4, local: 1, args: [{buffer: {type: int, count: 4, fill: 0}}]}]
"""
# Limits of the text count, so only the time of the run ends it.
ENDLESS = """orrery: 1
schedule: {max_steps: 0, timeout: 0}
program: {text: "kernel void k(global int *a) { for (int i = 0; a[0] != 7; i++) a[1] = i & 1; }"}
launch: [{kernel: k, global: 1, local: 1, args: [{buffer: {type: int, count: 2, fill: 0}}]}]
"""
LANDLOCK = ctypes.CDLL(None).syscall(444, None, 0, 1) >= 1  # the version of landlock_create_ruleset
checks = 0


def same(found, wanted, what):
    global checks
    checks += 1
    assert found == wanted, f"{what}: found {found!r}, expected {wanted!r}"


def holds(truth, what):
    same(bool(truth), True, what)


class Server:
    def __init__(self, *arguments):
        self.process = subprocess.Popen([orrery, "serve", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        atexit.register(self.process.kill)  # where a check fails
        self.url = self.process.stdout.readline().strip()
        holds(self.url.startswith("http://"), f"the URL {self.url!r}")
        self.port = int(self.url.split(":")[2].split("/")[0])

    def ask(self, method, path, body=None, headers={}, timeout=60):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.putrequest(method, path, skip_host="Host" in headers)
            for name, value in headers.items():
                connection.putheader(name, value)
            if body is not None and "Content-Length" not in headers:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            response = connection.getresponse()
            return response.status, response.headers, response.read()
        finally:
            connection.close()

    def post(self, members, **headers):
        headers = {"Content-Type": "application/json", **{name.replace("_", "-"): value for name, value in headers.items()}}
        body = members if isinstance(members, bytes) else json.dumps(members).encode()
        return self.ask("POST", "/run", body, headers)

    def run(self, text, **others):
        status, _, answer = self.post({"text": text, **others})
        same(status, 200, f"the run of {text[:60]!r}")
        return json.loads(answer)

    def raw(self, data):
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=40)
        connection.sendall(data)
        return connection

    def children(self):
        found = []
        for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                if int(stat.read_text().rsplit(")", 1)[1].split()[1]) == self.process.pid:
                    found.append(stat.parent.name)
            except OSError:
                pass
        return found

    def end(self, number=signal.SIGINT):
        self.process.send_signal(number)
        same(self.process.wait(20), 0, "the exit status after a signal")
        said = self.process.stderr.read()
        holds(not said if LANDLOCK else "no Landlock" in said, f"standard error: {said}")


def until(condition, seconds, what):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.02)


def pages(server):
    status, headers, body = server.ask("GET", "/")
    same(status, 200, "GET /")
    text = body.decode()
    holds("http://" not in text and "https://" not in text, "the page names no other place")
    examples = json.loads(text.split('id="examples"')[1].split(">", 1)[1].split("</script>")[0])
    same([each["name"] for each in examples], ["histogram.yaml", "mp_plain.litmus"], "the examples")
    holds("source:" not in examples[0]["text"] and "kernel void histogram" in examples[0]["text"], "the source is in the scenario")
    policy = headers["Content-Security-Policy"]
    for part in ("default-src 'none'", "connect-src 'self'", "frame-ancestors 'none'", "form-action 'none'", "base-uri 'none'"):
        holds(part in policy, f"{part} in {policy}")
    holds("unsafe" not in policy, policy)
    same((headers["Cache-Control"], headers["X-Content-Type-Options"]), ("no-store", "nosniff"), "headers")
    status, _, body = server.ask("HEAD", "/")
    same((status, body), (200, b""), "HEAD /")
    for path in ("/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/favicon.ico", "/page/", "/page/..", "/page/" + "0" * 32, "//"):
        same(server.ask("GET", path)[0], 404, path)
    return examples[0]["text"]


def runs(server, example):
    answer = server.run(RACE)
    same(answer["status"], 66, "a race")
    holds("race-global" in answer["text"] and "kernel.cl:1" in answer["text"], answer["text"])
    status, headers, page = server.ask("GET", answer["page"])
    holds(status == 200 and page.startswith(b"<!DOCTYPE html>\n<!-- orrery: "), "the page of the run")
    holds("sandbox allow-scripts;" in headers["Content-Security-Policy"], "the page is in a sandbox")
    same(server.run(SCENARIO)["status"], 0, "a scenario")
    holds("race-global" in server.run(example)["text"], "the example")
    seeded = server.run(SCENARIO, schedule="random", seed="7")
    holds("seed=7 schedule=random" in seeded["text"], seeded["text"])
    answer = server.run(pathlib.Path("mp_plain.litmus").read_text())
    holds(answer["status"] == 0 and "exists yes" in answer["text"] and answer["page"], "a litmus test")
    answer = server.run("kernel void k(global int *a) { a[0] = ; }")
    same((answer["status"], answer["page"]), (2, None), "a syntax error")
    holds("kernel.cl:1:39: error" in answer["text"], answer["text"])
    answer = server.run("kernel void k(global int *a) { while (a[get_global_id(0)] != 9) ; }")
    holds((answer["status"] in (66, 124) or answer["timed_out"]) and "SUMMARY" in answer["text"], f"a kernel without end: {answer}")
    two = "kernel void f(global int *a) {} kernel void g(global int *a) { a[-1] = 1; }"
    holds("out-of-bounds" in server.run(two, kernel="g")["text"], "a kernel that is named")
    later = "kernel void k(global atomic_int *a) { atomic_store(a + N, 1); }"
    holds("--build-options=" in server.run(later)["text"], "a later OpenCL C")
    same(server.run(later, build_options="-cl-std=CL3.0 -DN=3")["status"], 0, "build options")


def files(server):
    """Neither a kernel nor a scenario reads or writes files of the user."""
    names = ["/etc/passwd", os.path.abspath("secret.h")]
    if b"__asan_init" not in pathlib.Path(orrery).read_bytes():  # sanitizers need /proc
        names.append("/proc/self/environ")
    for name in names:
        answer = server.run(f'#include "{name}"\n{RACE}')
        holds(answer["status"] == 2 and "secret" not in answer["text"].replace(name, ""), f"{name}: {answer['text']}")
        holds("root:" not in answer["text"], answer["text"])
    for kernel in (RACE, f'#include "{os.path.abspath("secret.h")}"\n{RACE}'):
        text = SCENARIO.replace("orrery: 1\n", "orrery: 1\ncompiler: shared\n").replace('"kernel', json.dumps(kernel + "\n")[:-1] + "kernel", 1)
        text = text.replace("kernel: k,", "kernel: l,").replace("void k(global int *a) { a[get", "void l(global int *a) { a[get")
        answer = server.run(text)
        same(answer["status"], 0 if kernel == RACE else 2, f"a scenario that wants a shared server: {answer['text']}")
        holds("secret-of" not in answer["text"], answer["text"])
    target = os.path.abspath("written.json")
    server.run(SCENARIO + f"report: {{json: {target}}}\n")
    holds(not os.path.exists(target), "a scenario wrote a file outside")
    holds("out" not in server.run(SCENARIO.replace("program:", "report: {json: inside.json}\nprogram:")), "a file inside")


def refusals(server):
    own = f"127.0.0.1:{server.port}"
    small = json.dumps({"text": RACE}).encode()
    same(server.ask("GET", "/", headers={"Host": "example.org"})[0], 403, "a foreign Host")
    same(server.ask("GET", "/", headers={"Host": f"example.org:{server.port}"})[0], 403, "a foreign Host with the port")
    same(server.ask("GET", "/", headers={"Host": "127.0.0.1:1"})[0], 403, "another port")
    same(server.ask("GET", "/", headers={"Host": f"localhost:{server.port}"})[0], 200, "localhost")
    same(server.post(small, Host="example.org")[0], 403, "a foreign Host of a POST")
    for origin in ("http://example.org", "null", f"https://{own}", f"http://{own}.example.org"):
        same(server.post(small, Origin=origin)[0], 403, f"Origin {origin}")
    same(server.post(b"{}", Origin=f"http://{own}")[0], 400, "its own Origin")
    for type in ("text/plain", "application/x-www-form-urlencoded", "application/jsonx"):
        same(server.ask("POST", "/run", small, {"Content-Type": type})[0], 415, type)
    for body in (b"", b"{", b"[]", b'{"text": 1}', b'{"text": ""}', b'{"text": "a\\u0000"}', b'{"text": "a", "seed": "1 2"}',
                 b'{"text": "a", "schedule": "--x="}', b'{"text": "a", "kernel": "../x"}', b'{"text": "a", "build_options": 1}', b"[" * 100000):
        same(server.post(body)[0], 400, body[:40])
    for method, path in (("PUT", "/run"), ("DELETE", "/"), ("GET", "/run"), ("POST", "/"), ("OPTIONS", "/run")):
        same(server.ask(method, path, b"" if method == "POST" else None)[0], 405, f"{method} {path}")
    same(server.post({"text": " " * (1 << 20) + "x"})[0], 413, "1 MiB and a byte")
    same(server.ask("POST", "/run", None, {"Content-Type": "application/json", "Content-Length": str(1 << 40)})[0], 413, "a terabyte")
    holds(server.run("//" + "x" * ((1 << 20) - 2))["status"] != 0, "1 MiB is run")


def limits(server):
    """The time of a run; a client that hangs up; clients that are slow; many at the same time."""
    begun = time.monotonic()
    gone = server.raw(post_of(server, ENDLESS))
    until(server.children, 10, "no run")
    gone.close()
    until(lambda: not server.children(), 10, "the run of a client that hung up goes on")
    slow = [server.raw(b"GET / HTTP/1.1\r\nHost: ") for _ in range(3)]
    slow.append(server.raw(post_of(server, RACE)[:-5]))
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(server.post({"text": ENDLESS})))]
    threads += [threading.Thread(target=lambda: answers.append(server.post({"text": RACE}))) for _ in range(19)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    same(len(answers), 20, "answers")
    same({status for status, _, _ in answers} - {200, 503}, set(), "statuses")
    holds(all(headers["Retry-After"] for status, headers, _ in answers if status == 503), "Retry-After")
    if not any(b'"timed_out":true' in body for _, _, body in answers):
        holds(server.run(ENDLESS)["timed_out"], "an endless kernel ends by the time of the run")
    for connection in slow:  # ended by the server, long before the client gives up
        connection.settimeout(max(1, 14 + begun - time.monotonic()))
        holds(connection.recv(100)[:12] in (b"", b"HTTP/1.1 408"), "a slow client")


def post_of(server, text):
    body = json.dumps({"text": text})
    return (f"POST /run HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n{body}").encode()


def tokens():
    server = Server("--listen=0.0.0.0", f"--token={TOKEN}")
    holds(server.url.endswith(f"/?token={TOKEN}"), server.url)
    words = pathlib.Path(f"/proc/{server.process.pid}/cmdline").read_bytes()
    holds(TOKEN.encode() not in words, "the token is among the words of the process")
    for headers in ({}, {"Cookie": "orrery=" + TOKEN[:-1] + "x"}, {"Authorization": "Bearer " + TOKEN[:-1]}, {"Cookie": "orrery="}):
        same(server.ask("GET", "/", headers=headers)[0], 401, f"the token {headers}")
    for path in ("/?token=", "/?token=" + TOKEN + "x", "/?token=" + "x" * len(TOKEN)):
        same(server.ask("GET", path)[0], 401, path)
    same(server.post({"text": RACE})[0], 401, "a run without the token")
    status, headers, _ = server.ask("GET", f"/?token={TOKEN}")
    cookie = headers["Set-Cookie"]
    same((status, cookie), (200, f"orrery={TOKEN}; HttpOnly; SameSite=Strict; Path=/"), "the cookie")
    same(server.ask("GET", "/", headers={"Cookie": f"a=b; orrery={TOKEN}"})[0], 200, "the cookie counts")
    same(server.post({}, Authorization=f"Bearer {TOKEN}")[0], 400, "the token as a header")
    same(server.ask("GET", "/", headers={"Cookie": f"orrery={TOKEN}", "Host": f"example.org:{server.port}"})[0], 403, "a name as Host")
    server.end(signal.SIGTERM)


def ends(server):
    """A signal ends a run, too."""
    running = server.raw(post_of(server, ENDLESS))
    until(server.children, 10, "no run")
    children = server.children()
    server.end()
    holds(not any(os.path.exists(f"/proc/{child}") for child in children), "a child is left")
    running.close()


# A compile server that is shared is outside of the sandbox: no run may start one.
session = os.path.abspath("session")
os.mkdir(session, 0o700)
os.environ.update(ORRERY_COMPILER="shared", XDG_RUNTIME_DIR=session)
server = Server("--seconds=60", "histogram.yaml", "mp_plain.litmus")
example = pages(server)
runs(server, example)
if LANDLOCK:
    files(server)
refusals(server)
ends(server)
limited = Server("--seconds=3")
limits(limited)
limited.end()
if LANDLOCK:
    tokens()
same(os.listdir(session), [], "the directory of shared compile servers")
print(checks, "checks")
