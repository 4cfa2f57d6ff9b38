"""Names that fields have by custom: which holds the question, the answer, the passages, the ids."""

import re
from collections.abc import Iterator, Mapping

from ragate.cli.detect.shapes import Fields, Items, Parts, Shape, Value

QUESTION = (
    *("question", "query", "q", "user_query", "user_question", "prompt", "message", "text"),
    *("input", "user_input", "question_text", "search", "search_query", "content", "ask"),
)
ANSWER = (
    *("answer", "reply", "response", "result", "output", "completion", "generated_text"),
    *("message", "text", "content", "summary", "output_text", "final_answer"),
)
PASSAGES = (
    *("chunks", "contexts", "sources", "context", "source_documents", "documents", "passages"),
    *("hits", "results", "matches", "nodes", "source_nodes", "references", "citations", "docs"),
    *("retrieved", "retrieved_documents", "evidence", "snippets"),
)
TEXT = (
    *("text", "content", "page_content", "passage", "chunk", "snippet", "body", "excerpt"),
    *("context", "document", "quote"),
)
IDS = (
    *("doc_id", "document_id", "source", "path", "file_path", "file", "filename", "file_name"),
    *("page", "url", "uri", "source_id", "slug", "doc", "document", "id", "key", "name", "title"),
)
SCORES = ("score", "similarity", "relevance", "relevance_score", "rank_score")
_MORE = re.compile(r"(top_?)?k|limit|n|count|max_results|size|num_results", re.IGNORECASE)


def question_field(fields: Fields) -> str:
    """Return the field that takes the question, "" where none is known."""
    texts = [name for name, shape in fields.fields.items() if _may_be_text(shape)]
    customary = [name for name in QUESTION if name in texts]
    if customary:
        return customary[0]
    needed = [name for name in texts if name in fields.required]
    return needed[0] if len(needed) == 1 else ""


def body_of(fields: Fields, question: str) -> tuple[dict[str, object], tuple[str, ...]]:
    """Return the body to send, the question's field left as None, and the fields that are guesses.

    What has a default is left to the service.
    """
    body: dict[str, object] = {question: None}
    guessed = []
    for name in fields.fields:
        if name in fields.required and name != question:
            body[name] = _stand_in(name, fields.fields[name])
            guessed.append(name)
    return body, tuple(guessed)


def _stand_in(name: str, shape: Shape) -> object:
    if isinstance(shape, Items):
        return []
    if isinstance(shape, Fields):
        return {}
    kind = shape.kind if isinstance(shape, Value) else ""
    if kind in {"int", "integer", "float", "number"}:
        return 10 if _MORE.fullmatch(name) else 1
    return False if kind in {"bool", "boolean"} else "ragate"


def pointers_of(shape: Shape) -> dict[str, str]:
    """Return pointers to answer, passages, ids and scores, as far as their names tell."""
    pointers: dict[str, str] = {}
    answer = _answer(shape)
    if answer:
        pointers["answer"] = answer
    return pointers | _passages(shape)


def _answer(shape: Shape) -> str:
    leaves = {path: name for path, name, _ in _leaves(shape, "") if "*" not in path}
    ranked = sorted(
        (path for path, name in leaves.items() if name in ANSWER),
        key=lambda path: (path.count("/"), ANSWER.index(leaves[path])),
    )
    # In ``{"reply": {"text": ...}, "meta": {"text": ...}}`` the names above it tell.
    told = [path for path in ranked if any(part in ANSWER for part in path.split("/")[1:-1])]
    flat = [path for path in ranked if path.count("/") == 1]
    if flat or told or ranked:
        return (flat or told or ranked)[0]
    if isinstance(shape, Parts):
        texts = [n for n, part in enumerate(shape.parts) if _may_be_text(part)]
        return f"/{texts[0]}" if texts else ""
    return ""


def _passages(shape: Shape) -> dict[str, str]:
    lists = sorted(_lists(shape, ""), key=lambda row: _rank(row[1], PASSAGES))
    for path, name, item in lists:
        if isinstance(item, Fields):
            parts = _item_pointers(path, item)
            if "ids" in parts or "contexts" in parts:
                return parts
        elif name in PASSAGES and isinstance(item, Value) and item.kind in {"str", "string", ""}:
            names_only = name in {"sources", "references", "citations", "documents", "docs"}
            return {"ids" if names_only else "contexts": path}
    return {}


def _item_pointers(path: str, item: Fields) -> dict[str, str]:
    leaves = [(inner, name) for inner, name, _ in _leaves(item, "") if "*" not in inner]
    parts: dict[str, str] = {}
    wanted = {"contexts": TEXT, "ids": IDS, "scores": SCORES}
    for part, names in wanted.items():
        ranked = sorted(
            (
                (_rank(name, names), inner.count("/"), inner)
                for inner, name in leaves
                if name in names
            )
        )
        taken = set(parts.values())
        free = [inner for *_, inner in ranked if f"{path}/*{inner}" not in taken]
        if free:
            parts[part] = f"{path}/*{free[0]}"
    return parts


def _leaves(shape: Shape, path: str, name: str = "") -> Iterator[tuple[str, str, Value]]:
    if isinstance(shape, Value):
        if path:
            yield path, name, shape
    else:
        for inner, part, below in _inside(shape, path, name):
            yield from _leaves(below, inner, part)


def _lists(shape: Shape, path: str, name: str = "") -> Iterator[tuple[str, str, Shape]]:
    if isinstance(shape, Items):
        yield path, name, shape.item
    elif not isinstance(shape, Value):
        for inner, part, below in _inside(shape, path, name):
            yield from _lists(below, inner, part)


def _inside(shape: Shape, path: str, name: str) -> Iterator[tuple[str, str, Shape]]:
    if isinstance(shape, Fields):
        for field, below in shape.fields.items():
            yield f"{path}/{_escaped(field)}", field.lower(), below
    elif isinstance(shape, Parts):
        for number, below in enumerate(shape.parts):
            yield f"{path}/{number}", name, below
    elif isinstance(shape, Items):
        yield f"{path}/*", name, shape.item


def _escaped(field: str) -> str:
    return field.replace("~", "~0").replace("/", "~1")


def _may_be_text(shape: Shape) -> bool:
    return isinstance(shape, Value) and shape.kind in {"str", "string", ""}


def _rank(name: str, names: tuple[str, ...]) -> int:
    return names.index(name) if name in names else len(names)


def body_template(body: Mapping[str, object]) -> str:
    """Return a body as the template that ``[system] body`` takes: None stands for the question."""
    import json

    pairs = (
        f"{json.dumps(name)}: {'{{ query | tojson }}' if value is None else json.dumps(value)}"
        for name, value in body.items()
    )
    return "{" + ", ".join(pairs) + "}"
