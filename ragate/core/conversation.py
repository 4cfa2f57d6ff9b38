"""A question as who reads it has to: with the turns that it follows."""

from ragate.models import Sample

_EARLIER, _NOW = "Earlier in this conversation:", "The question to answer now:"
_LABELS = {"user": "User", "assistant": "Assistant", "system": "System"}


def conversation(sample: Sample) -> str:
    """Return the question; where turns precede it, these first and the question last.

    A question without earlier turns is returned as it is, so that judgements of it stay known.
    """
    if not sample.messages:
        return sample.query
    earlier = "\n".join(f"{_LABELS[turn.role]}: {turn.content}" for turn in sample.messages)
    return f"{_EARLIER}\n{earlier}\n\n{_NOW}\n{sample.query}"


def told_by_question(sample: Sample) -> bool:
    """Tell whether a recorded output can be found by the sample's question, without its id.

    After earlier turns it cannot: "And why?" may follow anything.
    """
    return not sample.messages
