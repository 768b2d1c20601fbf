"""Judging a model the paper's way (section 4.2)."""
