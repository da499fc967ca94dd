"""Chosen runs as a page: which sections there are, in which order, and what stands above them."""

from __future__ import annotations

from collections.abc import Sequence

from sparktui import __version__
from sparktui.core.records import RunRecord
from sparktui.errors import UsageError
from sparktui.report.page.kinds import Kinds, kinds_of
from sparktui.report.page.longcontext import decode_section, prefill_section
from sparktui.report.page.meaning import meaning_section
from sparktui.report.page.memory import memory_section
from sparktui.report.page.parts import Page
from sparktui.report.page.rawruns import definitions_section, environment_section, raw_section
from sparktui.report.page.shortprompt import Which, short_section
from sparktui.report.page.sweeps import sweep_section
from sparktui.report.sections import SIMULATED
from sparktui.report.table import cell_text

_SOME_SIMULATED = "With simulated runs: those marked so come from the built-in demo server, nothing in them is measured."
_MANY_LABELS = 4
_LEAD = (
    "Times are stamped where the runs were asked for, on the bytes as they arrived: the decode rate excludes prefill and includes "
    "everything between the client and the server."
)


def page_of(records: Sequence[RunRecord], *, made_at: str, title: str = "", baseline: str = "", strips: Which = "median") -> Page:
    """The page of these runs; a section without data is left out. Raises UsageError without runs, or for an unknown baseline."""
    if not records:
        raise UsageError("There is no run to report on.", hint="Measure something first: sparktui bench")
    kinds = kinds_of(records)
    made = f"sparktui {__version__}, made {made_at}"
    sections = (
        short_section(kinds, strips), meaning_section(kinds), prefill_section(kinds), decode_section(kinds), memory_section(kinds),
        sweep_section(kinds, baseline), raw_section(kinds, strips=strips == "all"), definitions_section(kinds),
        environment_section(kinds, [made]),
    )  # fmt: skip
    return Page(
        title=title or _title(kinds),
        subtitle=_subtitle(kinds),
        banner=_SOME_SIMULATED if kinds.mixed else SIMULATED if kinds.all[0].simulated else "",
        lead=_LEAD,
        sections=tuple(section for section in sections if section is not None),
        footer=made,
    )


def _title(kinds: Kinds) -> str:
    """The labels; where they are many, the models."""
    labels = list(dict.fromkeys(cell_text(run.label) for run in kinds.all))
    models = list(dict.fromkeys(cell_text(run.server.model) for run in kinds.all))
    names = labels if len(labels) < _MANY_LABELS or "" in models else models
    more = f" and {len(names) - 1} more" if len(names) >= _MANY_LABELS else ""
    return "Measurements — " + (names[0] + more if more else ", ".join(names))


def _subtitle(kinds: Kinds) -> str:
    """Models, kinds of server, days and the number of runs."""
    models = list(dict.fromkeys(cell_text(run.server.model) for run in kinds.all if run.server.model))
    servers = list(dict.fromkeys(" ".join(filter(None, (run.server.kind, run.server.version))) for run in kinds.all))
    days = sorted({run.started_at[:10] for run in kinds.all})
    span = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    count = "1 run" if len(kinds.all) == 1 else f"{len(kinds.all):,} runs"
    return " · ".join(cell_text(part) for part in (", ".join(models[:3]), ", ".join(servers[:3]), span, count) if part)
