"""Groups of like runs ("cells"): which runs count, their medians, and what is odd about them. docs/metrics.md, "Groups"."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from msgspec import Struct, field

from sparktui.core.records import PromptInfo, RunParams, RunRecord, ServerInfo
from sparktui.core.stats.outliers import lengths_note, outlier_notes, slowing_note, versions_note
from sparktui.core.stats.statistics import median

CellKey = tuple[str, str, str, str, str, str]

SPREAD_FIELDS = (
    "client_tok_s", "client_tok_s_net", "server_tok_s", "ttft_s", "ttft_content_s", "decode_s", "total_s", "prefill_s", "prefill_tok_s",
    "queue_s", "tpot_s", "completion_tokens", "prompt_tokens", "chunks", "tokens_per_chunk", "first_chunk_tokens", "burstiness",
    "tokens_per_step", "drafted_per_step", "steps_per_chunk", "step_ms", "step_cost", "speedup",
)  # fmt: skip
_SPOILED_BY_CACHE = frozenset({"ttft_s", "ttft_content_s", "prefill_s", "prefill_tok_s"})
_STATUS_WORDS = {"failed": "failed", "cancelled": "cancelled", "cut_off": "cut off"}
_FLAG_WORDS = {"not_idle": "not idle", "buffered": "buffered", "not_streamed": "not streamed"}


class Cell(Struct, frozen=True, kw_only=True):
    """Figures of the runs of one label, server, model, prompt and parameters; plain values, fit for export.

    `run_ids` in order of time, `counted_ids` those the medians are of. `medians`, `minima`, `maxima` and `counts` (how many runs had the
    figure) go by record field; a figure that no counted run has is in none of them. Acceptance is pooled, Σ accepted ÷ Σ proposed, over
    `acceptance_runs` runs. `excluded`: runs left out, by reason. `server` and `prompt` are the newest run's, without the prompt's text.
    """

    label: str
    server: ServerInfo
    prompt: PromptInfo
    params: RunParams
    simulated: bool = False
    n: int = 0
    n_excluded: int = 0
    excluded: dict[str, int] = field(default_factory=dict)
    run_ids: tuple[str, ...] = ()
    counted_ids: tuple[str, ...] = ()
    medians: dict[str, float] = field(default_factory=dict)
    minima: dict[str, float] = field(default_factory=dict)
    maxima: dict[str, float] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    draft_accepted: int | None = None
    draft_proposed: int | None = None
    acceptance_rate: float | None = None
    acceptance_runs: int = 0
    notes: tuple[str, ...] = ()


def cell_key(record: RunRecord) -> CellKey:
    """What runs of one cell have in common, as text: label, server, model, prompt, parameters, and whether it is simulated."""
    server = f"{record.server.kind} {record.server.base_url}"
    # the first line of a haystack is another one in every run
    prompt = record.prompt.name if record.needle else f"{record.prompt.name} {record.prompt.sha256}"
    return (record.label, server, record.server.model, prompt, params_text(record.params), _needle_text(record))


def params_text(params: RunParams) -> str:
    """Parameters as JSON with sorted keys: equal exactly where they are the same; 0 and 0.0 are one temperature, none sent is another."""
    plain = {"temperature": params.temperature, "max_tokens": params.max_tokens, "extra": params.extra}
    return msgspec.json.encode(_numbers(plain), order="sorted").decode()


def is_counted(record: RunRecord) -> tuple[bool, str]:
    """Whether a run enters medians, and the reason why not ("warm-up", "failed", "cancelled", "cut off", "not idle", …)."""
    if record.warmup:
        return False, "warm-up"
    if record.status != "ok":
        return False, _STATUS_WORDS[record.status]
    for flag in record.flags:
        if flag in _FLAG_WORDS:
            return False, _FLAG_WORDS[flag]
    return True, ""


def counts_for(record: RunRecord, name: str) -> bool:
    """Whether a run enters the median of one figure: a cached prompt spoils prefill and first text, not decoding."""
    return is_counted(record)[0] and not (name in _SPOILED_BY_CACHE and "cached_prompt" in record.flags)


def cells_of(records: Iterable[RunRecord]) -> list[Cell]:
    """The cells of these runs, in the order in which each first appears by time."""
    groups: dict[CellKey, list[RunRecord]] = {}
    for record in sorted(records, key=lambda run: (run.started_at, run.id)):
        groups.setdefault(cell_key(record), []).append(record)
    return [cell_of(runs) for runs in groups.values()]


def cell_of(runs: Sequence[RunRecord]) -> Cell:
    """The cell of runs that share one key, given in order of time. Raises ValueError for no runs."""
    if not runs:
        raise ValueError("a cell needs runs")
    counted = [run for run in runs if is_counted(run)[0]]
    reasons = [reason for run in runs if (reason := is_counted(run)[1])]
    drafted = [run for run in counted if run.draft_proposed and run.draft_accepted is not None]
    accepted = sum(run.draft_accepted or 0 for run in drafted)
    proposed = sum(run.draft_proposed or 0 for run in drafted)
    values = {name: found for name in SPREAD_FIELDS if (found := figure_values(runs, name))}
    newest = runs[-1]
    return Cell(
        label=newest.label,
        server=newest.server,
        prompt=msgspec.structs.replace(newest.prompt, text=None),
        params=newest.params,
        simulated=newest.simulated,
        n=len(counted),
        n_excluded=len(runs) - len(counted),
        excluded={reason: reasons.count(reason) for reason in dict.fromkeys(reasons)},
        run_ids=tuple(run.id for run in runs),
        counted_ids=tuple(run.id for run in counted),
        medians={name: middle for name, found in values.items() if (middle := median(found)) is not None},
        minima={name: min(found) for name, found in values.items()},
        maxima={name: max(found) for name, found in values.items()},
        counts={name: len(found) for name, found in values.items()},
        draft_accepted=accepted if drafted else None,
        draft_proposed=proposed if drafted else None,
        acceptance_rate=accepted / proposed if proposed else None,
        acceptance_runs=len(drafted),
        notes=(*outlier_notes(counted), *lengths_note(counted), *slowing_note(counted), *versions_note(counted)),
    )


def figure_values(runs: Sequence[RunRecord], name: str) -> list[float]:
    """One figure of every run that counts for it and has it, in the order given."""
    return [value for run in runs if counts_for(run, name) and (value := getattr(run, name)) is not None]


def _needle_text(record: RunRecord) -> str:
    """Simulated or not, and the place of a needle run: such runs differ though their prompts have one name."""
    needle = record.needle or {}
    place = {name: needle[name] for name in ("length", "depth", "depths", "warm") if name in needle}
    return f"{'simulated' if record.simulated else ''}{msgspec.json.encode(place, order='sorted').decode() if place else ''}"


def _numbers(value: Any) -> Any:
    """The same value with whole floats as ints, so that 0 and 0.0 compare equal as text."""
    if isinstance(value, dict):
        return {str(name): _numbers(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_numbers(inner) for inner in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
