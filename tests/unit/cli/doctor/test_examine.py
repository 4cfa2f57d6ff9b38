"""All checks of one project: one that fails hides no other."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from ragate import extension, plugins
from ragate.cli.doctor import examine
from ragate.cli.finding import Status
from ragate.models import MetricInfo
from ragate.scoring.policy_metrics import applicable
from tests.unit.cli.doctor.doctor_factories import checks, run_of, said, sample, samples, statuses

WAIVER = """[[policy.waivers]]
id = "q1"
metric = "error_rate"
owner = "docs"
reason = "under review"
until = 2026-11-20
"""


def test_a_project_that_lacks_only_its_baseline_ends_with_3(project: Path) -> None:
    found = checks(project)
    wrong = {name for name, ones in found.items() if any(one.exit_code for one in ones)}

    assert wrong == {"baseline"}
    assert found["baseline"][0].exit_code == 3
    assert "baseline update" in found["baseline"][0].remedy


def test_without_a_configuration_the_state_folder_is_still_checked(tmp_path: Path) -> None:
    found = checks(tmp_path)

    assert "ragate init" in found["configuration"][0].remedy
    assert found["golden set"][0].status is Status.SKIPPED
    assert found["state folder"][0].status is Status.OK


def test_a_wrong_key_does_not_hide_a_wrong_golden_set_and_baseline(project: Path) -> None:
    config = project / "ragate.toml"
    config.write_text(config.read_text().replace("baseline =", "max_minuts = 3\nbaseline ="))
    (project / "golden.jsonl").write_text('{"id": "q1", "query": 7.5}\n')
    (project / "baseline.json").write_text("{")

    found = checks(project)

    assert "max_minutes" in found["configuration"][0].message
    assert "golden.jsonl:1" in found["golden set"][0].message
    assert [one.exit_code for one in found["baseline"]] == [2]


def test_a_wrong_variable_is_named_and_the_rest_is_checked(project: Path) -> None:
    found = checks(project, RAGATE_TIMEOUT_S="soon")

    assert "RAGATE_TIMEOUT_S" in found["environment"][0].message
    assert found["recordings"][0].status is Status.OK


def test_an_env_file_that_is_no_text_is_named_and_the_rest_is_checked(project: Path) -> None:
    (project / ".env").write_bytes(b"KEY=\xff\xfe")

    found = checks(project)

    assert ".env" in found["environment"][0].message
    assert found["golden set"][0].status is Status.OK


def test_an_env_file_that_git_ignores_is_no_finding(project: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    (project / ".gitignore").write_text(".env\n")
    (project / ".env").write_text("KEY=x\n")

    assert "environment" not in checks(project)


def test_a_system_of_foreign_code_that_breaks_at_import_is_a_finding(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "crashing_rag.py").write_text("raise RuntimeError('no GPU')\n")
    config = project / "ragate.toml"
    config.write_text(config.read_text().replace('"replay"', '"crashing_rag:create"'))
    monkeypatch.syspath_prepend(str(project))

    found = checks(project)

    assert "no GPU" in found["system"][0].message
    assert found["golden set"][0].status is Status.OK


@pytest.mark.parametrize(
    ("table", "check", "told"),
    [
        ('[[policy.slices]]\nname = "x"\ntags = ["none"]', "slices", "no sample has the tag"),
        (WAIVER, "waivers", "expired on 2026-11-20"),
    ],
)
def test_what_check_refuses_of_the_policy_is_told_in_its_words(
    project: Path, table: str, check: str, told: str
) -> None:
    config = project / "ragate.toml"
    config.write_text(config.read_text().replace("[system]", f"{table}\n[system]"))

    (finding,) = checks(project)[check]

    assert finding.exit_code == 2
    assert told in finding.message


@pytest.mark.parametrize(
    ("expected", "told"),
    [
        ("a.md", "all 1 are among the 1 document"),
        ("b.md", "1 samples expect documents that are not in the corpus"),
        ("kb/a.md", "expected kb/a.md; the corpus holds a.md: the folder differs"),
    ],
)
def test_expected_documents_are_looked_for_in_the_corpus(
    project: Path, expected: str, told: str
) -> None:
    (project / "docs").mkdir()
    (project / "docs/a.md").write_text("# A\n\nText.\n")
    row = {"id": "q1", "query": "A?", "relevant": {expected: 1, "zero.md": 0}}
    (project / "golden.jsonl").write_text(json.dumps(row) + "\n")
    config = project / "ragate.toml"
    rules = config.read_text().partition("[system]")[0].replace('["replay"]', '["pgvector"]')
    config.write_text(f'{rules}[system]\nuse = "pgvector"\ncorpus = "docs"\n')
    # Nothing listens there: no server is started for this.
    found = checks(project, RAGATE_DATABASE_URL="postgresql://x@127.0.0.1:9/x")

    (finding,) = found["expected documents"]

    assert told in finding.message
    assert finding.exit_code == (0 if expected == "a.md" else 2)


def test_a_file_in_the_place_of_the_state_folder_is_a_problem(project: Path) -> None:
    (project / ".ragate").write_text("")

    assert [one.exit_code for one in checks(project)["state folder"]] == [3]


def test_the_golden_set_is_counted() -> None:
    unanswerable = sample("u2", relevant={}, answerable=False, must_pass=True)
    asked = [*samples(28), sample("u1", relevant={}), unanswerable]

    found = list(examine.golden_set([], asked, dataset="golden.jsonl"))

    assert statuses(found) == ["ok"]
    assert "30 samples, 1 unanswerable, 1 must-pass" in found[0].message
    assert "1 unjudged" in found[0].message
    assert "1 without a reference" in found[0].message


@pytest.mark.parametrize(
    ("name", "left"),
    [
        ("ndcg@10", ["judged"]),
        ("token_f1", ["referenced"]),
        ("refusal_recall", ["none"]),
        ("error_rate", ["judged", "referenced", "none"]),
    ],
)
def test_a_metric_says_itself_which_samples_it_applies_to(name: str, left: list[str]) -> None:

    asked = [
        sample("judged"),
        sample("referenced", relevant={}, references=["Yes."]),
        sample("none", relevant={}, answerable=False),
    ]

    found = applicable(plugins.metric(name, samples=asked), asked)

    assert [one.id for one in found] == left


def test_a_rate_applies_to_all_samples_or_none() -> None:

    metric = plugins.metric("refusal_f1")

    assert applicable(metric, [sample()]) == []
    assert len(applicable(metric, [sample(), sample("u", answerable=False)])) == 2


def test_the_baseline_says_where_it_comes_from() -> None:
    found = examine.origin(run_of(samples()), path="b.json")

    assert found.status is Status.OK
    assert "b.json: 30 samples, 3 runs (0 identical to another), recorded 2026-11-20" in (
        found.message
    )


def test_below_four_fifths_of_matched_samples_nothing_is_compared() -> None:
    run = run_of(samples(10))

    assert examine.matched(run, samples(10)).status is Status.OK
    assert examine.matched(run, samples(8)).status is Status.OK
    assert examine.matched(run, samples(7)).exit_code == 3


def test_edited_removed_and_new_samples_are_counted() -> None:
    now = [*samples(10)[2:], sample("q1", query="Another question?"), sample("new")]

    found = examine.matched(run_of(samples(10)), now)

    assert "8 of 10 recorded samples" in found.message
    assert "(1 edited, 1 removed, 1 new)" in found.message


def test_an_empty_baseline_matches_nothing() -> None:
    assert examine.matched(run_of([]), samples(3)).exit_code == 3


def test_gated_metrics_that_are_absent_or_of_another_version_are_a_problem() -> None:
    then = {name: MetricInfo(name=name, fingerprint="1") for name in ("a", "b")}
    now = {
        "a": MetricInfo(name="a", fingerprint="2"),
        "b": MetricInfo(name="b", fingerprint="1"),
        "c": MetricInfo(name="c"),
        "shown": MetricInfo(name="shown"),
        "seconds": MetricInfo(name="seconds", unit="seconds"),
    }
    run = run_of(samples(), metrics=then)

    found = list(examine.comparable(run, now, ["a", "b", "c", "seconds"]))

    assert [one.exit_code for one in found] == [3]
    assert "another version of a, the baseline has no c:" in said(found, Status.PROBLEM)
    assert statuses(list(examine.comparable(run, now, ["b", "seconds"]))) == ["ok"]


def test_a_store_that_nothing_keeps_is_a_problem_and_the_rest_is_checked(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extension, "extensions", tuple)

    found = checks(project, RAGATE_RUNS_URL="memory://one")

    assert "nothing that is installed keeps runs there" in found["run store"][0].message
    assert found["run store"][0].exit_code == 2
    assert "environment" not in found
    assert found["golden set"][0].status is Status.OK


@pytest.mark.parametrize(
    ("seen", "status", "message"),
    [
        ("", Status.SKIPPED, "not checked: it says nothing of itself"),
        (None, Status.SKIPPED, "not checked: it says nothing of itself"),
        ("reachable", Status.OK, "reachable"),
    ],
)
def test_of_a_store_is_said_what_it_saw_itself(
    seen: str | None,
    status: Status,
    message: str,
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(examine, "reach_store", lambda _operations: seen)

    (finding,) = checks(project, RAGATE_RUNS_URL="memory://one")["run store"]

    assert (finding.status, finding.message) == (status, message)
