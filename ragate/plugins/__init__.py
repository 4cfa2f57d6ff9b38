"""Plugins: from a name to its module, and from that to a plugin that keeps its protocol."""

from ragate.plugins.find import (
    Kind,
    is_builtin,
    is_installed,
    load,
    locate,
    names,
    package_folder,
    settings_model,
    traits,
)
from ragate.plugins.make import embedder, judge, metric, reranker, split_metric, system
