"""Memory of the serving machine, configuration by configuration."""

from __future__ import annotations

from collections.abc import Sequence

from sparktui.core.events import MemoryNow
from sparktui.core.loadmemory import memory_of_load
from sparktui.core.records import Memory, RunRecord
from sparktui.core.stats.statistics import median
from sparktui.report import numbers
from sparktui.report.loadwords import load_words
from sparktui.report.numbers import ABSENT
from sparktui.report.page.kinds import LONG_PROMPT, Kinds
from sparktui.report.page.meaning import sentences_on
from sparktui.report.page.parts import Block, Bullets, MemoryPlot, MemoryUse, Rows, Section, Words
from sparktui.report.table import Column, Row, Table, cell_text

_COLUMNS = (
    Column(title="label", right=False), Column(title="prompt", right=False), Column(title="context"), Column(title="cache", right=False),
    Column(title="runs"), Column(title="before GB"), Column(title="peak GB"), Column(title="least free GB"),
    Column(title="total GB"), Column(title="process GB"), Column(title="GPUs GB"),
)  # fmt: skip
_MOST_BARS = 16
_POOL = "difference ÷ difference in cache tokens × cache tokens; no endpoint tells it"
_MEANING = (
    "System memory of the machine that serves, sampled each second: used = total − available. GB are 10⁹ bytes. "
    "In use before the runs (their median), at the peak, and free at the least. "
    "Process: the server's own. GPUs: all cards together. Both at the peak."
)


def memory_section(kinds: Kinds) -> Section | None:
    """One configuration and prompt length a row. None where no run knows its memory."""
    groups = _groups(kinds)
    if not groups:
        return None
    uses = [_use(name, runs) for name, runs in groups]
    table = Table(_COLUMNS, tuple(_row(runs, kinds) for _, runs in groups))
    blocks: list[Block] = [MemoryPlot("System memory", tuple(uses))] if len(uses) <= _MOST_BARS else []
    blocks += [Rows(table.without_empty(ABSENT, ("context", "cache", "before GB", "process GB", "GPUs GB")))]
    blocks += [Words(_MEANING, "muted"), *_pools(kinds), *sentences_on(kinds, "memory")]
    return Section("memory", "Memory", tuple(blocks))


def _groups(kinds: Kinds) -> list[tuple[str, list[RunRecord]]]:
    """Runs with a known memory by label, configuration and length of prompt, under a name."""
    groups: dict[tuple[object, ...], list[RunRecord]] = {}
    for run in kinds.all:
        if run.memory is not None:
            server = run.server
            key = (kinds.named(run), server.kind, server.base_url, server.model, server.ctx, server.cache_mode, server.cache_tokens)
            groups.setdefault((*key, _prompt(run)), []).append(run)
    return [(f"{kinds.named(runs[0])} · {_prompt(runs[0])}", runs) for runs in groups.values()]


def _prompt(run: RunRecord) -> str:
    if run.needle is not None:
        return f"{numbers.count(run.needle.get('length'))}-token needle"
    return run.prompt.name if (run.prompt_tokens or 0) >= LONG_PROMPT else "short prompts"


def _memories(runs: Sequence[RunRecord]) -> list[Memory]:
    return [run.memory for run in runs if run.memory is not None]


def _before(runs: Sequence[RunRecord]) -> int | None:
    middle = median(memory.used_before for memory in _memories(runs))
    return None if middle is None else round(middle)


def _use(name: str, runs: Sequence[RunRecord]) -> MemoryUse:
    seen = _memories(runs)
    peak, total = max(memory.used_peak for memory in seen), max(memory.total for memory in seen)
    text = f"{numbers.gigabytes_number(peak)} / {numbers.gigabytes(total)}"
    return MemoryUse(name=name, text=text, used_before=_before(runs), used_peak=peak, total=total)


def _row(runs: Sequence[RunRecord], kinds: Kinds) -> Row:
    seen, first = _memories(runs), runs[0]
    server = first.server
    cache = [server.cache_mode or "", f"{numbers.count(server.cache_tokens)} tok" if server.cache_tokens else ""]
    processes = [memory.rss_peak for memory in seen if memory.rss_peak is not None]
    gpus = [sum(card.used for card in memory.gpus) for memory in seen if memory.gpus]
    sizes = (
        _before(runs), max(memory.used_peak for memory in seen), min(memory.available_min for memory in seen),
        max(memory.total for memory in seen), max(processes, default=None), max(gpus, default=None),
    )  # fmt: skip
    names = (cell_text(kinds.named(first)), cell_text(_prompt(first)), numbers.context(server.ctx))
    caches = cell_text(", ".join(filter(None, cache))) or ABSENT
    return Row((*names, caches, str(len(runs)), *(numbers.gigabytes_number(size) for size in sizes)))


def _pools(kinds: Kinds) -> list[Block]:
    """Cache pools derived within a sweep from what two cache lengths left in use; nothing where cards have memory of their own."""
    items = []
    for sweep in kinds.sweeps:
        labels = list(dict.fromkeys(run.label for run in sweep))
        sides = {label: [run for run in sweep if run.label == label and run.memory is not None and not run.memory.gpus] for label in labels}
        first = sides[labels[0]]
        for label in labels[1:]:
            before, after = _sample(first), _sample(sides[label])
            load = memory_of_load(before, after, first[-1].server, sides[label][-1].server) if before and after else None
            if load is not None and load.pool_bytes is not None:
                items.append((f"{label}: {load_words(load)}", _POOL))
    return [Bullets(tuple(items))] if items else []


def _sample(runs: Sequence[RunRecord]) -> MemoryNow | None:
    used = _before(runs)
    if used is None:
        return None
    total = _memories(runs)[-1].total
    return MemoryNow(total=total, used=used, available=total - used)
