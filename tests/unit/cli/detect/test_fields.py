"""Fields that are told by their names."""

from __future__ import annotations

import pytest

from ragate.cli.detect.fields import body_of, body_template, pointers_of, question_field
from ragate.cli.detect.shapes import Fields, Items, Shape, Value

TEXT, NUMBER = Value("str"), Value("int")


def fields(**shapes: Shape) -> Fields:
    return Fields(shapes, frozenset(shapes))


@pytest.mark.parametrize(
    ("shape", "name"),
    [
        (fields(question=TEXT, text=TEXT), "question"),
        (fields(utterance=TEXT, k=NUMBER), "utterance"),
        (fields(a=TEXT, b=TEXT), ""),
        (fields(question=NUMBER), ""),
        (Fields({}), ""),
    ],
)
def test_the_question_has_its_customary_name_or_is_the_only_text(shape: Fields, name: str):
    assert question_field(shape) == name


def test_required_fields_get_a_stand_in_and_are_named():
    shape = fields(q=TEXT, top_k=NUMBER, session=TEXT, stream=Value("bool"), history=Items(TEXT))

    body, guessed = body_of(shape, "q")

    assert body_template(body) == (
        '{"q": {{ query | tojson }}, "top_k": 10, "session": "ragate", "stream": false, '
        '"history": []}'
    )
    assert guessed == ("top_k", "session", "stream", "history")


@pytest.mark.parametrize(
    ("shape", "pointers"),
    [
        (fields(data=fields(answer=TEXT, id=TEXT)), {"answer": "/data/answer"}),
        (fields(contexts=Items(TEXT)), {"contexts": "/contexts"}),
        (fields(answer=TEXT, sources=Items(TEXT)), {"answer": "/answer", "ids": "/sources"}),
        (
            fields(documents=Items(fields(metadata=fields(source=TEXT), page_content=TEXT))),
            {
                "contexts": "/documents/*/page_content",
                "ids": "/documents/*/metadata/source",
            },
        ),
        (fields(**{"a/b": fields(answer=TEXT)}), {"answer": "/a~1b/answer"}),
        (TEXT, {}),
    ],
)
def test_parts_of_a_reply_are_told_by_their_names(shape: Shape, pointers: dict[str, str]):
    assert pointers_of(shape) == pointers
