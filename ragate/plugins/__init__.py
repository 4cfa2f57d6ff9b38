"""Plugins: from a name to its module, and from that to a plugin that keeps its protocol.

A kind and a name go in, an opened plugin comes out. Read `find.py` for what a name stands for,
`make.py` for what is demanded of a plugin, and `ragate/protocols` for the protocols themselves.
"""

from ragate.plugins.find import (
    Kind,
    is_builtin,
    is_installed,
    is_module_elsewhere,
    load,
    load_file,
    locate,
    names,
    own_class,
    package_folder,
    settings_model,
    takes_request,
    traits,
)
from ragate.plugins.make import (
    embedder,
    is_builtin_metric,
    judge,
    made_metric,
    members_of,
    metric,
    refuse_without,
    reranker,
    split_metric,
    system,
)
