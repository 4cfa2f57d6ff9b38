"""The checks of `ragate doctor`: from facts to findings."""

from __future__ import annotations

import datetime
import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from ragate import plugins
from ragate.baseline import dump_baseline, recorded_before
from ragate.cli.doctor import (
    baseline_file,
    command,
    golden_set,
    policy,
    recordings,
    server,
    state_folder,
)
from ragate.cli.doctor.examine import examine
from ragate.cli.finding import (
    Finding,
    Status,
    exit_code,
    guarded,
    of_error,
    ok,
    problem,
    some,
    warning,
)
from ragate.config import Provider
from ragate.core.hashing import content_hash, output_hash, retrieval_hash
from ragate.errors import BaselineError, NoBaselineError
from ragate.models import (
    DrillProof,
    MetricInfo,
    Reads,
    Record,
    RetrievedChunk,
    Rule,
    Run,
    RunManifest,
    Sample,
    SystemInfo,
    SystemOutput,
    Waiver,
)

TODAY = datetime.date(2026, 11, 21)
BOTH = frozenset({Reads.RETRIEVAL, Reads.ANSWER})
CONFIG = """
[policy]
dataset = "golden.jsonl"
baseline = "baseline.json"
systems = ["replay"]
replay_paths = ["outputs/*.jsonl"]
[policy.metrics.error_rate]
level = "error"
[system]
use = "replay"
paths = ["outputs/*.jsonl"]
"""


def sample(sample_id: str = "q1", **fields: object) -> Sample:
    return Sample.model_validate(
        {"id": sample_id, "query": f"What is {sample_id}?", "relevant": {"a.md": 1}, **fields}
    )


def samples(count: int = 30) -> list[Sample]:
    return [sample(f"q{number}", references=["It is."]) for number in range(count)]


def run_of(
    found: Sequence[Sample],
    *,
    runs: int = 3,
    metrics: dict[str, MetricInfo] | None = None,
    deterministic: frozenset[Reads] = BOTH,
) -> Run:
    output = SystemOutput(answer="It is [1].")
    records = [
        Record(
            sample_id=one.id,
            run=number,
            content_hash=content_hash(one),
            retrieval_hash=retrieval_hash(output),
            output_hash=output_hash(output),
            output=output,
        )
        for number in range(runs)
        for one in found
    ]
    system = SystemInfo(use="pgvector", deterministic=deterministic)
    manifest = RunManifest(system=system, runs=runs, created="2026-11-20", metrics=metrics or {})
    return Run(manifest=manifest, records=tuple(records))


def statuses(found: Sequence[Finding]) -> list[str]:
    return [str(one.status) for one in found]


def said(found: Sequence[Finding], status: Status) -> str:
    return "\n".join(one.message for one in found if one.status is status)


# Findings


def test_a_file_to_edit_counts_more_than_a_server_out_of_reach() -> None:
    far = problem("database", "refused", "start it", exit_code=3)
    wrong = problem("golden set", "line 3", "correct it")

    assert exit_code([]) == 0
    assert exit_code([ok("a", "b"), warning("a", "b", "c")]) == 0
    assert exit_code([far]) == 3
    assert exit_code([far, wrong]) == 2


def test_an_expected_error_becomes_a_problem_with_its_own_exit_code() -> None:
    assert of_error("baseline", BaselineError("torn", remedy="mend")).exit_code == 2
    assert of_error("baseline", NoBaselineError("none", remedy="record")).exit_code == 3


def test_an_unexpected_error_in_a_check_is_a_finding_and_hides_nothing() -> None:
    def broken() -> list[Finding]:
        raise ZeroDivisionError("division by zero")

    found = guarded("system", broken)

    assert [one.exit_code for one in found] == [3]
    assert "ZeroDivisionError" in found[0].message


def test_a_long_list_is_cut_and_the_rest_is_counted() -> None:
    assert some(f"d{number}" for number in range(7)) == "d0, d1, d2, d3, d4 and 2 more"


# Golden set


