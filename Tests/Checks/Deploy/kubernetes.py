"""Kubernetes manifests: what kustomize makes of them, by the API's schemas, and what they refer to."""

import copy
import shutil
import subprocess
import tempfile
from pathlib import Path

import kubernetes_validate
import yaml

VERSION = "1.29"
FIELDS = {"apiVersion", "kind", "namespace", "resources", "components", "labels", "images", "patches"}


def check(folder, binaries):
    problems, done = [], []
    secrets = make_keys(folder, binaries, problems)
    made = {overlay.name: build(overlay, problems) for overlay in sorted((folder / "overlays").iterdir())}
    # What overlays/http says of several coordinators.
    made["cluster with http"] = build(folder / "components/http", problems, made["cluster"])
    for overlay, resources in made.items():
        problems += [f"{overlay}: {problem}" for problem in validate(resources, secrets)]
        done.append(f"{len(resources)} in {overlay}")
    done = f"resources: {', '.join(done)}; {len(secrets)} secrets, by the schemas of {VERSION}"
    return problems, done if secrets else done + " (this build of mobius makes no keys yet)"


def validate(resources, secrets):
    problems = []
    for one in resources + secrets:
        if one["apiVersion"].split("/")[0] == "keda.sh":
            continue  # looked at below
        try:
            kubernetes_validate.validate(one, VERSION, strict=True)
        except Exception as error:  # the package has no common class of its own for what it finds
            problems.append(f"{name(one)}: {error}")
    problems += references(resources, secrets)
    for one in resources:
        problems += hardening(one)
    return problems


def name(one):
    return f"{one['kind']} {one['metadata']['name']}"


def build(folder, problems, others=()):
    """What `kustomize build` makes, as far as our files use it; fields that this does not know are problems.

    A component adds to the resources of others, and changes them, too.
    """
    custom = yaml.safe_load((folder / "kustomization.yaml").read_text())
    problems += [f"{folder.name}: kustomization has a field {field}" for field in set(custom) - FIELDS]
    found = copy.deepcopy(list(others))
    for path in custom["resources"]:
        place = folder / path
        if place.is_dir():
            found += build(place, problems)
        elif place.exists():
            found += [one for one in yaml.safe_load_all(place.read_text()) if one]
        else:
            problems.append(f"{folder.name}: there is no {path}")
    for path in custom.get("components", []):
        found = build(folder / path, problems, found)
    for file in folder.glob("*.yaml"):
        named = custom["resources"] + [patch["path"] for patch in custom.get("patches", [])] + ["kustomization.yaml"]
        if file.name not in named:
            problems.append(f"{folder.name}: nobody uses {file.name}")
    for patch in custom.get("patches", []):
        change = yaml.safe_load((folder / patch["path"]).read_text())
        target = [one for one in found if name(one) == name(change)]
        if not target:
            problems.append(f"{folder.name}: {patch['path']} changes {name(change)}, which is none")
        if change.get("$patch") == "delete":
            found = [one for one in found if one not in target]
            continue
        for one in target:
            merge(one, change)
    for one in found:
        if one["kind"] != "Namespace" and "namespace" in custom:
            one["metadata"]["namespace"] = custom["namespace"]
        for rule in custom.get("labels", []):
            one["metadata"].setdefault("labels", {}).update(rule["pairs"])
            template = one.get("spec", {}).get("template")
            if rule.get("includeTemplates") and template:
                template["metadata"].setdefault("labels", {}).update(rule["pairs"])
        for container in containers(one):
            for image in custom.get("images", []):
                if container["image"] == image["name"]:
                    container["image"] = f"{image['newName']}:{image['newTag']}"
    return found


def merge(one, change):
    for key, value in change.items():
        if value is None:
            one.pop(key, None)
        elif isinstance(value, dict) and isinstance(one.get(key), dict):
            merge(one[key], value)
        elif isinstance(value, list) and all(isinstance(item, dict) and "name" in item for item in value):
            mine = {item["name"]: item for item in one.setdefault(key, [])}
            for item in value:
                merge(mine[item["name"]], item) if item["name"] in mine else one[key].append(copy.deepcopy(item))
        else:
            one[key] = copy.deepcopy(value)


def containers(one):
    return one.get("spec", {}).get("template", {}).get("spec", {}).get("containers", [])


