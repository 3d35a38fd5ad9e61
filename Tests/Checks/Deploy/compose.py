"""The compose file, by the specification's schema, and what it refers to."""

import json
import zipfile

import jsonschema
import yaml


def check(folder, schema_folder):
    wheel = next(schema_folder.glob("docker_compose-*.whl"))
    with zipfile.ZipFile(wheel) as archive:
        schema = json.loads(archive.read("compose/config/compose_spec.json"))
    document = yaml.safe_load((folder / "compose.yaml").read_text())
    problems = [
        f"{'/'.join(map(str, error.absolute_path))}: {error.message}"
        for error in jsonschema.Draft7Validator(schema).iter_errors(document)
    ]
    services, volumes = document["services"], document["volumes"]
    for name, service in services.items():
        for other in service.get("depends_on", {}):
            if other not in services:
                problems.append(f"{name} depends on {other}, which is none")
        for volume in service.get("volumes", []):
            if volume.split(":")[0] not in volumes:
                problems.append(f"{name} mounts {volume}, which is none")
            # A new volume takes its owner from the image's folder, and there is only one that our user has.
            if not volume.endswith((":ro", ":/var/lib/mobius")):
                problems.append(f"{name} cannot write to {volume}")
        if not (service.get("read_only") and service.get("cap_drop") == ["ALL"]):
            problems.append(f"{name} may write to its root, or has capabilities")
    dockerfile = (folder / "Dockerfile").read_text()
    build = services["keys"]["build"]
    if not (folder / build["context"] / build["dockerfile"]).exists():
        problems.append("the Dockerfile that it builds is not there")
    if "USER 64000" not in dockerfile:
        problems.append("the image runs as root")
    return problems, f"{len(services)} services"
