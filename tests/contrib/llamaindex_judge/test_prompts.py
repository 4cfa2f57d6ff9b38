"""The installed library's prompts."""

from __future__ import annotations

import pytest

from ragate.errors import ConfigError
from tests.contrib.llamaindex_judge.llamaindex_factories import fingerprint, judge_by
from tests.unit.judges.judge_factories import Chat, answered, asked

BINARY = ["faithfulness_binary"]


def test_data_that_looks_like_a_variable_stays_data() -> None:
    chat = Chat(["NO"])

    judge_by(chat, asked(), answered("{context_str} {x}", "{query_str}"), BINARY)

    text = chat.requests[0].messages[0][1]
    assert "Information: {context_str} {x}\nContext: {query_str}\n" in text


def test_half_of_a_surrogate_pair_can_be_sent() -> None:
    chat = Chat(["YES"])

    judge_by(chat, asked(), answered("a\ud800", "b\udfff"), BINARY)

    assert chat.requests[0].messages[0][1].encode()


def test_another_prompt_of_the_library_is_another_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    from llama_index.core.evaluation import relevancy
    from llama_index.core.prompts import PromptTemplate

    before = fingerprint()
    other = PromptTemplate(relevancy.DEFAULT_REFINE_TEMPLATE.get_template() + " ")
    monkeypatch.setattr(relevancy, "DEFAULT_REFINE_TEMPLATE", other)

    assert fingerprint() != before


def test_a_library_without_these_evaluators_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from llama_index.core.evaluation import relevancy

    monkeypatch.delattr(relevancy, "DEFAULT_REFINE_TEMPLATE")

    with pytest.raises(ConfigError, match="evaluators of llama-index cannot be used"):
        fingerprint()
