"""Runs put in order for a page: prompts, under each its cells, needle runs apart; and the words of their headings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from sparktui.core.records import PromptInfo, RunParams, RunRecord, ServerInfo
from sparktui.core.stats.cells import CellKey, cell_key
from sparktui.report import numbers
from sparktui.report.table import cell_text

_LONGEST_PROMPT = 400
SIMULATED = "Simulated: these runs come from the built-in demo server, nothing here is measured."
READING = (
    "TTFT = first text − request sent. Time = last text − first text. Client tok/s = completion tokens ÷ time. "
    "Server = the server's own decode rate. Acceptance = accepted ÷ proposed draft tokens. ≈ = estimated, – = not known."
)
"""How the columns of the run tables come about, in one line."""


class CellRuns(Struct, frozen=True):
    """The runs of one cell, in their order."""

    heading: str
    runs: tuple[RunRecord, ...]


class PromptRuns(Struct, frozen=True):
    """The cells of one prompt, in the order of their first runs."""

    heading: str
    cells: tuple[CellRuns, ...]


def by_prompt(records: Sequence[RunRecord]) -> list[PromptRuns]:
    """Every run that is not a needle run, grouped; runs of a cell in the order of their starts."""
    plain = sorted((record for record in records if record.needle is None), key=lambda record: (record.started_at, record.id))
    cells: dict[CellKey, list[RunRecord]] = {}
    for record in plain:
        cells.setdefault(cell_key(record), []).append(record)
    prompts: dict[tuple[str, str], list[list[RunRecord]]] = {}
    for runs in cells.values():
        prompts.setdefault((runs[0].prompt.name, runs[0].prompt.sha256), []).append(runs)
    return [_prompt_runs(groups) for groups in prompts.values()]


def _prompt_runs(groups: Sequence[Sequence[RunRecord]]) -> PromptRuns:
    together = [record for runs in groups for record in runs]
    return PromptRuns(prompt_heading(together[0].prompt), tuple(CellRuns(cell_heading(runs[0], together), tuple(runs)) for runs in groups))


def needle_runs(records: Sequence[RunRecord]) -> list[RunRecord]:
    """The long-context runs, in the order of their starts."""
    return sorted((record for record in records if record.needle is not None), key=lambda record: (record.started_at, record.id))


def prompt_heading(prompt: PromptInfo) -> str:
    """`Story — "Write a short story …"`; the name alone where the text is not known."""
    name = cell_text(prompt.name)
    title = name[:1].upper() + name[1:]
    if not prompt.text:
        return title
    text = cell_text(prompt.text)
    return f'{title} — "{text if len(text) <= _LONGEST_PROMPT else text[: _LONGEST_PROMPT - 1] + "…"}"'


def cell_heading(record: RunRecord, others: Sequence[RunRecord]) -> str:
    """`temperature 0`, and what else tells this cell from the `others` of the page: label, model, server, further parameters."""
    parts = [temperature_words(record.params)]
    if len({other.params.max_tokens for other in others}) > 1:
        parts.append(f"max_tokens {numbers.count(record.params.max_tokens)}")
    parts += [f"{name} {value}" for name, value in sorted(record.params.extra.items())]
    if len({other.label for other in others}) > 1:
        parts.append(cell_text(record.label))
    if len({other.server.model for other in others}) > 1:
        parts.append(cell_text(record.server.model) or "model not known")
    if len({(other.server.kind, other.server.base_url) for other in others}) > 1:
        parts.append(f"{record.server.kind} {cell_text(record.server.base_url)}".strip())
    return ", ".join(parts)


def temperature_words(params: RunParams) -> str:
    """`temperature 1.0`; `temperature unset (server default)` where none was sent."""
    if params.temperature is None:
        return "temperature unset (server default)"
    return f"temperature {numbers.temperature(params.temperature)}"


def environment(records: Sequence[RunRecord]) -> list[str]:
    """One sentence a fact: servers, what was sent, when, idle or not, memory. For the end of a page."""
    lines = [_server_line(server) for server in _different(record.server for record in records)]
    limits = sorted({record.params.max_tokens for record in records if record.params.max_tokens is not None})
    if limits:
        lines.append("max_tokens " + ", ".join(numbers.count(limit) for limit in limits))
    labels = list(dict.fromkeys(cell_text(record.label) for record in records))
    lines.append(("label " if len(labels) == 1 else "labels ") + ", ".join(labels))
    stamps = sorted(record.started_at for record in records)
    first, last = numbers.when_exactly(stamps[0]), numbers.when_exactly(stamps[-1])
    lines.append(f"measured {first}" + (f" to {last}" if last != first else "") + " (local time)")
    checked = sum(record.idle_checked for record in records)
    lines.append(f"server asked whether it was idle before {checked} of {len(records)} runs")
    lines += _memory_line(records)
    if any(not record.server.tls_verified for record in records):
        lines.append("TLS certificates were NOT verified")
    return lines


def _server_line(server: ServerInfo) -> str:
    facts = [
        " ".join(filter(None, (server.kind, server.version))) + (f" at {server.base_url}" if server.base_url else ""),
        server.model and f"model {server.model}",
        server.ctx and f"context {numbers.context(server.ctx)}",
        server.draft and f"draft {server.draft}",
        server.cache_mode and f"cache {server.cache_mode}",
        server.cache_tokens and f"cache of {numbers.count(server.cache_tokens)} tokens",
        server.slots and f"{server.slots} slot{'' if server.slots == 1 else 's'}",
    ]
    return ", ".join(cell_text(str(fact)) for fact in facts if fact)


def _memory_line(records: Sequence[RunRecord]) -> list[str]:
    seen = [record.memory for record in records if record.memory is not None]
    if not seen:
        return []
    peak = max(memory.used_peak for memory in seen)
    least = min(memory.available_min for memory in seen)
    return [
        f"memory {numbers.gigabytes(peak)} used at the peak, {numbers.gigabytes(least)} available at the least, "
        f"of {numbers.gigabytes(seen[0].total)}"
    ]


def _different(servers: Iterable[ServerInfo]) -> list[ServerInfo]:
    found: list[ServerInfo] = []
    for server in servers:
        if server not in found:
            found.append(server)
    return found
