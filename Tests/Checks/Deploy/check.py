"""Checks the files of Deploy; prints what is wrong, and a line per check that is not."""

import argparse
import sys
from pathlib import Path

import compose
import kubernetes
import prometheus
import systemd

parser = argparse.ArgumentParser()
parser.add_argument("--bin", type=Path, required=True)
parser.add_argument("--compose-schema", type=Path, required=True)
options = parser.parse_args()
deploy = Path(__file__).resolve().parents[3] / "Deploy"

problems = 0
for name, check in [
    ("systemd: verify and security", lambda: systemd.analyze(deploy / "systemd")),
    ("systemd: command lines", lambda: systemd.run(deploy / "systemd", options.bin)),
    ("Kubernetes", lambda: kubernetes.check(deploy / "kubernetes", options.bin)),
    ("compose", lambda: compose.check(deploy / "docker", options.compose_schema)),
    ("Prometheus and Grafana", lambda: prometheus.check(deploy)),
]:
    found, done = check()
    for problem in found:
        print(f"deploy: {name}: {problem}", file=sys.stderr)
    problems += len(found)
    print(f"deploy: {name}: {done}" if not found else f"deploy: {name}: {len(found)} problems")
sys.exit(1 if problems else 0)
