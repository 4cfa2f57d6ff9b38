"""docs/action-reference.md: the inputs and outputs of the GitHub Action, from action.yml."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml


def context(root: Path) -> dict[str, Any]:
    """Return what the template gets; an input or output without a description is refused."""
    action = yaml.safe_load((root / "action.yml").read_text(encoding="utf-8"))
    for kind in ("inputs", "outputs"):
        for name, about in action[kind].items():
            if not about.get("description"):
                raise ValueError(f"action.yml: {kind}: {name} has no description")
    return {"inputs": action["inputs"], "outputs": action["outputs"]}
