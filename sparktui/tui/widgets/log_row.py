"""One record of the server's log as a row: generation records as figures in columns, the rest as muted text."""

from __future__ import annotations

import re

from rich.style import Style
from textual.strip import Strip

from sparktui.core.log.logrecord import Generation, LogRecord
from sparktui.report import numbers
from sparktui.tui.drawing.foreign import shown
from sparktui.tui.drawing.pen import Line, cut
from sparktui.tui.drawing.roles import Role, Roles

_CLOCK = re.compile(r"\d{1,2}:\d\d:\d\d")
_TIME_CELLS = 8
_NARROW = 100
_BAD = ("error", "critical")


def log_row(record: LogRecord, width: int, roles: Roles, *, link: str = "", raw: bool = False, ground: Role = "background") -> Strip:
    """`link` names the run of a generation record. `raw` shows every record as its text. Below 100 cells total and prefill go.

    `ground` sets off a record that is chosen or belongs to the run that is.
    """
    line = Line(width, roles.style("text", ground))
    muted = roles.style("muted", ground)
    clock = _CLOCK.search(record.time)
    if ground == "cursor":
        # seen without colours too
        line.put(0, ("▸", roles.style("accent", ground, bold=True)))
    line.put(1, ((clock.group() if clock else "").rjust(_TIME_CELLS), muted))
    glyph, style = _mark(record, roles, ground)
    line.put(_TIME_CELLS + 2, (glyph, style))
    limit = width - 1
    if link and not raw:
        limit = line.end(-2, (f"◀ {cut(shown(link), 18)}", roles.style("flow", ground))) - 2
    x = _TIME_CELLS + 4
    if record.generation is not None and not raw:
        for part in _figures(record.generation, wide=width >= _NARROW):
            if x + len(part) > limit:
                break
            x = line.put(x, (part, roles.style("text", ground))) + 2
    else:
        loud = record.level in _BAD or record.level == "warning"
        line.put(x, (cut(shown(record.text), limit - x), roles.style("text", ground) if loud else muted))
    return line.strip()


def _mark(record: LogRecord, roles: Roles, ground: Role) -> tuple[str, Style]:
    if record.generation is not None:
        return "◆", roles.style("accent", ground)
    if record.level in _BAD:
        return "✕", roles.style("bad", ground, bold=True)
    return ("!", roles.style("burst", ground, bold=True)) if record.level == "warning" else (" ", roles.style("text", ground))


def _figures(generation: Generation, *, wide: bool) -> list[str]:
    """What the record says, each figure in a width that keeps the rows in columns; what it does not say is left out."""
    named = shown(numbers.short_id(generation.request_id)).ljust(6) if generation.request_id else cut(shown(generation.task or ""), 12)
    parts = [named]
    if generation.scope != "request":
        parts = [f"all requests, {generation.scope}"]
    if generation.completion_tokens is not None:
        parts.append(f"{numbers.count(generation.completion_tokens):>3} tok")
    if wide and generation.total_s is not None:
        parts.append(f"{numbers.elapsed(generation.total_s):>6}")
    if generation.server_tok_s is not None:
        parts.append(f"{numbers.tok_s(generation.server_tok_s):>4} tok/s")
    if wide and generation.prefill_tok_s is not None:
        parts.append(f"prefill {generation.prefill_tok_s:>3,.0f} tok/s")
    rate = "" if generation.acceptance_rate is None else numbers.percent(generation.acceptance_rate)
    if generation.draft_accepted is not None and generation.draft_proposed is not None:
        parts.append(f"draft {numbers.drafts(generation.draft_accepted, generation.draft_proposed, tight=True):>7} {rate:>6}".rstrip())
    elif rate:
        parts.append(f"draft {rate}")
    if generation.truncated:
        parts.append("truncated")
    return [part for part in parts if part.strip()]
