"""Text that only grows, soft-wrapped by terminal cells: appending touches the open row alone, however long the text is."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from typing import NamedTuple

from rich.cells import cell_len, split_graphemes

KINDS = ("content", "reasoning", "tool", "label", "invented")
NO_BURST = 0xFFFF_FFFF
# a row of blanks longer than this many widths is cut: an open row stays bounded
_LONGEST_WIDTHS = 4


class Span(NamedTuple):
    """A part of one row: of one kind, of one burst (NO_BURST for our own labels and for text that is not the model's)."""

    text: str
    kind: str
    burst: int


class StreamText:
    """Rows of at most `width` cells. Wraps at spaces, which hang at the end of their row; a wrapped row begins in the first cell."""

    def __init__(self, width: int) -> None:
        self.width = max(1, width)
        self._rows: list[str] = [""]
        self._starts = array("Q", [0])
        self._hard = bytearray(1)
        self._length = 0
        self._mark_at = array("Q")
        self._mark_burst = array("I")
        self._mark_kind = bytearray()

    def __len__(self) -> int:
        """Rows so far; an empty text has none."""
        return len(self._rows) if self._length else 0

    @property
    def at_row_start(self) -> bool:
        return not self._rows[-1]

    def row(self, y: int) -> str:
        return self._rows[y]

    def append(self, text: str, kind: str, burst: int = NO_BURST) -> int:
        """Add text that holds no control character but LF; returns the first row that changed."""
        first = len(self._rows) - 1
        if not text:
            return first
        self._mark(kind, burst)
        pieces = text.split("\n")
        for number, piece in enumerate(pieces):
            if number:
                self._hard[-1] = 1
                self._length += 1
                self._begin_row(self._length)
            if piece:
                self._extend(piece)
        return first

    def rewrap(self, width: int) -> None:
        """Lay all of the text out again for another width. O(length of the text)."""
        lines = self.text().split("\n")
        self.width = max(1, width)
        self._rows, self._starts, self._hard, self._length = [""], array("Q", [0]), bytearray(1), 0
        for number, line in enumerate(lines):
            if number:
                self._hard[-1] = 1
                self._length += 1
                self._begin_row(self._length)
            if line:
                self._extend(line)

    def text(self) -> str:
        """All of it, labels included, without the soft breaks."""
        return "".join(row + "\n" if hard else row for row, hard in zip(self._rows, self._hard, strict=True))

    def between(self, start: tuple[int, int] | None, end: tuple[int, int] | None) -> str:
        """The text from `start` to `end`, each (row, character); None is the beginning or the end. Soft breaks are left out."""
        return self.text()[self._offset(start, 0) : self._offset(end, self._length)]

    def missing_newlines(self, wanted: int) -> int:
        """How many newlines the text lacks to end in `wanted` of them."""
        ending = 0
        while ending < wanted and ending < len(self._rows) - 1 and self._hard[-2 - ending] and not self._rows[-1 - ending]:
            ending += 1
        return wanted - ending

    def spans(self, y: int) -> list[Span]:
        """The parts of row `y`, in order; the hanging spaces beyond the width are included."""
        row = self._rows[y]
        start = self._starts[y]
        stop = start + len(row)
        found = []
        at = start
        index = max(0, bisect_right(self._mark_at, start) - 1)
        while at < stop:
            end = self._mark_at[index + 1] if index + 1 < len(self._mark_at) else stop
            end = min(max(end, at), stop)
            if end > at:
                found.append(Span(row[at - start : end - start], KINDS[self._mark_kind[index]], self._mark_burst[index]))
            at = end
            index += 1
        return found

    def first_row_of(self, burst: int) -> int | None:
        """The row in which `burst` begins; None where it has no text. Only recent bursts are asked for: it looks from the end."""
        for index in range(len(self._mark_burst) - 1, -1, -1):
            if self._mark_burst[index] == burst:
                first = index
                while first and self._mark_burst[first - 1] in (burst, NO_BURST):
                    first -= 1
                while self._mark_burst[first] == NO_BURST:
                    first += 1
                return max(0, bisect_right(self._starts, self._mark_at[first]) - 1)
            if self._mark_burst[index] < burst:
                return None
        return None

    def _offset(self, at: tuple[int, int] | None, otherwise: int) -> int:
        if at is None or at[0] >= len(self._rows):
            return self._length if at is not None else otherwise
        row, character = max(0, at[0]), max(0, at[1])
        return self._starts[row] + min(character, len(self._rows[row]))

    def _mark(self, kind: str, burst: int) -> None:
        number = KINDS.index(kind)
        if self._mark_kind and self._mark_kind[-1] == number and self._mark_burst[-1] == burst:
            return
        self._mark_at.append(self._length)
        self._mark_burst.append(burst)
        self._mark_kind.append(number)

    def _begin_row(self, start: int) -> None:
        self._rows.append("")
        self._starts.append(start)
        self._hard.append(0)

    def _extend(self, piece: str) -> None:
        text = self._rows[-1] + piece
        origin = self._starts[-1]
        self._length += len(piece)
        at = 0
        while (stop := _row_end(text, at, self.width)) < len(text):
            self._rows[-1] = text[at:stop]
            self._begin_row(origin + stop)
            at = stop
        self._rows[-1] = text[at:]


def _row_end(text: str, at: int, width: int) -> int:
    """Where the row that begins at `at` ends: len(text) when all that is left fits."""
    window = text[at : at + _LONGEST_WIDTHS * width + 1]
    fits = _fitting(window, width)
    hang = fits
    while hang < len(window) and window[hang] == " ":
        hang += 1
    if hang > fits or fits == len(window):
        return at + hang
    space = window.rfind(" ", 0, fits)
    # white space at the front never stands alone in a row: the word is cut instead
    return at + space + 1 if window[: space + 1].strip(" ") else at + fits


def _fitting(window: str, width: int) -> int:
    """How many characters from the front fill at most `width` cells, at least one; graphemes stay whole."""
    if window.isascii():
        return min(len(window), width)
    if cell_len(window) <= width:
        return len(window)
    spans, _ = split_graphemes(window)
    used = 0
    for start, _, size in spans:
        if used + size > width and start:
            return start
        used += size
    return len(window)