def test_the_golden_set_is_counted() -> None:
    found = golden_set.golden_set(
        [
            *samples(28),
            sample("u1", relevant={}),
            sample("u2", relevant={}, answerable=False, must_pass=True),
        ],
        dataset="golden.jsonl",
    )

    assert statuses(found) == ["ok"]
    assert "30 samples, 1 unanswerable, 1 must-pass" in found[0].message
    assert "1 unjudged" in found[0].message
    assert "1 without a reference" in found[0].message


def test_two_samples_with_the_same_question_are_named_whatever_case_and_spaces() -> None:
    copy = sample("copy", query="what  IS q3?")

    found = golden_set.golden_set([*samples(), copy], dataset="g")

    assert "2 samples ask the same as another: q3, copy" in said(found, Status.WARNING)


def test_an_unanswerable_sample_with_an_expected_document_is_named() -> None:
    found = golden_set.golden_set([*samples(), sample("odd", answerable=False)], dataset="g")

    assert "odd" in said(found, Status.WARNING)


def test_starter_questions_and_a_small_set_are_warned_of() -> None:
    found = golden_set.golden_set([sample(tags=["starter"]), sample("q2")], dataset="g")

    assert "1 of 2 samples were made by `ragate init`" in said(found, Status.WARNING)
    assert "only large drops" in said(found, Status.WARNING)


def test_expected_documents_that_the_corpus_lacks_are_a_problem() -> None:
    found = golden_set.expected_documents([sample(), sample("q2", relevant={"b.md": 1})], ["a.md"])

    assert [one.exit_code for one in found] == [2]
    assert "1 of 2 are not in the corpus: b.md; expected by 1 sample: q2" in found[0].message


def test_a_document_of_grade_zero_need_not_be_in_the_corpus() -> None:
    found = golden_set.expected_documents([sample(relevant={"a.md": 1, "b.md": 0})], ["a.md"])

    assert statuses(found) == ["ok"]


# Rules


def test_a_gate_without_an_error_level_can_never_fail() -> None:
    found = golden_set.rules([Rule(metric="token_f1", level="warn")], {}, [sample()])

    assert statuses(found) == ["problem"]


def test_a_demanded_metric_that_applies_to_no_sample_is_a_problem() -> None:
    rules = [Rule(metric="token_f1"), Rule(metric="ndcg@10")]

    found = golden_set.rules(rules, {"token_f1": [], "ndcg@10": [sample()]}, [sample()])

    assert [one.exit_code for one in found] == [3]
    assert "token_f1" in found[0].message


def test_a_metric_of_foreign_code_is_not_held_to_be_inapplicable() -> None:
    assert statuses(golden_set.rules([Rule(metric="my.own")], {}, [sample()])) == ["ok"]


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
    from ragate import plugins

    asked = [
        sample("judged"),
        sample("referenced", relevant={}, references=["Yes."]),
        sample("none", relevant={}, answerable=False),
    ]

    found = golden_set.applicable(plugins.metric(name, samples=asked), asked)

    assert [one.id for one in found] == left


def test_a_rate_applies_to_all_samples_or_none() -> None:
    from ragate import plugins

    metric = plugins.metric("refusal_f1")

    assert golden_set.applicable(metric, [sample()]) == []
    assert len(golden_set.applicable(metric, [sample(), sample("u", answerable=False)])) == 2


def test_must_pass_samples_without_any_pass_mark_are_a_problem() -> None:
    must = [sample(must_pass=True)]

    found = golden_set.rules([Rule(metric="hit_rate@5")], {"hit_rate@5": must}, must)

    assert [one.check for one in found if one.status is Status.PROBLEM] == ["must-pass"]


def test_a_must_pass_sample_that_no_pass_mark_applies_to_is_named() -> None:
    must = [sample("q1", must_pass=True), sample("q2", must_pass=True, relevant={})]
    rule = Rule(metric="hit_rate@5", pass_at=1.0)

    found = golden_set.rules([rule], {"hit_rate@5": must[:1]}, must)

    assert "q2" in said(found, Status.WARNING)
    assert golden_set.rules([rule], {"hit_rate@5": must}, must)[0].status is Status.OK


# Policy


def waiver(until: str, sample_id: str = "q1") -> Waiver:
    return Waiver(
        id=sample_id,
        metric="ndcg@10",
        owner="docs",
        reason="under review",
        until=datetime.date.fromisoformat(until),
    )


