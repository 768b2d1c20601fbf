"""How many questions a second a server answers, how quickly, and what it does past that.

    python benchmarks/serving.py RUN [--rate 200] [--seconds 60] [--overload 4] [--json FILE]

Starts `q2b serve RUN` and asks it over keep-alive connections: questions of all nine
structures sampled from the run's graph, as formulas, as SPARQL and as nested lists,
at a steady rate that does not wait for answers. Then it finds out how many the server
can answer, by asking as soon as it is answered, and asks so many times more for half as
long, twice, over as many connections as are needed.

Latencies count from when a question was due, so a client that is late makes them longer,
never shorter. The bars are no error and a 99th percentile under 250 ms at 200 a second;
past its capacity nothing but 429 and 503, no lost connection, and no more memory than
before. `server_cpu_ms` is the processor time that the server spent on a request, which
says more than latencies do where other programs run as well.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import re
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import numpy as np
import psutil
import uvloop

from query2box.graph.files import atomic_text
from query2box.graph.folder import load_folder
from query2box.graph.knowledge_graph import KnowledgeGraph
from query2box.query.codec import to_json
from query2box.query.names import unbind
from query2box.query.render import render, render_sparql
from query2box.query.skeleton import STRUCTURES
from query2box.workload.sampler import sample_queries

FORMS = ("formula", "formula", "nodes", "sparql")
"""How questions are written, one after the other."""
ASKERS = 32
"""Clients that find out the capacity."""
CONNECTIONS = 900
"""At most; most systems let a process open 1,024 files."""
PATIENCE = 30.0
"""Seconds after which a request counts as hung."""


def sample_bodies(graph: KnowledgeGraph, each: int = 100) -> list[bytes]:
    """Requests for questions of all structures, in random order."""
    bodies = []
    for skeleton in STRUCTURES.values():
        group = sample_queries(graph.train.adjacency, skeleton, each, 0)
        for row in range(len(group)):
            query, form = group.query(row), FORMS[row % len(FORMS)]
            asked = {
                "formula": lambda q=query: render(q, graph),
                "sparql": lambda q=query: render_sparql(q, graph),
                "nodes": lambda q=query: to_json(unbind(q, graph)),
            }[form]()
            bodies.append(json.dumps({"query": asked, "k": 10}).encode())
    order = np.random.default_rng(0).permutation(len(bodies))
    return [bodies[i] for i in order]


@dataclass
class Outcome:
    """What became of the requests that were sent."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    """By status, or by what went wrong: from when a request was due to when it was over."""

    def add(self, status: str, seconds: float) -> None:
        self.seconds.setdefault(status, []).append(seconds)

    def to_json(self) -> dict[str, object]:
        refused = [*self.seconds.get("429", ()), *self.seconds.get("503", ())]
        return {
            "sent": sum(map(len, self.seconds.values())),
            **{status: len(found) for status, found in sorted(self.seconds.items())},
            **percentiles(self.seconds.get("200", [])),
            **({"refused": percentiles(refused)} if refused else {}),
        }


def percentiles(seconds: list[float]) -> dict[str, float | None]:
    if not seconds:
        return {}
    found = np.percentile(np.array(seconds) * 1000, [50, 95, 99, 100])
    return dict(zip(("p50_ms", "p95_ms", "p99_ms", "max_ms"), found.round(1).tolist(), strict=True))


class Connection(asyncio.Protocol):
    """One connection, with one request on it at a time."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport
        self.open = False
        self._received = b""
        self._status: asyncio.Future[str] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)
        self.open = True

    def connection_lost(self, exc: Exception | None) -> None:
        self.open = False
        self._answer("lost" if exc is None else type(exc).__name__)

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, end, body = self._received.partition(b"\r\n\r\n")
        if not end:
            return
        length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
        if length and len(body) >= int(length[1]):
            self._answer(head[9:12].decode())

    def _answer(self, status: str) -> None:
        if self._status and not self._status.done():
            self._status.set_result(status)

    async def post(self, body: bytes) -> str:
        """HTTP's status, or how the connection ended."""
        self._received = b""
        self._status = asyncio.get_running_loop().create_future()
        self.transport.write(
            b"POST /api/answer HTTP/1.1\r\nHost: q2b\r\nContent-Type: application/json\r\n"
            b"Content-Length: %d\r\n\r\n" % len(body) + body
        )
        return await self._status


