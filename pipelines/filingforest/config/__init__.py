"""Where every setting has its type, default and bound: one file a part of the pipeline, `load.py` for where values come from.

`filingforest.toml` at the top of the repository lists and explains every key. Light imports: readers use this package too.
"""

from filingforest.config.llm import LlmSettings
from filingforest.config.load import FILE_NAME, PREFIX
from filingforest.config.opensearch import OpenSearchSettings
from filingforest.config.publishing import PublishSettings
from filingforest.config.retrieval import QuerySettings, RerankSettings, RetrievalSettings
from filingforest.config.serve import ServeSettings
from filingforest.config.settings import Settings, check, every_key
from filingforest.config.sources import MAX_EDGAR_RATE, SEC_DATA_URL, SEC_URL, EdgarSettings, NightSettings
from filingforest.config.stages import ChunkSettings, EmbedSettings, FlamSettings, ParseSettings, TreesSettings

__all__ = [
    "FILE_NAME",
    "MAX_EDGAR_RATE",
    "PREFIX",
    "SEC_DATA_URL",
    "SEC_URL",
    "ChunkSettings",
    "EdgarSettings",
    "EmbedSettings",
    "FlamSettings",
    "LlmSettings",
    "NightSettings",
    "OpenSearchSettings",
    "ParseSettings",
    "PublishSettings",
    "QuerySettings",
    "RerankSettings",
    "RetrievalSettings",
    "ServeSettings",
    "Settings",
    "TreesSettings",
    "check",
    "every_key",
]
