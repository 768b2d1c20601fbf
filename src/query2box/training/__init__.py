"""Fitting a model to sampled questions."""
