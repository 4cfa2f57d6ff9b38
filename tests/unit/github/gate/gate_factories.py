"""Configurations for the tests of this folder."""

from __future__ import annotations

from pathlib import Path

from ragate.config import Config, load_config
from tests.projects import ReplayProject


def project(folder: Path, *edits: tuple[str, str], system: str = "") -> Config:
    """Return the configuration of a project with some texts replaced."""
    folder.mkdir()
    ReplayProject(folder, samples=4)
    path = folder / "ragate.toml"
    text = path.read_text()
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    if system:
        text = text.partition("[system]")[0] + system
    path.write_text(text)
    return load_config(path)
