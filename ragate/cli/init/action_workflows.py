"""The workflows of the GitHub Action, as the manual shows them, for one gate."""

import re
from collections.abc import Mapping, Sequence
from importlib.resources import files

from ragate import plugins
from ragate.cli.init.config_text import Choice
from ragate.cli.quoting import glob_text, literal, quoted, shell_word, yaml_text
from ragate.cli.workflows import signed
from ragate.errors import UsageError
from ragate.version import MANUAL, REPOSITORY, __version__

_PINNED = re.compile(r"[0-9a-f]{40}")
_GATE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")
_KEY = re.compile(r"^        env:\n          OPENAI_API_KEY:[^\n]*\n", re.MULTILINE)
_ONE_KEY = re.compile(r"^          OPENAI_API_KEY:[^\n]*\n", re.MULTILINE)
_CODE = re.compile(r"^          allow-code:[^\n]*\n", re.MULTILINE)
_NAME = re.compile(r"^(name: ragate[a-z-]*)$", re.MULTILINE)
_GROUP = re.compile(r"^( *group: ragate(?:-[a-z]+)?)((?:-\$.*)?)$", re.MULTILINE)
_RUNS_SYSTEM = ("ragate-collect", "ragate-main")  # the first half, and the baseline
_INSTALL = re.compile(
    r"^      - run: pip install --requirement requirements\.txt git.*\n", re.MULTILINE
)
RECORDED = "ragate-baseline"  # the folder that one job of main leaves to the next
_RECORDED = f"{MANUAL}/replay.md#recorded-model-calls"
_SERVICE = re.compile(r"^    services:\n(?:      .*\n)+", re.MULTILINE)
_DATABASE = re.compile(r"^          database-url:[^\n]*\n", re.MULTILINE)
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
        several: The repository has other gates: files and groups bear this one's name.
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
    in_pair = choice.on_runner or shards is not None
    names = ["ragate-collect", "ragate-decide"] if in_pair else ["ragate"]
    texts = {
        name: _filled(name, choice, gate, commit, folder, main, shards)
        for name in [*names, "ragate-commands", "ragate-main"]
    }
    if several:
        texts = {f"{name}-{gate}": _of_gate(text, gate) for name, text in texts.items()}
    return {f"{name}.yml": signed(text) for name, text in texts.items()}


def _of_gate(text: str, gate: str) -> str:
    """Return a workflow whose name and groups are this gate's: two of one name undo each other."""
    text = _NAME.sub(rf"\1-{gate}", text)
    text = text.replace("workflows: [ragate-collect]", f"workflows: [ragate-collect-{gate}]")
    return _GROUP.sub(rf"\1-{gate}\2", text)


def secrets(names: Sequence[str]) -> str:
    """Return the lines of a step's ``env`` that give it keys."""
    return "".join(f"          {name}: ${{{{ secrets.{name} }}}}\n" for name in names)


def seed_steps(choice: Choice, folder: str, *, trusted: bool = False) -> str:
    """Return the steps that fill its database or index, as Makefile or package.json do.

    Args:
        trusted: The code is reviewed, and so its steps may have the keys that it reads.
    """
    way = f"cd {shell_word(folder)} && " if folder else ""
    keys = f"        env:\n{secrets(choice.keys)}" if trusted and choice.keys else ""
    steps = "".join(_step(f"{way}{command}") + keys for command in choice.seeds)
    if choice.keys and not choice.keyless and not trusted:
        names = ", ".join(choice.keys)
        steps += f"      # the code reads {names}, and that of a change gets no key: {_RECORDED}\n"
    return steps


def _installed(choice: Choice, folder: str, action: str, extra: str) -> str:
    """Return the steps that install the RAG's packages, and ragate beside or apart from them."""
    ragate = f"git+https://github.com/{action}"
    if extra:
        ragate = f"'ragate[{extra}] @ {ragate}'"
    if choice.environment:
        return f"""{rag_packages(choice, folder)}      - run: |
          python -m venv "$RUNNER_TEMP/ragate"
          "$RUNNER_TEMP/ragate/bin/pip" install {ragate}
          echo "$RUNNER_TEMP/ragate/bin" >> "$GITHUB_PATH"
"""
    if choice.runs_code and choice.packages and not choice.lock:
        return _step(f"pip install {choice.packages} {ragate}")
    return f"{rag_packages(choice, folder)}{_step(f'pip install {ragate}')}"