def references(resources, secrets):
    problems = []
    names = {(one["kind"], one["metadata"]["name"]) for one in resources + secrets}
    if len(names) != len(resources + secrets):
        problems.append("two resources have one name")
    pods = [one["spec"]["template"] for one in resources if containers(one)]
    for one in resources:
        spec = one.get("spec", {})
        for selector in filter(None, [spec.get("selector"), spec.get("podSelector")]):
            wanted = selector.get("matchLabels", selector)
            if not any(wanted.items() <= pod["metadata"]["labels"].items() for pod in pods):
                problems.append(f"{name(one)} selects no pod: {wanted}")
        if one["kind"] == "StatefulSet" and ("Service", spec["serviceName"]) not in names:
            problems.append(f"{name(one)} has no service {spec['serviceName']}")
        if one["kind"] == "ScaledObject":
            problems += scaling(one, names)
        if not containers(one):
            continue
        pod = spec["template"]["spec"]
        volumes = {volume["name"] for volume in pod.get("volumes", []) + [
            {"name": claim["metadata"]["name"]} for claim in spec.get("volumeClaimTemplates", [])]}
        for volume in pod.get("volumes", []):
            secret = volume.get("secret", {}).get("secretName")
            if secret and secrets and ("Secret", secret) not in names:
                problems.append(f"{name(one)} wants the secret {secret}, which make-keys does not make")
        for container in containers(one):
            ports = {port["name"] for port in container["ports"]}
            for probe in ("livenessProbe", "readinessProbe"):
                if container[probe]["httpGet"]["port"] not in ports:
                    problems.append(f"{name(one)}: its {probe} asks a port that is none")
            problems += [
                f"{name(one)} mounts {mount['name']}, which is none"
                for mount in container["volumeMounts"] if mount["name"] not in volumes]
            variables = {variable["name"]: variable.get("value", "") for variable in container["env"]}
            drain = variables.get("MOBIUS_DRAIN_TIMEOUT", "0s").removesuffix("s")
            pause = container.get("lifecycle", {}).get("preStop", {}).get("exec", {}).get("command", ["0"])[-1]
            if int(drain) + int(pause) + 10 > pod["terminationGracePeriodSeconds"]:
                problems.append(f"{name(one)} is killed before it has finished what it holds")
            for endpoint in filter(None, [variables.get("MOBIUS_CONNECT"), variables.get("MOBIUS_CONNECT_CLIENT")]):
                problems += connection(one, endpoint, resources)
    return problems


def connection(one, endpoint, resources):
    """Whether an endpoint is a service's, and the policies let its pods be reached."""
    host, port = endpoint.removeprefix("tcp://").split(":")
    service = next((other for other in resources if name(other) == f"Service {host}"), None)
    if not service or int(port) not in {each["port"] for each in service["spec"]["ports"]}:
        return [f"{name(one)} connects to {endpoint}, which is no service"]
    source = one["spec"]["template"]["metadata"]["labels"]
    problems = []
    for other in resources:
        target = other["spec"]["template"]["metadata"]["labels"] if containers(other) else {}
        if service["spec"]["selector"].items() <= target.items():
            for kind, here, there in (("Egress", source, target), ("Ingress", target, source)):
                if not any(permits(policy, kind, here, there, int(port)) for policy in resources):
                    problems.append(f"{name(one)} connects to {endpoint}, but no policy has it as {kind.lower()}")
    return problems


def permits(policy, kind, here, there, port):
    """Whether a policy of the pods with these labels lets them be reached by, or reach, others at a port."""
    if policy["kind"] != "NetworkPolicy" or not matches(policy["spec"]["podSelector"], here):
        return False
    return any(
        any(matches(peer.get("podSelector"), there) for peer in rule["to" if kind == "Egress" else "from"])
        and any(each["port"] <= port <= each.get("endPort", each["port"]) for each in rule["ports"])
        for rule in policy["spec"].get(kind.lower(), []))


def matches(selector, labels):
    return selector is not None and selector.get("matchLabels", {}).items() <= labels.items()


def scaling(one, names):
    """KEDA's own resource, of which the API's schemas know nothing."""
    spec = one["spec"]
    problems = []
    if ("Deployment", spec["scaleTargetRef"]["name"]) not in names:
        problems.append(f"{name(one)} scales {spec['scaleTargetRef']['name']}, which is none")
    if not 0 <= spec["minReplicaCount"] < spec["maxReplicaCount"]:
        problems.append(f"{name(one)}: its counts make no sense")
    for trigger in spec["triggers"]:
        needed = {"serverAddress", "query", "threshold"}
        if trigger["type"] != "prometheus" or set(trigger["metadata"]) != needed:
            problems.append(f"{name(one)}: a trigger of Prometheus has {sorted(needed)}")
        elif not all(isinstance(value, str) for value in trigger["metadata"].values()):
            problems.append(f"{name(one)}: KEDA wants text for everything in a trigger")
    return problems


def hardening(one):
    """What the namespace's pod security standard, restricted, refuses; and a root that can be written to."""
    problems = []
    for container in containers(one):
        pod = one["spec"]["template"]["spec"]["securityContext"]
        mine = container["securityContext"]
        good = (
            pod["runAsNonRoot"] and pod["seccompProfile"]["type"] == "RuntimeDefault"
            and mine["allowPrivilegeEscalation"] is False and mine["capabilities"] == {"drop": ["ALL"]}
            and mine["readOnlyRootFilesystem"])
        if not good:
            problems.append(f"{name(one)}: {container['name']} may do more than it needs")
    return problems


def make_keys(folder, binaries, problems):
    """The secrets that make-keys prints, made with the real `mobius`."""
    mobius = shutil.which("mobius", path=str(binaries))
    if b"mobius keys" not in subprocess.run([mobius, "keys", "--help"], capture_output=True).stdout:
        return []
    with tempfile.TemporaryDirectory() as scratch:
        done = subprocess.run(
            [folder / "make-keys", "--keys", Path(scratch) / "keys", "--http", "greeters"], capture_output=True, text=True,
            env={"PATH": f"{binaries}:/usr/bin:/bin"})
        again = subprocess.run(
            [folder / "make-keys", "--keys", Path(scratch) / "keys", "--http", "greeters"], capture_output=True, text=True,
            env={"PATH": f"{binaries}:/usr/bin:/bin"})
    if done.returncode or again.stdout != done.stdout:
        problems.append(f"make-keys fails, or makes other keys the second time:\n{done.stderr}{again.stderr}")
        return []
    return [one for one in yaml.safe_load_all(done.stdout) if one]
