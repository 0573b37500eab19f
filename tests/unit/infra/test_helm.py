"""Helm values without a cluster: the structure that the chart takes, images at versions, secrets by name, settings that there are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from filingforest.config import Settings

ROOT = Path(__file__).resolve().parents[3]
VALUES: dict[str, Any] = yaml.safe_load((ROOT / "infra" / "helm" / "values.yaml").read_text(encoding="utf-8"))
POD: dict[str, Any] = yaml.safe_load((ROOT / "infra" / "helm" / "gpu-pod.yaml").read_text(encoding="utf-8"))


def test_values_have_the_structure_that_is_written_down() -> None:
    schema = json.loads((ROOT / "infra" / "schemas" / "airflow-values.json").read_text(encoding="utf-8"))
    assert [f"{list(e.path)}: {e.message}" for e in jsonschema.Draft202012Validator(schema).iter_errors(VALUES)] == []


def test_no_secret_stands_in_them_and_nothing_with_a_default_password_runs() -> None:
    assert not any(word in env["name"] for env in VALUES["env"] for word in ("PASSWORD", "SECRET", "TOKEN", "KEY"))
    assert VALUES["postgresql"] == VALUES["redis"] == VALUES["createUserJob"] == {"enabled": False}


def test_settings_in_the_environment_are_settings() -> None:
    pod = {env["name"]: env["value"] for env in POD["spec"]["containers"][0]["env"]}
    given = pod | {env["name"]: env["value"] for env in VALUES["env"] if env["name"].startswith("FILINGFOREST_OPENSEARCH")}
    assert Settings.load(Path("/dev/null"), env=given).embed.batch_size == 128


def test_the_gpu_pod_asks_for_one_gpu_and_is_no_root() -> None:
    (container,) = POD["spec"]["containers"]
    assert (container["name"], container["resources"]["limits"]["nvidia.com/gpu"]) == ("base", "1")
    assert POD["spec"]["securityContext"]["runAsNonRoot"] is True
    assert container["image"].rpartition(":")[2] == VALUES["images"]["airflow"]["tag"]
