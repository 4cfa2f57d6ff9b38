"""What tests beside the core share with those of the core: a database and a server of models."""

from tests.integration.conftest import (  # noqa: F401
    database,
    made,
    ready,
    recording,
    served,
    server,
    state,
)
