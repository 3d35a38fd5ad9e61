"""The image, built by the Dockerfile and run by the compose files, through drains, kills, restarts and the loss of a database."""

import argparse
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from audited import Site, without_complaints
from engine import Engine, until

ROOT = Path(__file__).resolve().parents[3]
PROGRAMS = ("mobius", "mobius-journal", "mobius-serve", "site-audit", "page-fetcher", "report-writer")
# The executables are there already: `swift build` has nothing to do, and says where they are.
SWIFT = '#!/bin/sh\ncase "$*" in *--show-bin-path*) echo /prebuilt ;; esac\n'
STAND_IN = "FROM localhost/debian\nCOPY bin /usr/local/bin\nCOPY prebuilt /prebuilt\n"
# A PostgreSQL of Debian in place of the image that the compose file names.
DATABASE = """
FROM localhost/debian
RUN apt-get update && apt-get install -y --no-install-recommends postgresql && ln -s /usr/lib/postgresql/*/bin/* /usr/local/bin/
RUN install -d -o postgres -g postgres /var/lib/postgresql/data
"""
# What a container must not be able to do, told by itself.
CONFINED = """
    [ "$(id -u):$(id -g)" = 64000:64000 ]
    ! touch /usr/x 2>/dev/null
    grep -q '^CapEff:[[:space:]]*0*$' /proc/1/status
    grep -q '^NoNewPrivs:[[:space:]]*1$' /proc/1/status
"""

# What a client with a token hears: the status, and the names of loops.
ASK = """
import json, sys, urllib.error, urllib.request
request = urllib.request.Request("http://127.0.0.1:8080/loops", headers={"Authorization": f"Bearer {sys.stdin.read()}"})
try:
    with urllib.request.urlopen(request, timeout=10) as answer:
        print(answer.status, *(loop["loop"] for loop in json.load(answer)["loops"]))
except urllib.error.HTTPError as error:
    print(error.code)
"""


def say(text):
    print(f"image: {text}", flush=True)


def build(engine, package):
    """Builds what the Dockerfile says, every line of it, from a Debian and a Swift that are made here."""
    context = engine.folder / "swift"
    for name in ("bin", "prebuilt"):
        (context / name).mkdir(parents=True)
    subprocess.run(["dpkg-deb", "-x", package, context / "package"], check=True)
    for name in PROGRAMS:
        (context / "package/usr/bin" / name).rename(context / "prebuilt" / name)
    for name, text in (("swift", SWIFT), ("strip", "#!/bin/sh\n")):
        (context / "bin" / name).write_text(text)
        (context / "bin" / name).chmod(0o755)
    engine.build("localhost/swift", context, text=STAND_IN)
    began = time.monotonic()
    docker = ROOT / "Deploy/docker"
    engine.build(
        "mobius-fleet", ROOT, "--ignorefile", docker / "Dockerfile.dockerignore", "--build-arg", "SWIFT_IMAGE=localhost/swift",
        "--build-arg", "RUNTIME_IMAGE=localhost/debian", file=docker / "Dockerfile")
    size, debian = (int(engine("image", "inspect", "--format", "{{.Size}}", name)) for name in ("mobius-fleet", "debian"))
    programs = sum((context / "prebuilt" / name).stat().st_size for name in PROGRAMS)
    say(f"built in {time.monotonic() - began:.0f} s: {size / 1e6:.0f} MB, of which Debian {debian / 1e6:.0f}, our programs "
        f"{programs / 1e6:.0f}, and libraries {(size - debian - programs) / 1e6:.0f}")


