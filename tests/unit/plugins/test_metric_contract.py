"""A metric in one file: what breaks its contract is named with output and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate import plugins
from ragate.plugins.contract.check_file import check_file
from ragate.plugins.contract.metric_contract import metric_demands

METRIC = """
from ragate.models import MetricInfo, Reads, Score, not_applicable, unscored


class Mine:
    state = {{}}

    def __init__(self, request):
        self.info = MetricInfo({info})

    def score_samples(self, pairs):
        return [self.score(sample, output) for sample, output in pairs]

    def score(self, sample, output):
        name = self.info.name
        if not sample.answerable:
            return not_applicable(name, "unanswerable")
        if output.error is not None and output.error.kind == "provider":
            return unscored(name, output.error.message)
        if output.error is not None or not (output.answer or "").strip():
            return Score(metric=name, value=0.0)
        {score}


def create(request):
    return Mine(request)
"""
INFO = 'name=request.name, fingerprint="mine 1"'
RIGHT = "return Score(metric=name, value=1.0)"


def broken(tmp_path: Path, *, score: str = RIGHT, info: str = INFO, code: str = "") -> list[str]:
    """Return the demands that are not kept, each with how."""
    path = tmp_path / "mine.py"
    path.write_text(code or METRIC.format(score=score, info=info))
    return [f"{d.text}: {d.broken}" for d in check_file(path) if d.broken]


def test_a_metric_that_keeps_its_contract_breaks_nothing(tmp_path: Path) -> None:
    assert broken(tmp_path) == []


@pytest.mark.parametrize(
    ("score", "said"),
    [
        ("return 1 / 0", "it raises ZeroDivisionError: division by zero (mine.py:22)"),
        ("return Score(metric=name, value=float('nan'))", "cannot hold nan (mine.py:22)"),
        ("return 0.5", "gives a float (0.5), not a Score"),
        ("return None", "gives a NoneType (None), not a Score"),
        ("return Score(metric=name, value=2.0)", "gives 2.0, outside of 0 to 1"),
        ("raise SystemExit(3)", "raises SystemExit: 3"),
        ("return unscored(name, '')", "gives no value and no reason"),
    ],
)
def test_what_no_score_is_named_with_the_output_and_the_line(
    tmp_path: Path, score: str, said: str
) -> None:
    (found,) = broken(tmp_path, score=score)

    assert found.startswith("it gives a score in its range for every output: on an answer to a ")
    assert said in found


def test_an_output_that_only_some_systems_give_is_tried(tmp_path: Path) -> None:
    (found,) = broken(tmp_path, score="return Score(metric=name, value=1 / len(output.chunks))")

    assert "on an answer without contexts to a question it raises ZeroDivisionError" in found


@pytest.mark.parametrize(
    ("score", "demand"),
    [
        (
            "self.n = getattr(self, 'n', 0) + 1; return Score(metric=name, value=1.0 / self.n)",
            "a score depends on its own pair alone",
        ),
        (
            "return Score(metric=name, value=1.0) if output.chunks else not_applicable(name, 'x')",
            "what applies is decided by the sample",
        ),
    ],
)
def test_what_would_make_a_gate_err_is_found(tmp_path: Path, score: str, demand: str) -> None:
    assert demand in " ".join(broken(tmp_path, score=score))


def test_failures_have_their_state(tmp_path: Path) -> None:
    kind = METRIC.format(score=RIGHT, info=INFO)
    kind = kind.replace("return unscored(name, output.error.message)", RIGHT)
    kind = kind.replace("value=0.0", "value=0.5")

    found = broken(tmp_path, code=kind)

    assert found == [
        "a failure of the system is the worst value: it has 0.5, and the worst is 0",
        "a failure of a provider is unscored: it has the value 1.0",
    ]


@pytest.mark.parametrize(
    ("info", "said"),
    [
        ('name="other", fingerprint="x"', "asked for 'mine', it calls itself 'other'"),
        ("name=request.name", "info.fingerprint is empty"),
        ("name=request.name, fingerprint=str(id(self))", "made twice with the same keys"),
    ],
)
def test_an_identity_that_cannot_be_compared_is_named(tmp_path: Path, info: str, said: str) -> None:
    assert said in " ".join(broken(tmp_path, info=info))


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (
            "def create(request):\n    return 3",
            "it is made: raises PluginError: metric 'mine' has no",
        ),
        ("def create(request):\n    return request.none", "AttributeError"),
    ],
)
def test_a_file_that_makes_no_metric_says_why(tmp_path: Path, code: str, said: str) -> None:
    (found,) = broken(tmp_path, code=code)

    assert said in found


def test_an_aggregate_is_asked_for_a_whole_pass(tmp_path: Path) -> None:
    code = METRIC.format(score=RIGHT, info=f"{INFO}, aggregate=True").replace(
        "def score_samples(self, pairs):", "def aggregate(self, pairs):"
    )

    (found,) = broken(tmp_path, code=code)

    assert "it gives a score in its range for a whole pass: it gives" in found


@pytest.mark.parametrize("name", plugins.names("metrics"))
def test_every_metric_of_ours_keeps_the_contract(name: str) -> None:
    module = plugins.load("metrics", name)

    demands = list(metric_demands(module, Path(f"{name}.py"), {}))

    if "needs a cut-off" in demands[0].broken:
        pytest.skip("a file of one's own is asked for without a cut-off")
    assert [demand for demand in demands if demand.broken] == []
