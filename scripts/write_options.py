"""Write docs/options.md from the config classes, so that it cannot drift from them."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path
from textwrap import dedent

from query2box.experiment.config import PRESETS, RunConfig, ValidationConfig
from query2box.model.config import ModelConfig
from query2box.training.config import TrainingConfig

HEADER = """\
# Options

Every option of `q2b train --set key=value`, with its value under the two presets.
`--model` sets `center`, `offset`, `dim` and `structures` as its system needs them.
Made by `scripts/write_options.py`.
"""
OWN = ("threads", "device")


def described(config: type) -> dict[str, str]:
    """Each field's comment: the string that follows it."""
    body = ast.parse(dedent(inspect.getsource(config))).body[0].body  # type: ignore[attr-defined]
    found = {}
    for number, node in enumerate(body):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            after = body[number + 1] if number + 1 < len(body) else None
            text = ast.get_docstring(ast.Module([after], [])) if after is not None else None
            found[node.target.id] = " ".join((text or "").split())
    return found


def table(config: type, fast: object, paper: object, only: tuple[str, ...] = ()) -> str:
    rows = ["| option | fast | paper | meaning |", "|---|---|---|---|"]
    for name, text in described(config).items():
        if not only or name in only:
            values = (getattr(preset, name) for preset in (fast, paper))
            shown = (" ".join(v) if isinstance(v, tuple) else v for v in values)
            rows.append(f"| `{name}` | " + " | ".join(f"`{v}`" for v in shown) + f" | {text} |")
    return "\n".join(rows)


def document() -> str:
    (model, training), (paper_model, paper_training) = PRESETS["fast"], PRESETS["paper"]
    parts = {
        "Model": table(ModelConfig, model, paper_model),
        "Training": table(TrainingConfig, training, paper_training),
        "Validation": table(ValidationConfig, ValidationConfig(), ValidationConfig()),
        "Run": table(RunConfig, RunConfig(), RunConfig(), OWN),
    }
    return HEADER + "".join(f"\n## {name}\n\n{text}\n" for name, text in parts.items())


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "options.md"
    target.write_text(document(), "utf-8")
