"""Prompts of one's own for the evaluators: what is sent, and what is refused before anything is."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from ragate.contrib.llamaindex_judge.prompts import VARIABLES, load_prompts
from ragate.errors import ConfigError
from tests.contrib.llamaindex_judge.llamaindex_factories import judge_by, make, resources_of
from tests.unit.judges.judge_factories import Chat, answered, asked

PROMPT = "Steht das in den Texten? Antworte mit YES oder NO.\n{query_str}\n---\n{context_str}"
BINARY = ["faithfulness_binary"]


def written(folder: Path, text: str) -> dict[str, Any]:
    (folder / "faithful.txt").write_text(text, encoding="utf-8")
    return {"prompts": {"faithfulness_binary": "faithful.txt"}}


def fingerprint(folder: Path, **settings: Any) -> str:
    resources = replace_root(resources_of(Chat([])), folder)
    return asyncio.run(make(resources=resources, **settings)).fingerprint


def replace_root(resources: Any, folder: Path) -> Any:
    resources.root = folder
    return resources


def test_the_prompt_is_sent_in_place_of_the_librarys_and_its_reply_is_read_as_strictly(
    tmp_path: Path,
) -> None:
    chat = Chat(["YES"])
    resources = replace_root(resources_of(chat), tmp_path)

    found = judge_by(
        None, asked(), answered("a {x}", "b"), BINARY, resources, **written(tmp_path, PROMPT)
    )

    assert found["faithfulness_binary"].value == 1.0
    assert chat.requests[0].messages == (
        ("user", PROMPT.format(query_str="a {x}", context_str="b")),
    )


def test_another_text_is_another_judge_and_another_file_name_is_not(tmp_path: Path) -> None:
    first = fingerprint(tmp_path, **written(tmp_path, PROMPT))
    (tmp_path / "other.txt").write_text(PROMPT, encoding="utf-8")

    assert fingerprint(tmp_path, prompts={"faithfulness_binary": "other.txt"}) == first
    assert fingerprint(tmp_path, **written(tmp_path, f"{PROMPT} Sei streng.")) != first
    assert fingerprint(tmp_path) != first


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{query_str}", "{context_str} is missing"),
        (f"{PROMPT} {{mood}}", "nothing fills in {mood}"),
        (f"{PROMPT} {{", "faithfulness_binary"),
        (f"{PROMPT} {{}}", "nothing fills in {}"),
    ],
)
def test_a_prompt_that_could_not_work_is_refused_by_its_name(
    tmp_path: Path, text: str, said: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        fingerprint(tmp_path, **written(tmp_path, text))

    assert said in str(caught.value)
    assert "[policy.judge.prompts] faithfulness_binary" in str(caught.value)


def test_a_file_that_is_not_there_or_outside_is_refused(tmp_path: Path) -> None:
    for path in ("gone.txt", "../faithful.txt"):
        with pytest.raises(ConfigError):
            fingerprint(tmp_path, prompts={"faithfulness_binary": path})


def test_an_evaluator_that_has_no_prompt_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="prompts"):
        fingerprint(tmp_path, prompts={"semantic_similarity": "x.txt"})


def test_the_variables_are_those_of_the_installed_prompts() -> None:
    installed = load_prompts("").templates

    found = {key: frozenset(template.template_vars) for key, template in installed.items()}

    assert found == VARIABLES


def test_every_prompt_file_of_a_judge_comes_with_its_policy() -> None:
    from ragate.config import JudgeSettings

    settings = {"prompt": "a.md", "prompts": {"relevancy": "b.txt", "guideline": "c.txt"}}
    judge = JudgeSettings(use="llamaindex", settings=settings)

    assert judge.prompt_files == ("a.md", "b.txt", "c.txt")
