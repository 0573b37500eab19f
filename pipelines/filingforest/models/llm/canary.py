"""A question at start whose only valid answer no model would give of itself: it proves that the schema binds the server.

Versions that do not know a constraint's name answer 200 with free text, so nothing but a proof will do.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from filingforest.errors import ConfigError, LlmUnconstrained
from filingforest.models.llm.client import ChatClient
from filingforest.models.llm.request import ChatRequest, Shape, Strict

REMEDY = (
    "use vLLM 0.12 or later with its structured outputs on (not `--structured-outputs-config.backend none`), and no proxy that drops"
    " `response_format`"
)


class Canary(Strict):
    """The same made-up word, twice."""

    colours: list[Literal["quokka-7319"]] = Field(min_length=2, max_length=2)


SHAPE = Shape("canary", Canary)
QUESTION = ChatRequest((("system", "Answer in plain words."), ("user", "Which two colours has the sky? Answer in one sentence.")), SHAPE)


def check_constraint(client: ChatClient) -> None:
    """Errors: LlmUnconstrained where the server ignores the schema, and the client's own."""
    got = client.complete(QUESTION, 64)
    try:
        SHAPE.read(got.text)
    except ValueError:
        message = f"{client.base} ignores the JSON schema: it answered {got.text[:80]!r} ({got.finish_reason})"
        raise LlmUnconstrained(message, stage="llm", remedy=REMEDY) from None


def check_server(client: ChatClient) -> int:
    """Tokens of prompt and answer together, of a server that has our model and keeps to schemas.

    Errors: ConfigError where the context is unknown or too small to use, LlmUnconstrained, and the client's own.
    """
    card = client.model_card()
    context = client.settings.context_tokens or int(card.get("max_model_len") or 0)
    if context < 2 * client.settings.max_tokens:
        remedy = "set llm.context_tokens to the model's context, and llm.max_tokens to less than half of it"
        raise ConfigError(
            f"a context of {context} tokens leaves no room for answers of {client.settings.max_tokens}", stage="llm", remedy=remedy
        )
    check_constraint(client)
    return context
