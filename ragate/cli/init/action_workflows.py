"""The workflows of the GitHub Action, as the manual shows them, for one gate."""

import re
from importlib.resources import files
from shlex import quote

from ragate import plugins
from ragate.cli.init.config_text import Choice, quoted
from ragate.errors import UsageError
from ragate.version import __version__

PLACEHOLDER = "0" * 40
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
_SERVICE = re.compile(r"^    services:\n(?:      .*\n)+", re.MULTILINE)
_DATABASE = re.compile(r"^          database-url:[^\n]*\n", re.MULTILINE)
REPOSITORY = "ragate/ragate"
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
) -> dict[str, str]:
    """Return the workflows by file name: one job, or the pair where the system is code.

    Args:
        commit: The commit of the action's release, forty digits.
        folder: Where ragate.toml is, below the repository's root; "" for the root itself.
        several: The repository has other gates: files and groups bear this one's name.

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
    names = ["ragate-collect", "ragate-decide"] if choice.runs_code else ["ragate"]
    texts = {
        name: _filled(name, choice, gate, commit, folder, main)
        for name in [*names, "ragate-commands", "ragate-main"]
    }
    if several:
        return {f"{name}-{gate}.yml": _of_gate(text, gate) for name, text in texts.items()}
    return {f"{name}.yml": text for name, text in texts.items()}


def _of_gate(text: str, gate: str) -> str:
    """Return a workflow whose name and groups are this gate's: two of one name undo each other."""
    text = _NAME.sub(rf"\1-{gate}", text)
    text = text.replace("workflows: [ragate-collect]", f"workflows: [ragate-collect-{gate}]")
    return _GROUP.sub(rf"\1-{gate}\2", text)


def _install(choice: Choice, folder: str) -> str:
    """Return the steps that install the RAG's packages, and ragate beside or apart from them."""
    ragate = "git+https://github.com/@ACTION@"
    packages = choice.packages
    comment = "" if packages else "      # your RAG's packages are installed here\n"
    if not choice.environment:
        everything = " ".join(filter(None, (packages, ragate)))
        return f"{comment}      - run: pip install {everything}\n"
    own = f"{folder}/{choice.environment}" if folder else choice.environment
    step = f"      - run: python -m venv {quote(own)}"
    step += f" && {quote(f'{own}/bin/pip')} install {packages}\n" if packages else "\n"
    return f"""{comment}{step}      - run: |
          python -m venv "$RUNNER_TEMP/ragate"
          "$RUNNER_TEMP/ragate/bin/pip" install {ragate}
          echo "$RUNNER_TEMP/ragate/bin" >> "$GITHUB_PATH"
"""


def template(name: str) -> str:
    """Return the text of a workflow with its gaps."""
    return files(__package__).joinpath("workflows", f"{name}.yml").read_text(encoding="utf-8")


def _filled(name: str, choice: Choice, gate: str, commit: str, folder: str, main: str) -> str:
    # Code has packages of its own, which the container has not: it runs on the runner.
    on_runner = choice.runs_code and name in _RUNS_SYSTEM
    text = template(f"{name}-code" if on_runner else name)
    text = _INSTALL.sub(lambda _: _install(choice, folder), text)
    if choice.answers != "chat":
        text = _ONE_KEY.sub("", _KEY.sub("", text))
    if not choice.runs_code:
        text = _CODE.sub("", text)
    if plugins.traits(choice.system).needs_database is False:
        text = _DATABASE.sub("", _SERVICE.sub("", text))
    if folder:
        inside = f"          gate: @GATE@\n          working-directory: {folder}\n"
        text = text.replace("          gate: @GATE@\n", inside)
        text = text.replace("--gate @GATE@", f"--gate @GATE@ --working-directory {quote(folder)}")
        text = text.replace("path: incoming", f"path: {folder}/incoming")
        text = text.replace(" ragate-outputs-*.jsonl", f" {folder}/ragate-outputs-*.jsonl")
    return (
        text.replace("@ACTION@", f"{REPOSITORY}@{commit}")
        .replace("@GATE@", gate)
        .replace("@MAIN@", main if _GATE.fullmatch(main) else quoted(main))
    )
