"""Tables and pages for people: rich where stdout is a terminal, aligned plain lines where it is a pipe or a file."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from typing import IO

from msgspec import Struct

from sparktui.core.records import RunRecord
from sparktui.core.stats.cells import cell_of
from sparktui.report import detail
from sparktui.report.glyphs import is_unicode, to_ascii
from sparktui.report.needletable import needle_grid, needle_table
from sparktui.report.numbers import ABSENT
from sparktui.report.runtable import bench_table, left_out
from sparktui.report.sections import SIMULATED, by_prompt, needle_runs
from sparktui.report.strip import strip_lines
from sparktui.report.table import Table, plain_lines
from sparktui.report.together import at_once
from sparktui.report.togethertable import MEANING, together_table

_GROUP_WIDTH = 52


class Out(Struct, frozen=True):
    """Where to print, how wide it is, and whether a person looks at it."""

    stream: IO[str]
    width: int
    terminal: bool

    @classmethod
    def to(cls, stream: IO[str]) -> Out:
        """A stream as it is now: its terminal's width, or as wide as needed."""
        terminal = stream.isatty()
        return cls(stream, shutil.get_terminal_size((100, 24)).columns if terminal else 10_000, terminal)

    def line(self, text: str = "", style: str = "") -> None:
        """One line; `style` (rich's words) shows on a terminal only."""
        shown = text if is_unicode(self.stream) else to_ascii(text)
        if not (self.terminal and style):
            print(shown, file=self.stream)
            return
        from rich.console import Console
        from rich.text import Text

        Console(file=self.stream, width=max(self.width, 1), highlight=False, soft_wrap=True).print(Text(shown, style=style))

    def table(self, table: Table) -> None:
        """A table: whole columns dropped where a terminal is too narrow; left-out rows dim, the summary bold."""
        fitted = table.fitted(self.width) if self.terminal else table
        styles = ["dim", *({"run": "", "left_out": "dim", "summary": "bold"}[row.kind] for row in fitted.rows)]
        for text, style in zip(plain_lines(fitted), styles, strict=True):
            self.line(text, style)


def print_bench(records: Sequence[RunRecord], out: Out) -> None:
    """What a bench measured: per prompt and temperature its runs, the median line, what was left out and why; long-context runs after."""
    if any(record.simulated for record in records):
        out.line(SIMULATED, "bold reverse")
        out.line()
    for prompt in by_prompt(records):
        out.line(prompt.heading, "bold")
        out.line()
        for cell in prompt.cells:
            out.line(cell.heading, "italic")
            out.table(bench_table(cell.runs))
            if reason := left_out(cell.runs).strip():
                out.line(reason, "dim")
            for note in cell_of(cell.runs).notes:
                out.line(f"note: {note}", "dim")
            out.line()
    if rounds := at_once(records):
        out.line("Requests at once", "bold")
        out.table(together_table(rounds))
        out.line(MEANING, "dim")
        out.line()
    if needles := needle_runs(records):
        out.line("Long context", "bold")
        out.table(needle_table(needles))
        out.line()
        if grid := needle_grid(needles):
            out.line("found, and the prefill rate, by length and depth", "italic")
            out.table(grid)
            out.line()


def print_run(record: RunRecord, out: Out, *, text: bool = False) -> None:
    """One run: what it was, every figure in its group, the burst timeline, and with `text` what it said."""
    if record.simulated:
        out.line(SIMULATED, "bold reverse")
    rows = detail.facts(record)
    room = max(len(name) for name, _ in rows)
    for name, value in rows:
        out.line(f"{name:<{room}}  {value}")
    out.line()
    _print_groups(detail.groups(record), out)
    width = min(out.width, 121)
    for number, line in enumerate(strip_lines(record.timeline or (), width)):
        out.line(line, "bold" if number == 0 else "")
    if text:
        _print_texts(record, out)


def _print_groups(groups: Sequence[detail.Group], out: Out) -> None:
    """Groups side by side as many as fit, else below each other."""
    columns = max(1, min(3, (out.width if out.terminal else 3 * _GROUP_WIDTH) // _GROUP_WIDTH))
    for start in range(0, len(groups), columns):
        blocks = [_group_lines(group) for group in groups[start : start + columns]]
        for row in range(max(len(block) for block in blocks)):
            parts = [block[row] if row < len(block) else "" for block in blocks]
            out.line("".join(f"{part:<{_GROUP_WIDTH}}" for part in parts).rstrip(), "bold" if row == 0 else "")
        out.line()


def _group_lines(group: detail.Group) -> list[str]:
    title, figures = group
    return [title, *(f"  {figure.name:<21} {figure.number:>11} {'' if figure.number == ABSENT else figure.unit}" for figure in figures)]


def _print_texts(record: RunRecord, out: Out) -> None:
    from sparktui.core.scrub import scrub

    said = (("Prompt", record.prompt.text), ("Reasoning", record.reasoning), ("Tool calls", record.tool_calls), ("Text", record.text))
    for title, text in said:
        if text:
            out.line()
            out.line(f"{title}   {len(text):,} characters", "bold")
            for line in scrub(text).split("\n"):
                out.line(line)
