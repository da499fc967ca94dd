"""A history of a hundred thousand runs: how long the first list, a filter, a sort and storing one more run take."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

from sparktui.io.store.history import History
from tests.long_history import long_history
from tests.perf.bench import Row
from tests.runs import run

RUNS = 100_000
_LIST_S = 0.3
_FILTER_S = 0.1


def history() -> Iterator[Row]:
    """Medians of seven, the database in the page cache as it is after the first look."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "history.sqlite3"
        with long_history(path, RUNS) as opened:

            def first_list() -> None:
                with History.open(path) as again:
                    again.query()
                    again.count()

            yield _row(f"history of {RUNS:,} runs: open, list and count", first_list, _LIST_S)
            yield _row("… filter by words that are nowhere", lambda: opened.query("nowhere to be found"), _FILTER_S)
            yield _row("… filter label, prompt, temperature", lambda: opened.query("label:shipped prompt:story T:0"), _FILTER_S)
            yield _row("… filter by a figure and a flag", lambda: opened.query("client:>55 flag:not_idle"), _FILTER_S)
            yield _row("… sort by client tok/s", lambda: opened.query(sort="-client_tok_s"), _LIST_S)
            yield _row("… store one more run", lambda: opened.add(run(1, id="one-more")), None)
        yield Row("… size on disk", f"{path.stat().st_size / 1e6:.0f} MB", "", None)


def _row(figure: str, action: Callable[[], object], most_s: float | None) -> Row:
    times = []
    for _ in range(7):
        begin = time.perf_counter()
        action()
        times.append(time.perf_counter() - begin)
    middle = median(times)
    return Row(figure, f"{1000 * middle:.1f} ms", f"≤ {most_s:g} s" if most_s else "", middle <= most_s if most_s else None)
