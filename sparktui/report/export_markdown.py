"""Runs as a Markdown page in the layout of the published tables, so that the two can be laid side by side."""

from __future__ import annotations

from collections.abc import Sequence

from sparktui import __version__
from sparktui.core.records import RunRecord
from sparktui.core.stats.cells import cell_of
from sparktui.report.needletable import needle_grid, needle_table
from sparktui.report.runtable import median_line, numbered, reference_table, run_name
from sparktui.report.sections import READING, SIMULATED, by_prompt, environment, needle_runs, temperature_words
from sparktui.report.table import cell_text, escaped, fenced, markdown_lines
from sparktui.report.together import at_once
from sparktui.report.togethertable import MEANING, together_table


def render_markdown(records: Sequence[RunRecord], *, exported_at: str, answers: bool = False, page: Sequence[str] = ()) -> bytes:
    """Per prompt and temperature a heading, a table of runs and a median line; then the environment. With `answers` also the texts.

    `page`: lines that come first.
    """
    lines = [f"# {escaped(_title(records))}", ""]
    if any(record.simulated for record in records):
        lines += [f"**{SIMULATED}**", ""]
    lines += [*page, READING, ""]
    for prompt in by_prompt(records):
        lines += [f"## {escaped(prompt.heading)}", ""]
        for cell in prompt.cells:
            lines += [f"### {escaped(cell.heading)}", "", *markdown_lines(reference_table(cell.runs)), ""]
            lines += [escaped(median_line(cell.runs)), ""]
            lines += [part for note in cell_of(cell.runs).notes for part in (escaped(f"note: {note}"), "")]
    if rounds := at_once(records):
        lines += ["## Requests at once", "", *markdown_lines(together_table(rounds)), "", escaped(MEANING), ""]
    if needles := needle_runs(records):
        lines += ["## Long context", "", *markdown_lines(needle_table(needles)), ""]
        if grid := needle_grid(needles):
            lines += ["found, and the prefill rate, by length and depth", "", *markdown_lines(grid), ""]
    if answers:
        lines += _answers(records)
    lines += ["## Environment", "", *(f"- {escaped(fact)}" for fact in _facts(records, exported_at)), ""]
    return "\n".join(lines).encode()


def _facts(records: Sequence[RunRecord], exported_at: str) -> list[str]:
    return [*(environment(records) if records else ["no runs"]), f"sparktui {__version__}, exported {exported_at}"]


def _title(records: Sequence[RunRecord]) -> str:
    labels = list(dict.fromkeys(cell_text(record.label) for record in records))
    days = sorted({record.started_at[:10] for record in records})
    span = "" if not days else f" ({days[0]})" if len(days) == 1 else f" ({days[0]} to {days[-1]})"
    return "Raw runs — " + (", ".join(labels[:4]) + ("…" if len(labels) > 4 else "") if labels else "none") + span


def _answers(records: Sequence[RunRecord]) -> list[str]:
    lines = ["## Answers", ""]
    cells = [cell.runs for prompt in by_prompt(records) for cell in prompt.cells]
    for runs in (*cells, needle_runs(records)):
        for record, number in numbered(runs):
            name = f"{record.prompt.name}, {temperature_words(record.params)}, {record.label}, {run_name(record, number)}"
            lines += [f"### {escaped(name)}", "", *_said(record)]
    return lines


def _said(record: RunRecord) -> list[str]:
    texts = (("reasoning", record.reasoning), ("tool calls", record.tool_calls), ("answer", record.text))
    lines = [line for title, text in texts if text for line in (f"{title}:", "", *fenced(text), "")]
    return lines or ["no text", ""]