def test_a_waiver_counts_on_its_last_day_and_is_a_problem_on_the_next() -> None:
    last = policy.waivers([waiver("2026-11-21")], {"q1"}, today=TODAY)
    over = policy.waivers([waiver("2026-11-20")], {"q1"}, today=TODAY)

    assert statuses(last) == ["ok"]
    assert [one.exit_code for one in over] == [2]


def test_a_waiver_for_a_sample_that_is_gone_is_warned_of() -> None:
    assert statuses(policy.waivers([waiver("2027-01-01", "q9")], {"q1"}, today=TODAY)) == [
        "warning"
    ]
    assert statuses(policy.waivers([waiver("2027-01-01", "q9")], None, today=TODAY)) == ["ok"]


OPENAI = {"openai": Provider(base_url="https://api.openai.com/v1", key_env="MY_KEY")}


def test_a_key_that_is_used_and_not_set_is_a_problem_and_one_not_used_is_none() -> None:
    assert [one.exit_code for one in policy.keys(OPENAI, {"openai"}, {})] == [3]
    assert statuses(policy.keys(OPENAI, set(), {})) == ["ok"]


JUDGED = """
[policy.providers.judging]
base_url = "https://api.openai.com/v1"
key_env = "JUDGE_KEY"
[policy.judge]
use = "rubric"
provider = "judging"
model = "m"
[policy.metrics.faithfulness]
level = "{level}"
"""


def key_findings(folder: Path, *, level: str = "error", policy: str = "") -> list[Finding]:
    config = CONFIG.replace("[policy]\n", f"[policy]\n{policy}\n", 1)
    (folder / "ragate.toml").write_text(config + JUDGED.format(level=level))
    return [one for one in examine(folder, None, {}, today=TODAY) if one.check == "keys"]


def test_the_key_of_a_judge_that_a_metric_needs_is_used(tmp_path: Path) -> None:
    [found] = key_findings(tmp_path)

    assert (found.status, found.exit_code) == ("problem", 3)
    assert "JUDGE_KEY is not set" in found.message


def test_the_key_of_a_judge_that_no_metric_needs_is_not_missed(tmp_path: Path) -> None:
    assert statuses(key_findings(tmp_path, level="off")) == ["ok"]


def test_a_gate_that_goes_without_its_judge_is_warned_of_the_key(tmp_path: Path) -> None:
    [found] = key_findings(tmp_path, policy='without_key = "judge-free"')

    assert found.status == "warning"
    assert "left out" in found.message


def test_a_key_is_named_and_its_value_never_shown() -> None:
    for value in ("secret-value", "secret-value\n"):
        found = policy.keys(OPENAI, {"openai"}, {"MY_KEY": value})

        assert "MY_KEY" in found[0].message
        assert "secret" not in repr(found)


def test_a_key_with_a_line_end_that_was_pasted_along_is_warned_of() -> None:
    assert statuses(policy.keys(OPENAI, {"openai"}, {"MY_KEY": "x\n"})) == ["warning"]


def test_a_provider_that_the_policy_does_not_know_is_a_problem() -> None:
    found = policy.keys({}, {"azure"}, {})

    assert [one.exit_code for one in found] == [2]
    assert "azure" in found[0].message


def test_a_local_server_needs_no_key() -> None:
    local = {"ollama": Provider(base_url="http://localhost:11434/v1")}

    assert statuses(policy.keys(local, {"ollama"}, {})) == ["ok"]


def test_a_recorded_system_can_do_without_the_key_and_says_how_far():
    [found] = policy.keys(OPENAI, set(), {}, recorded={"openai"})

    assert found.status == "warning"
    assert "stay pending" in found.message
    assert statuses(policy.keys(OPENAI, set(), {"MY_KEY": "x"}, recorded={"openai"})) == ["ok"]


def test_the_providers_in_use_stand_in_the_tables_of_the_system() -> None:
    system = {"top_k": 3, "answer": {"provider": "a"}, "embedder": {"provider": "b"}, "bm25": {}}

    assert policy.used_providers(system) == {"a", "b"}


