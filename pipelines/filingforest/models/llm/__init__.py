"""Summaries and sub-questions by a language model behind vLLM's OpenAI API (docs/llm.md). The library needs no part of vLLM itself."""

from importlib.util import find_spec

from filingforest.errors import ConfigError

if find_spec("pydantic") is None:
    raise ConfigError("pydantic is not installed", stage="llm", remedy="pip install 'filingforest[llm]'")
