"""FLAM, the lexicon map: which Items a question's finance terms point to, and how hits are split over them (arXiv 2509.12042)."""
