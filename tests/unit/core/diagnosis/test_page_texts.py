"""What the pages' texts of a whole run tell of a system that tells nothing of itself."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain

import pytest

from ragate.core.diagnosis.diagnose import diagnose
from ragate.core.diagnosis.run_pair import page_changes, pair_runs
from ragate.core.diagnosis.system_changes import Stage
from ragate.models import CauseKind, Record, RetrievedChunk, Sample, SystemInfo, SystemOutput
from tests.factories import record_factory, run_factory
from tests.unit.core.diagnosis.diagnosis_factory import METRICS

QUESTIONS, PAGES = 30, 4
SYSTEM = SystemInfo(use="replay")
Passages = list[tuple[str, str]]  # page and text
Change = Callable[[int, Passages], Passages]


def sample(number: int) -> Sample:
    return Sample(id=f"q{number}", query=f"{number}?", relevant={f"p{number}": 1})


def passages(number: int) -> Passages:
    pages = [f"p{(number + step) % QUESTIONS}" for step in range(PAGES)]
    return [(page, f"The text of {page}.") for page in pages]


def recorded(
    change: Change = lambda _, found: found, answer: str = "So it is."
) -> dict[str, list[Record]]:
    records = {}
    for number in range(QUESTIONS):
        found = change(number, passages(number))
        chunks = tuple(RetrievedChunk(doc_id=page, text=text) for page, text in found)
        output = SystemOutput(chunks=chunks, answer=answer)
        records[f"q{number}"] = [record_factory(sample(number), output, scores={"mrr": 1.0})]
    return records


def edited(*pages: str) -> Change:
    return lambda _, found: [
        (page, f"{text} Not any more.") if page in pages else (page, text) for page, text in found
    ]


def cut(number: int, found: Passages) -> Passages:
    halves = [(page, half) for page, text in found for half in (text[:8], text[8:])]
    return halves[: PAGES + number % 2]


def searched_otherwise(number: int, found: Passages) -> Passages:
    return edited("p3")(number, passages((number + 2) % QUESTIONS))


def test_a_few_pages_with_other_text_beside_a_quiet_rest_were_edited():
    words = "2 of 30 pages have other text, all else is the same"

    seen = page_changes(recorded(), recorded(edited("p3", "p7")))

    assert seen == ((Stage.CORPUS, words), True)


def test_pages_that_all_come_in_another_number_of_passages_are_cut_otherwise():
    seen = page_changes(recorded(), recorded(cut))

    assert seen is not None
    assert seen.difference.stage is Stage.CONTEXTS
    assert "are cut otherwise (chunking)" in seen.difference.words


def test_where_many_other_passages_come_back_no_answer_is_put_down_to_its_writer():
    seen = page_changes(recorded(), recorded(searched_otherwise))

    assert seen == ((Stage.CONTEXTS, "many other passages"), False)


@pytest.mark.parametrize(
    "after",
    [
        recorded(),
        recorded(edited("p3"), answer="No."),
        recorded(edited(*(f"p{number}" for number in range(QUESTIONS)))),
        dict(list(recorded(edited("p3")).items())[:10]),
    ],
    ids=["the same", "answers", "every page edited", "few questions"],
)
def test_nothing_is_said_where_it_may_be_something_else(after: dict[str, list[Record]]):
    assert page_changes(recorded(), after) is None


def test_without_texts_nothing_is_known():
    bare = recorded(lambda _, found: [(page, "") for page, _text in found])

    assert page_changes(bare, bare) is None


@pytest.mark.parametrize(
    ("change", "kind"), [(edited("p3", "p7"), CauseKind.DATA), (cut, CauseKind.RETRIEVAL)]
)
def test_recordings_name_the_cause_that_the_pages_tell(change: Change, kind: CauseKind):
    before, after = recorded(), recorded(change)
    after["q3"] = [record_factory(sample(3), after["q3"][0].output, scores={"mrr": 0.5})]
    runs = pair_runs(
        run_factory(list(chain(*before.values())), system=SYSTEM, metrics=METRICS),
        run_factory(list(chain(*after.values())), system=SYSTEM, metrics=METRICS),
        rules=[],
        missing={},
    )

    cause = diagnose(runs.diff(sample(3)))

    assert cause is not None
    assert cause.kind is kind
    assert "changed: " in cause.evidence
