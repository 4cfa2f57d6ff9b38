"""What stands beside the core, and how the core finds it.

An extension is a package with one `Extension`: words alone, which say what it brings and where that
is. Ours are the folders of `ragate/contrib` that `OURS` names; those of others are named by entry
points of the group `GROUP`. Nothing is imported but the extension's own module, which imports
nothing heavy: what it brings is loaded when it is used.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from typing import Any

from ragate.errors import NotInstalledError, UsageError
from ragate.version import MANUAL

# The one list: folders of ragate/contrib. A folder that is not there is not missed.
OURS = (
    "anthropic",
    "drill",
    "entailment",
    "golden",
    "history",
    "labels",
    "llamaindex_judge",
    "otel",
    "recorder",
    "run_store",
    "transfer",
    "tryout",
    "workers",
)
# A change that an extension of others would notice is a group with the next number.
GROUP = "ragate.extensions.v1"
# Commands that take subcommands of extensions.
OPEN_COMMANDS = ("dataset", "db")
# Commands that take options of extensions.
ASKING_COMMANDS = ("check", "baseline update")
TABLES_OF_CORE = ("policy", "system")
_DOCS = f"{MANUAL}/plugins.md"
_GROUPS = re.compile(r"ragate\.extensions\.v\d+")


@dataclass(frozen=True)
class Option:
    """An option of commands that run the golden set: who is asked in place of the system here.

    Attributes:
        path: A function `(operations, given)` that gives what opens it, None for the system. It is
            called where the option is given, and where a run goes on.
        commands: Those of `ASKING_COMMANDS` that get it.
        takes: What stands for its value in the help; "": it is a switch.
        if_valued: What to write where a switch is given a value.
    """

    flag: str
    says: str
    path: str
    commands: tuple[str, ...]
    takes: str = ""
    if_valued: str = ""


@dataclass(frozen=True)
class Hook:
    """One thing that some runs do.

    Attributes:
        path: Module and class; imported only where `on` is true.
        on: Whether a `RunPlan` has it.
        guards: Without it a verdict would not be one.
    """

    name: str
    path: str
    on: Callable[[Any], bool]
    guards: bool = False


@dataclass(frozen=True)
class SystemHook:
    """What stands around a system under test, whatever asks it.

    It sees the system's calls, so one process asks, and none of its answers is taken from a run
    that did not come to its end.

    Attributes:
        path: A function `(request, opened, start, resources)` that gives an async context manager,
            which yields the system: `start(resources)` gives the one of what stands inside, with
            changed resources if need be.
        on: Whether it does for a `Config`.
        provider: A function of a `Config` that names the provider which its calls go to; "": none.
    """

    path: str
    on: Callable[[Any], bool]
    provider: str = ""


@dataclass(frozen=True)
class CommentCommand:
    """What a maintainer may write in a comment of a pull request: `/ragate VERB SHA …`.

    Attributes:
        path: A function of a `ragate.github.modes.obey.CommentRequest`.
        named: It names samples by their ids, and ends with a reason.
    """

    path: str
    named: bool = False


@dataclass(frozen=True)
class GoldenCheck:
    """What `ragate dataset validate` finds as well.

    Attributes:
        path: A function `(golden set, FILE or None, entries)` that yields issues.
        flag: The option that names a FILE, with what it `says`.
    """

    path: str
    flag: str
    says: str


@dataclass(frozen=True)
class Around:
    """What stands around a whole command.

    Attributes:
        path: A function `(command, environment, say)` that gives a context manager.
        variable: The environment variable without which it is not loaded.
    """

    path: str
    variable: str


@dataclass(frozen=True)
class Extension:
    """What a package brings. A path is `module:name`.

    Attributes:
        name: As the list or the entry point has it.
        extra: Of ragate's own: the extra that installs what it needs.
        commands: By the words that call it (`record`, `dataset suggest`): the path of the click
            command, and its line in the list.
        tables: By the name of a table at the top of ragate.toml: the path of a pydantic model. In
            CI it comes from the base commit, as the policy does.
        comment_commands: By the verb.
        before_asking: Functions `(context, gate, sha, operations)` that the action calls before
            the system of a change is asked.
        after_recording: Functions `(config, system, fresh)` that are called when a baseline was
            recorded; `fresh` where its file was written anew.
        after_step: Functions `(context, report, exit_code)` that the action calls when its verdict
            stands and is published; `report` is None where nothing was judged.
        checks_baseline: Functions `(path)` that raise where what the extension wrote beside the
            baseline at `path` cannot be read: nothing of such a recording is committed.
        protocols: How model providers are spoken to: by name, the path of a
            `ragate.clients.speech.Speech`.
        stores: Of runs that machines share: by how `RAGATE_RUNS_URL` begins (`s3` for `s3://…`),
            "" for what nothing else takes, the path of a function `(operations)` that gives a
            `ragate.stores.local.LocalStore`.
        plugins: By kind (`metrics`, `systems`, ...), name and path.
        variables: Environment variables that it reads, with what each sets.
        words: Options of other tools, with what to write here in their place.
    """

    name: str
    extra: str = ""
    commands: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    options: tuple[Option, ...] = ()
    tables: Mapping[str, str] = field(default_factory=dict)
    hooks: tuple[Hook, ...] = ()
    system_hooks: tuple[SystemHook, ...] = ()
    comment_commands: Mapping[str, CommentCommand] = field(default_factory=dict)
    golden_checks: tuple[GoldenCheck, ...] = ()
    before_asking: tuple[str, ...] = ()
    after_recording: tuple[str, ...] = ()
    after_step: tuple[str, ...] = ()
    checks_baseline: tuple[str, ...] = ()
    around: tuple[Around, ...] = ()
    protocols: Mapping[str, str] = field(default_factory=dict)
    stores: Mapping[str, str] = field(default_factory=dict)
    plugins: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class FoundExtension:
    """An extension, and the package that brought it: "" for one of ragate's own."""

    extension: Extension
    package: str = ""

    @property
    def told(self) -> str:
        """Return what it is called in a message."""
        of = f"the package {self.package}" if self.package else "ragate"
        return f"{self.extension.name} of {of}"


