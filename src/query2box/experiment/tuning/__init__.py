"""Tuning: trials of the recipe's options, the best of them by validation."""
