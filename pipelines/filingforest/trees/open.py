"""Which generator a setting means. Opened when it is first needed: one that asks a server must not do so for a run that only looks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module

from filingforest.config import Settings
from filingforest.errors import ConfigError
from filingforest.flam.count import TermCounter
from filingforest.trees.generator import Generator

# name -> module:function(settings, terms) -> Generator
GENERATORS: Mapping[str, str] = {
    "extractive": "filingforest.trees.extractive:open_generator",
    "vllm": "filingforest.models.llm.open:open_generator",
}


def open_generator(settings: Settings, terms: TermCounter) -> Generator:
    """The generator that `trees.generator` names. Errors: ConfigError for an unknown name, and the generator's own."""
    name = settings.trees.generator
    if name not in GENERATORS:
        raise ConfigError(f"no generator '{name}'", stage="trees", remedy=f"trees.generator is one of {', '.join(GENERATORS)}")
    module, _, function = GENERATORS[name].partition(":")
    try:
        made: Callable[[Settings, TermCounter], Generator] = getattr(import_module(module), function)
    except ModuleNotFoundError as error:
        raise ConfigError(f"{error.name} is not installed", stage="trees", remedy="pip install 'filingforest[llm]'") from error
    return made(settings, terms)
