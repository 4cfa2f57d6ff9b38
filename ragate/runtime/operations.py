"""How to run, as opposed to how to judge."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ragate.runtime.run_labels import RunLabels


@dataclass(frozen=True)
class Progress:
    """How far one stage of a run is.

    Attributes:
        stage: What is done: ``run 2``, ``judging``.
        noun: What is counted, in the plural.
        cost_usd: What the run has spent on models so far, as far as prices are known.
    """

    stage: str
    done: int
    total: int
    noun: str = "samples"
    cost_usd: float = 0.0


@dataclass(frozen=True)
class Operations:
    """How to run, as opposed to how to judge: from the environment and the command line.

    Attributes:
        environment: Where the keys are; nothing else of it is read here.
        state: The folder for runs and caches.
        database_url: An own Postgres; "" starts the embedded one.
        runs_url: The run store that machines share; "" keeps runs in the state folder alone.
        offline: Recorded systems get the replies that are known, and no others.
        commit: What is judged, where it is not the checked-out commit: a pull request's head.
        unjudged: Why no judge may be asked, "" where it may.
        labels: What is noted with the run.
        own_files: What ragate itself writes in the work tree, beside `state`: no change of it.
        say: Prints a line. progress: Shows how far a stage is, as often as it is told.
    """

    environment: Mapping[str, str]
    state: Path
    database_url: str = ""
    runs_url: str = field(default="", repr=False)
    offline: bool = False
    commit: str = ""
    unjudged: str = ""
    labels: RunLabels = field(default_factory=RunLabels)
    own_files: tuple[Path, ...] = ()
    concurrency: int = 8
    timeout_s: float = 60.0
    say: Callable[[str], None] = lambda _line: None
    progress: Callable[[Progress], None] = lambda _progress: None
