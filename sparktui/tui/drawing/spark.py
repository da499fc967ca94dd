"""The sparkline's memory: tok/s of the last 30 s in 26 cells. Pure."""

from __future__ import annotations

CELLS = 26
SPAN_NS = 30_000_000_000
_CELL_NS = SPAN_NS // CELLS
_LEAST_FULL_TOK_S = 80.0
_EIGHTHS = "▁▂▃▄▅▆▇█"


class SparkHistory:
    """Fed with the rate at each paint; time is cut into cells once and for all, so that the line moves a whole cell at a time."""

    def __init__(self) -> None:
        self._rates: dict[int, float] = {}
        self._newest = 0

    def note(self, now_ns: int, tok_s: float | None) -> None:
        """The rate at `now_ns` (None counts as 0); the newest of a cell stands."""
        self._newest = max(self._newest, now_ns // _CELL_NS)
        self._rates[now_ns // _CELL_NS] = tok_s or 0.0
        if len(self._rates) > 2 * CELLS:
            self._rates = {cell: rate for cell, rate in self._rates.items() if cell > self._newest - CELLS}

    def text(self) -> str:
        """26 glyphs, the newest cell last. Full height is 80 tok/s, doubled until the fastest cell fits."""
        rates = [self._rates.get(cell, 0.0) for cell in range(self._newest - CELLS + 1, self._newest + 1)]
        full = _LEAST_FULL_TOK_S
        while max(rates) > full:
            full *= 2
        return "".join(_EIGHTHS[max(0, min(7, round(rate / full * 8) - 1))] for rate in rates)
