"""One row of the stream: gutter mark, tint of every second burst, the newest burst as a block, heat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from rich.style import Style
from textual.strip import Strip

from sparktui.core.figures.burstscale import Step, ramp
from sparktui.tui.drawing.pen import Ink, Line
from sparktui.tui.drawing.roles import Role, Roles
from sparktui.tui.widgets.stream_text import NO_BURST, Span, StreamText

View = Literal["chunks", "heat", "plain"]
GUTTER = 2

_ROLES: dict[str, Role] = {"content": "text", "reasoning": "muted", "tool": "muted", "label": "faint", "invented": "faint"}
_ITALIC = ("reasoning", "tool")


class Dress(NamedTuple):
    """How rows are painted now. `newest` is None once the run ended; `bursts` are the tokens of each burst."""

    roles: Roles
    view: View
    newest: int | None
    bursts: Sequence[float]
    full_tokens: float

    def step(self, burst: int) -> Step:
        return ramp(self.bursts[burst] if burst < len(self.bursts) else 0.0, self.full_tokens)

    def styles(self, span: Span) -> tuple[Style, Style]:
        """Of the span's white space at the ends of a row, and of the rest."""
        role, italic = _ROLES[span.kind], span.kind in _ITALIC
        plain = self.roles.style(role, italic=italic)
        if self.view == "plain" or span.burst == NO_BURST:
            return plain, plain
        if span.burst == self.newest:
            return plain, self.roles.block(self.step(span.burst))
        if self.view == "heat":
            role = self.step(span.burst)
        return plain, self.roles.style(role, "tint" if span.burst % 2 else "background", italic=italic)


def stream_row(text: StreamText, y: int, width: int, dress: Dress, *, touched: bool) -> Strip:
    """Row `y` of `text`; `touched`: the newest burst has text in it, or began above it."""
    line = Line(width, dress.roles.style())
    if touched and dress.newest is not None:
        line.put(0, ("▌", dress.roles.style(dress.step(dress.newest))))
    row = text.row(y)
    first, last = len(row) - len(row.lstrip()), len(row.rstrip())
    at, x = 0, GUTTER
    for span in text.spans(y):
        x = line.put(x, *_inks(span, first - at, last - at, dress))
        at += len(span.text)
    return line.strip()


def _inks(span: Span, first: int, last: int, dress: Dress) -> list[Ink]:
    """The span in at most three pieces; characters before `first` and from `last` on are the row's outer white space."""
    plain, marked = dress.styles(span)
    lead = min(max(first, 0), len(span.text))
    tail = max(lead, min(last, len(span.text)))
    return [(span.text[:lead], plain), (span.text[lead:tail], marked), (span.text[tail:], plain)]
