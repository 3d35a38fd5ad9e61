"""The Debian package and its units under a systemd of their own, which boots in a container."""

import argparse
import shutil
import sys
from pathlib import Path

from audited import Site, without_complaints
from engine import Engine, until

NAME = "machine"
UNITS = COORDINATOR, FETCHER, WRITER, SERVER = (
    "mobius-coordinator@site-audit", "mobius-worker@page-fetcher", "mobius-worker@report-writer", "mobius-serve@site-audit")
IMAGE = """
FROM localhost/debian
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends systemd systemd-sysv dbus >/dev/null
COPY fleet.deb /fleet.deb
RUN apt-get install -y -qq --no-install-recommends /fleet.deb >/dev/null
"""
# Where it audits, and how long it may be silent: less than in the units, because that is waited for.
SETTINGS = """
    echo "MOBIUS_ARGUMENTS=--start $1 --report /var/lib/mobius/report-writer/report --quiet" >/etc/mobius/site-audit.env
    for unit in coordinator worker; do
        mkdir -p /etc/systemd/system/mobius-$unit@.service.d
        printf '[Service]\\nWatchdogSec=3\\n' >/etc/systemd/system/mobius-$unit@.service.d/watchdog.conf
    done
    systemctl daemon-reload
"""
# What the units take away, told by the kernel: other users, capabilities, system calls, a root that can be written to.
CONFINED = """
    process=/proc/$(systemctl show -P MainPID "$1")
    grep -q "^Uid:[[:space:]]*$(id -u mobius)[[:space:]]" $process/status
    grep -q '^CapBnd:[[:space:]]*0*$' $process/status
    grep -q '^NoNewPrivs:[[:space:]]*1$' $process/status
    grep -q '^Seccomp:[[:space:]]*2$' $process/status
    grep -qE '^[0-9]+ [0-9]+ [0-9:]+ [^ ]+ / ro' $process/mountinfo
"""

# What it must not read, though its user owns it.
WITHOUT_FILES = """
    root=/proc/$(systemctl show -P MainPID "$1")/root
    [ -z "$(ls -A $root/var/lib/mobius)$(ls -A $root/etc/mobius/keys)" ]
"""
# The names of its loops, as somebody on this machine would ask, with a token when there is one.
LOOPS = """
    exec 3<>/dev/tcp/127.0.0.1/8080
    printf 'GET /loops HTTP/1.0\\r\\nAuthorization: Bearer %s\\r\\n\\r\\n' "$(cat /etc/mobius/keys/shop.token 2>/dev/null)" >&3
    timeout 5 cat <&3
"""
# As the page says it for several hosts, which are this one. systemd passes keys through mounts that a container does not share
# with itself, unlike a machine.
OTHER_HOSTS = """
    mount --make-rshared /
    cp -R /usr/share/mobius/several-hosts/. /etc/systemd/system
    make() { setpriv --reuid mobius --regid mobius --clear-groups mobius keys "$@" --keys /etc/mobius/keys; }
    make new fetchers-1 --worker page-fetcher
    make new serve-1 --client serve
    make token shop --rights read
    install -m 600 /etc/mobius/keys/fetchers-1.key /etc/mobius/page-fetcher.key
    install -m 600 /etc/mobius/keys/serve-1.key /etc/mobius/serve-site-audit.key
    sed -i s,^MOBIUS_CONNECT=.*,MOBIUS_CONNECT=tcp://127.0.0.1:5701, /etc/mobius/page-fetcher.env
    rm /var/lib/mobius/site-audit/journal*
    systemctl daemon-reload
"""


class Machine:
    """A Debian with the package, and its systemd."""

    def __init__(self, engine, package):
        self.engine = engine
        context = engine.folder / NAME
        context.mkdir()
        shutil.copy(package, context / "fleet.deb")
        engine.build("localhost/machine", context, text=IMAGE)
        # It mounts and confines as the units say, so it may do what a machine may.
        engine("run", "--detach", "--name", NAME, "--systemd", "always", "--privileged", "--network", "none", "localhost/machine",
               "/sbin/init")
        until(lambda: self.boots() not in ("", "initializing", "starting"), "systemd is up")
        if (state := self.boots()) != "running":
            raise RuntimeError(f"systemd is {state}: {self.systemctl('list-units', '--failed')}")
        pid = engine("inspect", "--format", "{{.State.Pid}}", NAME)
        self.namespace, self.root = f"/proc/{pid}/ns/net", Path(f"/proc/{pid}/root")

    def boots(self):
        return self.shell("systemctl is-system-running 2>/dev/null || true")

    def shell(self, text, *words):
        return self.engine("exec", NAME, "sh", "-ec", text, "sh", *words)

    def systemctl(self, *words):
        return self.engine("exec", NAME, "systemctl", "--no-pager", *words)

    def show(self, unit, key):
        return self.systemctl("show", "-P", key, unit)

    def journal(self, *units):
        return self.shell('for unit in "$@"; do journalctl --no-pager -o cat -u "$unit"; done', *units)

    def expects(self, unit, **values):
        for key, value in values.items():
            if (found := self.show(unit, key)) != value:
                raise RuntimeError(f"{unit}: {key} is {found}, not {value}")

    def restarts(self, unit, count):
        """Waits until systemd has started it so many times again, and it is ready."""
        until(lambda: self.show(unit, "NRestarts") == str(count) and self.show(unit, "ActiveState") == "active",
              f"{unit} starts again")

    def serves(self):
        """Waits until the audit's loop is served over HTTP."""
        until(lambda: '"loop":"main"' in self.engine.tries("exec", NAME, "bash", "-c", LOOPS).stdout, "its loop is served")

    def stop(self, unit):
        self.systemctl("stop", unit)
        self.expects(unit, ActiveState="inactive", Result="success")


