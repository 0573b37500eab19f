"""What is asked and what comes back: a prompt, the shape that its answer must have, and the key under which the answer is kept."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, create_model

from filingforest.config import LlmSettings

QUESTION_CHARS = 160  # about 30 words: longer than anybody asks
KEY_LENGTH = 32


@dataclass(frozen=True)
class Shape:
    """An answer's form: a pydantic model, which makes the JSON schema and checks what comes back against it."""

    name: str
    model: type[BaseModel]

    @cached_property
    def schema(self) -> dict[str, Any]:
        return self.model.model_json_schema()

    def read(self, text: str) -> dict[str, Any]:
        """The answer's fields. Errors: ValueError with what is wrong (pydantic's message, one line)."""
        try:
            return self.model.model_validate_json(text).model_dump()
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            raise ValueError(f"{'.'.join(map(str, first['loc'])) or 'answer'}: {first['msg']}") from None


class Strict(BaseModel):
    """No fields but those that were asked for."""

    model_config = ConfigDict(extra="forbid")


@cache
def summary_shape(chars: int) -> Shape:
    """{"summary": text of 1 to `chars` characters}."""
    text = Annotated[str, StringConstraints(min_length=1, max_length=chars)]
    return Shape("summary", create_model("Summary", __base__=Strict, summary=(text, ...)))


@cache
def questions_shape(most: int) -> Shape:
    """{"questions": 1 to `most` texts of up to QUESTION_CHARS characters}."""
    one = Annotated[str, StringConstraints(min_length=1, max_length=QUESTION_CHARS)]
    several = Annotated[list[one], Field(min_length=1, max_length=most)]
    return Shape("questions", create_model("Questions", __base__=Strict, questions=(several, ...)))


@dataclass(frozen=True)
class ChatRequest:
    """One question to the model. `messages` are (role, text), what is shared with other requests first, what is this one's own last.

    `document` is whose text it holds; it is kept with the answer, which goes when the document is taken down, and decides nothing else.
    """

    messages: tuple[tuple[str, str], ...]
    shape: Shape
    document: str = ""

    def key(self, settings: LlmSettings) -> str:
        """sha256 (first 32 hex digits) of model, revision, prompt, schema, and how is sampled."""
        parts = [settings.model, settings.revision, settings.temperature, settings.seed, self.messages, self.shape.name, self.shape.schema]
        return hashlib.sha256(json.dumps(parts, sort_keys=True, ensure_ascii=False).encode()).hexdigest()[:KEY_LENGTH]

    def body(self, settings: LlmSettings, max_tokens: int) -> dict[str, Any]:
        """The JSON of POST /chat/completions. `guided_json` is not used: vLLM 0.12 and later ignore it without a word."""
        schema = {"name": self.shape.name, "schema": self.shape.schema, "strict": True}
        return {
            "model": settings.model,
            "messages": [{"role": role, "content": text} for role, text in self.messages],
            "response_format": {"type": "json_schema", "json_schema": schema},
            "max_tokens": max_tokens,
            "temperature": settings.temperature,
            "seed": settings.seed,
        }


@dataclass(frozen=True, slots=True)
class Completion:
    """What the server said, with its own counts of tokens; `cached_tokens`: those of the prompt from its prefix cache, if it says."""

    text: str
    finish_reason: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0

    @classmethod
    def of(cls, answer: Mapping[str, Any]) -> Completion:
        """From the server's JSON. Errors: ValueError where it is no chat completion."""
        try:
            choice, usage = answer["choices"][0], answer.get("usage") or {}
            cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0
            text = choice["message"].get("content") or ""
            counts = usage.get("prompt_tokens", 0), usage.get("completion_tokens", 0)
            return cls(str(text), str(choice.get("finish_reason") or ""), int(counts[0]), int(counts[1]), int(cached))
        except (KeyError, IndexError, TypeError, AttributeError) as error:
            raise ValueError(f"no chat completion: {type(error).__name__} {error}") from None
