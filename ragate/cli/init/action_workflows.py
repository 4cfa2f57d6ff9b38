"""The texts of a gate's workflows, those of the action and the plain one without it."""

import re
from typing import Any

from ragate import plugins
from ragate.cli.init.config_text import Choice
from ragate.cli.init.templates import in_bash, written
from ragate.cli.quoting import glob_text, quoted, shell_word
from ragate.cli.workflows import signed
from ragate.errors import UsageError
from ragate.version import MANUAL, REPOSITORY, __version__

_PINNED = re.compile(r"[0-9a-f]{40}")
_GATE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")
_RECORDED = f"{MANUAL}/replay.md#recorded-model-calls"
# Prints the commit that a release's tag names.
RELEASES = f"git ls-remote https://github.com/{REPOSITORY} refs/tags/action/v{__version__}"


def action_workflows(
    choice: Choice,
    *,
    gate: str,
    commit: str,
    folder: str = "",
    main: str = "main",
    several: bool = False,
    shards: int | None = None,
) -> dict[str, str]:
    """Return the workflows by file name: one job, or the pair where the system is code.

    Args:
        commit: The commit of the action's release, forty digits.
        folder: Where ragate.toml is, below the repository's root; "" for the root itself.
        several: The repository has other gates: files and groups bear this one's name, since of
            two groups of one name one is cancelled.
        shards: Into how many jobs the first half is split; None for one.

    Raises:
        UsageError: `commit` is none, or `gate` cannot name a status.
    """
    if not _PINNED.fullmatch(commit):
        raise UsageError(
            f"--action {commit!r}: write the full commit of a release, forty digits",
            remedy="a tag can be moved by whoever owns the action; a commit cannot",
        )
    if not _GATE.fullmatch(gate):
        raise UsageError(f"{gate!r} cannot name a gate: up to 60 letters, digits, '.', '_' and '-'")
    # What needs packages that the container has not runs on the runner.
    code = "-code" if choice.on_runner else ""
    templates = {"ragate": "ragate"}
    if code or shards is not None:
        collect = "ragate-collect-shards" if shards is not None else "ragate-collect-code"
        templates = {"ragate-collect": collect, "ragate-decide": "ragate-decide"}
    templates |= {"ragate-commands": "ragate-commands", "ragate-main": f"ragate-main{code}"}
    gaps = {
        **action_gaps(choice, gate=gate, commit=commit, folder=folder, shards=shards),
        "main": main,
        "suffix": f"-{gate}" if several else "",
    }
    return {
        f"{name}{gaps['suffix']}.yml": signed(
            written(f"workflows/{template}.yml", {**gaps, "trusted": name == "ragate-main"})
        )
        for name, template in templates.items()
    }


def action_gaps(
    choice: Choice, *, gate: str, commit: str, folder: str = "", shards: int | None = None
) -> dict[str, Any]:
    """Return what stands in the gaps of the action's workflows, as of `action_workflows`."""
    needs_database = plugins.traits(choice.system).needs_database
    packages = _own_packages(choice, folder)
    action = f"{REPOSITORY}@{commit}"
    ragate = f"git+https://github.com/{action}"
    extra = "embedded" if shards is not None and needs_database else choice.extra
    if extra:
        ragate = f"'ragate[{extra}] @ {ragate}'"
    if packages and not choice.lock and not choice.environment:  # one pip finds what fits both
        packages, ragate = [], f"{choice.packages} {ragate}"
    return {
        **_shared_gaps(choice, folder),
        "action": action,
        "gate": gate,
        "in_folder": f" --working-directory {in_bash(folder)}" if folder else "",
        "shards": shards,
        "ragate": ragate,
        "packages": packages,
        "code": choice.runs_code,
        "database": needs_database is not False,
    }


def plain_text(choice: Choice, *, folder: str = "", gate: str = "") -> str:
    """Return the one workflow without the action.

    Args:
        folder: Where ragate.toml is, below the repository's root; "" for the root itself.
        gate: Where there are several: the workflow's and the check's names end with it.
    """
    embedded = plugins.traits(choice.system).needs_database is True
    extra = "embedded" if embedded else choice.extra
    below = f"{folder}/" if folder else ""
    gaps = {
        **_shared_gaps(choice, folder),
        "suffix": f"-{gate}" if gate else "",
        "ragate": f"ragate{f'[{extra}]' if extra else ''}=={__version__}",
        "packages": _own_packages(choice, folder),
        "database": embedded,
        "cache_key": _cache_key(f"{below}ragate.toml", f"{below}{choice.source}".rstrip("/")),
        # One job runs all: code of a pull request would stand beside the keys.
        "provider_keys": () if choice.runs_code else choice.provider_keys,
        "trusted": False,
    }
    return signed(written("workflows/plain.yml", gaps))


def _shared_gaps(choice: Choice, folder: str) -> dict[str, Any]:
    way = f"cd {shell_word(folder)} && " if folder else ""
    return {
        "choice": choice,
        "folder": folder,
        "below": f"{folder}/" if folder else "",
        "provider_keys": choice.provider_keys,
        # What fills its database or index, as package.json does.
        "seeds": [f"{way}{command}" for command in choice.seeds],
        "recorded": _RECORDED,
    }


def _cache_key(config: str, documents: str) -> str:
    """Return the key as YAML text: an expression quotes by doubling, YAML as JSON does."""
    patterns = [glob_text(config), *([f"{glob_text(documents)}/**"] if documents else [])]
    files = ", ".join("'{}'".format(pattern.replace("'", "''")) for pattern in patterns)
    return quoted(f"ragate-${{{{ runner.os }}}}-${{{{ hashFiles({files}) }}}}")


def _own_packages(choice: Choice, folder: str) -> list[str]:
    """Return the lines that install the RAG's own packages, into its environment if it has one."""
    own = f"{folder}/{choice.environment}" if folder else choice.environment
    own = f"./{own}" if own.startswith("-") else own  # which no program takes for an option
    if not choice.runs_code:
        return []
    if choice.lock:
        return [_from_lock(choice, own if choice.environment else "")]
    pip, lines = "pip", []
    if choice.environment:
        pip, lines = shell_word(f"{own}/bin/pip"), [f"python -m venv {shell_word(own)}"]
    if choice.packages:
        lines.append(f"{pip} install {choice.packages}")
    return [" && ".join(lines)] if lines else []


def _from_lock(choice: Choice, own: str) -> str:
    """Return the line that installs what a lock file names, with the tool that wrote it.

    Args:
        own: The RAG's own environment, below the repository's root; "" for the job's.
    """
    way = "" if choice.packages == "." else f"cd {shell_word(choice.packages)} && "
    if choice.lock == "poetry":
        where = "IN_PROJECT=true" if own else "CREATE=false"
        line = f"POETRY_VIRTUALENVS_{where} poetry install --no-interaction"
    elif own:
        environment = '"$GITHUB_WORKSPACE"/' + shell_word(own)
        line = f"UV_PROJECT_ENVIRONMENT={environment} uv sync --frozen"
    else:
        line = (
            'uv export --frozen --no-hashes --output-file "$RUNNER_TEMP/packages.txt" --quiet'
            ' && pip install --requirement "$RUNNER_TEMP/packages.txt"'
        )
    return f"pip install {choice.lock} && {way}{line}"
