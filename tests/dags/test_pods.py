"""The executor's configuration of tasks that embed: nothing without a file, the file's pod with one."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest

from filingforest_airflow import pods
from infra.airflow_local import ROOT

FILE = str(ROOT / "infra" / "helm" / "gpu-pod.yaml")


def test_nothing_where_no_file_is_named(monkeypatch: pytest.MonkeyPatch, dag: Any) -> None:
    monkeypatch.delenv(pods.GPU_POD, raising=False)
    assert pods.gpu() == {}
    assert all(not task.executor_config for task in dag.tasks)


def test_the_files_pod_where_one_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The provider stands in the image and not here: what is asked of it is looked at."""

    class PodGenerator:
        @staticmethod
        def deserialize_model_file(path: str) -> str:
            return f"pod of {path}"

    module = ModuleType("airflow.providers.cncf.kubernetes.pod_generator")
    module.PodGenerator = PodGenerator  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setenv(pods.GPU_POD, FILE)
    assert pods.gpu() == {"pod_override": f"pod of {FILE}"}
