"""The command line: one file a verb, each a thin call of the library."""

from __future__ import annotations

import sys


def main() -> None:
    """Run `q2b`; errors become one line on stderr and exit code 2."""
    from query2box.cli.app import app
    from query2box.errors import Query2boxError, QueryError

    try:
        app(prog_name="q2b")
    except Query2boxError as error:
        pointer = error.pointer() if isinstance(error, QueryError) else None
        if pointer:
            sys.stderr.write(pointer + "\n")
        sys.stderr.write(f"q2b: {error}\n")
        sys.exit(2)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        sys.stderr.write(f"q2b: {where}{error.strerror or error}\n")
        sys.exit(2)
