"""What a judge of somebody's own says is imported late is there before foreign code is started."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ragate import extension
from ragate.extension import Extension
from ragate.guards.seal import load_modules
from ragate.run import late_parts
from tests.unit.config.config_factories import WHOLE, judged, parse

JUDGE = """
LATE_MODULES = ("late_judge.no_such", "late_judge.words")
def create(settings, resources): ...
"""


@pytest.mark.parametrize("use", ["late_judge.judge", "late_judge.judge:create"])
def test_a_judge_names_what_is_loaded_before_foreign_code(
    use: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "late_judge").mkdir()
    (tmp_path / "late_judge/judge.py").write_text(JUDGE)
    (tmp_path / "late_judge/words.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(late_parts, "expect", lambda load: load())
    policy = parse(judged(f'[policy.judge]\nuse = "{use}"\n')).policy

    late_parts.expect_late_parts(policy, recording=False)

    assert "late_judge.words" in sys.modules
    for name in ("late_judge.judge", "late_judge.words", "late_judge"):
        del sys.modules[name]


def test_the_store_that_the_address_chooses_is_loaded_before_foreign_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stores = {"memory": "late_store:open_it", "s3": "late_store_of_s3:open_it"}
    for path in stores.values():
        (tmp_path / f"{path.partition(':')[0]}.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(extension, "extensions", lambda: (Extension("x", stores=stores),))
    monkeypatch.setattr(late_parts, "expect_modules", load_modules)
    policy = parse(WHOLE).policy

    late_parts.expect_late_parts(policy, recording=False)
    assert "late_store" not in sys.modules

    late_parts.expect_late_parts(policy, recording=False, runs_url="memory://one")
    assert "late_store" in sys.modules
    assert "late_store_of_s3" not in sys.modules
    del sys.modules["late_store"]
