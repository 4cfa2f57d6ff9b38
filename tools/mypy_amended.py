"""A plugin of mypy: what `Frozen.amended` takes are the fields of its model, with their types."""

from __future__ import annotations

from collections.abc import Callable

from mypy.nodes import ARG_NAMED_OPT
from mypy.plugin import MethodSigContext, Plugin
from mypy.types import AnyType, FunctionLike, Instance, TypeOfAny

_FIELDS = "pydantic-mypy-metadata"  # where mypy's plugin of pydantic keeps a model's fields


def _signature(context: MethodSigContext) -> FunctionLike:
    model = context.type
    if not isinstance(model, Instance) or _FIELDS not in model.type.metadata:
        return context.default_signature
    names = [name for name in model.type.metadata[_FIELDS]["fields"] if name != "model_config"]
    fields = [model.type.get(name) for name in names]
    return context.default_signature.copy_modified(
        arg_names=names,
        arg_kinds=[ARG_NAMED_OPT] * len(names),
        arg_types=[(field and field.type) or AnyType(TypeOfAny.special_form) for field in fields],
        ret_type=model,
    )


class _Amended(Plugin):
    def get_method_signature_hook(
        self, fullname: str
    ) -> Callable[[MethodSigContext], FunctionLike] | None:
        return _signature if fullname.endswith(".amended") else None


def plugin(_version: str) -> type[Plugin]:
    """Return the plugin, whatever mypy's version is."""
    return _Amended
