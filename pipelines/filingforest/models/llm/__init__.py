"""Summaries and sub-questions by a language model behind vLLM's OpenAI API (docs/llm.md). The library needs no part of vLLM itself."""
