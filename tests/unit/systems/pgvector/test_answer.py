from __future__ import annotations

import asyncio

from ragate.models import RetrievedChunk, SystemOutput, Usage
from ragate.protocols import ChatReply, ChatRequest
from ragate.systems.pgvector.answer import extract, written
from ragate.systems.pgvector.settings import AnswerSettings, Bm25Settings
from ragate.systems.pgvector.terms import Analyzer

ANALYZER = Analyzer(Bm25Settings())


def answer(question: str, *texts: str, **settings: float) -> tuple[str, tuple[int, ...]]:
    weights = dict.fromkeys(ANALYZER.counts(question), 1.0)
    chunks = [RetrievedChunk(doc_id="a.md", text=text) for text in texts]
    return extract(weights, chunks, ANALYZER, AnswerSettings.model_validate(settings))


def test_the_sentence_that_covers_most_of_the_question_is_quoted() -> None:
    text, cited = answer(
        "How are refunds paid?", "Refunds end in May. Refunds are paid by bank.", sentences=1
    )

    assert (text, cited) == ("Refunds are paid by bank. [1]", (1,))


def test_quotes_follow_the_order_of_chunks_and_sentences() -> None:
    text, cited = answer(
        "refunds paid", "We paid the refunds.", "Refunds are paid. We paid refunds."
    )

    assert text == "We paid the refunds. [1] Refunds are paid. [2] We paid refunds. [2]"
    assert cited == (1, 2)


def test_a_sentence_that_stands_in_two_chunks_is_quoted_once() -> None:
    text, _ = answer("refunds paid", "Refunds are paid.", "Refunds are paid.")

    assert text == "Refunds are paid. [1]"


def test_below_the_threshold_the_answer_is_the_refusal_without_citations() -> None:
    question, text = "alpha beta gamma delta", "Only alpha is here."

    assert answer(question, text, threshold=0.25)[1] == (1,)
    assert answer(question, text, threshold=0.26) == (AnswerSettings().refusal, ())


def test_nothing_retrieved_and_nothing_asked_are_refused() -> None:
    assert answer("alpha") == (AnswerSettings().refusal, ())
    assert answer("", "Alpha is here.", threshold=0.0) == (AnswerSettings().refusal, ())


def test_headings_count_for_the_sentences_below_and_are_not_quoted() -> None:
    text, _ = answer("pump oil change", "## Pump oil\n\nPlease change it weekly.", threshold=0.6)

    assert text == "Please change it weekly. [1]"


def test_code_is_not_quoted_closed_or_not() -> None:
    closed = "```bash\nalpha beta gamma\n```\n\nHere alpha is explained."
    cut = "Here alpha is explained.\n\n~~~\nalpha beta gamma"

    assert answer("alpha beta", closed)[0] == "Here alpha is explained. [1]"
    assert answer("alpha beta", cut)[0] == "Here alpha is explained. [1]"


def test_a_table_row_is_quoted_with_colons() -> None:
    table = "| key | meaning |\n| --- | --- |\n| `k1` | how soon alpha stops |\n| `b` | other |"

    assert answer("alpha", table)[0] == "`k1`: how soon alpha stops [1]"


def test_markers_and_links_of_the_document_are_not_taken_for_citations() -> None:
    text, cited = answer("alpha", "- The alpha [3] is in [the guide](guide.md) [2, 4].")

    assert text == "The alpha (3) is in the guide (2, 4). [1]"
    assert cited == (1,)


def test_what_a_model_thinks_before_its_answer_is_no_part_of_it() -> None:
    settings = AnswerSettings(use="chat", provider="p", model="m")

    async def client(request: ChatRequest, *, draw: int = 0) -> ChatReply:
        del request, draw
        return ChatReply("<think>Page [2] says so.</think>\n\nIt is so [1].")

    def written_answer() -> SystemOutput:
        chunks = (RetrievedChunk(doc_id="a"), RetrievedChunk(doc_id="b"))
        asking = written(
            lambda _name: client, "q", chunks, settings, turns=(), usage=Usage(), draw=0
        )
        return asyncio.run(asking)

    output = written_answer()

    assert (output.answer, output.citations) == ("It is so [1].", (1,))
