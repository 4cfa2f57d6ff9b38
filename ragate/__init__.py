"""ragate: the regression gate for RAG on pull requests.

From Python: `check`, `score`, `scorecard`, `load_run`, … (docs/plugins.md). They are
loaded when they are asked for: importing the package loads nothing else.
"""

from typing import TYPE_CHECKING, Any

from ragate.version import __version__

if TYPE_CHECKING:
    from ragate.api import (
        StoredRun,
        assess_answer,
        check,
        check_plugin,
        evaluate_all,
        load_run,
        render,
        score,
        scorecard,
    )

__all__ = [
    "StoredRun",
    "__version__",
    "assess_answer",
    "check",
    "check_plugin",
    "evaluate_all",
    "load_run",
    "render",
    "score",
    "scorecard",
]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from ragate import api

        return getattr(api, name)
    raise AttributeError(f"module 'ragate' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