def test_a_gate_that_caught_no_planted_break_is_a_problem() -> None:
    def proof(caught: int) -> DrillProof:
        return DrillProof(date="2026-11-20", caught=caught, planted=9)

    assert statuses(policy.proof(None)) == ["ok"]
    assert "7 of 9" in policy.proof(proof(7))[0].message
    assert [one.exit_code for one in policy.proof(proof(0))] == [2]


# Baseline


def test_the_baseline_says_where_it_comes_from() -> None:
    found = baseline_file.baseline_file(
        run_of(samples()), path="b.json", size=10, today_system="pgvector"
    )

    assert statuses(found) == ["ok"]
    assert "b.json: 30 samples, 3 runs (0 identical to another), recorded 2026-11-20" in (
        found[0].message
    )


@pytest.mark.parametrize(
    ("size", "limit"), [(5_000_000, ""), (5_000_001, "5 MB"), (50_000_001, "50 MB")]
)
def test_a_large_baseline_is_warned_of(size: int, limit: str) -> None:
    found = baseline_file.baseline_file(
        run_of(samples()), path="b", size=size, today_system="pgvector"
    )

    assert len(found) == 1 + bool(limit)
    assert limit in said(found, Status.WARNING)


def test_a_baseline_of_another_system_is_warned_of() -> None:
    found = baseline_file.baseline_file(run_of(samples()), path="b", size=1, today_system="replay")

    assert "'pgvector'" in said(found, Status.WARNING)


def test_one_run_of_a_system_that_does_not_repeat_is_warned_of() -> None:
    noisy = run_of(samples(), runs=1, deterministic=frozenset({Reads.RETRIEVAL}))
    exact = run_of(samples(), runs=1)

    assert len(baseline_file.baseline_file(noisy, path="b", size=1, today_system="pgvector")) == 2
    assert len(baseline_file.baseline_file(exact, path="b", size=1, today_system="pgvector")) == 1


def test_below_four_fifths_of_matched_samples_nothing_is_compared() -> None:
    run = run_of(samples(10))

    assert statuses(baseline_file.matched(run, samples(10))) == ["ok"]
    assert statuses(baseline_file.matched(run, samples(8))) == ["warning"]
    assert [one.exit_code for one in baseline_file.matched(run, samples(7))] == [3]


def test_edited_removed_and_new_samples_are_counted() -> None:
    now = [*samples(10)[2:], sample("q1", query="Another question?"), sample("new")]

    found = baseline_file.matched(run_of(samples(10)), now)

    assert "8 of 10 recorded samples" in found[0].message
    assert "(1 edited, 1 removed, 1 new)" in found[0].message


def test_an_empty_baseline_matches_nothing() -> None:
    assert [one.exit_code for one in baseline_file.matched(run_of([]), samples(3))] == [3]


def test_a_gated_metric_of_another_version_is_a_problem_and_a_shown_one_a_warning() -> None:
    then = {
        "a": MetricInfo(name="a", fingerprint="1"),
        "b": MetricInfo(name="b", fingerprint="1"),
    }
    now = {
        "a": MetricInfo(name="a", fingerprint="2"),
        "b": MetricInfo(name="b", fingerprint="1"),
        "c": MetricInfo(name="c"),
        "seconds": MetricInfo(name="seconds", unit="seconds"),
    }

    found = baseline_file.comparable(run_of(samples(), metrics=then), now, ["a", "b"])

    assert "does not hold c" in said(found, Status.WARNING)
    assert "another version of a" in said(found, Status.PROBLEM)
    assert sorted(one.exit_code for one in found) == [0, 3]


def test_too_few_samples_for_the_test_of_a_noisy_system_are_warned_of() -> None:
    infos = {"m": MetricInfo(name="m", reads=Reads.ANSWER)}
    noisy = run_of(samples(4), deterministic=frozenset({Reads.RETRIEVAL}))

    assert statuses(baseline_file.enough(noisy, infos, {"m": samples(4)}, ["m"], losses=5)) == [
        "warning"
    ]
    assert baseline_file.enough(noisy, infos, {"m": samples(5)}, ["m"], losses=5) == []
    assert baseline_file.enough(run_of(samples(4)), infos, {"m": samples(4)}, ["m"], losses=5) == []
    few = {"m": samples(4)}
    assert baseline_file.enough(noisy, infos, few, ["m"], losses=5, repeats=[Reads.ANSWER]) == []


