"""TabbyAPI's log: the Metrics line in every form since 2023-11, and the lines that open, close and cancel a request."""

from __future__ import annotations

import re

from sparktui.core.log.logrecord import Generation
from sparktui.servers.grammar_base import Found, number, rate, whole

_NUMBER = r"(?:-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|Indeterminate|None)"
_METRICS = re.compile(
    rf"(?:Metrics|Response)(?: \(ID: (?P<id>[0-9a-f]{{32}})(?:-(?P<choice>\d+))?\))?:"
    rf" (?P<tokens>{_NUMBER}) tokens generated in (?P<total>{_NUMBER}) seconds \("
    rf"(?:Queue: (?P<queue>{_NUMBER}) s, )?"
    rf"(?:Process: (?:(?P<cached>{_NUMBER}) cached tokens and (?P<new>{_NUMBER}) new tokens at )?(?P<prefill>{_NUMBER}) T/s, )?"
    rf"(?:Generate: )?(?P<speed>{_NUMBER}) T/s"
    rf"(?:, [Cc]ontext:? (?P<context>{_NUMBER}) tokens)?"
    rf"(?:, Draft: (?P<accepted>\d+) / (?P<proposed>\d+) tokens accepted \((?:{_NUMBER})%\))?"
    r"\)(?P<truncated> <-- Not accurate \(truncated\))?"
)
_STARTS = ("Metrics", "Response")
_OPENED = re.compile(r"Received \S.{0,60}? request ([0-9a-f]{32})\b")
_CLOSED = re.compile(r"Finished \S.{0,60}? request ([0-9a-f]{32})\b")
_CANCELLED = re.compile(r"(?:Chat c|[Cc])ompletion (?:([0-9a-f]{32}) |generation )cancelled by user")
_DISCONNECTED = ("Request disconnected:", "Immediately terminating all jobs.")
TELLING = r"Metrics|Response|Received |Finished |Request disconnected:|Immediately terminating|(?:Chat c|[Cc])ompletion "
"""How every record begins that says more than its text; one that begins otherwise need not be read."""
_INITIALS = frozenset("MRFICc")
_TAIL_COLUMNS = 4
_CONSOLE_WIDTH = 80


class TabbyGrammar:
    """Every record stands for itself; the last match is kept because a wrapped record is matched twice."""

    def __init__(self) -> None:
        self._text = ""
        self._found: re.Match[str] | None = None

    def read(self, text: str, starts: bool) -> Found | None:
        if not starts or text[0] not in _INITIALS:
            return None
        if text.startswith(_STARTS):
            found = self._metrics(text)
            return Found(_generation(found)) if found else None
        if text.startswith("Received "):
            opened = _OPENED.match(text)
            return Found(started=opened[1]) if opened else None
        if text.startswith("Finished "):
            closed = _CLOSED.match(text)
            return Found(ended=closed[1]) if closed else None
        if text.startswith(_DISCONNECTED):
            return Found(cancelled=True)
        cancelled = _CANCELLED.match(text)
        return Found(ended=cancelled[1] or "", cancelled=True) if cancelled else None

    def is_whole(self, text: str, last_line: str) -> bool:
        """Whether a wrapped record is a complete Metrics line: its bracket is closed, and the ` <-- Not accurate` that may follow it
        would have fit on the last line (or the console does not wrap)."""
        if not text.startswith(_STARTS):
            return False
        text = text.rstrip()
        found = self._metrics(text)
        if found is None or found.end() != len(text):
            return False
        width = len(last_line.rstrip())
        return found["truncated"] is not None or width + _TAIL_COLUMNS <= _CONSOLE_WIDTH or width > _CONSOLE_WIDTH + _TAIL_COLUMNS

    def _metrics(self, text: str) -> re.Match[str] | None:
        if text != self._text:
            self._text, self._found = text, _METRICS.match(text)
        return self._found


def _generation(found: re.Match[str]) -> Generation:
    (request_id, choice, tokens, total, queue, cached, new, prefill, speed, context, accepted, proposed, truncated) = found.groups()
    a, p = whole(accepted), whole(proposed)
    return Generation(
        grammar="tabbyapi",
        request_id=request_id,
        choice=whole(choice),
        completion_tokens=whole(tokens),
        total_s=number(total),
        queue_s=number(queue),
        cached_tokens=whole(cached),
        new_tokens=whole(new),
        prompt_tokens=whole(context),
        prefill_tok_s=number(prefill),
        server_tok_s=number(speed),
        draft_accepted=a,
        draft_proposed=p,
        acceptance_rate=rate(a, p),
        truncated=truncated is not None,
    )
