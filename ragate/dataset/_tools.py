"""The tools of a sample and the right calls of them, in the forms that are in use."""

from collections.abc import Iterator, Mapping
from itertools import islice, product
from typing import Any

from ragate.outputs.call_list import read_call
from ragate.support.json_schema import tool_schema
from ragate.support.settings import shown

_PARAMETERS = ("parameters", "input_schema", "inputSchema")
_OWN = frozenset({"alternatives", "optional", "result"})
_LEFT_OUT = ""  # the leaderboard's word for an argument that may be left out
_EMPTY: list[Any] = [[]]  # it writes [] where the one right value is the empty list
_MOST = 256  # values of one argument


def read_tools(value: Any) -> tuple[dict[str, Any], ...]:
    """Return each tool as name and JSON Schema; OpenAI's, Anthropic's and MCP's forms are read.

    Raises:
        ValueError: one is no tool, its schema is none, or a name stands twice.
    """
    tools = tuple(_tool(item) for item in _listed(value))
    names = [tool["name"] for tool in tools]
    if twice := next((name for name in names if names.count(name) > 1), ""):
        raise ValueError(f"the tool {twice!r} stands twice")
    return tools


def _tool(item: Any) -> dict[str, Any]:
    fields = item
    if isinstance(item, Mapping) and isinstance(item.get("function"), Mapping):
        fields = item["function"]
    if not isinstance(fields, Mapping) or not isinstance(fields.get("name"), str):
        raise _no_tool(f"{shown(item)} is no tool: name and parameters are wanted")
    given = (fields[key] for key in _PARAMETERS if fields.get(key) is not None)
    schema: Any = next(given, {})
    if not isinstance(schema, Mapping):
        raise _no_tool(f"the parameters of {fields['name']}: {shown(schema)} is no JSON Schema")
    try:
        return {"name": fields["name"], "parameters": tool_schema(schema)}
    except ValueError as error:
        raise ValueError(f"the parameters of {fields['name']}: {error}") from error


def _no_tool(problem: str) -> ValueError:
    return ValueError(problem)  # one error for whatever is wrong in a row


def read_expected_calls(value: Any) -> tuple[dict[str, Any], ...]:
    """Return the right calls; an empty list says that none is.

    Raises:
        ValueError: one is no call.
    """
    return tuple(_expected(item) for item in _listed(value))


def _expected(item: Any) -> dict[str, Any]:
    if _is_of_the_leaderboard(item):
        [(name, accepted)] = item.items()
        return _of_the_leaderboard(name, accepted)
    call = read_call(item)
    if call.pop("malformed", ""):
        raise ValueError(f"the arguments of {call['name']} are no JSON object")
    return call | {key: item[key] for key in _OWN if item.get(key) is not None}


def _is_of_the_leaderboard(item: Any) -> bool:
    """Tell whether it is ``{"name of the tool": {"argument": [right values]}}``."""
    if not isinstance(item, Mapping) or len(item) != 1:
        return False
    [accepted] = item.values()
    return isinstance(accepted, Mapping) and all(isinstance(v, list) for v in accepted.values())


def _of_the_leaderboard(name: str, accepted: Mapping[str, list[Any]]) -> dict[str, Any]:
    optional = [argument for argument, values in accepted.items() if _LEFT_OUT in values]
    values = {argument: list(_choices(name, given)) for argument, given in accepted.items()}
    return {"name": name, "alternatives": values, "optional": optional}


def _choices(name: str, given: list[Any]) -> Iterator[Any]:
    """Yield the right values: in an object each of its keys has a list of them again."""
    right = [value for value in given if value != _LEFT_OUT] or given or _EMPTY
    for value in right:
        spelt_out = _spelt_out(value)
        if len(spelt_out) > _MOST:
            raise ValueError(f"{name}: an argument has more than {_MOST} right values")
        yield from spelt_out


def _spelt_out(value: Any) -> list[Any]:
    """Return every value that is meant, but no more than one beyond what is allowed."""
    if isinstance(value, list):
        meant: Iterator[Any] = map(list, product(*map(_spelt_out, value)))
    elif isinstance(value, Mapping) and all(isinstance(item, list) for item in value.values()):
        meant = _objects(value)
    else:
        return [value]
    return list(islice(meant, _MOST + 1))


def _objects(value: Mapping[str, list[Any]]) -> Iterator[dict[str, Any]]:
    options = [list(_ways(key, items or _EMPTY)) for key, items in value.items()]
    for chosen in product(*options):
        yield {key: item for pairs in chosen for key, item in pairs}


def _ways(key: str, items: list[Any]) -> Iterator[list[tuple[str, Any]]]:
    """Yield one pair for each right value of a key, and none where it may be left out."""
    for item in items:
        if item == _LEFT_OUT:
            yield []
        else:
            yield from ([(key, choice)] for choice in _spelt_out(item))


def _listed(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError("must be a list")  # noqa: TRY004 (one error for a row)
    return value
