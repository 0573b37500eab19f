"""Serves publications over HTTP, read-only, for tools that are not Python: `filingforest serve`. Needs the `serve` extra."""
