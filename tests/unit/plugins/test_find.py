from __future__ import annotations

import re
import sys
from importlib import import_module
from pathlib import Path
from typing import get_args

import pytest

from ragate import plugins
from ragate.errors import PluginError
from ragate.installed import install_line
from ragate.plugins import Kind

KINDS: tuple[Kind, ...] = get_args(Kind)
# Called by `report --explain` on two runs, not by name on a report.
NOT_BY_NAME = {("renderers", "explain")}
BUILT_IN = [(kind, name) for kind in KINDS for name in plugins.names(kind)]

PLUGIN = '''
"""A metric."""
from ragate.models import Frozen, MetricInfo, Score
from ragate.installed import install_line

class Settings(Frozen):
    word: str = "please"

class Polite:
    state = {}
    def __init__(self, request):
        self.request = request
        self.info = MetricInfo(name=request.name)
    def score_samples(self, pairs):
        return [Score(metric=self.info.name, value=1.0) for _ in pairs]

def create(request):
    return Polite(request)

nothing = 3
'''


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "ownplugins"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "polite.py").write_text(PLUGIN)
    (folder / "empty.py").write_text("")
    (folder / "needy.py").write_text("import no_such_library.part\n")
    (folder / "server.py").write_text("import pixeltable_pgserver_x\n")
    (folder / "older.py").write_text("from ragate.reading import read_settings\n")
    (folder / "broken.py").write_text("def create(:\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in [name for name in sys.modules if name.startswith("ownplugins")]:
        monkeypatch.delitem(sys.modules, name)
    return tmp_path


def test_every_built_in_plugin_defines_what_its_kind_needs() -> None:
    for kind, name in sorted({*BUILT_IN} - NOT_BY_NAME):
        plugins.load(kind, name)

        module, _, function = plugins.locate(kind, name).partition(":")
        assert module.startswith((f"ragate.{kind}.", "ragate.contrib.")), kind
        assert function or module.endswith((f".{name}", ".plugin")), kind


def test_private_modules_are_no_plugins() -> None:
    assert not [name for _, name in BUILT_IN if name.startswith("_") or name == "base"]
    assert "markdown" in plugins.names("renderers")


def test_an_unknown_name_names_the_nearest() -> None:
    with pytest.raises(PluginError, match="metric 'ndgc' is unknown; did you mean 'ndcg'"):
        plugins.load("metrics", "ndgc")


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "../x", "a/b", "a-b", "_shared", "a b", "ragate.", ".x", "a:", "a:b:c", "ä.b"],
)
def test_a_name_that_is_no_name_leads_nowhere(name: str) -> None:
    with pytest.raises(PluginError):
        plugins.load("metrics", name)


def test_a_dotted_path_leads_to_a_module(package: Path) -> None:
    made = plugins.metric("ownplugins.polite@5", settings={"word": "thanks"})

    assert made.info.name == "ownplugins.polite@5"
    assert made.request.k == 5  # type: ignore[union-attr]
    assert made.request.settings == {"word": "thanks"}  # type: ignore[union-attr]


def test_an_attribute_may_be_the_entry_function_itself(package: Path) -> None:
    assert plugins.metric("ownplugins.polite:create").info.name == "ownplugins.polite:create"
    assert plugins.metric("ownplugins.polite:Polite").info.name == "ownplugins.polite:Polite"


def test_the_settings_of_a_plugin_are_found(package: Path) -> None:
    for name in ("ownplugins.polite", "ownplugins.polite:create"):
        model = plugins.settings_model("metrics", name)
        assert model is not None
        assert list(model.model_fields) == ["word"]


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("ownplugins.nowhere", "there is no module 'ownplugins.nowhere'"),
        ("nowhere.at.all", "there is no module 'nowhere'"),
        ("ownplugins.empty", "defines no 'create'"),
        ("ownplugins.polite:nowhere", "has no 'nowhere'"),
        ("ownplugins.polite:nothing", "defines no 'create'"),
        ("ownplugins.needy", "needs the module 'no_such_library', which is not installed"),
        ("ownplugins.broken", "cannot be imported"),
        (
            "ownplugins.older",
            "'ragate.reading', which is not there",
        ),
    ],
)
def test_what_is_no_plugin_is_named_with_what_it_lacks(package: Path, name: str, says: str) -> None:
    with pytest.raises(PluginError) as caught:
        plugins.load("metrics", name)

    assert says in str(caught.value)


def test_a_renderer_without_its_function_is_named_with_what_it_lacks(package: Path) -> None:
    with pytest.raises(
        PluginError, match=r"renderer 'ownplugins.polite': .* no 'render'"
    ) as caught:
        plugins.load("renderers", "ownplugins.polite")

    assert "docs/plugins.md" in caught.value.remedy


def test_a_missing_extra_is_named(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(plugins.find._EXTRAS, "pixeltable_pgserver_x", "embedded")

    with pytest.raises(PluginError, match=re.escape(install_line("embedded"))):
        plugins.load("systems", "ownplugins.server")


def test_an_entry_point_makes_a_name_of_its_own(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = package / "own_plugins-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: own-plugins\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text(
        "[ragate.metrics]\npolite = ownplugins.polite\nndcg = ownplugins.polite\n"
    )

    assert plugins.metric("polite@3").info.name == "polite@3"
    assert not plugins.is_builtin("metrics", "polite")
    assert plugins.locate("metrics", "ndcg") == "ragate.metrics.retrieval:ndcg"


def test_naming_a_plugin_does_not_import_it(package: Path) -> None:
    assert plugins.locate("metrics", "ownplugins.polite:create") == "ownplugins.polite:create"
    assert "ownplugins.polite" not in sys.modules


@pytest.mark.parametrize("attribute", ["", ":create"])
@pytest.mark.parametrize(
    "late",
    [
        "LATE_MODULES = None",
        "LATE_MODULES = 5",
        "LATE_MODULES = 'json.tool'",
        "LATE_MODULES = ('json.tool', 5)",
        "def __getattr__(name):\n    raise KeyError(name)",
    ],
)
def test_late_modules_that_are_no_names_are_refused_by_the_judges_name(
    late: str, attribute: str, package: Path
) -> None:
    text = f"def create(settings, resources): ...\n{late}\n"
    (package / "ownplugins/late.py").write_text(text)

    with pytest.raises(PluginError) as caught:
        plugins.load("judges", f"ownplugins.late{attribute}")

    said = str(caught.value)
    assert f"judge 'ownplugins.late{attribute}'" in said
    assert "must be" in said


def test_late_modules_stand_beside_an_entry_function_by_its_name(package: Path) -> None:
    text = "def make(settings, resources): ...\nLATE_MODULES = ('json.tool',)\n"
    (package / "ownplugins/late.py").write_text(text)

    assert plugins.load("judges", "ownplugins.late:make").LATE_MODULES == ("json.tool",)


def test_what_built_in_judges_load_late_is_there() -> None:
    for name in plugins.names("judges"):
        for module in getattr(plugins.load("judges", name), "LATE_MODULES", ()):
            import_module(module)
