"""The routes, one file a subject; each file has a `router`."""

from __future__ import annotations

from fastapi import APIRouter

from query2box.serving.routes import (
    answer,
    entities,
    explain,
    graph,
    health,
    metrics,
    reload,
    sparql,
)

ROUTERS: tuple[APIRouter, ...] = (
    answer.router,
    explain.router,
    entities.router,
    graph.router,
    sparql.router,
    reload.router,
    metrics.router,
    health.router,
)
"""Everything that is served but for the page's files."""
