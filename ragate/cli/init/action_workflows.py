"""The workflows of the GitHub Action, as the manual shows them, for one gate."""

import re
from collections.abc import Mapping
from importlib.resources import files

from ragate import plugins
from ragate.cli.init.config_text import Choice
from ragate.cli.quoting import glob_text, literal, quoted, shell_word, yaml_text
from ragate.cli.workflows import signed
from ragate.errors import UsageError
from ragate.version import REPOSITORY, __version__

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
        name: _filled(name, choice, gate, commit, folder, main)
        for name in [*names, "ragate-commands", "ragate-main"]
    }
    if shards is not None:
        texts = {name: in_shards(text, shards) for name, text in texts.items()}
    if several:
        texts = {f"{name}-{gate}": _of_gate(text, gate) for name, text in texts.items()}
    return {f"{name}.yml": signed(text) for name, text in texts.items()}


def _of_gate(text: str, gate: str) -> str:
    """Return a workflow whose name and groups are this gate's: two of one name undo each other."""
    text = _NAME.sub(rf"\1-{gate}", text)
    text = text.replace("workflows: [ragate-collect]", f"workflows: [ragate-collect-{gate}]")
    return _GROUP.sub(rf"\1-{gate}\2", text)


def seed_steps(choice: Choice, folder: str) -> str:
    """Return the steps that fill its database or index, as Makefile, package.json or compose do."""
    way = f"cd {shell_word(folder)} && " if folder else ""
    return "".join(_step(f"{way}{command}") for command in choice.seeds)


def _installed(choice: Choice, folder: str, action: str) -> str:
    """Return the steps that install the RAG's packages, and ragate beside or apart from them."""
    ragate = f"git+https://github.com/{action}"
    if choice.extra:
        ragate = f"'ragate[{choice.extra}] @ {ragate}'"
    if choice.environment:
        return f"""{rag_packages(choice, folder)}      - run: |
          python -m venv "$RUNNER_TEMP/ragate"
          "$RUNNER_TEMP/ragate/bin/pip" install {ragate}
          echo "$RUNNER_TEMP/ragate/bin" >> "$GITHUB_PATH"
"""
    if choice.runs_code and choice.packages:
        return _step(f"pip install {choice.packages} {ragate}")
    return f"{rag_packages(choice, folder)}{_step(f'pip install {ragate}')}"


def rag_packages(choice: Choice, folder: str) -> str:
    """Return the step that installs the RAG's own packages, into its environment if it has one."""
    if not choice.runs_code:
        return ""
    comment = "" if choice.packages else "      # your RAG's packages are installed here\n"
    if not choice.environment:
        return comment or _step(f"pip install {choice.packages}")
    own = f"{folder}/{choice.environment}" if folder else choice.environment
    own = f"./{own}" if own.startswith("-") else own  # which no program takes for an option
    line = f"python -m venv {shell_word(own)}"
    line += (
        f" && {shell_word(f'{own}/bin/pip')} install {choice.packages}" if choice.packages else ""
    )
    return comment + _step(line)


def _step(line: str) -> str:
    """Return a step that runs one line of bash, which YAML and GitHub leave as it is."""
    line = literal(line)
    # A colon or a number sign beside a space, or what YAML gives a meaning at the beginning.
    plain = not re.search(r":( |$)| #|^[^a-z]|\s$", line)
    return f"      - run: {line if plain else quoted(line)}\n"


def template(name: str) -> str:
    """Return the text of a workflow with its gaps."""
    return files(__package__).joinpath("workflows", f"{name}.yml").read_text(encoding="utf-8")


def _filled(name: str, choice: Choice, gate: str, commit: str, folder: str, main: str) -> str:
    # What needs packages that the container has not runs on the runner.
    on_runner = choice.on_runner and name in _RUNS_SYSTEM
    gaps = {"ACTION": f"{REPOSITORY}@{commit}", "GATE": gate, "MAIN": yaml_text(main)}
    text = filled(template(f"{name}-code" if on_runner else name), gaps)
    steps = _installed(choice, folder, gaps["ACTION"]) + seed_steps(choice, folder)
    text = _INSTALL.sub(lambda _: steps, text)
    if choice.answers != "chat":
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


# The pair of workflows with the first half in several jobs, one for each shard.


_JOB = re.compile(r"^    name: collect\n", re.MULTILINE)
_OUTPUTS = re.compile(r"(ragate-outputs-)\$(?=GITHUB|\{\{ github)")
_OPTION = " --runs 3 --allow-code"  # of the job that runs the system without the container
_COLLECT = re.compile(r"^          mode: collect\n", re.MULTILINE)
_DECIDE = re.compile(r"^          mode: decide\n", re.MULTILINE)
_ARTIFACT = re.compile(r"^(          name: ragate-outputs-\S+?)(-\$\{\{ github)", re.MULTILINE)
_SHARD = "${{ matrix.shard }}"


def in_shards(text: str, shards: int) -> str:
    """Return a workflow whose collecting job runs once for each shard; others stay as they are."""
    on_runner = " --mode collect " in text
    if not on_runner and not _COLLECT.search(text):
        return _DECIDE.sub(lambda found: f'{found[0]}          shards: "{shards}"\n', text)
    numbers = ", ".join(str(number) for number in range(1, shards + 1))
    matrix = (
        f"    name: collect {_SHARD}\n    strategy:\n"
        "      fail-fast: false # a shard that fails is missing, and the verdict names it\n"
        f"      matrix:\n        shard: [{numbers}]\n"
    )
    if on_runner:
        matrix += f'    env: {{ SHARD: "{_SHARD}" }}\n'
        text = text.replace(_OPTION, f' --runs 3 --shards {shards} --shard "$SHARD" --allow-code')
    text = _JOB.sub(lambda _: matrix, text)
    text = _ARTIFACT.sub(lambda found: f"{found[1]}-{_SHARD}{found[2]}", text)
    number = "$SHARD" if on_runner else _SHARD
    text = _OUTPUTS.sub(lambda found: f"{found[1]}{number}-$", text)
    inputs = f'shards: "{shards}"\n          shard: {_SHARD}\n'
    return _COLLECT.sub(lambda found: f"{found[0]}          {inputs}", text)
