"""One ``/ragate …`` comment: who may give it, for which commit, and the reply."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ragate.errors import RagateError, UsageError
from ragate.github.event.event import CommentRef, Event
from ragate.github.event.slash_command import NEEDS_SHA, USAGE, Command, parse_command
from ragate.github.gate.acceptances import may_write
from ragate.github.rest.repository import Json, Repository
from ragate.support.escape import code

SENTENCE = 300
_REPLIED = "<!-- ragate-reply:1 comment={} -->"


class RefusedError(RagateError):
    """A command is not carried out, for a reason that its author can act on."""

    exit_code = 0


@dataclass(frozen=True)
class Conversation:
    """A command of somebody who may give it.

    Attributes:
        bot: The login that our own comments are written by.
        head: The pull request's head when the command was read.
    """

    repository: Repository
    comment: CommentRef
    command: Command
    bot: str
    pull: Json

    @property
    def number(self) -> int:
        return self.comment.number

    @property
    def head(self) -> str:
        return str(self.pull["head"]["sha"])

    @property
    def is_fork(self) -> bool:
        source = self.pull["head"].get("repo") or {}
        return bool(source.get("id") != self.pull["base"]["repo"]["id"])

    def reply(self, lines: Sequence[str], *, first_line: str = "", below: str = "") -> None:
        """Write a comment; each line is safe HTML of our own making, `below` safe Markdown."""
        mark = first_line or _REPLIED.format(self.comment.id)
        body = "\n".join([mark, *(f"<p>{line}</p>" for line in lines)])
        body += f"\n\n{below}" if below else ""
        self.repository.create_comment(self.number, body)

    def same_head(self) -> bool:
        """Ask again where the head is; False when it has moved since the command was read."""
        return str(self.repository.pull(self.number)["head"]["sha"]) == self.head


def open_conversation(
    repository: Repository, event: Event, bot: str, say: Callable[[str], None]
) -> Conversation | None:
    """Return the command of the event's comment, None where there is nothing to do.

    Nothing is written for somebody who may not give commands, not even a reply.

    Raises:
        GitHubApiError: it cannot be found out whether the author may; nothing is done then.
        UsageError: the event is no comment.
    """
    comment = event.comment
    if event.name != "issue_comment" or comment is None:
        raise UsageError(
            f"mode command on the event {event.name!r}: it reads comments",
            remedy="start the workflow on: issue_comment: types: [created]",
        )
    if event.action != "created" or not comment.is_pull or not comment.body.startswith("/ragate"):
        say("no command in this comment")
        return None
    if not may_write(repository, comment.author, comment.author_type):
        say("the author of this comment may not write to the repository: nothing done")
        return None
    try:
        command, lines = parse_command(comment.body), []
    except UsageError as error:
        command, lines = Command("help"), [code(error.message, SENTENCE), usage()]
    if command is None:
        return None
    talk = Conversation(repository, comment, command, bot, repository.pull(comment.number))
    if problem := _problem(talk):
        lines = [problem]
    if lines:
        talk.reply(lines)
        return None
    return talk


def _problem(talk: Conversation) -> str:
    """Return why the command cannot be meant for the pull request as it is, "" where it can."""
    if talk.command.verb not in NEEDS_SHA:
        return ""
    if talk.pull.get("state") != "open":
        return "This pull request is closed: nothing done."
    if not talk.head.startswith(talk.command.sha):
        return (
            f"The head is {code(talk.head[:7])} and the command names "
            f"{code(talk.command.sha[:12])}: nothing done. Look at the new commit first."
        )
    return ""


def usage() -> str:
    """Return the commands, one a line, as safe HTML."""
    return "<br>".join(code(line, SENTENCE) for line in USAGE.splitlines())
