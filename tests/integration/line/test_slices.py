"""Slices of the golden set, from ragate.toml to the reports."""

from __future__ import annotations

from typing import Any

import pytest

from ragate.cli.main import run
from tests.integration.line.line_projects import lost, wobbly
from tests.projects import ReplayProject, right

pytestmark = pytest.mark.integration
LOOSE = """\
max_drop = 0.2

[[policy.slices]]
name = "billing"
tags = ["billing"]
metrics = ["token_f1"]

[[policy.slices]]
name = "forum"
where = ["source=forum"]
metrics = ["token_f1"]
"""


@pytest.fixture
def sliced(project: ReplayProject) -> ReplayProject:
    project.samples = 120
    project.extra = {
        number: {
            "tags": ["billing"] if number < 30 else [],
            "metadata": {"source": "forum" if number % 2 else "sales"},
        }
        for number in range(120)
    }
    project.write_golden(range(120))
    project.record(right, runs=3)
    assert run(["baseline", "update"]) == 0
    project.configure(metrics=LOOSE)
    project.record(right)
    return project


def billing_lost(number: int, _run: int) -> dict[str, Any]:
    given = right(number, 0)
    return {**given, "answer": "No idea."} if number < 14 else given


def test_a_slice_that_fell_fails_a_check_that_passes_without_slices(sliced, capsys):
    sliced.record(billing_lost)
    sliced.configure(metrics=LOOSE.partition("[[")[0])
    assert run(["check"]) == 0

    sliced.configure(metrics=LOOSE)
    capsys.readouterr()
    assert run(["check"]) == 1

    shown = " ".join(capsys.readouterr().out.split())
    assert "billing −46.7 points in token_f1 · blocks the merge" in shown
    report = sliced.report()
    assert [row["slice"] for row in report["decision"]["slices"]] == ["billing", "forum"]
    assert all(row["slices"][0] == "billing" for row in report["samples"])


def test_an_unchanged_system_holds_its_slices(sliced):
    assert run(["check"]) == 0

    assert not any(row["blocks"] for row in sliced.report()["decision"]["slices"])


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('tags = ["billing"]', 'tags = ["biling"]', "the tag 'biling'; did you mean 'billing'?"),
        ("source=forum", "sauce=forum", "the metadata field 'sauce'; did you mean 'source'?"),
        ("source=forum", "source=nowhere", "forum: no sample of golden.jsonl fits source=nowhere"),
    ],
)
def test_a_slice_that_fits_nothing_ends_with_2_and_is_named(sliced, capsys, old, new, says):
    sliced.configure(metrics=LOOSE.replace(old, new))

    assert run(["check"]) == 2
    error = capsys.readouterr().err
    assert "[[policy.slices]]" in error
    assert says in error


def test_a_part_of_the_set_holds_what_is_left_of_a_slice(sliced):
    assert run(["check", "--tags", "billing"]) == 0

    billing, forum = sliced.report()["decision"]["slices"]
    assert (billing["samples"], forum["samples"]) == (30, 15)
    assert (billing["level"], forum["level"]) == ("error", "warn")


def test_the_samples_page_names_the_slices_of_a_sample(sliced, capsys):
    sliced.record(billing_lost)
    run(["check"])
    capsys.readouterr()

    assert run(["report", "latest", "--explain", "q3"]) == 0
    assert "slices billing, forum" in capsys.readouterr().out


def test_power_says_what_each_slice_can_see_before_anything_is_spent(sliced, capsys):
    capsys.readouterr()

    assert run(["power"]) == 0

    lines = capsys.readouterr().out.splitlines()
    shown = {line.split()[0]: line.split() for line in lines if line.startswith(("token", "bill"))}
    assert int(shown["billing:token_f1"][1]) == 30
    assert 0.1 < float(shown["billing:token_f1"][-1]) < 0.35


def test_slices_that_gate_alone_decide_and_are_planned_for(sliced, capsys):
    config = sliced.root / "ragate.toml"
    config.write_text(config.read_text().replace('level = "error"', 'level = "warn"'))
    capsys.readouterr()

    assert run(["check"]) == 0
    sliced.record(billing_lost)
    assert run(["check"]) == 1
    assert run(["power"]) == 0
    assert "billing:token_f1" in capsys.readouterr().out

    (sliced.root / "baselines" / "gate.json").unlink()
    assert run(["power"]) == 2
    assert "only slices gate, and of none it is known" in capsys.readouterr().err


def test_a_report_and_power_print_the_same_smallest_visible_drop_of_a_slice(sliced, capsys):
    sliced.configure(metrics=LOOSE)
    sliced.record(wobbly(0), runs=3)
    assert run(["baseline", "update"]) == 0
    # From another answer the report would read off how much was reworded, which power cannot know.
    assert run(["check"]) == 0
    rows = {f"{r['slice']}:{r['metric']}": r for r in sliced.report()["decision"]["slices"]}
    capsys.readouterr()

    assert run(["power"]) == 0

    assert rows
    lines = capsys.readouterr().out.splitlines()
    for key, row in rows.items():
        printed = next(line for line in lines if line.startswith(key)).split()[-1]
        assert float(printed) == pytest.approx(row["mde"])


def seven_lost(first: int):
    """Seven questions from `first` on lose their answer: a mean over all cannot tell which."""

    def answer(number: int, _run: int) -> dict[str, Any]:
        return lost(1)(number, 0) if first <= number < first + 7 else right(number, 0)

    return answer


def test_a_recording_in_which_only_a_slice_fell_is_refused_by_its_name(sliced, capsys):
    path = sliced.root / "baselines" / "gate.json"
    path.unlink()
    sliced.record(seven_lost(50), runs=3)
    assert run(["baseline", "update"]) == 0
    before = path.read_bytes()
    sliced.record(seven_lost(0), runs=3)
    capsys.readouterr()

    assert run(["baseline", "update"]) == 3

    assert "--accept billing:token_f1" in capsys.readouterr().err
    assert path.read_bytes() == before
    assert run(["baseline", "update", "--accept", "billing:token_f1"]) == 0
    assert run(["check"]) == 0
