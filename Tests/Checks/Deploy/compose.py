"""The compose files, by the specification's schema, and what they refer to."""

import json
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
        problems += [f"{file}: {problem}" for problem in problems_of(document, folder, schema)]
    if "USER 64000" not in (folder / "Dockerfile").read_text():
        problems.append("the image runs as root")
    return problems, f"{count} services"


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
