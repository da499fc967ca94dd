"""The rate without a draft that speed-up and step cost are measured against."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from sparktui.core.records import RunRecord
from sparktui.core.stats.statistics import median

CONFIG_ID = "config"
_NO_DRAFT = ("none", "off", "disabled")
_SAYS_WHEN_IT_DRAFTS = ("llamacpp",)


class Baseline(Struct, frozen=True, kw_only=True):
    """Rates without a draft, tok/s; None = not known. `id` is the newest run of the cell, or "config"; `n` runs were pooled."""

    id: str
    server_tok_s: float | None = None
    client_tok_s_net: float | None = None
    n: int = 1

    @property
    def tok_s(self) -> float | None:
        """The rate a single-token pass is taken from: the server's, else the client's net one."""
        return self.server_tok_s if self.server_tok_s is not None else self.client_tok_s_net


def drafted(record: RunRecord) -> bool | None:
    """Whether the run was generated with a draft; None where nothing says so.

    Evidence: the counts, the server's own mode, a log or timings that were read and hold no drafts, and llama.cpp, whose timings show
    drafts whenever there are any. (Zeros in `usage` are no evidence: gateways send them as constants.)
    """
    if record.draft_proposed:
        return True
    mode = record.server.draft
    if mode is not None:
        return mode.lower() not in _NO_DRAFT
    if record.acceptance_source in ("log", "timings"):
        return False
    if record.server.kind in _SAYS_WHEN_IT_DRAFTS and record.server_tok_s is not None:
        return False
    return None


def why_no_baseline_run(record: RunRecord) -> str:
    """Why there is no stored run that this one's speed-up is measured against, as the end of a sentence; "" where there is one."""
    if record.baseline_id == CONFIG_ID:
        return "its baseline is the rate that the configuration gives (baseline_tok_s), and that cannot be played"
    if record.baseline_id is not None:
        return ""
    if drafted(record) is False:
        return "it ran without a draft itself, so others are measured against it"
    return "when it ran, no good run without a draft, of the same server, model, prompt and parameters, was in the history"


def choose_baseline(record: RunRecord, candidates: Iterable[RunRecord], config_tok_s: float | None = None) -> Baseline | None:
    """The newest good cell with the same server, model, prompt and parameters and no draft; else `baseline_tok_s` of config; else None.

    A cell is its runs under one label; its rates are medians. Runs that medians leave out (docs/metrics.md) are left out here too.
    """
    cells: dict[str, list[RunRecord]] = {}
    newest: RunRecord | None = None
    for other in candidates:
        if other.id == record.id or not _fits(record, other):
            continue
        cells.setdefault(other.label, []).append(other)
        if newest is None or (other.started_at, other.id) > (newest.started_at, newest.id):
            newest = other
    if newest is None:
        return Baseline(id=CONFIG_ID, server_tok_s=config_tok_s, client_tok_s_net=config_tok_s) if config_tok_s else None
    runs = cells[newest.label]
    return Baseline(
        id=newest.id,
        server_tok_s=median([run.server_tok_s for run in runs]),
        client_tok_s_net=median([run.client_tok_s_net for run in runs]),
        n=len(runs),
    )


def _fits(record: RunRecord, other: RunRecord) -> bool:
    return (
        other.status == "ok"
        and not other.warmup
        and "not_idle" not in other.flags
        and other.server.kind == record.server.kind
        and other.server.base_url == record.server.base_url
        and other.server.model == record.server.model
        and other.prompt.sha256 == record.prompt.sha256
        and other.params == record.params
        and drafted(other) is False
        and (other.server_tok_s is not None or other.client_tok_s_net is not None)
    )
