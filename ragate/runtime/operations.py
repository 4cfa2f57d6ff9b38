"""How to run, as opposed to how to judge."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Operations:
    """How to run, as opposed to how to judge: from the environment and the command line.

    Attributes:
        environment: Where the keys are; nothing else of it is read here.
        state: The folder for runs and caches.
        database_url: An own Postgres; "" starts the embedded one.
        offline: Recorded systems get the replies that are known, and no others.
        commit: What is judged, where it is not the checked-out commit: a pull request's head.
        unjudged: Why no judge may be asked, "" where it may.
        own_files: What ragate itself writes in the work tree, beside `state`: no change of it.
        say: Prints a line; progress(done, total, what) shows how far a step is.
    """

    environment: Mapping[str, str]
    state: Path
    database_url: str = ""
    offline: bool = False
    commit: str = ""
    unjudged: str = ""
    own_files: tuple[Path, ...] = ()
    concurrency: int = 8
    timeout_s: float = 60.0
    say: Callable[[str], None] = lambda _line: None
    progress: Callable[[int, int, str], None] = lambda _done, _total, _what: None
