"""Pods with a GPU for the tasks that embed, where tasks are pods (KubernetesExecutor); elsewhere nothing changes.

The file that the environment names says what differs from the chart's worker pod, which has database, secrets, service account and
volumes. So one worker template serves both kinds of tasks, and an installation without GPUs names no file.
"""

from __future__ import annotations

import os
from typing import Any

GPU_POD = "FILINGFOREST_GPU_POD"


def gpu() -> dict[str, Any]:
    """The `executor_config` of a task that embeds: {} where no file is named. Errors: AirflowException for one that is not there."""
    path = os.environ.get(GPU_POD)
    if not path:
        return {}
    from airflow.providers.cncf.kubernetes.pod_generator import PodGenerator

    return {"pod_override": PodGenerator.deserialize_model_file(path)}
