"""What a worker says of its system: whoever submits runs nothing of it, and believes the first."""

from pydantic import ValidationError

from ragate.errors import SystemMismatchError
from ragate.models import Frozen, SystemInfo
from ragate.protocols import DateReader, IdentifiedSystem, PassageArranger, System


class Greeting(Frozen):
    """What a run has to know of its system.

    Attributes:
        max_runs, identifies_state, reads_date, arranges: As of `ragate.protocols.System`.
        documents: Ids of all documents that can be retrieved, sorted; None where unknown.
    """

    system: SystemInfo
    max_runs: int | None = None
    identifies_state: bool = False
    reads_date: bool = False
    arranges: bool = False
    documents: tuple[str, ...] | None = None

    def refuse_other(self, first: "Greeting") -> None:
        """Raise where another worker of the plan has another system.

        Args:
            first: What the first worker said.

        Raises:
            SystemMismatchError: names what differs.
        """
        if first.system == self.system:
            return
        ours, theirs = self.system.parts, first.system.parts
        parts = sorted(key for key in {*ours, *theirs} if ours.get(key) != theirs.get(key))
        named = f" ({', '.join(parts)})" if parts else ""
        raise SystemMismatchError(
            f"the system of this worker is another than the first worker's{named}",
            remedy="give all workers the same documents, models and settings: outputs of two "
            "systems are not one run",
        )


async def greeting_of(system: System) -> Greeting:
    """Return what is said of a system that is prepared."""
    documents = await system.documents()
    return Greeting(
        system=system.info,
        max_runs=system.max_runs,
        identifies_state=isinstance(system, IdentifiedSystem) and system.identifies_state,
        reads_date=isinstance(system, DateReader) and system.reads_date,
        arranges=isinstance(system, PassageArranger) and system.arranges,
        documents=None if documents is None else tuple(sorted(documents)),
    )


def read_greeting(text: str) -> Greeting:
    """Return what the first worker said.

    Raises:
        SystemMismatchError: it is nothing that this ragate says.
    """
    try:
        return Greeting.model_validate_json(text)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        field = ".".join(map(str, problem["loc"]))
        raise SystemMismatchError(
            f"what a worker said of its system: {field}: {problem['msg']}"
        ) from error