def rag_packages(choice: Choice, folder: str) -> str:
    """Return the step that installs the RAG's own packages, into its environment if it has one."""
    if not choice.runs_code:
        return ""
    comment = "" if choice.packages else "      # your RAG's packages are installed here\n"
    own = f"{folder}/{choice.environment}" if folder else choice.environment
    own = f"./{own}" if own.startswith("-") else own  # which no program takes for an option
    if choice.lock:
        return _from_lock(choice, own if choice.environment else "")
    if not choice.environment:
        return comment or _step(f"pip install {choice.packages}")
    line = f"python -m venv {shell_word(own)}"
    line += (
        f" && {shell_word(f'{own}/bin/pip')} install {choice.packages}" if choice.packages else ""
    )
    return comment + _step(line)


def _from_lock(choice: Choice, own: str) -> str:
    """Return the step that installs what a lock file names, with the tool that wrote it.

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
    return _step(f"pip install {choice.lock} && {way}{line}")


def _step(line: str) -> str:
    """Return a step that runs one line of bash, which YAML and GitHub leave as it is."""
    line = literal(line)
    # A colon or a number sign beside a space, or what YAML gives a meaning at the beginning.
    plain = not re.search(r":( |$)| #|^[^a-z]|\s$", line)
    return f"      - run: {line if plain else quoted(line)}\n"


def template(name: str) -> str:
    """Return the text of a workflow with its gaps."""
    return files(__package__).joinpath("workflows", f"{name}.yml").read_text(encoding="utf-8")


def _filled(
    name: str,
    choice: Choice,
    gate: str,
    commit: str,
    folder: str,
    main: str,
    shards: int | None,
) -> str:
    gaps = {"ACTION": f"{REPOSITORY}@{commit}", "GATE": gate, "MAIN": yaml_text(main)}
    extra = choice.extra
    # What needs packages that the container has not runs on the runner.
    source = f"{name}-code" if choice.on_runner and name in _RUNS_SYSTEM else name
    if shards is not None and name == "ragate-collect":
        source = f"{name}-shards"
        gaps["SHARDS"] = ", ".join(str(number) for number in range(1, shards + 1))
        gaps["OF"], gaps["DATASET"] = str(shards), literal(shell_word(choice.dataset))
        if plugins.traits(choice.system).needs_database:
            extra = "embedded"
    text = filled(template(source), gaps)
    steps = _installed(choice, folder, gaps["ACTION"], extra)
    steps += seed_steps(choice, folder, trusted=name == "ragate-main")
    text = _INSTALL.sub(lambda _: steps, text)
    if source == "ragate-main-code" and choice.keys:  # main's code is reviewed code
        text = _ONE_KEY.sub(lambda _: secrets(choice.keys), text)
    elif choice.answers != "chat":
        text = _ONE_KEY.sub("", _KEY.sub("", text))
    if not choice.runs_code:
        text = _CODE.sub("", text).replace(" --allow-code", "")
    if plugins.traits(choice.system).needs_database is False:
        text = _DATABASE.sub("", _SERVICE.sub("", text))
    return _in_folder(text, gate, folder) if folder else text


def filled(text: str, gaps: Mapping[str, str]) -> str:
    """Return `text` with its gaps, such as ``@GATE@``, filled; what is filled in has none."""
    return re.sub("@([A-Z_]+)@", lambda gap: gaps[gap[1]], text)


def _in_folder(text: str, gate: str, folder: str) -> str:
    """Return a workflow for a folder below the root, where paths of the gate's inputs begin."""
    inside = f"          gate: {gate}\n          working-directory: {yaml_text(folder)}\n"
    text = text.replace(f"          gate: {gate}\n", inside)
    option = f"--gate {gate} --working-directory {literal(shell_word(folder))}"
    text = text.replace(f"--gate {gate}", option)
    shard = "      - run: |\n          git checkout HEAD^1"
    inside = f"      - working-directory: {yaml_text(folder)}\n"
    text = text.replace(shard, inside + shard.replace("      - run", "        run"))
    # An artifact of two patterns keeps the folders below the root.
    text = text.replace(
        " outputs-path: incoming", f" outputs-path: {yaml_text(f'incoming/{folder}')}"
    )
    text = text.replace(" path: incoming", f" path: {yaml_text(f'{folder}/incoming')}")
    upload, download = (yaml_text(f"{at}/{RECORDED}") for at in (glob_text(folder), folder))
    text = text.replace(
        f" path: {RECORDED}\n          overwrite", f" path: {upload}\n          overwrite"
    )
    text = text.replace(f" path: {RECORDED}\n", f" path: {download}\n")
    return text.replace(" ragate-outputs-*.jsonl", f" {glob_text(folder)}/ragate-outputs-*.jsonl")
