"""Runs: their configuration, their journal, and what is told of them afterwards."""
