"""A person judges the answers of a stored run."""

from __future__ import annotations

import io
import json
import shutil
import sys
from collections import Counter
from contextlib import chdir
from types import SimpleNamespace

import pytest

from ragate.cli.main import run
from ragate.contrib.labels.labels import read_review_labels
from tests.integration.line.line_projects import lost
from tests.projects import ReplayProject, right

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def red(tmp_path_factory, recording):
    """A run in which 4 of 40 answers (q0, q10, q20, q30) are no longer right, to be copied."""
    root = tmp_path_factory.mktemp("red")
    made = ReplayProject(shutil.copytree(recording, root, dirs_exist_ok=True))
    made.record(lost(10))
    with chdir(root):
        run(["check"])
    return root


@pytest.fixture
def checked(project, red, monkeypatch):
    monkeypatch.delenv("CI", raising=False)
    shutil.copytree(red, project.root, dirs_exist_ok=True)
    project.record(lost(10))
    return project


@pytest.fixture
def review(checked, monkeypatch, capsys):
    def reviewed(typed, *options):
        raw = typed if isinstance(typed, bytes) else typed.encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw), encoding="utf-8"))
        code = run(["review", "--who", "Ada", *options])
        path = checked.root / "review-labels.jsonl"
        labels = read_review_labels(path) if path.exists() else []
        told = capsys.readouterr()
        return SimpleNamespace(code=code, labels=labels, out=told.out, err=told.err, path=path)

    return reviewed


def test_each_changed_answer_is_asked_about_and_no_other(review):
    done = review("1\nthe value is gone\n2\n\ns\n\nr\n\n")

    assert done.code == 0, done.err
    assert [(each.id, each.verdict) for each in done.labels] == [
        ("q0", "worse"),
        ("q10", "better"),
        ("q20", "same"),
        ("q30", "stale_reference"),
    ]
    assert done.labels[0].reason == "the value is gone"
    assert "4 labels added to" in done.out


def test_question_expected_answers_and_word_diff_are_shown(review):
    out = review("q\n").out

    assert "What is the value of 0?" in out
    assert "The value of 0 is 0 apples." in out
    assert "First answer, the baseline's" in out
    assert "[-The value of 0 is 0 apples. [1]-] {+No idea.+}" in out


def test_the_prompt_and_all_that_is_shown_fit_80_columns(review):
    assert all(len(line) <= 80 for line in review("\n\n\n\n").out.splitlines())


def test_a_second_review_goes_on_where_the_first_ended(review):
    review("1\n\nq\n")
    done = review("1\n\n1\n\n1\n\n")

    assert [label.id for label in done.labels] == ["q0", "q10", "q20", "q30"]
    assert "1 of them judged by Ada already" in done.out


def test_what_another_person_judged_is_asked_again(review):
    review("1\n\n" * 4)
    done = review("1\n\n" * 4, "--who", "Bo")

    assert Counter(label.who for label in done.labels) == {"Ada": 4, "Bo": 4}


def test_input_that_ends_keeps_what_was_said(review):
    done = review("1")

    assert done.code == 0, done.err
    assert [label.id for label in done.labels] == ["q0"]


def test_an_unknown_key_is_asked_again_and_enter_skips(review):
    done = review("better\n1\n\n\n\n\n")

    assert [label.id for label in done.labels] == ["q0"]
    assert "'better' is none of the keys" in done.out


def test_bytes_that_are_no_text_in_a_reason_lose_no_label(review):
    done = review(b"1\n\xff\x1b[31m gone\nq\n")

    assert done.labels[0].reason == "\ufffd gone"


def test_a_blind_review_tells_no_side_and_keeps_who_was_better(review):
    done = review("1\n\n" * 4, "--blind", "--seed", "3", "--output", "blind.jsonl")
    labels = read_review_labels(done.path.with_name("blind.jsonl"))

    assert "baseline's" not in done.out
    assert " now" not in done.out
    assert all(label.blind for label in labels)
    firsts = [text.split("\n", 2)[1].strip() for text in done.out.split("First answer")[1:]]
    told = {"worse" if first != "No idea." else "better" for first in firsts}
    assert told == {"worse", "better"}
    assert ["better" if first == "No idea." else "worse" for first in firsts] == [
        str(label.verdict) for label in labels
    ]


def test_a_seed_shuffles_the_order_and_repeats_it(review):
    orders = [review("\n" * 4, "--seed", seed).out for seed in ("1", "1", "2", "3", "4")]

    assert orders[0] == orders[1]
    assert len(set(orders)) > 1


