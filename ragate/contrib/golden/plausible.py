"""The count at the end of an import: what came out can be what was meant, or it is an error."""

from collections.abc import Mapping, Sequence

from ragate.dataset import Entry
from ragate.errors import DatasetError
from ragate.tables.traced import Exchange


def refuse_implausible(
    entries: Sequence[Entry], questions: Sequence[Exchange], *, named: Mapping[str, str]
) -> None:
    """Refuse questions whose ids or labels are the numbers of rows, or that have no labels at all.

    Args:
        named: The columns that somebody named, by what they hold: those are meant so.

    Raises:
        DatasetError: names the first row, what it shows, and how to say what is meant.
    """
    if len(entries) < 2 and not named:
        _refuse_unlabelled(entries, questions)
        return
    if "id" not in named:
        _refuse_row_numbers_as_ids(questions)
    if "relevant" not in named:
        _refuse_numbers_as_documents(questions)
    _refuse_unlabelled(entries, questions)


def _refuse_row_numbers_as_ids(questions: Sequence[Exchange]) -> None:
    if [question.id for question in questions] == [str(row) for row in range(len(questions))]:
        raise DatasetError(
            f"{questions[0].place}: the ids are the numbers of the rows, from 0 on: with another "
            "row between them they would be those of other questions",
            remedy="--column id= leaves the column out, and ids are made from the questions; "
            "--column id=NAME names the one that is meant",
        )


def _refuse_numbers_as_documents(questions: Sequence[Exchange]) -> None:
    labels = [name for question in questions for name in question.relevant]
    if not labels:
        return
    first = next(question for question in questions if question.relevant)
    column = first.named.get("relevant", "relevant")
    meant = (
        f"--column relevant={column} takes them as they are, --column relevant= leaves the column "
        "out"
    )
    if all(label.endswith(".0") and label[:-2].isdecimal() for label in labels):
        raise DatasetError(
            f"{first.place}: {column} = {labels[0]!r}: whole numbers that a table made floats of",
            remedy=f"write the ids as texts; {meant}",
        )
    if len(set(labels)) == len(questions) and all(label.isdecimal() for label in labels):
        raise DatasetError(
            f"{first.place}: {column} has another number in each of {len(questions)} rows: it "
            "seems to count them, and to name no document",
            remedy=meant,
        )


def _refuse_unlabelled(entries: Sequence[Entry], questions: Sequence[Exchange]) -> None:
    if any(_has_labels(entry) for entry in entries) or any(each.evidence for each in questions):
        return
    if not questions:
        return
    rest = ", ".join(sorted({name for question in questions for name in question.rest}))
    said = ", ".join(sorted({name for question in questions for name in question.recorded}))
    others = f"; there are also {rest[:200]}" if rest else ""
    others += f"; {said[:200]}: taken for what a system said" if said else ""
    raise DatasetError(
        f"{questions[0].place}: neither here nor in any other row is a right answer, an expected "
        f"document or another label{others}",
        remedy="--column references=NAME or relevant=NAME names the column; --draft keeps the "
        "questions as drafts, to be labelled",
    )


def _has_labels(entry: Entry) -> bool:
    sample = entry.sample
    return bool(
        sample.references
        or sample.relevant
        or sample.answer_keywords
        or sample.source_policy
        or not sample.answerable
        or sample.expected_calls is not None
        or sample.tools
        or entry.draft
        or entry.drafted
    )
