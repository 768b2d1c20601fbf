"""The model of the paper: questions as boxes, entities as points."""