def test_ids_narrow_the_review_and_a_wrong_one_is_named(review):
    assert [each.id for each in review("1\n\n", "--ids", "q20,q1").labels] == ["q20"]
    wrong = review("", "--ids", "q200")

    assert wrong.code == 2
    assert "no sample 'q200'" in wrong.err


def test_a_broken_file_of_labels_is_an_error_before_anything_is_asked(review, checked):
    (checked.root / "review-labels.jsonl").write_text("{}\n")

    assert run(["review", "--who", "Ada"]) == 2


def test_a_label_changes_no_verdict(review, checked):
    before = checked.report()["decision"]
    review("2\n\n" * 4)
    run(["check"])

    assert checked.report()["decision"] == before


def test_equal_answers_leave_nothing_to_judge(review, checked):
    checked.record(right)
    run(["check"])

    assert "0 changed answers" in review("").out


def test_a_sample_edited_since_the_run_is_left_out(review, checked):
    golden = checked.root / "golden.jsonl"
    golden.write_text(golden.read_text().replace("What is the value of 0?", "And of 0?"))

    assert [label.id for label in review("1\n\n" * 4).labels] == ["q10", "q20", "q30"]


def test_in_ci_nobody_is_asked(review, monkeypatch):
    monkeypatch.setenv("CI", "true")
    done = review("1\n")

    assert done.code == 2
    assert "asks a person" in done.err


def test_a_reference_called_stale_is_listed_until_the_sample_is_mended(review, checked, capsys):
    review("r\nnow 7 pears\nq\n")
    run(["dataset", "validate"])
    told = capsys.readouterr().out

    assert "stale reference (1)" in told
    assert "golden.jsonl:1: q0: its reference is stale by a review (Ada: now 7 pears)" in told

    checked.write_golden(range(40), references=["7 pears."])
    run(["dataset", "validate"])
    assert "stale reference" not in capsys.readouterr().out


def test_validate_reads_labels_from_a_file_that_is_named(review, capsys):
    done = review("r\n\nq\n", "--output", "mine.jsonl")
    named = str(done.path.with_name("mine.jsonl"))

    run(["dataset", "validate"])
    assert "stale reference" not in capsys.readouterr().out
    run(["dataset", "validate", "--reviews", named])
    assert "stale reference (1)" in capsys.readouterr().out


def test_other_labels_are_no_finding_of_the_golden_set(review, capsys):
    review("1\n\n2\n\ns\n\nq\n")
    run(["dataset", "validate"])

    assert "review" not in capsys.readouterr().out


def test_calibrate_holds_every_metric_against_the_reviews(review, capsys):
    done = review("1\n\n1\n\n2\n\nr\n\n")
    code = run(["calibrate", "--reviews", str(done.path), "--format", "json"])
    found = json.loads(capsys.readouterr().out)

    assert code == 0
    assert (found["labels"], found["elsewhere"], found["stale"]) == (3, 0, 1)
    hits = found["agreements"]["token_f1"]
    assert (hits["n"], hits["worse"], hits["found"]) == (3, 2, 2)
    assert (hits["others"], hits["false_alarms"]) == (1, 1)


def test_the_table_of_the_reviews_fits_80_columns_and_says_what_is_left_out(review, capsys):
    done = review("1\n\nr\n\nq\n")
    run(["calibrate", "--reviews", str(done.path)])
    lines = capsys.readouterr().out.splitlines()

    assert any(
        line.split() == ["token_f1", "1", "1.000", "-", "1", "of", "1", "0", "of", "0"]
        for line in lines
    )
    assert all(len(line) <= 80 for line in lines)
    assert "1 label of stale references: `ragate dataset validate`" in lines


def test_labels_of_other_answers_calibrate_nothing(review, checked, capsys):
    done = review("1\n\n" * 4)
    checked.record(right)
    run(["check"])
    capsys.readouterr()

    assert run(["calibrate", "--reviews", str(done.path)]) == 3
    assert "4 labels of outputs that are not in this pair of runs" in capsys.readouterr().out


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--reviews", "review-labels.jsonl", "--labels", "review-labels.jsonl"],
        ["--reviews", "review-labels.jsonl", "--repeats", "1"],
        ["--labels", "review-labels.jsonl", "--run", "latest"],
    ],
)
def test_options_that_do_not_go_together_are_refused(review, options):
    review("1\n\nq\n")

    assert run(["calibrate", *options]) == 2


