"""The version of the tables' schema, apart from `schema.py` so that a reader can compare it without importing pyarrow.

Added columns raise MINOR; changed or removed ones raise MAJOR. MIN_READER is the oldest MAJOR whose readers can still read
what is written now.
"""

from __future__ import annotations

SCHEMA_MAJOR = 1
SCHEMA_MINOR = 1
MIN_READER = 1
