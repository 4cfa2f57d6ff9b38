"""``ragate plugin new``."""

from __future__ import annotations

import keyword
from pathlib import Path
from shlex import quote

import click

TEMPLATES = Path(__file__).parent / "templates"
KINDS = ("metric", "judge", "system")


@click.command("new")
@click.argument("kind", type=click.Choice(KINDS))
@click.argument("name")
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("evals"),
    show_default=True,
    help="Where the file is written; its path is the plugin's dotted name.",
)
def command(*, kind: str, name: str, folder: Path) -> None:
    """Write NAME.py: a plugin that works, with its contract test, to be changed.

    An existing file is left alone. Exits with 2 where the name or folder cannot be imported.
    """
    from ragate import plugins
    from ragate.errors import UsageError

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
    from ragate.errors import UsageError

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
    from ragate.errors import UsageError

    parts = folder.parts
    if folder.is_absolute() or not parts or not all(map(_is_importable, parts)):
        raise UsageError(
            f"--folder {folder}: a plugin is imported by its path, and this is none of names",
            remedy="take a folder below this one, such as evals or tools/gate",
        )
    return ".".join((*parts, name))


def _refuse_way_out(folder: Path) -> None:
    """Refuse a folder that a link leads out of this one: the file would be written elsewhere."""
    from ragate.errors import UsageError

    real, here = (Path.cwd() / folder).resolve(), Path.cwd().resolve()
    if not real.is_relative_to(here):
        raise UsageError(
            f"--folder {folder}: a link leads out of this folder, to {real}",
            remedy="take a folder below this one, such as evals",
        )


def _is_importable(name: str) -> bool:
    return name.isascii() and name.isidentifier() and not keyword.iskeyword(name)