class Fleet:
    """The services of a compose file, and what one sees of them."""

    def __init__(self, engine, file, project):
        self.engine, self.file, self.project = engine, file, project
        engine("network", "create", f"{project}_default")
        gateway = engine("network", "inspect", "--format", "{{(index .Subnets 0).Gateway}}", f"{project}_default")
        # What a user would have exported.
        self.exported = {}
        self.folder = engine.folder / project
        self.folder.mkdir()
        self.site = Site(engine.network, gateway, self.folder)

    def container(self, name):
        return f"{self.project}_{name}"

    def compose(self, *words):
        words = [
            *self.engine.inside, sys.executable, "-m", "podman_compose", "--no-ansi", "-p", self.project, "--profile", "http", "-f",
            ROOT / "Deploy/docker" / self.file, *words]
        environment = {
            **self.engine.environment, "AUDIT_URL": self.site.url, "DATABASE_PASSWORD": "it's", "POSTGRES_IMAGE": "localhost/postgres",
            **self.exported}
        done = subprocess.run(words, capture_output=True, text=True, env=environment)
        if done.returncode:
            raise RuntimeError(f"compose {words[-1]}: {(done.stdout + done.stderr).strip()[-4000:]}")

    def look(self, name, field):
        return self.engine("inspect", "--format", "{{" + field + "}}", self.container(name))

    def healthy(self, *names):
        """Waits until the health checks of the containers, run now, find them well."""
        for name in names:
            until(lambda: self.engine.does("healthcheck", "run", self.container(name)), f"{name} is healthy")

    def kill(self, name):
        """As memory that runs out would. podman leaves it, because `keys`, on which it depends, has ended; Docker would not."""
        os.kill(int(self.look(name, ".State.Pid")), signal.SIGKILL)
        until(lambda: self.look(name, ".State.Status") in ("exited", "stopped"), f"{name} has ended")

    def stop(self, name, code):
        """As the engine does: SIGTERM, and SIGKILL when the time that the compose file gives is over."""
        self.engine("stop", self.container(name))
        if (ended := self.look(name, ".State.ExitCode")) != code:
            raise RuntimeError(f"{name} ends with {ended}, not {code}, when it is told to stop")
        without_complaints(name, self.engine.said(self.container(name)))


    def owner(self, *names):
        """The one of these coordinators that runs the loops."""
        request = "exec 3<>/dev/tcp/127.0.0.1/9464 && printf 'GET /owner HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3"
        heard = {}

        def find():
            for name in names:
                done = self.engine.tries("exec", self.container(name), "timeout", "5", "bash", "-c", request)
                heard[name] = f"{done.returncode} {done.stdout}{done.stderr}"
            return next((name for name in names if " 200 " in heard[name]), None)

        try:
            return until(find, "one of them runs the loops")
        except RuntimeError as error:
            raise RuntimeError(f"{error}: {heard}") from None

    def serves(self):
        """Waits until the loop of the audit is served, by the port of the machine, to the holder of a token."""
        keys = self.engine.volume(f"{self.project}_keys")
        if not (keys / "shop.token").exists():
            # As the compose file says it.
            self.compose("run", "--rm", "keys", "mobius keys token shop --rights read --keys . && cat shop.token")
        token = (keys / "shop.token").read_text().strip()
        heard = {}

        def find():
            for credentials in ("none", token):
                # Not by a command line: the token would stand in it.
                done = subprocess.run(
                    ["nsenter", f"--net={self.engine.network}", sys.executable, "-c", ASK], input=credentials, capture_output=True,
                    text=True)
                heard[credentials != "none"] = (done.stdout + done.stderr).strip()
            return heard == {False: "401", True: "200 main"}

        try:
            until(find, "its loop is served to the holder of a token")
        except RuntimeError as error:
            raise RuntimeError(f"{error}: {heard}") from None

    def ended(self, *names):
        """The one of these containers that has ended, when the audit is over."""
        return until(
            lambda: next((name for name in names if self.look(name, ".State.Status") in ("exited", "stopped")), None),
            "the audit ends", 120)

    def verify(self, coordinator, everybody):
        if (code := self.look(coordinator, ".State.ExitCode")) != "1":  # the site has broken links
            raise RuntimeError(f"the audit ends with {code}, not 1")
        for name in everybody:
            without_complaints(name, self.engine.said(self.container(name)))
        say(self.site.verify(self.engine.volume(f"{self.project}_report") / "report/report.json"))


