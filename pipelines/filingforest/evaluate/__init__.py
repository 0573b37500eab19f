"""Questions with known evidence, what retrieval finds of it, and what each part of retrieval is worth."""
