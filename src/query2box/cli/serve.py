"""`q2b serve`."""

from __future__ import annotations

from pathlib import Path

import typer

from query2box.cli.ask import STORED_OPTION, warn_of_guesses
from query2box.cli.output import stderr


def serve(
    run: Path = typer.Argument(help="A run folder."),
    host: str = typer.Option("127.0.0.1", "--host", help="The address to listen at."),
    port: int = typer.Option(8000, "--port", min=0, max=65_535, help="0: any that is free."),
    token_file: Path | None = typer.Option(
        None, "--token-file", help="A file with the token that clients must show."
    ),
    insecure: bool = typer.Option(
        False, "--insecure", help="Listen where other machines reach it, without a token."
    ),
    stored: str = STORED_OPTION,
) -> None:
    """Serve a run: HTTP API, SPARQL endpoint and web page.

    Example: q2b serve runs/countries --port 8000
    """
    from query2box.errors import ConfigError

    try:
        from query2box.serving import server
        from query2box.serving.desk import Desk
    except ImportError as error:
        raise ConfigError(f"serving needs {error.name}: pip install 'query2box[server]'") from error

    token = None if token_file is None else server.read_token(token_file)
    server.check_bind(host, token, insecure)
    with server.listen(host, port) as listening:
        with stderr().status("loading ..."):
            desk = Desk(run, stored)  # type: ignore[arg-type]
        warn_of_guesses(desk.served.reasoner)
        address = server.address_of(listening)
        server.serve(
            desk,
            listening,
            token,
            ready=lambda: stderr().print(f"listening at {address}", soft_wrap=True),
        )