def run(fleet):
    everybody = ("coordinator_1", "page-fetcher_1", "page-fetcher_2", "report-writer_1", "serve_1")
    fleet.compose("up", "--detach", "--no-build")
    fleet.site.goes_on()
    fleet.healthy(*everybody)
    for name in everybody:
        fleet.engine("exec", fleet.container(name), "sh", "-ec", CONFINED)
    fleet.serves()
    fleet.stop("page-fetcher_2", "0")
    fleet.stop("serve_1", "0")
    fleet.stop("coordinator_1", "130")  # an audit that is not over
    fleet.compose("up", "--detach", "--no-build")
    fleet.site.goes_on()
    fleet.serves()
    say("drained, and started again")
    fleet.kill("coordinator_1")
    fleet.kill("page-fetcher_1")
    fleet.kill("serve_1")
    fleet.compose("up", "--detach", "--no-build")
    fleet.site.goes_on()
    fleet.serves()
    say("killed, and started again")
    # Other containers, the same volumes.
    fleet.compose("down")
    fleet.compose("up", "--detach", "--no-build")
    fleet.site.goes_on()
    fleet.site.hurries()
    fleet.verify(fleet.ended("coordinator_1"), everybody)


def run_cluster(fleet):
    coordinators = ("coordinator-1_1", "coordinator-2_1")
    ours = (*coordinators, "page-fetcher_1", "page-fetcher_2", "report-writer_1", "serve_1")
    fleet.compose("up", "--detach", "--no-build")
    fleet.site.goes_on()
    fleet.healthy("database-1_1", "database-2_1", *ours)
    for name in ours:
        fleet.engine("exec", fleet.container(name), "sh", "-ec", CONFINED)
    fleet.serves()
    owner = fleet.owner(*coordinators)
    other = next(name for name in coordinators if name != owner)
    fleet.kill(owner)
    fleet.owner(other)
    fleet.site.goes_on()
    fleet.serves()
    say("the owner was killed, and the other coordinator goes on")
    # As the page "Runbook" says it: without the second line, the engine starts the old primary again, at once, which waits for a
    # replica.
    os.kill(int(fleet.look("database-1_1", ".State.Pid")), signal.SIGKILL)
    fleet.compose("stop", "database-1")
    fleet.engine("exec", fleet.container("database-2_1"), "pg_ctl", "promote")
    fleet.site.goes_on()
    say("the database was killed, and its synchronous replica goes on")
    fleet.engine("rm", fleet.container("database-1_1"))
    fleet.engine("volume", "rm", f"{fleet.project}_database-1")
    fleet.exported = {"PRIMARY": "database-2", "REPLICA": "database-1"}
    fleet.compose("up", "--detach", "--no-build")
    ask = ("psql", "--host", "/tmp", "--username", "postgres", "--tuples-only", "--no-align", "--command")
    until(
        lambda: fleet.engine.tries(
            "exec", fleet.container("database-2_1"), *ask, "select application_name, sync_state from pg_stat_replication"
        ).stdout.strip() == "database-1|sync", "the old primary's host has a synchronous replica")
    fleet.site.goes_on()
    say("there is a synchronous replica again")
    fleet.site.hurries()
    fleet.verify(fleet.ended(*coordinators), ("page-fetcher_1", "page-fetcher_2", "report-writer_1"))


parser = argparse.ArgumentParser()
parser.add_argument("--debian", type=Path, required=True)
parser.add_argument("--package", type=Path, required=True)
options = parser.parse_args()
with Engine(options.debian) as engine:
    if reason := engine.missing():
        say(f"skipped, because no container runs here: {reason}")
        sys.exit(0)
    build(engine, options.package)
    engine.build("localhost/postgres", engine.folder / "swift", text=DATABASE)
    try:
        for file, project, act in (("compose.yaml", "fleet", run), ("cluster.yaml", "cluster", run_cluster)):
            fleet = Fleet(engine, file, project)
            with fleet.site:
                act(fleet)
            fleet.compose("down")
    except RuntimeError as error:
        say(engine.account())
        sys.exit(f"image: {error}")
