"""The stream: text as it lands, every second burst tinted, the newest one a solid block. Only rows that changed are painted."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual.events import Resize
from textual.message import Message
from textual.selection import Selection
from textual.strip import Strip

from sparktui.core.figures.burstscale import FULL_TOKENS
from sparktui.core.liverun import Piece
from sparktui.tui.drawing.foreign import shown
from sparktui.tui.drawing.pen import Ink, Line
from sparktui.tui.widgets.scrolling import Scrolling
from sparktui.tui.widgets.stream_row import GUTTER, Dress, View, stream_row
from sparktui.tui.widgets.stream_text import NO_BURST, StreamText

VIEWS: tuple[View, ...] = ("chunks", "heat", "plain")
Card = Callable[[int, int], list[Strip]]

LONGEST_ROW = 120
_JUMP_ROWS = 4


class StreamView(Scrolling):
    """Feed it pieces of text; it follows the end in jumps until the user scrolls up."""

    ALLOW_SELECT = True

    class Scrolled(Message):
        """The part in sight changed: the panel head's badge with it."""

    def __init__(self, *, view: View = "chunks", id: str | None = None) -> None:
        super().__init__(id=id)
        self.view: View = view
        self.text = StreamText(1)
        self.following = True
        self.card: Card | None = None
        self._note: list[Ink] = []
        self._top = 0
        self._newest: int | None = None
        self._held = False
        self._bursts: Sequence[float] = ()
        self._full_tokens: float = FULL_TOKENS
        self._kind = ""
        self._label = ""
        self._carry = ""

    def begin(self) -> None:
        """A new run: an empty text, following again."""
        self.text = StreamText(self._text_width)
        self.following, self._top, self._newest, self._bursts = True, 0, None, ()
        self._kind = self._label = self._carry = ""
        self._note = []
        self.repaint()

    def feed(self, pieces: Sequence[Piece], bursts: Sequence[float], full_tokens: float = FULL_TOKENS) -> None:
        """Append `pieces`; `bursts` are the tokens of every burst so far, `full_tokens` the strip's scale (the ramp's)."""
        rescaled = full_tokens != self._full_tokens
        self._bursts, self._full_tokens = bursts, full_tokens
        if not pieces:
            if rescaled:
                self.repaint()
            return
        first = max(0, len(self.text) - 1)
        if self._newest is not None:
            first = min(first, self.text.first_row_of(self._newest) or 0)
        for piece in pieces:
            self._append(piece)
        if rescaled or self._follow_end():
            self.repaint()
        else:
            self._paint_rows(first)
        if not self.following:
            self.post_message(self.Scrolled())

    def settle(self, bursts: Sequence[float]) -> None:
        """The run ended: the newest block becomes an ordinary tint; `bursts` with their final counts."""
        self._newest, self._bursts = None, bursts
        self.repaint()

    def hold(self, held: bool) -> None:
        """Whether nothing is newest now: in a stall the last burst is no news any more."""
        if held != self._held:
            self._held = held
            self.repaint()

    def note(self, inks: list[Ink]) -> None:
        """A line in the last row: a stall, how the run ended. The text above makes room."""
        if inks != self._note:
            self._note = inks
            self._follow_end()
            self.repaint()

    def show_card(self, card: Card | None) -> None:
        """Rows in place of the text (`card(width, height)`); None shows the text again."""
        self.card = card
        self.repaint()

    @property
    def length(self) -> int:
        return len(self.text)

    @property
    def unseen_rows(self) -> int:
        """Rows below the part in sight."""
        return max(0, len(self.text) - self._top - self._text_height)

    def next_view(self) -> View:
        """Chunks, heat, plain, and around."""
        self.view = VIEWS[(VIEWS.index(self.view) + 1) % len(VIEWS)]
        self.repaint()
        return self.view

    def scroll_rows(self, rows: int) -> None:
        """Up (negative) or down; reaching the end follows again."""
        furthest = max(0, len(self.text) - self._text_height)
        top = min(max(0, min(self._top, furthest) + rows), furthest)
        self.following = top >= furthest
        self._top = top
        self.repaint()
        self.post_message(self.Scrolled())

    def on_resize(self, event: Resize) -> None:
        if self._text_width != self.text.width:
            at = self._top / max(1, len(self.text))
            self.text.rewrap(self._text_width)
            self._top = round(at * len(self.text))
        self._follow_end(exactly=True)
        super().on_resize(event)

    def rows(self, width: int, height: int) -> list[Strip]:
        if self.card is not None:
            return self.card(width, height)
        painted = [self._row(y, width) for y in range(self._top, min(len(self.text), self._top + self._text_height))]
        if self._note and height:
            painted += [Strip.blank(width, self.roles.style())] * (height - 1 - len(painted))
            line = Line(width, self.roles.style())
            line.put(GUTTER + 1, *self._note)
            painted.append(line.strip())
        return painted

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        if self.card is not None:
            return super().get_selection(selection)
        start, end = (None if at is None else (at.y, at.x - GUTTER) for at in (selection.start, selection.end))
        return self.text.between(start, end), "\n"

    @property
    def _text_width(self) -> int:
        return max(1, min(LONGEST_ROW, self.size.width - GUTTER))

    @property
    def _text_height(self) -> int:
        return max(1, self.size.height - bool(self._note))

    def _append(self, piece: Piece) -> None:
        # a line end cut between two pieces is one line end
        whole, self._carry = self._carry + piece.text, ""
        if whole.endswith("\r"):
            whole, self._carry = whole[:-1], "\r"
        text = shown(whole, keep_newlines=True)
        kind = piece.kind if piece.burst is not None else "invented"
        if (kind, piece.label) != (self._kind, self._label) and (kind != self._kind or piece.label):
            text = self._change_kind(kind, piece.label, text)
        burst = NO_BURST if piece.burst is None else piece.burst
        self.text.append(text, kind, burst)
        if piece.burst is not None:
            self._newest = piece.burst

    def _change_kind(self, kind: str, label: str, text: str) -> str:
        first = not self._kind
        self._kind, self._label = kind, label
        if not first:
            self.text.append("\n" * self.text.missing_newlines(2), "label")
            text = text.lstrip("\n")
        if kind == "reasoning":
            self.text.append("thinking  ", "label")
        elif kind == "tool":
            self.text.append(f"tool call {shown(label)}".rstrip() + "  ", "label")
        return text

    def _follow_end(self, *, exactly: bool = False) -> bool:
        """Bring the end into sight, in jumps; True when the part in sight moved."""
        missing = len(self.text) - self._top - self._text_height
        if not self.following or (missing <= 0 and not exactly):
            return False
        jump = 1 if exactly else min(_JUMP_ROWS, max(1, self._text_height // 3))
        top = max(0, self._top + (missing if exactly else -(-missing // jump) * jump))
        moved, self._top = top != self._top, top
        return moved

    def _paint_rows(self, first: int) -> None:
        if self.card is None:
            width, first = self.size.width, max(first, self._top)
            rows = [self._row(y, width) for y in range(first, min(len(self.text), self._top + self._text_height))]
            self.set_rows(first - self._top, rows)

    def _row(self, y: int, width: int) -> Strip:
        newest = None if self.view == "plain" or self._held else self._newest
        first = self.text.first_row_of(newest) if newest is not None else None
        dress = Dress(self.roles, self.view, newest, self._bursts, self._full_tokens)
        return stream_row(self.text, y, width, dress, touched=first is not None and y >= first)

    def _selection_row(self, y: int) -> int:
        return self._top + y if self.card is None else y
