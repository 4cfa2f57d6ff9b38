"""Sentences of a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.core.text.sentences import split_sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("It costs 3.50 euros. Really.", ["It costs 3.50 euros.", "Really."]),
        ("Dr. Smith met J. R. Doe, e.g. here.", ["Dr. Smith met J. R. Doe, e.g. here."]),
        ("See Fig. 2 and No. 7. I said no. Then", ["See Fig. 2 and No. 7.", "I said no.", "Then"]),
        ("It was 1999. The war ended.", ["It was 1999.", "The war ended."]),
        ("At 5 p.m. it began. Wait... what?", ["At 5 p.m. it began.", "Wait... what?"]),
        ('"Stop." He said "go!" and left.', ['"Stop."', 'He said "go!" and left.']),
        ("So it is.[1] And so. [2, 3] Last", ["So it is.[1]", "And so. [2, 3]", "Last"]),
        ("Read README.md. Use ragate.toml now.", ["Read README.md.", "Use ragate.toml now."]),
        ("你好。世界！再见", ["你好。", "世界！", "再见"]),
        ("यह है। वह है।", ["यह है।", "वह है।"]),
        ("ما هذا؟ هذا كتاب.", ["ما هذا؟", "هذا كتاب."]),
        ("Das ist z.B. so. Ende.", ["Das ist z.B. so.", "Ende."]),
        ("wrapped\nline. next one", ["wrapped line. next one"]),
        ("# Title\nText here.\n\nMore", ["# Title", "Text here.", "More"]),
        ("Intro\n- one\n- two\n1. First. Last", ["Intro", "- one", "- two", "1. First.", "Last"]),
        ("Das gilt z. B. für Kinder. Ende.", ["Das gilt z. B. für Kinder.", "Ende."]),
        ("Das gilt z. B. Montags, d. h. Nie. So", ["Das gilt z. B. Montags, d. h. Nie.", "So"]),
        ("Am 3. Mai beginnt es. Dann nicht.", ["Am 3. Mai beginnt es.", "Dann nicht."]),
        ("Im 19. Jahrhundert. Ja.", ["Im 19. Jahrhundert.", "Ja."]),
        ("Das ist gem. § 5 verboten. Punkt.", ["Das ist gem. § 5 verboten.", "Punkt."]),
        ("Das ist entspr. § 5 verboten. Punkt.", ["Das ist entspr. § 5 verboten.", "Punkt."]),
        ("Das gilt gem. Vertrag nicht. Punkt.", ["Das gilt gem. Vertrag nicht.", "Punkt."]),
        ("זה טוב.\u200f זה רע.", ["זה טוב.\u200f", "זה רע."]),
        ("One.\u200b Two.\ufeff Three.", ["One.\u200b", "Two.\ufeff", "Three."]),
        ("it is paid. it takes days. so [1]", ["it is paid.", "it takes days.", "so [1]"]),
        ("It is paid. it waits, e.g. days. so", ["It is paid.", "it waits, e.g. days.", "so"]),
        ("wait... what? approx. five days it is.", ["wait... what?", "approx. five days it is."]),
        ("the wing . the flow . the end", ["the wing .", "the flow .", "the end"]),
        ("Siehe Nr. 5 und Abs. 3. Ende.", ["Siehe Nr. 5 und Abs. 3.", "Ende."]),
        (
            "Run:\n```python\na = 1. B = 2.\n\nc.d\n```\nThen stop. Done.",
            ["Run:", "```python\na = 1. B = 2.\n\nc.d\n```", "Then stop.", "Done."],
        ),
        ("```\nOne. Two.\nThree.", ["``` One.", "Two.", "Three."]),
        (
            "~~~\nOne. Two.\n```\na. B\n```\nNo. Yes.",
            ["~~~ One.", "Two.", "```\na. B\n```", "No.", "Yes."],
        ),
        ("```a. B``` One. Two.", ["```a. B``` One.", "Two."]),
        (
            f"` {'One two three four. ' * 5}` [1]",
            ["` One two three four.", *["One two three four."] * 4, "` [1]"],
        ),
        ("````py\na. B\n```` [1]\nTwo. So.", ["````py\na. B\n```` [1]", "Two.", "So."]),
        ("Use `a. B` now. Then", ["Use `a. B` now.", "Then"]),
        (
            "| a | b |\n|---|---|\n| x. Y | z |\nText here. More.",
            ["| a | b |", "|---|---|", "| x. Y | z |", "Text here.", "More."],
        ),
        ("- a\n- c\n  a) one\n  b) two", ["- a", "- c", "a) one", "b) two"]),
        ("", []),
        (" \n\t", []),
    ],
)
def test_sentences_are_split(text: str, expected: list[str]) -> None:
    assert split_sentences(text) == expected


@given(st.text(max_size=300))
def test_splitting_loses_only_whitespace(text: str) -> None:
    sentences = split_sentences(text)

    assert "".join("".join(sentences).split()) == "".join(text.split())
    assert all(sentence.strip() == sentence != "" for sentence in sentences)
