"""Ask logical questions of incomplete knowledge graphs (Query2box)."""

__version__ = "0.1.0"
