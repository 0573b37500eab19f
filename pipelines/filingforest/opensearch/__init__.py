"""Publications in OpenSearch: loading them (`target.py`), asking them (`backend.py`). opensearch-py comes with the `opensearch` extra."""