def begin(machine, site):
    machine.shell(SETTINGS, site.url)
    machine.systemctl("start", *UNITS)  # returns when each has said READY
    for unit in UNITS:
        # The server tells systemd nothing; its /readyz does.
        machine.expects(unit, ActiveState="active", StatusText="" if unit == SERVER else "running")
        machine.shell(CONFINED, unit)
    machine.shell(WITHOUT_FILES, SERVER)
    machine.serves()
    site.goes_on()
    say("all are ready, and confined")


def survive(machine, site):
    for unit in (COORDINATOR, FETCHER):
        first = machine.show(unit, "WatchdogTimestampMonotonic")
        until(lambda: machine.show(unit, "WatchdogTimestampMonotonic") != first, f"{unit} gives a sign of life")
    machine.systemctl("kill", "--kill-who", "main", "--signal", "STOP", FETCHER)
    machine.restarts(FETCHER, 1)
    if "Watchdog timeout" not in machine.journal(FETCHER):
        raise RuntimeError("a worker that hangs is not found by its watchdog")
    machine.systemctl("kill", "--kill-who", "main", "--signal", "KILL", COORDINATOR)
    machine.restarts(COORDINATOR, 1)
    machine.serves()
    machine.systemctl("kill", "--kill-who", "main", "--signal", "KILL", SERVER)
    machine.restarts(SERVER, 1)
    # It ends in order, but nobody asked systemd.
    machine.systemctl("kill", "--kill-who", "main", "--signal", "TERM", SERVER)
    machine.restarts(SERVER, 2)
    machine.serves()
    site.goes_on()
    say("started again: what hangs, and what is killed")


def stop_and_upgrade(machine, site):
    machine.stop(FETCHER)
    if "draining" not in machine.journal(FETCHER):
        raise RuntimeError("a worker that is told to stop does not drain")
    machine.stop(COORDINATOR)
    machine.stop(SERVER)
    machine.systemctl("start", FETCHER, COORDINATOR, SERVER)
    machine.serves()
    site.goes_on()
    pids = [machine.show(unit, "MainPID") for unit in UNITS]
    machine.shell("dpkg -i /fleet.deb >/dev/null")
    for unit, pid in zip(UNITS, pids):
        machine.expects(unit, ActiveState="active")
        if machine.show(unit, "MainPID") == pid:
            raise RuntimeError(f"an upgrade does not restart {unit}")
    machine.serves()
    site.goes_on()
    say("drained, started again, upgraded")


def end(machine, site):
    site.hurries()
    until(lambda: machine.show(COORDINATOR, "ActiveState") == "failed", "the audit ends", 120)
    # The site has broken links, which another start would not mend.
    machine.expects(COORDINATOR, Result="exit-code", ExecMainStatus="1", NRestarts="0")
    said = site.verify(machine.root / "var/lib/mobius/report-writer/report/report.json")
    without_complaints("a unit", machine.journal(*UNITS))
    say(said)


def reach_other_hosts(machine, site):
    machine.systemctl("stop", *UNITS)
    machine.shell(OTHER_HOSTS)
    # Without workers the new audit does not end.
    for unit in (COORDINATOR, SERVER):
        machine.systemctl("start", unit)
        machine.shell(CONFINED, unit)
    machine.serves()
    count = machine.journal(FETCHER).count("joined the coordinator")
    machine.systemctl("start", FETCHER)
    until(lambda: machine.journal(FETCHER).count("joined the coordinator") > count, f"{FETCHER} is admitted")
    without_complaints("a unit", machine.journal(*UNITS))
    say("reached by TCP, with keys and a token")


def remove(machine, site):
    machine.shell("apt-get remove -y -qq mobius-fleet >/dev/null 2>&1")
    for unit in (FETCHER, WRITER, SERVER):
        machine.expects(unit, ActiveState="inactive")
    if not (machine.root / "var/lib/mobius/site-audit/journal").exists():
        raise RuntimeError("removing the package removes the journal")
    say("removed, but for the journal")


def say(text):
    print(f"units: {text}", flush=True)


parser = argparse.ArgumentParser()
parser.add_argument("--debian", type=Path, required=True)
parser.add_argument("--package", type=Path, required=True)
options = parser.parse_args()
with Engine(options.debian) as engine:
    if reason := engine.missing():
        say(f"skipped, because no container runs here: {reason}")
        sys.exit(0)
    machine = None
    try:
        machine = Machine(engine, options.package)
        with Site(machine.namespace, "127.0.0.1", engine.folder) as site:
            for part in (begin, survive, stop_and_upgrade, end, reach_other_hosts, remove):
                part(machine, site)
    except RuntimeError as error:
        if machine:
            say(machine.journal(*UNITS)[-8000:])
        sys.exit(f"units: {error}")
