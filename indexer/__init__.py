"""Parsed tables -> immutable versioned segments, the catalogue that names them, and the value index."""