@cache
def found() -> tuple[FoundExtension, ...]:
    """Return every extension: ours in the order of the list, then those of others by name.

    Raises:
        UsageError: one cannot be used, or two bring the same.
    """
    ours = [
        FoundExtension(_manifest(f"ragate.contrib.{name}")) for name in OURS if name not in absent()
    ]
    every = (*ours, *_of_others())
    _refuse_doubles(every)
    return every


@cache
def absent() -> tuple[str, ...]:
    """Return which of ours are not in this installation."""
    return tuple(name for name in OURS if not _is_there(f"ragate.contrib.{name}"))


def extensions() -> tuple[Extension, ...]:
    """Return what is found; errors are those of `found`."""
    return tuple(each.extension for each in found())


def lacking() -> str:
    """Return, for the end of a message, which of ours are not in this installation."""
    return f"; without ragate.contrib: {', '.join(absent())}" if absent() else ""


def loaded(extension: Extension, path: str) -> Any:
    """Return what a path of an extension names.

    Raises:
        NotInstalledError: a module that it needs is not installed.
        UsageError: it names nothing.
    """
    module, _, name = path.partition(":")
    try:
        return getattr(import_module(module), name)
    except ModuleNotFoundError as error:
        raise NotInstalledError(
            f"{extension.name} needs the module {error.name}, which is not installed",
            remedy=_install(extension),
        ) from error
    except AttributeError as error:
        raise UsageError(
            f"{extension.name} names {path}, and there is none: {error}", remedy=f"see {_DOCS}"
        ) from error


def system_hooks(config: Any) -> list[tuple[Extension, SystemHook]]:
    """Return what stands around the system of a `Config`, each with whose it is."""
    return [(each, hook) for each in extensions() for hook in each.system_hooks if hook.on(config)]


def hooked_provider(config: Any) -> str:
    """Return the provider that such a hook sends the system's calls to, "" where none does."""
    named = (
        loaded(each, hook.provider)(config) for each, hook in system_hooks(config) if hook.provider
    )
    return next(named, "")


def store_at(url: str) -> tuple[Extension, str] | None:
    """Return what keeps runs at an address: whose it is, and its path; None where nothing does."""
    if not url:
        return None
    stores = {scheme: (each, path) for each in extensions() for scheme, path in each.stores.items()}
    return stores.get(url.partition("://")[0]) or stores.get("")


