"""systemd units: by systemd's own analysis, and by running exactly what they say."""

import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

EXPOSURE = 20  # tenths, of 100
INSTANCES = {
    "mobius-coordinator@.service": "site-audit", "mobius-worker@.service": "page-fetcher", "mobius-serve@.service": "site-audit"}
PROGRAMS = ("site-audit", "page-fetcher", "mobius-serve")


def analyze(folder):
    problems, scores = [], []
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        units = root / "usr/lib/systemd/system"
        (root / "usr/bin").mkdir(parents=True)
        units.mkdir(parents=True)
        for target in ("basic", "sysinit", "shutdown", "network-online", "multi-user"):
            (units / f"{target}.target").write_text("[Unit]\nDescription=stands for the system's own\n")
        for unit in INSTANCES:
            shutil.copy(folder / unit, units)
        for program in PROGRAMS:
            shutil.copy("/bin/true", root / "usr/bin" / program)
        # As they are, with the drop-ins for several hosts, and with those for several coordinators as well.
        for more in (None, "several-hosts", "cluster"):
            if more:
                shutil.copytree(folder / more, units, dirs_exist_ok=True)
            for unit, instance in INSTANCES.items():
                name = unit.replace("@.", f"@{instance}.")
                done = subprocess.run(
                    ["systemd-analyze", "verify", f"--root={root}", "--man=no", f"./{name}"], capture_output=True,
                    text=True, cwd=units)
                if done.returncode or done.stderr.strip():
                    problems.append(f"{name}: {done.stderr.strip() or done.returncode}")
                done = subprocess.run(
                    ["systemd-analyze", "security", "--offline=yes", f"--root={root}", f"--threshold={EXPOSURE}", name],
                    capture_output=True, text=True)
                score = re.search(r"exposure level for .*: ([0-9.]+)", done.stdout)
                if done.returncode or not score:
                    problems.append(f"{name} may do too much: {score and score[1]}\n{done.stderr}")
                else:
                    scores.append(score[1])
    return problems, f"exposure {', '.join(scores)} of at most {EXPOSURE / 10}"


class Unit:
    """What a unit says, for one instance, with its places below a folder of ours."""

    def __init__(self, path, instance, places):
        self.values = {}
        for line in path.read_text().splitlines():
            if line and line[0] not in "#[":
                key, _, value = line.partition("=")
                self.values.setdefault(key, []).append(value)
        self.name = path.stem.replace("@", f"@{instance}")
        self.instance, self.places = instance, places

    def expanded(self, text):
        text = text.replace("%i", self.instance).replace("%d", str(self.places["%d"]))
        for place, ours in self.places.items():
            text = text.replace(place, str(ours))
        return text

    def one(self, key):
        return self.expanded(self.values[key][-1])

    def environment(self):
        pairs = (self.expanded(value).partition("=") for value in self.values["Environment"])
        return {name: value for name, _, value in pairs}

    def command(self, environment):
        """The words of ExecStart; a word that is a variable becomes as many words as it has."""
        words = []
        for word in self.values["ExecStart"][0].split():
            words += shlex.split(environment.get(word[1:], "")) if word[0] == "$" else [self.expanded(word)]
        return words


