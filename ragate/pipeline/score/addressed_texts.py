"""Which new outputs hold text that speaks to a judge: named in the report, and nothing more."""

from ragate.core.judging.addressed import addressed
from ragate.core.text.listed_names import listed
from ragate.models import Sample, SystemOutput

_MOST_NAMED = 5


class AddressedTexts:
    """The outputs that are not the baseline's and speak to a judge, by sample."""

    def __init__(self) -> None:
        self._kinds: dict[str, str] = {}

    def look(self, sample: Sample, output: SystemOutput) -> None:
        """Note where the output, or its question, does so."""
        places = [("question", sample.query), ("answer", output.answer or "")]
        places += [(f"context {n}", chunk.text) for n, chunk in enumerate(output.chunks, start=1)]
        for place, text in places:
            if kind := addressed(text):
                self._kinds.setdefault(sample.id, f"{place}: {kind}")

    @property
    def note(self) -> str:
        """One sentence for the report, "" where there are none."""
        if not self._kinds:
            return ""
        named = listed([f"{name} ({kind})" for name, kind in self._kinds.items()], most=_MOST_NAMED)
        count = len(self._kinds)
        hold = "1 sample holds" if count == 1 else f"{count} samples hold"
        return f"{hold} text that speaks to a judge; read it before you trust their scores: {named}"
