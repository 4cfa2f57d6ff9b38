"""Answers as models write them: what is right costs nothing in any form, what is wrong is seen."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.unit.metrics.metric_factories import answered, asked, value

MUSEUM = (
    "The museum opened on 2019-06-03. It shows 310 paintings on two floors. The fourth hall is for "
    "children. A ticket costs $12.50 and guided tours begin at 15:30. It has at least 40 lockers. "
    "Note that all this is so in the summer."
)
FACT = "It shows 310 paintings"
GATED = ("word_precision", "number_unit_support", "entity_support")
SHOWN = ("lexical_support", "unsupported_numbers", "polarity", "complete_answer")


def scores(answer: str, *names: str) -> dict[str, float]:
    output = answered(answer, MUSEUM, "The shop sells books.")
    return {name: found for name in names if (found := value(name, asked(), output)) is not None}


RIGHT = [
    f"{FACT}[^1].",
    f"{FACT}【1】.",
    f"{FACT}【1†guide】.",
    f"{FACT} (1).",
    f"{FACT}<sup>1</sup>.",
    f"{FACT}.¹",
    f"{FACT} [doc 1].",
    f"{FACT} [1: guide.pdf].",
    f"{FACT} [Source 1].",
    f"{FACT} [guide.pdf, p. 12].",
    f"{FACT} (see guide.pdf).",
    f"{FACT} [1](https://museum.example/guide).",
    f"**1.** {FACT}.\n**2.** A ticket costs $12.50.",
    f"Step 1: {FACT}.\nStep 2: A ticket costs $12.50.",
    f"1️⃣ {FACT}.",
    f"{FACT}.\n\nWould you like to hear about anything else?",
    f"{FACT}. If you like, I can also describe the sculptures.",
    f"{FACT}. Just drop me a line if you need more!",
    f"Happy to help! {FACT}.",
    "👉 Note that it shows 310 paintings. 🎨",
    f"<p>{FACT}.</p><p>A ticket costs $12.50.</p>",
    f'{{"answer": "{FACT}.", "ticket_costs": 12.5}}',
    f"Summary:\n\n{FACT}.",
    f"TL;DR: {FACT}.",
    f"## A quick answer for people in a hurry\n\n{FACT}.",
    f"| No. | Finding |\n|---|---|\n| 1 | {FACT}. |",
    "According to the source, it shows 310 paintings.",
    f"> [!NOTE]\n> {FACT}.",
    f"- [x] {FACT}.\n- [ ] A ticket costs $12.50.",
    f"{FACT}.\n\nSources:\n- guide.pdf, p. 12\n- https://museum.example/3",
    "It opened on June 3, 2019.",
    "It opened on the 3rd of June 2019.",
    "It opened in June 2019.",
    "A ticket costs USD 12.50.",
    "A ticket costs 12.50 dollars.",
    "Guided tours begin at 3:30 pm.",
    "The 4th hall is for children.",
    "It shows three hundred ten paintings.",
    "310.",
    "USD 12.50",
    "Paintings\n: 310.",
    "## Paintings\n\n310.",
    "- Lockers:\n  - 40\n- Paintings:\n  - 310.",
]


@pytest.mark.parametrize("answer", RIGHT)
def test_what_is_right_costs_nothing(answer: str) -> None:
    found = scores(answer, *GATED, *SHOWN)

    assert found.pop("unsupported_numbers") == 0.0
    assert found == dict.fromkeys(found, 1.0)


FORMS = {
    "a heading": "## {}\n\nIt shows paintings.",
    "a bold heading": "**{}**\n\nIt shows paintings.",
    "a link": "It shows [{}](https://museum.example/a) paintings.",
    "a footnote": "It shows paintings[^1].\n\n[^1]: There are {} of them.",
    "a cell": "It shows paintings:\n\n| What |\n|---|\n| {} |",
    "an object": '{{"paintings": "{}"}}',
    "a tag": "<div>It shows <em>{}</em> paintings.</div>",
    "a definition": "Paintings\n: {}",
    "a task": "- [x] {}",
    "an open task": "- [ ] {}",
    "an admonition": "!!! note\n    It shows {} paintings.",
    "a quotation": "> It shows {} paintings.",
    "a summary": "<details><summary>{}</summary>It shows paintings.</details>",
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("wrong", "metric"),
    [
        ("Velázquez", "entity_support"),
        ("478", "number_unit_support"),
        ("17 May 2003", "number_unit_support"),
        ("310 kg", "number_unit_support"),
    ],
)
def test_what_is_wrong_is_seen_in_every_form(form: str, wrong: str, metric: str) -> None:
    assert scores(FORMS[form].format(wrong), metric)[metric] < 1.0


@pytest.mark.parametrize(
    ("answer", "metric"),
    [
        ("It shows [478](https://museum.example/a) paintings.", "number_unit_support"),
        ("The fifth hall is for children.", "number_unit_support"),
        ("The 2nd hall is for children.", "number_unit_support"),
        ("Guided tours begin at 3:30 am.", "number_unit_support"),
        ("It opened on March 6, 2019.", "number_unit_support"),
        ("It opened in May 2019.", "number_unit_support"),
        ("A ticket costs 12.50 euros.", "number_unit_support"),
        ("It shows 40 paintings.", "number_unit_support"),
        ("| Paintings |\n|---|\n| 40 |", "number_unit_support"),
        ("Paintings\n: 40", "number_unit_support"),
        ("## Paintings\n\n40", "number_unit_support"),
        ("- Paintings\n  - 40", "number_unit_support"),
        ("<dl><dt>Paintings</dt><dd>40</dd></dl>", "number_unit_support"),
        ("It has at most 40 lockers.", "number_unit_support"),
        ("It has 310 lockers.", "number_unit_support"),
        ("Write to tours@gallery.example for a turquoise badge.", "word_precision"),
        ("The curator paints lockers.", "word_precision"),
    ],
)
def test_a_wrong_value_is_seen(answer: str, metric: str) -> None:
    assert scores(answer, metric)[metric] < 1.0


@pytest.mark.parametrize(
    "answer", ["A ticket shows 310 paintings.", "The museum opened on two floors for children."]
)
def test_what_no_metric_without_a_model_sees(answer: str) -> None:
    found = scores(answer, "number_unit_support", "entity_support", "polarity", "lexical_support")

    assert found == dict.fromkeys(found, 1.0)


MILL = (
    "Mara Lind founded the mill in 1902 with at least 40 workers. Otto Berg sold it in 1960.",
    "The shop sells books.",
)
OF_THE_MANUAL = ("word_precision", "number_unit_support", "entity_support", "polarity")


@pytest.mark.parametrize(
    ("answer", "seen_by"),
    [
        ("Otto Berg founded the mill.", set()),
        ("The mill founded Mara Lind.", set()),
        ("Mara Lind founded it with under 40 workers.", set()),
        ("1902.", set()),
        ("Mara Lind founded it with at most 40 workers.", {"number_unit_support"}),
        ("Did Mara Lind found 12 banks in Oslo?", set()),
        ("Mara Lind founded the mill with hardly 40 workers.", {"word_precision"}),
        ("It has 99 workers.", {"number_unit_support"}),
    ],
)
def test_what_fools_a_metric_is_what_the_manual_says(answer: str, seen_by: set[str]) -> None:
    output = answered(f"Mara Lind founded the mill. {answer}", *MILL)
    lost = {name for name in OF_THE_MANUAL if (value(name, asked(), output) or 0.0) < 1.0}

    assert lost == seen_by


def fooled_by() -> list[tuple[str, str]]:
    """Return the metrics of the manual's second table, each with every answer that fools it."""
    page = (Path(__file__).parents[3] / "docs/answer-metrics.md").read_text("utf-8")
    table = page.split("### What fools the other metrics that gate")[1].split("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| (.+) \|$", table, re.MULTILINE)
    return [(name, answer) for name, cell in rows for answer in re.findall(r'"([^"]+)"', cell)]


