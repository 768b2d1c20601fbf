"""How many questions a second a server answers, how quickly, and what it does past that.

    python benchmarks/serving.py RUN [--rate 200] [--seconds 60] [--overload 4] [--json FILE]

Starts `q2b serve RUN` and asks it over keep-alive connections: questions of all nine
structures sampled from the run's graph, as formulas, as SPARQL and as nested lists,
at a steady rate that does not wait for answers. Then it finds out how many the server
can answer, and asks so many times more. The bars are no error and a 99th percentile
under 250 ms at 200 a second; past its capacity nothing but 429 and 503, and no more
memory than before.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import psutil

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
CONNECTIONS = 128
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

    statuses: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    """Of those that were answered, from when they were due."""

    def to_json(self) -> dict[str, object]:
        found = np.array(self.seconds or [np.nan]) * 1000
        return {
            "sent": sum(self.statuses.values()),
            "ok": self.statuses["200"],
            "others": {status: n for status, n in self.statuses.items() if status != "200"},
            **{f"p{p}_ms": round(float(np.percentile(found, p)), 1) for p in (50, 95, 99)},
        }


class Client:
    """Connections that are kept; a request takes a free one."""

    def __init__(self, host: str, port: int, connections: int = CONNECTIONS) -> None:
        self.place = host, port
        self.free: asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter] | None]
        self.free = asyncio.Queue()
        for _ in range(connections):
            self.free.put_nowait(None)  # not yet open

    async def post(self, body: bytes) -> str:
        connection = await self.free.get()
        try:
            reader, writer = connection or await asyncio.open_connection(*self.place)
            connection = None  # until it is known to be whole
            writer.write(
                b"POST /api/answer HTTP/1.1\r\nHost: q2b\r\nContent-Type: application/json\r\n"
                b"Content-Length: %d\r\n\r\n" % len(body) + body
            )
            head = await reader.readuntil(b"\r\n\r\n")
            fields = dict(
                line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:] if b": " in line
            )
            await reader.readexactly(int(fields[b"content-length"]))
            connection = reader, writer
            return head.split(b" ", 2)[1].decode()
        except (OSError, asyncio.IncompleteReadError) as error:
            return type(error).__name__
        finally:
            self.free.put_nowait(connection)


async def send(client: Client, bodies: list[bytes], rate: float, seconds: float) -> Outcome:
    """Ask at a steady rate, whether answers come or not."""
    outcome = Outcome()

    async def one(body: bytes, due: float) -> None:
        try:
            status = await asyncio.wait_for(client.post(body), PATIENCE)
        except TimeoutError:
            status = "hung"
        outcome.statuses[status] += 1
        if status == "200":
            outcome.seconds.append(time.perf_counter() - due)

    began = time.perf_counter()
    tasks = set()
    for number in range(int(rate * seconds)):
        due = began + number / rate
        if (wait := due - time.perf_counter()) > 0:
            await asyncio.sleep(wait)
        task = asyncio.create_task(one(bodies[number % len(bodies)], due))
        tasks.add(task)
        task.add_done_callback(tasks.discard)
    await asyncio.gather(*tasks)
    return outcome


async def capacity(client: Client, bodies: list[bytes], seconds: float) -> float:
    """Answers a second where a few dozen clients ask as soon as they are answered."""
    end = time.perf_counter() + seconds
    done = 0

    async def keep_asking(first: int) -> None:
        nonlocal done
        number = first
        while time.perf_counter() < end:
            done += await client.post(bodies[number % len(bodies)]) == "200"
            number += 1

    await asyncio.gather(*(keep_asking(97 * i) for i in range(32)))
    return done / seconds


async def measure(address: str, process: psutil.Process, options: argparse.Namespace) -> dict:
    graph = load_folder(options.run / "graph").graph
    bodies = sample_bodies(graph)
    host, port = address.removeprefix("http://").rsplit(":", 1)
    client = Client(host, int(port))

    def memory() -> int:
        return process.memory_info().rss // 2**20

    await send(client, bodies, 50, 2)  # whatever is done only once
    results: dict[str, object] = {"rate": options.rate, "seconds": options.seconds}
    results["rss_mb_before"] = memory()
    results["steady"] = (await send(client, bodies, options.rate, options.seconds)).to_json()
    results["rss_mb_after"] = memory()
    if options.overload:
        can = await capacity(client, bodies, min(10.0, options.seconds))
        results["capacity"] = round(can)
        # As many connections as there are requests: none waits for a free one.
        crowd = Client(host, int(port), 1024)
        half = options.seconds / 2
        first = await send(crowd, bodies, options.overload * can, half)
        results["rss_mb_overloaded"] = memory()
        second = await send(crowd, bodies, options.overload * can, half)
        results["overload"] = [first.to_json(), second.to_json()]
        results["rss_mb_overloaded_still"] = memory()
        results["afterwards"] = (await send(client, bodies, options.rate, 5)).to_json()
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
            results = asyncio.run(measure(line.split()[-1], psutil.Process(server.pid), options))
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
