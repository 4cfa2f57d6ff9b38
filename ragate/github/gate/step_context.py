"""What every mode of the action works with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from ragate.config import CONFIG_NAME, Config
from ragate.errors import UsageError
from ragate.github.commits.policy_files import ConfigLocation
from ragate.github.event.event import Event
from ragate.github.event.inputs import Inputs
from ragate.github.publish.publish import Annotation, Target
from ragate.github.publish.redaction import redactor
from ragate.github.publish.step_outputs import Paths
from ragate.github.publish.workflow_commands import Log
from ragate.github.rest.repository import Repository
from ragate.models import Filters, Report, Run
from ragate.pipeline.run.selection import Selection
from ragate.runtime.environment import STATE, read_operations
from ragate.runtime.resources import Operations
from ragate.support.git import is_tracked
from ragate.support.git import repository as repository_of

# Systems that run no code of the repository; `http` belongs to them unless it starts a program.
DATA_ONLY = frozenset({"pgvector", "replay", "http"})
RESULT = "result"
OUTPUTS = "ragate-outputs.jsonl"
# The runner's own: keys to its services, and the inputs with the token and the database's password.
_OURS = ("INPUT_", "ACTIONS_", "GITHUB_TOKEN", "RUNNER_")


@dataclass(frozen=True)
class ModeOutcome:
    """What a mode came to.

    Attributes:
        report: None where nothing was to be judged.
        said: The output ``verdict`` of a mode without a report.
        exit_code: By the verdict alone; fail-on comes later.
    """

    report: Report | None = None
    said: str = ""
    exit_code: int = 0
    paths: Paths = field(default_factory=Paths)
    annotations: tuple[Annotation, ...] = ()


@dataclass
class Context:
    """One run of the action.

    Attributes:
        workspace: Where the repository is checked out, if it is.
        repository: None without a token.
        target: What is judged, as soon as that is known: it gets the status of an error, too.
        announce: Tells that a target is being judged.
        control: Outputs of the base version from today, scored; None where there are none.
    """

    inputs: Inputs
    event: Event
    environ: Mapping[str, str]
    workspace: Path
    repository: Repository | None
    log: Log
    target: Target | None = None
    control: Run | None = None
    _temporary: TemporaryDirectory[str] | None = field(default=None, repr=False)

    @property
    def project(self) -> Path:
        """Return the project's folder."""
        return (self.workspace / self.inputs.working_directory).resolve()

    @property
    def config_path(self) -> Path:
        return self.project / (self.inputs.config or CONFIG_NAME)

    @property
    def result_folder(self) -> Path:
        return self.workspace / STATE / RESULT

    @property
    def outputs_file(self) -> Path:
        return self.project / (self.inputs.outputs_path or OUTPUTS)

    def root(self) -> Path:
        """Return the top of the repository that is checked out.

        Raises:
            UsageError: there is none.
        """
        found = repository_of(self.workspace) if self.workspace.is_dir() else None
        if found is None:
            raise UsageError(
                "the workspace holds no repository",
                remedy="let actions/checkout run before this step, in the same job",
            )
        return found

    def place(self, root: Path) -> ConfigLocation:
        """Return where the project is in the repository at `root`."""
        path = self.config_path
        folder = path.parent.resolve()
        if not folder.is_relative_to(root):
            raise UsageError(
                f"working-directory {self.inputs.working_directory!r} is outside of the workspace"
            )
        name = folder.relative_to(root).as_posix()
        return ConfigLocation("" if name == "." else name, path.name)

    def bare_place(self) -> ConfigLocation:
        """Return where the project is as the inputs say, without looking at any workspace."""
        parts = Path(self.inputs.working_directory) / (self.inputs.config or CONFIG_NAME)
        folder = parts.parent.as_posix()
        return ConfigLocation("" if folder == "." else folder, parts.name)

    def operations(self, *, commit: str = "") -> Operations:
        """Return how to run: the token and the runner's own keys are in nobody's environment."""
        environment = {
            key: value for key, value in self.environ.items() if not key.startswith(_OURS)
        }
        if url := self.inputs.database_url.get_secret_value():
            environment["RAGATE_DATABASE_URL"] = url
        made = read_operations(self.workspace, environment)
        if not environment.get("RAGATE_STATE_DIR") and self._state_is_foreign():
            made = replace(made, state=self._own_state())
        passed = {k: v for k, v in environment.items() if k != "RAGATE_DATABASE_URL"}
        return replace(
            made,
            environment=passed,
            commit=commit,
            own_files=(self.workspace / STATE, self.outputs_file),
            say=self.log.plain,
            progress=self._progress,
        )

    def _state_is_foreign(self) -> bool:
        """Return whether somebody else may have filled the state folder: it holds verdicts.

        A pull request can commit files there, and an unpacked artifact can hold some.
        """
        folder = self.workspace / STATE
        if self.inputs.mode == "decide" or folder.is_symlink():
            return True
        top = repository_of(self.workspace) if self.workspace.is_dir() else None
        return top is not None and is_tracked(top, folder)

    def _own_state(self) -> Path:
        if self._temporary is None:
            self._temporary = TemporaryDirectory(prefix="ragate-state-")
        return Path(self._temporary.name).resolve()

    def selection(self, *, runs: int = 1) -> Selection:
        """Return what part of the golden set is run."""
        return Selection(filters=Filters(tags=self.inputs.tags), runs=runs)

    def close(self) -> None:
        """Remove what was made for this run alone."""
        if self._temporary is not None:
            self._temporary.cleanup()

    def hide(self, config: Config) -> None:
        """Cut the keys that a policy names out of everything that is printed from now on."""
        keys = [self.environ.get(name, "") for name in config.policy.key_names]
        self.log.redact = redactor(self.inputs, keys)

    def _progress(self, done: int, total: int, what: str) -> None:
        quarters = {total * part // 4 for part in (1, 2, 3)} if total >= 100 else set()
        if done == total or done in quarters:
            self.log.plain(f"{what}: {done}/{total} samples")


def refuse_code(config: Config, inputs: Inputs) -> None:
    """Raise where the system would run the repository's code and the workflow does not allow it.

    Raises:
        UsageError: names the system and the input.
    """
    use = config.system.use
    starts = use == "http" and bool(config.system.settings.get("start"))
    if inputs.allow_code or (use in DATA_ONLY and not starts):
        return
    what = "[system] start" if starts else f"the system {use!r}"
    raise UsageError(
        f"{what} runs code of the repository, and allow-code is not true",
        remedy="set `allow-code: true` in a job that holds no key and no write token "
        "(mode collect), and judge its outputs in another (mode decide)",
    )
