"""docs/options.md says what the config classes say."""

from __future__ import annotations

import runpy
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def test_the_document_is_what_the_script_writes() -> None:
    script = runpy.run_path(str(ROOT / "scripts" / "write_options.py"))
    assert (ROOT / "docs" / "options.md").read_text("utf-8") == script["document"]()
