"""The last verdict of main, and its badge."""

from pathlib import Path
from xml.etree import ElementTree as Tree

import pytest

from ragate.contrib.history.read_history import last_verdict
from ragate.contrib.history.show_history import badge, look_of
from ragate.models import Verdict
from ragate.stores.listed_run import ListedRun, RunStatus
from ragate.stores.local import LocalStore
from tests.contrib.history.view_factories import HOSTILE
from tests.factories import decision_factory, report_factory, run_factory

COMMIT = "a" * 40


def stored(state: Path, number: int, verdict: Verdict | None, **manifest: object) -> None:
    run_id = f"2026010{number}-000000-000-aaaa"
    facts = {"run_id": run_id, "commit": COMMIT, "gate": "docs", "clean": True}
    report = None if verdict is None else report_factory(decision_factory(verdict))
    LocalStore(state).save(run_factory([], **(facts | manifest)), report)


def last(state: Path) -> ListedRun | None:
    return last_verdict(LocalStore(state), gate="docs", commits=frozenset({COMMIT}))


def test_the_newest_judged_run_of_the_branch_counts(tmp_path: Path):
    stored(tmp_path, 1, Verdict.PASSED)
    stored(tmp_path, 2, Verdict.FAILED)

    assert look_of(last(tmp_path)).word == "failed"


@pytest.mark.parametrize(
    "manifest",
    [
        pytest.param({"commit": "b" * 40}, id="another branch"),
        pytest.param({"gate": "other"}, id="another gate"),
        pytest.param({"retrieval_only": True}, id="a part"),
        pytest.param({"clean": False}, id="edited files"),
    ],
)
def test_a_pass_of_something_else_is_no_pass_of_main(tmp_path: Path, manifest: dict[str, object]):
    stored(tmp_path, 1, Verdict.PASSED, **manifest)

    assert look_of(last(tmp_path)).word == "not measured"


def test_a_recording_is_no_verdict(tmp_path: Path):
    stored(tmp_path, 1, Verdict.FAILED)
    stored(tmp_path, 2, None)

    assert look_of(last(tmp_path)).word == "failed"


@pytest.mark.parametrize("verdict", list(Verdict))
def test_every_verdict_has_a_badge(tmp_path: Path, verdict: Verdict):
    stored(tmp_path, 1, verdict)

    drawn = Tree.fromstring(badge("docs", last(tmp_path)))

    assert drawn.get("aria-label") == f"docs: {look_of(last(tmp_path)).word}"


def test_a_badge_has_six_pixels_on_both_sides_of_each_word():
    run = ListedRun("id", Path(), RunStatus.PASSED)

    drawn = Tree.fromstring(badge("docs", run))

    name, word = drawn.findall(".//{*}text")
    assert (name.get("textLength"), word.get("textLength")) == ("26.4", "39.6")
    assert (name.get("x"), word.get("x")) == ("19.2", "64.2")
    assert drawn.get("width") == "90"


def test_nothing_measured_is_not_green():
    assert "not measured" in badge("docs", None)
    assert "#2b7a3d" not in badge("docs", None)


def test_a_hostile_name_is_text_in_a_badge():
    run = ListedRun("id", Path(), RunStatus.PASSED)

    drawn = Tree.fromstring(badge(HOSTILE, run))

    assert {node.tag.rpartition("}")[2] for node in drawn.iter()} == {
        *("svg", "title", "rect", "path", "g", "text")
    }
    assert "\u202e" not in badge(HOSTILE, run)
