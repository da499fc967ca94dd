"""Runs as CSV (RFC 4180): one a row, units in the names, decimal points whatever the locale, nothing a spreadsheet would run."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from typing import Any

from sparktui.core.records import RunRecord
from sparktui.io.store.recordjson import plain
from sparktui.report.estimates import estimated_fields
from sparktui.report.together import Round, at_once

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")

_Raw = dict[str, Any]


def _at(*path: str) -> Callable[[_Raw], Any]:
    def value(raw: _Raw) -> Any:
        found: Any = raw
        for name in path:
            found = found.get(name) if isinstance(found, dict) else None
        return found

    return value


_NESTED: dict[str, tuple[str, ...]] = {
    "server_kind": ("server", "kind"),
    "server_base_url": ("server", "base_url"),
    "server_model": ("server", "model"),
    "server_version": ("server", "version"),
    "server_ctx_tokens": ("server", "ctx"),
    "server_draft": ("server", "draft"),
    "server_tls_verified": ("server", "tls_verified"),
    "prompt_name": ("prompt", "name"),
    "prompt_sha256": ("prompt", "sha256"),
    "temperature": ("params", "temperature"),
    "max_tokens": ("params", "max_tokens"),
    "gap_p50_ms": ("gap_ms", "p50"),
    "gap_p90_ms": ("gap_ms", "p90"),
    "gap_p99_ms": ("gap_ms", "p99"),
    "gap_max_ms": ("gap_ms", "max"),
    "memory_total_bytes": ("memory", "total"),
    "memory_used_before_bytes": ("memory", "used_before"),
    "memory_used_peak_bytes": ("memory", "used_peak"),
    "memory_available_min_bytes": ("memory", "available_min"),
    "memory_rss_peak_bytes": ("memory", "rss_peak"),
    "needle_found": ("needle", "found"),
    "needle_length": ("needle", "length"),
    "needle_depth": ("needle", "depth"),
}
_FIRST = (
    "id", "started_at", "label", "status", "bench_id", "run_no", "warmup", "simulated", "flags", "error",
    "server_kind", "server_base_url", "server_model", "server_version", "server_ctx_tokens", "server_draft", "server_tls_verified",
    "prompt_name", "prompt_sha256", "temperature", "max_tokens", "params_extra",
)  # fmt: skip
_NOT_PLAIN = frozenset(("server", "prompt", "params", "gap_ms", "memory", "needle", "text", "reasoning", "tool_calls", "timeline"))
# what the equal requests that were sent with this one came to together; empty for one that was sent alone
_ROUND = (
    "round_asked", "round_n", "round_tokens", "round_tok_s", "round_wall_tok_s", "round_at_once", "round_request_tok_s_min",
    "round_request_tok_s_median", "round_request_tok_s_max", "round_queue_s", "round_first_text_spread_s", "round_estimated",
)  # fmt: skip
_LAST = ("estimated_fields", "memory_gpus", "needle")
_TEXTS = ("prompt_text", "text", "reasoning", "tool_calls")


def columns(*, text: bool) -> tuple[str, ...]:
    """The column names, always the same ones in the same order; the texts come last and only with `text`."""
    plain_fields = [name for name in RunRecord.__struct_fields__ if name not in _NOT_PLAIN and name not in _FIRST]
    nested = [name for name in _NESTED if name not in _FIRST]
    gaps = [name for name in nested if name.startswith("gap_")]
    place = plain_fields.index("bursts")
    middle = [*plain_fields[:place], *gaps, *plain_fields[place:], *(name for name in nested if name not in gaps)]
    return (*_FIRST, *middle, *_LAST, *_ROUND, *(_TEXTS if text else ()))


def render_csv(records: Sequence[RunRecord], *, text: bool = True) -> bytes:
    """A header and one row a run, lines ended by CR LF, UTF-8 without a mark."""
    names = columns(text=text)
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(names)
    rounds = {run_id: found for found in at_once(records) for run_id in found.run_ids}
    for record in records:
        values = {**_values(record), **_round_values(rounds.get(record.id))}
        writer.writerow([_cell(values[name]) for name in names])
    return out.getvalue().encode()


def _values(record: RunRecord) -> _Raw:
    raw = plain(record)
    values = {name: raw.get(name) for name in RunRecord.__struct_fields__}
    values.update({name: _at(*path)(raw) for name, path in _NESTED.items()})
    values.update(
        params_extra=_json(raw["params"].get("extra")),
        prompt_text=raw["prompt"]["text"],
        memory_gpus=_json((raw["memory"] or {}).get("gpus")),
        needle=_json(raw["needle"]),
        estimated_fields=" ".join(sorted(estimated_fields(record))),
        flags=" ".join(raw["flags"]),
        warnings="\n".join(raw["warnings"]),
        retries="\n".join(raw["retries"]),
    )
    return values


def _round_values(found: Round | None) -> _Raw:
    return {name: None if found is None else getattr(found, name.removeprefix("round_")) for name in _ROUND}


def _json(value: Any) -> str | None:
    return json.dumps(value, ensure_ascii=False, allow_nan=False) if value else None


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    text = str(value)
    return "'" + text if text.startswith(_FORMULA_STARTS) else text
