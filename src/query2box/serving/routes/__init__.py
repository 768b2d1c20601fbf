"""The routes, one file a subject; each file has a `router`."""

from __future__ import annotations

from fastapi import APIRouter

from query2box.serving.routes import (
    answer,
    boxes,
    entities,
    examples,
    explain,
    graph,
    health,
    metrics,
    question,
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
    question.router,
    boxes.router,
    examples.router,
)
"""Everything that is served but for the page's files."""