class Manager:
    """The side of Type=notify that listens."""

    def __init__(self, path):
        self.path = path
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(path))
        self.heard = []

    def hears(self, line, process, limit=30):
        end = time.monotonic() + limit
        while line not in self.heard:
            self.socket.settimeout(max(0.01, min(1, end - time.monotonic())))
            try:
                self.heard += self.socket.recv(4096).decode().split("\n")
            except TimeoutError:
                if process.poll() is not None or time.monotonic() > end:
                    return False
        return True


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def run(folder, binaries):
    problems = []
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        places = {
            "/usr/bin": binaries, "/run/mobius": root / "run", "/var/lib/mobius": root / "lib", "%d": root / "keys",
            "/etc/mobius": root / "etc"}
        site = subprocess.Popen(
            [binaries / "sample-site-server", "--root", folder.parent / "sample-site"], stdout=subprocess.PIPE,
            text=True)
        started = []
        try:
            url = site.stdout.readline().strip()
            server = f"127.0.0.1:{free_port()}"
            for name, unit, more in [
                ("site-audit", "mobius-coordinator@.service", {"MOBIUS_ARGUMENTS": f"--start {url} --report {root}/report"}),
                # Before the workers, without whom the audit does not end.
                ("site-audit", "mobius-serve@.service", {"MOBIUS_LISTEN": server}),
                ("page-fetcher", "mobius-worker@.service", {}), ("report-writer", "mobius-worker@.service", {}),
            ]:
                more["MOBIUS_CONNECT"] = f"ipc://{root}/run/site-audit/workers"
                more["MOBIUS_HTTP"] = f"127.0.0.1:{free_port()}"
                started.append(start(Unit(folder / unit, name, places), more, root, problems))
            coordinator = started[0][0]
            if wait(coordinator, 60) != 1:  # the sample site has broken links
                problems.append(f"the audit ends with {coordinator.returncode}, not 1: {root}")
            if not (root / "report/report.html").exists():
                problems.append("there is no report")
            # It outlives its coordinator, and says that there is none.
            if (states := [get(server, path)[0] for path in ("/livez", "/readyz")]) != [200, 503]:
                problems.append(f"without a coordinator the server's /livez and /readyz are {states}")
            for process, unit in started[1:]:
                process.send_signal(signal.SIGTERM)
                if wait(process, int(unit.one("TimeoutStopSec"))) != 0:
                    problems.append(f"{unit.name} ends with {process.returncode} when it is told to stop")
        finally:
            for process in [site] + [one[0] for one in started]:
                if process.poll() is None:
                    process.kill()
                process.wait()
    return problems, "the audit of the sample site, with READY, signs of life, loops over HTTP and orderly stops"


def start(unit, more, root, problems):
    environment = {**os.environ, **unit.environment(), **more}
    # What the manager would make: the state's and the sockets' folders.
    for key, base in (("StateDirectory", root / "lib"), ("RuntimeDirectory", root / "run")):
        if key in unit.values:
            (base / unit.instance).mkdir(parents=True, mode=0o700)
    notifies = unit.one("Type") == "notify"
    if notifies:
        manager = Manager(root / f"notify-{unit.name}")
        environment["NOTIFY_SOCKET"] = str(manager.path)
        environment["WATCHDOG_USEC"] = str(int(unit.one("WatchdogSec")) * 1_000_000)
    place = unit.one("WorkingDirectory") if "WorkingDirectory" in unit.values else "/"
    with open(root / f"{unit.name}.log", "w") as log:
        process = subprocess.Popen(unit.command(environment), env=environment, cwd=place, stdout=log, stderr=log)
    said = lambda: (root / f"{unit.name}.log").read_text()
    if not notifies:
        if not serves(environment["MOBIUS_LISTEN"], process):
            problems.append(f"{unit.name} serves no loops:\n{said()}")
    elif not manager.hears("READY=1", process):
        problems.append(f"{unit.name} does not say that it is ready:\n{said()}")
    elif not manager.hears("WATCHDOG=1", process, limit=int(unit.one("WatchdogSec"))):
        problems.append(f"{unit.name} gives no sign of life:\n{said()}")
    elif get(environment["MOBIUS_HTTP"], "/livez")[0] != 200:
        problems.append(f"{unit.name} does not live")
    return process, unit


def serves(address, process, limit=30):
    """Whether a server has the coordinator's loop, after a while."""
    end = time.monotonic() + limit
    while get(address, "/readyz")[0] != 200:
        if process.poll() is not None or time.monotonic() > end:
            return False
        time.sleep(0.1)
    status, body = get(address, "/loops")
    return status == 200 and [loop["loop"] for loop in json.loads(body)["loops"]] == ["main"]


def get(address, path):
    """The status of an answer, and its body; nothing listens there: 0."""
    try:
        with urllib.request.urlopen(f"http://{address}{path}", timeout=10) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, b""
    except urllib.error.URLError:
        return 0, b""


def wait(process, limit):
    try:
        return process.wait(limit)
    except subprocess.TimeoutExpired:
        return None
