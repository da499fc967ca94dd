"""The meter beside the stream, and zoomed the stage view: digits, sparkline, figures."""

from __future__ import annotations

from rich.style import Style
from textual.strip import Strip

from sparktui.tui.drawing.pen import Ink, Line
from sparktui.tui.drawing.roles import Role
from sparktui.tui.drawing.spark import CELLS, SparkHistory
from sparktui.tui.live.layout import METER_CELLS
from sparktui.tui.live.meter_view import MeterView, Row
from sparktui.tui.widgets.digits import ROWS, big_digits, digits_width
from sparktui.tui.widgets.painted import Painted

_NUMBER_END = 23
_UNIT_AT = 25
_BENCH_AT, _BENCH_CELLS = 8, 10
_SPARE_ROWS = 6
_KEPT_ROWS = 200


class Meter(Painted, can_focus=True):
    """`show(view)`. Rows that do not fit go by their rank; nothing moves when figures change."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._view = MeterView()
        self._spark = SparkHistory()
        self.full = False
        self._kept: dict[object, Strip] = {}
        self._digits_key: object = None
        self._digits: list[Strip] = []

    def show(self, view: MeterView, spark: SparkHistory) -> None:
        self._view, self._spark = view, spark
        self.repaint()

    def rows(self, width: int, height: int) -> list[Strip]:
        scale = 2 if self.full and height >= 2 * ROWS + len(self._view.rows) // 2 else 1
        left = (width - 2 * METER_CELLS) // 2 if self.full and scale == 2 else (width - METER_CELLS) // 2 if self.full else 0
        painted = self._digit_rows(width, scale, max(0, left))
        for row in fitting_rows(self._view, height - len(painted)):
            key = (row, width, left, self._spark.text() if row.kind == "spark" else "")
            if key not in self._kept:
                line = Line(width, self.roles.style())
                self._row(line, row, max(0, left))
                self._kept[key] = line.strip()
            painted.append(self._kept[key])
        if len(self._kept) > _KEPT_ROWS:
            self._kept.clear()
        return painted

    def restyle(self) -> None:
        self._kept.clear()
        self._digits_key = None
        super().restyle()

    def _digit_rows(self, width: int, scale: int, left: int) -> list[Strip]:
        view = self._view
        key = (view.digits, view.digits_role, view.beside, width, scale, left)
        if key == self._digits_key:
            return list(self._digits)
        self._digits_key = key
        style = self.roles.style(view.digits_role)
        beside_at = left + 1 + max(digits_width(view.digits, scale) + 1, 17 if "." not in view.digits else 0)
        lines = []
        for y, pixels in enumerate(big_digits(view.digits, scale)):
            line = Line(width, self.roles.style())
            line.put(left + 1, (pixels, style))
            if y % scale == 0 and y // scale < len(view.beside):
                line.put(beside_at, *((text, self.roles.style(role, bold=bold)) for text, role, bold in view.beside[y // scale]))
            lines.append(line.strip())
        self._digits = lines
        return list(lines)

    def _row(self, line: Line, row: Row, left: int) -> None:
        muted = self.roles.style("muted")
        if row.kind == "figure":
            line.put(left + 1, (row.name, muted))
            role: Role = "muted" if row.old else row.role
            line.end(left + _NUMBER_END, (row.number, self.roles.style(role, bold=True)))
            line.put(left + _UNIT_AT, (row.unit, muted))
        elif row.kind == "head":
            line.put(left + 1, (row.name, self.roles.style()), (" ── ", self.roles.style("rule")), (row.number, muted))
        elif row.kind == "spark":
            line.put(left + 1, (self._spark.text(), self.roles.style("flow")))
            line.put(left + CELLS + 3, ("last 30 s", muted))
        elif row.kind == "bench":
            line.put(left + 1, (row.name, self.roles.style()))
            line.put(left + _BENCH_AT, *progress_inks(row.share, _BENCH_CELLS, self.roles.style("flow"), self.roles.style("rule")))
            line.end(left + _NUMBER_END, (row.number, self.roles.style(bold=True)))
            line.put(left + _UNIT_AT, (row.unit, muted))


def fitting_rows(view: MeterView, height: int) -> list[Row]:
    """The rows that fit: those of the highest rank are left out first, the last of them before the earlier ones."""
    rows = list(view.rows)
    while len(rows) > height:
        highest = max(row.rank for row in rows)
        if highest == 0:
            return rows[: max(0, height)]
        del rows[max(number for number, row in enumerate(rows) if row.rank == highest)]
    spare = height - len(rows)
    if view.spare and spare >= max(_SPARE_ROWS, len(view.spare)):
        at = len(rows) - (1 if rows and rows[-1].kind == "bench" else 0)
        rows[at:at] = view.spare
    return rows


def progress_inks(share: float, width: int, filled: Style, empty: Style) -> list[Ink]:
    """A progress line: `━` up to the share, `╸` for a half, `─` for the rest."""
    halves = round(max(0.0, min(1.0, share)) * 2 * width)
    done = "━" * (halves // 2) + ("╸" if halves % 2 else "")
    return [(done, filled), ("─" * (width - len(done)), empty)]
