"""The definition of the figure under the cursor: name, formula, the formula with this run's numbers, result, meaning. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from textual.strip import Strip

from sparktui.core.records import RunRecord
from sparktui.report import numbers
from sparktui.report.definitions import Definition, definitions
from sparktui.report.detail import Figure
from sparktui.report.numbers import ABSENT
from sparktui.tui.drawing.foreign import shown
from sparktui.tui.drawing.pen import Ink, Line, cells, cut
from sparktui.tui.drawing.prose import wrapped
from sparktui.tui.drawing.roles import Roles
from sparktui.tui.runview.run_figures import figure_columns

# where a figure without a definition of its own is explained
_EXPLAINED_BY = {"tokens_per_chunk_p50": "tokens_per_chunk"}
_LONGEST_MEANING = 4
_FIELD_NAME_FROM_CELLS = 60
_STAMPS = ("t_send", "t_first", "t_last", "t_done")


def definition_of(figure: Figure) -> Definition | None:
    """What the documentation says of a figure."""
    return definitions().get(_EXPLAINED_BY.get(figure.field, figure.field))


def band_rows(figure: Figure, record: RunRecord, width: int, height: int, roles: Roles) -> list[Strip]:
    """Name, formula, the same with this run's numbers, result, field; below it what it means."""
    definition = definition_of(figure)
    head = roles.style("muted", "head")
    line = Line(width, head)
    name = definition.name if definition is not None else figure.name
    x = line.put(0, ("▌", roles.style("accent", "head")), (name, roles.style("text", "head", bold=True))) + 2
    result = figure.number if figure.number == ABSENT else f"{figure.number} {figure.unit}".strip()
    room = width - 2 - len(figure.field) - 2 if width >= _FIELD_NAME_FROM_CELLS else width - 1
    formula = f"= {definition.plain_formula()}" if definition is not None else ""
    filled = definition.with_numbers(lambda field: value_of(record, field)) if definition is not None else ""
    filled = f" = {filled}" if filled and f"= {filled}" != formula else ""
    end: Ink = (f"{result}", roles.style("faint" if figure.number == ABSENT else "accent", "head", bold=True))
    long, short = [(formula + filled + " = ", head), end], [(formula + " = ", head), end]
    second: list[Ink] = []
    if x + cells(long) <= room:
        line.put(x, *long)
    else:
        # the numbers go to a row of their own
        space = room - x - 3 - cells([end])
        line.put(x, *(short if x + cells(short) <= room else [(cut(formula, space), head), (" = ", head), end]))
        second = [(cut((filled or " ").strip(), width - 4), roles.style("muted"))] if filled else []
    if width >= _FIELD_NAME_FROM_CELLS:
        line.end(-2, (figure.field, head))
    rows = [line.strip()]
    if second:
        rows.append(_band_line(second, width, roles))
    meaning = wrapped(definition.meaning, width - 4) if definition is not None else []
    left = height - len(rows)
    if len(meaning) > left > 0:
        meaning = [*meaning[: left - 1], cut(" ".join(meaning[left - 1 :]), width - 4)]
    rows += [_band_line([(text.replace("`", ""), roles.style("muted"))], width, roles) for text in meaning[:left]]
    return rows[:height]


def band_height(record: RunRecord, width: int) -> int:
    """Rows that the longest definition needs, within reason: the band must not change its height under a moving cursor."""
    figures = [item.figure for item in figure_columns(record, 1)[0] if item.figure is not None]
    known = [definition for figure in figures if (definition := definition_of(figure)) is not None]
    meaning = max((len(wrapped(definition.meaning, width - 4)) for definition in known), default=1)
    return 1 + min(_LONGEST_MEANING, max(2, meaning))


def value_of(record: RunRecord, field: str) -> str | None:
    """A record's value as a formula shows it; None where it is not known. Stamps count from the send."""
    if field in _STAMPS:
        return _stamp(record, field)
    value = getattr(record, field, None)
    if value is None:
        return None
    if not isinstance(value, int | float):
        return shown(str(value))
    if field.endswith("_tok_s") or field.endswith("_tok_s_net"):
        return numbers.tok_s(value)
    if field.endswith("_s"):
        return f"{numbers.fixed(value, 2)} s"
    if field.endswith("_ms"):
        return numbers.step_ms(value)
    return numbers.count(value) if isinstance(value, int) or float(value).is_integer() else numbers.fixed(value, 2)


def _stamp(record: RunRecord, field: str) -> str | None:
    first, decode = record.ttft_s, record.decode_s
    seconds = {
        "t_send": 0.0, "t_first": first, "t_last": None if first is None or decode is None else first + decode, "t_done": record.total_s,
    }[field]  # fmt: skip
    return None if seconds is None else "0 s" if seconds == 0 else f"{numbers.fixed(seconds, 2)} s"


def _band_line(inks: Sequence[Ink], width: int, roles: Roles) -> Strip:
    line = Line(width, roles.style())
    line.put(2, *inks)
    return line.strip()
