"""Makes what the OpenAPI description shows of an answer from the reader's own dataclasses, so that a field is named in one place."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import fields
from types import GenericAlias
from typing import Any, get_type_hints

from pydantic import BaseModel, Field, create_model


def shown(name: str, about: str, **shape: Any) -> type[BaseModel]:
    """A model of these fields, all required. `about` describes it."""
    required: dict[str, Any] = {field: given if isinstance(given, tuple) else (given, ...) for field, given in shape.items()}
    return create_model(name, __doc__=about, __module__=__name__, **required)


def derived(
    name: str,
    source: type,
    about: str,
    described: Mapping[str, str] | None = None,
    without: Collection[str] = (),
    **instead: Any,
) -> type[BaseModel]:
    """A model of a dataclass' fields, but those `without`. `described` are descriptions by field, `instead` other types by field."""
    hints, texts = get_type_hints(source), described or {}
    names = [field.name for field in fields(source) if field.name not in without]
    return shown(name, about, **{n: (instead.get(n, hints[n]), Field(description=texts.get(n))) for n in names})


def many(model: Any) -> Any:
    """The type of a list of them."""
    return GenericAlias(list, (model,))
