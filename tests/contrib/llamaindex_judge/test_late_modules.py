"""What the judge needs is loaded before code under test is started."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

import ragate.contrib.llamaindex_judge as judge
from ragate.contrib.llamaindex_judge.plugin import LATE_MODULES
from tests.unit.fresh import printed

PARTS = [f"{judge.__name__}.{part.name}" for part in iter_modules(judge.__path__)]
EXPECTED = """
import sys
from ragate.run import late_parts
from tests.unit.config.config_factories import judged, parse
late_parts.expect = lambda load: load()
table = '[policy.judge]\\nuse = "llamaindex"\\nprovider = "local"\\nmodel = "m"\\n'
policy = parse(judged(table, "faithfulness_binary")).policy
late_parts.expect_late_parts(policy, recording=False)
before = {*sys.modules}
"""
CUTS = """
from ragate.contrib.llamaindex_judge.prompts import load_prompts, windows
from ragate.contrib.llamaindex_judge.settings import Settings
prompts, settings = load_prompts(""), Settings(provider="p", model="m", context_window=3000)
prompts.fingerprint
windows(prompts, "faithfulness", "Why?", ["word " * 4000], settings)
print(*({*sys.modules} - before))
"""


def test_every_name_of_it_is_a_module() -> None:
    for name in LATE_MODULES:
        import_module(name)


def test_all_parts_of_it_are_loaded() -> None:
    loaded = printed(f"{EXPECTED}print(*(name for name in {PARTS} if name in before))")

    assert loaded == PARTS


def test_prompts_and_windows_import_nothing_later() -> None:
    assert printed(EXPECTED + CUTS) == []
