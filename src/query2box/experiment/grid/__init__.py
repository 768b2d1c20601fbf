"""Experiments: a grid of systems, datasets and seeds, trained and judged cell by cell."""
