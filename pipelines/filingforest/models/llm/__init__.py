"""Summaries and sub-questions by a language model behind vLLM's OpenAI API (docs/llm.md). The library needs no part of vLLM itself.

What only reads or forgets kept answers does without the `llm` extra: a takedown must work wherever something is published.
"""
