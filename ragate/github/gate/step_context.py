"""What every mode of the action works with."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

from ragate import plugins
from ragate.answers.milestones import Milestones
from ragate.answers.run_profile import Selection
from ragate.config import CONFIG_NAME, Config
from ragate.errors import ConfigError, UsageError
from ragate.files.foreign_files import inside
from ragate.github.commits.commit_tree import ApiTree, Commits, ConfigLocation, policy_files
from ragate.github.event.event import Event
from ragate.github.event.inputs import Inputs
from ragate.github.publish import VerdictTarget
from ragate.github.publish.changed_sources import Annotation
from ragate.github.publish.workflow_commands import Log
from ragate.github.rest.repository import Repository
from ragate.models import Filters, Report
from ragate.repository.git import is_tracked
from ragate.repository.git import repository as repository_of
from ragate.resources.operations import STATE, Operations, read_operations

RESULT = "result"
OUTPUTS = "ragate-outputs.jsonl"
# The runner's own: keys to its services, and the inputs with the token and the database's password.
_OURS = ("INPUT_", "ACTIONS_", "GITHUB_TOKEN", "RUNNER_")


@dataclass(frozen=True)
class ModeOutcome:
    """What a mode came to.

    Attributes:
        report: None where nothing was to be judged.
        ended_as: The output ``verdict`` of a mode without a report.
        exit_code: By the verdict alone; fail-on comes later.
        paths: Where the reports are, by the names of the outputs.
        target: What the report is about.
    """

    report: Report | None = None
    ended_as: str = ""
    exit_code: int = 0
    paths: Mapping[str, str] = field(default_factory=dict)
    annotations: tuple[Annotation, ...] = ()
    target: VerdictTarget | None = None


@dataclass
class StepContext:
    """One run of the action.

    Attributes:
        workspace: Where the repository is checked out, if it is.
        repository: None without a token.
        announce: Told what is judged before anything slow begins.
    """

    inputs: Inputs
    event: Event
    environ: Mapping[str, str]
    workspace: Path
    repository: Repository | None
    log: Log
    announce: Callable[[VerdictTarget], None]
    _temporary: TemporaryDirectory[str] | None = field(default=None, repr=False)

    @property
    def project(self) -> Path:
        """Return the project's folder."""
        return (self.workspace / self.inputs.working_directory).resolve()

    @property
    def config_path(self) -> Path:
        """Return where the configuration is.

        Raises:
            ConfigError: a link of the repository's leads out of the workspace.
        """
        name = self.inputs.config or CONFIG_NAME
        below = f"{self.inputs.working_directory}/{name}"
        inside(self.workspace, below, where="input config", error=ConfigError)
        return self.project / name

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
        top = self._top()
        if top is None:
            raise UsageError(
                "the workspace holds no repository",
                remedy="let actions/checkout run before this step, in the same job",
            )
        return top

    def commits(self) -> Commits:
        """Return where commits are read beside a checkout; raises as `root`."""
        return Commits(self.root(), self.repository)

    def _top(self) -> Path | None:
        return repository_of(self.workspace) if self.workspace.is_dir() else None

    @property
    def runs_strangers_code(self) -> bool:
        """Whether this step runs code that nobody of the project has looked at."""
        pull, mode = self.event.pull, self.inputs.mode
        return mode == "collect" or (mode == "check" and pull is not None and pull.is_fork)

    def location(self, root: Path | None) -> ConfigLocation:
        """Return where the project is in the repository, whose top is `root` where it is here.

        Raises:
            UsageError: it lies behind a link, by which a change would be held to other rules.
        """
        path = Path(self.inputs.working_directory) / (self.inputs.config or CONFIG_NAME)
        if root is not None:
            path = self.workspace.relative_to(root) / path
            if (root / path.parent).resolve() != root / path.parent:
                raise UsageError(
                    f"{path.parent} is a link, or lies behind one",
                    remedy="name the folder itself in working-directory and config, or put one "
                    "there: the base's rules are read at the same path",
                )
        return _location(path.parent, path.name)

    def policy_at(self, repository: Repository, sha: str, folder: Path) -> Config | None:
        """Return the configuration of a commit that is not here, its files below `folder`.

        None where the commit is proven to have none.
        """
        return policy_files(ApiTree(repository, sha), self.location(None), folder)

    def operations(self, *, commit: str = "") -> Operations:
        """Return how to run: the token and the runner's own keys are in nobody's environment."""
        environment = {
            key: value for key, value in self.environ.items() if not key.startswith(_OURS)
        }
        if url := self.inputs.database_url.get_secret_value():
            environment["RAGATE_DATABASE_URL"] = url
        operations = read_operations(self.workspace, environment)
        if not environment.get("RAGATE_STATE_DIR") and self._state_is_foreign:
            operations = replace(operations, state=self._own_state())
        for name in ("RAGATE_DATABASE_URL", "RAGATE_RUNS_URL"):
            environment.pop(name, None)
        return replace(
            operations,
            environment=environment,
            runs_url="" if self.runs_strangers_code else operations.runs_url,
            commit=commit,
            labels=self.inputs.labels,
            own_files=(self.workspace / STATE, self.outputs_file),
            say=self.log.plain,
            progress=Milestones(self.log.plain).show,
        )

    @cached_property
    def _state_is_foreign(self) -> bool:
        """Return whether somebody else may have filled the state folder: it holds verdicts.

        A pull request can commit files there, and an unpacked artifact can hold some.
        """
        folder = self.workspace / STATE
        if self.inputs.mode == "decide" or folder.is_symlink():
            return True
        top = self._top()
        return top is not None and is_tracked(top, folder)

    def _own_state(self) -> Path:
        if self._temporary is None:
            self._temporary = TemporaryDirectory(prefix="ragate-state-")
        return Path(self._temporary.name).resolve()

    def selection(self, *, runs: int = 1) -> Selection:
        """Return what part of the golden set is run."""
        return Selection(filters=Filters(tags=self.inputs.tags), runs=runs)

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        """Yield a folder for what is fetched and not kept."""
        with TemporaryDirectory(prefix="ragate-") as folder:
            yield Path(folder).resolve()

    def close(self) -> None:
        """Remove what was made for this run alone."""
        if self._temporary is not None:
            self._temporary.cleanup()

    def hide(self, config: Config) -> None:
        """Cut the keys that a policy names out of everything that is printed from now on."""
        self.log.hide([self.environ.get(name, "") for name in config.policy.key_names])


def _location(folder: Path, name: str) -> ConfigLocation:
    return ConfigLocation("" if folder == Path() else folder.as_posix(), name)


def refuse_code(config: Config, inputs: Inputs) -> None:
    """Raise where the system would run the repository's code and the workflow does not allow it.

    Raises:
        UsageError: names the system and the input.
    """
    use = config.system.use
    traits = plugins.traits(use)
    keys = traits.keys_with_code(config.system.settings)
    executes = config.policy.execution is not None
    if inputs.allow_code or not (traits.runs_code or keys or executes):
        return
    does = "runs code of the repository"
    program = f"[system] {keys[0]}" if keys else f"the system {use!r}"
    if executes:
        program, does = "[policy.execution]", "carries calls out that a model wrote"
    raise UsageError(
        f"{program} {does}, and allow-code is not true",
        remedy="set `allow-code: true` in a job that holds no key and no write token "
        "(mode collect), and judge its outputs in another (mode decide)",
    )
