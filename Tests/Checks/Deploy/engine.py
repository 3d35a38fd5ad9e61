"""A container engine with a place and a network of its own: what is made there goes with it, and nothing else is touched."""

import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

NEEDED = ("podman", "runc", "ip", "nsenter", "unshare")
# What networks are called and where is kept here for all of root's engines, also by one that was killed. A bridge takes
# another hardware address when a container with a lower one joins it; it has to tell those that have joined before, which
# would reach nobody through it otherwise until they ask again, up to a minute later.
HELD = """
    ip link set lo up
    echo 1 > /proc/sys/net/ipv4/conf/default/arp_notify
    mkdir -p /run/containers
    mount -t tmpfs tmpfs /run/containers
    echo held
    exec cat
"""


class Engine:
    """podman, with its images and volumes in a scratch folder, and namespaces in which its networks and mounts are."""

    def __init__(self, debian):
        self.folder = Path(tempfile.mkdtemp(prefix="mobius-engine-"))
        self.debian = debian
        self.holder = None
        self.environment = {
            **os.environ, "CONTAINERS_CONF": str(self.folder / "containers.conf"),
            "CONTAINERS_STORAGE_CONF": str(self.folder / "storage.conf")}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if (self.folder / "storage.conf").exists():
            self._run([*self.inside, "podman", "rm", "--force", "--all", "--time", "0"])
        if self.holder:
            self.holder.communicate()
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def network(self):
        """The namespace in which its networks are."""
        return f"/proc/{self.holder.pid}/ns/net"

    @property
    def inside(self):
        return [*self.mounted, f"--net={self.network}"]

    @property
    def mounted(self):
        return ["nsenter", f"--mount=/proc/{self.holder.pid}/ns/mnt"]

    def missing(self):
        """Why no container runs here; None when they do: then there is an image `localhost/debian`."""
        if os.geteuid() != 0:
            return "only root can"
        if absent := [name for name in NEEDED if not shutil.which(name)]:
            return f"there is no {' and no '.join(absent)}"
        # Bridges, addresses and mounts are made in there, and end with it; the machine's own are not touched.
        self.holder = subprocess.Popen(
            ["unshare", "--net", "--mount", "--propagation", "private", "sh", "-ec", HELD], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if self.holder.stdout.readline() != "held\n":
            return f"no network can be made: {self.holder.stderr.read().strip()}"
        archive = self._slim()
        reason = None
        # Not every file system can be a layer on itself; copies always work.
        for driver in ("overlay", "vfs"):
            self._configure(driver)
            try:
                self("import", "--quiet", archive, "localhost/debian")
                self("run", "--rm", "--network", "none", "localhost/debian", "true")
                archive.unlink()
                return None
            except RuntimeError as error:
                reason = str(error).splitlines()[-1]
        return reason

    def __call__(self, *words, own_network=True, **options):
        """What podman prints.

        Without `own_network` it has the machine's: for what is fetched while an image is built. Raises what podman says when
        it does not end well.
        """
        done = self._run([*(self.inside if own_network else self.mounted), "podman", *map(str, words)], **options)
        if done.returncode:
            raise RuntimeError(f"podman {' '.join(map(str, words))}: {(done.stdout + done.stderr).strip()[-4000:]}")
        return done.stdout.strip()

    def tries(self, *words):
        """What became of podman."""
        return self._run([*self.inside, "podman", *map(str, words)])

    def does(self, *words):
        """Whether podman ends well."""
        return not self.tries(*words).returncode

    def build(self, tag, context, *words, file="-", text=None):
        """Builds an image; Debian's packages come from where this machine gets them, with the certificates that it trusts."""
        lent = [path for path in ("/etc/apt", "/etc/ssl/certs", "/usr/local/share/ca-certificates") if os.path.isdir(path)]
        volumes = [word for path in lent for word in ("--volume", f"{path}:{path}:O")]
        self("build", "--quiet", "--network", "host", *volumes, *words, "--file", file, "--tag", tag, context, own_network=False,
             input=text)

    def volume(self, name):
        """Where a volume is on this machine."""
        return Path(self("volume", "inspect", "--format", "{{.Mountpoint}}", name))

    def said(self, name, lines=1000):
        """The last that a container said."""
        done = self._run([*self.inside, "podman", "logs", "--tail", str(lines), name])
        return done.stdout + done.stderr

    def account(self):
        """All containers, and the last that each of them said."""
        names = self("ps", "--all", "--format", "{{.Names}}").split()
        return "\n".join([self("ps", "--all"), *(f"-- {name}\n{self.said(name, 20)}" for name in names)])

    def _run(self, words, **options):
        return subprocess.run(words, capture_output=True, text=True, env=self.environment, **options)

    def _configure(self, driver):
        # Limits above ours need a right that sandboxes may lack.
        (self.folder / "containers.conf").write_text(f"""
            [containers]
            default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
            [network]
            network_backend = "netavark"
            network_config_dir = "{self.folder}/networks"
            [engine]
            runtime = "runc"
            cgroup_manager = "cgroupfs"
            events_logger = "file"
            """)
        (self.folder / "storage.conf").write_text(f"""
            [storage]
            driver = "{driver}"
            graphroot = "{self.folder}/{driver}"
            runroot = "{self.folder}/run"
            """)

    def _slim(self):
        """The archive of a Debian without what images named -slim leave out, and without what apt has fetched."""
        archive, tree = self.folder / "debian.tar", self.folder / "debian"
        tree.mkdir()
        subprocess.run(["tar", "-C", tree, "-xf", self.debian], check=True)
        for folder in ("share/doc", "share/man", "share/locale", "share/info"):
            shutil.rmtree(tree / "usr" / folder, ignore_errors=True)
        for folder in ("cache/apt", "lib/apt/lists", "log"):
            shutil.rmtree(tree / "var" / folder, ignore_errors=True)
            (tree / "var" / folder).mkdir()
        subprocess.run(["tar", "-C", tree, "-cf", archive, "."], check=True)
        shutil.rmtree(tree)
        return archive


def until(condition, what, limit=60):
    """Waits for a condition, and fails after a while."""
    end = time.monotonic() + limit
    while not (value := condition()):
        if time.monotonic() > end:
            raise RuntimeError(f"after {limit} s still not: {what}")
        time.sleep(0.1)
    return value
