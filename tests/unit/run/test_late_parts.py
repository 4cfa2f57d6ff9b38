"""What a judge of somebody's own says is imported late is there before foreign code is started."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ragate.run import late_parts
from tests.unit.config.config_factories import judged, parse

JUDGE = """
LATE_MODULES = ("late_judge.no_such", "late_judge.words")
def create(settings, resources): ...
"""


def test_a_judge_names_what_is_loaded_before_foreign_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "late_judge").mkdir()
    (tmp_path / "late_judge/judge.py").write_text(JUDGE)
    (tmp_path / "late_judge/words.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(late_parts, "expect", lambda load: load())
    policy = parse(judged('[policy.judge]\nuse = "late_judge.judge"\n')).policy

    late_parts.expect_late_parts(policy, recording=False)

    assert "late_judge.words" in sys.modules
    for name in ("late_judge.judge", "late_judge.words", "late_judge"):
        del sys.modules[name]