# Personal data


@pytest.mark.parametrize(
    "text",
    [
        "Write to anna.meier@kanzlei-meier.de [1].",
        "Call +49 30 901820 today.",
        "Her number is (555) 123-4567.",
        "Tel. 01 23 45 67 89",
    ],
)
def test_text_that_looks_personal_is_counted_and_not_shown(text: str) -> None:
    found = baseline_file.personal_data([text, "Refunds end after 30 days."], store="answers")

    assert statuses(found) == ["warning"]
    assert "of 2 stored texts" in found[0].message
    for part in ("meier", "901820", "4567", "67 89"):
        assert part not in repr(found)


@pytest.mark.parametrize(
    "text",
    [
        "Write to you@example.com or to a@b.test.",
        "On 2026-11-21 at 10 the run 20261121-134501-3f9c began.",
        "The server is 192.168.100.200, port 5432.",
        "Pin actions/checkout@v5.0.0 and set ndcg@10.",
        "Between 1200 and 1400 documents, 0.505 to 0.745.",
        "postgresql://ragate:ragate@localhost:5432/ragate",
    ],
)
def test_text_of_a_manual_does_not_look_personal(text: str) -> None:
    assert statuses(baseline_file.personal_data([text], store="answers")) == ["ok"]


def test_a_baseline_of_hashes_holds_no_texts() -> None:
    assert statuses(baseline_file.personal_data([], store="hashes")) == ["ok"]


# Place


def test_the_state_folder_must_be_writable_and_ignored() -> None:
    def state(*, writable: bool = True, ignored: bool | None = True, size: int = 0) -> list[str]:
        found = state_folder.state_folder(
            ".ragate", writable=writable, ignored=ignored, runs=1, size=size
        )
        return statuses(found)

    assert state() == state(ignored=None) == ["ok"]
    assert state(writable=False) == ["problem"]
    assert state(ignored=False) == ["ok", "warning"]
    assert state(size=2_000_000_000) == ["ok", "warning"]


def test_a_baseline_that_git_does_not_have_is_pointed_out() -> None:
    assert state_folder.committed("b.json", tracked=True, ignored=False) == []
    assert state_folder.committed("b.json", tracked=None, ignored=None) == []
    assert statuses(state_folder.committed("b.json", tracked=False, ignored=False)) == ["warning"]
    assert statuses(state_folder.committed("b.json", tracked=False, ignored=True)) == ["problem"]


# Recordings


def recorded(*docs: str) -> SystemOutput:
    return SystemOutput(answer="Yes.", chunks=tuple(RetrievedChunk(doc_id=doc) for doc in docs))


def look(asked: Sequence[Sample], outputs: dict[str, SystemOutput]) -> list[Finding]:
    return recordings.recordings(asked, outputs, files=1, runs=1, max_unscored=0.05)


def test_recordings_may_lack_as_much_as_may_be_unscored() -> None:
    asked = samples(20)
    outputs = {one.id: recorded("a.md") for one in asked}

    assert statuses(look(asked, outputs)) == ["ok"]
    del outputs["q3"]
    assert statuses(look(asked, outputs)) == ["ok", "warning"]
    del outputs["q4"]
    assert [one.exit_code for one in look(asked, outputs)] == [3]


def test_ids_that_are_written_in_two_ways_are_told_from_a_system_that_finds_nothing() -> None:
    other = look([sample()], {"q1": recorded("docs/a.md")})
    without = look([sample()], {"q1": recorded("text:0123")})

    assert "'a.md'" in said(other, Status.WARNING)
    assert "'docs/a.md'" in said(other, Status.WARNING)
    assert "no document ids" in said(without, Status.WARNING)
    assert statuses(look([sample()], {"q1": recorded("a.md", "b.md")})) == ["ok"]


# Server


def reached(**fields: object) -> server.Server:
    facts: dict[str, object] = {
        "postgres": "18.1",
        "installed": "",
        "available": "0.8.1",
        "may_create": True,
        "schema": False,
    }
    return server.Server(**(facts | fields))  # type: ignore[arg-type]


