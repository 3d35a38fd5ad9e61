"""The site that is audited while processes are stopped and killed, and what shall come of it."""

import json
import signal
import subprocess
import sys
from pathlib import Path

from engine import until

# Not the port of mobius serve, which runs beside it.
PAGES, PORT = 1200, 8090


class Site:
    """`site.py` in a network namespace, at an address there."""

    def __init__(self, namespace, address, folder):
        self.url = f"http://{address}:{PORT}/"
        self.log = folder / "requests"
        self.log.touch()
        self.server = subprocess.Popen(
            ["nsenter", f"--net={namespace}", sys.executable, Path(__file__).parent / "site.py", "--address", address, "--port",
             str(PORT), "--pages", str(PAGES), "--log", self.log])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.kill()
        self.server.wait()

    def requests(self):
        return self.log.read_text().splitlines()

    def goes_on(self):
        """Waits until more pages have been fetched."""
        count = len(self.requests())
        until(lambda: len(self.requests()) >= count + 50, "pages are fetched")

    def hurries(self):
        self.server.send_signal(signal.SIGUSR1)

    def verify(self, report):
        """Says what the report counts; raises when a page is missing, or when more ran twice than was running at an end."""
        report = json.loads(report.read_text())
        if report["pages"] != PAGES or len(report["broken"]) != PAGES // 100:
            raise RuntimeError(f"the report has {report['pages']} pages of {PAGES} and {len(report['broken'])} broken links")
        requests = self.requests()
        again = len(requests) - len(set(requests))
        if again > 100:
            raise RuntimeError(f"{again} of {len(set(requests))} pages were fetched again")
        return f"nothing lost: {PAGES} pages, {again} of them fetched twice"


def without_complaints(name, said):
    complaints = [line for line in said.splitlines() if " error " in line or "ERROR" in line]
    if complaints:
        raise RuntimeError(f"{name} complains: {complaints[0]}")
