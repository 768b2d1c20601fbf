"""The command line: one file a verb, each a thin call of the library."""

from __future__ import annotations

import os
import signal
import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run `q2b`; whatever goes wrong becomes one line on stderr, bad input exit code 2."""
    # Threads that wait for each other sleep instead of spinning: on a machine that
    # does anything else, spinning makes a training step several times as slow.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    try:
        # As an exception, so that half-written files are removed on the way out.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
        from query2box.cli.app import app

        # Not standalone: wrong usage is told in one line as well.
        code = app(prog_name="q2b", standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
    except Exception as error:  # noqa: BLE001 -- nothing above could tell the user
        sys.exit(_tell(error))


def _tell(error: Exception) -> int:
    """Say on stderr what went wrong; the exit code."""
    from query2box.cli.output import printable
    from query2box.errors import Query2boxError, QueryError

    code = 2
    if isinstance(error, Query2boxError):
        message = str(error)
        pointer = error.pointer() if isinstance(error, QueryError) else None
        for line in (pointer or "").splitlines():
            # One character for one, or the caret would point elsewhere.
            sys.stderr.write("".join(c if c.isprintable() else " " for c in line) + "\n")
    elif isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        message = f"{where}{error.strerror or error}"
    elif isinstance(error, MemoryError):
        message = "there is not enough memory for this"
    elif hasattr(error, "format_message"):
        # Wrong usage; its class has moved between versions of typer.
        message = error.format_message()
        context = getattr(error, "ctx", None)
        if message and context is not None:
            message = f"{message.rstrip('.')} (see {context.command_path} --help)"
    elif os.environ.get("Q2B_TRACEBACK"):
        raise error
    else:
        code = 1
        message = (
            f"this is a mistake in q2b, not in what you did; Q2B_TRACEBACK=1 shows where: "
            f"{type(error).__name__}: {error}"
        )
    if message:
        sys.stderr.write(f"q2b: {printable(' '.join(message.split()))}\n")
    return code