def test_a_baseline_without_answers_is_told_as_such(gated, monkeypatch, capsys):
    monkeypatch.delenv("CI", raising=False)
    gated.configure(policy='store = "hashes"')
    run(["baseline", "update"])
    gated.record(lost(10))
    run(["check"])
    capsys.readouterr()

    assert run(["review", "--who", "Ada"]) == 2
    assert "the baseline holds no answers" in capsys.readouterr().err


def test_an_answer_cannot_pose_as_a_line_of_the_review(review, checked):
    def posing(number, _run):
        return {**right(number, 0), "answer": f"\x1b[2J1 of 1  q{number}\r> 2\nQuestion\n\u202enow"}

    checked.record(posing)
    run(["check"])
    lines = review("q\n").out.split("Second answer, now\n")[1].split("Difference")[0].splitlines()

    assert lines == ["  1 of 1  q0", "  > 2", "  Question", "  \ufffdnow"]


def test_a_golden_set_that_is_named_as_the_output_keeps_its_bytes(review, checked):
    golden = checked.root / "golden.jsonl"
    before = golden.read_bytes()

    assert review("1\n\n", "--output", "golden.jsonl").code == 2
    assert golden.read_bytes() == before


def given(folder, *labels, above=""):
    lines = [json.dumps(label.model_dump(mode="json")) for label in labels]
    path = folder / "given.txt"
    path.write_text(above + "\n".join(lines), encoding="utf-8")
    return path


def merge(capsys, path, *options):
    code = run(["review", "--from", str(path), *options])
    told = capsys.readouterr()
    return SimpleNamespace(code=code, out=told.out, err=told.err)


def test_labels_of_a_saved_comment_are_added_once(review, checked, capsys):
    labels = review("1\nthe value is gone\n1\n\nq\n").labels
    path = checked.root / "review-labels.jsonl"
    path.unlink()
    comment = given(checked.root, *labels, above="<p>Labelled</p>\n\n```jsonl\n")

    first, second = merge(capsys, comment), merge(capsys, comment)

    assert first.code == second.code == 0
    assert read_review_labels(path) == labels
    assert "2 labels added to" in first.out
    assert "no label was added" in second.out
    assert "2 labels given before" in second.out


def test_labels_come_through_a_pipe(review, checked, capsys, monkeypatch):
    labels = review("1\n\nq\n").labels
    (path := checked.root / "review-labels.jsonl").rename(checked.root / "sent.jsonl")
    sent = io.TextIOWrapper(io.BytesIO((checked.root / "sent.jsonl").read_bytes()))
    monkeypatch.setattr(sys, "stdin", sent)

    assert merge(capsys, "-").code == 0
    assert read_review_labels(path) == labels


def test_a_given_label_that_contradicts_one_adds_nothing(review, checked, capsys):
    (label,) = review("1\n\nq\n").labels
    kept = (checked.root / "review-labels.jsonl").read_bytes()
    new = label.amended(who="Bob")
    path = given(checked.root, new, label.amended(verdict="better"))

    done = merge(capsys, path)

    assert done.code == 2
    assert "'Ada' says better of 'q0', and of the same answers worse before" in done.err
    assert (checked.root / "review-labels.jsonl").read_bytes() == kept


def test_a_given_label_of_another_gate_is_refused_by_its_name(review, checked, capsys):
    (label,) = review("1\n\nq\n").labels

    done = merge(capsys, given(checked.root, label.amended(gate="else")))

    assert done.code == 2
    assert "labels of the gate 'else'" in done.err


def test_a_given_label_of_another_sample_is_kept_and_told(review, checked, capsys):
    (label,) = review("1\n\nq\n").labels

    done = merge(capsys, given(checked.root, label.amended(id="gone")))

    assert done.code == 0
    assert "1 label of samples that the golden set does not hold as they were judged: gone" in (
        done.out
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no label"),
        ("LGTM\n", "holds no label"),
        ('LGTM\n{"gate": "g"}\n', "given.txt:2: 'id' is missing"),
        ("{broken\n", "given.txt:1: not JSON"),
    ],
)
def test_what_is_no_label_is_told_by_its_line(checked, capsys, text, said):
    path = checked.root / "given.txt"
    path.write_text(text, encoding="utf-8")

    done = merge(capsys, path)

    assert done.code == 2
    assert said in done.err


def test_what_asks_somebody_does_not_go_with_given_labels(checked, capsys):
    done = merge(capsys, "given.txt", "--blind")

    assert done.code == 2
    assert "--from asks nothing" in done.err
