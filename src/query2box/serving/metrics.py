"""What the server counts of itself, for Prometheus."""

from __future__ import annotations

import time
from functools import partial

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from query2box.serving.desk import Desk

BUCKETS = (0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Seconds."""


class Metrics:
    """The figures of one application, in a registry of its own."""

    media_type = CONTENT_TYPE_LATEST

    def __init__(self, desk: Desk) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self.requests = Counter(
            "q2b_requests", "Requests served.", ["path", "status"], registry=self.registry
        )
        self.seconds = Histogram(
            "q2b_request_seconds",
            "How long requests took.",
            ["path"],
            buckets=BUCKETS,
            registry=self.registry,
        )
        waiting = Gauge("q2b_waiting", "What waits for a thread.", ["lane"], registry=self.registry)
        for lane in desk.lanes:
            waiting.labels(lane.name).set_function(partial(len, lane))
        batches = Gauge(
            "q2b_scan_questions", "Questions that the last scan answered.", registry=self.registry
        )
        batches.set_function(lambda: desk.answering.last)

    def text(self) -> bytes:
        """The figures as Prometheus reads them."""
        return generate_latest(self.registry)


class Metering:
    """Counts each request by its route and how it ended."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app = app
        self.metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on and look at the clock."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        status = 500
        began = time.perf_counter()

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, watched)
        finally:
            # The route, not the address: whoever calls must not make up labels.
            path = getattr(scope.get("route"), "path", None) or "other"
            self.metrics.requests.labels(path, status).inc()
            self.metrics.seconds.labels(path).observe(time.perf_counter() - began)
