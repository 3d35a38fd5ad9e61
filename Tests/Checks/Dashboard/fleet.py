"""The processes of a real fleet of Orders, with mobius-serve beside it."""

import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import urllib.parse
import urllib.request

PATIENCE = 60


def eventually(what, condition):
    """Waits until the condition holds, and returns what it returned."""
    end = time.monotonic() + PATIENCE
    while True:
        last = None
        try:
            found = condition()
            if found:
                return found
        except Exception as error:  # taken for "not yet"
            last = error
        if time.monotonic() > end:
            raise AssertionError(f"not within {PATIENCE} s: {what} ({last})")
        time.sleep(0.05)


class Fleet:
    """A coordinator, its workers and an HTTP server, in a folder of their own."""

    def __init__(self, binaries, with_keys=False):
        self.binaries = pathlib.Path(binaries).resolve()
        self.folder = tempfile.TemporaryDirectory(prefix="dashboard-")
        self.path = pathlib.Path(self.folder.name)
        self.processes = {}
        self.endpoint = f"ipc://{self.path}/s"
        self.port = 0
        self.keys = ["--keys", str(self.path / "keys")] if with_keys else []
        if with_keys:
            self.mobius("keys", "new", "gateway", "--client", "serve", *self.keys)
        self.coordinate()
        self.serve()

    def coordinate(self):
        (self.path / "coordinator.log").unlink(missing_ok=True)
        self.start("coordinator", "orders-coordinator", "--bind", self.endpoint, "--journal", str(self.path / "orders.journal"),
                   "--keep-history", *self.keys)
        self.await_log("coordinator", "listening")

    def start(self, name, program, *arguments):
        log = open(self.path / f"{name}.log", "a")
        self.processes[name] = subprocess.Popen(
            [str(self.binaries / program), *arguments], stdin=subprocess.PIPE, stdout=log, stderr=log, cwd=self.path)

    def await_log(self, name, words):
        def is_there():
            assert self.processes[name].poll() is None, (self.path / f"{name}.log").read_text()
            return words in (self.path / f"{name}.log").read_text()

        eventually(f"{name}: {words}", is_there)

    def serve(self):
        (self.path / "serve.log").unlink(missing_ok=True)
        key = ["--key-file", str(self.path / "keys" / "gateway.key")] if self.keys else []
        self.start("serve", "mobius-serve", "--connect", f"{self.endpoint}-client", "--listen", f"127.0.0.1:{self.port}", *key)
        self.await_log("serve", "serving loops")
        self.port = int(re.search(r"serving loops.*port=(\d+)", (self.path / "serve.log").read_text())[1])
        self.url = f"http://127.0.0.1:{self.port}"

    def view(self, file):
        """Shows an export, and returns its address."""
        self.start("view", "mobius-serve", "view", file)
        self.await_log("view", "serving loops")
        return "http://127.0.0.1:" + re.search(r"serving loops.*port=(\d+)", (self.path / "view.log").read_text())[1]

    def worker(self, pool, name, *options):
        self.start(name, pool, "--connect", self.endpoint, "--name", name, *options)

    def kill(self, name):
        process = self.processes.pop(name)
        process.send_signal(signal.SIGKILL)
        process.wait()

    def mobius(self, *arguments, text=None):
        done = subprocess.run([str(self.binaries / "mobius"), *arguments], input=text, capture_output=True, text=True, cwd=self.path)
        assert done.returncode == 0, f"mobius {arguments}: {done.stderr}"
        return done.stdout

    def ask(self, *arguments, text=None):
        """Runs a command that asks the coordinator."""
        return self.mobius(*arguments, "--connect", f"{self.endpoint}-client", text=text)

    def order(self, number, customer="Ada", article="tea", quantity=1, city="London"):
        request = {"customer": customer, "article": article, "quantity": quantity, "city": city}
        return {"loop": f"order/{number}", "event": {"placed": {"_0": request}}}

    def send(self, *lines):
        self.ask("send", "-", "--new", "--key-prefix", os.urandom(6).hex(), text="".join(json.dumps(line) + "\n" for line in lines) + "\n")

    def get(self, path, token=None):
        request = urllib.request.Request(self.url + path, headers={"Authorization": f"Bearer {token}"} if token else {})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def events(self, loop):
        return [entry for entry in self.get(f"/loops/{urllib.parse.quote(loop, safe='')}/history")["entries"] if entry["kind"] == "event"]

    def stop(self):
        for name in list(self.processes):
            self.kill(name)
        self.folder.cleanup()