@pytest.mark.parametrize(("name", "answer"), fooled_by())
def test_what_fools_the_metrics_that_gate_is_in_the_manual(name: str, answer: str) -> None:
    reference = "Mara Lind founded the mill in 1902 with at least 40 workers."
    sample = asked(reference, answerable=name != "refusal_recall")
    best = {"idf_f1": 0.88, "false_refusal": 0.0}.get(name, 1.0)
    found = value(name, sample, answered(answer, *MILL))

    assert found >= best if name == "idf_f1" else found == best


def test_five_answers_fool_each_of_them() -> None:
    names = [name for name, _ in fooled_by()]

    assert {name: names.count(name) for name in names} == dict.fromkeys(
        ("idf_f1", "citation_support", "complete_answer", "false_refusal", "refusal_recall"), 5
    )


WRITTEN = tomllib.loads(
    (Path(__file__).parents[2] / "fixtures/answers/as_written.toml").read_text("utf-8")
)


def written(case: dict[str, Any], name: str, answer: str) -> float:
    output = answered(answer.strip(), *WRITTEN["passages"][case["of"]])
    return value(name, asked(query=case.get("question", "What is it?")), output)


@pytest.mark.parametrize("case", WRITTEN["right"], ids=lambda case: case["answer"][:40])
def test_a_right_answer_loses_nothing_in_any_form(case: dict[str, Any]) -> None:
    names = ("number_unit_support", "entity_support", "complete_answer", "citation_support")
    found = {name: written(case, name, case["answer"]) for name in names}

    assert found == dict.fromkeys(names, 1.0)


@pytest.mark.parametrize(
    "case", [each for each in WRITTEN["right"] if "plain" in each], ids=lambda case: case["plain"]
)
def test_what_is_said_around_an_answer_costs_none_of_its_words(case: dict[str, Any]) -> None:
    dressed, plain = (written(case, "word_precision", case[one]) for one in ("answer", "plain"))

    assert dressed >= plain - 0.05


@pytest.mark.parametrize("case", WRITTEN["damaged"], ids=lambda case: case["answer"][:40])
def test_a_damaged_answer_is_seen_in_any_form(case: dict[str, Any]) -> None:
    assert written(case, case["seen_by"], case["answer"]) < 1.0
