"""Which part of a run the burst strip shows, and at what scale: fills from the left, jumps by half, never shrinks its scale. Pure."""

from __future__ import annotations

from sparktui.core.figures.burstscale import FULL_TOKENS
from sparktui.core.figures.columns import Columns

PER_SECOND = 10
EIGHTHS = " ▁▂▃▄▅▆▇█"
OVER = "▲"


class StripWindow:
    """`start`: the first column shown, a whole second. `full_tokens`: tokens of a column of full height."""

    def __init__(self, width: int) -> None:
        self.width = max(1, width)
        self.start = 0
        self.full_tokens: float = FULL_TOKENS
        self._begun = False

    def reset(self) -> None:
        """A new run begins."""
        self.start, self.full_tokens, self._begun = 0, FULL_TOKENS, False

    def resize(self, width: int, columns: Columns | None) -> None:
        """Another width: keep the newest column in sight."""
        self.width = max(1, width)
        if columns is not None and len(columns) > self.start + self.width:
            self.start = _whole_second(max(0, len(columns) - self._half - 1))

    def follow(self, columns: Columns) -> bool:
        """Bring the newest column into the window; True when the window or its scale changed."""
        before = (self.start, self.full_tokens)
        newest = len(columns) - 1
        if not self._begun and newest >= 0:
            self._begun = True
            first = next(column for column in range(len(columns)) if columns.tokens[column] > 0)
            if first >= self.width:
                self.start = _whole_second(first)
        if newest >= self.start + self.width:
            if self._overflowing(columns) > self.width / 10:
                self.full_tokens *= 2
            missing = newest - (self.start + self.width) + 1
            self.start += -(-missing // self._half) * self._half
        return before != (self.start, self.full_tokens)

    def now_at(self, columns: Columns, now_ns: int) -> int | None:
        """The cell of the now line: the first empty one, at the right edge in a stall; None where text fills the last cell."""
        column = max(columns.column_of(now_ns), len(columns))
        cell = min(column - self.start, self.width - 1)
        return cell if cell + self.start >= len(columns) else None

    @property
    def _half(self) -> int:
        return max(PER_SECOND, _whole_second(self.width // 2))

    def _overflowing(self, columns: Columns) -> int:
        return sum(tokens > self.full_tokens for tokens in columns.tokens[self.start : self.start + self.width])


def column_cells(tokens: float, full_tokens: float, rows: int) -> str:
    """A column from top to bottom; more than full height has `▲` in its top cell, the least text shows as one eighth."""
    if tokens <= 0 or rows <= 0:
        return " " * rows
    eighths = max(1, round(tokens / full_tokens * 8 * rows))
    cells = [EIGHTHS[max(0, min(8, eighths - 8 * (rows - 1 - row)))] for row in range(rows)]
    if eighths > 8 * rows:
        cells[0] = OVER
    return "".join(cells)


def axis_labels(start: int, width: int) -> list[tuple[int, str]]:
    """(cell, label) of each whole second in the window; "" where the label does not fit before the edge."""
    found = []
    first = -(-start // PER_SECOND) * PER_SECOND
    for column in range(first, start + width, PER_SECOND):
        label = f"{column // PER_SECOND} s" if column else "0"
        cell = column - start
        found.append((cell, label if cell + 1 + len(label) <= width else ""))
    return found


def _whole_second(column: int) -> int:
    return column // PER_SECOND * PER_SECOND
