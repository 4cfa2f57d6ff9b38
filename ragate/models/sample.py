"""What is asked: one question of the golden set."""

from typing import Annotated, Literal, Self

from pydantic import Field, JsonValue, model_validator

from ragate.models.base import Frozen

Grade = Annotated[int, Field(ge=-1, le=1000)]
LONGEST_ID = 200
MetadataValue = str | int | float | bool | None


class Turn(Frozen):
    """One message of a conversation."""

    role: Literal["user", "assistant", "system"]
    content: str = Field(min_length=1)


class Tool(Frozen):
    """A tool that the system could have called.

    Attributes:
        parameters: JSON Schema of its arguments, an object; empty where nothing is known of them.
    """

    name: str = Field(min_length=1)
    parameters: dict[str, JsonValue] = {}


class ExpectedCall(Frozen):
    """A call that is right, in any of the ways that are.

    Attributes:
        arguments: The right value by argument.
        alternatives: Right values by argument, where there are several.
        optional: Arguments of either that may as well be left out.
        result: What the call leads to, where that is known; None: it is carried out to see.
    """

    name: str = Field(min_length=1)
    arguments: dict[str, JsonValue] = {}
    alternatives: dict[str, tuple[JsonValue, ...]] = {}
    optional: tuple[str, ...] = ()
    result: JsonValue = None

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        if twice := sorted(self.arguments.keys() & self.alternatives.keys()):
            raise ValueError(f"{twice[0]!r} stands under arguments and under alternatives")
        if empty := [name for name, values in self.alternatives.items() if not values]:
            raise ValueError(f"alternatives of {empty[0]!r} is an empty list")
        if unknown := [name for name in self.optional if name not in self.accepted]:
            raise ValueError(f"{unknown[0]!r} is optional and has no value")
        return self

    @property
    def accepted(self) -> dict[str, tuple[JsonValue, ...]]:
        """Right values by argument."""
        return {name: (value,) for name, value in self.arguments.items()} | self.alternatives


class SourcePolicy(Frozen):
    """What an answer may rest on, and in which form.

    Attributes:
        form: ``quote_only``: its own words say nothing; ``summarise``: it copies nothing; None: as
            it likes.
        allowed: Ids of documents, where a ``*`` stands for any characters; nothing else may be
            retrieved. Empty: everything.
        forbidden: The same; these may not be retrieved, allowed or not.
    """

    form: Literal["quote_only", "summarise"] | None = None
    allowed: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _asks_something(self) -> Self:
        if self.form is None and not self.allowed and not self.forbidden:
            raise ValueError("a source policy has a form, allowed or forbidden documents")
        if both := sorted(set(self.allowed) & set(self.forbidden)):
            raise ValueError(f"{both[0]!r} is allowed and forbidden")
        return self


class Sample(Frozen):
    """One question with what is known about its right answer.

    Attributes:
        id: Unique in the golden set, stable over time.
        query: The question as a user would type it.
        relevant: Grade by document id; grades of 1 or more are relevant. Empty: unjudged, so the
            retrieval metrics do not apply.
        references: Right answers, each complete in itself. Empty: reference metrics do not apply.
        answerable: False where the corpus holds no answer, so that a refusal is correct.
        tags: For filters and owners.
        must_pass: True where the sample must reach every metric's pass mark.
        metadata: Anything else that a system or a cluster field needs.
        messages: Earlier turns of the conversation, oldest first, that `query` follows.
        tools: The tools that could be called. Empty: unknown, so their schemas are not checked.
        expected_calls: The right calls of tools, in the order in which they are best made. Empty:
            no call is right. None: unjudged, so the metrics of calls do not apply.
        answer_keywords: What a right answer mentions, each with the spellings that count.
        source_policy: What an answer may rest on; None: anything.
    """

    id: str = Field(min_length=1, max_length=LONGEST_ID)
    query: str = Field(min_length=1)
    relevant: dict[str, Grade] = Field(default_factory=dict)
    references: tuple[str, ...] = ()
    answerable: bool = True
    tags: tuple[str, ...] = ()
    must_pass: bool = False
    metadata: dict[str, MetadataValue] = Field(default_factory=dict)
    messages: tuple[Turn, ...] = ()
    tools: tuple[Tool, ...] = ()
    expected_calls: tuple[ExpectedCall, ...] | None = None
    answer_keywords: tuple[tuple[str, ...], ...] = ()
    source_policy: SourcePolicy | None = None

    @property
    def expected(self) -> frozenset[str]:
        """Ids of the documents with a grade of 1 or more."""
        return frozenset(doc_id for doc_id, grade in self.relevant.items() if grade >= 1)

    @property
    def turns(self) -> list[dict[str, str]]:
        """The earlier turns as model APIs take them: ``role`` and ``content`` each."""
        return [{"role": turn.role, "content": turn.content} for turn in self.messages]
