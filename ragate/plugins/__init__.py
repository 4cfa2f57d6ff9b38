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
from ragate.plugins.from_file import is_module_elsewhere, load_file, takes_request
from ragate.plugins.make import (
    embedder,
    judge,
    made_metric,
    members_of,
    metric,
    refuse_without,
    reranker,
    split_metric,
    system,
)
