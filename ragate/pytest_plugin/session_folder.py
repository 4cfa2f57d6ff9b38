"""Where all processes of one session of pytest find its run."""

import tempfile
from pathlib import Path

import pytest

FOLDER = pytest.StashKey[Path]()


def session_folder(config: pytest.Config) -> Path:
    """Return the folder that all processes of this session share, made at the first call."""
    if FOLDER not in config.stash:
        workerinput = getattr(config, "workerinput", {})
        named = workerinput.get("ragate_folder")
        config.stash[FOLDER] = Path(named or tempfile.mkdtemp(prefix="ragate-pytest-"))
    return config.stash[FOLDER]
