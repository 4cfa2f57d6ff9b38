"""Options of a run under one name."""

import datetime
from typing import Annotated

from pydantic import Field

from ragate.models import Frozen

ProfileName = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,39}$")]


class Profile(Frozen):
    """``[policy.profiles.<name>]``: options of a run under one name, for ``--profile``.

    Attributes:
        where: As ``--where``: each a condition on metadata.
        eval_date: What ``{today}`` stands for, as a date of TOML.
    """

    retrieval_only: bool = False
    top_k: int | None = Field(default=None, ge=1)
    tags: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    limit: int | None = Field(default=None, ge=1)
    skip: tuple[str, ...] = ()
    eval_date: datetime.date | None = None
