"""Trains what ranks: the light tier's weights, a cross-encoder, the question encoder. Never needed to read or to publish an index."""
