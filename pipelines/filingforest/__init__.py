"""filingforest: makes filings, contracts and news findable, down to the passage, table and tagged number."""

import os

__version__ = "0.1.0"

# ONNX Runtime (1.32 and later) sends usage to its maker as soon as it is imported, and keeps an id below the user's cache folder. What a
# team asks of its index is nobody else's business: off, unless the environment says otherwise. It can be told before the import only.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
