"""What is noted with a run, and the branch that it is of."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ragate.errors import UsageError
from ragate.models import RunManifest, SystemInfo
from ragate.resources.run_labels import RunLabels, branch_of, noted, read_labels, read_meta

MANIFEST = RunManifest(
    system=SystemInfo(use="replay"), branch="old", meta={"a": "1"}, description="said before"
)


def test_what_is_named_is_noted():
    named = noted(MANIFEST, RunLabels({"b": "2"}, "said now"), branch="main")

    assert (named.branch, named.meta, named.description) == ("main", {"b": "2"}, "said now")


def test_what_is_not_named_stays():
    assert noted(MANIFEST, RunLabels()) == MANIFEST


def test_a_pull_request_is_of_its_own_branch(tmp_path: Path):
    job = {"GITHUB_HEAD_REF": "feature", "GITHUB_REF_NAME": "7/merge", "GITHUB_REF_TYPE": "branch"}

    assert branch_of(job, tmp_path) == "feature"


def test_a_push_is_of_the_branch_that_its_job_names(tmp_path: Path):
    job = {"GITHUB_HEAD_REF": "", "GITHUB_REF_NAME": "main", "GITHUB_REF_TYPE": "branch"}

    assert branch_of(job, tmp_path) == "main"


def test_a_tag_is_no_branch(tmp_path: Path):
    assert branch_of({"GITHUB_REF_NAME": "v1", "GITHUB_REF_TYPE": "tag"}, tmp_path) == ""


def test_on_a_machine_it_is_the_branch_that_is_checked_out(tmp_path: Path):
    subprocess.run(["git", "init", "-q", "-b", "try-bm25", str(tmp_path)], check=True)

    assert branch_of({}, tmp_path) == "try-bm25"


def test_a_value_may_hold_an_equals_sign():
    assert read_meta(("ticket=RAG-17", "query=a=b", "empty=")) == {
        "ticket": "RAG-17",
        "query": "a=b",
        "empty": "",
    }


@pytest.mark.parametrize("text", ["ticket", "=x", "two words=x", "-x=y", "k" * 65 + "=x", "ä=x"])
def test_what_is_no_pair_is_refused_with_its_text(text: str):
    with pytest.raises(UsageError, match="not KEY=VALUE"):
        read_meta((text,))


def test_a_key_has_one_value():
    with pytest.raises(UsageError, match="--meta ticket is given twice"):
        read_meta(("ticket=1", "ticket=2"))


def test_a_value_is_bounded():
    with pytest.raises(UsageError, match="1001 characters, and the limit is 1000"):
        read_meta(("ticket=" + "x" * 1001,))


def test_the_number_of_keys_is_bounded():
    with pytest.raises(UsageError, match="51 --meta, and the limit is 50"):
        read_meta(tuple(f"k{number}=x" for number in range(51)))


@pytest.mark.parametrize(("meta", "sentence"), [(["ticket=\udcff"], ""), ([], "half \ud800")])
def test_bytes_that_are_no_text_are_refused_before_anything_is_asked(
    meta: list[str], sentence: str
) -> None:
    with pytest.raises(UsageError, match="not UTF-8"):
        read_labels(meta, sentence, names=("--meta", "--description"))
