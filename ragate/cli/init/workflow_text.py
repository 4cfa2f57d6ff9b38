"""The text of a first workflow for GitHub Actions."""

from importlib.resources import files

from ragate import plugins
from ragate.cli.init.action_workflows import filled, rag_packages, seed_steps
from ragate.cli.init.config_text import KEY_VARIABLE, Choice
from ragate.cli.quoting import glob_text, literal, quoted
from ragate.cli.workflows import signed
from ragate.support.escape import one_line
from ragate.version import __version__

CHECKOUT = "actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v5.0.0"
PYTHON = "actions/setup-python@e797f83bcb11b83ae66e0230d6156d7c80228e7c # v6.0.0"
CACHE = "actions/cache@0057852bfaa89a56745cba8c7296529d2fc39830 # v4.3.0"

# Stored runs are not kept: they hold full texts, and no later run needs them.
_CACHE = """\
      # Keeps the index between runs; what differs from the documents is mended in any case.
      - uses: @CACHE@
        with:
          path: @STATE@
          key: @KEY@
          restore-keys: ragate-${{ runner.os }}-
"""
_RECORD = """\
      # Here your pipeline answers the questions and writes @SOURCE@, if these files
      # are not committed:
      # - run: python scripts/answer_golden.py
"""


def workflow_text(choice: Choice, *, folder: str = "", gate: str = "") -> str:
    """Return the workflow.

    Args:
        folder: Where ragate.toml is, below the repository's root; "" for the root itself.
        gate: Where there are several: the workflow's and the check's names end with it.
    """
    embedded = plugins.traits(choice.system).needs_database is True
    extra = "embedded" if embedded else choice.extra
    prefix = f"{folder}/" if folder else ""
    path = quoted(literal(f"{prefix}ragate.toml"))
    env = f"    env:\n      RAGATE_CONFIG: {path}\n" if folder else ""
    secret = f"        env:\n          {KEY_VARIABLE}: ${{{{ secrets.{KEY_VARIABLE} }}}}\n"
    gaps = {
        "ENV": env,
        "BEFORE": _before_check(choice, folder),
        "CHECKOUT": CHECKOUT,
        "PYTHON": PYTHON,
        "PACKAGE": f"ragate{f'[{extra}]' if extra else ''}=={__version__}",
        "STEP_ENV": secret if choice.answers == "chat" else "",
    }
    text = files(__package__).joinpath("plain", "ragate.yml").read_text(encoding="utf-8")
    text = filled(text, gaps)
    if gate:
        text = text.replace("name: ragate\n", f"name: ragate-{gate}\n", 1)
        text = text.replace("group: ragate-", f"group: ragate-{gate}-", 1)
        text = text.replace("  gate:\n", f"  gate:\n    name: gate-{gate}\n", 1)
    return signed(text)


def _before_check(choice: Choice, folder: str) -> str:
    """Return the steps that bring what the check needs."""
    prefix = f"{folder}/" if folder else ""
    if choice.system == "replay":
        return filled(_RECORD, {"SOURCE": one_line(f"{prefix}{choice.source}")})
    if not plugins.traits(choice.system).needs_database:
        return rag_packages(choice, folder) + seed_steps(choice, folder)
    gaps = {
        "CACHE": CACHE,
        "KEY": _cache_key(f"{prefix}ragate.toml", f"{prefix}{choice.source or '**'}/**"),
        "STATE": quoted(f"{glob_text(prefix)}.ragate/postgres"),
    }
    return filled(_CACHE, gaps)


def _cache_key(*paths: str) -> str:
    """Return the key as YAML text: an expression quotes by doubling, YAML as JSON does."""
    files = ", ".join("'{}'".format(_pattern(path).replace("'", "''")) for path in paths)
    return quoted(f"ragate-${{{{ runner.os }}}}-${{{{ hashFiles({files}) }}}}")


def _pattern(path: str) -> str:
    return f"{glob_text(path.removesuffix('/**'))}/**" if path.endswith("/**") else glob_text(path)
