"""ragate: the regression gate for RAG on pull requests.

From Python: `check`, `score`, `load_run`, `render`, `check_plugin` (docs/plugins.md). They are
loaded when they are asked for: importing the package loads nothing else.
"""

from typing import TYPE_CHECKING, Any

from ragate.version import __version__

if TYPE_CHECKING:
    from ragate.api import StoredRun, check, check_plugin, load_run, render, score

__all__ = ["StoredRun", "__version__", "check", "check_plugin", "load_run", "render", "score"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from ragate import api

        return getattr(api, name)
    raise AttributeError(f"module 'ragate' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
