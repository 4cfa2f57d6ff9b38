"""In which way a server is asked for JSON: the best one that it takes, found once and kept."""

import asyncio
from collections.abc import Awaitable, Callable

from ragate.errors import ProviderError
from ragate.judges.rubric._settings import Format
from ragate.protocols import ChatReply

Ask = Callable[[Format], Awaitable[ChatReply]]
_REFUSED = frozenset({400, 415, 422, 501})  # what servers answer to a format they do not have
_NEXT: dict[Format, Format] = {"schema": "json", "json": "text"}
_ENOUGH = 2  # questions refused in every format, before any was answered: it is not the question
_REMEDY = "check the model's name and the parameters in [policy.judge]"


class Formats:
    """The way of one run.

    A status of 500 is no refusal: an outage looks the same, and asking in three ways would send it
    three times the calls. It only says what may be tried.

    Attributes:
        proven: The first reply to some question was a judgement in the way that is kept.
    """

    def __init__(self, form: Format) -> None:
        self._form = form
        self._settled = False  # the server has answered in this way
        self._answered = False  # in any way
        self.proven = False
        self._left: set[Format] = set()
        self._refused = 0
        self._out: ProviderError | None = None
        self._flying = 0  # first tries whose reply is still to come
        self._landed = asyncio.Event()
        self._search = asyncio.Lock()

    async def __call__(self, ask: Ask) -> tuple[Format, ChatReply]:
        """Return the reply to one question, and the way in which it was asked.

        Raises:
            ProviderError: there is none; fatal where every way was refused from the start.
        """
        self._check()
        form = self._form
        self._flying += 1
        try:
            return form, await self._tried(form, ask)
        except ProviderError as error:
            if not self._seeks(form, error):
                raise
            refusal = error
        finally:
            self._flying -= 1
            self._landed.set()
        async with self._search:  # one looks for another way, and the others wait for it
            self._check()
            if not self._settled:
                return await self._next(form, refusal, ask)
        if form == self._form:  # taken meanwhile, so the refusal is about something else
            raise refusal
        return self._form, await self._tried(self._form, ask)

    def prove(self, form: Format) -> None:
        """Note that a first reply was a judgement."""
        self.proven = self.proven or form == self._form

    def give_up(self, form: Format) -> None:
        """Leave a way that the server takes and does not hold to; it may refuse the next one."""
        if not self.proven and form == self._form and form in _NEXT:
            self._form, self._settled = _NEXT[form], False
            self._left.add(form)

    async def _next(
        self, form: Format, refusal: ProviderError, ask: Ask
    ) -> tuple[Format, ChatReply]:
        while form in _NEXT and not self._settled:
            form = _NEXT[form]
            try:
                return form, await self._tried(form, ask)
            except ProviderError as error:
                if error.fatal or error.status not in _REFUSED:
                    raise
        self._refused += not self._answered
        if self._refused >= _ENOUGH and not await self._any_answered():
            self._out = refusal
            self._check()
        raise refusal

    async def _any_answered(self) -> bool:
        """Wait for the questions under way: a refusal is quicker than a judgement."""
        while self._flying and not self._answered:
            self._landed.clear()
            await self._landed.wait()
        return self._answered

    async def _tried(self, form: Format, ask: Ask) -> ChatReply:
        try:
            reply = await ask(form)
        except ProviderError as error:
            if error.status != 500 or self._settled or form not in _NEXT:
                raise
            remedy = f'if only response_format fails: [policy.judge] format = "{_NEXT[form]}"'
            raise ProviderError(
                error.message, remedy=remedy, fatal=error.fatal, status=500
            ) from error
        self._answered = True
        if not self._settled and form not in self._left:
            self._form, self._settled = form, True
        return reply

    def _seeks(self, form: Format, error: ProviderError) -> bool:
        if error.fatal or error.status not in _REFUSED:
            return False
        return not (self._settled and form == self._form)

    def _check(self) -> None:
        if self._out is not None:
            message, status = self._out.message, self._out.status
            raise ProviderError(message, remedy=_REMEDY, fatal=True, status=status)
