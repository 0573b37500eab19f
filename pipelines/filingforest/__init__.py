"""filingforest: makes filings, contracts and news findable, down to the passage, table and tagged number."""

__version__ = "0.1.0"
