"""promtool on configurations, rules and their tests; the dashboard's queries, as rules, too."""

import json
import re
import subprocess
import tempfile
from pathlib import Path


def promtool(*arguments, folder):
    done = subprocess.run(["promtool", *map(str, arguments)], cwd=folder, capture_output=True, text=True)
    return [] if done.returncode == 0 else [f"promtool {' '.join(map(str, arguments))}:\n{done.stdout}{done.stderr}"]


def check(deploy):
    folder = deploy / "prometheus"
    problems = []
    for config in ("prometheus.yaml", "kubernetes.yaml"):
        problems += promtool("check", "config", config, folder=folder)
    problems += promtool("check", "rules", "--lint-fatal", "alerts.yaml", folder=folder)
    problems += promtool("test", "rules", "alerts-test.yaml", folder=folder)
    queries = []
    dashboard = json.loads((deploy / "grafana" / "mobius-fleet.json").read_text())
    ids = [panel["id"] for panel in dashboard["panels"]]
    if len(set(ids)) != len(ids):
        problems.append("two panels of the dashboard have one id")
    for panel in dashboard["panels"]:
        if not panel.get("description"):
            problems.append(f"the panel {panel['title']} does not say what it shows")
        for target in panel["targets"]:
            # Variables of the dashboard stand for regular expressions.
            queries.append(re.sub(r"\$(instance|pool)", ".*", target["expr"]))
    with tempfile.TemporaryDirectory() as scratch:
        rules = {"groups": [{"name": "g", "rules": [{"record": f"q:{n}", "expr": q} for n, q in enumerate(queries)]}]}
        (Path(scratch) / "q.yaml").write_text(json.dumps(rules))
        problems += promtool("check", "rules", "q.yaml", folder=scratch)
    return problems, f"2 configurations, alerts and their tests, {len(queries)} queries of the dashboard"
