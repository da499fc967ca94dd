"""The lower part of a run's page: what went wrong, the burst timeline, histograms, the first lines of the text, what the run was. Pure."""

from __future__ import annotations

from textual.strip import Strip

from sparktui.core.records import RunRecord
from sparktui.report import numbers
from sparktui.report.detail import facts
from sparktui.report.flagwords import flag_words
from sparktui.tui.drawing.foreign import shown
from sparktui.tui.drawing.pen import Line, cut
from sparktui.tui.drawing.prose import wrapped
from sparktui.tui.drawing.roles import Role, Roles
from sparktui.tui.runview.histograms import histogram_rows
from sparktui.tui.runview.run_timeline import timeline_rows

_TEXT_ROWS = 8
_NAME_CELLS = 13
_LONGEST_SHOWN = 4_000
_TOLD_ABOVE = ("flags", "error", "retry", "warning")


def page_rows(record: RunRecord, width: int, roles: Roles, *, waiting: str = "") -> list[Strip]:
    """Everything, top to bottom. `waiting` stands in place of timeline and text while they are not here."""
    blank = Line(width, roles.style()).strip()
    rows = _trouble(record, width, roles)
    if waiting or not record.timeline:
        rows += [blank] * bool(rows) + [_words(waiting or "no timeline is stored with this run", width, roles)]
    else:
        rows += [blank] * bool(rows) + timeline_rows(record.timeline, width, roles)
        histograms = histogram_rows(record.timeline, width, roles)
        rows += [blank, *histograms] if histograms else []
    if not waiting:
        rows += _text(record, width, roles)
    return [*rows, blank, *_facts(record, width, roles)]


def text_of(record: RunRecord) -> str:
    """What the model said: reasoning, answer, tool calls, each under its name where there is more than the answer."""
    parts = [("thinking", record.reasoning), ("", record.text), ("tool calls", record.tool_calls)]
    told = [(name, text) for name, text in parts if text]
    if len(told) == 1 and not told[0][0]:
        return told[0][1] or ""
    return "\n\n".join(f"[{name or 'answer'}]\n{text}" for name, text in told)


def _trouble(record: RunRecord, width: int, roles: Roles) -> list[Strip]:
    """Error, flags, retries and warnings, in words."""
    rows: list[Strip] = []
    if record.error:
        rows += _told("✕", "bad", record.error, width, roles)
    words = flag_words()
    for flag in record.flags:
        rows += _told("!", "burst", f"{flag.replace('_', ' ')}: {words.get(flag, 'not documented')}", width, roles)
    for retry in record.retries:
        rows += _told("!", "burst", f"retried: {retry}", width, roles)
    for warning in record.warnings:
        rows += _told("!", "burst", warning, width, roles)
    return rows


def _told(glyph: str, role: Role, text: str, width: int, roles: Roles) -> list[Strip]:
    rows = []
    for number, line_text in enumerate(wrapped(shown(text[:_LONGEST_SHOWN]), width - 4)):
        line = Line(width, roles.style())
        line.put(1, (glyph if number == 0 else " ", roles.style(role, bold=True)))
        line.put(3, (line_text, roles.style("text" if role == "bad" else "muted")))
        rows.append(line.strip())
    return rows


def _text(record: RunRecord, width: int, roles: Roles) -> list[Strip]:
    text = text_of(record)
    ground = roles.style("muted", "head")
    head = Line(width, ground)
    x = head.put(0, ("▌", roles.style("faint", "head")), ("Text", roles.style("text", "head", bold=True))) + 3
    tokens = numbers.count(record.completion_tokens, estimated=record.tokens_estimated)
    said = f"{tokens} tokens, {len(text):,} characters" if text else "not stored (history.keep_text), or the run brought none"
    head.put(x, (cut(said, width - x - 14), ground))
    if text:
        head.end(-2, ("enter: all", ground))
    rows = [head.strip()]
    lines = text[:_LONGEST_SHOWN].split("\n")
    shown_lines = [part for line in lines[: 4 * _TEXT_ROWS] for part in _cut_lines(line, width - 4)][:_TEXT_ROWS]
    for line_text in shown_lines:
        line = Line(width, roles.style())
        line.put(2, (line_text, roles.style()))
        rows.append(line.strip())
    return rows


def _cut_lines(text: str, width: int) -> list[str]:
    """A line of the text in rows; its white space at the start is part of it."""
    clean = shown(text)
    indent = " " * min(len(clean) - len(clean.lstrip()), max(0, width - 10))
    return [indent + part for part in wrapped(clean, width - len(indent))] or [""]


def _facts(record: RunRecord, width: int, roles: Roles) -> list[Strip]:
    rows: list[Strip] = []
    for name, value in facts(record):
        if name in _TOLD_ABOVE:
            continue
        for number, part in enumerate(wrapped(shown(value), width - _NAME_CELLS - 3)):
            line = Line(width, roles.style())
            line.put(1, (name if number == 0 else "", roles.style("muted")))
            line.put(1 + _NAME_CELLS, (part, roles.style()))
            rows.append(line.strip())
    return rows


def _words(text: str, width: int, roles: Roles) -> Strip:
    line = Line(width, roles.style())
    line.put(1, (cut(shown(text), width - 2), roles.style("muted")))
    return line.strip()
