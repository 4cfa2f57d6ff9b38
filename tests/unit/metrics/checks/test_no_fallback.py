"""Texts that stand in for an answer."""

from __future__ import annotations

import pytest

from ragate.errors import ConfigError
from tests.unit.metrics.metric_factories import answered, asked, make, score


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("Refunds take 30 days.", ""),
        ("**Unable to generate** a response.", 'the answer holds "unable to generate"'),
        ("Sorry! SOMETHING went wrong…", 'the answer holds "something went wrong"'),
        ("A disgenerate thing is unable to.", ""),
        ("I can't generate that.", 'the answer holds "can not generate"'),
        ("I don't know.", ""),
    ],
)
def test_a_phrase_of_whole_words_is_found_anywhere(answer: str, reason: str) -> None:
    found = score("no_fallback", asked(), answered(answer))

    assert (found.value, found.reason) == (0.0 if reason else 1.0, reason)


def test_own_phrases_replace_the_list_or_add_to_it() -> None:
    output = answered("Unable to generate. Ask the desk.")
    own = {"phrases": ["ask the desk"]}

    assert score("no_fallback", asked(), output, settings=own).reason.endswith('"ask the desk"')
    assert score("no_fallback", asked(), output, settings={"phrases": ["none"]}).value == 1.0
    more = {"more_phrases": ["desk"]}
    assert score("no_fallback", asked(), answered("The desk."), settings=more).value == 0.0


@pytest.mark.parametrize("phrases", [[], ["…"], "one"])
def test_a_list_without_words_is_an_error(phrases: object) -> None:
    with pytest.raises(ConfigError, match="phrases"):
        make("no_fallback", settings={"phrases": phrases})