def test_a_server_is_well_with_pgvector_and_the_right_to_create_a_schema() -> None:
    assert statuses(server.database(reached(), where="x")) == ["ok"]
    assert statuses(server.database(reached(available=""), where="x")) == ["problem"]
    assert statuses(server.database(reached(may_create=False), where="x")) == ["problem"]
    assert statuses(server.database(reached(may_create=False, schema=True), where="x")) == ["ok"]


def test_an_unreachable_server_is_named_without_its_password() -> None:
    url = "postgresql://ragate:hush@127.0.0.1:1/x"

    found = guarded("database", lambda: [ok("x", server.inspect(url).postgres)])

    assert [one.exit_code for one in found] == [3]
    assert "127.0.0.1:1" in found[0].message
    assert "hush" not in repr(found)


def test_an_index_is_absent_behind_or_up_to_date() -> None:
    assert "not built" in server.index(None, "h", documents=3)[0].message
    assert "behind" in server.index(("g", 9), "h", documents=3)[0].message
    assert "3 documents, 9 chunks" in server.index(("h", 9), "h", documents=3)[0].message


# The round


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "ragate.toml").write_text(CONFIG)
    lines = [{"id": f"q{number}", "query": f"Question {number}?"} for number in range(20)]
    (tmp_path / "golden.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    outputs = [{"id": line["id"], "answer": "Yes.", "contexts": ["Yes."]} for line in lines]
    (tmp_path / "outputs").mkdir()
    (tmp_path / "outputs/a.jsonl").write_text("".join(json.dumps(o) + "\n" for o in outputs))
    return tmp_path


def checks(folder: Path, **environment: str) -> dict[str, list[Finding]]:
    found: dict[str, list[Finding]] = {}
    for one in examine(folder, None, environment, today=TODAY):
        found.setdefault(one.check, []).append(one)
    return found


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


def test_git_that_does_not_ignore_the_state_folder_is_warned_of(project: Path) -> None:
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    assert [one.status for one in checks(project)["state folder"]] == [Status.OK, Status.WARNING]

    (project / ".gitignore").write_text(".ragate/\n")
    assert [one.status for one in checks(project)["state folder"]] == [Status.OK]


# What is printed


def test_the_console_shows_a_remedy_below_its_problem_and_no_control_character() -> None:
    text = command.to_console([ok("a", "fine\x1b[2J"), problem("bb", "wrong", "mend it")])

    lines = text.splitlines()
    assert "\x1b[2J" not in text
    assert lines[1].endswith("bb  wrong")
    assert lines[2].strip() == "-> mend it"
    assert lines[-1] == "1 problem, 0 warnings: exit code 2"


def test_json_holds_every_check_and_the_exit_code() -> None:
    data = json.loads(command.to_json([ok("a", "fine"), problem("b", "w", "r", exit_code=3)]))

    assert data["exit_code"] == 3
    assert data["checks"][1] == {
        "check": "b",
        "status": "problem",
        "message": "w",
        "remedy": "r",
        "exit_code": 3,
    }


@pytest.mark.parametrize(
    ("policy", "losses"),
    [("", 5), ('claim = "this-set"', 2), ('claim = "this-set"\nconfirm = 0', 3)],
)
def test_how_many_must_break_is_what_the_gate_itself_plans(
    project: Path, policy: str, losses: int
) -> None:
    config = CONFIG.replace('"replay"\npaths = ["outputs/*.jsonl"]', '"python"\ntarget = "rag:f"')
    config = config.replace('"replay"', '"python"').replace("error_rate", "token_f1")
    (project / "ragate.toml").write_text(config.replace("[policy]\n", f"[policy]\n{policy}\n", 1))
    only = sample(references=["It is."])
    (project / "golden.jsonl").write_text(only.model_dump_json() + "\n")
    infos = {"token_f1": plugins.metric("token_f1").info}
    run = run_of([only], metrics=infos, deterministic=frozenset())
    data = dump_baseline(run, store="answers", recorded=recorded_before(run))
    (project / "baseline.json").write_bytes(data)

    found = checks(project)["baseline"]

    assert f"{losses} samples must break" in said(found, Status.WARNING)
