"""Lines that a mapping does not fit, counted before the file is refused."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ragate.errors import DatasetError
from ragate.outputs.fields import described, fields_of

IN_CI = "in CI the base branch's mapping counts"
_NAMED = 5


@dataclass
class Misfits:
    """Lines that the pointers do not fit; the first one is shown in full."""

    fitting: int = 0
    places: list[str] = field(default_factory=list)
    first: str = ""

    def add(self, where: str, problem: str, row: Mapping[str, Any]) -> None:
        if not self.places:
            self.first = f"{where}: {problem}; this line has {described(fields_of(row))}"
        self.places.append(where)

    def refuse(self) -> None:
        """Raise where a line did not fit.

        Raises:
            DatasetError: names the first, and how many others there are.
        """
        if not self.places:
            return
        count = len(self.places) + self.fitting
        others = ", ".join(place.rpartition(":")[2].strip() for place in self.places[1:_NAMED])
        more = f"; the next: {others}" if others else ""
        raise DatasetError(
            f"{self.first} ({len(self.places)} of {count} lines do not fit{more})",
            remedy="correct [system.pointers], or write every line in one shape; where your system "
            f"failed, let `error` point to its message; {IN_CI}",
        )
