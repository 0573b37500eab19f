"""Retrieval over trees with budgets by FLAM (FinGEAR, arXiv 2509.12042, section 3), and its variants."""
