"""The compose files, by the specification's schema, and what they refer to."""

import json
import re
import zipfile

import jsonschema
import yaml

# A new volume takes its owner from the image's folder: those that the users of the images have.
WRITABLE = ("/var/lib/mobius", "/var/lib/postgresql/data")


def check(folder, schema_folder):
    wheel = next(schema_folder.glob("docker_compose-*.whl"))
    with zipfile.ZipFile(wheel) as archive:
        schema = json.loads(archive.read("compose/config/compose_spec.json"))
    problems, count = [], 0
    for file in ("compose.yaml", "cluster.yaml"):
        document = yaml.safe_load((folder / file).read_text())
        count += len(document["services"])
        problems += [f"{file}: {problem}" for problem in [*problems_of(document, folder, schema), *connections(document)]]
        for name, service in document["services"].items():
            if service["image"] == "mobius-fleet" and "entrypoint" not in service and service["command"][0] not in products(folder):
                problems.append(f"{file}: {name} runs {service['command'][0]}, which is not in the image")
    if "USER 64000" not in (folder / "Dockerfile").read_text():
        problems.append("the image runs as root")
    return problems, f"{count} services"


def products(folder):
    return re.search(r'^ARG PRODUCTS="(.*)"$', (folder / "Dockerfile").read_text(), re.MULTILINE)[1].split()


def connections(document):
    """Where the services connect to, with which key, and where they can be reached."""
    services = document["services"]
    for name, service in services.items():
        variables = service.get("environment", {})
        for mine, theirs in (("MOBIUS_CONNECT", "MOBIUS_BIND"), ("MOBIUS_CONNECT_CLIENT", "MOBIUS_CLIENT_BIND")):
            for endpoint in filter(None, variables.get(mine, "").split(",")):
                host, port = endpoint.removeprefix("tcp://").split(":")
                bound = services.get(host, {}).get("environment", {}).get(theirs, "none")
                if bound.split(":")[-1] != port:
                    yield f"{name} connects to {endpoint}, where {host} has {bound}"
        key = variables.get("MOBIUS_KEY", "/keys/").removeprefix("/keys/").removesuffix(".key")
        if key and key not in re.split(r"[\s;]+", services["keys"]["command"][0]):
            yield f"{name} has the key {key}, which nobody makes"
        for port in service.get("ports", []):
            if not port.startswith("127.0.0.1:"):
                yield f"{name} can be reached from other hosts, at {port}"
        # The image's own address of probes, or the server's.
        probed = variables.get("MOBIUS_LISTEN", "0.0.0.0:9464").split(":")[-1]
        if "/livez" in str(check := service.get("healthcheck")) and f"/127.0.0.1/{probed} " not in str(check):
            yield f"the health check of {name} does not ask port {probed}"


def problems_of(document, folder, schema):
    for error in jsonschema.Draft7Validator(schema).iter_errors(document):
        yield f"{'/'.join(map(str, error.absolute_path))}: {error.message}"
    services, volumes = document["services"], document["volumes"]
    for name, service in services.items():
        for other in service.get("depends_on", {}):
            if other not in services:
                yield f"{name} depends on {other}, which is none"
        for volume in service.get("volumes", []):
            source, place, *mode = volume.split(":")
            if not (folder / source).exists() if source.startswith("./") else source not in volumes:
                yield f"{name} mounts {volume}, which is none"
            if mode != ["ro"] and place not in WRITABLE:
                yield f"{name} cannot write to {volume}"
        if not (service.get("read_only") and service.get("cap_drop") == ["ALL"]):
            yield f"{name} may write to its root, or has capabilities"
    build = services["keys"]["build"]
    if not (folder / build["context"] / build["dockerfile"]).exists():
        yield "the Dockerfile that it builds is not there"
