"""The GPU profiles name only options that vLLM knows, and fit the client's settings."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from filingforest.config import LlmSettings
from infra.servers import vllm_cpu

PROFILES = sorted((Path(__file__).parents[3] / "infra" / "vllm").glob("*.yaml"))
ASK = """
import json
from vllm.entrypoints.launchers.cli_args import make_arg_parser
from vllm.utils.argparse_utils import FlexibleArgumentParser
print(json.dumps([option for action in make_arg_parser(FlexibleArgumentParser())._actions for option in action.option_strings]))
"""


def options(path: Path) -> dict[str, str]:
    """`name: value` lines, without comments."""
    lines = [line.partition("#")[0].strip() for line in path.read_text("utf-8").splitlines()]
    return {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in lines if line)}


@pytest.mark.parametrize("path", PROFILES, ids=lambda path: path.stem)
def test_profiles_leave_room_for_prompt_and_answer(path: Path) -> None:
    given = options(path)
    assert int(given["max-model-len"]) >= 8 * LlmSettings().max_tokens_limit
    assert int(given["max-num-seqs"]) >= LlmSettings().max_in_flight
    assert given["enable-prefix-caching"] == "true"


@pytest.mark.slow
@pytest.mark.skipif(not vllm_cpu.installed(), reason="no vLLM: `make setup-vllm` installs it (3 GB)")
def test_vllm_knows_every_option() -> None:
    python = vllm_cpu.environment() / "bin" / "python"
    output = subprocess.run([str(python), "-c", ASK], check=True, capture_output=True, text=True).stdout
    known = set(json.loads(output.splitlines()[-1]))
    for path in PROFILES:
        assert {f"--{name}" for name in options(path)} <= known, path
