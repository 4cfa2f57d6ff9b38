"""``ragate plugin``: a metric, judge or system of your own in one file."""

from __future__ import annotations

import keyword
from pathlib import Path
from shlex import quote

import click

from ragate.cli.group import OrderedGroup
from ragate.errors import UsageError
from ragate.version import MANUAL

TEMPLATES = Path(__file__).parent / "templates"
KINDS = ("metric", "judge", "system")


@click.group("plugin", cls=OrderedGroup)
def command() -> None:
    """A metric, judge or system of your own in one file; docs/plugins.md."""


@command.command("new", short_help="Write a metric, judge or system of your own, with its test.")
@click.argument("kind", type=click.Choice(KINDS))
@click.argument("name")
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("evals"),
    show_default=True,
    help="Where the file is written; its path is the plugin's dotted name.",
)
def new(*, kind: str, name: str, folder: Path) -> None:
    """Write NAME.py: a plugin that works, with its contract test, to be changed.

    An existing file is left alone. Exits with 2 where the name or folder cannot be imported.
    \f

    See [Plugins](plugins.md).
    """
    from ragate import plugins

    _refuse_wrong_name(name, f"{kind}s")
    dotted = _dotted(folder, name)
    path = folder / f"{name}.py"
    _refuse_way_out(folder)
    if plugins.is_module_elsewhere(folder.parts[0]):
        raise UsageError(
            f"--folder {folder}: {folder.parts[0]!r} is the name of a module that is installed",
            remedy="take another folder",
        )
    text = (TEMPLATES / f"{kind}.txt").read_text(encoding="utf-8")
    filled = text.replace("@NAME@", name).replace("@DOTTED@", dotted).replace("@FILE@", str(path))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(filled)
    except FileExistsError as error:
        raise UsageError(
            f"{error.filename} is there already", remedy="take another name, or remove it"
        ) from error
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from error
    click.echo(f"Wrote {path}")
    click.echo(f"Next: ragate plugin check {quote(str(path))}")
    click.echo(f"Then: {_use_of(kind, dotted)}, and PYTHONPATH=. ragate check")


def _use_of(kind: str, dotted: str) -> str:
    if kind == "metric":
        return f'[policy.metrics."{dotted}"] in ragate.toml'
    if kind == "judge":
        return f'[policy.judge] use = "{dotted}" in ragate.toml'
    return f'[policy] systems = ["{dotted}"] and [system] use = "{dotted}" in ragate.toml'


def _refuse_wrong_name(name: str, kind: str) -> None:
    from ragate import plugins

    if not _is_importable(name):
        raise UsageError(
            f"{name!r} is no name of a Python module",
            remedy="take small letters, digits and underscores, beginning with a letter",
        )
    if name in plugins.names(kind):  # type: ignore[arg-type]  # one of KINDS, in the plural
        raise UsageError(
            f"{name!r} is a built-in {kind.removesuffix('s')}", remedy="take another name"
        )


def _dotted(folder: Path, name: str) -> str:
    parts = folder.parts
    if folder.is_absolute() or not parts or not all(map(_is_importable, parts)):
        raise UsageError(
            f"--folder {folder}: a plugin is imported by its path, and this is none of names",
            remedy="take a folder below this one, such as evals or tools/gate",
        )
    return ".".join((*parts, name))


def _refuse_way_out(folder: Path) -> None:
    """Refuse a folder that a link leads out of this one: the file would be written elsewhere."""
    real, here = (Path.cwd() / folder).resolve(), Path.cwd().resolve()
    if not real.is_relative_to(here):
        raise UsageError(
            f"--folder {folder}: a link leads out of this folder, to {real}",
            remedy="take a folder below this one, such as evals",
        )


def _is_importable(name: str) -> bool:
    return name.isascii() and name.isidentifier() and not keyword.iskeyword(name)


@command.command("check", short_help="Say whether a plugin's file keeps to its contract.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--settings",
    metavar="TOML",
    default="",
    help="The plugin's own keys, as they stand in its table: 'words = [\"please\"]'.",
)
@click.option("--question", default="", help="What a system is asked; default: a question of ours.")
def check(*, file: Path, settings: str, question: str) -> int:
    """Run the contract of a metric, judge or system over FILE, whose code runs.

    A metric is scored on outputs of every kind, a system is asked one question twice, a judge
    judges one answer, in a process of its own. Exits with 0 where every demand is kept, with 2
    else, and where the code ends its process.
    \f

    | kind | how it is known | what is demanded |
    | --- | --- | --- |
    | metric | `create(request)` | scores in range, from its own pair alone; one identity |
    | system | `create(settings, resources)`, `answer` | it is prepared, answers twice, and ends |
    | judge | the same, without `answer` | criteria, a fingerprint, a score for each criterion |

    There is no model and no database in a check: a metric or judge that asks one is not asked, or
    not held to its reply. A metric on embeddings gets vectors of hashed words.
    """
    from ragate.cli.finding import plural
    from ragate.guards.escape import one_line
    from ragate.plugins.contract.check_file import check_apart

    _refuse_no_table(settings)
    demands = check_apart(file, settings, question=question)
    for demand in demands:
        click.echo(f"{'no' if demand.broken else 'ok':4}{demand.text}")
        if demand.broken:
            click.echo(f"      {one_line(demand.broken)}")
    broken = sum(bool(demand.broken) for demand in demands)
    if broken:
        click.echo(f"{plural(broken, 'demand')} of {len(demands)} not kept: {MANUAL}/plugins.md")
    else:
        click.echo(f"All {len(demands)} demands are kept.")
    return 2 if broken else 0


def _refuse_no_table(text: str) -> None:
    import tomllib

    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(
            f"--settings {text!r} is no TOML: {error}", remedy="write it as --settings 'key = 3'"
        ) from error
