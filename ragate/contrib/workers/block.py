"""What a run and its workers say to one another: blocks of samples, the system, errors."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from pydantic import ValidationError

from ragate import errors
from ragate.answers.corpus_texts import corpus_texts
from ragate.answers.run_profile import Selection
from ragate.baseline.schema import requests_path
from ragate.clients.budget import Budget, Tally, read_tally
from ragate.config import Config
from ragate.core.hashing import content_hash, digest
from ragate.errors import BudgetError, DatabaseError, RagateError, SystemMismatchError
from ragate.files.strict_json import loads
from ragate.gate.gate_setup import load_samples
from ragate.guards.escape import one_line
from ragate.models import Filters, Frozen, Sample, SystemInfo
from ragate.protocols import System, SystemAbilities, system_abilities
from ragate.repository.git import changed_files, head_commit
from ragate.resources.operations import Operations
from ragate.version import __version__

_MOST = 1500  # characters of an error
BLOCK_SIZE = 4  # samples: the end of a run is even, and a job's cost small beside a question's


class SampleBlock(Frozen):
    """A part of one pass, as the arguments of its job.

    Attributes:
        run: Names the run.
        name: Names the block.
        turn: The pass, from 0; below, the system is only opened.
        rebuilds: How often the system is to have been made anew before this pass.
        samples: Ids.
        calls, usd: Its share of the run's caps.
        usual_usd: What a call of the run cost so far, 0 where that is not known.
        until: When its time is over, in seconds since 1970 by the server's clock.
        recording: Names the recording of a baseline; "" for a run that is judged.
        eval_date, top_k, retrieval_only: How the system is asked.
    """

    run: str
    name: str
    turn: int
    rebuilds: int
    samples: tuple[str, ...]
    calls: int
    usd: float
    until: float
    usual_usd: float = 0.0
    recording: str = ""
    eval_date: str = ""
    top_k: int | None = None
    retrieval_only: bool = False

    @property
    def selection(self) -> Selection:
        """Return how the system is asked."""
        return Selection(
            Filters(top_k=self.top_k),
            retrieval_only=self.retrieval_only,
            eval_date=self.eval_date,
        )


@dataclass(frozen=True)
class Checkout:
    """What is checked out, as far as outputs depend on it.

    Attributes:
        queue: Names it: runs and workers with the same one meet in a queue of this name.
        words: It, for messages.
        samples: The whole golden set.
    """

    queue: str
    words: str
    samples: tuple[Sample, ...]


def checkout(config: Config, operations: Operations) -> Checkout:
    """Return what is checked out.

    The baseline does not count: it may be recorded and not committed yet, and nobody asks by it.

    Raises:
        RagateError: the golden set or the corpus cannot be read.
    """
    commit = operations.commit or head_commit(config.root)
    recorded = (config.baseline, requests_path(config.baseline))
    own = (operations.state, *operations.own_files, *recorded)
    changed = changed_files(config.root, but=own, new=False) or {}
    samples = tuple(load_samples(config, Filters()))
    texts = corpus_texts(config, None)
    parts = [
        __version__,
        config.gate,
        commit,
        sorted(changed.items()),
        config.policy.model_dump(mode="json"),
        config.system.model_dump(mode="json"),
        None if texts is None else digest(sorted(texts.items())),
        [(sample.id, content_hash(sample)) for sample in samples],
    ]
    edited = f" with changes to {', '.join(sorted(changed)[:5])}" if changed else ""
    where = f"commit {commit[:12]}" if commit else "these files"
    return Checkout(
        f"ragate-{digest(parts)[:20]}", f"{where}{edited}, with ragate {__version__}", samples
    )


def share_paces(budget: Budget, config: Config, workers: int) -> None:
    """Let this process keep to its part of what providers allow a minute.

    Args:
        workers: That ask at the same time, beside whoever judges.
    """
    for name, pace in budget.paces.items():
        pace.per_minute = config.policy.providers[name].calls_per_minute / (workers + 1)


# What a worker says of its system: whoever submits runs nothing of it, and believes the first.


class Greeting(Frozen):
    """What a run has to know of its system.

    Attributes:
        documents: Ids of all documents that can be retrieved, sorted; None where unknown.
    """

    system: SystemInfo
    max_runs: int | None = None
    abilities: SystemAbilities = SystemAbilities()
    documents: tuple[str, ...] | None = None

    def refuse_other(self, first: Greeting) -> None:
        """Raise where another worker of the run has another system.

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
        abilities=system_abilities(system),
        documents=None if documents is None else tuple(sorted(documents)),
    )


def told(spent: Tally) -> str:
    """Return what a worker spent, as it tells it."""
    return json.dumps(asdict(spent))


def read_spent(line: str) -> Tally:
    """Return what a worker told that it spent."""
    value = loads(line.encode(), where="what a worker spent", error=DatabaseError)
    return read_tally(value if isinstance(value, dict) else {})


# Why a block was not done.


class Trouble(Frozen):
    """What a worker says of a block that it did not do.

    Attributes:
        kind: The error's class.
        final: No worker tries it again.
        short: The cap of which its share is used up, "" for none.
    """

    kind: str
    message: str
    remedy: str = ""
    final: bool = False
    short: str = ""

    @property
    def error(self) -> RagateError:
        """Return it as an error of the same kind."""
        kind = getattr(errors, self.kind, RagateError)
        message = f"on a worker: {one_line(self.message, _MOST)}"
        error: RagateError = kind(message, remedy=one_line(self.remedy, _MOST))
        return error


def trouble_of(error: BaseException, *, final: bool) -> Trouble:
    """Return an error as a worker tells it."""
    cap = "max_calls" if "max_calls" in str(error) else "max_cost_usd"
    message, remedy = f"{type(error).__name__}: {error}", ""
    if isinstance(error, RagateError):
        message, remedy = error.message, error.remedy
    return Trouble(
        kind=type(error).__name__,
        message=message[:_MOST],
        remedy=remedy[:_MOST],
        final=final,
        short=cap if isinstance(error, BudgetError) else "",
    )


def read_trouble(line: str) -> Trouble:
    """Return what a worker told."""
    try:
        return Trouble.model_validate_json(line)
    except ValidationError:
        return Trouble(kind="", message=line)
