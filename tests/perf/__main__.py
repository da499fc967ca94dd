"""`python -m tests.perf`: measures what the program promises and prints it beside the targets. Exit code 1 when one is missed."""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from collections.abc import Callable, Iterator, Sequence

from tests.perf.bench import Row

MEASURES = {
    "rates": "tests.perf.measure_rates:rates",
    "first-chunk": "tests.perf.measure_rates:first_chunk",
    "ttft": "tests.perf.measure_ttft:ttft",
    "estimate": "tests.perf.measure_estimate:estimate",
    "throughput": "tests.perf.measure_flood:throughput",
    "memory": "tests.perf.measure_flood:memory",
    "start": "tests.perf.measure_start:start",
    "size": "tests.perf.measure_size:size",
    "demo": "tests.perf.measure_demo:demo",
    "needle": "tests.perf.measure_needle:building",
    "needle-table": "tests.perf.measure_needle:table",
    "watch": "tests.perf.measure_watch:watch",
    "log-parsing": "tests.perf.measure_log:parsing",
    "log-latency": "tests.perf.measure_log:latency",
    "log-idle": "tests.perf.measure_log:idle",
    "log-opening": "tests.perf.measure_log:opening",
    "log-burst": "tests.perf.measure_log:burst",
    "log-memory": "tests.perf.measure_log:memory",
    "screen-stamps": "tests.perf.measure_screen:stamps",
    "screen-terminal": "tests.perf.measure_screen:terminal",
    "screen-idle": "tests.perf.measure_screen:idle",
    "screen-start": "tests.perf.measure_screen:begin",
    "screen-keys": "tests.perf.measure_screen:keys",
    "screen-load": "tests.perf.measure_screen:load",
    "history": "tests.perf.measure_history:history",
    "ssh": "tests.perf.measure_ssh:ssh",
    "line": "tests.perf.measure_line:line",
}
"""Name → `module:function`, a function without arguments that yields Rows."""

_COLUMNS = (66, 72, 20)


def main(arguments: Sequence[str]) -> int:
    """Run the measures asked for (all without `--only`), row by row."""
    parser = argparse.ArgumentParser(prog="run.sh perf", description="Measure against the targets; a table on stdout.")
    parser.add_argument("--only", action="append", choices=MEASURES, metavar="NAME", help=f"one of {', '.join(MEASURES)}; repeatable")
    names = parser.parse_args(arguments).only or list(MEASURES)
    _print("figure", "measured", "target", "")
    missed = 0
    for name in names:
        begin = time.monotonic()
        try:
            for row in _measure(name)():
                missed += row.ok is False
                _print(row.figure, row.measured, row.target, {True: "ok", False: "MISSED", None: ""}[row.ok])
        except Exception as error:  # noqa: BLE001 - one measure that cannot be made must not hide the others
            missed += 1
            _print(name, f"{type(error).__name__}: {error}", "", "FAILED")
        print(f"{name}: {time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)
    return 1 if missed else 0


def _measure(name: str) -> Callable[[], Iterator[Row]]:
    module, _, function = MEASURES[name].partition(":")
    found: Callable[[], Iterator[Row]] = getattr(importlib.import_module(module), function)
    return found


def _print(*cells: str) -> None:
    print("  ".join(cell.ljust(width) for cell, width in zip(cells, (*_COLUMNS, 0), strict=True)).rstrip(), flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