@contextmanager
def around_command(
    command: str, environment: Mapping[str, str], say: Callable[[str], None]
) -> Iterator[None]:
    """Let what extensions put around a command stand around what runs inside."""
    with ExitStack() as stack:
        for each in extensions():
            for around in each.around:
                if environment.get(around.variable):
                    stack.enter_context(loaded(each, around.path)(command, environment, say))
        yield


def _install(extension: Extension) -> str:
    from ragate.installed import install_line

    if extension.extra:
        return install_line(extension.extra)
    return f"install it, or what brings {extension.name} anew"


def _is_there(module: str) -> bool:
    try:
        spec = find_spec(module)
    except ModuleNotFoundError:  # nothing is left of ragate/contrib
        return False
    return spec is not None and spec.origin is not None  # no folder of old bytecode


def _manifest(module: str) -> Extension:
    extension: Extension = import_module(module).EXTENSION
    return extension


def _of_others() -> list[FoundExtension]:
    found_points = entry_points()
    groups = sorted(filter(_GROUPS.fullmatch, found_points.groups))
    points = [point for group in groups for point in found_points.select(group=group)]
    return [_of_point(point) for point in sorted(points, key=lambda point: point.name)]


def _of_point(point: EntryPoint) -> FoundExtension:
    package = f"{point.dist.name} {point.dist.version}" if point.dist is not None else point.value
    if point.group != GROUP:
        raise UsageError(
            f"the package {package} wants {point.group}, and this ragate has {GROUP}",
            remedy="install versions of both that fit",
        )
    try:
        extension = point.load()
    except Exception as error:  # whatever code of others raises
        raise UsageError(
            f"the package {package} names {point.value}, which cannot be imported: {error}",
            remedy="install it anew, or take it out",
        ) from error
    if not isinstance(extension, Extension):
        raise UsageError(
            f"the package {package} names {point.value}, which is no ragate.extension.Extension",
            remedy=f"{_DOCS} shows one",
        )
    _refuse_strange(extension, package)
    return FoundExtension(extension, package)


def _refuse_strange(extension: Extension, package: str) -> None:
    """Refuse what would never be reached."""
    for option in extension.options:
        if strange := set(option.commands).difference(ASKING_COMMANDS):
            raise UsageError(
                f"the package {package}: {option.flag} is no option for {', '.join(strange)}",
                remedy=f"options are taken by: {', '.join(ASKING_COMMANDS)}",
            )
    for words in extension.commands:
        group, _, _ = words.rpartition(" ")
        if group and group not in OPEN_COMMANDS:
            raise UsageError(
                f"the package {package}: the command {words!r} would stand below {group!r}, which "
                "takes none",
                remedy=f"a command of its own, or one below: {', '.join(OPEN_COMMANDS)}",
            )


def _refuse_doubles(every: tuple[FoundExtension, ...]) -> None:
    owners: dict[str, FoundExtension] = {}
    for each in every:
        for thing in _brings(each.extension):
            if other := owners.get(thing):
                raise UsageError(
                    f"{thing} is brought twice: by {other.told} and by {each.told}",
                    remedy=f"uninstall one: pip uninstall {(each.package or '').partition(' ')[0]}",
                )
            owners[thing] = each
        for table in each.extension.tables:
            if table in TABLES_OF_CORE:
                raise UsageError(
                    f"{each.told} brings the table [{table}], which is ragate's own",
                    remedy="uninstall it, or let it be named otherwise",
                )


def _brings(extension: Extension) -> Iterator[str]:
    """Yield all that there can be once."""
    yield f"the extension {extension.name!r}"
    yield from (f"the command {words!r}" for words in extension.commands)
    yield from (f"the comment /ragate {verb}" for verb in extension.comment_commands)
    yield from (f"the table [{name}]" for name in extension.tables)
    yield from (f"the protocol {name!r}" for name in extension.protocols)
    yield from (f"the run store of {scheme!r}" for scheme in extension.stores)
    for option in extension.options:
        yield from (f"the option {option.flag} of {command}" for command in option.commands)
    for kind, plugins in extension.plugins.items():
        yield from (f"the {kind.removesuffix('s')} {name!r}" for name in plugins)
