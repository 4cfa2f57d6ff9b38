"""The base class of all models."""

from enum import StrEnum
from typing import Any, Self, TypeVar

from pydantic import BaseModel, ConfigDict

M = TypeVar("M", bound=BaseModel)
_set = object.__setattr__
_FIELDS: dict[frozenset[str], set[str]] = {}


class Frozen(BaseModel):
    """A closed, immutable value: unknown fields, NaN and infinities are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    def amended(self, **fields: Any) -> Self:
        """Return a copy with `fields` in place of its own, checked as in a new one.

        mypy knows the fields and their types, by tools/mypy_amended.py; `model_copy` would take
        any name and any value.

        Raises:
            TypeError: a name is no field.
            ValidationError: a value does not fit its field.
        """
        if unknown := fields.keys() - type(self).model_fields.keys():
            raise TypeError(f"{type(self).__name__} has no field {', '.join(sorted(unknown))}")
        kept = {name: getattr(self, name) for name in self.model_fields_set}
        return type(self)(**(kept | fields))

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        # Objects of a class share the table of their fields' names if its first object had all of
        # them: `lean` makes use of it.
        first = object.__new__(cls)
        for name in cls.model_fields:
            object.__setattr__(first, name, None)


class SpokenEnum(StrEnum):
    """Names that stand in sentences as well."""

    @property
    def words(self) -> str:
        """Its name as it reads in a sentence: "no decision"."""
        return self.value.replace("_", " ")


def lean(model: M, **instead: Any) -> M:
    """Return `model` in little memory, for one that is kept by the ten thousand.

    Which fields were set is a set of its own in every object, three quarters of a kilobyte in one
    with five fields, and its fields stand in a dictionary of its own, names included: sets and
    names are shared here, values never, since code of a user may hold them. A copy gets its own.

    Args:
        instead: Values in place of its own, which nothing checks.
    """
    fields = model.__pydantic_fields_set__ | instead.keys()
    shared = _FIELDS.setdefault(frozenset(fields), fields)
    twin = object.__new__(type(model))
    for name, value in {**model.__dict__, **instead}.items():
        _set(twin, name, value)
    _set(twin, "__pydantic_fields_set__", shared)
    _set(twin, "__pydantic_extra__", None)
    _set(twin, "__pydantic_private__", None)
    return twin
