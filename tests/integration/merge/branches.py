"""A repository whose two branches both recorded the baseline."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.unit.baseline.baseline_factories import recorded_as

ANSWERS = {f"q{number}": f"answer {number}" for number in range(6)}
CONFIG = '[policy]\ndataset = "golden.jsonl"\nbaseline = "{baseline}"\nsystems = ["http"]\n'


@dataclass(frozen=True)
class Repository:
    """A clone with a baseline on its main branch."""

    root: Path
    baseline: str = "baselines/docs.json"

    @property
    def file(self) -> Path:
        return self.root / self.baseline

    def git(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
        return subprocess.run(
            ["git", *identity, *arguments],
            cwd=self.root,
            check=False,
            capture_output=True,
            text=True,
        )

    def begin(self) -> None:
        self.git("init", "-q", "-b", "main")
        (self.root / "ragate.toml").write_text(CONFIG.format(baseline=self.baseline))
        self.record(ANSWERS)

    def record(self, answers: Mapping[str, str], *, day: int = 1, **manifest: Any) -> None:
        """Commit a baseline."""
        self.commit(recorded_as(answers, day=day, **manifest))

    def commit(self, content: bytes) -> None:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_bytes(content)
        self.git("add", "-A")
        done = self.git("commit", "-q", "-m", "recorded")
        assert done.returncode == 0, done.stderr

    def both(self, ours: Mapping[str, str], theirs: Mapping[str, str], **manifest: Any) -> None:
        """Record on main and on a branch of it; main is checked out in the end."""
        self.git("checkout", "-q", "-b", "change")
        self.record(theirs, day=3, **manifest)
        self.git("checkout", "-q", "main")
        self.record(ours, day=2)

    def answers(self) -> dict[str, str]:
        samples = json.loads(self.file.read_text())["samples"]
        return {key: sample["outputs"][0]["answer"] for key, sample in samples.items()}