class Client:
    """Connections that are kept; a request takes the one that was used last, or a new one.

    Those that the server closes while they are idle, as it may, are forgotten. A
    connection that ends after a request was sent is an error.
    """

    def __init__(self, host: str, port: int) -> None:
        self._place = host, port
        self._idle: list[Connection] = []
        self._room = asyncio.Semaphore(CONNECTIONS)

    async def post(self, body: bytes) -> str:
        async with self._room:
            while self._idle and not self._idle[-1].open:
                self._idle.pop()
            try:
                connection = self._idle.pop() if self._idle else await self._new()
            except OSError as error:
                return type(error).__name__
            try:
                status = await connection.post(body)
            except asyncio.CancelledError:
                connection.transport.abort()  # whatever comes now answers another request
                raise
            if connection.open:
                self._idle.append(connection)
            return status

    async def _new(self) -> Connection:
        _, made = await asyncio.get_running_loop().create_connection(Connection, *self._place)
        return made


async def send(client: Client, bodies: list[bytes], rate: float, seconds: float) -> Outcome:
    """Ask at a steady rate, whether answers come or not."""
    outcome = Outcome()

    async def one(body: bytes, due: float) -> None:
        try:
            status = await asyncio.wait_for(client.post(body), PATIENCE)
        except TimeoutError:
            status = "hung"
        outcome.add(status, time.perf_counter() - due)

    began = time.perf_counter()
    tasks = set()
    for number in range(int(rate * seconds)):
        due = began + number / rate
        if (wait := due - time.perf_counter()) > 0:
            await asyncio.sleep(wait)
        elif number % 64 == 0:
            await asyncio.sleep(0)  # late as we are, what came has to be read
        task = asyncio.create_task(one(bodies[number % len(bodies)], due))
        tasks.add(task)
        task.add_done_callback(tasks.discard)
    await asyncio.gather(*tasks)
    return outcome


async def capacity(client: Client, bodies: list[bytes], seconds: float) -> float:
    """Answers a second where a few dozen clients ask as soon as they are answered."""
    began = time.perf_counter()
    done = 0

    async def keep_asking(number: int) -> None:
        nonlocal done
        while time.perf_counter() < began + seconds:
            # Not `done += await ...`, which would add to what `done` was before the wait.
            status = await client.post(bodies[number % len(bodies)])
            done += status == "200"
            number += 1

    await asyncio.gather(*(keep_asking(97 * i) for i in range(ASKERS)))
    return done / (time.perf_counter() - began)


async def measure(address: str, process: psutil.Process, options: argparse.Namespace) -> dict:
    graph = load_folder(options.run / "graph").graph
    bodies = sample_bodies(graph)
    host, port = address.removeprefix("http://").rsplit(":", 1)
    client = Client(host, int(port))

    def memory() -> int:
        return process.memory_info().rss // 2**20

    async def sent(rate: float, seconds: float) -> dict[str, object]:
        """What became of questions at a rate, and what they cost and left behind."""
        before, own = sum(process.cpu_times()[:2]), time.process_time()
        outcome = await send(client, bodies, rate, seconds)
        requests = max(int(rate * seconds), 1)
        server = sum(process.cpu_times()[:2]) - before
        return {
            **outcome.to_json(),
            "server_cpu_ms": round(1000 * server / requests, 2),
            "client_cpu_ms": round(1000 * (time.process_time() - own) / requests, 2),
            "rss_mb": memory(),
        }

    await sent(50, 2)  # whatever is done only once
    results: dict[str, object] = {"rate": options.rate, "seconds": options.seconds}
    results["rss_mb_before"] = memory()
    results["steady"] = await sent(options.rate, options.seconds)
    if options.overload:
        can = await capacity(client, bodies, min(10.0, options.seconds))
        results["capacity"] = round(can)
        results["rss_mb_at_capacity"] = memory()
        results["overload"] = [
            await sent(options.overload * can, options.seconds / 2) for _ in range(2)
        ]
        results["afterwards"] = await sent(options.rate, 5)
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path)
    parser.add_argument("--rate", type=float, default=200.0, help="questions a second")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--overload", type=float, default=4.0, help="times its capacity; 0: not")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the results here")
    options = parser.parse_args()
    code = "from query2box.cli import main; main()"
    command = [sys.executable, "-c", code, "serve", str(options.run), "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        try:
            line = next(line for line in server.stderr or () if "listening at" in line)
            process = psutil.Process(server.pid)
            with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
                results = runner.run(measure(line.split()[-1], process, options))
        finally:
            server.terminate()
    results = {"python": platform.python_version(), "cores": os.cpu_count(), **results}
    text = json.dumps(results, indent=2)
    print(text)
    if options.json:
        with atomic_text(options.json) as out:
            out.write(text + "\n")


if __name__ == "__main__":
    main()
