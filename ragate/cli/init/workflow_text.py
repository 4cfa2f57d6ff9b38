"""The text of a first workflow for GitHub Actions."""

from __future__ import annotations

from ragate import __version__, plugins
from ragate.cli.init.config_text import KEY_VARIABLE, Choice, quoted
from ragate.support.escape import one_line

CHECKOUT = "actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v5.0.0"
PYTHON = "actions/setup-python@e797f83bcb11b83ae66e0230d6156d7c80228e7c # v6.0.0"
CACHE = "actions/cache@0057852bfaa89a56745cba8c7296529d2fc39830 # v4.3.0"

_WORKFLOW = """\
# Judges every pull request by its own policy and baseline, and says so; the report is in the
# summary of the run. Written by `ragate init --plain`; the action judges by the base's.
# Require the check "gate" in the branch protection rules, and keep this job free of `if:` and this
# file free of `paths:`: a check that is skipped is never red.
name: ragate
on:
  pull_request:
    types: [opened, synchronize, reopened, edited] # edited: another base is judged anew
  merge_group: # without it a required check stays pending in a merge queue
permissions: {}
concurrency:
  group: ragate-${{ github.ref }}
  cancel-in-progress: ${{ github.event_name == 'pull_request' }}
jobs:
  gate:
    runs-on: ubuntu-24.04
    timeout-minutes: 40
    permissions:
      contents: read
@ENV@    steps:
      - uses: @CHECKOUT@
        with:
          persist-credentials: false
          fetch-depth: 2 # the base, to say what of the rules the change made its own
      - uses: @PYTHON@
        with:
          python-version: "3.12"
@BEFORE@      - run: pip install '@PACKAGE@' # the release that recorded the baseline
      - run: ragate check --format markdown --output report.md --format console
@STEP_ENV@      - name: Show the report
        if: always()
        run: if [ -f report.md ]; then cat report.md >> "$GITHUB_STEP_SUMMARY"; fi
"""

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


def workflow_text(choice: Choice, *, folder: str = "") -> str:
    """Return the workflow.

    Args:
        folder: Where ragate.toml is, below the repository's root; "" for the root itself.
    """
    embedded = plugins.traits(choice.system).needs_database is True
    prefix = f"{folder}/" if folder else ""
    before = _CACHE if embedded else _RECORD
    path = quoted(f"{prefix}ragate.toml")
    env = f"    env:\n      RAGATE_CONFIG: {path}\n" if folder else ""
    secret = f"        env:\n          {KEY_VARIABLE}: ${{{{ secrets.{KEY_VARIABLE} }}}}\n"
    filled = {
        "ENV": env,
        "BEFORE": before,
        "CHECKOUT": CHECKOUT,
        "PYTHON": PYTHON,
        "CACHE": CACHE,
        "KEY": _cache_key([f"{prefix}ragate.toml", f"{prefix}{choice.source or '**'}/**"]),
        "STATE": quoted(f"{prefix}.ragate/postgres"),
        "SOURCE": one_line(f"{prefix}{choice.source}"),
        "PACKAGE": f"ragate{'[embedded]' if embedded else ''}=={__version__}",
        "STEP_ENV": secret if choice.answers == "chat" else "",
    }
    text = _WORKFLOW
    for name, value in filled.items():
        text = text.replace(f"@{name}@", value)
    return text


def _cache_key(patterns: list[str]) -> str:
    """Return the key as YAML text: an expression quotes by doubling, YAML as JSON does."""
    files = ", ".join("'{}'".format(pattern.replace("'", "''")) for pattern in patterns)
    return quoted(f"ragate-${{{{ runner.os }}}}-${{{{ hashFiles({files}) }}}}")
