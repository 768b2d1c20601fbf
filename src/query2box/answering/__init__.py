"""Consulting a trained model: names in, names out, with how likely and why."""
