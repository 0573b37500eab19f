"""docker-compose.yml without an engine: the Compose Specification's schema, and what that does not say: pins, health, no default passwords."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

ROOT = Path(__file__).resolve().parents[3]
TEXT = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load(TEXT)
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
ONCE = {"certificates", "airflow-init"}  # they end by themselves
SECRET = re.compile(r"password|secret|token|fernet|_key$", re.I)
VARIABLE = re.compile(r"\$\{(\w+)(?::?([-?])([^}]*))?\}")
OPTIONAL = {"VALKEY_PASSWORD", "VLLM_API_KEY"}  # of profiles; empty where they are off


def test_it_follows_the_compose_specification() -> None:
    schema = json.loads((ROOT / "infra" / "schemas" / "compose-spec.json").read_text(encoding="utf-8"))
    validator = jsonschema.Draft201909Validator({k: v for k, v in schema.items() if k != "$schema"})
    assert [f"{list(e.path)}: {e.message}" for e in validator.iter_errors(COMPOSE)] == []


@pytest.mark.parametrize("name", SERVICES)
def test_images_are_pinned(name: str) -> None:
    tag = SERVICES[name]["image"].partition("@")[0].rpartition(":")[2]
    assert re.search(r"\d+\.\d+", tag), f"{name}: {SERVICES[name]['image']}"


@pytest.mark.parametrize("name", sorted(set(SERVICES) - ONCE))
def test_what_runs_on_has_a_health_check_and_starts_again(name: str) -> None:
    assert SERVICES[name]["healthcheck"]["test"]
    assert SERVICES[name]["restart"] == "unless-stopped"


def test_there_are_no_default_passwords() -> None:
    for name, service in SERVICES.items():
        for variable, value in service.get("environment", {}).items():
            if SECRET.search(variable) and value:
                used = VARIABLE.findall(str(value))
                assert used, f"{name}.{variable} holds a secret"
                assert all(sign == "?" or (variable in OPTIONAL and not text) for variable, sign, text in used), f"{name}.{variable}"
            for variable, sign, text in VARIABLE.findall(str(value)):
                assert not (SECRET.search(variable) and sign == "-" and text), f"{name}: ${{{variable}}} has a default"


def test_the_example_of_settings_names_what_must_be_set_and_sets_no_secret() -> None:
    example = dict(re.findall(r"^(\w+)=(.*)$", (ROOT / ".env.example").read_text(encoding="utf-8"), re.M))
    needed = {variable for variable, sign, _ in VARIABLE.findall(TEXT) if sign == "?"}
    assert set(example) == needed | OPTIONAL
    assert set(example.values()) == {""}


def test_only_this_machine_reaches_what_is_published() -> None:
    ports = [port for service in SERVICES.values() for port in service.get("ports", [])]
    assert ports and all(port.startswith("127.0.0.1:") for port in ports)


def test_opensearch_is_reached_over_tls_with_its_own_authority() -> None:
    settings = yaml.safe_load((ROOT / "infra" / "compose" / "opensearch.yml").read_text(encoding="utf-8"))
    assert settings["plugins.security.ssl.http.enabled"] is True
    assert not any("disabled" in key and value for key, value in settings.items())
    environment = SERVICES["airflow-scheduler"]["environment"]
    assert environment["FILINGFOREST_OPENSEARCH_URL"].startswith("https://")
    assert environment["FILINGFOREST_OPENSEARCH_CA_CERTS"] == "/certificates/ca.pem"


def test_what_is_mounted_or_built_from_the_checkout_is_there() -> None:
    mounted = [v.split(":")[0] for s in SERVICES.values() for v in s.get("volumes", []) if v.startswith("./")]
    built = [s["build"]["dockerfile"] for s in SERVICES.values() if "build" in s]
    assert [path for path in {*mounted, *built} if not (ROOT / path).is_file()] == []


@pytest.mark.parametrize("path", sorted((ROOT / "infra" / "images").glob("*.Dockerfile")), ids=lambda p: p.stem)
def test_images_are_built_from_pinned_ones_and_what_they_copy_is_there(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert all(re.search(r":\S*\d+\.\d+\.\d+", image) for image in re.findall(r"^FROM (\S+)", text, re.M))
    copied = [source for line in re.findall(r"^COPY (?:--\S+ )*(.+) \S+$", text, re.M) for source in line.split()]
    assert [source for source in copied if not (ROOT / source).exists()] == []


def test_snapshots_go_to_the_bucket_that_opensearch_may_write_and_nights_name_its_repository() -> None:
    opensearch, seaweedfs = SERVICES["opensearch"]["environment"], SERVICES["seaweedfs"]["environment"]
    assert {name: opensearch[name] for name in opensearch if name.startswith("S3_")}.items() <= seaweedfs.items()
    assert opensearch["S3_SNAPSHOTS_BUCKET"] != seaweedfs["S3_BUCKET"]
    assert opensearch["OPENSEARCH_REPOSITORY"] == SERVICES["airflow-scheduler"]["environment"]["FILINGFOREST_OPENSEARCH_REPOSITORY"]
    settings = yaml.safe_load((ROOT / "infra" / "compose" / "opensearch.yml").read_text(encoding="utf-8"))
    assert settings["s3.client.default.endpoint"] == COMPOSE["x-settings"]["FILINGFOREST_S3_ENDPOINT"]
    assert settings["s3.client.default.path_style_access"] is True
    image = (ROOT / SERVICES["opensearch"]["build"]["dockerfile"]).read_text(encoding="utf-8")
    assert "opensearch-plugin install --batch repository-s3" in image
    assert {name for name, s in SERVICES.items() if "S3_SNAPSHOTS_KEY" in s.get("environment", {})} == {"opensearch", "seaweedfs"}


@pytest.mark.parametrize("name", ["airflow", "reader"])
def test_whatever_an_image_installs_has_a_version(name: str) -> None:
    """Every requirement of the extras that it names, and of those that they name, stands in the constraints that it takes."""
    text = (ROOT / "infra" / "images" / f"{name}.Dockerfile").read_text(encoding="utf-8")
    given = dict(re.findall(r"^ARG (\w+)=(\S+)", text, re.M))
    extras, constraints = re.findall(r'pip install .*\[(\S+)\]" -c "?(\S+?)"?(?:\s|$)', text)[0]
    for variable, value in given.items():
        extras, constraints = extras.replace(f"${{{variable}}}", value), constraints.replace(f"${{{variable}}}", value)
    pinned = {
        _plain(line.partition("==")[0]) for line in (ROOT / "constraints" / Path(constraints).name).read_text().splitlines() if "==" in line
    }
    wanted = {_plain(requirement) for extra in extras.split(",") for requirement in _requirements(extra)}
    assert len(wanted) > 6
    assert wanted - pinned == set()


def _requirements(extra: str) -> set[str]:
    of = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    found: set[str] = set()
    for requirement in of[extra]:
        inner = re.match(r"filingforest\[(.+)\]", requirement)
        found |= {x for each in inner[1].split(",") for x in _requirements(each)} if inner else {requirement}
    return found


def _plain(requirement: str) -> str:
    return re.split(r"[\[<>=! ]", requirement.lower().replace("_", "-"))[0]


def test_settings_named_in_the_environment_are_settings() -> None:
    from filingforest.config import Settings

    for service in SERVICES.values():
        given = {k: "1" for k in service.get("environment", {}) if k.startswith("FILINGFOREST_")}
        numbers = {k: v for k, v in given.items() if not k.endswith(("GENERATOR", "METHOD"))}
        Settings.load(Path("/dev/null"), env=numbers)
