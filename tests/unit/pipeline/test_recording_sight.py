"""The line of what repeats, written into a policy that somebody else keeps."""

from __future__ import annotations

import pytest

from ragate.pipeline.recording_sight import with_repeats

LINE = 'repeats = ["answer"]'


def written(text: str) -> str | None:
    return with_repeats(text, ["answer"])


def test_the_line_comes_first_in_its_table_and_nothing_else_changes():
    assert written("# ours\n[policy]  # the gate\nruns = 3\n") == (
        f"# ours\n[policy]  # the gate\n{LINE}\nruns = 3\n"
    )


def test_an_older_line_is_replaced_where_it_stands_with_its_comment():
    text = '[policy]\n# three runs\nruns = 3\nrepeats = ["retrieval"]  # since May\nalpha = 0.02\n'

    assert written(text) == text.replace('["retrieval"]', '["answer"]')


def test_an_older_declaration_over_several_lines_is_replaced_whole():
    text = (
        '[policy]\nslices = [\n["a"],\n]\nrepeats = [\n  "retrieval",\n  "answer",\n]\nruns = 3\n'
    )

    assert written(text) == f'[policy]\nslices = [\n["a"],\n]\n{LINE}\nruns = 3\n'


def test_what_is_written_is_what_stays():
    once = written("[policy]\nruns = 3\n")

    assert once is not None
    assert written(once) == once


@pytest.mark.parametrize("text", ["[policy]", "[policy]\r\nruns = 3\r\n"])
def test_line_ends_stay_as_they_are(text: str):
    end = "\r\n" if "\r" in text else "\n"

    assert written(text) == text.replace("[policy]", f"[policy]{end}{LINE}")


def test_a_line_of_another_table_and_one_inside_a_text_are_left_alone():
    text = (
        '[system]\nprompt = """\n[policy]\nrepeats = ["a"]\n"""\nrepeats = ["b"]\n'
        "[policy]\nruns = 3\n"
    )

    assert written(text) == text.replace("[policy]\nruns", f"[policy]\n{LINE}\nruns")


@pytest.mark.parametrize(
    "text",
    [
        "policy = {runs = 3}\n",
        'policy = {repeats = ["retrieval"]}\n',
        "[system]\nuse = 1\n",
        "[policy.metrics.mrr]\n",
        'policy.repeats = ["retrieval"]\n',
        "[[policy]]\nruns = 3\n",
        'policy = "none"\n',
        "[policy]\nrepeats = true\n",
        'x = """\n[policy]\n"""\n',
        "[policy\n",
        "",
    ],
)
def test_a_file_without_a_place_for_the_line_is_refused(text: str):
    assert written(text) is None
