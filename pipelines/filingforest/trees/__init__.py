"""From units to chunks, and from chunks to trees (FinGEAR, arXiv 2509.12042)."""
