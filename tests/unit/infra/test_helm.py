"""Helm values without a cluster: the structure that the chart takes, images at versions, secrets by name, settings that there are."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from filingforest.config import Settings

ROOT = Path(__file__).resolve().parents[3]
VALUES: dict[str, Any] = yaml.safe_load((ROOT / "infra" / "helm" / "values.yaml").read_text(encoding="utf-8"))
POD: dict[str, Any] = yaml.safe_load((ROOT / "infra" / "helm" / "gpu-pod.yaml").read_text(encoding="utf-8"))
DOCKERFILE = (ROOT / "infra" / "images" / "airflow.Dockerfile").read_text(encoding="utf-8")


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


def test_the_gpu_pod_is_what_differs_from_the_charts_worker_and_no_more() -> None:
    """What it does not name (service account, secrets, volumes, user) is the worker's: an override that named it would part from it."""
    (container,) = POD["spec"]["containers"]
    assert set(POD["spec"]) == {"nodeSelector", "tolerations", "containers"}
    assert set(container) == {"name", "image", "env", "resources"}
    assert (container["name"], container["resources"]["limits"]["nvidia.com/gpu"]) == ("base", "1")
    repository, _, tag = container["image"].rpartition(":")
    assert (repository, tag) == (VALUES["images"]["airflow"]["repository"] + "-gpu", VALUES["images"]["airflow"]["tag"])


def test_the_values_name_the_gpu_pod_where_the_image_has_it() -> None:
    assert VALUES["executor"] == "KubernetesExecutor"
    (named,) = [env["value"] for env in VALUES["env"] if env["name"] == "FILINGFOREST_GPU_POD"]
    copied = re.findall(r"^COPY .*infra/helm/gpu-pod.yaml (\S+)$", DOCKERFILE, re.M)
    assert copied == [named]
    build = re.search(r"^# Its image.*?\. *$", (ROOT / "infra" / "helm" / "gpu-pod.yaml").read_text(encoding="utf-8"), re.M | re.S)
    assert build
    given = dict(re.findall(r"--build-arg (\w+)=(\S+)", build[0]))
    assert set(given) == set(re.findall(r"^ARG (\w+)=", DOCKERFILE, re.M))
    assert "pipeline" in given["EXTRAS"].split(",")
    assert (ROOT / "constraints" / f"{given['CONSTRAINTS']}.txt").is_file()


def test_only_what_embeds_asks_for_it() -> None:
    source = (ROOT / "dags" / "filings_nightly.py").read_text(encoding="utf-8")
    assert re.findall(r"executor_config=pods.gpu\(\)\)\n    def (\w+)", source) == ["chunk_and_embed"]
